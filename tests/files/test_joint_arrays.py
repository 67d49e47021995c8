"""Arrays of joints: what comes after the body changes nothing; Python takes what files do."""

from pathlib import Path

import numpy as np
import pytest
import torch

import aesop
from aesop.core.errors import ClipError, FileError
from aesop.files.foreign_clip import METRES, Units
from aesop.files.motion_files import ReadOptions, read_motion
from tests.files.makers import gait_clip, humanml_feature_array, humanml_joint_array
from tests.tolerances import GEOMETRY32

FRAMES = 41


@pytest.mark.parametrize("joints", [24, 52, 55, 127])
def test_what_comes_after_the_body_changes_nothing(tmp_path: Path, joints: int) -> None:
    body = humanml_joint_array(FRAMES)
    more = np.concatenate([body, np.full((FRAMES, joints - 22, 3), 7.0, np.float32)], axis=1)
    np.save(tmp_path / "body.npy", body)
    np.save(tmp_path / "more.npy", more)
    first, second = (read_motion(tmp_path / f"{name}.npy") for name in ("body", "more"))
    assert torch.equal(first.motion.joints, second.motion.joints)
    assert f"22 of {joints}" in second.provenance.source


def test_arrays_that_stand_along_z_are_not_laid_down(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", gait_clip(FRAMES, fps=20.0).motion.joints.numpy())
    clip = read_motion(tmp_path / "a.npy")
    assert "up axis: z (detected)" in clip.provenance.notes
    assert float(clip.motion.joints[:, 15, 2].min()) > 1.2  # the head
    lying = read_motion(tmp_path / "a.npy", ReadOptions(up="y"))
    above = lying.motion.joints[:, 15, 2] - lying.motion.joints[:, 0, 2]
    assert float(above.abs().max()) < 0.3


@pytest.mark.parametrize("units", ["cm", "mm", "inch"])
def test_joints_in_another_unit_are_the_same_person(tmp_path: Path, units: Units) -> None:
    metres, path = humanml_joint_array(FRAMES), tmp_path / "a.npy"
    np.save(path, metres)
    wanted = read_motion(path)
    np.save(path, metres / METRES[units])
    with pytest.raises(FileError, match="--units"):
        read_motion(path)
    clip = read_motion(path, ReadOptions(units=units))
    torch.testing.assert_close(clip.motion.joints, wanted.motion.joints, atol=GEOMETRY32, rtol=0)
    assert f"units: {units} (given)" in clip.provenance.notes
    there, here = clip.source, wanted.source
    assert there is not None and here is not None and there.metres_per_unit == METRES[units]
    points = wanted.motion.joints.double()
    apart = METRES[units] * there.in_file(points) - here.in_file(points)
    assert float(apart.abs().max()) < GEOMETRY32


def test_a_unit_that_is_not_the_files_is_told_by_its_legs(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", humanml_joint_array(7))
    with pytest.raises(FileError, match=r"legs of 0\.000\d+ m"):
        read_motion(tmp_path / "a.npy", ReadOptions(units="mm"))
    np.save(tmp_path / "b.npy", np.zeros((7, 263), np.float32))
    with pytest.raises(FileError, match="features, which are in metres"):
        read_motion(tmp_path / "b.npy", ReadOptions(units="mm"))


def test_people_upside_down_are_asked_about(tmp_path: Path) -> None:
    """Cameras have y down: half a turn about x from HumanML3D's axes."""
    path = tmp_path / "a.npy"
    np.save(path, humanml_joint_array(31) * np.array([1.0, -1.0, -1.0]))
    with pytest.raises(FileError, match=r"upside down.*--up y"):
        read_motion(path)
    assert read_motion(path, ReadOptions(up="y")).frames > 1


def test_pickled_results_are_called_so(tmp_path: Path) -> None:
    """Generators save a dictionary as .npy, of no shape at all."""
    path = tmp_path / "results.npy"
    np.save(path, np.array({"motion": humanml_joint_array(3)}, dtype=object), allow_pickle=True)
    with pytest.raises(FileError, match=r"pickled.*plain numbers.*\['motion'\]\[0\]"):
        read_motion(path)


@pytest.mark.parametrize("layout", ["batch", "frames last", "batch, frames last"])
@pytest.mark.parametrize("frames", [FRAMES, 22, 3])
def test_a_batch_of_one_and_frames_last_are_the_same_motion(
    tmp_path: Path, layout: str, frames: int
) -> None:
    joints = humanml_joint_array(frames)
    np.save(tmp_path / "a.npy", joints)
    wanted = read_motion(tmp_path / "a.npy")
    joints = joints.transpose(1, 2, 0) if "last" in layout else joints
    np.save(tmp_path / "b.npy", joints[None] if "batch" in layout else joints)
    assert torch.equal(read_motion(tmp_path / "b.npy").motion.joints, wanted.motion.joints)


def test_features_may_stand_in_a_batch_of_one(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", humanml_feature_array(FRAMES))
    np.save(tmp_path / "b.npy", humanml_feature_array(FRAMES)[None])
    read = [read_motion(tmp_path / name).motion.joints for name in ("a.npy", "b.npy")]
    assert torch.equal(*read)


def test_unknown_counts_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((FRAMES, 17, 3)))
    with pytest.raises(FileError, match=r"\(41, 17, 3\).*\(frames, 52, 3\)"):
        read_motion(tmp_path / "a.npy")


@pytest.mark.parametrize("up", ["y", "z", None])
def test_python_reads_arrays_as_files_are_read(tmp_path: Path, up: str | None) -> None:
    joints = humanml_joint_array(FRAMES)
    np.save(tmp_path / "a.npy", joints)
    if up == "z":
        joints = joints[..., [0, 2, 1]] * np.array([-1, 1, 1], np.float32)
    axis = None if up is None else ("z" if up == "z" else "y")
    clip = aesop.Clip.from_joints(joints, fps=20.0, up=axis)
    read = read_motion(tmp_path / "a.npy")
    assert clip.fps == 25.0 and clip.frames == read.frames
    assert float((clip.motion.joints - read.motion.joints).abs().max()) < GEOMETRY32
    again = aesop.Clip.from_joints(torch.from_numpy(joints), 20.0)
    assert torch.equal(clip.motion.joints, again.motion.joints)


@pytest.mark.parametrize(
    ("joints", "fps", "fact"),
    [
        (np.zeros((5, 17, 3)), 30.0, r"\(5, 17, 3\)"),
        (np.zeros((1, 22, 3)), 30.0, "two frames"),
        (np.full((5, 22, 3), np.nan), 30.0, "not finite"),
        (humanml_joint_array(5), 0.0, "no frame rate"),
        (np.random.default_rng(3).normal(size=(5, 22, 3)), 30.0, "which axis points up"),
    ],
)
def test_arrays_that_are_no_person_are_refused(joints: np.ndarray, fps: float, fact: str) -> None:
    with pytest.raises(ClipError, match=fact):
        aesop.Clip.from_joints(joints, fps)
