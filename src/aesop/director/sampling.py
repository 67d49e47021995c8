"""From words and noise to latents, for a batch of requests at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from aesop.flow.guidance import Restraint, guided, guided_with_restraint
from aesop.flow.presets import Preset
from aesop.flow.solvers import Velocity
from aesop.models.codec import STRIDE
from aesop.models.context import FlowContext, with_and_without_text
from aesop.models.stepping import Stepper
from aesop.models.velocity import FlowTransformer


@dataclass(frozen=True, eq=False)
class Held:
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
    held: Held | None = None,
    restraint: Restraint | None = None,
) -> Float[Tensor, "batch tokens width"]:
    """Follow the flow from noise to data. Without guidance the words are followed as learned."""
    if guidance is None or bool((guidance == 1).all()):
        velocity: Velocity = Stepper(flow, context, preset.times)
    else:
        both = Stepper(flow, with_and_without_text(context), preset.times)
        scale = guidance[:, None, None]
        velocity = (
            guided(both, scale)
            if restraint is None
            else guided_with_restraint(both, scale, context.mask, restraint)
        )
    if held is not None:
        velocity = keeping(velocity, held)
    return preset.solver(velocity, noise, preset.times)


def keeping(velocity: Velocity, held: Held) -> Velocity:
    """Draw held tokens straight from where they are to what they are known to become."""

    def blended(
        latents: Float[Tensor, "batch tokens width"], flow_time: Float[Tensor, ""]
    ) -> Float[Tensor, "batch tokens width"]:
        straight = (latents - held.latents) / flow_time
        return torch.lerp(velocity(latents, flow_time), straight, held.share)

    return blended


def tokens_of(frames: int) -> int:
    """Latent tokens of so many frames."""
    return -(-frames // STRIDE)


def frame_mask(frames: Sequence[int], device: torch.device) -> Bool[Tensor, "batch frames"]:
    """True at the frames that each clip has."""
    lengths = torch.tensor(frames, device=device)
    return torch.arange(max(frames), device=device) < lengths[:, None]


def stacked(
    rows: Sequence[Float[Tensor, "_ width"]], device: torch.device
) -> Float[Tensor, "batch longest width"]:
    """Rows of different lengths as one batch, zeros behind the shorter ones."""
    return torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True).to(device)


def in_batches(sizes: Sequence[int], largest: int) -> list[list[int]]:
    """Places grouped by similar size, at most so many together: padding is work for nothing."""
    order = sorted(range(len(sizes)), key=lambda place: sizes[place])
    return [order[start : start + largest] for start in range(0, len(order), largest)]
