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
    from aesop.evaluators.evaluator_weights import Evaluators
    from aesop.measuring.cases import Bench, Cases, Task
    from aesop.measuring.methods import Method
    from aesop.measuring.runs import MethodEntry
    from aesop.scene.human import Clip


Asked = Literal["film", "shoot", "codec", "reference"]
Made = Literal["film", "shoot"]
Sampler = Literal["fast", "reference"]
Control = Literal["shuffled", "look-at", "redraw", "operator"]
Judges = Annotated[
    Path | None, arg(help="Folder of the evaluators; those that came with AESOP if not given.")
]
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

    def contestant(self, task: Asked, *, one_seed: bool = False) -> "MethodEntry":
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
        filmers = [
            DirectorMethod(
                load_director(folder, _device()),
                self.preset or "reference",
                self.finish or "as-sampled",
                HUMAN_GUIDANCE if self.human_guidance is None else self.human_guidance,
            )
            for folder in folders
        ]
        for filmer in filmers:
            filmer.identity(task)
        return tuple(filmers)

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
    """Measure all metrics of one task on a split: JSON, Markdown, LaTeX and a qualitative sheet.
    What was generated is kept, so an interrupted run goes on where it stopped.

    Args:
        task: A camera for given people, people and cameras from words, encoding and decoding, or
            the dataset's own shots.
        control: In place of a model, to show the scale: cameras exchanged among clips, a mean
            camera that only looks at the person, (Fables) the cinematographer once more by the
            same outline, or the rule-based operator by the words.
    """
    from aesop.measuring.runs import file_name, measure_task
    from aesop.pages.result_pages import write_result

    if control is not None and task != "film":
        raise AesopError(f"A control cannot do the task {task}.", "Measure it with --task film.")
    if control is not None:
        model.refuse_unused("for a control", "model", *SAMPLING)
    who = model.contestant(task) if control is None else None
    bench = data.bench(evaluators)
    who = who or _control(control, data, bench.cases, model)
    judged: Task = "codec" if task == "reference" else task
    result = measure_task(bench, who, judged, model.kept_in, progress_bar)
    name = file_name(task, who.name, data.split)
    for path in write_result(data.output, name, result):
        wrote(path)
    if task != "reference":
        wrote(_qualitative(bench.cases, who, judged, model.kept_in, data.output / f"{name}.png"))


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
    from aesop.pages.result_pages import write_presets

    folders = (model,) if model is not None else ()
    asked = {
        preset: ModelOptions(folders, (seed,), preset=preset).contestant(task).filmers[0]
        for preset in ("fast", "reference")
    }
    bench = data.bench(evaluators)
    kept_in = ModelOptions(cache=cache).kept_in
    found = measure_presets(bench, METHOD, asked, Ask(task, seed), kept_in, progress_bar)
    name = f"presets_{file_name(task, METHOD, data.split)}"
    for path in write_presets(data.output, name, found):
        wrote(path)


def sweep(
    *,
    data: Annotated[DataOptions, OmitArgPrefixes],
    model: Annotated[ModelOptions, OmitArgPrefixes] = MODEL_DEFAULTS,
    task: Made = "film",
    evaluators: Judges = None,
) -> None:
    """Generate a split at eleven intensities from 0.5 to 1.5 with shared noise (the first seed).
    Tells how far cameras travel, whether more is given where more is asked, and every quality
    metric. JSON, Markdown and a figure.

    Args:
        task: A camera for given people, or people and cameras from words.
    """
    from aesop.measuring.runs import file_name, measure_sweep, sweep_examples
    from aesop.pages.result_pages import write_examples, write_sweep

    who = model.contestant(task, one_seed=True)
    bench = data.bench(evaluators)
    found = measure_sweep(bench, who, task, model.kept_in, progress_bar)
    name = f"sweep_{file_name(task, who.name, data.split)}"
    for path in write_sweep(data.output, name, found):
        wrote(path)
    examples = sweep_examples(bench, who, task, model.kept_in)
    wrote(write_examples(data.output / f"{name}_examples.png", examples))


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
    from aesop.pages.result_pages import write_result

    who = model.contestant(task)
    cases = with_direction(data.cases())
    remark(f"{len(cases.cases)} of them move and have reversed words")
    result = measure_direction(cases, who, task, model.kept_in, progress_bar)
    name = f"direction_{file_name(task, who.name, data.split)}"
    for path in write_result(data.output, name, result):
        wrote(path)


