"""A folder of one's own shots becomes a store, from either kind of file; what cannot be used is
counted."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from aesop.core.errors import FileError, StoreError
from aesop.data import shot_folder
from aesop.data.shot_folder import ShotImport, import_shots
from aesop.data.store import open_store, starts_canonical, training_rows
from aesop.export.export_files import write_export
from aesop.files.camera_files import read_camera_json
from aesop.files.motion_files import read_motion, write_motion
from aesop.files.shot_file import write_shot
from aesop.scene.camera import CameraPath, project_joints
from aesop.scene.human import turned
from aesop.scene.shot import Placement, Shot, place_camera
from tests.data.pulpmotion_layout import wandering_shot
from tests.tolerances import GEOMETRY32


def own_shot(frames: int, seed: int) -> Shot:
    """Somewhere in the world, facing some way, in single precision as files are read."""
    shot = wandering_shot(frames, seed)
    placement = Placement(torch.tensor(0.7, dtype=torch.float64), torch.tensor([3.0, -2.0, 0.0]))
    placement = replace(placement, offset=placement.offset.double())
    motion = turned(shot.clip.motion, placement.yaw)
    motion = replace(motion, joints=motion.joints + placement.offset)
    camera = place_camera(shot.camera, placement)
    clip = replace(shot.clip, motion=motion.to(torch.float32))
    return replace(shot, clip=clip, camera=camera.to(torch.float32))


def write_table(folder: Path, *rows: tuple[str, str, str, str]) -> None:
    with (folder / "captions.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "camera", "human", "split"), *rows])


def imported(folder: Path, name: str = "store") -> ShotImport:
    return import_shots(folder, folder.parent / name, workers=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


def test_what_the_lens_sees_survives(folder: Path):
    """A store turns and moves the world; what is in the picture stays."""
    shots = {f"take{seed}": own_shot(31 + 6 * seed, seed) for seed in range(3)}
    for name, shot in shots.items():
        write_shot(shot, folder / f"{name}.shot")
    assert imported(folder) == ShotImport(3, 3, (), ())
    store = open_store(folder.parent / "store")
    assert starts_canonical(store) and store.manifest.dataset == "shots"
    for row, (name, shot) in enumerate(shots.items()):
        read = store.as_shot(row)
        assert store.shot(row).id == name
        assert (read.camera_words, read.human_words) == (shot.camera_words, shot.human_words)
        assert abs(float(read.clip.motion.yaw[0])) < GEOMETRY32
        before, after = (
            project_joints(it.camera.to(torch.float64), it.clip.motion.joints.double())
            for it in (shot, read)
        )
        seen = (before.depth_m > 0.5) & (before.ndc.abs().amax(-1) < 2)
        assert bool(seen.any())
        # Divided by depths from half a metre on.
        torch.testing.assert_close(after.ndc[seen], before.ndc[seen], rtol=0, atol=20 * GEOMETRY32)


def test_a_motion_with_its_camera_as_json_is_the_same_shot(folder: Path, tmp_path: Path):
    """The camera stands in the world of the motion's file, at its rate and with its numbers."""
    write_motion(own_shot(43, 5).clip, folder / "walk.bvh")
    clip = read_motion(folder / "walk.bvh")
    shot = replace(own_shot(clip.frames, 5), clip=clip)
    write_export(shot, folder / "walk.json")
    assert imported(folder).kept == 1
    other = tmp_path / "shots"
    other.mkdir()
    write_shot(shot, other / "walk.shot")
    imported(other, "second")
    first, second = (open_store(tmp_path / name).as_shot(0) for name in ("store", "second"))
    assert apart_m(first.camera, second.camera) < 1e-3  # a BVH file has six digits, in centimetres
    assert first.camera_words == second.camera_words == shot.camera_words


def apart_m(first: CameraPath, second: CameraPath) -> float:
    return float((first.centre - second.centre).abs().max())


