"""Curves of least turn and least motion, and limits of their steps."""

import numpy as np
import pytest

from aesop.director.hand_solve import (
    KNOT_FRAMES,
    Corridor,
    least_motion,
    least_turn,
    lowered,
    rate_limited,
)
from tests.tolerances import SOLVED64

FPS = 25.0
FRAMES = 167
# A hinge gives way a little: about its pull over its weight.
GIVES_RAD = 0.02


def corridor(low: np.ndarray, high: np.ndarray, fastest: float = 9.0) -> Corridor:
    even = np.ones(len(low))
    return Corridor(low, high, even, 0 * even, fastest, sharpest=9.0)


def wide(frames: int = FRAMES) -> tuple[np.ndarray, np.ndarray]:
    return np.full(frames, -5.0), np.full(frames, 5.0)


def test_a_correction_reaches_its_corridor_and_is_zero_away_from_it():
    low, high = wide()
    low[70:90] = 0.4
    is_free = np.zeros(FRAMES, dtype=bool)
    is_free[45:115] = True
    curve = least_turn(corridor(low, high), np.zeros(FRAMES), is_free, FPS)
    assert (curve[70:90] > 0.4 - GIVES_RAD).all() and curve.max() < 0.5
    margin = 2 * KNOT_FRAMES
    assert (curve[: 45 - margin] == 0).all() and (curve[115 + margin :] == 0).all()
    rate = np.abs(np.diff(curve)) * FPS
    assert rate.max() < 2.0, "it comes and goes within a second"


@pytest.mark.parametrize("frames", [25, 26, 29, 167])
def test_nothing_wrong_is_nothing_turned(frames: int):
    low, high = wide(frames)
    rest = np.where(np.arange(frames) < 9, 0.0, 2 * np.pi)
    none = np.zeros(frames, dtype=bool)
    assert (least_turn(corridor(low, high), rest, none, FPS) == rest).all()
    # The least of all curves is none, wherever it may begin.
    still = least_turn(corridor(low, high), 0 * rest, ~none, FPS)
    np.testing.assert_allclose(still, 0, atol=SOLVED64)


def test_speed_goes_before_the_corridor():
    low, high = wide()
    low[80:], high[:80] = 2.0, 0.0
    is_free = np.ones(FRAMES, dtype=bool)
    hasty = least_turn(corridor(low, high), np.zeros(FRAMES), is_free, FPS)
    slow = least_turn(corridor(low, high, fastest=1.0), np.zeros(FRAMES), is_free, FPS)
    rates = [float(np.abs(np.diff(curve)).max() * FPS) for curve in (hasty, slow)]
    assert rates[0] > 3 and rates[1] < 1.15


def test_an_aim_that_may_rest_rests():
    usual = np.linspace(-0.2, 0.3, FRAMES)
    low, high = usual - 0.4, usual + 0.4
    curve = least_motion(corridor(low, high), usual, FPS)
    assert (curve == np.median(usual)).all()
    low[60:] = 0.09
    assert (least_motion(corridor(low, high), usual, FPS) == 0.09).all()


def test_an_aim_that_must_move_goes_the_shortest_way():
    """From below −1 to above 1: a way of 2 and no more, and rest before and after it."""
    low, high = wide()
    high[:50], low[120:] = -1.0, 1.0
    curve = least_motion(corridor(low, high), np.clip(0.0, low, high), FPS)
    assert curve[0] == pytest.approx(-1, abs=GIVES_RAD) and curve[-1] == pytest.approx(
        1, abs=GIVES_RAD
    )
    assert np.abs(np.diff(curve)).sum() == pytest.approx(curve[-1] - curve[0], abs=GIVES_RAD)
    assert np.abs(np.diff(curve[:30])).max() * FPS < 0.05


def test_limited_curves_keep_their_steps_and_equal_what_is_slow_enough():
    dice = np.random.default_rng(11)
    curve = np.cumsum(dice.standard_normal(FRAMES))
    steps = dice.uniform(0.3, 0.9, FRAMES - 1)
    slow = rate_limited(curve, steps)
    # Sums of numbers below 100 in double precision.
    assert (np.abs(np.diff(slow)) <= steps + 1e-12).all()
    assert (rate_limited(slow, steps + 1e-9) == slow).all()
    floor = lowered(curve, steps)
    assert (floor <= curve).all() and (np.abs(np.diff(floor)) <= steps + 1e-12).all()
    touching = floor == curve
    assert touching.any() and not touching.all()
