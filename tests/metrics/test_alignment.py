"""Scores and retrieval on vectors with known angles."""

import numpy as np
import pytest

from aesop.metrics.embedding_metrics import alignment_score, cosines, retrieval, same_labels
from aesop.metrics.metric_book import MetricError


def test_score_is_a_hundred_for_the_same_direction_and_zero_for_the_opposite():
    rows = np.random.default_rng(1).normal(size=(11, 7))
    assert alignment_score(cosines(rows, 3 * rows)) == pytest.approx(100)
    assert alignment_score(cosines(rows, -rows)) == 0


def test_the_mean_is_clamped_and_not_its_terms():
    shots = np.array([[1.0, 0], [1, 0]])
    words = np.array([[1.0, 0], [-0.5, np.sqrt(0.75)]])
    assert alignment_score(cosines(shots, words)) == pytest.approx(25)


def test_retrieval_finds_what_is_there():
    dice = np.random.default_rng(2)
    rows = dice.normal(size=(23, 17))
    right = np.eye(23, dtype=bool)
    found = retrieval(rows, rows + 0.01 * dice.normal(size=rows.shape), right)
    assert (found.top1, found.top5, found.top10) == (1, 1, 1)
    turned = retrieval(rows, np.roll(rows, 1, axis=0), right)
    assert turned.top1 == 0 and turned.top10 < 0.9


def test_retrieval_counts_places():
    """The right answer of query k stands at place k + 1."""
    gallery = np.stack([[np.cos(it), np.sin(it)] for it in np.linspace(0, 1.5, 13)])
    queries = np.repeat(gallery[:1], 13, axis=0)
    found = retrieval(queries, gallery, np.eye(13, dtype=bool))
    assert (found.top1, found.top5, found.top10) == pytest.approx((1 / 13, 5 / 13, 10 / 13))


def test_ties_do_not_help():
    same = np.ones((5, 3))
    assert retrieval(same, same, np.eye(5, dtype=bool)).top1 == 0
    assert retrieval(same, same, np.eye(5, dtype=bool)).top5 == 1


def test_labels_make_every_equal_caption_right():
    right = same_labels(["a", "b"], ["b", "a", "a"])
    assert right.tolist() == [[False, True, True], [True, False, False]]


def test_refusals():
    with pytest.raises(MetricError, match="3 and 2"):
        cosines(np.ones((3, 5)), np.ones((2, 5)))
    with pytest.raises(MetricError, match="point nowhere"):
        cosines(np.zeros((3, 5)), np.ones((3, 5)))
    with pytest.raises(MetricError, match="no right answer"):
        retrieval(np.ones((2, 5)), np.ones((2, 5)), np.zeros((2, 2), bool))
