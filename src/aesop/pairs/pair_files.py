"""Pair files: which shots became sources, the few numbers from which their targets follow, and
what training reads."""

import hashlib
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import torch
from jaxtyping import Float, Float32, Int64
from torch import Tensor

from aesop.camera_words.grammar import MINIMAL_CAPTIONS
from aesop.core.hashing import text_sha256
from aesop.data.manifest import read_json, write_json
from aesop.data.table import disk_errors
from aesop.pairs.gates import Funnel, FunnelStage, GateCount
from aesop.pairs.pair_recipe import (
    DynamicsLimits,
    EventRule,
    PairError,
    PairRecipe,
    recipe_from_facts,
)
from aesop.pairs.shot_arrays import Film, cameras_of, features_of_way
from aesop.pairs.transforms import OPPOSITE, Events, find_axis, reflected, scaled_ways

log = logging.getLogger(__name__)

PairKind = Literal["direction", "active", "null"]
PAIR_KINDS: tuple[PairKind, ...] = get_args(PairKind)


@dataclass(frozen=True, eq=False)
class Member:
    """One of the two rows of a pair: a camera target with the words and intensity that ask for it.

    Features are physical, not standardised.
    """

    camera: Float[Tensor, "frames 14"]
    captions: tuple[str, ...]
    intensity: float


@dataclass(frozen=True, eq=False)
class TrainingPair:
    """Two camera targets for one human window of the store.

    Direction pairs are (original, opposite), active intensity pairs (weaker, stronger), null pairs
    the same target with intensity one and another. Both members have equally many captions: the
    n-th of one belongs to the n-th of the other.
    """

    kind: PairKind
    name: str
    human_name: str
    first: Member
    second: Member
    weight: float = 1.0  # how often it is shown, against the others of its kind

    def __post_init__(self) -> None:
        assert len(self.first.captions) == len(self.second.captions) > 0, self.name
        assert len(self.first.camera) == len(self.second.camera), self.name


@dataclass(frozen=True, eq=False)
class PairSet:
    """Everything the continuations need beyond the store."""

    pairs: tuple[TrainingPair, ...]
    sha256: str  # of the file or files it was read from, for the run record

    @cached_property
    def rows_of(self) -> dict[PairKind, Int64[np.ndarray, " pairs"]]:
        """Places of each kind in `pairs`."""
        return {
            kind: np.array([i for i, pair in enumerate(self.pairs) if pair.kind == kind], np.int64)
            for kind in PAIR_KINDS
        }


FORMAT, VERSION = "aesop-pairs", 1
BuildKind = Literal["direction", "intensity"]
AGAIN = "Build the pairs again."

Item = TypeVar("Item")


@dataclass(frozen=True)
class DirectionSource:
    """A shot whose event, frames first … last, is shown in both directions."""

    shot: str
    human: str
    tag: int
    first: int
    last: int


@dataclass(frozen=True)
class ActiveSource:
    """A shot that is shown weaker and stronger, `weight` times as often as the average one."""

    shot: str
    human: str
    weaker: float
    stronger: float
    weight: float = 1.0


@dataclass(frozen=True)
class NullSource:
    """A shot that hardly travels and stays as it is whatever intensity is asked for."""

    shot: str
    human: str
    intensity: float


SourceT = TypeVar("SourceT", DirectionSource, ActiveSource, NullSource)


@dataclass(frozen=True)
class Origin:
    """What a pair file was made from. Without a codec, reconstructions were not checked."""

    recipe: PairRecipe
    dataset: str
    store_sha256: str
    codec: str | None
    pool: int


@dataclass(frozen=True)
class DirectionFile:
    """What `aesop pairs build direction` writes."""

    origin: Origin
    funnels: tuple[Funnel, ...]
    sources: tuple[DirectionSource, ...]


@dataclass(frozen=True)
class IntensityFile:
    """What `aesop pairs build intensity` writes; development sources train nothing."""

    origin: Origin
    dynamics: DynamicsLimits
    funnels: tuple[Funnel, ...]
    active: tuple[ActiveSource, ...]
    null: tuple[NullSource, ...]
    development_groups: tuple[str, ...]
    development_active: tuple[ActiveSource, ...]
    development_null: tuple[NullSource, ...]


