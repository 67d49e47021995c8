"""Precision, recall, density and coverage of generated against reference vectors.

Euclidean balls around each vector reach to its k-th neighbour, itself not counted; a vector on the
edge of a ball is outside. Two peers exchange the roles of the sets or take recall along the wrong
axis; this follows the definition.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from aesop.metrics.refusal import MetricError, require_finite

NEIGHBOURS = 3
CHUNKS = 5
_BLOCK = 1024  # rows compared at a time


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
    values = [(it.precision, it.recall, it.density, it.coverage) for it in parts]
    return Prdc(*np.mean(values, axis=0).tolist())


def _blocks(rows: int) -> list[slice]:
    return [slice(start, start + _BLOCK) for start in range(0, rows, _BLOCK)]


def _squares(
    first: Float[np.ndarray, "rows width"], second: Float[np.ndarray, "others width"]
) -> Float[np.ndarray, "rows others"]:
    """Squared distances; comparing them spares the roots."""
    lengths = [np.einsum("ij,ij->i", it, it) for it in (first, second)]
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
