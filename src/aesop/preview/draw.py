"""Draw a shot or a clip: from outside, through the lens, side by side."""

import numpy as np
from jaxtyping import UInt8

from aesop.errors import ClipError
from aesop.preview.panels import global_panel, key_frames, poses_panel
from aesop.preview.scenery import STILL, build_outside, outside_picture
from aesop.preview.side_by_side import (
    PAGE_WIDTH_PX,
    build_side_by_side,
    lens_panel,
    page_picture,
)
from aesop.preview.stage import stage_of
from aesop.preview.view import check_size
from aesop.scene.human import Clip
from aesop.scene.shot import Shot

PANEL_PX = (512, 512)


def draw_outside(
    subject: Shot | Clip, frame: int, size: tuple[int, int] = PANEL_PX
) -> UInt8[np.ndarray, "height width 3"]:
    """One frame from outside: person, filming camera (if any) and their paths."""
    check_size(size)
    check_frame(subject, frame)
    stage = stage_of(subject)
    return outside_picture(stage, build_outside(stage, size), frame, STILL)


def draw_lens(
    shot: Shot, frame: int, size: tuple[int, int] = PANEL_PX, thirds: bool = False
) -> UInt8[np.ndarray, "height width 3"]:
    """One frame through the lens, letterboxed if the size has another aspect ratio."""
    check_size(size)
    check_frame(shot, frame)
    return lens_panel(stage_of(shot), frame, size, STILL, thirds)


def draw_side_by_side(
    subject: Shot | Clip, frame: int, width: int = PAGE_WIDTH_PX
) -> UInt8[np.ndarray, "height width 3"]:
    """One frame from outside and through the lens, with the words below."""
    check_frame(subject, frame)
    return page_picture(build_side_by_side(subject, width), frame, STILL)


def draw_poses(
    subject: Shot | Clip, size: tuple[int, int] = (960, 640)
) -> UInt8[np.ndarray, "height width 3"]:
    """The whole motion in one picture from outside: poses that grow stronger with time."""
    check_size(size)
    stage = stage_of(subject)
    if stage.camera is None:
        return poses_panel(stage, size)
    return global_panel(stage, size, key_frames(stage.frames))


def check_frame(subject: Shot | Clip, frame: int) -> None:
    """Refuse a frame that the subject does not have."""
    if not 0 <= frame < subject.frames:
        raise ClipError(
            f"Frame {frame} was asked for, but there are {subject.frames} frames.",
            f"Choose a frame from 0 to {subject.frames - 1}.",
        )
