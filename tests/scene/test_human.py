"""Motions and clips: moving, turning, mirroring and cutting do what their names say."""

import math

import pytest
import torch

from aesop.core.errors import ClipError
from aesop.scene import human, skeleton
from aesop.scene.human import HumanMotion
from aesop.scene.shot import canonical, ground, heading
from tests.scene.makers import place_clip, wandering_clip, wandering_motion
from tests.tolerances import GEOMETRY64


def agrees_with_its_skeleton(motion: HumanMotion) -> bool:
    joints = skeleton.forward_kinematics(motion.rotations, motion.root)
    return torch.allclose(joints, motion.joints, atol=GEOMETRY64)


def test_turned_and_shifted_motion_still_fits_its_skeleton(dice: torch.Generator):
    motion = wandering_motion(13, dice)
    turned = human.turned(motion, torch.tensor(1.3).double())
    moved = human.shifted(turned, torch.tensor([3.0, -5.0, 0.7]).double())
    assert agrees_with_its_skeleton(moved)
    change = torch.remainder(turned.yaw - motion.yaw, 2 * math.pi)
    assert torch.allclose(change, torch.full_like(change, 1.3))


def test_grounding_puts_the_lowest_joint_of_the_clip_at_zero(dice: torch.Generator):
    motion = human.shifted(wandering_motion(17, dice), torch.tensor([0.0, 0.0, 4.2]).double())
    assert float(human.grounded(motion).joints[..., 2].min()) == 0.0


def test_the_mirror_image_is_a_reflection_and_its_own_inverse(dice: torch.Generator):
    motion = wandering_motion(19, dice)
    image = human.mirrored(motion)
    flip = torch.tensor([-1.0, 1.0, 1.0]).double()
    assert torch.equal(image.joints[:, skeleton.JOINT["left_wrist"]],
                       motion.joints[:, skeleton.JOINT["right_wrist"]] * flip)  # fmt: skip
    twice = human.mirrored(image)
    assert torch.equal(twice.joints, motion.joints)
    assert torch.equal(twice.rotations, motion.rotations)
    assert torch.allclose(torch.linalg.det(image.rotations), torch.ones(19, 22).double())
    # The rest skeleton is not perfectly symmetric: its own kinematics may differ by that much.
    uneven = max(
        abs(skeleton.bone_length(j) - skeleton.bone_length(skeleton.MIRROR[j])) for j in range(22)
    )
    reposed = skeleton.forward_kinematics(image.rotations, image.root)
    assert (reposed - image.joints).abs().max() < 5 * uneven + 0.02


def test_mirroring_turns_a_left_turn_into_a_right_turn(dice: torch.Generator):
    motion = wandering_motion(23, dice)
    assert torch.allclose(human.mirrored(motion).yaw, -motion.yaw, atol=GEOMETRY64)


def test_yaw_from_hips_and_shoulders_matches_the_root_of_a_straight_body():
    for yaw in (-3.0, -1.0, 0.0, 0.4, 2.9):
        turns = torch.eye(3).double().expand(1, 22, 3, 3).clone()
        turns[:, 0] = skeleton.world_from_rest(turns)
        motion = human.turned(
            human.pose_motion(turns, torch.zeros(1, 3).double()), torch.tensor(yaw).double()
        )
        # The rest body's hips and shoulders are about half a degree off its own x axis.
        assert abs(float(human.yaw_from_joints(motion.joints)[0]) - yaw) < 0.02
        assert torch.allclose(motion.yaw, torch.tensor([yaw]).double())


def test_heading_is_where_the_toes_point():
    turns = torch.eye(3).double().expand(1, 22, 3, 3).clone()
    turns[:, 0] = skeleton.world_from_rest(turns)
    motion = human.turned(
        human.pose_motion(turns, torch.zeros(1, 3).double()), torch.tensor(0.8).double()
    )
    toes = ground(motion.joints[0, 10] - motion.joints[0, 7])
    facing = ground(heading(motion.yaw)[0])
    assert float(torch.nn.functional.cosine_similarity(toes, facing, dim=0)) > 0.95


def test_canonical_start_and_its_inverse(dice: torch.Generator):
    clip = wandering_clip(29, dice)
    moved = human.shifted(
        human.turned(clip.motion, torch.tensor(2.5).double()), torch.tensor([7.0, -3, 0]).double()
    )
    clip = human.Clip(moved, 25.0, "moved", clip.provenance)
    start, placement = canonical(clip)
    assert (
        start.motion.root[0, :2].abs().max() < GEOMETRY64
        and abs(float(start.motion.yaw[0])) < GEOMETRY64
    )
    back = place_clip(start, placement)
    assert torch.allclose(back.motion.joints, moved.joints, atol=GEOMETRY64)
    assert torch.allclose(back.motion.rotations, moved.rotations, atol=GEOMETRY64)


def test_canonical_start_does_not_depend_on_where_the_clip_stood(dice: torch.Generator):
    clip = wandering_clip(31, dice)
    moved = human.shifted(
        human.turned(clip.motion, torch.tensor(-1.7).double()), torch.tensor([1.0, 2, 0]).double()
    )
    first, _ = canonical(clip)
    second, _ = canonical(human.Clip(moved, 25.0, "moved", clip.provenance))
    assert torch.allclose(first.motion.joints, second.motion.joints, atol=GEOMETRY64)


def test_cutting_keeps_the_frames_asked_for_and_refuses_others(dice: torch.Generator):
    clip = wandering_clip(37, dice)
    assert torch.equal(human.cut(clip, 5, 12).motion.joints, clip.motion.joints[5:12])
    for start, stop in ((-1, 5), (5, 5), (30, 38)):
        with pytest.raises(ClipError, match="37 frames"):
            human.cut(clip, start, stop)


def test_a_motion_keeps_its_numbers_in_parts_and_in_other_precisions(dice: torch.Generator):
    motion = wandering_motion(11, dice)
    held = motion.part(torch.tensor([3, 5, 5]))
    assert torch.equal(held.rotations, motion.rotations[[3, 5, 5]])
    single = motion.part(slice(2, 7)).to(torch.float32)
    assert torch.equal(single.joints, motion.joints[2:7].float())
    assert torch.equal(single.rotations, motion.rotations[2:7].float())
