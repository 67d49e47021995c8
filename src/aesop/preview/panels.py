"""A whole motion or shot in one picture from outside: fading poses, paths, frusta."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import UInt8

from aesop.preview import gear
from aesop.preview.canvas import Canvas, copy, develop
from aesop.preview.floor import paint_floor
from aesop.preview.page import badge
from aesop.preview.paint import Brush, paint_solids
from aesop.preview.scenery import STILL, build_outside, paint_person
from aesop.preview.solids import join
from aesop.preview.stage import Stage, outside_view
from aesop.preview.view import View

MOST_POSES = 7
STAYS_M = 0.6  # a motion that keeps this close to one place is shown as a row of poses
ROW_POSES, ROW_GAP_M = 5, 0.95
POSE_GAP_M = 0.75  # the pelvis moves at least this far between two drawn poses
FAINTEST, STRONGEST = 0.22, 0.62  # opacity of the first and the last but one pose


def key_frames(frames: int) -> list[int]:
    """First, middle and last frame."""
    return [0, (frames - 1) // 2, frames - 1]


def pose_frames(stage: Stage, wanted: Sequence[int]) -> list[int]:
    """The wanted frames, and more between them where the person has moved on far enough."""
    root = stage.joints[:, 0]
    chosen = sorted(set(wanted))
    candidates = np.linspace(0, stage.frames - 1, 4 * MOST_POSES).round().astype(int).tolist()
    while len(chosen) < MOST_POSES:
        gaps = [np.linalg.norm(root[chosen] - root[frame], axis=-1).min() for frame in candidates]
        widest = int(np.argmax(gaps))
        if gaps[widest] < POSE_GAP_M:
            break
        chosen = sorted({*chosen, candidates[widest]})
    return chosen


def poses_panel(stage: Stage, size: tuple[int, int]) -> UInt8[np.ndarray, "height width 3"]:
    """A motion without camera: fading poses where it travels, a row of poses where it stays."""
    root = stage.joints[:, 0, :2]
    if np.linalg.norm(root - root.mean(axis=0), axis=-1).max() >= STAYS_M:
        return global_panel(stage, size, key_frames(stage.frames))
    frames = np.unique(np.linspace(0, stage.frames - 1, ROW_POSES).round().astype(int))
    # Side by side as seen, so that poses in one place do not hide each other.
    right = np.cross(-stage.outside_from, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    shift = np.arange(len(frames))[:, None] * ROW_GAP_M * right
    row = replace(stage, joints=stage.joints[frames] + shift[:, None], turns=stage.turns[frames])
    view = outside_view(row, size)
    canvas = paint_floor(view, row.floor)
    for pose in range(row.frames):
        paint_person(canvas, view, row, pose, STILL)
    return develop(canvas)


def global_panel(
    stage: Stage, size: tuple[int, int], times: Sequence[int]
) -> UInt8[np.ndarray, "height width 3"]:
    """Fading poses (later is stronger), the paths, and the frusta at the given times."""
    outside = build_outside(stage, size)
    canvas, view = copy(outside.backdrop), outside.view
    poses = pose_frames(stage, times)
    opacities = [*np.linspace(FAINTEST, STRONGEST, len(poses) - 1).tolist(), 1.0]
    for frame, opacity in zip(poses, opacities, strict=True):
        paint_person(canvas, view, stage, frame, STILL, opacity)
    if stage.camera is None:
        return develop(canvas)
    _paint_frusta(canvas, view, stage, times)
    picture = develop(canvas)
    for number, frame in enumerate(times):
        middle = _badge_place(stage, view, frame)
        if middle is not None:
            badge(picture, str(number + 1), middle, max(size[0] // 90, 5))
    return picture


def _paint_frusta(canvas: Canvas, view: View, stage: Stage, times: Sequence[int]) -> None:
    share = np.array(times) / max(stage.frames - 1, 1)
    tints = gear.time_colour(share)
    parts = [
        gear.frustum(stage, view, frame, tint) for frame, tint in zip(times, tints, strict=True)
    ]
    parts.append(gear.camera_body(stage, times[-1]))
    parts += [gear.drop_line(stage, view, frame) for frame in (times[0], times[-1])]
    paint_solids(canvas, view, join(parts), Brush(stage.to_light, edge_samples=STILL.edge_samples))
    for frame, tint in zip(times, tints, strict=True):
        gear.paint_glass(canvas, view, gear.image_pane(stage, frame), tint, 0.15)
        gear.paint_glass(canvas, view, gear.up_mark(stage, frame), tint, 0.8)


def _badge_place(stage: Stage, view: View, frame: int) -> tuple[float, float] | None:
    """Pixel just above the top edge of a frustum's image."""
    tip = gear.up_mark(stage, frame).corners[2]
    x, y, depth = ((tip - view.centre) @ view.world_from_camera).tolist()
    if depth <= 0:
        return None
    column = (x / depth + view.tan_half_width) / view.ray_step[0]
    row = (y / depth + view.tan_half_height) / view.ray_step[1] - view.height / 60
    return column, row
