"""How commands speak: progress and remarks to stderr, written paths to stdout."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aesop.core.errors import AesopError, Progress


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
    sys.stdout.write(f"{path}\n")


def report(text: str) -> None:
    """The text that the command was asked for."""
    sys.stdout.write(f"{text}\n")


def remark(text: str) -> None:
    """Something for the person at the terminal."""
    sys.stderr.write(f"{text}\n")


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
