"""Which folder of trained parts is used, loading each when it is first needed, and the flat folder
that ships."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch

from aesop.core.errors import WeightsError
from aesop.director.act_reader import READER_FILE, ActReader, ActReading, load_act_reader
from aesop.director.body_finish import PersonFinish
from aesop.evaluators.evaluator import Evaluator
from aesop.evaluators.evaluator_weights import load_evaluator, reads_words_like
from aesop.flow.solvers import PRESETS, Preset, PresetName
from aesop.models.codec import CameraCodec, HumanCodec
from aesop.models.fitted_steps import FittedSteps
from aesop.models.phase_table import PHASES, PartName, PhaseName
from aesop.models.velocity import FlowTransformer
from aesop.models.weights import (
    NEEDED_PARTS,
    WEIGHTS_FILE,
    Part,
    PartCard,
    Storage,
    flat_name,
    load_camera_codec,
    load_camera_flow,
    load_human_codec,
    load_human_flow,
    load_steps,
    part_file,
    phase_folder,
    read_card,
    save_part,
    shipped_folder,
    told_card,
)
from aesop.text.encoder import TextEncoder
from aesop.text.encoders import text_encoder

ENVIRONMENT = "AESOP_WEIGHTS"
OFFLINE_ENCODER = "minilm"
# People may come from a newer training than the cameras: a codec and a flow of their own, in this
# folder beside the shipped parts, or in a folder of this name among those a user named.
PEOPLE = "people"
PEOPLE_PARTS: tuple[PartName, ...] = ("human-codec", "human-flow")
CHOOSER_FILE = "chooser.safetensors"


def weights_folder(chosen: Path | None = None) -> Path:
    """The folder a user named, in the call or in the environment, or the one in the package. A
    named folder is never replaced by another."""
    named = os.environ.get(ENVIRONMENT)
    if chosen is None and named:
        chosen = Path(named)
    if chosen is None:
        return _shipped_with_all_parts()
    if not chosen.is_dir():
        raise WeightsError(
            f"There is no folder {chosen} with weights.", f"Check --weights or {ENVIRONMENT}."
        )
    return chosen


def _shipped_with_all_parts() -> Path:
    folder = shipped_folder("base")
    missing = [flat_name(part) for part in NEEDED_PARTS if part_file(folder, part) is None]
    if missing:
        raise WeightsError(
            f"This AESOP came without its trained weights: {folder} has no {', '.join(missing)}.",
            f"Install it again, or name a folder with --weights or {ENVIRONMENT}.",
        )
    return folder


def people_folder(folder: Path) -> Path | None:
    """Where the people of a folder of weights come from, if not from its own human parts."""
    beside = shipped_folder(PEOPLE) if folder == shipped_folder("base") else folder / PEOPLE
    there = [part for part in PEOPLE_PARTS if part_file(beside, part) is not None]
    if there and len(there) < len(PEOPLE_PARTS):
        raise WeightsError(
            f"{beside} has a {there[0]} alone.", "People need a human codec and a human flow."
        )
    return beside if there else None


def shipped_chooser() -> Path | None:
    """The evaluator that chooses among takes of people, where it came with AESOP. It is never the
    one that measures."""
    path = shipped_folder("evaluators") / CHOOSER_FILE
    return path if path.is_file() else None


@dataclass(frozen=True, eq=False)
class Cast:
    """The parts that people are made by, and the few steps of their flow where it has any."""

    codec: Part[HumanCodec]
    flow: Part[FlowTransformer]
    steps: Part[FittedSteps] | None

    def sampling(self, preset: PresetName) -> Preset | FittedSteps:
        """How the flow is followed under a preset; `instant` was found to be there before."""
        if preset != "instant":
            return PRESETS[preset]
        assert self.steps is not None
        return self.steps.network

    def sampling_identity(self, preset: PresetName) -> str:
        """What tells one way of sampling from another: its settings, not its name."""
        if preset != "instant":
            return repr(PRESETS[preset])
        assert self.steps is not None
        return self.steps.card.identity

    def sampling_notes(self, preset: PresetName) -> list[str]:
        """What a person says of it, beside the flow and the preset's name."""
        if preset != "instant":
            return []
        assert self.steps is not None
        return [f"steps {self.steps.card.identity[:12]}"]


