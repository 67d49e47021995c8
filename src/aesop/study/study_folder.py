"""The folder of a study: what `make` writes, and what server and report read. The mapping from
videos to methods is in `study.json` alone, which no request can reach."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from aesop.core.errors import FileError
from aesop.core.hashing import text_sha256
from aesop.core.machine import code_state
from aesop.core.whole_files import atomic_path
from aesop.data.store import open_store
from aesop.measuring.method_table import AskedTask
from aesop.scene.shot import Shot
from aesop.study.balance import Sheet, TaskBalance, Trial, balance_of, balance_text, deal_sheets
from aesop.study.stimuli import (
    EXAMPLE,
    Bar,
    StudyClip,
    Video,
    choose_cases,
    clip_facts,
    example_shots,
    film_task,
    load_methods,
    video_tokens,
    write_stimuli,
    write_stimulus,
)
from aesop.study.study_plan import StudyError, StudyPlan, plan_from_values, plan_values

STUDY_FILE, BALANCE_FILE, VIDEOS, RECORD_FILE = (
    "study.json",
    "balance.md",
    "videos",
    "record.sqlite",
)
_FORMAT = 1
ClipsOfTasks = tuple[tuple[AskedTask, tuple[StudyClip, ...]], ...]


@dataclass(frozen=True)
class Study:
    """A study that can be served and reported. A simulated one has votes of nobody, and no videos.

    `made_by` says with which AESOP; `identities` what every method's answers depend on.
    """

    plan: StudyPlan
    clips: ClipsOfTasks
    videos: tuple[Video, ...]
    sheets: tuple[Sheet, ...]
    example: StudyClip | None
    identities: tuple[tuple[str, str], ...]
    made_by: str
    is_simulated: bool = False

    def clip(self, task: AskedTask, number: int) -> StudyClip:
        return dict(self.clips)[task][number]

    @property
    def balances(self) -> tuple[TaskBalance, ...]:
        return balance_of(self.plan, self.sheets)

    @property
    def sha256(self) -> str:
        """Names this very study: every answer carries it."""
        return text_sha256(json.dumps(study_values(self), sort_keys=True))


class VideoTable:
    """Who is behind a token, and which token shows whom."""

    def __init__(self, videos: tuple[Video, ...]) -> None:
        self._tokens = {(it.task, it.clip, it.method): it.token for it in videos}
        self._known = frozenset(it.token for it in videos) | frozenset(EXAMPLE)

    def token(self, trial: Trial, method: str) -> str:
        return self._tokens[trial.task, trial.clip, method]

    def __contains__(self, token: str) -> bool:
        return token in self._known


def make_study(plan: StudyPlan, out: Path, cache: Path, device: str, bar: Bar) -> Study:
    """Film, draw and deal everything into a folder. What was drawn before an interruption stays; a
    folder of another plan is refused."""
    if plan.data is None:
        raise StudyError("The plan names no store.", 'Add data = "FOLDER" to it.')
    if (out / STUDY_FILE).exists():
        raise StudyError(f"{out} holds a study already.", "Name another folder.")
    store, methods = open_store(plan.data), load_methods(plan, device)
    chosen = choose_cases(plan, store)
    _begin(plan, out)
    answers: dict[AskedTask, dict[str, list[Shot]]] = {
        task.task: film_task(plan, task, chosen, methods, cache, bar) for task in plan.tasks
    }
    videos = out / VIDEOS
    videos.mkdir(exist_ok=True)
    for name, shot in zip(EXAMPLE, example_shots(chosen.example), strict=True):
        write_stimulus(shot, videos / f"{name}.mp4")
    with bar("videos") as progress:
        drawn = write_stimuli(video_tokens(plan), answers, videos, progress)
    clips: ClipsOfTasks = tuple(
        (task, tuple(map(clip_facts, it.cases))) for task, it in chosen.of_task
    )
    identities = tuple(
        (f"{task.task} {name}", methods[name].identity(task.task))
        for task in plan.tasks
        for name in task.methods
    )
    study = Study(
        plan, clips, drawn, deal_sheets(plan), clip_facts(chosen.example), identities, _made_by()
    )
    write_study(study, out)
    return study


def study_without_videos(plan: StudyPlan) -> Study:
    """Sheets and names only: what a simulated study needs."""
    clips: ClipsOfTasks = tuple(
        (
            task.task,
            tuple(
                StudyClip(task.ids[at] if task.ids else f"clip {at + 1}", "", "", 100, 25.0)
                for at in range(task.clips)
            ),
        )
        for task in plan.tasks
    )
    return Study(
        plan, clips, video_tokens(plan), deal_sheets(plan), None, (), _made_by(), is_simulated=True
    )


def _begin(plan: StudyPlan, out: Path) -> None:
    """A folder that is new, or that an interrupted `make` of the same plan left."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FileError(
            f"{out} cannot be a folder ({problem.strerror}).", "Name another."
        ) from None
    mark, text = out / "making.json", json.dumps(plan_values(plan), sort_keys=True) + "\n"
    if mark.exists() and mark.read_text(encoding="utf-8") != text:
        raise StudyError(
            f"{out} holds videos of another plan.", "Name another folder, or remove this one."
        )
    if not mark.exists() and any(out.iterdir()):
        raise StudyError(f"{out} is not empty.", "Name a new folder.")
    with atomic_path(mark) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def _made_by() -> str:
    from aesop import __version__

    code = code_state(Path(__file__).parent)
    return (
        f"aesop {__version__}, {code.commit[:12]}{'' if code.diff_sha256 is None else ' changed'}"
    )


