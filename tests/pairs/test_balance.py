"""Weights under which labels and kinds say nothing of how far a source went."""

from dataclasses import replace

import numpy as np
import pytest

from aesop.pairs.pair_recipe import Balance
from aesop.pairs.shot_arrays import taken
from aesop.pairs.transforms import Ways, balanced_weights, durations, movement_kinds

RULE = Balance()
KINDS = 3
DURATIONS = 2


def bound_labels(seed: int, sources: int) -> tuple[Ways, np.ndarray]:
    """Ways of three kinds and two durations, and labels mostly nearer to one for longer ways, the
    more so in short shots, as gates leave them."""
    dice = np.random.default_rng(seed)
    kind = dice.integers(0, KINDS, sources)
    duration = dice.integers(0, DURATIONS, sources)
    path_m = np.exp(dice.normal(0.5 + 0.3 * kind, 0.8))
    bound = np.where(duration == 0, 3.0, 1.0) * path_m
    room = np.where(
        dice.random(sources) < 0.3,
        dice.random(sources),
        1 / (1 + bound * dice.uniform(0.2, 2.0, sources)),
    )
    labels = np.stack([1 - 0.9 * room, 1 + 0.9 * room], axis=1)
    return Ways(path_m, *_anywhere(dice, sources), kind, duration), labels


def _anywhere(dice: np.random.Generator, shots: int) -> tuple[np.ndarray, np.ndarray]:
    """Distances at the start and where it is nearest that have to do with nothing."""
    start_m = np.exp(dice.normal(1.3, 0.5, shots))
    return start_m, start_m * dice.uniform(0.3, 1.0, shots)


