"""The paper's figures: methods side by side, intensity over a split, intensity examples, how pairs
are constructed, and motions and sentences that come from elsewhere."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

from aesop.core.errors import FileError, Progress
from aesop.director.director import Director
from aesop.director.finish import FINISHINGS
from aesop.director.protocols import SamplingProtocol
from aesop.director.requests import FilmRequest, ShootRequest
from aesop.files.motion_files import read_motion
from aesop.measuring.runs import SweepResult
from aesop.metrics.metric_book import METRICS
from aesop.metrics.motion_metrics import travel_of
from aesop.pages.figures import Panel, Series, Strip, storyboard, write_charts
from aesop.pairs.gates import Funnel
from aesop.pairs.inspection import Portrait, pair_page
from aesop.pairs.pair_files import PairPlan
from aesop.preview import colours
from aesop.preview.canvas import fit_aspect
from aesop.preview.drawing import STILL, global_panel, key_frames, lens_picture
from aesop.preview.page import Words, blank_page, letterbox, place, write_words
from aesop.preview.sheets import check_picture_target, write_picture
from aesop.preview.stage import stage_of
from aesop.scene.shot import Shot

Picture = UInt8[np.ndarray, "height width 3"]
CELL_PX = 320
LENS_ASPECT = 16 / 9
# Columns of the paper's intensity figure: what stands above what.
INTENSITY_GROUPS = (
    ("travel distance", ("path", "net")),
    ("distribution", ("fdc", "camera_recall")),
    ("text alignment", ("clatr", "f1")),
    ("framing", ("r_fpd", "out")),
    ("reference error", ("ade", "rotation")),
)
_TASKS = {"film": "given-human", "shoot": "joint"}


@dataclass(frozen=True, eq=False)
class ComparedRow:
    """One request, and what every method made of it."""

    title: str
    answers: tuple[tuple[str, Shot], ...]  # name of the method, its shot


def write_comparison(path: Path, rows: Sequence[ComparedRow]) -> Path:
    """Every method has a column: a view from outside, and below it three projections in time."""
    check_picture_target(path)
    write_picture(comparison(rows), path)
    return path


def comparison(rows: Sequence[ComparedRow], cell: int = CELL_PX) -> Picture:
    """All rows on one page. Views from outside are fitted to each scene."""
    assert rows and all(row.answers for row in rows)
    unit, text = max(cell // 40, 2), max(cell // 26, 8)
    lens = (cell, round(cell / LENS_ASPECT))
    outside = (cell, round(0.75 * cell))
    tall = 2 * text + outside[1] + 3 * (lens[1] + unit) + unit
    columns = max(len(row.answers) for row in rows)
    page = blank_page(columns * (cell + unit) + unit, len(rows) * (tall + 2 * text) + unit)
    words: list[Words] = []
    for number, row in enumerate(rows):
        top = unit + number * (tall + 2 * text)
        words.append(Words(row.title, unit, top, page.shape[1] - 2 * unit, text))
        for column, (name, shot) in enumerate(row.answers):
            left = unit + column * (cell + unit)
            below = top + 2 * text
            words.append(Words(name, left, below, cell, text, colours.FAINT_INK))
            _column(page, shot, (left, below + 2 * text), outside, lens)
    write_words(page, words)
    return page


def _column(
    page: Picture,
    shot: Shot,
    corner: tuple[int, int],
    outside: tuple[int, int],
    lens: tuple[int, int],
) -> None:
    stage = stage_of(shot)
    assert stage.camera is not None
    left, top = corner
    times = key_frames(stage.frames)
    place(page, global_panel(stage, outside, times), left, top)
    gap = max(outside[0] // 40, 2)
    for number, frame in enumerate(times):
        picture = lens_picture(stage, frame, fit_aspect(stage.camera.aspect, lens), STILL)
        row = top + outside[1] + gap + number * (lens[1] + gap)
        place(page, letterbox(picture, lens, bars=colours.PAPER), left, row)


def write_intensity_examples(path: Path, rows: Sequence[Sequence[Shot]]) -> Path:
    """The same requests at several intensities, with the distance from the first camera centre to
    the last."""
    compared = [
        ComparedRow(
            row[0].camera_words,
            tuple(
                (f"a = {it.intensity:g}, {travel_of(it.camera, it.fps).net_m:.2f} m", it)
                for it in row
            ),
        )
        for row in rows
    ]
    return write_comparison(path, compared)


def population_panels(sweeps: Sequence[SweepResult]) -> list[Panel]:
    """One line a task; the upper metrics of all groups first, then the lower ones."""
    panels: list[Panel] = []
    for level in (0, 1):
        for group, metrics in INTENSITY_GROUPS:
            metric = METRICS[metrics[level]]
            unit = f" ({metric.unit})" if metric.unit else ""
            series = tuple(
                Series(_TASKS.get(it.result.setting.task, ""), _over(it, metric.name))
                for it in sweeps
                if any(number.metric == metric.name for number in it.quality[0])
            )
            title = f"{group}: {metric.title}{unit}"
            empty = (Series("not measured", (float("nan"),) * len(sweeps[0].facts.intensities)),)
            lines, x = series or empty, sweeps[0].facts.intensities
            rises = lines[0].values[-1] >= lines[0].values[0]
            side = "left" if rises else "right"  # names stand where lines do not
            panels.append(Panel(title, x, lines, 1.0, names=side))
    return panels


def _over(sweep: SweepResult, metric: str) -> tuple[float, ...]:
    return tuple(
        next((it.mean for it in metrics if it.metric == metric), float("nan"))
        for metrics in sweep.quality
    )


def write_population(path: Path, sweeps: Sequence[SweepResult]) -> Path:
    """The intensity figure: five columns as the paper groups them, both tasks in one panel."""
    scans = {it.facts.intensities for it in sweeps}
    if len(scans) != 1:
        raise FileError(
            f"{len(sweeps)} scans have {len(scans)} different lists of intensities.",
            "Name scans of the same intensities, such as those of film and shoot.",
        )
    check_picture_target(path)
    columns = len(INTENSITY_GROUPS)
    write_charts(population_panels(sweeps), path, columns, x_title="translation intensity")
    return path


def funnels_of(plan: PairPlan) -> tuple[Funnel, ...]:
    """Every stage of both kinds of pairs."""
    more = () if plan.intensity is None else plan.intensity.funnels
    return (*plan.direction.funnels, *more)


def write_construction(
    path: Path, portraits: Sequence[tuple[str, Portrait]], funnels: Sequence[Funnel]
) -> Path:
    """Strips of pairs, and below them how many sources every stage takes in and lets out."""
    check_picture_target(path)
    strips = pair_page(portraits)
    text = 16
    lines = [
        f"{funnel.name}: " + "; ".join(f"{it.name} {it.left:,} of {it.entered:,}" for it in stages)
        for funnel in funnels
        if (stages := funnel.stages)
    ]
    page = blank_page(strips.shape[1], len(strips) + (len(lines) + 1) * 2 * text)
    place(page, strips, 0, 0)
    room = page.shape[1] - 2 * text
    write_words(
        page,
        [
            Words(line, text, len(strips) + round((1.7 * number + 0.5) * text), room, text)
            for number, line in enumerate(lines)
        ],
    )
    write_picture(page, path)
    return path


@dataclass(frozen=True)
class OutsideRequest:
    """A line of a list: a motion file and camera words, or words for both and a length."""

    camera_words: str
    motion: Path | None = None
    human_words: str = ""
    seconds: float = 6.0


def read_outside_list(path: Path) -> list[OutsideRequest]:
    """A CSV file with the columns camera_words and motion, or camera_words, human_words and
    (optional) seconds. Files are looked for beside the list."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file, strict=True, restval=""))
    except (OSError, csv.Error, UnicodeDecodeError) as error:
        raise FileError(f"{path} is no CSV file ({error}).", "Save it as CSV in UTF-8.") from error
    requests = [_outside(path, number, row) for number, row in enumerate(rows, start=2)]
    if not requests:
        raise FileError(f"{path} lists nothing.", "Write one motion or sentence a line.")
    return requests


