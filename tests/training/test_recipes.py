"""Recipes hold the paper's numbers, scale as a whole, and are known by their hash."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.flow.path import shifted_time
from aesop.models.codec import CodecShape
from aesop.models.velocity import FlowTransformer, VelocityShape
from aesop.training.batch_order import slot_counts
from aesop.training.flow_phases import with_late_share
from aesop.training.recipe_book import all_recipes, factual_control, recipe_for, recipes_for
from aesop.training.recipes import (
    OUR_PHASES,
    PAPER_PHASES,
    PHASES,
    SIZES,
    Constant,
    Cosine,
    FlowMatching,
    Phase,
    Recipe,
    ReconstructionWeights,
    Size,
    StepDown,
    Straight,
    with_steps,
)
from aesop.training.step import learning_rate
from tests.tolerances import GEOMETRY64

# The supplement's schedule table: updates, batch, learning rate.
TABLE: dict[Phase, tuple[int, int, float]] = {
    "human-codec": (210_000, 128, 5e-5),
    "camera-codec": (210_000, 128, 5e-5),
    "human-flow": (105_000, 128, 2e-4),
    "camera-flow": (105_000, 128, 1e-4),
    "camera-flow-dpa": (35_000, 120, 2e-5),
    "camera-flow-ipa": (15_000, 120, 2e-5),
}


@pytest.mark.parametrize("phase", PAPER_PHASES)
def test_paper_recipes_are_the_papers_table(phase: Phase):
    recipe = recipe_for(phase, "paper")
    schedule, optimiser = recipe.schedule, recipe.optimiser
    assert (schedule.steps, schedule.batch_rows, schedule.learning_rate) == TABLE[phase]
    if phase.endswith("codec"):
        assert isinstance(recipe.network, CodecShape)
        assert recipe.network.width == 256
        assert recipe.objective == ReconstructionWeights(1.0, 1.0, 1e-3, 3e-3, 1.0)
        assert (optimiser.betas, optimiser.weight_decay) == ((0.9, 0.999), 0.0)
        assert optimiser.clip_norm is optimiser.ema_decay is None
        assert (schedule.warm_up_steps, schedule.decay) == (1_000, Cosine(1e-6))
    else:
        assert isinstance(recipe.network, VelocityShape)
        assert (recipe.network.depth, recipe.network.width, recipe.network.heads) == (12, 512, 8)
        assert (optimiser.betas, optimiser.weight_decay) == ((0.9, 0.95), 0.01)
        assert (optimiser.clip_norm, optimiser.ema_decay) == (1.0, 0.9999)
        balance = "clip" if recipe.slots is None else "length"
        assert recipe.objective == FlowMatching(0.1, 5.0, balance)


def test_papers_warm_ups_and_decays():
    human, camera = recipe_for("human-flow", "paper"), recipe_for("camera-flow", "paper")
    assert (human.schedule.warm_up_steps, human.schedule.decay) == (2_000, StepDown(80_000, 0.1))
    assert (camera.schedule.warm_up_steps, camera.schedule.decay) == (0, Constant())
    for phase in ("camera-flow-dpa", "camera-flow-ipa"):
        recipe = recipe_for(phase, "paper")
        assert (recipe.schedule.warm_up_steps, recipe.precision) == (1_000, "bfloat16")
    assert recipe_for("camera-flow-ipa", "paper").optimiser.intensity_learning_rate == 1e-4
    assert recipe_for("camera-flow-dpa", "paper").optimiser.intensity_learning_rate is None
    straight = [recipe_for(phase, size).straight for size in SIZES for phase in PHASES]
    assert sum(it is not None for it in straight) == 1, "ours alone: the paper says nothing of it"
    assert recipe_for("camera-flow-ipa", "base").straight == Straight(0.6, 1.2)


def test_the_paper_presents_its_number_of_examples():
    """13.44M to each flow, then 6M in the continuations."""
    shown = {
        phase: recipe.schedule.steps * recipe.schedule.batch_rows
        for phase, recipe in zip(PAPER_PHASES, all_recipes("paper"), strict=True)
    }
    assert shown["human-flow"] == shown["camera-flow"] == 13_440_000
    assert shown["camera-flow-dpa"] + shown["camera-flow-ipa"] == 6_000_000


def test_our_own_phases_are_not_the_papers():
    assert tuple(TABLE) == PAPER_PHASES and {*OUR_PHASES, *TABLE} == set(PHASES)
    for size in SIZES:
        wanted = PAPER_PHASES if size == "paper" else PHASES
        assert [it.phase for it in all_recipes(size)] == list(wanted)
    for paired in (False, True):
        phases = [it.phase for it in recipes_for("all", "base", 384, with_pairs=paired)]
        assert phases == list(PHASES if paired else PHASES[:6])


@pytest.mark.parametrize("size", SIZES)
def test_decoders_go_on_after_their_codecs_and_look_where_steps_lead(size: Size):
    both: tuple[tuple[Phase, Phase], ...] = (
        ("human-codec", "human-decoder"),
        ("camera-codec", "camera-decoder"),
    )
    for before, after in both:
        assert PHASES.index(before) + 1 == PHASES.index(after)
        codec, decoder = recipe_for(before, size), recipe_for(after, size)
        assert decoder.network == codec.network
        assert (codec.optimiser.only, decoder.optimiser.only) == (None, "decoder")
        objectives = codec.objective, decoder.objective
        assert all(isinstance(it, ReconstructionWeights) for it in objectives)
        paths = [it.path for it in objectives if isinstance(it, ReconstructionWeights)]
        assert paths[0] == 0 < paths[1]


def test_echoing_comes_last_without_pairs_or_dropout_and_learns_intensity_anew():
    assert PHASES[-1] == "camera-flow-echo"
    for size in SIZES:
        recipe, before = (recipe_for(it, size) for it in ("camera-flow-echo", "camera-flow-ipa"))
        assert isinstance(recipe.network, VelocityShape)
        assert isinstance(before.network, VelocityShape)
        assert recipe.network == replace(before.network, dropout=0.0)
        assert recipe.slots is None and recipe.echo is not None and before.echo is None
        assert recipe.optimiser.intensity_learning_rate is not None
        assert 0 <= recipe.echo.ends < recipe.echo.begins <= 1
        assert recipe.echo.weakest < 1 < recipe.echo.strongest


def test_base_flows_have_at_most_20_million_parameters():
    count = 0
    for phase in ("human-flow", "camera-flow"):
        shape = recipe_for(phase, "base").network
        assert isinstance(shape, VelocityShape)
        count += sum(it.numel() for it in FlowTransformer(shape).parameters())
    assert 10e6 < count <= 20e6


@pytest.mark.parametrize("phase", PAPER_PHASES)
def test_learning_rate_starts_small_and_ends_where_it_should(phase: Phase):
    schedule = recipe_for(phase, "paper").schedule
    warm = schedule.warm_up_steps
    rates = [learning_rate(schedule, step) for step in (0, warm, schedule.steps - 1)]
    assert rates[0] == pytest.approx(schedule.learning_rate / max(warm, 1))
    assert rates[1] == pytest.approx(schedule.learning_rate)
    last = {"human-codec": 1e-6, "camera-codec": 1e-6, "human-flow": 2e-5}
    assert rates[2] == pytest.approx(last.get(phase, schedule.learning_rate))


def test_cosine_is_halfway_at_half_time_and_steps_down_at_its_step():
    codec = recipe_for("human-codec", "paper").schedule
    middle = 1_000 + (210_000 - 1 - 1_000) // 2
    # The middle of the schedule lies between two steps.
    assert learning_rate(codec, middle) == pytest.approx((5e-5 + 1e-6) / 2, rel=1e-4)
    flow = recipe_for("human-flow", "paper").schedule
    assert learning_rate(flow, 79_999) == 2e-4
    assert learning_rate(flow, 80_000) == pytest.approx(2e-5)
    assert learning_rate(flow, 499) == pytest.approx(2e-4 / 4)


def slots(recipe: Recipe) -> list[tuple[int, int, int]]:
    """Direction, active and null slots of every step."""
    assert recipe.slots is not None
    curves = (recipe.slots.direction, recipe.slots.active, recipe.slots.null)
    counts = [slot_counts(curve, recipe.schedule.steps).tolist() for curve in curves]
    return list(zip(*counts, strict=True))


def test_slots_follow_the_paper():
    dpa = slots(recipe_for("camera-flow-dpa", "paper"))
    ipa = slots(recipe_for("camera-flow-ipa", "paper"))
    seen = [dpa[step][0] for step in (0, 1_000, 2_000, 19_999, 25_000, 29_999, 30_000)]
    assert seen == [0, 3, 5, 5, 4, 2, 1]  # 2.5 and 3.5 are rounded up
    assert dpa[34_999] == (1, 0, 0)
    assert [ipa[step] for step in (0, 499, 500, 1_000, 14_999)] == [
        (2, 0, 0), (2, 2, 0), (2, 2, 1), (2, 4, 1), (2, 4, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("size", SIZES)
def test_slots_never_outgrow_the_batch_and_reach_the_papers_heights(size: Size):
    heights: dict[Phase, tuple[int, int, int]] = {
        "camera-flow-dpa": (5, 0, 0),
        # Base, of which more is asked, has more pairs in a step.
        "camera-flow-ipa": (2, 16, 10) if size == "base" else (2, 4, 1),
    }
    for phase, height in heights.items():
        recipe = recipe_for(phase, size)
        assert tuple(max(column) for column in zip(*slots(recipe), strict=True)) == height
        assert 2 * sum(height) <= recipe.schedule.batch_rows


def test_with_steps_scales_everything_that_counts_steps():
    recipe = with_steps(recipe_for("camera-flow-dpa", "paper"), 3_500)
    assert (recipe.schedule.steps, recipe.schedule.warm_up_steps) == (3_500, 100)
    assert [slots(recipe)[step][0] for step in (0, 200, 1_999, 3_000)] == [0, 5, 5, 1]
    flow = with_steps(recipe_for("human-flow", "paper"), 10_500)
    assert flow.schedule.decay == StepDown(8_000, 0.1)


def test_hash_tells_recipes_apart_and_nothing_else():
    hashes = {recipe_for(phase, size).sha256 for size in SIZES for phase in PHASES}
    assert len(hashes) == len(SIZES) * len(PHASES)
    recipe = recipe_for("human-flow", "base")
    assert recipe.sha256 == recipe_for("human-flow", "base").sha256
    assert replace(recipe, seed=1).sha256 != recipe.sha256
    other = replace(recipe, optimiser=replace(recipe.optimiser, epsilon=1e-9))
    assert other.sha256 != recipe.sha256


def test_factual_control_differs_in_its_filling_alone():
    recipe = recipe_for("camera-flow-dpa", "paper")
    control = factual_control(recipe)
    assert recipe.slots is not None and control.slots is not None
    assert control.slots.filling == "factual"
    assert replace(control, slots=recipe.slots) == recipe


def test_a_late_share_moves_just_that_share_below_its_sigma():
    uniform = (np.arange(10_007) + 0.5) / 10_007
    usual = FlowMatching()
    assert with_late_share(uniform, usual) is uniform
    late = FlowMatching(late_share=0.23, late_sigma=0.31)
    sigma = shifted_time(torch.from_numpy(with_late_share(uniform, late))).numpy()
    below = shifted_time(torch.from_numpy(uniform)).numpy() < 0.31
    moved = uniform < 0.23
    np.testing.assert_allclose(sigma[moved], 0.31 * uniform[moved] / 0.23, atol=GEOMETRY64)
    assert abs((sigma < 0.31).mean() - (0.23 + 0.77 * below.mean())) < 2e-3
    rest = (uniform[~moved] - 0.23) / 0.77
    expected = shifted_time(torch.from_numpy(rest)).numpy()
    np.testing.assert_allclose(sigma[~moved], expected, atol=GEOMETRY64)
