"""Cameras in files: what was exported comes back to where it stood, whatever the file's world."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from aesop.core.errors import AesopError, FileError
from aesop.director.key_warp import warped_to
from aesop.director.keyed_finish import is_within
from aesop.export.delivery import Delivery
from aesop.export.export_files import shot_writer_for
from aesop.files.camera_files import (
    KeyTarget,
    KeyTexts,
    kept_parts,
    read_camera,
    read_first_key,
    read_key,
    read_last_key,
)
from aesop.files.file_entries import keys_entry, keys_from_entry
from aesop.files.shot_file import read_shot, write_shot
from aesop.scene.camera import CameraPath, camera_looking_at
from aesop.scene.camera_keys import (
    MET,
    CameraKeys,
    KeptPart,
    KeyedCamera,
    KeyMiss,
    MetKeys,
    key_miss,
    path_change,
)
from aesop.scene.human import Provenance
from aesop.scene.rotation import about_z, matrix_from_axis_angle
from aesop.scene.shot import Shot
from aesop.scene.source import Source, UpAxis, clip_from_scene, file_span, scene_from_clip
from tests.director.makers import PUSH_IN, walking
from tests.tolerances import GEOMETRY64

FRAMES = 53


def path() -> CameraPath:
    share = torch.linspace(0, 1, FRAMES, dtype=torch.float64)[:, None]
    centre = torch.tensor([[3.0, -4.0, 1.5]]) + share * torch.tensor([[-1.0, 2.0, 0.3]])
    camera = camera_looking_at(centre, torch.zeros(FRAMES, 3, dtype=torch.float64), 0.7)
    roll = matrix_from_axis_angle(torch.tensor([0.0, 0.0, 0.2], dtype=torch.float64))
    zoom = camera.fov_vertical + torch.linspace(0, 0.2, FRAMES, dtype=torch.float64)
    return replace(camera, world_from_camera=camera.world_from_camera @ roll, fov_vertical=zoom)


def source(up: UpAxis, first_frame: float = 3.0, fps: float = 25.0) -> Source:
    turn = about_z(torch.tensor(0.7, dtype=torch.float64))
    stands = torch.tensor([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]], dtype=torch.float64)
    return Source(
        kind="bvh",
        file="walk.bvh",
        skeleton="CMU",
        fps=fps,
        frames=round(FRAMES * fps / 25) + 11,
        start_frame=1,
        first_frame=first_frame,
        up=up,
        metres_per_unit=0.01,
        scale=0.0107,
        clip_from_file=turn @ stands if up == "y" else turn,
        shift=torch.tensor([0.3, -1.7, 0.11], dtype=torch.float64),
    )


def shot_of(where: Source | None) -> Shot:
    clip = replace(walking(FRAMES), source=where)
    return Shot(clip, path(), Provenance("a test"), PUSH_IN)


@pytest.mark.parametrize("up", ["y", "z"])
def test_the_way_to_a_scene_and_back_is_none(up: UpAxis):
    camera, where = path(), source(up)
    back = clip_from_scene(scene_from_clip(camera, where), where)
    assert path_change(camera, back).place_m < GEOMETRY64
    assert path_change(camera, back).turn_degrees < GEOMETRY64


@pytest.mark.parametrize("suffix", [".json", ".chan", ".shot"])
@pytest.mark.parametrize("where", [None, source("y"), source("z")], ids=["ours", "y up", "z up"])
def test_what_was_exported_comes_back(tmp_path: Path, suffix: str, where: Source | None):
    shot, file = shot_of(where), tmp_path / f"camera{suffix}"
    shot_writer_for(file).write(shot, file, None, Delivery("source"))
    change = path_change(read_camera(file, KeyTarget.of(shot.clip)).path, shot.camera)
    # A channel file has nine digits, of hundreds of centimetres and of degrees.
    assert change.place_m < 1e-7 and change.turn_degrees < 1e-6 and change.lens_degrees < 1e-6


def test_a_shot_of_another_import_stands_where_both_files_have_it(tmp_path: Path):
    shot, other = shot_of(source("y")), replace(source("z"), scale=0.009)
    write_shot(shot, tmp_path / "a.shot")
    found = read_camera(tmp_path / "a.shot", KeyTarget("b", FRAMES, 25.0, other)).path
    there = scene_from_clip(shot.camera, source("y"))
    assert path_change(scene_from_clip(found, other), there).place_m < GEOMETRY64
    assert path_change(found, shot.camera).place_m > 0.1


def test_frames_are_numbered_as_the_file_numbers_them(tmp_path: Path):
    """At 60 frames a second the clip begins between two frames of its file; an instant is the same
    instant in both, and an end that lies less than a frame beyond is the end."""
    where = source("y", first_frame=7.4, fps=60.0)
    shot, file = shot_of(where), tmp_path / "a.json"
    shot_writer_for(file).write(shot, file, None, Delivery("source"))
    target, (first, last) = KeyTarget.of(shot.clip), file_span(FRAMES, 25.0, where)
    assert first == pytest.approx(0.6 / 60) and (FRAMES - 2) / 25 < last < FRAMES / 25
    for seconds, key in (
        (first, read_first_key(str(file), target)),
        (1.2, read_key(str(file), target, 1.2)),
        (last, read_last_key(str(file), target)),
    ):
        assert key.seconds == seconds
        there = path().at(torch.tensor([seconds * 25], dtype=torch.float64))
        # Straight between frames of the file, which lie on the straight lines of the clip.
        assert float((key.centre - there.centre[0]).abs().max()) < 1e-4


@pytest.mark.parametrize("suffix", [".json", ".chan"])
@pytest.mark.parametrize("fps", [24.0, 25.0, 30.0, 60.0, 30000 / 1001])
@pytest.mark.parametrize("is_single", [False, True])
def test_the_exported_path_ends_where_the_file_of_a_key_ends(
    tmp_path: Path, suffix: str, fps: float, is_single: bool
):
    """At the frames of the motion's file, the last of which may lie after the clip's."""
    frames = math.floor((FRAMES - 1) * fps / 25) + 1
    if frames / fps < FRAMES / 25:
        frames += 1  # as long as it can be for a clip of so many frames
    where = replace(source("y", 1.0, fps), frames=frames)
    goal, file, made = shot_of(where), tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    shot_writer_for(file).write(goal, file, None, Delivery("source"))
    whole = read_camera(file, KeyTarget.of(goal.clip)).path
    end = f"{file}@0.4" if is_single else str(file)
    keys = KeyTexts(start=str(file), end=end, at=(f"1.2:{file}",)).read(KeyTarget.of(goal.clip))
    assert keys is not None
    other = camera_looking_at(
        path().centre * torch.tensor([1.0, -0.7, 1.2]), path().centre * 0.1, 0.7
    )
    warped = warped_to(other, goal.clip, keys)
    assert key_miss(warped, keys.anchors(FRAMES, 25.0)).place_m < MET.place_m
    shot_writer_for(made).write(replace(goal, camera=warped), made, None, Delivery("source"))
    found = read_camera(made, KeyTarget.of(goal.clip)).path
    assert found.frames == whole.frames == frames
    wanted = whole.at(torch.tensor([0.4 * fps if is_single else frames - 1]).double())
    assert is_within(path_change(found.part(slice(-1, None)), wanted), MET)
    assert is_within(path_change(found.part(slice(0, 1)), whole.part(slice(0, 1))), MET)
    back = keys_from_entry(keys_entry(MetKeys(keys, MET, MET, MET)), goal.camera, 25.0)
    assert [key.goes_on for key in back.keys.keys] == [key.goes_on for key in keys.keys]


def test_a_key_of_a_shot_stands_at_the_last_frame_of_a_shot(tmp_path: Path):
    shot = shot_of(replace(source("y", 1.0, 30.0), frames=64))
    write_shot(shot, tmp_path / "a.shot")
    key = read_last_key(str(tmp_path / "a.shot"), KeyTarget.of(shot.clip))
    assert key.seconds == (FRAMES - 1) / 25 and not key.goes_on
    assert float((key.centre - path().centre[-1]).abs().max()) < GEOMETRY64


def test_moments_of_a_path(tmp_path: Path):
    shot, file = shot_of(None), tmp_path / "a.shot"
    write_shot(shot, file)
    texts = KeyTexts(f"{file}@0.8", str(file), (f"1.2:{file}", f"1.6:{file}@0"))
    keys = texts.read(KeyTarget.of(shot.clip))
    assert keys is not None
    taken = [0.8, 1.2, 0.0, (FRAMES - 1) / 25]
    for key, moment in zip(keys.keys, taken, strict=True):
        there = path().at(torch.tensor([moment * 25], dtype=torch.float64))
        assert float((key.centre - there.centre[0]).abs().max()) < GEOMETRY64
    assert [key.seconds for key in keys.keys] == [0.0, 1.2, 1.6, (FRAMES - 1) / 25]
    assert KeyTexts.from_cells(texts.cells) == texts
    assert texts.files == (file,) * 4


def test_parts_are_kept_by_their_seconds():
    for text, frames in {
        "0-0.5": range(0, 13), "-0.5": range(0, 13), "1.5-": range(38, 53), "0.4-0.8": range(10, 21)
    }.items():  # fmt: skip
        (part,) = kept_parts(path(), 25.0, (text,))
        assert part.frames == frames
        assert torch.equal(part.camera.centre, path().centre[frames.start : frames.stop])
    for text in ("", "-", "2", "a-b", "1-0.5", "1-3"):
        with pytest.raises(FileError, match="part of a path"):
            kept_parts(path(), 25.0, (text,))


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (KeyTexts(start="none.json"), r"none\.json cannot be opened: no such file"),
        (KeyTexts(at=("1:none.json",)), r"none\.json cannot be opened: no such file"),
        (KeyTexts(end="none.chan"), r"none\.chan cannot be opened: no such file"),
        (KeyTexts(end="none.shot"), r"none\.shot cannot be opened: no such file"),
        (KeyTexts(start="empty.json"), r"empty\.json is empty"),
        (KeyTexts(start="folder.json"), r"folder\.json is not a file"),
        (KeyTexts(start="a.bvh"), "no camera that AESOP reads"),
        (KeyTexts(at=("x:a.shot",)), "is no key"),
        (KeyTexts(at=("1.2",)), "is no key"),
        (KeyTexts(start="a.shot@7"), "ends at 2.08 s"),
        (KeyTexts(at=("9:a.shot",)), "no camera at 9 s"),
        (KeyTexts(keep=("0-1",)), "no .shot"),
        (KeyTexts(end="bad.chan"), "no channel file"),
        (KeyTexts(end="empty.chan"), "no frames"),
    ],
)
def test_mistakes_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: KeyTexts, said: str
):
    monkeypatch.chdir(tmp_path)
    write_shot(shot_of(None), tmp_path / "a.shot")
    (tmp_path / "bad.chan").write_text("1 2 3\n", encoding="ascii")
    (tmp_path / "empty.chan").write_text("\n", encoding="ascii")
    (tmp_path / "empty.json").touch()
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(AesopError, match=said):
        texts.read(KeyTarget("walk", FRAMES, 25.0))


def test_a_channel_file_without_a_lens_leaves_the_lens_free(tmp_path: Path):
    (tmp_path / "a.chan").write_text("1 0 1.5 4 0 0 0\n", encoding="ascii")
    key = read_key(str(tmp_path / "a.chan"), KeyTarget("walk", FRAMES, 25.0), 1.0)
    assert key.fov_vertical is None
    # Nuke's camera at z = 4 looks along −z: in our world it stands at y = −4 and looks along y.
    assert torch.allclose(key.centre, torch.tensor([0.0, -4.0, 1.5]).double())
    assert torch.allclose(key.world_from_camera[:, 2], torch.tensor([0.0, 1.0, 0.0]).double())


def test_a_shot_remembers_what_it_met(tmp_path: Path):
    shot, camera = shot_of(None), path()
    write_shot(shot, tmp_path / "free.shot")
    assert read_shot(tmp_path / "free.shot").keys is None
    assert b'"keys"' not in (tmp_path / "free.shot").read_bytes()
    one = KeyedCamera(1.6, camera.world_from_camera[7], camera.centre[7], None)
    keys = CameraKeys((one,), (KeptPart(3, camera.part(slice(3, 14))),))
    misses = KeyMiss(0.5, 3.0, 0.0), KeyMiss(0.7, 5.0, 1.0), KeyMiss(0.0, 0.0, 0.0)
    write_shot(replace(shot, keys=MetKeys(keys, *misses)), tmp_path / "a.shot")
    back = read_shot(tmp_path / "a.shot").keys
    assert back is not None and (back.sampled, back.warp, back.shown) == misses
    assert torch.equal(back.keys.keys[0].centre, one.centre)
    assert back.keys.keys[0].fov_vertical is None and back.keys.keys[0].seconds == 1.6
    assert back.keys.kept[0].frames == range(3, 14)
    assert torch.equal(back.keys.kept[0].camera.centre, camera.centre[3:14])
