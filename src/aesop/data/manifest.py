"""The manifest: what a finished store holds, how it was made, and the hash of every file."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args

from aesop.data.disk import disk_errors
from aesop.data.records import Attributes, Count, Split
from aesop.data.table import Column
from aesop.errors import StoreError
from aesop.scene.human import RotationSource

FORMAT = "aesop-store"
VERSION = 1
MANIFEST_FILE = "manifest.json"
BUILDING = "building"  # folder of the shards until the store is finished

_FILE_PATH = re.compile(r"(humans|shots|splits)/[\w.-]+\.npy")

Item = TypeVar("Item")


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
    return hashlib.sha256("".join(lines).encode("utf-8")).hexdigest()


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
    return Manifest(
        dataset=str(value["dataset"]),
        fps=float(value["fps"]),
        rotations=_rotations_from_json(value["rotations"]),
        made_by=str(value["made_by"]),
        recipe=dict(value["recipe"]),
        humans=_table_from_json(value["humans"]),
        shots=_table_from_json(value["shots"]),
        splits=_each(value["splits"], lambda it: SplitFacts(Split(**it["split"]), int(it["rows"]))),
        dropped=_each(value["dropped"], _count_from_json),
        noted=_each(value["noted"], _count_from_json),
        files=_each(value["files"], _file_from_json),
        content_sha256=str(value["content_sha256"]),
    )


def _rotations_from_json(value: Any) -> RotationSource:
    if value not in get_args(RotationSource):
        raise ValueError(f"rotations {value!r}")
    return value


def _each(values: list[Any], parse: Callable[[Any], Item]) -> tuple[Item, ...]:
    return tuple(parse(value) for value in values)


def _file_from_json(value: Any) -> FileFacts:
    if not _FILE_PATH.fullmatch(value["path"]):
        raise ValueError(f"path {value['path']!r}")
    return FileFacts(value["path"], int(value["bytes"]), str(value["sha256"]))


def _count_from_json(value: Any) -> Count:
    return Count(str(value["what"]), int(value["count"]), tuple(value["examples"]))


def _table_from_json(value: Any) -> TableFacts:
    columns = _each(
        value["columns"],
        lambda it: Column(str(it["name"]), it["kind"], str(it["dtype"]), tuple(it["item"])),
    )
    return TableFacts(int(value["rows"]), columns)
