"""The flow's own shots: kept on their way, scaled, and taught without touching intensity one."""

import shutil
from copy import deepcopy
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.flow.guided_sampling import guided
from aesop.flow.solvers import PRESETS
from aesop.models.codec import token_mask
from aesop.models.phase_table import PAPER_PHASES
from aesop.models.velocity import IntensityEmbedding, with_and_without_text
from aesop.models.weights import part_file
from aesop.pairs.intensity_gates import stretched
from aesop.pairs.shot_arrays import Stock, film_of
from aesop.training import self_distillation
from aesop.training.flow_phases import camera_clips
from aesop.training.footage import padded_places
from aesop.training.loop import Conduct
from aesop.training.phases import train
from aesop.training.recipes import SelfDistillation, SelfDistilledFlowRecipe
from aesop.training.run_folder import Material, PhaseRun, RunFolder, weights_path
from aesop.training.self_distillation import (
    OwnShots,
    SelfDistillationTask,
    Teacher,
    film_own_shots,
    shift_share,
)
from aesop.training.step import ALONE, World
from tests.tolerances import FILMED32, rounded32, summed32
from tests.training.makers import HashEncoder, make_footage, make_pairs, small_recipe

CPU = torch.device("cpu")
SHOTS, LABELS = 11, 2
ROWS = 7


def recipe(above: float = 0.9) -> SelfDistilledFlowRecipe:
    small = small_recipe("camera-flow-self-distilled", 5, rows=ROWS, dropout=0.0)
    assert isinstance(small, SelfDistilledFlowRecipe)
    settings = SelfDistillation(shots=SHOTS, labels=LABELS, above=above)
    return replace(small, self_distillation=settings)


@pytest.fixture(scope="module")
def material() -> Material:
    footage = make_footage(7, 2, seed=1, frames=(29, 48))
    pairs = make_pairs(footage, 3, 4, 2)
    return Material(footage, make_footage(3, 1, seed=2, frames=(29, 48)), HashEncoder(), pairs)


