"""Train the `base` codecs and flows on one lent GPU that knows nothing and forgets everything.

Here, with the package installed, the footage is packed into a few tens of megabytes:

    python lab/base_h200.py pack STORE parcel

There, with Python, torch, numpy, safetensors, jaxtyping and tqdm only, one or more phases are run
(with --minutes against the clock), and weights come back in pieces with the journal and record of
every phase:

    python3 lab/base_h200.py train human-codec camera-codec --parcel parcel --out "$OUT"

Cameras of the second edition of Fables need not travel: windows alone do, with the human codec, and
are filmed there, on all cores, while the GPU may be busy with something else:

    python lab/base_h200.py pack-windows STORE parcel --human-codec FILE
    python3 lab/base_h200.py draw --parcel parcel/windows                    # resumable
    python3 lab/base_h200.py train camera-codec camera-decoder camera-flow --drawn \\
        --parcel parcel/words --out "$OUT"

and here again the pieces become a run folder that `aesop` reads:

    python lab/base_h200.py collect PIECES... --run build/run
    python lab/base_h200.py tell build/run --out results/training/NAME.json --what "which run"
    python lab/base_h200.py ship build/run src/aesop/weights/base

A later call finds parcels and weights of an earlier one in the state folder if the machine is still
the same; otherwise send them again with --parcel and --weights. `ship` also works there.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pacing import (
    SPARE_SECONDS,
    STARTED,
    fitting_steps,
    paced,
    progress_now_and_then,
    say,
    timed,
)
from pieces import human_flow_keeper, join_pieces, tell, write_pieces

if TYPE_CHECKING:
    import torch

    from aesop.models.phase_table import PhaseName, TrainingName
    from aesop.text.encoder import TextEncoder
    from aesop.training.footage import Footage
    from aesop.training.recipes import Recipe
    from aesop.training.run_folder import Material
    from drawn_cameras import Drawing

ROOT = Path(__file__).resolve().parents[1]
STATE = Path(tempfile.gettempdir()) / "aesop-base"
TEXTS = STATE / "texts"  # what any call has encoded
SPLITS = ("train", "validation")
ENCODER_FILE = "encoder.safetensors"
HUMAN_CODEC_FILE = "human_codec.safetensors"
PAIRS = "pairs"
PAIRED = ("camera-flow-dpa", "camera-flow-ipa")
# A tenth of a degree at most, far below the codec's own error; a flow to go on from must fit too.
PEOPLE_TURN_RAD = 2e-3
VALIDATION_CAMERAS = 4  # of the vocabulary, a window


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


def pack_windows(args: argparse.Namespace) -> None:
    """What cameras that are drawn there need, in two folders that may travel in two calls: windows,
    and the text encoder with the human codec that cameras are learnt beside."""
    from aesop.camera_words.caption_teller import caption_sources
    from aesop.data.store import open_store
    from aesop.training.footage import read_footage
    from parcel import Rounding, write_windows
    from travelling import camera_texts, write_travelling_encoder

    store, words = open_store(args.store), args.parcel / "words"
    words.mkdir(parents=True, exist_ok=True)
    texts = dict.fromkeys((*camera_texts(store), *caption_sources()))
    write_travelling_encoder(texts, words / ENCODER_FILE, all_words=True)
    shutil.copyfile(args.human_codec, words / HUMAN_CODEC_FILE)
    splits = read_footage(store, validation_clips=10**9)
    for name, split in zip(SPLITS, splits, strict=True):
        folder = args.parcel / "windows" / name
        write_windows(split, folder, Rounding(joint_turn_rad=PEOPLE_TURN_RAD))
    say_sizes(args.parcel)


def say_sizes(parcel: Path) -> None:
    sizes = {it: it.stat().st_size / 2**20 for it in sorted(parcel.rglob("*")) if it.is_file()}
    for path, size in {**sizes, "together": sum(sizes.values())}.items():
        say(f"{path}: {size:.1f} MiB")


def receive(sent: Path | None, kept: Path) -> None:
    """Keep what travelled with this call for the calls after it."""
    if sent is None or not sent.is_dir():
        return
    for path in sorted(sent.rglob("*")):
        if path.is_file():
            target = kept / path.relative_to(sent)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def draw(args: argparse.Namespace) -> None:
    """Film the windows of both splits by the second edition's cameras."""
    import torch

    from drawn_cameras import draw as draw_split
    from filmed_windows import windows_to_film

    receive(args.parcel, STATE / "parcel")
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[threads] = "1"  # of the processes that draw: each has one core
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for drawing in drawings(args):
        with timed(f"cameras of {drawing.split}"):
            windows = windows_to_film(drawing.split, args, device)
            windows = replace(
                windows,
                humans=windows.humans.to(torch.device("cpu")),
                cameras=windows.cameras.to(torch.device("cpu")),
                human_of_shot=windows.human_of_shot.cpu(),
            )
            draw_split(windows, drawing, args.workers, progress_now_and_then())


