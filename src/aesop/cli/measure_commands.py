"""`aesop measure …`: judging models, joining results into tables."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, assert_never

from tyro.conf import OmitArgPrefixes, Positional, arg

from aesop.cli.film_options import refuse_flag
from aesop.cli.terminal import progress_bar, remark, report, wrote
from aesop.core.errors import AesopError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aesop.director.requests import FilmRequest
    from aesop.evaluators.evaluator_weights import Evaluators
    from aesop.measuring.cases import Bench, Cases, Task
    from aesop.measuring.methods import Method
    from aesop.measuring.runs import MethodEntry
    from aesop.scene.human import Clip
    from aesop.scene.shot import Shot


Asked = Literal["film", "shoot", "codec", "reference"]
Made = Literal["film", "shoot"]
Sampler = Literal["fast", "reference"]
Control = Literal["shuffled", "look-at", "redraw", "operator"]
Judges = Annotated[
    Path | None, arg(help="Folder of the evaluators; those that came with AESOP if not given.")
]
# Read when torch starts its threads: two programs that spin while waiting stop each other.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
RESULTS = Path("results")
METHOD = "AESOP"
SEEDS = (0, 1, 2)
SHOWN = 4  # pairs on a qualitative sheet


@dataclass(frozen=True)
class DataOptions:
    """What is measured on."""

    data: Annotated[Path, arg(help="A finished store.")]
    split: Annotated[str, arg(help="A split, or one kind of it.")] = "test/pure"
    at_most: Annotated[
        int | None, arg(help="Shots to measure, evenly spaced; all if not given.")
    ] = None
    output: Annotated[Path, arg(aliases=["-o"], help="Folder for the results.")] = RESULTS

    def cases(self) -> "Cases":
        from aesop.data.store import open_store
        from aesop.measuring.cases import read_cases

        cases = read_cases(open_store(self.data), self.split, self.at_most)
        remark(f"{len(cases.cases)} shots of {len(cases.windows)} windows")
        return cases

    def bench(self, evaluators: Path | None) -> "Bench":
        from aesop.measuring.cases import build_bench

        judges = _judges(evaluators)
        cases = self.cases()
        with progress_bar("references") as progress:
            return build_bench(cases, judges, progress)

    def write(self, name: str, result: object) -> None:
        from aesop.pages.result_pages import write_result

        for path in write_result(self.output, name, result):
            wrote(path)

    def sheet(self, name: str) -> Path:
        """Pictures stand apart: no command can make them again from the JSON of a result."""
        return self.output / "sheets" / f"{name}.png"


SAMPLING = ("preset", "finish", "human_guidance")


@dataclass(frozen=True)
class ModelOptions:
    """Who is measured, and how it is asked."""

    model: Annotated[
        tuple[Path, ...],
        arg(
            help="Folder of weights; several are several trainings of one method. Those that came "
            "with AESOP if not given."
        ),
    ] = ()
    seeds: Annotated[
        tuple[int, ...],
        arg(help="Of the noise: 0 1 2 if not given, and 0 where one is enough."),
    ] = ()
    name: Annotated[str | None, arg(help="What the method is called in tables.")] = None
    preset: Annotated[
        Sampler | None,
        arg(help="Sampling as in the paper (reference, if not given), or a faster way (fast)."),
    ] = None
    finish: Annotated[
        Literal["as-sampled", "consistent", "best-take", "hand"] | None,
        arg(
            help="How cameras are finished: as-sampled is the paper's protocol (if not given), "
            "hand is what users get."
        ),
    ] = None
    human_guidance: Annotated[
        float | None,
        arg(
            help="How hard people follow their words; as for users if not given, the paper's is 1."
        ),
    ] = None
    cache: Annotated[Path | None, arg(help="Where generated shots are kept.")] = None

    def entry(self, task: Asked, *, one_seed: bool = False) -> "MethodEntry":
        """The method, its weights checked before any work."""
        from aesop.measuring.methods import ReferenceMethod
        from aesop.measuring.runs import MethodEntry

        if task == "reference":
            self.refuse_unused("for the dataset's own shots", "model", "seeds", *SAMPLING)
            return MethodEntry(self.name or "GT reference", (ReferenceMethod(),), (0,))
        if task == "codec":
            self.refuse_unused("for codecs, which draw no noise", "seeds", *SAMPLING)
        if task == "film":
            self.refuse_unused("for given people", "human_guidance")
        usual = "AESOP AE (asym.)" if task == "codec" else METHOD
        is_alone = one_seed or task == "codec" or len(self.model) > 1
        seeds = self.one_seed() if is_alone else self.seeds or SEEDS
        return MethodEntry(self.name or usual, self._directors(task), seeds)

    def one_seed(self) -> tuple[int, ...]:
        """The seed of a run that has one."""
        if len(self.seeds) > 1:
            raise AesopError(
                f"{len(self.seeds)} seeds were given where one is used.", "Give one with --seeds."
            )
        return self.seeds or SEEDS[:1]

    def refuse_unused(self, where: str, *names: str) -> None:
        """Raise if a flag was given that would change nothing."""
        for name in names:
            flag = f"--{name.replace('_', '-')}"
            refuse_flag(flag, getattr(self, name), where, "Leave it away.")

    def _directors(self, task: "Task") -> "tuple[Method, ...]":
        from aesop.director.director import load_director
        from aesop.director.requests import HUMAN_GUIDANCE
        from aesop.measuring.methods import DirectorMethod

        folders: tuple[Path | None, ...] = self.model or (None,)
        methods = tuple(
            DirectorMethod(
                load_director(folder, _device()),
                self.preset or "reference",
                self.finish or "as-sampled",
                HUMAN_GUIDANCE if self.human_guidance is None else self.human_guidance,
            )
            for folder in folders
        )
        for method in methods:
            method.identity(task)
        return methods

    @property
    def kept_in(self) -> Path:
        from aesop.measuring.methods import default_cache_folder

        return self.cache or default_cache_folder()


MODEL_DEFAULTS = ModelOptions()


def run(
    *,
    data: Annotated[DataOptions, OmitArgPrefixes],
    model: Annotated[ModelOptions, OmitArgPrefixes] = MODEL_DEFAULTS,
    task: Asked = "film",
    control: Control | None = None,
    evaluators: Judges = None,
) -> None:
    """Measure all metrics of one task on a split: JSON, and a qualitative sheet. What was generated
    is kept, so an interrupted run goes on where it stopped.

    Args:
        task: A camera for given people, people and cameras from words, encoding and decoding, or
            the dataset's own shots.
        control: In place of a model, to show the scale: cameras exchanged among clips, a mean
            camera that only looks at the person, (Fables) the cinematographer once more by the
            same outline, or the rule-based operator by the words.
    """
    from aesop.measuring.runs import file_name, measure_task

    if control is not None and task != "film":
        raise AesopError(f"A control cannot do the task {task}.", "Measure it with --task film.")
    if control is not None:
        model.refuse_unused("for a control", "model", *SAMPLING)
        bench = data.bench(evaluators)
        entry = _control(control, data, bench.cases, model)
    else:
        entry, bench = model.entry(task), data.bench(evaluators)
    judged: Task = "codec" if task == "reference" else task
    result = measure_task(bench, entry, judged, model.kept_in, progress_bar)
    name = file_name(task, entry.name, data.split)
    data.write(name, result)
    if task != "reference":
        wrote(_qualitative(bench.cases, entry, judged, model.kept_in, data.sheet(name)))


def presets(
    *,
    data: Annotated[DataOptions, OmitArgPrefixes],
    model: Annotated[Path | None, arg(help="Folder of weights; else AESOP's own.")] = None,
    task: Made = "film",
    seed: int = 0,
    cache: Annotated[Path | None, arg(help="Where generated shots are kept.")] = None,
    evaluators: Judges = None,
) -> None:
    """Compare the fast preset with the reference on the same requests and noise: FDC and r-FPD of
    both, their relative difference with intervals, and how far paired paths are apart.

    Args:
        task: A camera for given people, or people and cameras from words.
        seed: Of the noise.
    """
    from aesop.measuring.methods import Ask
    from aesop.measuring.preset_distance import measure_presets
    from aesop.measuring.runs import file_name

    folders = (model,) if model is not None else ()
    methods = {
        preset: ModelOptions(folders, (seed,), preset=preset).entry(task).methods[0]
        for preset in ("fast", "reference")
    }
    bench = data.bench(evaluators)
    kept_in = ModelOptions(cache=cache).kept_in
    result = measure_presets(bench, METHOD, methods, Ask(task, seed), kept_in, progress_bar)
    data.write(f"presets_{file_name(task, METHOD, data.split)}", result)


def sweep(
    *,
    data: Annotated[DataOptions, OmitArgPrefixes],
    model: Annotated[ModelOptions, OmitArgPrefixes] = MODEL_DEFAULTS,
    task: Made = "film",
    evaluators: Judges = None,
) -> None:
    """Generate a split at eleven intensities from 0.5 to 1.5 with shared noise (the first seed).
    Tells how far cameras travel, whether more is given where more is asked, and every quality
    metric. JSON, and a sheet of examples.

    Args:
        task: A camera for given people, or people and cameras from words.
    """
    from aesop.measuring.runs import file_name, measure_sweep, sweep_examples
    from aesop.pages.result_pages import write_examples

    entry = model.entry(task, one_seed=True)
    bench = data.bench(evaluators)
    result = measure_sweep(bench, entry, task, model.kept_in, progress_bar)
    name = f"sweep_{file_name(task, entry.name, data.split)}"
    data.write(name, result)
    examples = sweep_examples(bench, entry, task, model.kept_in)
    wrote(write_examples(data.sheet(name), examples))


def direction(
    *,
    data: Annotated[DataOptions, OmitArgPrefixes],
    model: Annotated[ModelOptions, OmitArgPrefixes] = MODEL_DEFAULTS,
    task: Made = "film",
) -> None:
    """Measure whether cameras go the way the words say, with original and with reversed words on
    the same clips and the same noise, once per seed.

    Args:
        task: A camera for given people, or people and cameras from words.
    """
    from aesop.measuring.runs import file_name, measure_direction, with_direction

    entry = model.entry(task)
    cases = with_direction(data.cases())
    remark(f"{len(cases.cases)} of them move and have reversed words")
    result = measure_direction(cases, entry, task, model.kept_in, progress_bar)
    data.write(f"direction_{file_name(task, entry.name, data.split)}", result)


def evaluators(*, data: Annotated[DataOptions, OmitArgPrefixes], evaluators: Judges = None) -> None:
    """Tell how well the evaluators match shots and words: retrieval, and true against shuffled
    captions."""
    from aesop.measuring.evaluator_quality import measure_evaluators, quality_text

    judges = _judges(evaluators)
    quality = measure_evaluators(data.cases(), judges)
    data.write(f"evaluators_{data.split.replace('/', '_')}", quality)
    report(quality_text(quality))


def tables(
    results: Positional[tuple[Path, ...]],
    /,
    *,
    output: Annotated[Path, arg(aliases=["-o"])] = Path("build/tables"),
) -> None:
    """Make every page from results of `aesop measure`: tables laid out as the paper's, in Markdown
    and LaTeX, figures of intensity scans, pages of all else.

    Args:
        results: JSON files that `aesop measure` wrote, or folders of them.
        output: Folder for the pages.
    """
    from aesop.pages.result_pages import write_pages

    written = write_pages(results, output)
    if not written:
        raise AesopError("There are no results to join.", "Name the JSON files or folders of some.")
    for path in written:
        wrote(path)


def jobs(
    *,
    jobs: Path,
    data: Annotated[Path, arg(help="A finished store.")],
    model: tuple[Path, ...] = (),
    workers: int | None = None,
    cache: Annotated[Path | None, arg(help="Where generated shots are kept.")] = None,
    evaluators: Judges = None,
    output: Annotated[Path, arg(aliases=["-o"], help="Folder for the results.")] = RESULTS,
) -> None:
    """Do many measurements of one store with several processes; what failed is told at the end and
    leaves NAME.error.txt. What was generated is kept.

    Args:
        jobs: A JSON list of objects, for example {"kind": "task", "task": "film", "weights":
            "base"}. Kinds are task, codec, reference, sweep, direction and presets; docs/metrics.md
            lists the other fields.
        model: Folders of weights, which jobs call by their names. Those that came with AESOP are
            called base.
        workers: Processes; as many as there are cores if not given.
    """
    from aesop.director.trained_parts import weights_folder
    from aesop.evaluators.evaluator_weights import evaluators_folder
    from aesop.measuring.jobs import StoreSetup, read_jobs, run_jobs
    from aesop.pages.result_pages import write_job

    listed = read_jobs(jobs)
    weights = {it.resolve().name: it for it in model}
    if "base" in {job.weights for job in listed if job.needs_weights} - weights.keys():
        weights["base"] = weights_folder(None)
    setup = StoreSetup(
        store=data,
        weights=tuple(weights.items()),
        evaluators=evaluators_folder(evaluators),
        device=_device(),
        cache=ModelOptions(cache=cache).kept_in,
    )
    failed: set[str] = set()
    for state in run_jobs(listed, setup, workers or os.cpu_count() or 1, remark):
        for path in write_job(output, state):
            wrote(path)
        if state.errors:
            failed.add(state.job.name)
    if failed:
        raise AesopError(
            f"{len(failed)} of {len(listed)} jobs failed: {', '.join(sorted(failed))}.",
            f"Read NAME.error.txt in {output}; the other results are there.",
        )


def _control(
    control: Control, data: DataOptions, cases: "Cases", model: ModelOptions
) -> "MethodEntry":
    from aesop.data.store import open_store
    from aesop.measuring.controls import CinematographerAgain, MeanCameraLooking, ShuffledCameras
    from aesop.measuring.methods import OperatorMethod
    from aesop.measuring.runs import MethodEntry

    seeds = model.seeds or SEEDS
    match control:
        case "shuffled":
            return MethodEntry(model.name or "Cameras shuffled", (ShuffledCameras(cases),), seeds)
        case "look-at":
            model.refuse_unused("for a camera that draws no lots", "seeds")
            mean = MeanCameraLooking(cases)
            return MethodEntry(model.name or "Mean camera, looking", (mean,), SEEDS[:1])
        case "redraw":
            again = CinematographerAgain(open_store(data.data))
            return MethodEntry(model.name or "Cinematographer again", (again,), seeds)
        case "operator":
            return MethodEntry(model.name or "Rule-based operator", (OperatorMethod(),), seeds)
        case _:
            assert_never(control)


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _judges(folder: Path | None) -> "Evaluators":
    from aesop.evaluators.evaluator_weights import evaluators_folder, load_evaluators
    from aesop.text.encoders import default_cache_folder, text_encoder

    encoder = text_encoder("minilm", default_cache_folder())
    return load_evaluators(evaluators_folder(folder), encoder, _device())


def _qualitative(
    cases: "Cases", entry: "MethodEntry", task: "Task", cache: Path, path: Path
) -> Path:
    from aesop.measuring.methods import Ask, generate
    from aesop.pages.result_pages import write_qualitative

    method, seed = entry.runs[0]
    shots = generate(method, cases, Ask(task, seed), cache)
    step = max(1, len(shots) // SHOWN)
    pairs = list(zip(cases.references, shots, strict=True))[::step][:SHOWN]
    return write_qualitative(path, pairs, entry.name)


def wording(
    *,
    model: Path | None = None,
    data: Path | None = None,
    split: str | None = None,
    clips: int = 8,
    seeds: tuple[int, ...] = (0,),
    preset: Literal["fast", "reference"] = "fast",
    output: Annotated[Path, arg(aliases=["-o"])] = RESULTS,
) -> None:
    """Film motions with fifty sentences that share no phrase with the training captions, and with
    the grammar's own words for the same movements: JSON.

    Args:
        model: Folder of weights; those that came with AESOP if not given.
        data: A finished store whose motions are filmed; motions of our own making if not given.
        split: A split of the store, or one kind of it; test/pure if not given.
        clips: Motions to film with every sentence, evenly spaced in the split.
        seeds: Of the noise.
        preset: Sampling as in the paper (reference), or a faster way there (fast).
        output: Folder for the results.
    """
    if data is None:
        refuse_flag("--split", split, "without a store", "Name the store with --data.")
    from aesop.director.director import load_director
    from aesop.measuring.unseen_wording import (
        SENTENCES,
        WordingSetting,
        familiar_sentences,
        measure_obedience,
        wording_result,
    )
    from aesop.pages.result_pages import write_result

    director = load_director(model, _device())
    weights = director.parts.camera_flow.card.identity
    motions, source = _motions(data, split or "test/pure", clips)

    def film(requests: "Sequence[FilmRequest]") -> "list[Shot]":
        return director.film_many(requests, preset, finish="as-sampled")

    obedience = []
    for label, sentences in (("unseen", SENTENCES), ("familiar", familiar_sentences())):
        with progress_bar(f"{label} words") as progress:
            obedience.append(measure_obedience(film, motions, seeds, sentences, progress))
    names = tuple(clip.name for clip in motions)
    setting = WordingSetting(weights, preset, source, names, seeds)
    result = wording_result(setting, *obedience)
    remark(
        f"{result.unseen.obeyed} of {len(SENTENCES)} sentences obeyed, "
        f"{result.unseen.right_share:.1%} of {result.unseen.films} films right "
        f"(in the grammar's words {result.familiar.right_share:.1%})"
    )
    for path in write_result(output, "wording_aesop", result):
        wrote(path)


def _motions(data: Path | None, split: str, clips: int) -> "tuple[list[Clip], str]":
    """Motions to film and where they come from."""
    from aesop.measuring.unseen_wording import made_clips

    if data is None:
        return made_clips(clips), "our own making"
    from aesop.data.store import open_store
    from aesop.measuring.cases import read_cases

    cases = read_cases(open_store(data), split, clips)
    chosen = [cases.cases[place].reference.clip for place in cases.windows.tolist()]
    return chosen, f"{cases.dataset} {split}"
