"""Classifier-free guidance (how hard sampling follows the words), and the sampler of Director,
training sheets and self-distillation."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from aesop.flow.few_steps import BothVelocities, follow, held_back
from aesop.flow.solvers import Preset, Velocity
from aesop.models.fitted_steps import FittedSteps
from aesop.models.stepping import Stepper
from aesop.models.velocity import FlowContext, FlowTransformer, with_and_without_text


def guided(velocity_of_both: Velocity, guidance: float | Float[Tensor, "batch 1 1"]) -> Velocity:
    """v_null + g·(v_words − v_null), from one evaluation; one g for all, or one for each clip.

    `velocity_of_both` takes a batch twice as long: its first half is conditioned on the words, its
    second half on no words, both on everything else alike.
    """

    def combined(
        latents: Float[Tensor, "batch tokens width"], flow_time: Float[Tensor, ""]
    ) -> Float[Tensor, "batch tokens width"]:
        both = velocity_of_both(torch.cat([latents, latents]), flow_time)
        with_words, without = both.chunk(2)
        return without + guidance * (with_words - without)

    return combined


@dataclass(frozen=True)
class Restraint:
    """What strong guidance is held back by, so that it does not tear what is sampled.

    `rescale` of 1 gives the guided clean latents the spread of those that follow the words as
    learned, 0 leaves them as they are.
    """

    rescale: float = 0.0


def guided_with_restraint(
    velocity_of_both: Velocity,
    guidance: Float[Tensor, "batch 1 1"],
    mask: Bool[Tensor, "batch tokens"],
    restraint: Restraint,
) -> Velocity:
    """`guided`, held back; padded tokens do not count. With `Restraint()` it is `guided`."""

    def combined(
        latents: Float[Tensor, "batch tokens width"], flow_time: Float[Tensor, ""]
    ) -> Float[Tensor, "batch tokens width"]:
        with_words, without = velocity_of_both(torch.cat([latents, latents]), flow_time).chunk(2)
        velocity = without + guidance * (with_words - without)
        if restraint.rescale == 0:
            return velocity
        clean = latents - flow_time * velocity
        learned = latents - flow_time * with_words
        ratio = _spread(learned, mask) / _spread(clean, mask)
        factor = 1 + restraint.rescale * (ratio - 1)
        return velocity + (1 - factor) * clean / flow_time

    return combined


def _spread(
    latents: Float[Tensor, "batch tokens width"], mask: Bool[Tensor, "batch tokens"]
) -> Float[Tensor, "batch 1 1"]:
    """Root of the mean square over the real tokens of every clip."""
    squares = latents.square().mean(-1).masked_fill(~mask, 0).sum(-1) / mask.sum(-1)
    return squares.sqrt()[:, None, None]


@dataclass(frozen=True, eq=False)
class HeldTokens:
    """Tokens that are known already, and how firmly sampling keeps to them: 1 is exactly."""

    latents: Float[Tensor, "*batch tokens width"]
    share: Float[Tensor, "*batch tokens 1"]


@torch.no_grad()
def sample_latents(
    flow: FlowTransformer,
    context: FlowContext,
    noise: Float[Tensor, "batch tokens width"],
    way: Preset | FittedSteps,
    guidance: Float[Tensor, " batch"] | None = None,
    held: HeldTokens | None = None,
    restraint: Restraint | None = None,
) -> Float[Tensor, "batch tokens width"]:
    """Follow the flow from noise to data. Without guidance the words are followed as learned."""
    if isinstance(way, FittedSteps):
        return _sample_by_fitted(flow, context, noise, way, guidance, held, restraint)
    velocity = _velocity(flow, context, way.times, guidance, restraint)
    if held is not None:
        velocity = keeping(velocity, held)
    return way.solver(velocity, noise, way.times)


def _sample_by_fitted(
    flow: FlowTransformer,
    context: FlowContext,
    noise: Float[Tensor, "batch tokens width"],
    steps: FittedSteps,
    guidance: Float[Tensor, " batch"] | None,
    held: HeldTokens | None,
    restraint: Restraint | None,
) -> Float[Tensor, "batch tokens width"]:
    strength = 1.0 if guidance is None else guidance[:, None, None]
    if steps.shape.weighs_guided:
        velocities = guided_velocities(flow, context, steps.times, guidance, restraint)
    else:
        assert restraint is None, "these steps were fitted to guidance that nothing holds back"
        velocities = both_velocities(flow, context, steps.times)
    if held is not None:
        velocities = held_back(velocities, held.latents, held.share)
    return follow(velocities, noise, steps, strength)


def both_velocities(
    flow: FlowTransformer, context: FlowContext, times: Float[Tensor, " times"]
) -> BothVelocities:
    """What fitted steps ask a flow for. Projections are made when they are first needed: guided
    everywhere, a clip is never read with its words alone."""
    steppers: dict[bool, Stepper] = {}

    def velocities(
        latents: Float[Tensor, "batch tokens width"], flow_time: Float[Tensor, ""], asks: bool
    ) -> tuple[Tensor, Tensor | None]:
        if asks not in steppers:
            seen = with_and_without_text(context) if asks else context
            steppers[asks] = Stepper(flow, seen, times)
        if not asks:
            return steppers[asks](latents, flow_time), None
        with_words, without = steppers[asks](latents.repeat(2, 1, 1), flow_time).chunk(2)
        return with_words, with_words - without

    return velocities


def guided_velocities(
    flow: FlowTransformer,
    context: FlowContext,
    times: Float[Tensor, " times"],
    guidance: Float[Tensor, " batch"] | None,
    restraint: Restraint | None,
) -> BothVelocities:
    """What steps that weigh guided velocities ask a flow for."""
    velocity = _velocity(flow, context, times, guidance, restraint)
    return lambda latents, flow_time, _: (velocity(latents, flow_time), None)


@torch.no_grad()
def sample_states(
    flow: FlowTransformer,
    context: FlowContext,
    noise: Float[Tensor, "batch tokens width"],
    preset: Preset,
    guidance: Float[Tensor, " batch"],
    restraint: Restraint | None = None,
) -> list[Float[Tensor, "batch tokens width"]]:
    """The latents at which the velocity is asked for on the way, and those at the end."""
    velocity = _velocity(flow, context, preset.times, guidance, restraint)
    states = list[Tensor]()

    def watched(
        latents: Float[Tensor, "batch tokens width"], flow_time: Float[Tensor, ""]
    ) -> Float[Tensor, "batch tokens width"]:
        states.append(latents)
        return velocity(latents, flow_time)

    states.append(preset.solver(watched, noise, preset.times))
    return states


def _velocity(
    flow: FlowTransformer,
    context: FlowContext,
    times: Float[Tensor, " times"],
    guidance: Float[Tensor, " batch"] | None,
    restraint: Restraint | None,
) -> Velocity:
    if guidance is None or bool((guidance == 1).all()):
        return Stepper(flow, context, times)
    both = Stepper(flow, with_and_without_text(context), times)
    scale = guidance[:, None, None]
    if restraint is None:
        return guided(both, scale)
    return guided_with_restraint(both, scale, context.mask, restraint)


def keeping(velocity: Velocity, held: HeldTokens) -> Velocity:
    """Draw held tokens straight from where they are to what they are known to become."""

    def blended(
        latents: Float[Tensor, "batch tokens width"], flow_time: Float[Tensor, ""]
    ) -> Float[Tensor, "batch tokens width"]:
        straight = (latents - held.latents) / flow_time
        return torch.lerp(velocity(latents, flow_time), straight, held.share)

    return blended
