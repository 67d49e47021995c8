"""The terms of the loss against closed forms."""

import math

import pytest
import torch

from aesop.evaluators.evaluator import Latent
from aesop.evaluators.evaluator_recipes import contrast, divergence
from tests.tolerances import rounded32

# Exponentials, logarithms and sums of seven, of numbers up to ten.
ROUNDING = rounded32(16, 10.0)


def everyone_strange(count: int) -> torch.Tensor:
    return ~torch.eye(count, dtype=torch.bool)


def test_matched_strangers_at_right_angles():
    """Cosine 1 with oneself and 0 with 6 others: log(1 + 6·e^(−1/τ))."""
    rows = torch.eye(7)
    found = contrast(rows, 3 * rows, everyone_strange(7), 0.5)
    assert float(found) == pytest.approx(math.log(1 + 6 * math.exp(-2)), abs=ROUNDING)


def test_all_alike_is_the_logarithm_of_the_count():
    rows = torch.ones(7, 5)
    assert float(contrast(rows, rows, everyone_strange(7), 0.1)) == pytest.approx(
        math.log(7), abs=ROUNDING
    )


def test_those_who_say_the_same_do_not_count():
    rows = torch.ones(7, 5)
    stranger = everyone_strange(7)
    stranger[:3, :3] = False
    wanted = (3 * math.log(5) + 4 * math.log(7)) / 7
    assert float(contrast(rows, rows, stranger, 0.1)) == pytest.approx(wanted, abs=ROUNDING)
    nobody = torch.zeros(7, 7, dtype=torch.bool)
    assert float(contrast(torch.eye(7), torch.eye(7), nobody, 0.1)) == pytest.approx(
        0, abs=ROUNDING
    )


def test_both_directions_count():
    moves, words = torch.eye(3), torch.tensor([[1.0, 0, 0], [0, 1, 0], [1, 1, 1]])
    strange = everyone_strange(3)
    assert float(contrast(moves, words, strange, 0.3)) == pytest.approx(
        float(contrast(words, moves, strange, 0.3)), abs=ROUNDING
    )


def test_divergence_of_gaussians():
    standard = Latent(torch.zeros(2, 3), torch.zeros(2, 3))
    assert float(divergence(standard, None)) == 0
    wide = Latent(torch.zeros(2, 3), torch.full((2, 3), math.log(4.0)))
    assert float(divergence(wide, None)) == pytest.approx((4 - 1 - math.log(4)) / 2, abs=ROUNDING)
    assert float(divergence(standard, wide)) == pytest.approx(
        (1 / 4 - 1 + math.log(4)) / 2, abs=ROUNDING
    )
    moved = Latent(torch.full((2, 3), 3.0), torch.zeros(2, 3))
    assert float(divergence(moved, standard)) == pytest.approx(4.5, abs=ROUNDING)