@pytest.fixture(scope="module")
def run(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper's phases; self-distillation reads the last of them."""
    folder = tmp_path_factory.mktemp("run")
    recipes = [small_recipe(it, 3, rows=17) for it in PAPER_PHASES]
    train(recipes, material, folder, Conduct(), CPU)
    return folder


@pytest.fixture(scope="module")
def teacher(material: Material, run: Path) -> Teacher:
    folder = RunFolder(run, CPU)
    human = folder.human_codec()
    codecs = human, folder.camera_codec(human)
    flow = folder.camera_flow("camera-flow-ipa", codecs, material.encoder).network.eval()
    flow.requires_grad_(False)
    dice = torch.Generator().manual_seed(5)
    # Three steps teach no one to read words or people.
    for parameter in (*flow.parameters(), *codecs[1].network.decoder.parameters()):
        parameter += 0.2 * torch.randn(parameter.shape, generator=dice)
    phase = PhaseRun(recipe(), material, folder, Conduct(), ALONE)
    clips = camera_clips(phase, codecs, material.train, None)
    networks = human.network, codecs[1].network
    return Teacher(flow, *networks, clips, material.train, recipe().self_distillation, seed=3)


@pytest.fixture(scope="module")
def own_shots(teacher: Teacher) -> OwnShots:
    return film_own_shots(teacher)


def task_of(teacher: Teacher, own_shots: OwnShots, world: World = ALONE) -> SelfDistillationTask:
    both = teacher.clips, own_shots
    return SelfDistillationTask(recipe(), teacher.flow, both, both, world)


def test_the_change_comes_between_two_flow_times_and_knows_its_slope():
    settings = SelfDistillation(begins=0.71, ends=0.13)
    sigma = torch.linspace(1, 0, 2003, dtype=torch.float64)
    share, slope = shift_share(sigma, settings)
    assert (share[sigma >= 0.71] == 0).all() and (slope[sigma >= 0.71] == 0).all()
    assert (share[sigma <= 0.13] == 1).all() and (slope[sigma <= 0.13] == 0).all()
    assert (share.diff() >= 0).all()
    measured = (share[2:] - share[:-2]) / (sigma[2:] - sigma[:-2])
    # A difference over a thousandth of the way, where the slope bends.
    torch.testing.assert_close(slope[1:-1], measured, rtol=0, atol=3e-3)


def test_states_are_those_of_guided_sampling(teacher: Teacher, own_shots: OwnShots):
    """Each shot alone, sampled step by step from its first state, is its last state."""
    preset = PRESETS["fast"]
    assert own_shots.states.shape[0] == preset.steps + 1 and len(own_shots) == SHOTS
    for shot in range(SHOTS):
        count = int(own_shots.tokens[shot])
        places, mask = padded_places(own_shots.starts, torch.tensor([shot]), count)
        noise, wanted = (own_shots.states[at][places].float() for at in (0, -1))
        clip, caption = (
            torch.from_numpy(it[[shot]]) for it in (own_shots.clips, own_shots.captions)
        )
        context = with_and_without_text(teacher.clips.context(clip, caption, mask))
        velocity = guided(
            teacher.flow.field(teacher.flow.prepare(context)), teacher.settings.guidance
        )
        found = preset.solver(velocity, noise, preset.times)
        torch.testing.assert_close(found, wanted, rtol=0, atol=0.005)  # kept in half precision


def test_shifts_lead_to_the_scaled_shot(teacher: Teacher, own_shots: OwnShots):
    """What a label adds is the codec's view of the shot, decoded beside its person and scaled."""
    for shot in range(SHOTS):
        clip = int(own_shots.clips[shot])
        human = teacher.footage.humans.clip(int(teacher.footage.human_of_shot[clip]))[None]
        mask = torch.ones(human.shape[:2], dtype=torch.bool)
        places, _ = padded_places(
            own_shots.starts, torch.tensor([shot]), int(own_shots.tokens[shot])
        )
        people = teacher.human.whitening.inverse(
            teacher.human.to_latents(human, mask), token_mask(mask)
        )
        own = teacher.camera.from_latents(
            own_shots.states[-1][places].float(), people, mask
        ).numpy()
        film = film_of(Stock(np.array([own.shape[1]]), np.array([0]), human.numpy(), own))
        asked = np.concatenate([[1.0], own_shots.labels[:, shot].double().numpy()])[:, None]
        first, *others = (
            teacher.camera.to_latents(torch.from_numpy(it), mask)
            for it in stretched(film, own, asked, teacher.settings.gates)
        )
        for label, other in enumerate(others):
            wanted = other - first
            found = own_shots.shifts[label][places].float()
            assert float((found - wanted).norm() / wanted.norm()) < 0.003  # half precision


def test_labels_lie_evenly_on_both_sides(teacher: Teacher, own_shots: OwnShots):
    settings, labels = teacher.settings, own_shots.labels
    assert labels.shape == (2 * LABELS, SHOTS)
    for side, end in ((0, settings.weakest), (1, settings.strongest)):
        share = (labels[side * LABELS : (side + 1) * LABELS] - 1) / (end - 1) * LABELS
        assert (share.floor() == torch.arange(LABELS)[:, None]).all()


def test_own_shots_are_the_same_every_time(teacher: Teacher, own_shots: OwnShots):
    again = film_own_shots(teacher)
    for name in ("states", "shifts", "labels", "starts"):
        assert torch.equal(getattr(again, name), getattr(own_shots, name)), name
    other = film_own_shots(replace(teacher, seed=4))
    assert not torch.equal(other.labels, own_shots.labels)


def test_a_pupil_who_forgot_intensity_errs_by_the_change_alone(
    teacher: Teacher, own_shots: OwnShots
):
    """At one, and before the change begins, teacher and pupil agree to the last bit."""
    task, pupil = task_of(teacher, own_shots), deepcopy(teacher.flow)
    assert pupil.intensity is not None
    pupil.intensity.forget()
    batch = task.batch(0)
    settings = teacher.settings
    assert float((batch.shifts.abs().amax((1, 2)) > 0).sum()) > 0
    for time, agrees in ((0.97, True), (settings.begins, True), (0.4, False)):
        at = replace(batch, flow_time=torch.full_like(batch.flow_time, time))
        assert (float(task.loss(pupil, at).total) == 0) == agrees, time
    plain = replace(batch, shifts=torch.zeros_like(batch.shifts))
    plain = replace(plain, intensity=torch.ones_like(plain.intensity))
    assert float(task.loss(pupil, plain).total) == 0


def test_the_error_is_that_of_the_guided_velocity(teacher: Teacher, own_shots: OwnShots):
    """A network at rest misses teacher and change altogether, so its loss has a closed form."""
    task = task_of(teacher, own_shots)
    batch = task.batch(1)
    resting = type(teacher.flow)(teacher.flow.shape).eval()
    both = with_and_without_text(batch.context)
    taught = teacher.flow(batch.states.repeat(2, 1, 1), batch.flow_time.repeat(2), both)
    _, slope = shift_share(batch.flow_time, teacher.settings)
    wanted = taught + (slope[:, None, None] * batch.shifts).repeat(2, 1, 1)
    words, silence = wanted.chunk(2)
    together = silence + teacher.settings.guidance * (words - silence)

    def mean(values: torch.Tensor) -> float:
        per = (values.square() * batch.context.mask[..., None]).sum((1, 2))
        return float((per / batch.context.mask.sum(1) / values.shape[-1]).mean())

    loss = task.loss(resting, batch)
    guided_part, apart = loss.parts.tolist()
    assert guided_part == pytest.approx(mean(together), rel=FILMED32)
    assert apart == pytest.approx(
        teacher.settings.apart * (mean(words) + mean(silence)) / 2, rel=FILMED32
    )
    assert float(loss.total.detach()) == pytest.approx(guided_part + apart, rel=summed32(64))


def test_batches_follow_from_their_step_and_are_shared_out(teacher: Teacher, own_shots: OwnShots):
    alone = task_of(teacher, own_shots)
    for step in (0, 3):
        whole = alone.batch(step)
        assert torch.equal(whole.states, alone.batch(step).states)
        assert len(alone.names(step)) == ROWS
        parts = [task_of(teacher, own_shots, World(rank, 3)).batch(step) for rank in range(3)]
        inner = ("context.human", "context.text.tokens")
        for name in ("states", "shifts", "intensity", "flow_time", *inner):
            read = attrgetter(name)
            together = torch.empty_like(read(whole))
            for rank, part in enumerate(parts):
                together[rank::3] = read(part)
            assert torch.equal(together, read(whole)), name
        assert all(torch.equal(part.total, whole.total) for part in parts)
    assert not torch.equal(alone.batch(0).flow_time, alone.batch(3).flow_time)


def test_plain_and_late_rows_have_their_shares(teacher: Teacher, own_shots: OwnShots):
    task = task_of(teacher, own_shots)
    batches = [task.batch(step) for step in range(150)]
    one = torch.cat([it.intensity == 1 for it in batches]).float().mean()
    assert abs(float(one) - teacher.settings.plain) < 0.02
    assert all(((it.shifts.abs().amax((1, 2)) == 0) == (it.intensity == 1)).all() for it in batches)
    times = PRESETS["fast"].times.numpy()
    late_steps = (times <= teacher.settings.begins).sum() / (len(times) - 1)
    late = torch.cat(
        [it.flow_time <= times[times > teacher.settings.begins].min() for it in batches]
    )
    wanted = teacher.settings.late + (1 - teacher.settings.late) * late_steps
    assert abs(float(late.float().mean()) - wanted) < 0.02


def test_forgotten_embeddings_add_nothing_and_learn_two_lines():
    embedding = IntensityEmbedding(13, 7)
    torch.nn.init.normal_(embedding.second.weight)
    embedding.forget()
    zero = torch.zeros(3, 13)
    asked = torch.tensor([0.4, 1.0, 1.7])
    assert embedding(zero, asked).abs().max() == 0
    rate = torch.optim.SGD(embedding.parameters(), lr=1e-4)
    embedding(zero, asked).sum().backward()
    rate.step()
    told = embedding(torch.zeros(4, 13), torch.tensor([0.4, 0.7, 1.35, 1.7])).detach()
    # 0.4 and 0.7 are themselves rounded before one is taken off; seven products are added up.
    lines = rounded32(16, float(told.abs().max()))
    assert (told.abs().amax(1) > 0).all()
    torch.testing.assert_close(told[0], 2 * told[1], rtol=0, atol=lines)
    torch.testing.assert_close(told[3], 2 * told[2], rtol=0, atol=lines)
    embedding.shorten(0.75)
    shorter = embedding(torch.zeros(4, 13), torch.tensor([0.4, 0.7, 1.35, 1.7])).detach()
    assert torch.equal(shorter[:2], told[:2])
    torch.testing.assert_close(shorter[2:], 0.75 * told[2:])


def test_the_phase_teaches_intensity_and_leaves_its_teacher(
    material: Material, run: Path, monkeypatch: pytest.MonkeyPatch
):
    seen: list[int] = []

    def counted(teacher: Teacher) -> OwnShots:
        seen.append(teacher.settings.shots)
        return film_own_shots(teacher)

    monkeypatch.setattr(self_distillation, "film_own_shots", counted)
    before = weights_path(run, "camera-flow-ipa").read_bytes()
    (result,) = train([recipe()], material, run, Conduct(), CPU)
    assert result.finished and weights_path(run, "camera-flow-ipa").read_bytes() == before
    assert seen == [SHOTS, recipe().watch.validation_clips]
    folder = RunFolder(run, CPU)
    human = folder.human_codec()
    codecs = human, folder.camera_codec(human)
    flow = folder.camera_flow("camera-flow-self-distilled", codecs, material.encoder).network
    assert flow.intensity is not None
    assert float(flow.intensity.second.weight.abs().max()) > 0
    assert not flow.intensity.second.weight[:, 2:].any(), "two lines and nothing else"
    log = (run / "camera-flow-self-distilled" / "log.jsonl").read_text()
    assert '"self_distillation"' in log and '"at_one"' in log


def test_the_phase_ends_with_a_shorter_line_above_one(
    material: Material, run: Path, tmp_path: Path
):
    lines: list[torch.Tensor] = []
    for above in (1.0, 0.5):
        home = tmp_path / str(above)
        home.mkdir()
        for part in ("human-codec", "camera-codec", "camera-flow-ipa"):
            shutil.copytree(run / part, home / part)
        train([recipe(above)], material, home, Conduct(), CPU)
        folder = RunFolder(home, CPU)
        human = folder.human_codec()
        codecs = human, folder.camera_codec(human)
        flow = folder.camera_flow("camera-flow-self-distilled", codecs, material.encoder).network
        assert flow.intensity is not None
        lines.append(flow.intensity.second.weight[:, :2])
    assert torch.equal(lines[0][:, 0], lines[1][:, 0]) and lines[0].any()
    torch.testing.assert_close(0.5 * lines[0][:, 1], lines[1][:, 1])


def test_a_run_of_an_earlier_version_is_recognised(material: Material, run: Path, tmp_path: Path):
    """Its folder bears the phase's former name; nothing is trained again beside it."""
    new = weights_path(run, "camera-flow-self-distilled")
    if not new.exists():
        train([recipe()], material, run, Conduct(), CPU)
    for part in ("human-codec", "camera-codec", "camera-flow-ipa"):
        shutil.copytree(run / part, tmp_path / part)
    shutil.copytree(new.parent, tmp_path / "camera-flow-echo")
    former = tmp_path / "camera-flow-echo" / new.name
    assert part_file(tmp_path, "camera-flow") == former
    assert weights_path(tmp_path, "camera-flow-self-distilled") == former
    (result,) = train([recipe()], material, tmp_path, Conduct(resume=True), CPU)
    assert result.finished and result.weights == former
    assert not (tmp_path / "camera-flow-self-distilled").exists()
