"""Decoders that go on learning: nothing else of a codec changes, and what follows uses them."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from aesop.core.errors import WeightsError
from aesop.models.phase_table import PhaseName
from aesop.models.weights import load_camera_codec, load_human_codec, part_file, read_card
from aesop.pairs.shot_arrays import load_codecs
from aesop.training.loop import Conduct
from aesop.training.phases import train
from aesop.training.recipes import CodecRecipe
from aesop.training.run_folder import Material, RunFolder, weights_path
from tests.training.makers import HashEncoder, make_footage, small_recipe

CPU = torch.device("cpu")
CHAIN: tuple[PhaseName, ...] = ("human-codec", "human-decoder", "camera-codec", "camera-decoder")


@pytest.fixture(scope="module")
def material() -> Material:
    footage = make_footage(6, 2, seed=1, frames=(36, 48))
    return Material(footage, make_footage(3, 1, seed=2, frames=(36, 48)), HashEncoder())


@pytest.fixture(scope="module")
def run(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    train([small_recipe(it, 5) for it in CHAIN], material, folder, Conduct(), CPU)
    return folder


def test_only_the_decoder_learns(run: Path):
    human = load_human_codec(weights_path(run, "human-codec"))
    later = load_human_codec(weights_path(run, "human-decoder"))
    camera = load_camera_codec(weights_path(run, "camera-codec"), later)
    last = load_camera_codec(weights_path(run, "camera-decoder"), later)
    for before, after in ((human, later), (camera, last)):
        assert before.card.identity != after.card.identity
        old, new = before.network.state_dict(), after.network.state_dict()
        changed = {name for name in old if not torch.equal(old[name], new[name])}
        assert changed == {name for name in old if name.startswith("decoder.")}


def test_whoever_comes_later_reads_the_decoder_that_learned_on(run: Path):
    folder = RunFolder(run, CPU)
    human = folder.human_codec()
    camera = folder.camera_codec(human)
    assert human.card.identity == read_card(weights_path(run, "human-decoder")).identity
    assert camera.card.identity == read_card(weights_path(run, "camera-decoder")).identity
    assert part_file(run, "human-codec") == weights_path(run, "human-decoder")
    assert part_file(run, "camera-codec") == weights_path(run, "camera-decoder")
    assert load_codecs(run).identity == camera.card.identity


def test_runs_without_these_phases_are_read_as_before(
    material: Material, run: Path, tmp_path: Path
):
    shutil.copytree(run / "human-codec", tmp_path / "human-codec")
    train([small_recipe("camera-codec", 2)], material, tmp_path, Conduct(), CPU)
    folder = RunFolder(tmp_path, CPU)
    assert folder.human_codec().card.notes["phase"] == "human-codec"
    assert folder.camera_codec(folder.human_codec()).card.notes["phase"] == "camera-codec"
    path = weights_path(tmp_path, "camera-codec")
    assert part_file(tmp_path, "camera-codec") == path
    assert load_codecs(tmp_path).identity == read_card(path).identity


def test_a_decoder_that_learned_on_after_its_camera_codec_is_refused(
    material: Material, run: Path, tmp_path: Path
):
    """The camera codec names the human codec it was trained with."""
    for phase in ("human-codec", "human-decoder"):
        shutil.copytree(run / phase, tmp_path / phase)
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copytree(run / "human-codec", alone / "human-codec")
    train([small_recipe("camera-codec", 2)], material, alone, Conduct(), CPU)
    shutil.copytree(alone / "camera-codec", tmp_path / "camera-codec")
    with pytest.raises(WeightsError, match="another human-codec"):
        train([small_recipe("camera-decoder", 2)], material, tmp_path, Conduct(), CPU)


@pytest.mark.parametrize("phase", ["human-decoder", "camera-decoder"])
def test_another_size_is_refused(material: Material, run: Path, tmp_path: Path, phase: PhaseName):
    for part in ("human-codec", "human-decoder", "camera-codec"):
        if part != phase:
            shutil.copytree(run / part, tmp_path / part)
    recipe = small_recipe(phase, 2)
    assert isinstance(recipe, CodecRecipe)
    wide = replace(recipe, network=replace(recipe.network, width=23))
    with pytest.raises(WeightsError, match="another size"):
        train([wide], material, tmp_path, Conduct(), CPU)


def test_more_than_the_decoder_is_noticed(material: Material, run: Path, tmp_path: Path):
    shutil.copytree(run / "human-codec", tmp_path / "human-codec")
    recipe = small_recipe("human-decoder", 2)
    everything = replace(recipe, optimiser=replace(recipe.optimiser, only=None))
    with pytest.raises(AssertionError, match="more than the decoder"):
        train([everything], material, tmp_path, Conduct(), CPU)
    assert not weights_path(tmp_path, "human-decoder").exists()
