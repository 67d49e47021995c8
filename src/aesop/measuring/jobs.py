"""Many measurements from one list: jobs cut into pieces that any process can do, and put together
again. A piece is one generation of a split, judged; nothing but numbers comes back."""

import json
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, Protocol, assert_never, get_args, runtime_checkable

import numpy as np

from aesop.core.errors import AesopError, FileError, Progress
from aesop.core.pool import Pool
from aesop.data.store import open_store
from aesop.director.body_finish import BODY_FINISHINGS, PersonFinish
from aesop.director.director import load_director
from aesop.director.finish import FINISHINGS, Finish
from aesop.director.protocols import MEASURED, PROTOCOLS, ProtocolName, SamplingProtocol
from aesop.director.requests import HUMAN_GUIDANCE
from aesop.evaluators.evaluator_weights import Evaluators
from aesop.evaluators.published import EvaluatorChoice
from aesop.files.shot_file import write_shot
from aesop.flow.solvers import PresetName
from aesop.measuring.cases import Bench, Cases, Task, build_bench, judge, read_cases
from aesop.measuring.method_table import trained_baseline
from aesop.measuring.methods import (
    Ask,
    DirectorMethod,
    Method,
    OperatorMethod,
    ReferenceMethod,
    generate,
    generate_part,
)
from aesop.measuring.preset_distance import (
    Look,
    PresetsResult,
    References,
    gather_presets,
    look_at_references,
    look_at_shots,
    of_both,
)
from aesop.measuring.runs import (
    MethodEntry,
    Result,
    Setting,
    SweepPoint,
    SweepResult,
    file_name,
    gather,
    gather_sweep,
    judge_both_ways,
    setting_of,
    sweep_point,
    with_direction,
)
from aesop.metrics.intensity_scan import SCAN
from aesop.metrics.judging import Observed, Verdict, joined, observe
from aesop.models.phase_table import METHOD_NAMES, PHASES, MethodName, PhaseName
from aesop.scene.shot import Shot
from aesop.text.encoder import TextEncoder
from aesop.text.encoders import default_cache_folder, text_encoder

JobKind = Literal["task", "codec", "reference", "sweep", "direction", "presets"]
COMPARED: tuple[PresetName, PresetName] = ("fast", "reference")


@dataclass(frozen=True)
class Job:
    """One row or one figure. `weights` is the name of a folder among those that were given,
    `phase` one of its camera phases (the last if none is named). A protocol sets all that
    `preset`, `human_preset`, `finish`, `human_finish` and `human_guidance` set otherwise."""

    kind: JobKind
    method: str = "AESOP"
    task: Literal["film", "shoot"] = "film"
    split: str = "test/pure"
    weights: str = "base"
    phase: PhaseName | None = None
    seeds: tuple[int, ...] = (0, 1, 2)
    protocol: ProtocolName | None = None
    preset: PresetName = "reference"
    human_preset: PresetName = MEASURED.people.preset
    finish: Finish = MEASURED.finish
    human_finish: PersonFinish = MEASURED.people.finish
    by: Literal["director", "operator"] | MethodName = "director"
    guidance: tuple[float, ...] = ()  # of a baseline; the paper's if none is given
    human_guidance: float = HUMAN_GUIDANCE
    at_most: int | None = None
    intensities: tuple[float, ...] = SCAN

    @property
    def way(self) -> SamplingProtocol:
        """How it is sampled."""
        if self.protocol is not None:
            return PROTOCOLS[self.protocol]
        return replace(
            MEASURED,
            people=replace(MEASURED.people, preset=self.human_preset, finish=self.human_finish),
            human_guidance=self.human_guidance,
            camera_preset=self.preset,
            finish=self.finish,
        )

    @property
    def split_of_cases(self) -> "Split":
        """Which cases it asks for: people who are made or judged need words of their own."""
        return self.split, self.at_most, self.judged_as != "film"

    @property
    def judged_as(self) -> Task:
        """Whoever repeats the person is judged on people too."""
        return "codec" if self.kind in ("codec", "reference") else self.task

    @property
    def needs_weights(self) -> bool:
        return self.kind != "reference" and self.by != "operator"

    @property
    def name(self) -> str:
        """What its files are called; as `aesop measure` calls them."""
        task = self.kind if self.kind in ("codec", "reference") else self.task
        first = f"{self.kind}_" if self.kind in ("sweep", "direction", "presets") else ""
        return first + file_name(task, self.method, self.split)

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
                return [Piece(self, first, intensity=intensity) for intensity in self.intensities]
            case "presets":
                return [Piece(self, first, preset=it) for it in COMPARED]
            case _:
                assert_never(self.kind)


