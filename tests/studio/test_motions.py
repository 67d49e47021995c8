"""Motions of a project come and go by undo like everything else, with their in and out points; and
what words ask of a person is what the tests of actions judge."""

import sqlite3
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from aesop.director.asked_actions import asked_actions
from aesop.fables.synthetic import synthetic_motion
from aesop.flow.solvers import PRESETS
from aesop.metrics.action_tests import ACTION_TESTS
from aesop.server.job_requests import FilmJob
from aesop.studio.person_words import action_checks
from aesop.studio.studio_project import DATABASE, FORMAT, MotionState, StudioProject, StudioTake
from aesop.studio.take_desk import film_job, offered_presets, sweep_job
from aesop.studio.take_keys import NO_KEYS
from tests.director.makers import TRUCK, WALK
from tests.studio.visiting import Visitor


def listed(visitor: Visitor) -> list[str]:
    return [one["id"] for one in visitor.project["motions"]]


def test_opening_a_motion_is_undone_with_its_takes(visitor: Visitor):
    name = visitor.client.post("/studio/gallery", {"name": "wave"}).json["id"]
    take = visitor.film(motion=name, words=TRUCK, seed=37)["id"]
    assert name in listed(visitor) and take in visitor.strip
    labels = [visitor.client.post("/studio/undo", {}).json["label"] for _ in range(2)]
    assert labels == ["film", "open motion"]
    assert name not in listed(visitor) and take not in visitor.strip
    assert visitor.project["redo"] == "open motion"
    for _ in labels:
        visitor.client.post("/studio/redo", {})
    assert name in listed(visitor) and take in visitor.strip


def test_a_motion_that_is_removed_takes_its_takes_along_and_comes_back(visitor: Visitor):
    cut = visitor.client.post(
        f"/studio/motions/{visitor.motion}/cut", {"start_s": 0.2, "stop_s": 1.52}
    ).json["id"]
    take = visitor.film(motion=cut, seed=41)["id"]
    assert visitor.client.post(f"/studio/motions/{cut}", {"removed": True}).status == 200
    assert cut not in listed(visitor) and take not in visitor.strip
    assert visitor.client.post("/studio/undo", {}).json["label"] == "remove motion"
    assert cut in listed(visitor) and take in visitor.strip
    visitor.client.post("/studio/redo", {})
    again = visitor.client.post(
        f"/studio/motions/{visitor.motion}/cut", {"start_s": 0.2, "stop_s": 1.52}
    )
    assert again.json["id"] == cut and cut in listed(visitor)  # made once more, it is there again


def test_nobody_films_for_a_motion_that_is_gone(visitor: Visitor):
    name = visitor.client.post("/studio/gallery", {"name": "stand"}).json["id"]
    takes = [visitor.ask(motion=name, words=TRUCK)[0] for _ in range(3)]
    visitor.client.post("/studio/undo", {})
    while visitor.project["undo"] == "film" and name in listed(visitor):  # one was quick
        visitor.client.post("/studio/undo", {})
    visitor.until(lambda: all(visitor.take(one)["state"] != "waiting" for one in takes))
    assert "failed" in {visitor.take(one)["state"] for one in takes}
    assert not any(visitor.take(one)["error"] for one in takes)  # given up is no mistake


def test_motions_join_with_their_origin_at_once(visitor: Visitor, monkeypatch: pytest.MonkeyPatch):
    """Whoever asks while one joins sees it with all that is told of it, or not at all: a page that
    saw a person as a file of unknown origin forgot the words that it was made from."""
    join, seen = StudioProject.add_motion, list[dict[str, Any]]()

    def look_and_join(project: StudioProject, motion: str, *told: Any) -> None:
        looks = Thread(target=lambda: seen.append(visitor.project))
        looks.start()
        looks.join(0.2)  # an answer that would come now is of the moment before
        join(project, motion, *told)

    monkeypatch.setattr(StudioProject, "add_motion", look_and_join)
    words = "a person walks and is looked at"
    part = {"start_s": 0.12, "stop_s": 1.4}
    visitor.client.post("/studio/people", {"words": words, "seconds": 1.16})
    visitor.client.post(f"/studio/motions/{visitor.motion}/cut", part)
    visitor.client.post("/studio/gallery", {"name": "jump"})
    visitor.until(lambda: len(seen) >= 3)
    monkeypatch.undo()
    told = [*seen, visitor.project]
    files = {
        one["id"] for time in told for one in time["motions"] if one["origin"]["kind"] == "file"
    }
    kinds = {one["id"]: one["origin"]["kind"] for one in told[-1]["motions"]}
    assert {"acted", "cut", "gallery"} <= set(kinds.values())
    assert all(kinds[name] == "file" for name in files)


def test_in_and_out_points_are_kept_and_undone(visitor: Visitor):
    def part() -> Any:
        motions = visitor.project["motions"]
        return next(one["part"] for one in motions if one["id"] == visitor.motion)

    path = f"/studio/motions/{visitor.motion}"
    assert part() is None
    assert visitor.client.post(path, {"part": [0.4, 1.6]}).json["part"] == [0.4, 1.6]
    visitor.client.post(path, {"part": [0.4, 2.0]})
    visitor.client.post(path, {"part": []})
    steps = [part()]
    for _ in range(3):
        assert visitor.client.post("/studio/undo", {}).json["label"] == "in and out"
        steps.append(part())
    assert steps == [None, [0.4, 2.0], [0.4, 1.6], None]
    for wrong in ([1.6, 0.4], [0.4], [-1, 1], [0, 99], [0, 1, 2]):
        came = visitor.client.post(path, {"part": wrong})
        assert came.status == 400 and came.json["error"]["remedy"], wrong
    assert part() is None


