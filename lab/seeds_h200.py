"""The camera flow with several training seeds from one start, the mean of their weights, and
self-distillation of whichever validates best, on one lent GPU in one process: footage is read and
captions are encoded once for all of it.

    python3 lab/seeds_h200.py --drawn --parcel WORDS --start FLOW --codecs FOLDER --out "$OUT" \\
        --people 28000 --cameras 5 --movements 3 --seeds 0 1 2 --steps 25000 --compiled

Networks that went on from one start lie in one valley, where the mean of their weights is a network
too, and often better than each. Every seed, the mean and what was distilled lie in folders of their
own, which `lab/measure_h200.py` knows by their names: `seed0` …, `mean`, `chosen`, and `fifth`,
which is what was distilled as it ships. Weights come back as bytes, in pieces, as many as one call
may bring; `--send` brings what is left. Seeds that are finished on that machine are not trained
again.
"""

import argparse
import json
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import base_h200 as lent
from ablations_h200 import HOMES, PHASE, settle
from pieces import hand_over, write_pieces

if TYPE_CHECKING:
    from aesop.models.velocity import FlowTransformer
    from aesop.models.weights import Part
    from aesop.training.flow_phases import Codecs, FlowClips
    from aesop.training.recipes import FlowRecipe
    from aesop.training.run_folder import AnyRun, Material, PhaseRun

DISTILLED = "camera-flow-self-distilled"
MEAN, CHOSEN, SHIPPED = "mean", "chosen", "fifth"
SHOTS_PER_DISTILLED = 2
OUTBOX = lent.STATE / "seeds-outbox"
LOSSES_FILE = "seeds.json"


def flow_recipe(args: argparse.Namespace, seed: int) -> "FlowRecipe":
    """As the fourth flow went on from the third: a lower rate and nothing dropped."""
    from aesop.text.minilm import WIDTH
    from aesop.training.recipe_book import recipe_for
    from aesop.training.recipes import FlowRecipe, with_steps

    recipe = with_steps(recipe_for(PHASE, args.size, WIDTH), args.steps)
    assert isinstance(recipe, FlowRecipe)
    watch = replace(recipe.watch, validate_every=args.validate_every, checkpoint_every=10**9)
    rows = args.rows or recipe.schedule.batch_rows
    schedule = replace(recipe.schedule, learning_rate=args.rate, batch_rows=rows)
    network = replace(recipe.network, dropout=0.0)
    return replace(recipe, watch=watch, schedule=schedule, network=network, seed=seed)


def phase_of(
    name: str, recipe: "FlowRecipe", material: "Material", args: argparse.Namespace
) -> "PhaseRun[FlowRecipe]":
    import torch

    from aesop.training.loop import Conduct
    from aesop.training.run_folder import PhaseRun, RunFolder
    from aesop.training.step import ALONE

    home = HOMES / name
    settle(home, args.codecs)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    conduct = Conduct(compiled=args.compiled)
    phase = PhaseRun(recipe, material, RunFolder(home, device), conduct, ALONE)
    phase.out.mkdir(parents=True, exist_ok=True)
    return phase


def train(args: argparse.Namespace) -> None:
    import torch

    from aesop.training.flow_phases import camera_clips
    from drawn_cameras import some_shots

    torch._dynamo.config.recompile_limit = 64  # pyright: ignore[reportPrivateUsage]
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    lent.receive(args.parcel, lent.STATE / "parcel")
    OUTBOX.mkdir(parents=True, exist_ok=True)
    with lent.timed("footage"):
        material = replace(lent.material_here(args, [PHASE], device), start=args.start)
    first = phase_of(f"seed{args.seeds[0]}", flow_recipe(args, args.seeds[0]), material, args)
    human = first.folder.human_codec()
    codecs = human, first.folder.camera_codec(human)
    with lent.timed("latents and captions"):
        clips = tuple(
            camera_clips(first, codecs, footage, None)
            for footage in (material.train, material.validation)
        )
    losses = finished_seeds()
    for seed in args.seeds:
        name = f"seed{seed}"
        if name in losses:
            lent.say(f"{name} is there already")
            continue
        phase = phase_of(name, flow_recipe(args, seed), material, args)
        with lent.timed(name):
            losses[name] = one_seed(phase, codecs, clips)
        send_home(phase, PHASE, name, codecs)
        tell_losses(losses)
    if len(args.seeds) > 1:
        losses[MEAN] = mean_of_seeds(args, material, codecs, clips)
    best = min(losses, key=lambda name: losses[name])
    lent.say(f"validation: {losses}; {best} is chosen")
    tell_losses(losses, best)
    shutil.copytree(HOMES / best, HOMES / CHOSEN, dirs_exist_ok=True)
    # It films a part of the shots; reading the words of all of them again takes a minute.
    some = some_shots(material.train, SHOTS_PER_DISTILLED * args.distil_shots)
    distil(args, replace(material, start=None, train=some), codecs)
    (lent.STATE / "seeds.done").touch()


