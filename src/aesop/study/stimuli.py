"""The videos of a study: every method's answer to every clip, drawn alike. Nothing in a picture, a
name or a file tells who filmed."""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from aesop.core.errors import Progress
from aesop.core.hashing import dice_for, file_sha256
from aesop.core.pool import in_order
from aesop.data.store import Store
from aesop.measuring.cases import Case, Cases, cluster_of, fit_cases, read_case, read_cases
from aesop.measuring.method_table import AskedTask, named_method
from aesop.measuring.methods import Ask, Method, generate
from aesop.preview.canvas import Picture
from aesop.preview.drawing import FILM, build_outside, lens_picture, outside_picture
from aesop.preview.page import blank_page, place
from aesop.preview.stage import Stage, stage_of
from aesop.preview.video import encode
from aesop.scene.shot import Shot
from aesop.study.study_plan import StudyError, StudyPlan, TaskPlan

WIDTH_PX, LENS_PX, OUTSIDE_PX, GAP_PX = 640, 360, 312, 8
ASPECT = WIDTH_PX / LENS_PX  # one picture for everybody: 16:9, the vertical field of view stays
SHORTEST_SHOWN_SECONDS = 2.0  # in less nobody can tell what a camera does
EXAMPLE = ("example-left", "example-right")
_ROOM = 3  # cases that are looked at for each that is needed: some are short or of one window
Bar = Callable[[str], AbstractContextManager[Progress]]


@dataclass(frozen=True)
class StudyClip:
    """What is asked of every method in one clip."""

    id: str
    camera_words: str
    human_words: str
    frames: int
    fps: float

    @property
    def seconds(self) -> float:
        return self.frames / self.fps


@dataclass(frozen=True)
class Video:
    """A stimulus. Its token is all that a participant's browser ever hears of it."""

    token: str
    task: AskedTask
    clip: int
    method: str
    sha256: str = ""


@dataclass(frozen=True, eq=False)
class ChosenCases:
    """The clips of every task, and one more that everybody practises on."""

    of_task: tuple[tuple[AskedTask, Cases], ...]
    example: Case

    def cases(self, task: AskedTask) -> Cases:
        return dict(self.of_task)[task]


def choose_cases(plan: StudyPlan, store: Store) -> ChosenCases:
    """Clips that were named, or drawn from the split: long enough, each of another window, and no
    window in two tasks."""
    named = {
        task.task: [_named_case(store, task, name) for name in task.ids] for task in plan.tasks
    }
    needed = 1 + sum(0 if task.ids else task.clips for task in plan.tasks)
    cases = read_cases(store, plan.split, _ROOM * needed, needs_human_words=True)
    used = {case.human_row for some in named.values() for case in some}
    fit: list[Case] = []
    order = dice_for(plan.seed, "clips").permutation(len(cases.cases)).tolist()
    for case in (cases.cases[at] for at in order):
        if case.human_row not in used and case.reference.clip.seconds >= SHORTEST_SHOWN_SECONDS:
            used.add(case.human_row)
            fit.append(case)
    if len(fit) < needed:
        raise StudyError(
            f"The split {plan.split} of {store.path} has {len(fit)} windows of "
            f"{SHORTEST_SHOWN_SECONDS:g} s or more with words; the plan needs {needed}.",
            "Plan fewer clips, or name another split.",
        )
    example, *rest = fit
    of_task: list[tuple[AskedTask, Cases]] = []
    for task in plan.tasks:
        own = named[task.task] or [rest.pop() for _ in range(task.clips)]
        kept = replace(cases, cases=tuple(own), cluster=cluster_of(store, own[0].row))
        of_task.append((task.task, kept))
    return ChosenCases(tuple(of_task), example)


def _named_case(store: Store, task: TaskPlan, name: str) -> Case:
    kept, left_out = fit_cases([read_case(store, store.row_of(name))], task.task == "shoot")
    if left_out:
        raise StudyError(f"{name} cannot be shown: {left_out[0].reason}.", "Name another clip.")
    return kept[0]


def clip_facts(case: Case) -> StudyClip:
    shot = case.reference
    return StudyClip(
        id=shot.provenance.source.partition(":")[2],
        camera_words=case.camera_words,
        human_words=case.human_words,
        frames=shot.frames,
        fps=shot.fps,
    )


