"""How well shots and words find each other in an evaluator's space."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from aesop.metrics.refusal import MetricError, require_finite, require_same_count

RANKS = (1, 5, 10)


def cosines(
    shots: Float[np.ndarray, "shots width"], words: Float[np.ndarray, "captions width"]
) -> Float[np.ndarray, " shots"]:
    """Cosine between each shot and its own words."""
    require_same_count("shots and captions", len(shots), len(words))
    first, second = (_unit(rows, what) for rows, what in ((shots, "shots"), (words, "captions")))
    return (first * second).sum(1)


def alignment_score(own: Float[np.ndarray, " clips"]) -> float:
    """CLaTr and TMR score: 100 times the mean cosine, the *mean* clamped at zero, not its terms."""
    return max(0.0, 100.0 * float(own.mean()))


@dataclass(frozen=True)
class Retrieval:
    """Shares of queries whose answer is among the first 1, 5 and 10."""

    top1: float
    top5: float
    top10: float


def retrieval(
    queries: Float[np.ndarray, "queries width"],
    gallery: Float[np.ndarray, "gallery width"],
    is_right: Bool[np.ndarray, "queries gallery"],
) -> Retrieval:
    """Rank the gallery by cosine; a query is answered by any of its right entries."""
    if not is_right.any(1).all():
        raise MetricError(
            "Some queries have no right answer in the gallery.", "Leave those queries out."
        )
    similar = _unit(queries, "queries") @ _unit(gallery, "gallery").T
    best = np.where(is_right, similar, -np.inf).max(1)
    # Ties go against us: an answer counts only if fewer than `rank` others are as close.
    ahead = ((similar >= best[:, None]) & ~is_right).sum(1)
    return Retrieval(*(float((ahead < rank).mean()) for rank in RANKS))


def same_labels(
    queries: Sequence[object], gallery: Sequence[object]
) -> Bool[np.ndarray, "queries gallery"]:
    """Which gallery entries carry a query's label."""
    number = {label: place for place, label in enumerate(dict.fromkeys([*queries, *gallery]))}
    first, second = (np.array([number[it] for it in them]) for them in (queries, gallery))
    return first[:, None] == second


def _unit(rows: Float[np.ndarray, "rows width"], what: str) -> Float[np.ndarray, "rows width"]:
    require_finite(rows, what)
    rows = rows.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if bool((lengths == 0).any()):
        raise MetricError(
            f"Some embeddings of {what} are zero and point nowhere.", "Encode them again."
        )
    return rows / lengths
