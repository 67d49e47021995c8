"""The one skeleton of AESOP: 22 SMPL body joints with fixed rest offsets, and forward kinematics.

The rest body stands in SMPL's own axes (x to its left, y up, z forward). In the z-up world an
upright body therefore carries a root turn of +90° about x; at yaw 0 it faces −Y, its left at +X.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

JOINT_NAMES = (
    "pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2",
    "left_ankle", "right_ankle", "spine3", "left_foot", "right_foot", "neck", "left_collar",
    "right_collar", "head", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow",
    "left_wrist", "right_wrist",
)  # fmt: skip
JOINT = {name: index for index, name in enumerate(JOINT_NAMES)}
JOINTS = len(JOINT_NAMES)

PARENTS = (-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19)

# Where each joint of the mirrored body takes its data from.
MIRROR = (0, 2, 1, 3, 5, 4, 6, 8, 7, 9, 11, 10, 12, 14, 13, 15, 17, 16, 19, 18, 21, 20)

# The nine joints by which framing is judged: pelvis, spine2, ankles, head, shoulders, wrists.
KEY_JOINTS = (0, 6, 7, 8, 15, 16, 17, 20, 21)

# Offsets from the parent in metres, SMPL axes. The pelvis row is its place in SMPL's body frame:
# AMASS-style translations are relative to that frame, ours are the pelvis itself.
REST_OFFSETS = (
    (-0.0018, -0.2233, 0.0282),
    (0.0695, -0.0914, -0.0068),
    (-0.0677, -0.0905, -0.0043),
    (-0.0025, 0.1090, -0.0267),
    (0.0343, -0.3752, -0.0045),
    (-0.0383, -0.3826, -0.0089),
    (0.0055, 0.1352, 0.0011),
    (-0.0136, -0.3980, -0.0437),
    (0.0158, -0.3984, -0.0423),
    (0.0015, 0.0529, 0.0254),
    (0.0264, -0.0558, 0.1193),
    (-0.0254, -0.0481, 0.1233),
    (-0.0028, 0.2139, -0.0429),
    (0.0788, 0.1217, -0.0341),
    (-0.0818, 0.1188, -0.0386),
    (0.0052, 0.0650, 0.0513),
    (0.0910, 0.0305, -0.0089),
    (-0.0960, 0.0326, -0.0091),
    (0.2596, -0.0128, -0.0275),
    (-0.2537, -0.0133, -0.0214),
    (0.2492, 0.0090, -0.0012),
    (-0.2553, 0.0078, -0.0056),
)

# Takes the rest body's axes (y up) to the world's (z up); an upright person at yaw 0.
WORLD_FROM_REST = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))


def rest_offsets(like: Tensor) -> Float[Tensor, "22 3"]:
    """`REST_OFFSETS` on the device and in the precision of another tensor."""
    return torch.tensor(REST_OFFSETS, dtype=like.dtype, device=like.device)


def world_from_rest(like: Tensor) -> Float[Tensor, "3 3"]:
    """`WORLD_FROM_REST` on the device and in the precision of another tensor."""
    return torch.tensor(WORLD_FROM_REST, dtype=like.dtype, device=like.device)


def bone_length(joint: int) -> float:
    """Length in metres of the bone that ends in `joint`."""
    return math.hypot(*REST_OFFSETS[joint])


# Height of the pelvis above the lowest joint of the body at rest.
REST_PELVIS_HEIGHT_M = -min(
    sum(REST_OFFSETS[joint][1] for joint in chain) for chain in ((1, 4, 7, 10), (2, 5, 8, 11))
)


def world_rotations(
    local_rotations: Float[Tensor, "*batch 22 3 3"],
) -> Float[Tensor, "*batch 22 3 3"]:
    """World orientation of every joint, from parent-relative turns (the root's is absolute)."""
    world: list[Tensor] = [local_rotations[..., 0, :, :]]
    for joint in range(1, JOINTS):
        world.append(world[PARENTS[joint]] @ local_rotations[..., joint, :, :])
    return torch.stack(world, dim=-3)


def local_rotations(
    world: Float[Tensor, "*batch 22 3 3"],
) -> Float[Tensor, "*batch 22 3 3"]:
    """Inverse of `world_rotations`."""
    parents = world[..., list(PARENTS[1:]), :, :]
    return torch.cat(
        [world[..., :1, :, :], parents.transpose(-1, -2) @ world[..., 1:, :, :]], dim=-3
    )


def forward_kinematics(
    local_rotations: Float[Tensor, "*batch 22 3 3"], root: Float[Tensor, "*batch 3"]
) -> Float[Tensor, "*batch 22 3"]:
    """World joint positions of our skeleton from joint turns and pelvis position."""
    world = world_rotations(local_rotations)
    bones = (world[..., list(PARENTS[1:]), :, :] @ rest_offsets(root)[1:, :, None]).squeeze(-1)
    places: list[Tensor] = [root]
    for joint in range(1, JOINTS):
        places.append(places[PARENTS[joint]] + bones[..., joint - 1, :])
    return torch.stack(places, dim=-2)
