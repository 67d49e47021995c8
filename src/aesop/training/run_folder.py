"""The folder of a run: a folder per phase with the weights that later phases build on, and what
every phase needs while it runs."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

import torch
from torch import nn

from aesop.core.errors import WeightsError
from aesop.core.hashing import fingerprint
from aesop.models.codec import CameraCodec, HumanCodec
from aesop.models.velocity import FlowTransformer, VelocityShape
from aesop.models.weights import (
    WEIGHTS_FILE,
    Part,
    load_camera_codec,
    load_camera_flow,
    load_human_codec,
    read_card,
    run_file,
    save_part,
)
from aesop.pairs.pair_files import PairSet
from aesop.text.encoder import TextEncoder
from aesop.training.batch_order import INIT, seed_for
from aesop.training.footage import Footage, Ragged, encode_all, standard_humans
from aesop.training.loop import CHECKPOINT_FILE, Conduct, Outcome, TrainingTask, learn
from aesop.training.recipes import Phase, Recipe, TrainingError
from aesop.training.run_record import (
    RunRecord,
    code_state,
    this_command,
    this_machine,
    write_record,
)
from aesop.training.step import World

RECORD_FILE = "run.json"

# The weights that each phase reads before it can start.
NEEDS: dict[Phase, tuple[Phase, ...]] = {
    "human-codec": (),
    "human-decoder": ("human-codec",),
    "camera-codec": ("human-codec",),
    "camera-decoder": ("human-codec", "camera-codec"),
    "human-flow": ("human-codec",),
    "camera-flow": ("human-codec", "camera-codec"),
    "camera-flow-dpa": ("human-codec", "camera-codec", "camera-flow"),
    "camera-flow-ipa": ("human-codec", "camera-codec", "camera-flow-dpa"),
    "camera-flow-echo": ("human-codec", "camera-codec", "camera-flow-ipa"),
}


def weights_path(run: Path, phase: Phase) -> Path:
    """Where a phase leaves its weights."""
    return run / phase / WEIGHTS_FILE


@dataclass(frozen=True)
class RunFolder:
    """Reads the parts of a run onto one device. A codec whose decoder went on learning in a phase
    of its own is the codec of that phase."""

    path: Path
    device: torch.device

    def human_codec(self) -> Part[HumanCodec]:
        return load_human_codec(self._codec("human-codec"), self.device)

    def camera_codec(self, human: Part[HumanCodec]) -> Part[CameraCodec]:
        return load_camera_codec(self._codec("camera-codec"), human, self.device)

    def _codec(self, part: Literal["human-codec", "camera-codec"]) -> Path:
        return run_file(self.path, part) or weights_path(self.path, part)

    def camera_flow(
        self,
        phase: Phase,
        codecs: tuple[Part[HumanCodec], Part[CameraCodec]],
        encoder: TextEncoder,
    ) -> Part[FlowTransformer]:
        """The camera flow as a phase left it."""
        return load_camera_flow(weights_path(self.path, phase), codecs, encoder, self.device)


def is_finished(run: Path, recipe: Recipe, data_sha256: str) -> bool:
    """Whether the run already holds this very phase, trained to its end on this data."""
    path = weights_path(run, recipe.phase)
    if not path.exists():
        return False
    notes = read_card(path).notes
    return notes.get("recipe") == recipe.sha256 and notes.get("data") == data_sha256


def has_begun(run: Path, phase: Phase) -> bool:
    """Whether there is anything that a fresh start would overwrite."""
    return weights_path(run, phase).exists() or (run / phase / CHECKPOINT_FILE).exists()


def refuse_missing_parts(run: Path, recipe: Recipe, coming: set[Phase]) -> None:
    """Before any work: every part that a phase needs is there, or is trained before it."""
    for needed in NEEDS[recipe.phase]:
        if needed in coming:
            continue
        path = weights_path(run, needed)
        if not path.exists():
            raise TrainingError(
                f"{recipe.phase} builds on {needed}, but {path} does not exist.",
                f"Train {needed} first, or use `aesop train all`.",
            )


class FrozenParts:
    """Parts that a phase must leave as they are, to the last bit."""

    def __init__(self, *parts: Part[HumanCodec] | Part[CameraCodec] | Part[FlowTransformer]):
        self._parts = parts
        self._before = [fingerprint(part.network.state_dict()) for part in parts]

    def require_unchanged(self) -> None:
        for part, before in zip(self._parts, self._before, strict=True):
            now = fingerprint(part.network.state_dict())
            assert now == before, f"training changed the frozen {part.card.part}"


def require_fitting_shape(recipe: Recipe, part: Part[FlowTransformer], path: Path) -> None:
    """A continuation keeps the network it continues; dropout is no part of it."""
    shape, wanted = part.card.shape, recipe.network
    assert isinstance(shape, VelocityShape) and isinstance(wanted, VelocityShape)
    if replace(shape, dropout=wanted.dropout) != wanted:
        raise _another_size(recipe, path)


def require_fitting_codec(
    recipe: Recipe, part: Part[HumanCodec] | Part[CameraCodec], path: Path
) -> None:
    """A decoder that goes on learning keeps its shape too."""
    if part.card.shape != recipe.network:
        raise _another_size(recipe, path)


def _another_size(recipe: Recipe, path: Path) -> WeightsError:
    return WeightsError(
        f"{path} has another size than the recipe {recipe.size} asks for.",
        "Continue with the recipe that the weights were trained with.",
    )


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
    lesson: TrainingTask[BatchT],
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