def write_study(study: Study, out: Path) -> None:
    """The study, and the proof of its balance; `study.json` comes last and makes it one."""
    out.mkdir(parents=True, exist_ok=True)
    texts = {
        BALANCE_FILE: balance_text(study.plan, study.balances),
        STUDY_FILE: json.dumps(study_values(study), indent=1) + "\n",
    }
    for name, text in texts.items():
        with atomic_path(out / name) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    (out / "making.json").unlink(missing_ok=True)


def study_values(study: Study) -> dict[str, Any]:
    """The study for JSON."""
    return {
        "format": _FORMAT,
        "made_by": study.made_by,
        "is_simulated": study.is_simulated,
        "plan": plan_values(study.plan),
        "clips": {task: [asdict(clip) for clip in clips] for task, clips in study.clips},
        "example": None if study.example is None else asdict(study.example),
        "identities": dict(study.identities),
        "videos": [asdict(video) for video in study.videos],
        "sheets": [[asdict(trial) for trial in sheet] for sheet in study.sheets],
    }


def read_study(out: Path) -> Study:
    """The study of a folder."""
    path = out / STUDY_FILE
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if values["format"] != _FORMAT:
            raise StudyError(
                f"{path} was written by another AESOP (format {values['format']}).",
                "Use that one, or make the study again.",
            )
        return _study(values, out)
    except OSError as problem:
        raise StudyError(
            f"{out} holds no study ({problem.strerror}).", "`aesop study make PLAN OUT` makes one."
        ) from None
    except (ValueError, KeyError, TypeError) as problem:
        raise StudyError(f"{path} is damaged ({problem}).", "Make the study again.") from None


def _study(values: Mapping[str, Any], out: Path) -> Study:
    example = values["example"]
    return Study(
        plan=plan_from_values(values["plan"], out, needs_methods=False),
        clips=tuple(
            (task, tuple(StudyClip(**clip) for clip in clips))
            for task, clips in values["clips"].items()
        ),
        videos=tuple(Video(**video) for video in values["videos"]),
        sheets=tuple(tuple(Trial(**trial) for trial in sheet) for sheet in values["sheets"]),
        example=None if example is None else StudyClip(**example),
        identities=tuple(values["identities"].items()),
        made_by=values["made_by"],
        is_simulated=bool(values["is_simulated"]),
    )


def missing_videos(study: Study, out: Path) -> list[str]:
    """Videos that a sheet shows and the folder does not have."""
    names = [*EXAMPLE, *(video.token for video in study.videos)]
    return [name for name in names if not (out / VIDEOS / f"{name}.mp4").is_file()]
