"""Train the methods that AESOP is compared with on one lent GPU, at one exposure for all, and
measure them.

Here, with the package installed, footage, validation and test cases and the text encoder are
packed:

    python lab/baselines_h200.py pack STORE parcel

There, every method is tried with each learning rate over an eighth of the steps; the rate that
validates best is trained over all of them, or over as many as fit into --minutes for the method.
`aesop` is our camera flow beside the codecs that ship, trained anew over the same steps:

    python3 lab/baselines_h200.py train aesop director-c dancecamera3d ccd ccd-h \\
        --parcel parcel --steps 2000 --minutes 1 --out "$OUT"

PulpMotion's are trained in the order in which they build on each other; `aesop-people` is our human
flow. Those that make the person too get twice the steps, as in the paper, the autoencoder
--codec-steps:

    python3 lab/baselines_h200.py train aesop-people pulpmotion-ae pulpmotion-dit pulpmotion-mar \\
        --steps 2000 --codec-steps 12000 --minutes 4 --out "$OUT"

Guidance is chosen on validation shots, by movement F1 and r-FPD, which no network judges; then the
test split is filmed in batches by length, and measured by all cores:

    python3 lab/baselines_h200.py guide director-c ccd --out "$OUT"
    python3 lab/baselines_h200.py measure aesop director-c ccd --out "$OUT" --at-most 800

What is finished is not done again on the same machine. Here again:

    python lab/baselines_h200.py collect OUT --run build/baselines --results results
"""

import argparse
import json
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import base_h200 as lent
import measure_h200 as measuring
from baseline_names import (
    CHOICES_FILE,
    GUIDANCE_FILE,
    JUDGED,
    OUR_PHASE,
    OURS,
    PEOPLE,
    PEOPLE_PHASE,
    SHIPPED,
    has_shipped_people,
    home,
    method_called,
    own_job,
    phase_called,
    phase_done,
    read_notes,
    steps_of,
    task_of,
    write_notes,
)
from pieces import join_pieces, tell, write_pieces

if TYPE_CHECKING:
    import torch

    from aesop.measuring.baseline_method import BaselineMethod
    from aesop.measuring.cases import Cases, Task
    from aesop.models.phase_table import MethodName
    from aesop.scene.shot import Shot
    from aesop.text.encoder import TextEncoder
    from aesop.training.recipes import Recipe
    from aesop.training.run_folder import Material

RATES = (4e-4, 1e-4)
TRIAL_SHARE = 8  # a trial has so many times fewer steps
# What is tried beside the paper's guidance, which comes first and wins ties.
GUIDANCES: "dict[MethodName, tuple[tuple[float, ...], ...]]" = {
    "director-c": ((1.4,), (2.5,)),
    "dancecamera3d": ((1.75, 1.0), (1.0, 2.0)),
    "ccd": ((2.0,), (1.0,)),
    "ccd-h": ((2.0,), (1.0,)),
    "pulpmotion-dit": ((11.0, -1.0, 0.0), (4.0, -1.0, 0.0), (2.0, -1.0, 0.0), (4.0, -1.0, 0.25)),
    "pulpmotion-mar": ((3.5, 2.0, 0.0), (2.0, 1.0, 0.0), (1.5, 1.0, 0.0), (2.0, 1.0, 0.25)),
}
LONGEST_AVERAGE = 0.999
SPARE_SECONDS = 8.0  # around the steps of a training: statistics, captures, validation, writing


def pack(args: argparse.Namespace) -> None:
    """Footage, test cases, validation cases, and one encoder for all their words."""
    from aesop.data.store import open_store
    from travelling import write_travelling_cases

    lent.pack(
        argparse.Namespace(
            store=args.store,
            parcel=args.parcel,
            validation_clips=args.validation_clips,
            people=False,
            pairs=None,
        )
    )
    store = open_store(args.store)
    write_travelling_cases(store, "test", args.parcel / measuring.TEST)
    write_travelling_cases(store, "validation", args.parcel / JUDGED)
    lent.say_sizes(args.parcel)


