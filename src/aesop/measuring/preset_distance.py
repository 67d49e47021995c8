"""Does a faster way of sampling give the same distribution? Two presets on shared noise."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Float32, Float64

from aesop.core.machine import Code, Machine
from aesop.measuring.cases import Bench, impossible_answers
from aesop.measuring.methods import Ask, Method, generate
from aesop.measuring.runs import MethodEntry, ProgressBar, Setting, origin_of_result, setting_of
from aesop.metrics.bootstrap import (
    FRECHET_RESAMPLES,
    Clusters,
    Interval,
    bootstrap,
    each_apart,
    mean_interval,
    one_by_one,
)
from aesop.metrics.embedding_metrics import frechet_distance
from aesop.metrics.framing_metrics import Moments, framing_of, moments_of
from aesop.metrics.judging import pooled_gaussian, weighted_gaussian
from aesop.metrics.metric_book import MetricError, require_same_count
from aesop.scene.shot import Shot

# From references to shots, where clips count so often.
Distance = Callable[["Look", "Look", Float64[np.ndarray, " clips"]], float]


@dataclass(frozen=True, eq=False)
class Look:
    """What the two distances and the distance between paths need of a list of shots."""

    preset: str
    embeddings: Float64[np.ndarray, "shots width"]
    moments: Moments
    centres: tuple[Float32[np.ndarray, "_ 3"], ...]
    impossible: int = 0
    clusters: Clusters | None = None  # of the references: what intervals draw again


@dataclass(frozen=True)
class Difference:
    """One distance under both presets. The relative difference is of the first to the second, in
    percent; its interval draws clips again, the same ones for both."""

    metric: str
    first: float
    second: float
    percent: float
    interval: Interval | None


@dataclass(frozen=True)
class PresetsFound:
    """The numbers alone. Distances between paths are of their centres, mean over frames."""

    differences: tuple[Difference, ...]
    unmeasured: tuple[str, ...]
    apart_m: float
    apart_interval: Interval | None
    farthest_m: float


@dataclass(frozen=True)
class PresetsResult:
    """Two presets side by side: same weights, same requests, same noise."""

    setting: Setting
    presets: tuple[str, str]
    found: PresetsFound
    impossible: tuple[int, int]
    code: Code
    machine: Machine
    repeat: str


def look_at_shots(
    shots: Sequence[Shot], embeddings: Float64[np.ndarray, "shots width"], preset: str
) -> Look:
    """Embeddings are those of the camera evaluator."""
    return Look(
        preset=preset,
        embeddings=embeddings,
        moments=moments_of([framing_of(shot) for shot in shots]),
        centres=tuple(shot.camera.centre.float().numpy() for shot in shots),
        impossible=impossible_answers(shots),
    )


def look_at_references(bench: Bench) -> Look:
    """The references, which the bench has looked at already."""
    return Look(
        preset="reference shots",
        embeddings=bench.reference.embeddings,
        moments=moments_of(bench.reference.framings),
        centres=(),
        clusters=bench.cases.clusters,
    )


def compare_looks(
    reference: Look, first: Look, second: Look, times: int = FRECHET_RESAMPLES
) -> PresetsFound:
    """FDC and r-FPD of either against the references, and how far paired paths are apart."""
    clips, width = reference.embeddings.shape
    for look in (first, second):
        require_same_count("references and answers", clips, len(look.embeddings))
    differences, missing = [], []
    if clips > width:
        differences.append(_difference("fdc", _fdc, (reference, first, second), times))
    else:
        missing.append(f"FDC: {clips} clips; embeddings of {width} numbers need {width + 1}")
    differences.append(_difference("r_fpd", _r_fpd, (reference, first, second), times))
    apart = np.array([_apart_m(*pair) for pair in zip(first.centres, second.centres, strict=True)])
    return PresetsFound(
        tuple(differences),
        tuple(missing),
        float(apart.mean()),
        mean_interval(apart, reference.clusters),
        float(apart.max()),
    )


def gather_presets(setting: Setting, reference: Look, first: Look, second: Look) -> PresetsResult:
    """The comparison with everything needed to repeat it."""
    return PresetsResult(
        setting,
        (first.preset, second.preset),
        compare_looks(reference, first, second),
        (first.impossible, second.impossible),
        *origin_of_result(),
    )


def of_both(first: Setting, second: Setting, presets: tuple[str, str]) -> Setting:
    """One setting from two that differ in the identity of the method, which comes first."""
    names = (f"weights, {preset}" for preset in presets)
    methods = zip(names, (it.identities[0][1] for it in (first, second)), strict=True)
    return replace(first, identities=(*methods, *first.identities[1:]))


def measure_presets(
    bench: Bench, name: str, methods: Mapping[str, Method], ask: Ask, cache: Path, bar: ProgressBar
) -> PresetsResult:
    """The first of two presets against the second, on the same requests and noise."""
    looks: list[Look] = []
    settings: list[Setting] = []
    for preset, method in methods.items():
        entry = MethodEntry(name, (method,), (ask.seed,))
        settings.append(setting_of(bench.cases, entry, ask.task, bench.evaluators))
        with bar(f"{ask.task}, {preset}") as progress:
            shots = generate(method, bench.cases, ask, cache, progress)
        embeddings = bench.evaluators.cameras.embed_shots(shots)
        looks.append(look_at_shots(shots, embeddings, preset))
    first, second = looks
    setting = of_both(settings[0], settings[1], (first.preset, second.preset))
    return gather_presets(setting, look_at_references(bench), first, second)


def _difference(
    name: str, distance: Distance, looks: tuple[Look, Look, Look], times: int
) -> Difference:
    reference, first, second = looks
    clips = len(reference.embeddings)

    def both(counts: Float64[np.ndarray, " clips"]) -> tuple[float, float]:
        return distance(reference, first, counts), distance(reference, second, counts)

    values = both(np.ones(clips))
    percent = _percent(*values)
    again = one_by_one(lambda counts: _percent(*both(counts)))
    interval = bootstrap(again, reference.clusters or each_apart(clips), times, around=percent)
    return Difference(name, *values, percent, interval)


def _fdc(reference: Look, made: Look, counts: Float64[np.ndarray, " clips"]) -> float:
    pair = (weighted_gaussian(it.embeddings, counts) for it in (reference, made))
    return frechet_distance(*pair)


def _r_fpd(reference: Look, made: Look, counts: Float64[np.ndarray, " clips"]) -> float:
    pair = (pooled_gaussian(it.moments, counts) for it in (reference, made))
    return frechet_distance(*pair)


def _percent(first: float, second: float) -> float:
    if first == second:
        return 0.0
    return 100 * (first / second - 1) if second else float("nan")


def _apart_m(first: Float32[np.ndarray, "frames 3"], second: Float32[np.ndarray, "_ 3"]) -> float:
    if first.shape != second.shape:
        raise MetricError(
            f"Two answers to one request have {len(first)} and {len(second)} frames.",
            "Answer with as many frames as the reference has.",
        )
    return float(np.linalg.norm(first.astype(np.float64) - second, axis=-1).mean())
