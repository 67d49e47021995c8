"""Camera path: place, aim and lens per frame. Camera axes: x right, y down, z forward (OpenCV)."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.errors import CameraError


@dataclass(frozen=True, eq=False)
class CameraPath:
    """A filmed path with one aspect ratio (width / height) and a lens that may change over time."""

    world_from_camera: Float[Tensor, "frames 3 3"]
    centre: Float[Tensor, "frames 3"]
    fov_vertical: Float[Tensor, " frames"]
    aspect: float

    @property
    def frames(self) -> int:
        return self.centre.shape[0]

    @property
    def fov_horizontal(self) -> Float[Tensor, " frames"]:
        return 2 * torch.atan(self.aspect * torch.tan(self.fov_vertical / 2))

    @property
    def tan_half_fov(self) -> Float[Tensor, "frames 2"]:
        """Half width and half height of the image at depth one."""
        vertical = torch.tan(self.fov_vertical / 2)
        return torch.stack([self.aspect * vertical, vertical], dim=-1)

    @property
    def travel(self) -> Float[Tensor, ""]:
        """Length of the way of the camera centre, metres."""
        return torch.linalg.vector_norm(self.centre.diff(dim=0), dim=-1).sum()


def look_at(
    centre: Float[Tensor, "*batch 3"], target: Float[Tensor, "*batch 3"]
) -> Float[Tensor, "*batch 3 3"]:
    """World_from_camera that looks from centre to target with the horizon level."""
    forward = normalize(target - centre, dim=-1)
    up = torch.zeros_like(forward)
    up[..., 2] = 1.0
    sideways = torch.linalg.cross(forward, up)
    if not bool(_is_level_possible(centre, target, sideways).all()):
        raise CameraError(
            "The camera looks straight up or down, or sits on its target, so no horizon is level.",
            "Move the camera or the target sideways.",
        )
    right = normalize(sideways, dim=-1)
    return torch.stack([right, torch.linalg.cross(forward, right), forward], dim=-1)


def _is_level_possible(
    centre: Float[Tensor, "*batch 3"],
    target: Float[Tensor, "*batch 3"],
    sideways: Float[Tensor, "*batch 3"],
) -> Bool[Tensor, "*batch"]:
    apart = torch.linalg.vector_norm(target - centre, dim=-1) > 1e-9
    return apart & (torch.linalg.vector_norm(sideways, dim=-1) > 1e-6)


def camera_looking_at(
    centre: Float[Tensor, "frames 3"],
    target: Float[Tensor, "frames 3"],
    fov_vertical: float | Float[Tensor, " frames"],
    aspect: float = 16 / 9,
) -> CameraPath:
    """A path that keeps its target in the middle of the image."""
    fov = torch.as_tensor(fov_vertical, dtype=centre.dtype, device=centre.device)
    return CameraPath(look_at(centre, target), centre, fov.expand(centre.shape[0]), aspect)
