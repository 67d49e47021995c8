"""Where evaluators lie: a folder with `clatr.safetensors` and `tmr.safetensors`."""

from dataclasses import dataclass
from pathlib import Path

from aesop.errors import WeightsError
from aesop.evaluators.evaluator import Evaluator
from aesop.evaluators.inputs import Kind
from aesop.evaluators.weights import load_evaluator
from aesop.text.encoder import TextEncoder

FOLDER = "evaluators"


@dataclass(frozen=True, eq=False)
class Evaluators:
    """The two judges that belong together."""

    cameras: Evaluator
    people: Evaluator


def evaluator_file(folder: Path, kind: Kind) -> Path:
    """The file of an evaluator in a folder."""
    return folder / f"{kind}.safetensors"


def evaluators_folder(chosen: Path | None = None) -> Path:
    """The folder a user named, or the one that came with AESOP."""
    if chosen is not None:
        return chosen
    package = Path(__file__).resolve().parents[1]
    for home in (package / "weights", package.parents[1] / "weights"):
        if evaluator_file(home / FOLDER, "clatr").is_file():
            return home / FOLDER
    raise WeightsError(
        "No evaluators came with this AESOP.",
        "Name their folder with --evaluators, or train them: aesop train clatr, aesop train tmr.",
    )


def load_evaluators(folder: Path, encoder: TextEncoder, device: str = "cpu") -> Evaluators:
    """Both evaluators of a folder."""
    cameras, people = (
        load_evaluator(evaluator_file(folder, kind), encoder, device) for kind in ("clatr", "tmr")
    )
    if (cameras.kind, people.kind) != ("clatr", "tmr"):
        raise WeightsError(
            f"The evaluators in {folder} carry each other's names.", "Exchange the two files."
        )
    return Evaluators(cameras, people)
