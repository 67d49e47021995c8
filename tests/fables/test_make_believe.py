"""Made-up motions: planted feet, constant bones, canonical start, and they do what they say."""

import numpy as np
import pytest
import torch

from aesop.fables.synthetic import ACTIONS, make_believe
from aesop.scene.human import HumanMotion
from aesop.scene.skeleton import JOINT, PARENTS, bone_length
from tests.tolerances import SOLVED64

FRAMES = 83


def motion_of(action: str, seed: int = 5) -> HumanMotion:
    return make_believe(action, FRAMES, np.random.default_rng(seed)).clip.motion


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
        turn = make_believe("turn", FRAMES, np.random.default_rng(seed))
        assert ("left" in turn.captions[0]) == bool(turn.clip.motion.yaw[-1] > 0.5)
        wave = make_believe("wave", FRAMES, np.random.default_rng(seed))
        hands = wave.clip.motion.joints[:, [JOINT["left_wrist"], JOINT["right_wrist"]], 2]
        raised = "left" if hands[:, 0].max() > hands[:, 1].max() else "right"
        assert raised in wave.captions[0]
        sit = make_believe("sit", FRAMES, np.random.default_rng(seed))
        falls = sit.clip.motion.root[-1, 2] < sit.clip.motion.root[0, 2]
        assert ("sits down" in sit.captions[0]) == bool(falls)
