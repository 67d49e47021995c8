"""The recipes: the paper's six phases, ours, and the compared methods, in three sizes.

`paper` holds the paper's numbers. `base` is what we ship: smaller flows on a smaller dataset, so
fewer updates at higher rates, and weights chosen on validation. `tiny` is for tests and a laptop.
"""

from dataclasses import replace
from typing import Literal, assert_never

from aesop.flow.few_steps import FITTED_HUMAN_GUIDANCES
from aesop.models.codec import CodecShape
from aesop.models.method_network import MethodShape, MethodSize
from aesop.models.phase_table import (
    JOINT_METHODS,
    PAPER_PHASES,
    PHASES,
    MethodName,
    PhaseName,
    TrainingName,
    method_of,
    phase_of,
)
from aesop.models.velocity import VelocityShape
from aesop.models.weights import model_sizes
from aesop.training.recipes import (
    Batching,
    CodecRecipe,
    Constant,
    Cosine,
    FlowMatching,
    FlowRecipe,
    MethodObjective,
    MethodRecipe,
    Optimiser,
    PairedFlowRecipe,
    Recipe,
    RecipeT,
    ReconstructionWeights,
    Schedule,
    SelfDistillation,
    SelfDistilledFlowRecipe,
    Size,
    SlotCurve,
    Slots,
    StepDown,
    StepsRecipe,
    StepsSettings,
    Straight,
    Watch,
    with_steps,
)

# Widths of the encoders that the sizes are meant for: CLIP ViT-B/32, and MiniLM offline.
TEXT_WIDTH: dict[Size, int] = {"paper": 512, "base": 384, "tiny": 384}

_SORTED = Batching(pool_batches=16, bucket_frames=(60, 100, 152, 220, 300))
# Continuations weigh clips by length within their batch and mix in pairs: no sorting.
_MIXED = Batching(pool_batches=1, bucket_frames=(152, 220, 300))

_STAGE_1 = Optimiser(betas=(0.9, 0.999), weight_decay=0.0, clip_norm=None, ema_decay=None)
_STAGE_2 = Optimiser(betas=(0.9, 0.95), weight_decay=0.01, clip_norm=1.0, ema_decay=0.9999)

_DPA_SLOTS = Slots(direction=((0, 0.0), (2_000, 5.0), (20_000, 5.0), (30_000, 2.0), (30_000, 1.0)))
_IPA_SLOTS = Slots(
    direction=((0, 2.0),),
    active=((0, 0.0), (1_000, 4.0)),
    null=((0, 0.0), (1_000, 1.0)),
)
# People have no intensity; their usual guidance is held back (docs/instant.md).
_PEOPLE_STEPS = StepsSettings(
    shots=320,
    calls=8,
    guided_calls=0,
    shift=3.0,
    weakest=1.0,
    strongest=1.0,
    change=0.0,
    usual_guidance=4.0,
    guidances=FITTED_HUMAN_GUIDANCES,
    rescale=0.7,
)
# Base's own; see FlowMatching and ReconstructionWeights.
_LATE = 0.25
# Features change little from frame to frame: at a difference factor of one, trembling costs next to
# nothing. People are only decoded after sampling, so their decoder may rather be calm than exact;
# what a camera's loses is lost from every shot. The path's factor is, beside the other terms of a
# loss that has been learned, 0.03 for people and 0.00002 for cameras; more of it and cameras lose
# their aim.
_BASE_OBJECTIVES: dict[PhaseName, ReconstructionWeights] = {
    "human-codec": ReconstructionWeights(difference=5.0, latent_noise=0.2),
    "human-decoder": ReconstructionWeights(difference=5.0, latent_noise=0.2, path=0.3),
    "camera-codec": ReconstructionWeights(difference=10.0, latent_noise=0.08),
    "camera-decoder": ReconstructionWeights(difference=10.0, latent_noise=0.05, path=0.002),
}
_PAPER_WATCH = Watch(
    log_every=100, validate_every=5_000, validation_clips=1_024, checkpoint_every=5_000, keep="last"
)
_BASE_WATCH = replace(_PAPER_WATCH, validate_every=1_000, keep="best")


