"""Train the methods that AESOP is compared with on one lent GPU, at one exposure for all, and
measure them.

Here, with the package installed, footage, validation and test cases and the text encoder are
packed:

    python lab/baselines_h200.py pack STORE parcel

There, every method is tried with each learning rate over an eighth of the steps; the rate that
validates best is trained over all of them, or over as many as fit into --minutes, which are the
winner's alone: trials come on top, so that a slow method does not pay for them twice. With
--call-minutes nothing is begun that would not end before the call does. `aesop` is our camera flow
beside our codecs, trained anew over the same steps; they come from --codecs, from a parcel that was
packed with --codecs, or from the weights that ship where the tree has them:

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

A method without weights is left out, and said; rows come back after every method. What is
finished is not done again on the same machine. One call brings back eight files and 64 MiB: what is
left of weights comes with this, again and again until nothing is (--again begins anew):

    python3 lab/baselines_h200.py send --out "$OUT"

`lab/baselines.sh` does all of this as one job. On another machine what came home goes on so, with
the choices beside the weights:

    python3 lab/baselines_h200.py keep --parcel parcel --weights CAME_BACK

Here again, with the files of all calls in one folder:

    python lab/baselines_h200.py collect OUT --run build/baselines --results results
"""

import argparse
import json
import math
import shutil
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import base_h200 as lent
import measure_h200 as measuring
from baseline_names import (
    CHOICES_FILE,
    CODECS,
    GUIDANCE_FILE,
    JUDGED,
    OUR_PHASE,
    OURS,
    PEOPLE,
    PEOPLE_PHASE,
    SHIPPED,
    has_shipped_people,
    home,
    outbox,
    phase_called,
    phase_done,
    read_notes,
    steps_of,
    write_notes,
)
from baseline_rows import guide, measure
from pieces import SENT_FILE, hand_over, join_pieces, tell, write_pieces

if TYPE_CHECKING:
    import torch

    from aesop.models.phase_table import PartName
    from aesop.text.encoder import TextEncoder
    from aesop.training.recipes import Recipe
    from aesop.training.run_folder import Material

RATES = (4e-4, 1e-4)
TRIAL_SHARE = 8  # a trial has so many times fewer steps
OUR_CODEC_PARTS: "tuple[PartName, ...]" = ("human-codec", "camera-codec")
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
    if args.codecs is not None:
        pack_codecs(args.codecs, args.parcel / CODECS)
    lent.say_sizes(args.parcel)


def pack_codecs(weights: Path, folder: Path) -> None:
    """Both codecs of a folder of weights, as they ship."""
    from aesop.models.weights import flat_name, part_file

    folder.mkdir(parents=True, exist_ok=True)
    for part in OUR_CODEC_PARTS:
        path = part_file(weights, part)
        if path is None:
            sys.exit(f"{weights} has no {part}; name weights that have both codecs with --codecs")
        shutil.copyfile(path, folder / flat_name(part))


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
    adopt_codecs(home(), args)
    if PEOPLE in args.methods and has_shipped_people(home()):
        shutil.rmtree(home() / PEOPLE_PHASE)
    with lent.timed("footage"):
        material = read_material(device)
    for name in args.methods:
        began = time.monotonic()
        if phase_done(home(), name):
            lent.say(f"{name} is there already")
            continue
        trained = train_one(name, args, material, device)
        if trained is None:
            continue
        note_choice(name, trained)
        send_home(name, material.encoder, time.monotonic() - began, device)
        if args.out is not None:
            send(args)


def send(args: argparse.Namespace) -> None:
    """What fits into this call."""
    args.out.mkdir(parents=True, exist_ok=True)
    if args.verb == "send" and args.again:
        (outbox() / SENT_FILE).unlink(missing_ok=True)
    left = hand_over(outbox(), args.out) if outbox().is_dir() else []
    if left:
        lent.say(f"{len(left)} files are left for further calls of `send`: {', '.join(left)}")


