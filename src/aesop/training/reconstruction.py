"""How far a codec's reconstruction is from its input, in metres and degrees."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from aesop.features.camera import centre_from_features
from aesop.features.columns import CAMERA
from aesop.features.human import joints_from_features
from aesop.scene.rotation import geodesic_distance, matrix_from_columns6


@dataclass(frozen=True, eq=False)
class HumanErrors:
    """Per clip: mean joint distance, in the world and with the root laid on the root."""

    global_mpjpe_m: Float[Tensor, " batch"]
    aligned_mpjpe_m: Float[Tensor, " batch"]


@dataclass(frozen=True, eq=False)
class CameraErrors:
    """Per clip: mean distance of the centres and mean angle between the rotations."""

    centre_ade_m: Float[Tensor, " batch"]
    rotation_degrees: Float[Tensor, " batch"]


def human_errors(
    predicted: Float[Tensor, "batch frames 199"],
    target: Float[Tensor, "batch frames 199"],
    mask: Bool[Tensor, "batch frames"],
) -> HumanErrors:
    """Physical features in; sums of increments are taken in float64."""
    joints = joints_from_features(predicted.double())
    wanted = joints_from_features(target.double())
    apart = torch.linalg.vector_norm(joints - wanted, dim=-1).mean(-1)
    aligned = (joints - joints[..., :1, :]) - (wanted - wanted[..., :1, :])
    around = torch.linalg.vector_norm(aligned, dim=-1).mean(-1)
    return HumanErrors(_mean(apart, mask), _mean(around, mask))


def camera_errors(
    predicted: Float[Tensor, "batch frames 14"],
    target: Float[Tensor, "batch frames 14"],
    mask: Bool[Tensor, "batch frames"],
) -> CameraErrors:
    """Physical features in. Both films start from the same human root, which drops out."""
    root = torch.zeros(len(mask), 3, dtype=torch.float64, device=mask.device)
    centres = [centre_from_features(it.double(), root) for it in (predicted, target)]
    turns = [
        matrix_from_columns6(CAMERA.take(it.double(), "rotation")) for it in (predicted, target)
    ]
    apart = torch.linalg.vector_norm(centres[0] - centres[1], dim=-1)
    return CameraErrors(_mean(apart, mask), _mean(torch.rad2deg(geodesic_distance(*turns)), mask))


def _mean(
    values: Float[Tensor, "batch frames"], mask: Bool[Tensor, "batch frames"]
) -> Float[Tensor, " batch"]:
    # Chosen, not multiplied: padding decodes to degenerate rotations, whose angle may be NaN.
    return values.where(mask, 0.0).sum(1) / mask.sum(1)
