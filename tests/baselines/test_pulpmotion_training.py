"""PulpMotion's three trainings one after the other: cards, partners, and what is refused."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from aesop.baselines.baseline_table import METHODS, load_trained
from aesop.baselines.latent_diffusion import LatentGenerator
from aesop.baselines.request_noise import request_noise
from aesop.core.errors import AesopError, WeightsError
from aesop.models.phase_table import MethodName
from aesop.models.weights import read_card
from aesop.training.loop import Conduct
from aesop.training.phases import train
from aesop.training.recipe_book import method_recipe, recipe_for
from aesop.training.recipes import MethodRecipe, with_steps
from aesop.training.run_folder import Material
from tests.baselines.pulpmotion_makers import ENCODER, eight_scenes
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
