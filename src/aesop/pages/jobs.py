"""Many measurements at once: jobs cut into pieces that any process can do, and put together again.

A piece is one generation of a split and what is found in it; nothing but numbers comes back.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, assert_never, get_args

import numpy as np

from aesop.core.errors import AesopError, FileError
from aesop.director.best_take import FINISHINGS, Finish
from aesop.director.director import load_director
from aesop.director.requests import HUMAN_GUIDANCE
from aesop.evaluators.evaluator_weights import Evaluators
from aesop.files.shot_file import write_shot
from aesop.flow.solvers import PresetName
from aesop.measuring.cases import Bench, Cases, Task, build_bench, judge
from aesop.measuring.methods import (
    Ask,
    DirectorMethod,
    Method,
    OperatorFilmer,
    ReferenceMethod,
    generate,
    generate_part,
)
from aesop.measuring.preset_distance import (
    Look,
    gather_presets,
    look_at_references,
    look_at_shots,
    of_both,
)
from aesop.measuring.runs import (
    MethodEntry,
    Progress,
    Setting,
    SweepPoint,
    gather,
    gather_sweep,
    judge_both_ways,
    setting_of,
    sweep_point,
    with_direction,
)
from aesop.measuring.travelling import TravelledCases
from aesop.metrics.intensity_scan import SCAN
from aesop.metrics.judging import Observed, Verdict, observe
from aesop.pages.result_pages import file_name, write_presets, write_result, write_sweep
from aesop.scene.shot import Shot
from aesop.text.encoder import TextEncoder

JobKind = Literal["task", "codec", "reference", "sweep", "direction", "presets"]
COMPARED: tuple[PresetName, PresetName] = ("fast", "reference")


@dataclass(frozen=True)
class Job:
    """One row or one figure. `weights` is the name of a folder among those that were sent."""

    kind: JobKind
    method: str = "AESOP"
    task: Literal["film", "shoot"] = "film"
    split: str = "test/pure"
    weights: str = "base"
    seeds: tuple[int, ...] = (0, 1, 2)
    preset: PresetName = "reference"
    finish: Finish = "as-sampled"
    by: Literal["director", "operator"] = "director"
    human_guidance: float = HUMAN_GUIDANCE
    at_most: int | None = None
    intensities: tuple[float, ...] = SCAN

    @property
    def judged_as(self) -> Task:
        """Whoever repeats the person is judged on people too."""
        return "codec" if self.kind in ("codec", "reference") else self.task

    @property
    def name(self) -> str:
        """What its files are called; as `aesop measure` calls them."""
        told = self.kind if self.kind in ("codec", "reference") else self.task
        first = f"{self.kind}_" if self.kind in ("sweep", "direction", "presets") else ""
        return first + file_name(told, self.method, self.split)

    @property
    def pieces(self) -> "list[Piece]":
        """What can be done apart."""
        first = self.seeds[0]
        match self.kind:
            case "task" | "direction":
                return [Piece(self, seed) for seed in self.seeds]
            case "codec" | "reference":
                return [Piece(self, first)]
            case "sweep":
                return [Piece(self, first, intensity=it) for it in self.intensities]
            case "presets":
                return [Piece(self, first, preset=it) for it in COMPARED]
            case _:
                assert_never(self.kind)


@dataclass(frozen=True)
class Piece:
    """One generation (two for direction) and what is found in it."""

    job: Job
    seed: int
    intensity: float = 1.0
    preset: PresetName | None = None

    @property
    def label(self) -> str:
        extra = f" at {self.intensity:g}" if self.job.kind == "sweep" else ""
        return (
            f"{self.job.name}, seed {self.seed}{extra}{f', {self.preset}' if self.preset else ''}"
        )


@dataclass(frozen=True, eq=False)
class Finding:
    """What a piece found. Which field is filled depends on the kind of the job."""

    piece: Piece
    setting: Setting
    seconds: float
    verdict: Verdict | None = None
    point: SweepPoint | None = None
    look: Look | None = None
    reference: Look | None = None


def read_jobs(path: Path) -> list[Job]:
    """A JSON list of objects with the fields of a `Job`; names that would collide are refused."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        jobs = [_job(one) for one in said]
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise FileError(f"{path} is no list of jobs ({error}).", "Mend it.") from error
    for job in jobs:
        if not _is_known(job) or not job.seeds:
            raise FileError(f"{path}: the job {job} cannot be done.", "Check its fields.")
        if job.kind == "sweep" and 1.0 not in job.intensities:
            raise FileError(f"{path}: {job.name} leaves out intensity 1.", "Add it.")
    names = [job.name for job in jobs]
    twice = sorted({it for it in names if names.count(it) > 1})
    if twice:
        raise FileError(
            f"{path}: several jobs would write {', '.join(twice)}.", "Give methods other names."
        )
    return jobs


