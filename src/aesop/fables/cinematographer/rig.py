"""A rig: where the camera stands around the person, and how it aims, frame by frame. Moves change
one coordinate each, so that a push is a push and an orbit keeps its distance."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from aesop.fables.cinematographer.lens import Curve, Points, Subject, focus_at
from aesop.fables.cinematographer.shot_setup import camera_axes
from aesop.scene.camera import CameraPath
from aesop.scene.curves import smoothed, unwrapped
from aesop.scene.human import NATIVE_FPS

_AIM_SIGMA = 6.0  # frames
_GOING_SIGMA = 12.0  # frames, at first; more where the way turns fast
_FASTEST_AROUND = np.radians(55) / NATIVE_FPS  # a frame, of a camera that stays behind somebody
_WALKS_M = 0.25 / NATIVE_FPS
FRAME_LONG_MM, FRAME_SHORT_MM = 36.0, 24.0


def tan_half_height(focal_mm: Curve, aspect: float) -> Curve:
    """Half height of the picture at depth one, for a lens on a film frame cropped to an aspect."""
    if aspect >= 1:
        height_mm = min(FRAME_SHORT_MM, FRAME_LONG_MM / aspect)
    else:
        height_mm = min(FRAME_LONG_MM, FRAME_SHORT_MM / aspect)
    return height_mm / (2 * focal_mm)


@dataclass(frozen=True, eq=False)
class Rig:
    """Everything about a shot as curves. The camera is `distance_m` from the anchor, seen from
    there at an azimuth and an elevation, and `shift_m` from that; `place` is where the focus is
    to be in the picture (NDC). A locked rig aims once, at where the person is on average."""

    anchor: Points
    azimuth: Curve
    elevation: Curve
    distance_m: Curve
    shift_m: Points
    focal_mm: Curve
    aspect: float
    place: Float[np.ndarray, "frames 2"]
    legs_share: Curve  # 0 aims as the size asks, 1 at the feet
    roll: Curve
    locked: bool

    @property
    def centre(self) -> Points:
        level = self.distance_m * np.cos(self.elevation)
        spoke = np.stack(
            [
                level * np.cos(self.azimuth),
                level * np.sin(self.azimuth),
                self.distance_m * np.sin(self.elevation),
            ],
            axis=-1,
        )
        return self.anchor + spoke + self.shift_m


def rig_camera(subject: Subject, rig: Rig) -> CameraPath:
    """The path of a rig, free of shake."""
    centre = rig.centre
    half_height = tan_half_height(rig.focal_mm, rig.aspect)
    distance = np.linalg.norm(centre - subject.neck, axis=-1)
    focus = focus_at(subject.focus, 2 * half_height * distance)
    feet = np.minimum(subject.joints[..., 2].min(axis=1), focus[:, 2]) + 0.15
    low = np.stack([focus[:, 0], focus[:, 1], feet], axis=-1)
    focus = focus + rig.legs_share[:, None] * (low - focus)
    wanted = _angles(centre, focus, rig, half_height)
    if rig.locked:
        wanted = np.repeat(np.median(wanted, axis=0, keepdims=True), len(wanted), axis=0)
    else:
        wanted = _steadied(wanted, rig)
    axes = camera_axes(wanted[:, 0], wanted[:, 1]) @ _rolled(rig.roll)
    return CameraPath(
        torch.from_numpy(axes),
        torch.from_numpy(centre),
        torch.from_numpy(2 * np.arctan(half_height)),
        rig.aspect,
    )


def _steadied(wanted: Float[np.ndarray, "frames 2"], rig: Rig) -> Float[np.ndarray, "frames 2"]:
    """The operator's hand is slower than what it follows, except where it whips."""
    smooth = smoothed(wanted, _AIM_SIGMA)
    speed = np.abs(np.diff(rig.place[:, 0], append=rig.place[-1, 0]))
    whips = smoothed((speed > 0.06).astype(np.float64)[:, None], 3.0)
    share = np.clip(3 * whips, 0, 1)
    return (1 - share) * smooth + share * wanted


def _rolled(roll: Curve) -> Float[np.ndarray, "frames 3 3"]:
    """Turns about the optical axis: + lowers the picture's right edge."""
    axes = np.zeros((len(roll), 3, 3))
    axes[:, 0, 0], axes[:, 1, 1] = np.cos(roll), np.cos(roll)
    axes[:, 1, 0], axes[:, 0, 1] = np.sin(roll), -np.sin(roll)
    axes[:, 2, 2] = 1.0
    return axes


def _angles(
    centre: Points, focus: Points, rig: Rig, half_height: Curve
) -> Float[np.ndarray, "frames 2"]:
    """Pan (unwrapped) and tilt that put the focus at its place in a picture that may be rolled."""
    across, upward = rig.place[:, 0] * half_height * rig.aspect, rig.place[:, 1] * half_height
    cosine, sine = np.cos(rig.roll), np.sin(rig.roll)
    across, upward = cosine * across + sine * upward, cosine * upward - sine * across
    line = focus - centre
    ground = np.hypot(line[:, 0], line[:, 1])
    # The seen ray (across, upward, 1) must have the elevation of the line to the focus.
    seen = line[:, 2] / np.hypot(ground, line[:, 2]) * np.sqrt(1 + across**2 + upward**2)
    tilt = np.arcsin(np.clip(seen / np.hypot(1, upward), -1, 1)) - np.arctan(upward)
    aside = np.arctan2(across, np.cos(tilt) - upward * np.sin(tilt))
    pan = unwrapped(np.arctan2(line[:, 1], line[:, 0])) + aside
    return np.stack([pan, tilt], axis=-1)


def going_azimuth(subject: Subject) -> Curve:
    """Which way the person goes, smooth enough for a camera to stay behind them: where they stand,
    as before and after; where they turn back, as fast as one can run around them."""
    steps = np.diff(smoothed(subject.root[:, :2], 6.0), axis=0)
    speed = np.linalg.norm(steps, axis=-1)
    walks = np.flatnonzero(speed > _WALKS_M)
    frames = subject.frames
    if len(walks) == 0:
        return np.full(frames, float(subject.facing[0]))
    angle = np.unwrap(np.arctan2(steps[walks, 1], steps[walks, 0]))
    whole = np.interp(np.arange(frames), walks, angle)
    sigma = _GOING_SIGMA
    smooth = smoothed(whole[:, None], sigma)[:, 0]
    while np.abs(np.diff(smooth)).max() > _FASTEST_AROUND and sigma < 100:
        sigma *= 1.3
        smooth = smoothed(whole[:, None], sigma)[:, 0]
    return smooth