def recipe_for(phase: PhaseName, size: Size, text_width: int | None = None) -> Recipe:
    """The settings of one phase in one size, for an encoder of the given width."""
    sizes = model_sizes(size, text_width or TEXT_WIDTH[size])
    match PHASES[phase].trains:
        case "human-codec":
            paper: CodecRecipe | FlowRecipe = _paper_codec(phase, sizes.human_codec)
        case "camera-codec":
            paper = _paper_codec(phase, sizes.camera_codec)
        case "human-flow" | "human-steps":
            paper = _paper_flow(phase, sizes.human_flow)
        case "camera-flow" | "camera-steps":
            paper = _paper_flow(phase, sizes.camera_flow)
    match size:
        case "paper":
            return paper
        case "base":
            return _base_codec(paper) if isinstance(paper, CodecRecipe) else _base_flow(paper)
        case "tiny":
            return _tiny_codec(paper) if isinstance(paper, CodecRecipe) else _tiny_flow(paper)
        case _:
            assert_never(size)


def all_recipes(size: Size, text_width: int | None = None) -> tuple[Recipe, ...]:
    """All phases of a size in their order: for `paper`, the paper's."""
    phases = PAPER_PHASES if size == "paper" else PHASES
    return tuple(recipe_for(phase, size, text_width) for phase in phases)


METHOD_SIZE: dict[Size, MethodSize] = {"paper": "published", "base": "base", "tiny": "tiny"}


def method_recipe(name: MethodName, size: Size, text_width: int | None = None) -> MethodRecipe:
    """A baseline as our camera flow is trained in the same size: its schedule, its optimiser, its
    batches; an autoencoder as our camera codec. The paper gives baselines AESOP's own schedule."""
    is_codec = name == "pulpmotion-ae"
    ours = recipe_for("camera-codec" if is_codec else "camera-flow", size, text_width)
    # The paper shows 13.44 million examples to methods that film, and twice as many to those that
    # make the person too.
    steps = ours.schedule.steps * (2 if name in JOINT_METHODS else 1)
    return MethodRecipe(
        phase=name,
        size=size,
        network=MethodShape(name, METHOD_SIZE[size], text_width or TEXT_WIDTH[size]),
        objective=MethodObjective(),
        schedule=replace(ours.schedule, steps=steps),
        optimiser=ours.optimiser,
        batching=ours.batching,
        precision=ours.precision,
        watch=ours.watch,
    )


def recipes_for(
    what: TrainingName | Literal["all"], size: Size, text_width: int, *, with_pairs: bool
) -> tuple[Recipe, ...]:
    """One phase, or all for which there is something to learn from: without pairs, no phase after
    `camera-flow`."""
    method = method_of(what)
    if method is not None:
        return (method_recipe(method, size, text_width),)
    phase = phase_of(what)
    if phase is not None:
        return (recipe_for(phase.name, size, text_width),)
    recipes = all_recipes(size, text_width)
    left_out = {name for name, phase in PHASES.items() if phase.wants_pairs and not with_pairs}
    return tuple(recipe for recipe in recipes if recipe.phase not in left_out)


def factual_control(recipe: PairedFlowRecipe) -> PairedFlowRecipe:
    """The control arm of the direction table: the same slots, filled with originals only."""
    return replace(recipe, slots=replace(recipe.slots, filling="factual"))


def taught_by(recipe: SelfDistilledFlowRecipe, teacher: PhaseName) -> SelfDistilledFlowRecipe:
    """Another phase's flow teaches itself than the one before: where no pairs were built, the
    `camera-flow`."""
    return replace(recipe, self_distillation=replace(recipe.self_distillation, teacher=teacher))


