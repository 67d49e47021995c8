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
    """A grip's steadiness and habits. Play is how far the focus may stray, in half image widths,
    before the aim reacts."""

    shake: ShakeBand
    locked_aim: float  # share of shots whose aim does not follow the person
    late_frames: tuple[int, int]
    smooth_frames: tuple[float, float]
    play: tuple[float, float]
    on_rails: bool  # moves along straight world lines and not along the camera's own axes


NATURE: dict[Grip, GripNature] = {
    "locked_off": GripNature(
        shake=ShakeBand(quantiles=(0.001, 0.05), rest_mps=0.0005, moving_mps=0.0005, roll_deg=0.0),
        locked_aim=1.0,
        late_frames=(0, 0),
        smooth_frames=(4.0, 4.0),
        play=(0.0, 0.0),
        on_rails=True,
    ),
    "tripod": GripNature(
        shake=ShakeBand(quantiles=(0.05, 0.5), rest_mps=0.001, moving_mps=0.001, roll_deg=0.1),
        locked_aim=0.0,
        late_frames=(2, 9),
        smooth_frames=(5.0, 10.0),
        play=(0.05, 0.2),
        on_rails=True,
    ),
    "dolly": GripNature(
        shake=ShakeBand(quantiles=(0.05, 0.6), rest_mps=0.006, moving_mps=0.03, roll_deg=0.1),
        locked_aim=0.45,
        late_frames=(1, 6),
        smooth_frames=(5.0, 10.0),
        play=(0.03, 0.12),
        on_rails=True,
    ),
    "crane": GripNature(
        shake=ShakeBand(quantiles=(0.05, 0.6), rest_mps=0.01, moving_mps=0.04, roll_deg=0.2),
        locked_aim=0.3,
        late_frames=(1, 7),
        smooth_frames=(6.0, 12.0),
        play=(0.03, 0.12),
        on_rails=True,
    ),
    "steadicam": GripNature(
        shake=ShakeBand(quantiles=(0.35, 0.93), rest_mps=0.01, moving_mps=0.046, roll_deg=0.4),
        locked_aim=0.12,
        late_frames=(1, 6),
        smooth_frames=(4.0, 8.0),
        play=(0.02, 0.08),
        on_rails=False,
    ),
    "arc": GripNature(
        shake=ShakeBand(quantiles=(0.15, 0.7), rest_mps=0.01, moving_mps=0.035, roll_deg=0.2),
        locked_aim=0.0,
        late_frames=(0, 3),
        smooth_frames=(3.0, 6.0),
        play=(0.0, 0.04),
        on_rails=False,
    ),
    "handheld": GripNature(
        shake=ShakeBand(quantiles=(0.6, 0.997), rest_mps=0.01, moving_mps=0.05, roll_deg=0.8),
        locked_aim=0.2,
        late_frames=(2, 8),
        smooth_frames=(3.0, 7.0),
        play=(0.03, 0.15),
        on_rails=False,
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
