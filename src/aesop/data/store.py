"""A finished dataset on disk: two tables, humans and shots, memory-mapped and read-only."""

import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float32, Int
from torch import Tensor

from aesop.core.errors import Progress, StoreError
from aesop.core.hashing import file_sha256
from aesop.data.manifest import (
    HUMAN_COLUMNS,
    HUMAN_ROW,
    SHOT_COLUMNS,
    Attributes,
    Manifest,
    Split,
    StoredShot,
    TableFacts,
    content_sha256,
    read_manifest,
    split_from_text,
)
from aesop.data.table import Column, Table, disk_errors, map_array
from aesop.features.camera_features import camera_from_features
from aesop.features.human_features import human_from_features
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip, HumanMotion, Provenance
from aesop.scene.shot import Shot

UNTRAINED = ("test", "validation")  # whatever other lists say
BLOCK_FRAMES = 1 << 14  # frames that a statistics block gathers: about 13 MB of human features


class Store:
    """Read access. Opening maps files and checks their sizes; `verify` checks their hashes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest: Manifest = read_manifest(path)
        _check_sizes(path, self.manifest)
        self.humans = _open_table(path / "humans", self.manifest.humans, HUMAN_COLUMNS)
        self.shots = _open_table(path / "shots", self.manifest.shots, (*SHOT_COLUMNS, HUMAN_ROW))
        self._splits = {
            facts.split: map_array(path / facts.path, "int64", ()) for facts in self.manifest.splits
        }

    def __reduce__(self) -> tuple[type["Store"], tuple[Path]]:
        # Workers open the files themselves instead of receiving their content.
        return Store, (self.path,)

    def __len__(self) -> int:
        return self.shots.rows

    @property
    def lengths(self) -> Int[np.ndarray, " shots"]:
        """Frames of every shot."""
        return self.shots.lengths("features")

    def shot_lengths(self, rows: Int[np.ndarray, " rows"]) -> Int[np.ndarray, " rows"]:
        """Frames of some shots."""
        starts = self.shots.column("features").levels[0]
        return starts[rows + 1] - starts[rows]

    @property
    def human_rows(self) -> Int[np.ndarray, " shots"]:
        """The human row that every shot films."""
        return self.shots.numbers(HUMAN_ROW.name)

    @property
    def splits(self) -> tuple[Split, ...]:
        return tuple(self._splits)

    def split(self, name: str, kind: str | None = None) -> Int[np.ndarray, " rows"]:
        """Shot rows of a split, ascending; without a kind, of all its kinds together."""
        kinds = [
            rows
            for split, rows in self._splits.items()
            if split.name == name and kind in (None, split.kind)
        ]
        if not kinds:
            wanted = name if kind is None else Split(name, kind)
            known = ", ".join(str(split) for split in self.splits) or "none"
            raise StoreError(f"{self.path} has no split {wanted}.", f"Choose among: {known}.")
        return kinds[0] if len(kinds) == 1 else np.unique(np.concatenate(kinds))

    def row_of(self, shot_id: str) -> int:
        """The row of a shot, by bisection: ids are in order."""
        row = bisect_left(range(len(self)), shot_id, key=lambda row: self.shots.text("id", row))
        if row == len(self) or self.shots.text("id", row) != shot_id:
            raise StoreError(
                f"{self.path} has no shot {shot_id!r}.",
                f"Name one of its {len(self)} ids, such as {self.shots.text('id', 0)!r}.",
            )
        return row

    def shot(self, row: int) -> StoredShot:
        """Everything about one shot."""
        human_row = int(self.human_rows[row])
        return StoredShot(
            row=row,
            id=self.shots.text("id", row),
            human_row=human_row,
            human_id=self.humans.text("id", human_row),
            human_features=_tensor(self.humans.items("features", human_row)),
            camera_features=_tensor(self.shots.items("features", row)),
            tags=self.shots.items("tags", row).copy(),
            human_captions=self.humans.strings("captions", human_row),
            camera_captions=self.shots.strings("captions", row),
            reversed_captions=self.shots.strings("reversed_captions", row),
            splits=tuple(split_from_text(text) for text in self.shots.strings("splits", row)),
            attributes=attributes_of(self.shots, row),
            human_attributes=attributes_of(self.humans, human_row),
        )

    def as_shot(self, row: int) -> Shot:
        """One shot as the rest of AESOP knows it, with the first caption of each kind as words."""
        stored, manifest = self.shot(row), self.manifest
        motion, camera = decode(stored)
        shot_origin, human_origin = (
            Provenance(f"{manifest.dataset}:{name}", manifest.rotations)
            for name in (stored.id, stored.human_id)
        )
        return Shot(
            clip=Clip(motion, manifest.fps, stored.human_id, human_origin),
            camera=camera,
            provenance=shot_origin,
            camera_words=next(iter(stored.camera_captions), ""),
            human_words=next(iter(stored.human_captions), ""),
        )

    def human_features(self, rows: Int[np.ndarray, " rows"]) -> Iterator[Float32[Tensor, "_ 199"]]:
        """Human features of shots for `human_statistics`, several clips to a tensor.

        A window counts once per shot that films it: statistics weigh it as the networks meet it.
        """
        block: list[np.ndarray] = []
        frames = 0
        # In the order of the file: neighbouring shots often film the same window.
        for human_row in np.sort(self.human_rows[rows]).tolist():
            block.append(self.humans.items("features", human_row))
            frames += len(block[-1])
            if frames >= BLOCK_FRAMES:
                yield torch.from_numpy(np.concatenate(block))
                block, frames = [], 0
        if block:
            yield torch.from_numpy(np.concatenate(block))

    def camera_features(self, rows: Int[np.ndarray, " rows"]) -> Iterator[Float32[Tensor, "_ 14"]]:
        """Camera features of shots for `camera_statistics`, one clip to a tensor."""
        for row in rows.tolist():
            yield _tensor(self.shots.items("features", row))

    def verify(self, progress: Progress | None = None) -> None:
        """Read every file and compare its hash with the manifest."""
        files = self.manifest.files
        for done, facts in enumerate(files, start=1):
            with disk_errors(self.path / facts.path):
                is_same = file_sha256(self.path / facts.path) == facts.sha256
            if not is_same:
                raise StoreError(
                    f"{self.path / facts.path} has changed since the store was finished.",
                    "Build or copy the store again.",
                )
            if progress is not None:
                progress(done, len(files))
        if content_sha256(files) != self.manifest.content_sha256:
            raise StoreError(
                f"The hashes in the manifest of {self.path} contradict each other.",
                "Build or copy the store again.",
            )


def open_store(path: Path) -> Store:
    """Open a finished store."""
    return Store(path)


def decode(stored: StoredShot) -> tuple[HumanMotion, CameraPath]:
    """Motion and camera of a stored shot. Summed up in float64: increments lose less on the way."""
    motion = human_from_features(stored.human_features.double())
    camera = camera_from_features(stored.camera_features.double(), motion.root[0])
    return motion.to(torch.float32), camera.to(torch.float32)


def _tensor(view: np.ndarray) -> Tensor:
    # A copy: torch would let a caller write into the read-only map, which ends the process.
    return torch.from_numpy(view.copy())


def attributes_of(table: Table, row: int) -> Attributes:
    """What a dataset says of a human or a shot beyond the columns that every store has."""
    return json.loads(table.strings("attributes", row)[0])


def _open_table(folder: Path, facts: TableFacts, required: Sequence[Column]) -> Table:
    if not set(required) <= set(facts.columns):
        raise StoreError(
            f"The manifest of {folder.parent} does not list all columns of {folder.name}.",
            "Build or copy the store again.",
        )
    table = Table(folder, facts.columns)
    if table.rows != facts.rows:
        raise StoreError(
            f"{folder} has {table.rows} rows, its manifest says {facts.rows}.",
            "Build or copy the store again.",
        )
    return table


def _check_sizes(path: Path, manifest: Manifest) -> None:
    for facts in manifest.files:
        file = path / facts.path
        with disk_errors(file):
            size = file.stat().st_size
        if size != facts.bytes:
            raise StoreError(
                f"{file} has {size} bytes, but the manifest says {facts.bytes}: it was cut short "
                "or changed.",
                "Build or copy the store again.",
            )


def starts_canonical(store: Store) -> bool:
    """Whether every clip starts at yaw 0. Only an import may keep headings, and says so."""
    return bool(store.manifest.recipe.get("canonicalise", True))


@dataclass(frozen=True)
class TrainingCounts:
    """What became of the shots that a list names for training."""

    split: str
    listed: int  # by the lists, whether they could be imported or not
    dropped: int  # could not be imported; the manifest says why
    tested: int  # listed for testing or validation as well, so never trained on
    held_out: int  # lent to validation
    trained_on: int

    def __str__(self) -> str:
        left_out = {
            "dropped by the import": self.dropped,
            "also listed for test or validation": self.tested,
            "held out for validation": self.held_out,
        }
        why = ", ".join(f"{count:,} {what}" for what, count in left_out.items() if count)
        return f"{self.split}: {self.listed:,} shots listed, {self.trained_on:,} trained on" + (
            f" ({why})" if why else ""
        )


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Shots to train on and shots to validate on."""

    train: Int[np.ndarray, " train"]
    held_out: Int[np.ndarray, " held_out"]
    counts: TrainingCounts


