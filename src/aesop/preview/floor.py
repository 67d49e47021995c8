"""The floor with its grid, fading into the backdrop.

Every pixel gets the average of the grid over the patch of floor it covers, so lines neither flicker
nor form patterns towards the horizon.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float32

from aesop.preview import colours
from aesop.preview.canvas import Canvas, blank, strips
from aesop.preview.cast import FARTHEST
from aesop.preview.view import View

LINE_WIDTH = 0.016  # share of a grid cell
LINE_STRENGTH = 0.75
LEAST_ROLL = 1e-9  # less tilt than this across the picture cannot be seen
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
    repaint_floor(canvas, view, floor)
    return canvas


def repaint_floor(canvas: Canvas, view: View, floor: Floor) -> None:
    """Paint over everything on a canvas."""
    for rows in strips(slice(0, view.height), view.width):
        _paint_strip(canvas, view, floor, rows)


def _paint_strip(canvas: Canvas, view: View, floor: Floor, rows: slice) -> None:
    up = _ray(view, 2, rows)
    is_above = view.is_above_floor
    sink = -up if is_above else up.copy()
    is_floor = sink > LEAST_SINK
    _paint_backdrop(canvas, view, rows, up)
    canvas.floor[rows] = 0
    canvas.depth[rows] = FARTHEST
    if is_floor.any():
        np.maximum(sink, LEAST_SINK, out=sink)
        share, open_share, depth = _floor_fields(view, floor, rows, sink, is_floor)
        _paint_ground(canvas, rows, share, open_share)
        if is_above:
            canvas.floor[rows] = share
            canvas.depth[rows] = np.where(is_floor, depth, FARTHEST)
    if not is_above:
        canvas.light[:, rows] *= DARK_SIDE


def _ray(view: View, axis: int, rows: slice) -> Float32[np.ndarray, "rows _"]:
    """One world coordinate of the rays of all pixels in some rows.

    Where it is the same along every row (heights, seen by a camera that does not roll) it is one
    column wide, and what follows from it costs next to nothing.
    """
    turn = view.world_from_camera[axis]
    down = (turn[1] * view.rows[rows] + turn[2]).astype(np.float32)
    if abs(turn[0]) * view.tan_half_width < LEAST_ROLL:
        return down[:, None]
    return np.add.outer(down, (turn[0] * view.columns).astype(np.float32))


def _floor_fields(
    view: View,
    floor: Floor,
    rows: slice,
    sink: Float32[np.ndarray, "rows _"],
    is_floor: Bool[np.ndarray, "rows _"],
) -> tuple[
    Float32[np.ndarray, "rows columns"],
    Float32[np.ndarray, "rows columns"],
    Float32[np.ndarray, "rows _"],
]:
    """Share of floor in each pixel, share of floor between the lines, and depth of the floor."""
    height = view.height_m
    inverse = np.divide(1, sink, out=sink)
    cells = inverse * (height / floor.cell_m)  # depth in grid cells
    # A line runs through every whole cell; count from a whole cell nearby to keep digits.
    anchor = np.round(floor.centre / floor.cell_m) * floor.cell_m
    shape = (len(sink), view.width)
    spread, open_share = np.zeros(shape, np.float32), np.ones(shape, np.float32)
    for axis in range(2):
        slope = _ray(view, axis, rows) * inverse
        width = _footprint(view, axis, slope)
        width = width * cells
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
    view: View, axis: int, slope: Float32[np.ndarray, "rows _"]
) -> Float32[np.ndarray, "rows _"]:
    """How far the floor point moves along an axis, per depth, from a pixel to its neighbours."""
    turn, (step_x, step_y) = view.world_from_camera, view.ray_step
    side = 1 if view.is_above_floor else -1
    down = slope * float(side * turn[2, 1] * step_y)
    down += float(turn[axis, 1] * step_y)
    np.abs(down, out=down)
    if abs(turn[2, 0]) * view.tan_half_width < LEAST_ROLL:
        down += float(abs(turn[axis, 0] * step_x))
        return down
    across = slope * float(side * turn[2, 0] * step_x)
    across += float(turn[axis, 0] * step_x)
    down += np.abs(across, out=across)
    return down


def _open_share(
    place: Float32[np.ndarray, "rows _"], width: Float32[np.ndarray, "rows _"]
) -> Float32[np.ndarray, "rows _"]:
    """Share of [place ± width/2] that no line covers; from one cell on, the average of the grid."""
    np.clip(width, 1e-5, 1, out=width)
    distance = np.rint(place)
    distance -= place
    np.abs(distance, out=distance)
    covered = width * 0.5
    covered += LINE_WIDTH / 2
    covered -= distance
    np.clip(covered, 0, LINE_WIDTH, out=covered)  # far faster than maximum and minimum
    np.minimum(covered, width, out=covered)
    covered /= width
    covered *= -LINE_STRENGTH
    covered += 1
    return covered


_HORIZON, _ZENITH = colours.linear(colours.HORIZON), colours.linear(colours.ZENITH)
_OPEN = colours.linear(colours.FLOOR) - colours.linear(colours.FLOOR_LINE)
_LINE = colours.linear(colours.FLOOR_LINE) - _HORIZON


def _paint_backdrop(
    canvas: Canvas, view: View, rows: slice, up: Float32[np.ndarray, "rows _"]
) -> None:
    """From the horizon's colour to the zenith's, by the sine of the height above the horizon."""
    if view.is_above_floor and up.max() <= 0:
        canvas.light[:, rows] = _HORIZON.astype(np.float32)[:, None, None]
        return
    x, y = view.columns.astype(np.float32), view.rows[rows].astype(np.float32)
    sine = (np.maximum(up, 0) if view.is_above_floor else np.abs(up)) / np.sqrt(
        np.add.outer(y * y + 1, x * x)
    )
    for channel in range(3):
        plane = canvas.light[channel, rows]
        np.multiply(sine, float(_ZENITH[channel] - _HORIZON[channel]), out=plane)
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
