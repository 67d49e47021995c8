"""Intervals over clusters, deviations over seeds."""

import numpy as np
import pytest

from aesop.metrics.bootstrap import (
    MEAN_RESAMPLES,
    Clusters,
    bootstrap,
    clusters_of,
    each_apart,
    mean_interval,
    one_by_one,
    ratio_interval,
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
