"""What a pair has to be: every threshold of the construction as a named field.

`pulpmotion` holds the paper's numbers. `fables` adds three gates to direction pairs that the paper
lacks, measures the limits of the dynamics on the set itself by the paper's rule, and weighs its
intensity sources so that labels say nothing of how far a source went.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from aesop.core.errors import AesopError

RecipeName = Literal["pulpmotion", "fables"]

Range = tuple[float, float]


class PairError(AesopError):
    """Pairs that cannot be built, read or drawn."""


@dataclass(frozen=True)
class EventRule:
    """How the stretch of a shot is found in which its Truck or Dolly happens."""

    taps: int = 11  # of the triangular filter that smooths the coordinate's velocity
    whole_share: float = 0.90  # a run of one sign that covers this much is the whole shot
    axis_frames: int = 8  # first frames whose right vectors are averaged for a Truck …
    axis_share: int = 5  # … but no more than frames // axis_share
    level_axis: float = 1e-3  # shortest horizontal part that still gives a direction


@dataclass(frozen=True)
class DirectionGates:
    """When a direction pair is accepted. Fields that are None or False switch a gate off."""

    # Source event.
    event_frames: int = 45
    same_sign: float = 0.80  # share of transitions along the net direction
    net_of_path: float = 0.60
    truck_m: float = 0.20
    dolly_m: float = 0.20
    dolly_of_distance: float = 0.10  # of the distance at the start of the event
    sign_is_tag: bool = False
    # Target geometry.
    nearest_m: float = 0.25
    response: Range = (0.80, 1.25)
    rotation_change: float = 0.0
    lens_change: float = 0.0
    truck_vertical_m: float = 1e-5
    truck_radial: float = 0.10
    dolly_direction_deg: float = 0.05
    # Framing of both members, and the effect that a viewer sees.
    visible: float = 0.80
    out_rise: float = 0.05
    truck_shift: float = 0.08  # of the image's width
    truck_angle_deg: float = 6.0
    dolly_growth: float = 0.12
    # Leakage.
    retags_as_opposite: bool = False
    residual_ratio: float | None = None  # off-event speed, target over source
    # After the camera codec.
    feature_mse: float = 0.01181
    decoded_response: Range = (0.70, 1.30)
    decoded_effect: float = 1.0
    kept_effect: float = 0.70


@dataclass(frozen=True)
class DynamicsLimits:
    """95th percentiles over frames that a target may reach: metres per frame, frame² and frame³."""

    speed: float
    acceleration: float
    jerk: float


@dataclass(frozen=True)
class Pilot:
    """How dynamics limits are measured: a quantile over clips of each clip's 95th percentile."""

    clips: int = 1_000
    quantile: float = 0.995


@dataclass(frozen=True)
class IntensityGates:
    """When an intensity pair is accepted."""

    # Sources.
    shortest_frames: int = 25
    active_path_m: float = 0.4118
    active_span_m: float = 0.15  # farthest from the first centre
    largest_step: float = 0.20  # of the path
    null_path_m: float = 0.10
    source_visible: float = 0.80  # share of frames in which any joint is seen
    nearest_m: float = 0.25
    # The paper's 601 direction sources are no intensity sources. Where they are half of all single
    # trucks and dollies, leaving them out would leave out what those look like.
    apart_from_direction: bool = True
    # Magnitude and direction of a target.
    path_error: float = 0.08
    speed_error: float = 0.03  # path ratio against ratio of root mean square speeds
    cosine: float = 0.90
    cosine_from: float = 0.25  # weaker labels are not asked for their direction
    least_change_m: float = 0.15
    # Dynamics and framing of a target. None: measured by the pilot.
    dynamics: DynamicsLimits | None = None
    farthest_m: float = 12.7716
    visible_drop: float = 0.05
    severe_rise: float = 0.03  # of frames with fewer than half the joints in view
    # After the camera codec.
    decoded_path_error: float = 0.15


