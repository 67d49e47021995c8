"""The recipes: the paper's six phases and three of ours, in three sizes.

`paper` holds the paper's numbers. `base` is what we ship: smaller flows on a smaller dataset, so
fewer updates at higher rates, and weights chosen on validation. `tiny` is for tests and a laptop.
"""

from dataclasses import replace
from typing import Literal, assert_never

from aesop.models.weights import ModelSizes, model_sizes
from aesop.training.recipes import (
    PAPER_PHASES,
    PHASES,
    Batching,
    Constant,
    Cosine,
    FlowMatching,
    Network,
    Optimiser,
    Phase,
    Recipe,
    ReconstructionWeights,
    Schedule,
    SelfDistillation,
    Size,
    SlotCurve,
    Slots,
    StepDown,
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
# Base's own; see FlowMatching and ReconstructionWeights.
_LATE = 0.25
# People are only decoded after sampling, so their decoder may rather be calm than exact; what a
# camera's loses is lost from every shot.
_LATENT_NOISE = {
    "human-codec": 0.2,
    "human-decoder": 0.2,
    "camera-codec": 0.08,
    "camera-decoder": 0.05,
}
# Features change little from frame to frame: at a factor of one, trembling costs next to nothing.
_DIFFERENCE = {
    "human-codec": 5.0,
    "human-decoder": 5.0,
    "camera-codec": 10.0,
    "camera-decoder": 10.0,
}
# Beside the other terms of a loss that has been learned: 0.03 for people, 0.00002 for cameras. More
# of it and cameras lose their aim.
_PATH = {"human-decoder": 0.3, "camera-decoder": 0.002}

_IPA_SLOTS = Slots(
    direction=((0, 2.0),),
    active=((0, 0.0), (1_000, 4.0)),
    null=((0, 0.0), (1_000, 1.0)),
)


def recipe_for(phase: Phase, size: Size, text_width: int | None = None) -> Recipe:
    """The settings of one phase in one size, for an encoder of the given width."""
    sizes = model_sizes(size, text_width or TEXT_WIDTH[size])
    paper = _paper(phase, sizes)
    match size:
        case "paper":
            return paper
        case "base":
            return _base(paper)
        case "tiny":
            return _tiny(paper)
        case _:
            assert_never(size)


def all_recipes(size: Size, text_width: int | None = None) -> tuple[Recipe, ...]:
    """All phases of a size in their order: for `paper`, the paper's."""
    phases = PAPER_PHASES if size == "paper" else PHASES
    return tuple(recipe_for(phase, size, text_width) for phase in phases)


def recipes_for(
    what: Phase | Literal["all"], size: Size, text_width: int, *, with_pairs: bool
) -> tuple[Recipe, ...]:
    """One phase, or all for which there is something to learn from: without pairs, no phase after
    `camera-flow`."""
    if what != "all":
        return (recipe_for(what, size, text_width),)
    every = all_recipes(size, text_width)
    return tuple(it for it in every if with_pairs or it.slots is it.echo is None)


def factual_control(recipe: Recipe) -> Recipe:
    """The control arm of the direction table: the same slots, filled with originals only."""
    assert recipe.slots is not None
    return replace(recipe, slots=replace(recipe.slots, filling="factual"))


def _network(phase: Phase, sizes: ModelSizes) -> Network:
    match phase:
        case "human-codec" | "human-decoder":
            return sizes.human_codec
        case "camera-codec" | "camera-decoder":
            return sizes.camera_codec
        case "human-flow":
            return sizes.human_flow
        case "camera-flow" | "camera-flow-dpa" | "camera-flow-ipa":
            return sizes.camera_flow
        case "camera-flow-echo":
            # Taught by itself, answer for answer: dropout would only make the answers noisy.
            return replace(sizes.camera_flow, dropout=0.0)
        case _:
            assert_never(phase)


def _paper(phase: Phase, sizes: ModelSizes) -> Recipe:
    """The table of the supplement, row by row."""
    watch = Watch(
        log_every=100,
        validate_every=5_000,
        validation_clips=1_024,
        checkpoint_every=5_000,
        keep="last",
    )
    codec = Recipe(
        phase=phase,
        size="paper",
        network=_network(phase, sizes),
        schedule=Schedule(210_000, 128, 5e-5, warm_up_steps=1_000, decay=Cosine(1e-6)),
        optimiser=_STAGE_1,
        objective=ReconstructionWeights(),
        batching=_SORTED,
        precision="float32",
        watch=watch,
    )
    # The paper gives BF16 for the continuations only; before them it names no precision, and
    # float32 would triple the time of a step.
    flow = replace(
        codec, optimiser=_STAGE_2, objective=FlowMatching(text_dropout=0.1), precision="bfloat16"
    )
    more = replace(flow, objective=FlowMatching(balance="length"), batching=_MIXED)
    match phase:
        case "human-codec" | "camera-codec":
            return codec
        case "human-decoder" | "camera-decoder":
            return _decoding(codec)
        case "human-flow":
            decay = StepDown(at_step=80_000, factor=0.1)
            return replace(flow, schedule=Schedule(105_000, 128, 2e-4, 2_000, decay))
        case "camera-flow":
            return replace(flow, schedule=Schedule(105_000, 128, 1e-4, 0, Constant()))
        case "camera-flow-dpa":
            schedule = Schedule(35_000, 120, 2e-5, 1_000, Constant())
            return replace(more, schedule=schedule, slots=_DPA_SLOTS)
        case "camera-flow-ipa":
            schedule = Schedule(15_000, 120, 2e-5, 1_000, Constant())
            optimiser = replace(_STAGE_2, intensity_learning_rate=1e-4)
            return replace(more, schedule=schedule, optimiser=optimiser, slots=_IPA_SLOTS)
        case "camera-flow-echo":
            return _echoing(flow)
        case _:
            assert_never(phase)


def _decoding(codec: Recipe) -> Recipe:
    """Ours, measured at size `base` only: the decoder alone goes on learning, with its eye on where
    the summed steps lead. Latents stay as they are."""
    schedule = Schedule(6_000, 128, 2e-4, warm_up_steps=100, decay=Cosine(1e-6))
    optimiser = replace(codec.optimiser, only="decoder")
    objective = ReconstructionWeights(path=_PATH[codec.phase])
    return replace(codec, schedule=schedule, optimiser=optimiser, objective=objective)


def _echoing(flow: Recipe) -> Recipe:
    """Ours: measured at size `base` only. The embedding's two lines start 64 times as steep as
    other weights, so their rate is small."""
    optimiser = replace(_STAGE_2, weight_decay=0.0, ema_decay=0.995, intensity_learning_rate=2e-5)
    schedule = Schedule(8_000, 96, 1e-4, warm_up_steps=100, decay=Cosine(1e-6))
    return replace(flow, schedule=schedule, optimiser=optimiser, echo=SelfDistillation())


def _base(paper: Recipe) -> Recipe:
    """Sized for 25 minutes of one H200 for the four original phases together."""
    watch = Watch(
        log_every=100,
        validate_every=1_000,
        validation_clips=1_024,
        checkpoint_every=5_000,
        keep="best",
    )
    recipe = replace(paper, size="base", watch=watch)
    averaged = replace(recipe.optimiser, ema_decay=0.999, clip_norm=1.0)
    match recipe.phase:
        case "human-codec" | "camera-codec":
            steps = 32_000 if recipe.phase == "human-codec" else 40_000
            schedule = Schedule(steps, 128, 5e-4, warm_up_steps=1_000, decay=Cosine(1e-6))
            objective = ReconstructionWeights(
                difference=_DIFFERENCE[recipe.phase], latent_noise=_LATENT_NOISE[recipe.phase]
            )
            return replace(recipe, schedule=schedule, optimiser=averaged, objective=objective)
        case "human-decoder" | "camera-decoder":
            objective = ReconstructionWeights(
                difference=_DIFFERENCE[recipe.phase],
                latent_noise=_LATENT_NOISE[recipe.phase],
                path=_PATH[recipe.phase],
            )
            return replace(recipe, optimiser=averaged, objective=objective)
        case "human-flow" | "camera-flow":
            # Validation was best after 14,000 and 16,000 steps; the rate has fallen by then.
            steps = 14_000 if recipe.phase == "human-flow" else 18_000
            schedule = Schedule(steps, 256, 4e-4, warm_up_steps=1_000, decay=Cosine(1e-6))
            objective = FlowMatching(late_share=_LATE)
            return replace(recipe, schedule=schedule, optimiser=averaged, objective=objective)
        case "camera-flow-dpa":
            shorter = with_steps(recipe, 7_000)
        case "camera-flow-ipa":
            # After 12,000 steps shots begin elsewhere when more travel is asked for.
            shorter = with_steps(recipe, 6_000)
        case "camera-flow-echo":
            return replace(recipe, watch=replace(watch, keep="last"))
        case _:
            assert_never(recipe.phase)
    schedule = replace(shorter.schedule, learning_rate=4e-5)
    optimiser = replace(shorter.optimiser, ema_decay=0.999)
    if optimiser.intensity_learning_rate is not None and shorter.slots is not None:
        schedule = replace(schedule, learning_rate=1e-4, decay=Cosine(1e-6))
        optimiser = replace(optimiser, intensity_learning_rate=5e-4)
        # As many null pairs as resting shots among all: with fewer, a camera is told to move by
        # any intensity but one.
        more = Slots(
            direction=shorter.slots.direction,
            active=_raised(shorter.slots.active, 4.0),
            null=_raised(shorter.slots.null, 10.0),
        )
        # Validation asks at intensity one only.
        kept = replace(shorter.watch, keep="last")
        shorter = replace(shorter, slots=more, watch=kept, straight=Straight(0.6, 1.2))
    objective = FlowMatching(balance="length", late_share=_LATE)
    return replace(shorter, schedule=schedule, optimiser=optimiser, objective=objective)


def _raised(curve: SlotCurve, factor: float) -> SlotCurve:
    return tuple((step, factor * slots) for step, slots in curve)


def _tiny(paper: Recipe) -> Recipe:
    """All phases in a minute or two of two CPU cores."""
    watch = Watch(
        log_every=20, validate_every=60, validation_clips=32, checkpoint_every=60, keep="last"
    )
    steps = 240 if paper.phase.endswith("codec") else 180
    steps = 60 if paper.phase.endswith("decoder") else steps
    recipe = with_steps(replace(paper, size="tiny", watch=watch, precision="float32"), steps)
    rows = 16 if paper.slots is None else 24
    schedule = replace(recipe.schedule, batch_rows=rows, learning_rate=2e-3, warm_up_steps=10)
    ema = None if recipe.optimiser.ema_decay is None else 0.97
    optimiser = replace(recipe.optimiser, ema_decay=ema)
    if recipe.echo is not None:
        recipe = replace(recipe, echo=replace(recipe.echo, shots=48))
        optimiser = replace(optimiser, intensity_learning_rate=2e-4)
    elif optimiser.intensity_learning_rate is not None:
        optimiser = replace(optimiser, intensity_learning_rate=5e-3)
    batching = replace(recipe.batching, pool_batches=min(recipe.batching.pool_batches, 4))
    return replace(recipe, schedule=schedule, optimiser=optimiser, batching=batching)
