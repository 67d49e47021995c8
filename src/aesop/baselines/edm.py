"""EDM (Karras et al. 2022) as DIRECTOR uses it: preconditioning, the levels of the sampler, Heun's
method between them."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import torch
from jaxtyping import Float, Float64
from torch import Tensor

Values = Float[Tensor, "batch items width"]
# The clean values that a network sees in noisy ones of one level.
Denoiser = Callable[[Values, Float[Tensor, ""]], Values]


@dataclass(frozen=True)
class Edm:
    """Constants of training and sampling. `data_spread` is σ_data."""

    data_spread: float = 0.5
    log_mean: float = -1.2  # of ln σ in training
    log_spread: float = 1.2
    lowest: float = 0.002
    highest: float = 80.0
    rho: float = 40.0
    levels: int = 10


DIRECTOR_EDM = Edm()


@dataclass(frozen=True, eq=False)
class Preconditioning:
    """D(x; σ) = skip·x + out·F(in·x; noise_label)."""

    skip: Float[Tensor, "*batch"]
    out: Float[Tensor, "*batch"]
    into: Float[Tensor, "*batch"]
    noise_label: Float[Tensor, "*batch"]


def preconditioning(sigma: Float[Tensor, "*batch"], edm: Edm = DIRECTOR_EDM) -> Preconditioning:
    data = edm.data_spread
    total = sigma.square() + data**2
    return Preconditioning(
        skip=data**2 / total,
        out=sigma * data / total.sqrt(),
        into=1 / total.sqrt(),
        noise_label=sigma.log() / 4,
    )


def training_levels(
    normal: Float[Tensor, "*batch"], edm: Edm = DIRECTOR_EDM
) -> Float[Tensor, "*batch"]:
    """σ of training rows from standard normal numbers."""
    return torch.exp(edm.log_mean + edm.log_spread * normal)


def loss_weight(sigma: Float[Tensor, "*batch"], edm: Edm = DIRECTOR_EDM) -> Float[Tensor, "*batch"]:
    """(σ² + σ_data²)/(σ·σ_data)²: every level's error weighs alike at the start."""
    data = edm.data_spread
    return (sigma.square() + data**2) / (sigma * data).square()


def sampling_levels(edm: Edm = DIRECTOR_EDM) -> Float64[Tensor, " levels_and_one"]:
    """σ from the highest to the lowest, evenly in σ^(1/ρ), then zero."""
    line = torch.linspace(0, 1, edm.levels, dtype=torch.float64)
    high, low = edm.highest ** (1 / edm.rho), edm.lowest ** (1 / edm.rho)
    levels = (high + line * (low - high)) ** edm.rho
    return torch.cat([levels, levels.new_zeros(1)])


def heun(denoise: Denoiser, noise: Values, edm: Edm = DIRECTOR_EDM) -> Values:
    """From noise of spread one to data, without churn: a trapezoid between levels, and Euler's step
    for the last, which ends at σ = 0."""
    levels = sampling_levels(edm).to(noise)  # all at once: no step waits for the device
    values = noise * levels[0]
    for place, (now, after) in enumerate(pairwise(levels)):
        slope = (values - denoise(values, now)) / now
        following = values + (after - now) * slope
        if place + 1 < edm.levels:
            there = (following - denoise(following, after)) / after
            following = values + (after - now) * (slope + there) / 2
        values = following
    return values
