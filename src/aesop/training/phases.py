"""Training phases, one or all in their order, in one run folder."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import torch

from aesop.data.store import open_store
from aesop.models.phase_table import PhaseName
from aesop.pairs.pair_files import read_plan
from aesop.scene.human import MAX_FRAMES
from aesop.text.encoder import TextEncoder
from aesop.training.batch_order import pairs_on_footage
from aesop.training.codec_phases import train_codec
from aesop.training.flow_phases import train_camera_flow, train_human_flow
from aesop.training.footage import read_footage
from aesop.training.loop import Conduct
from aesop.training.recipe_book import recipes_for
from aesop.training.recipes import (
    CodecRecipe,
    FlowRecipe,
    PairedFlowRecipe,
    Recipe,
    SelfDistilledFlowRecipe,
    Size,
    TrainingError,
)
from aesop.training.run_folder import (
    Material,
    PhaseRun,
    RunFolder,
    has_begun,
    is_finished,
    refuse_missing_parts,
    weights_path,
)
from aesop.training.self_distillation import train_self_distillation
from aesop.training.step import World, joined_world


@dataclass(frozen=True)
class PhaseResult:
    """Where the weights of a phase are, or why they are not there yet: it was paused."""

    phase: PhaseName
    weights: Path
    finished: bool


def train(
    recipes: Sequence[Recipe],
    material: Material,
    run: Path,
    conduct: Conduct,
    device: torch.device,
) -> tuple[PhaseResult, ...]:
    """Train phases one after the other. With `conduct.resume`, finished ones are kept, and one that
    was interrupted goes on where its last checkpoint left it."""
    _refuse_what_cannot_work(recipes, material, run, conduct)
    results: list[PhaseResult] = []
    with joined_world(device) as world:
        if device.type == "cuda":
            device = torch.device("cuda", world.local_rank)
            torch.cuda.set_device(device)
        for recipe in recipes:
            finished = _train_phase(recipe, material, RunFolder(run, device), conduct, world)
            results.append(PhaseResult(recipe.phase, weights_path(run, recipe.phase), finished))
            if not finished:
                break
    return tuple(results)


def train_from_store(
    what: PhaseName | Literal["all"],
    size: Size,
    store: Path,
    run: Path,
    encoder: TextEncoder,
    pairs: Path | None,
    conduct: Conduct,
) -> tuple[PhaseResult, ...]:
    """What `aesop train` does: one phase or all, on the GPU if there is one."""
    plan = None if pairs is None else read_plan(pairs)
    recipes = recipes_for(what, size, encoder.width, with_pairs=plan is not None)
    clips = max(recipe.watch.validation_clips for recipe in recipes)
    footage = read_footage(open_store(store), clips)
    pair_set = None if plan is None else pairs_on_footage(plan, footage[0])
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return train(recipes, Material(*footage, encoder, pair_set), run, conduct, device)


def _refuse_what_cannot_work(
    recipes: Sequence[Recipe], material: Material, run: Path, conduct: Conduct
) -> None:
    coming: set[PhaseName] = set()
    splits = material.train, material.validation
    longest = max(int(footage.humans.lengths.max()) for footage in splits)
    if longest > MAX_FRAMES:
        raise TrainingError(
            f"The longest clip has {longest} frames; the networks take at most {MAX_FRAMES}.",
            "Cut the clips into windows first.",
        )
    for recipe in recipes:
        refuse_missing_parts(run, recipe, coming)
        coming.add(recipe.phase)
        if isinstance(recipe, PairedFlowRecipe) and material.pairs is None:
            raise TrainingError(
                f"{recipe.phase} trains with control pairs, and none were given.",
                "Build them with `aesop pairs build` and name them with --pairs.",
            )
        if isinstance(recipe, FlowRecipe) and recipe.network.text != material.encoder.width:
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
        case SelfDistilledFlowRecipe():
            finished = train_self_distillation(PhaseRun(recipe, *around))
        case FlowRecipe() if recipe.network.human:
            finished = train_camera_flow(PhaseRun(recipe, *around))
        case FlowRecipe():
            finished = train_human_flow(PhaseRun(recipe, *around))
        case _:
            raise AssertionError(f"no function trains a {type(recipe).__name__}")
    world.wait()
    return finished