def drawings(args: argparse.Namespace) -> "tuple[Drawing, ...]":
    """Validation first: it is small, and whoever waits for it can go on."""
    from aesop.fables.build import VocabularyRecipe
    from drawn_cameras import Drawing

    recipe = VocabularyRecipe(vocabulary_cameras=args.cameras)
    recipe = replace(recipe, train=replace(recipe.train, any_run=args.movements))
    few = replace(recipe, vocabulary_cameras=VALIDATION_CAMERAS, more_for_goers=0)
    return (
        Drawing(few, "validation", STATE / "drawn" / "validation"),
        Drawing(recipe, "train", STATE / "drawn" / "train"),
    )


def first_windows(windows: "Footage", count: int | None) -> "Footage":
    """All windows, or a few to try everything before."""
    from aesop.training.footage import Ragged

    count = len(windows.humans) if count is None else count
    starts = windows.humans.starts[: count + 1]
    return replace(
        windows,
        humans=Ragged(windows.humans.values[: int(starts[-1])], starts),
        human_names=windows.human_names[:count],
        human_captions=windows.human_captions[:count],
    )


def footage_here(
    args: argparse.Namespace, device: "torch.device", at_most: int | None = None
) -> "tuple[Footage, Footage]":
    """Training and validation footage: as it travelled, or (so many shots of) what was drawn."""
    from drawn_cameras import kept_windows, read_drawn
    from parcel import read_parcel

    validation = read_parcel(STATE / "parcel" / "validation", device)
    if not args.drawn:
        return read_parcel(STATE / "parcel" / "train", device), validation
    few, many = drawings(args)
    if args.people:
        train = kept_windows(validation, many)
    else:
        train = first_windows(read_parcel(STATE / "parcel" / "train", device), args.windows)
    validation = first_windows(validation, args.windows)
    footage = read_drawn(train, many, at_most), read_drawn(validation, few, args.validation_clips)
    for one in footage:
        captions = sum(map(len, one.camera_captions))
        say(f"{len(one.cameras)} shots of {len(one.humans)} windows, {captions} captions")
    return footage


def train(args: argparse.Namespace) -> None:
    """Run phases one after the other, until the call's time is over."""
    import torch

    from aesop.training.run_folder import refuse_other_recipes

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    receive(args.parcel, STATE / "parcel")
    run: Path = args.state_run
    if args.weights is not None:
        say(f"weights of {join_pieces(sorted(args.weights.iterdir()), run)} have arrived")
    adopt_human_codec(run)
    args.out.mkdir(parents=True, exist_ok=True)
    phases = asked_steps(args.phases)
    if args.minutes is None:  # otherwise a paused phase keeps its number of steps
        refuse_other_recipes(run, [asked_recipe(*it, args) for it in phases.items()])
    with timed("footage"):
        material = material_here(args, list(phases), device)
    for phase, steps in phases.items():
        if args.pause_after is not None and time.monotonic() > STARTED + args.pause_after * 60:
            say(f"no time is left to begin {phase}")
            break
        if not carried_out(phase, steps, args, material, device):
            say(f"{phase} was paused; the next call on this machine goes on with it")
            break
        material = replace(material, start=None)  # first weights are the first phase's


