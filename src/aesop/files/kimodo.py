"""Kimodo archives of the SMPL-X skeleton: rotation matrices in a y-up world at 30 fps."""

from pathlib import Path

from aesop.errors import FileError
from aesop.files.arrays import open_archive
from aesop.files.inputs import check_length, check_rate, check_rotations, check_same_length
from aesop.files.native import Recording, native_clip, stood_up
from aesop.files.proportions import leg_ratio
from aesop.scene.human import Clip
from aesop.scene.skeleton import JOINTS

KIMODO_FPS = 30.0  # the archive does not say; Kimodo's models generate at this rate
_OTHER_SKELETONS = {77: "SOMA", 30: "SOMA", 34: "the G1 robot"}


def read_kimodo(path: Path, *, fps: float | None = None) -> Clip:
    """A motion saved by Kimodo's SMPL-X model. Other skeletons are refused."""
    archive = open_archive(path)
    archive.require("local_rot_mats", "posed_joints")
    shape = archive.shape("local_rot_mats")
    joints = shape[1] if len(shape) == 4 else JOINTS
    if joints != JOINTS:
        name = _OTHER_SKELETONS.get(joints, "a skeleton AESOP does not know")
        raise FileError(
            f"{path} has {joints} joints: Kimodo made it for {name}, not for SMPL-X.",
            "Generate it with Kimodo's SMPL-X model, or convert it to BVH and import that.",
        )
    rotations = archive.numbers("local_rot_mats", (None, JOINTS, 3, 3))
    places = archive.numbers("posed_joints", (None, JOINTS, 3))
    check_same_length(path, local_rot_mats=rotations, posed_joints=places)
    rate = fps if fps is not None else KIMODO_FPS
    check_rate(rate, path)
    check_length(places.shape[0], rate, path)
    check_rotations(rotations, f"The array 'local_rot_mats' in {path}")
    scale = leg_ratio(places, path)
    rotations, root = stood_up(rotations, scale * places[:, 0])
    note = f"path scaled by {scale:.3f}, the ratio of leg lengths"
    return native_clip(Recording(rotations, root, rate, "Kimodo", "recorded", (note,)), path)
