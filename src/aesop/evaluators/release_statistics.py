"""By what published evaluators standardise their input, read from where their releases keep it:
YAML files of numbers beside CLaTr, tensors in `mean.pt` and `std.pt` beside TMR."""

import re
from collections.abc import Sequence
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import WeightsError
from aesop.evaluators.checkpoint_tensors import read_checkpoint
from aesop.evaluators.evaluator import ET_STATISTICS, CentreStatistics

TENSORS = ("mean.pt", "std.pt")
# Where TMR's release keeps them, seen from the folder of the run or above it.
_TMR_STATS = ("", "stats", "stats/humanml3d/guoh3dfeats")
_LOOKED_ABOVE = 3
# E.T. and CLaTr say norm and shift, PulpMotion velocity and distance.
_NAMES = {
    "step_mean": ("norm_mean", "velocity_mean"),
    "step_spread": ("norm_std", "velocity_std"),
    "start_mean": ("shift_mean", "distance_mean"),
    "start_spread": ("shift_std", "distance_std"),
}
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_FLOW = re.compile(r"^\s*([A-Za-z_]\w*)\s*:\s*\[([^\]]*)\]", re.MULTILINE)
_BLOCK = re.compile(
    rf"^[ \t]*([A-Za-z_]\w*)[ \t]*:[ \t]*\n((?:[ \t]*-[ \t]+{_NUMBER}[ \t]*(?:\n|\Z))+)",
    re.MULTILINE,
)


def number_lists(text: str) -> dict[str, list[float]]:
    """The lists of numbers of a YAML file by name, in either way of writing them. Nothing else of
    it is read: there are no tags, references or objects to resolve."""
    found = {name: _numbers(inner) for name, inner in _FLOW.findall(text)}
    found |= {
        name: _numbers(re.sub(r"^[ \t]*-", " ", inner, flags=re.MULTILINE))
        for name, inner in _BLOCK.findall(text)
    }
    return {name: numbers for name, numbers in found.items() if numbers}


def _numbers(text: str) -> list[float]:
    parts = [part for part in re.split(r"[,\s]+", text) if part]
    is_list = all(re.fullmatch(_NUMBER, part) for part in parts)
    return [float(part) for part in parts] if is_list else []


def clatr_statistics(checkpoint: Path, given: Path | None) -> CentreStatistics:
    """From the file or folder that was given; else from YAML files beside the checkpoint; else
    E.T.'s, which are named."""
    beside = checkpoint if checkpoint.is_dir() else checkpoint.parent
    files = _yaml_files(given or beside, is_deep=given is not None)
    lists = {name: it for file in files for name, it in _read(file).items()}
    found = {
        ours: next((lists[name] for name in names if name in lists), None)
        for ours, names in _NAMES.items()
    }
    if given is None and not any(found.values()):
        return ET_STATISTICS
    missing = [" or ".join(_NAMES[ours]) for ours, it in found.items() if it is None]
    wrong = [ours for ours, it in found.items() if it is not None and len(it) != 3]
    if missing or wrong:
        what = f"no {missing[0]}" if missing else f"a {wrong[0]} that is not three numbers"
        raise WeightsError(
            f"{given or beside} has {what}, which CLaTr's input is standardised by.",
            "Name the YAML file, or the folder of both, with --clatr-statistics.",
        )
    three = {ours: (it[0], it[1], it[2]) for ours, it in found.items() if it is not None}
    return CentreStatistics(**three, source=f"those of {_named(files)}")


def tmr_statistics(
    checkpoint: Path, given: Path | None, width: int
) -> tuple[Float[Tensor, " features"], Float[Tensor, " features"], str]:
    """Mean, spread and where they were found: in the folder that was given, or where TMR's release
    keeps them, beside the checkpoint or above it."""
    start = checkpoint if checkpoint.is_dir() else checkpoint.parent
    above = [start, *start.resolve().parents[:_LOOKED_ABOVE]]
    places = [given] if given else [place / inner for place in above for inner in _TMR_STATS]
    folder = next((it for it in places if all((it / name).is_file() for name in TENSORS)), None)
    if folder is None:
        raise WeightsError(
            f"{given or start} has no {' and '.join(TENSORS)}, which TMR's input is standardised "
            "by.",
            "Name their folder with --tmr-statistics.",
        )
    mean, spread = (_tensor(folder / name, width) for name in TENSORS)
    return mean, spread, f"those of {folder.name}/{TENSORS[0]} and {TENSORS[1]}"


def _tensor(path: Path, width: int) -> Float[Tensor, " features"]:
    tensor = read_checkpoint(path)
    if not isinstance(tensor, Tensor) or tensor.shape != (width,):
        raise WeightsError(f"{path} is no tensor of {width} numbers.", "Check the file.")
    return tensor.to(torch.float32)


def _yaml_files(place: Path, *, is_deep: bool) -> list[Path]:
    if place.is_file():
        return [place]
    if is_deep and not place.is_dir():
        raise WeightsError(f"There are no statistics at {place}.", "Check --clatr-statistics.")
    pattern = "**/*.yaml" if is_deep else "*.yaml"
    return sorted(place.glob(pattern))


def _read(path: Path) -> dict[str, list[float]]:
    try:
        return number_lists(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise WeightsError(f"{path} cannot be read ({error}).", "Check the file.") from error


def _named(files: Sequence[Path]) -> str:
    return ", ".join(file.name for file in files)