def _paper_codec(phase: PhaseName, shape: CodecShape) -> CodecRecipe:
    """The table of the supplement, and our continuations of it."""
    codec = CodecRecipe(
        phase=phase,
        size="paper",
        network=shape,
        objective=ReconstructionWeights(),
        schedule=Schedule(210_000, 128, 5e-5, warm_up_steps=1_000, decay=Cosine(1e-6)),
        optimiser=_STAGE_1,
        batching=_SORTED,
        precision="float32",
        watch=_PAPER_WATCH,
    )
    if PHASES[phase].continues is None:
        return codec
    # Ours, measured at size `base` only: the decoder alone goes on learning, with its eye on where
    # the summed steps lead. Latents stay as they are.
    return replace(
        codec,
        schedule=Schedule(6_000, 128, 2e-4, warm_up_steps=100, decay=Cosine(1e-6)),
        optimiser=replace(_STAGE_1, only="decoder"),
        objective=ReconstructionWeights(path=_BASE_OBJECTIVES[phase].path),
    )


def _paper_flow(phase: PhaseName, shape: VelocityShape) -> FlowRecipe:
    """The table of the supplement, row by row."""
    # The paper gives BF16 for the continuations only; before them it names no precision, and
    # float32 would triple the time of a step.
    flow = FlowRecipe(
        phase=phase,
        size="paper",
        network=shape,
        objective=FlowMatching(),
        schedule=Schedule(105_000, 128, 1e-4, 0, Constant()),
        optimiser=_STAGE_2,
        batching=_SORTED,
        precision="bfloat16",
        watch=_PAPER_WATCH,
    )
    match phase:
        case "human-flow":
            decay = StepDown(at_step=80_000, factor=0.1)
            return replace(flow, schedule=Schedule(105_000, 128, 2e-4, 2_000, decay))
        case "camera-flow-dpa":
            return _with_pairs(flow, 35_000, _DPA_SLOTS)
        case "camera-flow-ipa":
            recipe = _with_pairs(flow, 15_000, _IPA_SLOTS)
            return replace(recipe, optimiser=replace(_STAGE_2, intensity_learning_rate=1e-4))
        case "camera-flow-self-distilled":
            return _self_distilled(flow)
        case "camera-steps":
            return _few_steps(flow, StepsSettings())
        case "human-steps":
            return _few_steps(flow, _PEOPLE_STEPS)
        case _:
            return flow


def _with_pairs(flow: FlowRecipe, steps: int, slots: Slots) -> PairedFlowRecipe:
    return PairedFlowRecipe(
        **{
            **vars(flow),
            "objective": FlowMatching(balance="length"),
            "schedule": Schedule(steps, 120, 2e-5, 1_000, Constant()),
            "batching": _MIXED,
        },
        slots=slots,
    )


def _self_distilled(flow: FlowRecipe) -> SelfDistilledFlowRecipe:
    """Ours: measured at size `base` only."""
    return SelfDistilledFlowRecipe(
        **{
            **vars(flow),
            # Taught by itself, answer for answer: dropout would only make the answers noisy.
            "network": replace(flow.network, dropout=0.0),
            "schedule": Schedule(8_000, 96, 1e-4, warm_up_steps=100, decay=Cosine(1e-6)),
            # The embedding's two lines start 64 times as steep as other weights: a small rate.
            "optimiser": replace(
                _STAGE_2, weight_decay=0.0, ema_decay=0.995, intensity_learning_rate=2e-5
            ),
        },
        self_distillation=SelfDistillation(),
    )


def _few_steps(flow: FlowRecipe, settings: StepsSettings) -> StepsRecipe:
    """Ours: measured at size `base` only."""
    at_once = replace(flow.schedule, steps=1, batch_rows=16, warm_up_steps=0, decay=Constant())
    return StepsRecipe(**{**vars(flow), "schedule": at_once}, steps=settings)


def _base_codec(paper: CodecRecipe) -> CodecRecipe:
    """Both codecs and both original flows together are sized for 25 minutes of one H200."""
    recipe = replace(
        paper,
        size="base",
        watch=_BASE_WATCH,
        objective=_BASE_OBJECTIVES[paper.phase],
        optimiser=replace(paper.optimiser, ema_decay=0.999, clip_norm=1.0),
    )
    if PHASES[paper.phase].continues is not None:
        return recipe
    steps = 32_000 if paper.phase == "human-codec" else 25_000
    schedule = Schedule(steps, 128, 5e-4, warm_up_steps=1_000, decay=Cosine(1e-6))
    return replace(recipe, schedule=schedule)


