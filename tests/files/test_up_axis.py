"""Files that never stand up still show which way up is, where a floor holds the person."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import FileError
from aesop.files.motion_files import ReadOptions, read_motion
from aesop.scene.human import Clip, Provenance, grounded, pose_motion
from aesop.scene.rotation import about_axis, about_z, geodesic_distance, matrix_from_axis_angle
from aesop.scene.skeleton import JOINT, JOINTS, world_from_rest
from tests.files.foreign import Foreign, naming, own_axes, scrambled_axes, write_foreign
from tests.files.makers import gait_clip
from tests.tolerances import GEOMETRY32

ACCAD = Path(__file__).parents[3] / "shared" / "data" / "accad_male1" / "bvh30.tar.xz"


def turn(angle: float, axis: str) -> Float[Tensor, "3 3"]:
    return about_axis(torch.tensor(angle, dtype=torch.float64), axis)


def crawl_clip(frames: int = 61, climb_m: float = 0.0) -> Clip:
    """On hands and knees along a straight line, thighs and arms swinging by turns."""
    swing = 0.3 * torch.sin(torch.arange(frames, dtype=torch.float64) / 4)
    rotations = torch.eye(3, dtype=torch.float64).expand(frames, JOINTS, 3, 3).clone()
    rest = world_from_rest(rotations)
    rotations[:, 0] = about_z(torch.tensor(0.4).double()) @ rest @ turn(math.pi / 2, "x")
    for side, sign in (("left", 1.0), ("right", -1.0)):
        hip = about_axis(-math.pi / 2 + sign * swing, "x")
        rotations[:, JOINT[f"{side}_hip"]] = hip
        # The shin lies on the floor whatever the thigh does.
        rotations[:, JOINT[f"{side}_knee"]] = hip.transpose(-1, -2)
        rotations[:, JOINT[f"{side}_shoulder"]] = turn(-sign * math.pi / 2, "y")
    way = torch.linspace(0, 1.7, frames, dtype=torch.float64)
    share = torch.linspace(0, 1, frames, dtype=torch.float64)
    path = torch.stack([way * math.sin(0.4), -way * math.cos(0.4), climb_m * share], dim=-1)
    motion = grounded(pose_motion(rotations, path)).to(torch.float32)
    return Clip(motion, 25.0, "crawl", Provenance("made by formula"))


@pytest.mark.parametrize("up", ["y", "z"])
def test_the_skeleton_of_cmu_stands_as_its_rest_pose_does(tmp_path: Path, up: str) -> None:
    """It was believed to have y up, and lay down where Blender had exported it with z."""
    clip = gait_clip(31)
    names = naming(
        "Hips,LowerBack,Spine,Spine1,Neck,Head",
        "UpLeg,Leg,Foot,ToeBase,Shoulder,Arm,ForeArm,Hand", "Left{}", "Right{}",
    )  # fmt: skip
    axes = turn(-math.pi / 2, "x").expand(JOINTS, 3, 3) if up == "z" else own_axes()
    path = write_foreign(tmp_path / "a.bvh", clip, Foreign(names=names, up=up, axes=axes))
    marks = "".join(f"JOINT {name}\n{{\nOFFSET 0 1 0\n}}\n" for name in ("LHip", "LFingerBase"))
    text = path.read_text().replace("JOINT LeftUpLeg", f"{marks}JOINT LeftUpLeg")
    path.write_text(text)
    read = read_motion(path)
    assert read.source is not None and (read.source.skeleton, read.source.up) == ("CMU", up)
    # Nine digits of ten metres in the file, the same skeleton on both sides.
    assert float((read.motion.joints - clip.motion.joints).abs().max()) < GEOMETRY32


@pytest.mark.parametrize("up", ["y", "z"])
def test_a_floor_shows_which_way_is_up(tmp_path: Path, up: str) -> None:
    """Axes that lie anyhow leave no rest pose, and a crawler never stands."""
    axes = scrambled_axes(torch.Generator().manual_seed(5))
    path = write_foreign(tmp_path / "a.bvh", crawl_clip(), Foreign(axes=axes, up=up))
    assert f"up axis: {up} (detected)" in read_motion(path).provenance.notes


def test_without_a_floor_the_axis_is_asked_for(tmp_path: Path) -> None:
    axes = scrambled_axes(torch.Generator().manual_seed(5))
    path = write_foreign(tmp_path / "a.bvh", crawl_clip(climb_m=2.0), Foreign(axes=axes))
    with pytest.raises(FileError, match=r"does not show which axis points up.*--up y"):
        read_motion(path)


def test_a_head_that_nods_where_we_calibrate_does_not_nod_ever_after(tmp_path: Path) -> None:
    axes = scrambled_axes(torch.Generator().manual_seed(7))
    clip = gait_clip(101)
    plain = read_motion(write_foreign(tmp_path / "a.bvh", clip, Foreign(axes=axes)))
    note = next(note for note in plain.provenance.notes if note.startswith("calibrated on frame"))
    anchor = int(note.split()[3].rstrip(","))
    nod = matrix_from_axis_angle(torch.tensor([0.6, 0.0, 0.0]))
    rotations = clip.motion.rotations.clone()
    rotations[anchor, JOINT["head"]] = rotations[anchor, JOINT["head"]] @ nod
    nodding = replace(clip, motion=replace(clip.motion, rotations=rotations))
    read = read_motion(write_foreign(tmp_path / "b.bvh", nodding, Foreign(axes=axes)))
    others = [frame for frame in range(101) if frame != anchor]
    apart = geodesic_distance(
        read.motion.rotations[others, JOINT["head"]], plain.motion.rotations[others, JOINT["head"]]
    )
    # One frame of 101 nods by 34°: the mean of all moves by about a third of a degree.
    assert float(torch.rad2deg(apart).max()) < 1.0


@pytest.mark.parametrize("away_m", [0.0, 2.0])
def test_somebody_who_lies_stretched_out_is_not_stood_up(tmp_path: Path, away_m: float) -> None:
    """Lying along +z of a y-up file: only that the other axis has its floor at 0 tells."""
    rotations = torch.eye(3, dtype=torch.float64).expand(53, JOINTS, 3, 3).clone()
    rest = world_from_rest(rotations)
    rotations[:, 0] = rest @ turn(math.pi / 2, "x")
    path = torch.zeros(53, 3, dtype=torch.float64)
    path[:, 1] = -away_m
    motion = grounded(pose_motion(rotations, path)).to(torch.float32)
    clip = Clip(motion, 25.0, "lying", Provenance("made by formula"))
    axes = scrambled_axes(torch.Generator().manual_seed(5))
    file = write_foreign(tmp_path / "a.bvh", clip, Foreign(axes=axes))
    with pytest.raises(FileError, match="--up y"):
        read_motion(file)


def test_a_motion_against_its_rest_pose_is_asked_about(tmp_path: Path) -> None:
    clip = gait_clip(31)
    rotations = clip.motion.rotations.clone()
    rotations[:, 0] = turn(math.pi, "x").float() @ rotations[:, 0]
    motion = grounded(pose_motion(rotations, clip.motion.root * torch.tensor([1.0, -1.0, -1.0])))
    file = write_foreign(tmp_path / "a.bvh", replace(clip, motion=motion), Foreign())
    with pytest.raises(FileError, match=r"stands along \+y and a motion along -y.*--up y"):
        read_motion(file)
    assert read_motion(file, ReadOptions(up="y")).frames == clip.frames


@pytest.mark.parametrize(("angle", "axis", "along"), [(math.pi, "x", "-y"), (1.57, "z", "-x")])
def test_no_axis_is_offered_that_would_not_help(
    tmp_path: Path, angle: float, axis: str, along: str
) -> None:
    clip = gait_clip(31)
    world = turn(angle, axis).float()
    world = world_from_rest(world) @ world @ world_from_rest(world).T  # about the axes of the file
    rotations = clip.motion.rotations.clone()
    rotations[:, 0] = world @ rotations[:, 0]
    motion = replace(clip.motion, rotations=rotations, joints=clip.motion.joints @ world.T)
    axes = scrambled_axes(torch.Generator().manual_seed(5))
    file = write_foreign(tmp_path / "a.bvh", replace(clip, motion=motion), Foreign(axes=axes))
    with pytest.raises(FileError, match=rf"stands along {along}\. Export"):
        read_motion(file)


@pytest.mark.skipif(not ACCAD.exists(), reason="the ACCAD takes are not here")
@pytest.mark.parametrize("take", ["A10_LieToCrouch", "A11_CrawlForward", "A12_CrawlBackward"])
def test_takes_on_the_floor_are_read_as_they_lie(tmp_path: Path, take: str) -> None:
    import tarfile

    with tarfile.open(ACCAD) as archive:
        name = next(name for name in archive.getnames() if take in name)
        data = archive.extractfile(name)
        assert data is not None
        (tmp_path / "a.bvh").write_bytes(data.read())
    clip = read_motion(tmp_path / "a.bvh")
    assert "up axis: y (detected)" in clip.provenance.notes
    assert float(clip.motion.joints[..., 2].amax()) < 1.3  # nobody stands in these
