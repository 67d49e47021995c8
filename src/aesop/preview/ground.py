"""The floor with its grid, fading into the backdrop, and the dark on it: soft shadows and tight
contact."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float32, Int

from aesop.preview import colours
from aesop.preview.canvas import Canvas, Plane, Vector, View, blank, strips
from aesop.preview.ray_casting import FARTHEST, Solids, select

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
    if abs(turn[0]) * view.tan_half_width >= LEAST_ROLL:
        return view.linear(turn, rows, slice(None))
    down = (turn[1] * view.rows[rows] + turn[2]).astype(np.float32)
    return down[:, None]


def _floor_fields(
    view: View,
    floor: Floor,
    rows: slice,
    sink: Float32[np.ndarray, "rows _"],
    is_floor: Bool[np.ndarray, "rows _"],
) -> tuple[
    Plane,
    Plane,
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
    share: Plane,
    open_share: Plane,
) -> None:
    for channel in range(3):
        plane = canvas.light[channel, rows]
        plane += share * float(_LINE[channel])
        plane += open_share * float(_OPEN[channel])


TEXEL_M = 0.02
GROUP = 8  # casters worked on together
LARGEST_PATCH = 420  # texels a side; larger patches get coarser texels
THINNEST_SIDE_M = 0.02
SMALLEST_BALL_M = 0.07
EDGE_M = 0.012  # softness of a shadow whose caster touches the floor
SPREAD = 0.11  # how much softer it gets per metre of height
CONTACT_HEIGHT_M = 0.5  # higher things do not darken the floor beneath them
CAST_STRENGTH = 0.48
CONTACT_STRENGTH = 0.7
TINT = (1.0, 0.97, 0.93)  # shadows keep a little of the sky's blue


@dataclass(frozen=True, eq=False)
class Patch:
    """Share of light that is missing on a piece of floor; the outermost texels miss nothing."""

    corner: Float[np.ndarray, "2"]
    texel_m: float
    dark: Plane


def casters_of(solids: Solids) -> Solids:
    """The solids whose shadow matters; the rest hides inside it."""
    radius = solids.radii.max(axis=-1)
    return select(
        solids, np.where(solids.is_side, radius > THINNEST_SIDE_M, radius > SMALLEST_BALL_M)
    )


@dataclass(frozen=True, eq=False)
class ShadowPlan:
    """Casters as lines on the floor, and the piece of floor that holds all they darken."""

    ends: Float[np.ndarray, "casters 2 3"]
    radius: Float[np.ndarray, "casters 2"]
    soft: Float[np.ndarray, "casters 2"]
    thrown: Float[np.ndarray, "casters 2 2"]
    is_low: Bool[np.ndarray, " casters"]
    corner: Float[np.ndarray, "2"]
    texel_m: float
    shape: tuple[int, int]


def plan_shadow(casters: Solids, to_light: Vector) -> ShadowPlan:
    """What has to be known to find out whether a shadow can be seen at all."""
    radius = casters.radii
    ends = casters.ends.copy()
    # What is sunk into the floor darkens it like what touches it.
    ends[..., 2] = np.maximum(ends[..., 2], 0.7 * radius)
    thrown = ends[..., :2] - ends[..., 2:] * (to_light[:2] / to_light[2])
    soft = EDGE_M + SPREAD * ends[..., 2]
    is_low = ends[..., 2].min(axis=-1) < CONTACT_HEIGHT_M
    reach = np.concatenate(
        [(radius + soft).max(axis=-1), _contact_reach(ends[is_low], radius[is_low])]
    )
    lines = np.concatenate([thrown, ends[is_low, :, :2]])
    low = (lines.min(axis=1) - reach[:, None]).min(axis=0) - 2 * TEXEL_M
    high = (lines.max(axis=1) + reach[:, None]).max(axis=0) + 2 * TEXEL_M
    texel = max(TEXEL_M, float((high - low).max()) / LARGEST_PATCH)
    first = np.floor(low / texel)
    columns, rows = (np.ceil(high / texel - first).astype(int) + 1).tolist()
    return ShadowPlan(ends, radius, soft, thrown, is_low, first * texel, texel, (rows, columns))


def shadow_patch(plan: ShadowPlan) -> Patch:
    """The dark that solids leave on the floor."""
    light = _thrown(plan)
    if plan.is_low.any():
        light *= _resting(plan)
    dark = np.subtract(1, light, out=light)
    dark[[0, -1], :] = dark[:, [0, -1]] = 0
    return Patch(plan.corner, plan.texel_m, dark)


def cast_shadow(
    canvas: Canvas,
    view: View,
    casters: Solids,
    to_light: Vector,
    strength: float = 1.0,
) -> None:
    """The shadow of solids in a picture, worked out only if it can be seen."""
    plan = plan_shadow(casters, to_light)
    rows, columns = _region(view, plan.corner, plan.texel_m, plan.shape)
    if rows.start < rows.stop and columns.start < columns.stop:
        lay_shadow(canvas, view, shadow_patch(plan), strength)


@dataclass(frozen=True, eq=False)
class _Windows:
    """Equal pieces of a patch, one around each of many lines, and how its texels lie to the line:
    `along` is the share of the way of the nearest point, `apart` the squared distance to it."""

    first: Int[np.ndarray, "lines 2"]
    along: Float32[np.ndarray, "lines rows columns"]
    apart: Float32[np.ndarray, "lines rows columns"]

    def between(self, values: Float[np.ndarray, "lines 2"]) -> Float32[np.ndarray, "..."]:
        """Values given at both ends of the lines, at the nearest points."""
        start, end = values.astype(np.float32).T[..., None, None]
        mixed = self.along * (end - start)
        mixed += start
        return mixed

    def pieces(
        self, values: Float32[np.ndarray, "lines rows columns"], shape: tuple[int, ...]
    ) -> Iterator[tuple[slice, slice, Plane]]:
        """Where each window lies in the patch, and its values there."""
        for (column, row), piece in zip(self.first.tolist(), values, strict=True):
            # Lines near the border have windows that stick out of the patch.
            top, left = max(-row, 0), max(-column, 0)
            inside = piece[top : shape[0] - row, left : shape[1] - column]
            rows, columns = inside.shape
            row, column = row + top, column + left
            yield slice(row, row + rows), slice(column, column + columns), inside


def _alike(
    ends: Float[np.ndarray, "lines 2 2"], reach: Float[np.ndarray, " lines"]
) -> list[Int[np.ndarray, " group"]]:
    """Lines in groups that need windows of about the same size."""
    size = np.ptp(ends, axis=1).max(axis=-1) + reach
    return np.array_split(np.argsort(size), -(-len(size) // GROUP))


def _windows(
    ends: Float[np.ndarray, "lines 2 2"], reach: Float[np.ndarray, " lines"], texel: float
) -> _Windows:
    first = np.floor((ends.min(axis=1) - reach[:, None]) / texel).astype(int)
    size = np.ceil((ends.max(axis=1) + reach[:, None]) / texel).astype(int) - first
    columns, rows = size.max(axis=0) + 1
    direction = ends[:, 1] - ends[:, 0]
    share = (direction / np.maximum((direction**2).sum(-1), 1e-12)[:, None]).astype(np.float32)
    offset = ((first + 0.5) * texel - ends[:, 0]).astype(np.float32)
    x = (offset[:, :1] + np.arange(columns, dtype=np.float32) * np.float32(texel))[:, None, :]
    y = (offset[:, 1:] + np.arange(rows, dtype=np.float32) * np.float32(texel))[:, :, None]
    along = x * share[:, 0, None, None] + y * share[:, 1, None, None]
    np.clip(along, 0, 1, out=along)
    across, down = direction.astype(np.float32).T[..., None, None]
    apart = x - along * across
    apart *= apart
    y = y - along * down
    y *= y
    apart += y
    return _Windows(first, along, apart)


def _thrown(plan: ShadowPlan) -> Plane:
    """Light left by the shadows away from the lamp."""
    ends, radius, soft = plan.thrown - plan.corner, plan.radius, plan.soft
    reach = (radius + soft).max(axis=-1)
    total = np.zeros(plan.shape, np.float32)
    for group in _alike(ends, reach):
        windows = _windows(ends[group], reach[group], plan.texel_m)
        half, thick = windows.between(soft[group]), windows.between(radius[group])
        # From dark to light over [radius − soft, radius + soft]; thin casters high up grow faint.
        share = thick - np.sqrt(windows.apart)
        thick /= half
        np.clip(thick, 0, 1, out=thick)
        share /= half
        share *= 0.5
        share += 0.5
        np.clip(share, 0, 1, out=share)
        share *= share * (3 - 2 * share)
        share *= thick
        # A sum of fourth powers is a maximum without creases.
        share *= share
        share *= share
        for rows, columns, piece in windows.pieces(share, plan.shape):
            total[rows, columns] += piece
    np.clip(total, 0, 1, out=total)
    np.sqrt(np.sqrt(total, out=total), out=total)
    total *= -CAST_STRENGTH
    total += 1
    return total


def _contact_reach(
    ends: Float[np.ndarray, "casters 2 3"], radius: Float[np.ndarray, "casters 2"]
) -> Float[np.ndarray, " casters"]:
    """How far from a caster the floor still loses light to it."""
    return 4 * radius.max(axis=-1) + 0.3 * ends[..., 2].max(axis=-1)


def _resting(plan: ShadowPlan) -> Plane:
    """Light left where things hide the sky: a ball of radius r at height h hides r²·h/distance³."""
    ends, radius = plan.ends[plan.is_low] - (*plan.corner, 0), plan.radius[plan.is_low]
    reach = _contact_reach(ends, radius)
    light = np.ones(plan.shape, np.float32)
    for group in _alike(ends[..., :2], reach):
        windows = _windows(ends[group, :, :2], reach[group], plan.texel_m)
        height, thick = windows.between(ends[group, :, 2]), windows.between(radius[group])
        # Nothing may be left where a window ends, or its edge would show.
        hidden = 1 - windows.apart / (reach[group] ** 2).astype(np.float32)[:, None, None]
        np.clip(hidden, 0, 1, out=hidden)
        distance = windows.apart
        distance += height * height
        hidden *= thick * thick
        hidden *= height
        hidden /= distance
        hidden /= np.sqrt(distance)
        np.clip(hidden, 0, 1, out=hidden)
        np.subtract(1, hidden, out=hidden)
        for rows, columns, piece in windows.pieces(hidden, plan.shape):
            light[rows, columns] *= piece
    light -= 1
    light *= CONTACT_STRENGTH
    light += 1
    return light


def lay_shadow(canvas: Canvas, view: View, patch: Patch, strength: float = 1.0) -> None:
    """Take the patch's missing light from the floor of a picture."""
    rows, columns = _region(view, patch.corner, patch.texel_m, patch.dark.shape)
    for part in strips(rows, columns.stop - columns.start):
        dark = _sample(view, patch, part, columns)
        dark *= canvas.floor[part, columns]
        dark *= strength
        for channel in range(3):
            canvas.light[channel, part, columns] *= 1 - dark * TINT[channel]