@dataclass(frozen=True)
class Piece:
    """One generation (two for direction), to be judged."""

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
class PieceResult:
    """A piece, judged. Which field is filled depends on the kind of the job."""

    piece: Piece
    setting: Setting
    seconds: float
    verdict: Verdict | None = None
    point: SweepPoint | None = None
    look: Look | None = None
    reference: References | None = None


def read_jobs(path: Path) -> list[Job]:
    """A JSON list of objects with the fields of a `Job`; names that would collide are refused."""
    try:
        jobs = [_job(fields) for fields in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise FileError(f"{path} is no list of jobs ({error}).", "Mend it.") from error
    for job in jobs:
        if not _is_known(job) or not job.seeds:
            raise FileError(f"{path}: the job {job} cannot be done.", "Check its fields.")
        if job.kind == "sweep" and 1.0 not in job.intensities:
            raise FileError(f"{path}: {job.name} leaves out intensity 1.", "Add it.")
    names = [job.name for job in jobs]
    twice = sorted({name for name in names if names.count(name) > 1})
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
        and job.human_finish in BODY_FINISHINGS
        and job.preset in get_args(PresetName)
        and job.human_preset in get_args(PresetName)
        and (job.phase is None or job.phase in PHASES)
        and (job.protocol is None or (job.protocol in PROTOCOLS and _says_nothing_else(job)))
        and job.by in ("director", "operator", *METHOD_NAMES)
    )


def _says_nothing_else(job: Job) -> bool:
    """A protocol sets what these fields set otherwise."""
    names = ("preset", "human_preset", "finish", "human_finish", "human_guidance")
    usual = Job(job.kind)
    return all(getattr(job, name) == getattr(usual, name) for name in names)


def _job(fields: dict[str, Any]) -> Job:
    tuples: dict[str, Any] = {key: tuple(it) for key, it in fields.items() if isinstance(it, list)}
    return Job(**(fields | tuples))