@dataclass(frozen=True)
class PairPlan:
    """A folder of pair files; `intensity` is there once it has been built."""

    direction: DirectionFile
    intensity: IntensityFile | None
    sha256: str

    def of_shots(self, names: Iterable[str]) -> "PairPlan":
        """The pairs whose sources are among some shots: a split of a store trains on fewer."""
        known = set(names)
        direction = replace(self.direction, sources=_among(self.direction.sources, known))
        intensity = self.intensity
        if intensity is not None:
            active = _among(intensity.active, known)
            intensity = replace(intensity, active=active, null=_among(intensity.null, known))
        return PairPlan(direction, intensity, text_sha256(self.sha256, *sorted(known)))


def _among(sources: tuple[SourceT, ...], known: set[str]) -> tuple[SourceT, ...]:
    kept = tuple(source for source in sources if source.shot in known)
    if len(kept) < len(sources):
        log.info(
            "%d of %d pairs have sources that the split does not train on: left out",
            len(sources) - len(kept),
            len(sources),
        )
    return kept


def pair_path(folder: Path, kind: BuildKind) -> Path:
    return folder / f"{kind}.json"


def write_pair_file(folder: Path, content: DirectionFile | IntensityFile) -> None:
    """Write the file of one kind, whole or not at all."""
    kind: BuildKind = "direction" if isinstance(content, DirectionFile) else "intensity"
    head = {"format": FORMAT, "version": VERSION, "kind": kind}
    write_json(pair_path(folder, kind), {**head, **asdict(content)})


def read_plan(folder: Path) -> PairPlan:
    """Both files of a folder."""
    direction = read_direction(folder)
    path = pair_path(folder, "intensity")
    intensity = read_intensity(folder) if path.is_file() else None
    if intensity is not None and intensity.origin.store_sha256 != direction.origin.store_sha256:
        raise PairError(f"The two files in {folder} were made from different stores.", AGAIN)
    digest = hashlib.sha256()
    for kind in ("direction", "intensity"):
        file = pair_path(folder, kind)
        if file.is_file():
            with disk_errors(file):
                digest.update(file.read_bytes())
    return PairPlan(direction, intensity, digest.hexdigest())


def read_direction(folder: Path) -> DirectionFile:
    def parse(value: dict[str, Any]) -> DirectionFile:
        sources = tuple(DirectionSource(**facts) for facts in value["sources"])
        return DirectionFile(_origin(value), _funnels(value), sources)

    return _read(folder, "direction", parse)


def read_intensity(folder: Path) -> IntensityFile:
    def parse(value: dict[str, Any]) -> IntensityFile:
        active, more_active = (
            tuple(ActiveSource(**facts) for facts in value[name])
            for name in ("active", "development_active")
        )
        null, more_null = (
            tuple(NullSource(**facts) for facts in value[name])
            for name in ("null", "development_null")
        )
        limits, groups = DynamicsLimits(**value["dynamics"]), tuple(value["development_groups"])
        return IntensityFile(
            _origin(value), limits, _funnels(value), active, null, groups, more_active, more_null
        )

    return _read(folder, "intensity", parse)


