"""The camera as numbers: JSON and CSV, with units and axes in the names; and channel files (.chan),
which Nuke and scripts for Maya, Houdini and Blender read."""

import csv
import json
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from aesop.core.whole_files import atomic_path
from aesop.export.bezier_keys import BezierKeys, lens_keys, place_keys, quaternion_xyzw_keys
from aesop.export.file_world import file_camera
from aesop.export.mannequin_mesh import (
    focal_mm,
    steady_quaternions_wxyz,
    world_from_gl_camera,
    y_up_from_world,
)
from aesop.scene.camera import CameraPath
from aesop.scene.rotation import euler_from_matrix
from aesop.scene.shot import Shot

_METRES, _UNITS = ("x_m", "y_m", "z_m"), ("x", "y", "z")
_COLUMNS = (
    "qw", "qx", "qy", "qz", "fov_vertical_deg", "fov_horizontal_deg",
    "focal_mm",
)  # fmt: skip
_CONVENTIONS = {
    "world": "right-handed, z up, metres; at yaw 0 the person faces -y",
    "world_from_camera": "3 x 3, columns are the camera's axes in the world: x right, y down, "
    "z forward (OpenCV)",
    "quaternion": "w x y z of the same turn for a camera that looks along -z with y up "
    "(OpenGL, Blender, glTF, USD)",
}


def write_camera_json(shot: Shot, path: Path, *, as_keys: bool = False) -> None:
    """One object per frame; as keys, few Bézier keys beside them."""
    source = shot.clip.source
    camera = _camera(shot)
    table, turns = _table(camera, shot.sensor_width_mm), camera.world_from_camera.double()
    centre = "centre_m" if source is None else "centre"
    frames = [
        {
            "frame": frame,
            "seconds": seconds,
            centre: row[:3],
            "world_from_camera": turn,
            "quaternion_wxyz_gl": row[3:7],
            "fov_vertical_deg": row[7],
            "fov_horizontal_deg": row[8],
            "focal_mm": row[9],
        }
        for (frame, seconds), row, turn in zip(
            _numbers(shot), table.tolist(), turns.tolist(), strict=True
        )
    ]
    document = {
        "format": "aesop.camera",
        "version": 1,
        **_meaning(shot),
        "name": shot.clip.name,
        "fps": shot.fps,
        "aspect": camera.aspect,
        "sensor_mm": [shot.sensor_width_mm, shot.sensor_width_mm / camera.aspect],
        **({} if shot.resolution_px is None else {"resolution_px": shot.resolution_px}),
        "camera_words": shot.camera_words,
        "human_words": shot.human_words,
        "intensity": shot.intensity,
        **({} if (curve := shot.intensity_curve) is None else {"intensity_curve": curve.points}),
        "frames": frames,
        **({"keys": _keys(shot)} if as_keys else {}),
    }
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8", newline="\n")


