"""What a run is made of: every number of the paper's schedule as a named field; and why a run does
not start."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Literal, TypeVar, get_args

from aesop.core.errors import AesopError
from aesop.core.hashing import text_sha256
from aesop.flow.few_steps import FITTED_GUIDANCES
from aesop.models.codec import CodecShape
from aesop.models.method_network import MethodShape
from aesop.models.phase_table import (
    METHOD_NEEDS,
    MethodName,
    PhaseName,
    TrainingName,
    method_of,
    phase_of,
)
from aesop.models.velocity import VelocityShape
from aesop.pairs.intensity_gates import ReachGates

_SHOWN = 8  # clip names in a message


class TrainingError(AesopError):
    """A training that cannot be run as asked."""


class TrainingHalted(AesopError):  # noqa: N818 — it is the training that is halted
    """A loss or gradient is not a finite number; the update it would have made was not made."""

    def __init__(self, step: int, names: Sequence[str]) -> None:
        shown = ", ".join(names[:_SHOWN])
        rest = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        super().__init__(
            f"The loss of step {step} is not a finite number. Its clips: {shown}{rest}.",
            "Look at these clips with `aesop data show`; to go on from the last checkpoint with a "
            "lower learning rate, change the recipe and use --resume.",
        )
        self.step = step
        self.names = tuple(names)


Size = Literal["paper", "base", "tiny"]
SIZES: tuple[Size, ...] = get_args(Size)
Precision = Literal["float32", "bfloat16"]
PairFilling = Literal["counterfactual", "factual"]
Balance = Literal["clip", "length"]

# Points (step, slots), joined by straight lines; two points at one step make a jump.
SlotCurve = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Constant:
    """The rate stays."""


@dataclass(frozen=True)
class Cosine:
    """Half a cosine from the rate down to `floor` at the last step."""

    floor: float


@dataclass(frozen=True)
class StepDown:
    """The rate is multiplied by `factor` from `at_step` on."""

    at_step: int
    factor: float


@dataclass(frozen=True)
class Schedule:
    """How long, how much at a time, how fast."""

    steps: int
    batch_rows: int
    learning_rate: float
    warm_up_steps: int
    decay: Constant | Cosine | StepDown


@dataclass(frozen=True)
class Optimiser:
    """AdamW and what surrounds it; None leaves a part out."""

    betas: tuple[float, float]
    weight_decay: float
    clip_norm: float | None
    ema_decay: float | None
    epsilon: float = 1e-8
    # The intensity embedding learns only where it has a rate of its own.
    intensity_learning_rate: float | None = None
    only: str | None = None  # the one part of the network that learns, by its name


@dataclass(frozen=True)
class ReconstructionWeights:
    """Factors of the terms of a codec's loss; a camera has no yaw and root terms.

    Noise of up to `latent_noise` standard deviations, in every direction of the latents alike, is
    added while training: what a flow samples is never exact, and a decoder that only met exact
    latents makes cameras tremble.

    `path` weighs how far the root or the camera's centre is from where it should be, in metres:
    features hold steps, and small errors of steps that go the same way add up. `agreement` weighs
    how far the camera that summed steps lead to is from the place beside the person that the same
    features name: what a flow samples may say two things at once.
    """

    feature: float = 1.0
    difference: float = 1.0
    yaw: float = 1e-3
    root: float = 3e-3
    smooth_l1_beta: float = 1.0
    latent_noise: float = 0.0
    path: float = 0.0
    agreement: float = 0.0


@dataclass(frozen=True)
class FlowMatching:
    """How flows are taught. `time_shift` s makes σ = s·u / (1 + (s − 1)·u).

    With shift five one row in fifty is drawn below σ = 0.1, where the last details are decided
    (that a camera at rest is at rest). `late_share` of the rows lie evenly below `late_sigma`.
    """

    text_dropout: float = 0.1
    time_shift: float = 5.0
    balance: Balance = "clip"
    late_share: float = 0.0
    late_sigma: float = 0.3


@dataclass(frozen=True)
class MethodObjective:
    """A baseline's loss is its own; so is what it leaves out for guidance (`aesop.baselines`)."""


