"""Pieces of work that one process among many takes, on one machine or on several that share a
folder.

Whoever creates the file NAME.0.claim first has the claim, and touches it while it works. A claim
that nobody has touched for a while, or whose process on this machine is gone, is stale: whoever
creates NAME.1.claim first has it then, and so on. No file is ever replaced, so of two processes
that find the same stale claim only one can win it.
"""

import json
import os
import re
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

STALE_SECONDS = 90.0  # untouched for so long: machines pause and disks hang for shorter
_TOUCHES = 6  # in that time
_NUMBER = re.compile(r"\.(\d{1,6})\.claim")


@dataclass(frozen=True)
class Claim:
    """A piece of work that is ours until it is released, or until we seem dead to others."""

    base: Path
    number: int

    @property
    def path(self) -> Path:
        return self.base.with_name(f"{self.base.name}.{self.number}.claim")

    @property
    def is_ours(self) -> bool:
        """False once somebody has taken us for dead."""
        newest = _newest(self.base)
        return newest is not None and newest.number == self.number

    def release(self) -> None:
        """Give it back, done or not, with those that it took the place of."""
        _HELD.remove(self.path)
        for claim in _claims_of(self.base):
            if claim.number <= self.number:
                claim.path.unlink(missing_ok=True)


class HeldClaims:
    """Touches every claim of this process, in one thread that starts with the first."""

    def __init__(self) -> None:
        self._paths: set[Path] = set()
        self._thread: Thread | None = None
        self._end = Event()

    def add(self, path: Path) -> None:
        self._paths.add(path)
        if self._thread is None or not self._thread.is_alive():
            self._thread = Thread(target=self._touch, name="claims", daemon=True)
            self._thread.start()

    def remove(self, path: Path) -> None:
        self._paths.discard(path)

    def _touch(self) -> None:
        while not self._end.wait(STALE_SECONDS / _TOUCHES):
            for path in tuple(self._paths):
                with suppress(OSError):  # released meanwhile, or taken over: `is_ours` tells
                    os.utime(path)


_HELD = HeldClaims()


def claim_piece(base: Path) -> Claim | None:
    """The claim of that name, or None while somebody else has it."""
    before = _newest(base)
    owner = None if before is None else _text(before.path)
    if before is not None and owner is not None and not _is_stale(before.path, owner):
        return None
    claim = Claim(base, 0 if before is None else before.number + 1)
    ours = {"host": socket.gethostname(), "pid": os.getpid(), "token": secrets.token_hex(8)}
    try:
        with claim.path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(ours))
    except FileExistsError:
        return None
    except OSError:  # of a full disk, say: half a claim would hold others up
        with suppress(OSError):
            claim.path.unlink(missing_ok=True)
        raise
    # Its owner may have come back to life, and somebody else may have claimed the name anew.
    is_as_before = before is None or _text(before.path) == owner
    if not is_as_before or not claim.is_ours:
        claim.path.unlink(missing_ok=True)
        return None
    _HELD.add(claim.path)
    return claim


def _claims_of(base: Path) -> Iterator[Claim]:
    for path in base.parent.iterdir():
        if path.name.startswith(base.name):
            number = _NUMBER.fullmatch(path.name[len(base.name) :])
            if number is not None:
                yield Claim(base, int(number[1]))


def _newest(base: Path) -> Claim | None:
    return max(_claims_of(base), key=lambda claim: claim.number, default=None)


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def _is_stale(path: Path, owner: str) -> bool:
    try:
        named = json.loads(owner)
        host, process = str(named["host"]), int(named["pid"])
    except (ValueError, KeyError, TypeError):
        host, process = "", 0  # being written at this moment, or damaged: only time tells
    if host == socket.gethostname() and not _is_alive(process):
        return True
    try:
        touched = path.stat().st_mtime
        return _folder_time(path.parent) - touched > STALE_SECONDS
    except FileNotFoundError:
        return True


def _folder_time(folder: Path) -> float:
    """What the clock of the disk says: those of two machines may differ by more than a claim
    lasts."""
    path = folder / f".{secrets.token_hex(6)}.now"
    path.touch()
    try:
        return path.stat().st_mtime
    finally:
        path.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    """Whether a process of this machine still runs. Windows has no question that harms nobody, so
    there only time tells."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's process is there
        return True
    return True


def wait_a_little(turn: int) -> None:
    """Between two looks at what others do: longer and longer, to two seconds."""
    time.sleep(min(0.05 * 2**turn, 2.0))
