"""Laws of retargeting: however a file names, measures or rests its joints, ours do the same."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from aesop.core.errors import FileError
from aesop.files.bvh import read_bvh
from aesop.files.bvh_clip import bvh_take, read_bvh_clip, write_bvh
from aesop.files.foreign_clip import METRES, Units, find_body
from aesop.files.foreign_skeleton import LIMBS, BodyMap, Mismatch, match_names, trunk_direction
from aesop.files.retarget import PELVIS_BEND, Anchor, anchor_pose, keep_footing, retarget
from aesop.scene.human import Clip, HumanMotion, grounded, pose_motion, shifted, turned
from aesop.scene.rotation import geodesic_distance, matrix_from_axis_angle, swing, yaw_of
from aesop.scene.skeleton import (
    JOINT,
    JOINT_NAMES,
    JOINTS,
    PARENTS,
    bone_length,
    forward_kinematics,
    local_rotations,
    rest_offsets,
    world_from_rest,
    world_rotations,
)
from tests.files.foreign import DIALECTS, Foreign, own_axes, scrambled_axes, write_foreign
from tests.files.makers import gait_clip
from tests.tolerances import GEOMETRY32


def angles(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Degrees between directions."""
    sine = torch.linalg.vector_norm(torch.linalg.cross(first, second), dim=-1)
    return torch.rad2deg(torch.atan2(sine, (first * second).sum(-1)))


def limb_angles(first: Clip, second: Clip) -> torch.Tensor:
    """Degrees between the limbs of two clips, per frame and limb."""
    uppers, lowers = [list(ends) for ends in zip(*LIMBS, strict=True)]
    bones = [c.motion.joints[:, lowers] - c.motion.joints[:, uppers] for c in (first, second)]
    return angles(bones[0].double(), bones[1].double())


def assert_same(read: Clip, clip: Clip) -> None:
    apart = geodesic_distance(read.motion.rotations.double(), clip.motion.rotations.double())
    assert apart.max() < GEOMETRY32
    assert (read.motion.joints - clip.motion.joints).abs().max() < GEOMETRY32


def t_pose(frames: int) -> Clip:
    """Our rest pose, standing still."""
    rotations = own_axes().expand(frames, JOINTS, 3, 3).clone()
    rotations[:, 0] = world_from_rest(rotations)
    root = rotations.new_tensor([0.3, -0.2, 0.95]).expand(frames, 3)
    clip = gait_clip(frames)
    joints = forward_kinematics(rotations, root)
    return replace(clip, motion=HumanMotion(rotations.float(), joints.float()))


def odd_lengths(dice: torch.Generator) -> torch.Tensor:
    """Factors on our bones that give another, slightly asymmetric person."""
    return 0.8 + 0.5 * torch.rand(JOINTS, generator=dice, dtype=torch.float64)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_do_not_matter(dialect: str, tmp_path: Path) -> None:
    clip = gait_clip(7)
    path = write_foreign(tmp_path / "walk.bvh", clip, Foreign(names=DIALECTS[dialect]))
    assert_same(read_bvh_clip(path), clip)


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("units", METRES)
def test_units_and_axes_are_detected(units: Units, up: str, tmp_path: Path) -> None:
    clip = gait_clip(7)
    foreign = Foreign(metres=METRES[units], up=up, names=DIALECTS["bandai"], order="xyz")
    if up == "z":
        foreign = replace(foreign, axes=world_from_rest(foreign.axes).T.expand(JOINTS, 3, 3))
    read = read_bvh_clip(write_foreign(tmp_path / "walk.bvh", clip, foreign))
    assert_same(read, clip)
    assert f"units: {units} (detected)" in read.provenance.notes
    assert f"up axis: {up} (detected)" in read.provenance.notes
    assert read.provenance.rotations == "retargeted"


