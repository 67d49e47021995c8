"""Intensity: a way of the camera scaled about its first centre, and the labels that ask for it."""

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from aesop.pairs.recipe import Labels
from aesop.pairs.ways import smoothed

Side = Literal["weaker", "stronger"]
SIDES: tuple[Side, Side] = ("weaker", "stronger")


def scaled(
    centre: Float[np.ndarray, "clips frames 3"],
    smooth: Float[np.ndarray, "clips frames 3"],
    intensity: Float[np.ndarray, " clips"],
) -> Float[np.ndarray, "clips frames 3"]:
    """p₀ + a·(s − s₀) + min(a, 1)·(r − r₀) with r = p − s: travel grows, jitter never does."""
    rough = centre - smooth
    a = intensity[:, None, None]
    moved = (
        centre[:, :1] + a * (smooth - smooth[:, :1]) + np.minimum(a, 1.0) * (rough - rough[:, :1])
    )
    # The sum above is the way itself at a = 1, but not bit for bit.
    return np.where(a == 1.0, centre, moved)


def scaled_ways(
    centre: Float[np.ndarray, "frames 3"], intensities: Sequence[float], taps: int
) -> Float[np.ndarray, "intensities frames 3"]:
    """One way at several intensities."""
    smooth = smoothed(centre[None], np.array([len(centre)]), taps)
    shape = (len(intensities), *centre.shape)
    return scaled(
        np.broadcast_to(centre, shape), np.broadcast_to(smooth, shape), np.array(intensities)
    )


def hash_rank(names: Sequence[str], salt: str) -> Int[np.ndarray, " names"]:
    """Places of the names in the order of their hashes: a shuffle that every machine repeats."""
    digests = [hashlib.sha256(f"{salt}:{name}".encode()).digest() for name in names]
    return np.array(sorted(range(len(names)), key=lambda at: (digests[at], names[at])), np.int64)


def proposed_labels(name: str, side: Side, labels: Labels, salt: str) -> list[float]:
    """Intensities to try for a source, in order. They depend on nothing but its name."""
    chances = labels.below if side == "weaker" else labels.above
    # Sixteen bytes a label: a hash is a hundred times quicker than a new generator.
    digest = hashlib.shake_256(f"{salt}:{side}:{name}".encode()).digest(16 * labels.tries)
    # Halfway between steps: neither 0 nor 1, so no label is 0, 1 or 2.
    uniform = [
        ((int.from_bytes(digest[at : at + 8], "little") >> 12) + 0.5) / (1 << 52)
        for at in range(0, len(digest), 8)
    ]
    start = 0.0 if side == "weaker" else 1.0
    edges = list(accumulate(chances))[:-1]
    proposed = [
        start + (bisect_right(edges, pick) + within) / len(chances)
        for pick, within in zip(uniform[0::2], uniform[1::2], strict=True)
    ]
    return [_pushed(label, labels) for label in proposed]


def _pushed(label: float, labels: Labels) -> float:
    """Spread evenly over what may be asked for: from `nearest` below one down to zero, or from as
    far above it up to `strongest`."""
    if label < 1.0:
        return label * (1.0 - labels.nearest)
    return 1.0 + labels.nearest + (label - 1.0) * (labels.strongest - 1.0 - labels.nearest)
