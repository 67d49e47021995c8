"""The camera lands where the user's character stands: exports in the world of the motion's file,
by arithmetic and in real Blender."""

import json
import math
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.export.export_files import write_export
from aesop.export.figure import figure_of
from aesop.export.file_world import in_file_world, motion_at
from aesop.files.bvh import read_bvh
from aesop.files.bvh_clip import bvh_armature, read_bvh_clip
from aesop.files.foreign_clip import METRES, Units
from aesop.files.motion_files import ReadOptions, read_motion
from aesop.scene.camera import CameraPath, camera_looking_at, project_joints
from aesop.scene.human import Clip, Provenance
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINT
from aesop.scene.source import UpAxis
from tests.export.test_blender import PYTHON
from tests.files.foreign import DIALECTS, Foreign, write_foreign
from tests.files.makers import gait_clip
from tests.files.samples import write_samples
from tests.scene.makers import to_source
from tests.tolerances import GEOMETRY32, SOLVED64

WIDTH_PX, HEIGHT_PX = 1920, 1080
SEEN = ("head", "left_wrist", "right_wrist")
SUFFIXES = (".glb", ".usda", ".py")


def filmed(clip: Clip) -> Shot:
    """A camera that walks along, looks at the hips and zooms."""
    root = clip.motion.root.double()
    time = torch.linspace(0, 1, clip.frames, dtype=torch.float64)
    way = torch.stack([2.1 - time, -3.3 + time, 0.4 + 0.3 * time.square()], dim=-1)
    camera = camera_looking_at(root + way, root, 0.75 - 0.1 * time, aspect=16 / 9)
    return Shot(clip, camera.to(torch.float32), Provenance("a test"), "the camera pushes in")


def foreign_file(folder: Path, units: Units, up: UpAxis, fps: float, size: float) -> Path:
    stretch = torch.full((22,), size, dtype=torch.float64)
    foreign = Foreign(metres=METRES[units], up=up, stretch=stretch)
    return write_foreign(folder / f"{units}_{up}_{fps:g}.bvh", gait_clip(61, fps), foreign)


FILES: tuple[tuple[Units, UpAxis, float, float], ...] = (
    ("cm", "y", 120.0, 1.13),
    ("inch", "z", 24.0, 0.9),
    ("m", "z", 60.0, 1.0),
    ("cmu", "y", 30.0, 1.2),
)


@pytest.mark.parametrize(("units", "up", "fps", "size"), FILES)
def test_tables_hold_the_camera_in_the_units_axes_and_frames_of_the_file(
    units: Units, up: UpAxis, fps: float, size: float, tmp_path: Path
):
    path = foreign_file(tmp_path, units, up, fps, size)
    shot = filmed(read_motion(path, ReadOptions(units=units, up=up)))
    source = shot.clip.source
    assert source is not None
    wanted = to_source(shot.camera, shot.fps, source)
    write_export(shot, tmp_path / "a.json")
    table = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert (table["fps"], table["up_axis"]) == (pytest.approx(fps), up)
    assert table["metres_per_unit"] == METRES[units]
    assert [row["frame"] for row in table["frames"]] == list(range(1, 62))
    found = torch.tensor([row["centre"] for row in table["frames"]], dtype=torch.float64)
    assert (found - wanted.camera.centre).abs().max() * METRES[units] < SOLVED64
    turns = torch.tensor([row["world_from_camera"] for row in table["frames"]], dtype=torch.float64)
    assert (turns - wanted.camera.world_from_camera).abs().max() < SOLVED64


@pytest.mark.parametrize(("units", "up", "fps", "size"), FILES)
def test_the_person_of_the_file_falls_where_the_preview_has_ours(
    units: Units, up: UpAxis, fps: float, size: float, tmp_path: Path
):
    """The file's skeleton has our proportions, so that nothing but the world can differ."""
    path = foreign_file(tmp_path, units, up, fps, size)
    shot = filmed(read_motion(path, ReadOptions(units=units, up=up)))
    there = in_file_world(shot)
    ours = project_joints(shot.camera, shot.clip.motion.joints).ndc
    figure = figure_of(there.clip)
    places = figure_places(there.clip)
    wanted = [figure.bones.index(name) for name in DIALECTS["mixamo"]]
    theirs = project_joints(there.camera, places[:, wanted].to(there.camera.centre)).ndc
    frames = [k for k in range(shot.frames) if (k * fps / 25).is_integer()]
    at = [round(k * fps / 25) for k in frames]
    # Legs are turned a little so that feet rest; heads and arms are not.
    seen = [JOINT[name] for name in SEEN]
    apart_px = (ours[frames] - theirs[at])[:, seen].abs() * torch.tensor([960.0, 540.0])
    assert len(frames) > 1 and float(apart_px.max()) < 0.5  # the promise, at 1080p


