"""Training phases, one or all in their order, in one run folder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import torch

from aesop.data.store import open_store
from aesop.models.phase_table import TrainingName, phase_of
from aesop.pairs.pair_files import read_plan
from aesop.scene.human import MAX_FRAMES
from aesop.text.encoder import TextEncoder
from aesop.training.batch_order import pairs_on_footage
from aesop.training.camera_steps import fit_camera_steps
from aesop.training.caption_features import TextMode, dataset_encoder
from aesop.training.codec_phases import train_codec
from aesop.training.flow_phases import train_camera_flow, train_human_flow
from aesop.training.footage import read_footage
from aesop.training.human_steps import fit_human_steps
from aesop.training.loop import Conduct
from aesop.training.method_phases import train_method
from aesop.training.recipe_book import factual_control, recipes_for
from aesop.training.recipes import (
    CodecRecipe,
    FlowRecipe,
    MethodRecipe,
    PairedFlowRecipe,
    Recipe,
    RecipeT,
    SelfDistilledFlowRecipe,
    Size,
    StepsRecipe,
    TrainingError,
    shortened,
)
from aesop.training.run_folder import (
    Material,
    PhaseRun,
    RunFolder,
    adopt_parts,
    adoptable_parts,
    has_begun,
    is_finished,
    refuse_missing_parts,
    refuse_other_recipes,
    refuse_other_yaw,
    start_file,
    weights_path,
)
from aesop.training.self_distillation import train_self_distillation
from aesop.training.step import World, joined_world


@dataclass(frozen=True)
class PhaseResult:
    """Where the weights of a phase are, or why they are not there yet: it was paused."""

    phase: TrainingName
    weights: Path
    finished: bool


def train(
    recipes: Sequence[Recipe],
    material: Material,
    run: Path,
    conduct: Conduct,
    device: torch.device,
    adopt: Path | None = None,
) -> tuple[PhaseResult, ...]:
    """Train phases one after the other. With `conduct.resume`, finished ones are kept, and one that
    was interrupted goes on where its last checkpoint left it. Parts that the run lacks are copied
    from a folder of weights, if one is named."""
    _refuse_what_cannot_work(recipes, material, run, conduct, adopt)
    results: list[PhaseResult] = []
    with joined_world(device) as world:
        if device.type == "cuda":
            device = torch.device("cuda", world.local_rank)
            torch.cuda.set_device(device)
        if adopt is not None and world.leads:
            adopt_parts(adopt, run, recipes[0].phase)
        world.wait()
        for recipe in recipes:
            finished = _train_phase(recipe, material, RunFolder(run, device), conduct, world)
            results.append(PhaseResult(recipe.phase, weights_path(run, recipe.phase), finished))
            if not finished:
                break
    return tuple(results)


@dataclass(frozen=True)
class TrainingRequest:
    """What `aesop train` is asked for."""

    what: TrainingName | Literal["all"]
    size: Size
    store: Path
    run: Path
    pairs: Path | None = None
    text: TextMode = "sequence"
    split: str = "train"
    hold_out: bool = True  # where a store has no split called validation
    seed: int = 0
    factual: bool = False  # the control arm: originals in the slots of direction pairs
    start: Path | None = None  # weights that the phase goes on from
    shorten: int = 1  # times fewer updates, to try everything before a long training


def train_from_store(
    request: TrainingRequest,
    encoder: TextEncoder,
    conduct: Conduct,
    report: Callable[[str], None] | None = None,
) -> tuple[PhaseResult, ...]:
    """What `aesop train` does: one phase or all, on the GPU if there is one. `report` hears how
    many shots were listed and how many are trained on."""
    plan = None if request.pairs is None else read_plan(request.pairs)
    start = _start_of(request)
    recipes = requested_recipes(request, encoder.width, with_pairs=plan is not None)
    if conduct.resume:
        refuse_other_recipes(request.run, recipes)
    clips = max(recipe.watch.validation_clips for recipe in recipes)
    store = open_store(request.store)
    footage = read_footage(store, clips, request.split, hold_out=request.hold_out)
    if report is not None:
        report(str(footage[0].counts))
    if plan is not None and request.split != "train":
        plan = plan.of_shots(footage[0].shot_names)
    pair_set = None if plan is None else pairs_on_footage(plan, footage[0])
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    texts = encoder
    if any(isinstance(recipe, FlowRecipe | MethodRecipe) for recipe in recipes):
        texts = dataset_encoder(store, encoder, request.text)
    material = Material(*footage, texts, pair_set, start)
    return train(recipes, material, request.run, conduct, device, adopt=request.start)


def requested_recipes(
    request: TrainingRequest, text_width: int, *, with_pairs: bool
) -> tuple[Recipe, ...]:
    """The recipes of a size with the seed and the arm that were asked for."""
    sized = recipes_for(request.what, request.size, text_width, with_pairs=with_pairs)
    sized = tuple(shortened(recipe, request.shorten) for recipe in sized)
    recipes = [_reading(replace(recipe, seed=request.seed), request.text) for recipe in sized]
    if request.factual:
        recipes = [
            factual_control(recipe) if isinstance(recipe, PairedFlowRecipe) else recipe
            for recipe in recipes
        ]
    if not request.hold_out and any(recipe.watch.keep == "best" for recipe in recipes):
        raise TrainingError(
            f"The recipe {request.size} keeps the weights that validate best, which needs shots "
            "that are held out.",
            "Leave --no-hold-out away, or choose the recipe paper or tiny.",
        )
    return tuple(recipes)


def _reading(recipe: RecipeT, text: TextMode) -> RecipeT:
    if isinstance(recipe, FlowRecipe):
        return replace(recipe, network=replace(recipe.network, text_mode=text))
    return recipe


def _start_of(request: TrainingRequest) -> Path | None:
    if request.start is None:
        return None
    if request.what == "all":
        raise TrainingError(
            "--from gives one phase its first weights.", "Name the phase that goes on from them."
        )
    phase = phase_of(request.what)
    if phase is None:
        raise TrainingError(f"{request.what} starts anew.", "Leave --from away.")
    if phase.trains in ("human-steps", "camera-steps") and request.start.is_dir():
        return None  # the parts are adopted, and the steps are fitted to the flow among them
    return start_file(request.start, phase.name)


def _refuse_what_cannot_work(
    recipes: Sequence[Recipe], material: Material, run: Path, conduct: Conduct, adopt: Path | None
) -> None:
    coming: set[TrainingName] = set()
    if adopt is not None:
        coming |= adoptable_parts(adopt, run, recipes[0].phase)
    splits = material.train, material.validation
    longest = max(int(footage.humans.lengths.max()) for footage in splits)
    if longest > MAX_FRAMES:
        raise TrainingError(
            f"The longest clip has {longest} frames; the networks take at most {MAX_FRAMES}.",
            "Cut the clips into windows first.",
        )
    refuse_other_yaw(run, adopt or material.start, material.train.yaw)
    for recipe in recipes:
        is_started = material.start_of(recipe) is not None
        refuse_missing_parts(run, recipe, coming, is_started=is_started)
        coming.add(recipe.phase)
        if isinstance(recipe, PairedFlowRecipe) and material.pairs is None:
            raise TrainingError(
                f"{recipe.phase} trains with control pairs, and none were given.",
                "Build them with `aesop pairs build` and name them with --pairs.",
            )
        reads_words = isinstance(recipe, FlowRecipe | MethodRecipe)
        if reads_words and recipe.network.text != material.encoder.width:
            raise TrainingError(
                f"The recipe reads texts of width {recipe.network.text}, but the encoder "
                f"{material.encoder.name} gives {material.encoder.width}.",
                "Choose the encoder that the recipe is made for.",
            )
        done = is_finished(run, recipe, material.sha256_for(recipe))
        weights = weights_path(run, recipe.phase)
        foreign = weights.exists() and not done
        if foreign or (has_begun(run, recipe.phase) and not conduct.resume):
            raise TrainingError(
                f"{weights.parent} already holds {'another' if foreign else 'this'} training.",
                "Choose another folder or delete this one"
                + ("." if foreign else ", or continue it with --resume."),
            )


def _train_phase(
    recipe: Recipe, material: Material, folder: RunFolder, conduct: Conduct, world: World
) -> bool:
    """Whether the phase came to its end. What a phase does is what its kind of recipe asks for."""
    if is_finished(folder.path, recipe, material.sha256_for(recipe)):
        return True
    resume = conduct.resume and has_begun(folder.path, recipe.phase)
    around = material, folder, replace(conduct, resume=resume), world
    if world.leads:
        PhaseRun(recipe, *around).out.mkdir(parents=True, exist_ok=True)
    world.wait()
    match recipe:
        case CodecRecipe():
            finished = train_codec(PhaseRun(recipe, *around))
        case MethodRecipe():
            finished = train_method(PhaseRun(recipe, *around))
        case SelfDistilledFlowRecipe():
            finished = train_self_distillation(PhaseRun(recipe, *around))
        case StepsRecipe() if recipe.network.human:
            finished = fit_camera_steps(PhaseRun(recipe, *around))
        case StepsRecipe():
            finished = fit_human_steps(PhaseRun(recipe, *around))
        case FlowRecipe() if recipe.network.human:
            finished = train_camera_flow(PhaseRun(recipe, *around))
        case FlowRecipe():
            finished = train_human_flow(PhaseRun(recipe, *around))
        case _:
            raise AssertionError(f"no function trains a {type(recipe).__name__}")
    world.wait()
    return finished
