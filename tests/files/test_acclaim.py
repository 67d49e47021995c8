"""Acclaim's pairs of files tell the same motion as any other file of it."""

from pathlib import Path

import pytest
import torch

from aesop.core.errors import FileError
from aesop.files.acclaim import acclaim_take, parse_motion, parse_skeleton
from aesop.files.bvh_clip import write_armature
from aesop.files.motion_files import ReadOptions, read_motion
from aesop.scene.human import Clip
from aesop.scene.skeleton import world_from_rest, world_rotations
from tests.files.acclaim import CMU_M, NAMES, write_acclaim
from tests.files.foreign import own_axes, scrambled_axes
from tests.files.makers import gait_clip
from tests.tolerances import GEOMETRY32

FPS = ReadOptions(fps=25.0)


def check_told(path: Path, clip: Clip, metres: float = CMU_M) -> None:
    """The joints of the pair stand and are turned as the clip's are; on our skeleton it is the
    motion that a BVH of the same tree gives."""
    bones, is_degrees = parse_skeleton(path.with_suffix(".asf").read_text())
    values = parse_motion(path.read_text(), bones, is_degrees)
    take = acclaim_take(bones, values, 25.0)
    motion = take.motion(range(len(take.names)))
    rows = [take.names.index(name) for name in NAMES]
    turn = world_from_rest(values)
    places = metres * motion.places[:, rows] @ turn.T
    assert float((places - clip.motion.joints).abs().max()) < GEOMETRY32
    turns = world_rotations(clip.motion.rotations)
    assert float((turn @ motion.world_from_joint[:, rows] - turns).abs().max()) < GEOMETRY32
    read = read_motion(path, FPS)
    assert read.source is not None and read.source.armature is not None
    assert (read.source.up, read.source.kind, read.source.start_frame) == ("y", "AMC", 1)
    write_armature(read.source.armature, 25.0, path.with_suffix(".bvh"))
    same = read_motion(path.with_suffix(".bvh"))
    # Angles in a BVH have six decimals of a degree, places six of the file's unit.
    assert float((read.motion.joints - same.motion.joints).abs().max()) < GEOMETRY32 + 1e-6 * metres


@pytest.mark.parametrize("order", ["xyz", "zyx", "yzx"])
def test_bones_turn_about_axes_of_their_own(tmp_path: Path, order: str) -> None:
    clip, dice = gait_clip(31), torch.Generator().manual_seed(7)
    check_told(write_acclaim(tmp_path / "a.amc", clip, scrambled_axes(dice), order), clip)


def test_a_hinge_has_one_number(tmp_path: Path) -> None:
    clip = gait_clip(31)
    hinges = ("left_knee", "right_knee")
    check_told(write_acclaim(tmp_path / "a.amc", clip, own_axes(), hinges=hinges), clip)


@pytest.mark.parametrize("metres", [CMU_M, 0.01, 1.0])
def test_its_unit_does_not_matter(tmp_path: Path, metres: float) -> None:
    clip = gait_clip(31)
    path = write_acclaim(tmp_path / "a.amc", clip, own_axes(), metres=metres)
    check_told(path, clip, metres)
    source = read_motion(path, FPS).source
    assert source is not None and source.metres_per_unit == pytest.approx(metres)


def test_its_own_skeleton_goes_along(tmp_path: Path) -> None:
    path = write_acclaim(tmp_path / "a.amc", gait_clip(31), own_axes())
    source = read_motion(path, FPS).source
    assert source is not None and source.armature is not None
    assert source.armature.frames == 31 and "lradius" in source.armature.names


def test_the_skeleton_is_the_one_of_its_name_or_the_only_one(tmp_path: Path) -> None:
    path = write_acclaim(tmp_path / "07.amc", gait_clip(7), own_axes())
    take = path.rename(tmp_path / "07_01.amc")
    (tmp_path / "0.asf").write_text("another")
    assert read_motion(take, FPS).frames == 7
    (tmp_path / "0.asf").unlink()
    other = take.rename(tmp_path / "walk.amc")
    assert read_motion(other, FPS).frames == 7
    (tmp_path / "13.asf").write_text("another")
    with pytest.raises(FileError, match=r"there is 2 of others.*as walk\.asf"):
        read_motion(other, FPS)
    for skeleton in tmp_path.glob("*.asf"):
        skeleton.unlink()
    with pytest.raises(FileError, match="there is none"):
        read_motion(other, FPS)


def test_the_rate_is_asked_for(tmp_path: Path) -> None:
    path = write_acclaim(tmp_path / "a.amc", gait_clip(7), own_axes())
    with pytest.raises(FileError, match=r"no AMC file does.*--file-fps"):
        read_motion(path)
    with pytest.raises(FileError, match=r"without a motion.*\.amc"):
        read_motion(path.with_suffix(".asf"))


def test_a_root_of_two_orders_is_told(tmp_path: Path) -> None:
    """As in a public walk: its axis is XYZ and its numbers are listed RZ RY RX."""
    path = write_acclaim(tmp_path / "a.amc", gait_clip(7), own_axes())
    wanted = read_motion(path, FPS)
    skeleton = path.with_suffix(".asf")
    skeleton.write_text(skeleton.read_text().replace("TZ RX RY RZ", "TZ RZ RY RX"))
    lines = [line.split() for line in path.read_text().splitlines()]
    turned = [[*line[:4], *line[:3:-1]] if line[0] == "root" else line for line in lines]
    path.write_text("\n".join(" ".join(line) for line in turned))
    read = read_motion(path, FPS)
    assert torch.equal(read.motion.joints, wanted.motion.joints)
    assert any("listed zyx; turned about xyz" in note for note in read.provenance.notes)
    assert not any("listed" in note for note in wanted.provenance.notes)


ASF, AMC = ".asf", ".amc"
BROKEN = [
    (ASF, ":hierarchy", ":nothing", "no :root, :bonedata and :hierarchy"),
    (ASF, "axis XYZ", "axis XYX", "not x, y and z"),
    (ASF, "orientation 0 0 0", "orientation 0 90 0", "stands turned"),
    (ASF, "order TX TY TZ", "order TX TY", "does not name three places"),
    (ASF, "dof rx ry rz", "dof rx ry rz l", "moves or stretches"),
    (ASF, "name lfemur", "name lfemor", "does not fit its bones at 'lfemur'"),
    (ASF, "direction", "direction nan", "finite numbers"),
    (ASF, "angle deg", "angle turns", "angles are in 'turns'"),
    (AMC, "lfemur", "lfemor", "'lfemor' of frame 1 is no bone"),
    (AMC, "\nltibia ", "\n# ", "frame 1 lacks ltibia"),
    (AMC, "\nltibia ", "\nltibia 1 ", "'ltibia' in frame 1 is not 3 finite"),
    (AMC, "\nltibia ", "\nltibia oops ", "not made of numbers"),
]


@pytest.mark.parametrize(("suffix", "before", "after", "fact"), BROKEN)
def test_broken_pairs_are_refused_with_a_reason(
    tmp_path: Path, suffix: str, before: str, after: str, fact: str
) -> None:
    path = write_acclaim(tmp_path / "a.amc", gait_clip(7), own_axes())
    broken = path.with_suffix(suffix)
    text = broken.read_text()
    assert before in text
    broken.write_text(text.replace(before, after, 1))
    with pytest.raises(FileError, match=fact) as caught:
        read_motion(path, FPS)
    assert str(broken) in caught.value.fact and caught.value.remedy
