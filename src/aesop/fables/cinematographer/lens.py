"""Lenses, aspect ratios, shot sizes, the person as the cinematographer sees them, and the style:
how often it does what."""

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float, Int

from aesop.core.hashing import picked
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS
from aesop.scene.skeleton import JOINT

Joints = Float[np.ndarray, "frames 22 3"]
Points = Float[np.ndarray, "frames 3"]
Steps = Float[np.ndarray, "transitions 3"]
Rotations = Float[np.ndarray, "frames 3 3"]
Curve = Float[np.ndarray, " frames"]

ShotSize = Literal["close_up", "medium_close", "medium", "cowboy", "full", "wide"]
SHOT_SIZES: tuple[ShotSize, ...] = get_args(ShotSize)

# Image heights at the person, metres; a shot is the first size whose upper edge it stays below.
_UPPER_EDGE_M = (0.65, 0.9, 1.2, 1.6, 2.6, 6.0)
_LOWER_EDGE_M = (0.42, *_UPPER_EDGE_M[:-1])
_LOG_MIDDLES = (np.log(_LOWER_EDGE_M) + np.log(_UPPER_EDGE_M)) / 2

# Where the operator looks, as weights on joints; from the face down to the middle of the body.
_FOCUS: dict[ShotSize, dict[str, float]] = {
    "close_up": {"head": 0.9, "neck": 0.1},
    "medium_close": {"head": 0.5, "spine3": 0.5},
    "medium": {"head": 0.4, "spine3": 0.3, "spine1": 0.3},
    "cowboy": {"head": 0.4, "pelvis": 0.4, "left_knee": 0.1, "right_knee": 0.1},
    "full": {"head": 0.45, "pelvis": 0.15, "left_ankle": 0.2, "right_ankle": 0.2},
    "wide": {"head": 0.4, "pelvis": 0.2, "left_ankle": 0.2, "right_ankle": 0.2},
}
FOCUS_TABLE: Float[np.ndarray, "6 22"] = np.array(
    [[_FOCUS[size].get(joint, 0.0) for joint in JOINT] for size in SHOT_SIZES]
)

_SHOT_SIZE_SHARES: dict[ShotSize, float] = {
    "close_up": 0.2, "medium_close": 0.24, "medium": 0.24, "cowboy": 0.13, "full": 0.12,
    "wide": 0.07,
}  # fmt: skip

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


def focus_weights(height_m: Curve) -> Float[np.ndarray, "frames 22"]:
    """Weights on joints whose mean the operator keeps in composition, by image height."""
    lower, share = _between_sizes(height_m)
    return (1 - share) * FOCUS_TABLE[lower] + share * FOCUS_TABLE[lower + 1]


def focus_at(by_size: Float[np.ndarray, "6 frames 3"], height_m: Curve) -> Points:
    """The point to look at, from the points of all sizes: who comes closer lifts the view from the
    body to the face."""
    lower, share = _between_sizes(height_m)
    frames = np.arange(len(height_m))
    return (1 - share) * by_size[lower, frames] + share * by_size[lower + 1, frames]


def _between_sizes(
    height_m: Curve,
) -> tuple[Int[np.ndarray, " frames"], Float[np.ndarray, "frames 1"]]:
    at = np.interp(np.log(height_m), _LOG_MIDDLES, np.arange(len(SHOT_SIZES)))
    lower = np.minimum(at.astype(np.int64), len(SHOT_SIZES) - 2)
    return lower, (at - lower)[:, None]


@dataclass(frozen=True)
class Style:
    """Shares between 0 and 1, and the span of speeds; every field may be replaced."""

    one_run: float = 0.3  # shots with one movement; the others have two or three
    three_moves: float = 0.35  # of the shots with several, where there is time
    static: float = 0.42  # of movements; the rest is single-axis or compound
    single_axis: float = 0.34
    three_axes: float = 0.3  # of the compound ones
    arc: float = 0.4  # of trucks: around the person and not along a line
    follow: float = 0.26  # of shots of a person who goes somewhere
    clean: float = 0.3  # of shots that could serve direction pairs: made so that they can
    cut_in: float = 0.4  # shots that begin (or end) while the camera is already moving
    # Speed along each moving axis, m/s. The lower end is what the tagger surely calls movement.
    slowest_mps: float = 0.023
    fastest_mps: float = 3.6
    longest_m: float = 9.0
    arc_m: tuple[float, float] = (0.3, 2.0)
    shot_sizes: dict[ShotSize, float] = field(default_factory=lambda: dict(_SHOT_SIZE_SHARES))


_PATH_SIGMA = 9.0  # frames: steps and bobbing vanish, turns and stops stay
_FOCUS_SIGMA = 6.0  # frames: an operator does not nod with the head they film
_GOES_MPS = 0.4  # a person faster than this on average, and
_GOES_M = 1.0  # ending this far away, goes somewhere


@dataclass(frozen=True, eq=False)
class Subject:
    """One person over one clip. Angles are world azimuths: the direction (cos, sin)."""

    joints: Joints
    root: Points  # smoothed
    focus: Float[np.ndarray, "6 frames 3"]  # what to look at, by shot size, smoothed
    neck: Points  # smoothed; shot sizes are measured from here
    facing: Curve  # smoothed, unwrapped
    activity: Float[np.ndarray, " transitions"]  # mean joint speed, m/s

    @property
    def frames(self) -> int:
        return len(self.joints)

    @property
    def steps(self) -> Steps:
        """Way of the smoothed root along the ground, metres a frame."""
        return np.diff(self.root, axis=0) * np.array([1.0, 1.0, 0.0])

    @property
    def excursion_m(self) -> float:
        """How far the person gets from the middle of their way."""
        ground = self.root[:, :2]
        return float(np.linalg.norm(ground - ground.mean(0), axis=1).max())

    @property
    def goes(self) -> bool:
        """Whether the person goes somewhere, so that a camera can follow."""
        net = float(np.linalg.norm(self.root[-1, :2] - self.root[0, :2]))
        seconds = (self.frames - 1) / NATIVE_FPS
        return net > _GOES_M and net / seconds > _GOES_MPS


def watch(joints: Joints, yaw: Curve) -> Subject:
    """What there is to see of a motion."""
    facing = np.unwrap(yaw) - np.pi / 2  # faces (sin ψ, −cos ψ)
    speed = np.linalg.norm(np.diff(joints, axis=0), axis=-1).mean(-1) * NATIVE_FPS
    return Subject(
        joints=joints,
        root=smoothed(joints[:, 0], _PATH_SIGMA),
        focus=_focus(joints),
        neck=smoothed(joints[:, JOINT["neck"]], _PATH_SIGMA),
        facing=smoothed(facing[:, None], _PATH_SIGMA)[:, 0],
        activity=smoothed(speed[:, None], 5.0)[:, 0],
    )


def _focus(joints: Joints) -> Float[np.ndarray, "6 frames 3"]:
    points = np.einsum("sj,fjx->fsx", FOCUS_TABLE, joints, optimize=True)
    smooth = smoothed(points.reshape(len(joints), -1), _FOCUS_SIGMA)
    return smooth.reshape(points.shape).transpose(1, 0, 2)
