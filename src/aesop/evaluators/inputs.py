"""What evaluators read of a shot: nine numbers a frame of the camera, or the person's features.

Nine of our own: rotation as six, and the centre's velocity in the axes of the camera a frame
before, squeezed so that 0.02 m/s (where movement begins) and 2 m/s are both seen; frame 0 holds the
first centre relative to the person. Nothing is lost: the path can be rebuilt from them.
"""

from collections.abc import Callable
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.features.camera import camera_to_features
from aesop.features.columns import CAMERA
from aesop.features.human import human_to_features
from aesop.files.humanml import y_up
from aesop.files.humanml_features import features_263_from_joints
from aesop.scene.human import NATIVE_FPS
from aesop.scene.rotation import columns6_from_matrix, matrix_from_columns6
from aesop.scene.shot import Shot

Kind = Literal["clatr", "tmr"]  # what it reads: camera paths, or people
NINE = 9
SLOW_MPS = 0.05  # slower velocities are read as they are, faster ones by their logarithm
START_M = 3.0  # unit of the first centre

ShotReader = Callable[[Shot], Float[Tensor, "frames features"]]


def nine_from_features(
    features: Float[Tensor, "*batch frames 14"],
) -> Float[Tensor, "*batch frames 9"]:
    """Our nine numbers from the physical camera features."""
    six = CAMERA.take(features, "rotation")
    world_from_camera = matrix_from_columns6(six)
    velocity = CAMERA.take(features, "velocity")[..., 1:, :, None] * NATIVE_FPS
    in_camera = (world_from_camera[..., :-1, :, :].transpose(-1, -2) @ velocity).squeeze(-1)
    start = CAMERA.take(features, "from_root")[..., :1, :] / START_M
    squeezed = torch.asinh(in_camera / SLOW_MPS) / 2
    return torch.cat(
        [columns6_from_matrix(world_from_camera), torch.cat([start, squeezed], -2)], -1
    )


def nine_of_shot(shot: Shot) -> Float[Tensor, "frames 9"]:
    """Our nine numbers of a shot."""
    return nine_from_features(camera_to_features(shot.camera, shot.clip.motion.root).float())


def person_of_shot(shot: Shot) -> Float[Tensor, "frames 199"]:
    """The person's features, physical."""
    return human_to_features(shot.clip.motion).float()


# E.T.'s constants, which the published CLaTr was trained with: per-frame steps and first centre.
_ET_STEP_MEAN = (7.93987673e-05, -9.98621393e-05, 4.12940653e-04)
_ET_STEP_SPREAD = (0.027841, 0.01819818, 0.03138536)
_ET_START_MEAN = (0.00201079, -0.27488501, -1.23616805)
_ET_START_SPREAD = (1.13433516, 1.19061042, 1.58744263)


def et_nine_of_shot(shot: Shot) -> Float[Tensor, "frames 9"]:
    """E.T.'s nine numbers of a shot, standardised with its constants, in its world (y down), the
    person's first place at the origin."""
    person = shot.clip.motion.root[0].double()
    y_down = _y_down(person)
    centre = (shot.camera.centre.double() - person) @ y_down.T
    start = (centre[:1] - centre.new_tensor(_ET_START_MEAN)) / centre.new_tensor(_ET_START_SPREAD)
    steps = (centre.diff(dim=0) - centre.new_tensor(_ET_STEP_MEAN)) / centre.new_tensor(
        _ET_STEP_SPREAD
    )
    six = columns6_from_matrix(y_down @ shot.camera.world_from_camera.double())
    return torch.cat([six, torch.cat([start, steps])], dim=-1).float()


def _y_down(like: Tensor) -> Float[Tensor, "3 3"]:
    """Turns z-up worlds to y-down ones and keeps x: (x, y, z) → (x, −z, y)."""
    return like.new_tensor([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def humanml_of_shot(shot: Shot) -> Float[Tensor, "frames_less_one 263"]:
    """HumanML3D's features of the person, frame by frame as they are: rates are not converted."""
    return features_263_from_joints(y_up(shot.clip.motion.joints.double())).float()
