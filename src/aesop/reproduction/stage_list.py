"""The stages of a reproduction in their order: data, evaluators, codecs, pairs, flows, the control
arm, weights, and then everything that is measured and drawn from them; and how long each takes,
told before it begins.

A stage is done when the file that it makes is there. Whoever makes one gives it its name only when
it is whole, and what long stages leave in between (checkpoints, pieces of pairs, generated shots)
is found again: a reproduction that was killed at any moment ends with the same tables.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import torch

from aesop.data.manifest import MANIFEST_FILE
from aesop.data.pulpmotion import import_pulpmotion
from aesop.data.store import open_store
from aesop.director.director import load_director
from aesop.director.trained_parts import ship
from aesop.evaluators.evaluator import Kind
from aesop.evaluators.evaluator_training import train_evaluator_from_store
from aesop.evaluators.evaluator_weights import KINDS, evaluator_file
from aesop.fables.build import build_fables
from aesop.fables.build import recipe_for as fables_recipe
from aesop.measuring.runs import ProgressBar
from aesop.models.phase_table import PHASES, PhaseName, TrainingName, phase_of
from aesop.models.weights import flat_name
from aesop.pairs.direction_pairs import BuildRequest, build_direction
from aesop.pairs.intensity_pairs import build_intensity
from aesop.pairs.pair_files import BuildKind, pair_path
from aesop.pairs.pair_recipe import recipe_for_dataset
from aesop.reproduction.reproduction_request import (
    ReproductionFolder,
    ReproductionRequest,
    kind_of_data,
)
from aesop.text.encoder import TextEncoder
from aesop.training.loop import Conduct
from aesop.training.phases import TrainingRequest, requested_recipes, train_from_store
from aesop.training.recipes import CodecRecipe, Recipe, Size, StepsRecipe
from aesop.training.run_folder import adopt_parts, weights_path

DeviceKind = Literal["cuda", "cpu"]

# On a GPU measured on one H200 (`results/benchmarks/train_step_h200.json`,
# `results/benchmarks/sampling_gpu_paper.json`), `tiny` on two CPU cores; what nobody trains on a
# CPU, `paper` and `base`, is reckoned from the number of operations there.
# Seconds of one update: human codec, camera codec, human flow, camera flow, flows with pairs.
_STEP_S: dict[tuple[Size, DeviceKind], tuple[float, float, float, float, float]] = {
    ("paper", "cuda"): (0.0020, 0.0011, 0.0153, 0.0198, 0.0309),
    ("base", "cuda"): (0.0047, 0.0039, 0.0089, 0.0131, 0.0126),
    ("tiny", "cuda"): (0.004, 0.004, 0.005, 0.005, 0.006),
    ("paper", "cpu"): (0.5, 0.4, 20.0, 25.0, 40.0),
    ("base", "cpu"): (1.0, 1.0, 5.0, 7.0, 6.0),
    ("tiny", "cpu"): (0.05, 0.04, 0.05, 0.06, 0.08),
}
# `--compile`, paper only: human flow, camera flow, flows with pairs.
_COMPILED_STEP_S = (0.0020, 0.0013, 0.0078, 0.0101, 0.0171)
# Seconds of one generated camera with the paper's fifty steps; a person costs about a third more.
_SHOT_S: dict[tuple[Size, DeviceKind], float] = {
    ("paper", "cuda"): 0.005,
    ("base", "cuda"): 0.002,
    ("tiny", "cuda"): 0.001,
    ("paper", "cpu"): 4.0,
    ("base", "cpu"): 0.6,
    ("tiny", "cpu"): 0.03,
}
_JUDGED_S = 0.012  # one shot by all metrics and their intervals, on one core
_PERSON_SHARE = 1.35
IMPORTED_CLIP_S = 0.01  # a clip of PulpMotion, by one worker
FABLES_S = 750.0  # the whole set, in CPU seconds
PAIRED_CLIP_S = 0.0014  # both funnels, by one worker
EVALUATOR_S: dict[DeviceKind, float] = {"cuda": 120.0, "cpu": 3600.0}
PICTURE_S = 8.0


def training_seconds(recipe: Recipe, device: DeviceKind, *, is_compiled: bool = False) -> float:
    """One phase to its end."""
    if isinstance(recipe, StepsRecipe):  # no updates: shots or people in fifty steps, then a fit
        return 2 * recipe.steps.shots * _SHOT_S[recipe.size, device]
    steps = _STEP_S[recipe.size, device]
    if is_compiled and device == "cuda" and recipe.size == "paper":
        steps = _COMPILED_STEP_S
    return recipe.schedule.steps * steps[_column(recipe.phase)]


def _column(name: TrainingName) -> int:
    phase = phase_of(name)
    if phase is None:
        return 3  # a baseline's step is a camera flow's, to its order of magnitude
    if phase.wants_pairs:
        return 4
    return ("human-codec", "camera-codec", "human-flow", "camera-flow").index(phase.trains)


def measuring_seconds(size: Size, device: DeviceKind, shots: int, *, has_people: bool) -> float:
    """So many generated shots, judged."""
    made = _SHOT_S[size, device] * (_PERSON_SHARE if has_people else 1.0)
    return shots * (made + _JUDGED_S)


def in_words(seconds: float) -> str:
    """A length of time as people say it."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"


