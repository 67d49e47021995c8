"""Votes stay as they were given, each once, and go only with their participant."""

import csv
import io
import json
import sqlite3
from dataclasses import fields, replace
from pathlib import Path

import pytest

from aesop.study import record as record_module
from aesop.study.gate import Coverage, Played
from aesop.study.record import (
    AlreadyAnsweredError,
    GivenAnswer,
    Participant,
    StudyRecord,
    Vote,
    votes_csv,
    votes_json,
)
from aesop.study.simulated import Crowd, simulate_votes
from aesop.study.study_folder import Study, study_without_videos
from aesop.study.study_plan import StudyError, criteria_names
from tests.study.makers import servable, small_plan

WHOLE = Coverage(0.95, 0.97)


@pytest.fixture
def study() -> Study:
    return servable(small_plan())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "record.sqlite"


def answer(study: Study, participant: Participant, trial: int, name: str = "") -> GivenAnswer:
    task = study.sheets[participant.sheet][trial].task
    values = dict.fromkeys(criteria_names(task), -1) | {"overall": None}
    return GivenAnswer(name or f"{participant.number}-{trial}", trial, values, "1280x720")


def key(number: int) -> str:
    return f"{number:032x}"


def test_an_answer_is_kept_with_all_that_belongs_to_it(study: Study, path: Path):
    record = StudyRecord(path, study)
    participant = record.begin(key(1))
    record.save(participant, answer(study, participant, 0), 1000.0, WHOLE)
    trial = study.sheets[participant.sheet][0]
    votes = record.votes()
    assert {vote.criterion: vote.value for vote in votes} == dict(
        answer(study, participant, 0).responses
    )
    first = votes[0]
    assert (first.left_method, first.right_method) == (trial.left, trial.right)
    assert (first.left_played, first.right_played, first.opened_at) == (0.95, 0.97, 1000.0)
    assert first.study == study.sha256 and first.saved_at > 1e9 and first.window == "1280x720"


def test_the_disk_is_waited_for(study: Study, path: Path):
    StudyRecord(path, study)
    line = sqlite3.connect(path)
    assert line.execute("pragma journal_mode").fetchone() == ("wal",)
    record = StudyRecord(path, study)
    # 2 is FULL: a commit returns after the log is synced.
    assert record._votes.execute("pragma synchronous").fetchone() == (2,)  # pyright: ignore[reportPrivateUsage]


def test_the_same_answer_again_is_the_same_answer(study: Study, path: Path):
    record = StudyRecord(path, study)
    participant = record.begin(key(1))
    given = answer(study, participant, 0)
    for _ in range(3):
        record.save(participant, given, 1000.0, WHOLE)
    assert len(record.votes()) == len(given.responses)


def test_another_answer_to_the_trial_is_refused(study: Study, path: Path):
    record = StudyRecord(path, study)
    participant, other = record.begin(key(1)), record.begin(key(2))
    given = answer(study, participant, 0)
    record.save(participant, given, 1000.0, WHOLE)
    before = record.votes()
    changed = replace(given, responses=dict.fromkeys(given.responses, 2))
    for again in (replace(given, id="another"), changed, replace(given, trial=1)):
        with pytest.raises(AlreadyAnsweredError):
            record.save(participant, again, 1000.0, WHOLE)
    with pytest.raises(AlreadyAnsweredError):  # somebody else's id
        record.save(other, given, 1000.0, WHOLE)
    assert record.votes() == before


@pytest.mark.parametrize(
    "change",
    [
        "update answers set left_method = 'x'",
        "update responses set value = 2",
        "delete from answers",
        "delete from responses",
    ],
)
def test_nothing_is_ever_changed(change: str, study: Study, path: Path):
    record = StudyRecord(path, study)
    participant = record.begin(key(1))
    record.save(participant, answer(study, participant, 0), 1000.0, WHOLE)
    line = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match=r"never changed|go only with"):
        line.execute(change)


def test_a_participant_can_be_removed_without_a_trace(study: Study, path: Path):
    record = StudyRecord(path, study)
    gone, stays = record.begin(key(1)), record.begin(key(2))
    for participant in (gone, stays):
        record.save(
            participant, answer(study, participant, 0, f"trace{participant.number}"), 0.0, WHOLE
        )
        record.note_played(participant, 1, 5.0, (Played(), Played()))
    assert record.remove(gone.number) == 1
    assert {vote.participant for vote in record.votes()} == {stays.number}
    assert record.participant(key(1)) is None and record.removed() == 1
    record.close()
    left = b"".join(it.read_bytes() for it in path.parent.iterdir())
    assert b"trace2" in left and b"trace1" not in left
    record = StudyRecord(path, study)
    with pytest.raises(StudyError, match="no participant 1"):
        record.remove(gone.number)
    newcomer = record.begin(key(3))
    assert newcomer.sheet == gone.sheet and newcomer.number == 3  # numbers are never used again


def test_sheets_go_round_and_those_of_the_gone_come_back(
    study: Study, path: Path, monkeypatch: pytest.MonkeyPatch
):
    record = StudyRecord(path, study)
    sheets = [record.begin(key(number)).sheet for number in range(9)]
    assert sheets == [0, 1, 2, 3, 4, 5, 6, 0, 1]
    assert record.begin(key(3)).sheet == 3  # who is known gets no new one
    third = record.participant(key(3))
    assert third is not None
    for trial in range(len(study.sheets[3])):
        record.save(third, answer(study, third, trial), 0.0, WHOLE)
    now = record_module.time.time
    monkeypatch.setattr(record_module.time, "time", lambda: now() + 2 * 24 * 3600)
    fresh = [record.begin(key(number)).sheet for number in range(20, 26)]
    assert fresh == [0, 1, 2, 4, 5, 6]


def test_keys_are_not_kept(study: Study, path: Path):
    record = StudyRecord(path, study)
    record.begin("c0ffee" + 26 * "0")
    record.close()
    assert b"c0ffee" not in b"".join(it.read_bytes() for it in path.parent.iterdir())


def test_answers_of_another_study_are_refused(study: Study, path: Path):
    StudyRecord(path, study).close()
    with pytest.raises(StudyError, match="another study"):
        StudyRecord(path, servable(small_plan(seed=14)))
    with pytest.raises(StudyError, match="no answers yet"):
        StudyRecord(path.with_name("other.sqlite"), study, is_new_allowed=False)
    path.with_name("broken.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(StudyError, match="cannot be used"):
        StudyRecord(path.with_name("broken.sqlite"), study)


def test_exports_hold_every_vote(path: Path):
    study = study_without_videos(small_plan())
    votes = simulate_votes(study, Crowd(cannot_judge=0.3), seed=5)
    record = StudyRecord(path, study)
    record.add_simulated(votes)
    kept = record.votes()
    assert sorted(kept, key=str) == sorted(votes, key=str)
    rows = list(csv.DictReader(io.StringIO(votes_csv(kept))))
    assert list(rows[0]) == [field.name for field in fields(Vote)]
    assert [row["value"] for row in rows] == [
        "" if it.value is None else str(it.value) for it in kept
    ]
    told = json.loads(votes_json(study, kept))
    assert told["is_simulated"] is True and [Vote(**it) for it in told["votes"]] == list(kept)


def test_real_studies_take_no_simulated_votes(study: Study, path: Path):
    with pytest.raises(AssertionError):
        StudyRecord(path, study).add_simulated(())
