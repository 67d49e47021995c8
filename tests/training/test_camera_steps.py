"""Few steps of a camera flow: fitted to its own 50, a part of that flow alone."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from aesop.core.errors import WeightsError
from aesop.features.camera_features import camera_from_features
from aesop.flow.few_steps import StepFit, follow
from aesop.flow.guided_sampling import both_velocities, sample_latents
from aesop.flow.solvers import PRESETS
from aesop.models.codec import STRIDE
from aesop.models.fitted_steps import FittedSteps, StepsShape
from aesop.models.phase_table import PAPER_PHASES
from aesop.models.velocity import FlowTransformer
from aesop.models.weights import load_steps, new_part, read_card, run_file, save_part
from aesop.training.camera_steps import (
    DrawnShots,
    drawn_shots,
    flow_of,
    in_batches,
    nearness,
)
from aesop.training.flow_phases import Codecs
from aesop.training.loop import Conduct
from aesop.training.phases import train
from aesop.training.recipes import StepsRecipe, StepsSettings
from aesop.training.run_folder import Material, PhaseRun, RunFolder, weights_path
from aesop.training.step import ALONE
from aesop.training.step_fitting import AskedBatch, fit_steps, sampled_ends, states_at
from aesop.training.told_intensities import ASKED, measured_response, ways_m
from tests.tolerances import GEOMETRY64, network32, rounded32
from tests.training.makers import HashEncoder, make_footage, make_pairs, small_recipe

CPU = torch.device("cpu")
SHOTS = 23


def recipe(**settings: float) -> StepsRecipe:
    small = small_recipe("camera-steps", 1, rows=5, dropout=0.0)
    assert isinstance(small, StepsRecipe)
    own = replace(small.steps, shots=SHOTS, **settings)  # pyright: ignore[reportArgumentType]
    return replace(small, steps=own, watch=replace(small.watch, validation_clips=3))


@pytest.fixture(scope="module")
def material() -> Material:
    footage = make_footage(7, 2, seed=1, frames=(29, 48))
    pairs = make_pairs(footage, 3, 4, 2)
    return Material(footage, make_footage(3, 1, seed=2, frames=(29, 48)), HashEncoder(), pairs)


@pytest.fixture(scope="module")
def run(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper's phases, and a camera flow that reads words, people and intensity."""
    path = tmp_path_factory.mktemp("run")
    train([small_recipe(it, 2, rows=17) for it in PAPER_PHASES], material, path, Conduct(), CPU)
    folder = RunFolder(path, CPU)
    human = folder.human_codec()
    codecs = human, folder.camera_codec(human)
    flow = folder.camera_flow("camera-flow-ipa", codecs, material.encoder).network
    dice = torch.Generator().manual_seed(5)
    for parameter in flow.parameters():
        parameter += 0.2 * torch.randn(parameter.shape, generator=dice)
    known = new_part("camera-flow", flow, codecs, material.encoder)
    save_part(known, weights_path(path, "camera-flow-ipa"))
    return path


@pytest.fixture(scope="module")
def phase(run: Path, material: Material) -> PhaseRun[StepsRecipe]:
    return PhaseRun(recipe(), material, RunFolder(run, CPU), Conduct(), ALONE)


@pytest.fixture(scope="module")
def codecs(phase: PhaseRun[StepsRecipe]) -> Codecs:
    human = phase.folder.human_codec()
    return human, phase.folder.camera_codec(human)


@pytest.fixture(scope="module")
def flow(phase: PhaseRun[StepsRecipe], codecs: Codecs) -> FlowTransformer:
    return flow_of(phase, codecs).network


@pytest.fixture(scope="module")
def drawn(phase: PhaseRun[StepsRecipe], codecs: Codecs) -> DrawnShots:
    return drawn_shots(phase, codecs, phase.material.train, SHOTS, seed=3)


def every(drawn: DrawnShots, flow: FlowTransformer) -> list[AskedBatch]:
    return list(in_batches(drawn, 5, flow.shape.latent))


def fitted(drawn: DrawnShots, flow: FlowTransformer, settings: StepsSettings) -> FittedSteps:
    return fit_steps(flow, every(drawn, flow), settings)


