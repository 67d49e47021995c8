"""Grips: what carries the camera, how steady it is, and how it aims."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from aesop.data.fables.chance import picked
from aesop.data.fables.moves import STATIC, Move
from aesop.data.fables.shake import ShakeBand

Grip = Literal["locked_off", "tripod", "dolly", "crane", "steadicam", "arc", "handheld"]


@dataclass(frozen=True)
class GripNature:
    """A grip's steadiness and habits. Frames are lags, degrees are play of the aim."""

    shake: ShakeBand
    locked_aim: float  # share of shots whose aim does not follow the person
    late_frames: tuple[int, int]
    smooth_frames: tuple[float, float]
    play_deg: tuple[float, float]
    on_rails: bool  # moves along straight world lines and not along the camera's own axes


NATURE: dict[Grip, GripNature] = {
    "locked_off": GripNature(
        ShakeBand((0.001, 0.05), 0.0005, 0.0005, 0.0), 1.0, (0, 0), (4.0, 4.0), (0.0, 0.0), True
    ),
    "tripod": GripNature(
        ShakeBand((0.02, 0.4), 0.001, 0.001, 0.1), 0.0, (2, 9), (5.0, 10.0), (1.0, 4.0), True
    ),
    "dolly": GripNature(
        ShakeBand((0.02, 0.5), 0.005, 0.025, 0.1), 0.45, (1, 6), (5.0, 10.0), (0.5, 2.5), True
    ),
    "crane": GripNature(
        ShakeBand((0.02, 0.5), 0.01, 0.04, 0.2), 0.3, (1, 7), (6.0, 12.0), (0.5, 2.5), True
    ),
    "steadicam": GripNature(
        ShakeBand((0.3, 0.9), 0.01, 0.046, 0.4), 0.12, (1, 6), (4.0, 8.0), (0.3, 1.5), False
    ),
    "arc": GripNature(
        ShakeBand((0.1, 0.6), 0.01, 0.035, 0.2), 0.0, (0, 3), (3.0, 6.0), (0.0, 0.7), False
    ),
    "handheld": GripNature(
        ShakeBand((0.55, 0.995), 0.01, 0.05, 0.8), 0.2, (2, 8), (3.0, 7.0), (0.5, 3.0), False
    ),
}


def _choices(moves: Sequence[Move]) -> dict[Grip, float]:
    if all(move.tag == STATIC for move in moves):
        return {"locked_off": 0.4, "tripod": 0.35, "handheld": 0.25}
    if any(move.goes_with_person for move in moves):
        return {"steadicam": 0.65, "handheld": 0.35}
    if any(move.kind == "arc" for move in moves):
        return {"arc": 0.6, "steadicam": 0.2, "handheld": 0.2}
    if any(move.signs[1] != 0 for move in moves):
        return {"crane": 0.6, "steadicam": 0.2, "handheld": 0.2}
    return {"dolly": 0.5, "steadicam": 0.22, "handheld": 0.28}


def draw_grip(moves: Sequence[Move], dice: np.random.Generator) -> Grip:
    """A grip that can make these moves."""
    return picked(_choices(moves), dice)
