"""Where the trained parts lie: in the package as shipped, or in a folder of weights.

A folder is either flat, as shipped (`human_codec.safetensors` …), or that of a training run
(`human-codec/weights.safetensors` …), where the most trained of a part counts.
"""

from importlib.resources import files
from pathlib import Path
from typing import Literal

from aesop.models.weights import PartName

WEIGHTS_FILE = "weights.safetensors"  # of a phase, in the folder of its name
# Phases of a training run that leave a part, the most trained first.
_PHASES: dict[PartName, tuple[str, ...]] = {
    "human-codec": ("human-decoder", "human-codec"),
    "camera-codec": ("camera-decoder", "camera-codec"),
    "human-flow": ("human-flow",),
    "camera-flow": ("camera-flow-echo", "camera-flow-ipa", "camera-flow-dpa", "camera-flow"),
}


def shipped_folder(kind: Literal["base", "evaluators"]) -> Path:
    """Where the package keeps the weights that ship; they are package data like any other."""
    return Path(str(files("aesop").joinpath("weights", kind)))


def flat_name(part: PartName) -> str:
    """The name of a part's file in a shipped folder."""
    return f"{part.replace('-', '_')}.safetensors"


def run_file(run: Path, part: PartName) -> Path | None:
    """The file of a part in the folder of a training run, or None."""
    found = (run / phase / WEIGHTS_FILE for phase in _PHASES[part])
    return next((path for path in found if path.is_file()), None)


def part_file(folder: Path, part: PartName) -> Path | None:
    """The file of a part in a folder of either layout, or None."""
    flat = folder / flat_name(part)
    return flat if flat.is_file() else run_file(folder, part)
