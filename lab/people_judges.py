"""Evaluators of people, trained on a lent machine: the one that measures and the one that
chooses."""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import base_h200 as lent
from people_footage import Arrived, drawing_of

if TYPE_CHECKING:
    from aesop.evaluators.evaluator import ContrastivePair
    from aesop.evaluators.evaluator_recipes import EvaluatorRecipe
    from aesop.evaluators.evaluator_training import CaptionedClips
    from aesop.fables.takes import SplitName

# Of every evaluator, after its training.
SECONDS_TO_WRITE = 4.0
POOL_SIZES = (32, 160)
POOLS = 40


def train_evaluators(args: argparse.Namespace) -> None:
    """The one that measures and the one that chooses: other seed, shape and windows. Both end
    within the minutes, which count from the start: what reading and drawing leave is shared."""
    import torch

    from aesop.training.recipes import TrainingError

    deadline = time.monotonic() + args.minutes * 60 - SECONDS_TO_WRITE * len(args.names)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    arrived = Arrived(args.parcel, device, None)
    clips_of: dict[str, list[CaptionedClips]] = {}
    for name in args.names:
        args.seed = ("tmr_acts", "chooser").index(name)
        clips_of[name] = [captioned_split(arrived, args, split) for split in lent.SPLITS]
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
        splits = clips_of.pop(name)
        trained_to_file(args, recipe, splits, arrived, name, until)


def captioned_split(
    arrived: Arrived, args: argparse.Namespace, split: "SplitName"
) -> "CaptionedClips":
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
            validate_every=250,
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
    splits: "Sequence[CaptionedClips]",
    arrived: Arrived,
    name: str,
    deadline: float,
) -> None:
    from aesop.evaluators.evaluator_training import learn_pair
    from aesop.evaluators.evaluator_weights import save_evaluator

    lent.say(f"{name}: {deadline - time.monotonic():.0f} s to train")
    with lent.timed(f"{name}: training"):
        trained = learn_pair(
            recipe, splits[0], splits[1], deadline=deadline, captured=not args.eager
        )
    notes = {
        "recipe": recipe.sha256,
        "size": recipe.size,
        "steps": str(trained.steps),
        "seconds": f"{trained.seconds:.0f}",
        "windows": str(len(splits[0].clips)),
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
        "validation": found_words(trained.pair, splits[1]),
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
