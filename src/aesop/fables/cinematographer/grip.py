"""Grips: what carries the camera, how steady it is, how it aims, and the shake that it leaves."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from jaxtyping import Float

from aesop.camera_words.outline import STATIC
from aesop.core.hashing import picked
from aesop.fables.cinematographer.lens import Curve, Points, Rotations
from aesop.fables.cinematographer.moves import Move
from aesop.scene.human import NATIVE_FPS

# Turn of the camera faster than `JITTER_FROM_HZ`, rms over all three axes: log-normal over shots.
JITTER_FROM_HZ = 2.0
JITTER_MEDIAN_DEG = 0.039
JITTER_LOG_SPREAD = 0.9
# Power of the turn angle falls as frequency to the minus this, with this spread over shots.
SLOPE = 2.85
SLOPE_SPREAD = 0.9
# The steepest real paths are steep because they pan: that is aiming, and is not drawn again here.
_SLOPES = (1.8, 3.6)
# Relative rms of tilt, pan and roll.
AXIS_SHARES = (0.78, 0.91, 1.1)

# Slower wander is aiming and not shake.
_SLOWEST_HZ = 0.5
# A camera and who carries it have mass: their way drifts slowly and holds nothing fast.
_PLACE_HZ = (0.15, 6.0)
_PLACE_SLOPE = 3.2
# From this speed on a grip shakes as much as it ever does.
_FULL_SHAKE_MPS = 0.045
_PERIOD = 512  # frames; longer than any shot, so the noise never repeats in one
_FREQUENCIES_HZ = np.fft.rfftfreq(_PERIOD, 1 / NATIVE_FPS)


Grip = Literal["locked_off", "tripod", "dolly", "crane", "steadicam", "arc", "handheld"]


@dataclass(frozen=True)
class GripNature:
    """A grip's steadiness and habits."""

    quantiles: tuple[float, float]  # of the jitter of real cameras: the span it stands for
    rest_mps: float  # positional shake at rest, rms of the vector
    moving_mps: float  # and at most
    roll_deg: float
    locked_aim: float  # share of shots whose aim does not follow the person
    late_frames: tuple[int, int]
    smooth_frames: tuple[float, float]
    play: tuple[float, float]  # half image widths that the focus may stray before the aim reacts
    on_rails: bool  # moves along straight world lines and not along the camera's own axes


# Columns in the order of the fields above.
NATURE: dict[Grip, GripNature] = {
    "locked_off":
        GripNature((0.001, 0.05), 0.0005, 0.0005, 0.0, 1.0, (0, 0), (4.0, 4.0), (0.0, 0.0), True),
    "tripod":
        GripNature((0.05, 0.5), 0.001, 0.001, 0.1, 0.0, (2, 9), (5.0, 10.0), (0.05, 0.2), True),
    "dolly":
        GripNature((0.05, 0.6), 0.006, 0.03, 0.1, 0.45, (1, 6), (5.0, 10.0), (0.03, 0.12), True),
    "crane":
        GripNature((0.05, 0.6), 0.01, 0.04, 0.2, 0.3, (1, 7), (6.0, 12.0), (0.03, 0.12), True),
    "steadicam":
        GripNature((0.35, 0.93), 0.01, 0.046, 0.4, 0.12, (1, 6), (4.0, 8.0), (0.02, 0.08), False),
    "arc":
        GripNature((0.15, 0.7), 0.01, 0.035, 0.2, 0.0, (0, 3), (3.0, 6.0), (0.0, 0.04), False),
    "handheld":
        GripNature((0.6, 0.997), 0.01, 0.05, 0.8, 0.2, (2, 8), (3.0, 7.0), (0.03, 0.15), False),
}  # fmt: skip


def draw_grip(moves: Sequence[Move], dice: np.random.Generator) -> Grip:
    """A grip that can make these moves."""
    shares: dict[Grip, float] = {"dolly": 0.5, "steadicam": 0.22, "handheld": 0.28}
    if all(move.tag == STATIC for move in moves):
        shares = {"locked_off": 0.4, "tripod": 0.35, "handheld": 0.25}
    elif any(move.goes_with_person for move in moves):
        shares = {"steadicam": 0.65, "handheld": 0.35}
    elif any(move.kind == "arc" for move in moves):
        shares = {"arc": 0.6, "steadicam": 0.2, "handheld": 0.2}
    elif any(move.signs[1] != 0 for move in moves):
        shares = {"crane": 0.6, "steadicam": 0.2, "handheld": 0.2}
    return picked(shares, dice)


