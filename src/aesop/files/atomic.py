"""Write a file completely or not at all."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aesop.errors import FileError

_REMEDIES = {
    errno.ENOSPC: "Free some space or write to another disk.",
    errno.EDQUOT: "Free some space or write to another disk.",
    errno.EFBIG: "Write to a disk that takes files of this size, or raise the file size limit.",
    errno.EROFS: "Write to another folder: this disk is read-only.",
    errno.EACCES: "Write to a folder you own, or change its permissions.",
    errno.EPERM: "Write to a folder you own, or change its permissions.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
}


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well.

    The temporary name keeps the suffix, because some writers choose the format by it. On any
    failure it is removed and `path` stays as it was.
    """
    refuse_target(path)
    temporary = path.with_name(f".{path.stem[:40]}-{secrets.token_hex(6)}{path.suffix}")
    try:
        yield temporary
        _flush(temporary)
        temporary.replace(path)
        _flush_folder(path.parent)
    except OSError as problem:
        raise _write_error(path, problem) from problem
    finally:
        temporary.unlink(missing_ok=True)


def refuse_target(path: Path) -> None:
    """Raise at once if a file can never be written there, before any work is spent on it."""
    if not path.parent.is_dir():
        raise FileError(
            f"{path} cannot be written: the folder {path.parent} does not exist.",
            "Create the folder or choose another one.",
        )
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "not a regular file"
        raise FileError(f"{path} cannot be written: it is {kind}.", "Give the name of a file.")
    locked = path if path.exists() else path.parent
    if not os.access(locked, os.W_OK):
        raise FileError(f"{path} cannot be written: permission denied.", _REMEDIES[errno.EACCES])


def _flush(path: Path) -> None:
    """Reach the disk before the rename, or a crash could leave an empty file under the name."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _flush_folder(folder: Path) -> None:
    # The rename itself lives in the folder; where folders cannot be synced (Windows) it is skipped.
    if hasattr(os, "O_DIRECTORY"):
        _flush(folder)


def _write_error(path: Path, problem: OSError) -> FileError:
    reason = (problem.strerror or str(problem)).lower()
    remedy = _REMEDIES.get(problem.errno or 0, "Check the disk and the folder, then try again.")
    return FileError(f"{path} could not be written: {reason}.", remedy)
