"""Shake: what is left of an operator's hands, added last to the path that was meant.

Rotation is fitted to real operated cameras (benchmarks/real_camera_shake.py, whose results file
holds these constants with their spread); translation cannot be measured there and is set by speed.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from jaxtyping import Float

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


@dataclass(frozen=True)
class ShakeBand:
    """How steady a grip is: the span of real cameras, by quantile of jitter, that it stands for,
    its positional shake at rest and at most (m/s, rms of the vector), and how far it rolls."""

    quantiles: tuple[float, float]
    rest_mps: float
    moving_mps: float
    roll_deg: float


@dataclass(frozen=True)
class Shake:
    """One shot's amount of shake."""

    jitter_deg: float
    slope: float
    rest_mps: float
    moving_mps: float
    roll_rad: float


def draw_shake(band: ShakeBand, dice: np.random.Generator) -> Shake:
    """An amount of shake from a grip's band."""
    score = NormalDist().inv_cdf(dice.uniform(*band.quantiles))
    steadiness = dice.uniform(0.7, 1.0)
    return Shake(
        jitter_deg=JITTER_MEDIAN_DEG * math.exp(JITTER_LOG_SPREAD * score),
        slope=float(np.clip(dice.normal(SLOPE, SLOPE_SPREAD), *_SLOPES)),
        rest_mps=band.rest_mps * steadiness,
        moving_mps=band.moving_mps * steadiness,
        roll_rad=math.radians(band.roll_deg) * dice.standard_normal(),
    )


def _noise(
    frames: int, power: Float[np.ndarray, " frequencies"], dice: np.random.Generator
) -> Float[np.ndarray, "frames 3"]:
    """Three independent curves with a given power per frequency bin (variance units)."""
    waves = dice.standard_normal((2, len(power), 3))
    spectrum = (waves[0] + 1j * waves[1]) * np.sqrt(power / 4)[:, None] * _PERIOD
    return np.fft.irfft(spectrum, n=_PERIOD, axis=0)[:frames]


def _frequencies_hz() -> Float[np.ndarray, " frequencies"]:
    return np.fft.rfftfreq(_PERIOD, 1 / NATIVE_FPS)


def jitter(frames: int, shake: Shake, dice: np.random.Generator) -> Float[np.ndarray, "frames 3"]:
    """Turn about the camera's own x, y, z axes, radians."""
    frequency = _frequencies_hz()
    power = np.zeros_like(frequency)
    heard = frequency >= _SLOWEST_HZ
    power[heard] = frequency[heard] ** -shake.slope
    power /= power[frequency >= JITTER_FROM_HZ].sum()
    shares = np.array(AXIS_SHARES)
    amount = math.radians(shake.jitter_deg) * shares / np.linalg.norm(shares)
    return _noise(frames, power, dice) * amount


def sway(
    speed_mps: Float[np.ndarray, " frames"], shake: Shake, dice: np.random.Generator
) -> Float[np.ndarray, "frames 3"]:
    """Displacement in metres whose speed is `rest_mps` rms at rest and grows with the camera's."""
    frequency = _frequencies_hz()
    power = np.zeros_like(frequency)
    heard = (frequency >= _PLACE_HZ[0]) & (frequency <= _PLACE_HZ[1])
    power[heard] = frequency[heard] ** (2 - _PLACE_SLOPE)  # of speed
    power /= power.sum() * 3
    moving = np.minimum(speed_mps / _FULL_SHAKE_MPS, 1.0)
    amount = shake.rest_mps + (shake.moving_mps - shake.rest_mps) * moving
    steps = _noise(len(speed_mps), power, dice) * amount[:, None] / NATIVE_FPS
    place = np.cumsum(steps, axis=0)
    return place - place.mean(axis=0)


def rotation_from_vector(
    turn: Float[np.ndarray, "frames 3"],
) -> Float[np.ndarray, "frames 3 3"]:
    """Rotation matrices of turns given as axis times angle (Rodrigues)."""
    angle = np.linalg.norm(turn, axis=-1)[:, None, None]
    cross = np.zeros((len(turn), 3, 3))
    cross[:, 2, 1], cross[:, 0, 2], cross[:, 1, 0] = turn.T
    cross -= cross.transpose(0, 2, 1)
    sine = np.sinc(angle / np.pi)  # sin(a)/a
    versine = 0.5 * np.sinc(angle / (2 * np.pi)) ** 2  # (1−cos a)/a²
    return np.eye(3) + sine * cross + versine * (cross @ cross)