FABLES_SEED = 20261115  # of the set that AESOP publishes numbers on
CONTROL_PHASE: PhaseName = "camera-flow-dpa"


@dataclass(frozen=True, eq=False)
class ReproductionStage:
    """One piece of the way. `makes` is there when it is done; None means that it is always done
    again, because it is cheap and made from all before it."""

    name: str
    makes: Path | None
    seconds: float
    work: Callable[[], None]

    @property
    def is_done(self) -> bool:
        return self.makes is not None and self.makes.exists()


@dataclass(frozen=True, eq=False)
class StageContext:
    """What stages share."""

    request: ReproductionRequest
    folder: ReproductionFolder
    encoder: TextEncoder
    bar: ProgressBar
    report: Callable[[str], None]

    @property
    def store(self) -> Path:
        is_store = kind_of_data(self.request.data) == "store"
        return self.request.data if is_store else self.folder.store

    @property
    def device(self) -> DeviceKind:
        return "cuda" if torch.cuda.is_available() else "cpu"

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """All phases of the size, as they are trained first."""
        return requested_recipes(
            self.training_request("all", 0), self.encoder.width, with_pairs=True
        )

    @property
    def phases(self) -> tuple[PhaseName, ...]:
        known = {recipe.phase for recipe in self.recipes}
        return tuple(phase for phase in PHASES if phase in known)

    @property
    def screening(self) -> Path | None:
        """The codecs by which pairs are screened. Those of `tiny`, and of a shortened training,
        keep too little: the gates on reconstructions would leave no pair."""
        is_poor = self.request.recipe == "tiny" or self.request.shorten > 1
        return None if is_poor else self.folder.training(0)

    def training_request(self, what: TrainingName | Literal["all"], number: int) -> TrainingRequest:
        request = self.request
        return TrainingRequest(
            what,
            request.recipe,
            self.store,
            self.folder.training(number),
            text=request.text,
            # As in the paper, every listed clip is trained on; `base` chooses by validation.
            hold_out=request.recipe == "base",
            seed=number,
            shorten=request.shorten,
        )


def clips_of_data(request: ReproductionRequest) -> int:
    """About how many clips there are."""
    match kind_of_data(request.data):
        case "store":
            return open_store(request.data).manifest.shots.rows
        case "pulpmotion":
            return sum(1 for _ in (request.data / "traj").glob("*.txt"))
        case _:
            return 51_000


def training_stages(context: StageContext) -> Iterator[ReproductionStage]:
    """From the data to the trained parts. Pairs are screened by the codecs of the first training,
    so they come between its codecs and its flows, and are shared by all trainings."""
    yield from _data_stages(context)
    yield from _evaluator_stages(context)
    codecs = [it for it in context.recipes if isinstance(it, CodecRecipe)]
    flows = [it for it in context.recipes if not isinstance(it, CodecRecipe)]
    yield from (_phase_stage(context, recipe, 0) for recipe in codecs)
    yield from _pair_stages(context)
    yield from (_phase_stage(context, recipe, 0) for recipe in flows)
    for number in range(1, context.request.trainings):
        yield from (_phase_stage(context, recipe, number) for recipe in context.recipes)
    yield _control_stage(context)
    yield _weights_stage(context)


