"""Control passes of the lens as video: depth and surface normals of mannequin and floor, and the
person's joints as OpenPose draws them. Video models take them as conditions.

Every pixel has one ray through its middle; edges are not softened, since a mean of two depths is
the depth of nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from jaxtyping import Float32

from aesop.core.errors import CameraError, Progress
from aesop.core.pool import in_order
from aesop.preview.canvas import Picture, Plane, View, fit_aspect
from aesop.preview.mannequin import mannequin
from aesop.preview.openpose import keypoints_of, pose_picture
from aesop.preview.painting import Hits, normals_at
from aesop.preview.ray_casting import FARTHEST, cast, empty_buffer, see, split_buffer
from aesop.preview.stage import Stage, lens_view, stage_of
from aesop.preview.video import encode
from aesop.scene.shot import Shot

PassName = Literal["depth", "normal", "pose"]
LONG_SIDE_PX = 1280
_SCOUT_PX = 96  # long side of the small pictures in which the nearest surface is looked for


@dataclass(frozen=True, eq=False)
class Surface:
    """What the lens sees: depth along the view in metres (infinite where there is nothing), and the
    surface's unit normal in camera axes (x right, y down, z forward)."""

    depth_m: Plane
    normal: Float32[np.ndarray, "height width 3"]


def write_pass(shot: Shot, path: Path, name: PassName, progress: Progress | None = None) -> None:
    """Write one pass of all frames as MP4."""
    stage, size = stage_of(shot), shot.resolution_px or pass_size(shot.camera.aspect)
    refuse_odd(size)
    draw = _PASSES[name](stage, size)
    encode(path, in_order(draw, shot.frames), shot.fps, shot.frames, progress)


def refuse_odd(size_px: tuple[int, int]) -> None:
    """Video has pixels in pairs; a picture of other pixels than asked for would be a repair."""
    width, height = size_px
    if width % 2 or height % 2:
        raise CameraError(
            f"Video of {width} × {height} pixels cannot be made: its sides are even.",
            f"Ask for {width + width % 2}x{height + height % 2} pixels.",
        )


def pass_size(aspect: float, long_side: int = LONG_SIDE_PX) -> tuple[int, int]:
    """Width and height of a pass: even, as video demands."""
    width, height = fit_aspect(aspect, (long_side, long_side))
    return width + width % 2, height + height % 2


def surface_of(stage: Stage, frame: int, size: tuple[int, int]) -> Surface:
    """Mannequin and floor through the lens."""
    assert stage.camera is not None, "a pass needs a camera"
    view = lens_view(stage.camera, frame, *size)
    depth, normal = _floor(view)
    visible = see(mannequin(stage.joints[frame], stage.turns[frame]), view)
    if len(visible.box):
        buffer = empty_buffer(visible, np.minimum(depth, FARTHEST))
        cast(visible, buffer, (0, 0))
        body_depth, owner = split_buffer(visible, buffer)
        depth = np.where(owner == visible.nobody, depth, body_depth)
        row, column = np.nonzero(owner != visible.nobody)
        hits = Hits(
            view.columns[column].astype(np.float32),
            view.rows[row].astype(np.float32),
            depth[row, column],
            owner[row, column],
        )
        across = normals_at(hits, visible)
        normal[row, column] = (across / np.linalg.norm(across, axis=0)).T
    return Surface(depth, normal)


def _floor(view: View) -> tuple[Plane, Float32[np.ndarray, "height width 3"]]:
    """The floor alone. Its normal is up; where no ray meets it, surfaces face the camera."""
    whole = slice(0, view.height), slice(0, view.width)
    sink = view.linear(view.world_from_camera[2], *whole)
    with np.errstate(divide="ignore"):
        depth = np.float32(-view.centre[2]) / sink
    is_floor = (depth > 0) & (depth < FARTHEST)
    side = 1.0 if view.is_above_floor else -1.0
    up = (side * view.world_from_camera[2]).astype(np.float32)
    normal = np.where(is_floor[..., None], up, np.array([0, 0, -1], np.float32))
    return np.where(is_floor, depth, np.float32(np.inf)), normal


def depth_picture(surface: Surface, near_m: float) -> Picture:
    """Grey = 255 · near / depth: white at the nearest surface of the shot, black at infinity."""
    share = np.minimum(near_m / surface.depth_m, 1)
    return np.repeat(np.rint(255 * share).astype(np.uint8)[..., None], 3, axis=-1)


def normal_picture(surface: Surface) -> Picture:
    """Red faces left, green up, blue the camera; each channel is 255 · (1 + cosine) / 2."""
    return np.rint(127.5 * (1 - surface.normal)).astype(np.uint8)


def nearest_m(stage: Stage) -> float:
    """Depth of the nearest surface that the lens sees in any frame, found in small pictures."""
    assert stage.camera is not None, "a pass needs a camera"
    size = pass_size(stage.camera.aspect, _SCOUT_PX)
    depths = (surface_of(stage, frame, size).depth_m.min() for frame in range(stage.frames))
    return float(min(depths))


Draw = Callable[[int], Picture]


def _depth_pass(stage: Stage, size: tuple[int, int]) -> Draw:
    near = nearest_m(stage)
    return lambda frame: depth_picture(surface_of(stage, frame, size), near)


def _normal_pass(stage: Stage, size: tuple[int, int]) -> Draw:
    return lambda frame: normal_picture(surface_of(stage, frame, size))


def _pose_pass(stage: Stage, size: tuple[int, int]) -> Draw:
    camera = stage.camera
    assert camera is not None, "a pass needs a camera"

    def draw(frame: int) -> Picture:
        view = lens_view(camera, frame, *size)
        return pose_picture(keypoints_of(stage.joints[frame], stage.turns[frame], view), size)

    return draw


_PASSES: Mapping[PassName, Callable[[Stage, tuple[int, int]], Draw]] = {
    "depth": _depth_pass,
    "normal": _normal_pass,
    "pose": _pose_pass,
}