def material_here(
    args: argparse.Namespace, phases: "list[PhaseName]", device: "torch.device"
) -> "Material":
    """What there is to learn from."""
    from aesop.pairs.pair_files import read_plan
    from aesop.training.batch_order import pairs_on_footage
    from aesop.training.run_folder import Material
    from travelling import TravellingMiniLM

    both = footage_here(args, device)
    encoder = TravellingMiniLM(STATE / "parcel" / ENCODER_FILE, device, TEXTS)
    needed = any(phase in PAIRED for phase in phases)
    pairs = pairs_on_footage(read_plan(STATE / "parcel" / PAIRS), both[0]) if needed else None
    return Material(both[0], both[1], encoder, pairs, args.start)


def carried_out(
    phase: "PhaseName",
    steps: int | None,
    args: argparse.Namespace,
    material: "Material",
    device: "torch.device",
) -> bool:
    """Train one phase and leave its weights and journal; whether it came to its end."""
    from aesop.training.loop import Conduct
    from aesop.training.phases import train as train_phases
    from aesop.training.recipes import with_steps

    began, run = time.monotonic(), args.state_run
    conduct = Conduct(resume=True, compiled=args.compiled)
    recipe = asked_recipe(phase, steps, args)
    if args.minutes is not None:
        fitting = fitting_steps(recipe, material, run, conduct, device, args.minutes * 60)
        recipe = with_steps(recipe, fitting)
        conduct = paced(conduct, began + args.minutes * 60 + SPARE_SECONDS)
    if args.pause_after is not None:
        conduct = paced(conduct, STARTED + args.pause_after * 60)
    if phase == "human-flow":
        conduct = replace(conduct, keep=human_flow_keeper(run, args.out, recipe, material))
    with timed(phase):
        (result,) = train_phases([recipe], material, run, conduct, device)
    report(run, phase, args.out, device, time.monotonic() - began)
    if result.finished:
        export(run, args.out, phase, material.encoder)
    return result.finished


def asked_steps(phases: list[str]) -> "dict[PhaseName, int | None]":
    """Phases as the command line names them: "camera-flow", or "camera-flow:45000" for so many
    steps instead of the recipe's own."""
    from aesop.models.phase_table import PHASES

    asked: dict[PhaseName, int | None] = {}
    for word in phases:
        name, _, steps = word.partition(":")
        if name not in PHASES:
            sys.exit(f"there is no phase {name}; there are {', '.join(PHASES)}")
        asked[name] = int(steps) if steps else None
    return asked


def adopt_human_codec(run: Path) -> None:
    """The human codec that travelled with the windows, for a run that has none of its own."""
    from aesop.models.weights import run_file
    from aesop.training.run_folder import weights_path

    sent, target = STATE / "parcel" / HUMAN_CODEC_FILE, weights_path(run, "human-codec")
    if sent.exists() and run_file(run, "human-codec") is None:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(sent, target)


def asked_recipe(phase: "PhaseName", steps: int | None, args: argparse.Namespace) -> "Recipe":
    """What a phase learns, as the arguments say; words come from the encoder that travels."""
    from aesop.text.minilm import WIDTH
    from aesop.training.recipe_book import factual_control, recipe_for, taught_by
    from aesop.training.recipes import PairedFlowRecipe, SelfDistilledFlowRecipe, with_steps

    recipe = recipe_for(phase, args.size, WIDTH)
    if args.validate_every is not None:
        watch = replace(recipe.watch, validate_every=args.validate_every)
        recipe = replace(recipe, watch=watch)
    if args.factual and isinstance(recipe, PairedFlowRecipe):
        recipe = factual_control(recipe)
    if args.agreement is not None and phase == "camera-decoder":
        recipe = replace(recipe, objective=replace(recipe.objective, agreement=args.agreement))
    if args.rate is not None and phase == "camera-flow":
        recipe = replace(recipe, schedule=replace(recipe.schedule, learning_rate=args.rate))
    if args.teacher is not None and isinstance(recipe, SelfDistilledFlowRecipe):
        recipe = taught_by(recipe, args.teacher)
    return with_steps(recipe, int(steps or args.steps or recipe.schedule.steps))


