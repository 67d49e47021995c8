"""BVH in and out: channels in any order, text in any dress, and every way to be broken."""

import re
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.spatial.transform import Rotation

from aesop.core.errors import FileError
from aesop.files.bvh import joint_offsets, joint_turns, read_bvh
from aesop.files.bvh_clip import read_bvh_clip, write_bvh
from aesop.scene.human import Clip, HumanMotion, cut, pose_motion
from aesop.scene.rotation import geodesic_distance, matrix_from_axis_angle
from aesop.scene.skeleton import JOINT, JOINTS
from tests.files.makers import gait_clip
from tests.tolerances import GEOMETRY32, rounded64

ORDERS = ["".join(order) for order in permutations("xyz")]

SMALL = """HIERARCHY
ROOT hip bone
{
  OFFSET 1 2 3
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT arm:Left Arm
  {
    OFFSET 0 5e-1 -1.5E+0
    CHANNELS 3 Yrotation Zrotation Xrotation
    End Site
    {
      OFFSET 0 1 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.04
0 1 2 10 20 30 -40 50 60
0 1 3 11 21 31 -41 51 61
0 1 4 12 22 32 -42 52 62
"""


def write_text(folder: Path, text: str | bytes) -> Path:
    path = folder / "small.bvh"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("first", ["rotation", "position"])
def test_channels_in_any_order_agree_with_scipy(
    order: str, first: str, dice: torch.Generator, tmp_path: Path
) -> None:
    turns = [f"{axis.upper()}rotation" for axis in order]
    moves = ["Yposition", "Zposition", "Xposition"]
    root = turns + moves if first == "rotation" else moves + turns
    child_order = order[::-1]
    child = [f"{axis.upper()}rotation" for axis in child_order]
    numbers = 170 * torch.rand(5, 9, generator=dice, dtype=torch.float64) - 85
    rows = "\n".join(" ".join(f"{x:.12f}" for x in row) for row in numbers.tolist())
    path = write_text(
        tmp_path,
        f"HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\nCHANNELS 6 {' '.join(root)}\nJOINT b\n{{\n"
        f"OFFSET 1 2 3\nCHANNELS 3 {' '.join(child)}\n}}\n}}\n"
        f"MOTION\nFrames: 5\nFrame Time: 0.01\n{rows}\n",
    )
    motion = read_bvh(path)
    start = 0 if first == "rotation" else 3
    theirs = [
        Rotation.from_euler(order.upper(), numbers[:, start : start + 3].numpy(), degrees=True),
        Rotation.from_euler(child_order.upper(), numbers[:, 6:].numpy(), degrees=True),
    ]
    ours = joint_turns(motion, [0, 1])
    for joint, turn in enumerate(theirs):
        assert np.abs(ours[:, joint].numpy() - turn.as_matrix()).max() < rounded64(450, 100.0)
    place = numbers[:, 3:6] if first == "rotation" else numbers[:, :3]
    assert torch.allclose(
        joint_offsets(motion, [0, 1])[:, 0], place[:, [2, 0, 1]], atol=rounded64(450, 100.0)
    )
    assert torch.equal(joint_offsets(motion, [1])[0, 0], torch.tensor([1.0, 2, 3]).double())


def test_the_tree_is_read_as_written(tmp_path: Path) -> None:
    motion = read_bvh(write_text(tmp_path, SMALL))
    assert motion.names == ("hip bone", "arm:Left Arm")
    assert [joint.parent for joint in motion.joints] == [-1, 0, 1]
    assert motion.joints[1].offset == (0.0, 0.5, -1.5)
    assert motion.joints[2].is_end and motion.joints[2].channels == ()
    assert motion.frames == 3 and motion.fps == 25.0
    # Positions of the root replace its OFFSET.
    assert joint_offsets(motion, [0])[2, 0].tolist() == [0.0, 1.0, 4.0]


DRESSES: dict[str, Callable[[str], str | bytes]] = {
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "carriage returns alone": lambda text: text.replace("\n", "\r"),
    "tabs": lambda text: text.replace("  ", "\t"),
    "byte order mark": lambda text: "\ufeff" + text,
    "braces on the line": lambda text: text.replace("\n{", " {").replace("\n  {", " {"),
    "small keywords": lambda text: text.replace("OFFSET", "offset").replace("JOINT", "Joint"),
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "one long line": lambda text: text.replace("60\n0", "60 0").replace("61\n0", "61 0"),
    "scientific": lambda text: text.replace("10 20", "1.0e1 +2.0E+01"),
    "colon apart": lambda text: text.replace("Frames:", "Frames :").replace("Time:", "Time :\t"),
    "two bytes a letter": lambda text: text.encode("utf-16"),
    "two bytes, large end first": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "two bytes, unmarked": lambda text: text.encode("utf-16-le"),
    "an old end of file": lambda text: text + "\x1a",
    "filled up": lambda text: text + "\0" * 37,
}


