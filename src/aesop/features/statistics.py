"""Means and spreads of features, gathered in one pass in float64, and the standardising they serve.

The camera standardises only `from_root` and `velocity`. The velocity of frame 0 is no measurement:
it is left out of the statistics and stays exactly zero on both sides of standardising.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.features.columns import CAMERA, HUMAN

# A channel that never varies is left at its scale instead of being blown up.
SMALLEST_SPREAD = 1e-6


@dataclass(frozen=True, eq=False)
class Statistics:
    """Mean and spread (population standard deviation) per column."""

    mean: Float[Tensor, " width"]
    spread: Float[Tensor, " width"]


class RunningStatistics:
    """Merges the moments of many clips without keeping them (Chan's pairwise update)."""

    def __init__(self, width: int) -> None:
        self.count = 0
        self.mean = torch.zeros(width, dtype=torch.float64)
        self.squares = torch.zeros(width, dtype=torch.float64)

    def add(self, rows: Float[Tensor, "frames width"]) -> None:
        if len(rows) == 0:
            return
        rows = rows.double()
        mean = rows.mean(0)
        total = self.count + len(rows)
        offset = mean - self.mean
        self.squares += (rows - mean).square().sum(0)
        self.squares += offset.square() * (self.count * len(rows) / total)
        self.mean += offset * (len(rows) / total)
        self.count = total

    def result(self) -> Statistics:
        spread = (self.squares / max(self.count, 1)).sqrt()
        return Statistics(self.mean, spread.where(spread >= SMALLEST_SPREAD, 1.0))


def human_statistics(clips: Iterable[Float[Tensor, "_ 199"]]) -> Statistics:
    """Statistics of all 199 columns over all frames of all clips."""
    running = RunningStatistics(HUMAN.width)
    for features in clips:
        running.add(features)
    return running.result()


def camera_statistics(clips: Iterable[Float[Tensor, "_ 14"]]) -> Statistics:
    """Statistics of the two standardised blocks; mean 0 and spread 1 elsewhere."""
    from_root, velocity = RunningStatistics(3), RunningStatistics(3)
    for features in clips:
        from_root.add(CAMERA.take(features, "from_root"))
        velocity.add(CAMERA.take(features, "velocity")[1:])
    mean = torch.zeros(CAMERA.width, dtype=torch.float64)
    spread = torch.ones(CAMERA.width, dtype=torch.float64)
    for name, running in (("from_root", from_root), ("velocity", velocity)):
        mean[CAMERA.span(name)] = running.result().mean
        spread[CAMERA.span(name)] = running.result().spread
    return Statistics(mean, spread)


def standardise_human(
    features: Float[Tensor, "*batch frames 199"], statistics: Statistics
) -> Float[Tensor, "*batch frames 199"]:
    mean, spread = statistics.mean.to(features), statistics.spread.to(features)
    return (features - mean) / spread


def restore_human(
    features: Float[Tensor, "*batch frames 199"], statistics: Statistics
) -> Float[Tensor, "*batch frames 199"]:
    """Inverse of `standardise_human`."""
    mean, spread = statistics.mean.to(features), statistics.spread.to(features)
    return features * spread + mean


def standardise_camera(
    features: Float[Tensor, "*batch frames 14"], statistics: Statistics
) -> Float[Tensor, "*batch frames 14"]:
    mean, spread = statistics.mean.to(features), statistics.spread.to(features)
    return _without_first_velocity((features - mean) / spread)


def restore_camera(
    features: Float[Tensor, "*batch frames 14"], statistics: Statistics
) -> Float[Tensor, "*batch frames 14"]:
    """Inverse of `standardise_camera`."""
    mean, spread = statistics.mean.to(features), statistics.spread.to(features)
    return _without_first_velocity(features * spread + mean)


def _without_first_velocity(
    features: Float[Tensor, "*batch frames 14"],
) -> Float[Tensor, "*batch frames 14"]:
    features = features.clone()
    CAMERA.take(features, "velocity")[..., 0, :] = 0.0
    return features