def test_shots_are_drawn_as_the_recipe_says(drawn: DrawnShots, flow: FlowTransformer):
    settings = recipe().steps
    low, high = settings.guidances
    assert len(drawn) == SHOTS
    assert bool(((drawn.guidance >= low) & (drawn.guidance <= high)).all())
    assert 0 < int((drawn.guidance == settings.usual_guidance).sum()) < SHOTS
    assert bool(((drawn.intensity >= 0.5) & (drawn.intensity <= 1.5)).all())
    for batch in every(drawn, flow):
        one, own = batch.noise.chunk(2)
        assert torch.equal(one, own) and batch.context.intensity is not None
        assert bool((batch.context.intensity.chunk(2)[0] == 1).all())
    lengths = torch.cat([it.context.mask.chunk(2)[0].sum(1) for it in every(drawn, flow)])
    assert torch.equal(lengths, lengths.sort().values)
    first = [tuple(it.noise[0, 0].tolist()) for it in every(drawn, flow)]
    assert len(set(first)) == len(first)  # every batch has noise of its own


def test_states_between_two_steps_lie_on_their_line():
    states = [torch.full((1, 2, 3), float(at) ** 2) for at in range(51)]
    times = PRESETS["reference"].times
    wanted = torch.stack([times[0], times[7], 0.25 * times[7] + 0.75 * times[8], times[50]])
    found = [float(it[0, 0, 0]) for it in states_at(states, wanted)]
    wanted_values = [0, 49, 0.25 * 49 + 0.75 * 64, 2500]
    assert found == pytest.approx(wanted_values, abs=rounded32(4, 2500.0))


def test_fitted_steps_end_nearer_to_fifty_than_euler(drawn: DrawnShots, flow: FlowTransformer):
    """On other shots than those that they were fitted to."""
    settings = recipe().steps
    steps = fitted(drawn, flow, settings)
    unfitted = FittedSteps(StepsShape(settings.calls, settings.guided_calls))
    unfitted.times.copy_(steps.times)
    asked = every(replace(drawn, seed=11), flow)
    reference = sampled_ends(flow, PRESETS["reference"], asked)
    near, far = (
        nearness(asked, sampled_ends(flow, way, asked), reference) for way in (steps, unfitted)
    )
    assert near.apart < 0.5 * far.apart and near.change < far.change
    itself = nearness(asked, reference, reference)
    assert itself.apart == 0 and itself.change == 0 and itself.growth == pytest.approx(1)


def test_steps_are_fitted_to_the_states_that_sampling_meets(
    drawn: DrawnShots, flow: FlowTransformer
):
    """The last step again, by least squares over what sampling asks: the same weights."""
    steps = fitted(drawn, flow, recipe(calls=3, guided_calls=3, change=0.0).steps)
    length = float(steps.times[3] - 1)
    fit = StepFit.after(3, 3)
    for it in every(drawn, flow):
        asked = list[tuple[torch.Tensor, torch.Tensor | None]]()
        field = both_velocities(flow, it.context, steps.times)

        def watched(
            latents: torch.Tensor, flow_time: torch.Tensor, asks: bool, field: Any = field
        ) -> tuple[torch.Tensor, torch.Tensor | None]:
            asked.append(field(latents, flow_time, asks))  # noqa: B023
            return asked[-1]  # noqa: B023

        beyond = (it.guidance - 1)[:, None, None]
        follow(watched, it.noise, steps, it.guidance[:, None, None])
        real = it.context.mask
        words = [one[real].flatten() for one, _ in asked]
        differences = [(beyond * two)[real].flatten() for _, two in asked if two is not None]
        way = sample_latents(flow, it.context, it.noise, PRESETS["reference"], it.guidance)
        left = (way - it.noise)[real].flatten() - length * (words[0] + differences[0])
        fit.add(left, words, differences)
    for found, weights in zip(fit.solved(length), (steps.of_words, steps.of_guidance), strict=True):
        # Velocities of neighbouring times are much alike: rounding grows a thousandfold.
        assert found == pytest.approx(weights[2].tolist(), abs=1000 * rounded32(4, 1.0))


def test_what_an_intensity_changes_can_count_more(drawn: DrawnShots, flow: FlowTransformer):
    """The more it counts, the nearer it comes, at some cost of the shots themselves."""
    asked = every(drawn, flow)
    reference = sampled_ends(flow, PRESETS["reference"], asked)
    few = {"calls": 2, "guided_calls": 1}
    near = [
        nearness(asked, sampled_ends(flow, fitted(drawn, flow, way.steps), asked), reference)
        for way in (recipe(change=0.0, **few), recipe(change=30.0, **few))
    ]
    assert near[1].change < near[0].change and near[1].apart > near[0].apart


