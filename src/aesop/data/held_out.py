"""Which training shots are kept from training: a store without a validation split lends some."""

import hashlib
import json

import numpy as np
from jaxtyping import Int

from aesop.data.store import Store


def training_rows(
    store: Store,
) -> tuple[Int[np.ndarray, " train"], Int[np.ndarray, " held_out"]]:
    """Rows to train on and rows to validate on. A store without a split called validation
    (PulpMotion has none) lends a hundredth of its films."""
    train = store.split("train")
    if any(split.name == "validation" for split in store.splits):
        return train, store.split("validation")
    is_held_out = np.array([_film_is_held_out(store, row) for row in train.tolist()], np.bool_)
    return train[~is_held_out], train[is_held_out]


def _film_is_held_out(store: Store, row: int) -> bool:
    """One film in a hundred by the hash of its name: the same on every machine."""
    attributes = json.loads(store.shots.strings("attributes", row)[0])
    film = str(attributes.get("video", store.shots.text("id", row)))
    return int.from_bytes(hashlib.sha256(film.encode()).digest()[:8], "big") % 100 == 0
