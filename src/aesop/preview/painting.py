"""Solids onto a canvas: one ray per pixel, more where an outline runs through; light and shade."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float32, Int

from aesop.preview.canvas import PIECE, Canvas, Plane, Vector, View, looking, strips
from aesop.preview.ground import LEAST_SINK
from aesop.preview.ray_casting import (
    FARTHEST,
    Solids,
    VisibleSolids,
    cast,
    cast_samples,
    empty_buffer,
    see,
    split_buffer,
)

PerHit = Float32[np.ndarray, " hits"]

KEY = (0.98, 0.92, 0.84)
SKY = (0.34, 0.37, 0.42)
BOUNCE = (0.22, 0.20, 0.175)
FILL = (0.23, 0.235, 0.25)  # from where the viewer stands
RIM = (0.20, 0.21, 0.23)
WRAP = 0.25  # how far the key light creeps past the terminator

LAMP_M = 30.0  # the lamp's distance: far enough for parallel light
SOFT_M = 0.05  # an occluder this far before a surface shades it fully
# Surfaces are tested a little nearer to the lamp, or they would shade themselves: by how much where
# light falls on them straight, and where it grazes them.
LIFT_M = (0.012, 0.055)


# Where shadow edges are looked up, in texels: once, or five times for edges without steps.
Softness = Literal["quick", "soft"]
_LOOKUPS: dict[Softness, tuple[tuple[float, float], ...]] = {
    "quick": ((0.0, 0.0),),
    "soft": ((0.0, 0.0), (1.4, 0.5), (-0.5, 1.4), (-1.4, -0.5), (0.5, -1.4)),
}


@dataclass(frozen=True, eq=False)
class LightMap:
    """What the lamp sees: how far each of its rays gets; `softness` widens shadow edges."""

    view: View
    depth: Plane
    softness: Softness


def light_map(
    solids: Solids, to_light: Vector, side_px: int, softness: Softness = "quick"
) -> LightMap:
    """Look at the solids from the lamp."""
    middle = solids.ends.mean(axis=(0, 1))
    away = np.linalg.norm(solids.ends - middle, axis=-1) + solids.radii
    radius = 1.1 * float(away.max())  # the picture's border must stay empty
    lamp = middle + to_light * max(LAMP_M, 4 * radius)
    half = radius / float(np.linalg.norm(lamp - middle))
    view = looking(lamp, middle, (half, half), (side_px, side_px))
    visible = see(solids, view)
    buffer = empty_buffer(visible, np.full((side_px, side_px), FARTHEST, np.float32))
    cast(visible, buffer, (0, 0))
    return LightMap(view, split_buffer(visible, buffer)[0], softness)


@dataclass(frozen=True, eq=False)
class Hits:
    """Where rays met solids: ray coordinates x and y, depth, owner."""

    x: PerHit
    y: PerHit
    depth: PerHit
    owner: Int[np.ndarray, " hits"]


def shade(
    hits: Hits,
    visible: VisibleSolids,
    view: View,
    to_light: Vector,
    shadows: LightMap | None,
) -> Float32[np.ndarray, "3 hits"]:
    """Linear light that reaches the eye from each hit. All directions are in camera axes."""
    normal = normals_at(hits, visible)
    inverse = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]
    np.sqrt(inverse, out=inverse)
    inverse += 1e-20
    np.divide(1, inverse, out=inverse)
    key = _dot(normal, to_light @ view.world_from_camera, inverse)
    key += WRAP
    key *= 1 / (1 + WRAP)
    np.clip(key, 0, 1, out=key)
    if shadows is not None:
        key *= _lit_share(hits, key, view, shadows)
    up = _dot(normal, 0.5 * view.world_from_camera[2], inverse)
    up += 0.5
    facing = normal[0] * hits.x + normal[1] * hits.y + normal[2]
    facing *= inverse
    facing /= -np.sqrt(hits.x * hits.x + hits.y * hits.y + 1)
    np.clip(facing, 0, 1, out=facing)
    return _mixed(key, up, facing, visible, hits.owner)


def _mixed(
    key: PerHit,
    up: PerHit,
    facing: PerHit,
    visible: VisibleSolids,
    owner: Int[np.ndarray, " hits"],
) -> Float32[np.ndarray, "3 hits"]:
    """All lights together on the solids' colours."""
    grazing = 1 - facing
    rim = grazing * grazing
    rim *= grazing
    rim *= up + 0.15
    glow = visible.glow.take(owner, mode="clip") if visible.glow.any() else None
    light = np.empty((3, len(key)), np.float32)
    for channel in range(3):
        plane = light[channel]
        np.multiply(up, SKY[channel] - BOUNCE[channel], out=plane)
        plane += BOUNCE[channel]
        plane += key * KEY[channel]
        plane += facing * FILL[channel]
        if glow is not None:
            plane += glow * (1 - plane)
        plane *= visible.colour[channel].take(owner, mode="clip")
        plane += rim * RIM[channel]
    return light