def test_captions_and_splits_come_from_the_table(folder: Path):
    for seed in range(4):
        write_shot(own_shot(29, seed), folder / f"take{seed}.shot")
    write_table(
        folder,
        ("take0", "The camera pushes in.", "A person walks.", "train"),
        ("take0", "It moves closer.", "A person walks.", ""),
        ("take1", "", "", "validation"),
        ("take2", "The camera pulls out.", "", "test/hard"),
    )
    imported(folder)
    store = open_store(folder.parent / "store")
    first = store.shot(0)
    assert first.camera_captions == ("The camera pushes in.", "It moves closer.")
    assert first.human_captions == ("A person walks.",)
    assert {str(split): store.split(split.name).tolist() for split in store.splits} == {
        "test/hard": [2], "train/own": [0, 3], "validation/own": [1],
    }  # fmt: skip
    assert store.shot(1).camera_captions == ("The camera floats, n° 1.",)  # the shot's own words


def test_without_splits_one_in_twenty_and_at_least_one_is_held_out(folder: Path):
    for seed in range(5):
        write_shot(own_shot(29, seed), folder / f"take{seed}.shot")
    imported(folder)
    chosen = training_rows(open_store(folder.parent / "store"))
    assert len(chosen.held_out) == 1 and len(chosen.train) == 4


def test_one_bad_file_never_ends_an_import(folder: Path):
    write_shot(own_shot(31, 1), folder / "good.shot")
    (folder / "broken.shot").write_bytes(b"no shot")
    write_shot(own_shot(7, 2), folder / "blink.shot")
    fast = own_shot(31, 3)
    joints = fast.clip.motion.joints.clone()
    joints[17:] += torch.tensor([1.0, 0.0, 0.0])  # a metre in a frame
    write_shot(
        replace(fast, clip=replace(fast.clip, motion=replace(fast.clip.motion, joints=joints))),
        folder / "jump.shot",
    )
    write_shot(replace(own_shot(31, 4), camera_words="", human_words=""), folder / "mute.shot")
    report = imported(folder)
    assert (report.found, report.kept) == (5, 2)
    assert {count.what: count.examples for count in report.dropped} == {
        shot_folder.UNREADABLE: ("broken",),
        shot_folder.TOO_SHORT: ("blink",),
        shot_folder.TOO_FAST: ("jump",),
    }
    assert {count.what for count in report.noted} == {
        shot_folder.NO_CAMERA_CAPTION, shot_folder.NO_HUMAN_CAPTION,
    }  # fmt: skip


def test_long_shots_become_windows_that_stay_together(folder: Path):
    write_shot(own_shot(613, 1), folder / "long.shot")
    write_shot(own_shot(31, 2), folder / "short.shot")
    assert imported(folder).kept == 4
    store = open_store(folder.parent / "store")
    assert store.lengths.tolist() == [204, 205, 204, 31]
    splits = {str(store.shot(row).splits[0]) for row in range(3)}
    assert len(splits) == 1


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda own: write_table(own, ("ghost", "", "", "")), "ghost"),
        (lambda own: (own / "captions.csv").write_text("name,words\n"), "columns"),
        (lambda own: (own / "alone.json").write_text("{}"), "no motion"),
        (lambda own: write_table(own, ("a", "", "", "test"), ("a", "", "", "train")), "two splits"),
    ],
)
def test_mistakes_are_told_before_anything_is_written(
    folder: Path, spoil: Callable[[Path], object], told: str
):
    write_shot(own_shot(29, 1), folder / "a.shot")
    spoil(folder)
    with pytest.raises(StoreError, match=told):
        imported(folder)
    assert not (folder.parent / "store").exists()


@pytest.mark.parametrize(
    "text", ["nonsense", "[]", "{}", '{"format": "aesop.camera", "version": 1, "frames": [{}]}']
)
def test_what_is_no_camera_is_refused(tmp_path: Path, text: str):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(FileError):
        read_camera_json(tmp_path / "x.json")
