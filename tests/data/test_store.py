"""Reading a store: what went in comes out, nothing can be changed, damage is noticed."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from aesop.core.errors import StoreError
from aesop.data.builder import StoreBuilder
from aesop.data.manifest import HumanRow, ShotRow, Split, StorePlan
from aesop.data.store import Store, decode, open_store
from aesop.data.table import ColumnWriter, Table, strings, write_array
from aesop.features.camera_features import camera_to_features
from aesop.features.columns import camera_statistics, human_statistics
from aesop.features.human_features import human_to_features
from aesop.scene.movement import tag_path
from tests.data.makers import CAPTIONS, human_row, shot_row, toy_store
from tests.scene.makers import wandering_camera, wandering_motion
from tests.tolerances import GEOMETRY32, GEOMETRY64


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return toy_store(tmp_path_factory.mktemp("stores") / "toy")


def test_every_row_comes_out_as_it_went_in(store: Store):
    for row in range(len(store)):
        stored = store.shot(row)
        _, human, number = stored.id.split("-")
        wanted, person = shot_row(int(number), int(human)), human_row(int(human))
        assert torch.equal(stored.camera_features, wanted.features)
        assert torch.equal(stored.human_features, person.features)
        np.testing.assert_array_equal(stored.tags, wanted.tags)
        assert stored.camera_captions == wanted.captions
        assert stored.reversed_captions == wanted.reversed_captions
        assert stored.human_captions == person.captions
        assert set(stored.splits) == set(wanted.splits)
        assert stored.attributes == wanted.attributes
        assert stored.human_attributes == person.attributes
        assert (stored.human_id, stored.row) == (wanted.human_id, row)
        token = store.humans.items("clip_token", stored.human_row)
        np.testing.assert_array_equal(token, person.extra["clip_token"])
        assert store.shots.numbers("travel_m")[row] == wanted.extra["travel_m"]
        assert store.row_of(stored.id) == row
    assert {*CAPTIONS} <= {
        text for row in range(len(store)) for text in store.shot(row).camera_captions
    } | {""}


def test_rows_are_in_the_order_of_their_ids(store: Store):
    ids = store.shots.texts("id")
    assert ids == sorted(ids) and len(set(ids)) == len(store) == 60
    assert store.humans.texts("id") == sorted(store.humans.texts("id"))


def test_an_unknown_id_is_refused(store: Store):
    for unknown in ("", "shot-10-1x", "zzz"):
        with pytest.raises(StoreError, match="no shot"):
            store.row_of(unknown)


def test_splits_are_rows_of_their_members(store: Store):
    everyone = {row: set(store.shot(row).splits) for row in range(len(store))}
    for split in store.splits:
        members = [row for row, splits in everyone.items() if split in splits]
        assert store.split(split.name, split.kind).tolist() == members
    assert store.splits == (
        Split("everything"),
        Split("test", "mixed"),
        Split("test", "pure"),
        Split("train", "mixed"),
        Split("train", "pure"),
    )
    train, test = set(store.split("train").tolist()), set(store.split("test").tolist())
    assert not train & test and train | test == set(range(len(store)))
    with pytest.raises(StoreError, match=r"no split val.*train/pure"):
        store.split("val")
    with pytest.raises(StoreError, match="no split test/clatr"):
        store.split("test", kind="clatr")


def test_views_are_the_map_itself_and_cannot_be_written(store: Store):
    data = store.humans.column("features").data
    view = store.humans.items("features", 3)
    assert np.shares_memory(view, data) and not view.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        view[:] = 0.0


def test_a_stored_shot_is_a_copy(store: Store):
    before = store.shot(5).camera_features
    store.shot(5).camera_features.zero_()
    assert torch.equal(store.shot(5).camera_features, before)


def test_a_store_travels_to_workers(store: Store):
    again = pickle.loads(pickle.dumps(store))
    assert len(pickle.dumps(store)) < 1000
    assert again.manifest == store.manifest and len(again) == len(store)


def test_statistics_weigh_a_window_by_its_shots(store: Store):
    rows = np.concatenate([store.split("train", "pure"), store.split("test")])
    shots = [store.shot(int(row)) for row in rows]
    human = human_statistics(shot.human_features for shot in shots)
    camera = camera_statistics(shot.camera_features for shot in shots)
    for fast, slow in (
        (human_statistics(store.human_features(rows)), human),
        (camera_statistics(store.camera_features(rows)), camera),
    ):
        torch.testing.assert_close(fast.mean, slow.mean, rtol=0, atol=GEOMETRY64)
        torch.testing.assert_close(fast.spread, slow.spread, rtol=GEOMETRY64, atol=0)
    frames = sum(len(block) for block in store.human_features(rows))
    assert frames == sum(shot.frames for shot in shots)


def test_statistics_blocks_divide_nothing(store: Store, monkeypatch: pytest.MonkeyPatch):
    rows = store.split("everything")
    whole = torch.cat(list(store.human_features(rows)))
    monkeypatch.setattr("aesop.data.store.BLOCK_FRAMES", 23)
    blocks = list(store.human_features(rows))
    assert len(blocks) > 20 and torch.equal(torch.cat(blocks), whole)


def test_a_shot_is_decoded_to_the_scene_it_came_from(tmp_path: Path, dice: torch.Generator):
    motion = wandering_motion(53, dice)
    offset = motion.root[0] * torch.tensor([1.0, 1.0, 0.0])
    camera = wandering_camera(motion, dice)
    builder = StoreBuilder(tmp_path, StorePlan("toy", rotations="fitted"))
    builder.start()
    with builder.shard("a") as shard:
        shard.add_human(HumanRow("walk", human_to_features(motion).float(), ("walks", "strolls")))
        features = camera_to_features(camera, motion.root).float()
        shard.add_shot(ShotRow("take", "walk", features, tag_path(camera, 25.0), ("pans",)))
    builder.finalise(["a"])
    store = open_store(tmp_path)
    shot = store.as_shot(0)
    places = shot.clip.motion.joints.double() + offset
    torch.testing.assert_close(places, motion.joints, rtol=0, atol=GEOMETRY32)
    torch.testing.assert_close(
        shot.clip.motion.rotations.double(), motion.rotations, rtol=0, atol=GEOMETRY32
    )
    centre = shot.camera.centre.double() + offset
    torch.testing.assert_close(centre, camera.centre, rtol=0, atol=GEOMETRY32)
    turns = shot.camera.world_from_camera.double()
    torch.testing.assert_close(turns, camera.world_from_camera, rtol=0, atol=GEOMETRY32)
    assert shot.camera.aspect == pytest.approx(camera.aspect, abs=GEOMETRY32)
    assert (shot.human_words, shot.camera_words, shot.fps) == ("walks", "pans", 25.0)
    assert shot.clip.provenance.source == "toy:walk" and shot.provenance.rotations == "fitted"
    assert decode(store.shot(0))[0].joints.dtype == torch.float32


def test_one_column_can_be_read_without_us(store: Store):
    folder = store.path / "shots"
    blob = np.load(folder / "captions.npy", mmap_mode="r")
    rows, texts = (np.load(folder / f"captions.{part}.npy") for part in ("starts", "text_starts"))
    for row in (0, 7, 59):
        plain = [
            bytes(blob[texts[i] : texts[i + 1]]).decode() for i in range(rows[row], rows[row + 1])
        ]
        assert tuple(plain) == store.shot(row).camera_captions


def test_damage_is_noticed_on_opening_or_by_verify(tmp_path: Path):
    store = toy_store(tmp_path / "toy", 5, 5)
    seen: list[tuple[int, int]] = []
    store.verify(lambda done, total: seen.append((done, total)))
    assert seen[-1] == (39, 39)
    for facts in store.manifest.files:
        path = store.path / facts.path
        content = path.read_bytes()
        path.write_bytes(content[:-1])
        with pytest.raises(StoreError, match=rf"{path.name} has {len(content) - 1} bytes"):
            open_store(store.path)
        if len(content) > 128:
            path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
            with pytest.raises(StoreError, match=path.name):
                open_store(store.path).verify()
        path.unlink()
        with pytest.raises(StoreError, match=rf"{path.name} cannot be used"):
            open_store(store.path)
        path.write_bytes(content)
    open_store(store.path).verify()


@pytest.mark.parametrize("name", ["features.starts", "captions.text_starts", "captions.starts"])
@pytest.mark.parametrize("place", [0, -1])
def test_starts_that_do_not_fit_their_data_are_noticed_on_opening(
    tmp_path: Path, name: str, place: int
):
    store = toy_store(tmp_path / "toy", 5, 5)
    path = store.path / "shots" / f"{name}.npy"
    starts = np.load(path)
    starts[place] += 1
    write_array(path, starts)
    with pytest.raises(StoreError, match=rf"{name}\.npy does not match the data"):
        open_store(store.path)


def test_what_is_no_store_is_refused_with_a_reason(tmp_path: Path):
    with pytest.raises(StoreError, match="no folder"):
        open_store(tmp_path / "nowhere")
    with pytest.raises(StoreError, match="not a store"):
        open_store(tmp_path)
    manifest = toy_store(tmp_path / "toy", 5, 5).path / "manifest.json"
    facts = json.loads(manifest.read_text())
    for change, match in (
        ({"version": 2}, "has version 2"),
        ({"format": "zip"}, "not the manifest"),
        ({"fps": "fast"}, "garbles"),
        ({"humans": {"rows": float("inf"), "columns": []}}, "garbles"),
        ({"shots": {"rows": 7, "columns": facts["shots"]["columns"]}}, "its manifest says 7"),
        ({"shots": {"rows": 15, "columns": facts["shots"]["columns"][1:]}}, "all columns of shots"),
        ({"content_sha256": "0" * 64}, "contradict"),
    ):
        manifest.write_text(json.dumps({**facts, **change}))
        with pytest.raises(StoreError, match=match):
            open_store(manifest.parent).verify()
    for garbage in (b"", b"\xff\x00", b"[" * 100_000, b"[]"):
        manifest.write_bytes(garbage)
        with pytest.raises(StoreError, match=r"manifest\.json"):
            open_store(manifest.parent)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 300) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toy_store(tmp_path_factory.mktemp("stores") / "victim", 5, 5).path


@given(where=st.integers(0, 10**6), value=JSON)
@settings(max_examples=60, deadline=None)
def test_a_manifest_with_any_value_replaced_opens_or_is_refused(
    victim: Path, where: int, value: object
):
    path = victim / "manifest.json"
    original = path.read_text()
    facts = json.loads(original)
    node, steps = facts, where
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = keys[steps % len(keys)]
        steps //= len(keys)
        if not isinstance(node[key], dict | list) or not node[key] or steps % 3 == 0:
            node[key] = value
            break
        node = node[key]
    path.write_text(json.dumps(facts))
    try:
        open_store(victim)
    except StoreError as error:
        assert error.remedy
    finally:
        path.write_text(original)


@given(rows=st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=3)))
@settings(max_examples=60, deadline=None)
def test_any_texts_survive(tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]):
    folder = tmp_path_factory.mktemp("texts")
    writer = ColumnWriter(folder, strings("captions"))
    for texts in rows:
        writer.append_strings(texts)
    writer.close()
    table = Table(folder, [strings("captions")])
    assert [list(table.strings("captions", row)) for row in range(table.rows)] == rows
    assert table.texts("captions") == [text for texts in rows for text in texts]
