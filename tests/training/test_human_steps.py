"""Few steps of a human flow: fitted to its own 50 under guidance that is held back, a part of that
flow alone, and what the Director makes people by."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from aesop.core.errors import WeightsError
from aesop.flow.few_steps import StepFit, follow
from aesop.flow.guided_sampling import guided_velocities, sample_latents
from aesop.flow.solvers import PRESETS
from aesop.models.fitted_steps import FittedSteps, StepsShape
from aesop.models.phase_table import PAPER_PHASES
from aesop.models.velocity import FlowTransformer
from aesop.models.weights import load_human_flow, load_steps, new_part, run_file, save_part
from aesop.training.human_steps import DrawnPeople, distance, drawn_people, in_batches
from aesop.training.loop import Conduct
from aesop.training.phases import train
from aesop.training.recipes import StepsRecipe
from aesop.training.run_folder import Material, PhaseRun, RunFolder, weights_path
from aesop.training.step import ALONE
from aesop.training.step_fitting import AskedBatch, fit_steps, sampled_ends
from tests.tolerances import GEOMETRY64, network32, rounded32
from tests.training.makers import HashEncoder, make_footage, small_recipe

CPU = torch.device("cpu")
PEOPLE = 17
ROWS = 5


def recipe(**settings: float) -> StepsRecipe:
    small = small_recipe("human-steps", 1, rows=ROWS, dropout=0.0)
    assert isinstance(small, StepsRecipe)
    own = replace(small.steps, shots=PEOPLE, **settings)  # pyright: ignore[reportArgumentType]
    return replace(small, steps=own, watch=replace(small.watch, validation_clips=3))


@pytest.fixture(scope="module")
def material() -> Material:
    footage = make_footage(19, 1, seed=1, frames=(29, 48))
    return Material(footage, make_footage(3, 1, seed=2, frames=(29, 48)), HashEncoder())


@pytest.fixture(scope="module")
def run(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A human codec and a flow that reads words."""
    path = tmp_path_factory.mktemp("run")
    phases = [small_recipe(it, 2, rows=7) for it in PAPER_PHASES if it.startswith("human")]
    train(phases, material, path, Conduct(), CPU)
    human = RunFolder(path, CPU).human_codec()
    flow = load_human_flow(weights_path(path, "human-flow"), human, material.encoder, CPU).network
    dice = torch.Generator().manual_seed(5)
    for parameter in flow.parameters():
        parameter += 0.2 * torch.randn(parameter.shape, generator=dice)
    known = new_part("human-flow", flow, (human,), material.encoder)
    save_part(known, weights_path(path, "human-flow"))
    return path


@pytest.fixture(scope="module")
def flow(run: Path, material: Material) -> FlowTransformer:
    human = RunFolder(run, CPU).human_codec()
    path = weights_path(run, "human-flow")
    return load_human_flow(path, human, material.encoder, CPU).network.eval()


@pytest.fixture(scope="module")
def drawn(run: Path, material: Material) -> DrawnPeople:
    phase = PhaseRun(recipe(), material, RunFolder(run, CPU), Conduct(), ALONE)
    return drawn_people(phase, material.train, PEOPLE, seed=3)


def every(drawn: DrawnPeople, flow: FlowTransformer) -> list[AskedBatch]:
    return list(in_batches(drawn, ROWS, flow.shape.latent))


def test_people_are_drawn_as_the_recipe_says(drawn: DrawnPeople, flow: FlowTransformer):
    settings = recipe().steps
    low, high = settings.guidances
    assert len(drawn) == PEOPLE and drawn.restraint.rescale == settings.rescale > 0
    assert bool(((drawn.guidance >= low) & (drawn.guidance <= high)).all())
    assert 0 < int((drawn.guidance == settings.usual_guidance).sum()) < PEOPLE
    batches = every(drawn, flow)
    lengths = torch.cat([it.context.mask.sum(1) for it in batches])
    assert torch.equal(lengths, drawn.tokens) and torch.equal(lengths, lengths.sort().values)
    assert all(not it.noise[~it.context.mask].any() for it in batches)
    assert all(it.restraint == drawn.restraint for it in batches)
    first = [tuple(it.noise[0, 0].tolist()) for it in batches]
    assert len(set(first)) == len(first)  # every batch has noise of its own