def keep(args: argparse.Namespace) -> None:
    """What travelled, for the calls after this one: a parcel, and weights of another machine with
    what was chosen for them."""
    lent.receive(args.parcel, lent.STATE / "parcel")
    if args.weights is None:
        return
    home().mkdir(parents=True, exist_ok=True)
    lent.say(f"there are {', '.join(join_pieces([args.weights], home()))}")
    for name in (CHOICES_FILE, GUIDANCE_FILE):
        if (args.weights / name).exists():
            shutil.copyfile(args.weights / name, home() / name)


def read_material(device: "torch.device") -> "Material":
    from aesop.training.run_folder import Material
    from parcel import read_parcel
    from travelling import TravellingMiniLM

    parcel = lent.STATE / "parcel"
    train_split, validation = (read_parcel(parcel / name, device) for name in lent.SPLITS)
    lent.say(f"{len(train_split.shot_names)} shots, {len(validation.shot_names)} to validate on")
    encoder = TravellingMiniLM(parcel / lent.ENCODER_FILE, device)
    return Material(train_split, validation, encoder)


def adopt_codecs(run: Path, args: argparse.Namespace) -> None:
    """Our codecs, for our own flows; measuring wants them too. Where ours are to be trained and
    there are none, everything ends here, before any footage is read."""
    from aesop.models.weights import run_file
    from aesop.training.run_folder import adopt_parts

    for folder in (args.codecs, lent.STATE / "parcel" / CODECS, SHIPPED / "base"):
        if folder is not None:
            adopt_parts(folder, run, OUR_PHASE)
    missing = [part for part in OUR_CODEC_PARTS if run_file(run, part) is None]
    ours = [name for name in args.methods if name in (OURS, PEOPLE)]
    if missing and ours:
        sys.exit(
            f"{ours[0]} needs {' and '.join(missing)}: send them with --codecs FOLDER, or pack the "
            "parcel with --codecs"
        )


