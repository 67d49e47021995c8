"""Which clips meet in which step: shuffled epochs, sorted by length; pair slots of continuation
batches."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float, Int64

from aesop.features.human_features import root_from_features
from aesop.pairs.pair_files import (
    PAIR_KINDS,
    PairKind,
    PairPlan,
    PairSet,
    SourceShot,
    training_pairs,
)
from aesop.training.footage import Footage
from aesop.training.recipes import Recipe, SlotCurve, Slots, TrainingError

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


def order_of(lengths: Int64[np.ndarray, " clips"], recipe: Recipe) -> Order:
    """As the recipe batches clips of these lengths, in frames."""
    batching = recipe.batching
    return Order(
        lengths,
        recipe.schedule.batch_rows,
        recipe.seed,
        batching.pool_batches,
        batching.bucket_frames,
    )


def bucket(longest: int, buckets: tuple[int, ...], stride: int) -> int:
    """The padded length: the smallest bucket that holds the longest clip, or just enough."""
    fitting = [frames for frames in buckets if frames >= longest]
    return min(fitting) if fitting else -(-longest // stride) * stride


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
        weights = np.array([pair.weight for pair in pairs.pairs])
        rows_of = self._rows_of = {
            kind: _repeated(rows, weights[rows]) for kind, rows in pairs.rows_of.items()
        }
        self._filling = slots.filling
        self._is_direction = np.array([pair.kind == "direction" for pair in pairs.pairs], np.bool_)
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


def pairs_on_footage(plan: PairPlan, footage: Footage) -> PairSet:
    """All pairs of a plan, on footage of the store they were built from or of a parcel of it."""
    if plan.direction.origin.store_sha256 != (footage.store_sha256 or footage.sha256):
        raise TrainingError(
            "The pairs were built from another store than the one that is trained on.",
            "Build them with `aesop pairs build` from the same store.",
        )
    place = {name: at for at, name in enumerate(footage.shot_names)}

    def shot_of(name: str) -> SourceShot:
        at = place.get(name)
        if at is None:
            raise TrainingError(
                f"The pairs have {name} as a source, which the training split does not hold.",
                "Build the pairs from the same store.",
            )
        window = int(footage.human_of_shot[at])
        human = footage.humans.clip(window).double()
        return SourceShot(
            camera=footage.cameras.clip(at).numpy(),
            root=root_from_features(human).numpy(),
            captions=footage.camera_captions[at],
        )

    return training_pairs(plan, shot_of)