def figure_places(clip: Clip) -> torch.Tensor:
    """World places of a figure's bones in our z-up world."""
    figure = figure_of(clip)
    world: list[torch.Tensor] = []
    places: list[torch.Tensor] = []
    for bone, parent in enumerate(figure.parents):
        if parent < 0:
            world.append(figure.rotations[:, bone])
            places.append(figure.offsets[:, bone])
        else:
            world.append(world[parent] @ figure.rotations[:, bone])
            step = (world[parent] @ figure.offsets[:, bone, :, None])[..., 0]
            places.append(places[parent] + step)
    x, y, z = torch.stack(places, dim=1).unbind(-1)
    return torch.stack([x, -z, y], dim=-1)


@pytest.mark.parametrize("t_pose_first", [False, True])
def test_the_same_bvh_comes_back(t_pose_first: bool, tmp_path: Path):
    foreign = Foreign(order="xyz", moves_all_joints=True, top="Armature", t_pose_first=t_pose_first)
    path = write_foreign(tmp_path / "a.bvh", gait_clip(31, 30.0), foreign)
    clip = read_bvh_clip(path, calibration="first_frame" if t_pose_first else None)
    write_export(filmed(clip), tmp_path / "b.bvh")
    first, second = read_bvh(path), read_bvh(tmp_path / "b.bvh")
    assert (first.names, first.fps, first.frames) == (second.names, second.fps, second.frames)
    for one, other in zip(first.joints, second.joints, strict=True):
        assert (one.name, one.parent, one.channels) == (other.name, other.parent, other.channels)
        assert np.allclose(one.offset, other.offset, atol=2e-5)  # single precision of a metre in cm
    armatures = bvh_armature(first), bvh_armature(second)
    turns, places = (
        (getattr(armatures[0], name) - getattr(armatures[1], name)).abs().max()
        for name in ("rotations", "offsets")
    )
    # Six decimals of a centimetre and of a degree, kept in single precision.
    assert turns < GEOMETRY32 and places < 100 * GEOMETRY32


def test_aesops_own_world_has_no_file(tmp_path: Path):
    shot = filmed(read_motion(foreign_file(tmp_path, "cm", "y", 120.0, 1.13)))
    bare = replace(shot, clip=replace(shot.clip, source=None))
    for suffix in (".glb", ".usda", ".bvh", ".json", ".csv", ".py"):
        write_export(shot, tmp_path / f"a{suffix}", world="aesop")
        write_export(bare, tmp_path / f"b{suffix}")
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


@pytest.mark.parametrize("fps", [24.0, 30.0, 48.0])
def test_another_rate_shows_the_same_instants(fps: float, tmp_path: Path):
    shot = filmed(read_motion(foreign_file(tmp_path, "cm", "y", 120.0, 1.13)))
    own, other = in_file_world(shot), in_file_world(shot, fps)
    assert other.fps == fps and other.frames == int(60 * fps / 120) + 1
    step = round(120 / fps * 2)  # every second frame of the new rate is one of the file's
    assert (other.camera.centre[::2] - own.camera.centre[::step]).abs().max() < SOLVED64
    assert (figure_places(other.clip)[::2] - figure_places(own.clip)[::step]).abs().max() < (
        GEOMETRY32
    )


def test_between_frames_bones_keep_their_lengths():
    motion = gait_clip(13).motion.to(torch.float64)
    between = motion_at(motion, torch.tensor([0.0, 3.4, 7.75, 12.0], dtype=torch.float64))
    bones = [(JOINT["left_knee"], JOINT["left_hip"]), (JOINT["head"], JOINT["neck"])]
    for end, start in bones:
        was, now = (
            torch.linalg.vector_norm(one.joints[:, end] - one.joints[:, start], dim=-1)
            for one in (motion, between)
        )
        assert (now - was[0]).abs().max() < GEOMETRY32  # made in single precision
    assert (between.joints[0] - motion.joints[0]).abs().max() < GEOMETRY32
    assert (between.joints[-1] - motion.joints[-1]).abs().max() < GEOMETRY32


