"""Runs: one method on one split, the intensity scan, direction on reversed words; results with
everything needed to repeat them."""

import json
import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, is_dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
import torch
from jaxtyping import Float64

from aesop.core.errors import FileError, Progress
from aesop.core.machine import Code, Machine, code_state, this_command, this_machine
from aesop.core.whole_files import atomic_path
from aesop.director.protocols import Choices
from aesop.evaluators.evaluator_weights import Evaluators
from aesop.measuring.cases import Bench, Cases, LeftOut, Task, impossible_answers, judge
from aesop.measuring.method_table import BaselineMethod
from aesop.measuring.methods import Ask, DirectorMethod, Method, generate
from aesop.metrics.bootstrap import Clusters, Interval
from aesop.metrics.intensity_scan import SCAN, IntensityFacts, intensity_facts
from aesop.metrics.judging import Unmeasured, Verdict, judge_direction
from aesop.metrics.metric_book import METRICS, MetricError, SeedKind, mean_and_sd
from aesop.metrics.motion_metrics import Travel, travel_of
from aesop.metrics.movement_metrics import direction_accuracy, has_reverse, is_active
from aesop.scene.movement import tag_path
from aesop.scene.shot import Shot

ProgressBar = Callable[[str], AbstractContextManager[Progress]]  # for a named step
Record = TypeVar("Record")


@dataclass(frozen=True)
class MetricResult:
    """One metric over all seeds. The interval is over clusters of clips, averaged over seeds."""

    metric: str
    unit: str
    better: str
    mean: float
    sd: float | None
    values: tuple[float, ...]
    interval: Interval | None
    count: int


@dataclass(frozen=True)
class Setting:
    """What was measured on what. `identities` name weights and evaluators by their hashes,
    `choices` how it was sampled, `left_out_clips` every clip of the split that was not measured."""

    method: str
    task: str
    dataset: str
    data_sha256: str
    split: str
    clips: int
    windows: int
    left_out: int
    seeds: tuple[int, ...]
    seed_kind: SeedKind
    identities: tuple[tuple[str, str], ...]
    note: str = ""  # what else a reader should know, such as rounding on the way
    choices: Choices = ()
    left_out_clips: tuple[LeftOut, ...] = ()


@dataclass(frozen=True)
class Result:
    """A published result. `impossible` counts, for every run, the answers whose cameras could not
    exist; a camera that films the sky stands in for each."""

    setting: Setting
    metrics: tuple[MetricResult, ...]
    unmeasured: tuple[Unmeasured, ...]
    code: Code
    machine: Machine
    repeat: str
    impossible: tuple[int, ...] = ()

    def of(self, metric: str) -> MetricResult | None:
        """A metric, if it was measured."""
        return next((found for found in self.metrics if found.metric == metric), None)


@dataclass(frozen=True)
class SweepResult:
    """The intensity scan: travel and every quality metric at every value, one checkpoint, shared
    noise. `result.impossible` is counted for every intensity."""

    result: Result  # at intensity 1
    facts: IntensityFacts
    out_rise_points: float  # largest Out of all intensities less that at 1, percent
    quality: tuple[tuple[MetricResult, ...], ...]  # one tuple per intensity


