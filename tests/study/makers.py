"""Small studies for tests: sheets of a plan, and videos of a second that show nothing."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from aesop.preview.video import encode
from aesop.study.record import Vote
from aesop.study.stimuli import EXAMPLE, StudyClip
from aesop.study.study_folder import VIDEOS, Study, study_without_videos, write_study
from aesop.study.study_plan import StudyPlan, plan_from_values

FRAMES, FPS = 29, 25.0
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


def servable(plan: StudyPlan) -> Study:
    """A study that says it is a real one."""
    study = study_without_videos(plan)
    clips = tuple(
        (task, tuple(replace(it, camera_words="pushes in", human_words="walks", frames=FRAMES,
                             fps=FPS) for it in some))
        for task, some in study.clips
    )  # fmt: skip
    example = StudyClip("example", "the camera pushes in", "", FRAMES, FPS)
    return replace(study, clips=clips, example=example, is_simulated=False)


def write_small_videos(study: Study, folder: Path) -> None:
    """The same second of grey under every name."""
    videos = folder / VIDEOS
    videos.mkdir(parents=True)
    pictures = (np.full((68, 64, 3), 90 + 3 * frame, np.uint8) for frame in range(FRAMES))
    first = videos / f"{EXAMPLE[0]}.mp4"
    encode(first, pictures, FPS, FRAMES, None, is_anonymous=True)
    for name in (EXAMPLE[1], *(video.token for video in study.videos)):
        shutil.copy(first, videos / f"{name}.mp4")


def served_folder(folder: Path, plan: StudyPlan | None = None) -> Study:
    """A folder that can be served."""
    study = servable(plan or small_plan())
    write_small_videos(study, folder)
    write_study(study, folder)
    return study


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
