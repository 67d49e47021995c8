"""Requests from a CSV file: checked all before the first is met, and resumed after an interruption.

Flags of the command stand in for cells that a row leaves empty. Beside FILE.csv a ledger
FILE.csv.done lists the answers that were written. One is skipped if the ledger knows it with these
very settings and weights, and its files are still there.
"""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from aesop.cli.film_options import numbered, write_clip_files, write_shot_files
from aesop.cli.terminal import progress_bar, remark
from aesop.core.errors import AesopError, FileError
from aesop.core.pieces import PieceLines

if TYPE_CHECKING:
    from aesop.cli.film_options import ActOptions, CameraOptions, FilmOptions, ShootOptions
    from aesop.director.director import Director
    from aesop.files.motion_files import ReadOptions
    from aesop.scene.human import Clip
    from aesop.scene.shot import Shot

CHUNK = 32
SEVERAL = ";"  # between the outputs of one row
_NUMBERS: dict[str, type[int] | type[float]] = {
    "intensity": float,
    "guidance": float,
    "human_guidance": float,
    "seconds": float,
    "seed": int,
    "camera_seed": int,
    "take": int,
    "takes": int,
}


class Checkable(Protocol):
    def check(self) -> None: ...


Request = TypeVar("Request", bound=Checkable)
Made = TypeVar("Made")


@dataclass(frozen=True)
class BatchRow:
    """One answer that the file asks for: its line, its cells, and what it writes. A row that asks
    for several takes is several of these."""

    line: int
    cells: Mapping[str, str]
    outputs: tuple[Path, ...]

    def number(self, name: str) -> float:
        return float(self.cells[name])

    def number_or(self, name: str, usual: float) -> float:
        return float(self.cells[name]) if name in self.cells else usual

    def whole(self, name: str) -> int:
        return int(self.cells[name])

    def whole_or_none(self, name: str) -> int | None:
        return int(self.cells[name]) if self.cells[name] else None

    def key(self, settings: Sequence[str]) -> str:
        """Changes whenever the answer would."""
        from aesop.core.hashing import text_sha256

        source = self.cells.get("motion")
        facts = Path(source).stat() if source else None
        file = None if facts is None else [facts.st_size, facts.st_mtime_ns]
        named = [str(output) for output in self.outputs]
        return text_sha256(json.dumps([sorted(self.cells.items()), named, list(settings), file]))


@dataclass(frozen=True)
class BatchCommand(Generic[Request, Made]):
    """How one command meets the rows of its file. Cells that are empty get `defaults`, which come
    from the command's flags; `settings` are all that rows cannot say. A row that says nothing of
    takes gets `usual_take`, where None leaves the choice to the director."""

    needed: tuple[str, ...]
    defaults: Mapping[str, int | float | None]
    usual_take: int | None
    settings: tuple[str, ...]
    check_target: Callable[[Path], object]
    request: Callable[[BatchRow], Request]
    answer: Callable[[list[Request]], list[Made]]
    write: Callable[[Made, Sequence[Path]], None]

    @property
    def optional(self) -> tuple[str, ...]:
        return (*self.defaults, "take")


def film_batch(
    path: Path,
    director: "Director",
    camera: "FilmOptions",
    options: "ReadOptions",
    *,
    as_json: bool,
) -> None:
    """`aesop film --batch`."""
    from aesop.director.requests import FilmRequest
    from aesop.director.rule_based import film_by
    from aesop.export.export_files import shot_writer_for
    from aesop.files.motion_files import read_motion

    @lru_cache(CHUNK)
    def motion(source: str) -> "Clip":
        return read_motion(source, options)

    def request(row: BatchRow) -> FilmRequest:
        return FilmRequest(
            motion(row.cells["motion"]),
            row.cells["words"],
            row.number("intensity"),
            row.whole_or_none("seed"),
            row.whole_or_none("take"),
            row.number_or("guidance", camera.camera_guidance),
        )

    batch: BatchCommand[FilmRequest, Shot] = BatchCommand(
        needed=("motion", "words"),
        defaults={
            "intensity": camera.intensity,
            "seed": camera.seed,
            "takes": camera.takes,
            **_guided(camera),
        },
        usual_take=camera.take,
        settings=("film", *_sampled_by(director, camera), str(options)),
        check_target=shot_writer_for,
        request=request,
        answer=lambda requests: film_by(
            camera.method, director, requests, camera.sampler, finish=camera.finish
        ),
        write=partial(write_shot_files, as_json=as_json),
    )
    run_batch(path, batch)


