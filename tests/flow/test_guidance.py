"""Guidance in one evaluation equals guidance in two."""

import pytest
import torch
from torch import Tensor

from aesop.flow.guidance import guided

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
        torch.testing.assert_close(expected, alone, atol=1e-6, rtol=0)
