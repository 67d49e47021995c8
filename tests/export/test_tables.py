"""JSON, CSV and the choice of writers."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.spatial.transform import Rotation

from aesop.core.errors import FileError
from aesop.export.export_files import clip_writer_for, shot_writer_for, write_export
from aesop.export.mannequin_mesh import steady_quaternions_wxyz
from aesop.files.motion_files import read_motion
from aesop.scene.rotation import matrix_from_axis_angle, matrix_from_quaternion_wxyz
from tests.export.makers import FRAMES, moving_shot
from tests.tolerances import GEOMETRY32, GEOMETRY64

SHOT = moving_shot()
LENS = np.array([1.0, -1.0, -1.0])


def test_json_says_everything_in_numbers(tmp_path: Path):
    write_export(SHOT, tmp_path / "a.json")
    told = json.loads((tmp_path / "a.json").read_text())
    assert told["fps"] == 25 and told["aspect"] == 1.85 and len(told["frames"]) == FRAMES
    for frame in told["frames"][::5]:
        at, camera = frame["frame"], SHOT.camera
        assert frame["seconds"] == at / 25
        assert np.allclose(frame["centre_m"], camera.centre[at], atol=GEOMETRY32)
        turn = camera.world_from_camera[at].numpy()
        assert np.allclose(frame["world_from_camera"], turn, atol=GEOMETRY32)
        w, *xyz = frame["quaternion_wxyz_gl"]
        assert np.allclose(Rotation.from_quat([*xyz, w]).as_matrix(), turn * LENS, atol=GEOMETRY32)
        half = np.deg2rad(frame["fov_vertical_deg"]) / 2
        assert np.isclose(2 * half, camera.fov_vertical[at], atol=GEOMETRY32)
        width, height = told["sensor_mm"]
        assert np.isclose(height / 2 / np.tan(half), frame["focal_mm"], atol=100 * GEOMETRY32)
        across = np.deg2rad(frame["fov_horizontal_deg"]) / 2
        assert np.isclose(width / 2 / np.tan(across), frame["focal_mm"], atol=100 * GEOMETRY32)


def test_csv_and_json_agree(tmp_path: Path):
    write_export(SHOT, tmp_path / "a.json")
    write_export(SHOT, tmp_path / "a.csv")
    told = json.loads((tmp_path / "a.json").read_text())["frames"]
    with (tmp_path / "a.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == FRAMES
    for row, frame in zip(rows, told, strict=True):
        assert [float(row[it]) for it in ("x_m", "y_m", "z_m")] == frame["centre_m"]
        assert [float(row[f"q{it}"]) for it in "wxyz"] == frame["quaternion_wxyz_gl"]
        assert float(row["focal_mm"]) == frame["focal_mm"] and float(row["aspect"]) == 1.85


def test_quaternions_never_flip_from_frame_to_frame():
    """Two whole turns: the quaternion of least angle would jump to its negative on the way."""
    angles = torch.linspace(0, 4 * torch.pi, 101, dtype=torch.float64)
    matrices = matrix_from_axis_angle(angles[:, None] * torch.tensor([0.6, 0.0, 0.8]).double())
    turns = steady_quaternions_wxyz(matrices)
    assert bool(((turns[1:] * turns[:-1]).sum(1) > 0.99).all())
    assert torch.allclose(matrix_from_quaternion_wxyz(turns), matrices, atol=GEOMETRY64)


def test_bvh_beside_the_camera_is_the_motion(tmp_path: Path):
    write_export(SHOT, tmp_path / "a.bvh")
    again = read_motion(tmp_path / "a.bvh").motion
    apart = (again.joints - again.root[:1]) - (SHOT.clip.motion.joints - SHOT.clip.motion.root[:1])
    assert apart.abs().max() < 2e-3


@pytest.mark.parametrize("name", ["a.fbx", "a", "a.blend"])
def test_unknown_suffixes_are_refused_with_the_known_ones(name: str, tmp_path: Path):
    with pytest.raises(FileError, match=r"\.glb, \.usda"):
        shot_writer_for(tmp_path / name)
    with pytest.raises(FileError, match=r"\.npz, \.mp4"):
        clip_writer_for(tmp_path / name)
    with pytest.raises(FileError, match="does not exist"):
        shot_writer_for(tmp_path / "nowhere" / "a.glb")
