"""A picture in the making: linear light, how deep it is, and how much of it is floor."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32, UInt8

# Numbers worked on at once: larger arrays leave the processor's cache, and the memory allocator
# gives them back to the system after every step, which costs more than the step.
PIECE = 24_576


def strips(rows: slice, columns: int) -> Iterator[slice]:
    """Consecutive rows in pieces."""
    band = max(PIECE // max(columns, 1), 1)
    for top in range(rows.start, rows.stop, band):
        yield slice(top, min(top + band, rows.stop))


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


class _Easel(threading.local):
    """The canvases that one thread paints on again and again."""

    def __init__(self) -> None:
        self.canvases: dict[tuple[int, int], Canvas] = {}


_EASEL = _Easel()
_EASEL_SIZES = 4  # more sizes at once are not kept


def borrow(width: int, height: int) -> Canvas:
    """This thread's canvas of a size: only for a picture that is developed before the next one.

    Taking fresh memory for every frame costs a fifth of the time of drawing it.
    """
    canvases = _EASEL.canvases
    if (width, height) not in canvases:
        if len(canvases) >= _EASEL_SIZES:
            canvases.clear()
        canvases[width, height] = blank(width, height)
    return canvases[width, height]


def borrow_copy(canvas: Canvas) -> Canvas:
    """A copy on this thread's canvas, under the same condition."""
    borrowed = borrow(canvas.width, canvas.height)
    borrowed.light[:] = canvas.light
    borrowed.floor[:] = canvas.floor
    borrowed.depth[:] = canvas.depth
    return borrowed


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
    for rows in strips(slice(0, height), width):
        noise = grain[np.arange(rows.start, rows.stop) % 64]
        for channel in range(3):
            values = np.clip(canvas.light[channel, rows], 0, 1)
            np.sqrt(values, out=values)
            values *= 255
            values += noise
            picture[rows, :, channel] = values  # grain stays below one, so below 256
    return picture
