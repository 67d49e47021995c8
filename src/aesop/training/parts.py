"""The folder of a run: one folder per phase, and in it the weights that later phases build on."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import torch

from aesop.errors import WeightsError
from aesop.models.codec import CameraCodec, HumanCodec
from aesop.models.places import WEIGHTS_FILE, run_file
from aesop.models.velocity import FlowTransformer, VelocityShape
from aesop.models.weights import (
    Part,
    load_camera_codec,
    load_camera_flow,
    load_human_codec,
    read_card,
)
from aesop.text.encoder import TextEncoder
from aesop.text.fingerprint import fingerprint
from aesop.training.halting import TrainingError
from aesop.training.loop import CHECKPOINT_FILE
from aesop.training.recipes import Phase, Recipe

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


class Frozen:
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
