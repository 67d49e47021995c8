"""Write a file completely or not at all, and keep finished pieces of work so that an interrupted
one goes on."""

import errno
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from aesop.core.errors import FileError, StoreError

try:
    import fcntl
except ImportError:  # Windows, where nobody can remove a file that somebody holds open
    fcntl = None

Made = TypeVar("Made")

UNFINISHED = ".aesop-unfinished"
_HANDLES = Path("/proc/self/fd")
# What a system or a disk says that knows no files without names.
_NO_NAMELESS = {errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL}
_ATTEMPTS = 100  # each fails only if another process acts between two system calls

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
    """A path to write to; what was written there takes the name `path` when the block ends well.

    It has neither the name nor the suffix of `path`: writers are told their format. On any failure
    nothing is left of it and `path` stays as it was.
    """
    refuse_target(path)
    with write_errors(path):
        _remove_abandoned(path.parent)
        handle = _open_nameless(path.parent)
        writing = _named(path) if handle is None else _nameless(path, handle)
        with writing as temporary:
            yield temporary
        _flush_folder(path.parent)


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """What a system or a disk refuses while this is written becomes a fact and a remedy."""
    try:
        yield
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        remedy = _REMEDIES.get(problem.errno or 0, "Check the disk and the folder, then try again.")
        raise FileError(f"{path} could not be written: {reason}.", remedy) from problem


def system_refusal(problem: OSError) -> FileError | None:
    """What a disk or its owner refuses, as a fact and a remedy; None: it may be our mistake."""
    remedy = _REMEDIES.get(problem.errno or 0)
    if remedy is None:
        return None
    name = "A file" if problem.filename is None else str(problem.filename)
    reason = (problem.strerror or str(problem)).lower()
    return FileError(f"{name} is refused by the system: {reason}.", remedy)


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


def refuse_replacing(outputs: Iterable[Path], read: Iterable[Path]) -> None:
    """Raise if a file that is read would be replaced: whoever names it twice would lose it."""
    for path in replaced(outputs, read):
        raise FileError(
            f"{path} is read here; writing to it would replace it.",
            "Give the output another name.",
        )


def replaced(outputs: Iterable[Path], read: Iterable[Path]) -> list[Path]:
    """Those outputs that are files which are read, under whatever name."""
    kept = {_identity(path) for path in read} - {None}
    return [path for path in outputs if _identity(path) in kept]


def _identity(path: Path) -> tuple[int, int] | None:
    """The same for all names and links of one file; None for what is no file."""
    try:
        facts = path.stat()
    except (OSError, ValueError):  # not there, or such a name that it cannot be
        return None
    return facts.st_dev, facts.st_ino


def _open_nameless(folder: Path) -> int | None:
    """A handle of a file without a name, or None where there are no such files."""
    if not hasattr(os, "O_TMPFILE") or not _HANDLES.is_dir():
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except OSError as problem:
        if problem.errno in _NO_NAMELESS:
            return None
        raise


@contextmanager
def _nameless(path: Path, handle: int) -> Iterator[Path]:
    temporary = _HANDLES / str(handle)
    try:
        _lock(handle)
        _mark_untouched(temporary)
        yield temporary
        _refuse_untouched(temporary)
        os.fsync(handle)
        try:
            _link(temporary, path)
        except FileExistsError:  # a name can be given only where there is none
            with _made_beside(path, lambda other: _link(temporary, other)) as (other, _):
                other.replace(path)
    finally:
        os.close(handle)


@contextmanager
def _named(path: Path) -> Iterator[Path]:
    with _made_beside(path, _open_locked) as (temporary, handle):
        is_held = True
        try:
            _mark_untouched(temporary)
            yield temporary
            _refuse_untouched(temporary)
            os.fsync(handle)
            if fcntl is None:  # Windows renames no file that is open
                os.close(handle)
                is_held = False
            temporary.replace(path)
        finally:
            if is_held:
                os.close(handle)


@contextmanager
def _made_beside(path: Path, make: Callable[[Path], Made]) -> Iterator[tuple[Path, Made]]:
    """Something made in the folder of unfinished files, and what making it returned."""
    folder = path.parent / UNFINISHED
    made = folder / f"{secrets.token_hex(6)}{path.suffix}"
    try:
        yield made, _make_in(folder, lambda: make(made))
    finally:
        made.unlink(missing_ok=True)
        with suppress(OSError):  # another process still writes there
            folder.rmdir()


def _make_in(folder: Path, make: Callable[[], Made]) -> Made:
    """Make something in a folder that another process may remove whenever it is empty."""
    for _ in range(_ATTEMPTS):
        folder.mkdir(exist_ok=True)
        with suppress(FileNotFoundError):
            return make()
    return make()


