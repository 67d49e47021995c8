"""Short trainings of the camera flow that differ in one thing each, on one lent GPU: what helps is
kept, and the table of what was tried is a result.

All read the same footage, codecs and seed. A plan is a list of trials, each with edits of the
recipe's fields:

    [{"name": "stands", "steps": 8000, "edits": {"network.reads_stand": true}}, …,
     {"name": "long", "like": ["plain", "stands"], "seconds": 500, "edits": {"seed": 1}}]

The last one has the edits of whichever of the two validated better, and as many steps as fit.

    python3 lab/ablations_h200.py PLAN --drawn --parcel parcel/words --out "$OUT" --compiled

Weights stay on that machine, each in a folder that `lab/measure_h200.py` knows by its name. Codecs
are those of --codecs: a folder of weights, or of a run.
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import base_h200 as lent

if TYPE_CHECKING:
    import torch

    from aesop.training.recipes import FlowRecipe
    from aesop.training.run_folder import Material

PHASE = "camera-flow"
TOLD_FILE = "trial.json"
CODECS = ("human-codec", "camera-codec")
HOMES = lent.STATE / "weights"


def edited(recipe: "FlowRecipe", edits: dict[str, Any]) -> "FlowRecipe":
    """A recipe with other values in some fields, named as "optimiser.ema_decay"."""
    for name, value in edits.items():
        room, _, field = name.partition(".")
        if not field:
            recipe = replace(recipe, **{room: value})
            continue
        inner = replace(getattr(recipe, room), **{field: value})
        recipe = replace(recipe, **{room: inner})
    return recipe


def resolved(trial: dict[str, Any], together: int) -> dict[str, Any]:
    """A trial that is "like" the best of others, with as many steps as fit into its "seconds"."""
    if "like" not in trial:
        return trial
    done = [it for it in map(told, trial["like"]) if it is not None]
    best = min(done, key=lambda it: it["validation"][-1]["loss"])
    speed = best["steps_per_second"] * best["together"] / together
    steps = int(trial["seconds"] * speed)
    edits = {**best["trial"].get("edits", {}), **trial.get("edits", {})}
    lent.say(f"{trial['name']}: like {best['trial']['name']}, {steps} steps")
    size = best["trial"].get("size", "base")
    steps = trial.get("steps", steps)
    return {"name": trial["name"], "size": size, "steps": steps, "edits": edits}


def trial_recipe(trial: dict[str, Any]) -> "FlowRecipe":
    from aesop.text.minilm import WIDTH
    from aesop.training.recipe_book import recipe_for
    from aesop.training.recipes import FlowRecipe, with_steps

    recipe = recipe_for(PHASE, trial.get("size", "base"), WIDTH)
    assert isinstance(recipe, FlowRecipe)
    recipe = with_steps(recipe, trial["steps"])
    every = max(1, min(trial.get("validate_every", 2_000), trial["steps"]))
    watch = replace(recipe.watch, validate_every=every, checkpoint_every=trial["steps"])
    return edited(replace(recipe, watch=watch), trial.get("edits", {}))


def settle(home: Path, codecs: Path) -> None:
    """A run folder that begins with codecs, and the human flow where there is one."""
    import shutil

    from aesop.models.weights import part_file

    for part in (*CODECS, "human-flow"):
        source = part_file(codecs, part)
        target = home / part / "weights.safetensors"
        if source is not None and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def train(args: argparse.Namespace) -> None:
    import torch

    from side_by_side import run_side_by_side

    plan = json.loads(args.plan.read_text(encoding="utf-8"))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    # One block in many variants: lengths, with and without turned places.
    torch._dynamo.config.recompile_limit = 64  # pyright: ignore[reportPrivateUsage]
    lent.receive(args.parcel, lent.STATE / "parcel")
    args.out.mkdir(parents=True, exist_ok=True)
    with lent.timed("footage"):
        material = lent.material_here(args, [PHASE], device)
    rows: list[dict[str, Any]] = []
    for first in range(0, len(plan), args.side_by_side):
        if args.until is not None and time.monotonic() - lent.STARTED > args.until:
            lent.say(f"no time is left for {plan[first]['name']} and later ones")
            break
        some = plan[first : first + args.side_by_side]
        some = [resolved(trial, len(some)) for trial in some]
        trainings = [partial(carried_out, it, material, args, device) for it in some]
        ends = run_side_by_side(trainings, device.type)
        for trial, error in zip(some, ends, strict=True):
            if error is not None:
                lent.say(f"{trial['name']} failed: {error!r}")
                continue
            rows.append(write_told(trial, len(some)))
            last = rows[-1]["validation"][-1]
            lent.say(f"{trial['name']}: {rows[-1]['steps_per_second']:.1f} steps a second, {last}")
        (args.out / f"{args.plan.stem}.json").write_text(
            json.dumps(rows, indent=1), encoding="utf-8"
        )


def carried_out(
    trial: dict[str, Any],
    material: "Material",
    args: argparse.Namespace,
    device: "torch.device",
    after_step: Callable[[], bool],
) -> None:
    """Train one trial to its end; one that is finished is kept."""
    from aesop.training.loop import Conduct
    from aesop.training.phases import train as train_phases

    home = HOMES / trial["name"]
    settle(home, args.codecs)
    conduct = Conduct(compiled=args.compiled, pause=after_step)
    train_phases([trial_recipe(trial)], material, home, conduct, device)


def write_told(trial: dict[str, Any], together: int) -> dict[str, Any]:
    """How it learned, beside how many, kept in its folder."""
    folder = HOMES / trial["name"] / PHASE
    lines = (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()
    journal = [json.loads(it) for it in lines]
    training = [it for it in journal if it["kind"] == "train"]
    speeds = sorted(it["steps_per_second"] for it in training)
    row = {
        "trial": trial,
        "together": together,
        "recipe_sha256": trial_recipe(trial).sha256,
        "steps_per_second": speeds[len(speeds) // 2],
        "validation": [it for it in journal if it["kind"] == "validation"],
        "train": training[-3:],
    }
    (folder / TOLD_FILE).write_text(json.dumps(row), encoding="utf-8")
    return row


def told(name: str) -> dict[str, Any] | None:
    path = HOMES / name / PHASE / TOLD_FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("plan", type=Path)
    parser.add_argument("--codecs", type=Path, required=True)
    parser.add_argument("--parcel", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--drawn", action="store_true")
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--validation-clips", type=int, default=1536)
    parser.add_argument("--start", type=Path)
    parser.add_argument("--side-by-side", type=int, default=1, help="trials at the same time")
    parser.add_argument("--until", type=float, help="seconds of this call; none is begun later")
    lent.add_drawing_arguments(parser)
    args = parser.parse_args()
    lent.STATE.mkdir(parents=True, exist_ok=True)
    lent.make_importable()
    train(args)


if __name__ == "__main__":
    main()
