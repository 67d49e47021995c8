"""Building a store: the same bytes however the work was divided, interrupted or ordered."""

import json
import os
import pickle
import random
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.core.errors import StoreError
from aesop.data.builder import StoreBuilder, attributes_text
from aesop.data.manifest import Count, HumanRow, Split, StorePlan
from aesop.data.store import Store, open_store
from tests.data.makers import PLAN, human_row, shot_row, toy_store, write_toy_shard

HUMANS = 23


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def in_child(work: Callable[..., None], *words: object) -> int | None:
    """Run a function in a process of its own and return its exit code."""
    child = get_context("spawn").Process(target=work, args=words)
    child.start()
    child.join()
    return child.exitcode


def die_inside_a_shard(builder: StoreBuilder) -> None:
    with builder.shard("second") as shard:
        shard.add_human(human_row(11))
        os._exit(9)


def test_any_division_into_shards_gives_the_same_bytes(tmp_path: Path):
    reference = bytes_of(toy_store(tmp_path / "a", HUMANS, HUMANS).path)
    assert len(reference) == 40 and "manifest.json" in reference
    for size in (1, 4, 7):
        assert bytes_of(toy_store(tmp_path / f"b{size}", HUMANS, size).path) == reference


@pytest.mark.parametrize(("limit", "value"), [("WAITING_PIECES", 3), ("WAITING_BYTES", 4001)])
def test_how_much_is_written_at_once_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
):
    reference = bytes_of(toy_store(tmp_path / "a", HUMANS, 11).path)
    monkeypatch.setattr(f"aesop.data.table.{limit}", value)
    assert bytes_of(toy_store(tmp_path / "b", HUMANS, 11).path) == reference


def test_many_processes_in_any_order_give_the_same_bytes(tmp_path: Path):
    reference = bytes_of(toy_store(tmp_path / "a", HUMANS, HUMANS).path)
    order = list(range(HUMANS))
    random.Random(3).shuffle(order)
    builder = StoreBuilder(tmp_path / "b", PLAN)
    builder.start()
    parts = [order[i::3] for i in range(3)]
    for name, part in zip("xyz", parts, strict=True):
        assert in_child(write_toy_shard, builder, name, part) == 0
    builder.finalise(["z", "x", "y"])
    assert bytes_of(tmp_path / "b") == reference


def test_a_killed_build_resumes_to_the_same_bytes(tmp_path: Path):
    reference = bytes_of(toy_store(tmp_path / "a", HUMANS, HUMANS).path)
    path = tmp_path / "b"
    builder = StoreBuilder(path, PLAN)
    builder.start()
    write_toy_shard(builder, "first", list(range(11)))
    assert in_child(die_inside_a_shard, builder) == 9
    assert builder.has_shard("first") and not builder.has_shard("second")
    with pytest.raises(StoreError, match="interrupted build"):
        open_store(path)
    with pytest.raises(StoreError, match="1 of 2 shards"):
        builder.finalise(["first", "second"])

    again = StoreBuilder(path, PLAN)
    again.start()
    assert again.has_shard("first")
    write_toy_shard(again, "second", list(range(11, HUMANS)))
    # A finalisation that died half-way leaves folders behind, but no manifest.
    (path / "shots").mkdir()
    (path / "shots" / "stray.npy").write_bytes(b"half")
    again.finalise(["first", "second"])
    assert bytes_of(path) == reference


def test_an_error_inside_a_shard_leaves_nothing(tmp_path: Path):
    builder = StoreBuilder(tmp_path, PLAN)
    builder.start()
    with pytest.raises(KeyError), builder.shard("a") as shard:
        shard.add_human(human_row(1))
        raise KeyError("the caller's own trouble")
    assert not builder.has_shard("a")
    assert list((tmp_path / "building" / "shards").iterdir()) == []


def test_a_shard_finished_twice_is_kept_once(tmp_path: Path):
    builder = StoreBuilder(tmp_path, PLAN)
    builder.start()
    with builder.shard("a") as late:
        late.add_human(human_row(1))
        late.add_shot(shot_row(0, 1))
        write_toy_shard(builder, "a", [1, 2])
    builder.finalise(["a"])
    assert open_store(tmp_path).humans.rows == 2


def test_a_row_may_be_changed_after_it_was_added(tmp_path: Path):
    builder = StoreBuilder(tmp_path, PLAN)
    builder.start()
    human, shot = human_row(1), shot_row(0, 1)
    with builder.shard("a") as shard:
        shard.add_human(human)
        shard.add_shot(shot)
        human.features.zero_()
        shot.extra["travel_m"][...] = -1.0
    builder.finalise(["a"])
    store = open_store(tmp_path)
    assert torch.equal(store.shot(0).human_features, human_row(1).features)
    assert store.shots.numbers("travel_m")[0] == 0.125


def test_equal_attributes_are_written_alike():
    assert attributes_text({"b": 1, "a": "é"}) == attributes_text({"a": "é", "b": 1})


