"""A body that nobody has is refused: one that is mirrored while its names are not."""

from pathlib import Path

import numpy as np
import pytest

from aesop.core.errors import FileError
from aesop.files.motion_files import read_motion
from aesop.scene.skeleton import JOINT_NAMES
from tests.files.foreign import DIALECTS, Foreign, write_foreign
from tests.files.makers import gait_clip, humanml_joint_array


def exchanged(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names with those of left joints on right ones."""
    others = [
        name.replace("left", "side").replace("right", "left").replace("side", "right")
        for name in JOINT_NAMES
    ]
    return tuple(names[JOINT_NAMES.index(other)] for other in others)


@pytest.mark.parametrize("dialect", ["mixamo", "unreal"])
def test_exchanged_names_are_refused(dialect: str, tmp_path: Path) -> None:
    foreign = Foreign(names=exchanged(DIALECTS[dialect]))
    path = write_foreign(tmp_path / "a.bvh", gait_clip(31), foreign)
    with pytest.raises(FileError, match="point backward"):
        read_motion(path)


@pytest.mark.parametrize("mirror", [(-1, 1, 1), (1, 1, -1)])
def test_joints_of_a_left_handed_world_are_refused(
    mirror: tuple[int, int, int], tmp_path: Path
) -> None:
    path = tmp_path / "a.npy"
    joints = humanml_joint_array(31)
    np.save(path, joints * np.array(mirror, dtype=joints.dtype))
    with pytest.raises(FileError, match="left-handed"):
        read_motion(path)
    # Turned instead of mirrored, the same body is a body.
    np.save(path, joints * np.array((-1, 1, -1), dtype=joints.dtype))
    assert read_motion(path).frames > 1
