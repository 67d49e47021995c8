"""Put a foreign body's motion on our one skeleton: the directions of its limbs, not
their lengths."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import normalize

from aesop.files.foreign_skeleton import (
    LIMBS,
    BodyMap,
    SourceMotion,
    limb_directions,
    trunk_direction,
)
from aesop.scene.rotation import slerp, swing
from aesop.scene.shot import ground
from aesop.scene.skeleton import (
    JOINT,
    JOINT_NAMES,
    JOINTS,
    PARENTS,
    bone_length,
    forward_kinematics,
    local_rotations,
    rest_offsets,
)

# A standing anchor this near to an axis of its file is upright: its trunk leans only because its
# hips and neck are placed differently from ours.
UPRIGHT_WITHIN_DEGREES = 25.0
PELVIS, CHEST = JOINT["pelvis"], JOINT["spine3"]
# Thigh and shin of our skeleton, mean of both sides.
_LEGS = ("left_knee", "left_ankle", "right_knee", "right_ankle")
OUR_LEG_M = sum(bone_length(JOINT[bone]) for bone in _LEGS) / 2


@dataclass(frozen=True, eq=False)
class Anchor:
    """One frame of the source. `stands` says that it is a pose made for calibration, to be taken
    as upright, and not a moment of the motion, which may lean."""

    pose: SourceMotion
    stands: bool


def anchor_pose(anchor: Anchor, body: BodyMap) -> Float[Tensor, "22 3 3"]:
    """World_from_joint of our body in the anchor's pose, in the source's axes.

    Pelvis and chest are set by the lines through hips and shoulders and by the direction up the
    body; limbs follow by swings from there, which leaves arms and legs a natural twist.
    """
    offsets = rest_offsets(anchor.pose.places)
    directions = limb_directions(anchor.pose, body)
    pelvis, chest = _torso(anchor, body, "hip"), _torso(anchor, body, "shoulder")
    ours: list[Tensor] = [pelvis]
    for joint in range(1, JOINTS):
        if joint in _SPINE_SHARES:
            share = torch.tensor(_SPINE_SHARES[joint]).to(pelvis)
            ours.append(slerp(pelvis, chest, share))
        else:
            ours.append(ours[PARENTS[joint]])
        for upper, lower in LIMBS:
            if upper == joint and (upper, lower) in directions:
                turn = swing(ours[joint] @ offsets[lower], directions[upper, lower][0])
                ours[joint] = turn @ ours[joint]
    return torch.stack(ours)


# A trunk this near to the vertical belongs to somebody who stands or walks, and so looks ahead on
# average; from fewer such frames nothing is concluded.
UPRIGHT_FRAMES = 12


def _with_level_head(
    start: Float[Tensor, "22 3 3"],
    motion: SourceMotion,
    anchor: Anchor,
    body: BodyMap,
    up: Float[Tensor, "3"],
) -> Float[Tensor, "22 3 3"]:
    """The anchor's pose with the head turned so that it is level on average while the body is
    upright. A moment of the motion does not show how its head would look straight ahead."""
    upright = trunk_direction(motion, body) @ up > math.cos(math.radians(UPRIGHT_WITHIN_DEGREES))
    if int(upright.sum()) < UPRIGHT_FRAMES:
        return start
    across = motion.bone(body, "right_shoulder", "left_shoulder")[upright]
    left = normalize(across - (across @ up)[:, None] * up, dim=-1)
    ahead = torch.linalg.cross(left, up.expand_as(left))
    body_from_world = torch.stack([left, up.expand_as(left), ahead], dim=1)
    head = body.index("head")
    mean = (body_from_world @ motion.world_from_joint[upright, head]).mean(0)
    outer, _, inner = torch.linalg.svd(mean)
    sign = torch.ones_like(mean[0])
    sign[2] = torch.det(outer @ inner)
    level = (outer * sign) @ inner  # the rotation nearest to the mean: body_from_head, on average
    start = start.clone()
    start[JOINT["head"]] = anchor.pose.world_from_joint[0, head] @ level.T
    return start


def _spine_shares() -> dict[int, float]:
    """How far up the back, from 0 at the pelvis to 1 at the chest, each vertebra lies."""
    spine = [JOINT[name] for name in ("spine1", "spine2", "spine3")]
    lengths = [bone_length(joint) for joint in spine]
    return {joint: sum(lengths[: k + 1]) / sum(lengths) for k, joint in enumerate(spine)}


_SPINE_SHARES = _spine_shares()


def _torso(anchor: Anchor, body: BodyMap, line: str) -> Float[Tensor, "3 3"]:
    """Rotation that puts our rest body's up and left-right line onto the source's."""
    rest = rest_offsets(anchor.pose.places)
    for joint in range(1, JOINTS):
        rest[joint] += rest[PARENTS[joint]]
    our_trunk = rest[JOINT["neck"]] - rest[JOINT["pelvis"]]
    our_across = rest[JOINT[f"left_{line}"]] - rest[JOINT[f"right_{line}"]]
    across = anchor.pose.bone(body, f"right_{line}", f"left_{line}")[0]
    trunk = trunk_direction(anchor.pose, body)[0]
    steepest = trunk.abs().argmax()
    axis = torch.zeros_like(trunk)
    axis[steepest] = torch.sign(trunk[steepest])
    upright = float(trunk @ axis) > math.cos(math.radians(UPRIGHT_WITHIN_DEGREES))
    if anchor.stands and upright:
        return _frame(axis, across) @ _frame(our_trunk.new_tensor([0.0, 1.0, 0.0]), our_across).T
    return _frame(trunk, across) @ _frame(our_trunk, our_across).T


def _frame(up: Float[Tensor, "3"], across: Float[Tensor, "3"]) -> Float[Tensor, "3 3"]:
    """Columns: left, up, forward."""
    up = normalize(up, dim=-1)
    forward = normalize(torch.linalg.cross(across, up), dim=-1)
    return torch.stack([torch.linalg.cross(up, forward), up, forward], dim=-1)


# A standing foot moves with the noise of capture or slips a little; a swinging one does 1 to 4 m/s.
STANDING_MPS = 0.4


def rests(path: Float[Tensor, "frames 3"], fps: float) -> Int[np.ndarray, " frames"]:
    """Number of the rest that each frame belongs to, −1 where the point is on its way.

    A rest is a run of steps slower than `STANDING_MPS`, with the frames at both of its ends.
    """
    steps = torch.linalg.vector_norm(path.diff(dim=0), dim=-1)
    slow = np.concatenate([[False], (steps * fps < STANDING_MPS).numpy(), [False]])
    run = np.cumsum(slow[1:] & ~slow[:-1]) - 1
    # `slow[k]` is the step into frame k, `slow[k + 1]` the step out of it.
    return np.where(slow[1:], run, np.where(slow[:-1], run, -1))


def keep_footing(
    world: Float[Tensor, "frames 22 3 3"],
    root: Float[Tensor, "frames 3"],
    soles: dict[int, Float[Tensor, "frames 3"]],
    fps: float,
) -> Float[Tensor, "frames 22 3 3"]:
    """World_from_joint with legs turned so that our feet rest while the source's rest.

    `soles` gives, for a foot or ankle of ours, the path of its counterpart in our world, scaled to
    our size.
    """
    joints = forward_kinematics(local_rotations(world), root)
    world = world.clone()
    for sole, path in soles.items():
        resting = rests(path, fps)
        if not (resting >= 0).any():
            continue
        side = JOINT_NAMES[sole].split("_")[0]
        hip, knee, ankle = (JOINT[f"{side}_{part}"] for part in ("hip", "knee", "ankle"))
        correction = torch.zeros_like(path)
        correction[:, :2] = _correction(ground(joints[:, sole] - path), resting)
        leg = joints[:, ankle] - joints[:, hip]
        turn = swing(leg, leg + correction)
        world[:, hip] = turn @ world[:, hip]
        world[:, knee] = turn @ world[:, knee]
    return world


def _correction(
    drift: Float[Tensor, "frames 2"], resting: Int[np.ndarray, " frames"]
) -> Float[Tensor, "frames 2"]:
    """What takes the drift away within each rest, blended linearly from one rest to the next."""
    frames = np.flatnonzero(resting >= 0)
    values = drift.numpy()[frames]
    starts = np.flatnonzero(np.diff(resting[frames], prepend=-1))
    counts = np.diff(starts, append=len(frames))
    means = np.add.reduceat(values, starts) / counts[:, None]
    wanted = np.repeat(means, counts, axis=0) - values
    every = np.arange(len(resting))
    blended = [np.interp(every, frames, wanted[:, axis]) for axis in range(2)]
    return torch.from_numpy(np.stack(blended, axis=-1)).to(drift)


VERTEBRAE = (JOINT["spine1"], JOINT["spine2"])
# What the tipping carries along: everything above the pelvis up to the arms.
TIPPED = (*VERTEBRAE, CHEST, JOINT["left_collar"], JOINT["right_collar"])
# Our segments from the pelvis up, by the joint at their upper end.
_OUR_SEGMENTS = tuple(JOINT[name] for name in ("spine1", "spine2", "spine3", "neck"))
# A source whose back bends in the very place of the pelvis (CMU) leaves our lowest vertebra, 11 cm
# higher, a sharp kink; people share such a bend between pelvis and back, and so do we.
PELVIS_BEND = 0.4
# A segment shorter than this share of the back carries nothing.
_NOTHING = 1e-3


def bent_pelvis(
    motion: SourceMotion, anchor: Anchor, body: BodyMap, start: Float[Tensor, "22 3 3"]
) -> Float[Tensor, "frames 3 3"]:
    """World_from_joint of our pelvis."""
    turns = [motion.since(anchor.pose, joint) @ start[PELVIS] for joint in body.trunk[:2]]
    lengths = _source_segments(anchor.pose, body)
    if len(turns) == 1 or not _is_nothing(lengths[0], lengths):
        return turns[0]
    return slerp(turns[0], turns[1], torch.tensor(PELVIS_BEND).to(start))


def bent_vertebrae(
    motion: SourceMotion, anchor: Anchor, body: BodyMap, start: Float[Tensor, "22 3 3"]
) -> Float[Tensor, "frames 2 3 3"]:
    """World_from_joint of spine1 and spine2; `start` is our body in the anchor's pose."""
    heights = _middles(_source_segments(anchor.pose, body))
    ours = _middles([bone_length(joint) for joint in _OUR_SEGMENTS])
    bent: list[Tensor] = []
    for joint, height in zip(VERTEBRAE, ours[1:3], strict=True):
        above = next((k for k, other in enumerate(heights) if other > height), len(heights) - 1)
        below = max(above - 1, 0)
        gap = heights[above] - heights[below]
        share = (height - heights[below]) / gap if gap > 0 else 0.0
        turns = [
            motion.since(anchor.pose, body.trunk[knot]) @ start[joint] for knot in (below, above)
        ]
        bent.append(slerp(turns[0], turns[1], torch.tensor(min(share, 1.0)).to(start)))
    return torch.stack(bent, dim=1)


