"""What stands in for a camera that cannot exist: an answer of no use to anyone, counted as such.

Leaving such clips out would reward a model for failing on the hard ones.
"""

import math
from collections.abc import Sequence

import torch

from aesop.director.answers import IMPOSSIBLE
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip
from aesop.scene.placement import heading
from aesop.scene.shot import Shot

AWAY_M = 3.0
FOV_VERTICAL = math.radians(40.0)
ASPECT = 16 / 9


def looking_away(clip: Clip) -> CameraPath:
    """A camera that stands still above everyone's head and films the sky: the person is out of the
    image in every frame, and no movement is shown."""
    motion = clip.motion
    centre = motion.root[0] + AWAY_M * heading(motion.yaw[0])
    centre[2] = motion.joints[..., 2].max() + AWAY_M
    kind = motion.joints
    return CameraPath(
        torch.eye(3).to(kind).expand(clip.frames, 3, 3),
        centre.expand(clip.frames, 3),
        kind.new_full((clip.frames,), FOV_VERTICAL),
        ASPECT,
    )


def is_impossible(shot: Shot) -> bool:
    """Whether another camera stands in for the one that was made."""
    return IMPOSSIBLE in shot.provenance.notes


def impossible_answers(shots: Sequence[Shot]) -> int:
    """How many cameras could not exist."""
    return sum(map(is_impossible, shots))
