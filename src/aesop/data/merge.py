"""Putting shards together: rows in the order of their ids, one column after another.

Rows travel from map to file: memory holds the ids, never the set.
"""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

import numpy as np
from jaxtyping import Int

from aesop.data.disk import disk_errors, file_sha256, write_array
from aesop.data.manifest import (
    FileFacts,
    Manifest,
    SplitFacts,
    TableFacts,
    content_sha256,
    read_json,
    write_manifest,
)
from aesop.data.records import (
    HUMAN_ID,
    HUMAN_ROW,
    ID,
    Count,
    Split,
    StorePlan,
    count_ids,
    split_from_text,
)
from aesop.data.table import Column, ColumnWriter, Table, column_texts, open_column
from aesop.errors import StoreError
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
        for kept, found in ((dropped, tally["dropped"]), (noted, tally["noted"])):
            for what, ids in found.items():
                kept.setdefault(what, []).extend(ids)
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
    by_split: dict[Split, list[int]] = {split_from_text(text): members[text] for text in members}
    facts = tuple(SplitFacts(split, len(by_split[split])) for split in sorted(by_split))
    for split in facts:
        write_array(path / split.path, np.array(by_split[split.split], np.int64))
    return facts


def _file_facts(path: Path) -> tuple[FileFacts, ...]:
    files = [file for name in (*_TABLES, "splits") for file in sorted((path / name).iterdir())]
    return tuple(
        FileFacts(file.relative_to(path).as_posix(), file.stat().st_size, file_sha256(file))
        for file in files
    )
