"""Where the time of one step of an evaluator goes: gathering its batch, the step, and how much of
the step is padding."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aesop.evaluators.evaluator_recipes import EvaluatorRecipe, TeachingBatch
    from aesop.evaluators.evaluator_training import CaptionedClips

STEPS = 20
# About the means of windows and texts, where the longest have 300 and 56.
SHORT_FRAMES, SHORT_TOKENS = 140, 16
KERNELS = 25


def step_times(
    recipe: "EvaluatorRecipe", clips: "CaptionedClips", captured: bool
) -> dict[str, object]:
    """Milliseconds of a step by its parts, of the same step with every row cut to a mean length,
    and the kernels that take longest."""
    import numpy as np
    import torch

    from aesop.evaluators.evaluator import ContrastivePair, SequenceDecoder
    from aesop.evaluators.evaluator_training import teaching_batch
    from aesop.evaluators.teaching_step import TeachingStep

    device = clips.clips.values.device
    pair = ContrastivePair(recipe.moves, recipe.words).to(device).train()
    decoder = SequenceDecoder(recipe.moves, recipe.decoder_layers).to(device).train()
    dice, noise = np.random.default_rng(0), torch.Generator(device).manual_seed(0)
    rows = dice.permutation(len(clips.clips))[: recipe.batch_rows]

    def batch() -> "TeachingBatch":
        return teaching_batch(clips, rows, dice, pair, recipe, noise)

    whole, short = batch(), shortened(batch())
    facts: dict[str, object] = {
        "rows": len(rows),
        "frames": whole.moves.shape[1],
        "frames_used": float(whole.moves_mask.float().mean()),
        "tokens": whole.words.shape[1],
        "tokens_used": float(whole.words_mask.float().mean()),
        "batch_ms": milliseconds(batch, device),
    }
    for name, given in (("step", whole), ("short_step", short)):
        step = TeachingStep(pair, decoder, recipe, captured)

        def once(step: TeachingStep = step, given: "TeachingBatch" = given) -> None:
            step(given, 1e-5)

        facts[f"{name}_ms"] = milliseconds(once, device)
        facts[f"{name}_kernels"] = longest_kernels(once, device)
    return facts


def shortened(batch: "TeachingBatch") -> "TeachingBatch":
    """Every row cut to a mean length."""
    contrary, mask = batch.contrary, batch.contrary_mask
    return replace(
        batch,
        moves=batch.moves[:, :SHORT_FRAMES].contiguous(),
        moves_mask=batch.moves_mask[:, :SHORT_FRAMES].contiguous(),
        words=batch.words[:, :SHORT_TOKENS].contiguous(),
        words_mask=batch.words_mask[:, :SHORT_TOKENS].contiguous(),
        contrary=None if contrary is None else contrary[:, :SHORT_TOKENS].contiguous(),
        contrary_mask=None if mask is None else mask[:, :SHORT_TOKENS].contiguous(),
    )


def milliseconds(work: Callable[[], object], device: object) -> float:
    """Of one of many calls, waited for once at the end."""
    import torch

    def wait() -> None:
        if str(device).startswith("cuda"):
            torch.cuda.synchronize()

    for _ in range(5):  # captures, where there is something to capture
        work()
    wait()
    began = time.monotonic()
    for _ in range(STEPS):
        work()
    wait()
    return round((time.monotonic() - began) / STEPS * 1e3, 3)


def longest_kernels(work: Callable[[], object], device: object) -> list[str]:
    """Milliseconds, calls and names, on a GPU; what the profiler says if it cannot look."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    if not str(device).startswith("cuda"):
        return []
    try:
        with profile(activities=[ProfilerActivity.CUDA]) as seen:
            for _ in range(STEPS):
                work()
            torch.cuda.synchronize()
        found = sorted(seen.key_averages(), key=lambda it: -it.device_time_total)[:KERNELS]
        return [
            f"{it.device_time_total / STEPS / 1e3:.3f} ms, {it.count / STEPS:g} calls: {it.key}"
            for it in found
        ]
    except Exception as problem:  # noqa: BLE001 - the evaluator itself is safe by now
        return [f"not seen: {problem}"]
