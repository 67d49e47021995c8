"""Joint turns from joint places, analytically, for inputs that carry no rotations; bone lengths
beside ours."""

from pathlib import Path
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.core.errors import FileError
from aesop.scene.rotation import matrix_from_axis_angle, quaternion_wxyz_from_matrix, swing
from aesop.scene.skeleton import (
    JOINT,
    JOINT_NAMES,
    JOINTS,
    PARENTS,
    bone_length,
    local_rotations,
    rest_offsets,
)

LEG = tuple(JOINT[name] for name in ("left_knee", "right_knee", "left_ankle", "right_ankle"))

# Shorter than this, a bone has no direction worth following.
MIN_BONE_M = 1e-3
# A child's leg is half of ours; beyond these ratios the file is not in metres.
MIN_LEG_RATIO, MAX_LEG_RATIO = 0.25, 4.0
# Networks let bones breathe by a few percent; more than this and the numbers are something else.
MAX_LEG_CHANGE = 0.25


def bone_vectors(joints: Float[Tensor, "*batch 22 3"]) -> Float[Tensor, "*batch 21 3"]:
    """From each joint's parent to the joint, for joints 1 … 21."""
    return joints[..., 1:, :] - joints[..., list(PARENTS[1:]), :]


def check_bones(joints: Float[Tensor, "frames 22 3"], path: Path | str) -> None:
    """Refuse joints that fall together: their bone points nowhere."""
    collapsed = torch.linalg.vector_norm(bone_vectors(joints), dim=-1) < MIN_BONE_M
    if bool(collapsed.any()):
        frame, bone = (int(index) for index in collapsed.nonzero()[0])
        child = bone + 1
        raise FileError(
            f"In frame {frame} of {path} the joints {JOINT_NAMES[PARENTS[child]]} and "
            f"{JOINT_NAMES[child]} are in one place.",
            "Export 22 SMPL joints in metres, every frame filled.",
        )


def leg_ratio(
    joints: Float[Tensor, "frames 22 3"],
    path: Path | str,
    remedy: str = "Export the motion in metres.",
) -> float:
    """Our leg length over the file's: scales a pelvis path so that feet keep their footing.
    `remedy` is told where legs are too long or too short for metres."""
    bones = torch.linalg.vector_norm(bone_vectors(joints), dim=-1)
    lengths = bones[:, [joint - 1 for joint in LEG]]
    theirs = max(float(lengths.mean(0).sum()), MIN_BONE_M)
    ratio = sum(bone_length(joint) for joint in LEG) / theirs
    change = float((lengths.std(0, correction=0) / lengths.mean(0)).max())
    if not MIN_LEG_RATIO <= ratio <= MAX_LEG_RATIO:
        raise FileError(f"{path} has legs of {theirs / 2:.3g} m.", remedy)
    if not change <= MAX_LEG_CHANGE:
        raise FileError(
            f"{path} has legs whose length changes by {change:.0%}.",
            "Export the joints of one body; 263-d features must not be standardised.",
        )
    return ratio


# Joints of the SMPL family in one array: SMPL, with the tips of its hands, SMPL-H, SMPL-X, and each
# with landmarks after them. The body's 22 come first in all.
BODY_COMES_FIRST = (22, 24, 45, 52, 55, 73, 127, 144)
# Least mean cosine by which a body stands along an axis, and how much less it may along the other.
STANDS_ALONG, LIES_ALONG = 0.5, 0.3


def standing_axis(joints: Float[Tensor, "frames 22 3"]) -> Literal["y", "z"] | None:
    """The axis along which trunk, thighs and shins point up on average; None if neither clearly."""
    up = [("pelvis", "neck"), ("left_knee", "left_hip"), ("right_knee", "right_hip")]
    up += [("left_ankle", "left_knee"), ("right_ankle", "right_knee")]
    bones = [joints[:, JOINT[top]] - joints[:, JOINT[bottom]] for bottom, top in up]
    _, y, z = torch.stack([normalize(bone, dim=-1) for bone in bones]).mean((0, 1)).tolist()
    if max(y, z) < STANDS_ALONG or min(y, z) > LIES_ALONG:
        return None
    return "y" if y > z else "z"


