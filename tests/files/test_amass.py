"""AMASS archives of both releases, and HY-Motion's."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from jaxtyping import Float
from scipy.spatial.transform import Rotation
from torch import Tensor

from aesop.core.errors import FileError
from aesop.files.foreign_clip import METRES, Units
from aesop.files.motion_files import ReadOptions, read_motion
from aesop.files.smpl_archives import read_amass, read_hymotion, write_amass
from aesop.scene.curves import resample_points
from aesop.scene.rotation import geodesic_distance
from aesop.scene.skeleton import JOINTS, PARENTS, REST_OFFSETS
from tests.files.makers import (
    amass_arrays,
    gait_clip,
    gait_path,
    gait_rotations,
    hymotion_arrays,
    save_arrays,
    smplx_arrays,
)
from tests.tolerances import GEOMETRY32


def smpl_joints(poses: np.ndarray, translation: np.ndarray) -> Float[Tensor, "frames 22 3"]:
    """Joints as SMPL itself poses them: 4×4 transforms about absolute rest places."""
    offsets = np.array(REST_OFFSETS)
    rest = offsets.copy()
    for joint in range(1, JOINTS):
        rest[joint] += rest[PARENTS[joint]]
    places = np.zeros((len(poses), JOINTS, 3))
    for frame, angles in enumerate(poses[:, : 3 * JOINTS].reshape(-1, JOINTS, 3)):
        transforms: list[np.ndarray] = []
        for joint in range(JOINTS):
            local = np.eye(4)
            local[:3, :3] = Rotation.from_rotvec(angles[joint]).as_matrix()
            local[:3, 3] = rest[joint] if joint == 0 else rest[joint] - rest[PARENTS[joint]]
            transforms.append(local if joint == 0 else transforms[PARENTS[joint]] @ local)
        places[frame] = np.stack(transforms)[:, :3, 3] + translation[frame]
    return torch.from_numpy(places)


def on_ground(joints: Float[Tensor, "frames 22 3"]) -> Float[Tensor, "frames 22 3"]:
    lifted = joints.clone()
    lifted[..., 2] -= joints[..., 2].min()
    return lifted


def test_joints_are_where_smpl_puts_them(tmp_path: Path) -> None:
    arrays = amass_arrays(frames=13, fps=25.0)
    clip = read_amass(save_arrays(tmp_path / "walk.npz", arrays))
    expected = on_ground(smpl_joints(arrays["poses"], arrays["trans"]))
    torch.testing.assert_close(clip.motion.joints.double(), expected, atol=GEOMETRY32, rtol=0)
    assert clip.name == "walk" and clip.fps == 25.0
    assert any("betas" in note for note in clip.provenance.notes)


def test_the_root_turn_does_not_move_the_pelvis(tmp_path: Path) -> None:
    arrays = amass_arrays(frames=13, fps=25.0)
    still = read_amass(save_arrays(tmp_path / "a.npz", arrays))
    arrays["poses"][:, :3] = np.random.default_rng(3).normal(size=(13, 3))
    turned = read_amass(save_arrays(tmp_path / "b.npz", arrays))
    apart = (turned.motion.root - still.motion.root)[:, :2].abs().max()
    assert float(apart) == 0.0


def test_both_releases_tell_the_same_motion(tmp_path: Path) -> None:
    first = read_amass(save_arrays(tmp_path / "h.npz", amass_arrays()))
    second = read_amass(save_arrays(tmp_path / "x.npz", smplx_arrays()))
    assert torch.equal(first.motion.joints, second.motion.joints)
    assert torch.equal(first.motion.rotations, second.motion.rotations)


def test_every_rate_ends_at_ours_and_keeps_the_time(tmp_path: Path) -> None:
    for fps, frames in ((60.0, 61), (120.0, 127), (59.94, 67)):
        clip = read_amass(save_arrays(tmp_path / "a.npz", amass_arrays(frames, fps)))
        expected = resample_points(gait_path(frames, fps), fps, 25.0)
        shift = clip.motion.root.double() - expected
        assert clip.fps == 25.0
        assert float(shift.std(0).max()) < GEOMETRY32
        assert any(f"{fps:g}" in note for note in clip.provenance.notes)


def test_a_given_rate_overrides_and_a_missing_one_is_asked_for(tmp_path: Path) -> None:
    arrays = amass_arrays(frames=31, fps=60.0)
    path = save_arrays(tmp_path / "a.npz", arrays)
    assert read_amass(path, fps=30.0).frames == 26
    del arrays["mocap_framerate"]
    save_arrays(path, arrays)
    with pytest.raises(FileError, match=r"a\.npz does not say its frame rate.*--file-fps"):
        read_amass(path)
    assert read_amass(path, fps=30.0).frames == 26


def test_written_clips_come_back(tmp_path: Path) -> None:
    clip = gait_clip(37)
    write_amass(clip, tmp_path / "a.npz")
    back = read_amass(tmp_path / "a.npz")
    torch.testing.assert_close(back.motion.joints, clip.motion.joints, atol=GEOMETRY32, rtol=0)
    turns = geodesic_distance(back.motion.rotations.double(), clip.motion.rotations.double())
    assert float(turns.max()) < GEOMETRY32


def test_hymotion_stands_up_and_faces_our_way(tmp_path: Path) -> None:
    clip = read_hymotion(save_arrays(tmp_path / "hy.npz", hymotion_arrays(31)))
    expected = resample_points(gait_path(31, 30.0), 30.0, 25.0)
    height = clip.motion.root[:, 2].double() - expected[:, 2]
    torch.testing.assert_close(
        clip.motion.root.double()[:, :2], expected[:, :2], atol=GEOMETRY32, rtol=0
    )
    assert float(height.std()) < GEOMETRY32
    root_turn = gait_rotations(31, 30.0)[0, 0]
    assert float(geodesic_distance(clip.motion.rotations[0, 0].double(), root_turn)) < GEOMETRY32


def test_y_up_can_be_said_for_amass_layouts_too(tmp_path: Path) -> None:
    arrays = hymotion_arrays(31)
    hymotion = read_hymotion(save_arrays(tmp_path / "hy.npz", arrays))
    del arrays["Rh"]
    path = save_arrays(tmp_path / "a.npz", arrays)
    assert torch.equal(read_amass(path, fps=30.0, up="y").motion.joints, hymotion.motion.joints)


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ({"poses": np.zeros((31, 63))}, r"\(31, 63\).*66 columns"),
        ({"poses": np.zeros((31, 157))}, r"\(31, 157\)"),
        ({"trans": np.zeros((31, 2))}, r"\(31, 2\); \(frames, 3\) is needed"),
        ({"trans": np.zeros((29, 3))}, "poses has 31, trans has 29"),
        ({"trans": np.full((31, 3), 1e7)}, "1e\\+07 m from the origin"),
        ({"poses": np.full((31, 156), 1e5)}, "turns of 1e\\+05 radians"),
        ({"mocap_framerate": np.array(0.0)}, "rate of 0 frames"),
        ({"mocap_framerate": np.array(1e9)}, r"rate of 1e\+09 frames"),
        ({"mocap_framerate": np.array(1.5), "poses": np.zeros((9999, 156)),
          "trans": np.zeros((9999, 3))}, "over 60 minutes"),
        ({"mocap_framerate": np.array([60.0, 60.0])}, r"\(2,\); \(1\) is needed"),
        ({"poses": np.zeros((0, 156)), "trans": np.zeros((0, 3))}, "no frames"),
        ({"poses": np.zeros((1, 156)), "trans": np.zeros((1, 3))}, "one frame"),
        (amass_arrays(2), "one frame"),
    ],
)  # fmt: skip
def test_bad_archives_are_refused_by_name_and_fact(
    tmp_path: Path, change: dict[str, np.ndarray], fact: str
) -> None:
    path = save_arrays(tmp_path / "bad.npz", amass_arrays() | change)
    with pytest.raises(FileError, match=fact) as caught:
        read_amass(path)
    assert "bad.npz" in caught.value.fact and caught.value.remedy


def test_poses_without_a_path_are_told_what_to_do(tmp_path: Path) -> None:
    arrays = amass_arrays()
    path = arrays.pop("trans")
    with pytest.raises(FileError, match=r"no path.*zeros \(frames, 3\)"):
        read_motion(save_arrays(tmp_path / "a.npz", arrays))
    wanted = read_motion(save_arrays(tmp_path / "b.npz", arrays | {"trans": path}))
    thick = read_motion(save_arrays(tmp_path / "c.npz", arrays | {"trans": path[:, None]}))
    assert torch.equal(thick.motion.joints, wanted.motion.joints)


@pytest.mark.parametrize(("degrees", "axis"), [(90.0, "y"), (180.0, "z")])
def test_a_world_that_points_down_is_asked_about(degrees: float, axis: str, tmp_path: Path) -> None:
    """Trackers save the camera's world, whose y points down, in AMASS's layout too."""
    arrays = amass_arrays()
    turn = Rotation.from_euler("x", degrees, degrees=True)
    arrays["poses"][:, :3] = (turn * Rotation.from_rotvec(arrays["poses"][:, :3])).as_rotvec()
    arrays["trans"] = turn.apply(arrays["trans"])
    path = save_arrays(tmp_path / "a.npz", arrays)
    with pytest.raises(FileError, match=f"upside down along {axis}.*--up z"):
        read_amass(path)
    assert read_amass(path, up="z").frames > 1


def test_degrees_are_told_from_radians(tmp_path: Path) -> None:
    arrays = amass_arrays()
    # A dancer's root may go on counting its turns.
    arrays["poses"][:, :3] *= 1 + 14 * math.pi / np.linalg.norm(arrays["poses"][:1, :3])
    read_amass(save_arrays(tmp_path / "a.npz", arrays), up="z")
    arrays["poses"] = np.rad2deg(amass_arrays()["poses"])
    with pytest.raises(FileError, match=r"in degrees\..*radians"):
        read_amass(save_arrays(tmp_path / "a.npz", arrays), up="z")


@pytest.mark.parametrize("root_apart", [False, True])
@pytest.mark.parametrize("kind", ["quaternions", "six numbers a joint", "two by two"])
def test_other_turns_in_a_row_are_no_axis_angles(
    tmp_path: Path, kind: str, root_apart: bool
) -> None:
    """24 quaternions have as many numbers as 32 axis-angles."""
    arrays = amass_arrays()
    turns = Rotation.from_rotvec(arrays["poses"][:, :72].reshape(-1, 3))
    matrices = turns.as_matrix().reshape(-1, 24, 3, 3)
    numbers = {
        "quaternions": turns.as_quat().reshape(-1, 24, 4),
        "six numbers a joint": matrices[..., :2, :],
        "two by two": matrices[..., :2],
    }[kind].astype(np.float16)
    rows = numbers.reshape(len(matrices), -1)
    poses = {"poses": rows}
    if root_apart:
        width = rows.shape[1] // 24
        poses = {"global_orient": arrays["poses"][:, :3], "body_pose": rows[:, 3 * width :]}
    path = {"transl": arrays["trans"], "fps": np.array(30.0)}
    with pytest.raises(FileError, match=rf"poses as .*{kind}.*as_rotvec"):
        read_motion(save_arrays(tmp_path / "a.npz", poses | path))


@pytest.mark.parametrize("units", ["cm", "mm"])
@pytest.mark.parametrize("kind", ["AMASS", "tracker", "HY-Motion"])
def test_a_path_in_another_unit_is_the_same_walk(tmp_path: Path, kind: str, units: Units) -> None:
    arrays = hymotion_arrays(31) if kind == "HY-Motion" else amass_arrays(31, 30.0)
    if kind == "tracker":
        arrays = {"poses": arrays["poses"], "transl": arrays["trans"], "fps": np.array(30.0)}
    path = "transl" if kind == "tracker" else "trans"
    wanted = read_motion(save_arrays(tmp_path / "m.npz", arrays))
    arrays[path] = arrays[path] / METRES[units]
    told = read_motion(save_arrays(tmp_path / "u.npz", arrays), ReadOptions(units=units))
    torch.testing.assert_close(told.motion.root, wanted.motion.root, atol=GEOMETRY32, rtol=0)
    assert told.source is not None and wanted.source is not None
    assert told.source.metres_per_unit == METRES[units]
    points = wanted.motion.joints.double()
    apart = METRES[units] * told.source.in_file(points) - wanted.source.in_file(points)
    assert float(apart.abs().max()) < GEOMETRY32
