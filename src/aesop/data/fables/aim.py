"""Aiming: pan and tilt that keep a person in composition, as late and as lazily as a hand does."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from aesop.data.fables.curves import chased, with_play
from aesop.data.fables.lens import Lens


@dataclass(frozen=True)
class Aim:
    """How the camera is pointed. Place is where the focus should be in the image (NDC)."""

    locked: bool
    place: tuple[float, float]
    late_frames: int
    smooth_frames: float
    play_rad: float


def camera_axes(
    pan: Float[np.ndarray, "*batch"], tilt: Float[np.ndarray, "*batch"]
) -> Float[np.ndarray, "*batch 3 3"]:
    """World_from_camera of a level camera whose view has azimuth `pan` and elevation `tilt`."""
    cos_pan, sin_pan, cos_tilt, sin_tilt = np.cos(pan), np.sin(pan), np.cos(tilt), np.sin(tilt)
    axes = np.empty((*np.shape(pan), 3, 3))
    right, down, forward = axes[..., 0], axes[..., 1], axes[..., 2]
    right[..., 0], right[..., 1], right[..., 2] = sin_pan, -cos_pan, 0.0
    down[..., 0], down[..., 1], down[..., 2] = sin_tilt * cos_pan, sin_tilt * sin_pan, -cos_tilt
    forward[..., 0], forward[..., 1] = cos_tilt * cos_pan, cos_tilt * sin_pan
    forward[..., 2] = sin_tilt
    return axes


def unwrapped(angle: Float[np.ndarray, " frames"]) -> Float[np.ndarray, " frames"]:
    """As `np.unwrap`, at a third of the cost where nothing wraps."""
    return angle if np.abs(np.diff(angle)).max(initial=0.0) < np.pi else np.unwrap(angle)


def composed_angles(
    centre: Float[np.ndarray, "frames 3"],
    focus: Float[np.ndarray, "frames 3"],
    lens: Lens,
    place: tuple[float, float],
) -> Float[np.ndarray, "frames 2"]:
    """Pan (unwrapped) and tilt that put the focus exactly at `place` in the image."""
    across = place[0] * lens.tan_half_width
    upward = place[1] * lens.tan_half_height
    line = focus - centre
    ground = np.hypot(line[:, 0], line[:, 1])
    # Seen ray (across, upward, 1) must have the elevation of the line to the focus.
    sine = line[:, 2] / np.hypot(ground, line[:, 2]) * np.sqrt(1 + across**2 + upward**2)
    sine = np.clip(sine / np.hypot(1, upward), -1, 1)
    tilt = np.arcsin(sine) - np.arctan(upward)
    aside = np.arctan2(across, np.cos(tilt) - upward * np.sin(tilt))
    angles = np.empty((len(line), 2))
    angles[:, 0] = unwrapped(np.arctan2(line[:, 1], line[:, 0])) + aside
    angles[:, 1] = tilt
    return angles


def aimed(
    centre: Float[np.ndarray, "frames 3"],
    focus: Float[np.ndarray, "frames 3"],
    lens: Lens,
    aim: Aim,
    key_frame: int,
) -> Float[np.ndarray, "frames 2"]:
    """Pan and tilt of every frame. A locked aim is composed once, for the key frame's place."""
    if aim.locked:
        middle = focus.mean(axis=0, keepdims=True)
        still = composed_angles(centre[key_frame : key_frame + 1], middle, lens, aim.place)
        return np.repeat(still, len(centre), axis=0)
    wanted = composed_angles(centre, focus, lens, aim.place)
    if aim.play_rad > 0:
        wanted = with_play(wanted, aim.play_rad)
    return chased(wanted, aim.smooth_frames, aim.late_frames)
