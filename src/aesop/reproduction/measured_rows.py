"""What is measured of a reproduction: every row of the paper's tables that we have a method for,
under the paper's protocol."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from aesop.data.store import open_store
from aesop.director.director import load_director
from aesop.director.protocols import PAPER, PAPER_PRESET
from aesop.measuring.cases import Bench, Cases, Task, build_bench, read_cases
from aesop.measuring.evaluator_quality import measure_evaluators
from aesop.measuring.methods import DirectorMethod, ReferenceMethod
from aesop.measuring.runs import (
    MethodEntry,
    file_name,
    measure_direction,
    measure_sweep,
    measure_task,
    with_direction,
)
from aesop.measuring.unseen_wording import (
    SENTENCES,
    WordingSetting,
    films_by,
    measure_wording,
)
from aesop.metrics.intensity_scan import SCAN
from aesop.metrics.metric_book import MetricError
from aesop.models.phase_table import FACTUAL_METHOD, METHOD, PHASE_METHODS, PhaseName
from aesop.pages.result_pages import result_file, write_result
from aesop.reproduction.reproduction_request import ReproductionRequest, judges_of, kind_of_data
from aesop.reproduction.stage_list import (
    CONTROL_PHASE,
    ReproductionStage,
    StageContext,
    measuring_seconds,
)
from aesop.scene.human import Clip

SEEDS = (0, 1, 2)
MADE: tuple[Task, ...] = ("film", "shoot")
CODECS = "AESOP AE (asym.)"
REFERENCE = "GT reference"
# Of the paper's phases, the one whose intensity is scanned: a model with all of them.
LAST_PHASE: PhaseName = "camera-flow-ipa"
WORDING_CLIPS = {"paper": 8, "base": 8, "tiny": 1}


class Laboratory:
    """References, evaluators and methods, each read once and only when it is needed."""

    def __init__(self, context: StageContext) -> None:
        self.context = context
        self.cases = cache(self._cases)
        self.bench = cache(self._bench)
        self.method = cache(self._method)
        self.judges = cache(lambda: judges_of(context.request, context.folder).load(context.device))

    def _cases(self, has_people: bool) -> Cases:
        request = self.context.request
        store = open_store(self.context.store)
        cases = read_cases(store, request.split, request.at_most, has_people)
        self.context.report(
            f"{len(cases.cases)} shots of {request.split}, {len(cases.left_out)} left out"
        )
        return cases

    def _bench(self, has_people: bool) -> Bench:
        with self.context.bar("references") as progress:
            return build_bench(self.cases(has_people), self.judges(), progress)

    def _method(self, run: Path, phase: PhaseName | None) -> DirectorMethod:
        director = load_director(run, self.context.device, self.context.encoder, phase=phase)
        return DirectorMethod(director, PAPER)

    def entry(self, name: str, phase: PhaseName | None, *, is_single: bool = False) -> MethodEntry:
        """All trainings of a phase, or the first alone with several noises."""
        count = 1 if is_single else self.context.request.trainings
        runs = [self.context.folder.training(number) for number in range(count)]
        return MethodEntry(name, tuple(self.method(run, phase) for run in runs), SEEDS)


def measuring_stages(context: StageContext, lab: Laboratory) -> Iterator[ReproductionStage]:
    """Every row: tables 1 and 2, the autoencoders, direction, intensity; and two of ours."""
    once, trainings = measured_clips(context.request), context.request.trainings
    yield _stage(lab, _name(context, "reference", REFERENCE), once, partial(_reference, lab))
    yield _stage(lab, _name(context, "codec", CODECS), trainings * once, partial(_codec, lab))
    measured: list[PhaseName] = [phase for phase in context.phases if phase in PHASE_METHODS]
    runs = trainings if trainings > 1 else len(SEEDS)
    for task in MADE:
        for phase in measured:
            name = _name(context, task, PHASE_METHODS[phase])
            yield _stage(lab, name, runs * once, partial(_generation, lab, task, phase))
    for task in MADE:
        for row in _direction_rows(context):
            name = f"direction_{_name(context, task, row.method)}"
            yield _stage(lab, name, 2 * len(SEEDS) * once, partial(_direction, lab, task, row))
    for task in MADE:
        name = f"sweep_{_name(context, task, METHOD)}"
        yield _stage(lab, name, len(SCAN) * once, partial(_sweep, lab, task))
    clips = WORDING_CLIPS[context.request.recipe]
    films = 2 * len(SENTENCES) * clips
    yield _stage(lab, "wording_aesop", films, partial(_wording, lab, clips))
    name = f"evaluators_{context.request.split.replace('/', '_')}"
    yield _stage(lab, name, once, partial(_evaluators, lab))


def measured_clips(request: ReproductionRequest) -> int:
    """About how many shots a row is measured on."""
    name, _, kind = request.split.partition("/")
    found = 3_272
    match kind_of_data(request.data):
        case "store":
            found = len(open_store(request.data).split(name, kind or None))
        case "pulpmotion":
            path = request.data / f"{kind}_{name}_split.txt"
            found = len(path.read_text(encoding="utf-8").split()) if path.is_file() else 4_053
        case _:
            pass
    return min(found, request.at_most or found)


def _stage(
    lab: Laboratory, name: str, shots: int, measure: Callable[[], object]
) -> ReproductionStage:
    """A row for which so many shots are made, measured and written."""
    context = lab.context

    def work() -> None:
        write_result(context.folder.results, name, measure())

    has_people = "shoot" in name
    seconds = measuring_seconds(
        context.request.recipe, context.device, shots, has_people=has_people
    )
    title = f"measure {name.replace('_', ' ')}"
    return ReproductionStage(title, result_file(context.folder.results, name), seconds, work)


def _name(context: StageContext, task: str, method: str) -> str:
    return file_name(task, method, context.request.split)


def _reference(lab: Laboratory) -> object:
    entry = MethodEntry(REFERENCE, (ReferenceMethod(),), (0,))
    return measure_task(
        lab.bench(True), entry, "codec", lab.context.folder.generated, lab.context.bar
    )


def _codec(lab: Laboratory) -> object:
    entry = lab.entry(CODECS, None)
    entry = MethodEntry(entry.name, entry.methods, (0,))
    return measure_task(
        lab.bench(True), entry, "codec", lab.context.folder.generated, lab.context.bar
    )


def _generation(lab: Laboratory, task: Task, phase: PhaseName) -> object:
    entry = lab.entry(PHASE_METHODS[phase], phase)
    bench = lab.bench(task == "shoot")
    return measure_task(bench, entry, task, lab.context.folder.generated, lab.context.bar)


@dataclass(frozen=True)
class DirectionRow:
    """A checkpoint of the direction table."""

    method: str
    phase: PhaseName
    run: Path


def _direction_rows(context: StageContext) -> tuple[DirectionRow, ...]:
    """The paper's three checkpoints: before pairs, with factual ones, and with them."""
    first = context.folder.training(0)
    return (
        DirectionRow(PHASE_METHODS["camera-flow"], "camera-flow", first),
        DirectionRow(FACTUAL_METHOD, CONTROL_PHASE, context.folder.factual),
        DirectionRow(PHASE_METHODS[CONTROL_PHASE], CONTROL_PHASE, first),
    )


