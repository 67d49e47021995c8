"""Train the evaluators on the same lent GPU and from the same parcel as `base_h200.py`.

There, after (or in the same call as) a call that brought the parcel:

    python3 lab/evaluators_h200.py clatr tmr --minutes 5 --parcel parcel --out "$OUT"

`clatr2` is the judge of the second edition: it learns from cameras that were drawn there, told in
the grammar of movements and in phrases of the bank, and sees how the person is framed as well. It
comes after `base_h200.py draw`, with the same numbers of cameras:

    python3 lab/evaluators_h200.py clatr2 --drawn --minutes 1.5 --parcel parcel/words --out "$OUT"

Each evaluator comes back as one file, `$OUT/NAME.safetensors` (in pieces where it is large), beside
`$OUT/NAME.json` with how it learned. They are shipped as they are, in
`src/aesop/weights/evaluators/`.
"""

import argparse
import json
import logging
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import base_h200 as lent
from pieces import write_pieces

if TYPE_CHECKING:
    import torch

    from aesop.evaluators.evaluator_recipes import EvaluatorRecipe
    from aesop.evaluators.evaluator_training import CaptionedClips
    from aesop.training.footage import Footage
    from travelling import TravellingMiniLM

Name = Literal["clatr", "tmr", "clatr2"]
FRAMED: Literal["clatr2"] = "clatr2"
LARGEST_BYTES = 15 << 20  # of one file that comes back


@dataclass(frozen=True)
class Classroom:
    """What all evaluators of one call learn from."""

    footage: "tuple[Footage, Footage]"
    encoder: "TravellingMiniLM"
    device: "torch.device"


def train(args: argparse.Namespace) -> None:
    """One evaluator after the other, each within its minutes."""
    import torch

    from travelling import TravellingMiniLM

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    lent.receive(args.parcel, lent.STATE / "parcel")
    args.out.mkdir(parents=True, exist_ok=True)
    with lent.timed("footage"):
        footage = lent.footage_here(args, device, args.shots)
        encoder = TravellingMiniLM(lent.STATE / "parcel" / lent.ENCODER_FILE, device, lent.TEXTS)
    for name in args.kinds:
        train_one(name, args, Classroom(footage, encoder, device))


def train_one(name: Name, args: argparse.Namespace, room: Classroom) -> None:
    """Train an evaluator and leave it and its journal."""
    from aesop.evaluators.evaluator_training import learn_pair
    from aesop.evaluators.evaluator_weights import save_evaluator

    began = time.monotonic()
    recipe = recipe_of(name, args, room)
    with lent.timed(f"{name}: captions and classes"):
        clips = clips_of_splits(name, args, room)
    with lent.timed(f"{name}: training"):
        trained = learn_pair(recipe, *clips, deadline=began + args.minutes * 60)
    notes = {
        "recipe": recipe.sha256,
        "size": recipe.size,
        "data": room.footage[0].sha256,
        "shots": str(len(room.footage[0].cameras)),
        "steps": str(trained.steps),
        "seconds": f"{trained.seconds:.0f}",
    }
    path = args.out / f"{name}.safetensors"
    card = save_evaluator(trained.pair, recipe.kind, room.encoder, path, notes)
    facts = {
        "identity": card.identity,
        "bytes": path.stat().st_size,
        "recipe": asdict(recipe),
        "notes": notes,
        "steps": trained.steps,
        "seconds": trained.seconds,
        "best": asdict(trained.best),
        "standings": [asdict(standing) for standing in trained.standings],
    }
    path.with_suffix(".json").write_text(json.dumps(facts, indent=1), encoding="utf-8")
    if path.stat().st_size > LARGEST_BYTES:
        write_pieces(path, args.out, name)
        path.unlink()
    lent.say(f"{name}: {trained.steps} steps, {trained.best}")


def recipe_of(name: Name, args: argparse.Namespace, room: Classroom) -> "EvaluatorRecipe":
    """The recipe, with no more steps than the arguments allow."""
    from aesop.evaluators.evaluator_recipes import evaluator_recipe, framed_recipe

    if name == FRAMED:
        recipe = framed_recipe(args.size, room.encoder.width)
    else:
        recipe = evaluator_recipe(name, args.size, room.encoder.width)
    return replace(recipe, steps=args.steps) if args.steps else recipe


def clips_of_splits(
    name: Name, args: argparse.Namespace, room: Classroom
) -> "tuple[CaptionedClips, CaptionedClips]":
    """Training and validation clips with their captions, on the device."""
    from aesop.evaluators.evaluator_training import captioned_clips, framed_clips
    from drawn_cameras import read_claims

    if name != FRAMED:
        one, two = (captioned_clips(it, name, room.encoder) for it in room.footage)
    else:
        few, many = lent.drawings(args)
        one, two = (
            framed_clips(it, read_claims(drawing, it), room.encoder)
            for it, drawing in zip(room.footage, (many, few), strict=True)
        )
    return one.to(room.device), two.to(room.device)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kinds", nargs="+", choices=("clatr", "tmr", FRAMED))
    parser.add_argument("--parcel", type=Path, help="what travelled with this call")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=5.0, help="for each, captions included")
    parser.add_argument("--steps", type=int, help="at most, instead of the recipe's")
    parser.add_argument("--size", default="base", choices=("base", "tiny"))
    parser.add_argument("--drawn", action="store_true", help="on what `draw` filmed here")
    parser.add_argument("--shots", type=int, default=160_000, help="at most, of what was drawn")
    parser.add_argument("--validation-clips", type=int, default=1536, help="of what was drawn")
    lent.add_drawing_arguments(parser)
    args = parser.parse_args()
    if args.drawn != (FRAMED in args.kinds) or (args.drawn and args.kinds != [FRAMED]):
        parser.error(f"{FRAMED} goes with --drawn, and the others without")
    return args


def main() -> None:
    args = read_arguments()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    lent.STATE.mkdir(parents=True, exist_ok=True)
    lent.make_importable()
    train(args)


if __name__ == "__main__":
    main()
