"""Filling a store from many processes: each writes whole shards, which are put together in the
order of ids."""

import json
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Int

from aesop.core.errors import StoreError
from aesop.core.hashing import file_sha256
from aesop.core.whole_files import PieceFolder
from aesop.data.manifest import (
    BUILDING,
    HUMAN_COLUMNS,
    HUMAN_ID,
    HUMAN_ROW,
    ID,
    MANIFEST_FILE,
    SHOT_COLUMNS,
    Attributes,
    Count,
    FileFacts,
    HumanRow,
    Manifest,
    ShotRow,
    SplitFacts,
    StorePlan,
    TableFacts,
    content_sha256,
    count_ids,
    read_json,
    split_from_text,
    write_json,
    write_manifest,
)
from aesop.data.table import (
    Column,
    ColumnWriter,
    Table,
    column_texts,
    disk_errors,
    open_column,
    write_array,
)
from aesop.scene.human import NATIVE_FPS

TALLY_FILE = "tally.json"
_TABLES = ("humans", "shots")


@dataclass(frozen=True, eq=False)
class _Order:
    """Where each row of the finished table comes from."""

    ids: list[str]
    shard: Int[np.ndarray, " rows"]
    row: Int[np.ndarray, " rows"]

    def stretches(self) -> Iterator[tuple[int, int, int]]:
        """Maximal runs (shard, first, stop) of rows that are neighbours before and after."""
        breaks = (np.diff(self.shard) != 0) | (np.diff(self.row) != 1)
        edges = [0, *(np.flatnonzero(breaks) + 1).tolist(), len(self.ids)]
        for first, stop in pairwise(edges):
            start = int(self.row[first])
            yield int(self.shard[first]), start, start + stop - first


def merge_shards(
    path: Path, plan: StorePlan, shards: Sequence[Path], noted: Sequence[Count]
) -> Manifest:
    """Write the tables, the splits and last the manifest of a store from its finished shards."""
    dropped, noted_in_shards = _tallies(shards)
    humans = _order_by_id([shard / "humans" for shard in shards])
    shots = _order_by_id([shard / "shots" for shard in shards])
    if not shots.ids:
        raise StoreError(f"No shot is left for {path}.{_why_empty(dropped)}", "Check the source.")
    human_row = _human_rows(humans, shots, shards)
    _check_room(path, shards)
    for name in (*_TABLES, "splits"):
        _fresh_folder(path / name)
    _copy_rows(humans, [shard / "humans" for shard in shards], plan.human_columns, path / "humans")
    _copy_rows(shots, [shard / "shots" for shard in shards], plan.shot_columns, path / "shots")
    write_array(path / "shots" / HUMAN_ROW.files[0], human_row)
    tables = (plan.human_columns, (*plan.shot_columns, HUMAN_ROW))
    human_table, shot_table = (
        Table(path / name, columns) for name, columns in zip(_TABLES, tables, strict=True)
    )
    _check_lengths(human_table, shot_table, shots.ids)
    splits = _write_splits(path, shot_table)
    files = _file_facts(path)
    manifest = Manifest(
        dataset=plan.dataset,
        fps=NATIVE_FPS,
        rotations=plan.rotations,
        made_by=f"aesop-motion {version('aesop-motion')}",
        recipe=plan.recipe,
        humans=TableFacts(human_table.rows, human_table.columns),
        shots=TableFacts(shot_table.rows, shot_table.columns),
        splits=splits,
        dropped=dropped,
        noted=tuple(sorted((*noted_in_shards, *noted), key=lambda count: count.what)),
        files=files,
        content_sha256=content_sha256(files),
    )
    write_manifest(path, manifest)
    return manifest


def _tallies(shards: Sequence[Path]) -> tuple[tuple[Count, ...], tuple[Count, ...]]:
    """What was dropped and what was noted, over all shards."""
    dropped: dict[str, list[str]] = {}
    noted: dict[str, list[str]] = {}
    for shard in shards:
        tally = read_json(shard / TALLY_FILE)
        for total, of_shard in ((dropped, tally["dropped"]), (noted, tally["noted"])):
            for what, ids in of_shard.items():
                total.setdefault(what, []).extend(ids)
    return count_ids(dropped), count_ids(noted)


def _why_empty(dropped: Sequence[Count]) -> str:
    if not dropped:
        return " Nothing was put in."
    most = max(dropped, key=lambda count: count.count)
    total = sum(count.count for count in dropped)
    return f" {total} were dropped, {most.count} of them because: {most.what}."


def _order_by_id(folders: Sequence[Path]) -> _Order:
    keys = [
        (row_id, shard, row)
        for shard, folder in enumerate(folders)
        for row, row_id in enumerate(column_texts(open_column(folder, ID)))
    ]
    keys.sort()
    ids = [key[0] for key in keys]
    for one, other in pairwise(ids):
        if one == other:
            raise StoreError(f"The id {one} occurs twice.", "Give every row an id of its own.")
    places = np.array([key[1:] for key in keys], np.int64).reshape(-1, 2)
    return _Order(ids, places[:, 0], places[:, 1])


