"""Which training shots are told as one Truck or one Dolly."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int, Int64

from aesop.data.fables.reading import movements_in
from aesop.data.held_out import training_rows
from aesop.data.store import Store
from aesop.pairs.events import EVENT_TAGS
from aesop.pairs.gates import Screen, Verdicts


@dataclass(frozen=True, eq=False)
class Mined:
    """The training pool and what its tags and captions say."""

    rows: Int64[np.ndarray, " pool"]
    tags: Int64[np.ndarray, " pool"]  # of the first transition
    verdicts: Verdicts

    @property
    def chosen(self) -> tuple[Int64[np.ndarray, " chosen"], Int64[np.ndarray, " chosen"]]:
        """Rows and tags of the shots that hold one event."""
        kept = self.verdicts.accepted
        return self.rows[kept], self.tags[kept]


def mine(store: Store) -> Mined:
    """Look at tags and captions only."""
    rows = training_rows(store)[0]
    first, is_one = _single_tags(store, rows)
    is_event = is_one & np.isin(first, EVENT_TAGS)
    told = np.zeros(len(rows), np.bool_)
    for at in np.flatnonzero(is_event).tolist():
        captions = store.shots.strings("captions", int(rows[at]))
        told[at] = bool(captions) and all(
            movements_in(caption) == [int(first[at])] for caption in captions
        )
    screen = Screen(len(rows))
    screen.holds("tags are one Truck or Dolly", is_event, is_event.astype(np.float64))
    screen.holds("captions tell that alone", told, told.astype(np.float64), is_event)
    return Mined(rows, first, screen.verdicts)


def _single_tags(
    store: Store, rows: Int[np.ndarray, " pool"]
) -> tuple[Int64[np.ndarray, " pool"], np.ndarray]:
    """The first tag of every shot, and whether it is the only one."""
    column = store.shots.column("tags")
    starts = column.levels[0]
    counts = starts[rows + 1] - starts[rows]
    first = np.full(len(rows), -1, np.int64)
    some = counts > 0
    first[some] = column.data[starts[rows[some]]]
    is_one = np.zeros(len(rows), np.bool_)
    for at in np.flatnonzero(some).tolist():
        stretch = column.data[starts[rows[at]] : starts[rows[at] + 1]]
        is_one[at] = bool((stretch == stretch[0]).all())
    return first, is_one