def _base_flow(paper: FlowRecipe) -> FlowRecipe:
    recipe = replace(paper, size="base", watch=_BASE_WATCH)
    if isinstance(recipe, SelfDistilledFlowRecipe | StepsRecipe):
        return replace(recipe, watch=replace(_BASE_WATCH, keep="last"))
    if isinstance(recipe, PairedFlowRecipe):
        return _base_pairs(recipe)
    # Made for windows that are drawn anew from segments (lab/people_h200.py) and filmed by twenty
    # cameras (lab/drawn_cameras.py).
    return replace(
        recipe,
        schedule=Schedule(45_000, 256, 4e-4, warm_up_steps=1_000, decay=Cosine(1e-6)),
        optimiser=replace(recipe.optimiser, ema_decay=0.9995),
        objective=FlowMatching(late_share=_LATE),
    )


def _base_pairs(paper: PairedFlowRecipe) -> PairedFlowRecipe:
    # Of the intensities, after 12,000 steps shots begin elsewhere when more travel is asked for.
    learns_intensity = paper.optimiser.intensity_learning_rate is not None
    recipe = with_steps(paper, 6_000 if learns_intensity else 7_000)
    recipe = replace(
        recipe,
        schedule=replace(recipe.schedule, learning_rate=4e-5),
        optimiser=replace(recipe.optimiser, ema_decay=0.999),
        objective=FlowMatching(balance="length", late_share=_LATE),
    )
    if not learns_intensity:
        return recipe
    return replace(
        recipe,
        schedule=replace(recipe.schedule, learning_rate=1e-4, decay=Cosine(1e-6)),
        optimiser=replace(recipe.optimiser, intensity_learning_rate=5e-4),
        # As many null pairs as resting shots among all: with fewer, a camera is told to move by
        # any intensity but one.
        slots=Slots(
            direction=recipe.slots.direction,
            active=_raised(recipe.slots.active, 4.0),
            null=_raised(recipe.slots.null, 10.0),
        ),
        # Validation asks at intensity one only.
        watch=replace(_BASE_WATCH, keep="last"),
        straight=Straight(0.6, 1.2),
    )


def _raised(curve: SlotCurve, factor: float) -> SlotCurve:
    return tuple((step, factor * slots) for step, slots in curve)


def _tiny(paper: RecipeT, steps: int, rows: int = 16) -> RecipeT:
    """All phases in a minute or two of two CPU cores."""
    recipe = with_steps(paper, steps)
    ema = None if recipe.optimiser.ema_decay is None else 0.97
    return replace(
        recipe,
        size="tiny",
        precision="float32",
        watch=Watch(20, validate_every=60, validation_clips=32, checkpoint_every=60, keep="last"),
        schedule=replace(recipe.schedule, batch_rows=rows, learning_rate=2e-3, warm_up_steps=10),
        optimiser=replace(recipe.optimiser, ema_decay=ema),
        batching=replace(recipe.batching, pool_batches=min(recipe.batching.pool_batches, 4)),
    )


def _tiny_codec(paper: CodecRecipe) -> CodecRecipe:
    return _tiny(paper, steps=240 if PHASES[paper.phase].continues is None else 60)


def _tiny_flow(paper: FlowRecipe) -> FlowRecipe:
    recipe = _tiny(paper, steps=180, rows=24 if isinstance(paper, PairedFlowRecipe) else 16)
    if isinstance(recipe, StepsRecipe):
        recipe = replace(recipe, steps=replace(recipe.steps, shots=48))
    if recipe.optimiser.intensity_learning_rate is None:
        return recipe
    if not isinstance(recipe, SelfDistilledFlowRecipe):
        optimiser = replace(recipe.optimiser, intensity_learning_rate=5e-3)
        return replace(recipe, optimiser=optimiser)
    return replace(
        recipe,
        self_distillation=replace(recipe.self_distillation, shots=48),
        optimiser=replace(recipe.optimiser, intensity_learning_rate=2e-4),
    )
