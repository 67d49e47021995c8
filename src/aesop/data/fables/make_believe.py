"""Motions of our own making: walks, turns, jumps, waves, sits. They need no capture data."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.data.fables.puppet import Strings, pull
from aesop.scene.human import NATIVE_FPS, Clip, Provenance
from aesop.scene.placement import canonical
from aesop.scene.rotation import about_z
from aesop.scene.skeleton import JOINT, REST_OFFSETS, REST_PELVIS_HEIGHT_M

HIP_HALF_WIDTH_M = REST_OFFSETS[JOINT["left_hip"]][0]
ANKLE_HEIGHT_M = -REST_OFFSETS[JOINT["left_foot"]][1]
FOOT_LENGTH_M = REST_OFFSETS[JOINT["left_foot"]][2]
STAND_HEIGHT_M = 0.985 * REST_PELVIS_HEIGHT_M  # knees not quite straight

HANG = (0.12, 0.0, -1.0)  # an arm at rest; x points away from the body
Curve = Float[Tensor, " frames"]


@dataclass(frozen=True)
class MakeBelieve:
    """One made-up motion and what it shows."""

    clip: Clip
    captions: tuple[str, ...]


def ease(share: Curve) -> Curve:
    """From 0 to 1 with zero speed and acceleration at both ends."""
    x = share.clamp(0, 1)
    return x**3 * (10 - 15 * x + 6 * x**2)


def _bump(share: Curve, start: float, stop: float) -> Curve:
    """0 outside [start, stop], rising smoothly to 1 in its middle."""
    inside = ((share - start) / (stop - start)).clamp(0, 1)
    return torch.sin(math.pi * inside) ** 2


def _time(frames: int) -> Curve:
    return torch.arange(frames, dtype=torch.float64) / NATIVE_FPS


def _share(frames: int) -> Curve:
    return torch.linspace(0, 1, frames, dtype=torch.float64)


def standing(frames: int) -> Strings:
    """Both feet planted, arms hanging; actions replace what they move."""
    zero = torch.zeros(frames, dtype=torch.float64)
    pelvis = torch.stack([zero, zero, zero + STAND_HEIGHT_M], dim=-1)
    ankle = torch.tensor([HIP_HALF_WIDTH_M, 0.05, ANKLE_HEIGHT_M], dtype=torch.float64)
    flip = torch.tensor([-1.0, 1.0, 1.0], dtype=torch.float64)
    hang = torch.tensor(HANG, dtype=torch.float64)
    arms = torch.stack([hang, hang * flip]).expand(frames, 2, 3).clone()
    return Strings(
        pelvis=pelvis,
        yaw=zero,
        ankles=torch.stack([ankle, ankle * flip]).expand(frames, 2, 3).clone(),
        foot_yaw=torch.zeros(frames, 2, dtype=torch.float64),
        foot_pitch=torch.zeros(frames, 2, dtype=torch.float64),
        upper_arms=arms,
        forearms=arms + torch.tensor([0.0, -0.15, 0.0], dtype=torch.float64),
        lean=zero.clone(),
        nod=zero.clone(),
    )


def stepping(
    path: Float[Tensor, "frames 3"],
    yaw: Curve,
    steps_per_second: float,
    ground_share: float = 0.6,
) -> Strings:
    """Follow a pelvis path on foot: each foot is planted where the body will be above it. A foot
    is on the ground for `ground_share` of its cycle; below a half both fly between steps."""
    frames = len(yaw)
    time = _time(frames)
    stand = standing(frames)
    moving = (torch.linalg.vector_norm(path.diff(dim=0), dim=-1).sum() > 0.05) or bool(
        (yaw[-1] - yaw[0]).abs() > 0.2
    )
    if not moving:
        return stand
    ankles, foot_yaw, foot_pitch = stand.ankles, stand.foot_yaw, stand.foot_pitch
    stride = 2 / steps_per_second
    for side, sign in enumerate((1.0, -1.0)):
        phase = time / stride + 0.5 * side
        cycle = torch.floor(phase)
        swing_share = ease((phase - cycle - ground_share) / (1 - ground_share))
        middle = ground_share / 2  # of the time on the ground
        plant_now, yaw_now = _plant(path, yaw, (cycle + middle - 0.5 * side) * stride, sign)
        plant_next, yaw_next = _plant(path, yaw, (cycle + 1 + middle - 0.5 * side) * stride, sign)
        ankles[:, side] = plant_now + swing_share[:, None] * (plant_next - plant_now)
        lift = torch.sin(math.pi * swing_share)
        distance = torch.linalg.vector_norm(plant_next - plant_now, dim=-1)
        ankles[:, side, 2] += lift * (0.04 + 0.10 * distance.clamp(max=1.0))
        foot_yaw[:, side] = yaw_now + swing_share * (yaw_next - yaw_now)
        foot_pitch[:, side] = 0.5 * _bump(phase - cycle, 0.5, 0.85) * distance.clamp(max=1.0)
        # Rolling over the toes lifts the heel; without this the toes would dig into the ground.
        ankles[:, side, 2] += FOOT_LENGTH_M * torch.sin(foot_pitch[:, side])
    speed = torch.linalg.vector_norm(torch.gradient(path, dim=0)[0], dim=-1) * NATIVE_FPS
    bob = 0.015 * torch.cos(2 * math.pi * steps_per_second * (time + 0.2 * stride))
    pelvis = path.clone()
    pelvis[:, 2] = STAND_HEIGHT_M - 0.02 * speed.clamp(max=2.0) + bob * speed.clamp(max=1.0)
    swing = 0.5 * torch.sin(2 * math.pi * time / stride) * speed.clamp(max=1.2)
    for side, sign in enumerate((1.0, -1.0)):
        stand.upper_arms[:, side, 1] = sign * swing
        stand.forearms[:, side, 1] = sign * swing - 0.25
    return Strings(
        pelvis, yaw, ankles, foot_yaw, foot_pitch, stand.upper_arms, stand.forearms,
        0.06 * speed.clamp(max=2.0), stand.nod,
    )  # fmt: skip


def _plant(
    path: Float[Tensor, "frames 3"], yaw: Curve, at_seconds: Curve, sign: float
) -> tuple[Float[Tensor, "frames 3"], Curve]:
    """Where a foot stands that is under the body at a given time."""
    frame = (at_seconds * NATIVE_FPS).round().long().clamp(0, len(yaw) - 1)
    turn = yaw[frame]
    aside = about_z(turn)[..., 0] * sign * HIP_HALF_WIDTH_M
    place = path[frame] + aside
    return torch.stack(
        [place[:, 0], place[:, 1], torch.full_like(turn, ANKLE_HEIGHT_M)], dim=-1
    ), turn


def _path_along(yaw: Curve, speed_mps: Curve) -> Float[Tensor, "frames 3"]:
    """The way of a body that always moves where it faces (backwards where speed is negative)."""
    facing = torch.stack([torch.sin(yaw), -torch.cos(yaw), torch.zeros_like(yaw)], dim=-1)
    steps = facing * (speed_mps / NATIVE_FPS)[:, None]
    path = steps.cumsum(0) - steps[0]
    path[:, 2] = STAND_HEIGHT_M
    return path


def _walk(frames: int, dice: np.random.Generator) -> tuple[Strings, tuple[str, ...]]:
    speed = torch.full((frames,), float(dice.uniform(0.8, 1.5)), dtype=torch.float64)
    path = _path_along(torch.zeros(frames, dtype=torch.float64), speed)
    words = ("a person walks forward", "someone walks straight ahead", "walking forward")
    return stepping(path, torch.zeros(frames, dtype=torch.float64), 1.8), words


def _walk_back(frames: int, dice: np.random.Generator) -> tuple[Strings, tuple[str, ...]]:
    speed = torch.full((frames,), -float(dice.uniform(0.5, 0.9)), dtype=torch.float64)
    yaw = torch.zeros(frames, dtype=torch.float64)
    words = ("a person walks backward", "someone steps back without turning", "backing away")
    return stepping(_path_along(yaw, speed), yaw, 1.6), words


def _walk_curve(frames: int, dice: np.random.Generator) -> tuple[Strings, tuple[str, ...]]:
    left = bool(dice.integers(2))
    bend = float(dice.uniform(0.8, 2.6)) * (1 if left else -1)
    yaw = bend * ease(_share(frames))
    speed = torch.full((frames,), float(dice.uniform(0.8, 1.3)), dtype=torch.float64)
    side = "left" if left else "right"
    words = (f"a person walks and curves to the {side}", f"someone walks, turning {side}")
    return stepping(_path_along(yaw, speed), yaw, 1.8), words


def _turn(frames: int, dice: np.random.Generator) -> tuple[Strings, tuple[str, ...]]:
    left = bool(dice.integers(2))
    yaw = float(dice.uniform(1.2, 3.1)) * (1 if left else -1) * ease(_share(frames))
    path = torch.zeros(frames, 3, dtype=torch.float64)
    path[:, 2] = STAND_HEIGHT_M
    side = "left" if left else "right"
    words = (f"a person turns to the {side} on the spot", f"someone turns {side}")
    return stepping(path, yaw, 1.6), words


def _jump(frames: int, dice: np.random.Generator) -> tuple[Strings, tuple[str, ...]]:
    s = standing(frames)
    share, height = _share(frames), float(dice.uniform(0.15, 0.4))
    air_seconds = 2 * math.sqrt(2 * height / 9.81)
    half = air_seconds * NATIVE_FPS / frames / 2
    fly = (1 - ((share - 0.5) / half) ** 2).clamp_min(0) * height
    crouch = 0.18 * (_bump(share, 0.3 - half, 0.5 - half) + _bump(share, 0.5 + half, 0.7 + half))
    s.pelvis[:, 2] += fly - crouch
    s.ankles[..., 2] += fly[:, None]
    s.lean.add_(1.5 * crouch)
    s.upper_arms[..., 1] -= 4 * fly[:, None]
    words = ("a person jumps up on the spot", "someone jumps once", "a jump in place")
    return s, words


def _wave(frames: int, dice: np.random.Generator) -> tuple[Strings, tuple[str, ...]]:
    s = standing(frames)
    side = int(dice.integers(2))
    sign = 1.0 if side == 0 else -1.0
    share, time = _share(frames), _time(frames)
    raised = ease(share / 0.2) * ease((1 - share) / 0.2)
    hang = s.upper_arms[:, side].clone()
    up = torch.tensor([sign * 0.9, -0.2, 0.35], dtype=torch.float64)
    s.upper_arms[:, side] = hang + raised[:, None] * (up - hang)
    shake = torch.sin(2 * math.pi * 1.8 * time) * 0.5
    fore = torch.stack([sign * 0.2 + shake, -0.25 + 0 * shake, 1 + 0 * shake], dim=-1)
    s.forearms[:, side] = s.forearms[:, side] * (1 - raised[:, None]) + raised[:, None] * fore
    name = "left" if side == 0 else "right"
    words = (f"a person waves with the {name} hand", f"someone raises the {name} arm and waves")
    return s, words


def _sit(frames: int, dice: np.random.Generator) -> tuple[Strings, tuple[str, ...]]:
    s = standing(frames)
    rising = bool(dice.integers(2))
    share = _share(frames)
    down = ease((share - 0.2) / 0.6)
    down = 1 - down if rising else down
    s.pelvis[:, 2] -= 0.42 * down
    s.pelvis[:, 1] += 0.38 * down
    s.lean.add_(0.7 * torch.sin(math.pi * down) + 0.1 * down)
    s.forearms[..., 1] -= 0.9 * down[:, None]
    words = (
        ("a person stands up from a seat", "someone gets up")
        if rising
        else ("a person sits down", "someone lowers themselves onto a seat")
    )
    return s, words


def _stand(frames: int, dice: np.random.Generator) -> tuple[Strings, tuple[str, ...]]:
    s = standing(frames)
    sway = 0.008 * torch.sin(2 * math.pi * float(dice.uniform(0.2, 0.35)) * _time(frames))
    s.pelvis[:, 0].add_(sway)
    s.nod.add_(4 * sway)
    return s, ("a person stands still", "someone stands in place", "standing")


ACTIONS: dict[str, Callable[[int, np.random.Generator], tuple[Strings, tuple[str, ...]]]] = {
    "walk": _walk,
    "walk_back": _walk_back,
    "walk_curve": _walk_curve,
    "turn": _turn,
    "jump": _jump,
    "wave": _wave,
    "sit": _sit,
    "stand": _stand,
}


def make_believe(action: str, frames: int, dice: np.random.Generator) -> MakeBelieve:
    """One motion of the named kind at 25 fps, from the canonical start."""
    strings, captions = ACTIONS[action](frames, dice)
    clip = Clip(
        pull(strings), NATIVE_FPS, action, Provenance(f"made by AESOP's own code: {action}")
    )
    return MakeBelieve(canonical(clip)[0], captions)