def usable_device(name: torch.device | str) -> torch.device:
    """The device of that name, if this machine can compute on it."""
    try:
        device = torch.device(name)
    except RuntimeError:
        raise WeightsError(f"There is no device {name!r}.", 'Use "cpu" or "cuda".') from None
    if device.type == "cuda" and not torch.cuda.is_available():
        built = f"for CUDA {torch.version.cuda}" if torch.version.cuda else "for CPUs only"
        raise WeightsError(
            f"torch finds no CUDA driver or no GPU on this machine (it was built {built}).",
            'Use device="cpu", or install a driver and a CUDA build of torch.',
        )
    return device


class Parts:
    """The trained parts of one folder on one device. Nothing is read before it is needed. Of a
    training run, the camera flow is that of its last phase, or of the `phase` that is named."""

    def __init__(
        self,
        folder: Path,
        device: torch.device | str = "cpu",
        encoder: TextEncoder | None = None,
        phase: PhaseName | None = None,
        chooser: Path | None = None,
    ) -> None:
        self.folder = folder
        self._chooser_path = chooser or shipped_chooser()
        self._camera_flow_path = None if phase is None else camera_phase_file(folder, phase)
        self.device = usable_device(device)
        self._given_encoder = encoder
        self._acts_read: dict[str, ActReading] = {}

    @cached_property
    def encoder(self) -> TextEncoder:
        """Words are read by the encoder that was given, or by the one that works offline; flows
        refuse any but the one they were trained with."""
        return self._given_encoder or text_encoder(OFFLINE_ENCODER)

    @cached_property
    def _act_reader(self) -> ActReader | None:
        path = shipped_folder("reader") / READER_FILE
        return load_act_reader(path, self.encoder) if path.is_file() else None

    def read_act(self, words: str) -> ActReading | None:
        """Which act words mean; None where the reader of acts knows another encoder. Words are read
        once."""
        if self._act_reader is None:
            return None
        if words not in self._acts_read:
            self._acts_read[words] = self._act_reader.read(words)
        return self._acts_read[words]

    @property
    def keeps_yaw(self) -> bool:
        """Whether the parts were trained on clips that keep their heading; they then film people
        as they stand, instead of turned to face one way."""
        return self.human_codec.card.yaw == "kept"

    @cached_property
    def human_codec(self) -> Part[HumanCodec]:
        return load_human_codec(self._path("human-codec"), self.device)

    @cached_property
    def camera_codec(self) -> Part[CameraCodec]:
        return load_camera_codec(self._path("camera-codec"), self.human_codec, self.device)

    @cached_property
    def human_flow(self) -> Part[FlowTransformer]:
        path = self._path("human-flow")
        return load_human_flow(path, self.human_codec, self.encoder, self.device)

    def cast(self, finish: PersonFinish) -> Cast:
        """By whom people are made. As in the paper they come from the camera's own training, whose
        latents the camera can read."""
        return self._cast if finish != "as-decoded" else self._own_cast

    @cached_property
    def _own_cast(self) -> Cast:
        steps = self._human_steps(self.folder, self.human_flow.card)
        return Cast(self.human_codec, self.human_flow, steps)

    @cached_property
    def _cast(self) -> Cast:
        folder = people_folder(self.folder)
        if folder is None:
            return self._own_cast
        codec_file, flow_file = (part_file(folder, part) for part in PEOPLE_PARTS)
        assert codec_file is not None and flow_file is not None
        codec = load_human_codec(codec_file, self.device)
        flow = load_human_flow(flow_file, codec, self.encoder, self.device)
        return Cast(codec, flow, self._human_steps(folder, flow.card))

    def _human_steps(self, folder: Path, flow: PartCard) -> Part[FittedSteps] | None:
        """The few steps in a folder that were fitted to this very human flow."""
        path = part_file(folder, "human-steps")
        if path is None or read_card(path).partners.get("human-flow") != flow.identity:
            return None
        return load_steps(path, flow, self.device)

    @cached_property
    def chooser(self) -> Evaluator | None:
        """Who chooses among takes of people: nobody where no such evaluator is there, or where it
        reads words with another encoder than these parts."""
        path = self._chooser_path
        if path is None or not reads_words_like(path, self.encoder):
            return None
        return load_evaluator(path, self.encoder, self.device)

    @cached_property
    def camera_flow(self) -> Part[FlowTransformer]:
        codecs = (self.human_codec, self.camera_codec)
        return load_camera_flow(self._camera_flow_file, codecs, self.encoder, self.device)

    @cached_property
    def camera_steps(self) -> Part[FittedSteps]:
        """The few steps that were fitted to this very camera flow."""
        return load_steps(self._path("camera-steps"), self.camera_flow.card, self.device)

    @cached_property
    def has_steps(self) -> bool:
        """Whether there are few steps for this very camera flow, and not for an earlier one."""
        path = part_file(self.folder, "camera-steps")
        if path is None:
            return False
        fitted = read_card(path).partners.get("camera-flow")
        return fitted == told_card(self._camera_flow_file).identity

    def sampling(self, preset: PresetName) -> Preset | FittedSteps:
        """How the camera flow is followed under a preset."""
        return self.camera_steps.network if preset == "instant" else PRESETS[preset]

    def sampling_notes(self, preset: PresetName) -> list[str]:
        """What a shot says of it, beside the flow and the preset's name."""
        return [f"steps {self.camera_steps.card.identity[:12]}"] if preset == "instant" else []

    @property
    def _camera_flow_file(self) -> Path:
        return self._camera_flow_path or self._path("camera-flow")

    def _path(self, part: PartName) -> Path:
        path = part_file(self.folder, part)
        if path is None:
            raise WeightsError(
                f"{self.folder} has no {part}.", "Name a folder with all parts of one training."
            )
        return path