def write_camera_csv(shot: Shot, path: Path) -> None:
    """One row per frame; what the columns mean stands in docs/exports.md."""
    with atomic_path(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        rows, source = csv.writer(file), shot.clip.source
        centre, last, facts = _METRES, ("aspect",), (shot.camera.aspect,)
        if source is not None:
            centre, last = _UNITS, ("aspect", "metres_per_unit", "up_axis")
            facts = (shot.camera.aspect, source.metres_per_unit, source.up)
        rows.writerow(("frame", "seconds", *centre, *_COLUMNS, *last))
        table = _table(_camera(shot), shot.sensor_width_mm)
        for (frame, seconds), row in zip(_numbers(shot), table, strict=True):
            rows.writerow((frame, seconds, *row.tolist(), *facts))


def _camera(shot: Shot) -> CameraPath:
    """In the units and axes of the file, where there is one."""
    return shot.camera if shot.clip.source is None else file_camera(shot)


def _numbers(shot: Shot) -> list[tuple[int, float]]:
    """Numbers of the frames, and seconds since the first of the file."""
    source = shot.clip.source
    first = 0 if source is None else round(source.first_frame)
    start = 0 if source is None else source.start_frame
    frames = range(first, first + shot.frames)
    return [(frame, (frame - start) / shot.fps) for frame in frames]


def _meaning(shot: Shot) -> dict[str, object]:
    """What the numbers mean: in our world, or in that of a file."""
    source = shot.clip.source
    focal = {"focal_mm": f"before a sensor {shot.sensor_width_mm:g} mm wide"}
    if source is None:
        return {"conventions": _CONVENTIONS | focal}
    world = f"that of {source.file}: right-handed, {source.up} up, in the file's own unit"
    return {
        "conventions": _CONVENTIONS | focal | {"world": world},
        "source_file": source.file,
        "metres_per_unit": source.metres_per_unit,
        "up_axis": source.up,
    }


def _keys(shot: Shot) -> dict[str, object]:
    """Few keys of place, turn and lens: frames in the numbers of the file, slopes per frame."""
    camera, source = _camera(shot), shot.clip.source
    metres = 1.0 if source is None else source.metres_per_unit
    place = place_keys(camera.centre.double().numpy() * metres)
    turn = quaternion_xyzw_keys(world_from_gl_camera(camera))
    lens = lens_keys(
        np.rad2deg(camera.fov_vertical.double().numpy())[:, None],
        lambda degrees: np.deg2rad(degrees[:, 0]),
    )
    first = _numbers(shot)[0][0]

    def channel(keys: BezierKeys, scale: float = 1.0, roll: int = 0) -> dict[str, object]:
        return {
            "frames": (keys.frames + first).tolist(),
            "values": (np.roll(keys.values, roll, axis=1) / scale).tolist(),
            "slopes_per_frame": (np.roll(keys.slopes, roll, axis=1) / scale).tolist(),
        }

    return {
        "between": "cubic Hermite; Bézier handles a third of the way; quaternions normalised",
        "centre_m" if source is None else "centre": channel(place, metres),
        "quaternion_wxyz_gl": channel(turn, roll=1),
        "fov_vertical_deg": channel(lens),
    }


def _table(camera: CameraPath, sensor_width_mm: float) -> Float[np.ndarray, "frames 10"]:
    fields_of_view = (camera.fov_vertical.double(), camera.fov_horizontal.double())
    return np.concatenate(
        [
            camera.centre.double().numpy(),
            steady_quaternions_wxyz(world_from_gl_camera(camera)).numpy(),
            *(np.rad2deg(fov.numpy())[:, None] for fov in fields_of_view),
            focal_mm(camera, sensor_width_mm).numpy()[:, None],
        ],
        axis=1,
    )


FIRST_FRAME = 1  # what Nuke calls the first frame of a new script, where no file numbers frames
_ORDER_AS_PRODUCT = "yxz"  # Ry·Rx·Rz turns about z first


def write_chan(shot: Shot, path: Path) -> None:
    """Write the camera, in the units and frame numbers of the motion's file, else metres.

    One line a frame: number, place, turns about x, y and z in degrees, vertical field of view in
    degrees. The file cannot say its axes or order of turns. These are Nuke's own: y up, a camera
    that looks along −z, and order ZXY (about z first, y last), which Maya calls zxy.
    """
    source = shot.clip.source
    rows = chan_rows(shot.camera)
    if source is not None:
        rows[:, :3] /= source.metres_per_unit
    first = FIRST_FRAME if source is None else round(source.first_frame)
    numbers = range(first, first + len(rows))
    lines = [
        "\t".join([str(number), *(f"{value:.9g}" for value in row)])
        for number, row in zip(numbers, rows.tolist(), strict=True)
    ]
    with atomic_path(path) as temporary:
        temporary.write_text("\n".join([*lines, ""]), encoding="ascii", newline="\n")


def chan_rows(camera: CameraPath) -> Float[np.ndarray, "frames 7"]:
    """Place, turns about x, y, z without jumps of a whole turn, and field of view."""
    world = world_from_gl_camera(camera)
    turn = y_up_from_world(world)
    turns = euler_from_matrix(turn @ world, _ORDER_AS_PRODUCT)[:, [1, 0, 2]]
    degrees = np.rad2deg(np.unwrap(turns.numpy(), axis=0))
    place = camera.centre.double() @ turn.T
    lens = torch.rad2deg(camera.fov_vertical.double())
    return np.concatenate([place.numpy(), degrees, lens.numpy()[:, None]], axis=1)
