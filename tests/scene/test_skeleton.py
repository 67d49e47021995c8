"""The skeleton: a tree with mirror symmetry whose bones never change length."""

import torch

from aesop.scene import skeleton
from aesop.scene.human import pose_motion
from aesop.scene.rotation import about_z, matrix_from_axis_angle
from tests.scene.makers import wandering_motion
from tests.tolerances import GEOMETRY64


def test_parents_come_before_children_and_the_mirror_keeps_the_tree():
    assert skeleton.PARENTS[0] == -1
    assert all(parent < child for child, parent in enumerate(skeleton.PARENTS))
    for joint, parent in enumerate(skeleton.PARENTS[1:], start=1):
        assert skeleton.PARENTS[skeleton.MIRROR[joint]] == skeleton.MIRROR[parent]
    for joint, name in enumerate(skeleton.JOINT_NAMES):
        partner = skeleton.JOINT_NAMES[skeleton.MIRROR[joint]]
        assert partner == name.replace("left", "L").replace("right", "left").replace("L", "right")


def test_bones_keep_their_length_in_any_pose(dice: torch.Generator):
    joints = wandering_motion(31, dice).joints
    for joint, parent in enumerate(skeleton.PARENTS[1:], start=1):
        length = torch.linalg.vector_norm(joints[:, joint] - joints[:, parent], dim=-1)
        assert torch.allclose(length, torch.full_like(length, skeleton.bone_length(joint)))


def test_forward_kinematics_equals_a_chain_of_rigid_transforms(dice: torch.Generator):
    turns = matrix_from_axis_angle(torch.randn(5, 22, 3, generator=dice).double())
    root = torch.randn(5, 3, generator=dice).double()
    joints = skeleton.forward_kinematics(turns, root)
    for frame in range(5):
        for joint in range(22):
            place, at = torch.zeros(3).double(), joint
            while at != 0:
                offset = torch.tensor(skeleton.REST_OFFSETS[at]).double()
                parent_turn = turns[frame, skeleton.PARENTS[at]]
                place = parent_turn @ (offset + place)
                at = skeleton.PARENTS[at]
            assert torch.allclose(joints[frame, joint], root[frame] + place, atol=GEOMETRY64)


def test_local_and_world_rotations_are_inverse(dice: torch.Generator):
    local = matrix_from_axis_angle(torch.randn(7, 22, 3, generator=dice).double())
    back = skeleton.local_rotations(skeleton.world_rotations(local))
    assert torch.allclose(back, local, atol=GEOMETRY64)


def test_at_rest_a_person_stands_upright_faces_minus_y_and_has_the_left_at_plus_x():
    turns = torch.eye(3).double().expand(1, 22, 3, 3).clone()
    turns[:, 0] = skeleton.world_from_rest(turns)
    joints = pose_motion(turns, torch.zeros(1, 3).double()).joints[0]
    named = {name: joints[i] for i, name in enumerate(skeleton.JOINT_NAMES)}
    assert named["head"][2] > 0.5 and named["left_foot"][2] < -0.85
    assert named["left_wrist"][0] > 0.6 > -0.6 > named["right_wrist"][0]
    assert named["left_foot"][1] < named["left_ankle"][1] - 0.1
    assert abs(skeleton.REST_PELVIS_HEIGHT_M + float(joints[:, 2].min())) < GEOMETRY64


def test_turning_the_root_turns_every_joint(dice: torch.Generator):
    motion = wandering_motion(11, dice)
    turn = about_z(torch.tensor(0.9).double())
    rotations = motion.rotations.clone()
    rotations[:, 0] = turn @ rotations[:, 0]
    turned = pose_motion(rotations, motion.root @ turn.T)
    assert torch.allclose(turned.joints, motion.joints @ turn.T, atol=GEOMETRY64)
