"""Turns and points at another rate."""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.scene.rotation import slerp

# A source frame this close to an output instant (in source frames) counts as lying on it, so that
# a header rounded to six digits (0.033333 s) neither loses a last frame nor blends every frame.
SAME_INSTANT = 1e-3


def resample_rotations(
    rotations: Float[Tensor, "frames *rest 3 3"], source_fps: float, target_fps: float
) -> Float[Tensor, "new_frames *rest 3 3"]:
    """Rotations at k / target_fps from the first frame, as many as fit inside the source."""
    shape = (-1, *[1] * (rotations.ndim - 3))
    return _resampled(
        rotations, source_fps, target_fps, lambda a, b, share: slerp(a, b, share.reshape(shape))
    )


def resample_points(
    points: Float[Tensor, " frames *rest"], source_fps: float, target_fps: float
) -> Float[Tensor, " new_frames *rest"]:
    """Points or any other linear quantity at the same instants as `resample_rotations`."""
    shape = (-1, *[1] * (points.ndim - 1))
    return _resampled(
        points, source_fps, target_fps, lambda a, b, share: torch.lerp(a, b, share.reshape(shape))
    )


def resampled_frames(frames: int, source_fps: float, target_fps: float) -> int:
    """How many output frames fit between the first and the last source frame, both included."""
    return math.floor((frames - 1) * target_fps / source_fps + SAME_INSTANT) + 1


def _resampled(
    values: Float[Tensor, " frames *rest"],
    source_fps: float,
    target_fps: float,
    blend: Callable[[Tensor, Tensor, Tensor], Tensor],
) -> Float[Tensor, " new_frames *rest"]:
    """Blends of the source frames before and after each output instant, by the share of the way."""
    if source_fps == target_fps:
        return values
    count = resampled_frames(len(values), source_fps, target_fps)
    instants = torch.arange(count, dtype=torch.float64) * (source_fps / target_fps)
    nearest = instants.round()
    instants = torch.where((instants - nearest).abs() < SAME_INSTANT, nearest, instants)
    before = instants.floor().long()
    after = (before + 1).clamp_max(len(values) - 1)
    return blend(values[before], values[after], (instants - before).to(values))