@pytest.mark.parametrize("towards", [(1.5, 0.0), (-1.5, 0.0), (0.0, 1.5), (0.0, -1.5)])
def test_who_lies_down_is_not_stood_up(towards: tuple[float, float], tmp_path: Path) -> None:
    clip = gait_clip(7)
    rotations = clip.motion.rotations.clone()
    rotations[:, 0] = matrix_from_axis_angle(torch.tensor([*towards, 0.0])) @ rotations[:, 0]
    lying = replace(clip, motion=grounded(pose_motion(rotations, clip.motion.root)))
    own = tmp_path / "own.bvh"
    write_bvh(lying, own)
    assert_same(read_bvh_clip(own), lying)
    path = write_foreign(tmp_path / "lying.bvh", lying, Foreign(metres=0.0254))
    if towards == (1.5, 0.0):
        # Head towards the file's z: it may as well stand in a z-up world.
        with pytest.raises(FileError, match=r"lying\.bvh has a rest pose that stands along y"):
            read_bvh_clip(path)
    assert_same(read_bvh_clip(path, up="y" if towards == (1.5, 0.0) else None), lying)


def test_an_a_pose_is_as_good_as_a_t_pose(tmp_path: Path) -> None:
    rest = own_axes()
    for side, sideways in (("left", 1.0), ("right", -1.0)):
        arm = rest_offsets(rest)[JOINT[f"{side}_elbow"]]
        down = swing(arm, rest.new_tensor([sideways, -1.0, 0.2]))
        for part in ("shoulder", "elbow", "wrist"):
            rest[JOINT[f"{side}_{part}"]] = down
    clip = gait_clip(7)
    foreign = Foreign(axes=rest.transpose(-1, -2))
    read = read_bvh_clip(write_foreign(tmp_path / "walk.bvh", clip, foreign))
    assert "calibrated on the rest pose" in read.provenance.notes
    assert_same(read, clip)


def test_axes_within_the_bones_do_not_matter(dice: torch.Generator, tmp_path: Path) -> None:
    clip = gait_clip(7)
    foreign = Foreign(axes=scrambled_axes(dice), t_pose_first=True)
    path = write_foreign(tmp_path / "walk.bvh", clip, foreign)
    read = read_bvh_clip(path, up="y", calibration="first_frame")
    assert read.frames == clip.frames
    assert_same(read, clip)


def test_a_file_without_any_human_pose_still_keeps_limbs(
    dice: torch.Generator, tmp_path: Path
) -> None:
    """As Bandai-Namco's files are: axes along the bones, all joints with six channels, an extra
    root, and a rest pose that no body could take."""
    clip = gait_clip(31)
    foreign = Foreign(
        names=DIALECTS["bandai"], axes=scrambled_axes(dice), moves_all_joints=True,
        top="joint_Root",
    )  # fmt: skip
    read = read_bvh_clip(write_foreign(tmp_path / "walk.bvh", clip, foreign))
    assert any("since the rest pose does not stand" in note for note in read.provenance.notes)
    # Our clip's hands and head are guessed from one frame; what places can show is kept.
    assert limb_angles(read, clip).max() < 1.5
    trunk = [c.motion.joints[:, JOINT["neck"]] - c.motion.root for c in (read, clip)]
    assert angles(trunk[0], trunk[1]).max() < 3
    turn = yaw_of(read.motion.rotations[:, 0]) - yaw_of(clip.motion.rotations[:, 0])
    assert turn.abs().max() < 0.05
    assert (read.motion.root - clip.motion.root)[:, :2].abs().max() < GEOMETRY32


def test_other_lengths_keep_directions_path_and_bones(
    dice: torch.Generator, tmp_path: Path
) -> None:
    clip = gait_clip(31)
    stretch = odd_lengths(dice)
    foreign = Foreign(stretch=stretch)
    read = read_bvh_clip(write_foreign(tmp_path / "walk.bvh", clip, foreign))
    apart = limb_angles(read, clip).mean(0)
    assert apart.max() < 5
    # Legs give way a little where feet stand; arms and feet keep their directions exactly.
    legs = torch.tensor([JOINT_NAMES[upper].endswith(("hip", "knee")) for upper, _ in LIMBS])
    assert apart[~legs].max() < 1e-3
    ends = [JOINT[f"{side}_{end}"] for side in ("left", "right") for end in ("knee", "ankle")]
    ours = sum(bone_length(end) for end in ends)
    theirs = sum(bone_length(end) * float(stretch[end]) for end in ends)
    path = read.motion.root - ours / theirs * clip.motion.root
    assert (path - path.mean(0)).abs().max() < GEOMETRY32
    bones = read.motion.joints[:, 1:] - read.motion.joints[:, list(PARENTS[1:])]
    lengths = torch.linalg.vector_norm(bones, dim=-1)
    rest = torch.tensor([bone_length(joint) for joint in range(1, JOINTS)])
    assert (lengths - rest).abs().max() < GEOMETRY32