def tipped(
    ours: Float[Tensor, "frames 22 3 3"],
    motion: SourceMotion,
    anchor: Anchor,
    body: BodyMap,
    start: Float[Tensor, "22 3 3"],
) -> Float[Tensor, "frames 22 3 3"]:
    """The same body with its back leaning, from pelvis to neck, as much as the source's since the
    anchor. Directions are compared from the anchor on, so that a body standing straight there
    stands straight here however the source's hips are placed."""
    pelvis = body.index("pelvis")
    lean = normalize(_neck_root(motion, anchor, body) - motion.places[:, pelvis], dim=-1)
    first = normalize(
        _neck_root(anchor.pose, anchor, body)[0] - anchor.pose.places[0, pelvis], dim=-1
    )
    rigid, free = _our_back(start)
    turn = motion.world_from_joint[:, pelvis]
    turn_then = anchor.pose.world_from_joint[0, pelvis]
    # The anchor's difference, kept fixed to the pelvis as it turns.
    difference = turn_then.T @ swing(first, rigid + free) @ turn_then
    wanted = (turn @ difference @ turn.transpose(-1, -2) @ lean[..., None]).squeeze(-1)
    rigid, free = _our_back(ours)
    # The lowest segment turns with the pelvis: tip the rest about its end until the neck lies on
    # the wanted line, at the nearer of the two places where it can. A back folded flat onto itself
    # may not reach that line; then it comes as near as it can.
    along = (wanted * rigid).sum(-1, keepdim=True)
    reach = along**2 - (rigid**2).sum(-1, keepdim=True) + (free**2).sum(-1, keepdim=True)
    now = torch.linalg.vector_norm(rigid + free, dim=-1, keepdim=True)
    far = along + torch.sign(now - along) * reach.clamp_min(0).sqrt()
    tip = swing(free, far * wanted - rigid)
    ours = ours.clone()
    ours[:, TIPPED] = tip[:, None] @ ours[:, TIPPED]
    return ours


