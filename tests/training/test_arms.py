"""Splits, seeds, arms and first weights of a training: what is asked for is what is trained."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from aesop.core.errors import StoreError, WeightsError
from aesop.data.pulpmotion import import_pulpmotion, list_counts
from aesop.data.store import open_store, training_rows
from aesop.models.phase_table import PhaseName
from aesop.models.weights import read_card
from aesop.training.footage import read_footage
from aesop.training.loop import Conduct
from aesop.training.phases import TrainingRequest, requested_recipes, train, train_from_store
from aesop.training.recipe_book import recipe_for
from aesop.training.recipes import Constant, PairedFlowRecipe, Recipe, TrainingError
from aesop.training.run_folder import Material, adopt_parts, start_file, weights_path
from tests.data.pulpmotion_layout import wandering_shot, write_pulpmotion
from tests.training.makers import HashEncoder, make_footage, make_pairs, small_recipe

CPU = torch.device("cpu")
FRAMES = (31, 37, 41, 43, 47, 53, 9)
IDS = tuple(f"2011_abcdefghij{i}_00008_00{i}_a" for i in range(len(FRAMES)))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seven clips: the lists overlap in two, one listed clip cannot be read, one has 9 frames."""
    folder = tmp_path_factory.mktemp("pulp")
    shots = {clip_id: wandering_shot(FRAMES[i], i) for i, clip_id in enumerate(IDS)}
    lists = {"pure_train": IDS[:3], "mixed_train": IDS, "pure_test": IDS[2:4]}
    write_pulpmotion(folder / "pulp", shots, lists)
    (folder / "pulp" / "traj" / f"{IDS[5]}.txt").write_text("no numbers\n")
    (folder / "pulp" / "caption_cam" / f"{IDS[4]}.txt").unlink()
    import_pulpmotion(folder / "pulp", folder / "store", workers=1)
    return folder / "store"


def ids_of(store: Path, split: str, **options: bool) -> list[str]:
    opened = open_store(store)
    rows = training_rows(opened, split, **options).train
    return [opened.shots.text("id", int(row)) for row in rows]


def test_what_is_tested_is_never_trained_on_and_everything_listed_is_accounted_for(store: Path):
    assert ids_of(store, "train", hold_out=False) == [IDS[0], IDS[1], IDS[4], IDS[6]]
    assert ids_of(store, "train/pure", hold_out=False) == [IDS[0], IDS[1]]
    for split in ("train", "train/pure", "train/mixed"):
        for hold_out in (True, False):
            counts = training_rows(open_store(store), split, hold_out=hold_out).counts
            parts = counts.trained_on + counts.tested + counts.held_out + counts.dropped
            assert counts.listed == parts, counts
    whole = training_rows(open_store(store), hold_out=False).counts
    assert (whole.listed, whole.tested, whole.dropped, whole.trained_on) == (7, 2, 1, 4)
    assert "7 shots listed, 4 trained on" in str(whole)
    with pytest.raises(StoreError, match="not for training"):
        training_rows(open_store(store), "test/pure")


def test_lists_are_counted_beside_the_published_ones(store: Path):
    told = {str(count.split): count for count in list_counts(open_store(store))}
    assert (told["test/pure"].listed, told["test/pure"].used) == (2, 2)
    assert (told["train/mixed"].listed, told["train/mixed"].used) == (7, 4)
    assert "(published: 4,053)" in str(told["test/pure"])


def test_parts_of_a_store_have_hashes_of_their_own(store: Path):
    opened = open_store(store)
    pure = read_footage(opened, 3, "train/pure", hold_out=False)[0]
    mixed = read_footage(opened, 3, "train/mixed", hold_out=False)[0]
    assert len({pure.sha256, mixed.sha256, opened.manifest.content_sha256}) == 3
    assert pure.store_sha256 == mixed.store_sha256 == opened.manifest.content_sha256


def test_bad_clips_are_trained_past(store: Path, tmp_path: Path):
    """Nine frames, no caption: both are among the four that are trained on."""
    footage = read_footage(open_store(store), 3, hold_out=False)
    material = Material(*footage, HashEncoder())
    recipes = [small_recipe(phase, 2) for phase in ("human-codec", "camera-codec", "camera-flow")]
    results = train(recipes, material, tmp_path, Conduct(), CPU)
    assert all(result.finished for result in results)
    assert footage[0].counts is not None and footage[0].counts.trained_on == 4


def test_the_recipe_is_the_size_with_seed_arm_and_reading_as_asked(tmp_path: Path):
    request = TrainingRequest("camera-flow-dpa", "paper", tmp_path, tmp_path)
    plain = recipe_for("camera-flow-dpa", "paper", 7)
    assert requested_recipes(request, 7, with_pairs=True) == (plain,)
    other = replace(request, seed=3, factual=True, text="pooled")
    (recipe,) = requested_recipes(other, 7, with_pairs=True)
    assert isinstance(recipe, PairedFlowRecipe) and isinstance(plain, PairedFlowRecipe)
    assert (recipe.seed, recipe.slots.filling, recipe.network.text_mode) == (3, "factual", "pooled")
    assert recipe.schedule == plain.schedule and recipe.slots.direction == plain.slots.direction
    with pytest.raises(TrainingError, match="validate best"):
        requested_recipes(replace(request, size="base", hold_out=False), 7, with_pairs=True)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Material, Path]:
    """A run with all four parts."""
    material = Material(
        make_footage(5, 2, seed=1, frames=(17, 43)),
        make_footage(2, 1, seed=2, frames=(19, 31)),
        HashEncoder(),
    )
    run = tmp_path_factory.mktemp("start")
    phases: tuple[PhaseName, ...] = ("human-codec", "camera-codec", "human-flow", "camera-flow")
    train([small_recipe(phase, 3) for phase in phases], material, run, Conduct(), CPU)
    return material, run


