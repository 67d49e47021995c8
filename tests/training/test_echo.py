"""The flow's own shots: kept on their way, scaled, and taught without touching intensity one."""

import shutil
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.flow.guidance import guided
from aesop.flow.solvers import PRESETS
from aesop.models.codec import token_mask
from aesop.models.velocity import IntensityEmbedding, with_and_without_text
from aesop.pairs.intensity_gates import stretched
from aesop.pairs.shot_arrays import Stock, film_of
from aesop.training import self_distillation
from aesop.training.flow_phases import camera_clips
from aesop.training.loop import Conduct
from aesop.training.phases import train
from aesop.training.recipes import PAPER_PHASES, Recipe, SelfDistillation
from aesop.training.run_folder import Material, PhaseRun, RunFolder, weights_path
from aesop.training.self_distillation import (
    Maker,
    OwnShots,
    SelfDistillationTask,
    make_echoes,
    shift_share,
)
from aesop.training.step import ALONE, World
from tests.tolerances import FILMED32, rounded32, summed32
from tests.training.makers import HashEncoder, make_footage, make_pairs, small_recipe

CPU = torch.device("cpu")
SHOTS, LABELS = 11, 2
ROWS = 7


def recipe() -> Recipe:
    echoing = small_recipe("camera-flow-echo", 5, rows=ROWS, dropout=0.0)
    return replace(echoing, echo=SelfDistillation(shots=SHOTS, labels=LABELS))


@pytest.fixture(scope="module")
def material() -> Material:
    footage = make_footage(7, 2, seed=1, frames=(29, 48))
    pairs = make_pairs(footage, 3, 4, 2)
    return Material(footage, make_footage(3, 1, seed=2, frames=(29, 48)), HashEncoder(), pairs)


