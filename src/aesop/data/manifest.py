"""What goes into a store and comes out (rows, splits, counts), and the manifest: how it was made,
and the hash of every file."""

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_args

import numpy as np
from jaxtyping import Float32, Int, UInt8
from torch import Tensor

from aesop.core.errors import StoreError
from aesop.core.hashing import text_sha256
from aesop.data.table import Column, disk_errors, numbers, ragged, strings
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


FORMAT = "aesop-store"
VERSION = 1
MANIFEST_FILE = "manifest.json"
BUILDING = "building"  # folder of the shards until the store is finished

_FILE_PATH = re.compile(r"(humans|shots|splits)/[\w.-]+\.npy")


@dataclass(frozen=True)
class FileFacts:
    """One file of the store, named relative to it."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class TableFacts:
    """One table of the store."""

    rows: int
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class SplitFacts:
    """One split and how many shots it has."""

    split: Split
    rows: int

    @property
    def path(self) -> str:
        return f"splits/{self.split.name}.{self.split.kind}.npy"


@dataclass(frozen=True)
class Manifest:
    """Everything that is true of a store; equal content gives an equal manifest, byte for byte."""

    dataset: str
    fps: float
    rotations: RotationSource
    made_by: str
    recipe: Attributes
    humans: TableFacts
    shots: TableFacts
    splits: tuple[SplitFacts, ...]
    dropped: tuple[Count, ...]
    noted: tuple[Count, ...]
    files: tuple[FileFacts, ...]
    content_sha256: str


def content_sha256(files: Iterable[FileFacts]) -> str:
    """One hash for all data files: SHA-256 of the sorted lines `sha256  path`."""
    lines = sorted(f"{facts.sha256}  {facts.path}\n" for facts in files)
    return text_sha256("".join(lines))


def write_json(path: Path, value: object) -> None:
    """Write a JSON file whole or not at all."""
    text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    with disk_errors(path):
        with part.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)


def read_json(path: Path) -> Any:
    """The value in a JSON file."""
    try:
        with disk_errors(path):
            return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path} is not JSON.", "Build or copy the store again.") from error


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Complete a store: from now on it can be opened."""
    facts = {"format": FORMAT, "version": VERSION, **asdict(manifest)}
    write_json(folder / MANIFEST_FILE, facts)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a finished store."""
    path = folder / MANIFEST_FILE
    if not path.is_file():
        raise StoreError(*_why_no_manifest(folder))
    value = read_json(path)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise StoreError(f"{path} is not the manifest of a store.", "Name a store's folder.")
    if value.get("version") != VERSION:
        raise StoreError(
            f"{path} has version {value.get('version')!r}; this AESOP reads version {VERSION}.",
            "Update AESOP, or build the store again.",
        )
    try:
        return _manifest_from_json(value)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise StoreError(
            f"{path} lacks or garbles {error}.", "Build or copy the store again."
        ) from error


def _why_no_manifest(folder: Path) -> tuple[str, str]:
    if not folder.is_dir():
        return f"There is no folder {folder}.", "Name the folder of a store."
    if (folder / BUILDING).is_dir():
        return (
            f"{folder} is an interrupted build without a manifest.",
            "Run the same build again to resume it.",
        )
    return f"{folder} has no {MANIFEST_FILE}: it is not a store.", "Name the folder of a store."


def _manifest_from_json(value: dict[str, Any]) -> Manifest:
    if value["rotations"] not in get_args(RotationSource):
        raise ValueError(f"rotations {value['rotations']!r}")
    dropped, noted = (
        tuple(
            Count(str(count["what"]), int(count["count"]), tuple(count["examples"]))
            for count in value[name]
        )
        for name in ("dropped", "noted")
    )
    return Manifest(
        dataset=str(value["dataset"]),
        fps=float(value["fps"]),
        rotations=value["rotations"],
        made_by=str(value["made_by"]),
        recipe=dict(value["recipe"]),
        humans=_table_from_json(value["humans"]),
        shots=_table_from_json(value["shots"]),
        splits=tuple(
            SplitFacts(Split(**facts["split"]), int(facts["rows"])) for facts in value["splits"]
        ),
        dropped=dropped,
        noted=noted,
        files=tuple(_file_from_json(facts) for facts in value["files"]),
        content_sha256=str(value["content_sha256"]),
    )


def _file_from_json(value: Any) -> FileFacts:
    if not _FILE_PATH.fullmatch(value["path"]):
        raise ValueError(f"path {value['path']!r}")
    return FileFacts(value["path"], int(value["bytes"]), str(value["sha256"]))


def _table_from_json(value: Any) -> TableFacts:
    columns = (
        Column(str(facts["name"]), facts["kind"], str(facts["dtype"]), tuple(facts["item"]))
        for facts in value["columns"]
    )
    return TableFacts(int(value["rows"]), tuple(columns))