def _dot(
    normal: Float32[np.ndarray, "3 hits"],
    direction: Vector,
    inverse: PerHit,
) -> PerHit:
    """Cosine between normals, given with the inverse of their length, and a direction."""
    total = normal[0] * float(direction[0])
    total += normal[1] * float(direction[1])
    total += normal[2] * float(direction[2])
    total *= inverse
    return total


def normals_at(hits: Hits, visible: VisibleSolids) -> Float32[np.ndarray, "3 hits"]:
    """Normals of any length. Owners are valid by construction: clipping them skips a check."""
    normal = np.empty((3, len(hits.x)), np.float32)
    for axis in range(3):
        m = visible.normal[axis]
        plane = m[0].take(hits.owner, mode="clip")
        plane *= hits.x
        plane += m[1].take(hits.owner, mode="clip") * hits.y
        plane += m[2].take(hits.owner, mode="clip")
        plane *= hits.depth
        np.add(plane, m[3].take(hits.owner, mode="clip"), out=normal[axis])
    return normal


def _lit_share(hits: Hits, key: PerHit, view: View, shadows: LightMap) -> PerHit:
    """How much of the key light reaches each hit past the other solids."""
    lamp = shadows.view
    lamp_from_view = lamp.world_from_camera.T @ view.world_from_camera
    origin = (view.centre - lamp.centre) @ lamp.world_from_camera
    column, row, depth = (
        _linear(hits, lamp_from_view[axis], float(origin[axis])) for axis in range(3)
    )
    step_x, step_y = lamp.ray_step
    for pixel, step, side in ((column, step_x, lamp.width), (row, step_y, lamp.height)):
        pixel *= 1 / step
        pixel /= depth
        pixel += side / 2 - 0.5
    depth += key * (LIFT_M[1] - LIFT_M[0])
    depth -= LIFT_M[1]
    dark = np.zeros_like(depth)
    lookups = _LOOKUPS[shadows.softness]
    for right, below in lookups:
        dark += _darkness(column + right, row + below, depth, shadows.depth)
    dark *= -1 / len(lookups)
    dark += 1
    return dark


def _linear(hits: Hits, weights: Vector, offset: float) -> PerHit:
    """weights · (x, y, 1) · depth + offset."""
    place = hits.x * float(weights[0])
    place += hits.y * float(weights[1])
    place += float(weights[2])
    place *= hits.depth
    place += offset
    return place


def _darkness(
    column: PerHit,
    row: PerHit,
    depth: PerHit,
    occluders: Plane,
) -> PerHit:
    """How much stands before each place, between the four texels around it."""
    height, width = occluders.shape
    np.clip(column, 0, width - 1.01, out=column)
    np.clip(row, 0, height - 1.01, out=row)
    left, top = column.astype(np.intp), row.astype(np.intp)
    column -= left
    row -= top
    corner = top * width + left
    flat = occluders.ravel()
    dark = np.zeros_like(depth)
    for step, weight in (
        (0, (1 - column) * (1 - row)),
        (1, column * (1 - row)),
        (width, (1 - column) * row),
        (width + 1, column * row),
    ):
        gap = depth - flat.take(corner + step, mode="clip")
        gap *= 1 / SOFT_M
        np.clip(gap, 0, 1, out=gap)
        dark += gap * weight
    return dark


SOLIDS_MET = 3  # solids that a ray on an outline has to be tested against, about


@dataclass(frozen=True, eq=False)
class Brush:
    """How solids are laid on: the light they are in, how solid they look, how fine their edges."""

    to_light: Vector
    shadows: LightMap | None = None
    opacity: float = 1.0
    edge_samples: int = 5


def paint_solids(canvas: Canvas, view: View, solids: Solids, brush: Brush) -> None:
    """Draw solids where they stand before what is already there."""
    visible = see(solids, view)
    if not len(visible.box):
        return
    rows, columns = visible.around
    corner = (rows.start, columns.start)
    buffer = empty_buffer(visible, canvas.depth[rows, columns])
    cast(visible, buffer, corner)
    depth, owner = split_buffer(visible, buffer)
    edge = _outlines(owner)
    _paint_inside(canvas, view, brush, visible, (depth, owner, edge))
    _paint_edges(canvas, view, brush, visible, edge)
    if brush.opacity == 1:
        window = canvas.depth[rows, columns]
        np.minimum(window, depth, out=window)


def _outlines(owner: Int[np.ndarray, "rows columns"]) -> np.ndarray:
    """Pixels whose neighbours belong to another solid."""
    edge = np.zeros(owner.shape, bool)
    differs = owner[1:] != owner[:-1]
    edge[1:] |= differs
    edge[:-1] |= differs
    differs = owner[:, 1:] != owner[:, :-1]
    edge[:, 1:] |= differs
    edge[:, :-1] |= differs
    return edge


