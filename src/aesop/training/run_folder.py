"""The folder of a run: a folder per phase with the weights that later phases build on, and what
every phase needs while it runs."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import torch
from torch import nn

from aesop.core.errors import WeightsError
from aesop.core.hashing import fingerprint, text_sha256
from aesop.core.machine import code_state, this_command, this_machine
from aesop.core.whole_files import atomic_path
from aesop.models.codec import CameraCodec, HumanCodec
from aesop.models.method_network import MethodNetwork
from aesop.models.phase_table import (
    PHASES,
    MethodName,
    PartName,
    PhaseName,
    TrainingName,
    method_of,
    phase_of,
)
from aesop.models.velocity import FlowTransformer, VelocityShape
from aesop.models.weights import (
    NEEDED_PARTS,
    PARTNERS,
    WEIGHTS_FILE,
    AnyPart,
    Part,
    Yaw,
    load_camera_codec,
    load_camera_flow,
    load_human_codec,
    new_part,
    part_file,
    phase_folder,
    read_card,
    run_file,
    save_part,
)
from aesop.pairs.pair_files import PairSet
from aesop.text.encoder import TextEncoder, mark_of
from aesop.training.batch_order import INIT, seed_for
from aesop.training.footage import Footage, Ragged, encode_all, standard_humans
from aesop.training.loop import (
    CHECKPOINT_FILE,
    Conduct,
    Outcome,
    TrainingTask,
    learn,
    read_progress,
    refuse_other,
)
from aesop.training.recipes import (
    FlowRecipe,
    MethodRecipe,
    PairedFlowRecipe,
    Recipe,
    RecipeT,
    TrainingError,
)
from aesop.training.run_record import RunRecord, write_record
from aesop.training.step import World

RECORD_FILE = "run.json"

NetworkT = TypeVar("NetworkT", bound=nn.Module)
Network = TypeVar("Network", HumanCodec, CameraCodec, FlowTransformer, MethodNetwork)
BatchT = TypeVar("BatchT")


def weights_path(run: Path, phase: TrainingName) -> Path:
    """Where a phase leaves its weights."""
    return phase_folder(run, phase) / WEIGHTS_FILE


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
        phase: PhaseName,
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


def adoptable_parts(weights: Path, run: Path, phase: TrainingName) -> set[PartName]:
    """Parts that a folder of weights has, a run lacks, and a phase does not train itself."""
    known = phase_of(phase)
    if not weights.is_dir() or known is None:
        return set()
    return {
        part
        for part in NEEDED_PARTS
        if part != known.trains
        and part_file(weights, part) is not None
        and run_file(run, part) is None
    }


def adopt_parts(weights: Path, run: Path, phase: TrainingName) -> None:
    """Copy those parts into the run, so that what is trained there finds the codecs that it fits,
    and the run is whole."""
    for part in sorted(adoptable_parts(weights, run, phase)):
        source, target = part_file(weights, part), weights_path(run, part)
        assert source is not None
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(target) as temporary:
            shutil.copyfile(source, temporary)


def part_trained_by(phase: TrainingName) -> PartName | MethodName:
    """The part that a phase leaves behind; a baseline is a part by itself."""
    known, method = phase_of(phase), method_of(phase)
    if known is not None:
        return known.trains
    assert method is not None
    return method


def start_file(weights: Path, phase: PhaseName) -> Path:
    """The part that a phase trains, in a file, a folder that ships or a run."""
    path = part_file(weights, PHASES[phase].trains) if weights.is_dir() else weights
    if path is None:
        raise WeightsError(
            f"{weights} has no {PHASES[phase].trains}, which {phase} trains.",
            "Name weights that hold it with --from.",
        )
    card = read_card(path)
    if card.part != PHASES[phase].trains:
        raise WeightsError(
            f"{path} holds the part {card.part}, but {phase} trains {PHASES[phase].trains}.",
            "Name weights of that part with --from.",
        )
    return path


def refuse_other_yaw(run: Path, weights: Path | None, yaw: Yaw) -> None:
    """Before any work: parts that a phase reads met people who start as those of this data do."""
    known = [run_file(run, part) for part in PARTNERS]
    if weights is not None and weights.is_dir():
        known += [part_file(weights, part) for part in PARTNERS]
    elif weights is not None:
        known.append(weights)
    for path in known:
        if path is not None and read_card(path).yaw != yaw:
            heading = {"canonical": "all start at yaw 0", "kept": "keep their own heading"}
            raise WeightsError(
                f"{path} was trained on clips that {heading[read_card(path).yaw]}, but those of "
                f"the store {heading[yaw]}.",
                "Import the data again, with or without --canonicalise.",
            )


def has_begun(run: Path, phase: TrainingName) -> bool:
    """Whether there is anything that a fresh start would overwrite."""
    folder = phase_folder(run, phase)
    return any((folder / name).exists() for name in (WEIGHTS_FILE, CHECKPOINT_FILE))


def refuse_other_recipes(run: Path, recipes: Sequence[Recipe]) -> None:
    """Before any data is read: phases that are to be resumed were begun with these recipes. Says
    which settings are others, as far as the run's record tells them."""
    for recipe in recipes:
        path = phase_folder(run, recipe.phase) / CHECKPOINT_FILE
        if not path.exists() or weights_path(run, recipe.phase).exists():
            continue
        others = _other_settings(path.with_name(RECORD_FILE), recipe)
        more = f": {', '.join(others)}" if others else ""
        refuse_other("recipe", path, read_progress(path).recipe_sha256, recipe.sha256, more)