@dataclass(frozen=True)
class RateTrial:
    """One learning rate, tried."""

    learning_rate: float
    steps: int
    validation_loss: float
    seconds: float  # of the steps alone


def train(args: argparse.Namespace) -> None:
    """All methods, one after the other; what time does not allow is said."""
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    lent.receive(args.parcel, lent.STATE / "parcel")
    home().mkdir(parents=True, exist_ok=True)
    args.out.mkdir(parents=True, exist_ok=True)
    adopt_codecs(home())
    if PEOPLE in args.methods and has_shipped_people(home()):
        shutil.rmtree(home() / PEOPLE_PHASE)
    with lent.timed("footage"):
        material = read_material(device)
    for name in args.methods:
        began = time.monotonic()
        deadline = None if args.minutes is None else began + 60 * args.minutes
        if phase_done(home(), name):
            lent.say(f"{name} is there already")
        else:
            trained = train_one(name, args, material, device, deadline)
            note_choice(name, trained)
        send_home(name, args.out, material.encoder, time.monotonic() - began, device)


def read_material(device: "torch.device") -> "Material":
    from aesop.training.run_folder import Material
    from parcel import read_parcel
    from travelling import TravellingMiniLM

    parcel = lent.STATE / "parcel"
    train_split, validation = (read_parcel(parcel / name, device) for name in lent.SPLITS)
    lent.say(f"{len(train_split.shot_names)} shots, {len(validation.shot_names)} to validate on")
    encoder = TravellingMiniLM(parcel / lent.ENCODER_FILE, device)
    return Material(train_split, validation, encoder)


def adopt_codecs(run: Path) -> None:
    """The codecs that ship, for our own camera flow; measuring wants them too."""
    from aesop.training.run_folder import adopt_parts

    adopt_parts(SHIPPED / "base", run, OUR_PHASE)


