"""Requests from a CSV file: checked all before the first is met, and resumed after an interruption.

Flags of the command stand in for cells that a row leaves empty. Beside FILE.csv a ledger
FILE.csv.done lists the answers that were written. One is skipped if the ledger knows it with these
very settings and weights, and its files are still there. Several processes, also on machines that
share the folder, may work on one file: rows are claimed.
"""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from aesop.cli.batch_checks import refuse_cells, replacing, written_twice
from aesop.cli.film_outputs import BatchPicture, numbered
from aesop.cli.person_options import write_clip_files
from aesop.cli.terminal import progress_bar, remark
from aesop.core.claims import Claim, claim_piece, wait_a_little
from aesop.core.errors import AesopError, FileError
from aesop.core.whole_files import PieceLines, write_errors

if TYPE_CHECKING:
    from aesop.cli.film_options import CameraOptions, FilmOptions, ShootOptions
    from aesop.cli.person_options import ActOptions
    from aesop.director.director import Director
    from aesop.director.requests import ActRequest, FilmRequest, ShootRequest
    from aesop.files.camera_files import KeyTexts
    from aesop.files.motion_files import ReadOptions
    from aesop.scene.human import Clip
    from aesop.scene.intensity_curve import Intensity
    from aesop.scene.shot import Shot


CHUNK = 32
LOST_RACES = 100  # each needs somebody else to act between two system calls
SEVERAL = ";"  # between the outputs of one row

Request = TypeVar("Request", bound="FilmRequest | ShootRequest | ActRequest")
Made = TypeVar("Made")


@dataclass(frozen=True)
class BatchManner:
    """What happens to rows that cannot be met, and to files that are there."""

    keep_going: bool = False
    no_clobber: bool = False

    def wants(self, row: "BatchRow") -> bool:
        """Whether any file of the row may be written."""
        return not self.no_clobber or not all(output.exists() for output in row.outputs)


STRICTLY = BatchManner()


@dataclass(frozen=True, eq=False)
class BatchRow:
    """One answer that the file asks for: its line, its cells, and what it writes. A row that asks
    for several takes is several of these."""

    line: int
    cells: Mapping[str, str]
    outputs: tuple[Path, ...]

    def number(self, name: str, usual: float = 0.0) -> float:
        """The usual one where the command has no such column."""
        return float(self.cells.get(name, usual))

    def intensity(self, words: str, seconds: float) -> "Intensity":
        """What the row or a flag says; else what the words of the camera mean."""
        from aesop.director.intensity_words import intensity_over
        from aesop.scene.intensity_curve import intensity_from_text

        text = self.cells["intensity"]
        return intensity_over(words, intensity_from_text(text) if text else None, seconds)

    def whole(self, name: str) -> int | None:
        return int(self.cells[name]) if self.cells[name] else None

    def key(self, settings: Sequence[str]) -> str:
        """Changes whenever the answer would."""
        from aesop.core.hashing import text_sha256

        facts = [path.stat() for path in self.read if path.is_file()]
        file = [[fact.st_size, fact.st_mtime_ns] for fact in facts]
        named = [str(output) for output in self.outputs]
        return text_sha256(json.dumps([sorted(self.cells.items()), named, list(settings), file]))

    @property
    def read(self) -> tuple[Path, ...]:
        """The files that it names: its motion, and those of its keys."""
        source = self.cells.get("motion")
        return (*([Path(source)] if source else []), *self.key_texts.files)

    @property
    def key_texts(self) -> "KeyTexts":
        """Cameras that the path has to meet, as the row names them."""
        from aesop.files.camera_files import KeyTexts

        return KeyTexts.from_cells(self.cells)


