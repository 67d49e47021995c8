"""Fréchet distance against closed forms."""

import numpy as np
import pytest
from scipy.linalg import sqrtm

from aesop.metrics.embedding_metrics import Gaussian, fit_gaussian, frechet_distance
from aesop.metrics.metric_book import MetricError
from tests.tolerances import SOLVED64, rounded64


def test_equal_sets_are_no_distance_apart():
    rows = np.random.default_rng(1).normal(size=(101, 17)) * 5
    fitted = fit_gaussian(rows)
    assert abs(frechet_distance(fitted, fitted)) < SOLVED64


def test_moved_set_is_the_square_of_the_move_away():
    rows = np.random.default_rng(2).normal(size=(101, 7))
    moved = rows + np.array([3.0, 0, 0, 4.0, 0, 0, 0])
    assert frechet_distance(fit_gaussian(rows), fit_gaussian(moved)) == pytest.approx(
        25, abs=SOLVED64
    )


def test_commuting_covariances_have_a_closed_form():
    """For diagonal covariances the distance is Σ (√a − √b)² beside the means'."""
    first, second = np.array([4.0, 9.0, 0.25]), np.array([1.0, 16.0, 0.0])
    found = frechet_distance(
        Gaussian(np.zeros(3), np.diag(first), 99),
        Gaussian(np.array([0.0, 0.0, 2.0]), np.diag(second), 99),
    )
    assert found == pytest.approx(1 + 1 + 0.25 + 4, abs=rounded64(3, 16.0) ** 0.5)


def test_any_covariances_agree_with_the_matrix_square_root():
    dice = np.random.default_rng(3)
    sets = [dice.normal(size=(53, 11)) @ dice.normal(size=(11, 11)) for _ in range(2)]
    first, second = (fit_gaussian(rows) for rows in sets)
    covariances = [np.cov(rows.T) for rows in sets]
    root = sqrtm(covariances[0] @ covariances[1])
    apart = sets[0].mean(0) - sets[1].mean(0)
    wanted = apart @ apart + np.trace(covariances[0] + covariances[1] - 2 * np.real(root))
    assert frechet_distance(first, second) == pytest.approx(wanted, rel=10 * SOLVED64)
    assert frechet_distance(second, first) == pytest.approx(wanted, rel=10 * SOLVED64)


def test_single_precision_input_is_summed_in_double():
    rows = np.random.default_rng(4).normal(size=(997, 3)).astype(np.float32)
    far = rows + np.float32(1e4)
    assert frechet_distance(fit_gaussian(far), fit_gaussian(far)) == pytest.approx(0, abs=SOLVED64)
    assert fit_gaussian(far).covariance == pytest.approx(
        np.cov(far.T.astype(float)), abs=rounded64(450, 1e4)
    )


@pytest.mark.parametrize("rows", [1, 7, 13])
def test_too_few_rows_are_refused(rows: int):
    with pytest.raises(MetricError, match="at least 14"):
        fit_gaussian(np.ones((rows, 13)))


def test_missing_numbers_are_refused():
    rows = np.random.default_rng(5).normal(size=(29, 3))
    rows[17, 1] = np.nan
    with pytest.raises(MetricError, match="first: 17"):
        fit_gaussian(rows)
