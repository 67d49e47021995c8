"""Times mean seconds of a shot: steps follow each other, keep the lengths that were said, and share
the rest evenly."""

from itertools import pairwise

import numpy as np
import pytest

from aesop.camera_words.step_times import (
    OPEN,
    SHORTEST_TIMED_S,
    Instant,
    SpokenTime,
    TimesError,
    spans_of,
)
from tests.tolerances import rounded64

CLOSE = rounded64(20, 100.0)  # sums and differences of seconds


def bounds(times: list[SpokenTime], shot_s: float) -> list[tuple[float, float]]:
    return [(span.first_s, span.stop_s) for span in spans_of(times, shot_s)]


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_steps_without_times_share_the_shot_evenly(count: int):
    spans = spans_of([OPEN] * count, 11.0)
    assert [span.first_s for span in spans] == pytest.approx(
        [11.0 * at / count for at in range(count)], abs=CLOSE
    )
    assert spans[-1].stop_s == pytest.approx(11.0, abs=CLOSE)


def test_lengths_are_kept_and_what_is_left_is_shared():
    dice = np.random.default_rng(5)
    for _ in range(200):
        lengths = [float(it) for it in dice.uniform(1, 3, size=3)]
        times = [SpokenTime(lasting_s=it) if dice.random() < 0.5 else OPEN for it in lengths]
        spans = spans_of(times, 13.0)
        assert spans[0].first_s == 0
        for before, after in pairwise(spans):
            assert before.stop_s == pytest.approx(after.first_s, abs=CLOSE)
        free = {round(it.lasting_s, 9) for it, time in zip(spans, times, strict=True)
                if time.is_open}  # fmt: skip
        assert len(free) <= 1
        for span, time in zip(spans, times, strict=True):
            if time.lasting_s is not None:
                assert span.lasting_s == pytest.approx(time.lasting_s, abs=CLOSE)
        if free:
            assert spans[-1].stop_s == pytest.approx(13.0, abs=CLOSE)


def test_shares_grow_with_the_shot_and_seconds_do_not():
    half, last = (
        SpokenTime(stop=Instant(share=0.5)),
        SpokenTime(Instant(-2.0, 1.0), Instant(0.0, 1.0)),
    )
    for shot_s in (6.0, 14.0):
        assert bounds([half, OPEN, last], shot_s) == [
            (0.0, shot_s / 2), (shot_s / 2, shot_s - 2), (shot_s - 2, shot_s),
        ]  # fmt: skip


def test_the_last_seconds_are_the_last_step_s_wherever_they_are_named():
    last = SpokenTime(Instant(-2.0, 1.0), Instant(0.0, 1.0))
    assert bounds([OPEN, last], 7.0) == [(0.0, 5.0), (5.0, 7.0)]


@pytest.mark.parametrize(
    ("times", "begins"),
    [
        ([OPEN, SpokenTime(after_s=4.0)], 4.0),
        ([SpokenTime(lasting_s=2.0), SpokenTime(after_s=4.0)], 4.0),
        ([SpokenTime(lasting_s=3.0), SpokenTime(after_s=2.0)], 5.0),  # that time has passed
        ([SpokenTime(after_s=2.0), SpokenTime(after_s=1.5)], 3.5),
    ],
)
def test_after_counts_from_the_beginning_or_from_the_step_before(
    times: list[SpokenTime], begins: float
):
    assert bounds(times, 9.0)[-1] == (begins, 9.0)


def test_time_that_nobody_asked_for_is_no_step_s():
    assert bounds([SpokenTime(lasting_s=2.0), SpokenTime(start=Instant(5.0))], 9.0) == [
        (0.0, 2.0), (5.0, 9.0),
    ]  # fmt: skip
    # But for what is too short to rest in.
    assert bounds([SpokenTime(lasting_s=4.5), SpokenTime(start=Instant(5.0))], 9.0) == [
        (0.0, 5.0), (5.0, 9.0),
    ]  # fmt: skip
    assert bounds([SpokenTime(Instant(0.0), Instant(6.3))], 6.0) == [(0.0, 6.0)]


@pytest.mark.parametrize(
    "times",
    [
        [SpokenTime(lasting_s=9.0)],
        [SpokenTime(lasting_s=4.0), SpokenTime(lasting_s=4.0)],
        [SpokenTime(start=Instant(7.0))],
        [SpokenTime(stop=Instant(8.0))],
        [SpokenTime(lasting_s=5.5), OPEN],
        [SpokenTime(lasting_s=SHORTEST_TIMED_S / 2), OPEN],
        [SpokenTime(start=Instant(0.5))],
        [SpokenTime(start=Instant(3.0)), SpokenTime(start=Instant(2.0))],
        [SpokenTime(Instant(0.0), Instant(4.0)), SpokenTime(start=Instant(2.0))],
        [SpokenTime(Instant(-8.0, 1.0), Instant(0.0, 1.0))],
    ],
)
def test_times_that_a_shot_does_not_have_are_refused(times: list[SpokenTime]):
    with pytest.raises(TimesError, match=r"(?:Give|Leave) "):
        spans_of(times, 6.0)
