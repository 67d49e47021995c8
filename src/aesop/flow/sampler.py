"""The one sampler: from noise to latents along a flow's velocity, with guidance if asked for."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.flow.guidance import Restraint, guided, guided_with_restraint
from aesop.flow.solvers import Preset, Velocity
from aesop.models.stepping import Stepper
from aesop.models.velocity import FlowContext, FlowTransformer, with_and_without_text


@dataclass(frozen=True, eq=False)
class HeldTokens:
    """Tokens that are known already, and how firmly sampling keeps to them: 1 is exactly."""

    latents: Float[Tensor, "batch tokens width"]
    share: Float[Tensor, "batch tokens 1"]


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
