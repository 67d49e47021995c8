"""The run record (everything needed to repeat a run, and what it cost) and its journal."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tqdm import tqdm

from aesop.core.machine import Code, Machine
from aesop.core.whole_files import atomic_path
from aesop.data.store import TrainingCounts
from aesop.training.recipes import TrainingError

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter


@dataclass(frozen=True)
class RunRecord:
    """One execution of one recipe."""

    recipe: dict[str, object]  # its settings
    recipe_sha256: str
    data_sha256: str
    text_encoder: str
    parts: tuple[tuple[str, str], ...]  # the weights it builds on, by identity
    pairs_sha256: str | None
    code: Code
    machine: Machine
    world_size: int
    command: tuple[str, ...]
    shots: TrainingCounts | None = None  # listed, left out and trained on, where a store was read


def write_record(path: Path, record: RunRecord) -> None:
    """As JSON, whole or not at all."""
    text = json.dumps(asdict(record), indent=1, sort_keys=True)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8", newline="\n")


JOURNAL_FILE = "log.jsonl"


@dataclass(frozen=True)
class Measure:
    """A named number."""

    name: str
    value: float


class Journal:
    """What was measured after how many steps, a line each; on request also as a progress bar on
    stderr and as TensorBoard files. A resumed run goes on after the last line its checkpoint
    knows; a line that was cut short is dropped."""

    def __init__(
        self, folder: Path, name: str, done: int, steps: int, *, bar: bool, tensorboard: bool
    ) -> None:
        self._board = _summary_writer(folder / "tensorboard") if tensorboard else None
        self._bar = None
        if bar:
            self._bar = tqdm(desc=name, total=steps, initial=done, unit="step", mininterval=0.5)
        self._last_losses: dict[str, str] = {}
        self._path = folder / JOURNAL_FILE
        lines: list[str] = []
        if done and self._path.exists():
            lines = self._path.read_text(encoding="utf-8").splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]
        with atomic_path(self._path) as temporary:
            kept = "".join(line for line in whole if json.loads(line)["step"] <= done)
            temporary.write_text(kept, encoding="utf-8", newline="\n")

    def write(
        self, kind: Literal["train", "validation"], step: int, measures: tuple[Measure, ...]
    ) -> None:
        """The first measure is the loss."""
        values = {measure.name: measure.value for measure in measures}
        with self._path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps({"kind": kind, "step": step, **values}) + "\n")
        if self._board is not None:
            for name, value in values.items():
                self._board.add_scalar(f"{kind}/{name}", value, step)
        if self._bar is not None:
            self._last_losses[kind] = f"{values['loss']:.4g}"
            self._bar.set_postfix(self._last_losses, refresh=False)

    def stepped(self, done: int) -> None:
        """Move the bar."""
        if self._bar is not None:
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        for shown in (self._board, self._bar):
            if shown is not None:
                shown.close()


def _summary_writer(folder: Path) -> "SummaryWriter":
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise TrainingError(
            "TensorBoard is not installed.",
            "Install it (pip install tensorboard), or train without --tensorboard.",
        ) from error
    return SummaryWriter(str(folder))