def _other_settings(record: Path, recipe: Recipe) -> list[str]:
    """Such as "schedule.steps 4000, now 5000"."""
    if not record.exists():
        return []
    then = _flat(json.loads(record.read_text(encoding="utf-8"))["recipe"])
    now = _flat(json.loads(json.dumps(recipe.settings)))
    names = sorted(then.keys() & now.keys())
    return [f"{it} {then[it]}, now {now[it]}" for it in names if then[it] != now[it]]


def _flat(settings: Mapping[str, Any], before: str = "") -> dict[str, object]:
    """Settings within settings under names with dots."""
    flat: dict[str, object] = {}
    for name, value in settings.items():
        inner = value if isinstance(value, dict) else None
        flat |= {before + name: value} if inner is None else _flat(inner, f"{before}{name}.")
    return flat


def refuse_missing_parts(
    run: Path, recipe: Recipe, coming: set[TrainingName], *, is_started: bool
) -> None:
    """Before any work: every part that a phase needs is there, or is trained before it. A phase
    with weights to start from does not need the phase that it would continue."""
    for needed in recipe.needs:
        if is_started and needed == recipe.continues:
            continue
        path = weights_path(run, needed)
        if needed not in coming and not path.exists():
            raise TrainingError(
                f"{recipe.phase} builds on {needed}, but {path} does not exist.",
                f"Train {needed} first"
                + (", or use `aesop train all`." if needed in PHASES else "."),
            )


class FrozenParts:
    """Parts that a phase must leave as they are, to the last bit."""

    def __init__(self, *parts: AnyPart):
        self._parts = parts
        self._before = [fingerprint(part.network.state_dict()) for part in parts]

    def require_unchanged(self) -> None:
        for part, before in zip(self._parts, self._before, strict=True):
            now = fingerprint(part.network.state_dict())
            assert now == before, f"training changed the frozen {part.card.part}"


def require_fitting_shape(recipe: Recipe, part: AnyPart, path: Path) -> None:
    """A continuation keeps the network it continues; dropout is no part of it."""
    shape = part.card.shape
    if isinstance(shape, VelocityShape) and isinstance(recipe.network, VelocityShape):
        shape = replace(shape, dropout=recipe.network.dropout)
    if shape != recipe.network:
        raise WeightsError(
            f"{path} has another size than the recipe {recipe.size} asks for.",
            "Continue with the recipe that the weights were trained with.",
        )


@dataclass(frozen=True, eq=False)
class Material:
    """What is learnt from. Continuations need pairs. A phase may go on from other weights of the
    part that it trains, instead of anew or from the phase before it."""

    train: Footage
    validation: Footage
    encoder: TextEncoder
    pairs: PairSet | None = None
    start: Path | None = None

    def sha256_for(self, recipe: Recipe) -> str:
        """One number for everything a phase's result depends on beside its recipe and parts."""
        facts = [self.train.sha256]
        if isinstance(recipe, FlowRecipe | MethodRecipe):
            facts.append(self.encoder.fingerprint)
        if isinstance(recipe, PairedFlowRecipe) and self.pairs is not None:
            facts.append(self.pairs.sha256)
        start = self.start_of(recipe)
        if start is not None:
            facts.append(read_card(start).identity)
        return text_sha256(*facts)

    def start_of(self, recipe: Recipe) -> Path | None:
        """The weights that a phase goes on from, if they were given and are of its part."""
        if self.start is None or read_card(self.start).part != part_trained_by(recipe.phase):
            return None
        return self.start


