"""HumanML3D files: 22 joints per frame, or 263 features per frame; y up, 20 fps."""

from pathlib import Path

import numpy as np
from jaxtyping import Float
from torch import Tensor

from aesop.errors import FileError
from aesop.files.arrays import array_shape, read_array
from aesop.files.atomic import atomic_path
from aesop.files.fit import fit_rotations
from aesop.files.humanml_features import HUMANML_FPS, WIDTH, joints_from_263
from aesop.files.inputs import check_length, check_rate, check_reach
from aesop.files.native import Recording, native_clip
from aesop.files.proportions import check_bones, leg_ratio
from aesop.files.resample import resample_points
from aesop.scene.human import Clip
from aesop.scene.skeleton import JOINTS

FIT_NOTE = "rotations fitted to joint positions: the roll of straight limbs is a guess"


def read_humanml(path: Path, *, fps: float | None = None) -> Clip:
    """Joints (frames, 22, 3) or features (frames, 263), told apart by their shape."""
    rate = fps if fps is not None else HUMANML_FPS
    check_rate(rate, path)
    shape = array_shape(path)
    if len(shape) == 3 and shape[1:] == (JOINTS, 3):
        check_length(shape[0], rate, path)
        joints, kind = read_array(path, (None, JOINTS, 3)), "HumanML3D joints"
    elif len(shape) == 2 and shape[1] == WIDTH:
        check_length(shape[0], rate, path)
        features = read_array(path, (None, WIDTH))
        joints, kind = joints_from_263(features), "HumanML3D features"
    else:
        raise FileError(
            f"{path} has the shape {shape}; (frames, {JOINTS}, 3) joints and (frames, {WIDTH}) "
            "HumanML3D features are known.",
            "Save the motion in one of these shapes.",
        )
    return native_clip(fitted_recording(z_up(joints), rate, kind, path), path)


def fitted_recording(
    joints: Float[Tensor, "frames 22 3"], fps: float, kind: str, path: Path
) -> Recording:
    """Our skeleton made to point its limbs as a stranger's 22 joints do."""
    check_reach(joints, "the person", path)
    check_bones(joints, path)
    scale = leg_ratio(joints, path)
    notes = (FIT_NOTE, f"path scaled by {scale:.3f}, the ratio of leg lengths")
    return Recording(fit_rotations(joints), scale * joints[:, 0], fps, kind, "fitted", notes)


def z_up(points: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 3"]:
    """HumanML3D's axes (y up) to ours; undoes how they were made from AMASS."""
    return points[..., [0, 2, 1]] * points.new_tensor([-1.0, 1.0, 1.0])


def y_up(points: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 3"]:
    """Inverse of `z_up`, and the same turn: half a turn about an axis between y and z."""
    return z_up(points)


def humanml_joints(clip: Clip) -> Float[Tensor, "frames 22 3"]:
    """The clip's joints in HumanML3D's axes and rate."""
    return y_up(resample_points(clip.motion.joints, clip.fps, HUMANML_FPS))


def write_humanml(clip: Clip, path: Path) -> None:
    """22 joints per frame as .npy, y up, 20 fps, single precision."""
    joints = humanml_joints(clip).float().numpy()
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        np.save(stream, joints, allow_pickle=False)
