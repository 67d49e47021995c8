"""Train the `base` codecs and flows on one lent GPU that knows nothing and forgets everything.

Here, with the package installed, the footage is packed into a few tens of megabytes:

    python lab/base_h200.py pack STORE parcel

There, with Python, torch, numpy, safetensors, jaxtyping and tqdm only, one or more phases are run
(with --minutes against the clock), and weights come back in pieces with the journal and record of
every phase:

    python3 lab/base_h200.py train human-codec camera-codec --parcel parcel --out "$OUT"

and here again the pieces become a run folder that `aesop` reads:

    python lab/base_h200.py collect PIECES... --run build/run
    python lab/base_h200.py tell build/run --out results/training/NAME.json --what "which run"
    python lab/base_h200.py ship build/run src/aesop/weights/base

A later call finds parcels and weights of an earlier one in the state folder if the machine is still
the same; otherwise send them again with --parcel and --weights. `ship` also works there, so that
what is measured is what ships.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch
    from torch import nn

    from aesop.models.phase_table import PhaseName
    from aesop.text.encoder import TextEncoder
    from aesop.training.loop import Conduct
    from aesop.training.recipes import Recipe
    from aesop.training.run_folder import Material

ROOT = Path(__file__).resolve().parents[1]
STATE = Path(tempfile.gettempdir()) / "aesop-base"
SPLITS = ("train", "validation")
ENCODER_FILE = "encoder.safetensors"
PAIRS = "pairs"
REPORT_FILE = "told.json"  # record and journal of a phase, in its folder
PAIRED = ("camera-flow-dpa", "camera-flow-ipa")
PIECE_BYTES = 15 << 20
# A tenth of a degree at most, far below the codec's own error; a flow to go on from must fit too.
PEOPLE_TURN_RAD = 2e-3
PROBE_STEPS = 300
CURVE_EVERY = 500
# What the clock must leave for reading, validating, whitening and writing, in seconds.
SPARE_SECONDS = 20.0


def make_importable() -> None:
    """Where the package is not installed, its source and a version are enough."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        version("aesop-motion")
    except PackageNotFoundError:
        facts = STATE / "aesop_motion-0.dist-info"
        facts.mkdir(parents=True, exist_ok=True)
        (facts / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: aesop-motion\nVersion: 0\n", encoding="utf-8"
        )
        sys.path[:0] = [str(ROOT / "src"), str(STATE)]


def pack(args: argparse.Namespace) -> None:
    """Footage, text encoder and pairs, ready to travel. People alone (windows and their words) are
    enough for the human parts, in a third of the size."""
    from aesop.data.store import open_store
    from aesop.training.footage import read_footage
    from parcel import Rounding, write_parcel, write_windows
    from travelling import texts_of, write_travelling_encoder

    store, parcel = open_store(args.store), args.parcel
    splits = read_footage(store, args.validation_clips)
    for name, split in zip(SPLITS, splits, strict=True):
        if args.people:
            write_windows(split, parcel / name, Rounding(joint_turn_rad=PEOPLE_TURN_RAD))
        else:
            write_parcel(split, parcel / name)
    captions = (text for split in splits for texts in split.human_captions for text in texts)
    texts = captions if args.people else texts_of(store)
    write_travelling_encoder(dict.fromkeys(texts), parcel / ENCODER_FILE)
    if args.pairs is not None:
        (parcel / PAIRS).mkdir(exist_ok=True)
        for path in args.pairs.glob("*.json"):
            shutil.copyfile(path, parcel / PAIRS / path.name)
    say_sizes(parcel)


def say_sizes(parcel: Path) -> None:
    for path in sorted(parcel.rglob("*")):
        if path.is_file():
            say(f"{path}: {path.stat().st_size / 2**20:.1f} MiB")


def say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


@contextmanager
def timed(what: str) -> Iterator[None]:
    start = time.monotonic()
    yield
    say(f"{what}: {time.monotonic() - start:.1f} s")


