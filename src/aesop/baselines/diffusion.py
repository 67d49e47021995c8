"""Denoising diffusion in discrete steps: how noise grows (DDPM's line, the cosine), and the two
ways back (ancestral steps, DDIM)."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64, Int64
from torch import Tensor

STEPS = 1000


@dataclass(frozen=True, eq=False)
class NoiseSchedule:
    """β of every step, and what follows from it: ᾱ_t = Π_{s ≤ t} (1 − β_s).

    Step t = 0 holds the least noise. Numbers are kept in double precision: a thousand factors near
    one are multiplied.
    """

    betas: Float64[Tensor, " steps"]

    @property
    def alpha_bars(self) -> Float64[Tensor, " steps"]:
        return torch.cumprod(1 - self.betas, 0)

    @property
    def alpha_bars_before(self) -> Float64[Tensor, " steps"]:
        """ᾱ of the step before; 1 before the first."""
        return torch.cat([self.betas.new_ones(1), self.alpha_bars[:-1]])

    def __len__(self) -> int:
        return len(self.betas)


def linear_schedule(steps: int = STEPS, first: float = 1e-4, last: float = 0.02) -> NoiseSchedule:
    """DDPM's: β on a line."""
    return NoiseSchedule(torch.linspace(first, last, steps, dtype=torch.float64))


def cosine_schedule(
    steps: int = STEPS, offset: float = 0.008, largest: float = 0.999
) -> NoiseSchedule:
    """ᾱ(u) = cos²((u + s)/(1 + s)·π/2), as ratios of neighbours, β never above `largest`."""
    marks = torch.linspace(0, 1, steps + 1, dtype=torch.float64)
    alpha_bars = torch.cos((marks + offset) / (1 + offset) * math.pi / 2).square()
    return NoiseSchedule((1 - alpha_bars[1:] / alpha_bars[:-1]).clamp(max=largest))


def respaced(schedule: NoiseSchedule, steps: int) -> tuple[NoiseSchedule, Int64[Tensor, " steps"]]:
    """A shorter schedule that visits some levels of a longer one, evenly from the first to the
    last, and which: β' = 1 − ᾱ_now / ᾱ_before among those that are visited."""
    visited = torch.linspace(0, len(schedule) - 1, steps, dtype=torch.float64).round().long()
    kept = schedule.alpha_bars[visited]
    before = torch.cat([kept.new_ones(1), kept[:-1]])
    return NoiseSchedule(1 - kept / before), visited


@dataclass(frozen=True, eq=False)
class StepFactors:
    """A schedule as tensors that a captured sampler or loss can index on its device."""

    signal: Float[Tensor, " steps"]  # √ᾱ
    noise: Float[Tensor, " steps"]  # √(1 − ᾱ)
    clean_share: Float[Tensor, " steps"]  # of x̂₀ in the posterior's mean
    noisy_share: Float[Tensor, " steps"]  # of x_t in it
    posterior_spread: Float[Tensor, " steps"]  # √β̃; zero at the first step
    beta_spread: Float[Tensor, " steps"]  # √β


def step_factors(schedule: NoiseSchedule, device: torch.device | str = "cpu") -> StepFactors:
    betas, bars, before = schedule.betas, schedule.alpha_bars, schedule.alpha_bars_before
    posterior = betas * (1 - before) / (1 - bars)
    factors = (
        bars.sqrt(),
        (1 - bars).sqrt(),
        betas * before.sqrt() / (1 - bars),
        (1 - before) * (1 - betas).sqrt() / (1 - bars),
        posterior.sqrt(),
        betas.sqrt(),
    )
    return StepFactors(*(it.float().to(device) for it in factors))


Values = Float[Tensor, "batch items width"]


def at(
    factor: Float[Tensor, " steps"], step: Int64[Tensor, " batch"]
) -> Float[Tensor, "batch 1 1"]:
    """A factor of every row's step, ready to multiply."""
    return factor[step][:, None, None]


def add_noise(
    clean: Values, noise: Values, step: Int64[Tensor, " batch"], factors: StepFactors
) -> Values:
    """x_t = √ᾱ·x₀ + √(1 − ᾱ)·ε."""
    return at(factors.signal, step) * clean + at(factors.noise, step) * noise


def clean_from_noise(
    noisy: Values, noise: Values, step: Int64[Tensor, " batch"], factors: StepFactors
) -> Values:
    """x̂₀ from a predicted ε."""
    return (noisy - at(factors.noise, step) * noise) / at(factors.signal, step)


def ancestral_mean(
    noisy: Values, clean: Values, step: Int64[Tensor, " batch"], factors: StepFactors
) -> Values:
    """Mean of x_{t−1} given x_t and x̂₀: DDPM's posterior."""
    return at(factors.clean_share, step) * clean + at(factors.noisy_share, step) * noisy


def ddim_times(steps: int, trained: int = STEPS) -> list[tuple[int, int]]:
    """Pairs (now, next) from the noisiest trained step down to −1, which is clean: `steps` of them,
    evenly spaced, as EDGE and its descendants have it."""
    marks = torch.linspace(-1, trained - 1, steps + 1).int().tolist()
    return list(zip(marks[::-1][:-1], marks[::-1][1:], strict=True))


@dataclass(frozen=True)
class DdimStep:
    """x_next = signal·x̂₀ + direction·ε̂ + spread·fresh noise."""

    signal: float
    direction: float
    spread: float


def ddim_step(schedule: NoiseSchedule, now: int, following: int, eta: float) -> DdimStep:
    """Factors of one step. η = 0 is deterministic, η = 1 has DDPM's variance; the step that ends
    clean adds nothing."""
    if following < 0:
        return DdimStep(1.0, 0.0, 0.0)
    bar, after = float(schedule.alpha_bars[now]), float(schedule.alpha_bars[following])
    spread = eta * math.sqrt((1 - after) / (1 - bar) * (1 - bar / after))
    return DdimStep(math.sqrt(after), math.sqrt(1 - after - spread**2), spread)
