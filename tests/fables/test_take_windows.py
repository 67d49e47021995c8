"""Screening: a good walk passes, and each kind of broken motion is named. Windows: the length
profile, good frames only, and a liking for what the caption says."""

from functools import cache

import numpy as np
import pytest

from aesop.fables import takes
from aesop.fables.synthetic import ACTIONS, synthetic_motion
from aesop.scene.human import grounded

PART = 101  # frames of one action


def joints_of(action: str, frames: int = 101) -> np.ndarray:
    made = synthetic_motion(action, frames, np.random.default_rng(3))
    return made.clip.motion.joints.numpy().copy()


@pytest.mark.parametrize("action", ACTIONS)
def test_sound_motion_passes(action: str):
    assert takes.fault_of_window(joints_of(action)) is None


def test_a_jump_of_the_hips_is_a_fault_around_its_frame_only():
    joints = joints_of("walk")
    joints[50:] += [1.0, 0.0, 0.0]
    bad = np.flatnonzero(takes.glitches(joints))
    margin = takes.GLITCH_MARGIN_FRAMES
    assert bad.tolist() == list(range(50 - margin, 50 + margin + 1))
    assert takes.fault_of_window(joints) == "jumps"
    assert takes.fault_of_window(joints[60:]) is None


def test_a_hand_faster_than_hands_are_is_a_fault():
    joints = joints_of("stand")
    joints[31, 20] += [0.0, 0.7, 0.0]
    assert takes.fault_of_window(joints) == "jumps"


def test_climbing_thin_air_is_a_fault_but_a_jump_is_not():
    joints = joints_of("walk")
    climb = np.clip(np.linspace(-0.3, 1.3, len(joints)), 0, 1) * 0.6
    joints[..., 2] += climb[:, None]
    assert takes.fault_of_window(joints) == "carried by thin air"
    assert np.ptp(takes.support(joints_of("jump"))) < 0.1


def test_gliding_feet_are_a_fault():
    joints = joints_of("stand")
    joints[..., 0] += np.linspace(0, 4, len(joints))[:, None]
    assert takes.fault_of_window(joints) == "feet slide"
    assert takes.planted_speed(joints) > 0.9


def test_cadence_is_measured_in_steps_and_a_doubled_walk_is_a_wrong_rate():
    joints = joints_of("walk", 151)
    assert abs(takes.steps_per_second(joints) - 1.8) < 0.2
    assert not takes.has_wrong_rate(joints, "walk")
    assert takes.has_wrong_rate(joints[::2], "walk")
    assert not takes.has_wrong_rate(joints[::2], "run/jog")


def everywhere(start: int, stop: int) -> bool:
    return True


def test_lengths_follow_the_profile():
    dice = np.random.default_rng(0)
    lengths = np.array([takes.draw_length(dice) for _ in range(20011)])
    assert lengths.min() >= 36 and lengths.max() <= 300
    for share, wanted in takes.LENGTH_QUANTILES[1:-1]:
        assert abs(np.quantile(lengths, share) - wanted) < 5


def test_windows_lie_in_good_frames_and_differ():
    good = np.ones(1009, dtype=bool)
    good[[211, 640]] = False
    windows = takes.draw_windows(good, 67, lambda a, b: 1.0, everywhere, np.random.default_rng(1))
    assert len(windows) == len(set(windows)) == 67
    for window in windows:
        assert good[window.start : window.stop].all()
        assert 36 <= window.frames <= 300
    assert 20 < sum(window.mirrored for window in windows) < 47


def test_short_stretches_are_left_alone():
    good = np.zeros(97, dtype=bool)
    good[3:38] = True
    assert takes.spans(good) == []
    good[38] = True
    assert takes.spans(good) == [(3, 39)]
    dice = np.random.default_rng(1)
    assert takes.draw_windows(good & False, 5, lambda a, b: 1.0, everywhere, dice) == []


def test_places_that_show_the_caption_are_favoured():
    good = np.ones(2003, dtype=bool)

    def late(start: int, stop: int) -> float:
        return float(start > 1500)

    dice = np.random.default_rng(2)
    windows = takes.draw_windows(good, 101, late, everywhere, dice)
    share = np.mean([window.start > 1500 for window in windows])
    assert share > 0.5  # by chance it would be a fifth


def test_refused_windows_never_come_back():
    good = np.ones(907, dtype=bool)

    def early(start: int, stop: int) -> bool:
        return stop < 450

    windows = takes.draw_windows(good, 23, lambda a, b: 1.0, early, np.random.default_rng(4))
    assert windows and all(window.stop < 450 for window in windows)


@cache
def joined_take(*actions: str) -> tuple[np.ndarray, int]:
    """Actions of equal length, one after the other at the same place."""
    parts = [
        grounded(
            synthetic_motion(action, PART, np.random.default_rng(2)).clip.motion
        ).joints.numpy()
        for action in actions
    ]
    return np.concatenate(parts), PART


@pytest.mark.parametrize(
    ("action", "caption"),
    [
        ("walk", "a person walks forward"),
        ("jump", "a person jumps up"),
        ("sit", "a person sits down on a chair"),
        ("turn", "a person turns around"),
        ("wave", "someone waves at a friend"),
        ("stand", "a person stands still and waits"),
        ("jump", "a person does something nobody has a word for"),
    ],
)
def test_the_window_that_shows_the_caption_scores_best(action: str, caption: str) -> None:
    others = [other for other in ("stand", "walk") if other != action]
    joints, length = joined_take(others[0], action, others[0])
    evidence = takes.evidence_of(joints, [caption])
    scores = [evidence.score(at, at + length) for at in (0, length, 2 * length)]
    assert all(0 <= score <= 1 for score in scores)
    assert scores[1] > 1.2 * max(scores[0], scores[2])


def test_a_cue_that_never_shows_does_not_spoil_the_score() -> None:
    """A caption may speak of a run of which the take shows nothing measurable."""
    joints, length = joined_take("stand", "walk")
    both = takes.evidence_of(joints, ["a person walks", "someone sprints and walks"])
    plain = takes.evidence_of(joints, ["a person walks", "someone walks"])
    assert both.score(length, 2 * length) == plain.score(length, 2 * length)
