"""Screening: a good walk passes, and each kind of broken motion is named."""

import numpy as np
import pytest

from aesop.fables import take_windows
from aesop.fables.synthetic import ACTIONS, make_believe


def joints_of(action: str, frames: int = 101) -> np.ndarray:
    made = make_believe(action, frames, np.random.default_rng(3))
    return made.clip.motion.joints.numpy().copy()


@pytest.mark.parametrize("action", ACTIONS)
def test_sound_motion_passes(action: str):
    assert take_windows.screen_window(joints_of(action)).fault is None


def test_a_jump_of_the_hips_is_a_fault_around_its_frame_only():
    joints = joints_of("walk")
    joints[50:] += [1.0, 0.0, 0.0]
    bad = np.flatnonzero(take_windows.glitches(joints))
    margin = take_windows.GLITCH_MARGIN_FRAMES
    assert bad.tolist() == list(range(50 - margin, 50 + margin + 1))
    assert take_windows.screen_window(joints).fault == "jumps"
    assert take_windows.screen_window(joints[60:]).fault is None


def test_a_hand_faster_than_hands_are_is_a_fault():
    joints = joints_of("stand")
    joints[31, 20] += [0.0, 0.7, 0.0]
    assert take_windows.screen_window(joints).fault == "jumps"


def test_climbing_thin_air_is_a_fault_but_a_jump_is_not():
    joints = joints_of("walk")
    climb = np.clip(np.linspace(-0.3, 1.3, len(joints)), 0, 1) * 0.6
    joints[..., 2] += climb[:, None]
    assert take_windows.screen_window(joints).fault == "carried by thin air"
    assert take_windows.screen_window(joints_of("jump")).support_range_m < 0.1


def test_gliding_feet_are_a_fault():
    joints = joints_of("stand")
    joints[..., 0] += np.linspace(0, 4, len(joints))[:, None]
    screen = take_windows.screen_window(joints)
    assert screen.fault == "feet slide" and screen.planted_mps > 0.9


def test_cadence_is_measured_in_steps_and_a_doubled_walk_is_a_wrong_rate():
    joints = joints_of("walk", 151)
    assert abs(take_windows.steps_per_second(joints) - 1.8) < 0.2
    assert not take_windows.has_wrong_rate(joints, "walk")
    assert take_windows.has_wrong_rate(joints[::2], "walk")
    assert not take_windows.has_wrong_rate(joints[::2], "run/jog")
