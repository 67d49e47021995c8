"""The stepper of sampling answers as the network does, whatever is padded or silent."""

from dataclasses import replace
from typing import Literal

import pytest
import torch

from aesop.flow.path import sampling_times
from aesop.models.stepping import Stepper
from aesop.models.velocity import FlowContext, FlowTransformer, with_and_without_text, with_text
from tests.models.makers import CAMERA_FLOW, HUMAN_FLOW, flow, mask_of, texts
from tests.tolerances import network32

TOKENS = [11, 7, 3]
TIMES = sampling_times(13)


def camera_context(
    dice: torch.Generator, tokens: list[int], words: list[int], intensity: list[float]
) -> FlowContext:
    mask = mask_of(tokens)
    human = torch.randn(*mask.shape, CAMERA_FLOW.human_read, generator=dice)
    return with_text(mask, texts(dice, words), human, torch.tensor(intensity))


def largest_difference(network: FlowTransformer, context: FlowContext, dice: torch.Generator):
    stepper = Stepper(network, context, TIMES)
    prepared = network.prepare(context)
    latents = torch.randn(*context.mask.shape, network.shape.latent, generator=dice)
    apart = []
    for when in TIMES[:-1].float():
        plain = network.velocity(latents, when.expand(len(latents)), prepared)
        apart.append((stepper(latents, when) - plain).abs().max())
        assert plain.abs().max() > 0.1
    return float(torch.stack(apart).detach().max())


@pytest.mark.parametrize("modulation", ["per_block", "shared"])
@pytest.mark.parametrize(
    ("tokens", "words", "intensity"),
    [
        (TOKENS, [5, 2, 4], [1.0, 0.6, 1.3]),
        (TOKENS, [5, 2, 4], [1.3, 1.3, 1.3]),
        ([7, 7, 7], [5, 5, 5], [1.0, 1.0, 1.0]),
        ([7], [5], [0.7]),
    ],
)
def test_the_camera_stepper_is_the_camera_flow(
    modulation: Literal["per_block", "shared"],
    tokens: list[int],
    words: list[int],
    intensity: list[float],
    dice: torch.Generator,
):
    network = flow(dice, replace(CAMERA_FLOW, modulation=modulation))
    context = camera_context(dice, tokens, words, intensity)
    for told in (context, with_and_without_text(context)):
        assert largest_difference(network, told, dice) < network32(3, 68)


def test_the_human_stepper_is_the_human_flow(dice: torch.Generator):
    network = flow(dice, HUMAN_FLOW)
    context = with_text(mask_of(TOKENS), texts(dice, [5, 2, 4]))
    assert largest_difference(network, context, dice) < network32(3, 68)
    silent = replace(context, drop_text=torch.tensor([True, False, True]))
    assert largest_difference(network, silent, dice) < network32(3, 68)


def test_padding_cannot_reach_real_tokens(dice: torch.Generator):
    network = flow(dice, CAMERA_FLOW)
    context = camera_context(dice, TOKENS, [5, 2, 4], [1.0, 0.6, 1.3])
    latents = torch.randn(*context.mask.shape, network.shape.latent, generator=dice)
    other = latents.masked_fill(~context.mask[..., None], torch.nan)
    stepper = Stepper(network, context, TIMES)
    when = TIMES[4].float()
    assert torch.equal(stepper(latents, when), stepper(other, when))
    assert bool((stepper(latents, when)[~context.mask] == 0).all())
