"""Filling a store from many processes: each writes whole shards, one of them finalises.

A shard is a folder that exists completely or not at all, so an interrupted build resumes by doing
the missing shards. Rows are put in order by id at the end: neither the number of workers nor the
way the work was cut into shards changes a byte.
"""

import json
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from aesop.data.disk import disk_errors
from aesop.data.manifest import BUILDING, MANIFEST_FILE, Manifest, read_json, write_json
from aesop.data.merge import TALLY_FILE, merge_shards
from aesop.data.records import (
    HUMAN_COLUMNS,
    HUMAN_ID,
    SHOT_COLUMNS,
    Attributes,
    Count,
    HumanRow,
    ShotRow,
    StorePlan,
)
from aesop.data.table import Column, ColumnWriter
from aesop.errors import StoreError

_PLAN_FILE = "plan.json"
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
        tally = {"dropped": self._dropped, "noted": self._noted}
        write_json(self._folder / TALLY_FILE, tally)

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
        plan = json.loads(json.dumps(asdict(self.plan)))
        plan_file = self.path / BUILDING / _PLAN_FILE
        if plan_file.exists():
            if read_json(plan_file) != plan:
                raise StoreError(
                    f"{self.path} holds an interrupted build with other settings.",
                    "Resume it with the same settings, choose another folder, or delete this one.",
                )
            return
        with disk_errors(self.path):
            if self.path.is_dir() and any(self.path.iterdir()):
                raise StoreError(
                    f"{self.path} is not empty and not a store.", "Choose another folder."
                )
            self._shards.mkdir(parents=True, exist_ok=True)
        write_json(plan_file, plan)

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
