"""Fréchet distance between two sets of vectors, each taken as a Gaussian. All in float64."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from aesop.metrics.refusal import MetricError, require_finite


@dataclass(frozen=True, eq=False)
class Gaussian:
    """Mean and unbiased covariance of so many rows."""

    mean: Float[np.ndarray, " width"]
    covariance: Float[np.ndarray, "width width"]
    count: int


def fit_gaussian(rows: Float[np.ndarray, "rows width"]) -> Gaussian:
    """Refuses fewer rows than a covariance of full rank needs: its distances mean nothing."""
    require_enough(*rows.shape)
    require_finite(rows, "rows")
    rows = rows.astype(np.float64)
    mean = rows.mean(0)
    apart = rows - mean
    return Gaussian(mean, apart.T @ apart / (len(rows) - 1), len(rows))


def require_enough(rows: int, width: int) -> None:
    """A covariance of full rank needs more rows than columns."""
    if rows <= width:
        raise MetricError(
            f"{rows} rows give no covariance of {width} numbers.",
            f"Measure at least {width + 1}.",
        )


def frechet_distance(first: Gaussian, second: Gaussian) -> float:
    """‖Δμ‖² + tr Σ₁ + tr Σ₂ − 2 tr (Σ₁^½ Σ₂ Σ₁^½)^½. The square, as the field reports it.

    The middle product is symmetric, so its eigenvalues are real and a stable solver finds them.
    """
    apart = first.mean - second.mean
    root = _square_root(first.covariance)
    eigenvalues = np.linalg.eigvalsh(root @ second.covariance @ root)
    overlap = np.sqrt(np.maximum(eigenvalues, 0)).sum()  # rounding leaves some at −1e-17
    traces = np.trace(first.covariance) + np.trace(second.covariance)
    return float(apart @ apart + traces - 2 * overlap)


def _square_root(covariance: Float[np.ndarray, "width width"]) -> Float[np.ndarray, "width width"]:
    values, vectors = np.linalg.eigh(covariance)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
