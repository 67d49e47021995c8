"""Where evaluators lie: a folder with `clatr.safetensors` and `tmr.safetensors`."""

from dataclasses import dataclass
from pathlib import Path

from aesop.errors import WeightsError
from aesop.evaluators.evaluator import Evaluator
from aesop.evaluators.inputs import Kind
from aesop.evaluators.weights import load_evaluator
from aesop.models.places import shipped_folder
from aesop.text.encoder import TextEncoder

KINDS: tuple[Kind, ...] = ("clatr", "tmr")
FOLDER = "evaluators"  # of a training run


@dataclass(frozen=True, eq=False)
class Evaluators:
    """The two judges that belong together."""

    cameras: Evaluator
    people: Evaluator


def evaluator_file(folder: Path, kind: Kind) -> Path:
    """The file of an evaluator in a folder."""
    return folder / f"{kind}.safetensors"


def evaluators_folder(chosen: Path | None = None) -> Path:
    """The folder a user named, or the one in the package."""
    if chosen is not None:
        return chosen
    folder = shipped_folder("evaluators")
    missing = [path.name for kind in KINDS if not (path := evaluator_file(folder, kind)).is_file()]
    if missing:
        raise WeightsError(
            f"This AESOP came without its evaluators: {folder} has no {', '.join(missing)}.",
            "Install it again, or name a folder with --evaluators.",
        )
    return folder


def load_evaluators(folder: Path, encoder: TextEncoder, device: str = "cpu") -> Evaluators:
    """Both evaluators of a folder."""
    cameras, people = (
        load_evaluator(evaluator_file(folder, kind), encoder, device) for kind in KINDS
    )
    if (cameras.kind, people.kind) != KINDS:
        raise WeightsError(
            f"The evaluators in {folder} carry each other's names.", "Exchange the two files."
        )
    return Evaluators(cameras, people)
