"""`aesop measure …`: judging models, joining results into tables."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, assert_never

from tyro.conf import OmitArgPrefixes, Positional, arg

from aesop.cli.outputs import refuse_flag
from aesop.cli.terminal import Progress, progress_bar, remark, report, wrote
from aesop.errors import AesopError

if TYPE_CHECKING:
    from aesop.evaluators.shipped import Evaluators
    from aesop.reports.bench import Bench
    from aesop.reports.cases import Cases, Task
    from aesop.reports.filmers import Filmer
    from aesop.reports.measuring import Contestant

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
        from aesop.reports.cases import read_cases

        cases = read_cases(open_store(self.data), self.split, self.at_most)
        remark(f"{len(cases.cases)} shots of {len(cases.windows)} windows")
        return cases

    def bench(self, evaluators: Path | None) -> "Bench":
        from aesop.reports.bench import build_bench

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

    def contestant(self, task: Asked, *, one_seed: bool = False) -> "Contestant":
        """The method, its weights checked before any work."""
        from aesop.reports.filmers import ReferenceFilmer
        from aesop.reports.measuring import Contestant

        if task == "reference":
            self.refuse_unused("for the dataset's own shots", "model", "seeds", *SAMPLING)
            return Contestant(self.name or "GT reference", (ReferenceFilmer(),), (0,))
        if task == "codec":
            self.refuse_unused("for codecs, which draw no noise", "seeds", *SAMPLING)
        if task == "film":
            self.refuse_unused("for given people", "human_guidance")
        usual = "AESOP AE (asym.)" if task == "codec" else METHOD
        is_alone = one_seed or task == "codec" or len(self.model) > 1
        seeds = self.one_seed() if is_alone else self.seeds or SEEDS
        return Contestant(self.name or usual, self._directors(task), seeds)

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

    def _directors(self, task: "Task") -> "tuple[Filmer, ...]":
        from aesop.director.journey import load_director
        from aesop.director.requests import HUMAN_GUIDANCE
        from aesop.reports.filmers import DirectorFilmer

        folders: tuple[Path | None, ...] = self.model or (None,)
        filmers = [
            DirectorFilmer(
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
        from aesop.reports.generation import default_cache_folder

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
    from aesop.reports.measuring import measure_task
    from aesop.reports.pages import file_name, write_result

    if control is not None and task != "film":
        raise AesopError(f"A control cannot do the task {task}.", "Measure it with --task film.")
    if control is not None:
        model.refuse_unused("for a control", "model", *SAMPLING)
    who = model.contestant(task) if control is None else None
    bench = data.bench(evaluators)
    who = who or _control(control, data, bench.cases, model)
    judged: Task = "codec" if task == "reference" else task
    result = measure_task(bench, who, judged, model.kept_in, _told)
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
    from aesop.reports.filmers import Ask
    from aesop.reports.pages import file_name, write_presets
    from aesop.reports.presets import measure_presets

    folders = (model,) if model is not None else ()
    asked = {
        preset: ModelOptions(folders, (seed,), preset=preset).contestant(task).filmers[0]
        for preset in ("fast", "reference")
    }
    bench = data.bench(evaluators)
    kept_in = ModelOptions(cache=cache).kept_in
    found = measure_presets(bench, METHOD, asked, Ask(task, seed), kept_in, _told)
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
    from aesop.reports.measuring import measure_sweep, sweep_examples
    from aesop.reports.pages import file_name, write_examples, write_sweep

    who = model.contestant(task, one_seed=True)
    bench = data.bench(evaluators)
    found = measure_sweep(bench, who, task, model.kept_in, _told)
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
    from aesop.reports.measuring import measure_direction, with_direction
    from aesop.reports.pages import file_name, write_result

    who = model.contestant(task)
    cases = with_direction(data.cases())
    remark(f"{len(cases.cases)} of them move and have reversed words")
    result = measure_direction(cases, who, task, model.kept_in, _told)
    name = f"direction_{file_name(task, who.name, data.split)}"
    for path in write_result(data.output, name, result):
        wrote(path)


def evaluators(*, data: Annotated[DataOptions, OmitArgPrefixes], evaluators: Judges = None) -> None:
    """Tell how well the evaluators match shots and words: retrieval, and true against shuffled
    captions."""
    from aesop.reports.proof import proof_text, prove
    from aesop.reports.results import write_json

    judges = _judges(evaluators)
    proof = prove(data.cases(), judges)
    write_json(data.output / f"evaluators_{data.split.replace('/', '_')}.json", proof)
    report(proof_text(proof))


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
    from aesop.reports.pages import write_page
    from aesop.reports.results import read_result

    if not results:
        raise AesopError("There are no results to join.", "Name the JSON files of some.")
    read = [read_result(path) for path in results]
    for path in write_page(output.parent, output.name, read):
        wrote(path)


def _control(
    control: Control | None, data: DataOptions, cases: "Cases", model: ModelOptions
) -> "Contestant":
    from aesop.data.store import open_store
    from aesop.reports.controls import LookAtFilmer, ShuffledFilmer
    from aesop.reports.filmers import OperatorFilmer
    from aesop.reports.measuring import Contestant
    from aesop.reports.redraw import RedrawFilmer

    match control:
        case "shuffled":
            name = model.name or "Cameras shuffled"
            return Contestant(name, (ShuffledFilmer(cases),), model.seeds or SEEDS)
        case "look-at":
            model.refuse_unused("for a camera that draws no lots", "seeds")
            name = model.name or "Mean camera, looking"
            return Contestant(name, (LookAtFilmer(cases),), SEEDS[:1])
        case "redraw":
            name = model.name or "Cinematographer again"
            return Contestant(name, (RedrawFilmer(open_store(data.data)),), model.seeds or SEEDS)
        case "operator":
            name = model.name or "Rule-based operator"
            return Contestant(name, (OperatorFilmer(),), model.seeds or SEEDS)
        case None:
            raise AssertionError("without a control there is a model")
        case _:
            assert_never(control)


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _told(label: str) -> AbstractContextManager[Progress]:
    return progress_bar(label)


def _judges(folder: Path | None) -> "Evaluators":
    from aesop.evaluators.shipped import evaluators_folder, load_evaluators
    from aesop.text.cache import default_cache_folder
    from aesop.text.choice import text_encoder

    encoder = text_encoder("minilm", default_cache_folder())
    return load_evaluators(evaluators_folder(folder), encoder, _device())


def _qualitative(cases: "Cases", who: "Contestant", task: "Task", cache: Path, path: Path) -> Path:
    from aesop.reports.filmers import Ask
    from aesop.reports.generation import generate
    from aesop.reports.pages import write_qualitative

    filmer, seed = who.runs[0]
    shots = generate(filmer, cases, Ask(task, seed), cache)
    step = max(1, len(shots) // SHOWN)
    pairs = list(zip(cases.references, shots, strict=True))[::step][:SHOWN]
    return write_qualitative(path, pairs, who.name)