def recipe_of(name: str, args: argparse.Namespace, steps: int, rate: float) -> "Recipe":
    """The recipe of a size over so many steps at a rate. Averages reach over a tenth of the steps
    at most: one that is longer than the training would still show its beginning."""
    from aesop.models.phase_table import method_of
    from aesop.training.recipe_book import method_recipe, recipe_for
    from aesop.training.recipes import with_steps

    method = method_of(name)
    ours = recipe_for(PEOPLE_PHASE if name == PEOPLE else OUR_PHASE, args.size)
    recipe = with_steps(ours if method is None else method_recipe(method, args.size), steps)
    average = min(LONGEST_AVERAGE, 1 - 10 / max(steps, 20))
    watch = replace(
        recipe.watch, log_every=25, validate_every=10**9, checkpoint_every=10**9, keep="last"
    )
    schedule = replace(recipe.schedule, learning_rate=rate, warm_up_steps=max(1, steps // 20))
    if args.rows is not None:
        schedule = replace(schedule, batch_rows=args.rows)
    return replace(
        recipe,
        schedule=schedule,
        watch=watch,
        optimiser=replace(recipe.optimiser, ema_decay=average),
        seed=args.seed,
    )


def train_one(
    name: str,
    args: argparse.Namespace,
    material: "Material",
    device: "torch.device",
    deadline: float | None,
) -> tuple[list[RateTrial], RateTrial]:
    """Trials, then the winner. Steps that do not fit before the deadline are left out, and the
    cosine ends where they do."""
    wanted = steps_of(name, args)
    short = max(1, wanted // TRIAL_SHARE)
    trials: list[RateTrial] = []
    for rate in args.rates:
        run = lent.STATE / "trials" / f"{name}-{rate:g}"
        trials.append(run_recipe(name, recipe_of(name, args, short, rate), material, run, device))
    best = min(trials, key=lambda trial: trial.validation_loss)
    steps = wanted
    if deadline is not None:
        each = min(trial.seconds / trial.steps for trial in trials)
        fitting = int((deadline - time.monotonic() - SPARE_SECONDS) / each)
        steps = max(short, min(steps, fitting))
        if steps < wanted:
            lent.say(f"{name}: only {steps} of {wanted} steps fit into its minutes")
    recipe = recipe_of(name, args, steps, best.learning_rate)
    return trials, run_recipe(name, recipe, material, home(), device)


def run_recipe(
    name: str,
    recipe: "Recipe",
    material: "Material",
    run: Path,
    device: "torch.device",
) -> RateTrial:
    """Train in a run folder that has whatever the phase builds on; how it validates at the end."""
    from aesop.training.loop import Conduct
    from aesop.training.phases import train as train_phases

    began = time.monotonic()
    if run != home():
        shutil.rmtree(run, ignore_errors=True)
        for part in home().glob("*/weights.safetensors"):
            if part.parent.name in recipe.needs:
                (run / part.parent.name).mkdir(parents=True)
                shutil.copyfile(part, run / part.parent.name / part.name)
    (result,) = train_phases([recipe], material, run, Conduct(resume=True), device)
    journal, schedule = journal_of(run, result.phase), recipe.schedule
    loss = next(line["loss"] for line in reversed(journal) if line["kind"] == "validation")
    # Captures slow the first lines down, and nothing else is told by them.
    speeds = sorted(line["steps_per_second"] for line in journal if line["kind"] == "train")
    speed = speeds[len(speeds) // 2]
    lent.say(
        f"{name} at {schedule.learning_rate:g}: {schedule.steps} steps at {speed:.1f} a second, "
        f"{time.monotonic() - began:.1f} s in all, validation {loss:.5f}"
    )
    return RateTrial(schedule.learning_rate, schedule.steps, loss, schedule.steps / speed)


def journal_of(run: Path, phase: str) -> "list[dict[str, Any]]":
    lines = (run / phase / "log.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def note_choice(name: str, trained: tuple[list[RateTrial], RateTrial]) -> None:
    """Every setting that was tried, beside the one that was kept."""
    trials, final = trained
    known = read_notes(CHOICES_FILE)
    known[name] = {"trials": [asdict(it) for it in trials], "trained": asdict(final)}
    write_notes(CHOICES_FILE, known)


def send_home(
    name: str, out: Path, encoder: "TextEncoder", seconds: float, device: "torch.device"
) -> None:
    """Weights in half precision in pieces, the journal, and what was chosen."""
    from aesop.baselines.baseline_table import load_trained
    from aesop.models.phase_table import method_of
    from aesop.models.weights import save_part
    from aesop.training.run_folder import weights_path

    phase, method = phase_called(name), method_of(name)
    lent.report(home(), phase, out, device, seconds)
    shutil.copyfile(home() / CHOICES_FILE, out / CHOICES_FILE)
    if method is None:
        lent.export(home(), out, OUR_PHASE, encoder)
        return
    path = weights_path(home(), phase).with_name("half.safetensors")
    save_part(load_trained(home(), method, encoder), path, "float16")
    write_pieces(path, out, phase)


def guide(args: argparse.Namespace) -> None:
    """Choose guidance on validation shots, by ranks in movement F1 and r-FPD together."""
    from travelling import TravelledCases

    args.out.mkdir(parents=True, exist_ok=True)
    travelled = TravelledCases(lent.STATE / "parcel" / JUDGED)
    for name in args.methods:
        if name not in GUIDANCES:
            continue
        cases = travelled.cases("validation", args.at_most, task_of(name) != "film")
        rows = []
        for guidance in GUIDANCES[name]:
            with lent.timed(f"{name} at {guidance}"):
                shots = filmed(name, guidance, cases, args.seed)
            rows.append({"guidance": guidance, **look(cases, shots)})
        by_f1 = sorted(rows, key=lambda row: -row["f1"])
        by_framing = sorted(rows, key=lambda row: row["r_fpd"])
        best = min(rows, key=lambda row: by_f1.index(row) + by_framing.index(row))
        notes = read_notes(GUIDANCE_FILE)
        notes[name] = {"tried": rows, "chosen": best["guidance"], "shots": len(cases.cases)}
        write_notes(GUIDANCE_FILE, notes)
        lent.say(f"{name}: {notes[name]}")
    shutil.copyfile(home() / GUIDANCE_FILE, args.out / GUIDANCE_FILE)


def method_here(name: "MethodName", guidance: tuple[float, ...]) -> "BaselineMethod":
    import torch

    from aesop.measuring.baseline_method import trained_baseline
    from travelling import TravellingMiniLM

    device = "cuda" if torch.cuda.is_available() else "cpu"
    encoder = TravellingMiniLM(lent.STATE / "parcel" / lent.ENCODER_FILE, torch.device(device))
    return trained_baseline(home(), name, encoder, device, guidance)


def filmed(
    name: "MethodName", guidance: tuple[float, ...], cases: "Cases", seed: int
) -> "list[Shot]":
    """All cases, in batches by length."""
    from aesop.measuring.methods import Ask

    method, ask = method_here(name, guidance), Ask(task_of(name), seed)
    method.prepare(cases.cases, ask)
    return method.answer(cases.cases, ask)


def look(cases: "Cases", shots: "Sequence[Shot]") -> dict[str, float]:
    """Movement F1 and r-FPD: geometry alone."""
    import numpy as np

    from aesop.metrics.embedding_metrics import frechet_distance
    from aesop.metrics.framing_metrics import framing_of, moments_of
    from aesop.metrics.judging import pooled_gaussian
    from aesop.metrics.movement_metrics import clip_tables, movement_f1
    from aesop.scene.movement import tag_path

    tags = [tag_path(shot.camera, shot.fps) for shot in shots]
    tables = clip_tables([case.target_tags for case in cases.cases], tags)
    wanted, made = (
        pooled_gaussian(moments_of([framing_of(shot) for shot in some]), np.ones(len(some)))
        for some in (cases.references, shots)
    )
    return {
        "f1": float(movement_f1(tables.sum(0).astype(np.float64)).weighted),
        "r_fpd": float(frechet_distance(wanted, made)),
    }


def chosen_guidance(name: str) -> tuple[float, ...]:
    """What validation chose; the paper's where it was not asked."""
    note = read_notes(GUIDANCE_FILE).get(name)
    return () if note is None else tuple(note["chosen"])  # pyright: ignore[reportArgumentType]


def generated(name: str, cases: "Cases", seeds: Sequence[int]) -> dict[str, object]:
    """All shots of a method, made on the GPU and kept; and the job that judges them."""
    from aesop.measuring.methods import Ask, generate

    named, guidance = method_called(name), chosen_guidance(name)
    task, method = named.task, method_here(named.name, guidance)
    for seed in seeds[:1] if task == "codec" else seeds:
        ask = Ask(task, seed)
        with lent.timed(f"{name}, {len(cases.cases)} shots of {cases.split}, seed {seed}"):
            method.prepare(cases.cases, ask)
            generate(method, cases, ask, lent.STATE / measuring.GENERATED)
    kind = {"kind": "codec"} if task == "codec" else {"kind": "task", "task": task}
    who = {"method": named.paper_name, "by": name, "guidance": guidance}
    return {**kind, **who, "weights": "baselines"}


def measure(args: argparse.Namespace) -> int:
    """Film the test split, method by method, then measure with all cores."""
    from travelling import TravelledCases

    travelled = TravelledCases(lent.STATE / "parcel" / measuring.TEST)
    jobs: list[dict[str, Any]] = []
    for split in args.splits:
        common: dict[str, Any] = {"split": split, "seeds": args.seeds, "at_most": args.at_most}
        tasks: set[Task] = {task_of(name) for name in args.methods if name != OURS} or {"film"}
        for name in args.methods:
            if name == OURS:
                jobs += [common | own_job(task) for task in sorted(tasks)]
            else:
                cases = travelled.cases(split, args.at_most, task_of(name) != "film")
                jobs.append(common | generated(name, cases, args.seeds))
    path = lent.STATE / "baseline_jobs.json"
    path.write_text(json.dumps(jobs), encoding="utf-8")
    request = argparse.Namespace(
        jobs=path,
        parcel=None,
        evaluators=SHIPPED / "evaluators",
        weights=[],
        out=args.out,
        workers=args.workers,
        threads=1,
        tf32=False,
        shots=True,
    )
    return measuring.measure(request)


def collect(args: argparse.Namespace) -> None:
    """Weights to a run folder, choices and curves to results; measured rows as `measure_h200.py`
    brings them."""
    join_pieces(sorted(args.came_back.iterdir()), args.run)
    settings = args.results / "training"
    settings.mkdir(parents=True, exist_ok=True)
    for name in (CHOICES_FILE, GUIDANCE_FILE):
        if (args.came_back / name).exists():
            shutil.copyfile(args.came_back / name, args.run / name)
    tell([args.run], settings / "baselines.json", "the compared methods at one exposure")
    told = json.loads((settings / "baselines.json").read_text(encoding="utf-8"))
    for name in (CHOICES_FILE, GUIDANCE_FILE):
        if (args.run / name).exists():
            told[name.removesuffix(".json")] = json.loads(
                (args.run / name).read_text(encoding="utf-8")
            )
    text = json.dumps(told, indent=1) + "\n"
    (settings / "baselines.json").write_text(text, encoding="utf-8")
    bundle = args.came_back / measuring.BUNDLE
    if bundle.exists():
        with ZipFile(bundle):
            measuring.collect(bundle, args.store, args.results)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("store", type=Path)
    packing.add_argument("parcel", type=Path)
    packing.add_argument("--validation-clips", type=int, default=1024)
    keeping = verbs.add_parser("keep", help="parts of a parcel that do not fit into one call")
    keeping.add_argument("--parcel", type=Path, required=True)
    training, guiding, judging = (verbs.add_parser(it) for it in ("train", "guide", "measure"))
    for verb in (training, guiding, judging):
        verb.add_argument(
            "methods", nargs="+", help="aesop, aesop-people, or names that `aesop train` has"
        )
        verb.add_argument("--out", type=Path, required=True)
    training.add_argument("--parcel", type=Path, help="what travelled with this call")
    training.add_argument("--steps", type=int, default=2000, help="of every method alike")
    training.add_argument("--codec-steps", type=int, default=12000, help="of pulpmotion-ae")
    training.add_argument("--minutes", type=float, help="at most, for each method")
    training.add_argument("--rates", type=float, nargs="+", default=RATES)
    training.add_argument("--rows", type=int, help="of a batch, instead of the recipe's")
    training.add_argument("--size", default="base", choices=("paper", "base", "tiny"))
    for verb in (training, guiding):
        verb.add_argument("--seed", type=int, default=0)
    guiding.add_argument("--at-most", type=int, default=256, help="validation shots")
    judging.add_argument("--at-most", type=int, help="test shots; all if not given")
    judging.add_argument("--splits", nargs="+", default=["test/pure"])
    judging.add_argument("--seeds", type=int, nargs="+", default=[0])
    judging.add_argument("--workers", type=int, default=14)
    collecting = verbs.add_parser("collect")
    collecting.add_argument("came_back", type=Path)
    collecting.add_argument("--run", type=Path, required=True)
    collecting.add_argument("--results", type=Path, default=lent.ROOT / "results")
    collecting.add_argument("--store", type=Path, help="for sheets beside the references")
    return parser.parse_args()


def main() -> int:
    args = read_arguments()
    lent.STATE.mkdir(parents=True, exist_ok=True)
    lent.make_importable()
    match args.verb:
        case "pack":
            pack(args)
        case "keep":
            lent.receive(args.parcel, lent.STATE / "parcel")
        case "train":
            train(args)
        case "guide":
            guide(args)
        case "measure":
            return measure(args)
        case _:
            collect(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
