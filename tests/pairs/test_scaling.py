"""Intensity: exact at one, smooth part by a, rough part never more than once; labels and ranks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aesop.pairs.pair_recipe import Labels
from aesop.pairs.shot_arrays import dynamics, quantile, smoothed
from aesop.pairs.transforms import Side, hash_rank, proposed_labels, scaled, scaled_ways
from tests.pairs.makers import smooth_noise
from tests.tolerances import GEOMETRY64

TAPS = 11


def shaky_way(seed: int, frames: int) -> np.ndarray:
    dice = np.random.default_rng(seed)
    jitter = dice.standard_normal((frames, 3)) * 0.01
    return smooth_noise(dice, frames, 0.5) + jitter + np.array([1.3, -4.1, 1.7])


INTENSITY = st.floats(0.01, 1.99)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([2, 7, 31, 101]))
def test_one_returns_the_way_bit_for_bit(seed: int, frames: int):
    way = shaky_way(seed, frames)
    assert scaled_ways(way, [1.0], TAPS)[0].tobytes() == way.tobytes()


def test_the_formula_alone_would_not():
    """Why the case of one is written out: sums of differences round."""
    way = shaky_way(3, 101)
    almost = scaled_ways(way, [np.nextafter(1.0, 2.0)], TAPS)[0]
    assert almost.tobytes() != way.tobytes() and np.abs(almost - way).max() < GEOMETRY64


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), INTENSITY)
def test_smooth_part_scales_by_a_and_the_rest_by_at_most_one(seed: int, a: float):
    way = shaky_way(seed, 67)
    smooth = smoothed(way[None], np.array([67]), TAPS)[0]
    rough = way - smooth
    moved = scaled_ways(way, [a], TAPS)[0]
    assert np.array_equal(moved[0], way[0])
    wanted = way[0] + a * (smooth - smooth[0]) + min(a, 1.0) * (rough - rough[0])
    if a != 1.0:
        assert np.array_equal(moved, wanted)
    rest = moved - moved[0] - a * (smooth - smooth[0])
    assert np.abs(rest).max() <= np.abs(rough - rough[0]).max() + GEOMETRY64


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.01, 0.99))
def test_below_one_the_whole_way_shrinks(seed: int, a: float):
    way = shaky_way(seed, 43)
    assert np.abs(scaled_ways(way, [a], TAPS)[0] - (way[0] + a * (way - way[0]))).max() < GEOMETRY64


def test_the_filter_is_triangular_and_mirrors_without_repeating_the_end():
    impulse = np.zeros((1, 31, 3))
    impulse[0, 15] = 36.0
    found = smoothed(impulse, np.array([31]), TAPS)[0, :, 0]
    assert found[10:21] == pytest.approx([1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1])
    assert found[:10].sum() == found[21:].sum() == 0
    way = shaky_way(1, 19)
    mirrored = np.concatenate([way[5:0:-1], way, way[-2:-7:-1]])
    weights = np.array([1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]) / 36
    wanted = np.stack([np.convolve(mirrored[:, i], weights, "valid") for i in range(3)], axis=1)
    assert np.abs(smoothed(way[None], np.array([19]), TAPS)[0] - wanted).max() < GEOMETRY64


@pytest.mark.parametrize("frames", [1, 2, 3, 5, 17])
def test_padding_and_neighbours_reach_nothing(frames: int):
    way = shaky_way(frames, frames)
    alone = smoothed(way[None], np.array([frames]), TAPS)[0]
    padded = np.full((2, 23, 3), 9.9)
    padded[1, :frames] = way
    both = smoothed(padded, np.array([23, frames]), TAPS)
    assert np.array_equal(both[1, :frames], alone)
    smooth = smoothed(padded, np.array([23, frames]), TAPS)
    moved = scaled(padded, smooth, np.array([0.7, 1.3]))[1, :frames]
    assert np.array_equal(moved, scaled_ways(way, [1.3], TAPS)[0])


def test_quantiles_are_numpys_on_every_row():
    dice = np.random.default_rng(0)
    values, counts = dice.random((7, 29)), np.array([29, 1, 2, 13, 0, 28, 5])
    found = quantile(values, counts, 0.95)
    for row, count in enumerate(counts.tolist()):
        wanted = np.quantile(values[row, :count], 0.95) if count else 0.0
        assert found[row] == pytest.approx(wanted, abs=GEOMETRY64)


def test_dynamics_of_a_cubic_way_in_closed_form():
    frame = np.arange(41.0)
    way = np.zeros((1, 47, 3))
    way[0, :41, 0] = 0.001 * frame**3
    way[0, 41:] = 99.0
    found = dynamics(way, np.array([41]))
    assert found.jerk[0] == pytest.approx(0.006, abs=GEOMETRY64)
    assert found.acceleration[0] == pytest.approx(np.quantile(0.006 * (frame[:39] + 1), 0.95))
    steps = np.diff(0.001 * frame**3)
    assert found.speed[0] == pytest.approx(np.quantile(steps, 0.95))


def test_labels_lie_inside_their_side_and_near_one_more_often():
    names = [f"shot_{i}" for i in range(2_500)]
    sides: tuple[tuple[Side, float, tuple[float, ...]], ...] = (
        ("weaker", 0.0, (0.1, 0.2, 0.3, 0.4)),
        ("stronger", 1.0, (0.4, 0.3, 0.2, 0.1)),
    )
    for side, start, chances in sides:
        labels = np.array([proposed_labels(name, side, Labels(), "salt") for name in names])
        assert labels.shape == (2_500, 8)
        assert (labels > start).all() and (labels < start + 1).all()
        shares = np.histogram(labels - start, bins=4, range=(0, 1))[0] / labels.size
        assert shares == pytest.approx(chances, abs=0.01)  # 3 standard errors of 20,000 draws
        within = (labels - start) * 4 % 1
        # Four standard errors of 20,000 even draws.
        assert within.mean() == pytest.approx(0.5, abs=0.008)
        # Tries are drawn anew: two of one source are no more alike than those of two sources.
        assert abs(np.corrcoef(labels[:, 0], labels[:, 1])[0, 1]) < 0.06


def test_labels_keep_their_distance_from_one_and_their_order():
    plain, pushed = Labels(), Labels(nearest=0.15)
    names = [f"shot {number}" for number in range(997)]
    for side, sign in (("weaker", -1), ("stronger", 1)):
        old, new = (
            np.array([proposed_labels(name, side, it, "salt") for name in names])  # pyright: ignore[reportArgumentType]
            for it in (plain, pushed)
        )
        distance = sign * (new - 1)
        np.testing.assert_allclose(distance, 0.15 + 0.85 * sign * (old - 1), atol=GEOMETRY64)
        assert distance.min() > 0.15 and distance.max() < 1


def test_only_labels_above_one_reach_farther_when_they_may():
    plain, far = Labels(nearest=0.15), Labels(nearest=0.15, strongest=2.75)
    for name in (f"shot {number}" for number in range(53)):
        assert proposed_labels(name, "weaker", far, "") == proposed_labels(
            name, "weaker", plain, ""
        )
        near_, far_ = (np.array(proposed_labels(name, "stronger", it, "")) for it in (plain, far))
        np.testing.assert_allclose((far_ - 1.15) / 1.60, (near_ - 1.15) / 0.85, atol=GEOMETRY64)


def test_labels_depend_on_the_name_alone():
    labels = Labels()
    assert proposed_labels("a", "weaker", labels, "s") == proposed_labels(
        "a", "weaker", labels, "s"
    )
    others = [
        proposed_labels("b", "weaker", labels, "s"),
        proposed_labels("a", "weaker", labels, "t"),
        [label - 1 for label in proposed_labels("a", "stronger", labels, "s")],
    ]
    assert all(other != proposed_labels("a", "weaker", labels, "s") for other in others)


def test_ranks_are_a_shuffle_that_ignores_order_and_company():
    names = [f"{i:03d}" for i in range(211)]
    ranked = [names[at] for at in hash_rank(names, "salt")]
    assert sorted(ranked) == names and ranked != names
    backwards = names[::-1]
    assert [backwards[at] for at in hash_rank(backwards, "salt")] == ranked
    some = names[::3]
    assert [some[at] for at in hash_rank(some, "salt")] == [it for it in ranked if it in some]
    assert [names[at] for at in hash_rank(names, "pepper")] != ranked
