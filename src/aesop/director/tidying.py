"""What is mended in a decoded camera: rest that is not quite rest, and ways below the floor."""

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip, HumanMotion
from aesop.scene.movement import STATIC_MPS
from aesop.scene.rotation import about_axis, wrap_angle

# A camera that stays this near to one place, slower than what a tagger calls movement, rests.
REST_RADIUS_M = 0.05
# No camera's centre comes nearer to the floor: that much has room below the lens.
CLEARANCE_M = 0.1
# What lies within this share of the picture's height is well inside.
FRAMED_SHARE = 0.8
LIFTED = "lifted by"  # how the note of a camera begins that would have gone below the floor


def tidied(camera: CameraPath, clip: Clip) -> tuple[CameraPath, list[str]]:
    """The camera as it is shown, and what is worth a note."""
    held = held_at_rest(camera, clip.fps)
    lifted = above_floor(held, clip.motion)
    if lifted is held:
        return held, []
    lift = float(lifted.centre[0, 2] - held.centre[0, 2])
    return lifted, [f"{LIFTED} {lift:.2g} m to stay above the floor"]


def rests(camera: CameraPath, fps: float) -> bool:
    """Whether a camera stays near one place, slower than what a tagger calls movement."""
    seconds = max(camera.frames - 1, 1) / fps
    strays = torch.linalg.vector_norm(camera.centre - camera.centre.mean(dim=0), dim=-1).max()
    return bool(camera.travel / seconds < STATIC_MPS) and bool(strays < REST_RADIUS_M)


def held_at_rest(camera: CameraPath, fps: float) -> CameraPath:
    """A camera that rests is held where it is on average: what is left of its way is not movement
    but the flow's and the codec's last error, and no tripod breathes. It still turns and zooms."""
    if not rests(camera, fps):
        return camera
    middle = camera.centre.mean(dim=0)
    return replace(camera, centre=middle.expand_as(camera.centre).contiguous())


def above_floor(camera: CameraPath, motion: HumanMotion) -> CameraPath:
    """A camera that would go below the floor, on which the person's lowest joint stands, higher by
    so much all the way: lifting its lowest frames alone would bend the way. It tilts down by what
    keeps the person's root at its height in the picture, or by less where the root was above the
    picture. Travel, speed and lens stay as they are."""
    joints = motion.joints.to(camera.centre)
    lift = joints[..., 2].min() + CLEARANCE_M - camera.centre[:, 2].min()
    if bool(lift <= 0):
        return camera
    centre = camera.centre + lift * camera.centre.new_tensor([0.0, 0.0, 1.0])
    turns = camera.world_from_camera
    before, after = (_below_axis(turns, joints[:, 0] - it) for it in (camera.centre, centre))
    keeping = wrap_angle(before - after)
    edge = FRAMED_SHARE * camera.fov_vertical / 2
    wanted = (after + keeping).clamp(-edge, edge) - after
    none = torch.zeros_like(keeping)
    tilt = wanted.clamp(torch.minimum(keeping, none), torch.maximum(keeping, none))
    return replace(camera, centre=centre, world_from_camera=turns @ about_axis(tilt, "x"))


def _below_axis(
    world_from_camera: Float[Tensor, "frames 3 3"], towards: Float[Tensor, "frames 3"]
) -> Float[Tensor, " frames"]:
    """How far below the optical axis a direction lies, in radians."""
    _, down, ahead = (world_from_camera.mT @ towards[..., None])[..., 0].unbind(-1)
    return torch.atan2(down, ahead)