def _read(folder: Path, kind: BuildKind, parse: Callable[[dict[str, Any]], Item]) -> Item:
    path = pair_path(folder, kind)
    if not path.is_file():
        raise PairError(
            f"{folder} holds no {kind} pairs.", f"Build them with `aesop pairs build {kind}`."
        )
    value = read_json(path)
    if not isinstance(value, dict) or value.get("format") != FORMAT or value.get("kind") != kind:
        raise PairError(f"{path} is not a file of {kind} pairs.", AGAIN)
    if value.get("version") != VERSION:
        raise PairError(
            f"{path} has version {value.get('version')!r}; this AESOP reads {VERSION}.", AGAIN
        )
    try:
        return parse(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise PairError(f"{path} lacks or garbles {error}.", AGAIN) from error


def _origin(value: dict[str, Any]) -> Origin:
    facts = value["origin"]
    return Origin(**{**facts, "recipe": recipe_from_facts(facts["recipe"])})


def _funnels(value: dict[str, Any]) -> tuple[Funnel, ...]:
    def count(facts: dict[str, Any]) -> GateCount:
        return GateCount(**{**facts, "examples": tuple(facts["examples"])})

    def stage(facts: dict[str, Any]) -> FunnelStage:
        return FunnelStage(**{**facts, "gates": tuple(map(count, facts["gates"]))})

    return tuple(
        Funnel(facts["name"], tuple(map(stage, facts["stages"]))) for facts in value["funnels"]
    )


@dataclass(frozen=True, eq=False)
class SourceShot:
    """What targets are made of: a shot's features, the person's path, the shot's words."""

    camera: Float32[np.ndarray, "frames 14"]
    root: Float[np.ndarray, "frames 3"]
    captions: tuple[str, ...]

    @property
    def film(self) -> Film:
        """The shot as a batch of one, with a person who is nothing but a root."""
        lengths = np.array([len(self.root)])
        cameras = cameras_of(self.camera[None], self.root[None, 0], lengths)
        return Film(lengths, self.root[None], np.zeros((1, len(self.root), 3, 0)), cameras)


def opposite_features(
    shot: SourceShot, source: DirectionSource, rule: EventRule
) -> Float32[np.ndarray, "frames 14"]:
    """Camera features of the opposite direction."""
    film = shot.film
    axis, level = find_axis(film, rule)
    tag, first, last = (np.array([value]) for value in (source.tag, source.first, source.last))
    events = Events(tag, axis, level, first, last)
    centre = reflected(film, film.cameras, events)[0]
    return features_of_way(shot.camera, shot.root, centre)


def scaled_features(
    shot: SourceShot, intensities: Sequence[float], taps: int
) -> list[Float32[np.ndarray, "frames 14"]]:
    """Camera features with more or less travel; at one, the shot's own."""
    ways = scaled_ways(shot.film.cameras.centre[0], intensities, taps)
    return [
        shot.camera.copy() if label == 1.0 else features_of_way(shot.camera, shot.root, way)
        for label, way in zip(intensities, ways, strict=True)
    ]


def direction_pair(shot: SourceShot, source: DirectionSource, rule: EventRule) -> TrainingPair:
    """(original, opposite), each with the shortest words for its direction."""
    captions = MINIMAL_CAPTIONS[source.tag], MINIMAL_CAPTIONS[OPPOSITE[source.tag]]
    cameras = shot.camera, opposite_features(shot, source, rule)
    members = ((cameras[at], (captions[at],), 1.0) for at in (0, 1))
    return _pair("direction", source, members)


def active_pair(shot: SourceShot, source: ActiveSource, taps: int) -> TrainingPair:
    """(weaker, stronger) with the shot's own words."""
    labels = source.weaker, source.stronger
    cameras = scaled_features(shot, labels, taps)
    members = ((cameras[at], shot.captions, labels[at]) for at in (0, 1))
    return _pair("active", source, members, source.weight)


def null_pair(shot: SourceShot, source: NullSource) -> TrainingPair:
    """The same target with intensity one and with another."""
    members = ((shot.camera, shot.captions, label) for label in (1.0, source.intensity))
    return _pair("null", source, members)


def _pair(
    kind: PairKind,
    source: DirectionSource | ActiveSource | NullSource,
    members: Iterable[tuple[np.ndarray, tuple[str, ...], float]],
    weight: float = 1.0,
) -> TrainingPair:
    first, second = (
        Member(torch.from_numpy(camera), captions, label) for camera, captions, label in members
    )
    return TrainingPair(kind, f"{kind} {source.shot}", source.human, first, second, weight)


def training_pairs(plan: PairPlan, shot_of: Callable[[str], SourceShot]) -> PairSet:
    """All pairs of a plan; `shot_of` looks up a shot by its id."""
    rule = plan.direction.origin.recipe.event
    pairs = [
        direction_pair(shot_of(source.shot), source, rule) for source in plan.direction.sources
    ]
    if plan.intensity is not None:
        taps = plan.intensity.origin.recipe.smoothing_taps
        pairs += [active_pair(shot_of(of.shot), of, taps) for of in plan.intensity.active]
        pairs += [null_pair(shot_of(of.shot), of) for of in plan.intensity.null]
    return PairSet(tuple(pairs), plan.sha256)
