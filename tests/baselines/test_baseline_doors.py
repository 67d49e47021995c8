"""A baseline is a name wherever AESOP is one: trained in the same loop, filmed by the same
requests, measured on the same cases."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.core.errors import AesopError, WeightsError
from aesop.director.baseline_films import load_baseline, usual_lens
from aesop.director.requests import FilmRequest, RequestError
from aesop.fables.synthetic import ACTIONS, synthetic_motion
from aesop.measuring.cases import Case
from aesop.measuring.method_table import BaselineMethod
from aesop.measuring.methods import Ask
from aesop.metrics.metric_book import MetricError
from aesop.models.phase_table import METHOD_NAMES, METHOD_NEEDS
from aesop.models.weights import read_card
from aesop.scene.camera import camera_looking_at
from aesop.scene.human import Clip, Provenance
from aesop.scene.rotation import about_z
from aesop.scene.shot import Shot
from aesop.training.loop import Conduct
from aesop.training.phases import TrainingRequest, requested_recipes, train
from aesop.training.recipe_book import all_recipes, method_recipe, recipe_for
from aesop.training.recipes import TrainingError, with_steps
from aesop.training.run_folder import Material, weights_path
from tests.baselines.makers import made_footage
from tests.tolerances import FILMED32
from tests.training.makers import HashEncoder

CPU = torch.device("cpu")
NAME = "director-c"
WORDS = "the camera pushes in"


@pytest.fixture(scope="module")
def material() -> Material:
    return Material(made_footage(), made_footage(2, seed=6), HashEncoder())


@pytest.fixture(scope="module")
def run(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("baselines")
    recipe = with_steps(method_recipe(NAME, "tiny", HashEncoder.width), 3)
    (result,) = train([recipe], material, folder, Conduct(), CPU)
    assert result.finished and result.weights == weights_path(folder, NAME)
    return folder


def walk(number: int, frames: int) -> Clip:
    action = synthetic_motion(list(ACTIONS)[number], frames, np.random.default_rng(number))
    return action.clip


def test_recipes_are_our_camera_flows_own_and_all_leaves_baselines_out():
    ours, other = recipe_for("camera-flow", "base"), method_recipe(NAME, "base")
    assert (other.schedule, other.optimiser, other.batching) == (
        ours.schedule,
        ours.optimiser,
        ours.batching,
    )
    for size in ("paper", "base", "tiny"):
        assert not {recipe.phase for recipe in all_recipes(size)} & set(METHOD_NAMES)
    paper = method_recipe(NAME, "paper")
    # 13.44 million examples, in the published size.
    assert paper.schedule.steps * paper.schedule.batch_rows == 13_440_000
    assert paper.network.size == "published"
    assert set(METHOD_NEEDS) == set(METHOD_NAMES)


def test_a_card_says_what_was_trained_by_which_encoder(run: Path):
    card = read_card(weights_path(run, NAME))
    assert card.part == NAME and card.encoder is not None and card.encoder.name == "hash"
    assert card.notes["phase"] == NAME and card.notes["steps"] == "3"


def test_a_finished_training_is_kept_and_another_is_refused(material: Material, run: Path):
    recipe = with_steps(method_recipe(NAME, "tiny", HashEncoder.width), 3)
    before = weights_path(run, NAME).read_bytes()
    (result,) = train([recipe], material, run, Conduct(resume=True), CPU)
    assert result.finished and weights_path(run, NAME).read_bytes() == before
    with pytest.raises(TrainingError, match="another training"):
        train([with_steps(recipe, 4)], material, run, Conduct(), CPU)
    request = TrainingRequest(NAME, "tiny", Path("store"), run, start=run)
    assert requested_recipes(request, 24, with_pairs=False)[0].phase == NAME


def test_a_paused_training_goes_on_to_the_same_weights(material: Material, tmp_path: Path):
    recipe = with_steps(method_recipe(NAME, "tiny", HashEncoder.width), 4)
    train([recipe], material, tmp_path / "straight", Conduct(), CPU)
    paused = Conduct(pause=lambda: True)
    (result,) = train([recipe], material, tmp_path / "paused", paused, CPU)
    assert not result.finished
    train([recipe], material, tmp_path / "paused", Conduct(resume=True), CPU)
    first, second = (read_card(weights_path(tmp_path / it, NAME)) for it in ("straight", "paused"))
    assert first.identity == second.identity


def test_missing_weights_are_told_in_one_line_with_what_makes_them(run: Path):
    with pytest.raises(WeightsError, match=r"aesop train ccd .*lab/baselines_h200\.py") as told:
        load_baseline(run, "ccd", HashEncoder())
    assert "\n" not in str(told.value)


def test_a_film_follows_the_person_wherever_they_stand(run: Path):
    """Turned and moved with the person, to the rounding of networks."""
    other, clip = load_baseline(run, NAME, HashEncoder()), walk(0, 31)
    turn, shift = about_z(torch.tensor(0.8)), torch.tensor([2.0, -1.0, 0.3])
    motion = clip.motion.to(torch.float32)
    rotations = motion.rotations.clone()
    rotations[:, 0] = turn @ rotations[:, 0]
    moved = replace(
        clip, motion=type(motion)(rotations, motion.joints @ turn.T + shift), source=None
    )
    first, second = (
        other.film_many([FilmRequest(it, WORDS, seed=3)], finish="as-sampled")[0].camera.to(turn)
        for it in (clip, moved)
    )
    near = 100 * FILMED32 * float(first.centre.abs().max())  # an untrained network goes far
    assert (first.centre @ turn.T + shift - second.centre).abs().max() < near


def test_requests_that_a_baseline_cannot_meet_are_refused(run: Path):
    other, clip = load_baseline(run, NAME, HashEncoder()), walk(1, 29)
    with pytest.raises(RequestError, match="no intensity"):
        other.film_many([FilmRequest(clip, WORDS, intensity=1.5)])
    with pytest.raises(RequestError, match="at most 12"):
        other.film_many([FilmRequest(walk(0, 301), WORDS)])
    with pytest.raises(RequestError, match="guided by 1"):
        load_baseline(run, NAME, HashEncoder(), guidance=(1.0, 2.0))


def case_of(row: int, frames: int) -> Case:
    clip = walk(row, frames)
    root = clip.motion.root
    camera = camera_looking_at(root + root.new_tensor([0.3, -3.0, 0.4]), root, 0.5 + 0.1 * row)
    shot = Shot(clip, camera, Provenance("made"), camera_words=WORDS)
    return Case(row, row, shot, np.zeros(frames - 1, np.uint8), "", str(row))


def test_measured_answers_borrow_the_references_lens_and_depend_on_seed_and_case_alone(run: Path):
    method = BaselineMethod(load_baseline(run, NAME, HashEncoder()))
    cases = [case_of(row, frames) for row, frames in enumerate((31, 37, 29))]
    ask = Ask("film", seed=2)
    shots = method.answer(cases, ask)
    for case, shot in zip(cases, shots, strict=True):
        wanted = case.reference.camera
        assert torch.allclose(shot.camera.fov_vertical, wanted.fov_vertical.to(shot.camera.centre))
        assert shot.frames == case.reference.frames
    (alone,) = method.answer(cases[1:2], ask)
    size = float(shots[1].camera.centre.abs().max())
    assert (alone.camera.centre - shots[1].camera.centre).abs().max() < 10 * FILMED32 * size
    method.prepare(cases, ask)
    again = method.answer(cases, ask)
    assert all(
        torch.equal(one.camera.centre, two.camera.centre)
        for one, two in zip(shots, again, strict=True)
    )


def test_an_identity_names_weights_guidance_and_finish(run: Path):
    usual = BaselineMethod(load_baseline(run, NAME, HashEncoder()))
    others = [
        BaselineMethod(load_baseline(run, NAME, HashEncoder(), guidance=(3.0,))),
        BaselineMethod(load_baseline(run, NAME, HashEncoder()), "as-sampled"),
    ]
    assert len({it.identity("film") for it in (usual, *others)}) == 3
    assert ("lens", "the reference's") in usual.choices("film")
    with pytest.raises(MetricError, match="task shoot"):
        usual.identity("shoot")
    with pytest.raises(MetricError, match="AESOP's own"):
        BaselineMethod(load_baseline(run, NAME, HashEncoder()), "hand")
    with pytest.raises(AesopError, match="no intensity"):
        usual.prepare([case_of(0, 31)], Ask("film", intensity=0.5))


def test_a_usual_lens_is_thirty_five_millimetres_wide():
    lens = usual_lens(5)
    assert 18 / float(torch.tan(lens.horizontal[0] / 2)) == pytest.approx(35, abs=1e-4)  # float32
