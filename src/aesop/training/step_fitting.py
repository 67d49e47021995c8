"""Few steps for a flow, fitted to where its own 50 Euler steps lead from the same noise: by least
squares, step by step, over batches that whoever knows the flow draws."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.flow.few_steps import BothVelocities, StepFit, weighed_steps
from aesop.flow.guided_sampling import (
    Restraint,
    both_velocities,
    guided_velocities,
    sample_latents,
    sample_states,
)
from aesop.flow.path import eased_times
from aesop.flow.solvers import PRESETS, Preset
from aesop.models.fitted_steps import FittedSteps, StepsShape
from aesop.models.velocity import FlowContext, FlowTransformer
from aesop.training.recipes import StepsSettings

REFERENCE = PRESETS["reference"]


@dataclass(frozen=True, eq=False)
class AskedBatch:
    """One batch as a flow is asked for it, and what holds its guidance back. In a batch of twins
    the second half has the noise and the words of the first, at other intensities."""

    context: FlowContext
    guidance: Float[Tensor, " batch"]
    noise: Float[Tensor, "batch tokens width"]
    restraint: Restraint | None = None


@dataclass(eq=False)
class _Followed:
    """How far the steps that are fitted so far have led one batch, and where its ways lead."""

    asked: AskedBatch
    ways: list[Float[Tensor, "batch tokens width"]]  # at the times of the steps
    latents: Float[Tensor, "batch tokens width"]
    words: list[Tensor]
    differences: list[Tensor]


def drawn_guidances(
    settings: StepsSettings, count: int, dice: np.random.Generator
) -> Float[np.ndarray, " count"]:
    """Half of them the usual one, the others evenly drawn."""
    low, high = settings.guidances
    other = low + (high - low) * dice.random(count)
    return np.where(dice.random(count) < 0.5, settings.usual_guidance, other)


def states_at(
    states: list[Float[Tensor, "batch tokens width"]], times: Float[Tensor, " times"]
) -> list[Float[Tensor, "batch tokens width"]]:
    """Where Euler's steps are at given times: straight between two of their own."""
    own, found = REFERENCE.times, list[Tensor]()
    for time in times:
        after = min(max(int((own > time).sum()), 1), len(own) - 1)
        share = float((own[after - 1] - time) / (own[after - 1] - own[after]))
        found.append(torch.lerp(states[after - 1], states[after], share))
    return found


@torch.no_grad()
def fit_steps(
    flow: FlowTransformer,
    batches: Iterable[AskedBatch],
    settings: StepsSettings,
    progress: Callable[[AskedBatch], object] | None = None,
) -> FittedSteps:
    """Step by step: each is fitted to states that the steps before it lead to, so that it mends
    what they did."""
    steps = FittedSteps(StepsShape(settings.calls, settings.guided_calls))
    steps.times.copy_(eased_times(settings.calls, settings.shift))
    followed = list[_Followed]()
    for asked in batches:
        way = sample_states(
            flow, asked.context, asked.noise, REFERENCE, asked.guidance, asked.restraint
        )
        followed.append(_Followed(asked, states_at(way, steps.times), asked.noise, [], []))
        if progress is not None:
            progress(asked)
    for at in range(settings.calls):
        for batch in followed:
            _ask(flow, batch, steps, at)
        _fit(followed, steps, at, settings.change)
        for batch in followed:
            batch.latents = weighed_steps(
                steps, at, batch.asked.noise, batch.words, batch.differences
            )
    return steps


def _ask(flow: FlowTransformer, batch: _Followed, steps: FittedSteps, at: int) -> None:
    """Differences are kept times the guidance beyond one, as they are summed."""
    time = steps.times[at].to(batch.latents)
    velocities = _velocities(flow, batch.asked, steps, at)
    words, difference = velocities(batch.latents, time, at < steps.shape.guided_calls)
    batch.words.append(words)
    if difference is not None:
        batch.differences.append((batch.asked.guidance - 1)[:, None, None] * difference)


def _velocities(
    flow: FlowTransformer, asked: AskedBatch, steps: FittedSteps, at: int
) -> BothVelocities:
    """Made anew for every call: those of all batches would fill gigabytes."""
    times = steps.times[at : at + 1]
    if steps.shape.weighs_guided:
        return guided_velocities(flow, asked.context, times, asked.guidance, asked.restraint)
    assert asked.restraint is None, "guidance that is held back is no weighed sum"
    return both_velocities(flow, asked.context, times)


def _fit(followed: Sequence[_Followed], steps: FittedSteps, at: int, change: float) -> None:
    """What an intensity changes of a way counts again, `change` times: it is small beside the way,
    and few steps would rather lose a part of it. Without, batches need be no twins."""
    guided = min(at + 1, steps.shape.guided_calls)
    length = float(steps.times[at + 1] - 1)
    fit = StepFit.after(at + 1, guided)
    for batch in followed:
        real = batch.asked.context.mask
        first = length * (batch.words[0] + (batch.differences[0] if guided else 0))
        left = batch.ways[at + 1] - batch.asked.noise - first
        fit.add(
            left[real].flatten(),
            [it[real].flatten() for it in batch.words],
            [it[real].flatten() for it in batch.differences],
        )
        if change == 0:
            continue
        some = real.chunk(2)[0]
        fit.add(
            change * changed(left)[some].flatten(),
            [change * changed(it)[some].flatten() for it in batch.words],
            [change * changed(it)[some].flatten() for it in batch.differences],
        )
    of_words, of_guidance = fit.solved(length)
    for weights, found in ((steps.of_words, of_words), (steps.of_guidance, of_guidance)):
        weights[at] = 0
        weights[at, : len(found)] = torch.tensor(found, dtype=torch.float64)


def changed(twins: Float[Tensor, "both tokens width"]) -> Float[Tensor, "half tokens width"]:
    """What the intensity of the second half changes."""
    one, own = twins.chunk(2)
    return own - one


def sampled_ends(
    flow: FlowTransformer, way: Preset | FittedSteps, asked: Sequence[AskedBatch]
) -> list[Float[Tensor, "batch tokens width"]]:
    """Where a way of sampling ends, batch by batch."""
    return [
        sample_latents(flow, it.context, it.noise, way, it.guidance, restraint=it.restraint)
        for it in asked
    ]


def apart(ends: Float[Tensor, "tokens width"], wanted: Float[Tensor, "tokens width"]) -> float:
    """How far ends lie from others from the same noise, in spreads of the latents."""
    return float((ends - wanted).square().mean().sqrt() / wanted.std())
