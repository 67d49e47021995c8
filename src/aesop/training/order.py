"""Which clips meet in which step: shuffled epochs, sorted by length inside pools of batches.

Everything is a pure function of seed and step, so that a run can start at any step, and every
process of a parallel run knows the whole batch.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Int64

# Numbers that keep the draws of one seed apart.
EPOCH, POOL, CAPTION, TIME, DROP, NOISE, DROPOUT, INIT, LABEL = range(9)


def dice_for(seed: int, *numbers: int) -> np.random.Generator:
    """Independent dice for every combination of numbers."""
    return np.random.default_rng((seed, *numbers))


def seed_for(seed: int, *numbers: int) -> int:
    """The same as one number, for generators that take a seed."""
    return int(np.random.SeedSequence((seed, *numbers)).generate_state(1, np.uint64)[0] >> 1)


class Shuffled:
    """The endless row of items 0 … n−1, each epoch in a new order."""

    def __init__(self, items: int, seed: int, stream: int = 0) -> None:
        assert items > 0
        self.items = items
        self._epoch = lru_cache(maxsize=4)(
            lambda epoch: dice_for(seed, EPOCH, stream, epoch).permutation(items)
        )

    def take(self, first: int, count: int) -> Int64[np.ndarray, " count"]:
        """Places first … first+count−1 of the row."""
        pieces: list[np.ndarray] = []
        while count > 0:
            epoch, offset = divmod(first, self.items)
            piece = self._epoch(epoch)[offset : offset + count]
            pieces.append(piece)
            first, count = first + len(piece), count - len(piece)
        return np.concatenate(pieces) if pieces else np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Rows:
    """The clips of one step in the whole batch, how far they are padded, and the mean counts of
    their pool (of this very batch when pools hold one batch), by which losses divide."""

    rows: Int64[np.ndarray, " batch"]
    frames: int
    mean_frames: float
    mean_transitions: float
    mean_tokens: float


class Order:
    """Rows of every step for clips of the given lengths."""

    def __init__(
        self,
        lengths: Int64[np.ndarray, " clips"],
        batch_rows: int,
        seed: int,
        pool_batches: int = 1,
        bucket_frames: tuple[int, ...] = (),
        stride: int = 4,
    ) -> None:
        self._lengths, self._batch_rows, self._seed = lengths, batch_rows, seed
        self._pool_batches, self._buckets, self._stride = pool_batches, bucket_frames, stride
        self._row = Shuffled(len(lengths), seed)
        self._pool = lru_cache(maxsize=2)(self._make_pool)

    def rows(self, step: int) -> Rows:
        pool, place = divmod(step, self._pool_batches)
        batches = self._pool(pool)
        every = self._lengths[batches]
        return Rows(
            rows=batches[place],
            frames=bucket(int(every[place].max()), self._buckets, self._stride),
            mean_frames=float(every.sum(1).mean()),
            mean_transitions=max(float((every - 1).sum(1).mean()), 1.0),
            mean_tokens=float((-(-every // self._stride)).sum(1).mean()),
        )

    def _make_pool(self, pool: int) -> Int64[np.ndarray, "batches batch"]:
        size = self._batch_rows * self._pool_batches
        members = self._row.take(pool * size, size)
        if self._pool_batches > 1:
            members = members[np.argsort(self._lengths[members], kind="stable")]
        batches = members.reshape(self._pool_batches, self._batch_rows)
        return batches[dice_for(self._seed, POOL, pool).permutation(self._pool_batches)]


def bucket(longest: int, buckets: tuple[int, ...], stride: int) -> int:
    """The padded length: the smallest bucket that holds the longest clip, or just enough."""
    fitting = [frames for frames in buckets if frames >= longest]
    return min(fitting) if fitting else -(-longest // stride) * stride
