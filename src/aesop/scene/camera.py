"""Camera path: place, aim and lens per frame, and where things fall in its image. Camera axes: x
right, y down, z forward (OpenCV)."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.core.errors import CameraError
from aesop.scene.rotation import slerp
from aesop.scene.skeleton import KEY_JOINTS


@dataclass(frozen=True, eq=False)
class CameraPath:
    """A filmed path with one aspect ratio (width / height) and a lens that may change over time."""

    world_from_camera: Float[Tensor, "frames 3 3"]
    centre: Float[Tensor, "frames 3"]
    fov_vertical: Float[Tensor, " frames"]
    aspect: float

    def __repr__(self) -> str:  # not every number of every frame
        return f"<CameraPath: {self.frames} frames, aspect {self.aspect:.4g}>"

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

    def to(self, like: torch.dtype | torch.device | Tensor) -> "CameraPath":
        """The same path in another precision or on another device."""
        return CameraPath(
            self.world_from_camera.to(like),
            self.centre.to(like),
            self.fov_vertical.to(like),
            self.aspect,
        )

    def part(self, frames: slice) -> "CameraPath":
        """Some frames of the path."""
        return CameraPath(
            self.world_from_camera[frames],
            self.centre[frames],
            self.fov_vertical[frames],
            self.aspect,
        )

    def at(self, positions: Float[Tensor, " instants"]) -> "CameraPath":
        """The path at instants between its frames, counted in frames: turns go the shortest way,
        places and lenses straight. Beyond an end it goes on as it went."""
        before = positions.floor().long().clamp(0, max(self.frames - 2, 0))
        after = (before + 1).clamp_max(self.frames - 1)
        share = (positions - before).to(self.centre)
        turns, lens = self.world_from_camera, self.fov_vertical
        return CameraPath(
            slerp(turns[before], turns[after], share),
            torch.lerp(self.centre[before], self.centre[after], share[:, None]),
            torch.lerp(lens[before], lens[after], share),
            self.aspect,
        )


def look_at(
    centre: Float[Tensor, "*batch 3"], target: Float[Tensor, "*batch 3"]
) -> Float[Tensor, "*batch 3 3"]:
    """World_from_camera that looks from centre to target with the horizon level."""
    forward = normalize(target - centre, dim=-1)
    up = torch.zeros_like(forward)
    up[..., 2] = 1.0
    sideways = torch.linalg.cross(forward, up)
    apart = torch.linalg.vector_norm(target - centre, dim=-1) > 1e-9
    if not bool((apart & (torch.linalg.vector_norm(sideways, dim=-1) > 1e-6)).all()):
        raise CameraError(
            "The camera looks straight up or down, or sits on its target, so no horizon is level.",
            "Move the camera or the target sideways.",
        )
    right = normalize(sideways, dim=-1)
    return torch.stack([right, torch.linalg.cross(forward, right), forward], dim=-1)


def camera_looking_at(
    centre: Float[Tensor, "frames 3"],
    target: Float[Tensor, "frames 3"],
    fov_vertical: float | Float[Tensor, " frames"],
    aspect: float = 16 / 9,
) -> CameraPath:
    """A path that keeps its target in the middle of the image."""
    fov = torch.as_tensor(fov_vertical, dtype=centre.dtype, device=centre.device)
    return CameraPath(look_at(centre, target), centre, fov.expand(centre.shape[0]), aspect)


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
    y_up = torch.stack([in_camera[..., 0], -in_camera[..., 1]], dim=-1)
    ndc = y_up / safe / tan_half_fov[..., None, :]
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
    low = projection.ndc.masked_fill(~front, torch.inf).amin(-2)
    high = projection.ndc.masked_fill(~front, -torch.inf).amax(-2)
    missing = ~found[..., None]
    return Boxes(low.masked_fill(missing, torch.nan), high.masked_fill(missing, torch.nan), found)


def out_of_frame(projection: Projection) -> Bool[Tensor, "*batch"]:
    """Frames in which none of the key joints is visible: the metric Out counts them."""
    return ~projection.visible[..., list(KEY_JOINTS)].any(-1)
