"""`aesop figure …`: the paper's figures, each from one command and a list of ids."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast, get_args

from tyro.conf import Positional, arg

from aesop.cli.measure_options import Encoder, Phase, Protocol, device, encoder_of
from aesop.cli.terminal import progress_bar, wrote
from aesop.core.errors import AesopError
from aesop.models.phase_table import METHOD_NAMES, MethodName, PhaseName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aesop.director.protocols import SamplingProtocol
    from aesop.measuring.cases import Case
    from aesop.measuring.methods import Method
    from aesop.scene.shot import Shot


os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
Task = Literal["film", "shoot"]
Ids = Annotated[tuple[str, ...], arg(metavar="ID")]
Target = Annotated[Path, arg(aliases=["-o"], help="The picture to write (.png).")]
Stored = Annotated[Path, arg(help="A finished store.")]
Weights = Annotated[
    Path | None, arg(help="Folder of weights; those that came with AESOP if not given.")
]
REFERENCE, OPERATOR, SHIPPED_NAME = "reference", "operator", "AESOP"


def comparison(
    ids: Positional[Ids],
    /,
    *,
    data: Stored,
    methods: tuple[str, ...] = (REFERENCE, SHIPPED_NAME, OPERATOR),
    task: Task = "film",
    seed: int = 0,
    protocol: Protocol = None,
    output: Target = Path("comparison.png"),
) -> None:
    """Draw what several methods make of the same clips: for each a view from outside and three
    projections, in the order of time.

    Args:
        ids: Shots of the store.
        methods: `reference`, `operator`, `AESOP` (the weights that came with it), NAME=FOLDER and
            NAME=FOLDER@PHASE for other weights; of a method that AESOP is compared with its name
            (weights in build/baselines), FOLDER@METHOD or NAME=FOLDER@METHOD. METHOD:STEPS, as
            ccd:50, samples it in fewer steps than the paper's.
        task: A camera for given people, or people and cameras from words.
        seed: Of the noise.
    """
    from aesop.measuring.methods import Ask
    from aesop.pages.paper_figures import ComparedRow, write_comparison

    cases, way = _cases(data, ids), _way(protocol)
    named = [_method(text, way, task) for text in methods]
    for _, method in named:
        method.identity(task)  # whoever cannot do it says so before anybody begins
    answers: list[tuple[str, list[Shot]]] = []
    with progress_bar("methods") as progress:
        for number, (name, method) in enumerate(named, start=1):
            answers.append((name, method.answer(cases, Ask(task, seed))))
            progress(number, len(named))
    rows = [
        ComparedRow(case.camera_words, tuple((name, shots[at]) for name, shots in answers))
        for at, case in enumerate(cases)
    ]
    wrote(write_comparison(output, rows))


def intensity(  # noqa: PLR0913 - flags, spelled out
    ids: Positional[Ids],
    /,
    *,
    data: Stored,
    model: Weights = None,
    encoder: Encoder = None,
    phase: Phase = None,
    task: Task = "film",
    intensities: tuple[float, ...] = (0.5, 1.0, 1.5),
    seed: int = 0,
    protocol: Protocol = None,
    output: Target = Path("intensity.png"),
) -> None:
    """Draw chosen clips at several intensities, with shared person, words and noise.

    Args:
        ids: Shots of the store.
        task: A camera for given people, or people and cameras from words.
        intensities: A column each.
        seed: Of the noise.
    """
    from aesop.director.director import load_director
    from aesop.measuring.methods import Ask, DirectorMethod
    from aesop.pages.paper_figures import write_intensity_examples

    cases = _cases(data, ids)
    director = load_director(model, device(), encoder_of(encoder), phase=phase)
    method = DirectorMethod(director, _way(protocol))
    made = [method.answer(cases, Ask(task, seed, it)) for it in intensities]
    rows = [[shots[at] for shots in made] for at in range(len(cases))]
    wrote(write_intensity_examples(output, rows))


def population(
    scans: Positional[tuple[Path, ...]], /, *, output: Target = Path("population.png")
) -> None:
    """Draw travel and quality over intensity, in the groups of the paper; tasks share a panel.

    Args:
        scans: JSON files that `aesop measure sweep` wrote, such as those of film and shoot.
    """
    from aesop.measuring.runs import SweepResult, read_record
    from aesop.pages.paper_figures import write_population

    if not scans:
        raise AesopError("No scan was named.", "Name the JSON files of `aesop measure sweep`.")
    wrote(write_population(output, [read_record(path, SweepResult) for path in scans]))


def construction(
    pairs: Positional[Path],
    ids: Positional[Ids],
    /,
    *,
    data: Stored,
    codec: Path | None = None,
    output: Target = Path("construction.png"),
) -> None:
    """Draw how pairs are made: original, targets and reconstruction of chosen sources, and how many
    sources every stage takes in and lets out.

    Args:
        pairs: A folder of pairs.
        ids: Shots of the store, accepted or not; the gates they fail are named.
        codec: Weights, or a training run, with both codecs, to draw reconstructions too.
    """
    from aesop.data.store import open_store
    from aesop.pages.paper_figures import funnels_of, write_construction
    from aesop.pairs.inspection import portrait
    from aesop.pairs.pair_files import read_plan
    from aesop.pairs.shot_arrays import load_codecs

    plan, store = read_plan(pairs), open_store(data)
    codecs = None if codec is None else load_codecs(codec)
    portraits = [(shot, portrait(plan, store, shot, codecs)) for shot in ids]
    wrote(write_construction(output, portraits, funnels_of(plan)))


def outside(
    requests: Positional[Path],
    /,
    *,
    model: Weights = None,
    encoder: Encoder = None,
    phase: Phase = None,
    seed: int = 0,
    protocol: Protocol = None,
    output: Target = Path("outside.png"),
) -> None:
    """Draw cameras for motions and sentences from elsewhere (HumanML3D, HY-Motion), one a row: from
    outside, from above and through the lens.

    Args:
        requests: A CSV file with the columns camera_words and motion (a file), or camera_words,
            human_words and seconds.
        seed: Of the noise.
    """
    from aesop.director.director import load_director
    from aesop.pages.paper_figures import film_outside, read_outside_list, write_outside

    listed, way = read_outside_list(requests), _way(protocol)
    director = load_director(model, device(), encoder_of(encoder), phase=phase, people=way.people)
    with progress_bar("filming") as progress:
        shots = film_outside(director, listed, way, seed, progress)
    wrote(write_outside(output, shots))


def _cases(data: Path, ids: "Sequence[str]") -> "list[Case]":
    """The named shots of a store; one that cannot be asked for is refused."""
    from aesop.data.store import open_store
    from aesop.measuring.cases import fit_cases, read_case

    if not ids:
        raise AesopError("No shot was named.", "Name the ids of some shots of the store.")
    store = open_store(data)
    cases, left_out = fit_cases([read_case(store, store.row_of(it)) for it in ids])
    if left_out:
        first = left_out[0]
        raise AesopError(f"{first.name} cannot be asked for: {first.reason}.", "Name another.")
    return cases


def _way(protocol: Literal["paper"] | None) -> "SamplingProtocol":
    from aesop.director.protocols import PROTOCOLS, SHIPPED

    return SHIPPED if protocol is None else PROTOCOLS[protocol]


def _method(text: str, way: "SamplingProtocol", task: Task) -> "tuple[str, Method]":
    """The name of a column, and who fills it."""
    from aesop.director.director import load_director
    from aesop.measuring.methods import DirectorMethod, OperatorMethod, ReferenceMethod

    if text == REFERENCE:
        return "Reference", ReferenceMethod()
    if text == OPERATOR:
        if task == "shoot":
            raise AesopError(
                "The operator makes no people, as --task shoot asks.", "Leave it out of --methods."
            )
        return "Rule-based operator", OperatorMethod()
    name, has_folder, rest = text.partition("=")
    where = rest if has_folder else text
    folder, has_phase, phase = where.rpartition("@") if "@" in where else (where, "", "")
    if (phase or text).partition(":")[0] in METHOD_NAMES:
        title, weights = name if has_folder else None, folder if has_phase else None
        return _baseline(title, weights, phase or text, way)
    if (not has_folder and text != SHIPPED_NAME) or (has_folder and not folder):
        raise AesopError(
            f"There is no method {text!r}.",
            f"Say {REFERENCE}, {OPERATOR}, {SHIPPED_NAME}, NAME=FOLDER, NAME=FOLDER@PHASE or one "
            f"of: {', '.join(METHOD_NAMES)}.",
        )
    if has_phase and phase not in get_args(PhaseName):
        known = ", ".join((*get_args(PhaseName), *METHOD_NAMES))
        raise AesopError(f"There is no phase {phase!r}.", f"Choose one of: {known}.")
    own = cast("PhaseName", phase) if has_phase else None
    weights = folder if has_folder else None
    director = load_director(weights, device(), encoder_of(None), phase=own)
    return name, DirectorMethod(director, way)


def _baseline(
    title: str | None, folder: str | None, text: str, way: "SamplingProtocol"
) -> "tuple[str, Method]":
    """A method that AESOP is compared with, METHOD or METHOD:STEPS: as the protocol shows cameras,
    where it corrects nothing."""
    from aesop.director.baseline_films import DEFAULT_FOLDER, PLAIN_FINISHES
    from aesop.measuring.method_table import trained_baseline

    weights = Path(folder) if folder else DEFAULT_FOLDER
    finish = way.finish if way.finish in PLAIN_FINISHES else PLAIN_FINISHES[-1]
    name, has_steps, count = text.partition(":")
    if has_steps and not count.isdecimal():
        raise AesopError(f"{text!r} names no number of steps.", "Write it as in ccd:50.")
    steps = int(count) if has_steps else None
    called = cast("MethodName", name)
    method = trained_baseline(weights, called, encoder_of(None), device(), (), finish, steps)
    return title or method.director.method.paper_name, method
