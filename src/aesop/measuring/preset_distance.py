"""Does a faster way of sampling answer as well? Two presets on shared noise, for several seeds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Float32, Float64

from aesop.core.machine import Code, Machine
from aesop.measuring.cases import Bench, Case, Task, impossible_answers
from aesop.measuring.methods import Ask, Method, generate
from aesop.measuring.runs import MethodEntry, ProgressBar, Setting, origin_of_result, setting_of
from aesop.metrics.bootstrap import (
    FRECHET_RESAMPLES,
    MEAN_RESAMPLES,
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
from aesop.metrics.movement_metrics import clip_tables, weighted_f1
from aesop.scene.movement import CLASSES, tag_path
from aesop.scene.shot import Shot

# From references to the shots of one seed, where clips count so often.
Distance = Callable[["References", "Look", Float64[np.ndarray, " clips"]], float]
# Of the shots of one seed, many times over.
Share = Callable[["Look", Float64[np.ndarray, "times clips"]], Float64[np.ndarray, " times"]]


@dataclass(frozen=True, eq=False)
class Look:
    """What is counted of one list of shots: by one preset, from the noise of one seed."""

    preset: str
    embeddings: Float64[np.ndarray, "shots width"]
    moments: Moments
    centres: tuple[Float32[np.ndarray, "_ 3"], ...]
    tables: Float64[np.ndarray, "shots cells"]  # which movement was asked for, and which shown
    outs: Float64[np.ndarray, " shots"]  # frames without the person
    impossible: int = 0


@dataclass(frozen=True)
class Difference:
    """One distance under both presets, mean over seeds. The relative difference is of the first to
    the second, in percent; its interval draws clips again, the same ones for both and all seeds."""

    metric: str
    first: float
    second: float
    percent: float
    interval: Interval | None


@dataclass(frozen=True)
class ShareChange:
    """One share under both presets, mean over seeds, and the first less the second, in the metric's
    unit; the interval is as that of a `Difference`."""

    metric: str
    first: float
    second: float
    change: float
    interval: Interval | None


@dataclass(frozen=True)
class PresetsFound:
    """The numbers alone. Distances between paths are of their centres, mean over frames."""

    differences: tuple[Difference, ...]
    unmeasured: tuple[str, ...]
    apart_m: float
    apart_interval: Interval | None
    farthest_m: float
    changes: tuple[ShareChange, ...] = ()  # results of earlier versions have none


@dataclass(frozen=True)
class PresetsResult:
    """Two presets side by side: same weights, same requests, same noise."""

    setting: Setting
    presets: tuple[str, str]
    found: PresetsFound
    impossible: tuple[int, int]  # cameras of all seeds
    code: Code
    machine: Machine
    repeat: str


def look_at_shots(
    cases: Sequence[Case],
    shots: Sequence[Shot],
    embeddings: Float64[np.ndarray, "shots width"],
    preset: str,
) -> Look:
    """Answers to cases. Embeddings are those of the camera evaluator."""
    require_same_count("cases and answers", len(cases), len(shots))
    framings = [framing_of(shot) for shot in shots]
    shown = [tag_path(shot.camera, shot.fps) for shot in shots]
    tables = clip_tables([case.target_tags for case in cases], shown)
    return Look(
        preset=preset,
        embeddings=embeddings,
        moments=moments_of(framings),
        centres=tuple(shot.camera.centre.float().numpy() for shot in shots),
        tables=tables.reshape(len(shots), -1).astype(np.float64),
        outs=np.array([framing.is_out.sum() for framing in framings], np.float64),
        impossible=impossible_answers(shots),
    )


@dataclass(frozen=True, eq=False)
class References:
    """What distances are measured from, and what intervals draw again."""

    embeddings: Float64[np.ndarray, "shots width"]
    moments: Moments
    clusters: Clusters | None = None


def look_at_references(bench: Bench) -> References:
    """The references, which the bench has looked at already."""
    observed = bench.reference
    return References(observed.embeddings, moments_of(observed.framings), bench.cases.clusters)


def compare_looks(
    references: References,
    first: Sequence[Look],
    second: Sequence[Look],
    times: int = FRECHET_RESAMPLES,
) -> PresetsFound:
    """FDC and r-FPD of either against the references, F1, Out, and how far paired paths are apart.
    Looks come seed by seed, alike for both presets."""
    require_same_count("seeds of the first and of the second preset", len(first), len(second))
    clips, width = references.embeddings.shape
    for look in (*first, *second):
        require_same_count("references and answers", clips, len(look.embeddings))
    clusters = references.clusters or each_apart(clips)
    drawn = _Drawn(references, first, second, clusters, times)
    differences, missing = [], []
    if clips > width:
        differences.append(drawn.difference("fdc", _fdc))
    else:
        missing.append(f"FDC: {clips} clips; embeddings of {width} numbers need {width + 1}")
    differences.append(drawn.difference("r_fpd", _r_fpd))
    apart = np.array([_apart_of_pair(*pair) for pair in zip(first, second, strict=True)])
    return PresetsFound(
        tuple(differences),
        tuple(missing),
        float(apart.mean()),
        mean_interval(apart.mean(0), references.clusters),
        float(apart.max()),
        (drawn.change("f1", _f1), drawn.change("out", _out)),
    )


def gather_presets(
    setting: Setting, references: References, first: Sequence[Look], second: Sequence[Look]
) -> PresetsResult:
    """The comparison with everything needed to repeat it."""
    return PresetsResult(
        setting,
        (first[0].preset, second[0].preset),
        compare_looks(references, first, second),
        (sum(it.impossible for it in first), sum(it.impossible for it in second)),
        *origin_of_result(),
    )


def of_both(first: Setting, second: Setting, presets: tuple[str, str]) -> Setting:
    """One setting from two that differ in the identity of the method, which comes first."""
    names = (f"weights, {preset}" for preset in presets)
    methods = zip(names, (it.identities[0][1] for it in (first, second)), strict=True)
    return replace(first, identities=(*methods, *first.identities[1:]))


def measure_presets(
    bench: Bench,
    name: str,
    methods: Mapping[str, Method],
    task: Task,
    seeds: tuple[int, ...],
    cache: Path,
    bar: ProgressBar,
) -> PresetsResult:
    """The first of two presets against the second, on the same requests and noise."""
    looks: list[list[Look]] = []
    settings: list[Setting] = []
    for preset, method in methods.items():
        entry = MethodEntry(name, (method,), seeds)
        settings.append(setting_of(bench.cases, entry, task, bench.evaluators))
        looks.append([])
        for seed in seeds:
            with bar(f"{task}, {preset}, seed {seed}") as progress:
                shots = generate(method, bench.cases, Ask(task, seed), cache, progress)
            embeddings = bench.evaluators.cameras.embed_shots(shots)
            looks[-1].append(look_at_shots(bench.cases.cases, shots, embeddings, preset))
    setting = of_both(settings[0], settings[1], (looks[0][0].preset, looks[1][0].preset))
    return gather_presets(setting, look_at_references(bench), looks[0], looks[1])


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Both presets' looks, and how clips are drawn again: alike for both and for all seeds."""

    references: References
    first: Sequence[Look]
    second: Sequence[Look]
    clusters: Clusters
    times: int

    def difference(self, name: str, distance: Distance) -> Difference:
        def both(counts: Float64[np.ndarray, " clips"]) -> tuple[float, float]:
            first, second = (
                float(np.mean([distance(self.references, look, counts) for look in looks]))
                for looks in (self.first, self.second)
            )
            return first, second

        values = both(np.ones(len(self.references.embeddings)))
        percent = _percent(*values)
        again = one_by_one(lambda counts: _percent(*both(counts)))
        interval = bootstrap(again, self.clusters, self.times, around=percent)
        return Difference(name, *values, percent, interval)

    def change(self, name: str, share: Share) -> ShareChange:
        def mean(
            looks: Sequence[Look], counts: Float64[np.ndarray, "times clips"]
        ) -> Float64[np.ndarray, " times"]:
            return np.mean([share(look, counts) for look in looks], axis=0)

        def change(counts: Float64[np.ndarray, "times clips"]) -> Float64[np.ndarray, " times"]:
            return mean(self.first, counts) - mean(self.second, counts)

        once = np.ones((1, len(self.references.embeddings)))
        first, second = float(mean(self.first, once)[0]), float(mean(self.second, once)[0])
        interval = bootstrap(change, self.clusters, MEAN_RESAMPLES, around=first - second)
        return ShareChange(name, first, second, first - second, interval)


