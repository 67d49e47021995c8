"""Runs: one method on one split, the intensity scan, and direction on reversed words."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Float64

from aesop.evaluators.shipped import Evaluators
from aesop.metrics.direction import direction_accuracy, has_reverse, is_active
from aesop.metrics.intensity import SCAN, IntensityFacts, intensity_facts
from aesop.metrics.judging import Verdict, judge_direction
from aesop.metrics.paths import Travel, travel_of
from aesop.metrics.refusal import MetricError
from aesop.metrics.spread import SeedKind
from aesop.reports.bench import Bench, judge
from aesop.reports.cases import Cases, Task
from aesop.reports.filmers import Ask, Filmer
from aesop.reports.generation import generate
from aesop.reports.impossible import impossible_answers
from aesop.reports.results import MetricResult, Result, Setting, gather, over_verdicts
from aesop.scene.movement import tag_path
from aesop.scene.shot import Shot

Progress = Callable[[int, int], None]
Told = Callable[[str], AbstractContextManager[Progress]]  # a progress bar for a named step


@dataclass(frozen=True, eq=False)
class Contestant:
    """A method: several filmers are several trainings of it, one filmer is drawn from by seeds."""

    name: str
    filmers: tuple[Filmer, ...]
    seeds: tuple[int, ...]

    @property
    def seed_kind(self) -> SeedKind:
        return "training" if len(self.filmers) > 1 else "sampling"

    @property
    def runs(self) -> list[tuple[Filmer, int]]:
        """Every filmer with the first seed, or the one filmer with every seed."""
        seeds = self.seeds if self.seed_kind == "sampling" else self.seeds[:1]
        return [(filmer, seed) for filmer in self.filmers for seed in seeds]


def measure_task(bench: Bench, who: Contestant, task: Task, cache: Path, told: Told) -> Result:
    """All metrics of one task, over seeds."""
    verdicts: list[Verdict] = []
    for number, (filmer, seed) in enumerate(who.runs):
        with told(f"{task} {number + 1}/{len(who.runs)}") as progress:
            shots = generate(filmer, bench.cases, Ask(task, seed), cache, progress)
        verdicts.append(judge(bench, shots, task))
    return gather(setting_of(bench.cases, who, task, bench.evaluators), verdicts)


def setting_of(
    cases: Cases, who: Contestant, task: Task, evaluators: Evaluators | None = None
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
    who: Contestant,
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
    who: Contestant,
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


def measure_direction(cases: Cases, who: Contestant, task: Task, cache: Path, told: Told) -> Result:
    """Both arms on the cases of `with_direction` with the same noise, once per seed."""
    verdicts = [
        judge_both_ways(cases, filmer, Ask(task, seed), cache, told) for filmer, seed in who.runs
    ]
    return gather(setting_of(cases, who, task), verdicts)


def judge_both_ways(cases: Cases, filmer: Filmer, ask: Ask, cache: Path, told: Told) -> Verdict:
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
