"""Train the human flow and the evaluators of people on a lent GPU, from captioned segments.

Here, where the takes lie as clips (`python runs/segments.py import`), they are packed once:

    python lab/people_h200.py pack CLIPS parcel

There, windows are drawn from the takes, and one or the other is trained against the clock:

    python3 lab/people_h200.py flow --parcel parcel --out "$OUT" --compiled --minutes 9
    python3 lab/people_h200.py evaluators --parcel parcel --out "$OUT" --minutes 3

and here again the pieces that came back become a run, of which one flow is shipped:

    python lab/base_h200.py collect PIECES... --run build/people-run
    python lab/people_h200.py ship build/people-run/human-flow src/aesop/weights/base

The human codec that is shipped travels with the takes and stays as it is: cameras know it.
"""

import argparse
import json
import logging
import re
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import base_h200 as lent

if TYPE_CHECKING:
    import torch
    from torch import nn

    from aesop.evaluators.evaluator import ContrastivePair
    from aesop.evaluators.evaluator_recipes import EvaluatorRecipe
    from aesop.evaluators.evaluator_training import CaptionedClips
    from aesop.fables.people_windows import PeopleRecipe, PeopleWindow, Worded
    from aesop.fables.takes import SplitName
    from aesop.text.encoder import TextEncoder
    from aesop.training.footage import Footage
    from aesop.training.recipes import FlowRecipe
    from paces import PacedCopies
    from people_parcel import TakeFeatures, TravelledTakes

KEPT = lent.STATE / "people"
CODEC_FILE = "human_codec.safetensors"
FLOW = "human-flow"
VALIDATION_WINDOWS = 1_500
MOST_STEPS = 70_000
# Of the steps; weights from where the rate is still high may act better than they validate.
SNAPSHOT_SHARE = 0.6
# Wordings of every label that the encoder's vocabulary is made from.
LABEL_DRAWS = 6
GOING_ON_WARM_UP, GOING_ON_AVERAGE = 300, 0.999
LONGEST_TEXT_WORDS = 120
# Of every evaluator, after its training.
SECONDS_TO_WRITE = 4.0
POOL_SIZES = (32, 160)
POOLS = 40
_WORD = re.compile(r"\w+|[^\w\s]")


def worded_takes() -> "dict[str, list[Worded]]":
    """All captioned segments that ship, by take."""
    from aesop.fables.people_windows import worded_segments
    from aesop.fables.segment_captions import read_segment_captions
    from aesop.fables.segment_table import read_segments

    return worded_segments(read_segments(), read_segment_captions())


def pack(args: argparse.Namespace) -> None:
    """Takes of both splits, the words' encoder and the human codec."""
    from aesop.fables.motion_sets import read_set_takes
    from aesop.fables.people_windows import takes_of_split
    from aesop.models.weights import flat_name, shipped_folder
    from people_parcel import TAKES_FILE, write_takes
    from travelling import write_travelling_encoder

    worded, takes = worded_takes(), read_set_takes()
    args.parcel.mkdir(parents=True, exist_ok=True)
    words: set[str] = set()
    for split in lent.SPLITS:
        mine = sorted(takes_of_split(takes, split) & worded.keys())[:: args.every]
        (args.parcel / split).mkdir(exist_ok=True)
        found = write_takes(mine, args.clips, args.parcel / split / TAKES_FILE)
        lent.say(f"{split}: {len(found)} of {len(mine)} takes")
        words |= vocabulary([row for name in found for row in worded[name]])
    # A text as long as any keeps the encoder's places.
    texts = (*sorted(words), " ".join(["walks"] * LONGEST_TEXT_WORDS))
    write_travelling_encoder(texts, args.parcel / lent.ENCODER_FILE)
    shutil.copyfile(shipped_folder("base") / flat_name("human-codec"), args.parcel / CODEC_FILE)
    lent.say_sizes(args.parcel)


