"""Requests from a CSV file: checked all before the first is met, and resumed after an interruption.

Beside FILE.csv a ledger FILE.csv.done lists the rows that were written. A row is skipped if the
ledger knows it with these very settings and weights, and its files are still there.
"""

import csv
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from aesop.cli.terminal import progress_bar, remark
from aesop.errors import AesopError, FileError

if TYPE_CHECKING:
    from aesop.director.journey import Director
    from aesop.files.registry import ReadOptions
    from aesop.flow.presets import PresetName
    from aesop.scene.human import Clip
    from aesop.scene.shot import Shot

CHUNK = 32
SEVERAL = ";"  # between the outputs of one row
_NUMBERS: dict[str, type[int] | type[float]] = {
    "intensity": float,
    "guidance": float,
    "seconds": float,
    "seed": int,
    "camera_seed": int,
    "take": int,
}


class Checkable(Protocol):
    def check(self) -> None: ...


Request = TypeVar("Request", bound=Checkable)
Made = TypeVar("Made")


@dataclass(frozen=True)
class Row:
    """One request of the file: its line, its cells, and what it writes."""

    line: int
    cells: Mapping[str, str]
    outputs: tuple[Path, ...]

    def number(self, name: str, default: float = 0.0) -> float:
        return float(self.cells.get(name) or default)

    def whole(self, name: str) -> int:
        return int(self.cells.get(name) or 0)

    def key(self, settings: Sequence[str]) -> str:
        """Changes whenever the answer would."""
        source = self.cells.get("motion")
        facts = Path(source).stat() if source else None
        file = None if facts is None else [facts.st_size, facts.st_mtime_ns]
        told = json.dumps([sorted(self.cells.items()), list(settings), file])
        return hashlib.sha256(told.encode()).hexdigest()


@dataclass(frozen=True)
class Batch(Generic[Request, Made]):
    """How one command meets the rows of its file. `settings` are all that rows do not say."""

    needed: tuple[str, ...]
    optional: tuple[str, ...]
    settings: tuple[str, ...]
    check_target: Callable[[Path], object]
    request: Callable[[Row], Request]
    answer: Callable[[list[Request]], list[Made]]
    write: Callable[[Made, Sequence[Path]], None]


def film_batch(
    path: Path, director: "Director", preset: "PresetName", options: "ReadOptions"
) -> None:
    """`aesop film --batch`."""
    from aesop.cli.film import write_shot_files
    from aesop.director.requests import GUIDANCE, FilmRequest
    from aesop.export.registry import shot_writer_for
    from aesop.files.registry import read_motion

    def request(row: Row) -> FilmRequest:
        clip = read_motion(Path(row.cells["motion"]), options)
        intensity, guidance = row.number("intensity", 1.0), row.number("guidance", GUIDANCE)
        seed, take = row.whole("seed"), row.whole("take")
        return FilmRequest(clip, row.cells["words"], intensity, seed, take, guidance)

    batch: Batch[FilmRequest, Shot] = Batch(
        needed=("motion", "words"),
        optional=("intensity", "seed", "take", "guidance"),
        settings=("film", director.parts.camera_flow.card.identity, preset, str(options)),
        check_target=shot_writer_for,
        request=request,
        answer=lambda requests: director.film_many(requests, preset),
        write=write_shot_files,
    )
    run_batch(path, batch)


def shoot_batch(path: Path, director: "Director", preset: "PresetName") -> None:
    """`aesop shoot --batch`."""
    from aesop.cli.film import write_shot_files
    from aesop.director.requests import GUIDANCE, ShootRequest
    from aesop.export.registry import shot_writer_for

    def request(row: Row) -> ShootRequest:
        return ShootRequest(
            row.cells["human_words"],
            row.cells["camera_words"],
            row.number("seconds"),
            row.number("intensity", 1.0),
            row.whole("seed"),
            row.whole("camera_seed") if row.cells.get("camera_seed") else None,
            row.whole("take"),
            row.number("guidance", GUIDANCE),
        )

    parts = director.parts
    batch: Batch[ShootRequest, Shot] = Batch(
        needed=("human_words", "camera_words", "seconds"),
        optional=("intensity", "seed", "camera_seed", "take", "guidance"),
        settings=(
            "shoot",
            parts.human_flow.card.identity,
            parts.camera_flow.card.identity,
            preset,
        ),
        check_target=shot_writer_for,
        request=request,
        answer=lambda requests: director.shoot_many(requests, preset),
        write=write_shot_files,
    )
    run_batch(path, batch)


