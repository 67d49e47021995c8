"""Direction accuracy and the intensity scan."""

import numpy as np
import pytest

from aesop.metrics.intensity_scan import (
    SCAN,
    TRAVELLING_M,
    intensity_facts,
    relative_travel,
    response_of,
)
from aesop.metrics.metric_book import MetricError
from aesop.metrics.movement_metrics import clip_direction_accuracy, direction_accuracy, has_reverse
from aesop.scene.movement import TAG_NAMES
from tests.tolerances import GEOMETRY64


def tags(*parts: tuple[str, int]) -> np.ndarray:
    return np.concatenate([np.full(count, TAG_NAMES.index(name)) for name, count in parts])


def test_the_reference_is_right_and_its_mirror_is_right_for_reversed_words():
    reference = tags(("trucking_right", 31), ("static", 11), ("push_in", 29))
    mirror = tags(("trucking_left", 31), ("static", 11), ("pull_out", 29))
    accuracy = direction_accuracy([reference], [reference], [mirror])
    assert accuracy.original == accuracy.reversed == accuracy.combined == 1
    wrong = direction_accuracy([reference], [mirror], [reference])
    assert wrong.combined == 0


def test_standing_still_is_wrong_and_idle_times_do_not_count():
    reference = tags(("trucking_right", 30), ("static", 50), ("push_in", 10))
    half = tags(("trucking_right", 30), ("boom_top", 50), ("static", 10))
    assert clip_direction_accuracy(reference, half, is_reversed=False) == 30 / 40
    still = tags(("static", 90))
    assert clip_direction_accuracy(reference, still, is_reversed=False) == 0
    assert clip_direction_accuracy(reference, still, is_reversed=True) == 0


def test_axes_are_counted_one_by_one():
    reference = tags(("trucking_right+boom_top", 20))
    shown = tags(("trucking_right+boom_bottom", 20))
    assert clip_direction_accuracy(reference, shown, is_reversed=False) == 0.5
    assert clip_direction_accuracy(reference, shown, is_reversed=True) == 0.5


def test_clips_weigh_the_same_whatever_their_length():
    short, long = tags(("push_in", 10)), tags(("push_in", 90))
    accuracy = direction_accuracy([short, long], [short, tags(("static", 90))], [short, long])
    assert accuracy.original.mean() == 0.5


def test_static_references_are_refused():
    still = tags(("static", 7))
    with pytest.raises(MetricError, match="reference moves"):
        direction_accuracy([still], [still], [still])
    assert np.isnan(clip_direction_accuracy(still, still, is_reversed=False))
    with pytest.raises(MetricError, match="7 and 9"):
        clip_direction_accuracy(still, tags(("push_in", 9)), is_reversed=False)


def test_captions_without_direction_have_no_reverse():
    assert has_reverse(["trucks left"], ["trucks right"])
    assert not has_reverse(["holds still"], ["holds still"])
    assert not has_reverse([], [])


def test_the_scan_of_the_paper():
    assert len(SCAN) == 11 and SCAN[0] == 0.5 and SCAN[5] == 1.0 and SCAN[-1] == 1.5


def test_a_camera_that_obeys():
    base = np.array([0.7, 1.3, 2.9])
    travel = base[:, None] * np.array(SCAN)
    facts = intensity_facts(travel, travel / 2, base, base)
    assert facts.monotone.path == facts.monotone.net == facts.monotone.endpoint_path == 1
    assert facts.response.slope == pytest.approx(1) and facts.response.clips == 3
    assert facts.response.mean_absolute_error == pytest.approx(0, abs=GEOMETRY64)
    assert facts.path_m[0] == pytest.approx(base.mean() / 2)


def test_a_deaf_camera_is_monotone_but_does_not_respond():
    facts = intensity_facts(np.ones((5, 11)), np.ones((5, 11)), np.ones(5), np.ones(5))
    assert facts.monotone.path == 1
    assert facts.response.slope == pytest.approx(0, abs=GEOMETRY64)
    # Mean of |1 − a| over the ten values that are not 1.
    assert facts.response.mean_absolute_error == pytest.approx(0.3)


def test_one_fall_in_ten_intervals_breaks_it_and_rounding_does_not():
    travel = np.repeat(np.array(SCAN)[None], 7, axis=0)
    travel[0, 3] -= 0.2
    travel[1] = 1.0
    travel[1, 4] -= 9e-7
    nets = np.array([0.1, 0.3, 0.3, 0.3, 0.3, 0.1, 0.1])
    facts = intensity_facts(travel, travel, nets, nets)
    assert facts.monotone.path == pytest.approx(6 / 7)
    assert facts.monotone.path_moving == 1 and facts.moving_clips == 4
    assert facts.monotone.endpoint_path == 1


def test_clips_that_hardly_move_do_not_count_in_the_response():
    travel = np.array([[0.1] * 11, list(SCAN)])
    assert response_of(travel).clips == 1
    assert np.isnan(response_of(travel[:1]).slope)


def test_relative_travel_is_a_ratio_of_means():
    """A path of length b·(c + (1 − c)·a) answers a with c + (1 − c)·a, whatever the b."""
    base, deafness = np.array([0.5, 1.1, 1.7, 2.3, 4.9]), 0.3
    travel = base[:, None] * (deafness + (1 - deafness) * np.array(SCAN))
    found = relative_travel(travel)
    assert found.relative == pytest.approx([0.3 + 0.7 * value for value in SCAN])
    assert found.path_m[5] == pytest.approx(base.mean()) and found.clips == 5
    # Every clip answers alike, so it does not matter which are drawn.
    for value, interval in zip(found.relative, found.intervals, strict=True):
        assert (interval.low, interval.high) == pytest.approx((value, value))
    # One that does not answer pulls the ratio down by its share of the whole way, not of the clips.
    travel[4] = base[4]
    mixed = relative_travel(travel)
    share = base[:4].sum() / base.sum()
    assert mixed.relative[-1] == pytest.approx(1 + 0.35 * share)
    assert mixed.intervals[-1].low < mixed.relative[-1] < mixed.intervals[-1].high


def test_only_clips_whose_reference_travels_are_asked():
    travel = np.array([1.0, 2.0, 3.0])[:, None] * np.array(SCAN)
    travel[0] = 1.0
    paths = np.array([TRAVELLING_M - 1e-6, TRAVELLING_M, 1.0])
    facts = intensity_facts(travel, travel, paths, paths)
    assert facts.travel.clips == 2 and facts.travel.relative[0] == pytest.approx(0.5)
    nobody = intensity_facts(travel, travel, paths, np.zeros(3)).travel
    assert nobody.clips == 0 and all(np.isnan(nobody.relative))


def test_an_incomplete_scan_is_refused():
    with pytest.raises(MetricError, match="every intensity"):
        intensity_facts(np.ones((5, 7)), np.ones((5, 7)), np.ones(5), np.ones(5))
