"""Normal noise that belongs to a request: a function of its key, of the sampling step and of the
place, so that an answer owes nothing to its neighbours in a batch, to padding or to the machine.

A sampler of a thousand steps draws millions of numbers for every clip; made where they are needed,
by integer arithmetic, they need not travel, and a captured sampler can draw them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

_BITS = 0xFFFFFFFF
# Odd and below 2³¹, so that a product with 32 bits never leaves 63.
_FIRST, _SECOND, _STEP, _PLACE = 0x7FEB352D, 0x45D9F3B1, 0x2C1B3C6D, 0x297A2D39


@dataclass(frozen=True, eq=False)
class RequestNoise:
    """Noise of a batch of requests, each with a key of its own."""

    keys: Int64[Tensor, " batch"]

    def normal(
        self, step: int | Int64[Tensor, ""], items: int, width: int
    ) -> Float[Tensor, "batch items width"]:
        """Standard normal numbers of one step. Item i of a longer batch is item i of a shorter."""
        device = self.keys.device
        rows = _mixed(self.keys + _STEP * torch.as_tensor(step, device=device) & _BITS)
        place = torch.arange(items * width, device=device)
        cells = _mixed(rows[:, None] ^ _mixed(place * _PLACE & _BITS))
        other = _mixed(cells ^ 0x5BD1E995)
        # Box and Muller; the first number is never zero.
        radius = torch.sqrt(-2 * torch.log((cells.double() + 0.5) / 2**32))
        angle = (2 * math.pi / 2**32) * other.double()
        return (radius * torch.cos(angle)).float().unflatten(1, (items, width))

    def uniform(self, step: int | Int64[Tensor, ""], items: int) -> Float[Tensor, "batch items"]:
        """Numbers in (0, 1) of one step, apart from the normal ones."""
        device = self.keys.device
        rows = _mixed((self.keys ^ 0x1B873593) + _STEP * torch.as_tensor(step, device=device))
        place = torch.arange(items, device=device)
        cells = _mixed(rows[:, None] ^ _mixed(place * _PLACE & _BITS))
        return ((cells.double() + 0.5) / 2**32).float()


def request_noise(
    seeds: Sequence[tuple[int, int]], device: torch.device | str = "cpu"
) -> RequestNoise:
    """Noise of requests by their seed and number; neither is negative."""
    keys = [
        int(np.random.SeedSequence(seed, spawn_key=(index,)).generate_state(1, np.uint32)[0])
        for seed, index in seeds
    ]
    return RequestNoise(torch.tensor(keys, dtype=torch.int64, device=device))


def _mixed(bits: Int64[Tensor, "*shape"]) -> Int64[Tensor, "*shape"]:
    """Thirty-two bits that look like chance: shifts and products, thrice."""
    bits = bits & _BITS
    for factor in (_FIRST, _SECOND, _FIRST):
        bits = bits ^ (bits >> 16)
        bits = bits * factor & _BITS
        bits = bits ^ (bits >> 15)
    return bits