def origin_of_result() -> tuple[Code, Machine, str]:
    """The code, the machine and the command that a number comes from."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return code_state(Path(__file__).parent), this_machine(device), " ".join(this_command())


def gather(setting: Setting, verdicts: Sequence[Verdict]) -> Result:
    """Mean and deviation over the verdicts of all seeds."""
    impossible = tuple(verdict.impossible for verdict in verdicts)
    unmeasured = verdicts[0].unmeasured
    return Result(setting, _over_seeds(verdicts), unmeasured, *origin_of_result(), impossible)


def _over_seeds(verdicts: Sequence[Verdict]) -> tuple[MetricResult, ...]:
    """Every metric that all seeds have."""
    results: list[MetricResult] = []
    for first in verdicts[0].measured:
        metric = METRICS[first.metric]
        numbers = [number for verdict in verdicts if (number := verdict.of(metric.name))]
        if len(numbers) < len(verdicts):
            continue
        values = tuple(number.value for number in numbers)
        interval = _mean_interval([it.interval for it in numbers if it.interval is not None])
        mean, sd = mean_and_sd(values)
        results.append(
            MetricResult(
                metric.name, metric.unit, metric.better, mean, sd, values, interval, first.count
            )
        )
    return tuple(results)


def _mean_interval(intervals: Sequence[Interval]) -> Interval | None:
    if not intervals:
        return None
    low, high = (
        math.fsum(values) / len(intervals)
        for values in ([it.low for it in intervals], [it.high for it in intervals])
    )
    return replace(intervals[0], low=low, high=high)


def write_json(path: Path, record: object) -> None:
    """A record as JSON, whole or not at all. Numbers that no clip supports (NaN) become null."""
    assert is_dataclass(record) and not isinstance(record, type)
    text = json.dumps(_without_nan(asdict(record)), indent=1, allow_nan=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8", newline="\n")


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(it) for key, it in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(it) for it in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def read_record(path: Path, kind: type[Record]) -> Record:
    """A record that `write_json` wrote."""
    try:
        return restored(kind, json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileError(
            f"{path} holds no {kind.__name__} of `aesop measure` ({error}).", "Measure again."
        ) from error


def read_result(path: Path) -> Result:
    """One method on one split."""
    return read_record(path, Result)


def restored(kind: Any, value: Any) -> Any:
    """A value of a type, from what JSON made of it: records, tuples, and null for NaN."""
    if isinstance(kind, type) and is_dataclass(kind):
        types = get_type_hints(kind)
        return kind(**{name: restored(types[name], it) for name, it in value.items()})
    inner = get_args(kind)
    if get_origin(kind) is tuple:
        kinds = inner[:1] * len(value) if inner[-1] is ... else inner
        return tuple(map(restored, kinds, value))
    if get_origin(kind) is UnionType:
        return None if value is None else restored(inner[0], value)
    return math.nan if value is None and kind is float else value


def file_name(task: str, method: str, split: str) -> str:
    """What a result is called."""
    signs = "".join(sign if sign.isalnum() else " " for sign in method.lower())
    return f"{task}_{'-'.join(signs.split())}_{split.replace('/', '_')}"


@dataclass(frozen=True, eq=False)
class MethodEntry:
    """A row of a table: several methods are several trainings of one, a single one is drawn from
    by seeds."""

    name: str
    methods: tuple[Method, ...]
    seeds: tuple[int, ...]

    @property
    def seed_kind(self) -> SeedKind:
        return "training" if len(self.methods) > 1 else "sampling"

    def choices(self, task: Task) -> Choices:
        """How it is sampled, where a trained method is asked."""
        first = self.methods[0]
        return first.choices(task) if isinstance(first, DirectorMethod | BaselineMethod) else ()

    @property
    def runs(self) -> list[tuple[Method, int]]:
        """Every training with the first seed, or the one method with every seed."""
        seeds = self.seeds if self.seed_kind == "sampling" else self.seeds[:1]
        return [(method, seed) for method in self.methods for seed in seeds]


def measure_task(
    bench: Bench, entry: MethodEntry, task: Task, cache: Path, bar: ProgressBar
) -> Result:
    """All metrics of one task, over seeds."""
    verdicts: list[Verdict] = []
    for number, (method, seed) in enumerate(entry.runs):
        with bar(f"{task} {number + 1}/{len(entry.runs)}") as progress:
            shots = generate(method, bench.cases, Ask(task, seed), cache, progress)
        verdicts.append(judge(bench, shots, task))
    return gather(setting_of(bench.cases, entry, task, bench.evaluators), verdicts)


def setting_of(
    cases: Cases, entry: MethodEntry, task: Task, evaluators: Evaluators | None = None
) -> Setting:
    """What a result says about how it came to be."""
    weights = [(f"weights {n}", it.identity(task)) for n, it in enumerate(entry.methods)]
    if evaluators is not None:
        weights += [
            ("clatr", evaluators.cameras.identity), ("tmr", evaluators.people.identity),
        ]  # fmt: skip
    return Setting(
        method=entry.name,
        task=task,
        dataset=cases.dataset,
        data_sha256=cases.data_sha256,
        split=cases.split,
        clips=len(cases.cases),
        windows=len(cases.windows),
        left_out=len(cases.left_out),
        seeds=entry.seeds,
        seed_kind=entry.seed_kind,
        identities=tuple(weights),
        note="; ".join(it for it in (cases.note, _judged_by(evaluators)) if it),
        choices=entry.choices(task),
        left_out_clips=cases.left_out,
    )


def _judged_by(evaluators: Evaluators | None) -> str:
    """What a reader should know of the evaluators, such as whose statistics they read with."""
    if evaluators is None:
        return ""
    return "; ".join(it.note for it in (evaluators.cameras, evaluators.people) if it.note)


@dataclass(frozen=True, eq=False)
class SweepPoint:
    """One intensity of a scan: the travel of every clip beside its reference's, and all metrics."""

    intensity: float
    path_m: Float64[np.ndarray, " clips"]
    net_m: Float64[np.ndarray, " clips"]
    verdict: Verdict
    reference: tuple[Travel, ...]
    clusters: Clusters


