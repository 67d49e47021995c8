"""`aesop measure …`: judging models, joining results into tables."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, assert_never

from tyro.conf import OmitArgPrefixes, Positional, arg

from aesop.cli.film_options import refuse_flag
from aesop.cli.measure_options import (
    JUDGE_DEFAULTS,
    MATCH_DEFAULTS,
    MODEL_DEFAULTS,
    PEOPLE_DEFAULTS,
    RESULTS,
    SAMPLING,
    SEEDS,
    TRAINED,
    Asked,
    AsSampled,
    DataOptions,
    Encoder,
    JudgeOptions,
    MatchOptions,
    ModelOptions,
    PeopleOptions,
    Phase,
    Protocol,
    Sampler,
    device,
)
from aesop.cli.terminal import progress_bar, remark, report, wrote
from aesop.core.errors import AesopError

if TYPE_CHECKING:
    from aesop.measuring.acts import ActsResult
    from aesop.measuring.cases import Cases, Task
    from aesop.measuring.runs import MethodEntry
    from aesop.scene.human import Clip


Made = Literal["film", "shoot"]
Control = Literal["shuffled", "look-at", "redraw", "operator"]
# Read when torch starts its threads: two programs that spin while waiting stop each other.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
SHOWN = 4  # pairs on a qualitative sheet


def run(
    *,
    data: Annotated[DataOptions, OmitArgPrefixes],
    model: Annotated[ModelOptions, OmitArgPrefixes] = MODEL_DEFAULTS,
    judges: Annotated[JudgeOptions, OmitArgPrefixes] = JUDGE_DEFAULTS,
    task: Asked = "film",
    control: Control | None = None,
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
    judged: Task = "codec" if task == "reference" else task
    if control is not None:
        model.refuse_unused("for a control", *TRAINED, *SAMPLING)
        bench = data.bench(judges.load(), judged)
        entry = _control(control, data, bench.cases, model)
    else:
        entry, bench = model.entry(task), data.bench(judges.load(), judged)
    result = measure_task(bench, entry, judged, model.kept_in, progress_bar)
    name = file_name(task, entry.name, data.split)
    data.write(name, result)
    if task != "reference":
        wrote(_qualitative(bench.cases, entry, judged, model.kept_in, data.sheet(name)))


def presets(
    *,
    data: Annotated[DataOptions, OmitArgPrefixes],
    model: Annotated[ModelOptions, OmitArgPrefixes] = MODEL_DEFAULTS,
    judges: Annotated[JudgeOptions, OmitArgPrefixes] = JUDGE_DEFAULTS,
    task: Made = "film",
) -> None:
    """Compare a preset (`fast`, or `--preset instant`) with the reference on the same requests and
    noise, for every seed: FDC and r-FPD of both with their relative difference, F1 and Out with
    their change, all with intervals, and how far paired paths are apart.

    Args:
        task: A camera for given people, or people and cameras from words.
    """
    from aesop.measuring.preset_distance import measure_presets
    from aesop.measuring.runs import file_name

    where = "where two presets are compared"
    model.refuse_unused(where, "protocol", "method", "guidance", "method_steps")
    if len(model.model) > 1:
        raise AesopError("Presets are compared on one training.", "Give one folder with --model.")
    quick = model.preset or "fast"
    if quick == "reference":
        raise AesopError("The reference is what others are compared with.", "Ask for another.")
    entries = {preset: replace(model, preset=preset).entry(task) for preset in (quick, "reference")}
    methods = {preset: entry.methods[0] for preset, entry in entries.items()}
    seeds, name = model.seeds or SEEDS[:1], entries[quick].name
    bench = data.bench(judges.load(), task)
    result = measure_presets(bench, name, methods, task, seeds, model.kept_in, progress_bar)
    written = name if quick == "fast" else f"{name} {quick}"
    data.write(f"presets_{file_name(task, written, data.split)}", result)


def sweep(
    *,
    data: Annotated[DataOptions, OmitArgPrefixes],
    model: Annotated[ModelOptions, OmitArgPrefixes] = MODEL_DEFAULTS,
    judges: Annotated[JudgeOptions, OmitArgPrefixes] = JUDGE_DEFAULTS,
    task: Made = "film",
) -> None:
    """Generate a split at eleven intensities from 0.5 to 1.5 with shared noise (the first seed).
    Tells how far cameras travel, whether more is given where more is asked, and every quality
    metric. JSON, and a sheet of examples.

    Args:
        task: A camera for given people, or people and cameras from words.
    """
    from aesop.measuring.runs import file_name, measure_sweep, sweep_examples
    from aesop.pages.result_pages import write_examples

    where = "for a scan: others know no intensity"
    model.refuse_unused(where, "method", "guidance", "method_steps")
    entry = model.entry(task, one_seed=True)
    bench = data.bench(judges.load(), task)
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
    every = data.cases(task)
    cases = with_direction(every)
    remark(
        f"{len(cases.cases)} of {len(every.cases)} move and have words that can be turned round; "
        "the others are left out"
    )
    result = measure_direction(cases, entry, task, model.kept_in, progress_bar)
    data.write(f"direction_{file_name(task, entry.name, data.split)}", result)


def evaluators(
    *,
    data: Annotated[DataOptions, OmitArgPrefixes],
    judges: Annotated[JudgeOptions, OmitArgPrefixes] = JUDGE_DEFAULTS,
) -> None:
    """Tell how well the evaluators match shots and words: retrieval, and true against shuffled
    captions."""
    from aesop.measuring.evaluator_quality import measure_evaluators, quality_text

    loaded = judges.load()
    quality = measure_evaluators(data.cases("codec"), loaded)
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


def jobs(  # noqa: PLR0913 - flags, spelled out
    *,
    jobs: Path,
    data: Annotated[Path, arg(help="A finished store.")],
    model: tuple[Path, ...] = (),
    workers: int | None = None,
    cache: Annotated[Path | None, arg(help="Where generated shots are kept.")] = None,
    judges: Annotated[JudgeOptions, OmitArgPrefixes] = JUDGE_DEFAULTS,
    encoder: Encoder = None,
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
    from aesop.measuring.jobs import StoreSetup, read_jobs, run_jobs
    from aesop.pages.result_pages import write_job

    listed = read_jobs(jobs)
    weights = {it.resolve().name: it for it in model}
    if "base" in {job.weights for job in listed if job.needs_weights} - weights.keys():
        weights["base"] = weights_folder(None)
    setup = StoreSetup(
        store=data,
        weights=tuple(weights.items()),
        judges=judges.choice(),
        encoder=encoder or "minilm",
        device=device(),
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


def wording(  # noqa: PLR0913 - flags, spelled out
    *,
    model: Path | None = None,
    encoder: Encoder = None,
    phase: Phase = None,
    data: Path | None = None,
    split: str | None = None,
    clips: int = 8,
    seeds: tuple[int, ...] = (0,),
    protocol: Protocol = None,
    preset: Sampler | None = None,
    as_sampled: AsSampled = False,
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
        preset: Sampling as in the paper (reference), or a faster way there (fast, instant); the
            quickest that the weights have if not given.
        output: Folder for the results.
    """
    if data is None:
        refuse_flag("--split", split, "without a store", "Name the store with --data.")
    from aesop.measuring.unseen_wording import (
        SENTENCES,
        WordingSetting,
        films_by,
        measure_wording,
    )
    from aesop.pages.result_pages import write_result

    folders = () if model is None else (model,)
    options = ModelOptions(folders, encoder, phase, protocol=protocol, preset=preset)
    options = replace(options, as_sampled=as_sampled)
    way = options.way
    (director,) = options.directors()
    usual = None if preset is None and protocol is None else way.camera_preset
    sampler = usual or director.quickest_preset()
    way = replace(way, camera_preset=sampler)
    weights = director.parts.camera_flow.card.identity
    motions, source = motions_of(data, split or "test/pure", clips)

    names = tuple(clip.name for clip in motions)
    choices = (("protocol", way.name), *way.camera_choices)
    setting = WordingSetting(weights, sampler, source, names, seeds, choices)
    result = measure_wording(films_by(director, way), motions, setting, progress_bar)
    remark(
        f"{result.unseen.obeyed} of {len(SENTENCES)} sentences obeyed, "
        f"{result.unseen.right_share:.1%} of {result.unseen.films} films right "
        f"(in the grammar's words {result.familiar.right_share:.1%})"
    )
    for path in write_result(output, "wording_aesop", result):
        wrote(path)


