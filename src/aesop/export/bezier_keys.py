"""Few Bézier keys instead of one a frame, because artists edit curves.

A curve is fitted by cubic pieces whose values and slopes agree at shared keys, with as few keys as
keep every frame within a bound. A piece is a Bézier curve whose handles stand at a third and two
thirds of the time between its keys, so Blender's handles, glTF's cubic splines and tangents of
other programs say the same curve exactly.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int, Num
from torch import Tensor
from torch.nn.functional import normalize

from aesop.export.mannequin_mesh import steady_quaternions_wxyz
from aesop.scene.rotation import about_axis, euler_from_matrix, matrix_from_quaternion_wxyz

MOST_APART_M = 0.01
MOST_APART_DEGREES = 0.1
STRETCH_FRAMES = 300  # fitted at once: twelve seconds; longer ones would take minutes

Values = Float[np.ndarray, "frames channels"]
# How far a fitted curve is from the true one in every frame, in bounds: one is allowed.
Error = Callable[[Values], Float[np.ndarray, " frames"]]


@dataclass(frozen=True, eq=False)
class BezierKeys:
    """Keys at whole frames; slopes are per frame and the same on both sides of a key."""

    frames: Int[np.ndarray, " keys"]
    values: Float[np.ndarray, "keys channels"]
    slopes: Float[np.ndarray, "keys channels"]

    def at(self, frames: Num[np.ndarray, " instants"]) -> Float[np.ndarray, "instants channels"]:
        """The curve at any instants between the first and the last key."""
        basis = _basis(self.frames, frames)
        return basis @ np.concatenate([self.values, self.slopes])

    def as_lists(self) -> dict[str, list[Any]]:
        """For JSON."""
        return {name: values.tolist() for name, values in vars(self).items()}


def fitted_keys(curve: Values, error: Error) -> BezierKeys:
    """As few keys as a greedy search finds, stretch by stretch: pieces that are off are halved
    until all frames are within the bound, then every key that is not needed is taken out."""
    last = len(curve) - 1
    count = max(1, round(last / STRETCH_FRAMES))
    borders = sorted({round(last * number / count) for number in range(count + 1)})
    slopes = np.gradient(curve, axis=0) if last else np.zeros_like(curve)
    # Where stretches meet, the key lies on the curve, so that they can be fitted one by one.
    found = BezierKeys(np.array([0]), curve[:1], slopes[:1])
    if last == 0:
        return found
    for start, end in pairwise(borders):
        stretch = _Stretch(curve, slopes, start, end, error)
        found = _joined(found, stretch.fitted())
    return found


def _joined(before: BezierKeys, after: BezierKeys) -> BezierKeys:
    """Two stretches that meet in a key. The later one has the say about it: the first has none
    yet at the very start of a curve."""
    return BezierKeys(
        np.concatenate([before.frames[:-1], after.frames]),
        np.concatenate([before.values[:-1], after.values]),
        np.concatenate([before.slopes[:-1], after.slopes]),
    )


@dataclass(frozen=True, eq=False)
class _Stretch:
    """Part of a curve between two frames. Keys at its ends are held where other stretches meet it;
    the ends of the whole curve are free."""

    curve: Values
    slopes: Values
    start: int
    end: int
    error: Error

    def fitted(self) -> BezierKeys:
        keys = [self.start, self.end]
        fitted = self._fit(keys)
        while (apart := self._apart(fitted)).max() > 1:
            added = [
                (start + end) // 2
                for start, end in pairwise(keys)
                if end - start > 1 and apart[start - self.start : end + 1 - self.start].max() > 1
            ]
            # Where a piece of one frame is off, its neighbours pull: every frame becomes a key.
            keys = sorted({*keys, *added}) if added else list(range(self.start, self.end + 1))
            fitted = self._fit(keys)
        for key in keys[1:-1]:
            candidate = self._fit([other for other in fitted.frames.tolist() if other != key])
            if self._apart(candidate).max() <= 1:
                fitted = candidate
        return fitted

    def _apart(self, keys: BezierKeys) -> Float[np.ndarray, " frames"]:
        frames = np.arange(self.start, self.end + 1)
        whole = self.curve.copy()
        whole[frames] = keys.at(frames)
        return self.error(whole)[frames]

    def _fit(self, keys: list[int]) -> BezierKeys:
        """Values and slopes at the keys that come nearest to the curve in least squares."""
        numbers, count = np.array(keys), len(keys)
        both = np.concatenate([self.curve[keys], self.slopes[keys]])
        if count <= self.end - self.start:  # else nothing is left to choose
            frames = np.arange(self.start, self.end + 1)
            basis = _basis(numbers, frames)
            held = np.zeros(2 * count, bool)
            held[[0, count]] = self.start > 0
            held[[count - 1, 2 * count - 1]] = self.end < len(self.curve) - 1
            rest = self.curve[frames] - basis[:, held] @ both[held]
            both[~held], *_ = np.linalg.lstsq(basis[:, ~held], rest, rcond=None)
        return BezierKeys(numbers, both[:count], both[count:])


def _basis(
    keys: Int[np.ndarray, " keys"], frames: Num[np.ndarray, " instants"]
) -> Float[np.ndarray, "instants twice_keys"]:
    """How values and slopes at keys make up the curve at instants (cubic Hermite)."""
    basis = np.zeros((len(frames), 2 * len(keys)))
    if len(keys) == 1:
        basis[:, 0] = 1.0
        return basis
    piece = np.clip(np.searchsorted(keys, frames, side="right") - 1, 0, len(keys) - 2)
    length = np.diff(keys)[piece]
    share = (frames - keys[piece]) / length
    rest, rows = 1 - share, np.arange(len(frames))
    basis[rows, piece] = (1 + 2 * share) * rest**2
    basis[rows, piece + 1] = (1 + 2 * rest) * share**2
    basis[rows, len(keys) + piece] = share * rest**2 * length
    basis[rows, len(keys) + piece + 1] = -rest * share**2 * length
    return basis


def place_keys(places_m: Float[np.ndarray, "frames 3"]) -> BezierKeys:
    """Keys of places in metres, within `MOST_APART_M`."""

    def error(values: Values) -> Float[np.ndarray, " frames"]:
        return np.linalg.norm(values - places_m, axis=-1) / MOST_APART_M

    return fitted_keys(places_m, error)


def euler_xyz_keys(turns: Float[Tensor, "frames 3 3"]) -> BezierKeys:
    """Keys of angles in radians about fixed x, then y, then z (Blender's XYZ), within
    `MOST_APART_DEGREES`. For a camera in Blender: tilt, roll, pan."""
    zyx = euler_from_matrix(turns.double(), "zyx").numpy()
    return _turn_keys(np.unwrap(zyx[:, ::-1], axis=0), matrices_from_euler_xyz)


def quaternion_xyzw_keys(turns: Float[Tensor, "frames 3 3"]) -> BezierKeys:
    """Keys of quaternions, which whoever interpolates them makes one long again, within
    `MOST_APART_DEGREES`."""
    xyzw = steady_quaternions_wxyz(turns).roll(-1, dims=-1).numpy()
    return _turn_keys(xyzw, matrices_from_quaternion_xyzw)


def matrices_from_euler_xyz(angles: Values) -> Float[np.ndarray, "frames 3 3"]:
    x, y, z = torch.from_numpy(np.ascontiguousarray(angles)).unbind(-1)
    return (about_axis(z, "z") @ about_axis(y, "y") @ about_axis(x, "x")).numpy()


def matrices_from_quaternion_xyzw(numbers: Values) -> Float[np.ndarray, "frames 3 3"]:
    wxyz = torch.from_numpy(np.roll(numbers, 1, axis=-1))
    return matrix_from_quaternion_wxyz(normalize(wxyz, dim=-1)).numpy()


def _turn_keys(
    curve: Values, matrices: Callable[[Values], Float[np.ndarray, "frames 3 3"]]
) -> BezierKeys:
    """Judged by the angle between the turns that the numbers make together."""
    true = matrices(curve)

    def error(values: Values) -> Float[np.ndarray, " frames"]:
        # |A − B|² = 8 sin²(angle / 2) for two turns.
        apart = np.linalg.norm(matrices(values) - true, axis=(-2, -1))
        angle = 2 * np.arcsin(np.clip(apart / np.sqrt(8), 0, 1))
        return np.rad2deg(angle) / MOST_APART_DEGREES

    return fitted_keys(curve, error)


def lens_keys(
    curve: Values, fov_vertical: Callable[[Values], Float[np.ndarray, " frames"]]
) -> BezierKeys:
    """Keys of numbers that `fov_vertical` makes fields of view of (radians), within
    `MOST_APART_DEGREES`."""
    true = fov_vertical(curve)

    def error(values: Values) -> Float[np.ndarray, " frames"]:
        return np.rad2deg(np.abs(fov_vertical(values) - true)) / MOST_APART_DEGREES

    return fitted_keys(curve, error)
