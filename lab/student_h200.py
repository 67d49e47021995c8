"""Teach a few-step student of a camera flow on one lent GPU, by several schemes in slices of time.

Here, people and words are packed into a parcel that is small enough to travel with the teacher; no
camera is needed:

    python lab/student_h200.py pack STORE parcel --windows 3000

There, the teacher films once, every scheme learns from the same ways for its share of the time, and
all are compared with the teacher's 50 Euler steps:

    python3 lab/student_h200.py train --parcel parcel --teacher WEIGHTS --out "$OUT" \\
        --seconds 280
    python3 lab/student_h200.py train … --calls 4 2 1 --slices own-states:4 regression:3 shortcut:3

WEIGHTS is a folder of either layout with a human codec, a camera codec and a camera flow. What
travelled stays on that machine: `receive` keeps either in a call of its own, where both are too
much for one. Weights come back in pieces, of the best schemes only. Here again:

    python lab/student_h200.py ship PIECES... FOLDER --scheme own-states
"""

import argparse
import json
import lzma
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from base_h200 import (
    ENCODER_FILE,
    PEOPLE_TURN_RAD,
    SPLITS,
    make_importable,
    receive,
    say_sizes,
)
from base_h200 import STATE as BASE_STATE
from pacing import STARTED, paced, progress_now_and_then, say, timed
from pieces import write_pieces

if TYPE_CHECKING:
    import numpy as np
    import torch

    from aesop.data.store import Store
    from aesop.models.velocity import FlowTransformer
    from aesop.text.encoder import TextEncoder
    from aesop.training.footage import Footage
    from aesop.training.recipes import Scheme, StudentRecipe
    from aesop.training.run_folder import Material, PhaseRun
    from aesop.training.student import StudentMaterial
    from student_metres import Metres

STATE = Path(tempfile.gettempdir()) / "aesop-student"
CAPTIONS_FILE = "captions.json.xz"
TEACHING = ("human-codec", "camera-codec", "camera-flow")
FACTS, TELLINGS = 6, 2  # of every window: shots of the vocabulary, and captions of each
VALIDATION_WINDOWS = 250
PROBE_STEPS = 150
HASTE = 0.9  # of the steps that the pace promises: a slice must come to its end
CLOSING_SECONDS = 6.0  # of a slice, for captures, validation and metres
SENDING_SECONDS = 5.0
# Forward passes that a step costs; backward counts as two.
PASSES = {"fresh": 7, "regression": 3, "own-states": 4, "shortcut": 5}
KEPT = 2  # schemes whose weights come back …
MOST_BYTES = 60 << 20  # … if they are no larger than this together


def pack(args: argparse.Namespace) -> None:
    """Windows, spread evenly over the store, the words that may be asked of each, and an encoder
    that knows these words."""
    import numpy as np

    from aesop.data.store import open_store, training_rows
    from aesop.training.footage import footage_of_rows
    from parcel import Rounding, write_windows
    from travelling import write_travelling_encoder

    store, rows = open_store(args.store), training_rows(open_store(args.store), "train")
    wanted = {"train": (rows.train, args.windows), "validation": (rows.held_out, args.validation)}
    captions: dict[str, dict[str, list[str]]] = {}
    for split, (shots, count) in wanted.items():
        _, first = np.unique(store.human_rows[shots], return_index=True)
        places = np.linspace(0, len(first) - 1, min(count, len(first))).round().astype(np.int64)
        footage = footage_of_rows(store, shots[np.sort(first[places])])
        write_windows(footage, args.parcel / split, Rounding(joint_turn_rad=PEOPLE_TURN_RAD))
        captions[split] = window_captions(store, shots, footage, split)
    (args.parcel / CAPTIONS_FILE).write_bytes(lzma.compress(json.dumps(captions).encode()))
    every = (text for split in captions.values() for texts in split.values() for text in texts)
    write_travelling_encoder(dict.fromkeys(every), args.parcel / ENCODER_FILE)
    say_sizes(args.parcel)