def _region(
    view: View, corner: Float[np.ndarray, "2"], texel_m: float, shape: tuple[int, ...]
) -> tuple[slice, slice]:
    """Rows and columns of a picture in which a patch can appear; none from below the floor."""
    if not view.is_above_floor:
        return slice(0, 0), slice(0, 0)
    size = np.array(shape[::-1]) * texel_m
    corners = np.zeros((4, 3))
    corners[:, :2] = corner + np.array([(0, 0), (1, 0), (0, 1), (1, 1)]) * size
    in_camera = view.in_camera(corners)
    if (in_camera[:, 2] < 1e-3).all():
        return slice(0, 0), slice(0, 0)
    if (in_camera[:, 2] < 1e-3).any():
        return slice(0, view.height), slice(0, view.width)
    return view.box(in_camera, margin=1)


def _sample(view: View, patch: Patch, rows: slice, columns: slice) -> Plane:
    """The patch's dark at the floor point of each pixel."""
    ray = [view.linear(turn, rows, columns) for turn in view.world_from_camera]
    depth = np.minimum(ray[2], -LEAST_SINK, out=ray[2])
    np.divide(-view.height_m / patch.texel_m, depth, out=depth)
    origin = (view.centre[:2] - patch.corner) / patch.texel_m - 0.5
    height, width = patch.dark.shape
    column = ray[0] * depth
    column += float(origin[0])
    np.clip(column, 0, width - 1.01, out=column)
    row = ray[1] * depth
    row += float(origin[1])
    np.clip(row, 0, height - 1.01, out=row)
    left, top = column.astype(np.int32), row.astype(np.int32)
    column -= left
    row -= top
    top *= width
    top += left
    flat = patch.dark.ravel()
    upper = _between(flat.take(top), flat.take(top + 1), column)
    top += width
    lower = _between(flat.take(top), flat.take(top + 1), column)
    return _between(upper, lower, row)


def _between(
    first: Plane,
    second: Plane,
    share: Plane,
) -> Plane:
    second -= first
    second *= share
    second += first
    return second
