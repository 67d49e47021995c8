"""Intensity over time on a take: the Director's film of that curve, undone and redone like any
other turn, in projects of earlier formats too."""

import sqlite3
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from aesop.director.director import Director
from aesop.director.requests import FilmRequest
from aesop.files.motion_files import read_motion
from aesop.files.shot_file import read_shot
from aesop.scene.intensity_curve import IntensityCurve
from aesop.server.server_folder import KeptJob
from aesop.studio.studio_project import DATABASE, FORMAT, StudioProject, StudioTake
from aesop.studio.take_desk import TakeDesk
from tests.director.makers import PUSH_IN
from tests.server.running import WAIT_SECONDS
from tests.studio.visiting import Visitor
from tests.tolerances import FILMED32

POINTS = [[0.0, 0.6], [1.2, 1.4]]


def turned(visitor: Visitor, take: str, intensity: object) -> dict[str, Any]:
    visitor.change(take, intensity=intensity)
    visitor.until(lambda: visitor.take(take)["facts"] is not None)
    return visitor.take(take)


@pytest.fixture
def take(visitor: Visitor) -> str:
    there = [one["id"] for one in visitor.project["takes"] if one["seed"] == 31]
    return there[0] if there else visitor.film(seed=31)["id"]


def test_a_curve_is_the_directors_film_of_it(
    visitor: Visitor, take: str, director: Director, walk: Path, tmp_path: Path
):
    now = turned(visitor, take, POINTS)
    assert now["curve"] == POINTS and now["facts"]["intensity_curve"] == POINTS
    request = FilmRequest(
        read_motion(walk), PUSH_IN, IntensityCurve.from_points(POINTS), 31, now["take"]
    )
    ours = director.film_many([request], finish="hand")[0]
    facts, arrays = visitor.arrays(f"/studio/takes/{take}/cameras")
    assert facts["curve"] == POINTS
    centre = ours.camera.centre.numpy()
    assert np.allclose(arrays["over_time"][:, :3], centre, atol=10 * FILMED32)
    came = visitor.client.get(f"/studio/takes/{take}/export/shot.shot")
    (tmp_path / "a.shot").write_bytes(came.body)
    assert read_shot(tmp_path / "a.shot").intensity_curve == IntensityCurve.from_points(POINTS)
    command = visitor.client.get(f"/studio/takes/{take}/command").json["command"]
    assert "--intensity '0:0.6 1.2:1.4'" in command
    # The number it had is still there, below.
    flat = turned(visitor, take, 1.0)
    assert flat["curve"] is None and flat["intensity"] == 1.0
    assert visitor.change(take, intensity=POINTS)["is_filmed"]


def test_curves_are_undone_and_redone(visitor: Visitor, take: str):
    turned(visitor, take, 1.0)
    turned(visitor, take, POINTS)
    visitor.client.post("/studio/undo", {})
    assert visitor.take(take)["curve"] is None
    visitor.client.post("/studio/redo", {})
    assert visitor.take(take)["curve"] == POINTS and visitor.take(take)["facts"]


def test_a_curve_that_was_passed_over_is_filmed_when_undo_comes_back_to_it(
    visitor: Visitor, take: str
):
    """Only the last of several turns is filmed; the others once somebody wants them again."""
    passed, last = [[0.0, 0.7], [1.0, 0.9]], [[0.0, 0.8], [1.0, 1.3]]
    visitor.change(take, intensity=passed)
    turned(visitor, take, last)
    visitor.client.post("/studio/undo", {})
    visitor.until(lambda: visitor.take(take)["facts"] is not None)
    assert visitor.take(take)["curve"] == passed


def test_a_take_that_is_turned_back_before_its_film_has_ended_is_filmed(
    visitor: Visitor, take: str, monkeypatch: pytest.MonkeyPatch
):
    """A shot is there a moment before its job has ended, and undo may come in between."""
    passed, last = [[0.0, 0.72], [1.0, 0.92]], [[0.0, 0.82], [1.0, 1.32]]
    real, undone = TakeDesk.ended, Event()

    def late(desk: TakeDesk, job: KeptJob) -> None:
        if "1.32" in str(job.request):
            undone.wait(WAIT_SECONDS)
        real(desk, job)

    monkeypatch.setattr(TakeDesk, "ended", late)
    visitor.change(take, intensity=passed)
    turned(visitor, take, last)
    visitor.client.post("/studio/undo", {})
    undone.set()
    visitor.until(lambda: visitor.take(take)["facts"] is not None)
    assert visitor.take(take)["curve"] == passed


def test_a_curve_that_stays_at_a_value_is_that_value(visitor: Visitor, take: str):
    flat = turned(visitor, take, [[0.0, 1.1], [1.0, 1.1]])
    assert flat["curve"] is None and flat["intensity"] == 1.1


@pytest.mark.parametrize(
    "points",
    [[[0, 0.6], [0.1, 1.4]], [[1, 0.6], [0, 1.4]], [[0, 0.2], [1, 1]], [[0, 1], [1, 1.6]], [[0]]],
)
def test_curves_that_nobody_can_film_are_refused(visitor: Visitor, take: str, points: object):
    before = visitor.take(take)
    came = visitor.client.post(f"/studio/takes/{take}", {"intensity": points})
    assert came.status == 400 and came.json["error"]["remedy"]
    assert visitor.take(take) == before


def test_a_project_of_the_first_format_is_read(tmp_path: Path):
    """As it was written before takes had curves."""
    project = StudioProject(tmp_path)
    project.begin()
    one = StudioTake("a", 0, "m", "words", "model", None, None, 1, 0, 1.25, name="kept")
    project.new_take(one, "job")
    project.close()
    with sqlite3.connect(tmp_path / DATABASE) as old:
        old.execute("alter table takes drop column curve")
        old.execute("drop table curve_shots")
        old.execute("update project set format = 1")
    again = StudioProject(tmp_path)
    again.begin()
    assert again.take("a").name == "kept" and again.take("a").turned_to == 1.25
    again.filmed(again.take("a"), {})
    again.change("intensity", "a", {"curve": "0:0.5 2:1"})
    assert again.take("a").turned_to == IntensityCurve.from_text("0:0.5 2:1")
    again.close()
    with sqlite3.connect(tmp_path / DATABASE) as now:
        assert now.execute("select format from project").fetchone()[0] == FORMAT
