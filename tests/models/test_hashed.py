"""Dropout by hash is dropout: the right share, nothing in common between places or words."""

import pytest
import torch
from torch import Tensor

from aesop.models.short_attention import hashed_dropout, kept_by_hash, random_words

PLACES = 1 << 20
CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(7)


def pattern(words: Tensor, rate: float = 0.1) -> Tensor:
    """What is kept, less its mean, in units of its deviation."""
    kept = kept_by_hash((PLACES,), rate, words).double()
    return (kept - (1 - rate)) / (rate * (1 - rate)) ** 0.5


def in_common(one: Tensor, other: Tensor) -> float:
    """Correlation; 0.001 is one standard error of independent places."""
    return abs(float((one * other).mean()))


def test_the_right_share_is_kept():
    for rate in (0.0, 0.1, 0.37):
        for words in random_words((7,), CPU):
            kept = kept_by_hash((PLACES,), rate, words).double().mean()
            assert abs(float(kept) - (1 - rate)) <= 3 * (rate * (1 - rate) / PLACES) ** 0.5


def test_places_have_nothing_in_common():
    for words in random_words((5,), CPU):
        found = pattern(words)
        for apart in (1, 2, 3, 8, 17, 24, 64, 75, 512, 2048, 75 * 75, 75 * 2048):
            assert in_common(found[apart:], found[:-apart]) < 0.003, (words, apart)


def test_each_word_makes_a_pattern_of_its_own():
    (first, second), (other_first, other_second) = random_words((2,), CPU).tolist()
    own = pattern(torch.tensor([first, second], dtype=torch.int32))
    for words in ((other_first, second), (first, other_second), (other_first, other_second)):
        assert in_common(own, pattern(torch.tensor(words, dtype=torch.int32))) < 0.004, words


def test_two_patterns_are_not_one_in_another_order():
    """With the first word alone, a pattern is any other at places changed by the words' bits."""
    (first, second), (_, other) = random_words((2,), CPU).tolist()
    near = first ^ 12_345  # stays within the places that are compared
    own, moved = (
        pattern(torch.tensor(it, dtype=torch.int32)) for it in ((first, second), (near, other))
    )
    assert in_common(own, moved[torch.arange(PLACES) ^ 12_345]) < 0.004


def test_it_is_dropout():
    words = random_words((1,), CPU)[0]
    states = torch.randn(13, 37, 17, requires_grad=True)
    found = hashed_dropout(states, 0.25, words)
    kept = kept_by_hash((13, 37, 17), 0.25, words)
    assert torch.equal(found != 0, kept) and 0.23 < float((~kept).double().mean()) < 0.27
    torch.testing.assert_close(found, torch.where(kept, states / 0.75, 0.0))
    found.sum().backward()
    assert states.grad is not None
    torch.testing.assert_close(states.grad, kept / 0.75)


def test_words_come_from_the_generator_that_is_seeded():
    drawn: list[Tensor] = []
    for seed in (7, 7, 11):
        torch.manual_seed(seed)
        drawn.append(random_words((3, 5), CPU))
    first, again, other = drawn
    assert torch.equal(first, again) and not torch.equal(first, other)
    assert len(first.unique()) == first.numel() == 3 * 5 * 2
    assert (first < 0).any() and (first > 0).any(), "all 32 bits"