def receive(sent: Path | None, kept: Path) -> None:
    """Keep what travelled with this call for the calls after it."""
    if sent is None or not sent.is_dir():
        return
    for path in sorted(sent.rglob("*")):
        if path.is_file():
            target = kept / path.relative_to(sent)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def write_pieces(path: Path, out: Path, name: str) -> None:
    """Cut a file into pieces that may come back."""
    content = path.read_bytes()
    for number, first in enumerate(range(0, len(content), PIECE_BYTES)):
        (out / f"{name}.weights.{number:02d}").write_bytes(content[first : first + PIECE_BYTES])


def join_pieces(pieces: list[Path], run: Path) -> list[str]:
    """Put the pieces NAME.weights.00, .01 … together as run/NAME/weights.safetensors."""
    from aesop.models.weights import read_card

    names = sorted({path.name.split(".weights.")[0] for path in pieces if ".weights." in path.name})
    for name in names:
        own = sorted(path for path in pieces if path.name.startswith(f"{name}.weights."))
        target = run / name / "weights.safetensors"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(b"".join(path.read_bytes() for path in own))
        read_card(target)  # refuses what is not whole
        for path in pieces:
            if path.name == f"{name}.json":
                shutil.copyfile(path, target.with_name(REPORT_FILE))
    return names


def tell(runs: list[Path], out: Path, what: str) -> None:
    """Curves of every phase in the runs: all validations, and the training loss now and then."""
    phases: dict[str, object] = {}
    data: set[str] = set()
    for path in (path for run in runs for path in sorted(run.glob(f"*/{REPORT_FILE}"))):
        report = json.loads(path.read_text(encoding="utf-8"))
        record, journal = report["run"], report["journal"]
        data.add(record["data_sha256"])
        name = path.parent.name if len(runs) == 1 else f"{path.parts[-3]}/{path.parent.name}"
        phases[name] = {
            "seconds": round(report["seconds"], 1),
            "most_memory_bytes": report["most_memory_bytes"],
            "recipe": record["recipe"],
            "recipe_sha256": record["recipe_sha256"],
            "commit": record["code"]["commit"],
            "machine": record["machine"],
            "validation": [_rounded(it) for it in journal if it["kind"] == "validation"],
            "train": [
                _rounded({key: it[key] for key in ("step", "loss", "steps_per_second")})
                for it in journal
                if it["kind"] == "train" and it["step"] % CURVE_EVERY == 0
            ],
        }
    curves = {"what": what, "data_sha256": sorted(data), "phases": phases}
    out.write_text(json.dumps(curves, indent=1) + "\n", encoding="utf-8")


def _rounded(line: dict[str, float]) -> dict[str, float]:
    return {key: round(value, 6) for key, value in line.items() if key != "kind"}


def train(args: argparse.Namespace) -> None:
    """Run phases one after the other."""
    import torch

    from aesop.pairs.pair_files import read_plan
    from aesop.training.batch_order import pairs_on_footage
    from aesop.training.phases import train as train_phases
    from aesop.training.recipes import with_steps
    from aesop.training.run_folder import Material
    from parcel import read_parcel
    from travelling import TravellingMiniLM

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    receive(args.parcel, STATE / "parcel")
    run: Path = args.state_run
    if args.weights is not None:
        say(f"weights of {join_pieces(sorted(args.weights.iterdir()), run)} have arrived")
    args.out.mkdir(parents=True, exist_ok=True)
    with timed("footage"):
        both = [read_parcel(STATE / "parcel" / name, device) for name in SPLITS]
        encoder = TravellingMiniLM(STATE / "parcel" / ENCODER_FILE, device)
        plan = STATE / "parcel" / PAIRS
        needed = any(phase in PAIRED for phase in args.phases)
        pairs = pairs_on_footage(read_plan(plan), both[0]) if needed else None
        material = Material(both[0], both[1], encoder, pairs, args.start)
    for phase in args.phases:
        began = time.monotonic()
        conduct, recipe = arranged(phase, args, run, encoder)
        steps = args.steps or recipe.schedule.steps
        if args.minutes is not None:
            steps = fitting_steps(recipe, material, run, conduct, device, args.minutes * 60)
            conduct = paced(conduct, began + args.minutes * 60 + SPARE_SECONDS)
        with timed(phase):
            (result,) = train_phases([with_steps(recipe, steps)], material, run, conduct, device)
        report(run, phase, args.out, device, time.monotonic() - began)
        if result.finished:
            export(run, args.out, phase, encoder)
        else:
            say(f"{phase} was paused; the next call on this machine goes on with it")


