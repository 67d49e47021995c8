"""What every phase needs while it runs: material, folder, device, record, and its own weights."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import torch
from torch import nn

from aesop.models.codec import CameraCodec, HumanCodec
from aesop.models.velocity import FlowTransformer, VelocityShape
from aesop.models.weights import Part, save_part
from aesop.pairs.records import PairSet
from aesop.text.encoder import TextEncoder
from aesop.training.footage import Footage
from aesop.training.latents import encode_all, standard_humans
from aesop.training.loop import Conduct, Lesson, Outcome, learn
from aesop.training.order import INIT, seed_for
from aesop.training.parallel import World
from aesop.training.parts import RECORD_FILE, RunFolder, weights_path
from aesop.training.ragged import Ragged
from aesop.training.recipes import Recipe
from aesop.training.record import RunRecord, code_state, this_command, this_machine, write_record

NetworkT = TypeVar("NetworkT", bound=nn.Module)
Network = TypeVar("Network", HumanCodec, CameraCodec, FlowTransformer)
BatchT = TypeVar("BatchT")


@dataclass(frozen=True, eq=False)
class Material:
    """What is learnt from. Continuations need pairs. A human flow may go on from another one."""

    train: Footage
    validation: Footage
    encoder: TextEncoder
    pairs: PairSet | None = None
    human_flow: Part[FlowTransformer] | None = None

    def sha256_for(self, recipe: Recipe) -> str:
        """One number for everything a phase's result depends on beside its recipe and parts."""
        facts = [self.train.sha256]
        if isinstance(recipe.network, VelocityShape):
            facts.append(self.encoder.fingerprint)
        if recipe.slots is not None and self.pairs is not None:
            facts.append(self.pairs.sha256)
        if recipe.phase == "human-flow" and self.human_flow is not None:
            facts.append(self.human_flow.card.identity)
        return hashlib.sha256("\n".join(facts).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class PhaseRun:
    """One phase about to be run."""

    recipe: Recipe
    material: Material
    folder: RunFolder
    conduct: Conduct
    world: World

    @property
    def device(self) -> torch.device:
        return self.folder.device

    @property
    def out(self) -> Path:
        return self.folder.path / self.recipe.phase


def raw_human_latents(phase: PhaseRun, human: Part[HumanCodec], footage: Footage) -> Ragged:
    standard = standard_humans(footage.humans.to(phase.device), human.network.statistics)
    return encode_all(human.network, standard)


def started(build: Callable[[], NetworkT], phase: PhaseRun) -> NetworkT:
    """A network whose first weights depend on the recipe's seed alone, on the phase's device."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_for(phase.recipe.seed, INIT))
        return build().to(phase.device)


def learned(
    phase: PhaseRun,
    lesson: Lesson[BatchT],
    network: nn.Module,
    parts: tuple[Part[HumanCodec] | Part[CameraCodec] | Part[FlowTransformer], ...],
) -> Outcome:
    """Write the record, run the loop, and leave the kept weights in the network."""
    recipe, material = phase.recipe, phase.material
    data = material.sha256_for(recipe)
    if phase.world.leads:
        record = RunRecord(
            recipe=recipe,
            recipe_sha256=recipe.sha256,
            data_sha256=data,
            text_encoder=f"{material.encoder.name} {material.encoder.fingerprint}",
            parts=tuple((part.card.part, part.card.identity) for part in parts),
            pairs_sha256=None if material.pairs is None else material.pairs.sha256,
            code=code_state(Path(__file__).parent),
            machine=this_machine(phase.device),
            world_size=phase.world.size,
            command=this_command(),
        )
        write_record(phase.out / RECORD_FILE, record)
    outcome = learn(lesson, network, recipe, data, phase.out, phase.conduct, phase.world)
    network.load_state_dict(outcome.weights)
    network.eval().requires_grad_(False)
    return outcome


def notes_of(phase: PhaseRun, outcome: Outcome) -> dict[str, str]:
    best = outcome.best
    return {
        "recipe": phase.recipe.sha256,
        "data": phase.material.sha256_for(phase.recipe),
        "phase": phase.recipe.phase,
        "size": phase.recipe.size,
        "seed": str(phase.recipe.seed),
        "steps": str(outcome.steps),
        "kept": "last" if best is None else f"step {best.step}, validation loss {best.loss:.6g}",
        "commit": code_state(Path(__file__).parent).commit,
    }


def write_part(phase: PhaseRun, part: Part[Network]) -> None:
    """Leave the part where later phases look for it."""
    if phase.world.leads:
        save_part(part, weights_path(phase.folder.path, phase.recipe.phase))