@dataclass(frozen=True)
class Slots:
    """Pairs per batch over the steps of a continuation."""

    direction: SlotCurve
    active: SlotCurve = ((0, 0.0),)
    null: SlotCurve = ((0, 0.0),)
    filling: PairFilling = "counterfactual"


@dataclass(frozen=True)
class Straight:
    """The intensities, one on either side of one, through whose embeddings straight lines are drawn
    when the phase ends."""

    below: float
    above: float


@dataclass(frozen=True)
class SelfDistillation:
    """How a camera flow learns intensity from its own shots (`training.self_distillation`).

    Above flow time `begins` every intensity goes the same way, so that the same noise becomes the
    same shot; below `ends` the whole change of travel is there.
    """

    shots: int = 16_384
    labels: int = 3  # of every shot, on either side of one …
    weakest: float = 0.4  # … down to here …
    strongest: float = 1.65  # … and up to here
    begins: float = 0.75
    ends: float = 0.15
    plain: float = 0.3  # share of the rows at intensity one
    late: float = 0.5  # share of the rows that are drawn below `begins` only
    apart: float = 0.5  # weight of the errors with and without words, beside the guided one's
    guidance: float = 1.5
    # How far the embedding goes above one when the phase ends. At full length the person was out of
    # the frame in 3.1 points more of the frames at 1.5, from words.
    above: float = 0.9
    gates: ReachGates = field(default_factory=ReachGates)
    # The phase whose flow teaches itself; None: the phase before. Where no pairs were built it is
    # `camera-flow`.
    teacher: PhaseName | None = None


@dataclass(frozen=True)
class StepsSettings:
    """How few steps of a flow are fitted (`training.step_fitting`): to where its 50 Euler steps
    lead from noise, for the words of the training split. As written: of a camera flow."""

    shots: int = 160
    calls: int = 4
    # The first ones; after them, what words make of the velocity holds. None: what is weighed is
    # the velocity as guidance makes it.
    guided_calls: int = 4
    shift: float = 5.0  # of the times, which have short steps at both ends
    weakest: float = 0.5  # intensities: every shot is filmed at one, and at one of these
    strongest: float = 1.5
    change: float = 4.0  # how much what an intensity changes counts beside the shots themselves
    usual_guidance: float = 1.5  # of half of the shots …
    guidances: tuple[float, float] = FITTED_GUIDANCES  # … the others lie evenly in here
    rescale: float = 0.0  # what holds guidance back (`flow.guided_sampling.Restraint`)


@dataclass(frozen=True)
class Batching:
    """Clips are sorted by length within pools of batches and padded to one of few lengths.

    Losses divide by the mean counts of the pool, so sorting changes no clip's weight.
    """

    pool_batches: int
    bucket_frames: tuple[int, ...]


