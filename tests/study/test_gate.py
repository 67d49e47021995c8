"""Nobody passes faster than real time, whatever a browser says, and nobody loses what they saw."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aesop.study.gate import LONGEST_GAP_SECONDS, NEEDED, Gate, Played, Stretch

SECONDS = 7.0
ALL: tuple[list[Stretch], list[Stretch]] = ([(0.0, SECONDS)], [(0.0, SECONDS)])
stretches = st.lists(
    st.tuples(st.floats(-3, 11), st.floats(-3, 11)).map(lambda it: (min(it), max(it))), max_size=9
)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@settings(max_examples=80, deadline=None)
@given(stretches)
def test_played_counts_every_moment_once(told: list[Stretch]):
    played = Played()
    played.add(told, 1e9)
    grid = np.linspace(-3, 11, 2003)
    inside = np.zeros(len(grid), bool)
    for start, end in told:
        inside |= (grid >= start) & (grid < end)
    # The grid's step is 14 / 2002 s, and every stretch has two ends.
    assert played.seconds == pytest.approx(inside.mean() * 14, abs=0.014 * (len(told) + 1))
    assert played.add(told, 1e9) == 0
    ends = [it for stretch in played.stretches for it in stretch]
    assert ends == sorted(ends)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 2), stretches, stretches), min_size=1, max_size=12))
def test_coverage_never_outruns_the_clock(beats: list[tuple[float, list[Stretch], list[Stretch]]]):
    clock = Clock()
    gate = Gate(clock)
    gate.open("7", 3)
    opened = clock.now
    for wait, left, right in beats:
        clock.now += wait
        covered = gate.beat("7", 3, (left, right), SECONDS)
        # Sums of up to a hundred seconds in double precision.
        assert max(covered.left, covered.right) * SECONDS <= clock.now - opened + 1e-9


def test_watching_takes_as_long_as_the_video(clock: Clock):
    gate = Gate(clock)
    gate.open("7", 0)
    assert not gate.beat("7", 0, ALL, SECONDS).is_enough
    for _ in range(12):
        clock.now += 0.5
        gate.beat("7", 0, ALL, SECONDS)
    covered = gate.coverage("7", 0, SECONDS)
    assert not covered.is_enough and covered.left == pytest.approx(6 / SECONDS)
    clock.now += 0.5
    assert gate.beat("7", 0, ALL, SECONDS).is_enough


def test_idle_time_before_a_trial_buys_nothing(clock: Clock):
    gate = Gate(clock)
    gate.open("7", 0)
    clock.now += 3600
    gate.beat("7", 0, ALL, SECONDS)
    clock.now += 3600
    gate.open("7", 1)
    assert gate.beat("7", 1, ALL, SECONDS).left == 0


def test_idle_time_within_a_trial_is_not_saved_up(clock: Clock):
    gate = Gate(clock)
    gate.open("7", 0)
    clock.now += 3600
    assert gate.beat("7", 0, ALL, SECONDS).left == pytest.approx(LONGEST_GAP_SECONDS / SECONDS)


def test_tabs_share_one_clock(clock: Clock):
    gate = Gate(clock)
    for trial in (0, 1):
        gate.open("7", trial)
    for _ in range(10):
        clock.now += 0.5
        for trial in (0, 1, 0):
            gate.beat("7", trial, ALL, SECONDS)
    both = gate.coverage("7", 0, SECONDS).left + gate.coverage("7", 1, SECONDS).left
    assert both == pytest.approx(5 / SECONDS)


def test_seeking_does_not_count_what_was_jumped_over(clock: Clock):
    gate = Gate(clock)
    gate.open("7", 0)
    ends: list[Stretch] = [(0.0, 0.6), (6.0, 7.0)]
    for _ in range(60):
        clock.now += 0.5
        gate.beat("7", 0, (ends, ends), SECONDS)
    covered = gate.coverage("7", 0, SECONDS)
    assert covered.left == pytest.approx(1.6 / SECONDS) and not covered.is_enough


def test_both_videos_are_needed(clock: Clock):
    gate = Gate(clock)
    gate.open("7", 0)
    for _ in range(60):
        clock.now += 0.5
        assert not gate.beat("7", 0, (ALL[0], []), SECONDS).is_enough
    assert gate.beat("7", 0, ([], []), SECONDS).left == 1.0


def test_what_was_believed_survives_and_what_was_not_can_be_told_again(clock: Clock):
    first = Gate(clock)
    first.open("7", 0)
    for _ in range(6):
        clock.now += 0.5
        first.beat("7", 0, ALL, SECONDS)
    known = first.played("7", 0)
    second = Gate(clock)
    second.open("7", 0, (Played(known[0].stretches), Played(known[1].stretches)))
    assert second.beat("7", 0, ALL, SECONDS).left == pytest.approx(3 / SECONDS)
    for _ in range(8):
        clock.now += 0.5
        second.beat("7", 0, ALL, SECONDS)
    assert second.coverage("7", 0, SECONDS).left == pytest.approx(1.0)
    assert 0 < NEEDED < 1
