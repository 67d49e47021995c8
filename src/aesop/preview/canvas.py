"""A picture in the making: its pinhole, linear light, how deep it is, and how much of it is
floor."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Float32, UInt8

from aesop.core.errors import AesopError

SMALLEST_SIDE_PX = 2
SMALLEST_PAGE_PX = 64  # narrower pages have no room for their panels
LARGEST_SIDE_PX = 8192
Picture = UInt8[np.ndarray, "height width 3"]  # screen values
Plane = Float32[np.ndarray, "rows columns"]  # one number per pixel of a part of a picture
Vector = Float[np.ndarray, "3"]

EYE_LEVEL_M = 1e-3  # a camera this close to the floor's plane is taken to lie just above it


@dataclass(frozen=True, eq=False)
class View:
    """A camera with square-cornered pixels; axes as everywhere: x right, y down, z forward.

    The ray of the point (column, row), measured in pixels from the top left corner of the picture,
    is `world_from_camera @ (x, y, 1)` with x, y linear in column, row. Depth is measured along z.
    """

    world_from_camera: Float[np.ndarray, "3 3"]
    centre: Vector
    tan_half_width: float
    tan_half_height: float
    width: int
    height: int

    @property
    def ray_step(self) -> tuple[float, float]:
        """How far x and y go from one pixel to the next."""
        return 2 * self.tan_half_width / self.width, 2 * self.tan_half_height / self.height

    @property
    def is_above_floor(self) -> bool:
        """Whether the floor is seen from its upper side."""
        return bool(self.centre[2] > -EYE_LEVEL_M)

    @property
    def height_m(self) -> float:
        """Distance from the floor, never zero."""
        return max(abs(float(self.centre[2])), EYE_LEVEL_M)

    @cached_property
    def columns(self) -> Float[np.ndarray, " width"]:
        """x of the middle of every pixel column."""
        return (np.arange(self.width) + 0.5) * self.ray_step[0] - self.tan_half_width

    @cached_property
    def rows(self) -> Float[np.ndarray, " height"]:
        """y of the middle of every pixel row."""
        return (np.arange(self.height) + 0.5) * self.ray_step[1] - self.tan_half_height

    def in_camera(self, points: Float[np.ndarray, "*batch 3"]) -> Float[np.ndarray, "*batch 3"]:
        """World points in the camera's axes."""
        return (points - self.centre) @ self.world_from_camera

    def pixels(self, in_camera: Float[np.ndarray, "*batch 3"]) -> Float[np.ndarray, "*batch 2"]:
        """Column and row of points before the camera, given in its axes."""
        half = np.array([self.tan_half_width, self.tan_half_height])
        return (in_camera[..., :2] / in_camera[..., 2:] + half) / self.ray_step

    def box(self, in_camera: Float[np.ndarray, "points 3"], margin: int = 0) -> tuple[slice, slice]:
        """Rows and columns of the smallest part of the picture that holds these points."""
        pixels, limit = self.pixels(in_camera), (self.width, self.height)
        low = np.clip(np.floor(pixels.min(axis=0)), 0, limit).astype(int)
        high = np.clip(np.ceil(pixels.max(axis=0)) + margin, 0, limit).astype(int)
        (left, top), (right, bottom) = low.tolist(), high.tolist()
        return slice(top, bottom), slice(left, right)

    def linear(self, weights: Vector, rows: slice, columns: slice) -> Plane:
        """weights · (x, y, 1) for the rays of some pixels."""
        down = (weights[1] * self.rows[rows] + weights[2]).astype(np.float32)
        return np.add.outer(down, (weights[0] * self.columns[columns]).astype(np.float32))


def fit_aspect(aspect: float, size: tuple[int, int]) -> tuple[int, int]:
    """Width and height of the largest picture of this aspect ratio that fits into a panel.

    A panel that is off by less than a pixel is filled: a hairline would look like a mistake.
    """
    width, height = size
    if width >= aspect * height:
        fitted = max(SMALLEST_SIDE_PX, min(width, round(aspect * height))), height
    else:
        fitted = width, max(SMALLEST_SIDE_PX, min(height, round(width / aspect)))
    is_close = max(width - fitted[0], height - fitted[1]) <= 1
    return size if is_close else fitted


def check_size(size: tuple[int, int], smallest: int = SMALLEST_SIDE_PX) -> None:
    """Refuse sizes that no picture can have."""
    if not all(smallest <= side <= LARGEST_SIDE_PX for side in size):
        raise AesopError(
            f"A picture of {size[0]} × {size[1]} pixels cannot be drawn.",
            f"Ask for {smallest} to {LARGEST_SIDE_PX} pixels a side.",
        )


def looking(
    centre: Vector, target: Vector, tan_half: tuple[float, float], size: tuple[int, int]
) -> View:
    """A view from one point to another with the horizon level; never straight up or down."""
    forward = (target - centre) / np.linalg.norm(target - centre)
    return View(level_axes(forward), centre, *tan_half, *size)


def level_axes(forward: Vector) -> Float[np.ndarray, "3 3"]:
    """World_from_camera of a view in a direction, as `aesop.scene.camera.look_at` has it: that one
    works on tensors and rounds differently, which would show in pictures."""
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(forward, right), forward], axis=-1)


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


class _Kept(threading.local):
    """The canvases that one thread paints on again and again."""

    def __init__(self) -> None:
        self.canvases: dict[tuple[int, int], Canvas] = {}


_KEPT = _Kept()
_MOST_KEPT = 4  # sizes at once


def borrow(width: int, height: int) -> Canvas:
    """This thread's canvas of a size: only for a picture that is developed before the next one.

    Taking fresh memory for every frame costs a fifth of the time of drawing it.
    """
    canvases = _KEPT.canvases
    if (width, height) not in canvases:
        if len(canvases) >= _MOST_KEPT:
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


# Evenly spread fractions of a screen step: without them, soft gradients show bands. Multiples of
# two irrational steps fill rows, columns and neighbourhoods alike, so no clumps can be seen.
_PLASTIC = 1.32471795724474602596
_GRAIN = ((np.arange(64)[:, None] / _PLASTIC + np.arange(64) / _PLASTIC**2) % 1).astype(np.float32)


def develop(canvas: Canvas) -> Picture:
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
