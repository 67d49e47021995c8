"""Putting shards together: rows in the order of their ids, column by column, never all in memory.
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
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
from aesop.data.records import HUMAN_ID, HUMAN_ROW, Count, StorePlan, count_ids, split_from_text
from aesop.data.table import Column, ColumnWriter, Table, open_column
from aesop.errors import StoreError
from aesop.scene.human import NATIVE_FPS

TALLY_FILE = "tally.json"
_ID = HUMAN_ID.__class__("id", "strings", "uint8")


@dataclass(frozen=True)
class _Stretch:
    """Rows first … stop−1 of one shard, which stay neighbours in the store."""

    shard: int
    first: int
    stop: int


def merge_shards(
    path: Path, plan: StorePlan, shards: Sequence[Path], noted: Sequence[Count]
) -> Manifest:
    """Write the tables, splits and manifest of a store from its finished shards."""
    dropped, noted_in_shards = _tallies(shards)
    _check_room(path, shards)
    for name in ("humans", "shots", "splits"):
        _fresh_folder(path / name)
    human_ids = _merge_table([shard / "humans" for shard in shards], plan.human_columns, path)
    shot_ids = _merge_table([shard / "shots" for shard in shards], plan.shot_columns, path)
    ...