def test_fitted_steps_end_nearer_to_fifty_than_euler(drawn: DrawnPeople, flow: FlowTransformer):
    """On other people than those that they were fitted to, and nearest with most calls."""
    asked = every(replace(drawn, seed=11), flow)
    reference = sampled_ends(flow, PRESETS["reference"], asked)
    apart = list[float]()
    for calls in (2, 5):
        settings = recipe(calls=calls).steps
        steps = fit_steps(flow, every(drawn, flow), settings)
        unfitted = FittedSteps(StepsShape(calls, 0))
        unfitted.times.copy_(steps.times)
        near, far = (
            distance(asked, sampled_ends(flow, way, asked), reference) for way in (steps, unfitted)
        )
        assert near < 0.8 * far
        apart.append(near)
    assert apart[1] < apart[0]
    assert distance(asked, reference, reference) == 0


def test_steps_are_fitted_to_guidance_as_it_is_held_back(drawn: DrawnPeople, flow: FlowTransformer):
    """The last step again, by least squares over what sampling asks: the same weights."""
    steps = fit_steps(flow, every(drawn, flow), recipe(calls=3).steps)
    length = float(steps.times[3] - 1)
    fit = StepFit.after(3, 0)
    for it in every(drawn, flow):
        asked, ways = list[torch.Tensor](), (it.context, steps.times, it.guidance, it.restraint)
        field = guided_velocities(flow, *ways)

        def watched(latents: torch.Tensor, flow_time: torch.Tensor, asks: bool):
            assert not asks
            asked.append(field(latents, flow_time, asks)[0])  # noqa: B023
            return asked[-1], None  # noqa: B023

        follow(watched, it.noise, steps, it.guidance[:, None, None])
        real = it.context.mask
        velocities = [one[real].flatten() for one in asked]
        way = sample_latents(
            flow,
            it.context,
            it.noise,
            PRESETS["reference"],
            it.guidance,
            restraint=it.restraint,
        )
        fit.add((way - it.noise)[real].flatten() - length * velocities[0], velocities, [])
    of_words, of_guidance = fit.solved(length)
    # Velocities of neighbouring times are much alike: rounding grows a thousandfold.
    assert of_words == pytest.approx(steps.of_words[2].tolist(), abs=1000 * rounded32(4, 1.0))
    assert of_guidance == [] and not steps.of_guidance.any()
    sums = steps.of_words.sum(1)
    torch.testing.assert_close(sums, steps.times[1:] - 1, atol=GEOMETRY64, rtol=0)


def test_a_person_is_sampled_alike_alone_and_beside_others(
    drawn: DrawnPeople, flow: FlowTransformer
):
    steps = fit_steps(flow, every(drawn, flow), recipe(calls=3).steps)
    asked = every(drawn, flow)[1]
    together = sampled_ends(flow, steps, [asked])[0]
    for row, one in enumerate(list(in_batches(drawn, 1, flow.shape.latent))[ROWS : 2 * ROWS]):
        count = int(one.context.mask[0].sum())
        alone = replace(one, noise=asked.noise[row : row + 1, :count])
        found = sampled_ends(flow, steps, [alone])[0]
        largest = float(found.abs().max())
        torch.testing.assert_close(
            found[0], together[row, :count], rtol=0, atol=8 * network32(2, 64, largest)
        )


def test_the_phase_leaves_a_part_of_its_flow(run: Path, material: Material):
    (result,) = train([recipe(calls=6)], material, run, Conduct(), CPU)
    assert result.finished and run_file(run, "human-steps") == result.weights
    human = RunFolder(run, CPU).human_codec()
    flow = load_human_flow(weights_path(run, "human-flow"), human, material.encoder, CPU).card
    part = load_steps(result.weights, flow)
    assert part.card.partners == {"human-flow": flow.identity}
    assert part.network.shape.evaluations == 12
    assert 0 < float(part.card.notes["apart"]) < 1
    before = result.weights.read_bytes()
    assert train([recipe(calls=6)], material, run, Conduct(resume=True), CPU)[0].finished
    assert result.weights.read_bytes() == before
    with pytest.raises(WeightsError, match="another human-flow"):
        load_steps(result.weights, replace(flow, identity="0" * 64))