@pytest.mark.parametrize("dress", DRESSES)
def test_layout_does_not_matter(dress: str, tmp_path: Path) -> None:
    plain = read_bvh(write_text(tmp_path, SMALL))
    dressed = read_bvh(write_text(tmp_path, DRESSES[dress](SMALL)))
    assert dressed.joints == plain.joints and dressed.fps == plain.fps
    assert torch.equal(dressed.values, plain.values)


def test_unused_position_channels_keep_the_offset(tmp_path: Path) -> None:
    six = "CHANNELS 6 Xposition Yposition Zposition Yrotation Zrotation Xrotation"
    for places, expected in (("0 0 0", [0.0, 0.5, -1.5]), ("7 8 9", [7.0, 8.0, 9.0])):
        text = SMALL.replace("CHANNELS 3 Yrotation Zrotation Xrotation", six)
        for angle in (-40, -41, -42):
            text = text.replace(f" {angle} ", f" {places} {angle} ")
        assert joint_offsets(read_bvh(write_text(tmp_path, text)), [1])[1, 0].tolist() == expected


@pytest.mark.parametrize(
    ("frame_time", "fps"),
    [("0.0333333", 30.0), ("0.033333", 30.0), ("0.00833333", 120.0), ("0.00833", 120.0),
     ("0.016667", 60.0), ("0.0333667", 29.96999), ("0.0417083", 23.976), ("0.0625", 16.0),
     ("0.0333", 30.0), ("0.017", 60.0), ("0.042", 24.0), ("0.0083", 120.0), ("0.033", 30.0),
     ("0.008", 125.0), ("0.03", 33.33333), ("0.032", 31.25)],
)  # fmt: skip
def test_rounded_frame_times_become_whole_rates(
    frame_time: str, fps: float, tmp_path: Path
) -> None:
    text = SMALL.replace("Time: 0.04", f"Time: {frame_time}")
    # A frame time of six decimals says a rate to one in a hundred thousand.
    assert read_bvh(write_text(tmp_path, text)).fps == pytest.approx(fps, rel=1e-5)
    assert read_bvh(write_text(tmp_path, text), fps=48.0).fps == 48.0


BROKEN = {
    "empty": ("", "0 bytes"),
    "garbage": (bytes(range(256)) * 7, "HIERARCHY"),
    "other text": ("solid cube\nfacet normal 0 0 1\n", "HIERARCHY"),
    "no motion": (SMALL.split("MOTION")[0], "no line MOTION"),
    "no frames": (SMALL.replace("Frames: 3\n", ""), "Frames"),
    "no frame time": (SMALL.replace("Frame Time: 0.04\n", ""), "Frame Time"),
    "one frame": (SMALL.replace("Frames: 3", "Frames: 1").rsplit("\n", 3)[0], "one frame"),
    "zero frames": (SMALL.replace("Frames: 3", "Frames: 0").rsplit("\n", 4)[0], "no frames"),
    "minus frames": (SMALL.replace("Frames: 3", "Frames: -3"), "'-3'"),
    "countless frames": (SMALL.replace("Frames: 3", "Frames: 99999999999"), "whole number"),
    "too few numbers": (SMALL[:-4], "need 27 numbers, but 26"),
    "too many numbers": (SMALL + "5 5\n", "need 27 numbers, but 29"),
    "a word among numbers": (SMALL.replace("-41", "oops"), "frame 1 holds 'oops', not a number"),
    "Windows' own nan": (SMALL.replace("-41", "-1.#IND"), "frame 1 holds '-1.#IND'"),
    "decimal commas": (SMALL.replace(" 20 ", " 20,5 "), "commas among the numbers"),
    "nan": (SMALL.replace("-41", "nan"), "frame 1 holds a number that is not finite"),
    "infinity": (SMALL.replace("-42", "1e999"), "not finite"),
    "frozen": (SMALL.replace("0.04", "0"), "0 frames per second"),
    "backwards": (SMALL.replace("0.04", "-0.04"), "frames per second"),
    "slow": (SMALL.replace("0.04", "1.5"), "frames per second"),
    "fast": (SMALL.replace("0.04", "0.0001"), "10000 frames per second"),
    "wrong channel count": (SMALL.replace("CHANNELS 3", "CHANNELS 4"), "says 4 but names 3"),
    "unknown channel": (SMALL.replace("Yrotation Z", "Wrotation Z"), "wrotation"),
    "channel twice": (SMALL.replace("Yrotation Z", "Zrotation Z"), "twice"),
    "short offset": (SMALL.replace("OFFSET 1 2 3", "OFFSET 1 2"), "2 numbers, not 3"),
    "odd offset": (SMALL.replace("OFFSET 1 2 3", "OFFSET 1 x 3"), "'x'"),
    "endless offset": (SMALL.replace("OFFSET 1 2 3", "OFFSET 1 inf 3"), "finite"),
    "no offset": (SMALL.replace("  OFFSET 1 2 3\n", ""), "no OFFSET"),
    "open brace": (SMALL.replace("}\nMOTION", "MOTION"), "not complete"),
    "extra brace": (SMALL.replace("}\nMOTION", "}\n}\nMOTION"), "closes"),
    "second tree": (
        SMALL.replace("}\nMOTION", "}\nJOINT b\n{\nOFFSET 0 0 0\n}\nMOTION"),
        "nothing",
    ),
    "stray line": (SMALL.replace("  OFFSET 1 2 3", "  SCALE 1 2 3"), "SCALE"),
}