def evaluators(*, data: Annotated[DataOptions, OmitArgPrefixes], evaluators: Judges = None) -> None:
    """Tell how well the evaluators match shots and words: retrieval, and true against shuffled
    captions."""
    from aesop.measuring.evaluator_quality import measure_evaluators, quality_text
    from aesop.measuring.runs import write_json

    judges = _judges(evaluators)
    proof = measure_evaluators(data.cases(), judges)
    write_json(data.output / f"evaluators_{data.split.replace('/', '_')}.json", proof)
    report(quality_text(proof))


def tables(
    results: Positional[tuple[Path, ...]],
    /,
    *,
    output: Annotated[Path, arg(aliases=["-o"])] = RESULTS / "tables",
) -> None:
    """Join results of `aesop measure` into tables laid out as the paper's, in Markdown and LaTeX.

    Args:
        results: JSON files that `aesop measure` wrote.
        output: The files to write, without their endings.
    """
    from aesop.measuring.runs import read_result
    from aesop.pages.result_pages import write_page

    if not results:
        raise AesopError("There are no results to join.", "Name the JSON files of some.")
    read = [read_result(path) for path in results]
    for path in write_page(output.parent, output.name, read):
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
    control: Control | None, data: DataOptions, cases: "Cases", model: ModelOptions
) -> "MethodEntry":
    from aesop.data.store import open_store
    from aesop.measuring.controls import CinematographerAgain, MeanCameraLooking, ShuffledCameras
    from aesop.measuring.methods import OperatorFilmer
    from aesop.measuring.runs import MethodEntry

    match control:
        case "shuffled":
            name = model.name or "Cameras shuffled"
            return MethodEntry(name, (ShuffledCameras(cases),), model.seeds or SEEDS)
        case "look-at":
            model.refuse_unused("for a camera that draws no lots", "seeds")
            name = model.name or "Mean camera, looking"
            return MethodEntry(name, (MeanCameraLooking(cases),), SEEDS[:1])
        case "redraw":
            name = model.name or "Cinematographer again"
            return MethodEntry(
                name, (CinematographerAgain(open_store(data.data)),), model.seeds or SEEDS
            )
        case "operator":
            name = model.name or "Rule-based operator"
            return MethodEntry(name, (OperatorFilmer(),), model.seeds or SEEDS)
        case None:
            raise AssertionError("without a control there is a model")
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


def _qualitative(cases: "Cases", who: "MethodEntry", task: "Task", cache: Path, path: Path) -> Path:
    from aesop.measuring.methods import Ask, generate
    from aesop.pages.result_pages import write_qualitative

    filmer, seed = who.runs[0]
    shots = generate(filmer, cases, Ask(task, seed), cache)
    step = max(1, len(shots) // SHOWN)
    pairs = list(zip(cases.references, shots, strict=True))[::step][:SHOWN]
    return write_qualitative(path, pairs, who.name)


# Read when torch starts its threads: two programs that spin while waiting stop each other.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def wording(
    *,
    model: Path | None = None,
    data: Path | None = None,
    split: str | None = None,
    clips: int = 8,
    seeds: tuple[int, ...] = (0,),
    preset: Literal["fast", "reference"] = "fast",
    output: Annotated[Path, arg(aliases=["-o"])] = Path("results"),
) -> None:
    """Film motions with fifty sentences that share no phrase with the training captions, and with
    the grammar's own words for the same movements: JSON and Markdown.

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
    import torch

    from aesop.director.director import load_director
    from aesop.measuring.unseen_wording import (
        SENTENCES,
        WordingSetting,
        familiar_sentences,
        measure_obedience,
        wording_result,
        write_wording,
    )

    director = load_director(model, "cuda" if torch.cuda.is_available() else "cpu")
    weights = director.parts.camera_flow.card.identity
    motions, source = _motions(data, split or "test/pure", clips)
    found = []
    for label, sentences in (("unseen", SENTENCES), ("familiar", familiar_sentences())):
        with progress_bar(f"{label} words") as progress:
            found.append(
                measure_obedience(
                    lambda some: director.film_many(some, preset, finish="as-sampled"),
                    motions,
                    seeds,
                    sentences,
                    progress,
                )
            )
    names = tuple(clip.name for clip in motions)
    setting = WordingSetting(weights, preset, source, names, seeds)
    result = wording_result(setting, *found)
    remark(
        f"{result.unseen.obeyed} of {len(SENTENCES)} sentences obeyed, "
        f"{result.unseen.right_share:.1%} of {result.unseen.films} films right "
        f"(in the grammar's words {result.familiar.right_share:.1%})"
    )
    for path in write_wording(result, output):
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
