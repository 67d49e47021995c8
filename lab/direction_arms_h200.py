"""Does DPA help where captions are thin? Three arms, three training seeds, one start, one lent GPU.

Here, with the package installed, thin Fables and its direction pairs are made and packed:

    aesop data build thin build/thin --data STORE
    aesop pairs build direction build/thin_pairs --data build/thin --codec src/aesop/weights/base
    python lab/direction_arms_h200.py pack build/thin parcel --pairs build/thin_pairs

There, the camera flow is trained anew on thin captions, beside the codecs that ship, and every arm
goes on from it: with ordinary shots only, with factual pairs, with direction pairs; the same
updates, rows and noise for the same seed. What is finished is not done again, so a call that runs
out of time is simply repeated on the same machine:

    python3 lab/direction_arms_h200.py train --parcel parcel --minutes 9
    python3 lab/direction_arms_h200.py measure --out "$OUT"

And here again one table is made, with mean and sample deviation over the training seeds:

    python lab/direction_arms_h200.py collect OUT/results.zip --results results
"""

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from zipfile import ZipFile

import base_h200 as lent
import measure_h200 as measuring

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from aesop.measuring.runs import Result
    from aesop.models.phase_table import PhaseName
    from aesop.training.recipes import PairedFlowRecipe, Recipe
    from aesop.training.run_folder import Material

Arm = Literal["none", "factual", "direction"]
ARMS: dict[Arm, str] = {
    "none": "no pairs",
    "factual": "factual pairs",
    "direction": "direction pairs",
}
START = "start"
SHIPPED = lent.ROOT / "src" / "aesop" / "weights"
PHASE: "PhaseName" = "camera-flow-dpa"


def pack(args: argparse.Namespace) -> None:
    """What is trained on, the pairs, the test cases, and one encoder for all their words."""
    lent.pack(
        argparse.Namespace(
            store=args.store,
            parcel=args.parcel,
            validation_clips=args.validation_clips,
            people=False,
            pairs=args.pairs,
        )
    )
    measuring.pack(args.store, args.parcel, measuring.TEST)


def home() -> Path:
    """Where the runs of all arms lie on the lent machine."""
    return lent.STATE / "arms"


def runs_of(seeds: list[int]) -> "Iterator[tuple[str, Arm, int]]":
    """Seed by seed, so that whole comparisons are there early."""
    for seed in seeds:
        for arm in ARMS:
            yield f"{arm}-{seed}", arm, seed


def train(args: argparse.Namespace) -> int:
    """The start, then every arm; the exit status, 3 if time ran out first."""
    import torch

    from aesop.text.minilm import WIDTH
    from aesop.training.recipe_book import recipe_for
    from aesop.training.recipes import with_steps
    from aesop.training.run_folder import weights_path

    deadline = time.monotonic() + args.minutes * 60
    lent.receive(args.parcel, lent.STATE / "parcel")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    material = read_material(device)
    flow = with_steps(recipe_for("camera-flow", args.size, WIDTH), args.start_steps)
    # A start of its own, the same for all: its seed is no arm's.
    if not run_phase(START, replace(flow, seed=1_000), material, args, device, deadline):
        return 3
    started = replace(material, start=weights_path(home() / START, "camera-flow"))
    continued = with_steps(recipe_for(PHASE, args.size, WIDTH), args.steps)
    for name, arm, seed in runs_of(args.seeds):
        recipe = replace(of_arm(continued, arm), seed=seed)
        if not run_phase(name, recipe, started, args, device, deadline):
            return 3
    return 0


def read_material(device: "torch.device") -> "Material":
    """What travelled, as a training reads it."""
    from aesop.pairs.pair_files import read_plan
    from aesop.training.batch_order import pairs_on_footage
    from aesop.training.run_folder import Material
    from parcel import read_parcel
    from travelling import TravellingMiniLM

    parcel = lent.STATE / "parcel"
    with lent.timed("footage"):
        footage = [read_parcel(parcel / name, device) for name in lent.SPLITS]
        encoder = TravellingMiniLM(parcel / lent.ENCODER_FILE, device)
        pairs = pairs_on_footage(read_plan(parcel / lent.PAIRS), footage[0])
    lent.say(f"{len(footage[0].shot_names)} shots, {len(pairs.pairs)} pairs")
    return Material(footage[0], footage[1], encoder, pairs)


def of_arm(recipe: "Recipe", arm: Arm) -> "PairedFlowRecipe":
    """The same updates and rows; what fills the slots is the arm."""
    from aesop.training.recipe_book import factual_control
    from aesop.training.recipes import PairedFlowRecipe

    assert isinstance(recipe, PairedFlowRecipe)
    # Arms are compared as they end: weights chosen by validation would be chosen at other steps.
    recipe = replace(recipe, watch=replace(recipe.watch, keep="last"))
    if arm == "none":
        return replace(recipe, slots=replace(recipe.slots, direction=((0, 0.0),)))
    return factual_control(recipe) if arm == "factual" else recipe


