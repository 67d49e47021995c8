"""What can be undone in a project: fields of takes and motions that a person changed, as they were
before and after, in batches that go back and forth together."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["take", "motion"]
# What a person can change, and take back.
UNDOABLE: Mapping[Kind, tuple[str, ...]] = {
    "take": ("name", "starred", "removed", "intensity", "curve"),
    "motion": ("removed", "start_s", "stop_s"),
}
TABLES = """
create table if not exists motions (
    motion text primary key, removed integer not null default 0, start_s real, stop_s real);
create table if not exists changes (
    number integer primary key autoincrement, batch integer not null, label text not null,
    take text not null, field text not null, before text not null, after text not null,
    undone integer not null default 0, kind text not null default 'take');
"""


@dataclass(frozen=True)
class Change:
    """A field of a take or motion before and after somebody changed it."""

    kind: Kind
    subject: str  # its id
    field: str
    before: Any
    after: Any


def write_changes(connection: sqlite3.Connection, label: str, changes: Sequence[Change]) -> None:
    """Write fields and how they were; what was undone before cannot be made again after it."""
    connection.execute("delete from changes where undone = 1")
    batch = (connection.execute("select max(batch) from changes").fetchone()[0] or 0) + 1
    for one in changes:
        _set(connection, one.kind, one.subject, one.field, one.after)
        before, after = json.dumps(one.before), json.dumps(one.after)
        connection.execute(
            "insert into changes (batch, label, take, field, before, after, kind) "
            "values (?, ?, ?, ?, ?, ?, ?)",
            (batch, label, one.subject, one.field, before, after, one.kind),
        )


def take_back(connection: sqlite3.Connection) -> str | None:
    """Undo the last batch; what it was called, or None where there is none."""
    return _turn(connection, "undone = 0 order by batch desc", undone=True)


def make_again(connection: sqlite3.Connection) -> str | None:
    """Redo what was taken back last."""
    return _turn(connection, "undone = 1 order by batch asc", undone=False)


def next_labels(connection: sqlite3.Connection) -> tuple[str | None, str | None]:
    """What undo and redo would do."""
    query = "select label from changes where undone = {} order by batch {} limit 1"
    last, later = (
        connection.execute(query.format(*how)).fetchone() for how in ((0, "desc"), (1, "asc"))
    )
    return last["label"] if last else None, later["label"] if later else None


def _turn(connection: sqlite3.Connection, which: str, *, undone: bool) -> str | None:
    found = connection.execute(f"select batch, label from changes where {which} limit 1").fetchone()
    if found is None:
        return None
    side = "before" if undone else "after"
    rows = connection.execute("select * from changes where batch = ?", (found["batch"],))
    for row in rows.fetchall():
        _set(connection, row["kind"], row["take"], row["field"], json.loads(row[side]))
    connection.execute("update changes set undone = ? where batch = ?", (undone, found["batch"]))
    return found["label"]


def _set(
    connection: sqlite3.Connection, kind: Kind, subject: str, field: str, value: object
) -> None:
    assert field in UNDOABLE[kind], f"{field} of a {kind} is nobody's to change"
    if kind == "motion":
        connection.execute("insert or ignore into motions (motion) values (?)", (subject,))
        connection.execute(f"update motions set {field} = ? where motion = ?", (value, subject))
    else:
        connection.execute(f"update takes set {field} = ? where id = ?", (value, subject))
