"""The 14-number camera feature of PulpMotion, and its inverse.

Decoding anchors the first centre to the human root and then adds up increments; the relative
positions of later frames are redundant by design and not used.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.features.columns import CAMERA
from aesop.scene.camera import CameraPath
from aesop.scene.rotation import columns6_from_matrix, matrix_from_columns6


def camera_to_features(
    camera: CameraPath, root: Float[Tensor, "frames 3"]
) -> Float[Tensor, "frames 14"]:
    """Physical (not standardised) features of a camera path that films a person at `root`."""
    steps = camera.centre.diff(dim=0)
    return CAMERA.join(
        fov_vertical=camera.fov_vertical[:, None],
        fov_horizontal=camera.fov_horizontal[:, None],
        from_root=camera.centre - root,
        rotation=columns6_from_matrix(camera.world_from_camera),
        velocity=torch.cat([torch.zeros_like(root[:1]), steps]),
    )


def centre_from_features(
    features: Float[Tensor, "*batch frames 14"], first_root: Float[Tensor, "*batch 3"]
) -> Float[Tensor, "*batch frames 3"]:
    """Camera centres: anchored at frame 0, then increments. Frame 0's increment never counts."""
    start = first_root + CAMERA.take(features, "from_root")[..., 0, :]
    later = CAMERA.take(features, "velocity")[..., 1:, :].cumsum(-2)
    return torch.cat([start[..., None, :], start[..., None, :] + later], dim=-2)


def aspect_from_features(features: Float[Tensor, "frames 14"]) -> float:
    """One aspect ratio per shot: the median over frames of the ratio of half-angle tangents."""
    across = torch.tan(CAMERA.take(features, "fov_horizontal") / 2)
    up = torch.tan(CAMERA.take(features, "fov_vertical") / 2)
    return float((across / up).median())


def camera_from_features(
    features: Float[Tensor, "frames 14"], first_root: Float[Tensor, "3"]
) -> CameraPath:
    """Inverse of `camera_to_features`, given where the person's root is in frame 0."""
    return CameraPath(
        world_from_camera=matrix_from_columns6(CAMERA.take(features, "rotation")),
        centre=centre_from_features(features, first_root),
        fov_vertical=CAMERA.take(features, "fov_vertical")[:, 0],
        aspect=aspect_from_features(features),
    )
