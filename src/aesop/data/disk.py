"""Plain `.npy` arrays that grow row by row on disk and are mapped read-only afterwards.

Every file carries one fixed-size header, so a file's size alone tells how many rows it holds, and
NumPy opens it without us.
"""

import errno
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from aesop.errors import StoreError

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
        return _read_only(np.empty((0, *item), dtype))
    with disk_errors(path):
        mapped = np.memmap(path, dtype, mode="r", offset=HEADER_BYTES, shape=(rows, *item))
    # A plain view: slicing the memmap class itself costs several times as much.
    return mapped.view(np.ndarray)


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def file_sha256(path: Path) -> str:
    """Hash of a whole file, read piece by piece."""
    with disk_errors(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
