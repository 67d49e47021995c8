"""The cases of a split: what is asked of a method, and what the dataset answers."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Int64, Integer

from aesop.data.store import Store
from aesop.errors import StoreError
from aesop.scene.human import MAX_FRAMES, NATIVE_FPS
from aesop.scene.shot import Shot
from aesop.scene.survey import SHORTEST_SECONDS

Task = Literal["film", "shoot", "codec"]
FEWEST_FRAMES = round(SHORTEST_SECONDS * NATIVE_FPS)


@dataclass(frozen=True, eq=False)
class Case:
    """One shot of the dataset as a request and its reference."""

    row: int
    human_row: int
    reference: Shot
    target_tags: Integer[np.ndarray, " transitions"]
    reversed_words: str

    @property
    def camera_words(self) -> str:
        return self.reference.camera_words

    @property
    def human_words(self) -> str:
        return self.reference.human_words


@dataclass(frozen=True, eq=False)
class Cases:
    """The cases of a split in the order of their rows, and how many could not be asked."""

    dataset: str
    data_sha256: str
    split: str
    cases: tuple[Case, ...]
    left_out: int
    note: str = ""  # what was done to them on the way

    @property
    def references(self) -> list[Shot]:
        return [case.reference for case in self.cases]

    @property
    def windows(self) -> Int64[np.ndarray, " windows"]:
        """The first case of every human window: people are counted once."""
        rows = np.array([case.human_row for case in self.cases], np.int64)
        return np.sort(np.unique(rows, return_index=True)[1]).astype(np.int64)

    def only(self, chosen: Sequence[int]) -> "Cases":
        """Some of the cases, by their places."""
        picked = tuple(self.cases[place] for place in chosen)
        return replace(self, cases=picked)

    @property
    def sha256(self) -> str:
        """Names this very list of cases."""
        text = f"{self.data_sha256} {[case.row for case in self.cases]}"
        return hashlib.sha256(text.encode()).hexdigest()


def read_cases(store: Store, split: str, at_most: int | None = None) -> Cases:
    """All shots of a split ("test", or "test/pure" for one kind) that can be asked for: with words,
    and of a length that AESOP makes. With a limit, evenly spaced ones."""
    name, _, kind = split.partition("/")
    rows = store.split(name, kind or None)
    lengths = store.shot_lengths(rows)
    words = [bool(store.shots.strings("captions", row)) for row in rows.tolist()]
    places, left_out = chosen_places(lengths, words, at_most)
    kept = [int(rows[place]) for place in places]
    if not kept:
        raise StoreError(
            f"The split {split} of {store.path} has no shot that can be asked for.",
            f"Shots need words and {FEWEST_FRAMES} to {MAX_FRAMES} frames.",
        )
    return Cases(
        dataset=store.manifest.dataset,
        data_sha256=store.manifest.content_sha256,
        split=split,
        cases=tuple(_case(store, row) for row in kept),
        left_out=left_out,
    )


def chosen_places(
    lengths: Integer[np.ndarray, " shots"], has_words: Sequence[bool], at_most: int | None
) -> tuple[list[int], int]:
    """Which shots of a split are asked for, by their places in it, and how many cannot be."""
    fits = (lengths >= FEWEST_FRAMES) & (lengths <= MAX_FRAMES) & np.array(has_words, bool)
    kept = np.flatnonzero(fits)
    left_out = len(lengths) - len(kept)
    if at_most is not None and len(kept) > at_most:
        kept = kept[np.linspace(0, len(kept) - 1, at_most).round().astype(int)]
    return kept.tolist(), left_out


def _case(store: Store, row: int) -> Case:
    stored = store.shot(row)
    return Case(
        row=row,
        human_row=stored.human_row,
        reference=store.as_shot(row),
        target_tags=stored.tags,
        reversed_words=next(iter(stored.reversed_captions), ""),
    )