def vocabulary(rows: "Sequence[Worded]") -> set[str]:
    """All words that windows of these segments may be described with."""
    import numpy as np

    from aesop.camera_words.vocabulary import mirror_caption
    from aesop.evaluators.contrary_words import contraries
    from aesop.fables.people_words import AGES, FORMS, PLACES, ROLES, plain_clause, spoken

    dice = np.random.default_rng(0)
    always = ("first, then, and then, and finally", "a an the", *AGES, *PLACES, *ROLES)
    words: set[str] = {it for text in always for it in re.findall(_WORD, text)}
    for row in rows:
        written = list(row.words.caption.sentences)
        for form in FORMS:
            for _ in range(LABEL_DRAWS):
                written.append(spoken([plain_clause(row.words, form, dice)], dice))
        for text in written:
            for made in (text, mirror_caption(text)):
                for it in (made, *contraries(made)):
                    words.update(re.findall(_WORD, it))
    return words


class Arrived:
    """What travelled: takes, words and codec, on a device."""

    def __init__(self, parcel: Path | None, device: "torch.device") -> None:
        from aesop.models.weights import load_human_codec
        from travelling import TravellingMiniLM

        lent.receive(parcel, KEPT)
        self._device = device
        self.encoder: TravellingMiniLM = TravellingMiniLM(KEPT / lent.ENCODER_FILE, device)
        self._statistics = load_human_codec(KEPT / CODEC_FILE).network.statistics
        self._read: dict[SplitName, tuple[TravelledTakes, TakeFeatures, PacedCopies | None]] = {}

    def windows(
        self, split: "SplitName", drawing: "Drawing"
    ) -> "tuple[TakeFeatures, list[PeopleWindow], str]":
        """Drawn windows of a split, the takes they are cut from, and the parcel's hash."""
        from aesop.fables.people_windows import draw_people
        from paces import recipe_of_copies
        from people_parcel import present

        if split not in self._read:
            self._read[split] = self._taken(split, drawing)
        takes, features, copies = self._read[split]
        recipe = drawing.recipe
        with lent.timed(f"{split}: {recipe.windows} windows drawn"):
            worded = present(worded_takes(), takes)
            windows = draw_people(worded, takes.grounds, recipe, drawing.workers)
        if copies is not None:
            with lent.timed(f"{split}: {drawing.copied_windows} windows of copies drawn"):
                windows += draw_people(
                    copies.worded,
                    copies.takes.grounds,
                    recipe_of_copies(recipe, drawing.copied_windows),
                    drawing.workers,
                )
        return features, windows, takes.sha256

    def _taken(
        self, split: "SplitName", drawing: "Drawing"
    ) -> "tuple[TravelledTakes, TakeFeatures, PacedCopies | None]":
        """Takes as they arrived, features of them and of the copies, and the copies."""
        from paces import joined, paced_copies
        from people_parcel import TAKES_FILE, present, read_takes, take_features

        with lent.timed(f"{split}: takes"):
            takes = read_takes(KEPT / split / TAKES_FILE)
        every, copies = takes, None
        if drawing.copies and drawing.copied_windows:
            with lent.timed(f"{split}: {drawing.copies} copies of every act"):
                worded = present(worded_takes(), takes)
                copies = paced_copies(takes, worded, drawing.recipe.seed, drawing.copies)
                every = joined(takes, copies.takes)
        with lent.timed(f"{split}: features of {len(every.tracks)} frames"):
            features = take_features(every, self._device, self._statistics)
        return takes, features, copies

    def footage(
        self, split: "SplitName", drawing: "Drawing"
    ) -> "tuple[Footage, list[PeopleWindow]]":
        """Windows of a split."""
        from people_parcel import footage_of_windows

        features, windows, sha256 = self.windows(split, drawing)
        with lent.timed(f"{split}: features of windows"):
            footage = footage_of_windows(features, windows, sha256)
        frames = footage.humans.lengths
        lent.say(
            f"{split}: {len(windows)} windows, {int(frames.sum())} frames, mean "
            f"{float(frames.float().mean()):.0f}; {len({s for w in windows for s in w.segments})} "
            "segments"
        )
        return footage, windows


@dataclass(frozen=True)
class Drawing:
    """How windows of a split are drawn, of takes and of copies of their acts at other paces."""

    recipe: "PeopleRecipe"
    copies: int
    copied_windows: int
    workers: int | None


def drawing_of(args: argparse.Namespace, split: "SplitName") -> Drawing:
    from aesop.fables.people_windows import PeopleRecipe

    recipe = PeopleRecipe(windows=args.windows)
    if split == "train":
        seeded = replace(recipe, seed=recipe.seed + args.seed)
        return Drawing(seeded, args.copies, args.copied_windows, args.workers)
    plain = replace(recipe, windows=min(VALIDATION_WINDOWS, args.windows), everyday=1.0)
    return Drawing(plain, 0, 0, args.workers)