def _is_known(job: Job) -> bool:
    return (
        job.kind in get_args(JobKind)
        and job.task in ("film", "shoot")
        and job.finish in FINISHINGS
        and job.by in ("director", "operator")
    )


def _job(said: dict[str, Any]) -> Job:
    fields: dict[str, Any] = {
        key: tuple(it) if isinstance(it, list) else it for key, it in said.items()
    }
    return Job(**fields)


@dataclass(eq=False)
class JobWorker:
    """What one process needs to do any piece; heavy things are made when first needed."""

    travelled: TravelledCases
    encoder: TextEncoder
    evaluators: Evaluators
    weights: Mapping[str, Path]
    device: str
    cache: Path
    shots: Path | None = None  # where the first few answers go
    shown: int = 4
    note: str = ""  # about how this process computes
    _cases: dict[tuple[str, int | None], Cases] = field(default_factory=dict)
    _benches: dict[tuple[str, int | None], Bench] = field(default_factory=dict)
    _filmers: dict[tuple[str, PresetName, Finish, float], DirectorMethod] = field(
        default_factory=dict
    )

    def cases(self, split: str, at_most: int | None) -> Cases:
        """Read once; what this process does to numbers is said with what the way did."""
        key = (split, at_most)
        if key not in self._cases:
            cases = self.travelled.cases(split, at_most)
            note = "; ".join(it for it in (cases.note, self.note) if it)
            self._cases[key] = replace(cases, note=note)
        return self._cases[key]

    def observe(self, split: str, at_most: int | None, part: int, parts: int) -> Observed:
        """One part of the references, evenly cut; embeddings are left to whoever judges."""
        shots = self.cases(split, at_most).references
        edges = np.linspace(0, len(shots), parts + 1).round().astype(int).tolist()
        some = shots[edges[part] : edges[part + 1]]
        return observe(some, np.zeros((len(some), 0))) if some else Observed((), (), (), _none())

    def prepare(self, piece: Piece, part: int, parts: int) -> None:
        """Generate a part of what `work` judges: takes and the hand keep a processor busy."""
        cases = self.cases(piece.job.split, piece.job.at_most)
        ask = Ask(piece.job.judged_as, piece.seed, piece.intensity)
        generate_part(self._filmer(piece), cases, ask, self.cache, part, parts)

    def work(self, piece: Piece, looked_at: Observed | None = None) -> Finding:
        """Generate and judge."""
        began = time.monotonic()
        job = piece.job
        filmer = self._filmer(piece)
        is_one_run = job.kind in ("sweep", "presets", "codec", "reference")
        seeds = job.seeds[:1] if is_one_run else job.seeds
        who = MethodEntry(job.method, (filmer,), seeds)
        ask = Ask(job.judged_as, piece.seed, piece.intensity)
        if job.kind == "direction":
            cases = with_direction(self.cases(job.split, job.at_most))
            verdict = judge_both_ways(cases, filmer, ask, self.cache, _quiet)
            setting = setting_of(cases, who, job.judged_as)
            return Finding(piece, setting, time.monotonic() - began, verdict)
        bench = self._bench(job, looked_at)
        setting = setting_of(bench.cases, who, job.judged_as, bench.evaluators)
        shots = generate(filmer, bench.cases, ask, self.cache)
        found = Finding(piece, setting, 0.0)
        match job.kind:
            case "task" | "codec" | "reference":
                self._show(job, bench.cases, shots)
                found = replace(found, verdict=judge(bench, shots, job.judged_as))
            case "sweep":
                point = sweep_point(bench, shots, job.judged_as, piece.intensity)
                found = replace(found, point=point)
            case "presets":
                embeddings = bench.evaluators.cameras.embed_shots(shots)
                look = look_at_shots(shots, embeddings, piece.preset or job.preset)
                found = replace(found, look=look, reference=look_at_references(bench))
            case _:
                assert_never(job.kind)
        return replace(found, seconds=time.monotonic() - began)

    def _filmer(self, piece: Piece) -> Method:
        job = piece.job
        if job.kind == "reference":
            return ReferenceMethod()
        if job.by == "operator":
            return OperatorFilmer()
        if job.weights not in self.weights:
            known = ", ".join(self.weights) or "none"
            raise AesopError(f"No weights {job.weights!r} were sent.", f"Choose among: {known}.")
        key = (job.weights, piece.preset or job.preset, job.finish, job.human_guidance)
        if key not in self._filmers:
            director = load_director(self.weights[job.weights], self.device, self.encoder)
            self._filmers[key] = DirectorMethod(director, *key[1:])
        return self._filmers[key]

    def _bench(self, job: Job, looked_at: Observed | None) -> Bench:
        key = (job.split, job.at_most)
        if key not in self._benches:
            cases = self.cases(*key)
            self._benches[key] = build_bench(cases, self.evaluators, looked_at=looked_at)
        return self._benches[key]

    def _show(self, job: Job, cases: Cases, shots: Sequence[Shot]) -> None:
        if self.shots is None or job.kind == "reference":
            return
        step = max(1, len(shots) // self.shown)
        for place in range(0, len(shots), step)[: self.shown]:
            write_shot(shots[place], self.shots / f"{job.name}_{cases.cases[place].row:06d}.shot")


def joined(parts: Sequence[Observed]) -> Observed:
    """What was observed in parts as if it had been observed at once."""
    return Observed(
        tuple(it for part in parts for it in part.tags),
        tuple(it for part in parts for it in part.framings),
        tuple(it for part in parts for it in part.travels),
        np.zeros((sum(len(part.tags) for part in parts), 0)),
    )


def write_job(folder: Path, job: Job, findings: Sequence[Finding]) -> list[Path]:
    """The files that `aesop measure` would have written."""
    setting = findings[0].setting
    match job.kind:
        case "task" | "codec" | "reference" | "direction":
            order = {seed: place for place, seed in enumerate(job.seeds)}
            ordered = sorted(findings, key=lambda it: order[it.piece.seed])
            verdicts = [it.verdict for it in ordered if it.verdict is not None]
            return write_result(folder, job.name, gather(setting, verdicts))
        case "sweep":
            points = [it.point for it in findings if it.point is not None]
            return write_sweep(folder, job.name, gather_sweep(setting, points))
        case "presets":
            by_preset = {it.piece.preset: it for it in findings}
            one, other = (by_preset[it] for it in COMPARED)
            assert one.look is not None and other.look is not None and one.reference is not None
            both = of_both(one.setting, other.setting, COMPARED)
            found = gather_presets(both, one.reference, one.look, other.look)
            return write_presets(folder, job.name, found)
        case _:
            assert_never(job.kind)


def _none() -> np.ndarray:
    return np.zeros((0, 0))


@contextmanager
def _quiet(label: str) -> Iterator[Progress]:
    yield _ignore


def _ignore(done: int, total: int) -> None:
    """Nobody watches a process among many."""