def tell_losses(losses: dict[str, float], chosen: str | None = None) -> None:
    """Goes home, and says what need not be done again."""
    told = {"validation": losses, "chosen": chosen}
    (OUTBOX / LOSSES_FILE).write_text(json.dumps(told), encoding="utf-8")


def finished_seeds() -> dict[str, float]:
    """How those validate that an earlier call on this machine has finished."""
    path = OUTBOX / LOSSES_FILE
    told = json.loads(path.read_text(encoding="utf-8"))["validation"] if path.exists() else {}
    return {name: loss for name, loss in told.items() if name != MEAN}


def one_seed(
    phase: "PhaseRun[FlowRecipe]", codecs: "Codecs", clips: "tuple[FlowClips, ...]"
) -> float:
    """Train to the end; the validation loss of the weights that are kept."""
    from aesop.training.flow_phases import FlowTask, flow_to_train
    from aesop.training.run_folder import learned, write_part

    began = time.monotonic()
    flow, before = flow_to_train(phase, codecs)
    task = FlowTask(phase.recipe, clips[0], clips[1], phase.world)
    outcome = learned(phase, task, flow, (*codecs, *before))
    write_part(phase, outcome, flow, codecs)
    lent.report(phase.folder.path, PHASE, OUTBOX, phase.device, time.monotonic() - began)
    (OUTBOX / f"{PHASE}.json").rename(OUTBOX / f"{phase.folder.path.name}.json")
    return dict(measured(task, flow))["loss"]


def measured(task: "object", flow: "FlowTransformer") -> list[tuple[str, float]]:
    from aesop.training.flow_phases import FlowTask

    assert isinstance(task, FlowTask)
    import torch

    with torch.no_grad():
        return [(it.name, float(it.value)) for it in task.validate(flow)]


def mean_of_seeds(
    args: argparse.Namespace,
    material: "Material",
    codecs: "Codecs",
    clips: "tuple[FlowClips, ...]",
) -> float:
    """The mean of all seeds' weights as a part of its own; how it validates."""
    import torch

    from aesop.models.weights import load_camera_flow, new_part, save_part
    from aesop.training.flow_phases import FlowTask
    from aesop.training.run_folder import part_notes, weights_path

    recipe = flow_recipe(args, args.seeds[0])
    phase = phase_of(MEAN, recipe, material, args)
    parts = [
        load_camera_flow(
            weights_path(HOMES / f"seed{seed}", PHASE), codecs, material.encoder, phase.device
        )
        for seed in args.seeds
    ]
    flow = parts[0].network
    states = [part.network.state_dict() for part in parts]
    flow.load_state_dict({
        name: torch.stack([state[name].float() for state in states]).mean(0)
        for name in states[0]
    })  # fmt: skip
    task = FlowTask(recipe, clips[0], clips[1], phase.world)
    loss = dict(measured(task, flow))["loss"]
    seeds = ", ".join(map(str, args.seeds))
    notes = part_notes(recipe, material, args.steps, f"mean of seeds {seeds}")
    notes |= {"seed": seeds, "kept": f"mean of seeds {seeds}, validation loss {loss:.6g}"}
    part = new_part("camera-flow", flow, codecs, material.encoder, notes)
    save_part(part, weights_path(HOMES / MEAN, PHASE))
    send_home(phase, PHASE, MEAN, codecs)
    return loss


