"""A picture in the making: linear light, how deep it is, and how much of it is floor."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32, UInt8

STRIP_ROWS = 32  # rows worked on at once: small enough for the processor's cache


@dataclass(frozen=True, eq=False)
class Canvas:
    """Planes of linear light, depth along the view, and the share of the light that is floor."""

    light: Float32[np.ndarray, "3 height width"]
    floor: Float32[np.ndarray, "height width"]
    depth: Float32[np.ndarray, "height width"]

    @property
    def height(self) -> int:
        return self.depth.shape[0]

    @property
    def width(self) -> int:
        return self.depth.shape[1]


def blank(width: int, height: int) -> Canvas:
    """A canvas with nothing on it yet."""
    return Canvas(
        np.empty((3, height, width), np.float32),
        np.empty((height, width), np.float32),
        np.empty((height, width), np.float32),
    )


def copy(canvas: Canvas) -> Canvas:
    """A canvas of its own to draw on."""
    return Canvas(canvas.light.copy(), canvas.floor.copy(), canvas.depth.copy())


def _grain() -> Float32[np.ndarray, "64 64"]:
    """Evenly spread fractions of a screen step: without them, soft gradients show bands.

    Multiples of two irrational steps (after the plastic number) fill rows, columns and
    neighbourhoods alike, so no clumps can be seen.
    """
    step = 1.32471795724474602596
    down, across = np.arange(64)[:, None] / step, np.arange(64) / step**2
    return ((down + across) % 1).astype(np.float32)


_GRAIN = _grain()


def develop(canvas: Canvas) -> UInt8[np.ndarray, "height width 3"]:
    """The finished picture in screen values."""
    height, width = canvas.height, canvas.width
    picture = np.empty((height, width, 3), np.uint8)
    grain = np.tile(_GRAIN, (1, -(-width // 64)))[:, :width]
    for top in range(0, height, 64):
        rows = slice(top, min(top + 64, height))
        noise = grain[: rows.stop - top]
        for channel in range(3):
            values = np.clip(canvas.light[channel, rows], 0, 1)
            np.sqrt(values, out=values)
            values *= 255
            values += noise
            np.minimum(values, 255, out=values)
            picture[rows, :, channel] = values
    return picture