def shoot_batch(
    path: Path, director: "Director", options: "ShootOptions", *, as_json: bool
) -> None:
    """`aesop shoot --batch`."""
    from aesop.cli.film_options import person_guidance
    from aesop.director.requests import ShootRequest
    from aesop.director.rule_based import shoot_by
    from aesop.export.export_files import shot_writer_for

    def request(row: BatchRow) -> ShootRequest:
        return ShootRequest(
            row.cells["human_words"],
            row.cells["camera_words"],
            row.number("seconds"),
            row.number("intensity"),
            row.whole_or_none("seed"),
            row.whole_or_none("camera_seed"),
            row.whole_or_none("take"),
            row.number_or("guidance", options.camera_guidance),
            row.number("human_guidance"),
        )

    human_flow = director.parts.human_flow.card.identity
    batch: BatchCommand[ShootRequest, Shot] = BatchCommand(
        needed=("human_words", "camera_words"),
        defaults={
            "seconds": options.seconds,
            "intensity": options.intensity,
            "seed": options.seed,
            "camera_seed": options.camera_seed,
            "human_guidance": person_guidance(options),
            "takes": options.takes,
            **_guided(options),
        },
        usual_take=options.take,
        settings=("shoot", human_flow, *_sampled_by(director, options)),
        check_target=shot_writer_for,
        request=request,
        answer=lambda requests: shoot_by(
            options.method, director, requests, options.sampler, finish=options.finish
        ),
        write=partial(write_shot_files, as_json=as_json),
    )
    run_batch(path, batch)


def _guided(camera: "CameraOptions") -> dict[str, int | float | None]:
    """The column of guidance, which the rule-based operator does not have."""
    return {} if camera.method == "operator" else {"guidance": camera.camera_guidance}


def _sampled_by(director: "Director", camera: "CameraOptions") -> tuple[str, ...]:
    """All that cameras depend on and rows cannot say. The rule-based operator reads no weights."""
    if camera.method == "operator":
        return (camera.method,)
    flow = director.parts.camera_flow.card.identity
    return (camera.method, flow, camera.sampler, camera.finish)


def act_batch(path: Path, director: "Director", options: "ActOptions") -> None:
    """`aesop act --batch`."""
    from aesop.cli.film_options import person_guidance
    from aesop.director.requests import ActRequest
    from aesop.export.export_files import clip_writer_for

    batch: BatchCommand[ActRequest, Clip] = BatchCommand(
        needed=("words",),
        defaults={
            "seconds": options.seconds,
            "seed": options.seed,
            "human_guidance": person_guidance(options),
            "takes": options.takes,
        },
        usual_take=0,
        settings=("act", director.parts.human_flow.card.identity),
        check_target=clip_writer_for,
        request=lambda row: ActRequest(
            row.cells["words"],
            row.number("seconds"),
            row.whole_or_none("seed"),
            row.whole("take"),
            row.number("human_guidance"),
        ),
        answer=director.act_many,
        write=write_clip_files,
    )
    run_batch(path, batch)


def run_batch(path: Path, batch: BatchCommand[Request, Made]) -> None:
    """Read and check every row, then make and write those that are not there yet."""
    rows, problems = _read_rows(path, batch)
    ledger = PieceLines(path.with_name(f"{path.name}.done"))
    known = set[str](ledger.start())
    keys = {row.outputs: row.key(batch.settings) for row in rows}
    left = [row for row in rows if not (keys[row.outputs] in known and _is_written(row))]
    _refuse_rows(path, _unmet(left, batch) | problems)
    if len(left) < len(rows):
        remark(f"{len(rows) - len(left)} of {len(rows)} answers were written before")
    with progress_bar(path.name) as progress:
        for start in range(0, len(left), CHUNK):
            some = left[start : start + CHUNK]
            made = batch.answer([batch.request(row) for row in some])
            for row, one in zip(some, made, strict=True):
                batch.write(one, row.outputs)
                ledger.add([keys[row.outputs]])
            progress(len(rows) - len(left) + start + len(some), len(rows))


