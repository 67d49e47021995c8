"""What the rows of a batch may not write: a file of another row, and whatever is read."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aesop.core.errors import AesopError, FileError
from aesop.core.whole_files import replaced

if TYPE_CHECKING:
    from aesop.cli.batch import BatchRow


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