def _link(source: Path, target: Path) -> None:
    # With a folder's handle Python calls linkat(), which follows the link to the nameless file.
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.link(source, target.name, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _open_locked(path: Path) -> int:
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
    _lock(handle)
    if fcntl is not None and not path.exists():  # removed as abandoned before it was locked
        os.close(handle)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return handle


def _lock(handle: int) -> None:
    if fcntl is not None:
        with suppress(OSError):  # a disk without locks: nothing on it is ever taken for abandoned
            fcntl.flock(handle, fcntl.LOCK_EX)


def _remove_abandoned(folder: Path) -> None:
    """Remove what killed processes left beside the target; what others still write stays."""
    unfinished = folder / UNFINISHED
    if not unfinished.is_dir():
        return
    for left in list(unfinished.iterdir()):
        with suppress(OSError):
            _remove_unless_held(left)
    with suppress(OSError):
        unfinished.rmdir()


def _remove_unless_held(path: Path) -> None:
    if fcntl is None:
        path.unlink()
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    finally:
        os.close(handle)


def _mark_untouched(path: Path) -> None:
    """Give the file a time at which nobody has written to it."""
    os.utime(path, ns=(time.time_ns(), 0))


def _refuse_untouched(path: Path) -> None:
    if path.stat().st_mtime_ns == 0:
        raise FileNotFoundError(errno.ENOENT, "nothing was written")


def _flush_folder(folder: Path) -> None:
    # A name lives in its folder; where folders cannot be synced (Windows) it is skipped.
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


PLAN_FILE = "plan.json"


@dataclass(frozen=True)
class PieceFolder:
    """A folder with a file or folder for every finished piece. Whoever makes a piece gives it its
    name only when it is complete (`atomic_path`), so what has a name is finished."""

    path: Path
    suffix: str = ""

    @property
    def is_started(self) -> bool:
        return (self.path / PLAN_FILE).is_file()

    def start(self, plan: Mapping[str, object]) -> None:
        """Begin, or go on with the same plan."""
        text = json.dumps(plan, indent=1, sort_keys=True)
        if not self.is_started:
            self.path.mkdir(parents=True, exist_ok=True)
            with atomic_path(self.path / PLAN_FILE) as temporary:
                temporary.write_text(text + "\n", encoding="utf-8", newline="\n")
        elif _read_json(self.path / PLAN_FILE) != json.loads(text):
            raise StoreError(
                f"{self.path} holds an interrupted build with other settings.",
                "Resume it with the same settings, choose another folder, or delete this one.",
            )

    def piece(self, name: str) -> Path:
        """Where a piece is, or will be."""
        return self.path / f"{name}{self.suffix}"

    def remove(self) -> None:
        """Everything is done: the pieces have become what was wanted."""
        shutil.rmtree(self.path, ignore_errors=True)
        with suppress(OSError):  # other work may still go on beside this one
            self.path.parent.rmdir()


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as problem:
        raise StoreError(f"{path} cannot be read ({problem}).", "Delete its folder.") from problem


@dataclass(frozen=True)
class PieceLines:
    """A file with one line of JSON for every finished piece, below a line with their plan. Where
    every piece names all that it depends on, there is no plan."""

    path: Path

    def start(self, plan: Mapping[str, object] | None = None) -> list[Any]:
        """Begin, or go on with the same plan: the pieces that are finished."""
        if not self.path.exists():
            if plan is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._write("w", json.dumps(plan) + "\n")
            return []
        lines = self.read()
        text = self.path.read_text(encoding="utf-8")
        if not text.endswith("\n"):  # what comes next must not be glued to a line that was cut off
            self._write("w", text[: text.rfind("\n") + 1])
        if plan is None:
            return lines
        if lines[:1] != [json.loads(json.dumps(plan))]:
            raise FileError(
                f"{self.path} holds finished work of another plan.",
                "Name another file, or remove this one.",
            )
        return lines[1:]

    def add(self, pieces: Iterable[object]) -> None:
        """Pieces that have been finished."""
        lines = (json.dumps(piece, separators=(",", ":")) for piece in pieces)
        self._write("a", "".join(f"{line}\n" for line in lines))

    def read(self) -> list[Any]:
        """All lines, the plan among them; one that an interruption cut off is left out."""
        try:
            lines = self.path.read_text(encoding="utf-8").split("\n")[:-1]
            return [json.loads(line) for line in lines]
        except (OSError, ValueError) as problem:
            raise FileError(
                f"{self.path} holds no list of finished work ({problem}).", "Remove it."
            ) from problem

    def _write(self, mode: str, text: str) -> None:
        with (
            write_errors(self.path),
            self.path.open(mode, encoding="utf-8", newline="\n") as file,
        ):
            file.write(text)
