"""Kimodo's archives."""

from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.core.errors import FileError
from aesop.files.smpl_archives import read_kimodo
from aesop.scene.human import grounded, pose_motion, yaw_from_joints
from aesop.scene.rotation import wrap_angle
from tests.files.makers import gait_path, gait_rotations, kimodo_arrays, save_arrays
from tests.tolerances import GEOMETRY32


@pytest.mark.parametrize("scale", [0.93, 1.0, 1.07])
def test_the_walk_is_the_same_whatever_the_size_of_the_body(tmp_path: Path, scale: float) -> None:
    path = save_arrays(tmp_path / "k.npz", kimodo_arrays(31, scale))
    clip = read_kimodo(path, fps=25.0)
    expected = grounded(pose_motion(gait_rotations(31, 30.0), gait_path(31, 30.0)))
    torch.testing.assert_close(
        clip.motion.joints.double(), expected.joints, atol=GEOMETRY32, rtol=0
    )
    assert clip.provenance.rotations == "recorded"


def test_facing_plus_z_becomes_yaw_zero(tmp_path: Path) -> None:
    clip = read_kimodo(save_arrays(tmp_path / "k.npz", kimodo_arrays(31)))
    from_places = yaw_from_joints(clip.motion.joints)
    assert float(wrap_angle(from_places - clip.motion.yaw).abs().max()) < 0.2
    assert abs(float(clip.motion.yaw[0]) - 0.3) < GEOMETRY32


def test_it_plays_at_thirty_frames_a_second_unless_told(tmp_path: Path) -> None:
    path = save_arrays(tmp_path / "k.npz", kimodo_arrays(31))
    assert read_kimodo(path).frames == 26
    assert read_kimodo(path, fps=50.0).frames == 16


@pytest.mark.parametrize(("joints", "name"), [(77, "SOMA"), (34, "G1"), (5, "does not know")])
def test_other_skeletons_are_refused_with_a_way_out(tmp_path: Path, joints: int, name: str) -> None:
    arrays = kimodo_arrays(7) | {
        "local_rot_mats": np.zeros((7, joints, 3, 3)),
        "posed_joints": np.zeros((7, joints, 3)),
    }
    with pytest.raises(FileError, match=rf"k\.npz has {joints} joints: .*{name}.*SMPL-X model"):
        read_kimodo(save_arrays(tmp_path / "k.npz", arrays))


@pytest.mark.parametrize(("frames", "fact"), [(0, "no frames"), (1, "one frame")])
def test_too_few_frames_are_refused(tmp_path: Path, frames: int, fact: str) -> None:
    arrays = {name: array[:frames] for name, array in kimodo_arrays(7).items()}
    with pytest.raises(FileError, match=rf"k\.npz has {fact}"):
        read_kimodo(save_arrays(tmp_path / "k.npz", arrays))


@pytest.mark.parametrize("damage", ["scale", "mirror", "shape", "missing"])
def test_matrices_that_are_no_rotations_are_refused(tmp_path: Path, damage: str) -> None:
    arrays = kimodo_arrays(7)
    match damage:
        case "scale":
            arrays["local_rot_mats"][3, 2] *= 1.02
        case "mirror":
            arrays["local_rot_mats"][3, 2, 0] *= -1
        case "shape":
            arrays["local_rot_mats"] = arrays["local_rot_mats"].reshape(7, 22, 9)
        case _:
            del arrays["posed_joints"]
    with pytest.raises(FileError, match=r"k\.npz"):
        read_kimodo(save_arrays(tmp_path / "k.npz", arrays))
