"""Where things fall in the image: projection, visibility, boxes.

Image coordinates are NDC: x to the right, y up, the image is [−1, 1] in both.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from aesop.scene.camera import CameraPath
from aesop.scene.skeleton import KEY_JOINTS

# The paper's construction checks: visible = finite, inside the image, deeper than this.
MIN_DEPTH_M = 1e-4


@dataclass(frozen=True, eq=False)
class Projection:
    """Points as the lens sees them."""

    ndc: Float[Tensor, "*batch points 2"]
    depth_m: Float[Tensor, "*batch points"]

    @property
    def visible(self) -> Bool[Tensor, "*batch points"]:
        """Finite, inside the image, and in front of the camera by more than `MIN_DEPTH_M`."""
        finite = torch.isfinite(self.ndc).all(-1) & torch.isfinite(self.depth_m)
        return finite & (self.ndc.abs() <= 1).all(-1) & (self.depth_m > MIN_DEPTH_M)


def project(
    points: Float[Tensor, "*batch points 3"],
    world_from_camera: Float[Tensor, "*batch 3 3"],
    centre: Float[Tensor, "*batch 3"],
    tan_half_fov: Float[Tensor, "*batch 2"],
) -> Projection:
    """Project world points. Depth is clamped before dividing, as PulpMotion does, so what lies
    behind the camera lands far outside the image instead of being mirrored into it."""
    in_camera = (points - centre[..., None, :]) @ world_from_camera
    depth = in_camera[..., 2]
    safe = depth.clamp_min(MIN_DEPTH_M)[..., None]
    y_up = in_camera.new_tensor([1.0, -1.0])
    ndc = in_camera[..., :2] / safe * y_up / tan_half_fov[..., None, :]
    return Projection(ndc, depth)


def project_joints(camera: CameraPath, joints: Float[Tensor, "frames joints 3"]) -> Projection:
    """Project a motion's joints with the camera of the same frames."""
    return project(joints, camera.world_from_camera, camera.centre, camera.tan_half_fov)


@dataclass(frozen=True, eq=False)
class Boxes:
    """Smallest upright rectangle around the points in front of the camera, per frame.

    `found` is false where no point lies in front; low and high are NaN there.
    """

    low: Float[Tensor, "*batch 2"]
    high: Float[Tensor, "*batch 2"]
    found: Bool[Tensor, "*batch"]

    @property
    def centre(self) -> Float[Tensor, "*batch 2"]:
        return (self.low + self.high) / 2

    @property
    def height(self) -> Float[Tensor, "*batch"]:
        """Height in NDC: 2 fills the image."""
        return self.high[..., 1] - self.low[..., 1]


def boxes(projection: Projection) -> Boxes:
    """Boxes around every frame's points."""
    front = (projection.depth_m > MIN_DEPTH_M)[..., None]
    found = front.any(-2).squeeze(-1)
    infinity = torch.inf
    low = projection.ndc.masked_fill(~front, infinity).amin(-2)
    high = projection.ndc.masked_fill(~front, -infinity).amax(-2)
    missing = ~found[..., None]
    return Boxes(low.masked_fill(missing, torch.nan), high.masked_fill(missing, torch.nan), found)


def out_of_frame(
    projection: Projection, key_joints: tuple[int, ...] = KEY_JOINTS
) -> Bool[Tensor, "*batch"]:
    """Frames in which none of the key joints is visible: the metric Out counts them."""
    return ~projection.visible[..., list(key_joints)].any(-1)
