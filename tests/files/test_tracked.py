"""People from trackers: the same poses under other keys are the same motion."""

from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.core.errors import FileError
from aesop.files.motion_files import ReadOptions, read_motion
from aesop.scene.human import Clip
from aesop.scene.rotation import about_axis, axis_angle_from_matrix, matrix_from_axis_angle
from aesop.scene.skeleton import REST_OFFSETS
from tests.files.makers import amass_arrays, hymotion_arrays, save_arrays
from tests.tolerances import GEOMETRY32

FRAMES = 37


def y_up() -> dict[str, np.ndarray]:
    """Poses and path of the walk in a y-up world, 30 fps."""
    arrays = hymotion_arrays(FRAMES)
    return {"poses": arrays["poses"][:, :72], "trans": arrays["trans"]}


def apart_m(first: Clip, second: Clip) -> float:
    return float((first.motion.joints - second.motion.joints).abs().max())


@pytest.fixture(name="walk")
def _walk(tmp_path: Path) -> Clip:
    return read_motion(save_arrays(tmp_path / "hymotion.npz", hymotion_arrays(FRAMES)))


def _matrices(poses: np.ndarray) -> np.ndarray:
    return matrix_from_axis_angle(torch.from_numpy(poses).reshape(FRAMES, -1, 3)).numpy()


def layouts() -> dict[str, dict[str, np.ndarray]]:
    poses, trans = y_up()["poses"], y_up()["trans"]
    turns, fps = _matrices(poses), np.array(30.0)
    return {
        "WHAM": {"pose_world": poses, "trans_world": trans, "pose": poses * 0, "trans": trans * 0,
                 "fps": fps},
        "flat parts": {"global_orient": poses[:, :3], "body_pose": poses[:, 3:], "transl": trans,
                       "fps": fps},
        "matrices": {"global_orient": turns[:, :1], "body_pose": turns[:, 1:], "transl": trans,
                     "frame_rate": fps},
        "joints": {"smpl_poses": poses.reshape(FRAMES, 24, 3), "smpl_trans": trans, "fps": fps},
        "SLAHMR": {"root_orient": poses[None, :, :3], "pose_body": poses[None, :, 3:66],
                   "trans": trans[None], "fps": fps},
        "one more axis": {"pred_rotmat": turns, "trans": trans[:, None], "fps": fps},
        "AMASS's layout, y up": {"poses": poses, "trans": trans, "mocap_framerate": fps},
    }  # fmt: skip


@pytest.mark.parametrize("layout", layouts())
def test_other_keys_are_the_same_person(tmp_path: Path, walk: Clip, layout: str) -> None:
    clip = read_motion(save_arrays(tmp_path / "a.npz", layouts()[layout]))
    assert apart_m(clip, walk) < GEOMETRY32
    assert any("up axis: y (detected)" in note for note in clip.provenance.notes)


def test_gvhmr_is_read_from_its_tensors(tmp_path: Path, walk: Clip) -> None:
    poses, trans = (torch.from_numpy(values) for values in y_up().values())
    part = {"global_orient": poses[:, :3], "body_pose": poses[:, 3:66], "transl": trans}
    incam = {name: values * 0 for name, values in part.items()}
    torch.save(
        {"smpl_params_incam": incam, "smpl_params_global": part, "K_fullimg": torch.eye(3)},
        tmp_path / "hmr4d_results.pt",
    )
    clip = read_motion(tmp_path / "hmr4d_results.pt")
    assert apart_m(clip, walk) < GEOMETRY32


def test_a_person_in_the_cameras_space_stands_up(tmp_path: Path, walk: Clip) -> None:
    """Cameras have y down and look along z: half a turn about x from a y-up world."""
    poses, trans = y_up()["poses"].copy(), y_up()["trans"]
    flip = about_axis(torch.tensor(torch.pi, dtype=torch.float64), "x")
    root = flip @ matrix_from_axis_angle(torch.from_numpy(poses[:, :3]))
    offset = np.array([0.0, 2 * 0.7, 0.0])  # anything: where a camera is does not matter
    arrays = {
        "global_orient": axis_angle_from_matrix(root).numpy(),
        "body_pose": poses[:, 3:],
        "pred_cam_t": trans @ flip.numpy().T + offset,
        "fps": np.array(30.0),
    }
    clip = read_motion(save_arrays(tmp_path / "a.npz", arrays))
    steps = (clip.motion.root - clip.motion.root[:1]) - (walk.motion.root - walk.motion.root[:1])
    assert float(steps.abs().max()) < GEOMETRY32
    assert any("camera" in note for note in clip.provenance.notes)


def test_a_path_in_the_units_of_a_larger_body_is_brought_to_metres(
    tmp_path: Path, walk: Clip
) -> None:
    """AIST++ says how large the body is in the units of its cameras."""
    arrays = {
        "smpl_poses": y_up()["poses"], "smpl_trans": 93.0 * y_up()["trans"],
        "smpl_scaling": np.array([93.0]), "fps": np.array(30.0),
    }  # fmt: skip
    clip = read_motion(save_arrays(tmp_path / "a.npz", arrays))
    assert apart_m(clip, walk) < GEOMETRY32
    # Where a person stood in the file is where exports put them back.
    assert clip.source is not None
    pelvis = torch.from_numpy(arrays["smpl_trans"][:1] / 93.0 + REST_OFFSETS[0]) * 93.0
    found = clip.source.in_clip(pelvis) - clip.motion.root[:1].double()
    assert float(found.abs().max()) < GEOMETRY32
    arrays["smpl_scaling"] = np.array([0.0])
    with pytest.raises(FileError, match="no size of a body"):
        read_motion(save_arrays(tmp_path / "a.npz", arrays))


def test_two_people_are_refused(tmp_path: Path) -> None:
    arrays = layouts()["SLAHMR"]
    twice = {name: np.concatenate([v, v]) if v.ndim else v for name, v in arrays.items()}
    with pytest.raises(FileError, match="holds 2 people"):
        read_motion(save_arrays(tmp_path / "a.npz", twice))


def test_a_rate_is_asked_for(tmp_path: Path, walk: Clip) -> None:
    arrays = layouts()["flat parts"]
    del arrays["fps"]
    path = save_arrays(tmp_path / "a.npz", arrays)
    with pytest.raises(FileError, match=r"frame rate.*--file-fps"):
        read_motion(path)
    assert apart_m(read_motion(path, ReadOptions(fps=30.0)), walk) < GEOMETRY32


def test_pickles_are_never_opened(tmp_path: Path) -> None:
    import pickle

    (tmp_path / "a.pkl").write_bytes(pickle.dumps({"poses": [1]}))
    with pytest.raises(FileError, match=r"pickle.*numpy\.savez"):
        read_motion(tmp_path / "a.pkl")
    torch.save({"poses": torch.zeros(3), "path": Path("x")}, tmp_path / "a.pt")
    with pytest.raises(FileError, match="Python objects"):
        read_motion(tmp_path / "a.pt")
    (tmp_path / "b.pt").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(FileError, match="damaged"):
        read_motion(tmp_path / "b.pt")


def test_amass_stays_z_up(tmp_path: Path) -> None:
    clip = read_motion(save_arrays(tmp_path / "a.npz", amass_arrays(FRAMES)))
    assert not any("up axis" in note for note in clip.provenance.notes)