@dataclass(frozen=True)
class Watch:
    """How often a run looks at itself, and which of its weights it keeps."""

    log_every: int
    validate_every: int
    validation_clips: int
    checkpoint_every: int
    keep: Literal["last", "best"]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The full settings of one phase: what every kind of recipe has."""

    phase: TrainingName
    size: Size
    network: CodecShape | VelocityShape | MethodShape
    objective: ReconstructionWeights | FlowMatching | MethodObjective
    schedule: Schedule
    optimiser: Optimiser
    batching: Batching
    precision: Precision
    watch: Watch
    seed: int = 0

    @property
    def continues(self) -> PhaseName | None:
        """The phase from whose weights this one starts."""
        phase = phase_of(self.phase)
        return None if phase is None else phase.continues

    @property
    def needs(self) -> tuple[TrainingName, ...]:
        """The phases whose weights it reads."""
        phase, method = phase_of(self.phase), method_of(self.phase)
        if phase is None:
            return () if method is None else METHOD_NEEDS[method]
        others = phase.needs if phase.continues is None else phase.needs[:-1]
        return others if self.continues is None else (*others, self.continues)

    @property
    def settings(self) -> dict[str, object]:
        """All settings as they are written down; what other kinds of recipe have is null."""
        return {**dict.fromkeys(_SOME_HAVE), **asdict(self)}

    @property
    def sha256(self) -> str:
        """One number for all settings: equal recipes have equal hashes on every machine, and in
        every version, since interrupted runs are known by it: names are the first ones."""
        settings = self.settings
        objective = settings["objective"]
        if isinstance(objective, dict) and objective.get("agreement") == 0:
            del objective["agreement"]  # as before there was one
        own = settings.pop("self_distillation")
        if isinstance(own, dict) and own["teacher"] is None:  # as before there was a choice
            del own["teacher"]
        settings["echo"] = own
        phase = phase_of(self.phase)
        settings["phase"] = (phase and phase.former_name) or self.phase
        return text_sha256(json.dumps(settings, sort_keys=True))


@dataclass(frozen=True, kw_only=True)
class CodecRecipe(Recipe):
    """A codec, or its decoder alone."""

    phase: PhaseName
    network: CodecShape
    objective: ReconstructionWeights


@dataclass(frozen=True, kw_only=True)
class MethodRecipe(Recipe):
    """A method that AESOP is compared with."""

    phase: MethodName
    network: MethodShape
    objective: MethodObjective


@dataclass(frozen=True, kw_only=True)
class FlowRecipe(Recipe):
    """A flow, from shots or people as they are."""

    phase: PhaseName
    network: VelocityShape
    objective: FlowMatching


@dataclass(frozen=True, kw_only=True)
class PairedFlowRecipe(FlowRecipe):
    """A camera flow that goes on with pairs among its shots."""

    slots: Slots
    straight: Straight | None = None


@dataclass(frozen=True, kw_only=True)
class SelfDistilledFlowRecipe(FlowRecipe):
    """A camera flow that goes on with its own shots."""

    self_distillation: SelfDistillation

    @property
    def continues(self) -> PhaseName | None:
        return self.self_distillation.teacher or super().continues


@dataclass(frozen=True, kw_only=True)
class StepsRecipe(FlowRecipe):
    """Few steps for a camera flow. Nothing is descended: `schedule` says how many shots are filmed
    at once, and all else in it means nothing."""

    steps: StepsSettings


_SOME_HAVE = ("slots", "straight", "self_distillation")
RecipeT = TypeVar("RecipeT", bound=Recipe)


def with_steps(recipe: RecipeT, steps: int) -> RecipeT:
    """The same recipe over another number of updates: warm-up, decay and slots keep their share."""
    old = recipe.schedule
    scale = steps / old.steps

    def at(step: int) -> int:
        return round(step * scale)

    def curve(points: SlotCurve) -> SlotCurve:
        return tuple((at(step), slots) for step, slots in points)

    decay = old.decay
    if isinstance(decay, StepDown):
        decay = replace(decay, at_step=at(decay.at_step))
    schedule = replace(old, steps=steps, warm_up_steps=at(old.warm_up_steps), decay=decay)
    if not isinstance(recipe, PairedFlowRecipe):
        return replace(recipe, schedule=schedule)
    slots = replace(
        recipe.slots,
        direction=curve(recipe.slots.direction),
        active=curve(recipe.slots.active),
        null=curve(recipe.slots.null),
    )
    return replace(recipe, schedule=schedule, slots=slots)


def shortened(recipe: RecipeT, times: int) -> RecipeT:
    """The same recipe with that many times fewer updates, looked at as often: to try a long
    training before it is begun."""
    if times == 1:
        return recipe
    watch = recipe.watch
    watch = replace(
        watch,
        log_every=max(1, watch.log_every // times),
        validate_every=max(1, watch.validate_every // times),
        checkpoint_every=max(1, watch.checkpoint_every // times),
    )
    recipe = replace(with_steps(recipe, max(1, recipe.schedule.steps // times)), watch=watch)
    if isinstance(recipe, StepsRecipe):
        shots = max(recipe.schedule.batch_rows, recipe.steps.shots // times)
        return replace(recipe, steps=replace(recipe.steps, shots=shots))
    if not isinstance(recipe, SelfDistilledFlowRecipe):
        return recipe
    own = recipe.self_distillation
    fewer = replace(own, shots=max(recipe.schedule.batch_rows, own.shots // times))
    return replace(recipe, self_distillation=fewer)
