"""Feet that stay where they stand: the body's path, its height and each foot are moved as little
and as smoothly as possible. Every change is a penalised least-squares solve over all frames."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from aesop.director.foot_contacts import (
    ANKLE_M,
    BODY_FRAMES,
    FLOOR_FRAMES,
    POINTS,
    Curve,
    Stretch,
    floor_height,
    standing,
    velocity_of,
)
from aesop.director.leg_reach import LEGS, with_ankles_at
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS, HumanMotion, pose_motion

# Heights of the body over its floor are left alone within this; above the second they are meant.
FLOAT_M, MEANT_M = 0.02, 0.15
# Against one metre of slip in one frame of one part that stands: a metre of the path's own change,
# for somebody who rests and for somebody who goes at a walker's pace, and of its change of change.
PATH_AT_REST, PATH_WALKING, WALK_MPS, PATH_BEND = 0.02, 0.5, 1.0, 12.0
# Slip that the path takes up is no faster than this and this share of the body's own speed.
PATH_MPS, PATH_OF_BODY = 0.2, 0.3
# Against one metre that a standing part is off its place: moving the foot at all, bending its way.
FOOT_KEEP, FOOT_BEND = 2e-4, 0.1
FARTHEST_FOOT_M = 0.2
# A part that stands may be this far above the floor; real toes roll.
BAND_M = 0.03
# A foot that swings clears the floor by so much from the second speed on, below the first not.
CLEARANCE_M, SWING_MPS = 0.04, (0.4, 1.2)
# Against one metre that a standing leg is too long or short: moving the pelvis at all, bending its
# way. A leg of less than this share of its length has a knee that gives.
RIDE_KEEP, RIDE_BEND, BENT, MOST_RIDE_M = 0.02, 3.0, 0.9, 0.08

Path = Float[np.ndarray, "frames 3"]
Offsets = Float[np.ndarray, "frames 2 3"]  # of the left and the right foot


@dataclass(frozen=True, eq=False)
class Footing:
    """A motion whose feet stand, and how it came to: along the same poses the body was moved by
    `path`, and then each foot by `feet`."""

    motion: HumanMotion
    path: Path
    feet: Offsets


def stood(motion: HumanMotion) -> Footing:
    """The same motion with feet that stay where they stand, in double precision."""
    was = motion.to(torch.float64)
    level = _moved(was, levelled(was))
    stretches = standing(level)
    travelled = _moved(level, path_change(level, stretches))
    feet = foot_offsets(travelled, stretches)
    ankles = travelled.joints[:, [leg.ankle for leg in LEGS]] + torch.from_numpy(feet)
    ridden = _moved(travelled, pelvis_ride(travelled, feet, stretches))
    if not feet.any():
        return Footing(ridden, _path_between(was, ridden), feet)
    turns = with_ankles_at(ridden.rotations, ridden.joints, ankles)
    return Footing(pose_motion(turns, ridden.root), _path_between(was, ridden), feet)


def _moved(motion: HumanMotion, change: Path) -> HumanMotion:
    """The same poses along another path."""
    if not change.any():
        return motion
    return HumanMotion(motion.rotations, motion.joints + torch.from_numpy(change)[:, None])


def _path_between(was: HumanMotion, now: HumanMotion) -> Path:
    return (now.root - was.root).numpy()


def levelled(motion: HumanMotion) -> Path:
    """What keeps somebody who floats or sinks a little on one floor. Steps up and down are meant,
    and no floor is level to the centimetre."""
    floor = one_floor(motion)
    over = floor - np.median(floor)
    change = np.zeros((len(over), 3))
    # On the way to a step, too, every height is meant.
    padded = np.pad(np.abs(over), FLOOR_FRAMES, mode="edge")
    most = np.lib.stride_tricks.sliding_window_view(padded, 2 * FLOOR_FRAMES + 1).max(-1)
    fade = np.clip((2 * MEANT_M - most) / MEANT_M, 0, 1)
    change[:, 2] = -over * smoothed(fade[:, None], FLOOR_FRAMES / 4)[:, 0]
    return change


def one_floor(motion: HumanMotion) -> Curve:
    """Height of the floor in every frame: the usual one where what carries the body is near it."""
    height = floor_height(motion)
    usual = np.median(height)
    return height - np.clip(height - usual, -FLOAT_M, FLOAT_M)


def path_change(motion: HumanMotion, stretches: Sequence[Stretch]) -> Path:
    """How the path of the whole body changes so that what stands slips least. It begins where it
    began."""
    joints = motion.joints.numpy()
    steps = np.diff(joints[:, POINTS][..., :2], axis=0)
    weight, slip = np.zeros(len(steps)), np.zeros((len(steps), 2))
    for it in stretches:
        weight[it.first : it.stop - 1] += 1
        slip[it.first : it.stop - 1] += steps[it.first : it.stop - 1, it.foot, it.part]
    change = np.zeros_like(joints[:, 0])
    if not slip.any():
        return change
    pace = smoothed(np.diff(joints[:, 0, :2], axis=0), BODY_FRAMES) * NATIVE_FPS
    speed = np.linalg.norm(pace, axis=-1)
    slipping = np.linalg.norm(slip, axis=-1) / np.maximum(weight, 1) * NATIVE_FPS
    slip *= np.minimum(1, (PATH_MPS + PATH_OF_BODY * speed) / np.maximum(slipping, 1e-9))[:, None]
    own = PATH_AT_REST + (PATH_WALKING - PATH_AT_REST) * np.clip(speed / WALK_MPS, 0, 1)
    matrix = np.diag(weight + own) + _bending(len(steps), PATH_BEND, order=1)
    change[1:, :2] = np.cumsum(np.linalg.solve(matrix, -slip), axis=0)
    return change


def _bending(count: int, weight: float, order: int = 2) -> Float[np.ndarray, "count count"]:
    """What a curve's differences of an order cost."""
    bend = np.diff(np.eye(count), n=order, axis=0)
    return weight * bend.T @ bend