@dataclass(frozen=True)
class BatchCommand(Generic[Request, Made]):
    """How one command meets the rows of its file. Cells that are empty get `defaults`, which come
    from the command's flags; `settings` are all that rows cannot say. A row that says nothing of
    takes gets `usual_take`, where None leaves the choice to the director."""

    needed: tuple[str, ...]
    defaults: Mapping[str, int | float | str | None]
    usual_take: int | None
    settings: tuple[str, ...]
    check_target: Callable[[Path], object]
    request: Callable[[BatchRow], Request]
    answer: Callable[[list[Request]], list[Made]]
    write: Callable[[Made, Sequence[Path]], None]
    # What is asked of all files together, such as keys, which only some formats hold.
    check_all: Callable[[Sequence[Path]], None] = lambda _: None
    # What is refused of a request beside what it refuses itself.
    check: Callable[[Request], None] = lambda _: None


def film_batch(
    path: Path,
    director: "Director",
    camera: "FilmOptions",
    options: "ReadOptions",
    manner: BatchManner,
    written: BatchPicture,
    keys: "KeyTexts",
) -> None:
    """`aesop film --batch`."""
    from aesop.director.requests import FilmRequest
    from aesop.export.export_files import shot_writer_for
    from aesop.files.motion_files import read_motion

    motion = lru_cache(CHUNK)(partial(read_motion, options=options))
    batch: BatchCommand[FilmRequest, Shot] = BatchCommand(
        needed=("motion", "words"),
        defaults={**_camera_defaults(camera), **keys.cells},
        usual_take=camera.take,
        settings=("film", *_sampled_by(director, camera), str(options), *written.settings),
        check_target=shot_writer_for,
        request=lambda row: FilmRequest(
            clip := motion(row.cells["motion"]),
            row.cells["words"],
            row.intensity(row.cells["words"], motion(row.cells["motion"]).seconds),
            row.whole("seed"),
            row.whole("take"),
            row.number("guidance", camera.camera_guidance),
            keys=row.key_texts.for_clip(clip, Path(row.cells["motion"])),
        ),
        answer=partial(camera.film, director, picture=written.picture),
        write=written.write,
        check_all=written.check_all,
        check=_times_check(camera),
    )
    run_batch(path, batch, manner)


def shoot_batch(
    path: Path,
    director: "Director",
    options: "ShootOptions",
    manner: BatchManner,
    written: BatchPicture,
) -> None:
    """`aesop shoot --batch`."""
    from aesop.director.requests import ShootRequest
    from aesop.export.export_files import shot_writer_for

    people = _people_by(director)
    batch: BatchCommand[ShootRequest, Shot] = BatchCommand(
        needed=("human_words", "camera_words"),
        defaults={
            "seconds": options.seconds,
            "camera_seed": options.camera_seed,
            "human_guidance": options.way.human_guidance,
            **_camera_defaults(options),
        },
        usual_take=options.take,
        settings=("shoot", *people, *_sampled_by(director, options), *written.settings),
        check_target=shot_writer_for,
        request=lambda row: ShootRequest(
            row.cells["human_words"],
            row.cells["camera_words"],
            row.number("seconds"),
            row.intensity(row.cells["camera_words"], row.number("seconds")),
            row.whole("seed"),
            row.whole("camera_seed"),
            row.whole("take"),
            row.number("guidance", options.camera_guidance),
            row.number("human_guidance"),
        ),
        answer=partial(options.shoot, director, picture=written.picture),
        write=written.write,
        check_all=written.check_all,
        check=_times_check(options),
    )
    run_batch(path, batch, manner)


def act_batch(
    path: Path, director: "Director", options: "ActOptions", manner: BatchManner, as_json: bool
) -> None:
    """`aesop act --batch`."""
    from aesop.director.requests import ActRequest
    from aesop.export.export_files import clip_writer_for

    batch: BatchCommand[ActRequest, Clip] = BatchCommand(
        needed=("words",),
        defaults={
            "seconds": options.seconds,
            "seed": options.seed,
            "human_guidance": options.guidance,
            "takes": options.takes,
        },
        usual_take=options.take,
        settings=("act", *_people_by(director)),
        check_target=clip_writer_for,
        request=lambda row: ActRequest(
            row.cells["words"],
            row.number("seconds"),
            row.whole("seed"),
            row.whole("take"),
            row.number("human_guidance"),
        ),
        answer=director.act_many,
        write=partial(write_clip_files, as_json=as_json),
    )
    run_batch(path, batch, manner)


