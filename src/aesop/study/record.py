"""Votes in SQLite: appended and never changed, acknowledged once they are on the disk, each of them
once. Nothing in it says who a participant is."""

import csv
import io
import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from threading import RLock
from typing import Any

from aesop.core.hashing import text_sha256
from aesop.study.balance import Trial
from aesop.study.gate import Coverage, Played
from aesop.study.study_folder import Study
from aesop.study.study_plan import StudyError

GIVEN_UP_SECONDS = 24 * 3600.0
# From "left is much better" to "right is much better".
SCALE = (-2, -1, 0, 1, 2)
_SCHEMA = """
create table if not exists study (sha256 text primary key, is_simulated integer not null);
create table if not exists participants (
    number integer primary key autoincrement,
    key_sha256 text not null unique,
    sheet integer not null,
    begun_at real not null
) strict;
create table if not exists removals (number integer primary key, removed_at real not null) strict;
create table if not exists answers (
    id text primary key,
    participant integer not null,
    trial integer not null,
    task text not null, clip text not null, left_method text not null, right_method text not null,
    opened_at real not null, saved_at real not null,
    left_played real not null, right_played real not null,
    window text not null, version text not null, study text not null,
    unique (participant, trial)
) strict;
create table if not exists responses (
    answer text not null,
    participant integer not null,
    criterion text not null,
    value integer,
    primary key (answer, criterion)
) strict;
create table if not exists watching (
    participant integer not null, trial integer not null, opened_at real not null,
    played text not null, primary key (participant, trial)
) strict;
create trigger if not exists answers_stay before update on answers
    begin select raise(abort, 'answers are never changed'); end;
create trigger if not exists responses_stay before update on responses
    begin select raise(abort, 'responses are never changed'); end;
create trigger if not exists answers_kept before delete on answers
    when not exists (select 1 from removals where number = old.participant)
    begin select raise(abort, 'answers go only with their participant'); end;
create trigger if not exists responses_kept before delete on responses
    when not exists (select 1 from removals where number = old.participant)
    begin select raise(abort, 'responses go only with their participant'); end;
"""


@dataclass(frozen=True)
class Participant:
    """Somebody by number. The key of the link is kept as a hash only."""

    number: int
    sheet: int
    begun_at: float


@dataclass(frozen=True)
class GivenAnswer:
    """What a participant says of one trial, under an id that the browser made up."""

    id: str
    trial: int
    responses: Mapping[str, int | None]
    window: str  # its size, such as 1280x720: small ones show less


@dataclass(frozen=True)
class Vote:
    """One criterion of one answer, as it is exported. `value` is what was said: -2, left is much
    better, to 2; None is "cannot judge"."""

    participant: int
    sheet: int
    trial: int
    task: str
    clip: str
    left_method: str
    right_method: str
    criterion: str
    value: int | None
    opened_at: float
    saved_at: float
    left_played: float
    right_played: float
    window: str
    version: str
    study: str
    answer: str


class AlreadyAnsweredError(StudyError):
    """Another answer to the trial is on the disk."""


