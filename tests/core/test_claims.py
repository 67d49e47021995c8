"""One process among many has a claim; what the dead leave is taken over, once."""

import errno
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from aesop.core import claims
from aesop.core.claims import claim_piece

# Claims every name that it can get, says which, and holds them until its input ends.
CLAIMANT = """
import sys
from pathlib import Path
from aesop.core.claims import claim_piece
sys.stdin.readline()
names = [f"row{number}" for number in range(97)]
won = [name for name in names if claim_piece(Path(sys.argv[1]) / name) is not None]
print(" ".join(won), flush=True)
sys.stdin.readline()
"""


def left_behind(path: Path, host: str, process: int, age_seconds: float = 0.0) -> None:
    path.write_text(json.dumps({"host": host, "pid": process, "token": "a"}), encoding="utf-8")
    facts = path.stat()
    os.utime(path, (facts.st_atime - age_seconds, facts.st_mtime - age_seconds))


def test_a_claim_is_had_once_and_can_be_given_back(tmp_path: Path):
    first = claim_piece(tmp_path / "row")
    assert first is not None and first.is_ours
    assert claim_piece(tmp_path / "row") is None
    other = claim_piece(tmp_path / "row.1")  # a name that begins like another one
    assert other is not None
    first.release()
    assert other.is_ours and claim_piece(tmp_path / "row") is not None


def test_half_a_claim_is_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """On a full disk: who comes next would wait until it is stale."""

    def full(_: object) -> str:
        raise OSError(errno.ENOSPC, "no space left")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="no space"):
        patch.setattr(claims.json, "dumps", full)
        claim_piece(tmp_path / "row")
    assert list(tmp_path.iterdir()) == []
    assert claim_piece(tmp_path / "row") is not None


def test_processes_share_out_the_work_and_nobody_gets_anything_twice(tmp_path: Path):
    crew = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIMANT, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        for _ in range(3)
    ]
    won: list[str] = []
    for worker in crew:
        assert worker.stdin is not None
        worker.stdin.write("\n")
        worker.stdin.flush()
    for worker in crew:
        assert worker.stdout is not None
        won += worker.stdout.readline().split()
    assert sorted(won) == sorted(f"row{number}" for number in range(97))
    for worker in crew:
        worker.kill()
        worker.communicate()
    taken = [claim_piece(tmp_path / name) for name in won]
    assert None not in taken, "what the killed had is free at once on their own machine"


def test_another_machine_is_dead_once_it_was_silent_for_long(tmp_path: Path):
    left_behind(tmp_path / "row.0.claim", "elsewhere", 1, claims.STALE_SECONDS - 20)
    assert claim_piece(tmp_path / "row") is None
    left_behind(tmp_path / "row.0.claim", "elsewhere", 1, claims.STALE_SECONDS + 20)
    won = claim_piece(tmp_path / "row")
    assert won is not None and won.number == 1
    assert claim_piece(tmp_path / "row") is None
    won.release()
    assert not list(tmp_path.iterdir())


def test_who_was_taken_for_dead_learns_it_and_takes_nothing_back(tmp_path: Path):
    first = claim_piece(tmp_path / "row")
    assert first is not None
    stale = first.path.stat().st_mtime - claims.STALE_SECONDS - 20
    os.utime(first.path, (stale, stale))
    second = claim_piece(tmp_path / "row")
    assert second is not None and second.is_ours and not first.is_ours
    first.release()
    assert second.is_ours and claim_piece(tmp_path / "row") is None


def test_a_claim_is_touched_while_it_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(claims, "STALE_SECONDS", 0.6)
    monkeypatch.setattr(claims, "_HELD", claims.HeldClaims())
    claim = claim_piece(tmp_path / "row")
    assert claim is not None
    old = claim.path.stat().st_mtime - 1000
    os.utime(claim.path, (old, old))
    for _ in range(500):
        if claim.path.stat().st_mtime > old + 500:
            break
        claims.wait_a_little(0)
    assert claim.path.stat().st_mtime > old + 500
    claim.release()


def test_a_damaged_claim_is_stale_by_time_alone(tmp_path: Path):
    path = tmp_path / "row.0.claim"
    path.write_text("{", encoding="utf-8")
    assert claim_piece(tmp_path / "row") is None
    left_behind(path, socket.gethostname(), os.getpid(), claims.STALE_SECONDS + 20)
    path.write_text("{", encoding="utf-8")
    old = path.stat().st_mtime - claims.STALE_SECONDS - 20
    os.utime(path, (old, old))
    assert claim_piece(tmp_path / "row") is not None