@dataclass(frozen=True)
class Shake:
    """One shot's amount of shake."""

    jitter_deg: float
    slope: float
    rest_mps: float
    moving_mps: float
    roll_rad: float


def draw_shake(nature: GripNature, dice: np.random.Generator) -> Shake:
    """An amount of shake that a grip may have."""
    score = NormalDist().inv_cdf(dice.uniform(*nature.quantiles))
    steadiness = dice.uniform(0.7, 1.0)
    return Shake(
        jitter_deg=JITTER_MEDIAN_DEG * math.exp(JITTER_LOG_SPREAD * score),
        slope=float(np.clip(dice.normal(SLOPE, SLOPE_SPREAD), *_SLOPES)),
        rest_mps=nature.rest_mps * steadiness,
        moving_mps=nature.moving_mps * steadiness,
        roll_rad=math.radians(nature.roll_deg) * dice.standard_normal(),
    )


def _noise(
    frames: int, power: Float[np.ndarray, " frequencies"], dice: np.random.Generator
) -> Points:
    """Three independent curves with a given power per frequency bin (variance units)."""
    waves = dice.standard_normal((2, len(power), 3))
    spectrum = (waves[0] + 1j * waves[1]) * np.sqrt(power / 4)[:, None] * _PERIOD
    return np.fft.irfft(spectrum, n=_PERIOD, axis=0)[:frames]


def jitter(frames: int, shake: Shake, dice: np.random.Generator) -> Points:
    """Turn about the camera's own x, y, z axes, radians."""
    frequency = _FREQUENCIES_HZ
    power = np.zeros_like(frequency)
    inside = frequency >= _SLOWEST_HZ
    power[inside] = frequency[inside] ** -shake.slope
    power /= power[frequency >= JITTER_FROM_HZ].sum()
    shares = np.array(AXIS_SHARES)
    amount = math.radians(shake.jitter_deg) * shares / np.linalg.norm(shares)
    return _noise(frames, power, dice) * amount


def sway(speed_mps: Curve, shake: Shake, dice: np.random.Generator) -> Points:
    """Displacement in metres whose speed is `rest_mps` rms at rest and grows with the camera's."""
    frequency = _FREQUENCIES_HZ
    power = np.zeros_like(frequency)
    inside = (frequency >= _PLACE_HZ[0]) & (frequency <= _PLACE_HZ[1])
    power[inside] = frequency[inside] ** (2 - _PLACE_SLOPE)  # of speed
    power /= power.sum() * 3
    moving = np.minimum(speed_mps / _FULL_SHAKE_MPS, 1.0)
    amount = shake.rest_mps + (shake.moving_mps - shake.rest_mps) * moving
    steps = _noise(len(speed_mps), power, dice) * amount[:, None] / NATIVE_FPS
    place = np.cumsum(steps, axis=0)
    return place - place.mean(axis=0)


def shaken(
    centre: Points, rotation: Rotations, grip: Grip, dice: np.random.Generator
) -> tuple[Points, Rotations]:
    """Place and aim of the meant path as a grip carries them."""
    shake = draw_shake(NATURE[grip], dice)
    turn = jitter(len(centre), shake, dice) + np.array([0.0, 0.0, shake.roll_rad])
    speed = np.linalg.norm(np.diff(centre, axis=0, append=centre[-1:]), axis=-1) * NATIVE_FPS
    return centre + sway(speed, shake, dice), rotation @ rotation_from_vector(turn)


def rotation_from_vector(turn: Points) -> Rotations:
    """Rotation matrices of turns given as axis times angle (Rodrigues)."""
    angle = np.linalg.norm(turn, axis=-1)[:, None, None]
    cross = np.zeros((len(turn), 3, 3))
    cross[:, 2, 1], cross[:, 0, 2], cross[:, 1, 0] = turn.T
    cross -= cross.transpose(0, 2, 1)
    sine = np.sinc(angle / np.pi)  # sin(a)/a
    versine = 0.5 * np.sinc(angle / (2 * np.pi)) ** 2  # (1−cos a)/a²
    return np.eye(3) + sine * cross + versine * (cross @ cross)
