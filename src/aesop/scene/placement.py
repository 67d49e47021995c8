"""The canonical start: networks see clips that begin at x = y = 0 with yaw 0, facing −Y."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip, HumanMotion, shifted, turned
from aesop.scene.rotation import about_z


@dataclass(frozen=True, eq=False)
class Placement:
    """Where a canonical clip stood in its world: turn by `yaw`, then move by `offset`."""

    yaw: Float[Tensor, ""]
    offset: Float[Tensor, "3"]


def placement_of(motion: HumanMotion) -> Placement:
    """The placement that takes the canonical form of a motion to where it stands."""
    return Placement(motion.yaw[0], motion.root[0] * motion.root.new_tensor([1.0, 1.0, 0.0]))


def canonical(clip: Clip) -> tuple[Clip, Placement]:
    """The clip from the canonical start, and what undoes it. Heights are not touched."""
    placement = placement_of(clip.motion)
    motion = turned(shifted(clip.motion, -placement.offset), -placement.yaw)
    return replace(clip, motion=motion), placement


def place_clip(clip: Clip, placement: Placement) -> Clip:
    """Inverse of `canonical`."""
    return replace(clip, motion=shifted(turned(clip.motion, placement.yaw), placement.offset))


def place_camera(camera: CameraPath, placement: Placement) -> CameraPath:
    """Move a camera that films the canonical clip to where the clip stood."""
    turn = about_z(placement.yaw)
    return replace(
        camera,
        world_from_camera=turn @ camera.world_from_camera,
        centre=camera.centre @ turn.T + placement.offset,
    )


def canonical_camera(camera: CameraPath, placement: Placement) -> CameraPath:
    """Inverse of `place_camera`."""
    turn = about_z(-placement.yaw)
    return replace(
        camera,
        world_from_camera=turn @ camera.world_from_camera,
        centre=(camera.centre - placement.offset) @ turn.T,
    )


def ground(points: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 2"]:
    """The part of points or directions that lies in the ground plane."""
    return points[..., :2]


def heading(yaw: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch 3"]:
    """Unit vector in which a person of this yaw faces."""
    return torch.stack([torch.sin(yaw), -torch.cos(yaw), torch.zeros_like(yaw)], dim=-1)
