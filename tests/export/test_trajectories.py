"""Cameras for Nuke, Maya and video models, read as those programs read them: everything is seen at
the pixel where we see it."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import av
import numpy as np
import pytest
import torch
from scipy.spatial.transform import Rotation

from aesop.cli.film_commands import film, shoot
from aesop.cli.film_outputs import numbered
from aesop.core.errors import CameraError
from aesop.export.camera_tables import chan_rows
from aesop.export.export_files import SHOT_WRITERS, suffix_of, write_export
from aesop.files.motion_files import read_motion
from aesop.scene.camera import camera_looking_at
from tests.export.makers import FRAMES, moving_shot
from tests.export.test_file_world import filmed, foreign_file
from tests.scene.makers import to_source
from tests.tolerances import GEOMETRY32, GEOMETRY64

SHOT = moving_shot()
WIDTH, HEIGHT = 1998, 1080  # 1.85
OPENCV_FROM_GL = np.diag([1.0, -1.0, -1.0])


@dataclass(frozen=True)
class Seen:
    """A camera that another program understood; focal lengths in widths and heights."""

    camera_from_world: np.ndarray
    place: np.ndarray
    focal: np.ndarray


def pixels(seen: Seen, points: np.ndarray) -> np.ndarray:
    """Pixels of points [frames points 3] in OpenCV's way, from the top left corner."""
    apart = points - seen.place[:, None]
    x, y, depth = np.moveaxis(apart @ seen.camera_from_world.transpose(0, 2, 1), -1, 0)
    across = (0.5 + seen.focal[:, :1] * x / depth) * WIDTH
    return np.stack([across, (0.5 + seen.focal[:, 1:] * y / depth) * HEIGHT], axis=-1)


def our_pixels() -> np.ndarray:
    ndc = SHOT.projection.ndc.double().numpy()
    return (ndc * (0.5, -0.5) + 0.5) * (WIDTH, HEIGHT)


def focal_from_vertical(degrees: np.ndarray) -> np.ndarray:
    """Focal lengths of square pixels from a vertical field of view."""
    down = 0.5 / np.tan(np.deg2rad(degrees) / 2)
    return np.stack([down * HEIGHT / WIDTH, down], axis=-1)


def as_nuke(path: Path) -> tuple[Seen, np.ndarray]:
    """Nuke: y up, looks along −z, ZXY: about the fixed axes z, then x, then y."""
    table = np.loadtxt(path)
    assert table[:, 0].tolist() == list(range(1, FRAMES + 1))
    place, turns = table[:, 1:4], table[:, [6, 4, 5]]
    world_from_gl = Rotation.from_euler("zxy", turns, degrees=True).as_matrix()
    camera_from_world = OPENCV_FROM_GL @ world_from_gl.transpose(0, 2, 1)
    # x stays, our z is its y, our y is against its z
    theirs_from_ours = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    return Seen(camera_from_world, place, focal_from_vertical(table[:, 7])), theirs_from_ours


def as_cameractrl(path: Path) -> tuple[Seen, np.ndarray]:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + FRAMES
    rows = np.array([[float(word) for word in line.split(" ")] for line in lines[1:]])
    assert rows.shape[1] == 19
    # Whole microseconds.
    assert np.abs(rows[:, 0] / 1e6 - np.arange(FRAMES) / 25).max() <= 0.5e-6
    assert (rows[:, 3:5] == 0.5).all() and (rows[:, 5:7] == 0).all()
    camera_from_world = rows[:, 7:].reshape(-1, 3, 4)
    turns = camera_from_world[:, :, :3]
    place = -(turns.transpose(0, 2, 1) @ camera_from_world[:, :, 3:])[..., 0]
    return Seen(turns, place, rows[:, 1:3]), np.eye(3)