def flow_recipe(args: argparse.Namespace) -> "FlowRecipe":
    """The recipe of the book, with the sizes and numbers that were asked for."""
    from aesop.training.recipe_book import recipe_for
    from aesop.training.recipes import FlowRecipe

    recipe = recipe_for(FLOW, args.size)
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
        keep=flow_keeper(run, args.out, arrived.encoder, steps),
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


def flow_keeper(
    run: Path, out: Path, encoder: "TextEncoder", steps: int
) -> "Callable[[nn.Module, int], None]":
    """Sends averaged weights home: the last ones after every validation, and once those of the
    first validation after `SNAPSHOT_SHARE` of the steps."""
    import torch

    from aesop.models.velocity import FlowTransformer
    from aesop.models.weights import new_part, save_part
    from aesop.training.run_folder import RunFolder

    human = RunFolder(run, torch.device("cpu")).human_codec()
    taken: list[int] = []

    def keep(network: "nn.Module", done: int) -> None:
        assert isinstance(network, FlowTransformer)
        part = new_part(FLOW, network, (human,), encoder, {"steps": str(done)})
        path = run / "kept.safetensors"
        save_part(part, path, "float16")
        lent.write_pieces(path, out, f"last-{FLOW}")
        if not taken and SNAPSHOT_SHARE * steps <= done < steps:
            taken.append(done)
            lent.write_pieces(path, out, f"early-{FLOW}")

    return keep


def train_evaluators(args: argparse.Namespace) -> None:
    """The one that measures and the one that chooses: other seed, shape and windows. Both end
    within the minutes, which count from the start: what reading and drawing leave is shared."""
    import torch

    from aesop.training.recipes import TrainingError

    deadline = time.monotonic() + args.minutes * 60 - SECONDS_TO_WRITE * len(args.names)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    arrived = Arrived(args.parcel, device)
    lessons: dict[str, list[CaptionedClips]] = {}
    for name in args.names:
        args.seed = ("tmr_acts", "chooser").index(name)
        lessons[name] = [lesson(arrived, args, split) for split in lent.SPLITS]
    if time.monotonic() > deadline:
        raise TrainingError(
            f"{args.minutes:g} minutes were over before anything could be trained.",
            "Give more minutes, or draw fewer windows.",
        )
    for place, name in enumerate(args.names):
        args.seed = ("tmr_acts", "chooser").index(name)
        recipe = judge_recipe(args, arrived.encoder.width, name)
        now = time.monotonic()
        until = now + (deadline - now) / (len(args.names) - place)
        trained_to_file(args, recipe, lessons.pop(name), arrived, name, until)


def lesson(arrived: Arrived, args: argparse.Namespace, split: "SplitName") -> "CaptionedClips":
    """Windows with their words and with what denies them. Windows of the same segments, mirrored
    or not, say the same."""
    import torch

    from aesop.evaluators.evaluator_training import captioned_clips, with_denials

    footage, windows = arrived.footage(split, drawing_of(args, split))
    with lent.timed(f"{split}: texts"):
        clips = captioned_clips(footage, "tmr", arrived.encoder)
    with lent.timed(f"{split}: denials"):
        clips = with_denials(clips, footage.human_captions, arrived.encoder)
    keys = [(it.segments, it.mirrored) for it in windows]
    number = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    labels = torch.tensor([number[key] for key in keys])
    return replace(clips, labels=labels).to(footage.humans.values.device)


def judge_recipe(args: argparse.Namespace, text_width: int, name: str) -> "EvaluatorRecipe":
    from aesop.evaluators.evaluator import EncoderShape
    from aesop.evaluators.evaluator_recipes import evaluator_recipe
    from aesop.features.columns import HUMAN

    recipe = evaluator_recipe("tmr", args.size, text_width)
    if args.size == "base":
        # Far more windows than the first judge had: longer, and parts of windows may lack what
        # their words say.
        recipe = replace(
            recipe,
            steps=12_000,
            batch_rows=384,
            learning_rate=4e-4,
            least_share=0.9,
            validate_every=500,
        )
    if args.steps:
        recipe = replace(recipe, steps=args.steps)
    if name == "tmr_acts" or args.size != "base":
        return replace(recipe, seed=args.seed)
    return replace(
        recipe,
        seed=101,
        moves=EncoderShape(HUMAN.width, 160, 5, 5, 512, patch=5),
        words=EncoderShape(text_width, 160, 4, 5, 512),
    )


