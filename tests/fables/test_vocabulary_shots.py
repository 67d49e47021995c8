"""Cameras of the vocabulary in Fables: only what was measured back is told, whoever else films the
window, and the first edition does not notice."""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.camera_words.attributes import attribute_value, facts_of, reversed_facts
from aesop.camera_words.fact_check import check_facts, measure_facts
from aesop.data.manifest import StoredShot
from aesop.data.store import open_store
from aesop.fables.build import FablesRecipe, Share, VocabularyRecipe, build_mini, recipe_for
from aesop.fables.cinematographer.facts_draw import FactStyle
from aesop.fables.synthetic import Leg, wander
from aesop.fables.vocabulary_shots import film_vocabulary
from aesop.fables.window_shots import WindowFilming, film_window

FEW = Share(windows=3, one_run=1, several=0, any_run=1)


@pytest.mark.parametrize("speed_mps", [0.0, 1.2])
def test_what_is_told_was_measured(speed_mps: float):
    motion = wander([Leg(5.0, speed_mps)])
    dice = np.random.default_rng(23)
    for _ in range(11):
        shot = film_vocabulary(motion, FactStyle(), dice)
        measured = measure_facts(shot.camera.to(torch.float64), motion, 25.0)
        again = check_facts(shot.told, measured)
        # Stored in single precision: a value at its very edge may fall to the other side.
        assert sum(not check.right for check in again) <= 1
        drawn = {name for name in shot.facts.names if not name.startswith(("size:", "when:"))}
        told = {name for name in shot.told.names if not name.startswith(("size:", "when:"))}
        assert told - drawn <= {f"side:{shot.told.side}"}


def test_a_window_is_filmed_alike_wherever_it_stands():
    """Its shots depend on its name and the seed, and vocabulary cameras change no other."""
    motion = wander([Leg(3.0, 0.4)])
    filming = WindowFilming(vocabulary_cameras=2, more_for_goers=0)

    def filmed(name: str, cameras: int, seed: int) -> dict[str, torch.Tensor]:
        how = replace(filming, vocabulary_cameras=cameras)
        shots = film_window(name, motion, "train", ["one", "any"], how, seed).shots
        return {shot.id: shot.features for shot in shots}

    first, again = filmed("a", 2, 5), filmed("a", 2, 5)
    assert list(first) == ["a_c0", "a_c1", "a_v0", "a_v1"] == list(again)
    assert all(torch.equal(first[name], again[name]) for name in first)
    alone, other = filmed("a", 0, 5), filmed("a", 2, 7)
    assert all(torch.equal(alone[name], first[name]) for name in ("a_c0", "a_c1"))
    assert not torch.equal(first["a_c0"], other["a_c0"])
    assert not torch.equal(first["a_v0"], other["a_v0"])


def test_the_second_edition_tells_facts_of_the_shot(tmp_path: Path):
    recipe = VocabularyRecipe(
        5, train=FEW, validation=FEW, test=FEW, vocabulary_cameras=3, more_for_goers=0
    )
    build_mini(tmp_path / "two", recipe)
    store = open_store(tmp_path / "two")
    rows = [store.shot(row) for row in range(len(store))]
    kinds = {str(split) for row in rows for split in row.splits}
    assert {"train/vocabulary", "validation/vocabulary", "test/plain", "test/idiom"} <= kinds
    told = [row for row in rows if "told" in row.attributes]
    assert len(told) >= 20
    for row in told:
        _check_told(row)
    plain = {row.id: row for row in told if str(row.splits[0]) == "test/plain"}
    idiom = {row.id: row for row in told if str(row.splits[0]) == "test/idiom"}
    assert {f"{name}_idiom" for name in plain} == set(idiom)
    for name, row in plain.items():
        other = idiom[f"{name}_idiom"]
        assert torch.equal(row.camera_features, other.camera_features)
        assert row.attributes["facts"] == other.attributes["facts"]


def _check_told(row: StoredShot) -> None:
    names, told = row.attributes["facts"], row.attributes["told"]
    assert isinstance(names, list) and isinstance(told, list)
    assert len(told) == len(row.camera_captions) == len(row.reversed_captions) > 0
    assert all(set(one) <= set(names) for one in told)
    facts = facts_of(map(attribute_value, names))
    assert row.attributes["reversed_facts"] == list(reversed_facts(facts).names)
    moved = [facts_of(map(attribute_value, one)) for one in told]
    for one, caption, twin in zip(moved, row.camera_captions, row.reversed_captions, strict=True):
        assert (caption == twin) or reversed_facts(one) != one


def test_the_first_edition_stays_as_it_was():
    """Its recipe is part of the hash of a store."""
    assert recipe_for(None, 20261115) == FablesRecipe()
    assert {field.name for field in fields(FablesRecipe)} == {
        "seed", "train", "validation", "test", "captions_per_shot", "style",
    }  # fmt: skip
    assert isinstance(recipe_for(7, 3, "fables-2"), VocabularyRecipe)
