"""Train the two evaluators on the same lent GPU and from the same parcel as `base_h200.py`.

There, after (or in the same call as) a call that brought the parcel:

    python3 lab/evaluators_h200.py clatr tmr --minutes 5 --parcel parcel --out "$OUT"

Each evaluator comes back as one small file, `$OUT/clatr.safetensors` and `$OUT/tmr.safetensors`,
beside `$OUT/NAME.json` with how it learned. They are shipped as they are, in
`src/aesop/weights/evaluators/`.
"""

import argparse
import json
import logging
import time
from dataclasses import asdict, replace
from pathlib import Path

import base_h200 as lent


def train(args: argparse.Namespace) -> None:
    """One evaluator after the other, each within its minutes."""
    import torch

    from aesop.evaluators.evaluator_recipes import evaluator_recipe
    from aesop.evaluators.evaluator_training import captioned_clips, learn_pair
    from aesop.evaluators.evaluator_weights import save_evaluator
    from parcel import read_parcel
    from travelling import TravellingMiniLM

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    lent.receive(args.parcel, lent.STATE / "parcel")
    args.out.mkdir(parents=True, exist_ok=True)
    with lent.timed("footage"):
        train_footage, validation = (
            read_parcel(lent.STATE / "parcel" / name, device) for name in lent.SPLITS
        )
        encoder = TravellingMiniLM(lent.STATE / "parcel" / lent.ENCODER_FILE, device)
    for kind in args.kinds:
        began = time.monotonic()
        recipe = evaluator_recipe(kind, args.size, encoder.width)
        if args.steps:
            recipe = replace(recipe, steps=args.steps)
        with lent.timed(f"{kind}: captions and classes"):
            lessons = [captioned_clips(it, kind, encoder) for it in (train_footage, validation)]
        with lent.timed(f"{kind}: training"):
            trained = learn_pair(
                recipe,
                lessons[0].to(device),
                lessons[1].to(device),
                deadline=began + args.minutes * 60,
            )
        notes = {
            "recipe": recipe.sha256,
            "size": recipe.size,
            "data": train_footage.sha256,
            "steps": str(trained.steps),
            "seconds": f"{trained.seconds:.0f}",
        }
        path = args.out / f"{kind}.safetensors"
        card = save_evaluator(trained.pair, kind, encoder, path, notes)
        facts = {
            "identity": card.identity,
            "bytes": path.stat().st_size,
            "recipe": asdict(recipe),
            "steps": trained.steps,
            "seconds": trained.seconds,
            "best": asdict(trained.best),
            "standings": [asdict(standing) for standing in trained.standings],
        }
        path.with_suffix(".json").write_text(json.dumps(facts, indent=1), encoding="utf-8")
        lent.say(f"{kind}: {trained.steps} steps, {trained.best}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kinds", nargs="+", choices=("clatr", "tmr"))
    parser.add_argument("--parcel", type=Path, help="what travelled with this call")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=5.0, help="for each, captions included")
    parser.add_argument("--steps", type=int, help="at most, instead of the recipe's")
    parser.add_argument("--size", default="base", choices=("base", "tiny"))
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    lent.STATE.mkdir(parents=True, exist_ok=True)
    lent.make_importable()
    train(args)


if __name__ == "__main__":
    main()