def by_label(values: np.ndarray, weights: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Weighted means over quarters of the labels."""
    quarter = np.digitize(labels, np.quantile(labels, [0.25, 0.5, 0.75]))
    return np.array(
        [np.average(values[quarter == q], weights=weights[quarter == q]) for q in range(4)]
    )


def by_kind(ways: Ways, weights: np.ndarray) -> np.ndarray:
    return np.array(
        [
            np.average(np.log(ways.path_m[ways.kind == k]), weights=weights[ways.kind == k])
            for k in range(KINDS)
        ]
    )


def test_sources_of_every_label_travel_like_all_of_them():
    ways, labels = bound_labels(3, 20_011)
    weights = balanced_weights(ways, labels, ways, RULE)
    assert weights.mean() == pytest.approx(1) and weights.min() > 0
    own = np.log(ways.path_m) - by_kind(ways, np.ones(len(weights)))[ways.kind]
    for side in labels.T:
        for lasting in range(DURATIONS):
            it = ways.duration == lasting
            before = by_label(own[it], np.ones(it.sum()), side[it])
            after = by_label(own[it], weights[it], side[it])
            assert np.abs(before).max() > 0.4
            assert np.abs(after).max() < 0.12


def test_travel_of_targets_grows_with_the_label_once_weighed():
    ways, labels = bound_labels(5, 20_011)
    stronger = labels[:, 1]
    weights = balanced_weights(ways, labels, ways, RULE)
    flat = by_label(ways.path_m * stronger, np.ones(len(weights)), stronger)
    risen = by_label(ways.path_m * stronger, weights, stronger)
    asked = by_label(stronger, weights, stronger)
    assert flat[-1] < flat[0], "as they are, more asked for is less travelled"
    # Twenty thousand draws in a handful of classes: a standard error of 0.03.
    np.testing.assert_allclose(risen / risen.mean(), asked / asked.mean(), atol=0.12)


@pytest.mark.parametrize("measure", ["start_m", "nearest_m"])
def test_sources_of_every_label_stand_where_all_shots_of_their_kind_stand(measure: str):
    """As gates leave them: the farther from the person, the farther from one may labels be; and of
    the second kind mostly shots from afar are sources."""
    everyone, _ = bound_labels(37, 40_009)
    dice = np.random.default_rng(41)
    far = np.log(getattr(everyone, measure))
    room = 1 / (1 + np.exp(-1.2 * (far - far.mean()) + dice.normal(0, 1.0, len(far))))
    labels = np.stack([1 - 0.9 * room, 1 + 0.9 * room], axis=1)
    chance = np.where(everyone.kind == 1, np.where(far > far.mean(), 0.8, 0.2), 0.5)
    is_source = dice.random(len(far)) < chance
    sources, labels, own = (
        taken(everyone, np.flatnonzero(is_source)), labels[is_source], far[is_source] - far.mean()
    )  # fmt: skip
    weights = balanced_weights(sources, labels, everyone, RULE)
    for kind in range(KINDS):
        it = sources.kind == kind
        for side in labels.T:
            before = by_label(own[it], np.ones(it.sum()), side[it])
            after = by_label(own[it], weights[it], side[it])
            assert np.abs(before).max() > 0.3
            assert np.abs(after).max() < 0.07


def test_sources_of_a_kind_travel_like_all_shots_of_it():
    everyone, labels = bound_labels(13, 40_009)
    dice = np.random.default_rng(17)
    # Of the second kind mostly long ways are sources, of the last no short one.
    chance = np.where(everyone.kind == 1, np.where(everyone.path_m > 3, 0.9, 0.1), 0.5)
    chance = np.where((everyone.kind == 2) & (everyone.path_m < 2), 0, chance)
    is_source = dice.random(len(labels)) < chance
    sources = taken(everyone, np.flatnonzero(is_source))
    weights = balanced_weights(sources, labels[is_source], everyone, RULE)
    true = by_kind(everyone, np.ones(len(labels)))
    plain = by_kind(sources, np.ones(len(weights)))
    weighed = by_kind(sources, weights)
    assert plain[1] > true[1] + 0.5 and plain[2] > true[2] + 0.1
    # As many draws as clips of a kind: a standard error of 0.02.
    np.testing.assert_allclose(weighed[:2], true[:2], atol=0.06)
    # The shortest ways that are sources stand for those that are not.
    own = everyone.path_m[everyone.kind == 2]
    edges = np.quantile(own, np.linspace(0, 1, RULE.travel_bins + 1))
    shortest = edges[np.searchsorted(edges, 2.0)]
    below = sources.path_m[sources.kind == 2] < shortest
    share = np.average(below, weights=weights[sources.kind == 2])
    # Some thousand clips of a kind: three standard errors.
    assert share == pytest.approx((own < shortest).mean(), abs=0.02) and share > 0.2


def test_sources_of_a_duration_travel_like_all_shots_that_last_as_long():
    """Long shots go farther; of the short ones mostly long ways are sources."""
    everyone, labels = bound_labels(29, 40_009)
    everyone = replace(everyone, path_m=everyone.path_m * (1 + 2 * everyone.duration))
    short = everyone.duration == 0
    chance = np.where(short, np.where(everyone.path_m > 2, 0.9, 0.1), 0.5)
    is_source = np.random.default_rng(31).random(len(labels)) < chance
    sources = taken(everyone, np.flatnonzero(is_source))
    weights = balanced_weights(sources, labels[is_source], everyone, RULE)
    for lasting in range(DURATIONS):
        own, all_ = sources.duration == lasting, everyone.duration == lasting
        true = np.log(everyone.path_m[all_]).mean()
        weighed = np.average(np.log(sources.path_m[own]), weights=weights[own])
        # Weights are even within a bin of travel, and bins have a width.
        assert weighed == pytest.approx(true, abs=0.08)
    assert (
        np.log(sources.path_m[sources.duration == 0]).mean()
        > 0.4 + np.log(everyone.path_m[short]).mean()
    )


def test_a_kind_whose_sources_are_exceptions_is_left_out():
    everyone, labels = bound_labels(19, 9_973)
    resting = everyone.kind == 0
    path_m = np.where(resting, 0.001 * everyone.path_m, everyone.path_m)
    path_m[np.flatnonzero(resting)[::29]] = 2.0
    is_source = path_m > 0.4
    everyone = replace(everyone, path_m=path_m)
    sources = taken(everyone, np.flatnonzero(is_source))
    weights = balanced_weights(sources, labels[is_source], everyone, RULE)
    assert (weights[sources.kind == 0] == 0).all() and (weights[sources.kind > 0] > 0).all()
    assert weights.mean() == pytest.approx(1)


def test_labels_that_know_nothing_leave_all_weights_near_one():
    dice = np.random.default_rng(7)
    kind, duration = dice.integers(0, KINDS, 80_021), dice.integers(0, DURATIONS, 80_021)
    path_m = np.exp(dice.normal(size=80_021))
    ways = Ways(path_m, *_anywhere(dice, 80_021), kind, duration)
    labels = np.stack([dice.uniform(0, 1, 80_021), dice.uniform(1, 2, 80_021)], axis=1)
    weights = balanced_weights(ways, labels, ways, RULE)
    assert weights.std() < 0.1
    nobody = taken(ways, np.arange(0))
    assert balanced_weights(nobody, labels[:0], ways, RULE).shape == (0,)


def test_no_source_counts_more_often_than_allowed():
    ways, labels = bound_labels(11, 997)
    rule = Balance(most=3.0)
    weights = balanced_weights(ways, labels, ways, rule)
    # The mean is one again after the cap, so the cap may be passed by what it took away.
    assert weights.max() < 3.0 * 1.6 < balanced_weights(ways, labels, ways, RULE).max() * 1.6


def test_durations_are_equally_frequent_and_grow_with_length():
    frames = np.random.default_rng(23).permutation(np.arange(31, 31 + 8 * 97))
    classes = durations(frames, RULE)
    assert np.bincount(classes).tolist() == [97] * RULE.duration_bins
    assert (np.diff(classes[np.argsort(frames)]) >= 0).all()


def test_mirrored_movements_are_one_kind_toward_and_away_are_two():
    """Eleven shots of six kinds: what is left or right, up or down does not matter."""
    right, left, push, pull, up, down = 9, 18, 1, 2, 6, 3
    movements = [
        [right] * 7, [left] * 7, [right + up] * 7, [left + down] * 7, [push] * 7, [pull] * 7,
        [right] * 5 + [0] * 2, [left] * 5 + [push] * 2, [right] * 6 + [0], [0] * 7, [left] * 7,
    ]  # fmt: skip
    tags = [np.array(it, np.uint8) for it in movements]
    kinds = movement_kinds(tags, RULE).tolist()
    same = [(0, 1), (0, 10), (0, 8), (2, 3), (6, 7)]
    different = [(0, 2), (0, 4), (4, 5), (0, 6), (0, 9), (4, 9)]
    assert all(kinds[a] == kinds[b] for a, b in same)
    assert all(kinds[a] != kinds[b] for a, b in different)
    assert sorted(set(kinds)) == list(range(6))