def run_phase(
    name: str,
    recipe: "Recipe",
    material: "Material",
    args: argparse.Namespace,
    device: "torch.device",
    deadline: float,
) -> bool:
    """Train one phase in a run of its own with the codecs that ship; whether it came to its end.
    One that was paused goes on in the next call."""
    from aesop.training.loop import Conduct
    from aesop.training.phases import train as train_phases

    if time.monotonic() > deadline:
        return False
    conduct = lent.paced(Conduct(resume=True, compiled=args.compiled), deadline)
    with lent.timed(name):
        (result,) = train_phases(
            [recipe], material, home() / name, conduct, device, adopt=args.weights
        )
    return result.finished


def measure(args: argparse.Namespace) -> int:
    """Direction of the start and of every arm that is finished; the exit status."""
    from aesop.measuring.jobs import read_jobs, run_jobs
    from aesop.pages.result_pages import write_job
    from aesop.training.run_folder import weights_path

    names = [(START, "start")] + [
        (name, f"{ARMS[arm]}, training {seed}") for name, arm, seed in runs_of(args.seeds)
    ]
    done = [
        (name, method)
        for name, method in names
        if weights_path(home() / name, "camera-flow" if name == START else PHASE).is_file()
    ]
    args.out.mkdir(parents=True, exist_ok=True)
    jobs_file = home() / "jobs.json"
    shared = {"kind": "direction", "split": args.split, "preset": "fast", "seeds": args.noises}
    jobs = [
        {**shared, "method": method, "weights": name, "at_most": args.at_most}
        for name, method in done
    ]
    jobs_file.write_text(json.dumps(jobs), encoding="utf-8")
    lent.receive(args.evaluators, lent.STATE / "evaluators")
    setup = measuring.ParcelSetup(
        parcel=lent.STATE / "parcel",
        weights=tuple((name, home() / name) for name, _ in done),
        evaluators=lent.STATE / "evaluators",
        shots=None,
        threads=1,
        tf32=False,
    )
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    made, failed = Path(tempfile.mkdtemp(dir=lent.STATE)), False
    for state in run_jobs(read_jobs(jobs_file), setup, args.workers, lent.say):
        write_job(made, state)
        failed |= bool(state.errors)
        measuring.bundle(made, args.out)
    lent.say(f"{len(done)} of {len(names)} runs measured")
    return 2 if failed or len(done) < len(names) else 0


def collect(came_back: Path, results: Path) -> "list[Result]":
    """One result per arm, joined over its trainings, in results/direction."""
    from aesop.measuring.runs import joined_trainings, read_result, write_json

    with tempfile.TemporaryDirectory() as folder, ZipFile(came_back) as file:
        file.extractall(folder)
        measuring.unpack(Path(folder), None, Path(folder) / "stamped")
        found = [read_result(path) for path in sorted(Path(folder, "stamped").rglob("*.json"))]
    joined: list[Result] = [it for it in found if it.setting.method == "start"]
    for label in ARMS.values():
        own = [it for it in found if it.setting.method.startswith(f"{label}, training ")]
        joined.append(joined_trainings(own, f"AESOP on thin captions, {label}"))
    for result in joined:
        name = result.setting.method.lower().replace(", ", "_").replace(" ", "-")
        write_json(results / "direction" / f"film_{name}.json", result)
        shown = ", ".join(
            f"{it.metric.removeprefix('direction_')} {it.mean:.2f}"
            + (f" ± {it.sd:.2f}" if it.sd is not None else "")
            for it in result.metrics
        )
        lent.say(f"{result.setting.method}: {shown}")
    return joined


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("store", type=Path, help="a thin store")
    packing.add_argument("parcel", type=Path)
    packing.add_argument("--pairs", type=Path, required=True, help="direction pairs of that store")
    packing.add_argument("--validation-clips", type=int, default=256)
    training = verbs.add_parser("train")
    training.add_argument("--parcel", type=Path, help="what travelled with this call")
    training.add_argument("--weights", type=Path, default=SHIPPED / "base", help="for the codecs")
    training.add_argument("--minutes", type=float, default=9.0, help="pause after so many")
    training.add_argument("--start-steps", type=int, default=12_000)
    training.add_argument("--steps", type=int, default=4_000, help="of every arm: about a minute")
    training.add_argument("--size", default="base", choices=("paper", "base", "tiny"))
    training.add_argument("--compiled", action="store_true")
    looking = verbs.add_parser("measure")
    looking.add_argument("--out", type=Path, required=True)
    looking.add_argument("--evaluators", type=Path, default=SHIPPED / "evaluators")
    looking.add_argument("--split", default="test/pure")
    looking.add_argument("--at-most", type=int, default=None, help="cases; all if not given")
    looking.add_argument("--noises", type=int, nargs="+", default=[0])
    looking.add_argument("--workers", type=int, default=12)
    for verb in (training, looking):
        verb.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="of training")
    collecting = verbs.add_parser("collect")
    collecting.add_argument("came_back", type=Path)
    collecting.add_argument("--results", type=Path, default=lent.ROOT / "results")
    return parser.parse_args()


def main() -> int:
    args = read_arguments()
    lent.STATE.mkdir(parents=True, exist_ok=True)
    lent.make_importable()
    match args.verb:
        case "pack":
            pack(args)
        case "train":
            return train(args)
        case "measure":
            return measure(args)
        case _:
            collect(args.came_back, args.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
