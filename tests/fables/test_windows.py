"""Windows: the length profile, good frames only, and a liking for what the caption says."""

import numpy as np

from aesop.fables import take_windows
from aesop.fables.cmu_takes import TEST_SUBJECTS, VALIDATION_SUBJECTS, read_takes, split_of


def everywhere(start: int, stop: int) -> bool:
    return True


def test_lengths_follow_the_profile():
    dice = np.random.default_rng(0)
    lengths = np.array([take_windows.draw_length(dice) for _ in range(20011)])
    assert lengths.min() >= 36 and lengths.max() <= 300
    for share, wanted in take_windows.LENGTH_QUANTILES[1:-1]:
        assert abs(np.quantile(lengths, share) - wanted) < 5


def test_windows_lie_in_good_frames_and_differ():
    good = np.ones(1009, dtype=bool)
    good[[211, 640]] = False
    found = take_windows.draw_windows(
        good, 67, lambda a, b: 1.0, everywhere, np.random.default_rng(1)
    )
    assert len(found) == len(set(found)) == 67
    for window in found:
        assert good[window.start : window.stop].all()
        assert 36 <= window.frames <= 300
    assert 20 < sum(window.mirrored for window in found) < 47


def test_short_stretches_are_left_alone():
    good = np.zeros(97, dtype=bool)
    good[3:38] = True
    assert take_windows.spans(good) == []
    good[38] = True
    assert take_windows.spans(good) == [(3, 39)]
    dice = np.random.default_rng(1)
    assert take_windows.draw_windows(good & False, 5, lambda a, b: 1.0, everywhere, dice) == []


def test_places_that_show_the_caption_are_favoured():
    good = np.ones(2003, dtype=bool)

    def late(start: int, stop: int) -> float:
        return float(start > 1500)

    dice = np.random.default_rng(2)
    found = take_windows.draw_windows(good, 101, late, everywhere, dice)
    share = np.mean([window.start > 1500 for window in found])
    assert share > 0.5  # by chance it would be a fifth


def test_refused_windows_never_come_back():
    good = np.ones(907, dtype=bool)

    def early(start: int, stop: int) -> bool:
        return stop < 450

    found = take_windows.draw_windows(good, 23, lambda a, b: 1.0, early, np.random.default_rng(4))
    assert found and all(window.stop < 450 for window in found)


def test_no_performer_is_in_two_splits_and_partners_stay_together():
    assert not TEST_SUBJECTS & VALIDATION_SUBJECTS
    for pair in (("18", "19"), ("20", "21"), ("22", "23"), ("60", "61"), ("111", "113")):
        assert split_of(f"{pair[0]}_01") == split_of(f"{pair[1]}_01")
    # The same performance under two names must not leak either.
    for take in read_takes():
        for alias in take.aliases:
            assert split_of(alias) == split_of(take.name), (take.name, alias)
