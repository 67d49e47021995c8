"""The floor with its grid, fading into the backdrop.

Every pixel gets the average of the grid over the patch of floor it covers, so lines neither flicker
nor form patterns towards the horizon.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float32

from aesop.preview import colours
from aesop.preview.canvas import STRIP_ROWS, Canvas, blank
from aesop.preview.cast import FARTHEST
from aesop.preview.view import View

LINE_WIDTH = 0.016  # share of a grid cell
LINE_STRENGTH = 0.75
LEAST_SINK = 1e-6  # rays that sink less than this meet the floor beyond sight
DARK_SIDE = 0.72  # from below, the floor is a pane seen from its dark side


@dataclass(frozen=True, eq=False)
class Floor:
    """The ground z = 0: where its light pools, how far it reaches, the side of a grid cell."""

    centre: Float[np.ndarray, "2"]
    reach_m: float
    cell_m: float


def paint_floor(view: View, floor: Floor) -> Canvas:
    """Floor and backdrop of a view, without anything on it."""
    canvas = blank(view.width, view.height)
    for top in range(0, view.height, STRIP_ROWS):
        _paint_strip(canvas, view, floor, slice(top, min(top + STRIP_ROWS, view.height)))
    return canvas


def _paint_strip(canvas: Canvas, view: View, floor: Floor, rows: slice) -> None:
    up = _ray(view, 2, rows)
    is_above = view.is_above_floor
    sink = -up if is_above else up.copy()
    is_floor = sink > LEAST_SINK
    canvas.floor[rows] = 0
    canvas.depth[rows] = FARTHEST
    _paint_backdrop(canvas, view, rows, up)
    if is_floor.any():
        np.maximum(sink, LEAST_SINK, out=sink)
        share, open_share, depth = _floor_fields(view, floor, rows, sink, is_floor)
        _paint_ground(canvas, rows, share, open_share)
        if is_above:
            canvas.floor[rows] = share
            np.copyto(canvas.depth[rows], depth, where=is_floor)
    if not is_above:
        canvas.light[:, rows] *= DARK_SIDE


def _ray(view: View, axis: int, rows: slice) -> Float32[np.ndarray, "rows columns"]:
    """One world coordinate of the rays of all pixels in some rows."""
    turn = view.world_from_camera[axis]
    down = (turn[1] * view.rows[rows] + turn[2]).astype(np.float32)
    return np.add.outer(down, (turn[0] * view.columns).astype(np.float32))


def _floor_fields(
    view: View,
    floor: Floor,
    rows: slice,
    sink: Float32[np.ndarray, "rows columns"],
    is_floor: Bool[np.ndarray, "rows columns"],
) -> tuple[
    Float32[np.ndarray, "rows columns"],
    Float32[np.ndarray, "rows columns"],
    Float32[np.ndarray, "rows columns"],
]:
    """Share of floor in each pixel, share of floor between the lines, and depth of the floor."""
    side = 1 if view.is_above_floor else -1
    height = view.height_m
    inverse = np.divide(1, sink, out=sink)
    cells = inverse * (height / floor.cell_m)  # depth in grid cells
    # A line runs through every whole cell; count from a whole cell nearby to keep digits.
    anchor = np.round(floor.centre / floor.cell_m) * floor.cell_m
    spread, open_share = np.zeros_like(inverse), np.ones_like(inverse)
    for axis in range(2):
        slope = _ray(view, axis, rows)
        slope *= inverse
        width = _footprint(view, axis, slope, side)
        width *= cells
        place = np.multiply(slope, height / floor.cell_m, out=slope)
        place += float((view.centre[axis] - anchor[axis]) / floor.cell_m)
        spread += place * place
        open_share *= _open_share(place, width)
    spread *= (floor.cell_m / floor.reach_m) ** 2
    spread += 1
    share = np.divide(is_floor, spread, out=spread)
    open_share *= share
    depth = np.multiply(inverse, height, out=inverse)
    return share, open_share, depth


def _footprint(
    view: View, axis: int, slope: Float32[np.ndarray, "rows columns"], side: int
) -> Float32[np.ndarray, "rows columns"]:
    """How far the floor point moves along an axis, per depth, from a pixel to its neighbours."""
    turn, (step_x, step_y) = view.world_from_camera, view.ray_step
    across = slope * float(side * turn[2, 0] * step_x)
    across += float(turn[axis, 0] * step_x)
    np.abs(across, out=across)
    down = slope * float(side * turn[2, 1] * step_y)
    down += float(turn[axis, 1] * step_y)
    across += np.abs(down, out=down)
    return across


def _open_share(
    place: Float32[np.ndarray, "rows columns"], width: Float32[np.ndarray, "rows columns"]
) -> Float32[np.ndarray, "rows columns"]:
    """Share of [place ± width/2] that no line covers; from one cell on, the average of the grid."""
    np.clip(width, 1e-5, 1, out=width)
    distance = np.rint(place)
    distance -= place
    np.abs(distance, out=distance)
    covered = width * 0.5
    covered += LINE_WIDTH / 2
    covered -= distance
    np.maximum(covered, 0, out=covered)
    np.minimum(covered, LINE_WIDTH, out=covered)
    np.minimum(covered, width, out=covered)
    covered /= width
    covered *= -LINE_STRENGTH
    covered += 1
    return covered


_HORIZON, _ZENITH = colours.linear(colours.HORIZON), colours.linear(colours.ZENITH)
_OPEN = colours.linear(colours.FLOOR) - colours.linear(colours.FLOOR_LINE)
_LINE = colours.linear(colours.FLOOR_LINE) - _HORIZON


def _paint_backdrop(
    canvas: Canvas, view: View, rows: slice, up: Float32[np.ndarray, "rows columns"]
) -> None:
    """From the horizon's colour to the zenith's, by the sine of the height above the horizon."""
    rise = np.maximum(up, 0, out=up) if view.is_above_floor else np.abs(up, out=up)
    x, y = view.columns.astype(np.float32), view.rows[rows].astype(np.float32)
    rise /= np.sqrt(np.add.outer(y * y + 1, x * x))
    for channel in range(3):
        plane = canvas.light[channel, rows]
        np.multiply(rise, float(_ZENITH[channel] - _HORIZON[channel]), out=plane)
        plane += float(_HORIZON[channel])


def _paint_ground(
    canvas: Canvas,
    rows: slice,
    share: Float32[np.ndarray, "rows columns"],
    open_share: Float32[np.ndarray, "rows columns"],
) -> None:
    for channel in range(3):
        plane = canvas.light[channel, rows]
        plane += share * float(_LINE[channel])
        plane += open_share * float(_OPEN[channel])
