"""Small studies for tests: sheets of a plan, and videos of a second that show nothing."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from aesop.study.record import Vote
from aesop.study.study_folder import Study, study_without_videos
from aesop.study.study_plan import StudyPlan, plan_from_values
from study_crowd import FPS, FRAMES, grey_study

SECONDS = FRAMES / FPS


def plan_values(**changes: Any) -> dict[str, Any]:
    """A plan with different primes wherever numbers stand, of methods that nobody has."""
    tasks = [
        {"task": "film", "methods": ["aesop", "ccd", "mar"], "clips": 5, "comparisons": 3},
        {"task": "shoot", "methods": ["aesop", "mar"], "clips": 2, "comparisons": 2},
    ]
    return {"title": "A study", "seed": 13, "participants": 7, "tasks": tasks, **changes}


def small_plan(**changes: Any) -> StudyPlan:
    return plan_from_values(plan_values(**changes), Path(), needs_methods=False)


def one_pair_plan(clips: int = 3, participants: int = 5) -> StudyPlan:
    task = {"task": "film", "methods": ["a", "b"], "clips": clips, "comparisons": clips}
    return small_plan(tasks=[task], participants=participants)


def served_folder(folder: Path, plan: StudyPlan | None = None) -> Study:
    """A folder that can be served."""
    return grey_study(plan or small_plan(), folder)


def servable(plan: StudyPlan) -> Study:
    """A study that says it is a real one; its videos are nowhere."""
    return replace(study_without_videos(plan), is_simulated=False)


def vote(
    participant: int, clip: str, left: str, right: str, value: int | None, **more: Any
) -> Vote:
    """A vote about everything that does not matter here."""
    usual: dict[str, Any] = {
        "participant": participant, "sheet": 0, "trial": 0, "task": "film", "clip": clip,
        "left_method": left, "right_method": right, "criterion": "overall", "value": value,
        "opened_at": 0.0, "saved_at": 20.0, "left_played": 1.0, "right_played": 1.0,
        "window": "1280x720", "version": "test", "study": "test",
        "answer": f"{participant} {clip} {left} {right}",
    }  # fmt: skip
    return Vote(**usual | more)