def _human_rows(humans: _Order, shots: _Order, shards: Sequence[Path]) -> Int[np.ndarray, " shots"]:
    """The human row that each shot films."""
    wanted = [column_texts(open_column(shard / "shots", HUMAN_ID)) for shard in shards]
    row_of = {row_id: row for row, row_id in enumerate(humans.ids)}
    rows = np.empty(len(shots.ids), np.int64)
    for i, (shard, row) in enumerate(zip(shots.shard, shots.row, strict=True)):
        human_id = wanted[shard][row]
        if human_id not in row_of:
            raise StoreError(
                f"Shot {shots.ids[i]} films {human_id}, which is not in the store.",
                "Add the human row, or drop the shot with a reason.",
            )
        rows[i] = row_of[human_id]
    return rows


def _check_room(path: Path, shards: Sequence[Path]) -> None:
    needed = sum(file.stat().st_size for shard in shards for file in shard.rglob("*.npy"))
    with disk_errors(path):
        free = shutil.disk_usage(path).free
    if free < needed:
        raise StoreError(
            f"{path} needs {needed / 1e9:.1f} GB more, but only {free / 1e9:.1f} GB are free.",
            "Free some room and run again; what is finished is kept.",
        )


def _fresh_folder(folder: Path) -> None:
    with disk_errors(folder):
        # An interrupted finalisation may have left half a folder.
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir()


def _copy_rows(
    order: _Order, sources: Sequence[Path], columns: Sequence[Column], folder: Path
) -> None:
    for column in columns:
        # One column at a time keeps the number of open maps within what systems allow.
        views = [open_column(source, column) for source in sources]
        writer = ColumnWriter(folder, column)
        for shard, first, stop in order.stretches():
            writer.append(*views[shard].stretch(first, stop))
        writer.close()


def _check_lengths(humans: Table, shots: Table, shot_ids: list[str]) -> None:
    frames = shots.lengths("features")
    wrong = np.flatnonzero(humans.lengths("features")[shots.numbers("human_row")] != frames)
    if len(wrong):
        raise StoreError(
            f"Shot {shot_ids[wrong[0]]} and the human it films differ in length "
            f"({len(wrong)} such shots).",
            "Cut both to the same frames.",
        )
    assert bool((shots.lengths("tags") == frames - 1).all())


def _write_splits(path: Path, shots: Table) -> tuple[SplitFacts, ...]:
    """One sorted array of shot rows per split."""
    owners = np.repeat(np.arange(shots.rows), shots.lengths("splits"))
    members: dict[str, list[int]] = {}
    for row, text in zip(owners.tolist(), shots.texts("splits"), strict=True):
        members.setdefault(text, []).append(row)
    facts: list[SplitFacts] = []
    for split, rows in sorted((split_from_text(text), rows) for text, rows in members.items()):
        facts.append(SplitFacts(split, len(rows)))
        write_array(path / facts[-1].path, np.array(rows, np.int64))
    return tuple(facts)


def _file_facts(path: Path) -> tuple[FileFacts, ...]:
    files = [file for name in (*_TABLES, "splits") for file in sorted((path / name).iterdir())]
    with disk_errors(path):
        return tuple(
            FileFacts(file.relative_to(path).as_posix(), file.stat().st_size, file_sha256(file))
            for file in files
        )


_MARK = ".part"


