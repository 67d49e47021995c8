"""Bone lengths of a stranger's 22 joints, beside those of our skeleton."""

from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.errors import FileError
from aesop.scene.skeleton import JOINT, JOINT_NAMES, PARENTS, bone_length

LEG = tuple(JOINT[name] for name in ("left_knee", "right_knee", "left_ankle", "right_ankle"))

# Shorter than this, a bone has no direction worth following.
MIN_BONE_M = 1e-3
# A child's leg is half of ours; beyond these ratios the file is not in metres.
MIN_LEG_RATIO, MAX_LEG_RATIO = 0.25, 4.0
# Networks let bones breathe by a few percent; more than this and the numbers are something else.
MAX_LEG_CHANGE = 0.25


def bone_vectors(joints: Float[Tensor, "*batch 22 3"]) -> Float[Tensor, "*batch 21 3"]:
    """From each joint's parent to the joint, for joints 1 … 21."""
    return joints[..., 1:, :] - joints[..., list(PARENTS[1:]), :]


def check_bones(joints: Float[Tensor, "frames 22 3"], path: Path) -> None:
    """Refuse joints that fall together: their bone points nowhere."""
    collapsed = torch.linalg.vector_norm(bone_vectors(joints), dim=-1) < MIN_BONE_M
    if bool(collapsed.any()):
        frame, bone = (int(index) for index in collapsed.nonzero()[0])
        child = bone + 1
        raise FileError(
            f"In frame {frame} of {path} the joints {JOINT_NAMES[PARENTS[child]]} and "
            f"{JOINT_NAMES[child]} are in one place.",
            "Export 22 SMPL joints in metres, every frame filled.",
        )


def leg_ratio(joints: Float[Tensor, "frames 22 3"], path: Path) -> float:
    """Our leg length over the file's: scales a pelvis path so that feet keep their footing."""
    bones = torch.linalg.vector_norm(bone_vectors(joints), dim=-1)
    lengths = bones[:, [joint - 1 for joint in LEG]]
    theirs = max(float(lengths.mean(0).sum()), MIN_BONE_M)
    ratio = sum(bone_length(joint) for joint in LEG) / theirs
    change = float((lengths.std(0, correction=0) / lengths.mean(0)).max())
    remedy = "Export the motion in metres; 263-d features must not be standardised."
    if not MIN_LEG_RATIO <= ratio <= MAX_LEG_RATIO:
        raise FileError(f"{path} has legs of {theirs / 2:.3g} m.", remedy)
    if not change <= MAX_LEG_CHANGE:
        raise FileError(f"{path} has legs whose length changes by {change:.0%}.", remedy)
    return ratio