def measure_sweep(
    bench: Bench,
    entry: MethodEntry,
    task: Task,
    cache: Path,
    bar: ProgressBar,
    intensities: Sequence[float] = SCAN,
) -> SweepResult:
    """Regenerate the split at every intensity."""
    method, seed = entry.runs[0]
    points: list[SweepPoint] = []
    for intensity in intensities:
        with bar(f"{task} at {intensity:g}") as progress:
            shots = generate(method, bench.cases, Ask(task, seed, intensity), cache, progress)
        points.append(sweep_point(bench, shots, task, intensity))
    return gather_sweep(setting_of(bench.cases, entry, task, bench.evaluators), points)


def sweep_point(bench: Bench, shots: Sequence[Shot], task: Task, intensity: float) -> SweepPoint:
    """What a split generated at one intensity shows."""
    travels = [travel_of(shot.camera, shot.fps) for shot in shots]
    return SweepPoint(
        intensity=intensity,
        path_m=np.array([travel.path_m for travel in travels]),
        net_m=np.array([travel.net_m for travel in travels]),
        verdict=judge(bench, shots, task),
        reference=bench.reference.travels,
        clusters=bench.cases.clusters,
    )


def gather_sweep(setting: Setting, points: Sequence[SweepPoint]) -> SweepResult:
    """The scan from its points, in the order of their intensities; 1 is among them."""
    points = sorted(points, key=lambda point: point.intensity)
    intensities = tuple(point.intensity for point in points)
    one = intensities.index(1.0)
    facts = intensity_facts(
        np.stack([point.path_m for point in points], 1),
        np.stack([point.net_m for point in points], 1),
        np.array([travel.net_m for travel in points[0].reference]),
        np.array([travel.path_m for travel in points[0].reference]),
        intensities,
        points[0].clusters,
    )
    quality = tuple(_over_seeds([point.verdict]) for point in points)
    outs = [metric.mean for metrics in quality for metric in metrics if metric.metric == "out"]
    result = gather(setting, [points[one].verdict])
    impossible = tuple(point.verdict.impossible for point in points)
    return SweepResult(
        replace(result, impossible=impossible), facts, max(outs) - outs[one], quality
    )


