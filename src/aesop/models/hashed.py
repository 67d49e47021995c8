"""Dropout that is cheap where blocks are compiled: chances are hashes of places, not random draws.

Torch spends ten rounds of arithmetic on every random number. A hash of the place and of two random
words takes eight integer operations, and can be computed again on the way back instead of kept.
"""

import math

import torch
from jaxtyping import Bool, Float, Int32
from torch import Tensor

# Two random words for every place where dropout acts.
WORDS = 2
# Two odd factors and a shift, chosen among a few known ones: of eight million places, those one to
# 153,600 apart, rows and columns are kept with correlations below 0.004. Factors have signs, since
# torch multiplies int32 modulo 2³².
FIRST_FACTOR, SHIFT, SECOND_FACTOR = -1403630843, 15, -2048144789


def random_words(places: tuple[int, ...], device: torch.device) -> Int32[Tensor, "*places 2"]:
    """From torch's own generator, so that whoever seeds it repeats the dropout as well."""
    low, high = -(2**31), 2**31
    return torch.randint(low, high, (*places, WORDS), dtype=torch.int32, device=device)


def kept_by_hash(
    shape: tuple[int, ...], rate: float, words: Int32[Tensor, "2"]
) -> Bool[Tensor, "*shape"]:
    """True with a chance of 1 − rate, for places counted in the order of `shape`."""
    places = torch.arange(math.prod(shape), dtype=torch.int32, device=words.device).view(shape)
    mixed = (places ^ words[0]) * FIRST_FACTOR
    # Shifted as a number without a sign. The second word comes in between: a hash of places ^ words
    # alone would be one pattern for all words, in another order.
    mixed = mixed ^ ((mixed >> SHIFT) & (2 ** (32 - SHIFT) - 1)) ^ words[1]
    return mixed * SECOND_FACTOR >= threshold(rate)


def threshold(rate: float) -> int:
    """The least int32 that is kept."""
    return round(rate * 2**32) - 2**31


def hashed_dropout(
    states: Float[Tensor, "*shape"], rate: float, words: Int32[Tensor, "2"]
) -> Float[Tensor, "*shape"]:
    """As torch's dropout in training."""
    kept = kept_by_hash(tuple(states.shape), rate, words)
    return torch.where(kept, states * (1 / (1 - rate)), 0)
