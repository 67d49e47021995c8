"""The straight path between data and noise (flow time σ from 0, clean, to 1), and noise that
belongs to a request."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

SHIFT = 5.0


def shifted_time(uniform: Float[Tensor, "*batch"], shift: float = SHIFT) -> Float[Tensor, "*batch"]:
    """σ = s·u / (1 + (s − 1)·u): keeps both ends, spends more of the way near noise."""
    return shift * uniform / (1 + (shift - 1) * uniform)


def uniform_time(sigma: Float[Tensor, "*batch"], shift: float = SHIFT) -> Float[Tensor, "*batch"]:
    """The u whose `shifted_time` is σ."""
    return sigma / (shift - (shift - 1) * sigma)


def on_path(
    clean: Float[Tensor, "batch tokens width"],
    noise: Float[Tensor, "batch tokens width"],
    flow_time: Float[Tensor, " batch"],
) -> Float[Tensor, "batch tokens width"]:
    """z_σ = (1 − σ)·z + σ·ε."""
    sigma = flow_time[:, None, None]
    return (1 - sigma) * clean + sigma * noise


def target_velocity(
    clean: Float[Tensor, "batch tokens width"], noise: Float[Tensor, "batch tokens width"]
) -> Float[Tensor, "batch tokens width"]:
    """dz/dσ = ε − z: what the velocity network learns."""
    return noise - clean


def sampling_times(steps: int, shift: float = SHIFT) -> Float[Tensor, " times"]:
    """The solvers' grid from 1 to 0 in `steps` steps: uniform before the shift, float64."""
    assert steps >= 1
    return shifted_time(torch.linspace(1, 0, steps + 1, dtype=torch.float64), shift)


def eased_times(steps: int, shift: float) -> Float[Tensor, " times"]:
    """A grid from 1 to 0 with short steps at both ends, where velocities turn fastest: a cosine in
    place of the line, then the shift; float64."""
    assert steps >= 1
    line = torch.linspace(1, 0, steps + 1, dtype=torch.float64)
    return shifted_time((1 - torch.cos(torch.pi * line)) / 2, shift)


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