def test_whoever_stands_straight_stands_straight(dice: torch.Generator, tmp_path: Path) -> None:
    still, stretch = t_pose(5), odd_lengths(dice)
    # A neck set far back: the trunk leans by 9° although its owner stands upright.
    for joint, factor in (("spine1", 1.5), ("spine3", 0.3), ("neck", 1.3)):
        stretch[JOINT[joint]] = factor
    foreign = Foreign(stretch=stretch, names=DIALECTS["unreal"])
    read = read_bvh_clip(write_foreign(tmp_path / "still.bvh", still, foreign))
    spine = [JOINT[name] for name in ("pelvis", "spine1", "spine2", "spine3", "neck", "head")]
    world = world_rotations(read.motion.rotations)[:, spine].double()
    upright = world_from_rest(world)
    # Hips and shoulders of unequal lengths are not quite level; that little is all that shows.
    assert torch.rad2deg(geodesic_distance(world, upright.expand_as(world))).max() < 2
    assert limb_angles(read, still).max() < 0.02


def test_a_back_leans_as_much_as_the_source_since_the_anchor(
    dice: torch.Generator, tmp_path: Path
) -> None:
    clip = gait_clip(13)
    rotations = clip.motion.rotations.clone()
    spine = [JOINT[name] for name in ("spine1", "spine2", "spine3")]
    rotations[:, spine] = matrix_from_axis_angle(0.4 * torch.randn(13, 3, 3, generator=dice))
    bent = replace(clip, motion=grounded(pose_motion(rotations, clip.motion.root)))
    path = write_foreign(tmp_path / "bent.bvh", bent, Foreign(stretch=odd_lengths(dice)))
    source = find_body(bvh_take(read_bvh(path)), path)
    theirs = trunk_direction(source.motion, source.body) @ world_from_rest(rotations).double().T
    joints = read_bvh_clip(path).motion.joints.double()
    apart = angles(joints[:, JOINT["neck"]] - joints[:, 0], theirs)
    assert source.rest is not None
    rest = trunk_direction(source.rest, source.body)[0]
    ours = rest_offsets(rest)[[JOINT[n] for n in ("spine1", "spine2", "spine3", "neck")]].sum(0)
    # A difference that was there at rest stays; the bend adds nothing to it.
    assert apart.max() < angles(ours, rest) + 0.01


def test_a_bend_in_the_very_place_of_the_pelvis_is_shared(tmp_path: Path) -> None:
    clip = t_pose(5)
    rotations = clip.motion.rotations.clone()
    rotations[:, JOINT["spine1"]] = matrix_from_axis_angle(torch.tensor([0.5, 0.0, 0.0]))
    bent = replace(clip, motion=grounded(pose_motion(rotations, clip.motion.root)))
    stretch = torch.ones(JOINTS, dtype=torch.float64)
    for spine1, expected in ((1.0, 0.0), (0.0, PELVIS_BEND * 0.5)):
        stretch[JOINT["spine1"]] = spine1
        path = write_foreign(tmp_path / "bent.bvh", bent, Foreign(stretch=stretch))
        pelvis = read_bvh_clip(path).motion.rotations[:, 0]
        turn = geodesic_distance(pelvis, rotations[:, 0])
        assert (turn - expected).abs().max() < 2 * GEOMETRY32


def test_turning_and_moving_the_source_turns_and_moves_the_clip(
    dice: torch.Generator, tmp_path: Path
) -> None:
    clip = gait_clip(13)
    foreign = Foreign(stretch=odd_lengths(dice))
    first = read_bvh_clip(write_foreign(tmp_path / "a.bvh", clip, foreign))
    yaw = torch.tensor(2.1)
    moved = replace(clip, motion=shifted(turned(clip.motion, yaw), torch.tensor([3.0, -1.0, 0.0])))
    second = read_bvh_clip(write_foreign(tmp_path / "b.bvh", moved, foreign))
    expected = turned(first.motion, yaw)
    expected = shifted(expected, second.motion.root[0] - expected.root[0])
    assert_same(replace(second, motion=expected), second)


