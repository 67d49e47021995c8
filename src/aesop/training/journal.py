"""What a run says about itself: JSON lines on disk, a progress bar, TensorBoard if asked for."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from tqdm import tqdm

from aesop.files.atomic import atomic_path
from aesop.training.halting import TrainingError

JOURNAL_FILE = "log.jsonl"


@dataclass(frozen=True)
class Measure:
    """A named number."""

    name: str
    value: float


@dataclass(frozen=True)
class Entry:
    """One line of the journal: what was measured after `step` updates."""

    kind: Literal["train", "validation"]
    step: int
    measures: tuple[Measure, ...]


@runtime_checkable
class Listener(Protocol):
    """Anyone who wants to hear of entries and finished steps."""

    def heard(self, entry: Entry) -> None: ...

    def stepped(self, done: int) -> None: ...


class Lines:
    """The journal on disk. A resumed run goes on after the last entry its checkpoint knows."""

    def __init__(self, folder: Path, from_step: int) -> None:
        self._path = folder / JOURNAL_FILE
        kept = [line for line in _whole_lines(self._path) if json.loads(line)["step"] <= from_step]
        with atomic_path(self._path) as temporary:
            temporary.write_text("".join(kept if from_step else []), encoding="utf-8", newline="\n")

    def heard(self, entry: Entry) -> None:
        values = {measure.name: measure.value for measure in entry.measures}
        line = json.dumps({"kind": entry.kind, "step": entry.step, **values})
        with self._path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(line + "\n")

    def stepped(self, done: int) -> None:
        pass


def _whole_lines(path: Path) -> list[str]:
    """Lines that were written to their end."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [line for line in lines if line.endswith("\n")]


class Bar:
    """A progress bar on stderr."""

    def __init__(self, name: str, done: int, steps: int) -> None:
        self._bar = tqdm(desc=name, total=steps, initial=done, unit="step", mininterval=0.5)
        self._facts: dict[str, str] = {}

    def heard(self, entry: Entry) -> None:
        loss = next(measure.value for measure in entry.measures if measure.name == "loss")
        self._facts[entry.kind] = f"{loss:.4g}"
        self._bar.set_postfix(self._facts, refresh=False)

    def stepped(self, done: int) -> None:
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        self._bar.close()


class Board:
    """TensorBoard event files beside the journal."""

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise TrainingError(
                "TensorBoard is not installed.",
                "Install it (pip install tensorboard), or train without --tensorboard.",
            ) from error
        self._writer = SummaryWriter(str(folder / "tensorboard"))

    def heard(self, entry: Entry) -> None:
        for measure in entry.measures:
            self._writer.add_scalar(f"{entry.kind}/{measure.name}", measure.value, entry.step)

    def stepped(self, done: int) -> None:
        pass

    def close(self) -> None:
        self._writer.close()


@contextmanager
def opened_journal(
    folder: Path, name: str, done: int, steps: int, *, bar: bool, tensorboard: bool
) -> Iterator[tuple[Listener, ...]]:
    """All listeners of a run, closed at the end whatever happens."""
    board = Board(folder) if tensorboard else None
    progress = Bar(name, done, steps) if bar else None
    listeners: list[Listener] = [Lines(folder, done)]
    closing = [it for it in (board, progress) if it is not None]
    try:
        yield (*listeners, *closing)
    finally:
        for listener in closing:
            listener.close()