def z_up(points: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 3"]:
    """HumanML3D's axes (y up) to ours; undoes how they were made from AMASS."""
    return points[..., [0, 2, 1]] * points.new_tensor([-1.0, 1.0, 1.0])


CHILDREN = tuple(tuple(c for c in range(JOINTS) if PARENTS[c] == j) for j in range(JOINTS))

# Upper bone's joint → axis, in its own frame, about which the hinge below it flexes.
FLEXION_AXES = {
    JOINT["left_hip"]: (1.0, 0.0, 0.0),
    JOINT["right_hip"]: (1.0, 0.0, 0.0),
    JOINT["left_shoulder"]: (0.0, -1.0, 0.0),
    JOINT["right_shoulder"]: (0.0, 1.0, 0.0),
}
# Sine of the bend below which the plane says nothing, and above which it is believed (12°, 27°).
STRAIGHT, BENT = 0.2, 0.45
# A straight hinge takes its roll from bent frames this near (deviation of a Gaussian), and from
# nothing but the parent where their weight falls below the second number.
BRIDGE_FRAMES, CARRIED_WEIGHT = 5, 0.05

SPINE = (JOINT["spine1"], JOINT["spine2"])
CHEST = JOINT["spine3"]
BODY_UP = (0.0, 1.0, 0.0)


def fit_rotations(joints: Float[Tensor, "frames 22 3"]) -> Float[Tensor, "frames 22 3 3"]:
    """Turns that point every limb of our skeleton as the given joints do.

    Pelvis and chest carry three bones each and take the turn that fits them best; all other bones
    keep their direction exactly.
    """
    # Index by child joint, as the skeleton does; the pelvis has no bone above it.
    pointing = normalize(torch.cat([joints[:, :1] * 0, bone_vectors(joints)], dim=1), dim=-1)
    rest = normalize(rest_offsets(joints), dim=-1)
    world: list[Tensor] = []
    for joint, children in enumerate(CHILDREN):
        if len(children) > 1:
            world.append(_best_turn(rest[list(children)], pointing[:, list(children)]))
        elif not children:
            world.append(world[PARENTS[joint]])
        else:
            carried = _carried(world[PARENTS[joint]], rest[children[0]], pointing[:, children[0]])
            if joint in FLEXION_AXES:
                carried = carried @ _hinge_roll(joint, carried, rest, pointing)
            world.append(carried)
    _spread_spine_roll(world, pointing)
    return local_rotations(torch.stack(world, dim=1))


def _carried(
    parent: Float[Tensor, "frames 3 3"],
    rest: Float[Tensor, "3"],
    towards: Float[Tensor, "frames 3"],
) -> Float[Tensor, "frames 3 3"]:
    """The parent's orientation, turned by the least that points the bone where it should."""
    return swing(parent @ rest, towards) @ parent


def _best_turn(
    rest: Float[Tensor, "bones 3"], towards: Float[Tensor, "frames bones 3"]
) -> Float[Tensor, "frames 3 3"]:
    """Least-squares rotation of rest directions onto measured ones (Kabsch)."""
    left, _, right = torch.linalg.svd(towards.transpose(-1, -2) @ rest)
    # A mirror would fit better than any rotation where three bones are nearly flat: forbid it.
    sign = torch.ones_like(left[:, 0])
    sign[:, 2] = torch.det(left @ right).sign()
    return (left * sign[:, None, :]) @ right


def _hinge_roll(
    joint: int,
    carried: Float[Tensor, "frames 3 3"],
    rest: Float[Tensor, "22 3"],
    pointing: Float[Tensor, "frames 22 3"],
) -> Float[Tensor, "frames 3 3"]:
    """Roll of an upper bone about itself that lets the hinge below bend about its own axis."""
    (hinge,) = CHILDREN[joint]
    (end,) = CHILDREN[hinge]
    upper, axis = rest[hinge], rest.new_tensor(FLEXION_AXES[joint])
    lower = (pointing[:, None, end] @ carried).squeeze(1)
    wanted = _flexed(rest[end], upper, axis, cosine=lower @ upper)
    # Both seen along the upper bone: the angle from one to the other is the roll.
    sine = torch.linalg.cross(wanted, lower) @ upper
    cosine = (wanted * lower).sum(-1) - (wanted @ upper) * (lower @ upper)
    roll = torch.atan2(sine, cosine)
    bend = torch.linalg.vector_norm(torch.linalg.cross(upper.expand_as(lower), lower), dim=-1)
    belief = _smooth_step((bend - STRAIGHT) / (BENT - STRAIGHT))
    return matrix_from_axis_angle(_bridged(roll, belief)[:, None] * upper)


def _bridged(
    roll: Float[Tensor, " frames"], belief: Float[Tensor, " frames"]
) -> Float[Tensor, " frames"]:
    """Angles as they are where believed, from the frames around where not, zero far from any.

    Angles are averaged as unit vectors, so that ±π is no border.
    """
    directions = torch.stack([torch.cos(roll), torch.sin(roll), torch.ones_like(roll)], dim=-1)
    around = _weighted_around(belief[:, None] * directions)
    around = around + CARRIED_WEIGHT * directions.new_tensor([1.0, 0.0, 1.0])
    around = around / around[:, 2:]
    mixed = belief[:, None] * directions + (1 - belief[:, None]) * around
    return torch.atan2(mixed[:, 1], mixed[:, 0])


def _weighted_around(values: Float[Tensor, "frames width"]) -> Float[Tensor, "frames width"]:
    """Sum over neighbouring frames with Gaussian weights; nothing lies beyond the ends."""
    radius = 4 * BRIDGE_FRAMES
    offsets = torch.arange(-radius, radius + 1, dtype=values.dtype, device=values.device)
    weights = torch.exp(-((offsets / BRIDGE_FRAMES) ** 2) / 2)
    beyond = torch.zeros_like(values[:1]).expand(radius, -1)
    return torch.cat([beyond, values, beyond]).unfold(0, 2 * radius + 1, 1) @ weights


def _flexed(
    lower: Float[Tensor, "3"],
    upper: Float[Tensor, "3"],
    axis: Float[Tensor, "3"],
    cosine: Float[Tensor, " frames"],
) -> Float[Tensor, "frames 3"]:
    """The lower bone flexed about the hinge until it makes the given angle with the upper one."""
    along = (lower @ axis) * axis
    across, sideways = lower - along, torch.linalg.cross(axis, lower)
    # upper · flexed(angle) = constant + reach · cos(angle − straightest)
    reach = torch.hypot(upper @ across, upper @ sideways)
    straightest = torch.atan2(upper @ sideways, upper @ across)
    # Straighter than the hinge can be, or more folded: take the end of its range.
    share = ((cosine - upper @ along) / reach).clamp(-1, 1)
    angle = (straightest + torch.acos(share))[:, None]
    return along + torch.cos(angle) * across + torch.sin(angle) * sideways


def _spread_spine_roll(world: list[Tensor], pointing: Float[Tensor, "frames 22 3"]) -> None:
    """Share the chest's roll against the pelvis among the vertebrae, in place."""
    relative = quaternion_wxyz_from_matrix(world[SPINE[-1]].transpose(-1, -2) @ world[CHEST])
    up = relative.new_tensor(BODY_UP)
    roll = 2 * torch.atan2(relative[:, 1:] @ up, relative[:, 0])
    steps = len(SPINE) + 1
    for step, joint in enumerate(SPINE, start=1):
        (child,) = CHILDREN[joint]
        turn = matrix_from_axis_angle((roll * step / steps)[:, None] * pointing[:, child])
        world[joint] = turn @ world[joint]


def _smooth_step(share: Float[Tensor, " frames"]) -> Float[Tensor, " frames"]:
    inside = share.clamp(0, 1)
    return inside * inside * (3 - 2 * inside)
