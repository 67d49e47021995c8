"""Generation over a split, kept on disk in pieces: what was made once is never made again.

A piece appears under its name when it is complete or not at all, so an interrupted run goes on
where it stopped. Shots are always read back from the pieces: a run that found them and a run that
made them measure the same bits.
"""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from aesop.director.answers import IMPOSSIBLE
from aesop.features.human import human_from_features, human_to_features
from aesop.files.atomic import atomic_path
from aesop.metrics.refusal import MetricError
from aesop.reports.cases import Case, Cases
from aesop.reports.filmers import Ask, Filmer
from aesop.reports.impossible import is_impossible
from aesop.scene.camera import CameraPath
from aesop.scene.human import HumanMotion
from aesop.scene.shot import Shot
from aesop.text.fingerprint import fingerprint

Progress = Callable[[int, int], None]
PIECE = 128  # cases: what an interruption can cost
_VERSION = 1


def default_cache_folder() -> Path:
    """`AESOP_CACHE` if set, else the user's cache folder."""
    chosen, base = os.environ.get("AESOP_CACHE"), os.environ.get("XDG_CACHE_HOME")
    if chosen:
        return Path(chosen) / "generated"
    return (Path(base) if base else Path.home() / ".cache") / "aesop" / "generated"


def generate(
    filmer: Filmer, cases: Cases, ask: Ask, cache: Path, progress: Progress | None = None
) -> list[Shot]:
    """The answers to all cases in their order."""
    folder = cache / _key(filmer, cases, ask)
    shots: list[Shot] = []
    for start in range(0, len(cases.cases), PIECE):
        shots += _read(*_made(filmer, cases, ask, folder, start), ask)
        if progress is not None:
            progress(len(shots), len(cases.cases))
    return shots


def generate_part(
    filmer: Filmer, cases: Cases, ask: Ask, cache: Path, part: int, parts: int
) -> None:
    """Every `parts`-th piece of what `generate` then finds: for processes that share the work."""
    folder = cache / _key(filmer, cases, ask)
    for start in range(part * PIECE, len(cases.cases), parts * PIECE):
        _made(filmer, cases, ask, folder, start)


def _made(
    filmer: Filmer, cases: Cases, ask: Ask, folder: Path, start: int
) -> tuple[Path, Sequence[Case]]:
    """The piece that begins with this case, and its cases."""
    some = cases.cases[start : start + PIECE]
    path = folder / f"{start:06d}.safetensors"
    if not path.exists():
        _write(path, some, filmer.answer(some, ask), has_people=ask.task != "film")
    return path, some


def _key(filmer: Filmer, cases: Cases, ask: Ask) -> str:
    said = {
        "filmer": filmer.identity(ask.task),
        "cases": cases.sha256,
        "version": _VERSION,
        **asdict(ask),
    }
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:32]


def _write(path: Path, cases: Sequence[Case], shots: Sequence[Shot], *, has_people: bool) -> None:
    if len(shots) != len(cases):
        raise MetricError(
            f"{len(cases)} cases were asked for, {len(shots)} shots came back.",
            "The method must answer every case.",
        )
    for case, shot in zip(cases, shots, strict=True):
        if shot.frames != case.reference.frames:
            raise MetricError(
                f"The answer to {case.reference.clip.name} has {shot.frames} frames, not "
                f"{case.reference.frames}.",
                "The method must answer with as many frames as the reference has.",
            )
    cameras = [shot.camera for shot in shots]
    tensors: dict[str, Tensor] = {
        "turns": torch.cat([it.world_from_camera for it in cameras]),
        "centres": torch.cat([it.centre for it in cameras]),
        "fovs": torch.cat([it.fov_vertical for it in cameras]),
        "aspects": torch.tensor([it.aspect for it in cameras]),
        "impossible": torch.tensor([is_impossible(it) for it in shots]),
    }
    if has_people:
        tensors |= _people(shots)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_bytes(save({key: it.float().contiguous() for key, it in tensors.items()}))


def _people(shots: Sequence[Shot]) -> dict[str, Tensor]:
    """Every different person once, and who is in which shot: shots of a window often share one."""
    numbers: dict[str, int] = {}
    tensors: dict[str, Tensor] = {}
    cast: list[int] = []
    for shot in shots:
        motion = shot.clip.motion
        seen = fingerprint({"joints": motion.joints, "rotations": motion.rotations})
        if seen not in numbers:
            numbers[seen] = len(numbers)
            tensors[f"person/{numbers[seen]}"] = human_to_features(motion)
            tensors[f"place/{numbers[seen]}"] = motion.root[0]
        cast.append(numbers[seen])
    return {**tensors, "cast": torch.tensor(cast)}


def _read(path: Path, cases: Sequence[Case], ask: Ask) -> list[Shot]:
    try:
        kept = load(path.read_bytes())
    except (SafetensorError, OSError) as error:
        raise MetricError(
            f"{path} is damaged ({error}).", "Delete it; it is made again."
        ) from error
    edges = torch.tensor([0, *(case.reference.frames for case in cases)]).cumsum(0).tolist()
    people = _motions(kept, cases)
    marks = kept["impossible"].bool().tolist() if "impossible" in kept else [False] * len(cases)
    shots: list[Shot] = []
    for number, case in enumerate(cases):
        span = slice(edges[number], edges[number + 1])
        camera = CameraPath(
            kept["turns"][span],
            kept["centres"][span],
            kept["fovs"][span],
            float(kept["aspects"][number]),
        )
        clip = replace(case.reference.clip, motion=people[number])
        origin = case.reference.provenance
        if marks[number]:
            origin = replace(origin, notes=(*origin.notes, IMPOSSIBLE))
        words = case.reversed_words if ask.is_reversed else case.camera_words
        shots.append(
            replace(
                case.reference,
                clip=clip,
                camera=camera,
                provenance=origin,
                camera_words=words,
                intensity=ask.intensity,
            )
        )
    return shots


def _motions(kept: dict[str, Tensor], cases: Sequence[Case]) -> list[HumanMotion]:
    """The people that were made, or the references' where cameras alone were."""
    if "cast" not in kept:
        return [case.reference.clip.motion for case in cases]
    cast = kept["cast"].int().tolist()
    made = [_motion(kept, person) for person in range(max(cast) + 1)]
    return [made[person] for person in cast]


def _motion(kept: dict[str, Tensor], person: int) -> HumanMotion:
    motion = human_from_features(kept[f"person/{person}"].double())
    # Features start above the origin; the answer may stand elsewhere.
    offset = kept[f"place/{person}"].double() - motion.root[0]
    return HumanMotion(motion.rotations.float(), (motion.joints + offset).float())