@pytest.mark.parametrize("word", ["", "a/b", "a.b", "..", "a b"])
def test_a_split_that_could_not_be_a_file_is_refused(word: str):
    with pytest.raises(StoreError, match="cannot name a split"):
        Split(word)
    with pytest.raises(StoreError, match="cannot name a split"):
        Split("train", word)


def test_a_builder_travels_to_workers(tmp_path: Path):
    builder = StoreBuilder(tmp_path, PLAN)
    assert pickle.loads(pickle.dumps(builder)) == builder


def test_the_manifest_counts_what_was_dropped_and_noted(tmp_path: Path):
    builder = StoreBuilder(tmp_path, PLAN)
    builder.start()
    write_toy_shard(builder, "a", list(range(9)))
    write_toy_shard(builder, "b", list(range(20, 9, -1)))
    manifest = builder.finalise(["b", "a"], noted=[Count("a fact of the caller", 2, ("p", "q"))])
    assert manifest == open_store(tmp_path).manifest
    assert manifest.dropped == (Count("unlucky number", 3, ("human-13", "human-20", "human-6")),)
    assert manifest.noted == (
        Count("a fact of the caller", 2, ("p", "q")),
        Count("odd number", 8, ("human-1", "human-11", "human-15", "human-17", "human-19")),
    )
    assert manifest.humans.rows == 17 and manifest.shots.rows == 51
    assert manifest.recipe == {"seed": 5, "note": "Größe"}


def test_a_store_without_shots_is_refused(tmp_path: Path):
    builder = StoreBuilder(tmp_path, PLAN)
    builder.start()
    write_toy_shard(builder, "a", [6, 13])
    with pytest.raises(StoreError, match=r"No shot.*2 were dropped.*unlucky number"):
        builder.finalise(["a"])
    assert not (tmp_path / "manifest.json").exists()


def test_rows_that_contradict_each_other_are_refused(tmp_path: Path):
    for name, numbers, match in (
        ("twice", [3, 3], "human-3 occurs twice"),
        ("orphan", [], "films human-4, which is not"),
        ("length", [0], "differ in length"),
    ):
        builder = StoreBuilder(tmp_path / name, PLAN)
        builder.start()
        with builder.shard("a") as shard:
            for number in numbers:
                shard.add_human(human_row(number))
            wrong = shot_row(1, 4)
            human = "human-0" if name == "length" else "human-4"
            shard.add_shot(type(wrong)(**{**vars(wrong), "human_id": human}))
        with pytest.raises(StoreError, match=match):
            builder.finalise(["a"])


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"id": ""}, "empty id"),
        ({"features": torch.full((5, 199), torch.nan)}, "human-8 are not all finite"),
        ({"captions": ("lone \ud800",)}, "UTF-8 cannot write"),
        ({"attributes": {"a": object()}}, "cannot be written as JSON"),
        ({"attributes": {"a": float("inf")}}, "cannot be written as JSON"),
    ],
)
def test_unusable_rows_are_refused(tmp_path: Path, change: dict[str, object], match: str):
    builder = StoreBuilder(tmp_path, PLAN)
    builder.start()
    row = HumanRow(**{**vars(human_row(8)), **change})
    with pytest.raises(StoreError, match=match), builder.shard("a") as shard:
        shard.add_human(row)
    assert not builder.has_shard("a")


def test_a_build_does_not_mix_with_what_lies_there(tmp_path: Path):
    finished = toy_store(tmp_path / "done", 5, 5).path
    with pytest.raises(StoreError, match="finished store"):
        StoreBuilder(finished, PLAN).start()
    StoreBuilder(tmp_path / "half", PLAN).start()
    with pytest.raises(StoreError, match="other settings"):
        StoreBuilder(tmp_path / "half", StorePlan("toy", {"seed": 6})).start()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(StoreError, match="not empty"):
        StoreBuilder(tmp_path / "mine", PLAN).start()
    with pytest.raises(StoreError, match="cannot be written as JSON"):
        StoreBuilder(tmp_path / "odd", StorePlan("toy", {"a": np.zeros(2)})).start()


def test_shards_of_another_plan_are_refused(tmp_path: Path):
    builder = StoreBuilder(tmp_path, PLAN)
    builder.start()
    for name in ("a", "b"):
        write_toy_shard(builder, name, [1] if name == "a" else [2])
    with pytest.raises(StoreError, match="1 shards that are not part"):
        builder.finalise(["a"])


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError, match=r"file[/\\]store cannot be used"):
        StoreBuilder(tmp_path / "file" / "store", PLAN).start()


def test_the_manifest_is_plain_json_with_hashes(tmp_path: Path):
    store: Store = toy_store(tmp_path, 5, 5)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["format"] == "aesop-store" and manifest["rotations"] == "retargeted"
    listed = {entry["path"] for entry in manifest["files"]}
    assert listed == set(bytes_of(tmp_path)) - {"manifest.json"}
    assert len(store.manifest.content_sha256) == 64
    other = toy_store(tmp_path / "other", 4, 5)
    assert other.manifest.content_sha256 != store.manifest.content_sha256