def _outside(path: Path, line: int, row: dict[str, str]) -> OutsideRequest:
    words, motion, human = (row.get(name, "") for name in ("camera_words", "motion", "human_words"))
    if not words or bool(motion) == bool(human):
        raise FileError(
            f"{path}, line {line}: it needs camera_words, and either motion or human_words.",
            "Fill in these columns.",
        )
    if motion:
        return OutsideRequest(words, path.parent / motion)
    try:
        seconds = float(row.get("seconds") or OutsideRequest.seconds)
    except ValueError as error:
        raise FileError(f"{path}, line {line}: {error}.", "Write seconds as a number.") from error
    return OutsideRequest(words, None, human, seconds)


def film_outside(
    director: Director,
    requests: Sequence[OutsideRequest],
    way: SamplingProtocol,
    seed: int,
    progress: Progress | None = None,
) -> list[Shot]:
    """A shot for every line of a list, in its order; every file is read before the first is
    filmed."""
    clips = {it.motion: read_motion(it.motion) for it in requests if it.motion is not None}
    given = [(at, it) for at, it in enumerate(requests) if it.motion is not None]
    made = [(at, it) for at, it in enumerate(requests) if it.motion is None]
    take = None if FINISHINGS[way.finish].chooses_take else 0
    films = [
        FilmRequest(
            clips[it.motion], it.camera_words, seed=seed, take=take, guidance=way.camera_guidance
        )
        for _, it in given
        if it.motion is not None
    ]
    scenes = [
        ShootRequest(
            it.human_words,
            it.camera_words,
            it.seconds,
            seed=seed,
            take=take,
            guidance=way.camera_guidance,
            human_guidance=way.human_guidance,
        )
        for _, it in made
    ]
    for request in (*films, *scenes):
        request.check()
    preset, finish = way.camera_preset, way.finish
    shots = director.film_many(films, preset, progress, finish=finish) if films else []
    acted = director.shoot_many(scenes, preset, progress, finish=finish) if scenes else []
    placed = dict(zip((at for at, _ in (*given, *made)), (*shots, *acted), strict=True))
    return [placed[at] for at in range(len(requests))]


def write_outside(path: Path, shots: Sequence[Shot]) -> Path:
    """One row a shot, with what was asked and what the camera did."""
    check_picture_target(path)
    strips = [
        Strip(f"{shot.human_words or shot.clip.name}: {shot.camera_words}", shot) for shot in shots
    ]
    write_picture(storyboard(strips, lens_views=3), path)
    return path