def _direction(lab: Laboratory, task: Task, row: DirectionRow) -> object:
    entry = MethodEntry(row.method, (lab.method(row.run, row.phase),), SEEDS)
    cases = with_direction(lab.cases(task == "shoot"))
    return measure_direction(cases, entry, task, lab.context.folder.generated, lab.context.bar)


def _sweep(lab: Laboratory, task: Task) -> object:
    entry = lab.entry(METHOD, LAST_PHASE, is_single=True)
    bench = lab.bench(task == "shoot")
    return measure_sweep(bench, entry, task, lab.context.folder.generated, lab.context.bar)


def _evaluators(lab: Laboratory) -> object:
    return measure_evaluators(lab.cases(True), lab.judges())


def _wording(lab: Laboratory, clips: int) -> object:
    director = load_director(
        lab.context.folder.training(0), lab.context.device, lab.context.encoder, phase=LAST_PHASE
    )
    cases = lab.cases(False)
    places = cases.windows[np.linspace(0, len(cases.windows) - 1, clips).round().astype(int)]
    motions: list[Clip] = [cases.cases[place].reference.clip for place in places.tolist()]
    setting = WordingSetting(
        weights=director.parts.camera_flow.card.identity,
        preset=PAPER_PRESET,
        motions=f"{cases.dataset} {cases.split}",
        clips=tuple(clip.name for clip in motions),
        seeds=SEEDS[:1],
        choices=(("protocol", PAPER.name), *PAPER.camera_choices),
    )
    return measure_wording(films_by(director, PAPER), motions, setting, lab.context.bar)


def require_measurable(lab: Laboratory) -> None:
    """As soon as there is a store, and before anything is trained: the split has shots, and some of
    them move and have words that can be turned round."""
    for has_people in (False, True):
        try:
            with_direction(lab.cases(has_people))
        except MetricError as error:
            raise MetricError(error.fact, "Choose another --split.") from error
