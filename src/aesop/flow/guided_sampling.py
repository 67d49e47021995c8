"""Classifier-free guidance (how hard sampling follows the words), and the sampler of Director,
training sheets and self-distillation."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from aesop.flow.solvers import Preset, Velocity
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
    preset: Preset,
    guidance: Float[Tensor, " batch"] | None = None,
    held: HeldTokens | None = None,
    restraint: Restraint | None = None,
) -> Float[Tensor, "batch tokens width"]:
    """Follow the flow from noise to data. Without guidance the words are followed as learned."""
    velocity = _velocity(flow, context, preset, guidance, restraint)
    if held is not None:
        velocity = keeping(velocity, held)
    return preset.solver(velocity, noise, preset.times)


@torch.no_grad()
def sample_states(
    flow: FlowTransformer,
    context: FlowContext,
    noise: Float[Tensor, "batch tokens width"],
    preset: Preset,
    guidance: Float[Tensor, " batch"],
) -> list[Float[Tensor, "batch tokens width"]]:
    """The latents at which the velocity is asked for on the way, and those at the end."""
    velocity, states = _velocity(flow, context, preset, guidance, None), list[Tensor]()

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
    preset: Preset,
    guidance: Float[Tensor, " batch"] | None,
    restraint: Restraint | None,
) -> Velocity:
    assert flow.shape.leaps == preset.is_students, "a student has presets of its own"
    if flow.shape.leaps:  # guided in one evaluation, and held back as its teacher was
        strength = torch.ones_like(context.mask[:, 0], dtype=torch.float32)
        strength = strength if guidance is None else guidance
        return Stepper(flow, replace(context, guidance=strength), preset.times)
    if guidance is None or bool((guidance == 1).all()):
        return Stepper(flow, context, preset.times)
    both = Stepper(flow, with_and_without_text(context), preset.times)
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