def _our_back(
    world: Float[Tensor, "*frames 22 3 3"],
) -> tuple[Float[Tensor, "*frames 3"], Float[Tensor, "*frames 3"]]:
    """From the pelvis to spine1, and from there to the neck."""
    offsets = rest_offsets(world)
    holders = (PELVIS, *VERTEBRAE, CHEST)
    bones = [
        world[..., holder, :, :] @ offsets[end]
        for holder, end in zip(holders, _OUR_SEGMENTS, strict=True)
    ]
    return bones[0], bones[1] + bones[2] + bones[3]


def _source_segments(pose: SourceMotion, body: BodyMap) -> list[float]:
    """Lengths held by the joints of the trunk; the last is the thorax, from the chest to the neck.

    Where the neck sits on the chest joint (CMU's conversion lost that bone) the thorax is taken to
    be as long as the other segments are on average.
    """
    ends = (*body.trunk[1:], _neck(body))
    lengths = [
        float(torch.linalg.vector_norm(pose.places[0, upper] - pose.places[0, lower]))
        for lower, upper in zip(body.trunk, ends, strict=True)
    ]
    if _is_nothing(lengths[-1], lengths):
        solid = [length for length in lengths if not _is_nothing(length, lengths)]
        lengths[-1] = sum(solid) / len(solid) if solid else 1.0
    return lengths