def sweep_examples(
    bench: Bench,
    entry: MethodEntry,
    task: Task,
    cache: Path,
    intensities: Sequence[float] = (SCAN[0], 1.0, SCAN[-1]),
    rows: int = 3,
) -> list[list[Shot]]:
    """A few requests whose reference travels, at several intensities: not the best ones."""
    travels = np.array([travel.net_m for travel in bench.reference.travels])
    order = np.argsort(travels)[len(travels) // 2 :]
    chosen = order[np.linspace(0, len(order) - 1, min(rows, len(order))).astype(int)].tolist()
    method, seed = entry.runs[0]
    made = [
        generate(method, bench.cases, Ask(task, seed, intensity), cache)
        for intensity in intensities
    ]
    return [[shots[place] for shots in made] for place in chosen]


def with_direction(cases: Cases) -> Cases:
    """The cases whose reference moves and whose words can be turned round."""
    chosen = [
        place
        for place, case in enumerate(cases.cases)
        if has_reverse([case.camera_words], [case.reversed_words])
        and is_active(_tags(case.reference))
    ]
    if not chosen:
        raise MetricError(
            f"No shot of {cases.split} moves and has words that can be turned round.",
            "Direction needs captions that say which way the camera goes.",
        )
    return cases.only(chosen)


def measure_direction(
    cases: Cases, entry: MethodEntry, task: Task, cache: Path, bar: ProgressBar
) -> Result:
    """Both arms on the cases of `with_direction` with the same noise, once per seed."""
    for case in cases.cases:
        if not has_reverse([case.camera_words], [case.reversed_words]):
            raise MetricError(
                f"The words of row {case.row} cannot be turned round: {case.camera_words!r}.",
                "Measure the cases that `with_direction` chooses.",
            )
    verdicts = [
        judge_both_ways(cases, method, Ask(task, seed), cache, bar) for method, seed in entry.runs
    ]
    return gather(setting_of(cases, entry, task), verdicts)


def judge_both_ways(
    cases: Cases, method: Method, ask: Ask, cache: Path, bar: ProgressBar
) -> Verdict:
    """Original and reversed words with one seed."""
    arms: list[list[np.ndarray]] = []
    impossible = 0
    for is_reversed in (False, True):
        with bar(f"{ask.task}, {'reversed' if is_reversed else 'original'} words") as progress:
            turned = replace(ask, is_reversed=is_reversed)
            shots = generate(method, cases, turned, cache, progress)
        impossible += impossible_answers(shots)
        arms.append([_tags(shot) for shot in shots])
    references = [_tags(shot) for shot in cases.references]
    accuracy = direction_accuracy(references, arms[0], arms[1])
    verdict = judge_direction(accuracy, cases.clusters)
    return replace(verdict, impossible=impossible)


def _tags(shot: Shot) -> np.ndarray:
    return tag_path(shot.camera, shot.fps)


def joined_trainings(results: Sequence[Result], method: str) -> Result:
    """Every training counts once, whatever number of noises it was measured with. What all of them
    have is joined; intervals over clips are averaged."""
    if len(results) < 2:
        raise MetricError(
            f"{method} has {len(results)} trainings.", "Join the results of two or more."
        )
    first = results[0]
    for other in results[1:]:
        if _measured_on(other) != _measured_on(first):
            raise MetricError(
                f"{other.setting.method} and {first.setting.method} were measured on other clips, "
                "tasks or settings.",
                "Measure all trainings alike.",
            )
    joined = tuple(
        _joined([it for result in results if (it := result.of(metric.metric)) is not None])
        for metric in first.metrics
        if all(result.of(metric.metric) is not None for result in results)
    )
    identities = tuple(
        (f"training {number}, {name}", identity)
        for number, result in enumerate(results)
        for name, identity in result.setting.identities
    )
    return replace(
        first,
        setting=replace(
            first.setting,
            method=method,
            seeds=tuple(range(len(results))),
            seed_kind="training",
            identities=identities,
        ),
        metrics=joined,
        impossible=tuple(sum(result.impossible) for result in results),
    )


def _measured_on(result: Result) -> tuple[object, ...]:
    setting = result.setting
    return (
        setting.task,
        setting.dataset,
        setting.data_sha256,
        setting.split,
        setting.clips,
        setting.choices,
    )


def _joined(metrics: Sequence[MetricResult]) -> MetricResult:
    values = tuple(metric.mean for metric in metrics)
    mean, sd = mean_and_sd(values)
    intervals = [metric.interval for metric in metrics if metric.interval is not None]
    interval = None
    if len(intervals) == len(metrics):
        low, high = (
            math.fsum(ends) / len(ends)
            for ends in ([it.low for it in intervals], [it.high for it in intervals])
        )
        interval = replace(intervals[0], low=low, high=high)
    return replace(metrics[0], mean=mean, sd=sd, values=values, interval=interval)