@pytest.mark.parametrize(
    "text",
    [SMALL.replace(" 20 ", " 20,5 "), SMALL.replace("0.04", "0,04"),
     SMALL.replace("OFFSET 1 2 3", "OFFSET 1,0 2 3")],
)  # fmt: skip
def test_decimal_commas_have_a_remedy_of_their_own(text: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="Write decimal points"):
        read_bvh(write_text(tmp_path, text))


def test_a_body_of_no_size_is_said_to_have_no_bones(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    write_bvh(gait_clip(3), path)
    text = re.sub(r"OFFSET .*", "OFFSET 0 0 0", path.read_text())
    path.write_text(text.replace("ROOT pelvis", "ROOT Pelvis"))
    with pytest.raises(FileError, match=r"in one place\..*with its offsets"):
        read_bvh_clip(path)


def test_frames_beyond_those_announced_are_read_and_said(tmp_path: Path) -> None:
    more = SMALL.replace("Frames: 3", "Frames: 2")
    plain, longer = (read_bvh(write_text(tmp_path, text)) for text in (SMALL, more))
    assert torch.equal(plain.values, longer.values)
    assert plain.notes == ()
    assert longer.notes == ("the header says 2 frames; all 3 that follow are read",)


def test_a_header_that_counts_too_many_is_told_how_many_there_are(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"if 3 frames are all, correct its header\."):
        read_bvh(write_text(tmp_path, SMALL.replace("Frames: 3", "Frames: 4")))
    with pytest.raises(FileError, match=r"Repair or cut those frames"):
        read_bvh(write_text(tmp_path, SMALL.replace("-41", "nan")))


@pytest.mark.parametrize("flaw", BROKEN)
def test_broken_files_are_refused_with_a_reason(flaw: str, tmp_path: Path) -> None:
    text, reason = BROKEN[flaw]
    path = write_text(tmp_path, text)
    with pytest.raises(FileError) as caught:
        read_bvh(path)
    assert str(path) in caught.value.fact and reason in caught.value.fact
    assert caught.value.remedy.endswith(".")


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "walk.bvh"
    write_bvh(gait_clip(3), path)
    whole = path.read_bytes()
    for length in range(0, len(whole.rstrip()) - 10, 173):
        path.write_bytes(whole[:length])
        with pytest.raises(FileError):
            read_bvh_clip(path)


def test_writing_and_reading_gives_the_same_clip(dice: torch.Generator, tmp_path: Path) -> None:
    wild = matrix_from_axis_angle(torch.randn(23, JOINTS, 3, generator=dice))
    path = 3 * torch.randn(23, 3, generator=dice)
    made = pose_motion(wild, path)
    low = made.joints[..., 2].min() * torch.tensor([0.0, 0.0, 1.0])
    clip = Clip(HumanMotion(wild, made.joints - low), 25.0, "wild", gait_clip(2).provenance)
    for original in (clip, gait_clip(37), cut(gait_clip(37), 5, 7)):
        write_bvh(original, tmp_path / "a.bvh")
        read = read_bvh_clip(tmp_path / "a.bvh")
        turns = [c.motion.rotations.double() for c in (read, original)]
        assert geodesic_distance(turns[0], turns[1]).max() < GEOMETRY32
        offset = read.motion.joints - original.motion.joints
        # A cut clip may hover; what is read stands on the ground.
        assert (offset - offset[0, 0] * torch.tensor([0.0, 0.0, 1.0])).abs().max() < GEOMETRY32


def test_gimbal_lock_survives(tmp_path: Path) -> None:
    clip = gait_clip(11)
    rotations = clip.motion.rotations.clone()
    lock = torch.tensor([0.0, torch.pi / 2, 0.0])
    for joint in ("left_shoulder", "right_hip"):
        rotations[:, JOINT[joint]] = matrix_from_axis_angle(lock)
    motion = pose_motion(rotations, clip.motion.root)
    write_bvh(Clip(motion, 25.0, "lock", clip.provenance), tmp_path / "a.bvh")
    read = read_bvh_clip(tmp_path / "a.bvh").motion.rotations
    # Single-precision turns fix an angle near ±90° only to the root of their rounding.
    assert geodesic_distance(read.double(), rotations.double()).max() < 1e-3


def test_written_angles_do_not_jump(tmp_path: Path) -> None:
    clip = gait_clip(31)
    rotations = clip.motion.rotations.clone()
    spin = torch.linspace(0, 4 * torch.pi, 31)[:, None] * torch.tensor([0.0, 0.0, 1.0])
    rotations[:, 0] = matrix_from_axis_angle(spin) @ rotations[:, 0]
    motion = pose_motion(rotations, clip.motion.root)
    write_bvh(Clip(motion, 25.0, "spin", clip.provenance), tmp_path / "a.bvh")
    assert read_bvh(tmp_path / "a.bvh").values.diff(dim=0).abs().max() < 60