def _neck_root(motion: SourceMotion, anchor: Anchor, body: BodyMap) -> Float[Tensor, "frames 3"]:
    pose, chest, neck = anchor.pose, body.trunk[-1], _neck(body)
    thorax = _source_segments(pose, body)[-1]
    gap = float(torch.linalg.vector_norm(pose.places[0, neck] - pose.places[0, chest]))
    if not _is_nothing(gap, [thorax]) or len(body.trunk) == 1:
        return motion.places[:, neck]
    up = normalize(pose.places[0, chest] - pose.places[0, body.trunk[0]], dim=-1)
    return motion.places[:, chest] + thorax * (motion.since(pose, chest) @ up)


def _neck(body: BodyMap) -> int:
    return body.nape[0] if body.nape else body.index("head")


def _is_nothing(length: float, lengths: list[float]) -> bool:
    return length <= _NOTHING * sum(lengths)


def _middles(lengths: list[float]) -> list[float]:
    """Heights of the middles of stacked segments, the whole stack being 1."""
    total = sum(lengths)
    return [(sum(lengths[:k]) + lengths[k] / 2) / total for k in range(len(lengths))]


def retarget(
    motion: SourceMotion,
    anchor: Anchor,
    body: BodyMap,
    world_from_source: Float[Tensor, "3 3"],
    fps: float,
) -> tuple[Float[Tensor, "frames 22 3 3"], Float[Tensor, "frames 3"], float]:
    """Turns and pelvis path of our skeleton doing what the source does, and the metres that one
    unit of the source became: the ratio of leg lengths."""
    start = anchor_pose(anchor, body)
    if not anchor.stands:
        start = _with_level_head(start, motion, anchor, body, world_from_source[2])
    ours = _followed(motion, anchor, body, start)
    ours = tipped(ours, motion, anchor, body, start)
    ours = _aimed(ours, motion, body)
    scale = OUR_LEG_M / source_leg_length(anchor.pose, body)
    paths = scale * motion.places @ world_from_source.T
    root = paths[:, body.index("pelvis")]
    soles = {sole: paths[:, body.index(JOINT_NAMES[sole])] for sole in _soles(body)}
    ours = keep_footing(world_from_source @ ours, root, soles, fps)
    return local_rotations(ours), root, scale


