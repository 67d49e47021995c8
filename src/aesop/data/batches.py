"""Batches of clips of similar length: which clips go together, and their padded tensors."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float32, Int, Int64
from torch import Tensor

from aesop.data.store import Store
from aesop.data.table import Table

# Clips are sorted by length within pools of this many batches: enough that little is padded, few
# enough that a clip meets different neighbours in every epoch.
POOL_BATCHES = 64

# Numbers that keep the draws of one (seed, epoch) apart.
_ORDER, _HUMAN_CAPTION, _CAMERA_CAPTION = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Batch:
    """Clips padded with zeros to the longest of them. Features are physical, not standardised.

    A caption is a number among all texts of its column, `store.humans.text("captions", number)` and
    `store.shots.text("captions", number)`; −1 where a clip has none.
    """

    human: Float32[Tensor, "batch frames 199"]
    camera: Float32[Tensor, "batch frames 14"]
    mask: Bool[Tensor, "batch frames"]  # true on real frames
    lengths: Int64[Tensor, " batch"]
    rows: Int64[Tensor, " batch"]  # of the store's shots
    human_caption: Int64[Tensor, " batch"]
    camera_caption: Int64[Tensor, " batch"]


@dataclass(frozen=True, eq=False)
class CaptionDraw:
    """One caption of each kind for every shot of a store."""

    human: Int64[np.ndarray, " shots"]
    camera: Int64[np.ndarray, " shots"]


def batches_by_length(
    lengths: Int[np.ndarray, " clips"], batch_size: int, *, seed: int, epoch: int
) -> list[Int64[np.ndarray, " _"]]:
    """Cut clips 0 … n−1 into batches of like length, each clip exactly once, in shuffled order.

    The same seed and epoch give the same batches. At most one batch is smaller than the others.
    """
    dice = np.random.default_rng((seed, epoch, _ORDER))
    order = dice.permutation(len(lengths))
    pool = batch_size * POOL_BATCHES
    sorted_pools = [
        part[np.argsort(lengths[part], kind="stable")]
        for part in (order[start : start + pool] for start in range(0, len(order), pool))
    ]
    batches = [
        part[start : start + batch_size]
        for part in sorted_pools
        for start in range(0, len(part), batch_size)
    ]
    return [batches[i] for i in dice.permutation(len(batches))]


def draw_captions(store: Store, *, seed: int, epoch: int) -> CaptionDraw:
    """Choose a caption for every shot, whatever batch it will be in."""
    human, camera = (
        np.random.default_rng((seed, epoch, kind)) for kind in (_HUMAN_CAPTION, _CAMERA_CAPTION)
    )
    return CaptionDraw(
        human=_draw(store.humans, store.human_rows, human),
        camera=_draw(store.shots, np.arange(len(store)), camera),
    )


def _draw(
    table: Table, rows: Int[np.ndarray, " shots"], dice: np.random.Generator
) -> Int64[np.ndarray, " shots"]:
    starts = table.column("captions").levels[-1]
    first, count = starts[rows], starts[rows + 1] - starts[rows]
    chosen = first + (dice.random(len(rows)) * count).astype(np.int64)
    return np.where(count > 0, chosen, -1)


def collate(store: Store, rows: Int[np.ndarray, " batch"], captions: CaptionDraw) -> Batch:
    """Gather shots into padded tensors."""
    lengths = store.shot_lengths(rows)
    longest = int(lengths.max())
    return Batch(
        human=torch.from_numpy(padded_features(store.humans, store.human_rows[rows], longest)),
        camera=torch.from_numpy(padded_features(store.shots, rows, longest)),
        mask=torch.from_numpy(np.arange(longest) < lengths[:, None]),
        lengths=torch.from_numpy(lengths),
        rows=torch.from_numpy(rows.astype(np.int64)),
        human_caption=torch.from_numpy(captions.human[rows]),
        camera_caption=torch.from_numpy(captions.camera[rows]),
    )


def padded_features(
    table: Table, rows: Int[np.ndarray, " batch"], longest: int
) -> Float32[np.ndarray, "batch frames width"]:
    """Features of some rows of a table, with zeros after their ends."""
    view = table.column("features")
    starts = view.levels[0]
    padded = np.empty((len(rows), longest, view.data.shape[1]), np.float32)
    # One block copy per clip beats a gather by index: rows lie together on disk.
    for clip, first, stop in zip(
        padded, starts[rows].tolist(), starts[rows + 1].tolist(), strict=True
    ):
        clip[: stop - first] = view.data[first:stop]
        clip[stop - first :] = 0.0
    return padded


def epoch_batches(
    store: Store, rows: Int[np.ndarray, " rows"], batch_size: int, *, seed: int, epoch: int
) -> Iterator[Batch]:
    """One pass over shots in shuffled batches of like length."""
    captions = draw_captions(store, seed=seed, epoch=epoch)
    lengths = store.shot_lengths(rows)
    for members in batches_by_length(lengths, batch_size, seed=seed, epoch=epoch):
        yield collate(store, rows[members], captions)
