"""How sure a number is: intervals over clips by drawing them again, deviation over seeds."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float64, Int64

from aesop.metrics.refusal import MetricError

SHARE = 0.95
SeedKind = Literal["training", "sampling"]


@dataclass(frozen=True)
class Interval:
    """Where the number would lie for most choices of clips."""

    low: float
    high: float


@dataclass(frozen=True)
class OverSeeds:
    """Mean and sample standard deviation (n − 1); no deviation from a single seed."""

    mean: float
    sd: float | None
    seeds: int
    kind: SeedKind


def over_seeds(values: Sequence[float], kind: SeedKind) -> OverSeeds:
    """Gather one number per seed."""
    if not values:
        raise MetricError("There is no value to average over seeds.", "Measure at least one seed.")
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return OverSeeds(mean, None, 1, kind)
    squares = math.fsum((value - mean) ** 2 for value in values)
    return OverSeeds(mean, math.sqrt(squares / (len(values) - 1)), len(values), kind)


def redraws(clips: int, times: int, seed: int = 0) -> Int64[np.ndarray, "times clips"]:
    """How often each clip is drawn when as many clips are drawn again with replacement."""
    dice = np.random.default_rng((seed, clips, times))
    return dice.multinomial(clips, np.full(clips, 1 / clips), size=times)


def mean_interval(values: Float64[np.ndarray, " clips"], times: int = 1000) -> Interval:
    """Of a mean over clips; clips without a value are left out."""
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return Interval(float("nan"), float("nan"))
    means = redraws(len(values), times) @ values / len(values)
    return percentile_interval(means)


def percentile_interval(drawn: Float64[np.ndarray, " times"]) -> Interval:
    """The middle share of redrawn numbers."""
    low, high = np.quantile(drawn, [(1 - SHARE) / 2, (1 + SHARE) / 2]).tolist()
    return Interval(low, high)


def centred_interval(value: float, drawn: Float64[np.ndarray, " times"]) -> Interval:
    """The middle share, moved so that its mean is the number itself: drawing clips twice makes sets
    look less varied than they are, which shifts every Fréchet distance."""
    shift = value - float(drawn.mean())
    around = percentile_interval(drawn)
    return Interval(around.low + shift, around.high + shift)


def redrawn(
    statistic: Callable[[Float64[np.ndarray, " clips"]], float], clips: int, times: int
) -> Float64[np.ndarray, " times"]:
    """A number computed from how often each clip counts, many times."""
    return np.array([statistic(counts.astype(np.float64)) for counts in redraws(clips, times)])
