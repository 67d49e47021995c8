"""Facts of bodies against motions whose answers are known."""

import math

import torch

from aesop.metrics.motion_metrics import body_facts
from aesop.scene.human import HumanMotion, grounded, pose_motion
from aesop.scene.skeleton import JOINT, JOINTS, world_from_rest

FPS, FRAMES = 25.0, 29
EPS = 1e-9  # float64 metres, differenced three times at 25 frames a second


def standing() -> HumanMotion:
    rotations = torch.eye(3, dtype=torch.float64).repeat(FRAMES, JOINTS, 1, 1)
    rotations[:, 0] = world_from_rest(rotations)
    return grounded(pose_motion(rotations, torch.zeros(FRAMES, 3, dtype=torch.float64)))


def moved(offset: torch.Tensor) -> HumanMotion:
    motion = standing()
    return HumanMotion(motion.rotations, motion.joints + offset[:, None])


def test_somebody_who_stands_neither_slides_nor_trembles_nor_floats():
    facts = body_facts(standing(), FPS)
    assert facts.slide_mps == facts.sliding_share == facts.float_m == 0
    assert facts.jerk_mps3 < EPS and facts.bone_spread < EPS


def test_somebody_who_is_pushed_slides_at_that_speed():
    steps = torch.arange(FRAMES, dtype=torch.float64)[:, None]
    for speed, share in ((0.2, 0.0), (0.7, 1.0)):
        facts = body_facts(
            moved(steps * torch.tensor([0.6, 0.8, 0.0], dtype=torch.float64) * speed / FPS), FPS
        )
        assert math.isclose(facts.slide_mps, speed, rel_tol=1e-9)
        assert facts.sliding_share == share


def test_height_that_is_cubic_in_time_has_that_jerk_and_floats():
    seconds = torch.arange(FRAMES, dtype=torch.float64) / FPS
    up = seconds[:, None] ** 3 * torch.tensor([0.0, 0.0, 2.0])
    facts = body_facts(moved(up), FPS)
    assert math.isclose(facts.jerk_mps3, 12.0, rel_tol=1e-6)
    assert math.isclose(facts.float_m, float(up[:, 2].mean()), rel_tol=1e-9)


def test_a_stretched_forearm_shows():
    motion = standing()
    joints = motion.joints.clone()
    elbow, wrist = JOINT["left_elbow"], JOINT["left_wrist"]
    joints[7, wrist] = joints[7, elbow] + 1.5 * (joints[7, wrist] - joints[7, elbow])
    facts = body_facts(HumanMotion(motion.rotations, joints), FPS)
    assert math.isclose(facts.bone_spread, 0.5 / (1 + 0.5 / FRAMES), rel_tol=1e-9)


def test_somebody_in_the_air_has_no_slide():
    facts = body_facts(moved(torch.tensor([0.0, 0.0, 1.0]).expand(FRAMES, 3).double()), FPS)
    assert math.isnan(facts.slide_mps) and math.isnan(facts.sliding_share)
