"""A project: a folder of ordinary files (motions, `.shot`s, thumbnails) and one SQLite file that
knows which take is which, what was asked for, and everything that can be undone."""

import hashlib
import json
import re
import secrets
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import RLock
from typing import Any, Literal, cast

from aesop.core.errors import FileError
from aesop.director.rule_based import Method
from aesop.flow.solvers import PresetName
from aesop.scene.intensity_curve import Intensity, IntensityCurve
from aesop.server.job_requests import HttpError
from aesop.studio.project_history import (
    TABLES,
    Change,
    Kind,
    make_again,
    next_labels,
    take_back,
    write_changes,
)
from aesop.studio.take_keys import NO_KEYS, TakeKeys, keys_from_texts, keys_texts

DATABASE = "history.sqlite"
FORMAT = 3
LONGEST_NAME = 80
TakeState = Literal["waiting", "done", "failed"]
_TABLES = f"""
create table if not exists project (format integer not null, made real not null);
create table if not exists people (
    motion text primary key, kind text not null, origin text not null, made real not null);
create table if not exists takes (
    id text primary key, number integer not null, motion text not null, words text not null,
    method text not null, aspect real, lens_mm real, seed integer, take integer,
    intensity real not null, name text not null, starred integer not null,
    removed integer not null, state text not null, error text, instead_of text,
    made real not null, curve text, preset text not null default 'fast');
create table if not exists shots (
    take text not null, intensity real not null, facts text not null,
    primary key (take, intensity));
create table if not exists curve_shots (
    take text not null, curve text not null, facts text not null, primary key (take, curve));
create table if not exists take_keys (
    take text primary key, keys text not null, kept text not null, parts text not null);
create table if not exists jobs (job text primary key, kind text not null, subject text not null);
{TABLES}"""


@dataclass(frozen=True)
class StudioTake:
    """One camera for one motion, at whichever intensity it is turned to."""

    id: str
    number: int
    motion: str
    words: str
    method: Method
    aspect: float | None
    lens_mm: float | None
    seed: int | None
    take: int | None
    intensity: float
    name: str = ""
    starred: bool = False
    removed: bool = True  # until its first shot is there
    state: TakeState = "waiting"
    error: Mapping[str, str] | None = None
    instead_of: str | None = None
    curve: str | None = None  # intensity over time, as `IntensityCurve.text` writes it
    preset: PresetName = "fast"  # of all its shots: turned, it stays the same shot

    @property
    def turned_to(self) -> Intensity:
        """The intensity that it is shown at: a number, or a curve over it."""
        return self.intensity if self.curve is None else IntensityCurve.from_text(self.curve)

    @property
    def folder(self) -> str:
        """What its folder is called: a number, and the words as far as a file name holds them."""
        plain = re.sub(r"[^a-z0-9]+", "_", self.words.lower()).strip("_")[:40].rstrip("_")
        return f"{self.number:03d}_{plain or 'take'}"


@dataclass(frozen=True)
class MotionState:
    """What somebody has set about a motion: whether it is gone from the list, and the part of it
    that is looked at, in seconds."""

    removed: bool = False
    start_s: float | None = None
    stop_s: float | None = None


@dataclass(frozen=True)
class JobNote:
    """Why a job was submitted: the first shot of a take, intensities of it in advance or because
    somebody turned it there, or a person."""

    kind: Literal["film", "fan", "turn", "act"]
    subject: str  # a take, or the words of a person


def intensity_label(intensity: Intensity) -> str:
    """What tells files of a take apart: hundredths of a number, or a short hash of a curve."""
    if isinstance(intensity, IntensityCurve):
        return f"curve_{hashlib.sha256(intensity.text.encode()).hexdigest()[:10]}"
    return f"{intensity:.2f}"


def shot_name(intensity: Intensity) -> str:
    """The file of a take at an intensity."""
    label = intensity_label(intensity)
    return f"{label}.shot" if isinstance(intensity, IntensityCurve) else f"at_{label}.shot"