def _fdc(references: References, made: Look, counts: Float64[np.ndarray, " clips"]) -> float:
    pair = (weighted_gaussian(it.embeddings, counts) for it in (references, made))
    return frechet_distance(*pair)


def _r_fpd(references: References, made: Look, counts: Float64[np.ndarray, " clips"]) -> float:
    pair = (pooled_gaussian(it.moments, counts) for it in (references, made))
    return frechet_distance(*pair)


def _f1(made: Look, counts: Float64[np.ndarray, "times clips"]) -> Float64[np.ndarray, " times"]:
    return weighted_f1((counts @ made.tables).reshape(-1, CLASSES, CLASSES))


def _out(made: Look, counts: Float64[np.ndarray, "times clips"]) -> Float64[np.ndarray, " times"]:
    return 100 * (counts @ made.outs) / (counts @ made.moments.count)


def _percent(first: float, second: float) -> float:
    if first == second:
        return 0.0
    return 100 * (first / second - 1) if second else float("nan")


def _apart_of_pair(first: Look, second: Look) -> Float64[np.ndarray, " clips"]:
    return np.array([_apart_m(*pair) for pair in zip(first.centres, second.centres, strict=True)])


def _apart_m(first: Float32[np.ndarray, "frames 3"], second: Float32[np.ndarray, "_ 3"]) -> float:
    if first.shape != second.shape:
        raise MetricError(
            f"Two answers to one request have {len(first)} and {len(second)} frames.",
            "Answer with as many frames as the reference has.",
        )
    return float(np.linalg.norm(first.astype(np.float64) - second, axis=-1).mean())
