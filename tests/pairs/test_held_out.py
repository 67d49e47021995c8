"""A store without a validation split lends some films, and no pair is made of those."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
import torch

import aesop.pairs.direction_pairs
from aesop.data.builder import StoreBuilder
from aesop.data.manifest import HumanRow, ShotRow, Split, StorePlan
from aesop.data.store import open_store
from aesop.pairs.direction_pairs import BuildRequest, build_direction
from aesop.pairs.intensity_pairs import build_intensity
from aesop.pairs.pair_files import read_plan
from aesop.pairs.pair_recipe import fables, pulpmotion, recipe_for_dataset
from aesop.training.batch_order import pairs_on_footage
from aesop.training.footage import read_footage
from tests.pairs.test_build import at_once


def film_name(number: int, held_out: bool) -> str:
    """A film whose name's hash holds it out of training, or not."""
    for attempt in range(10_000):
        name = f"film{number}-{attempt}"
        value = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
        if (value % 100 == 0) == held_out:
            return name
    raise AssertionError


@pytest.fixture(scope="module")
def films(mini_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The training shots of the small store, each window in a film of its own; every fifth film is
    one that training holds out."""
    source = open_store(mini_store)
    path = tmp_path_factory.mktemp("films") / "store"
    builder = StoreBuilder(path, StorePlan("pulpmotion"))
    builder.start()
    with builder.shard("all") as shard:
        rows = source.split("train")
        windows = np.unique(source.human_rows[rows]).tolist()
        for row in windows:
            features = torch.from_numpy(source.humans.items("features", row).copy())
            shard.add_human(HumanRow(source.humans.text("id", row), features, ("A person moves.",)))
        for row in rows.tolist():
            stored = source.shot(row)
            number = windows.index(stored.human_row)
            shard.add_shot(
                ShotRow(
                    stored.id,
                    stored.human_id,
                    stored.camera_features,
                    stored.tags.astype(np.int64),
                    stored.camera_captions[:1],
                    splits=(Split("train", "pure"),),
                    attributes={"video": film_name(number, number % 5 == 0)},
                )
            )
    builder.finalise(["all"])
    return path


def test_pairs_fit_what_is_trained_on(films: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(aesop.pairs.direction_pairs, "run_all", at_once)
    store = open_store(films)
    assert recipe_for_dataset(store.manifest.dataset) == pulpmotion() != fables()
    request = BuildRequest(films, None, tmp_path, pulpmotion())
    direction, intensity = build_direction(request), build_intensity(request)
    footage, held_out = read_footage(store, validation_clips=1_000)
    assert len(held_out.shot_names) == 4 * 6 and direction.origin.pool == 4 * (29 - 6)
    pairs = pairs_on_footage(read_plan(tmp_path), footage)  # refuses shots it does not hold
    assert len(pairs.pairs) == len(direction.sources) + len(intensity.active) + len(intensity.null)
    assert intensity.dynamics == pulpmotion().intensity.dynamics
    assert all(group.startswith("film") for group in intensity.development_groups)
