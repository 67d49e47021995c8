"""One split of a dataset in memory: every human window once, and the shots that film them."""

import logging
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from aesop.data.held_out import training_rows
from aesop.data.store import Store
from aesop.data.table import Table
from aesop.errors import StoreError
from aesop.training.ragged import Ragged

log = logging.getLogger(__name__)

Captions = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Footage:
    """Features are physical, not standardised. Captions stand beside the row they describe."""

    humans: Ragged
    cameras: Ragged
    human_of_shot: Int64[Tensor, " shots"]
    human_names: tuple[str, ...]
    shot_names: tuple[str, ...]
    human_captions: Captions
    camera_captions: Captions
    sha256: str  # of the data it was taken from
    store_sha256: str = ""  # of the store behind rounded data, which have a hash of their own

    def __post_init__(self) -> None:
        lengths = self.humans.lengths[self.human_of_shot]
        assert bool((lengths == self.cameras.lengths).all()), "a shot is as long as its window"


def read_footage(store: Store, validation_clips: int) -> tuple[Footage, Footage]:
    """Training footage, and validation footage of at most so many shots.

    A store without a split called validation (PulpMotion has none) lends a hundredth of its films.
    """
    train, held_out = training_rows(store)
    if not any(split.name == "validation" for split in store.splits):
        log.info("no validation split: %d training shots are held out by film", len(held_out))
    if len(held_out) == 0 or len(train) == 0:
        raise StoreError(
            f"{store.path} is too small: {len(train)} shots to train on, {len(held_out)} to "
            "validate on.",
            "Add more films, or a split called validation.",
        )
    return footage_of_rows(store, train), footage_of_rows(
        store, _spread(held_out, validation_clips)
    )


def _spread(rows: Int64[np.ndarray, " rows"], limit: int) -> Int64[np.ndarray, " chosen"]:
    """At most `limit` rows, evenly over all of them."""
    if len(rows) <= limit:
        return rows
    return rows[np.linspace(0, len(rows) - 1, limit).round().astype(np.int64)]


def footage_of_rows(store: Store, rows: Int64[np.ndarray, " rows"]) -> Footage:
    """Read some shots and the windows they film."""
    human_rows, human_of_shot = np.unique(store.human_rows[rows], return_inverse=True)
    return Footage(
        humans=_ragged(store.humans, human_rows),
        cameras=_ragged(store.shots, rows),
        human_of_shot=torch.from_numpy(human_of_shot.astype(np.int64)),
        human_names=tuple(store.humans.text("id", row) for row in human_rows.tolist()),
        shot_names=tuple(store.shots.text("id", row) for row in rows.tolist()),
        human_captions=tuple(store.humans.strings("captions", row) for row in human_rows.tolist()),
        camera_captions=tuple(store.shots.strings("captions", row) for row in rows.tolist()),
        sha256=store.manifest.content_sha256,
    )


def _ragged(table: Table, rows: Int64[np.ndarray, " rows"]) -> Ragged:
    lengths = table.lengths("features")[rows]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    view = table.column("features")
    values = np.empty((int(starts[-1]), *view.data.shape[1:]), np.float32)
    for row, first, stop in zip(rows.tolist(), starts[:-1], starts[1:], strict=True):
        values[first:stop] = table.items("features", row)
    return Ragged(torch.from_numpy(values), torch.from_numpy(starts))