def window_captions(
    store: "Store", shots: "np.ndarray", footage: "Footage", split: str
) -> dict[str, list[str]]:
    """What the cameras of every window were asked for in the store, and beside it words for shots
    of the vocabulary that suit the motion: the sources that camera flows learn from."""
    from aesop.camera_words.caption_teller import teller_for
    from aesop.camera_words.standing_tagger import person_curves
    from aesop.camera_words.step_tagger import turning_frame
    from aesop.core.hashing import dice_for
    from aesop.fables.cinematographer.facts_draw import FactStyle, draw_facts
    from aesop.fables.cinematographer.lens import watch
    from aesop.features.human_features import human_from_features
    from aesop.scene.human import NATIVE_FPS

    captions: dict[str, list[str]] = {name: [] for name in footage.human_names}
    for row in shots.tolist():
        name = store.humans.text("id", int(store.human_rows[row]))
        if name in captions:
            captions[name] += store.shots.strings("captions", row)
    teller, style = teller_for("train" if split == "train" else "validation"), FactStyle()
    for place, name in enumerate(footage.human_names):
        motion = human_from_features(footage.humans.clip(place).double())
        subject = watch(motion.joints.numpy(), motion.yaw.numpy())
        turning = turning_frame(person_curves(motion), NATIVE_FPS)
        dice = dice_for(0, name, "student")
        for _ in range(FACTS):
            facts = draw_facts(subject, style, dice, turning=turning)
            captions[name] += [it.text for it in teller.captions(facts, TELLINGS, dice)]
    return captions


def footage_here(split: str, windows: int | None, device: "torch.device") -> "Footage":
    """People and words as they travelled; the cameras have no features."""
    import torch

    from aesop.training.footage import Ragged
    from base_h200 import first_windows
    from parcel import read_parcel

    people = first_windows(read_parcel(STATE / "parcel" / split, device), windows)
    packed = (STATE / "parcel" / CAPTIONS_FILE).read_bytes()
    captions: dict[str, list[str]] = json.loads(lzma.decompress(packed))[split]
    count, frames = len(people.humans), len(people.humans.values)
    return replace(
        people,
        cameras=Ragged(torch.zeros(frames, 0), people.humans.starts),
        human_of_shot=torch.arange(count),
        shot_names=people.human_names,
        camera_captions=tuple(tuple(captions[name]) for name in people.human_names),
    )


def keep(args: argparse.Namespace) -> None:
    """Keep what travelled with this call."""
    receive(args.parcel, STATE / "parcel")
    if args.teacher is not None:
        adopt_teacher(args.teacher)
    say_sizes(STATE)


def teach(args: argparse.Namespace) -> None:
    """Let the teacher film, then every scheme learn for its seconds."""
    import torch

    from aesop.training.recipes import with_steps
    from aesop.training.run_folder import Material
    from aesop.training.student import student_material
    from student_metres import Metres
    from travelling import TravellingMiniLM

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    receive(args.parcel, STATE / "parcel")
    args.out.mkdir(parents=True, exist_ok=True)
    adopt_teacher(args.teacher)
    slices = asked_slices(args.slices)
    with timed("people and words"):
        encoder = TravellingMiniLM(STATE / "parcel" / ENCODER_FILE, device)
        train, validation = (footage_here(split, args.windows, device) for split in SPLITS)
        material = Material(train, validation, encoder)
    recipe = asked_recipe(args, next(iter(slices)))
    with timed("the teacher's ways"):
        taught = student_material(phase_of(recipe, material, device), progress_now_and_then())
    if args.carried is not None:
        taught = replace(taught, begins=carried_student(args.carried, taught, encoder))
    rows, ways = len(taught.train[1]), taught.train[1].states
    say(f"{rows} shots, twice each: {ways.numel() * 4 / 2**30:.1f} GiB of states")
    facts = {"slices": {}, "teacher": taught.teacher.card.identity, "shots": rows}
    metres = Metres(taught)
    facts["teacher_fast"] = metres.of(taught.validation[1].states[-1])
    say(f"teacher, fast: {facts['teacher_fast']}")
    pace = Pace(0.0) if args.steps else pace_of(recipe, material, taught)
    left = args.seconds - SENDING_SECONDS - (time.monotonic() - STARTED)
    for scheme, share in slices.items():
        own = replace(recipe, student=replace(recipe.student, scheme=scheme))
        seconds = left * share / sum(slices.values())
        steps = args.steps or pace.steps_in(seconds - CLOSING_SECONDS, scheme)
        own = with_steps(own, steps)
        facts["slices"][scheme] = carried_out(own, seconds, args, material, metres)
        (args.out / "student.json").write_text(json.dumps(facts), encoding="utf-8")
    send_home(facts["slices"], args, encoder, taught)
    say(f"all: {time.monotonic() - STARTED:.0f} s")