def video_tokens(plan: StudyPlan) -> tuple[Video, ...]:
    """A name for every video, drawn from the seed: it holds nothing of what is in it. Names are in
    their own order, so that not even a list of them groups what belongs together."""
    wanted: list[tuple[AskedTask, int, str]] = [
        (task.task, clip, method)
        for task in plan.tasks
        for clip in range(task.clips)
        for method in task.methods
    ]
    dice = dice_for(plan.seed, "names")
    videos = [Video(dice.bytes(16).hex(), *it) for it in wanted]
    return tuple(sorted(videos, key=lambda video: video.token))


def load_methods(plan: StudyPlan, device: str) -> dict[str, Method]:
    """All methods of the plan, their weights checked before any work."""
    methods: dict[str, Method] = {}
    for method in plan.methods:
        methods[method.name] = named_method(method.method).make(method.setting, device)
    for task in plan.tasks:
        for name in task.methods:
            methods[name].identity(task.task)
    return methods


def film_task(
    plan: StudyPlan,
    task: TaskPlan,
    chosen: ChosenCases,
    methods: dict[str, Method],
    cache: Path,
    bar: Bar,
) -> dict[str, list[Shot]]:
    """Every method's answers to the clips of a task, all of them in one picture format."""
    answers: dict[str, list[Shot]] = {}
    for name in task.methods:
        with bar(f"{task.task}: {plan.method(name).title}") as progress:
            ask = Ask(task.task, plan.noise_seed)
            shots = generate(methods[name], chosen.cases(task.task), ask, cache, progress)
        answers[name] = [alike(shot) for shot in shots]
    return answers


def alike(shot: Shot) -> Shot:
    """The shot in the study's picture format: another aspect ratio would tell methods apart."""
    return replace(shot, camera=replace(shot.camera, aspect=ASPECT))


def example_shots(case: Case) -> tuple[Shot, Shot]:
    """A camera that follows its words, and one that stands where it began: no method's."""
    moving = alike(case.reference)
    camera, frames = moving.camera, moving.frames
    still = replace(
        camera,
        world_from_camera=camera.world_from_camera[:1].expand(frames, 3, 3),
        centre=camera.centre[:1].expand(frames, 3),
        fov_vertical=camera.fov_vertical[:1].expand(frames),
    )
    return moving, replace(moving, camera=still)


def write_stimulus(shot: Shot, path: Path) -> str:
    """The lens view above the view from outside, as a video without any remark, and its hash."""
    stage = stimulus_stage(shot)
    outside = build_outside(stage, (WIDTH_PX, OUTSIDE_PX))

    def draw(frame: int) -> Picture:
        page = blank_page(WIDTH_PX, LENS_PX + GAP_PX + OUTSIDE_PX)
        place(page, lens_picture(stage, frame, (WIDTH_PX, LENS_PX), FILM), 0, 0)
        place(page, outside_picture(stage, outside, frame, FILM), 0, LENS_PX + GAP_PX)
        return page

    encode(path, in_order(draw, shot.frames), shot.fps, shot.frames, None, is_anonymous=True)
    os.utime(path, (0, 0))  # when it was drawn would tell in which order, and so by whom
    return file_sha256(path)


def stimulus_stage(shot: Shot) -> Stage:
    """Seen from outside, and lit, from where the person alone decides: the same for all methods
    that film one person."""
    person = stage_of(shot.clip)
    return replace(stage_of(shot), outside_from=person.outside_from, to_light=person.to_light)


def write_stimuli(
    videos: Sequence[Video],
    answers: dict[AskedTask, dict[str, list[Shot]]],
    folder: Path,
    progress: Progress,
) -> tuple[Video, ...]:
    """All videos that are not there yet."""
    done: list[Video] = []
    for video in videos:
        path = folder / f"{video.token}.mp4"
        shot = answers[video.task][video.method][video.clip]
        sha256 = file_sha256(path) if path.exists() else write_stimulus(shot, path)
        done.append(replace(video, sha256=sha256))
        progress(len(done), len(videos))
    return tuple(done)
