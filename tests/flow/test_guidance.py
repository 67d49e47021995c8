"""Guidance in one evaluation equals guidance in two."""

import pytest
import torch
from torch import Tensor

from aesop.flow.guided_sampling import Restraint, guided, guided_with_restraint
from aesop.flow.solvers import Velocity
from tests.tolerances import rounded32

CLIPS, TOKENS, WIDTH = 3, 2, 5


class Both:
    """Words push one way, silence another; remembers how often it was asked."""

    def __init__(self, dice: torch.Generator) -> None:
        self.words = torch.randn(CLIPS, TOKENS, WIDTH, generator=dice)
        self.calls = 0

    def with_words(self, latents: Tensor, flow_time: Tensor) -> Tensor:
        return latents * flow_time + self.words

    def without(self, latents: Tensor, flow_time: Tensor) -> Tensor:
        return latents.sin() - flow_time

    def __call__(self, latents: Tensor, flow_time: Tensor) -> Tensor:
        self.calls += 1
        first, second = latents[:CLIPS], latents[CLIPS:]
        return torch.cat([self.with_words(first, flow_time), self.without(second, flow_time)])


@pytest.mark.parametrize("guidance", [0.0, 1.0, 1.5, 7.0])
def test_one_evaluation_equals_two(guidance: float, dice: torch.Generator):
    both = Both(dice)
    latents, flow_time = torch.randn(CLIPS, TOKENS, WIDTH, generator=dice), torch.tensor(0.7)
    words, silence = both.with_words(latents, flow_time), both.without(latents, flow_time)
    expected = silence + guidance * (words - silence)
    assert torch.equal(guided(both, guidance)(latents, flow_time), expected)
    assert both.calls == 1
    if guidance in (0.0, 1.0):
        alone = words if guidance else silence
        torch.testing.assert_close(expected, alone, atol=rounded32(4, 4.0), rtol=0)


def both_halves(with_words: Tensor, without: Tensor) -> Velocity:
    return lambda latents, flow_time: torch.cat([with_words, without])


def case(dice: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Latents, two velocities and a mask; the second clip ends two tokens early."""
    latents, with_words, without = (torch.randn(2, 7, 5, generator=dice) for _ in range(3))
    mask = torch.ones(2, 7, dtype=torch.bool)
    mask[1, 5:] = False
    return latents, with_words, without, mask


SCALE = torch.tensor([3.0, 1.5])[:, None, None]
TIME = torch.tensor(0.37)


def test_without_restraint_it_is_plain_guidance(dice: torch.Generator):
    latents, with_words, without, mask = case(dice)
    both = both_halves(with_words, without)
    held = guided_with_restraint(both, SCALE, mask, Restraint())(latents, TIME)
    assert torch.equal(held, guided(both, SCALE)(latents, TIME))


def test_full_rescaling_gives_clean_latents_the_spread_that_was_learned(dice: torch.Generator):
    latents, with_words, without, mask = case(dice)
    both = both_halves(with_words, without)
    velocity = guided_with_restraint(both, SCALE, mask, Restraint(rescale=1.0))(latents, TIME)
    clean, learned = (latents - TIME * it for it in (velocity, with_words))
    for row in range(2):
        spreads = [it[row][mask[row]].square().mean().sqrt() for it in (clean, learned)]
        # Float32 sums of 35 squares, a quotient and a product with them.
        assert abs(spreads[0] - spreads[1]) < 64 * 2**-23 * spreads[1]


def test_padding_does_not_change_how_much_guidance_is_held_back(dice: torch.Generator):
    latents, with_words, without, mask = case(dice)
    half = Restraint(rescale=0.5)
    first = guided_with_restraint(both_halves(with_words, without), SCALE, mask, half)
    there = first(latents, TIME)[1, :5]
    for values in (latents, with_words, without):
        values[1, 5:] = 1e3
    second = guided_with_restraint(both_halves(with_words, without), SCALE, mask, half)
    assert torch.equal(second(latents, TIME)[1, :5], there)