def arranged(
    phase: "PhaseName", args: argparse.Namespace, run: Path, encoder: "TextEncoder"
) -> "tuple[Conduct, Recipe]":
    """How a phase is carried out, and what it learns, as the arguments say."""
    from aesop.training.loop import Conduct
    from aesop.training.recipe_book import factual_control, recipe_for
    from aesop.training.recipes import PairedFlowRecipe

    conduct, recipe = Conduct(resume=True, compiled=args.compiled), recipe_for(phase, args.size)
    if phase == "human-flow":
        conduct = replace(conduct, keep=human_flow_keeper(run, args.out, encoder))
    if args.validate_every is not None:
        watch = replace(recipe.watch, validate_every=args.validate_every)
        recipe = replace(recipe, watch=watch)
    if args.factual and isinstance(recipe, PairedFlowRecipe):
        recipe = factual_control(recipe)
    return conduct, recipe


def human_flow_keeper(
    run: Path, out: Path, encoder: "TextEncoder"
) -> "Callable[[nn.Module, int], None]":
    """Sends the averaged weights home after every validation: this machine may go away."""
    import torch

    from aesop.models.velocity import FlowTransformer
    from aesop.models.weights import new_part, save_part
    from aesop.training.run_folder import RunFolder

    human = RunFolder(run, torch.device("cpu")).human_codec()

    def keep(network: "nn.Module", steps: int) -> None:
        assert isinstance(network, FlowTransformer)
        part = new_part("human-flow", network, (human,), encoder, {"steps": str(steps)})
        path = run / "kept.safetensors"
        save_part(part, path, "float16")
        write_pieces(path, out, "kept-human-flow")
        say(f"human-flow: averaged weights after {steps} steps are kept")

    return keep


def paced(conduct: "Conduct", deadline: float) -> "Conduct":
    """Pauses when the clock says so."""
    return replace(conduct, pause=lambda: time.monotonic() > deadline)


def fitting_steps(
    recipe: "Recipe",
    material: "Material",
    run: Path,
    conduct: "Conduct",
    device: "torch.device",
    seconds: float,
) -> int:
    """How many steps end in time; a phase that an earlier call began keeps its number."""
    note = run / f"{recipe.phase}.steps"
    if note.exists():
        return int(note.read_text(encoding="utf-8"))
    began = time.monotonic()
    rate = steps_per_second(recipe, material, run, conduct, device)
    probed = time.monotonic() - began
    # Half of the probe's time comes again: encoding texts is remembered, encoding clips is not.
    left = seconds - 1.5 * probed - SPARE_SECONDS
    steps = max(1, min(recipe.schedule.steps, int(left * rate)))
    say(
        f"{recipe.phase}: {rate:.1f} steps a second (probe {probed:.1f} s), so {steps} of "
        f"{recipe.schedule.steps} steps"
    )
    note.write_text(str(steps), encoding="utf-8")
    return steps


