"""Pair files: which shots became sources, and the few numbers from which their targets follow.

Targets themselves are not stored. They are made from a shot by a fixed rule
(`aesop.pairs.targets`), so ten thousand pairs are a small text file.
"""

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from aesop.data.disk import disk_errors
from aesop.data.manifest import read_json, write_json
from aesop.pairs.funnel import Funnel, GateCount, Stage
from aesop.pairs.recipe import DynamicsLimits, PairError, PairRecipe, recipe_from_facts

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
                Stage(
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