@dataclass(frozen=True)
class Original:
    """A file, its shot, and where the file itself has head and hands, at frames of the file."""

    path: Path
    shot: Shot
    frames: tuple[int, ...]
    names: dict[str, str]


def originals(folder: Path) -> list[Original]:
    """One of every kind that AESOP reads, but characters, which Blender itself writes and reads in
    test_characters_in_blender.py."""
    found: list[Original] = []
    for units, up, fps, size in FILES:
        path = foreign_file(folder, units, up, fps, size)
        names = {name: DIALECTS["mixamo"][JOINT[name]] for name in SEEN}
        shot = filmed(read_motion(path, ReadOptions(units=units, up=up)))
        step = int(fps / math.gcd(int(fps), 25))  # file frames that are also frames of the clip
        found.append(Original(path, shot, (1, 1 + step, 1 + 60 // step * step), names))
    for kind, path in write_samples(folder, 61).items():
        if kind not in ("amc", "clip", "shot", "fbx", "glb", "gltf"):
            shot = filmed(read_motion(path))
            names = {name: name for name in SEEN}
            source = shot.clip.source
            assert source is not None
            step = int(source.fps / math.gcd(int(source.fps), 25))
            start = source.start_frame
            last = start + (source.frames - 1) // step * step
            found.append(Original(path, shot, (start, start + step, last), names))
    return found


def case(original: Original, suffix: str) -> dict[str, object]:
    shot, source = original.shot, original.shot.clip.source
    assert source is not None
    export = original.path.with_name(f"{original.path.stem}_{suffix[1:]}{suffix}")
    write_export(shot, export)
    there = in_file_world(shot)
    places = source.in_file(_same_frames(original).double())
    return {
        "export": str(export),
        "bvh": str(original.path) if original.path.suffix == ".bvh" else "",
        "fps": round(source.fps),
        "unit": source.metres_per_unit,
        "up": source.up,
        "start_frame": source.start_frame,
        "later": max(0, 1 - source.start_frame),
        "frames": original.frames,
        "joints": original.names,
        "points": [
            {name: place[JOINT[name]].tolist() for name in SEEN} for place in places
        ] if there.clip.source is not None and there.clip.source.armature is None else [],
    }  # fmt: skip


def _same_frames(original: Original) -> torch.Tensor:
    """Our joints at the frames of the file that are asked for."""
    return original.shot.clip.motion.joints[_clip_frames(original)]


def _clip_frames(original: Original) -> list[int]:
    source = original.shot.clip.source
    assert source is not None
    return [round((frame - source.first_frame) * 25 / source.fps) for frame in original.frames]


@pytest.mark.skipif(PYTHON is None, reason="no Blender (bpy) for Python here")
def test_in_blender_head_and_hands_are_where_the_preview_has_them(tmp_path: Path):
    every = [(original, suffix) for original in originals(tmp_path) for suffix in SUFFIXES]
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps([case(*one) for one in every]), encoding="utf-8")
    reader = Path(__file__).with_name("blender_scenes.py")
    words = [str(PYTHON), str(reader), str(cases)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    (line,) = [it for it in done.stdout.splitlines() if it.startswith("SEEN ")] or [done.stderr]
    for (original, suffix), found in zip(
        every, json.loads(line.removeprefix("SEEN ")), strict=True
    ):
        camera: CameraPath = original.shot.camera
        ndc = project_joints(camera, original.shot.clip.motion.joints).ndc[_clip_frames(original)]
        for frame, seen in zip(ndc, found, strict=True):
            for name in SEEN:
                x, y = frame[JOINT[name]].tolist()
                wanted = np.array([(1 + x) / 2 * WIDTH_PX, (1 - y) / 2 * HEIGHT_PX])
                for who in ("original", "figure"):
                    apart = np.abs(np.array(seen[who][name]) - wanted).max()
                    # The promise of the exports, at 1080p.
                    assert apart < 0.5, (original.path.name, suffix, who, name, apart)