def asked_recipe(args: argparse.Namespace, scheme: "Scheme") -> "StudentRecipe":
    from aesop.training.recipe_book import recipe_for
    from aesop.training.recipes import StudentRecipe

    recipe = recipe_for("camera-flow-student", args.size)
    assert isinstance(recipe, StudentRecipe)
    settings = replace(recipe.student, shots=args.shots, scheme=scheme)
    if args.calls is not None:
        settings = replace(settings, calls=tuple(args.calls), shares=(1.0,) * len(args.calls))
    watch = replace(recipe.watch, validation_clips=args.validation_shots)
    schedule = replace(recipe.schedule, batch_rows=args.rows or recipe.schedule.batch_rows)
    if args.rate is not None:
        schedule = replace(schedule, learning_rate=args.rate)
    return replace(recipe, student=settings, watch=watch, schedule=schedule)


def asked_slices(words: list[str]) -> "dict[Scheme, float]":
    """ "own-states:4" is four shares of the time for that scheme."""
    from aesop.training.recipes import SCHEMES

    slices: dict[Scheme, float] = {}
    for word in words:
        scheme, _, share = word.partition(":")
        if scheme not in SCHEMES:
            sys.exit(f"there is no scheme {scheme}; there are {', '.join(SCHEMES)}")
        slices[scheme] = float(share)
    return slices


def adopt_teacher(folder: Path | None) -> None:
    """Keep the parts that teach, from a folder of either layout, for this call and later ones. If
    none is named and none was kept, those that base_h200 trained on this machine teach."""
    from aesop.models.weights import part_file

    if folder is None and (STATE / "teacher").is_dir():
        return
    source = folder or BASE_STATE / "run"
    for part in TEACHING:
        path = part_file(source, part)
        if path is None:
            sys.exit(f"{source} has no {part}")
        target = STATE / "teacher" / part / "weights.safetensors"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def carried_student(
    folder: Path, taught: "StudentMaterial", encoder: "TextEncoder"
) -> "FlowTransformer":
    """A student that begins near: an earlier teacher's, carried over to this teacher."""
    from aesop.models.weights import load_camera_flow, load_camera_student, part_file
    from aesop.training.student import carried_over

    files = [part_file(folder, name) for name in ("camera-flow", "camera-flow-student")]
    if files[0] is None or files[1] is None:
        sys.exit(f"{folder} has no camera flow with a student")
    device = taught.reference.device
    earlier = load_camera_flow(files[0], taught.codecs, encoder, device)
    student = load_camera_student(files[1], taught.codecs, earlier.card, encoder, device)
    say(f"begins as {student.card.identity}, carried over from {earlier.card.identity}")
    return carried_over(student.network, earlier.network, taught.teacher.network)


def phase_of(
    recipe: "StudentRecipe", material: "Material", device: "torch.device", run: Path | None = None
) -> "PhaseRun[StudentRecipe]":
    """One slice, in a folder of its own where there is one to write."""
    from aesop.training.loop import Conduct
    from aesop.training.run_folder import PhaseRun, RunFolder
    from aesop.training.step import ALONE

    folder = RunFolder(run or STATE / "teacher", device)
    phase = PhaseRun(recipe, material, folder, Conduct(), ALONE)
    if run is not None:
        phase.out.mkdir(parents=True)
    return phase


