"""Time and memory of a training step of the paper's phases: data, loss, optimiser and average.

    python benchmarks/train_step.py --sizes paper base --lengths full skewed

`full` clips all have 300 frames; `skewed` lengths have PulpMotion's quartiles, so that sorting by
length shows what it saves. On a GPU the step is a captured graph; --compiled lets torch.compile
fuse it first, --eager runs it as written. One JSON line per measurement on stdout.
"""

import argparse
import json
import time
from dataclasses import replace

import numpy as np
import torch
from torch import nn

from aesop.core.machine import this_machine
from aesop.features.columns import CAMERA, HUMAN, Statistics
from aesop.models.codec import STRIDE, CameraCodec, HumanCodec
from aesop.models.phase_table import PAPER_PHASES
from aesop.models.velocity import FlowTransformer
from aesop.pairs.pair_files import Member, PairSet, TrainingPair
from aesop.training.batch_order import PairOrder
from aesop.training.codec_phases import CAMERA_CODEC, HUMAN_CODEC, CodecBatch, CodecClips, CodecTask
from aesop.training.flow_phases import FlowBatch, FlowClips, FlowTask
from aesop.training.footage import EncodedCaptions, Ragged, starts_from_lengths
from aesop.training.loop import TrainingTask
from aesop.training.recipe_book import recipe_for
from aesop.training.recipes import (
    SIZES,
    Batching,
    CodecRecipe,
    FlowRecipe,
    PairedFlowRecipe,
    Recipe,
    with_steps,
)
from aesop.training.step import ALONE, GraphedStep, Learner

CLIPS = 4096
WORDS = 24
PAIRS = 64
# Frames at the 0th, 10th, … 100th percentile of PulpMotion's clips.
QUANTILES = (9, 37, 43, 50, 60, 70, 88, 107, 138, 184, 300)


def lengths_of(kind: str, clips: int) -> np.ndarray:
    if kind == "full":
        return np.full(clips, 300)
    places = np.random.default_rng(0).random(clips) * (len(QUANTILES) - 1)
    return np.interp(places, np.arange(len(QUANTILES)), QUANTILES).round().astype(np.int64)


def noise(lengths: np.ndarray, width: int, device: torch.device) -> Ragged:
    starts = starts_from_lengths(lengths.tolist()).to(device)
    return Ragged(torch.randn(int(starts[-1]), width, device=device), starts)


def captions(rows: int, width: int, device: torch.device) -> EncodedCaptions:
    texts = 512
    return EncodedCaptions(
        tokens=noise(np.full(texts, WORDS), width, device),
        pooled=torch.randn(texts, width, device=device),
        choices=np.random.default_rng(1).integers(1, texts, rows),
        starts=np.arange(rows + 1),
        longest=WORDS,
    )


def pair_order(recipe: Recipe) -> PairOrder | None:
    if not isinstance(recipe, PairedFlowRecipe):
        return None
    still = Member(torch.zeros(1, CAMERA.width), ("",), 1.0)
    pairs = [
        TrainingPair(kind, "", "", still, still)
        for kind in ("direction", "active", "null")
        for _ in range(PAIRS)
    ]
    return PairOrder(recipe.slots, PairSet(tuple(pairs), ""), recipe.schedule.steps, recipe.seed)


