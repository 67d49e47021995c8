"""The figures of a reproduction: methods side by side, intensity, how pairs are made, and sentences
from elsewhere."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from aesop.data.store import open_store
from aesop.director.director import load_director
from aesop.director.protocols import PAPER
from aesop.measuring.cases import Case, Task
from aesop.measuring.methods import Ask, Method, ReferenceMethod
from aesop.measuring.runs import SweepResult, file_name, read_record
from aesop.metrics.motion_metrics import travel_of
from aesop.models.phase_table import METHOD, PHASE_METHODS
from aesop.pages.paper_figures import (
    ComparedRow,
    OutsideRequest,
    film_outside,
    funnels_of,
    read_outside_list,
    write_comparison,
    write_construction,
    write_intensity_examples,
    write_outside,
    write_population,
)
from aesop.pages.result_pages import result_file, write_pages
from aesop.pairs.inspection import gallery
from aesop.pairs.pair_files import read_plan
from aesop.pairs.shot_arrays import load_codecs
from aesop.reproduction.measured_rows import LAST_PHASE, MADE, Laboratory
from aesop.reproduction.stage_list import PICTURE_S, ReproductionStage, StageContext

ROWS = 3
STRIPS = 6
INTENSITIES = (0.5, 1.0, 1.5)
# Where no list is given: sentences that no dataset was asked for.
SENTENCES = (
    OutsideRequest("The camera pushes in.", human_words="A person waves with both arms."),
    OutsideRequest("The camera trucks right.", human_words="A person walks in a circle."),
    OutsideRequest("The camera pulls out.", human_words="A person jumps and sits down."),
)


def page_stages(context: StageContext, lab: Laboratory) -> Iterator[ReproductionStage]:
    """Tables, then every figure."""

    def tables() -> None:
        write_pages([context.folder.results], context.folder.tables)

    yield ReproductionStage("write the tables", None, PICTURE_S, tables)
    for task in MADE:
        yield _figure(context, f"comparison_{task}", partial(_comparison, lab, task))
        yield _figure(context, f"intensity_{task}", partial(_intensity, lab, task))
    yield _figure(context, "population", partial(_population, context))
    yield _figure(context, "construction", partial(_construction, context))
    yield _figure(context, "outside", partial(_outside, context))


def _figure(context: StageContext, name: str, draw: Callable[[Path], object]) -> ReproductionStage:
    path = context.folder.figures / f"{name}.png"

    def work() -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        draw(path)

    return ReproductionStage(f"draw {name.replace('_', ', ')}", path, PICTURE_S, work)


def _chosen(lab: Laboratory, task: Task) -> list[Case]:
    """Some shots whose reference travels, evenly over how far: not the best ones."""
    cases = lab.cases(task == "shoot").cases
    travels = [travel_of(it.reference.camera, it.reference.fps).net_m for it in cases]
    order = np.argsort(np.array(travels))[len(travels) // 2 :]
    places = order[np.linspace(0, len(order) - 1, min(ROWS, len(order))).astype(int)]
    return [cases[place] for place in places.tolist()]


def _comparison(lab: Laboratory, task: Task, path: Path) -> None:
    cases, first = _chosen(lab, task), lab.context.folder.training(0)
    methods: list[tuple[str, Method]] = [("Reference", ReferenceMethod())]
    methods += [
        (name, lab.method(first, phase))
        for phase, name in PHASE_METHODS.items()
        if phase in lab.context.phases
    ]
    answers = [(name, method.answer(cases, Ask(task))) for name, method in methods]
    rows = [
        ComparedRow(case.camera_words, tuple((name, shots[at]) for name, shots in answers))
        for at, case in enumerate(cases)
    ]
    write_comparison(path, rows)


def _intensity(lab: Laboratory, task: Task, path: Path) -> None:
    cases = _chosen(lab, task)
    method = lab.method(lab.context.folder.training(0), LAST_PHASE)
    made = [method.answer(cases, Ask(task, intensity=it)) for it in INTENSITIES]
    write_intensity_examples(path, [[shots[at] for shots in made] for at in range(len(cases))])


def _population(context: StageContext, path: Path) -> None:
    names = [f"sweep_{file_name(task, METHOD, context.request.split)}" for task in MADE]
    files = [result_file(context.folder.results, name) for name in names]
    write_population(path, [read_record(file, SweepResult) for file in files])


def _construction(context: StageContext, path: Path) -> None:
    plan = read_plan(context.folder.pairs)
    codecs = None if context.screening is None else load_codecs(context.screening)
    portraits = gallery(plan, open_store(context.store), codecs)
    places = np.linspace(0, len(portraits) - 1, min(STRIPS, len(portraits))).astype(int)
    write_construction(path, [portraits[place] for place in places], funnels_of(plan))


def _outside(context: StageContext, path: Path) -> None:
    chosen = context.request.outside
    listed = list(SENTENCES) if chosen is None else read_outside_list(chosen)
    director = load_director(
        context.folder.training(0),
        context.device,
        context.encoder,
        phase=LAST_PHASE,
        people=PAPER.people,
    )
    write_outside(path, film_outside(director, listed, PAPER, seed=0))
