"""What is wrong with captured motion, measured: jumps, wild joints, thin air, skating feet.

Limits were set by looking at the distribution over all takes and at what lies beyond it
(docs/fables.md). Nothing is mended: frames that fail are left out, and counted.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from aesop.scene.human import NATIVE_FPS
from aesop.scene.skeleton import JOINT

# Hips faster than a sprinter's, or any joint faster against the hips than a boxer's fist.
FASTEST_HIPS_MPS = 8.0
FASTEST_LIMB_MPS = 14.0
# Frames around a glitch that may be bent by it.
GLITCH_MARGIN_FRAMES = 6
# A body is carried by something: the lowest joint within this time, against the clip's ground.
SUPPORT_SECONDS = 1.2
HIGHEST_SUPPORT_M = 0.22
# A foot is down if it is this low over the window's ground and hardly rises or falls.
FOOT_DOWN_M = 0.12
FOOT_STILL_MPS = 0.25
# Planted feet of good captures move at 0.05–0.15 m/s (noise and rolling over the toes).
FASTEST_PLANTED_MPS = 0.45
# People who walk take 1.3 to 2.3 steps a second; twice that is a wrong frame rate.
FASTEST_WALK_STEPS_PER_S = 3.0

FEET = tuple(JOINT[f"{side}_{part}"] for side in ("left", "right") for part in ("ankle", "foot"))

Joints = Float[np.ndarray, "frames 22 3"]


@dataclass(frozen=True)
class Screen:
    """Measured facts of a take or window, and the one word by which it is refused, if any."""

    fault: str | None
    planted_mps: float
    support_range_m: float


def glitches(joints: Joints) -> Bool[np.ndarray, " frames"]:
    """Frames at or near a jump of the hips or a limb faster than limbs are."""
    step = np.linalg.norm(np.diff(joints[:, 0], axis=0), axis=-1) * NATIVE_FPS
    around = joints - joints[:, :1]
    limb = np.linalg.norm(np.diff(around, axis=0), axis=-1).max(-1) * NATIVE_FPS
    bad = np.zeros(len(joints), dtype=bool)
    bad[1:] = (step > FASTEST_HIPS_MPS) | (limb > FASTEST_LIMB_MPS)
    spread = np.ones(2 * GLITCH_MARGIN_FRAMES + 1)
    return np.convolve(bad, spread, mode="same")[: len(bad)] > 0.5


def support(joints: Joints) -> Float[np.ndarray, " frames"]:
    """Height of what carries the body: the lowest joint within `SUPPORT_SECONDS` around a frame."""
    lowest = joints[..., 2].min(-1)
    half = round(SUPPORT_SECONDS * NATIVE_FPS / 2)
    padded = np.pad(lowest, half, mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1).min(-1)


def planted_speed(joints: Joints) -> float:
    """Median horizontal speed in m/s of feet that are down; 0 where none ever is."""
    feet = joints[:, FEET]
    velocity = np.diff(feet, axis=0) * NATIVE_FPS
    low = feet[1:, :, 2] < joints[..., 2].min() + FOOT_DOWN_M
    down = low & (np.abs(velocity[..., 2]) < FOOT_STILL_MPS)
    # The slower of a foot's two joints: heel and toes are planted in turn.
    speed = np.linalg.norm(velocity[..., :2], axis=-1).reshape(len(velocity), 2, 2)
    speed = np.where(down.reshape(len(velocity), 2, 2), speed, np.inf).min(-1)
    # One foot carries a walking body; the other may swing low over the ground.
    slower = speed.min(-1)
    slower = slower[np.isfinite(slower)]
    return float(np.median(slower)) if len(slower) else 0.0


def steps_per_second(joints: Joints) -> float:
    """Cadence: the strongest rhythm of one ankle passing the other along the way of the hips."""
    travel = joints[-1, 0, :2] - joints[0, 0, :2]
    along = travel / max(float(np.linalg.norm(travel)), 1e-6)
    ahead = (joints[:, JOINT["left_ankle"], :2] - joints[:, JOINT["right_ankle"], :2]) @ along
    spectrum = np.abs(np.fft.rfft((ahead - ahead.mean()) * np.hanning(len(ahead)), 1024))
    return 2.0 * float(np.argmax(spectrum)) * NATIVE_FPS / 1024


def screen_window(joints: Joints) -> Screen:
    """Whether a window may be shown to a network as human motion."""
    planted = planted_speed(joints)
    carried = support(joints)
    spread = float(np.ptp(carried))
    fault = None
    if glitches(joints).any():
        fault = "jumps"
    elif spread > HIGHEST_SUPPORT_M:
        fault = "carried by thin air"
    elif planted > FASTEST_PLANTED_MPS:
        fault = "feet slide"
    return Screen(fault, planted, spread)


def has_wrong_rate(joints: Joints, description: str) -> bool:
    """Whether a plain walk goes at a cadence that no walk has."""
    words = description.lower()
    plain_walk = words.startswith(("walk", "slow walk", "neutral")) and "run" not in words
    travel = np.linalg.norm(joints[-1, 0, :2] - joints[0, 0, :2])
    if not plain_walk or len(joints) < 50 or travel < 2.0:
        return False
    return steps_per_second(joints) > FASTEST_WALK_STEPS_PER_S