def test_undo_of_motions_and_takes_in_any_order(tmp_path: Path):
    """All of it undone is the beginning, redone the end."""
    project = StudioProject(tmp_path)
    project.begin()
    dice = np.random.default_rng(7)
    for name in "ab":
        take = StudioTake(name, 0, "m", "words", "model", None, None, 1, 0, 1.0)
        project.new_take(take, f"job {name}")
        project.filmed(project.take(name), {})
    for _ in range(31):
        match int(dice.integers(4)):
            case 0:
                project.add_motion(f"m{dice.integers(3)}", "open motion")
            case 1:
                project.change_motion("remove motion", f"m{dice.integers(3)}", {"removed": True})
            case 2:
                part = {"start_s": float(dice.integers(3)), "stop_s": 5.0}
                project.change_motion("in and out", f"m{dice.integers(3)}", part)
            case _:
                project.change("name", dice.choice(list("ab")), {"name": f"n{dice.integers(3)}"})
    end = project.motion_states(), project.takes()
    steps = 0
    while project.undo() is not None:
        steps += 1
    nothing = {MotionState(), MotionState(removed=True)}
    assert steps > 10 and set(project.motion_states().values()) <= nothing
    assert {(take.name, take.removed) for take in project.takes()} == {("", True)}
    while project.redo() is not None:
        steps -= 1
    assert steps == 0 and (project.motion_states(), project.takes()) == end
    project.close()


def test_a_project_from_before_motions_had_a_history_is_read(tmp_path: Path):
    project = StudioProject(tmp_path)
    project.begin()
    project.new_take(StudioTake("a", 0, "m", "w", "model", None, None, 1, 0, 1.0), "job")
    project.filmed(project.take("a"), {})
    project.close()
    with sqlite3.connect(tmp_path / DATABASE) as old:
        old.execute("alter table changes drop column kind")
        old.execute("drop table motions")
        old.execute("update project set format = 2")
    old.close()
    again = StudioProject(tmp_path)
    again.begin()
    assert again.motion_states() == {} and again.undo() == "film"
    again.add_motion("m", "open motion")
    assert again.undo() == "open motion" and again.motion_states()["m"].removed
    again.close()
    with sqlite3.connect(tmp_path / DATABASE) as now:
        assert now.execute("select format from project").fetchone()[0] == FORMAT
    now.close()


def test_people_from_the_same_words_have_seeds_of_their_own(visitor: Visitor):
    def made() -> list[dict[str, Any]]:
        motions = visitor.project["motions"]
        return [one for one in motions if one["origin"].get("seconds") == 1.24]

    for count in (1, 2):
        visitor.client.post("/studio/people", {"words": WALK, "seconds": 1.24})
        visitor.until(lambda count=count: len(made()) == count)
    second, first = made()
    assert second["origin"]["seed"] == first["origin"]["seed"] + 1
    assert first["origin"]["checks"] and first["origin"]["does"]
    assert visitor.project["undo"] == "act"
    visitor.client.post("/studio/undo", {})
    assert [one["id"] for one in made()] == [first["id"]]


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("a person walks", ["walk"]),
        ("a man walks backwards, slowly", ["walk backward"]),
        ("somebody walks in and then sits down", ["walk", "sit down"]),
        ("she waves with her left hand", ["wave with the left hand"]),
        ("a person waves", ["wave"]),
        ("a person waves with both hands", []),
        ("he jumps up and down", ["jump several times"]),
        ("she picks a coin up and walks", ["pick up", "walk"]),
        ("a kick with the right foot", ["kick with the right leg"]),
        ("a gorilla recites a poem", []),
    ],
)
def test_plain_words_ask_for_actions(words: str, asked: list[str]):
    found = asked_actions(words)
    assert [one.name for one in found] == asked
    assert all(test in ACTION_TESTS for one in found for test in one.tests)


def test_people_are_judged_by_what_they_do():
    """The same motion is right for the words that tell of it, and wrong for others."""
    clip = synthetic_motion("walk", 100, np.random.default_rng(1)).clip
    checks = [action_checks(words, clip) for words in ("she walks", "she jumps", "he limps")]
    assert [[one.right for one in some] for some in checks] == [[True], [False], [None]]
    (both,) = action_checks("he walks, then sits down", clip)
    assert both.asked == "walk, then sit down" and both.right is False


@pytest.mark.parametrize("has_steps", [False, True])
def test_presets_are_those_of_the_weights(has_steps: bool):
    offered = offered_presets(has_steps)
    assert (offered[0] == "instant") == has_steps and "fast" in offered
    steps = [PRESETS[name].steps for name in offered if name != "instant"]
    assert steps == sorted(steps)


def test_a_sweep_is_the_same_film_at_other_intensities():
    take = StudioTake(
        "a", 3, "m" * 16, TRUCK, "model", 1.5, 35.0, 7, 2, 0.8, state="done", preset="reference"
    )
    film = film_job(take, NO_KEYS)
    sweep = sweep_job(film, (0.5, 1.5))
    assert isinstance(film, FilmJob) and film.intensity == 0.8 and sweep.intensities == (0.5, 1.5)
    for name in ("motion", "words", "seed", "take", "method", "aspect", "lens_mm", "preset"):
        assert getattr(sweep, name) == getattr(film, name) == getattr(take, name)
