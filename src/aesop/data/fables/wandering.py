"""Made-up people who go somewhere: legs of a way, walked or run in any direction and at any length.

`make_believe` shows one action for a few seconds; these are as long and go as far as real takes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from aesop.data.fables.curves import smoothed
from aesop.data.fables.make_believe import STAND_HEIGHT_M, make_believe, stepping
from aesop.data.fables.puppet import pull
from aesop.scene.human import NATIVE_FPS, HumanMotion, grounded
from aesop.scene.rotation import about_axis, about_z

_EASE_FRAMES = 6.0  # Gaussian over changes of speed and heading
# People take this many steps a second at these speeds, and their feet stay down this long.
_WALK, _RUN = (1.8, 0.6), (2.8, 0.36)
_RUNS_MPS = 2.2


@dataclass(frozen=True)
class Leg:
    """One part of a way. A person who goes aside by 90° sidesteps to their left."""

    seconds: float
    speed_mps: float  # 0: stays where they are
    turn_deg: float = 0.0  # of the body over the leg; to the left is positive
    aside_deg: float = 0.0  # from where the body faces to where it goes; 180 is backwards


def wander(legs: Sequence[Leg]) -> HumanMotion:
    """Walk or run along the legs, one after another, with eased changes between them."""
    frames = [round(leg.seconds * NATIVE_FPS) for leg in legs]
    rows = [
        np.tile([*_velocity(leg), math.radians(leg.turn_deg) / count], (count, 1))
        for leg, count in zip(legs, frames, strict=True)
    ]
    eased = torch.from_numpy(smoothed(np.concatenate(rows), _EASE_FRAMES))
    yaw = eased[:, 2].cumsum(0) - eased[0, 2]
    steps = (about_z(yaw)[:, :2, :2] @ eased[:, :2, None]).squeeze(-1) / NATIVE_FPS
    path = torch.cat([steps.cumsum(0) - steps[0], torch.full_like(yaw, STAND_HEIGHT_M)[:, None]], 1)
    fastest = max(leg.speed_mps for leg in legs)
    steps_per_second, ground_share = _RUN if fastest >= _RUNS_MPS else _WALK
    return pull(stepping(path, yaw, steps_per_second, ground_share))


def _velocity(leg: Leg) -> tuple[float, float]:
    """In the body's axes; a body at yaw 0 faces −Y, its left is +X."""
    aside = math.radians(leg.aside_deg)
    return leg.speed_mps * math.sin(aside), -leg.speed_mps * math.cos(aside)


def sit_and_stay(frames: int, sitting_down_frames: int) -> HumanMotion:
    """Sits down on nothing that is there, and then does not move at all."""
    for number in range(16):  # the action draws whether it sits down or gets up
        motion = make_believe("sit", sitting_down_frames, np.random.default_rng(number)).clip.motion
        if motion.root[-1, 2] < motion.root[0, 2]:
            return _held(motion, frames)
    raise AssertionError("sixteen draws in a row got up")


def lie_and_wave(frames: int, seed: int) -> HumanMotion:
    """Lies on the back and moves one arm."""
    motion = make_believe("wave", frames, np.random.default_rng(seed)).clip.motion
    tip = about_axis(torch.tensor(-math.pi / 2, dtype=motion.joints.dtype), "x")
    rotations = motion.rotations.clone()
    rotations[:, 0] = tip @ rotations[:, 0]
    return grounded(HumanMotion(rotations, motion.joints @ tip.T))


def _held(motion: HumanMotion, frames: int) -> HumanMotion:
    """The motion, and its last pose for the rest of the frames."""
    at = torch.arange(frames).clamp(max=motion.frames - 1)
    return HumanMotion(motion.rotations[at], motion.joints[at])