def _data_stages(context: StageContext) -> Iterator[ReproductionStage]:
    request, store = context.request, context.folder.store
    kind = kind_of_data(request.data)
    if kind == "store":
        return

    def pulpmotion() -> None:
        with context.bar("importing") as progress:
            found = import_pulpmotion(
                request.data, store, workers=request.workers, canonicalise=request.canonicalise,
                progress=progress,
            )  # fmt: skip
        context.report(f"{found.kept} of {found.found} clips kept")
        for what in (*found.dropped, *found.noted):
            context.report(f"{what.count:>8}  {what.what} (such as {', '.join(what.examples[:3])})")

    def fables() -> None:
        with context.bar("building Fables") as progress:
            recipe = fables_recipe(None, FABLES_SEED)
            build_fables(request.data, store, recipe, workers=request.workers, progress=progress)

    seconds = FABLES_S if kind == "takes" else IMPORTED_CLIP_S * clips_of_data(request)
    name = "import PulpMotion" if kind == "pulpmotion" else "build Fables from the takes"
    work = pulpmotion if kind == "pulpmotion" else fables
    yield ReproductionStage(name, store / MANIFEST_FILE, seconds, work)


def _evaluator_stages(context: StageContext) -> Iterator[ReproductionStage]:
    if not context.request.own_evaluators:
        return
    size = "tiny" if context.request.recipe == "tiny" else "base"
    for kind in KINDS:

        def work(kind: Kind = kind) -> None:
            with context.bar(kind) as progress:
                train_evaluator_from_store(kind, size, context.store, context.folder.path, progress)

        seconds = EVALUATOR_S[context.device] / (60.0 if size == "tiny" else 1.0)
        path = evaluator_file(context.folder.evaluators, kind)
        yield ReproductionStage(f"train the evaluator {kind}", path, seconds, work)


def _phase_stage(context: StageContext, recipe: Recipe, number: int) -> ReproductionStage:
    request, phase = context.training_request(recipe.phase, number), recipe.phase

    def work() -> None:
        known = phase_of(phase)
        pairs = context.folder.pairs if known is not None and known.wants_pairs else None
        _train(context, request, pairs)

    seconds = training_seconds(recipe, context.device, is_compiled=context.request.is_compiled)
    name = f"train {phase}" if context.request.trainings == 1 else f"train {phase}, seed {number}"
    return ReproductionStage(name, weights_path(request.run, phase), seconds, work)


def _train(context: StageContext, request: TrainingRequest, pairs: Path | None) -> None:
    conduct = Conduct(resume=True, compiled=context.request.is_compiled)
    train_from_store(replace(request, pairs=pairs), context.encoder, conduct, context.report)


def _pair_stages(context: StageContext) -> Iterator[ReproductionStage]:
    request, clips = context.request, clips_of_data(context.request)

    def work(kind: BuildKind) -> None:
        dataset = open_store(context.store).manifest.dataset
        with context.bar(f"{kind} pairs") as progress:
            asked = BuildRequest(
                context.store, context.screening, context.folder.pairs, recipe_for_dataset(dataset),
                request.workers, progress=progress,
            )  # fmt: skip
            if kind == "direction":
                context.report(f"{len(build_direction(asked).sources)} direction pairs")
            else:
                pairs = build_intensity(asked)
                context.report(
                    f"{len(pairs.active)} active, {len(pairs.null)} null intensity pairs"
                )

    kinds: tuple[BuildKind, ...] = ("direction", "intensity")
    for kind, share in zip(kinds, (0.25, 0.75), strict=True):
        path, seconds = pair_path(context.folder.pairs, kind), share * PAIRED_CLIP_S * clips
        yield ReproductionStage(f"build {kind} pairs", path, seconds, partial(work, kind))


def _control_stage(context: StageContext) -> ReproductionStage:
    """The control of direction pairs: start, updates and slots of `camera-flow-dpa`, filled with
    originals only."""
    first, run = context.folder.training(0), context.folder.factual

    def work() -> None:
        adopt_parts(first, run, CONTROL_PHASE)
        request = replace(
            context.training_request(CONTROL_PHASE, 0),
            run=run,
            factual=True,
            start=weights_path(first, "camera-flow"),
        )
        _train(context, request, context.folder.pairs)

    (recipe,) = (it for it in context.recipes if it.phase == CONTROL_PHASE)
    seconds = training_seconds(recipe, context.device, is_compiled=context.request.is_compiled)
    return ReproductionStage(
        f"train {CONTROL_PHASE} with factual pairs", weights_path(run, CONTROL_PHASE), seconds, work
    )


def _weights_stage(context: StageContext) -> ReproductionStage:
    """The parts of the first training as they ship: flat, in half precision."""

    def work() -> None:
        ship(
            load_director(context.folder.training(0), encoder=context.encoder).parts,
            context.folder.weights,
        )

    last = context.folder.weights / flat_name("camera-flow")
    return ReproductionStage("write the weights that ship", last, 5.0, work)