@dataclass(frozen=True)
class Pace:
    """How fast this machine learns, in forward passes of a batch."""

    passes_per_second: float

    def steps_in(self, seconds: float, scheme: str) -> int:
        """As many steps as surely come to their end."""
        steps = int(HASTE * seconds * self.passes_per_second / PASSES[scheme])
        say(f"{scheme}: {steps} steps in {seconds:.0f} s")
        return max(50, steps)


def pace_of(recipe: "StudentRecipe", material: "Material", taught: "StudentMaterial") -> Pace:
    """By a few steps that are thrown away."""
    from aesop.training.recipes import with_steps
    from aesop.training.student import train_student_on

    short = with_steps(recipe, PROBE_STEPS)
    quiet = replace(short.watch, log_every=PROBE_STEPS // 3, validate_every=10**9)
    quiet = replace(quiet, checkpoint_every=10**9)
    with tempfile.TemporaryDirectory() as folder:
        device = taught.reference.device
        phase = phase_of(replace(short, watch=quiet), material, device, Path(folder) / "probe")
        train_student_on(phase, taught)
        lines = (phase.out / "log.jsonl").read_text(encoding="utf-8").splitlines()
    rates = [json.loads(line).get("steps_per_second") for line in lines]
    return Pace(PASSES[recipe.student.scheme] * max(rate for rate in rates if rate))


def carried_out(
    recipe: "StudentRecipe",
    seconds: float,
    args: argparse.Namespace,
    material: "Material",
    metres: "Metres",
) -> dict[str, object]:
    """One scheme for its seconds: what it came to, and its journal."""
    from aesop.training.student import train_student_on

    began, scheme, taught = time.monotonic(), recipe.student.scheme, metres.taught
    steps = recipe.schedule.steps
    every = max(1, steps // 3)
    watch = replace(recipe.watch, validate_every=every, log_every=every, checkpoint_every=10**9)
    recipe = replace(recipe, watch=watch)
    run = STATE / "runs" / scheme
    shutil.rmtree(run, ignore_errors=True)
    phase = phase_of(recipe, material, taught.reference.device, run)
    conduct = replace(phase.conduct, compiled=args.compiled)
    conduct = paced(conduct, began + 1.2 * seconds + 20)
    finished = train_student_on(replace(phase, conduct=conduct), taught)
    lines = (phase.out / "log.jsonl").read_text(encoding="utf-8").splitlines()
    journal = [json.loads(it) for it in lines]
    facts: dict[str, object] = {
        "steps": steps,
        "seconds": round(time.monotonic() - began, 1),
        "finished": finished,
        "recipe": recipe.settings,
        "run": json.loads((phase.out / "run.json").read_text(encoding="utf-8")),
        "journal": journal,
    }
    if finished:
        facts["metres"] = student_in_metres(phase, metres)
    for line in journal:
        say(f"{scheme}: {line}")
    say(f"{scheme}: {facts['seconds']} s, {json.dumps(facts.get('metres'))}")
    return facts


def student_in_metres(
    phase: "PhaseRun[StudentRecipe]", metres: "Metres"
) -> dict[str, dict[str, float]]:
    """At every number of calls."""
    from aesop.training.student import student_preset
    from aesop.training.teacher_ways import sampled_ends

    scenes = metres.taught.validation
    student = student_here(phase.folder.path, phase.material.encoder, metres.taught)
    return {
        str(calls): metres.of(sampled_ends(student, *scenes, student_preset(calls)))
        for calls in phase.recipe.student.calls
    }


def student_here(run: Path, encoder: "TextEncoder", taught: "StudentMaterial") -> "FlowTransformer":
    from aesop.models.weights import load_camera_student
    from aesop.training.run_folder import weights_path

    path, device = weights_path(run, "camera-flow-student"), taught.reference.device
    return load_camera_student(path, taught.codecs, taught.teacher.card, encoder, device).network


def send_home(
    slices: "dict[str, dict[str, object]]",
    args: argparse.Namespace,
    encoder: "TextEncoder",
    taught: "StudentMaterial",
) -> None:
    """The weights of the schemes that end nearest to the reference."""
    from aesop.models.weights import load_camera_student, save_part
    from aesop.training.run_folder import weights_path

    done = [scheme for scheme, facts in slices.items() if facts["finished"]]
    best = sorted(done, key=lambda it: last_validation(slices[it]))[: args.keep]
    say(f"schemes by distance to the reference: {best}")
    sent = 0
    for scheme in best:
        path = weights_path(STATE / "runs" / scheme, "camera-flow-student")
        part = load_camera_student(path, taught.codecs, taught.teacher.card, encoder)
        half = path.with_name("half.safetensors")
        save_part(part, half, "float16")
        sent += half.stat().st_size
        if sent > MOST_BYTES:
            say(f"{scheme} stays here: too much would come back")
            break
        write_pieces(half, args.out, f"student-{scheme}")


def last_validation(facts: "dict[str, object]") -> float:
    journal = facts["journal"]
    assert isinstance(journal, list)
    return [it["loss"] for it in journal if it["kind"] == "validation"][-1]


def ship(args: argparse.Namespace) -> None:
    """Put the pieces of a scheme together and write the student beside its teacher."""
    from aesop.models.weights import flat_name, part_file, read_card

    name = f"student-{args.scheme}.weights."
    pieces = sorted(path for path in args.pieces if path.name.startswith(name))
    if not pieces:
        sys.exit(f"there are no pieces of {args.scheme}")
    target = args.folder / flat_name("camera-flow-student")
    target.write_bytes(b"".join(path.read_bytes() for path in pieces))
    card, teacher = read_card(target), part_file(args.folder, "camera-flow")
    if teacher is None or card.partners["camera-flow"] != read_card(teacher).identity:
        target.unlink()
        sys.exit(f"{args.folder} has another camera flow than the one that taught this student")
    say(f"{target}: {target.stat().st_size / 1e6:.1f} MB, taught by {card.partners['camera-flow']}")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("store", type=Path)
    packing.add_argument("parcel", type=Path)
    packing.add_argument("--windows", type=int, default=3000)
    packing.add_argument("--validation", type=int, default=VALIDATION_WINDOWS)
    keeping, training = verbs.add_parser("receive"), verbs.add_parser("train")
    for verb in (keeping, training):
        verb.add_argument("--parcel", type=Path, help="what travelled with this call")
        verb.add_argument("--teacher", type=Path, help="folder of weights, of either layout")
    training.add_argument("--carried", type=Path, help="weights whose student it begins as")
    training.add_argument("--out", type=Path, required=True)
    training.add_argument(
        "--slices",
        nargs="+",
        default=["fresh:1"],
        help="schemes and their shares of the time",
    )
    training.add_argument("--seconds", type=float, default=280, help="for the whole call")
    training.add_argument(
        "--shots", type=int, default=20_480, help="that the teacher films, twice each"
    )
    training.add_argument("--calls", type=int, nargs="+", help="8 if not given")
    training.add_argument("--rows", type=int, help="shots of a batch")
    training.add_argument("--rate", type=float, help="learning rate")
    training.add_argument("--steps", type=int, help="instead of as many as fit: to try everything")
    training.add_argument("--windows", type=int, help="only the first ones: to try everything")
    training.add_argument("--validation-shots", type=int, default=384)
    training.add_argument("--keep", type=int, default=KEPT, help="schemes whose weights come back")
    training.add_argument("--size", default="base", choices=("paper", "base", "tiny"))
    training.add_argument("--compiled", action="store_true")
    shipping = verbs.add_parser("ship")
    shipping.add_argument("pieces", type=Path, nargs="+")
    shipping.add_argument("folder", type=Path, help="folder of weights with the teacher")
    shipping.add_argument("--scheme", required=True)
    return parser.parse_args()


def main() -> None:
    args = read_arguments()
    STATE.mkdir(parents=True, exist_ok=True)
    make_importable()
    {"pack": pack, "receive": keep, "train": teach, "ship": ship}[args.verb](args)


if __name__ == "__main__":
    main()
