"""Pair slots: how many direction and intensity pairs each continuation batch carries, and which.

A pair fills two neighbouring rows that share human, noise, flow time, caption choice and text
dropout. All other rows are ordinary clips with intensity one.
"""

import numpy as np
from jaxtyping import Float, Int64

from aesop.pairs.records import PAIR_KINDS, PairKind, PairSet
from aesop.training.halting import TrainingError
from aesop.training.order import Shuffled
from aesop.training.recipes import SlotCurve, Slots

_COPIES = 8  # of a pair of average weight in an epoch of weighted pairs


def slot_counts(curve: SlotCurve, steps: int) -> Int64[np.ndarray, " steps"]:
    """Slots of every step: straight lines between the curve's points, rounded; the last stays."""
    at_step = np.array([step for step, _ in curve], np.float64)
    height = np.array([slots for _, slots in curve], np.float64)
    step = np.arange(steps)
    before = np.searchsorted(at_step, step, side="right") - 1
    after = np.minimum(before + 1, len(curve) - 1)
    width = np.maximum(at_step[after] - at_step[before], 1)
    share = (step - at_step[before]) / width
    value = height[before] + share * (height[after] - height[before])
    return np.floor(value + 0.5).astype(np.int64)


def _repeated(
    rows: Int64[np.ndarray, " rows"], weights: Float[np.ndarray, " rows"]
) -> Int64[np.ndarray, " repeated"]:
    """Rows as often as their weights say: an epoch holds so many copies of each."""
    if not len(rows) or (weights == weights[0]).all():
        return rows
    upto = np.cumsum(weights / weights.mean()) * _COPIES
    counts = np.diff(np.floor(upto + 0.5), prepend=0.0).astype(np.int64)
    return np.repeat(rows, counts)


class PairOrder:
    """Which pairs fill the slots of which step: every kind in shuffled epochs of its own."""

    def __init__(self, slots: Slots, pairs: PairSet, steps: int, seed: int) -> None:
        weights = np.array([it.weight for it in pairs.pairs])
        rows_of = self._rows_of = {
            kind: _repeated(rows, weights[rows]) for kind, rows in pairs.rows_of.items()
        }
        self._filling = slots.filling
        self._is_direction = np.array([it.kind == "direction" for it in pairs.pairs], np.bool_)
        curves = {"direction": slots.direction, "active": slots.active, "null": slots.null}
        self._counts: dict[PairKind, np.ndarray] = {
            kind: slot_counts(curves[kind], steps) for kind in PAIR_KINDS
        }
        self._before = {
            kind: np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
            for kind, counts in self._counts.items()
        }
        self._rows = {
            kind: Shuffled(len(rows_of[kind]), seed, stream=1 + number)
            for number, kind in enumerate(PAIR_KINDS)
            if len(rows_of[kind])
        }

        for kind, counts in self._counts.items():
            if counts.any() and not len(rows_of[kind]):
                raise TrainingError(
                    f"The recipe has slots for {kind} pairs, but the pair set holds none.",
                    "Build pairs of every kind that the phase needs with `aesop pairs build`.",
                )

    def at(self, step: int) -> Int64[np.ndarray, " rows"]:
        """Rows among the members of all pairs (two per pair, in order) that fill the slots."""
        firsts = [2 * self._pairs_of(kind, step) for kind in PAIR_KINDS if self._counts[kind][step]]
        first = np.concatenate(firsts) if firsts else np.empty(0, np.int64)
        second = first + 1
        if self._filling == "factual":
            # The control shows a direction pair's original twice instead of its counterfactual,
            # so that both arms spend the same rows on the same clips.
            second = np.where(self._is_direction[first // 2], first, second)
        return np.stack([first, second], axis=1).reshape(-1)

    def _pairs_of(self, kind: PairKind, step: int) -> Int64[np.ndarray, " slots"]:
        first, count = int(self._before[kind][step]), int(self._counts[kind][step])
        return self._rows_of[kind][self._rows[kind].take(first, count)]
