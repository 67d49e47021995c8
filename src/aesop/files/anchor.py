"""The anchor: one pose in which we know how our body would stand if it were the source's.

From there on every joint of ours turns as its counterpart turns, so two skeletons never need equal
rest poses or equal joint axes.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.files.skeleton_names import BodyMap
from aesop.files.source_motion import LIMBS, SourceMotion, limb_directions, trunk_direction
from aesop.scene.rotation import slerp, swing
from aesop.scene.skeleton import JOINT, JOINTS, PARENTS, bone_length, rest_offsets

# A standing anchor this near to an axis of its file is upright: its trunk leans only because its
# hips and neck are placed differently from ours.
UPRIGHT_WITHIN_DEGREES = 25.0


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