def steps_per_second(
    recipe: "Recipe", material: "Material", run: Path, conduct: "Conduct", device: "torch.device"
) -> float:
    """Train a few steps and throw them away."""
    from aesop.training.phases import train as train_phases
    from aesop.training.recipes import with_steps

    short = with_steps(recipe, PROBE_STEPS)
    quiet = replace(short.watch, log_every=50, validate_every=10**9, checkpoint_every=10**9)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        for part in run.glob("*/weights.safetensors"):
            (scratch / part.parent.name).mkdir()
            shutil.copyfile(part, scratch / part.parent.name / part.name)
        train_phases([replace(short, watch=quiet)], material, scratch, conduct, device)
        lines = (scratch / recipe.phase / "log.jsonl").read_text(encoding="utf-8").splitlines()
    rates = [json.loads(line).get("steps_per_second") for line in lines]
    return sorted(rate for rate in rates if rate)[len(rates) // 2]  # captures slow the first ones


def report(
    run: Path, phase: "PhaseName", out: Path, device: "torch.device", seconds: float
) -> None:
    """Record and journal in one file."""
    import torch

    memory = torch.cuda.max_memory_allocated(device) if device.type == "cuda" else 0
    facts = {
        "seconds": seconds,
        "most_memory_bytes": memory,
        "run": json.loads((run / phase / "run.json").read_text(encoding="utf-8")),
        "journal": [
            json.loads(it)
            for it in (run / phase / "log.jsonl").read_text(encoding="utf-8").splitlines()
        ],
    }
    (out / f"{phase}.json").write_text(json.dumps(facts), encoding="utf-8")
    validated = [line for line in facts["journal"] if line["kind"] == "validation"]
    say(f"{phase}: {seconds:.0f} s, {memory / 2**30:.1f} GiB, {validated[-1:]}")


def export(run: Path, out: Path, phase: "PhaseName", encoder: "TextEncoder") -> None:
    """Codecs as they are, flows in half precision: what comes back is bounded."""
    import torch

    from aesop.models.weights import load_human_flow, save_part
    from aesop.training.run_folder import RunFolder, weights_path

    path = weights_path(run, phase)
    if not phase.endswith(("codec", "decoder")):
        folder = RunFolder(run, torch.device("cpu"))
        human = folder.human_codec()
        if phase == "human-flow":
            part = load_human_flow(path, human, encoder)
        else:
            part = folder.camera_flow(phase, (human, folder.camera_codec(human)), encoder)
        path = path.with_name("half.safetensors")
        save_part(part, path, "float16")
    write_pieces(path, out, phase)


def ship_run(run: Path, folder: Path) -> None:
    """The last phase of every part, flat and in half precision."""
    import torch

    from aesop.director.trained_parts import Parts, ship
    from travelling import TravellingMiniLM

    travelled = STATE / "parcel" / ENCODER_FILE
    encoder = TravellingMiniLM(travelled, torch.device("cpu")) if travelled.exists() else None
    for path in ship(Parts(run, encoder=encoder), folder):
        say(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("store", type=Path)
    packing.add_argument("parcel", type=Path)
    packing.add_argument("--validation-clips", type=int, default=1024)
    packing.add_argument("--people", action="store_true", help="what human phases need, no shots")
    packing.add_argument("--pairs", type=Path, help="pairs built from the same store")
    training = verbs.add_parser("train")
    training.add_argument("phases", nargs="+")
    training.add_argument("--parcel", type=Path, help="what travelled with this call")
    training.add_argument("--weights", type=Path, help="folder of pieces from earlier calls")
    training.add_argument("--state-run", type=Path, default=STATE / "run")
    training.add_argument("--out", type=Path, required=True)
    length = training.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, help="for each phase: as many steps as fit")
    length.add_argument("--steps", type=int, help="instead of the recipe's own number")
    training.add_argument(
        "--start", type=Path, help="weights that the phase of their part goes on from"
    )
    training.add_argument("--validate-every", type=int, help="instead of the recipe's own number")
    training.add_argument("--factual", action="store_true", help="control: originals in all slots")
    training.add_argument("--size", default="base", choices=("paper", "base", "tiny"))
    training.add_argument("--compiled", action="store_true")
    collecting = verbs.add_parser("collect")
    collecting.add_argument("pieces", type=Path, nargs="+")
    collecting.add_argument("--run", type=Path, required=True)
    telling = verbs.add_parser("tell")
    telling.add_argument("runs", type=Path, nargs="+", help="folders that `collect` made")
    telling.add_argument("--out", type=Path, required=True)
    telling.add_argument("--what", required=True, help="which training this was")
    shipping = verbs.add_parser("ship")
    shipping.add_argument("run", type=Path)
    shipping.add_argument("folder", type=Path)
    return parser.parse_args()


def main() -> None:
    args = read_arguments()
    STATE.mkdir(parents=True, exist_ok=True)
    make_importable()
    if args.verb == "pack":
        pack(args)
    elif args.verb == "train":
        args.state_run.mkdir(parents=True, exist_ok=True)
        train(args)
    elif args.verb == "collect":
        join_pieces(args.pieces, args.run)
    elif args.verb == "ship":
        ship_run(args.run, args.folder)
    else:
        tell(args.runs, args.out, args.what)


if __name__ == "__main__":
    main()
