"""Intervals over clips, deviations over seeds."""

import numpy as np
import pytest

from aesop.metrics.metric_book import (
    MetricError,
    centred_interval,
    mean_and_sd,
    mean_interval,
    percentile_interval,
    redraws,
)


def test_deviation_over_seeds_is_the_samples():
    values = [3.0, 5.0, 10.0]
    assert mean_and_sd(values) == (6, pytest.approx(np.std(values, ddof=1)))
    assert mean_and_sd([4.0]) == (4, None)
    with pytest.raises(MetricError, match="at least one"):
        mean_and_sd([])


def test_redraws_draw_as_many_clips_as_there_are():
    counts = redraws(53, 211)
    assert (counts.sum(1) == 53).all()
    assert counts.mean() == 1 and (counts == redraws(53, 211)).all()


def test_interval_of_a_mean_matches_the_normal_one():
    values = np.random.default_rng(1).normal(5, 2, size=401)
    found = mean_interval(values, times=4000)
    error = 1.96 * values.std(ddof=1) / np.sqrt(401)
    # Four thousand redraws know the end of an interval to a tenth of its 0.2.
    assert found.low == pytest.approx(values.mean() - error, abs=0.02)
    assert found.high == pytest.approx(values.mean() + error, abs=0.02)


def test_missing_values_are_left_out():
    values = np.array([1.0, np.nan, 1.0])
    found = mean_interval(values)
    assert (found.low, found.high) == (1, 1)
    assert np.isnan(mean_interval(np.array([np.nan])).low)


def test_a_centred_interval_holds_the_number_and_keeps_its_width():
    drawn = np.random.default_rng(2).normal(9, 1, size=997)
    plain, centred = percentile_interval(drawn), centred_interval(5.0, drawn)
    assert centred.low < 5 < centred.high
    assert centred.high - centred.low == pytest.approx(plain.high - plain.low)
