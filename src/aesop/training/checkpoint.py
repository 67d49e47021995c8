"""The state of an unfinished run in one safetensors file, written whole or not at all."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from jaxtyping import Shaped
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from aesop.errors import WeightsError
from aesop.files.atomic import atomic_path

FORMAT = "aesop-checkpoint"
VERSION = 1


@dataclass(frozen=True)
class Milestone:
    """The best validation so far."""

    step: int
    loss: float


@dataclass(frozen=True)
class Progress:
    """Where a run stands: `step` updates are done."""

    step: int
    recipe_sha256: str
    data_sha256: str
    best: Milestone | None


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Everything that the next update depends on; all else is a function of recipe and step."""

    progress: Progress
    tensors: dict[str, Shaped[Tensor, "..."]]


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Replace the file at `path`; a kill at any moment leaves the old or the new one."""
    metadata = {
        "format": FORMAT,
        "version": str(VERSION),
        "progress": json.dumps(asdict(checkpoint.progress), sort_keys=True),
    }
    tensors = {
        name: tensor.detach().cpu().contiguous() for name, tensor in checkpoint.tensors.items()
    }
    with atomic_path(path) as temporary:
        temporary.write_bytes(save(tensors, metadata))


def read_checkpoint(path: Path, device: torch.device) -> Checkpoint:
    """Read what `write_checkpoint` wrote."""
    try:
        with safe_open(path, "pt", str(device)) as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT or metadata.get("version") != str(VERSION):
                raise WeightsError(
                    f"{path} is not a checkpoint of this version of AESOP.",
                    "Start the run again without --resume.",
                )
            progress = _progress(metadata["progress"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError, KeyError, ValueError, TypeError) as error:
        raise WeightsError(
            f"{path} cannot be read as a checkpoint: {error}.",
            "Start the run again without --resume.",
        ) from error
    return Checkpoint(progress, tensors)


def _progress(text: str) -> Progress:
    value = json.loads(text)
    best = value["best"]
    return Progress(
        step=int(value["step"]),
        recipe_sha256=str(value["recipe_sha256"]),
        data_sha256=str(value["data_sha256"]),
        best=None if best is None else Milestone(int(best["step"]), float(best["loss"])),
    )
