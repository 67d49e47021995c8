"""PRDC against the package of its authors, and inputs with known answers."""

import numpy as np
import pytest
from prdc import compute_prdc

from aesop.metrics import embedding_metrics as room
from aesop.metrics.embedding_metrics import chunked_prdc, prdc
from aesop.metrics.metric_book import MetricError
from tests.tolerances import GEOMETRY64


@pytest.mark.parametrize("neighbours", [1, 3, 5])
@pytest.mark.parametrize("shift", [0.0, 0.7])
def test_agrees_with_the_authors(
    neighbours: int, shift: float, monkeypatch: pytest.MonkeyPatch, capsys: object
):
    monkeypatch.setattr(room, "_BLOCK", 31)  # several blocks, the last one smaller
    dice = np.random.default_rng(1)
    reference, generated = dice.normal(size=(113, 7)), dice.normal(size=(89, 7)) * 0.8 + shift
    wanted = compute_prdc(reference, generated, neighbours)
    found = prdc(reference, generated, neighbours)
    assert {name: getattr(found, name) for name in wanted} == pytest.approx(wanted, abs=GEOMETRY64)


def test_a_set_covers_itself():
    rows = np.random.default_rng(2).normal(size=(67, 5)) + 100
    found = prdc(rows, rows)
    assert (found.precision, found.recall, found.coverage) == (1, 1, 1)
    assert found.density >= 1


def test_a_set_far_away_has_nothing():
    rows = np.random.default_rng(3).normal(size=(67, 5))
    found = prdc(rows, rows + 50)
    assert (found.precision, found.recall, found.density, found.coverage) == (0, 0, 0, 0)


def test_one_repeated_answer_is_precise_and_recalls_nothing():
    """Precision and recall are not exchanged: generated shots are the fakes."""
    rows = np.random.default_rng(4).normal(size=(67, 5))
    found = prdc(rows, np.repeat(rows[:1], 61, axis=0))
    assert found.precision == 1
    assert found.recall == 0 and found.coverage < 0.2


def test_repeated_rows_shrink_their_balls_to_nothing():
    """Why every human window counts once: four copies of each leave balls of no size."""
    dice = np.random.default_rng(5)
    reference = dice.normal(size=(53, 5))
    generated = reference + 0.01 * dice.normal(size=(53, 5))
    assert prdc(reference, generated).recall == 1
    assert prdc(np.repeat(reference, 4, axis=0), np.repeat(generated, 4, axis=0)).recall == 0


def test_chunks_are_averaged_in_order():
    dice = np.random.default_rng(6)
    reference, generated = dice.normal(size=(2, 53, 5))
    parts = [prdc(reference[at : at + 11], generated[at : at + 11]) for at in range(0, 53, 11)]
    found = chunked_prdc(reference, generated)
    assert found.recall == pytest.approx(np.mean([it.recall for it in parts]))
    assert found.density == pytest.approx(np.mean([it.density for it in parts]))
    assert found.recall != prdc(reference, generated).recall


def test_too_few_rows_are_refused():
    with pytest.raises(MetricError, match="at least 4"):
        prdc(np.eye(3), np.ones((7, 3)))
