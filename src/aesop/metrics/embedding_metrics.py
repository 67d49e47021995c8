"""Metrics in an evaluator's space: Fréchet distance, precision, recall, density, coverage, and how
words and shots find each other."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
from jaxtyping import Bool, Float

from aesop.metrics.metric_book import MetricError, require_finite, require_same_count

NEIGHBOURS = 3
CHUNKS = 5
_BLOCK = 1024  # rows compared at a time
RANKS = (1, 5, 10)
POOL, POOL_DRAWS = 32, 20


@dataclass(frozen=True, eq=False)
class Gaussian:
    """Mean and unbiased covariance of so many rows."""

    mean: Float[np.ndarray, " width"]
    covariance: Float[np.ndarray, "width width"]
    count: int


def fit_gaussian(rows: Float[np.ndarray, "rows width"]) -> Gaussian:
    """Refuses fewer rows than a covariance of full rank needs: its distances mean nothing."""
    count, width = rows.shape
    if count <= width:
        raise MetricError(
            f"{count} rows give no covariance of {width} numbers.",
            f"Measure at least {width + 1}.",
        )
    require_finite(rows, "rows")
    rows = rows.astype(np.float64)
    mean = rows.mean(0)
    apart = rows - mean
    return Gaussian(mean, apart.T @ apart / (count - 1), count)


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


@dataclass(frozen=True)
class Prdc:
    """Shares of 1, except density, which may exceed it."""

    precision: float
    recall: float
    density: float
    coverage: float


def prdc(
    reference: Float[np.ndarray, "references width"],
    generated: Float[np.ndarray, "generated width"],
    neighbours: int = NEIGHBOURS,
) -> Prdc:
    """All four over two sets as they are."""
    for what, rows in (("reference", reference), ("generated", generated)):
        require_finite(rows, f"{what} embeddings")
        if len(rows) <= neighbours:
            raise MetricError(
                f"{len(rows)} {what} embeddings have no neighbour number {neighbours}.",
                f"Give at least {neighbours + 1}.",
            )
    # Differences do not change, and squares lose fewer digits near the middle.
    middle = reference.mean(0, dtype=np.float64)
    real, made = reference - middle, generated - middle
    real_reach, made_reach = (_reach(rows, neighbours) for rows in (real, made))
    balls_around = np.zeros(len(made), np.int64)
    recalled, covered = [], []
    for block in _blocks(len(real)):
        squares = _squares(real[block], made)
        inside_real = squares < real_reach[block, None]
        balls_around += inside_real.sum(0)
        covered.append(inside_real.any(1))
        recalled.append((squares < made_reach).any(1))
    return Prdc(
        precision=float((balls_around > 0).mean()),
        recall=float(np.concatenate(recalled).mean()),
        density=float(balls_around.mean() / neighbours),
        coverage=float(np.concatenate(covered).mean()),
    )


def chunked_prdc(
    reference: Float[np.ndarray, "clips width"],
    generated: Float[np.ndarray, "clips width"],
    neighbours: int = NEIGHBOURS,
    chunks: int = CHUNKS,
) -> Prdc:
    """Mean over consecutive chunks, as the lineage reports it: smaller sets, larger balls."""
    sizes = -(-len(reference) // chunks)
    parts = [
        prdc(reference[start : start + sizes], generated[start : start + sizes], neighbours)
        for start in range(0, len(reference), sizes)
    ]
    return Prdc(*np.mean([astuple(part) for part in parts], axis=0).tolist())


def _blocks(rows: int) -> list[slice]:
    return [slice(start, start + _BLOCK) for start in range(0, rows, _BLOCK)]


def _squares(
    first: Float[np.ndarray, "rows width"], second: Float[np.ndarray, "others width"]
) -> Float[np.ndarray, "rows others"]:
    """Squared distances; comparing them spares the roots."""
    lengths = [np.einsum("ij,ij->i", rows, rows) for rows in (first, second)]
    return np.maximum(lengths[0][:, None] + lengths[1] - 2 * (first @ second.T), 0)


def _reach(rows: Float[np.ndarray, "rows width"], neighbours: int) -> Float[np.ndarray, " rows"]:
    """Squared distance to the k-th other row."""
    reach: list[np.ndarray] = []
    for block in _blocks(len(rows)):
        squares = _squares(rows[block], rows)
        within = np.arange(len(squares))
        squares[within, within + block.start] = 0.0
        reach.append(np.partition(squares, neighbours, axis=1)[:, neighbours])
    return np.concatenate(reach)


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


@dataclass(frozen=True)
class RPrecision:
    """Shares of items whose own caption is the first, among the first two, among the first three of
    a pool: its own and others', drawn again and again."""

    top1: float
    top2: float
    top3: float


def r_precision(
    items: Float[np.ndarray, "items width"],
    captions: Float[np.ndarray, "items width"],
    texts: Sequence[str],
    dice: np.random.Generator,
    pool: int = POOL,
) -> RPrecision:
    """Rank captions by cosine. The others of a pool have other texts, each once; ties go against
    us."""
    require_same_count("items and captions", len(items), len(captions))
    different = list(dict.fromkeys(texts))
    if len(different) < pool:
        raise MetricError(
            f"{len(different)} different captions make no pool of {pool}.",
            f"Measure at least {pool} different ones.",
        )
    place = {text: number for number, text in enumerate(different)}
    own = np.array([place[text] for text in texts])
    first = [texts.index(text) for text in different]
    similar = _unit(items, "items") @ _unit(captions, "captions")[first].T
    # Equal cosines are added up in another order where a matrix product is cut in another place.
    rounding = 4 * items.shape[1] * float(np.finfo(np.float64).eps)
    ahead: list[Float[np.ndarray, " items"]] = []
    for _ in range(POOL_DRAWS):
        order = dice.random(similar.shape)
        order[np.arange(len(own)), own] = np.inf
        others = np.argpartition(order, pool - 2, axis=1)[:, : pool - 1]
        rivals = np.take_along_axis(similar, others, axis=1)
        ahead.append((rivals >= similar[np.arange(len(own)), own][:, None] - rounding).sum(1))
    ranks = np.concatenate(ahead)
    return RPrecision(*(float((ranks < rank).mean()) for rank in (1, 2, 3)))


def same_labels(
    queries: Sequence[object], gallery: Sequence[object]
) -> Bool[np.ndarray, "queries gallery"]:
    """Which gallery entries carry a query's label."""
    number = {label: place for place, label in enumerate(dict.fromkeys([*queries, *gallery]))}
    first, second = (np.array([number[label] for label in of]) for of in (queries, gallery))
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