def foot_offsets(motion: HumanMotion, stretches: Sequence[Stretch]) -> Offsets:
    """How each foot is moved as a whole so that what stands stays at one place, on the floor."""
    points = motion.joints.numpy()[:, POINTS]
    points = points - one_floor(motion)[:, None, None, None] * np.array([0.0, 0.0, 1.0])
    offsets = np.zeros((len(points), 2, 3))
    for foot in range(2):
        own = [it for it in stretches if it.foot == foot]
        offsets[:, foot, :2] = _planted(points[:, foot, :, :2], own)
        offsets[:, foot, 2] = _on_floor(points[:, foot], own)
    return offsets


def _planted(
    places: Float[np.ndarray, "frames 2 2"], stretches: Sequence[Stretch]
) -> Float[np.ndarray, "frames 2"]:
    """Offsets along the ground, solved together with the places at which the stretches stand."""
    frames, count = len(places), len(stretches)
    if count == 0:
        return np.zeros((frames, 2))
    # From a place near the foot: large numbers would lose the small ones that are looked for.
    seen = places - places[:1, :1]
    matrix, goal = np.zeros((frames + count, frames + count)), np.zeros((frames + count, 2))
    matrix[:frames, :frames] = _reluctance(frames)
    for row, it in enumerate(stretches, start=frames):
        at = np.arange(it.first, it.stop)
        matrix[at, at] += 1
        matrix[at, row] -= 1
        matrix[row, at] -= 1
        matrix[row, row] += len(at)
        goal[at] -= seen[at, it.part]
        goal[row] += seen[at, it.part].sum(0)
    planted = np.linalg.solve(matrix, goal)[:frames]
    # Nearly as it is while small, never farther than allowed, and without a corner.
    share = np.linalg.norm(planted, axis=-1, keepdims=True) / FARTHEST_FOOT_M
    return planted / (1 + share**4) ** 0.25


def _reluctance(frames: int) -> Float[np.ndarray, "frames frames"]:
    return FOOT_KEEP * np.eye(frames) + _bending(frames, FOOT_BEND)


def _on_floor(places: Float[np.ndarray, "frames 2 3"], stretches: Sequence[Stretch]) -> Curve:
    """Offsets of height: what stands is on the floor, what swings clears it, no toe is below."""
    over = places[..., 2] - np.array([ANKLE_M, 0.0])
    slow, fast = SWING_MPS
    speed = np.linalg.norm(velocity_of(places)[..., :2], axis=-1).min(-1)
    clearance = CLEARANCE_M * np.clip((speed - slow) / (fast - slow), 0, 1)
    matrix, goal = _reluctance(len(over)), np.zeros(len(over))
    for it in stretches:
        at = np.arange(it.first, it.stop)
        clearance[at] = 0
        matrix[at, at] += 1
        goal[at] += np.minimum(BAND_M - over[at, it.part], 0.0)
    lift = clearance - over[:, 1]
    under = np.flatnonzero(lift > 0)
    matrix[under, under] += 1
    goal[under] += lift[under]
    return np.linalg.solve(matrix, goal) if goal.any() else goal


def pelvis_ride(motion: HumanMotion, offsets: Offsets, stretches: Sequence[Stretch]) -> Path:
    """How the pelvis rises and falls so that legs that stand keep their length: a leg that is
    almost straight has nothing to give, and its knee would be thrown forward."""
    joints = motion.joints.numpy()
    matrix = RIDE_KEEP * np.eye(len(joints)) + _bending(len(joints), RIDE_BEND)
    goal, change = np.zeros(len(joints)), np.zeros_like(joints[:, 0])
    for foot, leg in enumerate(LEGS):
        carries = np.zeros(len(joints))
        for it in stretches:
            if it.foot == foot:
                carries[it.first : it.stop] = 1
        way = joints[:, leg.ankle] - joints[:, leg.hip]
        length = np.linalg.norm(way, axis=-1)
        stiff = carries * np.clip((length / leg.longest_m - BENT) / (1 - BENT), 0, 1) ** 2
        longer = np.linalg.norm(way + offsets[:, foot], axis=-1) - length
        upward = -way[:, 2] / length
        matrix[np.diag_indices_from(matrix)] += stiff * upward**2
        # A pelvis that comes down makes up for an ankle that is farther away.
        goal -= stiff * upward * longer
    if goal.any():
        change[:, 2] = np.clip(np.linalg.solve(matrix, goal), -MOST_RIDE_M, MOST_RIDE_M)
    return change