def _read_rows(
    path: Path, batch: BatchCommand[Request, Made]
) -> tuple[list[BatchRow], dict[int, AesopError]]:
    """What can be read, and the mistakes in all the rest by line."""
    rows: list[BatchRow] = []
    problems: dict[int, AesopError] = {}
    for line, cells in _read_cells(path, batch):
        try:
            rows += _takes_of(line, cells, batch)
        except AesopError as problem:
            problems[line] = problem
    return rows, problems | _written_twice(rows)


def _read_cells(path: Path, batch: BatchCommand[Request, Made]) -> list[tuple[int, dict[str, str]]]:
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
    if not lines:
        raise FileError(f"{path} has a header and no rows.", "Write one request a row below it.")
    return lines


def _takes_of(
    line: int, cells: dict[str, str], batch: BatchCommand[Request, Made]
) -> list[BatchRow]:
    """What one row asks for: the take that it names, or several that are numbered as for a single
    request."""
    from aesop.director.requests import take_numbers

    _refuse_cells(cells)
    outputs = tuple(Path(name.strip()) for name in cells["output"].split(SEVERAL) if name.strip())
    if not outputs:
        raise FileError("It names no output.", "Fill in the column output.")
    full = {name: cells.get(name) or _written(value) for name, value in batch.defaults.items()}
    takes = take_numbers(int(full.pop("takes")))
    full |= {name: cells[name] for name in batch.needed}
    if cells.get("take"):
        named = {cells["take"]: outputs}
    else:
        every = zip(takes, numbered(outputs, len(takes)), strict=True)
        named = {str(take): tuple(files) for take, files in every}
        if len(takes) == 1:
            named = {_written(batch.usual_take): outputs}
    answers = [BatchRow(line, {**full, "take": take}, files) for take, files in named.items()]
    for output in (output for answer in answers for output in answer.outputs):
        batch.check_target(output)
    return answers


def _written(value: int | float | None) -> str:
    return "" if value is None else str(value)


def _refuse_cells(cells: dict[str, str]) -> None:
    if "" in cells:
        raise FileError("It has more cells than columns.", "Quote cells with commas.")
    for name, kind in _NUMBERS.items():
        try:
            kind(cells.get(name) or 0)
        except ValueError:
            fact = f"{cells[name]!r} is no number for {name}."
            raise FileError(fact, "Write a number, or leave it empty.") from None
    if cells.get("take") and cells.get("takes"):
        raise FileError("It has a take and takes.", "Name one take, or how many.")
    if "motion" in cells and not Path(cells["motion"]).is_file():
        raise FileError(f"There is no motion {cells['motion']}.", "Check the path.")


def _written_twice(rows: Sequence[BatchRow]) -> dict[int, AesopError]:
    first: dict[Path, int] = {}
    problems: dict[int, AesopError] = {}
    for row in rows:
        for output in row.outputs:
            before = first.setdefault(output, row.line)
            if before != row.line or row.outputs.count(output) > 1:
                fact = f"It writes {output}, as line {before} does."
                problems[row.line] = FileError(fact, "Give every row its own outputs.")
    return problems


def _unmet(rows: Sequence[BatchRow], batch: BatchCommand[Request, Made]) -> dict[int, AesopError]:
    """Rows whose requests cannot be met, by line."""
    problems: dict[int, AesopError] = {}
    for row in rows:
        try:
            batch.request(row).check()
        except AesopError as problem:
            problems[row.line] = problem
    return problems


def _refuse_rows(path: Path, problems: Mapping[int, AesopError]) -> None:
    if problems:
        told = "".join(f"\n  line {line}: {problems[line]}" for line in sorted(problems))
        rows = "1 row that cannot" if len(problems) == 1 else f"{len(problems)} rows that cannot"
        raise FileError(f"{path} has {rows} be met:{told}\n", "Mend them; nothing was made.")


def _is_written(row: BatchRow) -> bool:
    return all(output.exists() for output in row.outputs)
