"""The test bed: motions that are not windows of Fables, sentences, and what is kept of each
film."""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import torch
from jaxtyping import Bool, Float64

from aesop.camera_words.caption_reader import movements_in
from aesop.core.errors import FileError
from aesop.core.hashing import text_sha256
from aesop.core.whole_files import PieceLines
from aesop.director.long_motion import windows_of
from aesop.director.requests import GUIDANCE
from aesop.fables.synthetic import Leg, lie_and_wave, sit_and_stay, wander
from aesop.fables.takes import SplitName, split_of
from aesop.files.motion_files import read_motion
from aesop.flow.solvers import PresetName
from aesop.measuring.runs import restored
from aesop.metrics.framing_metrics import (
    Holding,
    crown_share,
    holding_of,
    seen_joints,
    turn_speeds_dps,
)
from aesop.metrics.motion_metrics import film_facts
from aesop.metrics.movement_metrics import Company, company_of, makes_arc, makes_tags
from aesop.scene.camera import out_of_frame
from aesop.scene.human import MAX_FRAMES, NATIVE_FPS, Clip, HumanMotion, Provenance, cut
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINT

Key = tuple[str, str, int]
# Whole degrees a second, or tenths of a metre a second squared, and how many transitions.
TurnCounts = tuple[tuple[int, int], ...]
Side = Literal["tune", "test"]
Asking = Literal["tags", "follow", "lead", "arc"]
SPLIT_OF_SIDE: Mapping[Side, SplitName] = {"tune": "validation", "test": "test"}
# Joints count as the same on two processors if they agree to this; sums in float64 differ by far
# less, so that hardly any number lies close enough to a boundary to be rounded otherwise.
HASHED_M = 1e-4
# Made-up motions have round numbers, many of them half-way between two: not with this shift.
_SHIFT = (5**0.5 - 1) / 2
PUSH_UNITS = 10  # of a metre a second squared
AFTER_SEAM_FRAMES = 25  # a camera that turns away does so within a second of the old window's end
_DIGITS = 4
_WEIGHTS_NOTE = "weights "  # the head of the file names them once
_TAKE_NOTE = re.compile(r"seed \d+, take (?P<take>\d+)")


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
        return next(sentence for sentence in self.sentences if sentence.name == name)


