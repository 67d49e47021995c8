"""A store of people from captioned segments, made of a few takes."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aesop.core.errors import StoreError
from aesop.data.store import Store, open_store
from aesop.fables.motion_sets import read_set_takes, split_of_take
from aesop.fables.people_build import build_people, import_tasks, people_recipe
from aesop.fables.people_windows import LONGEST_FRAMES, SHORTEST_FRAMES, worded_segments
from aesop.fables.segment_captions import read_segment_captions
from aesop.fables.segment_table import read_segments
from aesop.fables.synthetic import synthetic_motion
from aesop.fables.takes import SPLITS
from aesop.files.shot_file import write_clip

TAKES_OF_SPLIT = 2


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Somebody who walks, under the names of short takes that have words; some of every split."""
    folder = tmp_path_factory.mktemp("clips")
    worded = worded_segments(read_segments(), read_segment_captions())
    takes = {take.id: take for take in read_set_takes()}
    for split in SPLITS:
        fitting = [
            name
            for name in sorted(worded)
            if split_of_take(takes[name]) == split
            and 90 < max(it.stop for it in worded[name]) < 150
        ]
        for number, name in enumerate(fitting[:TAKES_OF_SPLIT]):
            frames = max(row.stop for row in worded[name]) + 13
            clip = synthetic_motion("walk", frames, np.random.default_rng(number)).clip
            (folder / name).parent.mkdir(exist_ok=True)
            write_clip(replace(clip, name=name), folder / f"{name}.clip")
    return folder


def attributes_of(store: Store, row: int) -> dict[str, Any]:
    (text,) = store.humans.strings("attributes", row)
    return json.loads(text)


def test_a_store_holds_windows_of_its_takes_and_builds_the_same_again(clips: Path, tmp_path: Path):
    recipe = people_recipe(7, seed=5)
    first, second = (
        build_people({}, clips, tmp_path / name, recipe, workers=1) for name in ("one", "two")
    )
    assert first.content_sha256 == second.content_sha256
    store = open_store(tmp_path / "one")
    there = {str(it.relative_to(clips).with_suffix("")) for it in clips.rglob("*.clip")}
    takes = {take.id: take for take in read_set_takes()}
    assert store.humans.rows >= 7
    for row in range(store.humans.rows):
        facts = attributes_of(store, row)
        take = f"{facts['set']}/{facts['take']}"
        assert take in there
        frames = int(store.humans.lengths("features")[row])
        assert SHORTEST_FRAMES <= frames <= LONGEST_FRAMES
        assert store.humans.strings("captions", row)
        assert facts["performer"] == takes[take].performer
    for split in SPLITS:
        for row in store.split(split).tolist():
            facts = attributes_of(store, int(store.human_rows[row]))
            assert split_of_take(takes[f"{facts['set']}/{facts['take']}"]) == split


def test_no_clip_no_store(tmp_path: Path):
    with pytest.raises(StoreError, match="captioned"):
        build_people({}, tmp_path / "empty", tmp_path / "store", people_recipe(7, 5), workers=1)


def test_unknown_and_missing_sets_are_refused(tmp_path: Path):
    takes = read_set_takes()
    with pytest.raises(StoreError, match="no set called"):
        import_tasks(takes, {"acme": tmp_path}, tmp_path)
    with pytest.raises(StoreError, match="does not exist"):
        import_tasks(takes, {"cmu": tmp_path / "nowhere"}, tmp_path)
    tasks = import_tasks(takes, {"cmu": tmp_path}, tmp_path)
    asked = [take.id for task in tasks for take in task.takes]
    assert asked == [take.id for take in takes if take.set_name == "cmu"]


def test_sizes_follow_the_windows_asked_for():
    default, small, large = (people_recipe(it, 5) for it in (None, 240, 48_000))
    assert small.train.windows == 240 and large.train.windows == 48_000
    assert small.validation.windows < default.validation.windows == large.validation.windows
    assert small.test.windows < default.test.windows == large.test.windows
