"""Training phases, one or all in their order, in one run folder."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, assert_never

import torch

from aesop.data.store import open_store
from aesop.models.velocity import VelocityShape
from aesop.pairs.pair_files import read_plan
from aesop.scene.human import MAX_FRAMES
from aesop.text.encoder import TextEncoder
from aesop.training.batch_order import pairs_on_footage
from aesop.training.codec_phases import (
    train_camera_codec,
    train_camera_decoder,
    train_human_codec,
    train_human_decoder,
)
from aesop.training.flow_phases import train_camera_flow, train_human_flow
from aesop.training.footage import read_footage
from aesop.training.loop import Conduct
from aesop.training.recipe_book import recipes_for
from aesop.training.recipes import Phase, Recipe, Size, TrainingError
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
from aesop.training.step import joined_world


@dataclass(frozen=True)
class PhaseResult:
    """Where the weights of a phase are, or why they are not there yet: it was paused."""

    phase: Phase
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
            phase = PhaseRun(recipe, material, RunFolder(run, device), conduct, world)
            results.append(_trained(phase))
            if not results[-1].finished:
                break
    return tuple(results)


def train_from_store(
    what: Phase | Literal["all"],
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
    made = None if plan is None else pairs_on_footage(plan, footage[0])
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return train(recipes, Material(*footage, encoder, made), run, conduct, device)


def _refuse_what_cannot_work(
    recipes: Sequence[Recipe], material: Material, run: Path, conduct: Conduct
) -> None:
    coming: set[Phase] = set()
    longest = max(int(it.humans.lengths.max()) for it in (material.train, material.validation))
    if longest > MAX_FRAMES:
        raise TrainingError(
            f"The longest clip has {longest} frames; the networks take at most {MAX_FRAMES}.",
            "Cut the clips into windows first.",
        )
    for recipe in recipes:
        refuse_missing_parts(run, recipe, coming)
        coming.add(recipe.phase)
        if recipe.slots is not None and material.pairs is None:
            raise TrainingError(
                f"{recipe.phase} trains with control pairs, and none were given.",
                "Build them with `aesop pairs build` and name them with --pairs.",
            )
        shape = recipe.network
        if isinstance(shape, VelocityShape) and shape.text != material.encoder.width:
            raise TrainingError(
                f"The recipe reads texts of width {shape.text}, but the encoder "
                f"{material.encoder.name} gives {material.encoder.width}.",
                "Choose the encoder that the recipe is made for.",
            )
        done = is_finished(run, recipe, material.sha256_for(recipe))
        foreign = weights_path(run, recipe.phase).exists() and not done
        if foreign or (has_begun(run, recipe.phase) and not conduct.resume):
            raise TrainingError(
                f"{run / recipe.phase} already holds {'another' if foreign else 'this'} training.",
                "Choose another folder or delete this one"
                + ("." if foreign else ", or continue it with --resume."),
            )


def _trained(phase: PhaseRun) -> PhaseResult:
    recipe, run = phase.recipe, phase.folder.path
    path = weights_path(run, recipe.phase)
    if is_finished(run, recipe, phase.material.sha256_for(recipe)):
        return PhaseResult(recipe.phase, path, finished=True)
    begun = has_begun(run, recipe.phase)
    phase = replace(phase, conduct=replace(phase.conduct, resume=phase.conduct.resume and begun))
    if phase.world.leads:
        phase.out.mkdir(parents=True, exist_ok=True)
    phase.world.wait()
    match recipe.phase:
        case "human-codec":
            finished = train_human_codec(phase)
        case "human-decoder":
            finished = train_human_decoder(phase)
        case "camera-codec":
            finished = train_camera_codec(phase)
        case "camera-decoder":
            finished = train_camera_decoder(phase)
        case "human-flow":
            finished = train_human_flow(phase)
        case "camera-flow" | "camera-flow-dpa" | "camera-flow-ipa":
            finished = train_camera_flow(phase)
        case "camera-flow-echo":
            finished = train_self_distillation(phase)
        case _:
            assert_never(recipe.phase)
    phase.world.wait()
    return PhaseResult(recipe.phase, path, finished)