def read_bed(path: Path) -> Bed:
    """The list, checked: known sides and kinds, names that occur once, takes of the side's
    performers."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        bed = Bed(
            motions=tuple(map(_motion, fields["motions"])),
            sentences=tuple(map(_sentence, fields["sentences"])),
            seeds=tuple(fields["seeds"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise FileError(f"{path} is no list of a bed ({problem!r}).", "Mend the list.") from problem
    for fault in _faults(bed):
        raise FileError(f"{path.name}: {fault}.", "Mend the list.")
    return bed


def _motion(fields: dict[str, Any]) -> BedMotion:
    if fields["side"] not in get_args(Side):
        raise ValueError(f"{fields['name']} is on no side")
    return BedMotion(fields["name"], fields["side"], fields["kind"], _source(fields))


def _sentence(fields: dict[str, Any]) -> BedSentence:
    if fields["kind"] not in get_args(Asking):
        raise ValueError(f"{fields['name']} asks for {fields['kind']!r}, which is not measured")
    return BedSentence(**fields)


def _source(source: dict[str, Any]) -> Source:
    match source:
        case {"take": take, "first": first, "stop": stop}:
            return Cut(take, first, stop)
        case {"sits": {"seconds": seconds, "sitting_down_seconds": sitting_down}}:
            return Sits(float(seconds), float(sitting_down))
        case {"lies": {"seconds": seconds, "seed": seed}}:
            return Lies(float(seconds), seed)
        case _:
            return tuple(Leg(*map(float, leg)) for leg in source["legs"])


def _faults(bed: Bed) -> Iterator[str]:
    names = [it.name for it in (*bed.motions, *bed.sentences)]
    yield from (f"{name} occurs twice" for name in sorted(set(names)) if names.count(name) > 1)
    for motion in bed.motions:
        source = motion.source
        if isinstance(source, Cut) and split_of(source.take) != SPLIT_OF_SIDE[motion.side]:
            yield f"take {source.take} of {motion.name} belongs to another side"


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
            return sit_and_stay(
                round(seconds * NATIVE_FPS), round(sitting_down_seconds * NATIVE_FPS)
            )
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
    content = [[clip.name, clip_hash(clip)] for clip in clips]
    content += [[sentence.name, sentence.kind, sentence.words] for sentence in bed.sentences]
    return text_sha256(json.dumps([content, bed.seeds]))


@dataclass(frozen=True)
class LongFacts:
    """A film of several windows: in the first 300 frames and after them, at seams and elsewhere."""

    first_empty: float
    later_empty: float
    first_head: float
    later_head: float
    seam_turns: TurnCounts
    inside_turns: TurnCounts
    seam_pushes: TurnCounts = ()  # changes of the velocity; older files lack them
    inside_pushes: TurnCounts = ()


@dataclass(frozen=True)
class BedFilm:
    """One film. `is_right` is None where the words cannot be obeyed: nobody goes anywhere."""

    motion: str
    kind: str
    sentence: str
    seed: int
    frames: int
    holding: Holding
    made: tuple[tuple[str, float], ...]  # movement classes and their shares of the time
    is_right: bool | None
    travel_share: float | None  # of the person's way; follow and lead only
    along_share: float | None
    distance_m: float  # mean, camera to root
    lens_range_deg: float  # of the vertical field of view
    long: LongFacts | None
    notes: tuple[str, ...]  # what the director says it did
    take: int = 0
    crown_share: float | None = None  # frames with the top of the head in them; None: not counted

    @property
    def key(self) -> Key:
        return self.motion, self.sentence, self.seed


@dataclass(frozen=True)
class FilmsHead:
    """What all films of a file have in common; a file is only continued by an equal head."""

    side: Side
    finish: str
    bed_sha256: str
    weights: str
    code_sha256: str  # of what films: `methods.filming_code`
    guidance: float = GUIDANCE
    preset: PresetName = "fast"  # which all were filmed with before this was told


def bed_film(motion: BedMotion, sentence: BedSentence, seed: int, shot: Shot) -> BedFilm:
    """Measure one film."""
    camera, person = shot.camera, shot.clip.motion
    goes_with = sentence.kind in ("follow", "lead")
    company = company_of(camera, person, shot.fps) if goes_with else None
    apart = torch.linalg.vector_norm(camera.centre.double() - person.root.double(), dim=-1)
    fov = torch.rad2deg(camera.fov_vertical.double())
    return BedFilm(
        motion=motion.name,
        kind=motion.kind,
        sentence=sentence.name,
        seed=seed,
        frames=shot.frames,
        holding=holding_of(camera, person, shot.fps),
        made=film_facts(shot).tag_shares,
        is_right=_is_right(sentence, shot, company),
        travel_share=company.travel_share if company else None,
        along_share=company.along_share if company else None,
        distance_m=float(apart.mean()),
        lens_range_deg=float(fov.max() - fov.min()),
        long=_long_facts(shot) if shot.frames > MAX_FRAMES else None,
        notes=tuple(note for note in shot.provenance.notes if not note.startswith(_WEIGHTS_NOTE)),
        take=_take_of(shot.provenance.notes),
        crown_share=crown_share(camera, person),
    )


def _take_of(notes: Sequence[str]) -> int:
    """The number of the take that was kept; 0 for a camera that has no takes."""
    takes = [match["take"] for note in notes if (match := _TAKE_NOTE.fullmatch(note))]
    return int(takes[0]) if takes else 0


def _is_right(sentence: BedSentence, shot: Shot, company: Company | None) -> bool | None:
    match sentence.kind:
        case "tags":
            return makes_tags(shot.camera, shot.fps, sentence.tags)
        case "arc":
            return makes_arc(shot.camera, shot.clip.motion, shot.fps, sentence.tags[0])
        case "follow":
            return None if company is None else company.follows
        case "lead":
            return None if company is None else company.leads


def _long_facts(shot: Shot) -> LongFacts:
    projection = seen_joints(shot.camera, shot.clip.motion)
    is_empty = out_of_frame(projection).double()
    has_head = projection.visible[:, JOINT["head"]].double()
    speeds = turn_speeds_dps(shot.camera, shot.fps).numpy()
    at_seam = seam_transitions(shot.frames)
    velocity = shot.camera.centre.double().diff(dim=0) * shot.fps
    pushes = torch.linalg.vector_norm(velocity.diff(dim=0), dim=-1).numpy() * shot.fps
    return LongFacts(
        first_empty=float(is_empty[:MAX_FRAMES].mean()),
        later_empty=float(is_empty[MAX_FRAMES:].mean()),
        first_head=float(has_head[:MAX_FRAMES].mean()),
        later_head=float(has_head[MAX_FRAMES:].mean()),
        seam_turns=_counts(speeds[at_seam]),
        inside_turns=_counts(speeds[~at_seam]),
        seam_pushes=_counts(PUSH_UNITS * pushes[at_seam[1:]]),
        inside_pushes=_counts(PUSH_UNITS * pushes[~at_seam[1:]]),
    )


def seam_transitions(frames: int) -> Bool[np.ndarray, " transitions"]:
    """Where two windows overlap, and the second after that."""
    at_seam = np.zeros(frames - 1, dtype=bool)
    for before, after in pairwise(windows_of(frames)):
        at_seam[after.start : before.stop + AFTER_SEAM_FRAMES] = True
    return at_seam


def _counts(values: Float64[np.ndarray, " some"]) -> TurnCounts:
    whole, counts = np.unique(np.floor(values).astype(int), return_counts=True)
    return tuple(zip(whole.tolist(), counts.tolist(), strict=True))


def start_films(path: Path, head: FilmsHead) -> dict[Key, BedFilm]:
    """Begin a file, or read what an equal run has already filmed."""
    films = [restored(BedFilm, film) for film in PieceLines(path).start(asdict(head))]
    return {film.key: film for film in films}


def append_films(path: Path, films: Iterable[BedFilm]) -> None:
    """One line each."""
    PieceLines(path).add(_rounded(asdict(film)) for film in films)


def read_films(path: Path) -> tuple[FilmsHead, list[BedFilm]]:
    """Head and films of a file. A last line that was cut off by an interruption is left out."""
    lines = PieceLines(path).read()
    try:
        films = [restored(BedFilm, line) for line in lines[1:]]
        return restored(FilmsHead, lines[0]), films
    except (KeyError, TypeError, IndexError, AttributeError) as problem:
        raise FileError(f"{path} holds no films ({problem!r}).", "Film again.") from problem


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _rounded(it) for key, it in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(it) for it in value]
    if isinstance(value, float):
        return round(value, _DIGITS) if math.isfinite(value) else None
    return value