def training_rows(store: Store, split: str = "train", *, hold_out: bool = True) -> TrainingRows:
    """Rows of a split (`train`, or one kind of it: `train/pure`). A shot that is listed for testing
    or validation too is never trained on. A store without a split called validation (PulpMotion
    has none) lends a hundredth of its films, or nothing."""
    name, _, kind = split.partition("/")
    if name in UNTRAINED:
        raise StoreError(f"{split} is not for training.", "Train on train, or a kind of it.")
    stored = store.split(name, kind or None)
    names = {known.name for known in store.splits}
    kept_apart = [store.split(other) for other in UNTRAINED if other in names]
    train = np.setdiff1d(stored, np.concatenate([np.empty(0, np.int64), *kept_apart]))
    lent = np.zeros(len(train), np.bool_)
    if "validation" in names:
        held_out = store.split("validation")
    else:
        if hold_out:
            lent = np.array([_film_is_held_out(store, row) for row in train.tolist()], np.bool_)
        held_out = train[lent]
    dropped = listed_but_dropped(store, split)
    counts = TrainingCounts(
        split=split,
        listed=len(stored) + dropped,
        dropped=dropped,
        tested=len(stored) - len(train),
        held_out=int(lent.sum()),
        trained_on=int((~lent).sum()),
    )
    return TrainingRows(train[~lent], held_out, counts)


def dropped_note(split: Split | str) -> str:
    """Under which a store counts the shots of a list that could not be imported."""
    return f"listed in {split} but dropped"


def listed_but_dropped(store: Store, split: str) -> int:
    """Shots of a list that are not in the store."""
    counts = {noted.what: noted.count for noted in store.manifest.noted}
    return counts.get(dropped_note(split), 0)


def _film_is_held_out(store: Store, row: int) -> bool:
    """One film in a hundred by the hash of its name: the same on every machine."""
    film = str(attributes_of(store.shots, row).get("video", store.shots.text("id", row)))
    return int.from_bytes(hashlib.sha256(film.encode()).digest()[:8], "big") % 100 == 0