def _camera_defaults(camera: "FilmOptions") -> dict[str, int | float | str | None]:
    """What flags say of a camera. The rule-based operator has no column of guidance."""
    usual: dict[str, int | float | str | None] = {
        "intensity": camera.intensity,
        "seed": camera.seed,
        "takes": camera.takes,
    }
    return usual if camera.method == "operator" else usual | {"guidance": camera.camera_guidance}


def _times_check(camera: "CameraOptions") -> "Callable[[FilmRequest | ShootRequest], None]":
    from aesop.director.rule_based import check_heard_times

    return lambda request: check_heard_times(request, camera.method, camera.finish)


def _people_by(director: "Director") -> tuple[str, ...]:
    """All that people depend on and rows cannot say."""
    parts, people = director.parts, director.people
    chooser = parts.chooser if people.finishing.chooses_take else None
    judge = () if chooser is None else (chooser.identity,)
    return (parts.cast(people.finish).flow.card.identity, repr(people), *judge)


def _sampled_by(director: "Director", camera: "CameraOptions") -> tuple[str, ...]:
    """All that cameras depend on and rows cannot say. The rule-based operator reads no weights."""
    if camera.method == "operator":
        return (camera.method,)
    parts, how = director.parts, (camera.sampler or "quickest", camera.finish)
    steps = parts.camera_steps.card.identity if parts.has_steps else "no steps"
    return (camera.method, parts.camera_flow.card.identity, steps, *how)


def run_batch(
    path: Path, batch: BatchCommand[Request, Made], manner: BatchManner = STRICTLY
) -> None:
    """Read and check every row, then make and write those that are not there yet."""
    rows, problems = _read_rows(path, batch)
    batch.check_all([output for row in rows for output in row.outputs])
    shared = SharedBatch(path, {row: row.key(batch.settings) for row in rows})
    left = [row for row in shared.unfinished(rows) if manner.wants(row)]
    problems |= _unmet(left, batch)
    if not manner.keep_going:
        _refuse_rows(path, problems, "Mend them; nothing was made.")
    left = [row for row in left if row.line not in problems]
    if len(left) < len(rows) - len(problems):
        there = len(rows) - len(problems) - len(left)
        remark(f"{there} of {len(rows)} answers were written before")
    with progress_bar(path.name) as progress:
        for some in shared.shares(left):
            problems |= _meet(some, batch, shared, manner)
            progress(len(rows) - shared.left, len(rows))
    _refuse_rows(path, problems, "Mend them; all others were made.")


def _meet(
    rows: Sequence[BatchRow],
    batch: BatchCommand[Request, Made],
    shared: "SharedBatch",
    manner: BatchManner,
) -> dict[int, AesopError]:
    """Make and write a few rows together; what cannot be made, by line. One that fails among others
    is found by making each alone."""
    try:
        made = batch.answer([batch.request(row) for row in rows])
        for row, one in zip(rows, made, strict=True):
            files = [file for file in row.outputs if not (manner.no_clobber and file.exists())]
            if files:
                batch.write(one, files)
            shared.finish(row)
    except AesopError as problem:
        if not manner.keep_going:
            raise
        if len(rows) == 1:
            return {rows[0].line: problem}
        again = [row for row in rows if not shared.is_finished(row)]
        alone = [_meet([row], batch, shared, manner) for row in again]
        return {line: problem for one in alone for line, problem in one.items()}
    return {}


