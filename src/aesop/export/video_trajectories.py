"""Camera trajectories in the files that video models and radiance fields read.

All are frame by frame and in metres (ReCamMaster: centimetres), so that a trajectory and the
control passes of the same shot agree in every frame.
"""

import json
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from aesop.core.whole_files import atomic_path
from aesop.export.mannequin_mesh import world_from_gl_camera
from aesop.scene.camera import CameraPath
from aesop.scene.shot import Shot

_MICROSECONDS = 1_000_000
_CENTIMETRES = 100.0
RENDER_HEIGHT_PX = 1080  # what nerfstudio renders unless it is asked otherwise
RECAMMASTER_CAMERA = "cam01"


def write_realestate10k(shot: Shot, path: Path) -> None:
    """Text as RealEstate10K has it and CameraCtrl, MotionCtrl and their kin read it.

    A first line that readers skip, then a line a frame: microseconds; focal lengths and principal
    point, in widths and heights of the image; two zeros; camera_from_world as three rows of four.
    Camera axes are ours (OpenCV).
    """
    camera = shot.camera
    turns = camera.world_from_camera.double().transpose(-1, -2)
    places = -(turns @ camera.centre.double()[..., None])
    camera_from_world = torch.cat([turns, places], dim=-1).reshape(camera.frames, 12)
    focal = 0.5 / camera.tan_half_fov.double()
    title = " ".join(f"{shot.clip.name}: {shot.camera_words}".split())
    lines = [title]
    for frame, (lens, row) in enumerate(
        zip(focal.tolist(), camera_from_world.tolist(), strict=True)
    ):
        numbers = [*lens, 0.5, 0.5, 0.0, 0.0, *row]
        stamp = round(frame / shot.fps * _MICROSECONDS)
        lines.append(" ".join([str(stamp), *(f"{value:.9f}" for value in numbers)]))
    _write_text(path, "\n".join([*lines, ""]))


def write_recammaster(shot: Shot, path: Path) -> None:
    """JSON as ReCamMaster's `camera_extrinsics.json`: one matrix in words a frame and camera.

    Rows are the camera's forward, right and up and its place, in Unreal's world: x forward, y
    right, z up (left-handed), centimetres. The format has neither a lens nor a size of pictures.
    """
    frames = {
        f"frame{frame}": {RECAMMASTER_CAMERA: _in_brackets(rows)}
        for frame, rows in enumerate(unreal_rows(shot.camera))
    }
    _write_text(path, json.dumps(frames, indent=1) + "\n")


def write_nerfstudio(shot: Shot, path: Path) -> None:
    """JSON as nerfstudio's viewer saves it and `ns-render camera-path` reads it.

    World z up in metres; cameras look along −z with y up; the field of view is the vertical one.
    """
    camera = shot.camera
    poses = np.tile(np.eye(4), (camera.frames, 1, 1))
    poses[:, :3, :3] = world_from_gl_camera(camera).numpy()
    poses[:, :3, 3] = camera.centre.double().numpy()
    lens = torch.rad2deg(camera.fov_vertical.double()).tolist()
    usual_px = 2 * round(RENDER_HEIGHT_PX * camera.aspect / 2), RENDER_HEIGHT_PX
    width_px, height_px = shot.resolution_px or usual_px
    document = {
        "camera_type": "perspective",
        "render_height": height_px,
        "render_width": width_px,
        "fps": shot.fps,
        "seconds": shot.frames / shot.fps,
        "is_cycle": False,
        "smoothness_value": 0,
        "crop": None,
        "keyframes": [],
        "camera_path": [
            {"camera_to_world": pose, "fov": degrees, "aspect": camera.aspect}
            for pose, degrees in zip(poses.reshape(-1, 16).tolist(), lens, strict=True)
        ],
    }
    _write_text(path, json.dumps(document, indent=1) + "\n")


def unreal_rows(camera: CameraPath) -> Float[np.ndarray, "frames 4 4"]:
    """Unreal's matrices: rows are forward, right, up and place. Its y is against ours."""
    mirror = np.array([1.0, -1.0, 1.0])
    right, down, forward = camera.world_from_camera.double().numpy().transpose(2, 0, 1)
    rows = np.zeros((camera.frames, 4, 4))
    rows[:, 0, :3], rows[:, 1, :3], rows[:, 2, :3] = forward, right, -down
    rows[:, 3, :3] = camera.centre.double().numpy() * _CENTIMETRES
    rows[:, :, :3] *= mirror
    rows[:, 3, 3] = 1.0
    return rows


def _in_brackets(rows: Float[np.ndarray, "4 4"]) -> str:
    """`[a b c d] [e f g h] …`, with the space at the end that the original files have."""
    return "".join("[" + " ".join(f"{value:.9g}" for value in row) + "] " for row in rows.tolist())


def _write_text(path: Path, text: str) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
