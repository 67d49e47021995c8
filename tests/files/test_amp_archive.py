"""Archives of the 15-joint character: what stands, turns and points alike on our skeleton."""

from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.core.errors import FileError
from aesop.files.amp_archive import amp_clips, read_amp_archive
from aesop.scene.human import Clip
from aesop.scene.skeleton import JOINT

_SIDE = ("upper_arm", "lower_arm", "hand", "thigh", "shin", "foot")
JOINTS = ("pelvis", "torso", "head", *(f"{s}_{part}" for s in ("right", "left") for part in _SIDE))
PARENTS = (-1, 0, 1, 1, 3, 4, 0, 6, 7, 1, 9, 10, 0, 12, 13)
OFFSETS = np.array(
    [[0, 0, 1], [0, 0, 0.24], [0, 0, 0.22]]
    + [
        row
        for side in (-1, 1)
        for row in (
            [-0.02, 0.18 * side, 0.24], [0, 0, -0.27], [0, 0, -0.26],
            [0, 0.08 * side, 0], [0, 0, -0.42], [0, 0, -0.41],
        )
    ],
    np.float32,
)  # fmt: skip
FRAMES = 31
UNIT = 32767


def write(path: Path, turns: dict[str, tuple[str, float]], **changed: np.ndarray) -> Path:
    """Two takes in one pose: joints turned about an axis by degrees."""
    rotation = np.zeros((2 * FRAMES, 15, 4), np.int16)
    rotation[..., 3] = UNIT
    for joint, (axis, degrees) in turns.items():
        half = np.deg2rad(degrees) / 2
        rotation[:, JOINTS.index(joint), "xyz".index(axis)] = round(UNIT * np.sin(half))
        rotation[:, JOINTS.index(joint), 3] = round(UNIT * np.cos(half))
    arrays = {
        "take": np.array(["07_02", "11_03"]),
        "start": np.array([0, FRAMES, 2 * FRAMES]),
        "rotation_i16": rotation,
        "root": np.tile(np.array([[2.0, 3.0, 0.88]], np.float32), (2 * FRAMES, 1)),
        "joint": np.array(JOINTS),
        "parent": np.array(PARENTS, np.int16),
        "offset": OFFSETS,
        "fps": np.float32(30),
    }
    np.savez(path, allow_pickle=False, **(arrays | changed))
    return path


def first(path: Path) -> Clip:
    return next(amp_clips(path))


def test_the_unturned_character_stands_with_hanging_arms_and_faces_x(tmp_path: Path):
    clip = first(write(tmp_path / "rest.npz", {}))
    joints = clip.motion.joints[0]
    assert clip.name == "07_02" and clip.fps == 25.0
    # At ψ = 90° a person faces +x; its left is +y.
    # The hips of our own rest body lie about a degree askew.
    assert float(clip.motion.yaw[0]) == pytest.approx(np.pi / 2, abs=0.03)
    assert joints[JOINT["left_hip"], 1] > joints[JOINT["right_hip"], 1]
    assert joints[JOINT["left_foot"], 0] > joints[JOINT["left_ankle"], 0]
    for side in ("left", "right"):
        arm = joints[JOINT[f"{side}_wrist"]] - joints[JOINT[f"{side}_shoulder"]]
        assert arm[2] < -0.9 * torch.linalg.vector_norm(arm)
    assert 0.85 < float(joints[0, 2]) < 1.0


def test_limbs_point_as_the_characters_do(tmp_path: Path):
    # About the character's y a positive turn brings a hanging arm backward, a negative one forward.
    bent = {"left_upper_arm": ("y", -90.0), "right_thigh": ("y", -60.0)}
    joints = first(write(tmp_path / "bent.npz", bent)).motion.joints[0]
    arm = joints[JOINT["left_elbow"]] - joints[JOINT["left_shoulder"]]
    thigh = joints[JOINT["right_knee"]] - joints[JOINT["right_hip"]]
    # Sixteen bits hold a turn to 1/32767.
    digits = 2 / UNIT
    wanted = torch.tensor([1.0, 0.0, 0.0])
    torch.testing.assert_close(arm / torch.linalg.vector_norm(arm), wanted, atol=digits, rtol=0)
    wanted = torch.tensor([np.sin(np.pi / 3), 0.0, -0.5], dtype=torch.float32)
    torch.testing.assert_close(thigh / torch.linalg.vector_norm(thigh), wanted, atol=digits, rtol=0)


def test_a_turn_of_the_root_turns_the_heading(tmp_path: Path):
    straight = first(write(tmp_path / "a.npz", {})).motion.yaw[0]
    turned = first(write(tmp_path / "b.npz", {"pelvis": ("z", 53.0)})).motion.yaw[0]
    digits = 2 / UNIT
    assert float(turned - straight) == pytest.approx(np.deg2rad(53.0), abs=digits)  # 16 bits


@pytest.mark.parametrize(
    ("changed", "fact"),
    [
        ({"start": np.array([0, 5, 7])}, "do not fill"),
        ({"joint": np.array(("hip", *JOINTS[1:]))}, "lacks pelvis"),
        ({"take": np.array(["07_02"])}, "names 1 takes for 3 edges"),
    ],
)
def test_archives_that_do_not_fit_are_refused(
    tmp_path: Path, changed: dict[str, np.ndarray], fact: str
):
    with pytest.raises(FileError, match=fact):
        first(write(tmp_path / "bad.npz", {}, **changed))


def test_an_unknown_take_is_refused(tmp_path: Path):
    with pytest.raises(FileError, match="has no take 99_01"):
        read_amp_archive(write(tmp_path / "a.npz", {})).clip("99_01")
