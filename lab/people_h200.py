"""Train the human flow and the evaluators of people on a lent GPU, from captioned segments.

Here, where the takes lie as clips (`python runs/segments.py import`), they are packed once:

    python lab/people_h200.py pack CLIPS parcel

(with `--judges`, for evaluators alone, half as large.) There, windows are drawn from the takes, and
one or the other is trained against the clock:

    python3 lab/people_h200.py flow --parcel parcel --out "$OUT" --compiled --minutes 9
    python3 lab/people_h200.py evaluators --parcel parcel --out "$OUT" --minutes 3

and here again the pieces that came back become a run, of which one flow is shipped:

    python lab/base_h200.py collect PIECES... --run build/people-run
    python lab/people_h200.py ship build/people-run/human-flow src/aesop/weights/base

An evaluator comes back as one file, which is shipped with its matrices in bytes:

    python lab/people_h200.py ship-judge tmr_acts.safetensors src/aesop/weights/evaluators

The human codec that is shipped travels with the takes and stays as it is: cameras know it.
"""

import argparse
import json
import logging
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import base_h200 as lent
from people_footage import (
    CODEC_FILE,
    KEPT,
    LONGEST_TEXT_WORDS,
    STATISTICS_FILE,
    Arrived,
    drawing_of,
    vocabulary,
    worded_takes,
    write_statistics,
)
from people_judges import train_evaluators
from pieces import human_flow_keeper, origin_in_report

if TYPE_CHECKING:
    from torch import nn

    from aesop.training.recipes import FlowRecipe

FLOW = "human-flow"
MOST_STEPS = 70_000
# Of the steps; weights from where the rate is still high may act better than they validate.
SNAPSHOT_SHARE = 0.6
GOING_ON_WARM_UP, GOING_ON_AVERAGE = 300, 0.999


def pack(args: argparse.Namespace) -> None:
    """Takes of both splits, the words' encoder and the human codec."""
    from aesop.fables.motion_sets import read_set_takes
    from aesop.fables.people_windows import takes_of_split
    from aesop.models.weights import flat_name, shipped_folder
    from people_parcel import JUDGES_ROUNDING, ROUNDING, TAKES_FILE, write_takes
    from travelling import write_travelling_encoder

    worded, takes = worded_takes(), read_set_takes()
    args.parcel.mkdir(parents=True, exist_ok=True)
    words: set[str] = set()
    for split in lent.SPLITS:
        mine = sorted(takes_of_split(takes, split) & worded.keys())[:: args.every]
        (args.parcel / split).mkdir(exist_ok=True)
        rounding = JUDGES_ROUNDING if args.judges else ROUNDING
        found = write_takes(mine, args.clips, args.parcel / split / TAKES_FILE, rounding)
        lent.say(f"{split}: {len(found)} of {len(mine)} takes")
        words |= vocabulary([row for name in found for row in worded[name]])
    # A text as long as any keeps the encoder's places.
    texts = (*sorted(words), " ".join(["walks"] * LONGEST_TEXT_WORDS))
    write_travelling_encoder(texts, args.parcel / lent.ENCODER_FILE, in_bytes=args.judges)
    codec = shipped_folder("base") / flat_name("human-codec")
    if args.judges:
        write_statistics(codec, args.parcel / STATISTICS_FILE)
    else:
        shutil.copyfile(codec, args.parcel / CODEC_FILE)
    lent.say_sizes(args.parcel)


def flow_recipe(args: argparse.Namespace) -> "FlowRecipe":
    """The recipe of the book, with the sizes and numbers that were asked for."""
    from aesop.text.minilm import WIDTH
    from aesop.training.recipe_book import recipe_for
    from aesop.training.recipes import FlowRecipe

    recipe = recipe_for(FLOW, args.size, WIDTH)
    assert isinstance(recipe, FlowRecipe)
    shape = recipe.network
    if args.width:
        shape = replace(shape, width=args.width, depth=args.depth, heads=args.heads)
    watch = replace(recipe.watch, validate_every=args.validate_every)
    recipe = replace(recipe, network=shape, watch=watch, seed=args.seed)
    if args.start is None:
        return recipe
    # What goes on is not thrown back to where a first training has its highest rate.
    return replace(
        recipe,
        schedule=replace(recipe.schedule, learning_rate=args.rate, warm_up_steps=GOING_ON_WARM_UP),
        optimiser=replace(recipe.optimiser, ema_decay=GOING_ON_AVERAGE),
    )