def fixed(phase: PhaseName, seed: int) -> Recipe:
    """A phase that learns nothing."""
    recipe = small_recipe(phase, 3)
    return replace(
        recipe, seed=seed, schedule=replace(recipe.schedule, learning_rate=1e-30, decay=Constant())
    )


@pytest.mark.parametrize("phase", ["human-codec", "camera-codec", "human-flow", "camera-flow"])
def test_any_phase_goes_on_from_given_weights_and_the_run_is_whole(
    trained: tuple[Material, Path], phase: PhaseName, tmp_path: Path
):
    """At a rate too small to round it stays what it began as, whatever the seed."""
    material, start = trained
    file = start_file(start, phase)
    recipe = fixed(phase, seed=5)
    train([recipe], replace(material, start=file), tmp_path, Conduct(), CPU, adopt=start)
    card = read_card(weights_path(tmp_path, phase))
    assert card.notes["continued"] == read_card(file).identity
    for part in ("human-codec", "camera-codec", "human-flow", "camera-flow"):
        same = weights_path(tmp_path, part).read_bytes() == weights_path(start, part).read_bytes()
        assert same == (part != phase)
    before, after = (tensors_of(run, phase) for run in (start, tmp_path))
    fitted = [name for name in before if "whitening" in name]
    for name in sorted(set(before) - set(fitted)):
        # Three steps of 1e-30: a weight of exactly zero may leave it.
        torch.testing.assert_close(before[name], after[name], rtol=0, atol=1e-20)


def tensors_of(run: Path, phase: PhaseName) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    return load_file(weights_path(run, phase))


def test_a_continuation_needs_no_phase_before_it_if_weights_are_given(
    trained: tuple[Material, Path], tmp_path: Path
):
    material, start = trained
    pairs = replace(material, pairs=make_pairs(material.train, 3, 2, 1))
    recipe = small_recipe("camera-flow-dpa", 2, rows=14)
    with pytest.raises(TrainingError, match="builds on"):
        train([recipe], pairs, tmp_path, Conduct(), CPU)
    given = replace(pairs, start=start_file(start, "camera-flow-dpa"))
    train([recipe], given, tmp_path, Conduct(), CPU, adopt=start)
    assert not (tmp_path / "camera-flow").exists()
    assert weights_path(tmp_path, "camera-flow-dpa").is_file()


def test_weights_of_another_part_are_refused(trained: tuple[Material, Path], tmp_path: Path):
    _, start = trained
    with pytest.raises(WeightsError, match="holds the part human-codec"):
        start_file(weights_path(start, "human-codec"), "camera-flow")
    with pytest.raises(WeightsError, match="has no camera-flow"):
        start_file(tmp_path, "camera-flow-dpa")
    adopt_parts(weights_path(start, "human-codec"), tmp_path, "camera-flow")
    assert list(tmp_path.iterdir()) == []  # a file brings no other parts


def test_seeds_train_other_weights_and_the_same_seed_the_same(
    trained: tuple[Material, Path], tmp_path: Path
):
    material, _ = trained
    made = {}
    for name, seed in (("a", 0), ("b", 1), ("c", 1)):
        recipe = replace(small_recipe("human-codec", 2), seed=seed)
        train([recipe], material, tmp_path / name, Conduct(), CPU)
        made[name] = tensors_of(tmp_path / name, "human-codec")
    same = [torch.equal(made["b"][it], made["c"][it]) for it in made["b"]]
    other = [torch.equal(made["a"][it], made["b"][it]) for it in made["a"]]
    assert all(same) and not all(other)
    assert read_card(weights_path(tmp_path / "b", "human-codec")).notes["seed"] == "1"


def test_all_phases_have_no_first_weights(trained: tuple[Material, Path], tmp_path: Path):
    request = TrainingRequest("all", "tiny", tmp_path, tmp_path, start=trained[1])
    with pytest.raises(TrainingError, match="one phase"):
        train_from_store(request, HashEncoder(), Conduct())


def test_headings_are_part_of_the_card_and_do_not_mix(store: Path, tmp_path: Path):
    """The import keeps headings unless told otherwise; both kinds train, neither on the other."""
    pulp = store.parent / "pulp"
    import_pulpmotion(pulp, tmp_path / "turned", workers=1, canonicalise=True)
    recipe = small_recipe("human-codec", 2)
    for name, path, yaw in (("a", store, "kept"), ("b", tmp_path / "turned", "canonical")):
        footage = read_footage(open_store(path), 3, hold_out=False)
        train([recipe], Material(*footage, HashEncoder()), tmp_path / name, Conduct(), CPU)
        assert read_card(weights_path(tmp_path / name, "human-codec")).yaw == yaw
    other = Material(*footage, HashEncoder(), start=weights_path(tmp_path / "a", "human-codec"))
    with pytest.raises(WeightsError, match="keep their own heading"):
        train([recipe], other, tmp_path / "c", Conduct(), CPU)
    assert not (tmp_path / "c").exists()
