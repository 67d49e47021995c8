"""Dropout by hash is dropout: the right share, nothing in common between places or words."""

import torch
from torch import Tensor

from aesop.models.hashed import hashed_dropout, kept_by_hash, random_words

PLACES = 1 << 20
CPU = torch.device("cpu")


def pattern(words: Tensor, rate: float = 0.1) -> Tensor:
    """What is kept, less its mean, in units of its deviation."""
    kept = kept_by_hash((PLACES,), rate, words).double()
    return (kept - (1 - rate)) / (rate * (1 - rate)) ** 0.5


def test_the_right_share_is_kept():
    for rate in (0.0, 0.1, 0.37):
        for words in random_words((7,), CPU):
            kept = kept_by_hash((PLACES,), rate, words).double().mean()
            assert abs(float(kept) - (1 - rate)) < 5 * (rate * (1 - rate) / PLACES) ** 0.5 + 1e-9


def test_places_have_nothing_in_common():
    for words in random_words((5,), CPU):
        found = pattern(words)
        for apart in (1, 2, 3, 8, 17, 24, 64, 75, 512, 2048, 75 * 75, 75 * 2048):
            together = float((found[apart:] * found[:-apart]).mean())
            assert abs(together) < 0.008, (words, apart, together)


def test_each_word_makes_a_pattern_of_its_own():
    words = random_words((2,), CPU)
    words[:, 1] = words[0, 1]
    for first in (0, 1):  # the word in which the two differ
        one, other = pattern(words[0]), pattern(words[1])
        assert abs(float((one * other).mean())) < 0.008, first
        # Nor is one the other in another order: places that differ by one word alone.
        moved = torch.arange(PLACES) ^ (int(words[0, 0] ^ words[1, 0]) & (PLACES - 1))
        if first == 1:
            assert abs(float((one * other[moved]).mean())) < 0.008
        words = words.flip(1)


def test_it_is_dropout():
    words = random_words((1,), CPU)[0]
    states = torch.randn(13, 37, 17, requires_grad=True)
    found = hashed_dropout(states, 0.25, words)
    kept = kept_by_hash((13, 37, 17), 0.25, words)
    assert torch.equal(found != 0, kept) and 0.2 < float((~kept).double().mean()) < 0.3
    torch.testing.assert_close(found, torch.where(kept, states / 0.75, 0.0))
    found.sum().backward()
    assert states.grad is not None
    torch.testing.assert_close(states.grad, kept / 0.75)


def test_words_come_from_the_generator_that_is_seeded():
    first, again, other = (
        random_words((3, 5), CPU) for seed in (7, 7, 11) if torch.manual_seed(seed)
    )
    assert torch.equal(first, again) and not torch.equal(first, other)
    assert len(first.unique()) == first.numel() == 3 * 5 * 2
    assert (first < 0).any() and (first > 0).any(), "all 32 bits"
