"""Places told by turning: what tokens say to each other depends on how far apart they are."""

from dataclasses import replace

import torch

from aesop.models.blocks import turned, turning_waves
from aesop.models.stepping import Stepper
from aesop.models.velocity import with_and_without_text
from tests.models.makers import CAMERA_FLOW, flow
from tests.models.test_stepping import TIMES, TOKENS, camera_context, largest_difference
from tests.tolerances import network32, summed32

PLACES, HEADS, WIDTH = 23, 3, 14
TURNING = replace(CAMERA_FLOW, width=36, turns_places=True)


def test_only_the_distance_counts(dice: torch.Generator):
    turns = turning_waves(PLACES, WIDTH)
    query, key = (torch.randn(HEADS, WIDTH, generator=dice) for _ in range(2))
    asked, told = (turned(it.expand(PLACES, HEADS, WIDTH), turns) for it in (query, key))
    scores = torch.einsum("qhw,khw->hqk", asked, told)
    largest = float(scores.abs().max())
    for apart in (-7, 0, 5):
        alike = scores.diagonal(apart, dim1=1, dim2=2)
        assert float((alike - alike[:, :1]).abs().max()) < summed32(8 * WIDTH, largest)
    assert float((scores[:, 0, 0] - scores[:, 0, 5]).abs().min()) > 0.01 * largest


def test_turning_keeps_lengths(dice: torch.Generator):
    states = torch.randn(5, PLACES, HEADS, WIDTH, generator=dice)
    after = turned(states, turning_waves(PLACES, WIDTH))
    apart = after.norm(dim=-1) - states.norm(dim=-1)
    assert float(apart.abs().max()) < summed32(WIDTH, float(states.norm(dim=-1).max()))
    assert torch.equal(after[:, 0], states[:, 0])


def test_the_stepper_turns_as_the_flow_does(dice: torch.Generator):
    network = flow(dice, TURNING)
    context = camera_context(dice, TOKENS, [5, 2, 4], [1.0, 0.6, 1.3])
    for told in (context, with_and_without_text(context)):
        assert largest_difference(network, told, dice) < network32(3, 72)


def test_places_of_the_human_are_heard(dice: torch.Generator):
    """The same human a token later is another human, also where nothing else tells places."""
    network = flow(dice, TURNING)
    network.positions.zero_()
    context = camera_context(dice, [7], [5], [1.0])
    assert context.human is not None
    later = replace(context, human=context.human.roll(1, dims=1))
    latents = torch.randn(1, 7, network.shape.latent, generator=dice)
    first, second = (
        Stepper(network, it, TIMES)(latents, TIMES[4].float()) for it in (context, later)
    )
    assert bool(((first - second).abs() > 0.01).any())
