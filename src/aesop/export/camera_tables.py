"""The camera as numbers: JSON and CSV, with units and axes in the names."""

import csv
import json
from pathlib import Path

import numpy as np
from jaxtyping import Float

from aesop.core.whole_files import atomic_path
from aesop.export.mannequin_mesh import (
    SENSOR_WIDTH_MM,
    focal_mm,
    steady_quaternions_wxyz,
    world_from_gl_camera,
)
from aesop.scene.shot import Shot

_COLUMNS = (
    "x_m", "y_m", "z_m", "qw", "qx", "qy", "qz", "fov_vertical_deg", "fov_horizontal_deg",
    "focal_mm",
)  # fmt: skip
_CONVENTIONS = {
    "world": "right-handed, z up, metres; at yaw 0 the person faces -y",
    "world_from_camera": "3 x 3, columns are the camera's axes in the world: x right, y down, "
    "z forward (OpenCV)",
    "quaternion": "w x y z of the same turn for a camera that looks along -z with y up "
    "(OpenGL, Blender, glTF, USD)",
    "focal_mm": f"before a sensor {SENSOR_WIDTH_MM:g} mm wide",
}


def write_camera_json(shot: Shot, path: Path) -> None:
    """One object per frame."""
    camera = shot.camera
    table, turns = _table(shot), camera.world_from_camera.double()
    frames = [
        {
            "frame": frame,
            "seconds": frame / shot.fps,
            "centre_m": row[:3],
            "world_from_camera": turn,
            "quaternion_wxyz_gl": row[3:7],
            "fov_vertical_deg": row[7],
            "fov_horizontal_deg": row[8],
            "focal_mm": row[9],
        }
        for frame, (row, turn) in enumerate(zip(table.tolist(), turns.tolist(), strict=True))
    ]
    document = {
        "format": "aesop.camera",
        "version": 1,
        "conventions": _CONVENTIONS,
        "name": shot.clip.name,
        "fps": shot.fps,
        "aspect": camera.aspect,
        "sensor_mm": [SENSOR_WIDTH_MM, SENSOR_WIDTH_MM / camera.aspect],
        "camera_words": shot.camera_words,
        "human_words": shot.human_words,
        "intensity": shot.intensity,
        "frames": frames,
    }
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8", newline="\n")


def write_camera_csv(shot: Shot, path: Path) -> None:
    """One row per frame; what the columns mean stands in docs/exports.md."""
    with atomic_path(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("frame", "seconds", *_COLUMNS, "aspect"))
        for frame, row in enumerate(_table(shot).tolist()):
            rows.writerow((frame, frame / shot.fps, *row, shot.camera.aspect))


def _table(shot: Shot) -> Float[np.ndarray, "frames 10"]:
    camera = shot.camera
    fields_of_view = (camera.fov_vertical.double(), camera.fov_horizontal.double())
    return np.concatenate(
        [
            camera.centre.double().numpy(),
            steady_quaternions_wxyz(world_from_gl_camera(camera)).numpy(),
            *(np.rad2deg(fov.numpy())[:, None] for fov in fields_of_view),
            focal_mm(camera).numpy()[:, None],
        ],
        axis=1,
    )