class SharedBatch:
    """The rows of one file among all processes that work on it, here and on other machines.

    Rows are claimed beside the file, in FILE.csv.claims, and noted in FILE.csv.done when they are
    written. Whoever dies loses its claims, and another one makes its rows.
    """

    def __init__(self, path: Path, keys: Mapping[BatchRow, str]) -> None:
        self._keys = keys
        self._ledger = PieceLines(path.with_name(f"{path.name}.done"))
        self._claims = path.with_name(f"{path.name}.claims")
        self.left = len(keys)
        with self._alone():
            self._done = set[str](self._ledger.start())

    def unfinished(self, rows: Sequence[BatchRow]) -> list[BatchRow]:
        return [row for row in rows if not self.is_finished(row)]

    def is_finished(self, row: BatchRow) -> bool:
        return self._keys[row] in self._done and all(output.exists() for output in row.outputs)

    def finish(self, row: BatchRow) -> None:
        """Its files are written."""
        with self._alone():
            self._ledger.add([self._keys[row]])
        self._done.add(self._keys[row])

    def shares(self, rows: Sequence[BatchRow]) -> Iterator[list[BatchRow]]:
        """Rows to make now, a few at a time, until all are made by us or by others. Those are
        ours until the next ones are asked for."""
        left, turn = list(rows), 0
        try:
            while left:
                self.left = len(left)
                held = self._claimed(left)
                # Read after claiming: whoever had a claim has noted its row before giving it back.
                self._done = set(self._ledger.read()) if self._ledger.path.exists() else set()
                mine = self.unfinished([row for row, _ in held])
                try:
                    if mine:
                        yield mine
                finally:
                    for _, claim in held:
                        claim.release()
                tried = {row for row, _ in held}
                left = [row for row in left if row not in tried and not self.is_finished(row)]
                if not held and left:
                    if turn == 0:
                        remark(f"waiting for {len(left)} answers that others make")
                    wait_a_little(turn)
                    turn += 1
            self.left = 0
            self._bury()
        finally:
            with suppress(OSError):  # others still work
                self._claims.rmdir()

    def _bury(self) -> None:
        """Give back what somebody who died had claimed and finished: nobody asks for it again."""
        with suppress(FileNotFoundError):
            for name in {path.name.split(".")[0] for path in self._claims.iterdir()}:
                claim = claim_piece(self._claims / name)
                if claim is not None:
                    claim.release()

    def _claimed(self, rows: Sequence[BatchRow]) -> list[tuple[BatchRow, Claim]]:
        held: list[tuple[BatchRow, Claim]] = []
        for row in rows:
            claim = self._claim(self._keys[row][:32])
            if claim is not None:
                held.append((row, claim))
            if len(held) == CHUNK:
                break
        return held

    def _claim(self, name: str) -> Claim | None:
        for _ in range(LOST_RACES):
            with write_errors(self._claims):
                self._claims.mkdir(exist_ok=True)
                with suppress(FileNotFoundError):  # somebody who had finished removed the folder
                    return claim_piece(self._claims / name)
        return None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While nobody else writes to the ledger: shared disks may not append lines whole."""
        turn = 0
        while (claim := self._claim("ledger")) is None:
            wait_a_little(turn)
            turn += 1
        try:
            yield
        finally:
            claim.release()


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
    return rows, problems | written_twice(rows) | replacing(path, rows)


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

    refuse_cells(cells)
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


def _written(value: int | float | str | None) -> str:
    return "" if value is None else str(value)


def _unmet(rows: Sequence[BatchRow], batch: BatchCommand[Request, Made]) -> dict[int, AesopError]:
    """Rows whose requests cannot be met, by line."""
    problems: dict[int, AesopError] = {}
    for row in rows:
        try:
            request = batch.request(row)
            request.check()
            batch.check(request)
        except AesopError as problem:
            problems[row.line] = problem
    return problems


def _refuse_rows(path: Path, problems: Mapping[int, AesopError], remedy: str) -> None:
    if problems:
        lines = "".join(f"\n  line {line}: {problems[line]}" for line in sorted(problems))
        rows = "1 row that cannot" if len(problems) == 1 else f"{len(problems)} rows that cannot"
        raise FileError(f"{path} has {rows} be met:{lines}\n", remedy)
