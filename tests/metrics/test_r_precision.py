"""R-precision against spaces whose answers are known."""

import numpy as np
import pytest

from aesop.metrics.embedding_metrics import POOL, r_precision
from aesop.metrics.metric_book import MetricError

ITEMS, WIDTH = 67, 41
TEXTS = [f"caption {number}" for number in range(ITEMS)]


def points(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(ITEMS, WIDTH))


def test_who_lies_on_its_caption_is_found_at_once():
    rows = points(0)
    found = r_precision(rows, 3 * rows, TEXTS, np.random.default_rng(1))
    assert (found.top1, found.top2, found.top3) == (1, 1, 1)


def test_who_lies_opposite_is_never_found():
    rows = points(0)
    found = r_precision(rows, -rows, TEXTS, np.random.default_rng(1), pool=ITEMS)
    assert found.top3 == 0


def test_by_chance_a_caption_is_found_once_in_a_pool():
    found = r_precision(points(0), points(1), TEXTS, np.random.default_rng(1), pool=8)
    # Sixty-seven items in twenty pools that share their items: about 67 independent draws.
    for rank, share in ((1, found.top1), (2, found.top2), (3, found.top3)):
        chance = rank / 8
        assert abs(share - chance) < 4 * np.sqrt(chance * (1 - chance) / ITEMS)


def test_more_ranks_find_more_and_a_larger_pool_finds_less():
    rows = points(0)
    near = rows + 2.0 * points(2)
    small, large = (
        r_precision(near, rows, TEXTS, np.random.default_rng(1), pool=pool) for pool in (5, ITEMS)
    )
    assert small.top1 < small.top2 < small.top3
    assert large.top1 < small.top1


def test_whoever_has_the_same_caption_is_no_rival():
    rows = points(0)
    twins = np.concatenate([rows, rows + 0.01])
    captions = np.concatenate([rows, rows])
    found = r_precision(twins, captions, TEXTS * 2, np.random.default_rng(1), pool=ITEMS)
    assert found.top1 == 1


def test_ties_go_against_us():
    rows = np.ones((ITEMS, WIDTH))
    assert r_precision(rows, rows, TEXTS, np.random.default_rng(1)).top3 == 0


def test_too_few_captions_make_no_pool():
    few = points(0)[: POOL - 1]
    with pytest.raises(MetricError, match=f"pool of {POOL}"):
        r_precision(few, few, TEXTS[: POOL - 1], np.random.default_rng(1))
