"""Lenses, aspect ratios and shot sizes: how much of a person the image holds."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float, Int

from aesop.data.fables.chance import picked
from aesop.scene.skeleton import JOINT, JOINTS

ShotSize = Literal["close_up", "medium_close", "medium", "cowboy", "full", "wide"]
SHOT_SIZES: tuple[ShotSize, ...] = get_args(ShotSize)

# Image heights at the person, metres; a shot is the first size whose upper edge it stays below.
_UPPER_EDGE_M = (0.65, 0.9, 1.2, 1.6, 2.6, 6.0)
_LOWER_EDGE_M = (0.42, *_UPPER_EDGE_M[:-1])

# Where the operator looks, as weights on joints; from the face down to the middle of the body.
_FOCUS: dict[ShotSize, dict[str, float]] = {
    "close_up": {"head": 0.9, "neck": 0.1},
    "medium_close": {"head": 0.5, "spine3": 0.5},
    "medium": {"head": 0.4, "spine3": 0.3, "spine1": 0.3},
    "cowboy": {"head": 0.4, "pelvis": 0.4, "left_knee": 0.1, "right_knee": 0.1},
    "full": {"head": 0.45, "pelvis": 0.15, "left_ankle": 0.2, "right_ankle": 0.2},
    "wide": {"head": 0.4, "pelvis": 0.2, "left_ankle": 0.2, "right_ankle": 0.2},
}

# Aspect ratios (width / height) and how often each is used.
ASPECTS = {16 / 9: 0.42, 1.85: 0.2, 2.39: 0.2, 4 / 3: 0.1, 9 / 16: 0.08}
_FRAME_LONG_MM, _FRAME_SHORT_MM = 36.0, 24.0
FOCAL_MM = {18: 0.05, 21: 0.07, 24: 0.12, 28: 0.14, 35: 0.2, 40: 0.12, 50: 0.15, 65: 0.08, 85: 0.07}
_FOCAL_SPREAD = 0.04  # zooms and real lenses do not sit on the engraved number


@dataclass(frozen=True)
class Lens:
    """A focal length on a film frame that is cropped to an aspect ratio."""

    focal_mm: float
    aspect: float

    @property
    def tan_half_height(self) -> float:
        """Half height of the image at depth one."""
        if self.aspect >= 1:
            height_mm = min(_FRAME_SHORT_MM, _FRAME_LONG_MM / self.aspect)
        else:
            height_mm = min(_FRAME_LONG_MM, _FRAME_SHORT_MM / self.aspect)
        return height_mm / (2 * self.focal_mm)

    @property
    def tan_half_width(self) -> float:
        return self.tan_half_height * self.aspect

    @property
    def fov_vertical(self) -> float:
        """Radians."""
        return 2 * math.atan(self.tan_half_height)

    def distance_for(self, height_m: float) -> float:
        """How far away the image is `height_m` high."""
        return height_m / (2 * self.tan_half_height)


def draw_lens(dice: np.random.Generator, *, landscape_only: bool = False) -> Lens:
    """A lens as they are used on films, wide ones as well as long ones."""
    aspect = picked(ASPECTS, dice)
    if landscape_only and aspect < 1:
        aspect = 1 / aspect
    focal = picked(FOCAL_MM, dice)
    return Lens(focal * math.exp(_FOCAL_SPREAD * dice.standard_normal()), aspect)


def draw_height_m(size: ShotSize, dice: np.random.Generator) -> float:
    """An image height at the person that makes a shot of this size."""
    at = SHOT_SIZES.index(size)
    return math.exp(dice.uniform(math.log(_LOWER_EDGE_M[at]), math.log(_UPPER_EDGE_M[at])))


def size_of(height_m: float) -> ShotSize:
    """The shot size at which the image is `height_m` high where the person stands."""
    for size, edge in zip(SHOT_SIZES, _UPPER_EDGE_M, strict=True):
        if height_m < edge:
            return size
    return "wide"


def focus_weights(height_m: Float[np.ndarray, " frames"]) -> Float[np.ndarray, "frames 22"]:
    """Weights on joints whose mean the operator keeps in composition, by image height."""
    lower, share = _between_sizes(height_m)
    return (1 - share) * FOCUS_TABLE[lower] + share * FOCUS_TABLE[lower + 1]


def focus_at(
    by_size: Float[np.ndarray, "6 frames 3"], height_m: Float[np.ndarray, " frames"]
) -> Float[np.ndarray, "frames 3"]:
    """The point to look at, from the points of all sizes: who comes closer lifts the view from the
    body to the face."""
    lower, share = _between_sizes(height_m)
    frames = np.arange(len(height_m))
    return (1 - share) * by_size[lower, frames] + share * by_size[lower + 1, frames]


def _between_sizes(
    height_m: Float[np.ndarray, " frames"],
) -> tuple[Int[np.ndarray, " frames"], Float[np.ndarray, "frames 1"]]:
    at = np.interp(np.log(height_m), _LOG_MIDDLES, np.arange(len(SHOT_SIZES)))
    lower = np.minimum(at.astype(np.int64), len(SHOT_SIZES) - 2)
    return lower, (at - lower)[:, None]


def _focus_table() -> Float[np.ndarray, "6 22"]:
    table = np.zeros((len(SHOT_SIZES), JOINTS))
    for at, size in enumerate(SHOT_SIZES):
        for joint, weight in _FOCUS[size].items():
            table[at, JOINT[joint]] = weight
    return table


FOCUS_TABLE = _focus_table()
_LOG_MIDDLES = (np.log(_LOWER_EDGE_M) + np.log(_UPPER_EDGE_M)) / 2
