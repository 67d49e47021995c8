"""Recipes hold the paper's numbers, scale as a whole, and are known by their hash."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.flow.path import shifted_time
from aesop.flow.solvers import PRESETS
from aesop.models.phase_table import PAPER_PHASES, PHASES, PhaseName
from aesop.models.velocity import FlowTransformer
from aesop.training.batch_order import slot_counts
from aesop.training.flow_phases import with_late_share
from aesop.training.recipe_book import all_recipes, factual_control, recipe_for, recipes_for
from aesop.training.recipes import (
    SIZES,
    CodecRecipe,
    Constant,
    Cosine,
    FlowMatching,
    FlowRecipe,
    PairedFlowRecipe,
    Recipe,
    ReconstructionWeights,
    SelfDistilledFlowRecipe,
    Size,
    StepDown,
    StepsRecipe,
    Straight,
    with_steps,
)
from aesop.training.step import learning_rate
from tests.tolerances import GEOMETRY64

# The supplement's schedule table: updates, batch, learning rate.
TABLE: dict[PhaseName, tuple[int, int, float]] = {
    "human-codec": (210_000, 128, 5e-5),
    "camera-codec": (210_000, 128, 5e-5),
    "human-flow": (105_000, 128, 2e-4),
    "camera-flow": (105_000, 128, 1e-4),
    "camera-flow-dpa": (35_000, 120, 2e-5),
    "camera-flow-ipa": (15_000, 120, 2e-5),
}


@pytest.mark.parametrize("phase", PAPER_PHASES)
def test_paper_recipes_are_the_papers_table(phase: PhaseName):
    recipe = recipe_for(phase, "paper")
    schedule, optimiser = recipe.schedule, recipe.optimiser
    assert (schedule.steps, schedule.batch_rows, schedule.learning_rate) == TABLE[phase]
    if phase.endswith("codec"):
        assert isinstance(recipe, CodecRecipe)
        assert recipe.network.width == 256
        assert recipe.objective == ReconstructionWeights(1.0, 1.0, 1e-3, 3e-3, 1.0)
        assert (optimiser.betas, optimiser.weight_decay) == ((0.9, 0.999), 0.0)
        assert optimiser.clip_norm is optimiser.ema_decay is None
        assert (schedule.warm_up_steps, schedule.decay) == (1_000, Cosine(1e-6))
    else:
        assert isinstance(recipe, FlowRecipe)
        assert (recipe.network.depth, recipe.network.width, recipe.network.heads) == (12, 512, 8)
        assert (optimiser.betas, optimiser.weight_decay) == ((0.9, 0.95), 0.01)
        assert (optimiser.clip_norm, optimiser.ema_decay) == (1.0, 0.9999)
        balance = "length" if isinstance(recipe, PairedFlowRecipe) else "clip"
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
    straight = {
        (phase, size): recipe_for(phase, size).settings["straight"]
        for size in SIZES
        for phase in PHASES
    }
    assert {place for place, it in straight.items() if it is not None} == {
        ("camera-flow-ipa", "base")
    }, "ours alone: the paper says nothing of it"
    assert paired("camera-flow-ipa", "base").straight == Straight(0.6, 1.2)


def test_the_paper_presents_its_number_of_examples():
    """13.44M to each flow, then 6M in the continuations."""
    shown = {
        phase: recipe.schedule.steps * recipe.schedule.batch_rows
        for phase, recipe in zip(PAPER_PHASES, all_recipes("paper"), strict=True)
    }
    assert shown["human-flow"] == shown["camera-flow"] == 13_440_000
    assert shown["camera-flow-dpa"] + shown["camera-flow-ipa"] == 6_000_000


def test_our_own_phases_are_not_the_papers():
    ours = [it.name for it in PHASES.values() if it.is_ours]
    assert tuple(TABLE) == PAPER_PHASES and {*ours, *TABLE} == set(PHASES)
    for size in SIZES:
        wanted = PAPER_PHASES if size == "paper" else PHASES
        assert [it.phase for it in all_recipes(size)] == list(wanted)
    for with_pairs in (False, True):
        phases = [it.phase for it in recipes_for("all", "base", 384, with_pairs=with_pairs)]
        known = [it.name for it in PHASES.values() if with_pairs or not it.wants_pairs]
        assert phases == known
    assert len(phases) == 11


@pytest.mark.parametrize("size", SIZES)
def test_decoders_go_on_after_their_codecs_and_look_where_steps_lead(size: Size):
    both: tuple[tuple[PhaseName, PhaseName], ...] = (
        ("human-codec", "human-decoder"),
        ("camera-codec", "camera-decoder"),
    )
    for before, after in both:
        assert PHASES[after].continues == before
        assert list(PHASES).index(before) + 1 == list(PHASES).index(after)
        codec, decoder = recipe_for(before, size), recipe_for(after, size)
        assert decoder.network == codec.network
        assert (codec.optimiser.only, decoder.optimiser.only) == (None, "decoder")
        assert isinstance(codec, CodecRecipe) and isinstance(decoder, CodecRecipe)
        assert codec.objective.path == 0 < decoder.objective.path


def test_self_distillation_comes_after_pairs_without_dropout_and_learns_intensity_anew():
    last: PhaseName = "camera-flow-self-distilled"
    assert PHASES[last].continues == "camera-flow-ipa"
    for size in SIZES:
        recipe, before = recipe_for(last, size), paired("camera-flow-ipa", size)
        assert isinstance(recipe, SelfDistilledFlowRecipe)
        assert recipe.network == replace(before.network, dropout=0.0)
        assert recipe.optimiser.intensity_learning_rate is not None
        settings = recipe.self_distillation
        assert 0 <= settings.ends < settings.begins <= 1
        assert settings.weakest < 1 < settings.strongest


def test_few_steps_of_people_follow_their_flow_and_know_no_intensity():
    names = list(PHASES)
    assert names.index("human-steps") == names.index("human-flow") + 1
    for size in SIZES:
        recipe, flow = recipe_for("human-steps", size), recipe_for("human-flow", size)
        assert isinstance(recipe, StepsRecipe) and recipe.network == flow.network
        settings = recipe.steps
        assert settings.guided_calls == 0 and settings.change == 0 and settings.rescale > 0
        assert settings.weakest == settings.strongest == 1
        low, high = settings.guidances
        assert low <= settings.usual_guidance <= high


def test_few_steps_come_last_and_are_those_of_the_camera_flow():
    assert list(PHASES)[-1] == "camera-steps"
    for size in SIZES:
        recipe, flow = recipe_for("camera-steps", size), recipe_for("camera-flow", size)
        assert isinstance(recipe, StepsRecipe) and recipe.network == flow.network
        settings = recipe.steps
        assert settings.weakest < 1 < settings.strongest
        low, high = settings.guidances
        assert low <= settings.usual_guidance <= high
        assert settings.calls + settings.guided_calls < PRESETS["fast"].steps


def test_every_phase_comes_after_what_it_needs():
    names = list(PHASES)
    for place, phase in enumerate(PHASES.values()):
        assert set(phase.needs) <= set(names[:place])
        before = phase.continues
        assert before is None or PHASES[before].trains == phase.trains
        # What is trained for the first time bears the name of the part.
        assert (before is None) == (phase.name == phase.trains)


def test_a_renamed_phase_keeps_its_hash():
    """Of the first version, in which it was called camera-flow-echo: its runs are recognised."""
    recipe = recipe_for("camera-flow-self-distilled", "paper")
    assert recipe.sha256 == "876f310bac7335decc40965758a62ee221a883a623a2ee00a4b9ee929e26594a"
    assert (
        recipe_for("camera-flow", "paper").sha256
        == "1d732271f5f2a2660875559f05117fa09df90b5ddcc289323eba3932d78dde8d"
    )
    assert recipe.settings["phase"] == "camera-flow-self-distilled"


def test_base_flows_have_at_most_33_million_parameters():
    count = 0
    for phase in ("human-flow", "camera-flow"):
        recipe = recipe_for(phase, "base")
        assert isinstance(recipe, FlowRecipe)
        count += sum(it.numel() for it in FlowTransformer(recipe.network).parameters())
    assert 10e6 < count <= 33e6


@pytest.mark.parametrize("phase", PAPER_PHASES)
def test_learning_rate_starts_small_and_ends_where_it_should(phase: PhaseName):
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


def paired(phase: PhaseName, size: Size) -> PairedFlowRecipe:
    recipe = recipe_for(phase, size)
    assert isinstance(recipe, PairedFlowRecipe)
    return recipe


def slots(recipe: Recipe) -> list[tuple[int, int, int]]:
    """Direction, active and null slots of every step."""
    assert isinstance(recipe, PairedFlowRecipe)
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
    heights: dict[PhaseName, tuple[int, int, int]] = {
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
    recipe = paired("camera-flow-dpa", "paper")
    control = factual_control(recipe)
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
