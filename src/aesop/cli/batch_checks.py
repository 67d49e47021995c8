"""What the rows of a batch may not say, and what they may not write: a file of another row, and
whatever is read. All is checked before anything is made."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aesop.core.errors import AesopError, FileError
from aesop.core.whole_files import replaced

if TYPE_CHECKING:
    from aesop.cli.batch import BatchRow

_WHOLE = ("seed", "camera_seed", "take", "takes")
_NUMBERS = ("guidance", "human_guidance", "seconds", *_WHOLE)


def refuse_cells(cells: dict[str, str]) -> None:
    """Say what is wrong with a row."""
    if "" in cells:
        raise FileError("It has more cells than columns.", "Quote cells with commas.")
    for name in _NUMBERS:
        try:
            (int if name in _WHOLE else float)(cells.get(name) or 0)
        except ValueError:
            fact = f"{cells[name]!r} is no number for {name}."
            raise FileError(fact, "Write a number, or leave it empty.") from None
    if cells.get("intensity"):
        from aesop.scene.intensity_curve import intensity_from_text

        intensity_from_text(cells["intensity"])
    if cells.get("take") and cells.get("takes"):
        raise FileError("It has a take and takes.", "Name one take, or how many.")
    if "motion" in cells and not Path(cells["motion"]).is_file():
        raise FileError(f"There is no motion {cells['motion']}.", "Check the path.")


def written_twice(rows: Sequence["BatchRow"]) -> dict[int, AesopError]:
    """Rows that write what another one writes, by line."""
    first: dict[Path, int] = {}
    problems: dict[int, AesopError] = {}
    for row in rows:
        for output in row.outputs:
            before = first.setdefault(output, row.line)
            if before != row.line or row.outputs.count(output) > 1:
                fact = f"It writes {output}, as line {before} does."
                problems[row.line] = FileError(fact, "Give every row its own outputs.")
    return problems


def replacing(path: Path, rows: Sequence["BatchRow"]) -> dict[int, AesopError]:
    """Rows that would replace what the file or any of its rows reads, by line."""
    read = {path, *(file for row in rows for file in row.read)}
    lost = set(replaced((output for row in rows for output in row.outputs), read))
    return {
        row.line: FileError(
            f"It writes {output}, which this file or one of its rows reads.",
            "Give the output another name.",
        )
        for row in rows
        for output in row.outputs
        if output in lost
    }
