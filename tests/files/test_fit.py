"""Rotations fitted to joint places."""

from pathlib import Path

import numpy as np
import pytest
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.files.humanml import z_up
from aesop.scene.human import Clip, turned
from aesop.scene.joint_fit import bone_vectors, fit_rotations
from aesop.scene.rotation import about_z, geodesic_distance, matrix_from_axis_angle
from aesop.scene.skeleton import (
    JOINT,
    PARENTS,
    forward_kinematics,
    world_from_rest,
    world_rotations,
)
from tests.files.makers import gait_clip, gait_path, gait_rotations
from tests.tolerances import GEOMETRY32, SOLVED64

# Pelvis and chest carry three rigid bones each; only our own skeleton can match those exactly.
CARRIED_BY_ONE = [joint for joint in range(1, 22) if PARENTS[joint] not in (0, 9)]


def angles_between(
    first: Float[Tensor, "*batch 3"], second: Float[Tensor, "*batch 3"]
) -> Float[Tensor, "*batch"]:
    sine = torch.linalg.vector_norm(torch.linalg.cross(first, second), dim=-1)
    return torch.atan2(sine, (first * second).sum(-1))


def bone_angles(
    first: Float[Tensor, "frames 22 3"], second: Float[Tensor, "frames 22 3"]
) -> Float[Tensor, "frames 21"]:
    return angles_between(bone_vectors(first), bone_vectors(second))


@pytest.fixture
def published(shared_data: Path) -> Float[Tensor, "frames 22 3"]:
    """A tennis serve, on a stranger's skeleton."""
    array = np.load(shared_data / "external" / "humanml3d_012314_joints.npy", allow_pickle=False)
    return z_up(torch.from_numpy(array).double())


@pytest.mark.parametrize("spread", [0.2, 0.5, 1.0])
def test_any_pose_of_our_skeleton_is_reproduced(dice: torch.Generator, spread: float) -> None:
    angles = spread * torch.randn(53, 22, 3, generator=dice, dtype=torch.float64)
    rotations = matrix_from_axis_angle(angles)
    rotations[:, 0] = world_from_rest(angles) @ rotations[:, 0]
    root = torch.randn(53, 3, generator=dice, dtype=torch.float64)
    joints = forward_kinematics(rotations, root)
    fitted = fit_rotations(joints)
    torch.testing.assert_close(forward_kinematics(fitted, root), joints, atol=SOLVED64, rtol=0)
    torch.testing.assert_close(torch.det(fitted), torch.ones(53, 22).double())


def test_a_strangers_limbs_keep_their_directions(published: Float[Tensor, "frames 22 3"]) -> None:
    ours = forward_kinematics(fit_rotations(published), published[:, 0])
    apart = bone_angles(ours, published)
    assert float(apart[:, [joint - 1 for joint in CARRIED_BY_ONE]].max()) < GEOMETRY32
    assert float(torch.rad2deg(apart).max()) < 3.0  # hips and collars, whose rest shapes differ


def test_hinges_that_bend_tell_the_whole_rotation() -> None:
    """Where knees and elbows bend about their own axes, thighs and upper arms come back exactly."""
    rotations = gait_rotations(47, 25.0)
    fitted = fit_rotations(forward_kinematics(rotations, gait_path(47, 25.0)))
    apart = geodesic_distance(world_rotations(fitted), world_rotations(rotations))
    known = [JOINT[f"{side}_{end}"] for side in ("left", "right") for end in ("hip", "shoulder")]
    assert float(apart[:, [*known, JOINT["pelvis"], JOINT["spine3"]]].max()) < GEOMETRY32
    # Shins and forearms are swung, not hinged: the least turn leaves a little roll.
    ends = [JOINT[f"{side}_{end}"] for side in ("left", "right") for end in ("knee", "elbow")]
    assert float(apart[:, ends].max()) < 0.1


def test_rotations_turn_no_faster_than_the_limbs_allow(
    published: Float[Tensor, "frames 22 3"],
) -> None:
    """Even in a serve, where the arm straightens between two opposite bends within 0.1 s."""
    world = world_rotations(fit_rotations(published))
    turning = geodesic_distance(world[1:], world[:-1]).amax(-1)
    bones = bone_vectors(published)
    pointing = angles_between(bones[1:], bones[:-1]).amax(-1)
    assert float((turning / pointing).max()) < 2.0


def test_straightening_and_bending_the_other_way_does_not_flip() -> None:
    """An arm bends forward, straightens for a while, and bends inward: the roll must travel."""
    frames = 61
    bend = (torch.linspace(-1.5, 1.5, frames, dtype=torch.float64).abs() - 0.5).clamp_min(0) * 1.2
    rotations = gait_rotations(frames, 25.0)[:1].repeat(frames, 1, 1, 1)
    inward = torch.linspace(0, 1.2, frames, dtype=torch.float64)
    about_bone = inward[:, None] * bend.new_tensor([1.0, 0.0, 0.0])
    rotations[:, JOINT["left_shoulder"]] @= matrix_from_axis_angle(about_bone)
    about_hinge = bend[:, None] * bend.new_tensor([0.0, -1.0, 0.0])
    rotations[:, JOINT["left_elbow"]] = matrix_from_axis_angle(about_hinge)
    joints = forward_kinematics(rotations, gait_path(frames, 25.0))
    world = world_rotations(fit_rotations(joints))
    turning = geodesic_distance(world[1:], world[:-1])
    assert float(turning.max()) < 0.18


def test_turning_the_body_turns_the_fit() -> None:
    clip: Clip = gait_clip(23)
    yaw = torch.tensor(2.3)
    fitted = fit_rotations(clip.motion.joints)
    fitted_turned = fit_rotations(turned(clip.motion, yaw).joints)
    torch.testing.assert_close(
        fitted_turned[:, 0], about_z(yaw) @ fitted[:, 0], atol=GEOMETRY32, rtol=0
    )
    torch.testing.assert_close(fitted_turned[:, 1:], fitted[:, 1:], atol=GEOMETRY32, rtol=0)


def test_the_spine_shares_the_twist_of_the_chest() -> None:
    rotations = gait_rotations(5, 25.0)
    rotations[:, 1:] = torch.eye(3, dtype=torch.float64)
    up = rotations.new_tensor([0.0, 1.0, 0.0])
    rotations[:, JOINT["spine3"]] = matrix_from_axis_angle(0.9 * up)
    fitted = fit_rotations(forward_kinematics(rotations, gait_path(5, 25.0)))
    unit = torch.eye(3, dtype=torch.float64)
    shares = geodesic_distance(fitted[0, [3, 6, 9]], unit.expand(3, 3, 3))
    # The bones of the back lean, so thirds about them are not quite thirds about the vertical.
    torch.testing.assert_close(shares, torch.full((3,), 0.3).double(), atol=0.15, rtol=0)


def test_float32_is_enough(published: Float[Tensor, "frames 22 3"]) -> None:
    apart = geodesic_distance(fit_rotations(published.float()).double(), fit_rotations(published))
    assert float(apart.max()) < 1e-3
    assert torch.isfinite(normalize(bone_vectors(published), dim=-1)).all()