def camera_phase_file(run: Path, phase: PhaseName) -> Path:
    """The weights that a phase of a training run left of the camera flow."""
    phases: list[PhaseName] = [it.name for it in PHASES.values() if it.trains == "camera-flow"]
    if phase not in phases:
        raise WeightsError(
            f"The phase {phase} trains no camera flow.", f"Choose one of: {', '.join(phases)}."
        )
    path = phase_folder(run, phase) / WEIGHTS_FILE
    if not path.is_file():
        there = [name for name in phases if (phase_folder(run, name) / WEIGHTS_FILE).is_file()]
        raise WeightsError(
            f"{run} has no finished phase {phase}.",
            f"Choose among: {', '.join(there)}." if there else "Name the folder of a training run.",
        )
    return path


def ship(parts: Parts, folder: Path, storage: Storage = "float16") -> list[Path]:
    """Write the four parts of a run, and few steps if there are any; they keep their identities,
    and so know each other."""
    folder.mkdir(parents=True, exist_ok=True)
    save_part(parts.human_codec, folder / flat_name("human-codec"), storage)
    save_part(parts.camera_codec, folder / flat_name("camera-codec"), storage)
    save_part(parts.human_flow, folder / flat_name("human-flow"), storage)
    save_part(parts.camera_flow, folder / flat_name("camera-flow"), storage)
    if parts.has_steps:
        save_part(parts.camera_steps, folder / flat_name("camera-steps"))
    steps = parts.cast("as-decoded").steps
    if steps is not None:
        save_part(steps, folder / flat_name("human-steps"))
    return sorted(folder.glob("*.safetensors"))