def as_recammaster(path: Path) -> tuple[Seen, np.ndarray]:
    """Matrices transposed, columns taken as right, up, forward, up turned down, centimetres."""
    document = json.loads(path.read_text(encoding="utf-8"))
    poses = []
    for frame in range(FRAMES):
        words = document[f"frame{frame}"]["cam01"].strip().split("] [")
        rows = [[float(word) for word in row.strip("[] ").split()] for row in words]
        forward, right, up, place = np.array(rows)[:, :3]
        assert [row[3] for row in rows] == [0, 0, 0, 1]
        poses.append((np.stack([right, -up, forward]), place / 100))
    turns, places = (np.array(values) for values in zip(*poses, strict=True))
    # The lens does not travel: ours is borrowed.
    focal = 0.5 / SHOT.camera.tan_half_fov.double().numpy()
    return Seen(turns, places, focal), np.diag([1.0, -1.0, 1.0])


def as_nerfstudio(path: Path) -> tuple[Seen, np.ndarray]:
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["camera_type"] == "perspective" and document["fps"] == 25
    assert document["render_width"] == WIDTH and document["render_height"] == HEIGHT
    assert np.isclose(document["seconds"], FRAMES / 25)
    poses = np.array([row["camera_to_world"] for row in document["camera_path"]])
    poses = poses.reshape(FRAMES, 4, 4)
    turns = OPENCV_FROM_GL @ poses[:, :3, :3].transpose(0, 2, 1)
    lens = focal_from_vertical(np.array([row["fov"] for row in document["camera_path"]]))
    return Seen(turns, poses[:, :3, 3], lens), np.eye(3)


Reader = Callable[[Path], tuple[Seen, np.ndarray]]


@pytest.mark.parametrize(
    ("suffix", "read"),
    [
        (".chan", as_nuke),
        (".txt", as_cameractrl),
        (".recammaster.json", as_recammaster),
        (".nerfstudio.json", as_nerfstudio),
    ],
)
def test_everything_is_at_the_pixel_where_we_see_it(suffix: str, read: Reader, tmp_path: Path):
    path = tmp_path / f"a{suffix}"
    write_export(SHOT, path)
    seen, theirs_from_ours = read(path)
    joints = SHOT.clip.motion.joints.double().numpy() @ theirs_from_ours.T
    # Pixels per radian are about the height; points are under ten metres away.
    assert np.abs(pixels(seen, joints) - our_pixels()).max() < 10 * HEIGHT * GEOMETRY32
    assert np.abs(seen.place - SHOT.camera.centre.numpy() @ theirs_from_ours.T).max() < GEOMETRY32


def test_recammaster_gets_the_movement_between_two_frames_whatever_its_world(tmp_path: Path):
    """Its world is left-handed, what it computes with (pose relative to the first) must not be."""
    write_export(SHOT, tmp_path / "a.recammaster.json")
    seen, _ = as_recammaster(tmp_path / "a.recammaster.json")
    ours = SHOT.camera.world_from_camera.double().numpy()
    found = seen.camera_from_world[0] @ seen.camera_from_world[30].T
    assert np.abs(found - ours[0].T @ ours[30]).max() < GEOMETRY32
    assert np.linalg.det(found) > 0


def test_turns_of_a_channel_file_never_jump():
    """Nuke and Maya interpolate between lines: a jump of a whole turn would spin the camera."""
    angle = torch.linspace(0, 3 * torch.pi, 41, dtype=torch.float64)
    around = torch.stack([4 * angle.cos(), 4 * angle.sin(), angle * 0 + 2], dim=-1)
    turns = chan_rows(camera_looking_at(around, torch.zeros_like(around), 0.7))[:, 3:6]
    # One and a half turns to the left about the vertical, in equal steps; nothing else turns.
    assert np.abs(np.diff(turns, axis=0) - (0, 540 / 40, 0)).max() < np.rad2deg(GEOMETRY64)


def test_a_channel_file_has_the_units_and_frame_numbers_of_the_motions_file(tmp_path: Path):
    path = foreign_file(tmp_path, "cm", "y", 120.0, 1.13)
    shot = filmed(read_motion(path))
    source = shot.clip.source
    assert source is not None
    wanted = to_source(shot.camera, shot.fps, source)
    write_export(shot, tmp_path / "a.chan")
    table = np.loadtxt(tmp_path / "a.chan")
    numbers = wanted.first_frame + np.arange(wanted.camera.frames)
    assert table[:, 0].tolist() == numbers.tolist()
    # Nine digits of a few metres in centimetres.
    assert np.abs(table[:, 1:4] - wanted.camera.centre.numpy()).max() < 1e-5
    turns = Rotation.from_euler("zxy", table[:, [6, 4, 5]], degrees=True).as_matrix()
    ours = wanted.camera.world_from_camera.numpy() @ OPENCV_FROM_GL
    assert np.abs(turns - ours).max() < GEOMETRY32


