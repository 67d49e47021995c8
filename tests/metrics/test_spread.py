"""Intervals over clusters, deviations over seeds."""

import numpy as np
import pytest
import scipy.stats

from aesop.metrics.bootstrap import (
    EXPANDED,
    MEAN_RESAMPLES,
    PERCENTILE,
    SHARE,
    Clusters,
    IntervalWay,
    bootstrap,
    clusters_of,
    each_apart,
    expanded_share,
    mean_interval,
    one_by_one,
    ratio_interval,
    student_quantile,
)
from aesop.metrics.metric_book import MetricError, mean_and_sd


def test_deviation_over_seeds_is_the_samples():
    values = [3.0, 5.0, 10.0]
    assert mean_and_sd(values) == (6, pytest.approx(np.std(values, ddof=1)))
    assert mean_and_sd([4.0]) == (4, None)
    with pytest.raises(MetricError, match="at least one"):
        mean_and_sd([])


def drawn_counts(clusters: Clusters, times: int) -> np.ndarray:
    seen: list[np.ndarray] = []

    def looking(counts: np.ndarray) -> np.ndarray:
        seen.append(counts)
        return np.zeros(len(counts))

    bootstrap(looking, clusters, times)
    return np.concatenate(seen)


def test_whole_clusters_are_drawn_as_many_as_there_are():
    films = clusters_of("film", [f"film {number % 7}" for number in range(53)])
    counts = drawn_counts(films, 211)
    assert counts.shape == (211, 53) and (counts == drawn_counts(films, 211)).all()
    for film in range(7):
        own = counts[:, films.group == film]
        assert (own == own[:, :1]).all()  # clips of a film share their lot
    of_films = np.stack([counts[:, films.group == film][:, 0] for film in range(7)], 1)
    assert (of_films.sum(1) == 7).all()
    assert not (counts.sum(1) == 53).all()  # films have different numbers of clips


def test_interval_of_a_mean_matches_the_normal_one():
    values = np.random.default_rng(1).normal(5, 2, size=401)
    found = mean_interval(values)
    assert found is not None
    assert (found.cluster, found.resamples) == ("clip", MEAN_RESAMPLES) and MEAN_RESAMPLES == 10_000
    error = 1.96 * values.std(ddof=1) / np.sqrt(401)
    # Ten thousand draws know the end of an interval to a tenth of its 0.2.
    assert found.low == pytest.approx(values.mean() - error, abs=0.02)
    assert found.high == pytest.approx(values.mean() + error, abs=0.02)


def test_clips_that_repeat_their_film_say_nothing_new():
    """Each value eleven times, in clusters of eleven: the interval of the values alone."""
    values = np.random.default_rng(3).normal(size=31)
    names = np.repeat(np.arange(31).astype(str), 11).tolist()
    alone = mean_interval(values)
    together = mean_interval(np.repeat(values, 11), clusters_of("performer", names))
    apart = mean_interval(np.repeat(values, 11))
    assert alone is not None and together is not None and apart is not None
    assert together.cluster == "performer"
    # The same draws of 31 (names sort as text, so in another order): noise of 10,000 draws.
    assert together.high - together.low == pytest.approx(alone.high - alone.low, rel=0.05)
    # As if there were eleven times as many: an interval narrower by the root of eleven.
    assert together.high - together.low > 2.5 * (apart.high - apart.low)


def test_missing_values_are_left_out_with_their_clusters():
    values = np.array([1.0, np.nan, 1.0, np.nan])
    found = mean_interval(values, clusters_of("film", ["a", "b", "c", "b"]))
    assert found is not None and (found.low, found.high) == (1, 1)
    assert mean_interval(np.array([np.nan])) is None


def test_one_cluster_says_nothing_of_how_sure_a_number_is():
    values = np.arange(13.0)
    assert mean_interval(values, clusters_of("film", ["one"] * 13)) is None
    assert mean_interval(values, each_apart(13, "participant")) is not None


def test_a_centred_interval_holds_the_number_and_keeps_its_width():
    dice = np.random.default_rng(2)
    values = dice.normal(9, 1, size=97)
    mean = one_by_one(lambda counts: float(counts @ values / counts.sum()))
    plain, centred = (bootstrap(mean, each_apart(97), 499, around=it) for it in (None, 5.0))
    assert plain is not None and centred is not None
    assert centred.low < 5 < centred.high and not plain.low < 5 < plain.high
    assert centred.high - centred.low == pytest.approx(plain.high - plain.low)


def test_a_ratio_is_of_sums():
    """Frames of long clips weigh more: with half of the frames out in every clip, it is a half."""
    frames = np.random.default_rng(5).integers(9, 300, size=61).astype(float)
    found = ratio_interval(frames / 2, frames, each_apart(61))
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(0.5), pytest.approx(0.5))


@pytest.mark.parametrize("freedom", [1, 2, 5, 28, 997])
def test_students_quantiles_are_scipys(freedom: int):
    for below in (0.975, 0.6, 0.5, 0.1):
        wanted = scipy.stats.t.ppf(below, freedom)
        # A grid of 200,000 turns, of which t of one degree takes the tangent.
        assert student_quantile(below, freedom) == pytest.approx(wanted, rel=1e-5, abs=1e-9)


def test_expanded_intervals_are_wider_by_what_few_clusters_lack_and_alike_with_many():
    """Of normal values the mean's draws are normal: their quantile at the expanded share is
    Student's interval of the mean."""
    wanted = 2 * scipy.stats.norm.cdf((29 / 28) ** 0.5 * scipy.stats.t.ppf(0.975, 28)) - 1
    # A quantile right to 1e-5 of 2, where the normal density is 0.05.
    assert expanded_share(29) == pytest.approx(wanted, abs=1e-6)
    assert expanded_share(7) > expanded_share(29) > expanded_share(100_003) > SHARE
    # Both corrections are of the order of one in the number of clusters.
    assert expanded_share(100_003) == pytest.approx(SHARE, abs=1e-5)
    values = np.random.default_rng(5).normal(size=29)
    clusters, ones = each_apart(29), np.ones(29)
    plain, wide = (
        ratio_interval(values, ones, clusters, 20_000, way) for way in (PERCENTILE, EXPANDED)
    )
    assert plain is not None and wide is not None
    student = 2 * scipy.stats.t.ppf(0.975, 28) * values.std(ddof=1) / 29**0.5
    # Ends of 20,000 draws, and draws that are a little less than normal.
    assert wide.high - wide.low == pytest.approx(student, rel=0.03)
    assert plain.high - plain.low < 0.96 * (wide.high - wide.low)


def test_intervals_of_few_clusters_hold_the_truth_as_often_as_they_say():
    """400 means of eleven skewed numbers, whose truth is one."""
    dice, clusters, ones = np.random.default_rng(3), each_apart(11), np.ones(11)
    held: dict[IntervalWay, int] = {PERCENTILE: 0, EXPANDED: 0}
    for _ in range(400):
        values = dice.exponential(size=11)
        for way in held:
            interval = ratio_interval(values, ones, clusters, 400, way)
            assert interval is not None
            held[way] += interval.low <= 1 <= interval.high
    assert held[EXPANDED] > held[PERCENTILE] + 8
    assert held[EXPANDED] / 400 > 0.9
