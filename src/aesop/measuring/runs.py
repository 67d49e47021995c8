"""Runs: one method on one split, the intensity scan, direction on reversed words; results with
everything needed to repeat them."""

import json
import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float64

from aesop.core.atomic import atomic_path
from aesop.core.errors import FileError
from aesop.core.machine import Code, Machine, code_state, this_command, this_machine
from aesop.core.progress import Progress
from aesop.evaluators.evaluator_weights import Evaluators
from aesop.measuring.cases import Bench, Cases, Task, impossible_answers, judge
from aesop.measuring.methods import Ask, Method, generate
from aesop.metrics.camera_paths import Travel, travel_of
from aesop.metrics.intensity_scan import SCAN, IntensityFacts, intensity_facts
from aesop.metrics.judging import Unmeasured, Verdict, judge_direction
from aesop.metrics.metric_book import METRICS, Interval, MetricError, SeedKind, over_seeds
from aesop.metrics.movement_metrics import direction_accuracy, has_reverse, is_active
from aesop.scene.movement import tag_path
from aesop.scene.shot import Shot


@dataclass(frozen=True)
class MetricResult:
    """One metric over all seeds. The interval is over clips, averaged over seeds."""

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
    """What was measured on what. `identities` name weights and evaluators by their hashes."""

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
        return next((it for it in self.metrics if it.metric == metric), None)


