"""The 199-number human feature, PulpMotion's variant of STMC's, and its exact inverse.

Yaw integrates *inclusively*: frame 0 of `yaw_step` holds the absolute yaw, so human and camera
share one world frame. The path starts at x = y = 0: a planar offset of the input is not kept.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.features.columns import HUMAN, HumanFeatures
from aesop.scene.human import HumanMotion
from aesop.scene.rotation import about_z, matrix_from_rows6, rows6_from_matrix, wrap_angle, yaw_of
from aesop.scene.skeleton import JOINTS

STAND_WIDTH = 5


def human_to_features(motion: HumanMotion) -> Float[Tensor, "frames 199"]:
    """Physical (not standardised) features of a motion that stands on the ground."""
    yaw = motion.yaw
    body_from_world = about_z(-yaw)
    steps = motion.root.diff(dim=0)
    # The last velocity is never decoded; zero is as good as any and repeats nothing.
    steps = torch.cat([steps, torch.zeros_like(motion.root[:1])])
    rotations = torch.cat(
        [(body_from_world @ motion.rotations[:, 0])[:, None], motion.rotations[:, 1:]], dim=1
    )
    places = (motion.joints[:, 1:] - motion.root[:, None]) @ body_from_world.transpose(-1, -2)
    return HUMAN.join(
        root_height=motion.root[:, 2:],
        planar_velocity=(body_from_world @ steps[..., None])[:, :2, 0],
        yaw_step=torch.cat([yaw[:1], wrap_angle(yaw.diff())])[:, None],
        rotations=rows6_from_matrix(rotations).flatten(1),
        places=places.flatten(1),
    )


def yaw_from_features(
    features: HumanFeatures,
) -> Float[Tensor, "*batch frames"]:
    """Heading ψ, by inclusive summation."""
    return HUMAN.take(features, "yaw_step")[..., 0].cumsum(-1)


def root_from_features(
    features: HumanFeatures,
) -> Float[Tensor, "*batch frames 3"]:
    """Pelvis path: starts at x = y = 0, each step turned by the heading of the frame it leaves."""
    turn = about_z(yaw_from_features(features))[..., :2, :2]
    steps = (turn @ HUMAN.take(features, "planar_velocity")[..., None]).squeeze(-1)
    path = steps.cumsum(-2)
    start = torch.zeros_like(path[..., :1, :])
    planar = torch.cat([start, path[..., :-1, :]], dim=-2)
    return torch.cat([planar, HUMAN.take(features, "root_height")], dim=-1)


def stand_from_features(
    features: HumanFeatures,
) -> Float[Tensor, "*batch frames 5"]:
    """Where a person stands and faces: pelvis, then cosine and sine of the heading."""
    yaw = yaw_from_features(features)[..., None]
    return torch.cat([root_from_features(features), yaw.cos(), yaw.sin()], dim=-1)


def joints_from_features(
    features: HumanFeatures,
) -> Float[Tensor, "*batch frames 22 3"]:
    """World joint positions; rotations are not used, so no body model is needed."""
    root = root_from_features(features)
    turn = about_z(yaw_from_features(features))
    places = HUMAN.take(features, "places").unflatten(-1, (JOINTS - 1, 3))
    around_root = places @ turn.transpose(-1, -2)
    return torch.cat([root[..., None, :], root[..., None, :] + around_root], dim=-2)


def human_from_features(features: Float[Tensor, "frames 199"]) -> HumanMotion:
    """Inverse of `human_to_features`. A stray yaw in the root's six numbers is removed: the heading
    comes from the integrated channel alone."""
    rotations = matrix_from_rows6(HUMAN.take(features, "rotations").unflatten(-1, (JOINTS, 6)))
    level_root = about_z(-yaw_of(rotations[:, 0])) @ rotations[:, 0]
    root = about_z(yaw_from_features(features)) @ level_root
    return HumanMotion(
        torch.cat([root[:, None], rotations[:, 1:]], dim=1), joints_from_features(features)
    )