def test_feet_that_rest_in_the_source_rest_on_ours() -> None:
    frames, fps = 41, 25.0
    rotations = own_axes().expand(frames, JOINTS, 3, 3).clone()
    sway = torch.sin(torch.linspace(0, 6, frames, dtype=torch.float64))
    bend = matrix_from_axis_angle(sway[:, None] * rotations.new_tensor([0.0, 0.12, 0.05]))
    rotations[:, 0] = world_from_rest(rotations) @ bend
    world = world_rotations(rotations)
    root = torch.stack([0.02 * sway, 0.01 * sway, 0.95 + 0 * sway], dim=-1)
    soles = {JOINT["left_foot"]: root.new_tensor([0.1, 0.0, 0.0]).expand(frames, 3)}
    before = forward_kinematics(rotations, root)
    after = forward_kinematics(local_rotations(keep_footing(world, root, soles, fps)), root)
    spread = [places[:, JOINT["left_foot"], :2].std(0).norm() for places in (before, after)]
    assert spread[0] > 0.01 and spread[1] < 0.05 * spread[0]
    # The other leg, which has no rest to keep, and everything above the hips are not touched.
    others = [j for j in range(JOINTS) if j not in (4, 7, 10)]
    assert torch.allclose(after[:, others], before[:, others])


def test_feet_that_never_rest_are_left_alone() -> None:
    frames, fps = 11, 25.0
    rotations = own_axes().expand(frames, JOINTS, 3, 3).clone()
    world, root = world_rotations(rotations), torch.zeros(frames, 3, dtype=torch.float64)
    runs = torch.arange(frames, dtype=torch.float64)[:, None] * root.new_tensor([0.1, 0.0, 0.0])
    assert torch.equal(keep_footing(world, root, {JOINT["right_foot"]: runs}, fps), world)


def test_limbs_follow_places_where_turns_alone_would_not(
    dice: torch.Generator, tmp_path: Path
) -> None:
    """As with roll joints inside a forearm, or bones that a file shifts from frame to frame."""
    path = write_foreign(tmp_path / "walk.bvh", gait_clip(11), Foreign())
    found = find_body(bvh_take(read_bvh(path)), path)
    places = found.motion.places.clone()
    ends = [found.body.index(f"{side}_wrist") for side in ("left", "right")]
    places[:, ends] += 5 * torch.randn(11, 2, 3, generator=dice, dtype=torch.float64)
    motion = replace(found.motion, places=places)
    world = world_from_rest(places)
    assert found.rest is not None
    turns, root, _ = retarget(motion, Anchor(found.rest, stands=True), found.body, world, 25.0)
    joints = forward_kinematics(turns, root)
    for side in ("left", "right"):
        elbow, wrist = f"{side}_elbow", f"{side}_wrist"
        theirs = motion.bone(found.body, elbow, wrist) @ world.T
        assert (
            angles(joints[:, JOINT[wrist]] - joints[:, JOINT[elbow]], theirs).max() < 2 * GEOMETRY32
        )


def test_the_anchor_takes_the_directions_of_its_source(
    dice: torch.Generator, tmp_path: Path
) -> None:
    path = write_foreign(tmp_path / "walk.bvh", gait_clip(3), Foreign(stretch=odd_lengths(dice)))
    found = find_body(bvh_take(read_bvh(path)), path)
    ours = anchor_pose(Anchor(found.motion.part(slice(1)), stands=False), found.body)
    joints = forward_kinematics(local_rotations(ours), ours.new_zeros(3))
    for upper, lower in LIMBS:
        theirs = found.motion.bone(found.body, JOINT_NAMES[upper], JOINT_NAMES[lower])[0]
        assert angles(joints[lower] - joints[upper], theirs) < 2 * GEOMETRY32


def test_unmatched_joints_are_named(tmp_path: Path) -> None:
    names = list(DIALECTS["mixamo without prefix"])
    names[JOINT["left_knee"]], names[JOINT["right_wrist"]] = "LeftThing", "RightThing"
    path = write_foreign(tmp_path / "odd.bvh", gait_clip(3), Foreign(names=tuple(names)))
    with pytest.raises(FileError) as caught:
        read_bvh_clip(path)
    for word in ("odd.bvh", "left_knee", "right_wrist", "LeftThing", "RightUpLeg", "Rename"):
        assert word in str(caught.value)
    assert "left_hip" not in caught.value.fact


