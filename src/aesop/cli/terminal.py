"""How commands speak: progress and remarks to stderr, written paths to stdout."""

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aesop.core.errors import AesopError, FileError, Progress

SPELLED_OUT = "aesop-spelled-out"  # a way to encode what an encoding lacks


def open_streams() -> None:
    """Make both streams take whatever is said. Where one is closed, as services do, nobody listens;
    letters that stdout does not have are spelled out, and a path is the bytes of its name. (In the
    C locale without UTF-8 Python itself takes names that way, and no letter beyond ASCII.)"""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, _nowhere())
    kinds = ("strict", "surrogateescape")
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in kinds:
        codecs.register_error(SPELLED_OUT, _spelled_out)
        sys.stdout.reconfigure(errors=SPELLED_OUT)


def _spelled_out(problem: UnicodeError) -> tuple[str | bytes, int]:
    """What an encoding lacks: a byte of a name stays that byte, a letter becomes its escape."""
    assert isinstance(problem, UnicodeEncodeError), "what is written is encoded"
    letter = problem.object[problem.start]
    alone = UnicodeEncodeError(
        problem.encoding, problem.object, problem.start, problem.start + 1, problem.reason
    )
    return codecs.lookup_error(
        "surrogateescape" if "\udc80" <= letter <= "\udcff" else "backslashreplace"
    )(alone)


@contextmanager
def to_stdout() -> Iterator[None]:
    """What is written there may wait until the end, and fail only then."""
    try:
        yield
    except BrokenPipeError:  # a reader that has had enough is no mistake
        raise
    except OSError as problem:
        raise FileError(
            f"Standard output cannot be written: {(problem.strerror or str(problem)).lower()}.",
            "Send it elsewhere; the files of this command are whole.",
        ) from problem


def drop_stdout() -> None:
    """Nothing can be written there any more; Python would try once more when it ends."""
    sys.stdout = _nowhere()


def _nowhere() -> io.TextIOWrapper:
    """A stream that takes everything, for as long as the process lives."""
    return io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8", write_through=True)


@contextmanager
def progress_bar(label: str) -> Iterator[Progress]:
    """A bar on stderr; silent where stderr is no terminal."""
    from tqdm import tqdm

    with tqdm(desc=label, disable=None, leave=False, file=sys.stderr) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show


def wrote(path: Path) -> None:
    """Tell the caller's script what exists now."""
    with to_stdout():
        sys.stdout.write(f"{path}\n")


def report(text: str) -> None:
    """The text that the command was asked for."""
    with to_stdout():
        sys.stdout.write(f"{text}\n")


def remark(text: str) -> None:
    """Something for the person at the terminal. Where it cannot be kept (a log on a full disk), the
    film is still made; a reader that is gone wants none."""
    try:
        sys.stderr.write(f"{text}\n")
    except BrokenPipeError:
        raise
    except OSError:
        sys.stderr = _nowhere()


def refuse_flag(flag: str, value: object, where: str, remedy: str) -> None:
    """A flag that was given although it means nothing there."""
    if value is not None and value is not False and value != ():
        raise AesopError(f"{flag} means nothing {where}.", remedy)


def missing(what: str, example: str) -> AesopError:
    return AesopError(f"The command needs {what}.", f"Such as: {example}")


def refuse_both(command: str, *given: object) -> None:
    """Motions, words and outputs of a batch stand in its file."""
    if any(item is not None for item in given):
        raise AesopError(
            f"{command} takes motions, words and outputs from its file.",
            "Give either the file or a single request.",
        )


def advise(path: Path, advice: str) -> None:
    """What whoever opens a file should know."""
    if advice:
        remark(f"{path.name}: {advice}")