class StudyRecord:
    """The database of a study. One process writes; whoever only reads may do so at any time."""

    def __init__(self, path: Path, study: Study, *, is_new_allowed: bool = True) -> None:
        if not is_new_allowed and not path.exists():
            raise StudyError(
                f"{path.parent} has no answers yet.", "`aesop study serve` takes them."
            )
        self._study, self._lock = study, RLock()
        try:
            self._votes, self._notes = self._opened(path, "full"), self._opened(path, "normal")
            with self._votes:
                self._votes.executescript(_SCHEMA)
            self._check_study()
        except sqlite3.Error as problem:
            raise StudyError(f"{path} cannot be used ({problem}).", "Restore a copy.") from None

    def _opened(self, path: Path, care: str) -> sqlite3.Connection:
        """Votes wait for the disk; notes of what was played may be lost with the whole machine."""
        line = sqlite3.connect(path, timeout=30, check_same_thread=False)
        for setting in ("journal_mode=wal", f"synchronous={care}", "secure_delete=on"):
            line.execute(f"pragma {setting}")
        return line

    def _check_study(self) -> None:
        known = self._votes.execute("select sha256 from study").fetchall()
        if not known:
            with self._votes:
                row = (self._study.sha256, int(self._study.is_simulated))
                self._votes.execute("insert into study values (?, ?)", row)
        elif known != [(self._study.sha256,)]:
            raise StudyError(
                "The answers in this folder belong to another study.",
                "Put study.json back, or move the answers away.",
            )

    def close(self) -> None:
        with self._lock:
            self._votes.close()
            self._notes.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction; left only when it is on the disk."""
        with self._lock, self._votes:
            self._votes.execute("begin immediate")
            yield self._votes

    def begin(self, key: str) -> Participant:
        """The participant of a key, who gets the sheet that fewest others have. Asking again with
        the same key changes nothing."""
        with self._writing() as line:
            if self.participant(key) is None:
                row = (text_sha256(key), self._next_sheet(line), time.time())
                line.execute(
                    "insert into participants (key_sha256, sheet, begun_at) values (?, ?, ?)", row
                )
        made = self.participant(key)
        assert made is not None
        return made

    def _next_sheet(self, line: sqlite3.Connection) -> int:
        """One that fewest have finished or are at; whoever has been gone for a day is not."""
        rows = line.execute(
            "select p.sheet, p.begun_at, max(a.saved_at), count(a.id) from participants p "
            "left join answers a on a.participant = p.number group by p.number"
        ).fetchall()
        sheets, taken = self._study.sheets, Counter[int]()
        for sheet, begun_at, saved_at, answers in rows:
            is_there = time.time() - max(begun_at, saved_at or 0.0) < GIVEN_UP_SECONDS
            taken[sheet] += is_there or answers == len(sheets[sheet])
        return min(range(len(sheets)), key=lambda sheet: (taken[sheet], sheet))

    def participant(self, key: str) -> Participant | None:
        with self._lock:
            row = self._votes.execute(
                "select number, sheet, begun_at from participants where key_sha256 = ?",
                (text_sha256(key),),
            ).fetchone()
        return None if row is None else Participant(*row)

    def answered(self, participant: Participant) -> frozenset[int]:
        """Trials that are on the disk."""
        with self._lock:
            rows = self._votes.execute(
                "select trial from answers where participant = ?", (participant.number,)
            ).fetchall()
        return frozenset(trial for (trial,) in rows)

    def save(
        self, participant: Participant, given: GivenAnswer, opened_at: float, played: Coverage
    ) -> None:
        """Append an answer. The same one again is the same one; another one to the trial is
        refused. Returns when the disk has it."""
        from aesop import __version__

        trial: Trial = self._study.sheets[participant.sheet][given.trial]
        clip = self._study.clip(trial.task, trial.clip).id
        row = (
            given.id, participant.number, given.trial, trial.task, clip, trial.left, trial.right,
            opened_at, time.time(), played.left, played.right, given.window, __version__,
            self._study.sha256,
        )  # fmt: skip
        with self._writing() as line:
            if self._is_known(line, participant, given):
                return
            line.execute(f"insert into answers values ({', '.join('?' * len(row))})", row)
            line.executemany(
                "insert into responses values (?, ?, ?, ?)",
                [(given.id, participant.number, *it) for it in given.responses.items()],
            )

    def _is_known(
        self, line: sqlite3.Connection, participant: Participant, given: GivenAnswer
    ) -> bool:
        rows = line.execute(
            "select id, participant, trial from answers where id = ? or "
            "(participant = ? and trial = ?)",
            (given.id, participant.number, given.trial),
        ).fetchall()
        if not rows:
            return False
        kept = dict(
            line.execute("select criterion, value from responses where answer = ?", (given.id,))
        )
        if rows == [(given.id, participant.number, given.trial)] and kept == dict(given.responses):
            return True
        raise AlreadyAnsweredError(
            "This comparison has been answered already.", "Go on with the next one."
        )

    def add_simulated(self, votes: Sequence[Vote]) -> None:
        """Votes of nobody, into a study that says so."""
        assert self._study.is_simulated, "real studies have real votes"
        people = {vote.participant: vote for vote in votes}
        answers = {vote.answer: vote for vote in votes}
        with self._writing() as line:
            line.executemany(
                "insert into participants values (?, ?, ?, ?)",
                [(it.participant, f"simulated {it.participant}", it.sheet, it.opened_at)
                 for it in people.values()],
            )  # fmt: skip
            line.executemany(
                f"insert into answers values ({', '.join('?' * 14)})",
                [
                    (it.answer, it.participant, it.trial, it.task, it.clip, it.left_method,
                     it.right_method, it.opened_at, it.saved_at, it.left_played, it.right_played,
                     it.window, it.version, it.study)
                    for it in answers.values()
                ],
            )  # fmt: skip
            line.executemany(
                "insert into responses values (?, ?, ?, ?)",
                [(it.answer, it.participant, it.criterion, it.value) for it in votes],
            )

    def note_played(
        self, participant: Participant, trial: int, opened_at: float, played: tuple[Played, Played]
    ) -> None:
        """Remember what was believed: a restarted server goes on from there."""
        text = json.dumps([it.stretches for it in played])
        with self._lock, self._notes:
            self._notes.execute(
                "insert into watching values (?, ?, ?, ?) on conflict (participant, trial) "
                "do update set played = excluded.played",
                (participant.number, trial, opened_at, text),
            )

    def noted(
        self, participant: Participant, trial: int
    ) -> tuple[float, tuple[Played, Played]] | None:
        """When a trial was opened first, and what was played of it."""
        with self._lock:
            row = self._notes.execute(
                "select opened_at, played from watching where participant = ? and trial = ?",
                (participant.number, trial),
            ).fetchone()
        if row is None:
            return None
        left, right = (Played(tuple(map(tuple, side))) for side in json.loads(row[1]))
        return row[0], (left, right)

    def remove(self, number: int) -> int:
        """Erase everything of a participant, and how many answers that were. What is left is that
        the number existed; the sheet goes to somebody else."""
        with self._writing() as line:
            found = line.execute("select 1 from participants where number = ?", (number,))
            if found.fetchone() is None:
                raise StudyError(
                    f"There is no participant {number}.", "The report lists their numbers."
                )
            line.execute("insert or ignore into removals values (?, ?)", (number, time.time()))
            line.execute("delete from responses where participant = ?", (number,))
            gone = line.execute("delete from answers where participant = ?", (number,)).rowcount
            line.execute("delete from watching where participant = ?", (number,))
            line.execute("delete from participants where number = ?", (number,))
        with self._lock:
            self._votes.execute("pragma wal_checkpoint(truncate)")  # nothing stays in the log
        return gone

    def participants(self) -> tuple[Participant, ...]:
        with self._lock:
            rows = self._votes.execute(
                "select number, sheet, begun_at from participants order by number"
            ).fetchall()
        return tuple(Participant(*row) for row in rows)

    def removed(self) -> int:
        with self._lock:
            return int(self._votes.execute("select count(*) from removals").fetchone()[0])

    def votes(self) -> tuple[Vote, ...]:
        """Every response, in the order of participants and trials."""
        with self._lock:
            rows = self._votes.execute(
                "select a.participant, p.sheet, a.trial, a.task, a.clip, a.left_method, "
                "a.right_method, r.criterion, r.value, a.opened_at, a.saved_at, a.left_played, "
                "a.right_played, a.window, a.version, a.study, a.id from answers a "
                "join responses r on r.answer = a.id join participants p on p.number = "
                "a.participant order by a.participant, a.trial, r.criterion"
            ).fetchall()
        return tuple(Vote(*row) for row in rows)


def votes_csv(votes: Sequence[Vote]) -> str:
    """All votes as a table; "cannot judge" is an empty cell."""
    text = io.StringIO(newline="")
    names = [field.name for field in fields(Vote)]
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(vote) for vote in votes)
    return text.getvalue()


def votes_json(study: Study, votes: Sequence[Vote]) -> str:
    """The same for programs, with what the study is."""
    values: dict[str, Any] = {
        "study": study.sha256,
        "title": study.plan.title,
        "is_simulated": study.is_simulated,
        "made_by": study.made_by,
        "votes": [asdict(vote) for vote in votes],
    }
    return json.dumps(values, indent=1) + "\n"