def test_rows_sum_to_how_far_their_times_lie_from_noise(drawn: DrawnShots, flow: FlowTransformer):
    steps = fitted(drawn, flow, recipe(calls=3, guided_calls=2).steps)
    length = steps.times[1:] - 1
    for weights, known in ((steps.of_words, 3), (steps.of_guidance, 2)):
        torch.testing.assert_close(weights.sum(1), length, atol=GEOMETRY64, rtol=0)
        for at in range(3):
            assert not weights[at, min(at + 1, known) :].any()
        assert bool((weights[1:, 1] != 0).all())


def test_a_shot_is_sampled_alike_alone_and_beside_others(drawn: DrawnShots, flow: FlowTransformer):
    steps = fitted(drawn, flow, recipe().steps)
    asked = every(drawn, flow)[1]
    together = sampled_ends(flow, steps, [asked])[0]
    singles = list(in_batches(drawn, 1, flow.shape.latent))[5:10]
    for row, one in enumerate(singles):
        count = int(one.context.mask[0].sum())
        noise = asked.noise[[row, row + 5], :count]
        found = sample_latents(flow, one.context, noise, steps, one.guidance)
        largest = float(found.abs().max())
        torch.testing.assert_close(
            found, together[[row, row + 5], :count], rtol=0, atol=8 * network32(2, 64, largest)
        )


def test_ways_are_those_of_decoded_cameras(
    drawn: DrawnShots, flow: FlowTransformer, codecs: Codecs
):
    """Shot by shot, from latents to places; the last token, which may hold padding, is left out."""
    steps = fitted(drawn, flow, recipe().steps)
    networks = human, camera = codecs[0].network, codecs[1].network
    batch = every(drawn, flow)[1]
    people = batch.context.human
    assert people is not None
    ends = sampled_ends(flow, steps, [batch])[0]
    found = ways_m(flow, steps, batch, networks)
    for row, count in enumerate(batch.context.mask.sum(1).tolist()):
        known = torch.ones(1, count, dtype=torch.bool)
        latents = people[row : row + 1, :count, : flow.shape.human]
        raw = human.whitening.inverse(latents, known)
        frames = known.repeat_interleave(STRIDE, dim=1)
        features = camera.from_latents(ends[row : row + 1, :count], raw, frames)[0]
        path = camera_from_features(features[:-STRIDE].double(), torch.zeros(3))
        way = float(path.centre.diff(dim=0).norm(dim=-1).sum())
        assert float(found[row]) == pytest.approx(way, abs=8 * network32(2, 64, way))


def test_the_usual_way_is_the_measure_of_all(
    drawn: DrawnShots, flow: FlowTransformer, codecs: Codecs
):
    """Shares are of the ways of all shots together, whatever batches and pairs they come in."""
    steps = fitted(drawn, flow, recipe().steps)
    networks = codecs[0].network, codecs[1].network
    some, levels = every(drawn, flow)[1:3], (0.6, 1.0, 1.3, 1.6)
    ways = dict.fromkeys(levels, 0.0)
    for batch in some:
        for level in levels:
            told = torch.full_like(batch.guidance, level)
            asked = replace(batch, context=replace(batch.context, intensity=told))
            ways[level] += float(ways_m(flow, steps, asked, networks).chunk(2)[0].sum())
    response = measured_response(flow, steps, some, networks, levels)
    assert response.levels == levels and response.shares[1] == 1
    for level, share in zip(levels, response.shares, strict=True):
        assert share == pytest.approx(ways[level] / ways[1.0], abs=8 * network32(2, 64, 1.0))


def test_the_phase_leaves_a_part_of_its_flow(run: Path, material: Material, tmp_path: Path):
    (result,) = train([recipe()], material, run, Conduct(), CPU)
    assert result.finished and run_file(run, "camera-steps") == result.weights
    flow_file = run_file(run, "camera-flow")
    assert flow_file is not None
    flow = read_card(flow_file)
    part = load_steps(result.weights, flow)
    assert part.card.partners == {"camera-flow": flow.identity}
    table = part.network.asked_intensities
    assert table.tolist() == list(ASKED) and bool((part.network.told(table).diff() >= 0).all())
    assert float(part.card.notes["apart"]) < 1 and float(part.card.notes["apart_fast"]) < 1
    # Again, nothing is done; the same recipe elsewhere leaves the same bytes.
    before = result.weights.read_bytes()
    assert train([recipe()], material, run, Conduct(resume=True), CPU)[0].finished
    assert result.weights.read_bytes() == before
    with pytest.raises(WeightsError, match="another camera-flow"):
        load_steps(result.weights, replace(flow, identity="0" * 64))