class StudioProject:
    """The database of a project, and where its files are. Every write is on disk when the call
    returns; several threads may ask."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = RLock()
        self._open: sqlite3.Connection | None = None
        self._life, self._count = secrets.token_hex(4), 0

    def begin(self) -> None:
        (self.folder / "takes").mkdir(parents=True, exist_ok=True)
        path = self.folder / DATABASE
        try:
            connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            connection.row_factory = sqlite3.Row
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = full")
            connection.executescript(_TABLES)
            known = connection.execute("select format from project").fetchone()
            if known is not None and known["format"] < FORMAT:
                _bring_up_to_date(connection)
        except sqlite3.DatabaseError as problem:
            raise FileError(
                f"{path} is no project of the studio ({problem}).", "Name another --folder."
            ) from None
        if known is None:
            connection.execute("insert into project values (?, ?)", (FORMAT, time.time()))
        elif known["format"] > FORMAT:
            connection.close()
            raise FileError(
                f"{path} was written by a newer AESOP.", "Update AESOP, or name another --folder."
            )
        self._open = connection

    def close(self) -> None:
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    @property
    def version(self) -> str:
        """Another text after every change, and in every life of the server."""
        with self._lock:
            return f"{self._life}-{self._count}"

    @contextmanager
    def undivided(self) -> Iterator[None]:
        """What joins within the block has joined as one for whoever reads within another."""
        with self._lock:
            yield

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """All of the block or nothing."""
        with self._lock:
            connection = self._connection
            connection.execute("begin immediate")
            try:
                yield connection
            except BaseException:
                connection.execute("rollback")
                raise
            connection.execute("commit")
            self._count += 1

    @property
    def _connection(self) -> sqlite3.Connection:
        assert self._open is not None, "the project is not open"
        return self._open

    def _rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()

    # Takes

    def new_take(self, take: StudioTake, job: str, keys: TakeKeys = NO_KEYS) -> StudioTake:
        """A take that waits for its first shot, and the job that makes it."""
        with self._writing() as connection:
            last = connection.execute("select max(number) from takes").fetchone()[0]
            take = replace(take, number=(last or 0) + 1)
            connection.execute(
                f"insert into takes values ({', '.join(19 * '?')})",
                (take.id, take.number, take.motion, take.words, take.method, take.aspect,
                 take.lens_mm, take.seed, take.take, take.intensity, take.name, take.starred,
                 take.removed, take.state, None, take.instead_of, time.time(), take.curve,
                 take.preset),
            )  # fmt: skip
            if keys != NO_KEYS:
                values = (take.id, *keys_texts(keys))
                connection.execute("insert into take_keys values (?, ?, ?, ?)", values)
            _note_job(connection, job, JobNote("film", take.id))
        return take

    def keys(self, take: str) -> TakeKeys:
        """What the camera of a take has to meet."""
        rows = self._rows("select keys, kept, parts from take_keys where take = ?", take)
        return keys_from_texts(*rows[0]) if rows else NO_KEYS

    def key_lists(self) -> dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
        """Keys and kept parts of all takes that have any, without the numbers of the parts."""
        rows = self._rows("select take, keys, parts from take_keys")
        return {row["take"]: (json.loads(row["keys"]), json.loads(row["parts"])) for row in rows}

    def take(self, name: str) -> StudioTake:
        rows = self._rows("select * from takes where id = ?", name)
        if not rows:
            raise HttpError(404, f"There is no take {name[:40]!r}.", "Look at the list of takes.")
        return _take(rows[0])

    def takes(self) -> list[StudioTake]:
        """In the order in which they were asked for, removed and failed ones among them."""
        return [_take(row) for row in self._rows("select * from takes order by number")]

    def shot_path(self, take: StudioTake, intensity: Intensity) -> Path:
        return self.folder / "takes" / take.folder / shot_name(intensity)

    def filmed(self, take: StudioTake, facts: Mapping[str, Any]) -> None:
        """The first shot of a take is there: now it is one. Told again, nothing changes."""
        before = self.take(take.id)
        with self._writing() as connection:
            connection.execute(
                "update takes set seed = ?, take = ?, method = ?, preset = ?, state = 'done' "
                "where id = ?",
                (take.seed, take.take, take.method, take.preset, take.id),
            )
            _insert_shot(connection, take.id, take.intensity, facts)
            if before.state == "done":
                return
            changes = [Change("take", take.id, "removed", True, False)]
            if take.instead_of and not self.take(take.instead_of).removed:
                changes.append(Change("take", take.instead_of, "removed", False, True))
            write_changes(connection, "film", changes)

    def failed(self, take: str, error: Mapping[str, str] | None) -> None:
        """It will not be filmed; without an error because nobody wanted it any more."""
        told = None if error is None else json.dumps(dict(error))
        with self._writing() as connection:
            connection.execute(
                "update takes set state = 'failed', error = ? where id = ?", (told, take)
            )

    def add_shots(self, take: str, facts: Mapping[float, Mapping[str, Any]]) -> None:
        """More intensities of a take."""
        with self._writing() as connection:
            for intensity, one in facts.items():
                _insert_shot(connection, take, intensity, one)

    def shots(self, take: str) -> dict[float, dict[str, Any]]:
        """What is known of a take at every intensity that was filmed, the lowest first."""
        rows = self._rows(
            "select intensity, facts from shots where take = ? order by intensity", take
        )
        return {row["intensity"]: json.loads(row["facts"]) for row in rows}

    def add_curve_shot(self, take: str, curve: IntensityCurve, facts: Mapping[str, Any]) -> None:
        """A take at an intensity that changes over time."""
        with self._writing() as connection:
            values = (take, curve.text, json.dumps(dict(facts)))
            connection.execute("insert or replace into curve_shots values (?, ?, ?)", values)

    def facts(self, take: StudioTake) -> dict[str, Any] | None:
        """What is known of a take as it is turned now; None while it is not filmed so."""
        if take.curve is None:
            return self.shots(take.id).get(take.intensity)
        rows = self._rows(
            "select facts from curve_shots where take = ? and curve = ?", take.id, take.curve
        )
        return json.loads(rows[0]["facts"]) if rows else None

    # Motions

    def add_motion(
        self, motion: str, label: str, origin: Mapping[str, Any] | None = None, kind: str = "file"
    ) -> None:
        """A motion joins the project, so that it can be undone; told again, nothing changes.
        `origin` says how it came about where nobody dropped it as a file."""
        known = self.motion_states().get(motion)
        with self._writing() as connection:
            if origin is not None:
                values = (motion, kind, json.dumps(dict(origin)), time.time())
                connection.execute("insert or replace into people values (?, ?, ?, ?)", values)
            if known is None or known.removed:
                write_changes(connection, label, [Change("motion", motion, "removed", True, False)])

    def people(self) -> dict[str, dict[str, Any]]:
        """How motions came about that nobody dropped as a file."""
        rows = self._rows("select motion, kind, origin from people")
        return {row["motion"]: {"kind": row["kind"], **json.loads(row["origin"])} for row in rows}

    def motion_states(self) -> dict[str, MotionState]:
        """What was set about motions; of others nothing was."""
        rows = self._rows("select motion, removed, start_s, stop_s from motions")
        return {
            row["motion"]: MotionState(bool(row["removed"]), row["start_s"], row["stop_s"])
            for row in rows
        }

    def change_motion(self, label: str, motion: str, values: Mapping[str, Any]) -> None:
        """Change fields of a motion so that it can be undone."""
        before = self.motion_states().get(motion, MotionState())
        self._change(label, "motion", motion, before, values)

    # Jobs

    def note_job(self, job: str, note: JobNote) -> None:
        with self._writing() as connection:
            _note_job(connection, job, note)

    def job(self, job: str) -> JobNote | None:
        rows = self._rows("select kind, subject from jobs where job = ?", job)
        return JobNote(rows[0]["kind"], rows[0]["subject"]) if rows else None

    def jobs(self) -> dict[str, JobNote]:
        rows = self._rows("select job, kind, subject from jobs order by rowid")
        return {row["job"]: JobNote(row["kind"], row["subject"]) for row in rows}

    def forget_job(self, job: str) -> None:
        with self._writing() as connection:
            connection.execute("delete from jobs where job = ?", (job,))

    # Changes

    def change(self, label: str, take: str, values: Mapping[str, Any]) -> None:
        """Change fields of a take so that it can be undone."""
        self._change(label, "take", take, self.take(take), values)

    def _change(
        self, label: str, kind: Kind, subject: str, before: object, values: Mapping[str, Any]
    ) -> None:
        changes = [
            Change(kind, subject, field, getattr(before, field), value)
            for field, value in values.items()
            if getattr(before, field) != value
        ]
        if changes:
            with self._writing() as connection:
                write_changes(connection, label, changes)

    def undo(self) -> str | None:
        """Take the last change back; what it was, or None where there is none."""
        with self._writing() as connection:
            return take_back(connection)

    def redo(self) -> str | None:
        """Make again what was taken back last."""
        with self._writing() as connection:
            return make_again(connection)

    def next_labels(self) -> tuple[str | None, str | None]:
        """What undo and redo would do."""
        with self._lock:
            return next_labels(self._connection)


def _take(row: sqlite3.Row) -> StudioTake:
    return StudioTake(
        row["id"],
        row["number"],
        row["motion"],
        row["words"],
        cast(Method, row["method"]),
        row["aspect"],
        row["lens_mm"],
        row["seed"],
        row["take"],
        row["intensity"],
        row["name"],
        bool(row["starred"]),
        bool(row["removed"]),
        cast(TakeState, row["state"]),
        None if row["error"] is None else json.loads(row["error"]),
        row["instead_of"],
        row["curve"],
        cast(PresetName, row["preset"]),
    )


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    """A project of an earlier AESOP: takes had no curves and one preset, motions no history."""
    known = {row["name"] for row in connection.execute("pragma table_info(takes)")}
    if "curve" not in known:
        connection.execute("alter table takes add column curve text")
    if "preset" not in known:
        connection.execute("alter table takes add column preset text not null default 'fast'")
    if "kind" not in {row["name"] for row in connection.execute("pragma table_info(changes)")}:
        connection.execute("alter table changes add column kind text not null default 'take'")
    connection.execute("update project set format = ?", (FORMAT,))


def _insert_shot(
    connection: sqlite3.Connection, take: str, intensity: float, facts: Mapping[str, Any]
) -> None:
    values = (take, intensity, json.dumps(dict(facts)))
    connection.execute("insert or replace into shots values (?, ?, ?)", values)


def _note_job(connection: sqlite3.Connection, job: str, note: JobNote) -> None:
    values = (job, note.kind, note.subject)
    connection.execute("insert or replace into jobs values (?, ?, ?)", values)