def distil(args: argparse.Namespace, material: "Material", codecs: "Codecs") -> None:
    """What was chosen learns intensity from its own shots."""
    from aesop.text.minilm import WIDTH
    from aesop.training.recipe_book import recipe_for, taught_by
    from aesop.training.recipes import SelfDistilledFlowRecipe, with_steps
    from aesop.training.run_folder import PhaseRun, weights_path
    from aesop.training.self_distillation import train_self_distillation

    began = time.monotonic()
    recipe = recipe_for(DISTILLED, args.size, WIDTH)
    assert isinstance(recipe, SelfDistilledFlowRecipe)
    settings = replace(recipe.self_distillation, above=args.above, shots=args.distil_shots)
    recipe = taught_by(replace(recipe, self_distillation=settings), PHASE)
    recipe = with_steps(recipe, args.distil_steps)
    clips = min(recipe.watch.validation_clips, args.validation_clips)
    every = max(1, args.distil_steps // 3)
    watch = replace(
        recipe.watch, validate_every=every, checkpoint_every=10**9, validation_clips=clips
    )
    schedule = replace(recipe.schedule, batch_rows=args.rows or recipe.schedule.batch_rows)
    network = replace(recipe.network, dropout=0.0)
    recipe = replace(recipe, watch=watch, schedule=schedule, network=network)
    plain = phase_of(CHOSEN, flow_recipe(args, args.seeds[0]), material, args)
    phase = PhaseRun(recipe, material, plain.folder, plain.conduct, plain.world)
    phase.out.mkdir(parents=True, exist_ok=True)
    with lent.timed(DISTILLED):
        train_self_distillation(phase)
    lent.report(phase.folder.path, DISTILLED, OUTBOX, phase.device, time.monotonic() - began)
    small = send_home(phase, DISTILLED, DISTILLED, codecs)
    settle(HOMES / SHIPPED, args.codecs)
    target = weights_path(HOMES / SHIPPED, DISTILLED)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(small, target)


def send_home(phase: "AnyRun", trained: str, name: str, codecs: "Codecs") -> Path:
    """Into the outbox, as it would ship."""
    from aesop.models.weights import load_camera_flow, save_part
    from aesop.training.run_folder import weights_path

    path = weights_path(phase.folder.path, trained)  # pyright: ignore[reportArgumentType]
    part: Part[FlowTransformer] = load_camera_flow(
        path, codecs, phase.material.encoder, phase.device
    )
    small = path.with_name("bytes.safetensors")
    save_part(part, small, "int8")
    write_pieces(small, OUTBOX, name)
    return small


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--send", action="store_true", help="only what is left to come back")
    parser.add_argument("--codecs", type=Path, help="weights with both codecs")
    parser.add_argument("--parcel", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--drawn", action="store_true")
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--validation-clips", type=int, default=1536)
    parser.add_argument("--start", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=25_000)
    parser.add_argument("--distil-steps", type=int, default=3_000)
    parser.add_argument("--distil-shots", type=int, default=16_384)
    parser.add_argument("--rows", type=int, help="of a batch, to try everything before")
    parser.add_argument("--above", type=float, default=0.9, help="intensity: see SelfDistillation")
    parser.add_argument("--rate", type=float, default=2.5e-4)
    parser.add_argument("--validate-every", type=int, default=2_500)
    parser.add_argument("--size", default="base", choices=("paper", "base", "tiny"))
    lent.add_drawing_arguments(parser)
    args = parser.parse_args()
    lent.STATE.mkdir(parents=True, exist_ok=True)
    lent.make_importable()
    if not args.send:
        train(args)
    if args.out is not None:
        args.out.mkdir(parents=True, exist_ok=True)
        left = hand_over(OUTBOX, args.out) if OUTBOX.is_dir() else []
        lent.say(f"left for further calls of --send: {left}")


if __name__ == "__main__":
    main()
