"""The mannequin follows the joints, stands on its soles, and has a left like its right."""

import numpy as np
import pytest
import torch

from aesop.preview.mannequin import mannequin
from aesop.preview.ray_casting import Solids
from aesop.scene.human import HumanMotion, mirrored, pose_motion, shifted, turned
from aesop.scene.rotation import matrix_from_axis_angle
from aesop.scene.skeleton import JOINT, JOINTS, world_from_rest, world_rotations
from tests.preview.makers import walking_clip
from tests.scene.makers import wandering_motion
from tests.tolerances import GEOMETRY64, SOLVED64


def body(motion: HumanMotion, frame: int) -> Solids:
    turns = world_rotations(motion.rotations)
    return mannequin(motion.joints[frame].numpy(), turns[frame].numpy())


def standing() -> HumanMotion:
    rotations = torch.eye(3, dtype=torch.float64).repeat(1, JOINTS, 1, 1)
    rotations[:, 0] = world_from_rest(rotations)
    motion = pose_motion(rotations, torch.zeros(1, 3, dtype=torch.float64))
    return shifted(motion, torch.tensor([0.0, 0.0, -float(motion.joints[..., 2].min())]).double())


def lowest(solids: Solids) -> np.ndarray:
    """Height of the lowest point of the ellipsoids at the solids' ends."""
    return solids.ends[..., 2] - np.sqrt(solids.spreads[..., 2, 2])


def test_a_standing_body_meets_the_floor_with_both_soles():
    solids = body(standing(), 0)
    low = lowest(solids)
    assert low.min() > -SOLVED64
    for side in (-1, 1):
        of_side = np.sign(solids.ends[:, 0, 0]) == side
        sole = solids.ends[of_side & (low.min(axis=-1) < 0.003)]
        # Heel, ball and toes: contact over most of the foot's length.
        assert np.ptp(sole[..., 1]) > 0.2


@pytest.mark.parametrize("frame", range(0, 13, 3))
def test_bent_toes_do_not_pierce_the_floor(frame: int):
    motion = walking_clip().motion
    solids = body(motion, frame)
    feet = np.linalg.norm(
        solids.ends[:, :, None] - motion.joints[frame, [10, 11]].numpy(), axis=-1
    ).min(axis=(1, 2))
    assert lowest(solids)[feet < 0.12].min() > -SOLVED64


@pytest.mark.parametrize("bend", [-0.7, 0.7])
def test_bent_ankles_do_not_push_heel_or_toes_through_the_floor(bend: float):
    rotations = standing().rotations.clone()
    rotations[:, [7, 8]] = matrix_from_axis_angle(torch.tensor([bend, 0.0, 0.0]).double())
    motion = pose_motion(rotations, torch.zeros(1, 3, dtype=torch.float64))
    floor = torch.tensor([0.0, 0.0, -float(motion.joints[..., 2].min())]).double()
    assert lowest(body(shifted(motion, floor), 0)).min() > -SOLVED64


def test_the_body_is_as_tall_and_wide_as_a_person():
    solids = body(standing(), 0)
    reach = np.sqrt(np.diagonal(solids.spreads, axis1=-2, axis2=-1))
    high, low = (solids.ends + reach).max(axis=(0, 1)), (solids.ends - reach).min(axis=(0, 1))
    assert 1.66 < high[2] - low[2] < 1.78
    torso = np.abs(solids.ends[..., 2] - 1.25) < 0.2
    assert (solids.ends + reach)[torso][:, 1].max() - (solids.ends - reach)[torso][:, 1].min() < 0.5


def test_every_limb_joint_carries_a_ball(dice: torch.Generator):
    """Joint places alone define limbs: their balls sit exactly on the joints."""
    motion = wandering_motion(7, dice)
    lifted = shifted(motion, torch.tensor([0.0, 0.0, 1.0]).double())
    solids = body(lifted, 3)
    ball = (
        np.ptp(np.linalg.eigvalsh(solids.spreads[:, 0]), axis=-1) < GEOMETRY64
    ) & ~solids.is_side
    for name in ("elbow", "wrist", "shoulder", "knee", "ankle", "hip"):
        for side in ("left", "right"):
            joint = lifted.joints[3, JOINT[f"{side}_{name}"]].numpy()
            assert np.linalg.norm(solids.ends[ball, 0] - joint, axis=-1).min() < SOLVED64


def test_turning_and_moving_the_person_moves_every_solid(dice: torch.Generator):
    motion = wandering_motion(5, dice)
    yaw = torch.tensor(0.7, dtype=torch.float64)
    offset = torch.tensor([3.0, -2.0, 0.0], dtype=torch.float64)
    here, there = body(motion, 2), body(shifted(turned(motion, yaw), offset), 2)
    turn = np.array([[np.cos(0.7), -np.sin(0.7), 0], [np.sin(0.7), np.cos(0.7), 0], [0, 0, 1]])
    np.testing.assert_allclose(there.ends, here.ends @ turn.T + offset.numpy(), atol=SOLVED64)
    np.testing.assert_allclose(there.spreads, turn @ here.spreads @ turn.T, atol=GEOMETRY64)
    places = here.ends[:, 0] + np.array([0.03, 0.02, -0.05])
    moved = places @ turn.T + offset.numpy()
    np.testing.assert_allclose(inside(there, moved), inside(here, places), atol=1000 * SOLVED64)


def inside(solids: Solids, places: np.ndarray) -> np.ndarray:
    """Value of each solid's quadric at its own place: negative inside."""
    full = np.concatenate([places, np.ones((len(places), 1))], axis=-1)
    return np.einsum("ni,nij,nj->n", full, solids.quadric, full)


def test_the_mirrored_person_is_the_mirrored_mannequin(dice: torch.Generator):
    motion = wandering_motion(5, dice)
    here, there = body(motion, 1), body(mirrored(motion), 1)
    flip = np.array([-1.0, 1.0, 1.0])

    def sorted_rows(solids: Solids, flip: np.ndarray) -> np.ndarray:
        spreads = solids.spreads * flip[:, None] * flip
        rows = np.concatenate(
            [(solids.ends * flip).sum(axis=1), spreads.reshape(len(solids.glow), -1)], axis=-1
        )
        return rows[np.lexsort(rows.round(6).T)]

    np.testing.assert_allclose(
        sorted_rows(there, np.ones(3)), sorted_rows(here, flip), atol=SOLVED64
    )


def test_the_face_turns_with_the_head():
    """The visor is in front of the head: front and back can be told apart."""
    motion = standing()
    for yaw in (0.0, 1.1):
        rotations = motion.rotations.clone()
        twist = torch.tensor([0.0, yaw, 0.0], dtype=torch.float64)
        rotations[:, JOINT["head"]] = matrix_from_axis_angle(twist)
        solids = body(HumanMotion(rotations, motion.joints), 0)
        dark = solids.colour.sum(axis=-1) < 0.3
        assert dark.sum() == 1
        front = solids.ends[dark][0, 0] - motion.joints[0, JOINT["head"]].numpy()
        # At yaw 0 a person faces −Y; a positive turn about the body's y is to its left, +X.
        assert np.arctan2(front[0], -front[1]) == pytest.approx(yaw, abs=1e-6)
