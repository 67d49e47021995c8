"""Whether what a file calls left is a body's left. Files from left-handed worlds, and files whose
names were exchanged, hold bodies that nobody has; retargeted, they would walk with twisted legs."""

from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.core.errors import FileError
from aesop.scene.skeleton import JOINT

# Mean cosine, over a motion, between feet and the side of the shins that its hips call the front.
# Of 553 takes (every twelfth of CMU's, all of ACCAD's and Rocketbox's) the lowest has 0.31; a
# mirrored take has the same with a minus.
MIRRORED = -0.2


def check_sides(joints: Float[Tensor, "frames 22 3"], path: Path) -> None:
    """Refuse a body whose feet point backward; joints that a file has not are NaN.

    Ankles bend between straight and square to the front of the shin, whether people stand, kneel or
    lie. A body without toes shows nothing, and passes.
    """

    def bone(start: str, end: str) -> Float[Tensor, "frames 3"]:
        return normalize(joints[:, JOINT[end]] - joints[:, JOINT[start]], dim=-1)

    left = bone("right_hip", "left_hip")
    feet = [
        (torch.linalg.cross(left, bone(f"{side}_ankle", f"{side}_knee")) * foot).sum(-1)
        for side in ("left", "right")
        for foot in [bone(f"{side}_ankle", f"{side}_foot")]
    ]
    if float(torch.stack(feet).nanmean()) < MIRRORED:
        raise FileError(
            f"{path} has feet that point backward: left and right are exchanged, or its axes are "
            "left-handed.",
            "Export it in right-handed axes, or exchange left and right in the joints' names.",
        )
