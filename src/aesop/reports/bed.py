"""The test bed: motions that are not windows of Fables, and the sentences they are filmed with.

The list (`runs/bed.json`) names cuts of CMU takes and made-up motions. Everything is tuned on
the side of the validation performers; the side of the test performers is looked at once.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from aesop.data.fables.reading import movements_in
from aesop.data.fables.splits import SplitName, split_of
from aesop.data.fables.wandering import Leg, lie_and_wave, sit_and_stay, wander
from aesop.errors import FileError
from aesop.files.registry import read_motion
from aesop.scene.human import NATIVE_FPS, Clip, HumanMotion, Provenance, cut

Side = Literal["tune", "test"]
Asking = Literal["tags", "follow", "lead", "arc"]
SPLIT_OF_SIDE: Mapping[Side, SplitName] = {"tune": "validation", "test": "test"}
# Joints count as the same on two processors if they agree to this; sums in float64 differ by far
# less, so that hardly any number lies close enough to a boundary to be rounded otherwise.
HASHED_M = 1e-4
# Made-up motions have round numbers, many of them half-way between two: not with this shift.
_SHIFT = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Cut:
    """Frames first … stop−1 of a CMU take as our reader gives it."""

    take: str
    first: int
    stop: int


@dataclass(frozen=True)
class Sits:
    """Sits down and then does not move."""

    seconds: float
    sitting_down_seconds: float


@dataclass(frozen=True)
class Lies:
    """Lies on the back and moves an arm."""

    seconds: float
    seed: int


Source = Cut | Sits | Lies | tuple[Leg, ...]


@dataclass(frozen=True)
class BedMotion:
    """One motion of the bed."""

    name: str
    side: Side
    kind: str  # walk, run, turn, circle, sit, lie, jump; act: moves in place
    source: Source


@dataclass(frozen=True)
class BedSentence:
    """One sentence. What "tags" ask for is what the grammar reads in them."""

    name: str
    kind: Asking
    words: str

    @property
    def tags(self) -> tuple[int, ...]:
        """Movement classes that the words name, in order; none for follow and lead."""
        return tuple(movements_in(self.words))


@dataclass(frozen=True)
class Bed:
    """Every motion of a side is filmed with every sentence and seed."""

    motions: tuple[BedMotion, ...]
    sentences: tuple[BedSentence, ...]
    seeds: tuple[int, ...]

    def of(self, side: Side) -> tuple[BedMotion, ...]:
        return tuple(motion for motion in self.motions if motion.side == side)

    def sentence(self, name: str) -> BedSentence:
        return next(it for it in self.sentences if it.name == name)


def read_bed(path: Path) -> Bed:
    """The list, checked: known sides and kinds, names that occur once, takes of the side's
    performers."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        bed = Bed(
            motions=tuple(_motion(it) for it in said["motions"]),
            sentences=tuple(_sentence(it) for it in said["sentences"]),
            seeds=tuple(said["seeds"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise FileError(f"{path} is no list of a bed ({problem!r}).", "Mend the list.") from problem
    for fault in _faults(bed):
        raise FileError(f"{path.name}: {fault}.", "Mend the list.")
    return bed


def _motion(said: Mapping[str, Any]) -> BedMotion:
    if said["side"] not in get_args(Side):
        raise ValueError(f"{said['name']} is on no side")
    return BedMotion(said["name"], said["side"], said["kind"], _source(said))


def _sentence(said: Mapping[str, Any]) -> BedSentence:
    if said["kind"] not in get_args(Asking):
        raise ValueError(f"{said['name']} asks for {said['kind']!r}, which is not measured")
    return BedSentence(said["name"], said["kind"], said["words"])


def _source(said: Mapping[str, Any]) -> Source:
    if "take" in said:
        return Cut(said["take"], said["first"], said["stop"])
    if "sits" in said:
        sits = said["sits"]
        return Sits(float(sits["seconds"]), float(sits["sitting_down_seconds"]))
    if "lies" in said:
        return Lies(float(said["lies"]["seconds"]), said["lies"]["seed"])
    return tuple(Leg(*map(float, leg)) for leg in said["legs"])


def _faults(bed: Bed) -> list[str]:
    names = [it.name for it in (*bed.motions, *bed.sentences)]
    faults = [f"{name} occurs twice" for name in sorted(set(names)) if names.count(name) > 1]
    for it in bed.motions:
        if isinstance(it.source, Cut) and split_of(it.source.take) != SPLIT_OF_SIDE[it.side]:
            faults.append(f"take {it.source.take} of {it.name} belongs to another side")
    return faults


def bed_clip(motion: BedMotion, takes: Path) -> Clip:
    """The motion as a user would read it from a file; `takes` is the folder of CMU BVH files."""
    source = motion.source
    if isinstance(source, Cut):
        whole = read_motion(takes / f"{source.take}.bvh")
        part = cut(whole, source.first, source.stop)
        return Clip(part.motion, part.fps, motion.name, part.provenance)
    return Clip(_made(source), NATIVE_FPS, motion.name, Provenance("made by AESOP's own code"))


def _made(source: Sits | Lies | tuple[Leg, ...]) -> HumanMotion:
    match source:
        case Sits(seconds, sitting_down_seconds):
            frames = [round(it * NATIVE_FPS) for it in (seconds, sitting_down_seconds)]
            return sit_and_stay(*frames)
        case Lies(seconds, seed):
            return lie_and_wave(round(seconds * NATIVE_FPS), seed)
        case _:
            return wander(source)


def clip_hash(clip: Clip) -> str:
    """Of where all joints are in all frames, to a tenth of a millimetre."""
    places = np.floor(clip.motion.joints.double().numpy() / HASHED_M + _SHIFT).astype("<i4")
    return hashlib.sha256(str(places.shape).encode() + places.tobytes()).hexdigest()


def bed_hash(bed: Bed, clips: Sequence[Clip]) -> str:
    """Of motions, sentences and seeds: numbers of equal hash were measured on the same bed."""
    said = [[clip.name, clip_hash(clip)] for clip in clips]
    said += [[it.name, it.kind, it.words] for it in bed.sentences]
    return hashlib.sha256(json.dumps([said, bed.seeds]).encode()).hexdigest()