@pytest.fixture(scope="module")
def run(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper's phases; the echoing one reads the last of them."""
    folder = tmp_path_factory.mktemp("run")
    recipes = [small_recipe(it, 3, rows=17) for it in PAPER_PHASES]
    train(recipes, material, folder, Conduct(), CPU)
    return folder


@pytest.fixture(scope="module")
def maker(material: Material, run: Path) -> Maker:
    folder = RunFolder(run, CPU)
    human = folder.human_codec()
    codecs = human, folder.camera_codec(human)
    flow = folder.camera_flow("camera-flow-ipa", codecs, material.encoder).network.eval()
    flow.requires_grad_(False)
    dice = torch.Generator().manual_seed(5)
    # Three steps teach no one to read words or people.
    for parameter in (*flow.parameters(), *codecs[1].network.decoder.parameters()):
        parameter += 0.2 * torch.randn(parameter.shape, generator=dice)
    echoing = recipe()
    assert echoing.echo is not None
    phase = PhaseRun(echoing, material, folder, Conduct(), ALONE)
    clips = camera_clips(phase, codecs, material.train, None)
    networks = human.network, codecs[1].network
    return Maker(flow, *networks, clips, material.train, echoing.echo, seed=3)


@pytest.fixture(scope="module")
def echoes(maker: Maker) -> OwnShots:
    return make_echoes(maker)


def lesson_of(maker: Maker, echoes: OwnShots, world: World = ALONE) -> SelfDistillationTask:
    both = maker.clips, echoes
    return SelfDistillationTask(recipe(), maker.flow, both, both, world)


def test_the_change_comes_between_two_flow_times_and_knows_its_slope():
    echo = SelfDistillation(begins=0.71, ends=0.13)
    sigma = torch.linspace(1, 0, 2003, dtype=torch.float64)
    share, slope = shift_share(sigma, echo)
    assert (share[sigma >= 0.71] == 0).all() and (slope[sigma >= 0.71] == 0).all()
    assert (share[sigma <= 0.13] == 1).all() and (slope[sigma <= 0.13] == 0).all()
    assert (share.diff() >= 0).all()
    measured = (share[2:] - share[:-2]) / (sigma[2:] - sigma[:-2])
    # A difference over a thousandth of the way, where the slope bends.
    torch.testing.assert_close(slope[1:-1], measured, rtol=0, atol=3e-3)


def test_states_are_those_of_guided_sampling(maker: Maker, echoes: OwnShots):
    """Each echo alone, sampled step by step from its first state, is its last state."""
    preset = PRESETS["fast"]
    assert echoes.states.shape[0] == preset.steps + 1 and len(echoes) == SHOTS
    for shot in range(SHOTS):
        count = int(echoes.tokens[shot])
        places, mask = echoes.places(torch.tensor([shot]), count)
        noise, wanted = (echoes.states[at][places].float() for at in (0, -1))
        clip, caption = (torch.from_numpy(it[[shot]]) for it in (echoes.clips, echoes.captions))
        context = with_and_without_text(maker.clips.context(clip, caption, mask))
        velocity = guided(maker.flow.field(maker.flow.prepare(context)), maker.echo.guidance)
        found = preset.solver(velocity, noise, preset.times)
        torch.testing.assert_close(found, wanted, rtol=0, atol=0.005)  # kept in half precision


def test_shifts_lead_to_the_scaled_shot(maker: Maker, echoes: OwnShots):
    """What a label adds is the codec's view of the shot, decoded beside its person and scaled."""
    for shot in range(SHOTS):
        clip = int(echoes.clips[shot])
        human = maker.footage.humans.clip(int(maker.footage.human_of_shot[clip]))[None]
        mask = torch.ones(human.shape[:2], dtype=torch.bool)
        places, _ = echoes.places(torch.tensor([shot]), int(echoes.tokens[shot]))
        people = maker.human.whitening.inverse(
            maker.human.to_latents(human, mask), token_mask(mask)
        )
        own = maker.camera.from_latents(echoes.states[-1][places].float(), people, mask).numpy()
        film = film_of(Stock(np.array([own.shape[1]]), np.array([0]), human.numpy(), own))
        asked = np.concatenate([[1.0], echoes.labels[:, shot].double().numpy()])[:, None]
        first, *others = (
            maker.camera.to_latents(torch.from_numpy(it), mask)
            for it in stretched(film, own, asked, maker.echo.gates)
        )
        for label, other in enumerate(others):
            wanted = other - first
            found = echoes.shifts[label][places].float()
            assert float((found - wanted).norm() / wanted.norm()) < 0.003  # half precision


def test_labels_lie_evenly_on_both_sides(maker: Maker, echoes: OwnShots):
    echo, labels = maker.echo, echoes.labels
    assert labels.shape == (2 * LABELS, SHOTS)
    for side, end in ((0, echo.weakest), (1, echo.strongest)):
        share = (labels[side * LABELS : (side + 1) * LABELS] - 1) / (end - 1) * LABELS
        assert (share.floor() == torch.arange(LABELS)[:, None]).all()


def test_echoes_are_the_same_every_time(maker: Maker, echoes: OwnShots):
    again = make_echoes(maker)
    for name in ("states", "shifts", "labels", "starts"):
        assert torch.equal(getattr(again, name), getattr(echoes, name)), name
    other = make_echoes(replace(maker, seed=4))
    assert not torch.equal(other.labels, echoes.labels)


def test_a_pupil_who_forgot_intensity_errs_by_the_change_alone(maker: Maker, echoes: OwnShots):
    """At one, and before the change begins, teacher and pupil agree to the last bit."""
    lesson, pupil = lesson_of(maker, echoes), deepcopy(maker.flow)
    assert pupil.intensity is not None
    pupil.intensity.forget()
    batch = lesson.batch(0)
    echo = maker.echo
    assert float((batch.shifts.abs().amax((1, 2)) > 0).sum()) > 0
    for time, agrees in ((0.97, True), (echo.begins, True), (0.4, False)):
        at = replace(batch, flow_time=torch.full_like(batch.flow_time, time))
        assert (float(lesson.loss(pupil, at).total) == 0) == agrees, time
    plain = replace(batch, shifts=torch.zeros_like(batch.shifts))
    plain = replace(plain, intensity=torch.ones_like(plain.intensity))
    assert float(lesson.loss(pupil, plain).total) == 0


def test_the_error_is_that_of_the_guided_velocity(maker: Maker, echoes: OwnShots):
    """A network at rest misses teacher and change altogether, so its loss has a closed form."""
    lesson = lesson_of(maker, echoes)
    batch = lesson.batch(1)
    resting = type(maker.flow)(maker.flow.shape).eval()
    both = with_and_without_text(batch.context)
    taught = maker.flow(batch.states.repeat(2, 1, 1), batch.flow_time.repeat(2), both)
    _, slope = shift_share(batch.flow_time, maker.echo)
    wanted = taught + (slope[:, None, None] * batch.shifts).repeat(2, 1, 1)
    words, silence = wanted.chunk(2)
    together = silence + maker.echo.guidance * (words - silence)

    def mean(values: torch.Tensor) -> float:
        per = (values.square() * batch.mask[..., None]).sum((1, 2))
        return float((per / batch.mask.sum(1) / values.shape[-1]).mean())

    loss = lesson.loss(resting, batch)
    guided_part, apart = loss.parts.tolist()
    assert guided_part == pytest.approx(mean(together), rel=FILMED32)
    assert apart == pytest.approx(
        maker.echo.apart * (mean(words) + mean(silence)) / 2, rel=FILMED32
    )
    assert float(loss.total.detach()) == pytest.approx(guided_part + apart, rel=summed32(64))


def test_batches_follow_from_their_step_and_are_shared_out(maker: Maker, echoes: OwnShots):
    alone = lesson_of(maker, echoes)
    for step in (0, 3):
        whole = alone.batch(step)
        assert torch.equal(whole.states, alone.batch(step).states)
        assert len(alone.names(step)) == ROWS
        parts = [lesson_of(maker, echoes, World(rank, 3)).batch(step) for rank in range(3)]
        for name in ("states", "shifts", "intensity", "flow_time", "human", "words"):
            together = torch.empty_like(getattr(whole, name))
            for rank, part in enumerate(parts):
                together[rank::3] = getattr(part, name)
            assert torch.equal(together, getattr(whole, name)), name
        assert all(torch.equal(part.total, whole.total) for part in parts)
    assert not torch.equal(alone.batch(0).flow_time, alone.batch(3).flow_time)


def test_plain_and_late_rows_have_their_shares(maker: Maker, echoes: OwnShots):
    lesson = lesson_of(maker, echoes)
    batches = [lesson.batch(step) for step in range(150)]
    one = torch.cat([it.intensity == 1 for it in batches]).float().mean()
    assert abs(float(one) - maker.echo.plain) < 0.02
    assert all(((it.shifts.abs().amax((1, 2)) == 0) == (it.intensity == 1)).all() for it in batches)
    times = PRESETS["fast"].times.numpy()
    late_steps = (times <= maker.echo.begins).sum() / (len(times) - 1)
    late = torch.cat([it.flow_time <= times[times > maker.echo.begins].min() for it in batches])
    wanted = maker.echo.late + (1 - maker.echo.late) * late_steps
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

    def counted(maker: Maker) -> OwnShots:
        seen.append(maker.echo.shots)
        return make_echoes(maker)

    monkeypatch.setattr(self_distillation, "make_echoes", counted)
    before = weights_path(run, "camera-flow-ipa").read_bytes()
    (result,) = train([recipe()], material, run, Conduct(), CPU)
    assert result.finished and weights_path(run, "camera-flow-ipa").read_bytes() == before
    assert seen == [SHOTS, recipe().watch.validation_clips]
    folder = RunFolder(run, CPU)
    human = folder.human_codec()
    codecs = human, folder.camera_codec(human)
    flow = folder.camera_flow("camera-flow-echo", codecs, material.encoder).network
    assert flow.intensity is not None
    assert float(flow.intensity.second.weight.abs().max()) > 0
    assert not flow.intensity.second.weight[:, 2:].any(), "two lines and nothing else"
    log = (run / "camera-flow-echo" / "log.jsonl").read_text()
    assert '"echo"' in log and '"at_one"' in log


def test_the_phase_ends_with_a_shorter_line_above_one(
    material: Material, run: Path, tmp_path: Path
):
    lines: list[torch.Tensor] = []
    for above in (1.0, 0.5):
        home = tmp_path / str(above)
        home.mkdir()
        for part in ("human-codec", "camera-codec", "camera-flow-ipa"):
            shutil.copytree(run / part, home / part)
        echoing = recipe()
        assert echoing.echo is not None
        shorter = replace(echoing, echo=replace(echoing.echo, above=above))
        train([shorter], material, home, Conduct(), CPU)
        folder = RunFolder(home, CPU)
        human = folder.human_codec()
        codecs = human, folder.camera_codec(human)
        flow = folder.camera_flow("camera-flow-echo", codecs, material.encoder).network
        assert flow.intensity is not None
        lines.append(flow.intensity.second.weight[:, :2])
    assert torch.equal(lines[0][:, 0], lines[1][:, 0]) and lines[0].any()
    torch.testing.assert_close(0.5 * lines[0][:, 1], lines[1][:, 1])
