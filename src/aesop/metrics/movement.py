"""Movement-caption F1: the movement classes a camera path shows against those that were asked for.

Every frame transition of every clip is one vote; the mean over classes is weighted by how often
each was asked for (the published number), or plain (macro), which static shots cannot dominate.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64, Integer

from aesop.metrics.refusal import MetricError, require_same_count
from aesop.scene.movement import CLASSES


@dataclass(frozen=True)
class MovementF1:
    """Shares of 1. Macro is over the classes that occur in either."""

    weighted: float
    macro: float


def clip_table(
    target: Integer[np.ndarray, " transitions"], found: Integer[np.ndarray, " found"]
) -> Int64[np.ndarray, "27 27"]:
    """How often each class (rows: asked for, columns: shown) met which, in one clip."""
    if len(target) != len(found):
        raise MetricError(
            f"A clip has {len(found)} transitions but {len(target)} target classes.",
            "Target classes are one fewer than frames.",
        )
    met = target.astype(np.int64) * CLASSES + found.astype(np.int64)
    return np.bincount(met, minlength=CLASSES**2).reshape(CLASSES, CLASSES)


def clip_tables(
    targets: Sequence[Integer[np.ndarray, " _"]], found: Sequence[Integer[np.ndarray, " _"]]
) -> Int64[np.ndarray, "clips 27 27"]:
    """The table of every clip."""
    require_same_count("clips with target and with found classes", len(targets), len(found))
    if not targets:
        raise MetricError("There are no clips to compare.", "Give at least one.")
    return np.stack([clip_table(*pair) for pair in zip(targets, found, strict=True)])


def movement_f1(
    table: Int64[np.ndarray, "27 27"] | Float64[np.ndarray, "27 27"],
) -> MovementF1:
    """From a table summed over clips (weights, where clips are drawn again, may be fractional)."""
    right, asked, shown = np.diag(table).astype(float), table.sum(1), table.sum(0)
    occurs = (asked + shown) > 0
    f1 = np.where(occurs, 2 * right / np.where(occurs, asked + shown, 1), 0.0)
    return MovementF1(
        weighted=float((f1 * asked).sum() / asked.sum()), macro=float(f1[occurs].mean())
    )