def source_leg_length(pose: SourceMotion, body: BodyMap) -> float:
    """Thigh and shin of the source in its own units, mean of both sides."""
    bones = [
        pose.bone(body, f"{side}_{upper}", f"{side}_{lower}")
        for side in ("left", "right")
        for upper, lower in (("hip", "knee"), ("knee", "ankle"))
    ]
    return float(torch.linalg.vector_norm(torch.cat(bones), dim=-1).sum()) / 2


def _followed(
    motion: SourceMotion, anchor: Anchor, body: BodyMap, start: Float[Tensor, "22 3 3"]
) -> Float[Tensor, "frames 22 3 3"]:
    """World_from_joint of our body, each joint turned as its counterpart since the anchor."""
    ours = start.expand(motion.frames, *start.shape).clone()
    for joint in range(len(JOINT_NAMES)):
        if joint not in (PELVIS, *VERTEBRAE, JOINT["neck"]):
            ours[:, joint] = motion.since(anchor.pose, _counterpart(joint, body)) @ start[joint]
    ours[:, PELVIS] = bent_pelvis(motion, anchor, body, start)
    ours[:, VERTEBRAE] = bent_vertebrae(motion, anchor, body, start)
    # Half way up the nape, however many joints it has.
    nape = body.nape or (body.trunk[-1], body.index("head"))
    lower, upper = nape[(len(nape) - 1) // 2], nape[len(nape) // 2]
    neck = [motion.since(anchor.pose, source) @ start[JOINT["neck"]] for source in (lower, upper)]
    ours[:, JOINT["neck"]] = slerp(neck[0], neck[1], torch.tensor(0.5).to(start))
    return ours


def _soles(body: BodyMap) -> list[int]:
    """What stays on the ground longest, as our joints: toes if the source has them, else ankles."""
    feet = [(JOINT[f"{side}_foot"], JOINT[f"{side}_ankle"]) for side in ("left", "right")]
    return [foot if body.joints[foot] is not None else ankle for foot, ankle in feet]


def _counterpart(joint: int, body: BodyMap) -> int:
    """The source joint whose turns ours takes; what a skeleton lacks moves with what carries it."""
    name, counterpart = JOINT_NAMES[joint], body.joints[joint]
    if name == "spine3" or counterpart is None:
        carrier = name.replace("foot", "ankle")
        return body.index(carrier) if carrier != name else body.trunk[-1]
    return counterpart


def _aimed(
    ours: Float[Tensor, "frames 22 3 3"], motion: SourceMotion, body: BodyMap
) -> Float[Tensor, "frames 22 3 3"]:
    """The same body with every limb swung onto the direction of its counterpart."""
    directions = limb_directions(motion, body)
    uppers, lowers = [list(ends) for ends in zip(*directions, strict=True)]
    wanted = torch.stack(list(directions.values()), dim=1)
    pointing = (ours[:, uppers] @ rest_offsets(ours)[lowers, :, None]).squeeze(-1)
    ours = ours.clone()
    ours[:, uppers] = swing(pointing, wanted) @ ours[:, uppers]
    return ours