def train_flow(args: argparse.Namespace) -> None:
    """The human flow, its best and last weights and one from on the way."""
    import torch

    from aesop.training.loop import Conduct
    from aesop.training.phases import train as train_phases
    from aesop.training.recipes import with_steps
    from aesop.training.run_folder import Material

    began = time.monotonic()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    arrived = Arrived(args.parcel, device)
    splits = [arrived.footage(name, drawing_of(args, name))[0] for name in lent.SPLITS]
    material = Material(splits[0], splits[1], arrived.encoder, None, args.start)
    run = args.state_run
    codec = run / "human-codec" / "weights.safetensors"
    codec.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(KEPT / CODEC_FILE, codec)
    recipe = flow_recipe(args)
    conduct = Conduct(resume=True, compiled=args.compiled)
    deadline = began + args.minutes * 60
    steps = args.steps
    if steps is None:
        left = deadline - time.monotonic()
        longest = with_steps(recipe, MOST_STEPS)
        steps = lent.fitting_steps(longest, material, run, conduct, device, left)
    recipe = with_steps(recipe, steps)
    conduct = replace(
        conduct,
        keep=human_flow_keeper(run, args.out, recipe, material, sent_names(steps)),
        pause=lambda: time.monotonic() > deadline,
    )
    lent.say(f"{FLOW}: {sum(it.numel() for it in network_of(recipe).parameters()):,} parameters")
    with lent.timed(FLOW):
        (result,) = train_phases([recipe], material, run, conduct, device)
    lent.report(run, FLOW, args.out, device, time.monotonic() - began)
    if result.finished:
        lent.export(run, args.out, FLOW, arrived.encoder)
        leave_two(run, args.out, steps)
    else:
        lent.say(f"{FLOW} was paused; the next call on this machine goes on with it")


def leave_two(run: Path, out: Path, steps: int) -> None:
    """Three flows are more than may come back: beside the best one goes the last, or where that is
    the best, the early one."""
    from aesop.models.weights import read_card
    from aesop.training.run_folder import weights_path

    kept = read_card(weights_path(run, FLOW)).notes["kept"]
    is_last = kept == "last" or kept.startswith(f"step {steps},")
    for path in out.glob(f"{'last' if is_last else 'early'}-{FLOW}.weights.*"):
        path.unlink()
    lent.say(f"{FLOW}: kept {kept}")


def network_of(recipe: "FlowRecipe") -> "nn.Module":
    from aesop.models.velocity import FlowTransformer

    return FlowTransformer(recipe.network)


def sent_names(steps: int) -> "Callable[[int], tuple[str, ...]]":
    """Under which names averaged weights go home: as the last ones after every validation, and
    once, at the first validation after `SNAPSHOT_SHARE` of the steps, as the early ones."""
    taken: list[int] = []

    def names(done: int) -> tuple[str, ...]:
        if taken or not SNAPSHOT_SHARE * steps <= done < steps:
            return (f"last-{FLOW}",)
        taken.append(done)
        return (f"last-{FLOW}", f"early-{FLOW}")

    return names


def ship(args: argparse.Namespace) -> None:
    """Put one flow where `act` finds it, if it was trained with the codec there. Weights from on
    the way say only their step; the report of their training knows the rest."""
    from aesop.models.weights import (
        WEIGHTS_FILE,
        flat_name,
        load_human_codec,
        load_human_flow,
        save_part,
    )
    from aesop.text.minilm import MiniLM

    codec = load_human_codec(args.folder / flat_name("human-codec"))
    part = load_human_flow(args.trained / WEIGHTS_FILE, codec, MiniLM())
    if args.report is not None or "recipe" not in part.card.notes:
        known = origin_in_report(args.trained) if args.report is None else notes_of(args.report)
        notes = {**known, **part.card.notes}
        part = replace(part, card=replace(part.card, notes=notes))
    path = args.folder / flat_name(FLOW)
    save_part(part, path, args.storage)
    lent.say(f"{path}: {path.stat().st_size / 1e6:.1f} MB, {dict(part.card.notes)}")


