"""Tables of ragged rows in plain `.npy` arrays that grow on disk and are mapped read-only
afterwards."""

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np
from jaxtyping import Int

from aesop.core.errors import StoreError

HEADER_BYTES = 128  # a multiple of 64, as the format asks, with room for any shape we write
_MAGIC = b"\x93NUMPY\x01\x00"

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EROFS, errno.EACCES, errno.EPERM}


def _remedy(error: OSError) -> str:
    if error.errno in _FULL:
        return "Free some room and run again; what is finished is kept."
    if error.errno in _FORBIDDEN:
        return "Choose a folder that you may read and write."
    return "Check the path and the disk, then run again."


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system refuses into a StoreError that names the path."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StoreError(f"{path} cannot be used: {reason}.", _remedy(error)) from error


def npy_header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """Header of version 1.0 of NumPy's format, padded to `HEADER_BYTES`."""
    facts = f"{{'descr': '{np.dtype(dtype).str}', 'fortran_order': False, 'shape': {shape}, }}"
    room = HEADER_BYTES - len(_MAGIC) - 2
    assert len(facts) < room, "the header has outgrown its place"
    return _MAGIC + room.to_bytes(2, "little") + facts.ljust(room - 1).encode("ascii") + b"\n"


class ArrayWriter:
    """One array that grows along its first axis; complete only after `close`."""

    def __init__(self, path: Path, dtype: str, item: tuple[int, ...]) -> None:
        self.path, self.dtype, self.item = path, np.dtype(dtype), item
        self.rows = 0
        with disk_errors(path):
            self._file = path.open("wb")
            self._file.write(npy_header(dtype, (0, *item)))

    def append(self, block: np.ndarray) -> None:
        """Add the rows of `block`, which must already have the right type and shape."""
        assert block.dtype == self.dtype and block.shape[1:] == self.item, self.path.name
        if block.size:
            with disk_errors(self.path):
                self._file.write(np.ascontiguousarray(block).reshape(-1).view(np.uint8).data)
        self.rows += len(block)

    def close(self) -> None:
        """Write the header with the true number of rows."""
        with disk_errors(self.path):
            try:
                self._file.seek(0)
                self._file.write(npy_header(self.dtype.str, (self.rows, *self.item)))
            finally:
                self._file.close()

    def abandon(self) -> None:
        """Let go of the file without completing it."""
        # Closing flushes, which a full disk refuses once more; the first refusal is on its way.
        with suppress(OSError):
            self._file.close()


def write_array(path: Path, values: np.ndarray) -> None:
    """A whole array at once."""
    writer = ArrayWriter(path, values.dtype.str, values.shape[1:])
    writer.append(values)
    writer.close()


def map_array(path: Path, dtype: str, item: tuple[int, ...]) -> np.ndarray:
    """Read-only view of an array that `ArrayWriter` wrote; nothing is loaded."""
    with disk_errors(path):
        size = path.stat().st_size
        with path.open("rb") as file:
            header = file.read(HEADER_BYTES)
    row_bytes = np.dtype(dtype).itemsize * int(np.prod(item, dtype=np.int64))
    rows, rest = divmod(size - HEADER_BYTES, row_bytes)
    if rest or header != npy_header(dtype, (rows, *item)):
        raise StoreError(
            f"{path} is not the complete array of {dtype} rows of shape {item} it should be.",
            "Build or copy the store again.",
        )
    if rows == 0:
        nothing = np.empty((0, *item), dtype)
        nothing.flags.writeable = False
        return nothing
    with disk_errors(path):
        mapped = np.memmap(path, dtype, mode="r", offset=HEADER_BYTES, shape=(rows, *item))
    # A plain view: slicing the memmap class itself costs several times as much.
    return mapped.view(np.ndarray)


ColumnKind = Literal["numbers", "ragged", "strings"]

# Names of the start arrays of each kind, innermost first.
_LEVELS: dict[ColumnKind, tuple[str, ...]] = {
    "numbers": (),
    "ragged": ("starts",),
    "strings": ("text_starts", "starts"),
}

# How much a writer gathers before it writes.
WAITING_PIECES = 512
WAITING_BYTES = 1 << 23


@dataclass(frozen=True)
class Column:
    """What one column holds: `item` is the shape of one number, frame or byte of its data."""

    name: str
    kind: ColumnKind
    dtype: str
    item: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        # Columns are also read from manifests, and their names become paths.
        if not self.name.isidentifier() or self.kind not in _LEVELS:
            raise ValueError(f"column {self.name!r} of kind {self.kind!r}")
        if np.dtype(self.dtype).kind not in "fiub" or not all(size > 0 for size in self.item):
            raise ValueError(f"column {self.name!r} of {self.dtype!r} and shape {self.item}")

    @property
    def files(self) -> tuple[str, ...]:
        """File names, data first, then starts from the inside out."""
        return (f"{self.name}.npy", *(f"{self.name}.{level}.npy" for level in _LEVELS[self.kind]))


def numbers(name: str, dtype: str) -> Column:
    """One number per row."""
    return Column(name, "numbers", dtype)


def ragged(name: str, dtype: str, *item: int) -> Column:
    """Any number of items (frames, say) per row."""
    return Column(name, "ragged", dtype, item)


def strings(name: str) -> Column:
    """Any number of strings per row, UTF-8."""
    return Column(name, "strings", "uint8")