def acts(  # noqa: PLR0913 - flags, spelled out
    *,
    model: Annotated[Path | None, arg(aliases=["--weights"])] = None,
    encoder: Encoder = None,
    set: Literal["judging", "choosing", "fresh"] = "judging",
    seeds: int = 8,
    takes: Literal["first", "best", "both"] = "both",
    people: Annotated[PeopleOptions, OmitArgPrefixes] = PEOPLE_DEFAULTS,
    calibration: Path | None = None,
    match: Annotated[MatchOptions, OmitArgPrefixes] = MATCH_DEFAULTS,
    cache: Path | None = None,
    name: str | None = None,
    output: Annotated[Path, arg(aliases=["-o"])] = RESULTS,
) -> None:
    """Act sentences that no training caption has, several times each, and test by geometry whether
    the people do what was said: JSON. People are kept, so an interrupted run goes on.

    Args:
        model: Folder of weights with human codec and flow; those that came along if not given.
        set: The sentences that judge, others by which weights and settings may be chosen (who was
            chosen by sentences is not judged by them), or fresh ones, written when all was chosen.
        seeds: People of every sentence, from seed 0.
        takes: The first take alone, the best of several alone, or both.
        calibration: Numbers of real people, from `python runs/acts.py calibrate`;
            acts/calibration.json in the folder for the results if not given.
        cache: Where people are kept.
        name: What the result is called; aesop if not given.
        output: Folder for the results.
    """
    from aesop.measuring.action_calibration import read_calibration
    from aesop.measuring.acts import ActsSetting, KeptActs, Takes, measure_acts
    from aesop.pages.result_pages import write_result

    if seeds < 1:
        raise AesopError(f"{seeds} people cannot be made.", "Ask for --seeds 1 or more.")
    way, judge = people.way("first" if takes == "first" else "both"), match.load(encoder)
    real = read_calibration(calibration, output / "acts" / "calibration.json")
    if real is None:
        remark("no numbers of real people: make them with `python runs/acts.py calibrate`")
    (director,) = ModelOptions(() if model is None else (model,), encoder).directors()
    kept_in, first = ModelOptions(cache=cache).kept_in, way.with_first_people
    actors: dict[Takes, KeptActs] = {}
    if takes != "best" or director.parts.chooser is None:
        actors["first take"] = KeptActs(director, first, kept_in)
    if first != way and director.parts.chooser is not None:
        actors["best take"] = KeptActs(director, way, kept_in)
    setting = ActsSetting(
        probe=set,
        weights=director.parts.cast(way.people.finish).flow.card.identity,
        seeds=tuple(range(seeds)),
        choices=(("protocol", way.name), *way.human_choices),
        calibration="" if real is None else real.sha256,
    )
    at_once = seeds if device() == "cpu" else 256
    result = measure_acts(actors, setting, real, progress_bar, at_once)
    _tell_acts(result)
    if judge is not None:
        result = replace(result, matched=match.measure(judge, next(iter(actors.values())), at_once))
    named = f"acts_{name or 'aesop'}{'' if set == 'judging' else f'_{set}'}"
    for path in write_result(output, named, result):
        wrote(path)


def _tell_acts(result: "ActsResult") -> None:
    for it in result.acted:
        remark(_acts_remark(it.takes, it.right, it.right_frequent, it.worst_core))


def _acts_remark(takes: str, right: float, often: float, worst: tuple[str, float]) -> str:
    return (
        f"{takes}: {right:.1%} of the people right, {often:.1%} where training has examples "
        f"enough; least of the core: {worst[0]} {worst[1]:.0%}"
    )


def motions_of(data: Path | None, split: str, clips: int) -> "tuple[list[Clip], str]":
    """Motions to film and where they come from."""
    from aesop.measuring.unseen_wording import made_clips

    if data is None:
        return made_clips(clips), "our own making"
    from aesop.data.store import open_store
    from aesop.measuring.cases import read_cases

    cases = read_cases(open_store(data), split, clips)
    chosen = [cases.cases[place].reference.clip for place in cases.windows.tolist()]
    return chosen, f"{cases.dataset} {split}"
