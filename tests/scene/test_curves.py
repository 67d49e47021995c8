"""Smooth curves: closed forms of the chase, the play and the ease."""

import numpy as np
import pytest

from aesop.scene.curves import chased, eased_step, extended, smoothed, with_play
from tests.tolerances import GEOMETRY64, SOLVED64

RAMP = np.outer(np.arange(97.0), [0.3, -0.7])


def test_an_extended_line_is_the_same_line():
    longer = extended(RAMP, 13, 7)
    assert len(longer) == 13 + 97 + 7
    assert np.allclose(np.diff(longer, axis=0), [0.3, -0.7], atol=GEOMETRY64)


def test_a_short_curve_can_be_extended_beyond_itself():
    assert np.isfinite(extended(RAMP[:3], 11, 11)).all()


def test_smoothing_keeps_lines_and_removes_bobbing():
    assert np.allclose(smoothed(RAMP, 5.0), RAMP, atol=SOLVED64)
    bob = np.sin(2 * np.pi * np.arange(97) / 7)[:, None]
    assert np.abs(smoothed(bob, 9.0)[28:-28]).max() < 1e-3


@pytest.mark.parametrize(("smooth", "late"), [(5.0, 3), (3.0, 11), (7.3, 0)])
def test_a_chase_runs_late_by_what_was_asked(smooth: float, late: int):
    chase = chased(RAMP, smooth, late)
    lateness = (RAMP - chase) / np.array([0.3, -0.7])
    assert np.ptp(lateness) < SOLVED64
    assert abs(lateness[0, 0] - late) <= 0.5


def test_a_chase_answers_a_jolt_gently():
    """The answer of two equal lags to a step: its largest speed is 1/(e·τ)."""
    jolt = np.zeros((97, 1))
    jolt[48:] = 1.0
    answer = chased(jolt, 6.0, 4)[:, 0]
    # The steepest place of the answer lies between two frames.
    assert np.diff(answer).max() == pytest.approx(1 / (np.e * 6.0), rel=0.04)
    assert (np.diff(answer) >= 0).all()


def test_within_its_play_a_hand_rests_and_beyond_it_lags_by_the_play():
    slow = 0.4 * np.sin(np.arange(89.0) / 9)[:, None]
    assert np.array_equal(with_play(slow, 0.41), np.zeros_like(slow))
    assert np.allclose((RAMP - with_play(RAMP, 0.2))[5:], [0.2, -0.2])


def test_an_eased_step_has_no_corner():
    instants = np.arange(83) + 0.5
    step = eased_step(instants, 41.0, 20.0)
    assert step[0] == 0.0 and step[-1] == 1.0
    assert np.isclose(step.sum(), 83 - 41)  # as much before the middle as missing after it
    assert np.abs(np.diff(step, n=2)).max() < 1.01 * (np.pi / 20) ** 2 / 2
