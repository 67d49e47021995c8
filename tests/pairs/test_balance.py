"""Weights under which labels say nothing of how far a source went."""

import numpy as np
import pytest

from aesop.pairs.balance import balanced_weights
from aesop.pairs.recipe import Balance

RULE = Balance()


def bound_labels(seed: int, sources: int) -> tuple[np.ndarray, np.ndarray]:
    """Paths, and labels mostly nearer to one for longer paths, as gates leave them."""
    dice = np.random.default_rng(seed)
    path_m = np.exp(dice.normal(0.5, 0.8, sources))
    room = np.where(
        dice.random(sources) < 0.3,
        dice.random(sources),
        1 / (1 + path_m * dice.uniform(0.2, 2.0, sources)),
    )
    labels = np.stack([1 - 0.9 * room, 1 + 0.9 * room], axis=1)
    return path_m, labels


def by_label(values: np.ndarray, weights: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Weighted means over quarters of the labels."""
    quarter = np.digitize(labels, np.quantile(labels, [0.25, 0.5, 0.75]))
    return np.array(
        [np.average(values[quarter == q], weights=weights[quarter == q]) for q in range(4)]
    )


def test_sources_of_every_label_travel_like_all_of_them():
    path_m, labels = bound_labels(3, 20_011)
    weights = balanced_weights(path_m, labels, path_m, RULE)
    assert weights.mean() == pytest.approx(1) and weights.min() > 0
    everyone = np.log(path_m).mean()
    for side in labels.T:
        before = by_label(np.log(path_m), np.ones(len(path_m)), side) - everyone
        after = by_label(np.log(path_m), weights, side) - everyone
        assert np.abs(before).max() > 0.4
        assert np.abs(after).max() < 0.12


def test_travel_of_targets_grows_with_the_label_once_weighed():
    path_m, labels = bound_labels(5, 20_011)
    stronger = labels[:, 1]
    weights = balanced_weights(path_m, labels, path_m, RULE)
    flat = by_label(path_m * stronger, np.ones(len(path_m)), stronger)
    risen = by_label(path_m * stronger, weights, stronger)
    asked = by_label(stronger, weights, stronger)
    assert flat[-1] < flat[0], "as they are, more asked for is less travelled"
    np.testing.assert_allclose(risen / risen.mean(), asked / asked.mean(), atol=0.12)


def test_labels_that_know_nothing_leave_all_weights_near_one():
    dice = np.random.default_rng(7)
    path_m = np.exp(dice.normal(size=20_011))
    labels = np.stack([dice.uniform(0, 1, 20_011), dice.uniform(1, 2, 20_011)], axis=1)
    weights = balanced_weights(path_m, labels, path_m, RULE)
    assert np.abs(weights - 1).max() < 0.25
    assert balanced_weights(path_m[:0], labels[:0], path_m, RULE).shape == (0,)


def test_no_source_counts_more_often_than_allowed():
    path_m, labels = bound_labels(11, 997)
    rule = Balance(most=3.0)
    weights = balanced_weights(path_m, labels, path_m, rule)
    # The mean is one again after the cap, so the cap may be passed by what it took away.
    assert weights.max() < 3.0 * 1.6 < balanced_weights(path_m, labels, path_m, RULE).max() * 1.6
