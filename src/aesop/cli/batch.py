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
from typing import TYPE_CHECKING, Generic, TypeVar

from aesop.cli.film_options import numbered, person_guidance, write_clip_files, write_shot_files
from aesop.cli.terminal import progress_bar, remark
from aesop.core.errors import AesopError, FileError
from aesop.core.whole_files import PieceLines

if TYPE_CHECKING:
    from aesop.cli.film_options import ActOptions, CameraOptions, FilmOptions, ShootOptions
    from aesop.director.director import Director
    from aesop.director.requests import ActRequest, FilmRequest, ShootRequest
    from aesop.files.motion_files import ReadOptions
    from aesop.scene.human import Clip
    from aesop.scene.shot import Shot

CHUNK = 32
SEVERAL = ";"  # between the outputs of one row
_WHOLE = ("seed", "camera_seed", "take", "takes")
_NUMBERS = ("intensity", "guidance", "human_guidance", "seconds", *_WHOLE)

Request = TypeVar("Request", bound="FilmRequest | ShootRequest | ActRequest")
Made = TypeVar("Made")


@dataclass(frozen=True)
class BatchRow:
    """One answer that the file asks for: its line, its cells, and what it writes. A row that asks
    for several takes is several of these."""

    line: int
    cells: Mapping[str, str]
    outputs: tuple[Path, ...]

    def number(self, name: str, usual: float = 0.0) -> float:
        """The usual one where the command has no such column."""
        return float(self.cells.get(name, usual))

    def whole(self, name: str) -> int | None:
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
    from aesop.export.export_files import shot_writer_for
    from aesop.files.motion_files import read_motion

    motion = lru_cache(CHUNK)(partial(read_motion, options=options))
    batch: BatchCommand[FilmRequest, Shot] = BatchCommand(
        needed=("motion", "words"),
        defaults=_camera_defaults(camera),
        usual_take=camera.take,
        settings=("film", *_sampled_by(director, camera), str(options)),
        check_target=shot_writer_for,
        request=lambda row: FilmRequest(
            motion(row.cells["motion"]),
            row.cells["words"],
            row.number("intensity"),
            row.whole("seed"),
            row.whole("take"),
            row.number("guidance", camera.camera_guidance),
        ),
        answer=partial(camera.film, director),
        write=partial(write_shot_files, as_json=as_json),
    )
    run_batch(path, batch)


def shoot_batch(
    path: Path, director: "Director", options: "ShootOptions", *, as_json: bool
) -> None:
    """`aesop shoot --batch`."""
    from aesop.director.requests import ShootRequest
    from aesop.export.export_files import shot_writer_for

    human_flow = director.parts.human_flow.card.identity
    batch: BatchCommand[ShootRequest, Shot] = BatchCommand(
        needed=("human_words", "camera_words"),
        defaults={
            "seconds": options.seconds,
            "camera_seed": options.camera_seed,
            "human_guidance": person_guidance(options),
            **_camera_defaults(options),
        },
        usual_take=options.take,
        settings=("shoot", human_flow, *_sampled_by(director, options)),
        check_target=shot_writer_for,
        request=lambda row: ShootRequest(
            row.cells["human_words"],
            row.cells["camera_words"],
            row.number("seconds"),
            row.number("intensity"),
            row.whole("seed"),
            row.whole("camera_seed"),
            row.whole("take"),
            row.number("guidance", options.camera_guidance),
            row.number("human_guidance"),
        ),
        answer=partial(options.shoot, director),
        write=partial(write_shot_files, as_json=as_json),
    )
    run_batch(path, batch)


def act_batch(path: Path, director: "Director", options: "ActOptions") -> None:
    """`aesop act --batch`."""
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
            row.whole("seed"),
            row.whole("take") or 0,
            row.number("human_guidance"),
        ),
        answer=director.act_many,
        write=write_clip_files,
    )
    run_batch(path, batch)


def _camera_defaults(camera: "FilmOptions") -> dict[str, int | float | None]:
    """What flags say of a camera. The rule-based operator has no column of guidance."""
    guided = {} if camera.method == "operator" else {"guidance": camera.camera_guidance}
    usual = {"intensity": camera.intensity, "seed": camera.seed, "takes": camera.takes}
    return usual | guided


def _sampled_by(director: "Director", camera: "CameraOptions") -> tuple[str, ...]:
    """All that cameras depend on and rows cannot say. The rule-based operator reads no weights."""
    if camera.method == "operator":
        return (camera.method,)
    flow = director.parts.camera_flow.card.identity
    return (camera.method, flow, camera.sampler, camera.finish)


def run_batch(path: Path, batch: BatchCommand[Request, Made]) -> None:
    """Read and check every row, then make and write those that are not there yet."""
    rows, problems = _read_rows(path, batch)
    ledger = PieceLines(path.with_name(f"{path.name}.done"))
    known = set[str](ledger.start())
    keys = {row.outputs: row.key(batch.settings) for row in rows}
    left = [
        row
        for row in rows
        if keys[row.outputs] not in known or not all(output.exists() for output in row.outputs)
    ]
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
    needed = {*batch.needed, "output"}
    known = {*needed, *batch.defaults, "take"}
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file, strict=True, restkey="", restval="")
            columns = set(reader.fieldnames or ())
            lines = [(reader.line_num, cells) for cells in reader]
    except (csv.Error, UnicodeDecodeError) as problem:
        raise FileError(f"{path} is no CSV file ({problem}).", "Save it as CSV in UTF-8.") from None
    if not needed <= columns <= known:
        raise FileError(
            f"{path} has the columns {', '.join(sorted(columns)) or 'none'}.",
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
        files_of = {cells["take"]: outputs}
    else:
        targets = numbered(outputs, len(takes))
        files_of = {str(take): tuple(targets[take]) for take in takes}
        if len(takes) == 1:
            files_of = {_written(batch.usual_take): outputs}
    answers = [BatchRow(line, {**full, "take": take}, files) for take, files in files_of.items()]
    for output in (output for answer in answers for output in answer.outputs):
        batch.check_target(output)
    return answers


def _written(value: int | float | None) -> str:
    return "" if value is None else str(value)


def _refuse_cells(cells: dict[str, str]) -> None:
    if "" in cells:
        raise FileError("It has more cells than columns.", "Quote cells with commas.")
    for name in _NUMBERS:
        try:
            (int if name in _WHOLE else float)(cells.get(name) or 0)
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
        lines = "".join(f"\n  line {line}: {problems[line]}" for line in sorted(problems))
        rows = "1 row that cannot" if len(problems) == 1 else f"{len(problems)} rows that cannot"
        raise FileError(f"{path} has {rows} be met:{lines}\n", "Mend them; nothing was made.")
