"""Synthetic motion on our skeleton: walks, turns, jumps, waves, sits, and ways through a room."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS, Clip, HumanMotion, Provenance, grounded, pose_motion
from aesop.scene.rotation import about_axis, about_z, swing
from aesop.scene.shot import canonical
from aesop.scene.skeleton import (
    JOINT,
    JOINTS,
    REST_OFFSETS,
    REST_PELVIS_HEIGHT_M,
    bone_length,
    local_rotations,
    rest_offsets,
    world_from_rest,
)

# A leg that reaches further than this share of its length would lock and pop at the knee.
FULL_REACH = 0.995
HIP_HALF_WIDTH_M = REST_OFFSETS[JOINT["left_hip"]][0]
ANKLE_HEIGHT_M = -REST_OFFSETS[JOINT["left_foot"]][1]
FOOT_LENGTH_M = REST_OFFSETS[JOINT["left_foot"]][2]
STAND_HEIGHT_M = 0.985 * REST_PELVIS_HEIGHT_M  # knees not quite straight

HANG = (0.12, 0.0, -1.0)  # an arm at rest; x points away from the body
# People take this many steps a second at these speeds, and their feet stay down this long.
_WALK, _RUN = (1.8, 0.6), (2.8, 0.36)
_RUNS_MPS = 2.2
_EASE_FRAMES = 6.0  # Gaussian over changes of speed and heading

Curve = Float[Tensor, " frames"]
Points = Float[Tensor, "frames 3"]
Rotations = Float[Tensor, "frames 3 3"]


@dataclass(frozen=True)
class SyntheticMotion:
    """One synthetic motion and what it shows."""

    clip: Clip
    captions: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class BodyTargets:
    """Where a body is to be, per frame. Directions and leans are in the body's own axes: x to its
    left, y to its back (a person at yaw 0 faces −Y), z up; places are in the world."""

    pelvis: Points
    yaw: Curve
    ankles: Float[Tensor, "frames 2 3"]  # left, right
    foot_yaw: Float[Tensor, "frames 2"]
    foot_pitch: Float[Tensor, "frames 2"]  # toes down is positive
    upper_arms: Float[Tensor, "frames 2 3"]  # directions, left, right
    forearms: Float[Tensor, "frames 2 3"]
    lean: Curve  # forward bend of the trunk
    nod: Curve  # forward bend of the head against the trunk


def posed(targets: BodyTargets) -> HumanMotion:
    """The motion that reaches its targets, standing on the ground."""
    stand = world_from_rest(targets.yaw)
    upright = about_z(targets.yaw) @ stand
    world = upright[:, None].expand(-1, JOINTS, 3, 3).clone()
    trunk = upright @ (stand.T @ about_axis(targets.lean, "x") @ stand)
    for name in ("spine1", "spine2", "spine3", "neck", "left_collar", "right_collar"):
        world[:, JOINT[name]] = trunk
    # A bend spread over the lower back looks like a back, not like a hinge.
    world[:, JOINT["spine1"]] = upright @ (stand.T @ about_axis(targets.lean / 2, "x") @ stand)
    world[:, JOINT["head"]] = trunk @ about_axis(targets.nod, "x")
    for side, name in enumerate(("left", "right")):
        _place_arm(world, targets, side, name, trunk)
        _place_leg(world, targets, side, name, upright)
    return grounded(pose_motion(local_rotations(world), targets.pelvis))


def _aim(base: Rotations, joint_after: str, direction: Points) -> Rotations:
    """Swing `base` as little as it takes to point the bone to `joint_after` along direction."""
    bone = (base @ rest_offsets(base)[JOINT[joint_after], :, None]).squeeze(-1)
    return swing(bone, direction) @ base


def _place_arm(
    world: Float[Tensor, "frames 22 3 3"],
    targets: BodyTargets,
    side: int,
    name: str,
    trunk: Rotations,
) -> None:
    to_world = about_z(targets.yaw)
    for joint, after, body_direction in (
        ("shoulder", "elbow", targets.upper_arms[:, side]),
        ("elbow", "wrist", targets.forearms[:, side]),
    ):
        direction = (to_world @ body_direction[..., None]).squeeze(-1)
        world[:, JOINT[f"{name}_{joint}"]] = _aim(trunk, f"{name}_{after}", direction)
    world[:, JOINT[f"{name}_wrist"]] = world[:, JOINT[f"{name}_elbow"]]


def _place_leg(
    world: Float[Tensor, "frames 22 3 3"],
    targets: BodyTargets,
    side: int,
    name: str,
    upright: Rotations,
) -> None:
    thigh, shin = bone_length(JOINT[f"{name}_knee"]), bone_length(JOINT[f"{name}_ankle"])
    hip_offset = rest_offsets(upright)[JOINT[f"{name}_hip"], :, None]
    hip = targets.pelvis + (upright @ hip_offset).squeeze(-1)
    reach = targets.ankles[:, side] - hip
    distance = torch.linalg.vector_norm(reach, dim=-1, keepdim=True)
    span = distance.clamp(max=FULL_REACH * (thigh + shin))
    along = reach / distance
    forward = -about_z(targets.foot_yaw[:, side])[..., 1]  # where the toes point
    knee_side = normalize(forward - (forward * along).sum(-1, keepdim=True) * along, dim=-1)
    ahead = (thigh**2 - shin**2 + span**2) / (2 * span)  # law of cosines
    aside = (thigh**2 - ahead**2).clamp_min(0).sqrt()
    knee = ahead * along + aside * knee_side
    world[:, JOINT[f"{name}_hip"]] = _aim(upright, f"{name}_knee", knee)
    world[:, JOINT[f"{name}_knee"]] = _aim(upright, f"{name}_ankle", span * along - knee)
    flat = about_z(targets.foot_yaw[:, side]) @ world_from_rest(upright)
    foot = flat @ about_axis(targets.foot_pitch[:, side], "x")
    world[:, JOINT[f"{name}_ankle"]] = foot
    world[:, JOINT[f"{name}_foot"]] = foot


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


def _constant(frames: int, value: float = 0.0) -> Curve:
    return torch.full((frames,), value, dtype=torch.float64)


def standing(frames: int) -> BodyTargets:
    """Both feet planted, arms hanging; actions replace what they move."""
    zero = _constant(frames)
    ankle = torch.tensor([HIP_HALF_WIDTH_M, 0.05, ANKLE_HEIGHT_M], dtype=torch.float64)
    flip = torch.tensor([-1.0, 1.0, 1.0], dtype=torch.float64)
    hang = torch.tensor(HANG, dtype=torch.float64)
    arms = torch.stack([hang, hang * flip]).expand(frames, 2, 3).clone()
    return BodyTargets(
        pelvis=torch.stack([zero, zero, zero + STAND_HEIGHT_M], dim=-1),
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
    path: Points, yaw: Curve, steps_per_second: float, ground_share: float = 0.6
) -> BodyTargets:
    """Follow a pelvis path on foot: each foot is planted where the body will be above it. A foot
    is on the ground for `ground_share` of its cycle; below a half both fly between steps."""
    frames = len(yaw)
    time = _time(frames)
    stand = standing(frames)
    way_m = torch.linalg.vector_norm(path.diff(dim=0), dim=-1).sum()
    if way_m <= 0.05 and (yaw[-1] - yaw[0]).abs() <= 0.2:
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
    # Feet and arms were written in place.
    return replace(stand, pelvis=pelvis, yaw=yaw, lean=0.06 * speed.clamp(max=2.0))


def _plant(path: Points, yaw: Curve, at_seconds: Curve, sign: float) -> tuple[Points, Curve]:
    """Where a foot stands that is under the body at a given time."""
    frame = (at_seconds * NATIVE_FPS).round().long().clamp(0, len(yaw) - 1)
    turn = yaw[frame]
    aside = about_z(turn)[..., 0] * sign * HIP_HALF_WIDTH_M
    planted = path[frame] + aside
    planted[:, 2] = ANKLE_HEIGHT_M
    return planted, turn


def _walking(yaw: Curve, speed_mps: float, steps_per_second: float = 1.8) -> BodyTargets:
    """A body that always moves where it faces (backwards where speed is negative)."""
    facing = torch.stack([torch.sin(yaw), -torch.cos(yaw), torch.zeros_like(yaw)], dim=-1)
    steps = facing * (_constant(len(yaw), speed_mps) / NATIVE_FPS)[:, None]
    path = steps.cumsum(0) - steps[0]
    path[:, 2] = STAND_HEIGHT_M
    return stepping(path, yaw, steps_per_second)


Action = tuple[BodyTargets, tuple[str, ...]]  # a motion, and captions of it


def _walk(frames: int, dice: np.random.Generator) -> Action:
    words = ("a person walks forward", "someone walks straight ahead", "walking forward")
    return _walking(_constant(frames), float(dice.uniform(0.8, 1.5))), words


def _walk_back(frames: int, dice: np.random.Generator) -> Action:
    words = ("a person walks backward", "someone steps back without turning", "backing away")
    return _walking(_constant(frames), -float(dice.uniform(0.5, 0.9)), 1.6), words


def _walk_curve(frames: int, dice: np.random.Generator) -> Action:
    side, sign = (("right", -1), ("left", 1))[int(dice.integers(2))]
    yaw = float(dice.uniform(0.8, 2.6)) * sign * ease(_share(frames))
    words = (f"a person walks and curves to the {side}", f"someone walks, turning {side}")
    return _walking(yaw, float(dice.uniform(0.8, 1.3))), words


def _turn(frames: int, dice: np.random.Generator) -> Action:
    side, sign = (("right", -1), ("left", 1))[int(dice.integers(2))]
    yaw = float(dice.uniform(1.2, 3.1)) * sign * ease(_share(frames))
    words = (f"a person turns to the {side} on the spot", f"someone turns {side}")
    return _walking(yaw, 0.0, 1.6), words


def _jump(frames: int, dice: np.random.Generator) -> Action:
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
    return s, ("a person jumps up on the spot", "someone jumps once", "a jump in place")


def _wave(frames: int, dice: np.random.Generator) -> Action:
    s = standing(frames)
    side = int(dice.integers(2))
    name, sign = (("left", 1.0), ("right", -1.0))[side]
    share = _share(frames)
    raised = ease(share / 0.2) * ease((1 - share) / 0.2)
    hang = s.upper_arms[:, side].clone()
    up = torch.tensor([sign * 0.9, -0.2, 0.35], dtype=torch.float64)
    s.upper_arms[:, side] = hang + raised[:, None] * (up - hang)
    shake = torch.sin(2 * math.pi * 1.8 * _time(frames)) * 0.5
    fore = torch.stack([sign * 0.2 + shake, -0.25 + 0 * shake, 1 + 0 * shake], dim=-1)
    s.forearms[:, side] = s.forearms[:, side] * (1 - raised[:, None]) + raised[:, None] * fore
    words = (f"a person waves with the {name} hand", f"someone raises the {name} arm and waves")
    return s, words


def _sit(frames: int, dice: np.random.Generator) -> Action:
    s = standing(frames)
    rising = bool(dice.integers(2))
    share = _share(frames)
    down = ease((share - 0.2) / 0.6)
    down = 1 - down if rising else down
    s.pelvis[:, 2] -= 0.42 * down
    s.pelvis[:, 1] += 0.38 * down
    s.lean.add_(0.7 * torch.sin(math.pi * down) + 0.1 * down)
    s.forearms[..., 1] -= 0.9 * down[:, None]
    if rising:
        return s, ("a person stands up from a seat", "someone gets up")
    return s, ("a person sits down", "someone lowers themselves onto a seat")


def _stand(frames: int, dice: np.random.Generator) -> Action:
    s = standing(frames)
    sway = 0.008 * torch.sin(2 * math.pi * float(dice.uniform(0.2, 0.35)) * _time(frames))
    s.pelvis[:, 0].add_(sway)
    s.nod.add_(4 * sway)
    return s, ("a person stands still", "someone stands in place", "standing")


ACTIONS: dict[str, Callable[[int, np.random.Generator], Action]] = {
    "walk": _walk, "walk_back": _walk_back, "walk_curve": _walk_curve, "turn": _turn,
    "jump": _jump, "wave": _wave, "sit": _sit, "stand": _stand,
}  # fmt: skip


def synthetic_motion(action: str, frames: int, dice: np.random.Generator) -> SyntheticMotion:
    """One motion of the named kind at 25 fps, from the canonical start."""
    targets, captions = ACTIONS[action](frames, dice)
    made_by = Provenance(f"made by AESOP's own code: {action}")
    clip = Clip(posed(targets), NATIVE_FPS, action, made_by)
    return SyntheticMotion(canonical(clip)[0], captions)


@dataclass(frozen=True)
class Leg:
    """One part of a way. A person who goes aside by 90° sidesteps to their left."""

    seconds: float
    speed_mps: float  # 0: stays where they are
    turn_deg: float = 0.0  # of the body over the leg; to the left is positive
    aside_deg: float = 0.0  # from where the body faces to where it goes; 180 is backwards


def wander(legs: Sequence[Leg]) -> HumanMotion:
    """Walk or run along the legs, one after another, with eased changes between them."""
    rows: list[np.ndarray] = []
    for leg in legs:
        frames, aside = round(leg.seconds * NATIVE_FPS), math.radians(leg.aside_deg)
        # In the body's axes; a body at yaw 0 faces −Y, its left is +X.
        x_mps, y_mps = leg.speed_mps * math.sin(aside), -leg.speed_mps * math.cos(aside)
        rows.append(np.tile([x_mps, y_mps, math.radians(leg.turn_deg) / frames], (frames, 1)))
    eased = torch.from_numpy(smoothed(np.concatenate(rows), _EASE_FRAMES))
    yaw = eased[:, 2].cumsum(0) - eased[0, 2]
    steps = (about_z(yaw)[:, :2, :2] @ eased[:, :2, None]).squeeze(-1) / NATIVE_FPS
    path = torch.cat([steps.cumsum(0) - steps[0], torch.full_like(yaw, STAND_HEIGHT_M)[:, None]], 1)
    fastest = max(leg.speed_mps for leg in legs)
    steps_per_second, ground_share = _RUN if fastest >= _RUNS_MPS else _WALK
    return posed(stepping(path, yaw, steps_per_second, ground_share))


def sit_and_stay(frames: int, sitting_down_frames: int) -> HumanMotion:
    """Sits down on nothing that is there, and then does not move at all."""
    for number in range(16):  # the action draws whether it sits down or gets up
        motion = synthetic_motion(
            "sit", sitting_down_frames, np.random.default_rng(number)
        ).clip.motion
        if motion.root[-1, 2] < motion.root[0, 2]:
            at = torch.arange(frames).clamp(max=motion.frames - 1)
            return HumanMotion(motion.rotations[at], motion.joints[at])
    raise AssertionError("sixteen draws in a row got up")


def lie_and_wave(frames: int, seed: int) -> HumanMotion:
    """Lies on the back and moves one arm."""
    motion = synthetic_motion("wave", frames, np.random.default_rng(seed)).clip.motion
    tip = about_axis(torch.tensor(-math.pi / 2, dtype=motion.joints.dtype), "x")
    rotations = motion.rotations.clone()
    rotations[:, 0] = tip @ rotations[:, 0]
    return grounded(HumanMotion(rotations, motion.joints @ tip.T))