def report(
    run: Path, phase: "TrainingName", out: Path, device: "torch.device", seconds: float
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
    _packing_arguments(verbs.add_parser("pack"))
    windows = verbs.add_parser("pack-windows")
    windows.add_argument("store", type=Path)
    windows.add_argument("parcel", type=Path)
    windows.add_argument("--human-codec", type=Path, required=True)
    drawing, training = verbs.add_parser("draw"), verbs.add_parser("train")
    drawing.add_argument("--parcel", type=Path, help="what travelled with this call")
    drawing.add_argument("--workers", type=int, default=14)
    _training_arguments(training)
    for verb in (drawing, training):
        add_drawing_arguments(verb)
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


def add_drawing_arguments(verb: argparse.ArgumentParser) -> None:
    """What says which cameras were drawn: the same in every call."""
    verb.add_argument("--cameras", type=int, default=16, help="of the vocabulary, a window")
    verb.add_argument("--movements", type=int, default=8, help="cameras of the first edition")
    verb.add_argument("--windows", type=int, help="only the first ones: to try everything")
    verb.add_argument("--people", type=int, default=0, help="windows of captioned segments besides")
    verb.add_argument("--people-parcel", type=Path, help="of lab/people_h200.py pack")
    verb.add_argument("--people-seed", type=int, default=20261118, help="other windows of people")


def _packing_arguments(packing: argparse.ArgumentParser) -> None:
    packing.add_argument("store", type=Path)
    packing.add_argument("parcel", type=Path)
    packing.add_argument("--validation-clips", type=int, default=1024)
    packing.add_argument("--people", action="store_true", help="what human phases need, no shots")
    packing.add_argument("--pairs", type=Path, help="pairs built from the same store")


def _training_arguments(training: argparse.ArgumentParser) -> None:
    training.add_argument("phases", nargs="+", help="camera-flow, or camera-flow:45000 with steps")
    training.add_argument("--drawn", action="store_true", help="on what `draw` filmed here")
    training.add_argument("--validation-clips", type=int, default=1536, help="of what was drawn")
    training.add_argument(
        "--rate", type=float, help="of camera-flow, where it goes on from another"
    )
    training.add_argument("--teacher", help="phase whose flow camera-flow-self-distilled teaches")
    training.add_argument(
        "--agreement", type=float, help="of camera-decoder: weight of steps that agree with places"
    )
    training.add_argument("--parcel", type=Path, help="what travelled with this call")
    training.add_argument("--weights", type=Path, help="folder of pieces from earlier calls")
    training.add_argument("--state-run", type=Path, default=STATE / "run")
    training.add_argument("--out", type=Path, required=True)
    length = training.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, help="for each phase: as many steps as fit")
    length.add_argument("--steps", type=int, help="instead of the recipe's own number")
    training.add_argument(
        "--pause-after", type=float, help="minutes of this call, to be gone on with in the next"
    )
    training.add_argument(
        "--start", type=Path, help="weights that the phase of their part goes on from"
    )
    training.add_argument("--validate-every", type=int, help="instead of the recipe's own number")
    training.add_argument("--factual", action="store_true", help="control: originals in all slots")
    training.add_argument("--size", default="base", choices=("paper", "base", "tiny"))
    training.add_argument("--compiled", action="store_true")


def main() -> None:
    args = read_arguments()
    STATE.mkdir(parents=True, exist_ok=True)
    make_importable()
    if args.verb == "pack":
        pack(args)
    elif args.verb == "pack-windows":
        pack_windows(args)
    elif args.verb == "draw":
        draw(args)
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