def attributes_text(attributes: Attributes) -> str:
    """One line of JSON, the same for equal attributes."""
    try:
        return json.dumps(dict(attributes), sort_keys=True, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise StoreError(
            f"Attributes {sorted(attributes)} cannot be written as JSON: {error}.",
            "Use strings, finite numbers, booleans, lists and dictionaries.",
        ) from error


class ShardWriter:
    """Rows of one shard, written as they come."""

    def __init__(self, folder: Path, plan: StorePlan) -> None:
        self._folder = folder
        self._humans = _column_writers(folder / "humans", plan.human_columns)
        self._shots = _column_writers(folder / "shots", (*plan.shot_columns, HUMAN_ID))
        self._dropped: dict[str, list[str]] = {}
        self._noted: dict[str, list[str]] = {}

    def add_human(self, row: HumanRow) -> None:
        """Add a human window."""
        _check(row)
        columns = self._humans
        columns["id"].append_strings([row.id])
        columns["features"].append_row(row.features.numpy())
        columns["captions"].append_strings(row.captions)
        columns["attributes"].append_strings([attributes_text(row.attributes)])
        _append_extra(columns, HUMAN_COLUMNS, row)

    def add_shot(self, row: ShotRow) -> None:
        """Add a camera path; its human may be in this shard or in any other."""
        _check(row)
        columns = self._shots
        columns["id"].append_strings([row.id])
        columns["human_id"].append_strings([row.human_id])
        columns["features"].append_row(row.features.numpy())
        columns["tags"].append_row(row.tags.astype(np.uint8))
        columns["captions"].append_strings(row.captions)
        columns["reversed_captions"].append_strings(row.reversed_captions)
        columns["splits"].append_strings([str(split) for split in sorted(row.splits)])
        columns["attributes"].append_strings([attributes_text(row.attributes)])
        _append_extra(columns, (*SHOT_COLUMNS, HUMAN_ID), row)

    def drop(self, reason: str, row_id: str) -> None:
        """Count a row that does not enter the store."""
        self._dropped.setdefault(reason, []).append(row_id)

    def note(self, fact: str, row_id: str) -> None:
        """Count something that was done to a row which stays."""
        self._noted.setdefault(fact, []).append(row_id)

    def close(self) -> None:
        for writer in (*self._humans.values(), *self._shots.values()):
            writer.close()
        write_json(self._folder / TALLY_FILE, {"dropped": self._dropped, "noted": self._noted})

    def abandon(self) -> None:
        for writer in (*self._humans.values(), *self._shots.values()):
            writer.abandon()


def _column_writers(folder: Path, columns: Sequence[Column]) -> dict[str, ColumnWriter]:
    with disk_errors(folder):
        folder.mkdir(parents=True)
    return {column.name: ColumnWriter(folder, column) for column in columns}


def _check(row: HumanRow | ShotRow) -> None:
    if not row.id:
        raise StoreError("A row has an empty id.", "Give every row an id of its own.")
    if not bool(torch.isfinite(row.features).all()):
        raise StoreError(
            f"The features of {row.id} are not all finite numbers.", "Drop it with a reason."
        )
    if isinstance(row, ShotRow):
        assert len(row.tags) == len(row.features) - 1, f"{row.id}: one tag per transition"


def _append_extra(
    columns: dict[str, ColumnWriter], known: Sequence[Column], row: HumanRow | ShotRow
) -> None:
    declared = columns.keys() - {column.name for column in known}
    assert row.extra.keys() == declared, f"{row.id}: extra columns {sorted(declared)} expected"
    for name in declared:
        columns[name].append_row(row.extra[name])


@dataclass(frozen=True)
class StoreBuilder:
    """A store in the making. Light and picklable: hand it to every worker."""

    path: Path
    plan: StorePlan

    @property
    def _shards(self) -> Path:
        return self.path / BUILDING / "shards"

    def start(self) -> None:
        """Make the folder, or check that what lies there is this same build, interrupted."""
        if (self.path / MANIFEST_FILE).exists():
            raise StoreError(
                f"{self.path} is a finished store.", "Choose another folder, or delete this one."
            )
        attributes_text(self.plan.recipe)
        pieces = PieceFolder(self.path / BUILDING)
        with disk_errors(self.path):
            if not pieces.is_started and self.path.is_dir() and any(self.path.iterdir()):
                raise StoreError(
                    f"{self.path} is not empty and not a store.", "Choose another folder."
                )
            pieces.start(asdict(self.plan))
            self._shards.mkdir(exist_ok=True)

    def has_shard(self, name: str) -> bool:
        """Whether a shard was finished, in this run or an earlier one."""
        return (self._shards / name).is_dir()

    @contextmanager
    def shard(self, name: str) -> Iterator[ShardWriter]:
        """Write one shard; it appears under its name only when the block ends without an error."""
        assert name and not name.startswith(".") and "/" not in name, name
        part = self._shards / f".{name}.{uuid.uuid4().hex}{_MARK}"
        try:
            writer = ShardWriter(part, self.plan)
            try:
                yield writer
            except BaseException:
                writer.abandon()
                raise
            writer.close()
            self._publish(part, name)
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def _publish(self, part: Path, name: str) -> None:
        with disk_errors(self._shards / name):
            try:
                part.rename(self._shards / name)
            except OSError:
                # Another process finished the same shard first; both hold the same rows.
                if not self.has_shard(name):
                    raise

    def finalise(self, shard_names: Sequence[str], noted: Sequence[Count] = ()) -> Manifest:
        """Put all shards together and write the manifest. `shard_names` is the whole plan of work:
        a build that lacks one of them is not finished."""
        missing = [name for name in shard_names if not self.has_shard(name)]
        if missing:
            raise StoreError(
                f"{len(missing)} of {len(shard_names)} shards of {self.path} are missing.",
                "Run the same build again to resume it.",
            )
        strangers = {shard.name for shard in self._shards.glob("[!.]*")} - set(shard_names)
        if strangers:
            raise StoreError(
                f"{self.path} holds {len(strangers)} shards that are not part of this build.",
                "Choose another folder, or delete this one and build again.",
            )
        folders = [self._shards / name for name in shard_names]
        manifest = merge_shards(self.path, self.plan, folders, noted)
        shutil.rmtree(self.path / BUILDING, ignore_errors=True)
        return manifest