def act_batch(path: Path, director: "Director") -> None:
    """`aesop act --batch`."""
    from aesop.cli.film import write_clip_files
    from aesop.director.requests import ActRequest
    from aesop.export.registry import clip_writer_for

    batch: Batch[ActRequest, Clip] = Batch(
        needed=("words", "seconds"),
        optional=("seed", "take"),
        settings=("act", director.parts.human_flow.card.identity),
        check_target=clip_writer_for,
        request=lambda row: ActRequest(
            row.cells["words"], row.number("seconds"), row.whole("seed"), row.whole("take")
        ),
        answer=director.act_many,
        write=write_clip_files,
    )
    run_batch(path, batch)


def run_batch(path: Path, batch: Batch[Request, Made]) -> None:
    """Read and check every row, then make and write those that are not there yet."""
    rows = _read_rows(path, batch)
    ledger = path.with_name(f"{path.name}.done")
    known = set(ledger.read_text().split()) if ledger.exists() else set[str]()
    keys = {row.line: row.key(batch.settings) for row in rows}
    left = [row for row in rows if not (keys[row.line] in known and _is_written(row))]
    for row in left:
        try:
            batch.request(row).check()
        except AesopError as problem:
            raise _bad_row(path, row.line, problem.fact, problem.remedy) from problem
    if len(left) < len(rows):
        remark(f"{len(rows) - len(left)} of {len(rows)} rows were written before")
    with ledger.open("a") as book, progress_bar(path.name) as progress:
        for start in range(0, len(left), CHUNK):
            some = left[start : start + CHUNK]
            made = batch.answer([batch.request(row) for row in some])
            for row, one in zip(some, made, strict=True):
                batch.write(one, row.outputs)
                book.write(f"{keys[row.line]}\n")
                book.flush()
            progress(len(rows) - len(left) + start + len(some), len(rows))


def _read_rows(path: Path, batch: Batch[Request, Made]) -> list[Row]:
    if not path.is_file():
        raise FileError(f"There is no file {path}.", "Check the path.")
    needed, known = {*batch.needed, "output"}, {*batch.needed, *batch.optional, "output"}
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file, strict=True, restkey="", restval="")
            found = set(reader.fieldnames or ())
            lines = [(reader.line_num, cells) for cells in reader]
    except (csv.Error, UnicodeDecodeError) as problem:
        raise FileError(f"{path} is no CSV file ({problem}).", "Save it as CSV in UTF-8.") from None
    if not needed <= found <= known:
        raise FileError(
            f"{path} has the columns {', '.join(sorted(found)) or 'none'}.",
            f"Needed: {', '.join(sorted(needed))}; possible: {', '.join(sorted(known - needed))}.",
        )
    rows = [_row(path, line, cells, batch) for line, cells in lines]
    every = [output for row in rows for output in row.outputs]
    if len(set(every)) < len(every):
        twice = next(output for output in every if every.count(output) > 1)
        raise FileError(f"{path} writes {twice} twice.", "Give every row its own outputs.")
    return rows


def _row(path: Path, line: int, cells: dict[str, str], batch: Batch[Request, Made]) -> Row:
    if "" in cells:
        raise _bad_row(path, line, "It has more cells than columns.", "Quote cells with commas.")
    outputs = tuple(Path(name.strip()) for name in cells["output"].split(SEVERAL) if name.strip())
    if not outputs:
        raise _bad_row(path, line, "It names no output.", "Fill in the column output.")
    for name, kind in _NUMBERS.items():
        try:
            kind(cells.get(name) or 0)
        except ValueError:
            fact = f"{cells[name]!r} is no number for {name}."
            raise _bad_row(path, line, fact, "Write a number, or leave it empty.") from None
    for output in outputs:
        batch.check_target(output)
    if "motion" in cells and not Path(cells["motion"]).is_file():
        raise _bad_row(path, line, f"There is no motion {cells['motion']}.", "Check the path.")
    return Row(line, cells, outputs)


def _is_written(row: Row) -> bool:
    return all(output.exists() for output in row.outputs)


def _bad_row(path: Path, line: int, fact: str, remedy: str) -> FileError:
    return FileError(f"{path}, line {line}: {fact}", remedy)
