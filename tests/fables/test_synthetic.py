"""Synthetic motion: planted feet, constant bones, canonical start, and it does what it says."""

import math

import numpy as np
import pytest
import torch

from aesop.fables.synthetic import (
    ACTIONS,
    Leg,
    lie_and_wave,
    sit_and_stay,
    synthetic_motion,
    wander,
)
from aesop.fables.takes import fault_of_window
from aesop.scene.human import HumanMotion
from aesop.scene.skeleton import JOINT, PARENTS, REST_OFFSETS, bone_length
from tests.tolerances import GEOMETRY64, SOLVED64

FRAMES = 83


def motion_of(action: str, seed: int = 5) -> HumanMotion:
    return synthetic_motion(action, FRAMES, np.random.default_rng(seed)).clip.motion


@pytest.mark.parametrize("action", ACTIONS)
def test_bodies_are_sound_and_start_canonically(action: str):
    motion = motion_of(action)
    assert motion.frames == FRAMES
    assert motion.root[0, :2].abs().max() < 0.01 and abs(float(motion.yaw[0])) < SOLVED64
    assert abs(float(motion.joints[..., 2].min())) < SOLVED64
    for joint, parent in enumerate(PARENTS[1:], start=1):
        length = torch.linalg.vector_norm(
            motion.joints[:, joint] - motion.joints[:, parent], dim=-1
        )
        assert (length - bone_length(joint)).abs().max() < SOLVED64
    assert (motion.joints.diff(dim=0).norm(dim=-1) * 25).max() < 7  # nothing pops


@pytest.mark.parametrize("action", ACTIONS)
def test_feet_on_the_ground_do_not_slide(action: str):
    joints = motion_of(action).joints
    for name in ("left_ankle", "right_ankle"):
        ankle = joints[:, JOINT[name]]
        low = ankle[:-1, 2] < ankle[:, 2].min() + 0.005
        slide_mps = ankle.diff(dim=0)[:, :2].norm(dim=-1)[low] * 25
        assert low.sum() > 10 and float(slide_mps.quantile(0.8)) < 0.05


def test_the_same_dice_give_the_same_motion():
    assert torch.equal(motion_of("walk_curve").joints, motion_of("walk_curve").joints)
    assert not torch.equal(motion_of("walk_curve", 5).joints, motion_of("walk_curve", 6).joints)


def test_actions_do_what_they_say():
    forward = motion_of("walk").root[-1] - motion_of("walk").root[0]
    assert forward[1] < -1.5 and abs(forward[0]) < 0.01  # a person at yaw 0 faces −y
    assert motion_of("walk_back").root[-1, 1] > 0.8
    assert motion_of("jump").root[:, 2].max() > motion_of("jump").root[0, 2] + 0.1
    for seed in range(7):
        turn = synthetic_motion("turn", FRAMES, np.random.default_rng(seed))
        assert ("left" in turn.captions[0]) == bool(turn.clip.motion.yaw[-1] > 0.5)
        wave = synthetic_motion("wave", FRAMES, np.random.default_rng(seed))
        hands = wave.clip.motion.joints[:, [JOINT["left_wrist"], JOINT["right_wrist"]], 2]
        raised = "left" if hands[:, 0].max() > hands[:, 1].max() else "right"
        assert raised in wave.captions[0]
        sit = synthetic_motion("sit", FRAMES, np.random.default_rng(seed))
        falls = sit.clip.motion.root[-1, 2] < sit.clip.motion.root[0, 2]
        assert ("sits down" in sit.captions[0]) == bool(falls)


# The first frame stands, so a leg of n frames has n − 1 steps; nothing else is lost.
STEP_S = 1 / 25


@pytest.mark.parametrize("aside_deg", [0.0, 90.0, 180.0, -50.0])
def test_a_straight_leg_ends_where_it_leads(aside_deg: float):
    motion = wander([Leg(4.4, 1.1, 0.0, aside_deg)])
    way = (motion.root[-1] - motion.root[0]).numpy()[:2]
    aside = math.radians(aside_deg)
    expected = 1.1 * (4.4 - STEP_S) * np.array([math.sin(aside), -math.cos(aside)])
    assert way == pytest.approx(expected, abs=SOLVED64)
    assert motion.yaw.numpy() == pytest.approx(0, abs=SOLVED64)


def test_a_full_circle_comes_back_and_turns_once():
    motion = wander([Leg(12.0, 1.1, 360.0)])
    turned = np.unwrap(motion.yaw.numpy())[-1]
    assert turned == pytest.approx(2 * math.pi * 299 / 300, abs=SOLVED64)
    # One step short of closed.
    assert float((motion.root[-1] - motion.root[0]).norm()) < 2 * 1.1 * STEP_S


@pytest.mark.parametrize(
    "legs",
    [
        [Leg(3.0, 3.0)],
        [Leg(1.0, 0.0), Leg(3.0, 2.5), Leg(1.5, 0.0)],
        [Leg(5.0, 0.7, 0.0, 180.0)],
        [Leg(1.0, 0.0), Leg(3.0, 0.0, 170.0)],
        [Leg(3.0, 1.2), Leg(2.0, 0.3, 180.0), Leg(3.0, 1.2)],
    ],
)
def test_people_stand_on_their_feet(legs: list[Leg]):
    assert fault_of_window(wander(legs).joints.numpy()) is None


@pytest.mark.parametrize("speed", [1.1, 2.9])
def test_bodies_pass_over_the_foot_they_stand_on(speed: float):
    """A foot is planted as far ahead as it is lifted behind; frames are coarse beside steps."""
    joints = wander([Leg(6.0, speed)]).joints
    for side in ("left", "right"):
        ankle = joints[:, JOINT[f"{side}_ankle"], 1]
        stands = (ankle.diff().abs() < SOLVED64).numpy()
        ahead = (ankle - joints[:, 0, 1]).numpy()[1:][stands]
        edges = np.flatnonzero(np.diff(ahead) < 0) + 1  # from one stand to the next
        whole = np.split(ahead, edges)[2:-2]
        assert whole
        for stand in whole:
            # Places are rounded to frames: two of them at this speed.
            assert abs(stand[0] + stand[-1]) / 2 < 2 * speed * STEP_S


def test_bones_keep_their_length_on_the_run():
    joints = wander([Leg(3.0, 3.0, 55.0)]).joints
    for child, parent in (("left_knee", "left_hip"), ("right_ankle", "right_knee")):
        bone = (joints[:, JOINT[child]] - joints[:, JOINT[parent]]).norm(dim=-1).numpy()
        assert bone == pytest.approx(math.hypot(*REST_OFFSETS[JOINT[child]]), abs=SOLVED64)


def test_who_sits_stays():
    motion = sit_and_stay(200, 60)
    assert motion.frames == 200
    assert motion.root[-1, 2] < motion.root[0, 2] - 0.3
    assert (motion.joints[60:] == motion.joints[60]).all()


def test_who_lies_lies():
    motion = lie_and_wave(110, 3)
    assert float(motion.joints[..., 2].min()) == pytest.approx(0, abs=GEOMETRY64)
    neck, root = motion.joints[:, JOINT["neck"]], motion.root
    assert float((neck - root)[:, 2].abs().max()) < 0.15 < float((neck - root).norm(dim=-1).min())
