"""Commands between other programs: readers that stop, streams that are closed, full or narrow."""

import errno
import io
import sys
from pathlib import Path

import pytest

from aesop import cli
from tests.cli.test_commands import run


class Refusing(io.RawIOBase):
    """A stream that takes nothing."""

    def __init__(self, number: int) -> None:
        self.number = number

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        raise OSError(self.number, "no space left on device")  # of EPIPE Python makes its own class


class Raising:
    """Something that the system does not do."""

    def __init__(self, problem: OSError) -> None:
        self.problem = problem

    def __call__(self) -> None:
        raise self.problem


def stdout_of(raw: io.RawIOBase, *, at_once: bool, encoding: str = "utf-8") -> io.TextIOWrapper:
    """As Python opens it: what is said waits for the end, or goes out at once."""
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, write_through=at_once)


def stderr_of(raw: io.RawIOBase) -> io.TextIOWrapper:
    """As Python opens it: every line goes out."""
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", line_buffering=True)


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("words", [("--help",), ("film", "--help")], ids=" ".join)
def test_a_reader_that_has_had_enough_ends_a_command_in_silence(
    words: tuple[str, ...],
    at_once: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    gone = stdout_of(Refusing(errno.EPIPE), at_once=at_once)
    monkeypatch.setattr(sys, "stdout", gone)
    assert run(*words) == 141
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("at_once", [False, True])
def test_a_full_stdout_is_a_fact_and_a_remedy(
    at_once: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    full = stdout_of(Refusing(errno.ENOSPC), at_once=at_once)
    monkeypatch.setattr(sys, "stdout", full)
    assert run("--version") == 1
    told = capsys.readouterr().err
    assert told.startswith("aesop: Standard output cannot be written: no space left")
    assert told.count("\n") == 1


def test_a_film_does_not_end_because_its_remarks_cannot_be_kept(monkeypatch: pytest.MonkeyPatch):
    from aesop.cli.terminal import remark

    monkeypatch.setattr(sys, "stderr", stderr_of(Refusing(errno.ENOSPC)))
    for _ in range(2):
        remark("units: cm (detected)")
    sys.stderr.flush()  # as Python does when it ends; what fails there is the exit code 120
    monkeypatch.setattr(sys, "stderr", stderr_of(Refusing(errno.EPIPE)))
    with pytest.raises(BrokenPipeError):
        remark("units: cm (detected)")


def test_closed_streams_are_no_mistake(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert run("--help") == 0
    assert run("no-such-command") == 2


def test_letters_that_stdout_does_not_have_are_spelled_out(monkeypatch: pytest.MonkeyPatch):
    from aesop.cli.terminal import open_streams, wrote

    for encoding, errors, name, shown in (
        ("ascii", "strict", "ü.shot", b"\\xfc.shot\n"),
        ("utf-8", "strict", "ü.shot", "ü.shot\n".encode()),
        ("utf-8", "strict", "\udcff.shot", b"\xff.shot\n"),  # a name that is no text: its bytes
        # As Python opens it in the C locale without UTF-8.
        ("ascii", "surrogateescape", "\udcc3\udcbc°日.shot", b"\xc3\xbc\\xb0\\u65e5.shot\n"),
        ("cp1252", "strict", "°日.shot", b"\xb0\\u65e5.shot\n"),
        ("utf-16", "strict", "°日.shot", "°日.shot\n".encode("utf-16")),
    ):
        taken = io.BytesIO()
        narrow = io.TextIOWrapper(
            taken, encoding=encoding, errors=errors, write_through=True, newline="\n"
        )
        monkeypatch.setattr(sys, "stdout", narrow)
        open_streams()
        wrote(Path(name))
        assert taken.getvalue() == shown


def test_a_folder_that_was_removed_is_refused_before_any_library_ends_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def gone() -> Path:
        raise FileNotFoundError(errno.ENOENT, "gone")

    monkeypatch.setattr(Path, "cwd", gone)
    assert run("film", "walk.bvh", "the camera pushes in", "-o", "a.shot") == 1
    assert capsys.readouterr().err.startswith("aesop film: The folder you are in was removed.")


@pytest.mark.parametrize(
    ("problem", "fact"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "kept"), "kept is refused by the syst"),
        (OSError(errno.EROFS, "Read-only file system", "kept"), "read-only file system. Write to"),
        (OSError(errno.ENOSPC, "No space left on device"), "A file is refused by the system: no s"),
    ],
)
def test_what_the_system_refuses_anywhere_is_a_fact_and_a_remedy(
    problem: OSError,
    fact: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setattr(cli, "_refuse_lost_folder", Raising(problem))
    assert run("check", "walk.bvh") == 1
    told = capsys.readouterr().err
    assert told.startswith("aesop check: ") and fact in told and told.count("\n") == 1


def test_what_may_be_our_own_mistake_is_not_hidden(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cli, "_refuse_lost_folder", Raising(FileNotFoundError(2, "gone", "x")))
    with pytest.raises(FileNotFoundError):
        run("check", "walk.bvh")