@dataclass(eq=False)
class JobWorker:
    """What one process needs to do any piece; heavy things are made when first needed."""

    # A split, how many of it at most, and whether people need words.
    read: Callable[[str, int | None, bool], Cases]
    encoder: TextEncoder
    evaluators: Evaluators
    weights: Mapping[str, Path]
    device: str
    cache: Path
    shots: Path | None = None  # where the first few answers go
    shown: int = 4
    note: str = ""  # about how this process computes
    _cases: "dict[Split, Cases]" = field(default_factory=dict)
    _benches: "dict[Split, Bench]" = field(default_factory=dict)
    _methods: dict[tuple[str, PhaseName | None, SamplingProtocol], DirectorMethod] = field(
        default_factory=dict
    )

    def cases(self, key: "Split") -> Cases:
        """Read once; how this process computes is added to their note."""
        if key not in self._cases:
            cases = self.read(*key)
            note = "; ".join(it for it in (cases.note, self.note) if it)
            self._cases[key] = replace(cases, note=note)
        return self._cases[key]

    def observe(self, key: "Split", part: int, parts: int) -> Observed:
        """One part of the references, evenly cut; embeddings are left to whoever judges."""
        shots = self.cases(key).references
        edges = np.linspace(0, len(shots), parts + 1).round().astype(int).tolist()
        some = shots[edges[part] : edges[part + 1]]
        nothing = np.zeros((len(some), 0))
        return observe(some, nothing) if some else Observed((), (), (), nothing)

    def prepare(self, piece: Piece, part: int, parts: int) -> None:
        """Generate a part of what `work` judges: takes and the hand keep a processor busy."""
        cases = self.cases(piece.job.split_of_cases)
        ask = Ask(piece.job.judged_as, piece.seed, piece.intensity)
        generate_part(self._method(piece), cases, ask, self.cache, part, parts)

    def work(self, piece: Piece, looked_at: Observed | None = None) -> PieceResult:
        """Generate and judge. References that were observed before are not observed again."""
        began = time.monotonic()
        job = piece.job
        method = self._method(piece)
        is_one_run = job.kind in ("sweep", "presets", "codec", "reference")
        entry = MethodEntry(job.method, (method,), job.seeds[:1] if is_one_run else job.seeds)
        ask = Ask(job.judged_as, piece.seed, piece.intensity)
        if job.kind == "direction":
            cases = with_direction(self.cases(job.split_of_cases))
            verdict = judge_both_ways(cases, method, ask, self.cache, _quiet)
            setting = setting_of(cases, entry, job.judged_as)
            return PieceResult(piece, setting, time.monotonic() - began, verdict)
        bench = self._bench(job, looked_at)
        setting = setting_of(bench.cases, entry, job.judged_as, bench.evaluators)
        shots = generate(method, bench.cases, ask, self.cache)
        result = PieceResult(piece, setting, 0.0)
        match job.kind:
            case "task" | "codec" | "reference":
                self._show(job, bench.cases, shots)
                result = replace(result, verdict=judge(bench, shots, job.judged_as))
            case "sweep":
                point = sweep_point(bench, shots, job.judged_as, piece.intensity)
                result = replace(result, point=point)
            case "presets":
                embeddings = bench.evaluators.cameras.embed_shots(shots)
                look = look_at_shots(bench.cases.cases, shots, embeddings, str(piece.preset))
                result = replace(result, look=look, reference=look_at_references(bench))
            case _:
                assert_never(job.kind)
        return replace(result, seconds=time.monotonic() - began)

    def _method(self, piece: Piece) -> Method:
        job = piece.job
        if job.kind == "reference":
            return ReferenceMethod()
        if job.by == "operator":
            return OperatorMethod()
        if job.weights not in self.weights:
            known = ", ".join(self.weights) or "none"
            raise AesopError(f"No weights {job.weights!r} were given.", f"Choose among: {known}.")
        if job.by != "director":
            where, how = self.weights[job.weights], (job.guidance, job.way.finish)
            return trained_baseline(where, job.by, self.encoder, self.device, *how)
        way = job.way if piece.preset is None else replace(job.way, camera_preset=piece.preset)
        key = (job.weights, job.phase, way)
        if key not in self._methods:
            folder = self.weights[job.weights]
            director = load_director(folder, self.device, self.encoder, phase=job.phase)
            self._methods[key] = DirectorMethod(director, way)
        return self._methods[key]

    def _bench(self, job: Job, looked_at: Observed | None) -> Bench:
        key = job.split_of_cases
        if key not in self._benches:
            cases = self.cases(key)
            self._benches[key] = build_bench(cases, self.evaluators, looked_at=looked_at)
        return self._benches[key]

    def _show(self, job: Job, cases: Cases, shots: Sequence[Shot]) -> None:
        if self.shots is None or job.kind == "reference":
            return
        step = max(1, len(shots) // self.shown)
        for place in range(0, len(shots), step)[: self.shown]:
            write_shot(shots[place], self.shots / f"{job.name}_{cases.cases[place].row:06d}.shot")


@runtime_checkable
class JobSetup(Protocol):
    """What every process makes its worker from: light, comparable, and the same for all."""

    def __hash__(self) -> int: ...

    def worker(self) -> JobWorker: ...


@dataclass(frozen=True)
class StoreSetup:
    """Cases of a store; weights by the names that jobs give them."""

    store: Path
    weights: tuple[tuple[str, Path], ...]
    judges: EvaluatorChoice
    encoder: str
    device: str
    cache: Path

    def worker(self) -> JobWorker:
        encoder = text_encoder(self.encoder, default_cache_folder())
        return JobWorker(
            read=partial(read_cases, open_store(self.store)),
            encoder=encoder,
            evaluators=self.judges.load(self.device),
            weights=dict(self.weights),
            device=self.device,
            cache=self.cache,
        )


@cache
def _worker(setup: JobSetup) -> JobWorker:
    """One in every process, whatever number of pieces it does."""
    return setup.worker()


@dataclass
class JobState:
    """What is known of a job while its pieces are done."""

    job: Job
    results: list[PieceResult] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return len(self.results) == len(self.job.pieces)

    @property
    def record(self) -> Result | SweepResult | PresetsResult:
        """The result that `aesop measure` would have given; all pieces are there."""
        setting = self.results[0].setting
        match self.job.kind:
            case "task" | "codec" | "reference" | "direction":
                ordered = sorted(self.results, key=lambda it: self.job.seeds.index(it.piece.seed))
                return gather(setting, [it.verdict for it in ordered if it.verdict is not None])
            case "sweep":
                points = [result.point for result in self.results if result.point is not None]
                return gather_sweep(setting, points)
            case "presets":
                by_preset = {result.piece.preset: result for result in self.results}
                one, other = (by_preset[preset] for preset in COMPARED)
                assert one.look is not None and other.look is not None
                assert one.reference is not None
                both = of_both(one.setting, other.setting, COMPARED)
                return gather_presets(both, one.reference, [one.look], [other.look])
            case _:
                assert_never(self.job.kind)


Split = tuple[str, int | None, bool]


def run_jobs(
    jobs: Sequence[Job], setup: JobSetup, workers: int, log: Callable[[str], None]
) -> Iterator[JobState]:
    """Do all pieces with several processes; the state of a job after each piece of it. A piece that
    fails leaves its error and does not end the others."""
    began = time.monotonic()
    states = {job.name: JobState(job) for job in jobs}
    with Pool(workers) as pool:
        observed = _observe_references(pool, jobs, setup, workers, log)
        log(f"references: {time.monotonic() - began:.1f} s since the start")
        _prepare(pool, jobs, setup, workers)
        log(f"takes: {time.monotonic() - began:.1f} s since the start")
        pieces = _longest_first(jobs, observed)
        tasks = [
            (setup, it, observed.get(it.job.split_of_cases) if _needs_bench(it) else None)
            for it in pieces
        ]
        for place, future in pool.each(_work, tasks):
            piece, error = pieces[place], future.exception()
            state = states[piece.job.name]
            if error is None:
                state.results.append(future.result())
                log(f"{piece.label}: {state.results[-1].seconds:.1f} s")
            else:
                trace = "".join(traceback.format_exception(error))
                state.errors.append(f"{piece.label}\n{trace}")
                log(f"{piece.label} failed: {error}")
            yield state


def _observe_references(
    pool: Pool, jobs: Sequence[Job], setup: JobSetup, parts: int, log: Callable[[str], None]
) -> dict[Split, Observed]:
    """Every split once, by all processes together. A split that cannot be read fails its jobs."""
    pieces = [job.pieces[0] for job in jobs if _needs_bench(job.pieces[0])]
    splits = dict.fromkeys(piece.job.split_of_cases for piece in pieces)
    tasks = [(setup, split, part, parts) for split in splits for part in range(parts)]
    ended = dict(pool.each(_observe, tasks))
    observed: dict[Split, Observed] = {}
    for number, split in enumerate(splits):
        futures = [ended[number * parts + part] for part in range(parts)]
        errors = [error for future in futures if (error := future.exception()) is not None]
        if errors:
            log(f"{split}: {errors[0]}")
        else:
            observed[split] = joined([future.result() for future in futures])
    return observed


def _needs_bench(piece: Piece) -> bool:
    return piece.job.kind != "direction"


def _prepare(pool: Pool, jobs: Sequence[Job], setup: JobSetup, parts: int) -> None:
    """Takes and corrections, which need cores, are made by all processes together. What fails here
    fails again, and is told, where it is judged."""
    tasked = (job for job in jobs if job.kind == "task")
    finished = (job for job in tasked if FINISHINGS[job.way.finish].chooses_take)
    pieces = [piece for job in finished for piece in job.pieces]
    tasks = [(setup, piece, part, parts) for piece in pieces for part in range(parts)]
    for _ in pool.each(_make, tasks):
        pass


def _longest_first(jobs: Sequence[Job], observed: Mapping[Split, Observed]) -> list[Piece]:
    """Short pieces fill the gaps at the end."""

    def cost(piece: Piece) -> float:
        known = observed.get(piece.job.split_of_cases)
        clips = len(known.tags) if known else 10_000
        return clips * (1.3 if piece.job.task == "shoot" else 1.0)

    return sorted((piece for job in jobs for piece in job.pieces), key=cost, reverse=True)


def _observe(task: tuple[JobSetup, Split, int, int]) -> Observed:
    setup, split, part, parts = task
    return _worker(setup).observe(split, part, parts)


def _make(task: tuple[JobSetup, Piece, int, int]) -> None:
    setup, piece, part, parts = task
    _worker(setup).prepare(piece, part, parts)


def _work(task: tuple[JobSetup, Piece, Observed | None]) -> PieceResult:
    setup, piece, looked_at = task
    return _worker(setup).work(piece, looked_at)


@contextmanager
def _quiet(label: str) -> Iterator[Progress]:
    yield lambda done, total: None  # nobody watches a process among many
