"""Our frames in the terms of other programs.

glTF has y up, as our rest body has. Cameras of glTF, USD and Blender look along −z with y up, where
ours look along z with y down; the lens is the same.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.scene.camera import CameraPath
from aesop.scene.rotation import quaternion_wxyz_from_matrix
from aesop.scene.skeleton import world_from_rest

SENSOR_WIDTH_MM = 36.0  # a full-frame still; only its ratio to the focal length matters


def y_up_from_world(like: Tensor) -> Float[Tensor, "3 3"]:
    """Takes our z-up world to a y-up one; x stays."""
    return world_from_rest(like).T


def world_from_gl_camera(camera: CameraPath) -> Float[Tensor, "frames 3 3"]:
    """Orientation of a camera that looks along its own −z."""
    turned = camera.world_from_camera.double()
    return turned * turned.new_tensor([1.0, -1.0, -1.0])


def focal_mm(camera: CameraPath) -> Float[Tensor, " frames"]:
    """Focal length before a sensor `SENSOR_WIDTH_MM` wide."""
    return SENSOR_WIDTH_MM / 2 / camera.tan_half_fov[:, 0].double()


def steady_quaternions_wxyz(
    rotations: Float[Tensor, "frames *rest 3 3"],
) -> Float[Tensor, "frames *rest 4"]:
    """Quaternions without changes of sign from frame to frame, so that programs can interpolate."""
    turns = quaternion_wxyz_from_matrix(rotations.double())
    agree = (turns[1:] * turns[:-1]).sum(-1, keepdim=True)
    signs = torch.where(agree < 0, -1.0, 1.0).cumprod(0)
    return torch.cat([turns[:1], turns[1:] * signs])