class ColumnWriter:
    """Appends rows, or whole stretches of rows of another table, to one column.

    Rows are gathered and written together: writing each by itself costs ten times as much.
    """

    def __init__(self, folder: Path, column: Column) -> None:
        data, *levels = column.files
        self._dtype, self._item = np.dtype(column.dtype), column.item
        self._data = ArrayWriter(folder / data, column.dtype, column.item)
        self._levels = [ArrayWriter(folder / level, "int64", ()) for level in levels]
        self._totals = [0] * len(levels)
        self._waiting: list[tuple[np.ndarray, ...]] = []
        self._waiting_bytes = 0
        for level in self._levels:
            level.append(np.zeros(1, np.int64))

    def append(self, data: np.ndarray, *lengths: np.ndarray) -> None:
        """Data of some rows, and per level how many pieces of the level inside each piece has.

        The arrays are kept until they are written and must not change before.
        """
        assert data.dtype == self._dtype and data.shape[1:] == self._item, self._data.path
        assert len(lengths) == len(self._levels)
        self._waiting.append((data, *lengths))
        self._waiting_bytes += data.nbytes
        if len(self._waiting) >= WAITING_PIECES or self._waiting_bytes >= WAITING_BYTES:
            self._write()

    def _write(self) -> None:
        if not self._waiting:
            return
        data, *lengths = (
            pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
            for pieces in zip(*self._waiting, strict=True)
        )
        self._waiting, self._waiting_bytes = [], 0
        self._data.append(data)
        for i, (level, pieces) in enumerate(zip(self._levels, lengths, strict=True)):
            level.append(self._totals[i] + np.cumsum(pieces, dtype=np.int64))
            self._totals[i] += int(pieces.sum())

    def append_strings(self, texts: Sequence[str]) -> None:
        """One row of a string column."""
        try:
            encoded = [text.encode("utf-8") for text in texts]
        except UnicodeEncodeError as error:
            raise StoreError(
                f"A text has characters that UTF-8 cannot write: {error.object!a}.",
                "Read the source file with its true encoding.",
            ) from error
        self.append(
            np.frombuffer(b"".join(encoded), np.uint8),
            np.array([len(piece) for piece in encoded], np.int64),
            np.array([len(encoded)], np.int64),
        )

    def append_row(self, value: np.ndarray) -> None:
        """One row of a ragged column, or of a column of numbers."""
        if self._levels:
            self.append(value.copy(), np.array([len(value)], np.int64))
        else:
            self.append(value[None].copy())

    def close(self) -> None:
        self._write()
        for writer in (self._data, *self._levels):
            writer.close()

    def abandon(self) -> None:
        for writer in (self._data, *self._levels):
            writer.abandon()


@dataclass(frozen=True, eq=False)
class ColumnView:
    """One column of a table on disk, memory-mapped."""

    data: np.ndarray
    levels: tuple[Int[np.ndarray, " _"], ...]  # innermost first

    @property
    def rows(self) -> int:
        return len(self.levels[-1]) - 1 if self.levels else len(self.data)

    def stretch(self, first: int, stop: int) -> tuple[np.ndarray, ...]:
        """Rows first … stop−1 in the form that `ColumnWriter.append` takes."""
        lengths: list[np.ndarray] = []
        for starts in reversed(self.levels):
            lengths.insert(0, starts[first + 1 : stop + 1] - starts[first:stop])
            first, stop = int(starts[first]), int(starts[stop])
        return self.data[first:stop], *lengths


def open_column(folder: Path, column: Column) -> ColumnView:
    """Map one column and check that its chain of starts ends where its data end."""
    data, *levels = column.files
    view = ColumnView(
        map_array(folder / data, column.dtype, column.item),
        tuple(map_array(folder / level, "int64", ()) for level in levels),
    )
    inner = len(view.data)
    for name, starts in zip(levels, view.levels, strict=True):
        if len(starts) == 0 or starts[0] != 0 or starts[-1] != inner:
            raise StoreError(
                f"{folder / name} does not match the data beside it.",
                "Build or copy the store again.",
            )
        inner = len(starts) - 1
    return view


class Table:
    """Rows of several columns; everything returned is a read-only view or freshly decoded text."""

    def __init__(self, folder: Path, columns: Sequence[Column]) -> None:
        self.columns = tuple(columns)
        self._views = {column.name: open_column(folder, column) for column in columns}
        counts = {view.rows for view in self._views.values()}
        if len(counts) != 1:
            raise StoreError(
                f"The columns in {folder} differ in their number of rows.",
                "Build or copy the store again.",
            )
        self.rows = counts.pop()

    def column(self, name: str) -> ColumnView:
        return self._views[name]

    def numbers(self, name: str) -> np.ndarray:
        """All rows of a column of numbers."""
        return self._views[name].data

    def items(self, name: str, row: int) -> np.ndarray:
        """The stretch of a ragged column that belongs to one row."""
        view = self._views[name]
        starts = view.levels[0]
        return view.data[starts[row] : starts[row + 1]]

    def lengths(self, name: str) -> Int[np.ndarray, " rows"]:
        """How many items (or texts) every row of a column has."""
        return np.diff(self._views[name].levels[-1])

    def strings(self, name: str, row: int) -> tuple[str, ...]:
        """The texts of one row."""
        starts = self._views[name].levels[-1]
        return tuple(self.text(name, i) for i in range(int(starts[row]), int(starts[row + 1])))

    def text(self, name: str, index: int) -> str:
        """One text by its number among all texts of a column."""
        view = self._views[name]
        starts = view.levels[0]
        return view.data[starts[index] : starts[index + 1]].tobytes().decode("utf-8")

    def texts(self, name: str) -> list[str]:
        """All texts of a column in row order."""
        return column_texts(self._views[name])


def column_texts(view: ColumnView) -> list[str]:
    """All texts of a string column in row order."""
    blob, starts = view.data.tobytes(), view.levels[0].tolist()
    return [blob[first:stop].decode("utf-8") for first, stop in pairwise(starts)]
