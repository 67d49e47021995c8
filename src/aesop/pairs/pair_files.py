"""Pair files: which shots became sources, the few numbers from which their targets follow, and
what training reads."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import torch
from jaxtyping import Float, Float32, Int, Int64
from torch import Tensor

from aesop.camera_words.grammar import MINIMAL_CAPTIONS
from aesop.data.manifest import read_json, write_json
from aesop.data.table import disk_errors
from aesop.features.camera_features import centre_from_features
from aesop.pairs.events import OPPOSITE, Events, find_axis, reflected
from aesop.pairs.gates import Funnel, FunnelStage, GateCount
from aesop.pairs.pair_recipe import (
    DynamicsLimits,
    EventRule,
    PairError,
    PairRecipe,
    recipe_from_facts,
)
from aesop.pairs.scaling import scaled_ways
from aesop.pairs.shot_arrays import Film, cameras_of, features_of_way

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
            kind: np.array([i for i, it in enumerate(self.pairs) if it.kind == kind], np.int64)
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
    """Everything that `aesop pairs build direction` found."""

    origin: Origin
    funnels: tuple[Funnel, ...]
    sources: tuple[DirectionSource, ...]


@dataclass(frozen=True)
class IntensityFile:
    """Everything that `aesop pairs build intensity` found; development sources train nothing."""

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


def pair_path(folder: Path, kind: BuildKind) -> Path:
    return folder / f"{kind}.json"


def write_pair_file(folder: Path, found: DirectionFile | IntensityFile) -> None:
    """Write the file of one kind, whole or not at all."""
    kind: BuildKind = "direction" if isinstance(found, DirectionFile) else "intensity"
    head = {"format": FORMAT, "version": VERSION, "kind": kind}
    write_json(pair_path(folder, kind), {**head, **asdict(found)})


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
        sources = tuple(DirectionSource(**it) for it in value["sources"])
        return DirectionFile(_origin(value), _funnels(value), sources)

    return _read(folder, "direction", parse)


def read_intensity(folder: Path) -> IntensityFile:
    def active(values: list[dict[str, Any]]) -> tuple[ActiveSource, ...]:
        return tuple(ActiveSource(**it) for it in values)

    def null(values: list[dict[str, Any]]) -> tuple[NullSource, ...]:
        return tuple(NullSource(**it) for it in values)

    def parse(value: dict[str, Any]) -> IntensityFile:
        return IntensityFile(
            _origin(value),
            DynamicsLimits(**value["dynamics"]),
            _funnels(value),
            active(value["active"]),
            null(value["null"]),
            tuple(value["development_groups"]),
            active(value["development_active"]),
            null(value["development_null"]),
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
    return tuple(
        Funnel(
            funnel["name"],
            tuple(
                FunnelStage(
                    stage["name"],
                    stage["entered"],
                    stage["left"],
                    tuple(
                        GateCount(**{**gate, "examples": tuple(gate["examples"])})
                        for gate in stage["gates"]
                    ),
                )
                for stage in funnel["stages"]
            ),
        )
        for funnel in value["funnels"]
    )


@dataclass(frozen=True, eq=False)
class SourceShot:
    """What targets are made of: a shot's features, the person's path, the shot's words."""

    camera: Float32[np.ndarray, "frames 14"]
    root: Float[np.ndarray, "frames 3"]
    captions: tuple[str, ...]

    @property
    def centre(self) -> Float[np.ndarray, "frames 3"]:
        """The camera's way."""
        camera, first_root = torch.from_numpy(self.camera), torch.from_numpy(self.root[0])
        return centre_from_features(camera.double(), first_root).numpy()

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
    events = Events(_one(source.tag), axis, level, _one(source.first), _one(source.last))
    centre = reflected(film, film.cameras, events)[0]
    return features_of_way(shot.camera, shot.root, centre)


def scaled_features(
    shot: SourceShot, intensities: Sequence[float], taps: int
) -> list[Float32[np.ndarray, "frames 14"]]:
    """Camera features with more or less travel; at one, the shot's own."""
    ways = scaled_ways(shot.centre, intensities, taps)
    return [
        shot.camera.copy() if label == 1.0 else features_of_way(shot.camera, shot.root, way)
        for label, way in zip(intensities, ways, strict=True)
    ]


def direction_pair(shot: SourceShot, source: DirectionSource, rule: EventRule) -> TrainingPair:
    """(original, opposite), each with the shortest words for its direction."""
    words = MINIMAL_CAPTIONS[source.tag], MINIMAL_CAPTIONS[OPPOSITE[source.tag]]
    cameras = shot.camera, opposite_features(shot, source, rule)
    first, second = (
        Member(torch.from_numpy(camera), (caption,), 1.0)
        for camera, caption in zip(cameras, words, strict=True)
    )
    return TrainingPair("direction", f"direction {source.shot}", source.human, first, second)


def active_pair(shot: SourceShot, source: ActiveSource, taps: int) -> TrainingPair:
    """(weaker, stronger) with the shot's own words."""
    labels = source.weaker, source.stronger
    first, second = (
        Member(torch.from_numpy(camera), shot.captions, label)
        for camera, label in zip(scaled_features(shot, labels, taps), labels, strict=True)
    )
    name = f"active {source.shot}"
    return TrainingPair("active", name, source.human, first, second, source.weight)


def null_pair(shot: SourceShot, source: NullSource) -> TrainingPair:
    """The same target with intensity one and with another."""
    first, second = (
        Member(torch.from_numpy(shot.camera), shot.captions, label)
        for label in (1.0, source.intensity)
    )
    return TrainingPair("null", f"null {source.shot}", source.human, first, second)


def training_pairs(plan: PairPlan, shot_of: Callable[[str], SourceShot]) -> PairSet:
    """All pairs of a plan; `shot_of` looks up a shot by its id."""
    rule = plan.direction.origin.recipe.event
    pairs = [
        direction_pair(shot_of(source.shot), source, rule) for source in plan.direction.sources
    ]
    if plan.intensity is not None:
        taps = plan.intensity.origin.recipe.smoothing_taps
        pairs += [active_pair(shot_of(it.shot), it, taps) for it in plan.intensity.active]
        pairs += [null_pair(shot_of(it.shot), it) for it in plan.intensity.null]
    return PairSet(tuple(pairs), plan.sha256)


def _one(value: int) -> Int[np.ndarray, " 1"]:
    return np.array([value])