def _paint_inside(
    canvas: Canvas,
    view: View,
    brush: Brush,
    visible: VisibleSolids,
    image: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    depth, owner, edge = image
    rows, columns = visible.around
    x, y = (values.astype(np.float32) for values in (view.columns[columns], view.rows[rows]))
    inside = owner != visible.nobody
    inside &= ~edge
    for part in strips(slice(0, len(inside)), inside.shape[1]):
        mask = inside[part]
        row, column = np.nonzero(mask)
        if not len(row):
            continue
        hits = Hits(x.take(column), y[part].take(row), depth[part][mask], owner[part][mask])
        light = shade(hits, visible, view, brush.to_light, brush.shadows)
        row += rows.start + part.start
        row *= canvas.width
        row += column
        row += columns.start
        _lay(canvas, row, light, None, brush.opacity)


def _paint_edges(
    canvas: Canvas, view: View, brush: Brush, visible: VisibleSolids, edge: np.ndarray
) -> None:
    rows, columns = visible.around
    pixels = np.stack(np.nonzero(edge)).astype(np.int32)
    pixels += np.array([[rows.start], [columns.start]], np.int32)
    step = max(PIECE // (SOLIDS_MET * brush.edge_samples), 1)
    for start in range(0, pixels.shape[1], step):
        _paint_edge_pixels(canvas, view, brush, visible, pixels[:, start : start + step])


def _paint_edge_pixels(
    canvas: Canvas,
    view: View,
    brush: Brush,
    visible: VisibleSolids,
    pixels: Int[np.ndarray, "2 pixels"],
) -> None:
    """Several rays through each of the pixels (row, column)."""
    flat = pixels[0] * np.int32(canvas.width) + pixels[1]
    offsets = sample_offsets(brush.edge_samples)
    places = pixels[::-1, None, :].astype(np.float32) + offsets.T[:, :, None]
    x = places[0] * np.float32(view.ray_step[0]) - np.float32(view.tan_half_width)
    y = places[1] * np.float32(view.ray_step[1]) - np.float32(view.tan_half_height)
    buffer = empty_buffer(visible, _depth_behind(canvas, view, flat, x, y))
    cast_samples(visible, buffer, places, pixels)
    depth, owner = split_buffer(visible, buffer)
    # Each solid is shaded once in a pixel, and counts for as many rays as it catches.
    same = owner[:, None] == owner
    is_hit = owner != visible.nobody
    first = np.flatnonzero((same.argmax(axis=0) == np.arange(len(owner))[:, None]) & is_hit)
    hits = Hits(*(values.ravel().take(first) for values in (x, y, depth, owner)))
    share = same.mean(axis=0, dtype=np.float32).ravel().take(first)
    light = np.zeros((3, owner.size), np.float32)
    light[:, first] = shade(hits, visible, view, brush.to_light, brush.shadows) * share
    covered = is_hit.mean(axis=0, dtype=np.float32)
    _lay(canvas, flat, light.reshape(3, *owner.shape).sum(axis=1), covered, brush.opacity)


def _depth_behind(
    canvas: Canvas,
    view: View,
    flat: Int[np.ndarray, " pixels"],
    x: Float32[np.ndarray, "samples pixels"],
    y: Float32[np.ndarray, "samples pixels"],
) -> Float32[np.ndarray, "samples pixels"]:
    """Depth at every place: of the floor exactly, of solids as in the middle of the pixel."""
    down = view.world_from_camera[2].astype(np.float32)
    sink = x * down[0] + y * down[1] + down[2]
    is_floor = (sink < -LEAST_SINK) & view.is_above_floor
    with np.errstate(all="ignore"):
        floor = np.where(is_floor, np.float32(-view.height_m) / sink, FARTHEST)
    middle = canvas.depth.ravel().take(flat)
    has_floor = canvas.floor.ravel().take(flat) > 0
    return np.where(has_floor, floor, np.minimum(floor, middle))


def _lay(
    canvas: Canvas,
    flat: Int[np.ndarray, " pixels"],
    light: Float32[np.ndarray, "3 pixels"],
    covered: Float32[np.ndarray, " pixels"] | None,
    opacity: float,
) -> None:
    """Mix light that covers all (None) or a share of its pixels with what lies behind."""
    floor = canvas.floor.reshape(-1)
    if covered is None and opacity == 1:
        floor[flat] = 0
        for channel in range(3):
            canvas.light[channel].reshape(-1)[flat] = light[channel]
        return
    left = 1 - (opacity if covered is None else covered * opacity)
    floor[flat] *= left
    for channel in range(3):
        plane = canvas.light[channel].reshape(-1)
        plane[flat] = plane[flat] * left + light[channel] * opacity


# Steps that put as many rays into a pixel with no two in one row or column, all well apart.
_LATTICE_STEPS = {5: 2, 8: 3, 16: 7}


def sample_offsets(count: int) -> Float32[np.ndarray, "samples 2"]:
    """Places of rays inside a pixel."""
    index = np.arange(count)
    across, down = index, index * _LATTICE_STEPS[count] % count
    return ((np.stack([across, down], axis=-1) + 0.5) / count).astype(np.float32)
