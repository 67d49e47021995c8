"""PulpMotion's three trainings one after the other, and what they make behind the doors that ours
have: cards, partners, scenes, rebuilt shots, rows; and what is refused."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from aesop.baselines.baseline_table import METHODS, load_trained
from aesop.baselines.latent_diffusion import LatentGenerator
from aesop.baselines.request_noise import request_noise
from aesop.core.errors import AesopError, WeightsError
from aesop.director.baseline_films import PLAIN_FINISHES, BaselineDirector, load_baseline
from aesop.director.baseline_scenes import rebuilt_shots, shoot_many
from aesop.director.best_take import IMPOSSIBLE
from aesop.director.requests import ShootRequest
from aesop.measuring.cases import Case, Task, looking_away
from aesop.measuring.method_table import NAMED_METHODS, BaselineMethod
from aesop.measuring.methods import Ask
from aesop.metrics.metric_book import MetricError
from aesop.models.phase_table import MethodName
from aesop.models.weights import read_card
from aesop.training.loop import Conduct
from aesop.training.phases import train
from aesop.training.recipe_book import method_recipe, recipe_for
from aesop.training.recipes import MethodRecipe, with_steps
from aesop.training.run_folder import Material
from tests.baselines.pulpmotion_makers import ENCODER, eight_scenes
from tests.metrics.makers import straight_shot
from tests.tolerances import GEOMETRY32, network32
from tests.training.makers import make_footage

CPU = torch.device("cpu")
NAMES: tuple[MethodName, ...] = ("pulpmotion-ae", "pulpmotion-dit", "pulpmotion-mar")


def recipe(name: MethodName, seed: int = 0) -> MethodRecipe:
    short = with_steps(method_recipe(name, "tiny", ENCODER.width), 3)
    schedule = replace(short.schedule, batch_rows=5)
    return replace(short, schedule=schedule, seed=seed)


@pytest.fixture(scope="module")
def material() -> Material:
    return Material(
        make_footage(6, 2, seed=1, frames=(17, 38)),
        make_footage(3, 1, seed=2, frames=(17, 38)),
        ENCODER,
    )


@pytest.fixture(scope="module")
def run(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pulpmotion")
    results = train([recipe(name) for name in NAMES], material, folder, Conduct(), CPU)
    assert all(result.finished for result in results)
    return folder


def test_weights_carry_cards_and_run_again(run: Path):
    """A generator finds its autoencoder in the same folder, with the statistics it was taught."""
    cards = {name: read_card(run / name / "weights.safetensors") for name in NAMES}
    assert cards["pulpmotion-ae"].encoder is None and cards["pulpmotion-ae"].partners == {}
    for name in NAMES[1:]:
        assert cards[name].partners == {"pulpmotion-ae": cards["pulpmotion-ae"].identity}
        assert cards[name].encoder is not None
        network = load_trained(run, name, ENCODER).network
        assert isinstance(network, LatentGenerator)
        assert network.latent_spread.ne(1).all() and network.latent_mean.ne(0).any()
        network.sampling_steps = 3
        scenes = replace(eight_scenes(), human=None, camera=None)
        method = METHODS[name]
        made = method.sample(
            network, scenes, request_noise([(0, it) for it in range(8)]), method.protocol.guidance
        )
        assert made.human is not None and bool(made.human[scenes.mask].isfinite().all())
        assert made.cameras.centre.shape == (*scenes.mask.shape, 3)


def test_generators_refuse_another_autoencoder(run: Path, material: Material, tmp_path: Path):
    other = tmp_path / "other"
    shutil.copytree(run, other)
    shutil.rmtree(other / "pulpmotion-ae")
    with pytest.raises(AesopError, match="pulpmotion-ae"):
        load_trained(other, "pulpmotion-dit", ENCODER)
    train([recipe("pulpmotion-ae", seed=1)], material, other, Conduct(), CPU)
    with pytest.raises(WeightsError, match="another pulpmotion-ae"):
        load_trained(other, "pulpmotion-dit", ENCODER)


def test_exposures_are_those_of_our_own():
    """The autoencoder learns as our camera codec does; joint methods see twice what our camera flow
    sees, as in the paper (26.88 and 13.44 million)."""
    codec, flow = recipe_for("camera-codec", "base"), recipe_for("camera-flow", "base")
    assert method_recipe("pulpmotion-ae", "base").schedule == codec.schedule
    for name in NAMES[1:]:
        ours, theirs = flow.schedule, method_recipe(name, "base").schedule
        assert (theirs.steps, theirs.batch_rows) == (2 * ours.steps, ours.batch_rows)
        paper = method_recipe(name, "paper").schedule
        assert paper.steps * paper.batch_rows == 26_880_000


def director_of(run: Path, name: MethodName) -> BaselineDirector:
    """A trained method that takes few steps."""
    director = load_baseline(run, name, ENCODER)
    if isinstance(director.part.network, LatentGenerator):
        director.part.network.sampling_steps = 3
    return director


def scene(number: int, **changes: Any) -> ShootRequest:
    asked = ShootRequest(
        f"a person walks {number}", "the camera pushes in", 1 + 0.24 * number, seed=3, take=number
    )
    return replace(asked, **changes)


@pytest.mark.parametrize("name", NAMES[1:])
def test_scenes_depend_on_their_request_alone(run: Path, name: MethodName):
    """The same person and camera alone and among others, in either order, up to rounding."""
    director = director_of(run, name)
    together = shoot_many(director, [scene(2), scene(0), scene(1)], instead=looking_away)
    (alone,) = shoot_many(director, [scene(0)], instead=looking_away)
    other, own = together[0], together[1]
    assert (own.frames, other.frames) == (25, 37)
    # An untrained person stands within metres; three steps of networks of four layers.
    near = 50 * network32(4, 64, 8.0)
    torch.testing.assert_close(own.clip.motion.joints, alone.clip.motion.joints, atol=near, rtol=0)
    torch.testing.assert_close(own.camera.centre, alone.camera.centre, atol=near, rtol=0)
    (again,) = shoot_many(director, [scene(0, camera_seed=4)], instead=looking_away)
    assert not torch.allclose(again.clip.motion.joints, alone.clip.motion.joints, atol=near)


def test_a_person_is_finished_as_ours_are_and_the_camera_stays_beside(run: Path):
    """As decoded, or on our bones and the ground: the camera keeps its place beside the root."""
    director = director_of(run, "pulpmotion-mar")
    shots = {
        finish: shoot_many(director, [scene(0)], instead=looking_away, finish=finish)[0]
        for finish in PLAIN_FINISHES
    }
    plain, posed = shots["as-sampled"], shots["held"]
    bones = posed.clip.motion.joints[:, 1] - posed.clip.motion.joints[:, 0]
    assert float(bones.norm(dim=-1).std()) < GEOMETRY32
    assert abs(float(posed.clip.motion.joints[..., 2].min())) < GEOMETRY32
    assert IMPOSSIBLE not in plain.provenance.notes
    beside = [it.camera.centre[0, :2] - it.clip.motion.root[0, :2] for it in (plain, posed)]
    torch.testing.assert_close(*beside, atol=GEOMETRY32 * 10, rtol=0)


def test_requests_that_cannot_be_met_are_refused(run: Path):
    director, codec = director_of(run, "pulpmotion-dit"), director_of(run, "pulpmotion-ae")
    with pytest.raises(AesopError, match="no intensity"):
        shoot_many(director, [scene(0, intensity=1.5)])
    with pytest.raises(AesopError, match="makes no people"):
        shoot_many(codec, [scene(0)])
    with pytest.raises(AesopError, match="no autoencoder"):
        rebuilt_shots(director, [straight_shot((0.1, 0.0, 0.2))], looking_away)


def test_rows_of_scenes_and_of_rebuilt_shots(run: Path):
    """Measured as ours are: cases of a split, answered in their order with as many frames."""
    words = {"camera_words": "push in", "human_words": "a person stands"}
    shots = [replace(straight_shot((0.1, 0.0, 0.2), frames), **words) for frames in (31, 29)]
    cases = [
        Case(row, row, shot, np.zeros(shot.frames - 1, np.uint8), "pull out")
        for row, shot in enumerate(shots)
    ]
    asked: tuple[tuple[MethodName, Task], ...] = (
        ("pulpmotion-mar", "shoot"),
        ("pulpmotion-ae", "codec"),
    )
    for name, task in asked:
        method = BaselineMethod(director_of(run, name))
        assert [it.frames for it in method.answer(cases, Ask(task))] == [31, 29]
        with pytest.raises(MetricError, match="cannot do the task film"):
            method.identity("film")
    guided = load_baseline(run, "pulpmotion-mar", ENCODER, guidance=(3.5, 2.0, 0.25))
    usual = BaselineMethod(director_of(run, "pulpmotion-mar"))
    assert usual.identity("shoot") != BaselineMethod(guided).identity("shoot")
    assert ("people", "as sampled") in usual.choices("shoot")


def test_baselines_are_rows_wherever_methods_are_named(run: Path):
    assert NAMED_METHODS["pulpmotion-dit"].tasks == ("shoot",)
    assert "pulpmotion-ae" not in NAMED_METHODS  # it makes nothing
    for name in METHODS:
        assert METHODS[name].task == "codec" or NAMED_METHODS[name].has_weights
