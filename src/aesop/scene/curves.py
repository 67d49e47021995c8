"""Curves along frames: made smooth, and turns and points at another rate."""

import math

import numpy as np
import torch
from jaxtyping import Float, Float64, Int64
from torch import Tensor

from aesop.scene.rotation import slerp


def extended(
    curve: Float[np.ndarray, "frames width"], before: int, after: int
) -> Float[np.ndarray, "longer width"]:
    """Continued past both ends by point reflection, so that speed is kept at the ends.

    A curve shorter than the extension stays still beyond its reflected end.
    """
    last = len(curve) - 1
    if before > last or after > last:
        ahead = np.minimum(np.arange(before, 0, -1), last)
        behind = np.maximum(last - np.arange(1, after + 1), 0)
        start, end = curve[ahead], curve[behind]
    else:
        start, end = curve[before:0:-1], curve[last - after : last][::-1]
    return np.concatenate([2 * curve[0] - start, curve, 2 * curve[last] - end], axis=0)


def unwrapped(angle: Float[np.ndarray, " frames"]) -> Float[np.ndarray, " frames"]:
    """As `np.unwrap`, at a third of the cost where nothing wraps."""
    return angle if np.abs(np.diff(angle)).max(initial=0.0) < np.pi else np.unwrap(angle)


def smoothed(
    curve: Float[np.ndarray, "frames width"], sigma_frames: float
) -> Float[np.ndarray, "frames width"]:
    """Gaussian low-pass without delay."""
    half = max(1, int(np.ceil(3 * sigma_frames)))
    kernel = np.exp(-0.5 * (np.arange(-half, half + 1) / sigma_frames) ** 2)
    longer = extended(curve, half, half)
    return _filtered(longer, kernel / kernel.sum())


def _filtered(
    curve: Float[np.ndarray, "longer width"], kernel: Float[np.ndarray, " taps"]
) -> Float[np.ndarray, "frames width"]:
    out = np.empty((len(curve) - len(kernel) + 1, curve.shape[1]))
    for at in range(curve.shape[1]):
        out[:, at] = np.convolve(curve[:, at], kernel, mode="valid")
    return out


def chased(
    curve: Float[np.ndarray, "frames width"], smooth_frames: float, late_frames: int
) -> Float[np.ndarray, "frames width"]:
    """What a hand does that chases the curve: two equal first-order lags, arriving late.

    The lags alone would come about 2·`smooth_frames` late; an operator foresees most of that, so
    the chase as a whole is `late_frames` behind, to the nearest frame.
    """
    taps = int(np.ceil(8 * smooth_frames)) + 1
    age = np.arange(taps)
    kernel = (age + 1) * np.exp(-age / smooth_frames)
    foresight = round(float(age @ kernel / kernel.sum())) - late_frames
    longer = extended(curve, taps - 1 + max(-foresight, 0), max(foresight, 0))
    late = longer[max(foresight, 0) :] if foresight > 0 else longer[: len(longer) + foresight]
    return _filtered(late, kernel / kernel.sum())


def with_play(
    curve: Float[np.ndarray, "frames width"], play: float
) -> Float[np.ndarray, "frames width"]:
    """The curve as a hand sees it that reacts only when it is more than `play` away."""
    columns: list[list[float]] = []
    for column in curve.T.tolist():
        held = column[0]
        out: list[float] = []
        for value in column:
            if value - held > play:
                held = value - play
            elif held - value > play:
                held = value + play
            out.append(held)
        columns.append(out)
    return np.asarray(columns).T


def eased_step(
    instants: Float[np.ndarray, " instants"], centre: float, width: float
) -> Float[np.ndarray, " instants"]:
    """From 0 to 1 around `centre` along half a sine wave: speed without a corner."""
    share = np.clip((instants - centre) / width, -0.5, 0.5)
    return 0.5 + 0.5 * np.sin(np.pi * share)


# A source frame this close to an output instant (in source frames) counts as lying on it, so that
# a header rounded to six digits (0.033333 s) neither loses a last frame nor blends every frame.
SAME_INSTANT = 1e-3


def resample_rotations(
    rotations: Float[Tensor, "frames *rest 3 3"], source_fps: float, target_fps: float
) -> Float[Tensor, "new_frames *rest 3 3"]:
    """Rotations at k / target_fps from the first frame, as many as fit inside the source."""
    if source_fps == target_fps:
        return rotations
    return rotations_at(rotations, _instants(len(rotations), source_fps, target_fps))


def resample_points(
    points: Float[Tensor, " frames *rest"], source_fps: float, target_fps: float
) -> Float[Tensor, " new_frames *rest"]:
    """Points or any other linear quantity at the same instants as `resample_rotations`."""
    if source_fps == target_fps:
        return points
    return points_at(points, _instants(len(points), source_fps, target_fps))


def resampled_frames(frames: int, source_fps: float, target_fps: float) -> int:
    """How many output frames fit between the first and the last source frame, both included."""
    return math.floor((frames - 1) * target_fps / source_fps + SAME_INSTANT) + 1


def rotations_at(
    rotations: Float[Tensor, "frames *rest 3 3"], instants: Float64[Tensor, " instants"]
) -> Float[Tensor, "instants *rest 3 3"]:
    """Rotations at instants that are counted in frames."""
    before, after, share = _around(rotations, instants)
    return slerp(
        rotations[before], rotations[after], share.reshape(-1, *[1] * (rotations.ndim - 3))
    )


def points_at(
    points: Float[Tensor, " frames *rest"], instants: Float64[Tensor, " instants"]
) -> Float[Tensor, " instants *rest"]:
    """Points or any other linear quantity at instants that are counted in frames."""
    before, after, share = _around(points, instants)
    return torch.lerp(points[before], points[after], share.reshape(-1, *[1] * (points.ndim - 1)))


def _instants(frames: int, source_fps: float, target_fps: float) -> Float64[Tensor, " instants"]:
    """Output instants in source frames; those that nearly are a frame are that frame."""
    count = resampled_frames(frames, source_fps, target_fps)
    instants = torch.arange(count, dtype=torch.float64) * (source_fps / target_fps)
    nearest = instants.round()
    return torch.where((instants - nearest).abs() < SAME_INSTANT, nearest, instants)


def _around(
    values: Float[Tensor, " frames *rest"], instants: Float64[Tensor, " instants"]
) -> tuple[Int64[Tensor, " instants"], Int64[Tensor, " instants"], Float[Tensor, " instants"]]:
    """The frames before and after each instant, and the share of the way between them."""
    before = instants.floor().long()
    after = (before + 1).clamp_max(len(values) - 1)
    return before, after, (instants - before).to(values)