def lesson_for(
    recipe: Recipe, lengths: np.ndarray, device: torch.device
) -> tuple[nn.Module, TrainingTask]:  # pyright: ignore[reportMissingTypeArgument]
    names = tuple(str(row) for row in range(len(lengths)))
    if isinstance(recipe, CodecRecipe):
        shape = recipe.network
        layout = CAMERA if shape.context else HUMAN
        statistics = Statistics(torch.zeros(layout.width), torch.ones(layout.width))
        clips = CodecClips(noise(lengths, layout.width, device), names)
        if not shape.context:
            network = HumanCodec(shape, statistics).to(device)
            return network, CodecTask(HUMAN_CODEC, recipe, statistics, clips, clips, ALONE)
        latents = noise(-(-lengths // STRIDE), shape.context, device)
        every = torch.arange(len(lengths), device=device)
        clips = replace(clips, human_latents=latents, human_of_clip=every)
        network = CameraCodec(shape, statistics).to(device)
        return network, CodecTask(CAMERA_CODEC, recipe, statistics, clips, clips, ALONE)
    assert isinstance(recipe, FlowRecipe)
    shape = recipe.network
    ordinary = len(lengths)
    pairs = pair_order(recipe)
    if pairs is not None:  # pair members follow the ordinary rows
        lengths = np.concatenate([lengths, np.resize(lengths, 6 * PAIRS)])
    tokens = -(-lengths // STRIDE)
    human = noise(tokens, shape.human_read, device) if shape.human else None
    learns_intensity = recipe.optimiser.intensity_learning_rate is not None
    clips = FlowClips(
        latents=noise(tokens, shape.latent, device),
        captions=captions(len(lengths), shape.text, device),
        names=names,
        human_latents=human,
        human_of_clip=torch.arange(len(lengths), device=device) if shape.human else None,
        intensity=np.ones(len(lengths), np.float32) if learns_intensity else None,
        ordinary=ordinary,
    )
    return FlowTransformer(shape).to(device), FlowTask(recipe, clips, clips, ALONE, pairs)


def _mask(batch: CodecBatch | FlowBatch) -> torch.Tensor:
    return batch.mask if isinstance(batch, CodecBatch) else batch.context.mask


def measure(recipe: Recipe, kind: str, args: argparse.Namespace) -> dict[str, object]:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    lengths = lengths_of(kind, args.clips)
    network, lesson = lesson_for(recipe, lengths, device)
    learner = Learner(network, lesson, recipe, ALONE, compiled=args.compiled)
    graphs = device.type == "cuda" and not args.eager
    run_step = GraphedStep(learner) if graphs else learner.step
    tokens: list[float] = []

    def run(first: int, stop: int) -> float:
        if device.type == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        for step in range(first, stop):
            learner.prepare(step)
            run_step(lesson.batch(step))
        if device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - start

    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    # Warm up over whole pools, so that every batch shape has been met (and captured) before.
    warm = max(args.warm_up, recipe.batching.pool_batches * 2)
    start_seconds = run(0, warm)
    rounds = [run(warm + i * args.steps, warm + (i + 1) * args.steps) for i in range(3)]
    seconds = sorted(rounds)[1] / args.steps
    for step in range(warm, warm + args.steps):
        tokens.append(float(_mask(lesson.batch(step)).numel()))
    padded = float(np.mean(tokens)) / (STRIDE if isinstance(recipe, CodecRecipe) else 1)
    parameters = sum(it.numel() for it in learner.trained.values())
    assert learner.halted_step() is None
    return {
        "phase": recipe.phase,
        "size": recipe.size,
        "lengths": kind,
        "step_ms": round(seconds * 1e3, 3),
        "spread_ms": round((max(rounds) - min(rounds)) / args.steps * 1e3, 3),
        "rows": recipe.schedule.batch_rows,
        "padded_tokens": round(padded),
        "parameters": parameters,
        "tflops_6nd": round(6 * parameters * padded / seconds / 1e12, 2),
        "whole_phase_minutes": round(seconds * recipe.schedule.steps / 60, 2),
        "start_seconds": round(start_seconds, 2),
        "memory_gib": round(torch.cuda.max_memory_allocated() / 2**30, 2)
        if device.type == "cuda"
        else None,
        "mode": ("graph" if graphs else "eager") + ("+compiled" if args.compiled else ""),
        "machine": this_machine(device).device,
        "torch": torch.__version__,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", default=["base"], choices=SIZES)
    parser.add_argument("--phases", nargs="+", default=list(PAPER_PHASES), choices=PAPER_PHASES)
    parser.add_argument("--lengths", nargs="+", default=["skewed"], choices=["full", "skewed"])
    parser.add_argument("--unsorted", action="store_true", help="no sorting, one padded length")
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--eager", action="store_true")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--warm-up", type=int, default=20)
    parser.add_argument("--clips", type=int, default=CLIPS)
    args = parser.parse_args()
    for size in args.sizes:
        for phase in args.phases:
            recipe = recipe_for(phase, size)
            steps = args.warm_up + 3 * args.steps + 64
            recipe = recipe if recipe.schedule.steps >= steps else with_steps(recipe, steps)
            if args.unsorted:
                recipe = replace(recipe, batching=Batching(1, (300,)))
            for kind in args.lengths:
                print(json.dumps(measure(recipe, kind, args)), flush=True)
                if torch.cuda.is_available():
                    torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