@pytest.mark.parametrize("metres", [1e9, 1e-300])
def test_bodies_of_no_size_are_refused(metres: float, tmp_path: Path) -> None:
    path = write_foreign(tmp_path / "dwarf.bvh", gait_clip(3), Foreign(metres=metres))
    with pytest.raises(FileError, match=r"dwarf\.bvh has a body whose longest bone"):
        read_bvh_clip(path)


def test_a_bone_without_length_is_refused(tmp_path: Path) -> None:
    stretch = torch.ones(JOINTS, dtype=torch.float64)
    stretch[JOINT["right_elbow"]] = 0
    path = write_foreign(tmp_path / "flat.bvh", gait_clip(3), Foreign(stretch=stretch))
    with pytest.raises(FileError, match=r"flat\.bvh the joints for right_shoulder and right_elbow"):
        read_bvh_clip(path)


def test_a_foot_without_toes_keeps_its_ankle(tmp_path: Path) -> None:
    clip = gait_clip(7)
    names = [name.replace("ToeBase", "Thing") for name in DIALECTS["mixamo"]]
    path = write_foreign(tmp_path / "walk.bvh", clip, Foreign(names=tuple(names)))
    # Without toes nothing tells where a foot points, but turns are still followed.
    assert_same(read_bvh_clip(path), clip)


def test_an_end_site_stands_in_for_toes(tmp_path: Path) -> None:
    path = write_foreign(tmp_path / "walk.bvh", gait_clip(5), Foreign(names=DIALECTS["bandai"]))
    bvh = read_bvh(path)
    joints, kept = [], []
    for index, joint in enumerate(bvh.joints):
        start = sum(len(before.channels) for before in bvh.joints[:index])
        if joint.name.startswith("Toes") and not joint.is_end:
            joints.append(replace(joint, is_end=True, channels=()))
        elif not joint.name.startswith("Toes"):
            joints.append(joint)
            kept += range(start, start + len(joint.channels))
    index_of = {joint.name: index for index, joint in enumerate(joints)}
    parents = [index_of.get(bvh.joints[j.parent].name, -1) if j.parent >= 0 else -1 for j in joints]
    joints = [replace(j, parent=parent) for j, parent in zip(joints, parents, strict=True)]
    cut_feet = find_body(
        bvh_take(replace(bvh, joints=tuple(joints), values=bvh.values[:, kept])), path
    )
    whole = find_body(bvh_take(bvh), path)
    for foot in ("left_foot", "right_foot"):
        ankle = foot.replace("foot", "ankle")
        bones = [found.motion.bone(found.body, ankle, foot) for found in (cut_feet, whole)]
        assert torch.allclose(bones[0], bones[1])


def test_toes_and_collars_may_be_missing() -> None:
    names = list(DIALECTS["bandai"])
    for joint in ("left_foot", "right_foot", "left_collar", "right_collar", "neck"):
        names[JOINT[joint]] = f"extra {joint}"
    found = match_names(names, PARENTS)
    assert isinstance(found, BodyMap) and found.joints[JOINT["left_foot"]] is None
    assert found.trunk == (0, 3, 6, 9) and found.nape == (12,)
    broken: list[int] = list(PARENTS)
    broken[JOINT["left_knee"]] = JOINT["right_hip"]
    assert isinstance(match_names(DIALECTS["bandai"], broken), Mismatch)


def test_given_options_overrule_and_contradictions_are_refused(tmp_path: Path) -> None:
    clip = gait_clip(31)
    path = write_foreign(tmp_path / "walk.bvh", clip, Foreign(metres=0.01))
    with pytest.raises(FileError, match=r"walk\.bvh has legs of 78"):
        read_bvh_clip(path, units="m")
    assert read_bvh_clip(path, fps=50.0).frames == 16
    lying = read_bvh_clip(path, up="z").motion
    trunk = lying.joints[0, JOINT["neck"]] - lying.root[0]
    assert 75 < angles(trunk, torch.tensor([0.0, 0.0, 1.0])) < 105
