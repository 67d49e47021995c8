"""Work in pieces that survives an interruption: finished pieces are kept with their plan, and only
an equal plan goes on with them. Large pieces are files of a folder, small ones lines of a file.
"""

import json
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aesop.core.atomic import atomic_path
from aesop.core.errors import FileError, StoreError

PLAN_FILE = "plan.json"


@dataclass(frozen=True)
class PieceFolder:
    """A folder with a file or folder for every finished piece. Whoever makes a piece gives it its
    name only when it is complete (`core.atomic`), so what has a name is finished."""

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
        with self.path.open(mode, encoding="utf-8", newline="\n") as file:
            file.write(text)
