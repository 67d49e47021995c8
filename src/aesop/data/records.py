"""What goes into a store and what comes out: rows, splits and counts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float32, Int, UInt8
from torch import Tensor

from aesop.data.table import Column, numbers, ragged, strings
from aesop.errors import StoreError
from aesop.features.columns import CAMERA, HUMAN
from aesop.scene.human import RotationSource

ID = strings("id")
HUMAN_COLUMNS: tuple[Column, ...] = (
    ID,
    ragged("features", "float32", HUMAN.width),
    strings("captions"),
    strings("attributes"),
)
# Columns of both a shard's and a finished store's shots.
SHOT_COLUMNS: tuple[Column, ...] = (
    ID,
    ragged("features", "float32", CAMERA.width),
    ragged("tags", "uint8"),
    strings("captions"),
    strings("reversed_captions"),
    strings("splits"),
    strings("attributes"),
)
# A shard knows its humans by id; their rows are known only once everything is in order.
HUMAN_ID = strings("human_id")
HUMAN_ROW = numbers("human_row", "int64")

# Anything JSON can write; StoreBuilder refuses the rest.
Attributes = Mapping[str, object]

_SPLIT_WORD = re.compile(r"[A-Za-z0-9-]+")


@dataclass(frozen=True, order=True)
class Split:
    """A named part of a dataset (train, test …) and its kind (pure, mixed …)."""

    name: str
    kind: str = "all"

    def __post_init__(self) -> None:
        for word in (self.name, self.kind):
            if not _SPLIT_WORD.fullmatch(word):
                raise StoreError(
                    f"{word!r} cannot name a split or its kind.",
                    "Use letters, digits and hyphens.",
                )

    def __str__(self) -> str:
        return f"{self.name}/{self.kind}"


def split_from_text(text: str) -> Split:
    """Inverse of `str(split)`."""
    name, _, kind = text.partition("/")
    return Split(name, kind)


@dataclass(frozen=True, eq=False)
class HumanRow:
    """One human window on its way into a store. Features are physical, not standardised.

    `extra` fills the columns that the dataset declares beyond the ones every store has.
    """

    id: str
    features: Float32[Tensor, "frames 199"]
    captions: tuple[str, ...] = ()
    attributes: Attributes = field(default_factory=dict)
    extra: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ShotRow:
    """One camera path on its way into a store; it films the human row called `human_id`."""

    id: str
    human_id: str
    features: Float32[Tensor, "frames 14"]
    tags: Int[np.ndarray, " transitions"]
    captions: tuple[str, ...] = ()
    reversed_captions: tuple[str, ...] = ()
    splits: tuple[Split, ...] = ()
    attributes: Attributes = field(default_factory=dict)
    extra: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class StoredShot:
    """One shot as read from a store. Tensors are copies: changing them changes nothing on disk."""

    row: int
    id: str
    human_row: int
    human_id: str
    human_features: Float32[Tensor, "frames 199"]
    camera_features: Float32[Tensor, "frames 14"]
    tags: UInt8[np.ndarray, " transitions"]
    human_captions: tuple[str, ...]
    camera_captions: tuple[str, ...]
    reversed_captions: tuple[str, ...]
    splits: tuple[Split, ...]
    attributes: Attributes
    human_attributes: Attributes

    @property
    def frames(self) -> int:
        return self.camera_features.shape[0]


@dataclass(frozen=True)
class StorePlan:
    """What a build sets out to make. The recipe is kept in the manifest as it is given here.

    `human_extra` and `shot_extra` declare columns beyond those that every store has.
    """

    dataset: str
    recipe: Attributes = field(default_factory=dict)
    rotations: RotationSource = "recorded"
    human_extra: tuple[Column, ...] = ()
    shot_extra: tuple[Column, ...] = ()

    @property
    def human_columns(self) -> tuple[Column, ...]:
        return (*HUMAN_COLUMNS, *self.human_extra)

    @property
    def shot_columns(self) -> tuple[Column, ...]:
        """Without the link to the human, which a shard and a finished store keep differently."""
        return (*SHOT_COLUMNS, *self.shot_extra)


EXAMPLES = 5  # ids kept beside a count


@dataclass(frozen=True)
class Count:
    """How many rows something happened to, and the first few of them by id."""

    what: str
    count: int
    examples: tuple[str, ...]


def count_ids(ids_by_what: Mapping[str, list[str]]) -> tuple[Count, ...]:
    """Counts in the order of their names, whatever order the ids came in."""
    return tuple(
        Count(what, len(ids), tuple(sorted(ids)[:EXAMPLES]))
        for what, ids in sorted(ids_by_what.items())
    )
