"""The way of a camera centre: smoothing, lengths, and how fast, sharply and suddenly it moves."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int


def smoothed(
    values: Float[np.ndarray, "clips frames width"], lengths: Int[np.ndarray, " clips"], taps: int
) -> Float[np.ndarray, "clips frames width"]:
    """Triangular filter; beyond its ends a shot is mirrored without repeating the end frame."""
    half, frames = taps // 2, values.shape[1]
    weights = half + 1.0 - np.abs(np.arange(-half, half + 1))
    weights /= weights.sum()
    last = np.maximum(lengths[:, None] - 1, 1)
    # Folded as often as needed: a shot may be shorter than the filter.
    folded = np.abs((np.arange(-half, frames + half) + last) % (2 * last) - last)
    folded = np.minimum(folded, np.maximum(lengths[:, None] - 1, 0))
    longer = np.take_along_axis(values, folded[..., None], axis=1)
    total = np.zeros_like(values)
    for offset, weight in enumerate(weights.tolist()):
        total += weight * longer[:, offset : offset + frames]
    return total


def real_steps(
    lengths: Int[np.ndarray, " clips"], frames: int
) -> Bool[np.ndarray, "clips transitions"]:
    """True on transitions between real frames."""
    return np.arange(frames - 1) < lengths[:, None] - 1


def step_lengths(
    centre: Float[np.ndarray, "clips frames 3"], lengths: Int[np.ndarray, " clips"]
) -> Float[np.ndarray, "clips transitions"]:
    """Metres per frame; zero beyond a shot's end."""
    differences = np.diff(centre, axis=1)
    # Several times as fast as np.linalg.norm on rows of three.
    steps = np.sqrt(np.einsum("cfi,cfi->cf", differences, differences))
    return np.where(real_steps(lengths, centre.shape[1]), steps, 0.0)


def path_lengths(
    centre: Float[np.ndarray, "clips frames 3"], lengths: Int[np.ndarray, " clips"]
) -> Float[np.ndarray, " clips"]:
    """Metres from first to last frame along the way."""
    return step_lengths(centre, lengths).sum(-1)


@dataclass(frozen=True, eq=False)
class Dynamics:
    """95th percentiles over frames of the first three differences of a way."""

    speed: Float[np.ndarray, " clips"]
    acceleration: Float[np.ndarray, " clips"]
    jerk: Float[np.ndarray, " clips"]


def dynamics(
    centre: Float[np.ndarray, "clips frames 3"], lengths: Int[np.ndarray, " clips"]
) -> Dynamics:
    """Metres per frame, frame² and frame³."""
    found: list[np.ndarray] = []
    differences = centre
    for order in (1, 2, 3):
        differences = np.diff(differences, axis=1)
        sizes = np.sqrt(np.einsum("cfi,cfi->cf", differences, differences))
        found.append(quantile(sizes, lengths - order, 0.95))
    return Dynamics(*found)


def quantile(
    values: Float[np.ndarray, "clips items"], counts: Int[np.ndarray, " clips"], share: float
) -> Float[np.ndarray, " clips"]:
    """Quantile of the first `counts` items of every row, linear between order statistics; zero
    where there are none."""
    if values.shape[1] == 0:
        return np.zeros(len(values))
    # Rows without items keep theirs: sorting infinities only would make NaN of their difference.
    real = (np.arange(values.shape[1]) < counts[:, None]) | (counts[:, None] <= 0)
    ordered = np.sort(np.where(real, values, np.inf), axis=1)
    place = share * np.maximum(counts - 1, 0)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(counts - 1, 0))
    low = np.take_along_axis(ordered, below[:, None], axis=1)[:, 0]
    high = np.take_along_axis(ordered, above[:, None], axis=1)[:, 0]
    return np.where(counts > 0, low + (place - below) * (high - low), 0.0)
