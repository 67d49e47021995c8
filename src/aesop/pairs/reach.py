"""How far a way may be stretched or shrunk before its shot is spoiled.

Pairs turn a label down where its target loses the person. A model that asks about its own shots
wants an answer for every one of them: the share of the asked change that still makes a good shot.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float32

from aesop.pairs.events import distance
from aesop.pairs.film import Cameras, Film, features_of_way
from aesop.pairs.scaling import scaled
from aesop.pairs.sight import aimed, blind_frames, severe_frames, sight
from aesop.pairs.ways import quantile, smoothed, step_lengths


@dataclass(frozen=True)
class ReachGates:
    """What a stretched or shrunk shot may come to. Whatever a shot is already, it may stay."""

    change: float = 0.5  # the change of intensity, up and down, that is tried …
    shares: tuple[float, ...] = (0.45, 0.6, 0.8, 1.0)  # … in these shares; the first always stands
    blind_rise: float = 0.05  # of frames without the person
    severe_rise: float = 0.10  # of frames with fewer than half of the joints
    nearest_m: float = 0.4
    farthest_m: float = 12.7716
    speed: float = 0.16  # 95th percentile, metres per frame
    lowest_m: float = 0.1
    smoothing_taps: int = 11


@dataclass(frozen=True, eq=False)
class _Facts:
    blind: Float[np.ndarray, " clips"]
    severe: Float[np.ndarray, " clips"]
    nearest_m: Float[np.ndarray, " clips"]
    farthest_m: Float[np.ndarray, " clips"]
    speed: Float[np.ndarray, " clips"]
    lowest_m: Float[np.ndarray, " clips"]


def _facts(
    film: Film, cameras: Cameras, turned: Float[np.ndarray, "clips frames 3 joints"]
) -> _Facts:
    visible = sight(film, cameras, turned).visible
    away = distance(film, cameras)
    steps = step_lengths(cameras.centre, film.lengths)
    return _Facts(
        blind=blind_frames(visible, film),
        severe=severe_frames(visible, film),
        nearest_m=np.where(film.mask, away, np.inf).min(1),
        farthest_m=np.where(film.mask, away, 0.0).max(1),
        speed=quantile(steps, film.lengths - 1, 0.95),
        lowest_m=np.where(film.mask, cameras.centre[..., 2], np.inf).min(1),
    )


def _is_fine(own: _Facts, other: _Facts, gates: ReachGates) -> Bool[np.ndarray, " clips"]:
    return (
        (other.blind <= own.blind + gates.blind_rise)
        & (other.severe <= own.severe + gates.severe_rise)
        & (other.nearest_m >= np.minimum(gates.nearest_m, own.nearest_m))
        & (other.farthest_m <= np.maximum(gates.farthest_m, own.farthest_m))
        & (other.speed <= np.maximum(gates.speed, own.speed))
        & (other.lowest_m >= np.minimum(gates.lowest_m, own.lowest_m))
    )


def reach(film: Film, gates: ReachGates) -> Float[np.ndarray, "sides clips"]:
    """The share of a change, down and up, that every shot bears: the largest of the gates' shares
    up to which all are fine."""
    turned = aimed(film, film.cameras)
    smooth = smoothed(film.cameras.centre, film.lengths, gates.smoothing_taps)
    own = _facts(film, film.cameras, turned)
    found = np.full((2, len(film.lengths)), gates.shares[0])
    for side, sign in enumerate((-1.0, 1.0)):
        fine = np.ones(len(film.lengths), np.bool_)
        for share in gates.shares[1:]:
            label = np.full(len(film.lengths), 1 + sign * share * gates.change)
            cameras = film.cameras.moved(scaled(film.cameras.centre, smooth, label))
            fine &= _is_fine(own, _facts(film, cameras, turned), gates)
            found[side] = np.where(fine, share, found[side])
    return found


def stretched(
    film: Film,
    features: Float32[np.ndarray, "clips frames 14"],
    intensities: Float[np.ndarray, "labels clips"],
    gates: ReachGates,
) -> Float32[np.ndarray, "labels clips frames 14"]:
    """Features of every shot at some intensities, each as far as it reaches: with room on both
    sides its travel is the intensity times its own, otherwise it changes more slowly."""
    down, up = reach(film, gates)
    smooth = smoothed(film.cameras.centre, film.lengths, gates.smoothing_taps)
    beyond = intensities - 1
    borne = 1 + np.where(beyond < 0, down, up) * beyond
    return np.stack(
        [
            features_of_way(features, film.root, scaled(film.cameras.centre, smooth, label))
            for label in borne
        ]
    )
