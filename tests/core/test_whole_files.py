"""A file is written completely or not at all."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from aesop.core import whole_files
from aesop.core.errors import FileError
from aesop.core.whole_files import UNFINISHED, atomic_path, refuse_target


@pytest.fixture(autouse=True, params=["as this system can", "without nameless files"])
def is_nameless(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Every law holds on disks that know files without names and on those that do not."""
    if request.param == "without nameless files":
        monkeypatch.setattr(whole_files, "_HANDLES", Path("no such folder"))
        return False
    return sys.platform == "linux"


def test_the_file_appears_when_the_block_ends_and_not_before(tmp_path: Path) -> None:
    target = tmp_path / "walk.shot"
    with atomic_path(target) as temporary:
        temporary.write_bytes(b"whole")
        assert not target.exists()
    assert target.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [target]


def test_bytes_reach_the_disk_before_the_name_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "walk.shot"
    named_when_synced: list[bool] = []
    sync = os.fsync

    def watched(handle: int) -> None:
        named_when_synced.append(target.exists())
        sync(handle)

    monkeypatch.setattr("aesop.core.whole_files.os.fsync", watched)
    with atomic_path(target) as temporary:
        temporary.write_bytes(b"whole")
    assert named_when_synced == [False, True]  # the file, and later the folder


def test_an_older_file_is_replaced_at_once(tmp_path: Path) -> None:
    target = tmp_path / "walk.shot"
    for content in (b"first", b"second", b""):
        before = target.read_bytes() if target.exists() else None
        with atomic_path(target) as temporary:
            temporary.write_bytes(content)
            assert (target.read_bytes() if target.exists() else None) == before
        assert target.read_bytes() == content
    assert list(tmp_path.iterdir()) == [target]


def test_files_written_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    first, second = tmp_path / "a.shot", tmp_path / "b.shot"
    with atomic_path(first) as one:
        one.write_bytes(b"one")
        with atomic_path(second) as other:
            other.write_bytes(b"other")
        assert second.read_bytes() == b"other"
    assert first.read_bytes() == b"one"
    assert sorted(tmp_path.iterdir()) == [first, second]


@pytest.mark.parametrize("old", [None, b"old"])
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system kills in other ways")
def test_a_killed_writer_leaves_nothing_under_any_name(
    tmp_path: Path, old: bytes | None, is_nameless: bool
) -> None:
    target = tmp_path / "walk.mp4"
    if old is not None:
        target.write_bytes(old)
    program = f"""
import os, signal
from pathlib import Path
from aesop.core import whole_files
if not {is_nameless}:
    whole_files._HANDLES = Path("no such folder")
with whole_files.atomic_path(Path({str(target)!r})) as temporary:
    temporary.write_bytes(bytes(100_000))
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -signal.SIGKILL
    if not is_nameless:  # there the next write beside it clears up
        assert (tmp_path / UNFINISHED).is_dir()
        with atomic_path(tmp_path / "other.bvh") as temporary:
            temporary.write_bytes(b"whole")
        (tmp_path / "other.bvh").unlink()
    assert list(tmp_path.iterdir()) == ([] if old is None else [target])
    assert old is None or target.read_bytes() == old


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "walk.shot"
    target.write_bytes(b"old")
    with pytest.raises(KeyError), atomic_path(target) as temporary:
        temporary.write_bytes(b"half")
        raise KeyError("a mistake of ours passes through unchanged")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("number", "word"),
    [(errno.ENOSPC, "space"), (errno.EROFS, "read-only"), (errno.EACCES, "permission")],
)
def test_what_the_disk_says_becomes_a_fact_and_a_remedy(
    tmp_path: Path, number: int, word: str
) -> None:
    target = tmp_path / "walk.shot"
    with pytest.raises(FileError, match=r"walk\.shot.*" + word), atomic_path(target) as temporary:
        temporary.write_bytes(b"half")
        raise OSError(number, os.strerror(number))
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_when_the_disk_really_refuses_more_bytes(tmp_path: Path) -> None:
    program = f"""
import resource
from pathlib import Path
from aesop.core.errors import FileError
from aesop.core.whole_files import atomic_path
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    with atomic_path(Path({str(tmp_path / "big.bin")!r})) as temporary:
        temporary.write_bytes(bytes(100_000))
except FileError as problem:
    assert problem.remedy and "big.bin" in problem.fact, problem
    raise SystemExit(3)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 3
    assert list(tmp_path.iterdir()) == []


def test_a_block_that_writes_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="could not be written"), atomic_path(tmp_path / "a.bvh"):
        pass


def test_impossible_targets_are_refused_before_any_work(tmp_path: Path) -> None:
    folder = tmp_path / "folder.shot"
    folder.mkdir()
    with pytest.raises(FileError, match=r"folder\.shot cannot be written: it is a folder"):
        refuse_target(folder)
    with pytest.raises(FileError, match=r"gone does not exist"):
        refuse_target(tmp_path / "gone" / "walk.shot")
    with pytest.raises(FileError, match="not a regular file"):
        refuse_target(Path(os.devnull))
    with pytest.raises(FileError), atomic_path(folder):
        pytest.fail("the block must not run")


def test_a_locked_folder_or_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = tmp_path / "walk.shot"
    locked.write_bytes(b"old")
    locked.chmod(0o400)
    if os.access(locked, os.W_OK):  # an administrator may write anywhere: act as if not
        monkeypatch.setattr("aesop.core.whole_files.os.access", lambda *_: False)
    with pytest.raises(FileError, match=r"walk\.shot cannot be written: permission denied"):
        refuse_target(locked)
