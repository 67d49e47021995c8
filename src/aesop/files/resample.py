"""Bring motion to another frame rate: rotations by slerp, everything else linearly."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from aesop.scene.rotation import slerp

# A source frame this close to an output instant (in source frames) counts as lying on it, so that
# a header rounded to six digits (0.033333 s) neither loses a last frame nor blends every frame.
SAME_INSTANT = 1e-3


def resample_rotations(
    rotations: Float[Tensor, "frames *rest 3 3"], source_fps: float, target_fps: float
) -> Float[Tensor, "new_frames *rest 3 3"]:
    """Rotations at k / target_fps from the first frame, as many as fit inside the source."""
    if source_fps == target_fps:
        return rotations
    before, share = _places(rotations, source_fps, target_fps)
    after = (before + 1).clamp_max(rotations.shape[0] - 1)
    wide = share.reshape(-1, *[1] * (rotations.ndim - 3))
    return slerp(rotations[before], rotations[after], wide)


def resample_points(
    points: Float[Tensor, " frames *rest"], source_fps: float, target_fps: float
) -> Float[Tensor, " new_frames *rest"]:
    """Points or any other linear quantity at the same instants as `resample_rotations`."""
    if source_fps == target_fps:
        return points
    before, share = _places(points, source_fps, target_fps)
    after = (before + 1).clamp_max(points.shape[0] - 1)
    wide = share.reshape(-1, *[1] * (points.ndim - 1))
    return torch.lerp(points[before], points[after], wide)


def resampled_frames(frames: int, source_fps: float, target_fps: float) -> int:
    """How many output frames fit between the first and the last source frame, both included."""
    return math.floor((frames - 1) * target_fps / source_fps + SAME_INSTANT) + 1


def _places(
    like: Float[Tensor, " frames *rest"], source_fps: float, target_fps: float
) -> tuple[Int[Tensor, " new_frames"], Float[Tensor, " new_frames"]]:
    """Source frame before each output instant, and the share of the way to the next one."""
    frames = like.shape[0]
    count = resampled_frames(frames, source_fps, target_fps)
    instants = torch.arange(count, dtype=torch.float64) * (source_fps / target_fps)
    nearest = instants.round()
    instants = torch.where((instants - nearest).abs() < SAME_INSTANT, nearest, instants)
    before = instants.floor().long()
    return before.to(like.device), (instants - before).to(like)
