"""Made-up people who go somewhere: they get where their legs lead, on feet that stay planted."""

import math

import numpy as np
import pytest

from aesop.fables.synthetic import Leg, lie_and_wave, sit_and_stay, wander
from aesop.fables.take_windows import screen_window
from aesop.scene.skeleton import JOINT, REST_OFFSETS
from tests.tolerances import GEOMETRY64, SOLVED64

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
    assert screen_window(wander(legs).joints.numpy()).fault is None


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
