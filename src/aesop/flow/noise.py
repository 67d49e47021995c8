"""Noise that belongs to a request, not to a batch: the same for any batch size, order or device."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

# What the noise is for; the two streams of one request are independent.
Stream = Literal["human", "camera"]
_STREAM_NUMBERS: dict[Stream, int] = {"human": 0, "camera": 1}


def noise_for(
    seed: int, index: int, shape: tuple[int, ...], *, stream: Stream
) -> Float[Tensor, "..."]:
    """Standard normal noise of one request, on the CPU; seed and index are not negative.

    Counter-based and filled in order: a longer clip's noise begins with that of a shorter one.
    """
    key = np.random.SeedSequence(seed, spawn_key=(index, _STREAM_NUMBERS[stream]))
    dice = np.random.Generator(np.random.Philox(key))
    return torch.from_numpy(dice.standard_normal(shape, dtype=np.float32))


def noise_for_batch(
    seed: int,
    indices: Sequence[int],
    mask: Bool[Tensor, "batch tokens"],
    width: int,
    *,
    stream: Stream,
) -> Float[Tensor, "batch tokens width"]:
    """Noise of several requests, zero where the mask is false, on the mask's device."""
    shape = (mask.shape[1], width)
    rows = torch.stack([noise_for(seed, index, shape, stream=stream) for index in indices])
    return rows.to(mask.device) * mask[..., None]