@dataclass(frozen=True)
class Labels:
    """Bins of equal width below and above one, and how often each is proposed. No label lies closer
    to one than `nearest`: there only long ways change enough to be kept. None lies beyond
    `strongest`."""

    below: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4)
    above: tuple[float, ...] = (0.4, 0.3, 0.2, 0.1)
    tries: int = 8
    kept: int = 1  # a side; further ones make further pairs of the same source
    nearest: float = 0.0
    strongest: float = 2.0


@dataclass(frozen=True)
class Balance:
    """How `balanced_weights` weighs active sources so that intensity alone sets them apart."""

    travel_bins: int = 8
    distance_bins: int = 6
    label_bins: int = 8
    label_bins_of_kind: int = 4
    duration_bins: int = 8
    rounds: int = 60
    most: float = 12.0
    alone: float = 0.8  # a shot with that share of one tag has a single movement
    covered: float = 0.5  # of a kind's shots must travel like its sources


@dataclass(frozen=True)
class Amounts:
    """How many sources are tried and kept; ranking by hash decides which."""

    constructed: int = 36_000
    active: int = 8_000
    null: int = 2_000
    # Share of the accepted sources whose films or performers are reserved.
    development: float = 0.05


@dataclass(frozen=True)
class PairRecipe:
    """The full settings of both constructions."""

    name: RecipeName
    event: EventRule = field(default_factory=EventRule)
    direction: DirectionGates = field(default_factory=DirectionGates)
    smoothing_taps: int = 11
    intensity: IntensityGates = field(default_factory=IntensityGates)
    pilot: Pilot = field(default_factory=Pilot)
    labels: Labels = field(default_factory=Labels)
    amounts: Amounts = field(default_factory=Amounts)
    balance: Balance | None = None  # None: every source counts once
    salt: str = "aesop-pairs"


_EVEN = (0.25, 0.25, 0.25, 0.25)


def pulpmotion() -> PairRecipe:
    """The paper's numbers."""
    limits = DynamicsLimits(speed=0.1416, acceleration=0.03499, jerk=0.01315)
    return PairRecipe("pulpmotion", intensity=IntensityGates(dynamics=limits))


def fables() -> PairRecipe:
    """The paper's rules on our own set, and three gates that keep a walking person's gait out of
    the reflected camera."""
    paper = pulpmotion()
    gates = replace(paper.direction, sign_is_tag=True, retags_as_opposite=True, residual_ratio=2.0)
    return replace(
        paper,
        name="fables",
        direction=gates,
        intensity=replace(paper.intensity, dynamics=None, apart_from_direction=False),
        # Weights need many sources, and strong labels on long ways, of which there are few; and
        # what a model answers flattens where labels end.
        labels=Labels(below=_EVEN, above=_EVEN, kept=4, nearest=0.35, strongest=2.75),
        amounts=Amounts(active=20_000, null=8_000),
        balance=Balance(),
    )


def recipe_from_facts(facts: dict[str, Any]) -> PairRecipe:
    """Inverse of `asdict`, for recipes that were kept as JSON."""
    direction, intensity = dict(facts["direction"]), dict(facts["intensity"])
    for name in ("response", "decoded_response"):
        direction[name] = tuple(direction[name])
    if intensity["dynamics"] is not None:
        intensity["dynamics"] = DynamicsLimits(**intensity["dynamics"])
    bins = facts["labels"]
    return PairRecipe(
        name=facts["name"],
        event=EventRule(**facts["event"]),
        direction=DirectionGates(**direction),
        smoothing_taps=facts["smoothing_taps"],
        intensity=IntensityGates(**intensity),
        pilot=Pilot(**facts["pilot"]),
        # Plans of earlier versions lack the last three.
        labels=Labels(**{**bins, "below": tuple(bins["below"]), "above": tuple(bins["above"])}),
        amounts=Amounts(**facts["amounts"]),
        balance=Balance(**balance) if (balance := facts.get("balance")) else None,
        salt=facts["salt"],
    )


def recipe_named(name: RecipeName) -> PairRecipe:
    return {"pulpmotion": pulpmotion, "fables": fables}[name]()


def recipe_for_dataset(dataset: str) -> PairRecipe:
    """The recipe that belongs to a store: its own rules for Fables, the paper's for the rest."""
    return fables() if dataset.startswith("fables") else pulpmotion()
