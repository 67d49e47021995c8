"""The run record (everything needed to repeat a run, and what it cost) and its journal."""

import hashlib
import json
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import torch
from tqdm import tqdm

from aesop.core.atomic import atomic_path
from aesop.training.recipes import Recipe, TrainingError

_PACKAGES = ("aesop-motion", "torch", "numpy", "safetensors")


@dataclass(frozen=True)
class Code:
    """The exact source: last commit, and a hash of what differs from it (None: nothing)."""

    commit: str
    diff_sha256: str | None


@dataclass(frozen=True)
class Machine:
    """Where it ran."""

    device: str
    processor: str
    system: str
    python: str
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RunRecord:
    """One execution of one recipe."""

    recipe: Recipe
    recipe_sha256: str
    data_sha256: str
    text_encoder: str
    parts: tuple[tuple[str, str], ...]  # the weights it builds on, by identity
    pairs_sha256: str | None
    code: Code
    machine: Machine
    world_size: int
    command: tuple[str, ...]


def code_state(folder: Path) -> Code:
    """What git says about the source in `folder`; "unknown" outside a clone."""
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return Code("unknown", None)
    diff = (_git(folder, "diff", "HEAD") or "") + (
        _git(folder, "ls-files", "--others", "--exclude-standard") or ""
    )
    return Code(commit.strip(), hashlib.sha256(diff.encode()).hexdigest() if diff else None)


def _git(folder: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=30,
            encoding="utf-8",
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def this_machine(device: torch.device) -> Machine:
    """Device, system and versions of this process."""
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
    return Machine(
        device=name,
        processor=f"{platform.machine()}, {torch.get_num_threads()} threads",
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        versions=tuple((package, _version(package)) for package in _PACKAGES),
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def this_command() -> tuple[str, ...]:
    """The words that started this process."""
    return (Path(sys.argv[0]).name, *sys.argv[1:])


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


@dataclass(frozen=True)
class JournalEntry:
    """One line of the journal: what was measured after `step` updates."""

    kind: Literal["train", "validation"]
    step: int
    measures: tuple[Measure, ...]


@runtime_checkable
class Listener(Protocol):
    """Anyone who wants to hear of entries and finished steps."""

    def heard(self, entry: JournalEntry) -> None: ...

    def stepped(self, done: int) -> None: ...


class Lines:
    """The journal on disk. A resumed run goes on after the last entry its checkpoint knows."""

    def __init__(self, folder: Path, from_step: int) -> None:
        self._path = folder / JOURNAL_FILE
        kept = [line for line in _whole_lines(self._path) if json.loads(line)["step"] <= from_step]
        with atomic_path(self._path) as temporary:
            temporary.write_text("".join(kept if from_step else []), encoding="utf-8", newline="\n")

    def heard(self, entry: JournalEntry) -> None:
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

    def heard(self, entry: JournalEntry) -> None:
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

    def heard(self, entry: JournalEntry) -> None:
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
