"""Feet that stay where they stand: the body's path, its height and each foot are moved as little
and as smoothly as possible. Every change is a penalised least-squares solve over all frames.

A part of a foot stands where it is low over the floor around it, slow, and under a body that it can
carry.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float

from aesop.director.leg_reach import LEGS, with_ankles_at
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS, HumanMotion, pose_motion
from aesop.scene.skeleton import JOINT_NAMES

# A part stands that is this low over the floor around it, and stays so until it is higher.
LOW_M, HIGH_M = 0.05, 0.08
# It goes no faster than this, and stays so until it is faster. Somebody who travels may slide
# faster: a foot that swings is faster than the body, one that should stand is slower.
SLOW_MPS, FAST_MPS = 0.35, 0.6
SLOW_OF_BODY, FAST_OF_BODY = 0.45, 0.6
RISING_MPS = 0.5
SHORTEST_FRAMES = 3
# The ends of a stretch are cut off where it is this much faster than in its middle.
UNEVEN, UNEVEN_MPS = 1.6, 0.12
# Low feet of which none stands for so long glide, and one of them should stand;
GLIDE_FRAMES = 5
# but a body that is faster than this flies from foot to foot.
RUN_MPS = 1.8
# Kneeling, crawling, lying: feet carry nobody whose knee is lower than this.
KNEE_M = 0.22
# The floor around a frame is the lowest that the body is for so long.
FLOOR_FRAMES = 30
# An ankle is so far above the toes of the same foot when it stands flat.
ANKLE_M = 0.052
BODY_FRAMES = 4.0  # the body's own speed is smoothed so

# Joints lie inside the body: so far above what it rests on. Toes are where the ground is set.
_FLESH_M = {
    "foot": 0.0, "ankle": 0.04, "knee": 0.04, "wrist": 0.02, "elbow": 0.03, "shoulder": 0.06,
}  # fmt: skip
_TRUNK_M = 0.08
_FLESH_OF_JOINT = np.array([_FLESH_M.get(name.split("_")[-1], _TRUNK_M) for name in JOINT_NAMES])

# Ankle and toe of the left and the right foot.
POINTS = [[leg.ankle, leg.toe] for leg in LEGS]
_KNEES = [leg.knee for leg in LEGS]

Curve = Float[np.ndarray, " frames"]
OfPart = Float[np.ndarray, "frames 2 2"]  # foot, then ankle and toe
FootParts = Bool[np.ndarray, "frames 2 2"]


@dataclass(frozen=True)
class Stretch:
    """A part of a foot (0 the ankle, 1 the toes) that stands from frame `first` to `stop` − 1."""

    foot: int
    part: int
    first: int
    stop: int


def velocity_of(values: Float[np.ndarray, "frames ..."]) -> Float[np.ndarray, "frames ..."]:
    """Per second, in the middle of the frames around."""
    return np.gradient(values, axis=0) * NATIVE_FPS


def floor_height(motion: HumanMotion) -> Curve:
    """Height of what carries the body: the lowest part of it for a while around every frame."""
    lowest = (motion.joints[..., 2].double().numpy() - _FLESH_OF_JOINT).min(-1)
    half = FLOOR_FRAMES // 2
    padded = np.pad(lowest, half, mode="edge")
    envelope = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1).min(-1)
    return smoothed(envelope[:, None], half / 2)[:, 0]


def standing(motion: HumanMotion) -> list[Stretch]:
    """Which parts of the feet stand when."""
    joints = motion.joints.double().numpy()
    points, floor = joints[:, POINTS], floor_height(motion)[:, None, None]
    heights = points[..., 2] - floor - np.array([ANKLE_M, 0.0])
    velocity = velocity_of(points)
    speed = np.linalg.norm(velocity[..., :2], axis=-1)
    of_root = smoothed(velocity_of(joints[:, 0])[:, :2], BODY_FRAMES)
    body = np.linalg.norm(of_root, axis=-1)[:, None, None]
    is_upright = joints[:, _KNEES, 2] - floor[:, :, 0] > KNEE_M
    carries = is_upright[..., None] & (np.abs(velocity[..., 2]) < RISING_MPS)
    low = carries & (heights < LOW_M)
    sure = low & (speed < np.maximum(SLOW_MPS, SLOW_OF_BODY * body))
    maybe = carries & (heights < HIGH_M) & (speed < np.maximum(FAST_MPS, FAST_OF_BODY * body))
    found = _stretches(sure, maybe, speed)
    gliding = low & (body < RUN_MPS) & _unsupported(found, speed)
    return found + _stretches(gliding, gliding, speed)


def _stretches(sure: FootParts, maybe: FootParts, speed: OfPart) -> list[Stretch]:
    """Stretches that may stand and somewhere surely do."""
    found: list[Stretch] = []
    for foot, part in np.ndindex(2, 2):
        for first, stop in true_runs(maybe[:, foot, part]):
            if sure[first:stop, foot, part].any():
                at = _even(speed[:, foot, part], first, stop)
                if at[1] - at[0] >= SHORTEST_FRAMES:
                    found.append(Stretch(foot, part, *at))
    return found


def true_runs(mask: Bool[np.ndarray, " frames"]) -> list[tuple[int, int]]:
    """Where a mask is true: first frames, and the frames after the last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _even(speed: Curve, first: int, stop: int) -> tuple[int, int]:
    """Without frames at the ends in which the foot still comes or already goes."""
    limit = UNEVEN * float(np.median(speed[first:stop])) + UNEVEN_MPS
    while stop > first and speed[first] > limit:
        first += 1
    while stop > first and speed[stop - 1] > limit:
        stop -= 1
    return first, stop


def _unsupported(found: list[Stretch], speed: OfPart) -> FootParts:
    """The slower foot wherever neither stands for long: nobody glides, and this one is likelier to
    carry."""
    stands = np.zeros(len(speed), dtype=bool)
    for it in found:
        stands[it.first : it.stop] = True
    lasting = np.zeros(len(speed), dtype=bool)
    for first, stop in true_runs(~stands):
        lasting[first:stop] = stop - first >= GLIDE_FRAMES
    slower = smoothed(speed.min(-1), 2.0)
    is_slower = np.stack([slower[:, 0] <= slower[:, 1], slower[:, 0] > slower[:, 1]], axis=1)
    return (lasting[:, None] & is_slower)[..., None].repeat(2, axis=2)


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