def ship_judge(args: argparse.Namespace) -> None:
    """Put an evaluator where it is found by its name."""
    from aesop.evaluators.evaluator_weights import save_in_bytes

    path = args.folder / args.trained.name
    card = save_in_bytes(args.trained, path)
    lent.say(f"{path}: {path.stat().st_size / 1e6:.1f} MB, {card.identity}, {dict(card.notes)}")


def notes_of(report: Path) -> dict[str, str]:
    """Recipe, data, code and the weights that a training went on from."""
    run = json.loads(report.read_text(encoding="utf-8"))["run"]
    notes = {
        "recipe": run["recipe_sha256"],
        "data": run["data_sha256"],
        "phase": FLOW,
        "commit": run["code"]["commit"],
    }
    began = dict(run["parts"]).get(FLOW)
    return notes if began is None else {**notes, "continued": began}


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("clips", type=Path, help="folder of SET/TAKE.clip")
    packing.add_argument("parcel", type=Path)
    packing.add_argument("--every", type=int, default=1, help="one take in so many, to try it")
    packing.add_argument("--judges", action="store_true", help="what evaluators need, rounded more")
    for name, windows, copies in (("flow", 100_000, 3), ("evaluators", 40_000, 0)):
        training = verbs.add_parser(name)
        training.add_argument("--parcel", type=Path, help="what travelled with this call")
        training.add_argument("--out", type=Path, required=True)
        training.add_argument("--windows", type=int, default=windows, help="that are drawn")
        training.add_argument(
            "--copies", type=int, default=copies, help="of every act, at other paces and at rest"
        )
        training.add_argument("--copied-windows", type=int, default=30_000, help="drawn of copies")
        training.add_argument("--workers", type=int, help="processes that draw; default all cores")
        training.add_argument("--minutes", type=float, default=9.0 if name == "flow" else 3.0)
        training.add_argument("--steps", type=int, help="instead of as many as fit")
        training.add_argument("--seed", type=int, default=0)
        training.add_argument("--size", default="base", choices=("base", "tiny"))
        if name == "flow":
            training.add_argument("--state-run", type=Path, default=lent.STATE / "people-run")
            training.add_argument("--start", type=Path, help="weights to go on from")
            training.add_argument("--rate", type=float, default=2e-4, help="of what goes on")
            training.add_argument("--validate-every", type=int, default=1_500)
            training.add_argument("--compiled", action="store_true")
            training.add_argument("--width", type=int, help="with --depth and --heads")
            training.add_argument("--depth", type=int)
            training.add_argument("--heads", type=int)
        else:
            training.add_argument("--names", nargs="+", default=("tmr_acts", "chooser"))
            training.add_argument("--eager", action="store_true", help="do not capture steps")
    shipping = verbs.add_parser("ship")
    shipping.add_argument("trained", type=Path, help="a folder that `collect` made")
    shipping.add_argument("folder", type=Path)
    shipping.add_argument("--report", type=Path, help="what came back with the weights: JSON")
    shipping.add_argument("--storage", default="int8", choices=("float32", "float16", "int8"))
    judging = verbs.add_parser("ship-judge")
    judging.add_argument("trained", type=Path, help="an evaluator that came back")
    judging.add_argument("folder", type=Path)
    return parser.parse_args()


def main() -> None:
    args = read_arguments()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    lent.STATE.mkdir(parents=True, exist_ok=True)
    lent.make_importable()
    if "out" in args:
        args.out.mkdir(parents=True, exist_ok=True)
    act = {
        "pack": pack,
        "flow": train_flow,
        "evaluators": train_evaluators,
        "ship": ship,
        "ship-judge": ship_judge,
    }
    act[args.verb](args)


if __name__ == "__main__":
    main()