def trained_to_file(
    args: argparse.Namespace,
    recipe: "EvaluatorRecipe",
    lessons: "Sequence[CaptionedClips]",
    arrived: Arrived,
    name: str,
    deadline: float,
) -> None:
    from aesop.evaluators.evaluator_training import learn_pair
    from aesop.evaluators.evaluator_weights import save_evaluator

    lent.say(f"{name}: {deadline - time.monotonic():.0f} s to train")
    with lent.timed(f"{name}: training"):
        trained = learn_pair(
            recipe, lessons[0], lessons[1], deadline=deadline, captured=not args.eager
        )
    notes = {
        "recipe": recipe.sha256,
        "size": recipe.size,
        "steps": str(trained.steps),
        "seconds": f"{trained.seconds:.0f}",
        "what": "captioned segments with denials",
    }
    path = args.out / f"{name}.safetensors"
    card = save_evaluator(trained.pair, "tmr", arrived.encoder, path, notes)
    facts = {
        "identity": card.identity,
        "bytes": path.stat().st_size,
        "recipe": asdict(recipe),
        "steps": trained.steps,
        "seconds": trained.seconds,
        "best": asdict(trained.best),
        "standings": [asdict(standing) for standing in trained.standings],
        "validation": found_words(trained.pair, lessons[1]),
    }
    path.with_suffix(".json").write_text(json.dumps(facts, indent=1), encoding="utf-8")
    lent.say(f"{name}: {trained.steps} steps, {trained.best}, {facts['validation']}")


def found_words(pair: "ContrastivePair", clips: "CaptionedClips") -> dict[str, float]:
    """How often windows find their words among others, and prefer them to what denies them.

    One window a segment, its first caption; pools are drawn at random, without windows that say
    the same.
    """
    import numpy as np
    import torch
    from torch.nn.functional import normalize

    from aesop.evaluators.evaluator_training import embedded

    labels = clips.labels.cpu().numpy()
    rows = np.unique(labels, return_index=True)[1]
    texts = clips.captions.pick(rows, np.zeros(len(rows)))
    assert clips.denials is not None
    denials = clips.denials.pick(texts, np.zeros(len(rows)))
    with torch.no_grad():
        moves, words, denied = (
            normalize(it, dim=-1) for it in embedded(pair, clips, rows, texts, denials)
        )
    similar = (moves @ words.T).cpu().numpy()
    own, other = similar.diagonal(), (moves * denied).sum(-1).cpu().numpy()
    has_denial = denials != 0
    dice = np.random.default_rng(0)
    facts = {"windows": float(len(rows)), "over_denial": float((own > other)[has_denial].mean())}
    for size in POOL_SIZES:
        ranks: list[np.ndarray] = []
        for _ in range(POOLS):
            pool = dice.choice(len(rows), min(size, len(rows)), replace=False)
            part = similar[np.ix_(pool, pool)]
            ranks.append((part > part.diagonal()[:, None]).sum(1))
        rank = np.concatenate(ranks)
        facts |= {f"r{top}_of_{size}": round(float((rank < top).mean()), 4) for top in (1, 2, 3)}
    return facts


def ship(args: argparse.Namespace) -> None:
    """Put one flow where `act` finds it, if it was trained with the codec there."""
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
    path = args.folder / flat_name(FLOW)
    save_part(part, path, "float16")
    lent.say(f"{path}: {path.stat().st_size / 1e6:.1f} MB, {dict(part.card.notes)}")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("clips", type=Path, help="folder of SET/TAKE.clip")
    packing.add_argument("parcel", type=Path)
    packing.add_argument("--every", type=int, default=1, help="one take in so many, to try it")
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
    return parser.parse_args()


def main() -> None:
    args = read_arguments()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    lent.STATE.mkdir(parents=True, exist_ok=True)
    lent.make_importable()
    if "out" in args:
        args.out.mkdir(parents=True, exist_ok=True)
    act = {"pack": pack, "flow": train_flow, "evaluators": train_evaluators, "ship": ship}
    act[args.verb](args)


if __name__ == "__main__":
    main()
