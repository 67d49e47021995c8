"""Work in pieces that survive an interruption: batches of like length, tasks, and their results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int, Int64

from aesop.core.atomic import atomic_path
from aesop.core.pieces import PieceFolder
from aesop.data.store import Store, open_store
from aesop.pairs.gates import Verdicts

# Frames that are computed on together: their arrays stay in the processor's cache.
BATCH_FRAMES = 1 << 13
# Frames of one task, which is also what an interruption costs at most per worker.
TASK_FRAMES = 1 << 17

Arrays = Mapping[str, np.ndarray]


@cache
def opened(path: Path) -> Store:
    """One store per process, whatever number of tasks it works on."""
    return open_store(path)


def in_batches(
    lengths: Int[np.ndarray, " clips"], frames: int = BATCH_FRAMES
) -> list[Int64[np.ndarray, " batch"]]:
    """Clips in groups of like length whose padded size stays below a number of frames."""
    order = np.argsort(lengths, kind="stable")
    groups: list[np.ndarray] = []
    first = 0
    while first < len(order):
        stop = first + 1
        while stop < len(order) and (stop + 1 - first) * lengths[order[stop]] <= frames:
            stop += 1
        groups.append(order[first:stop])
        first = stop
    return groups


def piece_folder(out: Path, kind: str) -> PieceFolder:
    """Where the pieces of a build of one kind are kept until it is complete."""
    return PieceFolder(out / "building" / kind, ".npz")


def read_piece(path: Path) -> dict[str, np.ndarray]:
    """The result of one task."""
    with np.load(path, allow_pickle=False) as archive:
        return {key: archive[key] for key in archive.files}


def write_piece(path: Path, arrays: Arrays) -> None:
    """The result of one task, complete or not at all."""
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        np.savez(stream, **dict[str, Any](arrays))


def cut_into_tasks(
    rows: Int[np.ndarray, " clips"], lengths: Int[np.ndarray, " clips"]
) -> Iterator[tuple[str, Int64[np.ndarray, " part"]]]:
    """Names and rows of pieces of work; clips of like length come together."""
    for number, part in enumerate(in_batches(lengths, TASK_FRAMES)):
        yield f"{number:05d}", np.sort(rows[part]).astype(np.int64)


def packed(stage: str, rows: Int[np.ndarray, " clips"], verdicts: Verdicts) -> Arrays:
    """Verdicts of one stage as arrays."""
    return {
        f"{stage}.rows": rows.astype(np.int64),
        f"{stage}.gates": np.array(verdicts.gates),
        f"{stage}.passed": verdicts.passed,
        f"{stage}.values": verdicts.values,
    }


@dataclass(frozen=True, eq=False)
class Screened:
    """Shots that came to a stage, by their rows, and what the stage found."""

    stage: str
    rows: Int64[np.ndarray, " clips"]
    verdicts: Verdicts

    @property
    def accepted(self) -> Int64[np.ndarray, " accepted"]:
        return self.rows[self.verdicts.accepted]


def unpacked(stage: str, pieces: Sequence[Arrays]) -> Screened | None:
    """Verdicts of one stage from all pieces, in the order of the rows; None if it was not run."""
    found = [piece for piece in pieces if f"{stage}.rows" in piece]
    if not found:
        return None
    rows = np.concatenate([piece[f"{stage}.rows"] for piece in found])
    order = np.argsort(rows, kind="stable")
    gates = tuple(str(name) for name in found[0][f"{stage}.gates"])
    passed = np.concatenate([piece[f"{stage}.passed"] for piece in found])
    values = np.concatenate([piece[f"{stage}.values"] for piece in found])
    return Screened(stage, rows[order], Verdicts(gates, passed[order], values[order]))