def test_trajectories_for_video_models_go_with_the_pictures(tmp_path: Path):
    """Frame by frame at the shot's rate, whatever the rate of the motion's file."""
    shot = filmed(read_motion(foreign_file(tmp_path, "cm", "y", 120.0, 1.13)))
    write_export(shot, tmp_path / "a.txt")
    assert len((tmp_path / "a.txt").read_text(encoding="utf-8").splitlines()) == 1 + shot.frames


@pytest.mark.parametrize("fps", [24.0, 30.0, 50.0])
def test_rate_and_pixels_reach_what_video_models_read(fps: float, tmp_path: Path):
    """Trajectory and control pass of one shot have as many frames, and the pixels asked for."""
    shot = replace(moving_shot(), resolution_px=(370, 200))
    frames = int((FRAMES - 1) * fps / 25 + 1e-9) + 1
    for suffix in (".txt", ".recammaster.json", ".nerfstudio.json", ".pose.mp4"):
        write_export(shot, tmp_path / f"a{suffix}", fps=fps)
    lines = (tmp_path / "a.txt").read_text(encoding="utf-8").splitlines()[1:]
    stamps = np.array([float(line.split()[0]) for line in lines])
    # Whole microseconds.
    assert len(stamps) == frames and np.abs(stamps / 1e6 - np.arange(frames) / fps).max() <= 0.5e-6
    rows = json.loads((tmp_path / "a.recammaster.json").read_text(encoding="utf-8"))
    assert len(rows) == frames
    path = json.loads((tmp_path / "a.nerfstudio.json").read_text(encoding="utf-8"))
    assert (path["fps"], len(path["camera_path"])) == (fps, frames)
    assert (path["render_width"], path["render_height"]) == (370, 200)
    with av.open(str(tmp_path / "a.pose.mp4")) as video:
        stream = video.streams.video[0]
        assert (stream.width, stream.height, float(stream.average_rate or 0)) == (370, 200, fps)
        assert sum(1 for _ in video.decode(stream)) == frames
    # Every fifth frame of 30 fps and every sixth of 25 show one instant, and so on.
    step, own = round(fps / np.gcd(round(fps), 25)), round(25 / np.gcd(round(fps), 25))
    places = np.array([row["camera_to_world"] for row in path["camera_path"]])[::step, 3::4][:, :3]
    apart = places - shot.camera.centre.double().numpy()[::own][: len(places)]
    assert np.abs(apart).max() < GEOMETRY32


def test_video_of_odd_pixels_is_refused_before_anything_is_drawn(tmp_path: Path):
    shot = replace(SHOT, resolution_px=(371, 200))
    with pytest.raises(CameraError, match=r"371 × 200 .* Ask for 372x200"):
        write_export(shot, tmp_path / "a.depth.mp4")
    assert not list(tmp_path.iterdir())


def test_double_suffixes_name_a_format_only_together():
    assert suffix_of(Path("a.b/walk.Nerfstudio.JSON")) == ".Nerfstudio.JSON"
    assert suffix_of(Path("walk.v2.json")) == ".json"
    assert suffix_of(Path(".json")) == ""
    assert len({writer.suffix for writer in SHOT_WRITERS}) == len(SHOT_WRITERS)


def test_takes_are_numbered_before_the_whole_suffix():
    outputs = [Path("x/walk.recammaster.json"), Path("walk.final.mp4")]
    (first, second) = numbered(outputs, 2)
    assert first == [Path("x/walk_take1.recammaster.json"), Path("walk.final_take1.mp4")]
    assert second == [Path("x/walk_take2.recammaster.json"), Path("walk.final_take2.mp4")]


def test_help_and_manual_name_every_suffix():
    manual = Path("docs/exports.md").read_text(encoding="utf-8")
    for writer in SHOT_WRITERS:
        assert f"`{writer.suffix}`" in manual
        for command in (film, shoot):
            assert writer.suffix in (command.__doc__ or "")