def origin_of_result() -> tuple[Code, Machine, str]:
    """The code, the machine and the command that a number comes from."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return code_state(Path(__file__).parent), this_machine(device), " ".join(this_command())


def gather(setting: Setting, verdicts: Sequence[Verdict]) -> Result:
    """Mean and deviation over the verdicts of all seeds."""
    code, machine, repeat = origin_of_result()
    return Result(
        setting=setting,
        metrics=over_verdicts(verdicts, setting.seed_kind),
        unmeasured=verdicts[0].unmeasured,
        code=code,
        machine=machine,
        repeat=repeat,
        impossible=tuple(it.impossible for it in verdicts),
    )


def over_verdicts(verdicts: Sequence[Verdict], kind: SeedKind) -> tuple[MetricResult, ...]:
    """Every metric that all seeds have."""
    found: list[MetricResult] = []
    for first in verdicts[0].measured:
        same = [
            next((it for it in v.measured if it.metric == first.metric), None) for v in verdicts
        ]
        measured = [it for it in same if it is not None]
        if len(measured) < len(verdicts):
            continue
        values = [it.value for it in measured]
        spread = over_seeds(values, kind)
        intervals = [it.interval for it in measured if it.interval is not None]
        metric = METRICS[first.metric]
        found.append(
            MetricResult(
                metric=metric.name,
                unit=metric.unit,
                better=metric.better,
                mean=spread.mean,
                sd=spread.sd,
                values=tuple(values),
                interval=_mean_interval(intervals),
                count=first.count,
            )
        )
    return tuple(found)


def _mean_interval(intervals: Sequence[Interval]) -> Interval | None:
    if not intervals:
        return None
    count = len(intervals)
    return Interval(
        math.fsum(it.low for it in intervals) / count,
        math.fsum(it.high for it in intervals) / count,
    )


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


def read_result(path: Path) -> Result:
    """A result that `write_json` wrote."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        setting = said["setting"]
        setting["identities"] = tuple(tuple(it) for it in setting["identities"])
        setting["seeds"] = tuple(setting["seeds"])
        machine = said["machine"]
        machine["versions"] = tuple(tuple(it) for it in machine["versions"])
        return Result(
            setting=Setting(**setting),
            metrics=tuple(_metric(it) for it in said["metrics"]),
            unmeasured=tuple(Unmeasured(**it) for it in said["unmeasured"]),
            code=Code(**said["code"]),
            machine=Machine(**machine),
            repeat=said["repeat"],
            impossible=tuple(said.get("impossible", ())),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(
            f"{path} is no result of `aesop measure` ({error}).", "Measure again."
        ) from error


def _metric(said: dict[str, object]) -> MetricResult:
    interval = said["interval"]
    kept = None if not isinstance(interval, dict) else Interval(**interval)
    values = said["values"]
    assert isinstance(values, list)
    return MetricResult(**{**said, "interval": kept, "values": tuple(values)})  # pyright: ignore[reportArgumentType]


def file_name(task: str, method: str, split: str) -> str:
    """What the files of a result are called, endings apart."""
    signs = "".join(sign if sign.isalnum() else " " for sign in method.lower())
    return f"{task}_{'-'.join(signs.split())}_{split.replace('/', '_')}"


Told = Callable[[str], AbstractContextManager[Progress]]  # a progress bar for a named step


@dataclass(frozen=True, eq=False)
class MethodEntry:
    """A method: several filmers are several trainings of it, one filmer is drawn from by seeds."""

    name: str
    filmers: tuple[Method, ...]
    seeds: tuple[int, ...]

    @property
    def seed_kind(self) -> SeedKind:
        return "training" if len(self.filmers) > 1 else "sampling"

    @property
    def runs(self) -> list[tuple[Method, int]]:
        """Every filmer with the first seed, or the one filmer with every seed."""
        seeds = self.seeds if self.seed_kind == "sampling" else self.seeds[:1]
        return [(filmer, seed) for filmer in self.filmers for seed in seeds]


def measure_task(bench: Bench, who: MethodEntry, task: Task, cache: Path, told: Told) -> Result:
    """All metrics of one task, over seeds."""
    verdicts: list[Verdict] = []
    for number, (filmer, seed) in enumerate(who.runs):
        with told(f"{task} {number + 1}/{len(who.runs)}") as progress:
            shots = generate(filmer, bench.cases, Ask(task, seed), cache, progress)
        verdicts.append(judge(bench, shots, task))
    return gather(setting_of(bench.cases, who, task, bench.evaluators), verdicts)


def setting_of(
    cases: Cases, who: MethodEntry, task: Task, evaluators: Evaluators | None = None
) -> Setting:
    """What a result says about how it came to be."""
    weights = [(f"weights {n}", it.identity(task)) for n, it in enumerate(who.filmers)]
    if evaluators is not None:
        judges = (("clatr", evaluators.cameras), ("tmr", evaluators.people))
        weights += [(name, it.identity) for name, it in judges]
    return Setting(
        method=who.name,
        task=task,
        dataset=cases.dataset,
        data_sha256=cases.data_sha256,
        split=cases.split,
        clips=len(cases.cases),
        windows=len(cases.windows),
        left_out=cases.left_out,
        seeds=who.seeds,
        seed_kind=who.seed_kind,
        identities=tuple(weights),
        note=cases.note,
    )


@dataclass(frozen=True, eq=False)
class SweepPoint:
    """One intensity of a scan: the travel of every clip beside its reference's, and all metrics."""

    intensity: float
    path_m: Float64[np.ndarray, " clips"]
    net_m: Float64[np.ndarray, " clips"]
    verdict: Verdict
    reference: tuple[Travel, ...]


@dataclass(frozen=True)
class SweepResult:
    """The intensity scan: travel and every quality metric at every value, one checkpoint, shared
    noise. `result.impossible` is told for every intensity."""

    result: Result  # at intensity 1
    facts: IntensityFacts
    out_rise_points: float  # largest Out of all intensities less that at 1, percent
    quality: tuple[tuple[MetricResult, ...], ...]  # one tuple per intensity


def measure_sweep(
    bench: Bench,
    who: MethodEntry,
    task: Task,
    cache: Path,
    told: Told,
    intensities: Sequence[float] = SCAN,
) -> SweepResult:
    """Regenerate the split at every intensity."""
    filmer, seed = who.runs[0]
    points: list[SweepPoint] = []
    for intensity in intensities:
        with told(f"{task} at {intensity:g}") as progress:
            shots = generate(filmer, bench.cases, Ask(task, seed, intensity), cache, progress)
        points.append(sweep_point(bench, shots, task, intensity))
    return gather_sweep(setting_of(bench.cases, who, task, bench.evaluators), points)


def sweep_point(bench: Bench, shots: Sequence[Shot], task: Task, intensity: float) -> SweepPoint:
    """What a split generated at one intensity shows."""
    travels = [travel_of(shot.camera, shot.fps) for shot in shots]
    return SweepPoint(
        intensity=intensity,
        path_m=np.array([it.path_m for it in travels]),
        net_m=np.array([it.net_m for it in travels]),
        verdict=judge(bench, shots, task),
        reference=bench.reference.travels,
    )


def gather_sweep(setting: Setting, points: Sequence[SweepPoint]) -> SweepResult:
    """The scan from its points, in the order of their intensities; 1 is among them."""
    points = sorted(points, key=lambda it: it.intensity)
    intensities = [it.intensity for it in points]
    facts = intensity_facts(
        np.stack([it.path_m for it in points], 1),
        np.stack([it.net_m for it in points], 1),
        np.array([it.net_m for it in points[0].reference]),
        np.array([it.path_m for it in points[0].reference]),
        tuple(intensities),
    )
    outs = [it.verdict.value("out") for it in points]
    seen = [it for it in outs if it is not None]
    result = gather(setting, [points[intensities.index(1.0)].verdict])
    return SweepResult(
        result=replace(result, impossible=tuple(it.verdict.impossible for it in points)),
        facts=facts,
        out_rise_points=max(seen) - seen[intensities.index(1.0)],
        quality=tuple(over_verdicts([it.verdict], "sampling") for it in points),
    )


def sweep_examples(
    bench: Bench,
    who: MethodEntry,
    task: Task,
    cache: Path,
    intensities: Sequence[float] = (SCAN[0], 1.0, SCAN[-1]),
    rows: int = 3,
) -> list[list[Shot]]:
    """A few requests whose reference travels, at several intensities: not the best ones."""
    travels = np.array([it.net_m for it in bench.reference.travels])
    order = np.argsort(travels)[len(travels) // 2 :]
    chosen = order[np.linspace(0, len(order) - 1, min(rows, len(order))).astype(int)].tolist()
    filmer, seed = who.runs[0]
    made = [generate(filmer, bench.cases, Ask(task, seed, it), cache) for it in intensities]
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
            f"No shot of {cases.split} moves and has reversed words.",
            "Direction is measured on stores with reversed captions, such as Fables.",
        )
    return cases.only(chosen)


def measure_direction(
    cases: Cases, who: MethodEntry, task: Task, cache: Path, told: Told
) -> Result:
    """Both arms on the cases of `with_direction` with the same noise, once per seed."""
    verdicts = [
        judge_both_ways(cases, filmer, Ask(task, seed), cache, told) for filmer, seed in who.runs
    ]
    return gather(setting_of(cases, who, task), verdicts)


def judge_both_ways(cases: Cases, filmer: Method, ask: Ask, cache: Path, told: Told) -> Verdict:
    """Original and reversed words with one seed."""
    arms: list[list[np.ndarray]] = []
    impossible = 0
    for is_reversed in (False, True):
        with told(f"{ask.task}, {'reversed' if is_reversed else 'original'} words") as progress:
            turned = replace(ask, is_reversed=is_reversed)
            shots = generate(filmer, cases, turned, cache, progress)
        impossible += impossible_answers(shots)
        arms.append([_tags(shot) for shot in shots])
    references = [_tags(shot) for shot in cases.references]
    found = judge_direction(direction_accuracy(references, arms[0], arms[1]))
    return replace(found, impossible=impossible)


def _tags(shot: Shot) -> np.ndarray:
    return tag_path(shot.camera, shot.fps)
