"""The stages of a reproduction in their order: data, evaluators, codecs, pairs, flows, the control
arm, weights, and then everything that is measured and drawn from them.

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
from aesop.reproduction.durations import (
    EVALUATOR_S,
    FABLES_S,
    IMPORTED_CLIP_S,
    PAIRED_CLIP_S,
    DeviceKind,
    training_seconds,
)
from aesop.reproduction.reproduction_request import (
    ReproductionFolder,
    ReproductionRequest,
    kind_of_data,
)
from aesop.text.encoder import TextEncoder
from aesop.training.loop import Conduct
from aesop.training.phases import TrainingRequest, requested_recipes, train_from_store
from aesop.training.recipes import CodecRecipe, Recipe
from aesop.training.run_folder import adopt_parts, weights_path

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
class Workshop:
    """What stages share."""

    request: ReproductionRequest
    folder: ReproductionFolder
    encoder: TextEncoder
    bar: ProgressBar
    told: Callable[[str], None]

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


def training_stages(shop: Workshop) -> Iterator[ReproductionStage]:
    """From the data to the trained parts. Pairs are screened by the codecs of the first training,
    so they come between its codecs and its flows, and are shared by all trainings."""
    yield from _data_stages(shop)
    yield from _evaluator_stages(shop)
    codecs = [it for it in shop.recipes if isinstance(it, CodecRecipe)]
    flows = [it for it in shop.recipes if not isinstance(it, CodecRecipe)]
    yield from (_phase_stage(shop, recipe, 0) for recipe in codecs)
    yield from _pair_stages(shop)
    yield from (_phase_stage(shop, recipe, 0) for recipe in flows)
    for number in range(1, shop.request.trainings):
        yield from (_phase_stage(shop, recipe, number) for recipe in shop.recipes)
    yield _control_stage(shop)
    yield _weights_stage(shop)


def _data_stages(shop: Workshop) -> Iterator[ReproductionStage]:
    request, store = shop.request, shop.folder.store
    kind = kind_of_data(request.data)
    if kind == "store":
        return

    def pulpmotion() -> None:
        with shop.bar("importing") as progress:
            found = import_pulpmotion(
                request.data, store, workers=request.workers, canonicalise=request.canonicalise,
                progress=progress,
            )  # fmt: skip
        shop.told(f"{found.kept} of {found.found} clips kept")
        for what in (*found.dropped, *found.noted):
            shop.told(f"{what.count:>8}  {what.what} (such as {', '.join(what.examples[:3])})")

    def fables() -> None:
        with shop.bar("building Fables") as progress:
            recipe = fables_recipe(None, FABLES_SEED)
            build_fables(request.data, store, recipe, workers=request.workers, progress=progress)

    seconds = FABLES_S if kind == "takes" else IMPORTED_CLIP_S * clips_of_data(request)
    name = "import PulpMotion" if kind == "pulpmotion" else "build Fables from the takes"
    work = pulpmotion if kind == "pulpmotion" else fables
    yield ReproductionStage(name, store / MANIFEST_FILE, seconds, work)


def _evaluator_stages(shop: Workshop) -> Iterator[ReproductionStage]:
    if not shop.request.own_evaluators:
        return
    size = "tiny" if shop.request.recipe == "tiny" else "base"
    for kind in KINDS:

        def work(kind: Kind = kind) -> None:
            with shop.bar(kind) as progress:
                train_evaluator_from_store(kind, size, shop.store, shop.folder.path, progress)

        seconds = EVALUATOR_S[shop.device] / (60.0 if size == "tiny" else 1.0)
        path = evaluator_file(shop.folder.evaluators, kind)
        yield ReproductionStage(f"train the evaluator {kind}", path, seconds, work)


def _phase_stage(shop: Workshop, recipe: Recipe, number: int) -> ReproductionStage:
    request, phase = shop.training_request(recipe.phase, number), recipe.phase

    def work() -> None:
        known = phase_of(phase)
        pairs = shop.folder.pairs if known is not None and known.wants_pairs else None
        _train(shop, request, pairs)

    seconds = training_seconds(recipe, shop.device, is_compiled=shop.request.is_compiled)
    name = f"train {phase}" if shop.request.trainings == 1 else f"train {phase}, seed {number}"
    return ReproductionStage(name, weights_path(request.run, phase), seconds, work)


def _train(shop: Workshop, request: TrainingRequest, pairs: Path | None) -> None:
    conduct = Conduct(resume=True, compiled=shop.request.is_compiled)
    train_from_store(replace(request, pairs=pairs), shop.encoder, conduct, shop.told)


def _pair_stages(shop: Workshop) -> Iterator[ReproductionStage]:
    request, clips = shop.request, clips_of_data(shop.request)

    def work(kind: BuildKind) -> None:
        dataset = open_store(shop.store).manifest.dataset
        with shop.bar(f"{kind} pairs") as progress:
            asked = BuildRequest(
                shop.store, shop.screening, shop.folder.pairs, recipe_for_dataset(dataset),
                request.workers, progress=progress,
            )  # fmt: skip
            if kind == "direction":
                shop.told(f"{len(build_direction(asked).sources)} direction pairs")
            else:
                pairs = build_intensity(asked)
                shop.told(f"{len(pairs.active)} active, {len(pairs.null)} null intensity pairs")

    kinds: tuple[BuildKind, ...] = ("direction", "intensity")
    for kind, share in zip(kinds, (0.25, 0.75), strict=True):
        path, seconds = pair_path(shop.folder.pairs, kind), share * PAIRED_CLIP_S * clips
        yield ReproductionStage(f"build {kind} pairs", path, seconds, partial(work, kind))


def _control_stage(shop: Workshop) -> ReproductionStage:
    """The control of direction pairs: start, updates and slots of `camera-flow-dpa`, filled with
    originals only."""
    first, run = shop.folder.training(0), shop.folder.factual

    def work() -> None:
        adopt_parts(first, run, CONTROL_PHASE)
        request = replace(
            shop.training_request(CONTROL_PHASE, 0),
            run=run,
            factual=True,
            start=weights_path(first, "camera-flow"),
        )
        _train(shop, request, shop.folder.pairs)

    (recipe,) = (it for it in shop.recipes if it.phase == CONTROL_PHASE)
    seconds = training_seconds(recipe, shop.device, is_compiled=shop.request.is_compiled)
    return ReproductionStage(
        f"train {CONTROL_PHASE} with factual pairs", weights_path(run, CONTROL_PHASE), seconds, work
    )


def _weights_stage(shop: Workshop) -> ReproductionStage:
    """The parts of the first training as they ship: flat, in half precision."""

    def work() -> None:
        ship(
            load_director(shop.folder.training(0), encoder=shop.encoder).parts, shop.folder.weights
        )

    last = shop.folder.weights / flat_name("camera-flow")
    return ReproductionStage("write the weights that ship", last, 5.0, work)
