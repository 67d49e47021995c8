"""Cameras of the vocabulary in Fables: only what was measured back is told, and the first edition's
cameras do not notice them."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.camera_words.attributes import attribute_value, facts_of, reversed_facts
from aesop.camera_words.fact_check import check_facts, measure_facts
from aesop.camera_words.term_lexicon import read_facts
from aesop.data.store import open_store
from aesop.fables.build import FablesRecipe, Share, VocabularyRecipe, build_mini, recipe_for
from aesop.fables.cinematographer.facts_draw import FactStyle
from aesop.fables.cinematographer.lens import Style
from aesop.fables.synthetic import Leg, wander
from aesop.fables.vocabulary_shots import film_vocabulary

FEW = Share(windows=3, one_run=1, several=0, any_run=1)


@pytest.mark.parametrize("speed_mps", [0.0, 1.2])
def test_what_is_told_was_measured_and_can_be_read(speed_mps: float):
    motion = wander([Leg(5.0, speed_mps)])
    dice = np.random.default_rng(23)
    for _ in range(11):
        shot = film_vocabulary(motion, FactStyle(), dice)
        again = check_facts(shot.told, measure_facts(shot.camera.to(torch.float64), motion, 25.0))
        # Stored in single precision: a value at its very edge may fall to the other side.
        assert sum(not check.right for check in again) <= 1
        caption, twin = shot.captions
        assert read_facts(caption).facts == shot.told
        assert read_facts(twin).facts == reversed_facts(shot.told)


def test_the_second_edition_adds_and_changes_nothing(tmp_path: Path):
    first = FablesRecipe(5, train=FEW, validation=FEW, test=FEW, style=Style(follow=0.0))
    second = VocabularyRecipe(5, train=FEW, validation=FEW, test=FEW, vocabulary_cameras=3)
    build_mini(tmp_path / "one", first)
    build_mini(tmp_path / "two", second)
    one, two = open_store(tmp_path / "one"), open_store(tmp_path / "two")
    before = {row.id: row for row in map(one.shot, range(len(one)))}
    after = {row.id: row for row in map(two.shot, range(len(two)))}
    assert set(before) < set(after)
    for name, row in before.items():
        assert after[name].camera_captions == row.camera_captions
        assert torch.equal(after[name].camera_features, row.camera_features)
    added = [row for name, row in after.items() if name not in before]
    assert all("_v" in row.id for row in added) and len(added) >= 20
    for row in added:
        names = row.attributes["facts"]
        assert isinstance(names, list)
        facts = facts_of(map(attribute_value, names))
        assert list(facts.names) == names
        assert row.attributes["reversed_facts"] == list(reversed_facts(facts).names)


def test_the_first_edition_stays_as_it_was():
    """Its recipe is part of the hash of a store."""
    assert recipe_for(None, 20261115) == FablesRecipe()
    assert {field.name for field in fields(FablesRecipe)} == {
        "seed", "train", "validation", "test", "captions_per_shot", "style",
    }  # fmt: skip
    assert isinstance(recipe_for(7, 3, "fables-2"), VocabularyRecipe)