@dataclass(frozen=True, eq=False)
class PhaseRun(Generic[RecipeT]):
    """One phase about to be run."""

    recipe: RecipeT
    material: Material
    folder: RunFolder
    conduct: Conduct
    world: World

    @property
    def device(self) -> torch.device:
        return self.folder.device

    @property
    def out(self) -> Path:
        return phase_folder(self.folder.path, self.recipe.phase)


AnyRun = PhaseRun[Any]


def raw_human_latents(phase: AnyRun, human: Part[HumanCodec], footage: Footage) -> Ragged:
    standard = standard_humans(footage.humans.to(phase.device), human.network.statistics)
    return encode_all(human.network, standard)


def started(build: Callable[[], NetworkT], phase: AnyRun) -> NetworkT:
    """A network whose first weights depend on the recipe's seed alone, on the phase's device."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_for(phase.recipe.seed, INIT))
        return build().to(phase.device)


def write_run_record(phase: AnyRun, parts: tuple[AnyPart, ...]) -> None:
    """What is run, on what, by which code: before it begins."""
    recipe, material = phase.recipe, phase.material
    if not phase.world.leads:
        return
    record = RunRecord(
        recipe=recipe.settings,
        recipe_sha256=recipe.sha256,
        data_sha256=material.sha256_for(recipe),
        text_encoder=str(mark_of(material.encoder)),
        parts=tuple((part.card.part, part.card.identity) for part in parts),
        pairs_sha256=None if material.pairs is None else material.pairs.sha256,
        code=code_state(Path(__file__).parent),
        machine=this_machine(phase.device),
        world_size=phase.world.size,
        command=this_command(),
        shots=material.train.counts,
    )
    write_record(phase.out / RECORD_FILE, record)


def learned(
    phase: AnyRun, task: TrainingTask[BatchT], network: nn.Module, parts: tuple[AnyPart, ...]
) -> Outcome:
    """Write the record, run the loop, and leave the kept weights in the network. The parts that are
    read and not trained stay as they are."""
    recipe, material = phase.recipe, phase.material
    frozen = FrozenParts(*(part for part in parts if part.network is not network))
    data = material.sha256_for(recipe)
    write_run_record(phase, parts)
    outcome = learn(task, network, recipe, data, phase.out, phase.conduct, phase.world)
    network.load_state_dict(outcome.weights)
    network.eval().requires_grad_(False)
    frozen.require_unchanged()
    return outcome


def part_notes(recipe: Recipe, material: Material, steps: int, kept: str) -> dict[str, str]:
    """Where a trained part comes from, for its card."""
    notes = {
        "recipe": recipe.sha256,
        "data": material.sha256_for(recipe),
        "phase": recipe.phase,
        "size": recipe.size,
        "seed": str(recipe.seed),
        "steps": str(steps),
        "kept": kept,
        "commit": code_state(Path(__file__).parent).commit,
    }
    if isinstance(recipe, FlowRecipe) and recipe.continues not in (
        None,
        PHASES[recipe.phase].continues,
    ):
        notes["teacher"] = str(recipe.continues)
    start = material.start_of(recipe)
    if start is not None:
        notes["continued"] = read_card(start).identity
    return notes


def write_part(
    phase: AnyRun,
    outcome: Outcome,
    network: Network,
    partners: tuple[AnyPart, ...],
) -> None:
    """Leave the trained part where later phases look for it; its card says where it comes from."""
    recipe, encoder, best = phase.recipe, phase.material.encoder, outcome.best
    reads_words = isinstance(recipe, FlowRecipe)
    if isinstance(network, MethodNetwork):
        reads_words = network.reads_words
    kept = "last" if best is None else f"step {best.step}, validation loss {best.loss:.6g}"
    if phase.world.leads:
        notes = part_notes(recipe, phase.material, outcome.steps, kept)
        name = part_trained_by(recipe.phase)
        words = encoder if reads_words else None
        yaw = phase.material.train.yaw
        part = new_part(name, network, partners, words, notes, yaw=yaw)
        save_part(part, weights_path(phase.folder.path, recipe.phase))