def recipe_of(name: str, args: argparse.Namespace, steps: int, rate: float) -> "Recipe":
    """The recipe of a size over so many steps at a rate. Averages reach over a tenth of the steps
    at most: one that is longer than the training would still show its beginning."""
    from aesop.models.phase_table import method_of
    from aesop.text.minilm import WIDTH
    from aesop.training.recipe_book import method_recipe, recipe_for
    from aesop.training.recipes import with_steps

    method = method_of(name)
    if method is None:
        whole = recipe_for(PEOPLE_PHASE if name == PEOPLE else OUR_PHASE, args.size, WIDTH)
    else:
        whole = method_recipe(method, args.size, WIDTH)
    recipe = with_steps(whole, steps)
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
) -> tuple[list[RateTrial], RateTrial] | None:
    """Trials, then the winner, whose minutes begin after them: every method has the same for its
    steps. Steps that do not fit are left out, and the cosine ends where they do. None where the
    call ends before it would: half a training brings nothing home."""
    wanted = steps_of(name, args)
    short = max(1, wanted // TRIAL_SHARE)
    trials: list[RateTrial] = []
    for rate in args.rates:
        if seconds_left(args) < 2 * SPARE_SECONDS:
            lent.say(f"{name}: no time of this call is left to try it")
            return None
        run = lent.STATE / "trials" / f"{name}-{rate:g}"
        trials.append(run_recipe(name, recipe_of(name, args, short, rate), material, run, device))
    best = min(trials, key=lambda trial: trial.validation_loss)
    each = min(trial.seconds / trial.steps for trial in trials)
    own_seconds = math.inf if args.minutes is None else 60 * args.minutes
    steps = max(short, fitting_steps(wanted, own_seconds, each))
    steps = fitting_steps(steps, seconds_left(args), each)
    if steps < short:
        lent.say(f"{name}: no time of this call is left to train it longer than its trials")
        return None
    if steps < wanted:
        lent.say(f"{name}: only {steps} of {wanted} steps fit into its minutes")
    recipe = recipe_of(name, args, steps, best.learning_rate)
    return trials, run_recipe(name, recipe, material, home(), device)


def seconds_left(args: argparse.Namespace) -> float:
    """Of this call."""
    if args.call_minutes is None:
        return math.inf
    return lent.STARTED + 60 * args.call_minutes - time.monotonic()


def fitting_steps(wanted: int, seconds: float, each: float) -> int:
    """How many of the steps, so many seconds each, end in time; reading, captures, validation and
    writing have their share."""
    left = seconds - SPARE_SECONDS
    return wanted if left >= wanted * each else max(0, int(left / each))


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
    shutil.rmtree(run / recipe.phase, ignore_errors=True)  # half of it is of no use
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


def send_home(name: str, encoder: "TextEncoder", seconds: float, device: "torch.device") -> None:
    """The journal, what was chosen, and weights in half precision in pieces: into the outbox."""
    from aesop.baselines.baseline_table import load_trained
    from aesop.models.phase_table import method_of
    from aesop.models.weights import save_part
    from aesop.training.run_folder import weights_path

    phase, method, out = phase_called(name), method_of(name), outbox()
    out.mkdir(parents=True, exist_ok=True)
    lent.report(home(), phase, out, device, seconds)
    shutil.copyfile(home() / CHOICES_FILE, out / CHOICES_FILE)
    if method is None:
        lent.export(home(), out, OUR_PHASE, encoder)
        return
    path = weights_path(home(), phase).with_name("half.safetensors")
    save_part(load_trained(home(), method, encoder), path, "float16")
    write_pieces(path, out, phase)


def collect(args: argparse.Namespace) -> None:
    """Weights to a run folder, choices and curves to results; measured rows as `measure_h200.py`
    brings them."""
    join_pieces(sorted(args.came_back.iterdir()), args.run)
    settings = args.results / "training"
    settings.mkdir(parents=True, exist_ok=True)
    for name in (CHOICES_FILE, GUIDANCE_FILE):
        if (args.came_back / name).exists():
            shutil.copyfile(args.came_back / name, args.run / name)
    what = "the compared methods, each at the steps its recipe names"
    tell([args.run], settings / "baselines.json", what)
    chosen = json.loads((settings / "baselines.json").read_text(encoding="utf-8"))
    for name in (CHOICES_FILE, GUIDANCE_FILE):
        if (args.run / name).exists():
            chosen[name.removesuffix(".json")] = json.loads(
                (args.run / name).read_text(encoding="utf-8")
            )
    text = json.dumps(chosen, indent=1) + "\n"
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
    packing.add_argument("--codecs", type=Path, help="weights whose codecs travel with it")
    keeping = verbs.add_parser("keep", help="what travels and does not fit into one call")
    keeping.add_argument("--parcel", type=Path, help="a part of it")
    keeping.add_argument("--weights", type=Path, help="a folder of what came home from elsewhere")
    training, guiding, judging = (verbs.add_parser(it) for it in ("train", "guide", "measure"))
    for verb in (training, guiding, judging):
        verb.add_argument(
            "methods", nargs="+", help="aesop, aesop-people, or names that `aesop train` has"
        )
        verb.add_argument("--out", type=Path, required=verb is not training)
    training.add_argument("--parcel", type=Path, help="what travelled with this call")
    training.add_argument("--steps", type=int, default=2000, help="of every method alike")
    training.add_argument("--codec-steps", type=int, default=12000, help="of pulpmotion-ae")
    training.add_argument("--minutes", type=float, help="for the winner of each method's trials")
    training.add_argument("--call-minutes", type=float, help="within which all of this call ends")
    training.add_argument("--codecs", type=Path, help="weights whose codecs our own flows read")
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
    judging.add_argument("--evaluators", type=Path, default=SHIPPED / "evaluators")
    sending = verbs.add_parser("send", help="what earlier calls could not bring back")
    sending.add_argument("--out", type=Path, required=True)
    sending.add_argument("--again", action="store_true", help="from the start")
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
            keep(args)
        case "train":
            train(args)
        case "guide":
            guide(args)
        case "measure":
            return measure(args)
        case "send":
            send(args)
        case _:
            collect(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
