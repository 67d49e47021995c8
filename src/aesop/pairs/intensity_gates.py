"""The gates of intensity pairs, the labels that were tried, and how far a way may be stretched or
shrunk before its shot is spoiled."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float32, Int64

from aesop.pairs.gates import (
    FunnelStage,
    GateCount,
    GateList,
    Verdicts,
    lost_examples,
    side_by_side,
)
from aesop.pairs.pair_recipe import DynamicsLimits, IntensityGates
from aesop.pairs.shot_arrays import (
    CameraFeatures,
    Cameras,
    ClipBool,
    ClipFloat,
    Dynamics,
    Film,
    FramePoints,
    JointBool,
    JointPoints,
    aimed,
    blind_frames,
    dynamics,
    features_of_way,
    path_lengths,
    quantile,
    ratio,
    real_steps,
    severe_frames,
    sight,
    smoothed,
    step_lengths,
)
from aesop.pairs.transforms import SIDES, distance, scaled

DECODED_PATH = "decoded path ratio"
# For weaker targets the transform is a plain scaling: these gates hold whatever the source.
NEVER_FAIL_WEAKER = ("path ratio", "path ratio against speed ratio", "direction")


@dataclass(frozen=True, eq=False)
class SourceFacts:
    """What decides whether a shot can be a source, and what its targets are compared with."""

    path_m: ClipFloat
    span_m: ClipFloat
    largest_step: ClipFloat  # of the path
    start_m: ClipFloat  # from the person, in the first frame
    nearest_m: ClipFloat
    in_view: ClipFloat  # share of frames with any joint in view
    severe: ClipFloat  # share of frames with fewer than half
    dynamics: Dynamics


def source_facts(film: Film, visible: JointBool) -> SourceFacts:
    """Measure sources through their own lenses."""
    centre, lengths = film.cameras.centre, film.lengths
    steps = step_lengths(centre, lengths)
    path = steps.sum(-1)
    away = np.linalg.norm(centre - centre[:, :1], axis=-1)
    near = distance(film, film.cameras)
    return SourceFacts(
        path_m=path,
        span_m=np.where(film.mask, away, 0.0).max(1),
        largest_step=ratio(steps.max(1, initial=0.0), path),
        start_m=near[:, 0],
        nearest_m=np.where(film.mask, near, np.inf).min(1),
        in_view=1.0 - blind_frames(visible, film),
        severe=severe_frames(visible, film),
        dynamics=dynamics(centre, lengths),
    )


def active_verdicts(
    film: Film,
    facts: SourceFacts,
    has_caption: ClipBool,
    is_direction: ClipBool,
    gates: IntensityGates,
) -> Verdicts:
    """Shots that travel enough to be made weaker and stronger."""
    way = GateList(len(has_caption))
    way.at_least("path", facts.path_m, gates.active_path_m)
    way.at_least("span", facts.span_m, gates.active_span_m)
    way.at_most("largest step", facts.largest_step, gates.largest_step)
    return _source_verdicts(film, facts, has_caption, is_direction, gates, way)


def null_verdicts(
    film: Film,
    facts: SourceFacts,
    has_caption: ClipBool,
    is_direction: ClipBool,
    gates: IntensityGates,
) -> Verdicts:
    """Shots that hardly travel, whatever intensity is asked for."""
    way = GateList(len(has_caption))
    way.at_most("path", facts.path_m, gates.null_path_m)
    return _source_verdicts(film, facts, has_caption, is_direction, gates, way)


def _source_verdicts(
    film: Film,
    facts: SourceFacts,
    has_caption: ClipBool,
    is_direction: ClipBool,
    gates: IntensityGates,
    way: GateList,
) -> Verdicts:
    """Gates on the way, between those that every source is asked first and last."""
    first, last = GateList(len(has_caption)), GateList(len(has_caption))
    first.at_least("length", film.lengths.astype(np.float64), float(gates.shortest_frames))
    first.holds("caption", has_caption, has_caption.astype(np.float64))
    last.at_least("visible", facts.in_view, gates.source_visible)
    last.at_least("distance to the person", facts.nearest_m, gates.nearest_m)
    if gates.apart_from_direction:
        last.holds("not a direction source", ~is_direction, is_direction.astype(np.float64))
    return side_by_side([first.verdicts, way.verdicts, last.verdicts])


@dataclass(frozen=True)
class TargetRule:
    """The gates on targets, the dynamics limits in force, and the taps of the filter."""

    gates: IntensityGates
    limits: DynamicsLimits
    taps: int


def target_verdicts(
    film: Film,
    facts: SourceFacts,
    smooth: FramePoints,
    target: Cameras,
    intensity: ClipFloat,
    visible: JointBool,
    rule: TargetRule,
) -> Verdicts:
    """Physical gates on targets; `smooth` are the smoothed ways of the sources."""
    gates, limits = rule.gates, rule.limits
    path = path_lengths(target.centre, film.lengths)
    travel = ratio(path, facts.path_m)
    speeds = ratio(_rms_speed(target, film), _rms_speed(film.cameras, film))
    moving = dynamics(target.centre, film.lengths)
    far = distance(film, target)
    nearest = np.where(film.mask, far, np.inf).min(1)
    farthest = np.where(film.mask, far, 0.0).max(1)
    screen = GateList(len(path))
    screen.at_most("path ratio", np.abs(travel - intensity), gates.path_error)
    screen.at_most("path ratio against speed ratio", np.abs(travel - speeds), gates.speed_error)
    other = smoothed(target.centre, film.lengths, rule.taps)
    cosine = direction_cosine(film, smooth, other)
    screen.at_least("direction", cosine, gates.cosine, intensity >= gates.cosine_from)
    change = np.abs(intensity - 1) * facts.path_m
    screen.at_least("change of path", change, gates.least_change_m)
    screen.at_most("speed", moving.speed, limits.speed)
    screen.at_most("acceleration", moving.acceleration, limits.acceleration)
    screen.at_most("jerk", moving.jerk, limits.jerk)
    screen.at_least("nearest to the person", nearest, gates.nearest_m)
    screen.at_most("farthest from the person", farthest, gates.farthest_m)
    drop = facts.in_view - (1.0 - blind_frames(visible, film))
    screen.at_most("drop of visibility", drop, gates.visible_drop)
    rise = severe_frames(visible, film) - facts.severe
    screen.at_most("rise of frames badly in view", rise, gates.severe_rise)
    return screen.verdicts


def direction_cosine(film: Film, smooth: FramePoints, other: FramePoints) -> ClipFloat:
    """Mean cosine between the steps of two smoothed ways, weighted by those of the first."""
    steps, others = np.diff(smooth, axis=1), np.diff(other, axis=1)
    real = real_steps(film.lengths, film.frames)
    lengths = np.where(real, np.sqrt(np.einsum("cfi,cfi->cf", steps, steps)), 0.0)
    other_lengths = np.sqrt(np.einsum("cfi,cfi->cf", others, others))
    dot = np.where(real, np.einsum("cfi,cfi->cf", steps, others), 0.0)
    # The weight is the first way's step, so one length cancels; who rests has no direction.
    aligned = np.divide(dot, other_lengths, out=np.zeros_like(dot), where=other_lengths > 0)
    return ratio(aligned.sum(-1), lengths.sum(-1))


def decoded_path_verdicts(
    path_m: ClipFloat, source_path_m: ClipFloat, intensity: ClipFloat, gates: IntensityGates
) -> Verdicts:
    """Whether the codec keeps the ratio of travel that the label promises."""
    screen = GateList(len(path_m))
    error = np.abs(ratio(path_m, source_path_m) - intensity)
    screen.at_most(DECODED_PATH, error, gates.decoded_path_error)
    return screen.verdicts


def _rms_speed(cameras: Cameras, film: Film) -> ClipFloat:
    squares = step_lengths(cameras.centre, film.lengths) ** 2
    return np.sqrt(squares.sum(-1) / np.maximum(film.lengths - 1, 1))


@dataclass(frozen=True, eq=False)
class Tries:
    """Every label that was tried. Passed gates are those of the physical check and, where it was
    reached, of the reconstruction."""

    rows: Int64[np.ndarray, " sources"]
    gates: tuple[str, ...]
    labels: Float[np.ndarray, "sources sides tries"]
    tried: Bool[np.ndarray, "sources sides tries"]
    passed: Bool[np.ndarray, "sources sides tries gates"]

    @property
    def accepted(self) -> Bool[np.ndarray, "sources sides tries"]:
        return self.tried & self.passed.all(axis=-1)

    @property
    def has_both_sides(self) -> Bool[np.ndarray, " sources"]:
        return np.all(self.accepted.any(axis=-1), axis=-1)

    def pairs_of(self, source: int) -> list[tuple[float, float]]:
        """Weaker and stronger labels side by side; the side with fewer begins again."""
        weaker, stronger = (
            labels[accepted].tolist()
            for labels, accepted in zip(self.labels[source], self.accepted[source], strict=True)
        )
        count = max(len(weaker), len(stronger)) if weaker and stronger else 0
        return [(weaker[at % len(weaker)], stronger[at % len(stronger)]) for at in range(count)]


def source_stage(tries: Tries, name_of: Callable[[int], str], salt: str) -> FunnelStage:
    """Sources that lose a side at every gate. After gates 1 … k a source is alive if each side has
    a try that passes all of them; alone, if each side has a try that passes gate k.

    Tries that were not made come after an accepted one, and could change neither count.
    """
    alive = np.ones(len(tries.rows), np.bool_)
    still = tries.tried.copy()
    gates: list[GateCount] = []
    for at, gate in enumerate(tries.gates):
        passed = tries.passed[..., at] & tries.tried
        alone = passed.any(axis=-1).all(axis=-1)
        still &= passed
        now = still.any(axis=-1).all(axis=-1)
        lost = alive & ~now
        if gate == DECODED_PATH:
            alone = ~lost  # only what passed the physical gates was decoded
        examples = lost_examples(np.flatnonzero(lost), name_of, salt)
        gates.append(GateCount(gate, int(lost.sum()), int((~alone).sum()), None, examples))
        alive = now
    return FunnelStage("target", len(tries.rows), int(alive.sum()), tuple(gates))


def try_stages(tries: Tries) -> tuple[FunnelStage, ...]:
    """Tries themselves, on each side: how many labels every gate turns down."""
    stages: list[FunnelStage] = []
    for side in range(len(SIDES)):
        alive = tries.tried[:, side].copy()
        gates: list[GateCount] = []
        for at, gate in enumerate(tries.gates):
            passed = tries.passed[:, side, :, at]
            reached = alive if gate == DECODED_PATH else tries.tried[:, side]
            lost, alone = alive & ~passed, reached & ~passed
            gates.append(GateCount(gate, int(lost.sum()), int(alone.sum()), None, ()))
            alive &= passed
        stages.append(
            FunnelStage("tries", int(tries.tried[:, side].sum()), int(alive.sum()), tuple(gates))
        )
    return tuple(stages)


@dataclass(frozen=True)
class ReachGates:
    """What a stretched or shrunk shot may come to. Whatever a shot is already, it may stay."""

    change: float = 0.5  # the change of intensity, up and down, that is tried …
    shares: tuple[float, ...] = (0.45, 0.6, 0.8, 1.0)  # … in these shares; the first always stands
    blind_rise: float = 0.05  # of frames without the person
    severe_rise: float = 0.10  # of frames with fewer than half of the joints
    nearest_m: float = 0.4
    farthest_m: float = 12.7716
    speed: float = 0.16  # 95th percentile, metres per frame
    lowest_m: float = 0.1
    smoothing_taps: int = 11


def _harm(film: Film, cameras: Cameras, turned: JointPoints) -> Float[np.ndarray, "kinds clips"]:
    """What a stretch can spoil, the less the better, in the order of `_limits`."""
    visible = sight(film, cameras, turned).visible
    away = distance(film, cameras)
    return np.stack(
        [
            blind_frames(visible, film),
            severe_frames(visible, film),
            -np.where(film.mask, away, np.inf).min(1),
            np.where(film.mask, away, 0.0).max(1),
            quantile(step_lengths(cameras.centre, film.lengths), film.lengths - 1, 0.95),
            -np.where(film.mask, cameras.centre[..., 2], np.inf).min(1),
        ]
    )


def _limits(
    own: Float[np.ndarray, "kinds clips"], gates: ReachGates
) -> Float[np.ndarray, "kinds clips"]:
    rises = np.array([gates.blind_rise, gates.severe_rise])[:, None]
    bounds = np.array([-gates.nearest_m, gates.farthest_m, gates.speed, -gates.lowest_m])[:, None]
    return np.concatenate([own[:2] + rises, np.maximum(own[2:], bounds)])


def reach(film: Film, gates: ReachGates) -> Float[np.ndarray, "sides clips"]:
    """The share of a change, down and up, that every shot bears: the largest of the gates' shares
    up to which all are fine."""
    turned = aimed(film, film.cameras)
    smooth = smoothed(film.cameras.centre, film.lengths, gates.smoothing_taps)
    limits = _limits(_harm(film, film.cameras, turned), gates)
    shares = np.full((2, len(film.lengths)), gates.shares[0])
    for side, sign in enumerate((-1.0, 1.0)):
        fine = np.ones(len(film.lengths), np.bool_)
        for share in gates.shares[1:]:
            label = np.full(len(film.lengths), 1 + sign * share * gates.change)
            cameras = film.cameras.moved(scaled(film.cameras.centre, smooth, label))
            fine &= (_harm(film, cameras, turned) <= limits).all(0)
            shares[side] = np.where(fine, share, shares[side])
    return shares


def stretched(
    film: Film,
    features: CameraFeatures,
    intensities: Float[np.ndarray, "labels clips"],
    gates: ReachGates,
) -> Float32[np.ndarray, "labels clips frames 14"]:
    """Features of every shot at some intensities, each as far as it reaches: with room on both
    sides its travel is the intensity times its own, otherwise it changes more slowly."""
    down, up = reach(film, gates)
    smooth = smoothed(film.cameras.centre, film.lengths, gates.smoothing_taps)
    beyond = intensities - 1
    borne = 1 + np.where(beyond < 0, down, up) * beyond
    return np.stack(
        [
            features_of_way(features, film.root, scaled(film.cameras.centre, smooth, label))
            for label in borne
        ]
    )
