"""Solids onto a canvas: one ray per pixel, more where an outline runs through."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float32, Int

from aesop.preview.canvas import PIECE, Canvas, strips
from aesop.preview.cast import FARTHEST, Seen, cast, cast_samples, empty_buffer, see, split_buffer
from aesop.preview.floor import LEAST_SINK
from aesop.preview.lighting import Hits, LightMap, shade
from aesop.preview.solids import Solids
from aesop.preview.view import View

SOLIDS_MET = 3  # solids that a ray on an outline has to be tested against, about


@dataclass(frozen=True, eq=False)
class Brush:
    """How solids are laid on: the light they are in, how solid they look, how fine their edges."""

    to_light: Float[np.ndarray, "3"]
    shadows: LightMap | None = None
    opacity: float = 1.0
    edge_samples: int = 5


def paint_solids(canvas: Canvas, view: View, solids: Solids, brush: Brush) -> None:
    """Draw solids where they stand before what is already there."""
    seen = see(solids, view)
    if not len(seen.box):
        return
    rows, columns = seen.around
    corner = (rows.start, columns.start)
    buffer = empty_buffer(seen, canvas.depth[rows, columns])
    cast(seen, buffer, corner)
    depth, owner = split_buffer(seen, buffer)
    edge = _outlines(owner)
    _paint_inside(canvas, view, brush, seen, (depth, owner, edge))
    _paint_edges(canvas, view, brush, seen, edge)
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
    seen: Seen,
    image: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    depth, owner, edge = image
    rows, columns = seen.around
    x, y = (values.astype(np.float32) for values in (view.columns[columns], view.rows[rows]))
    inside = owner != seen.nobody
    inside &= ~edge
    for part in strips(slice(0, len(inside)), inside.shape[1]):
        mask = inside[part]
        row, column = np.nonzero(mask)
        if not len(row):
            continue
        hits = Hits(x.take(column), y[part].take(row), depth[part][mask], owner[part][mask])
        light = shade(hits, seen, view, brush.to_light, brush.shadows)
        row += rows.start + part.start
        row *= canvas.width
        row += column
        row += columns.start
        _lay(canvas, row, light, None, brush.opacity)


def _paint_edges(canvas: Canvas, view: View, brush: Brush, seen: Seen, edge: np.ndarray) -> None:
    rows, columns = seen.around
    pixels = np.stack(np.nonzero(edge)).astype(np.int32)
    pixels += np.array([[rows.start], [columns.start]], np.int32)
    step = max(PIECE // (SOLIDS_MET * brush.edge_samples), 1)
    for start in range(0, pixels.shape[1], step):
        _paint_edge_pixels(canvas, view, brush, seen, pixels[:, start : start + step])


def _paint_edge_pixels(
    canvas: Canvas, view: View, brush: Brush, seen: Seen, pixels: Int[np.ndarray, "2 pixels"]
) -> None:
    """Several rays through each of the pixels (row, column)."""
    flat = pixels[0] * np.int32(canvas.width) + pixels[1]
    offsets = sample_offsets(brush.edge_samples)
    places = pixels[::-1, None, :].astype(np.float32) + offsets.T[:, :, None]
    x = places[0] * np.float32(view.ray_step[0]) - np.float32(view.tan_half_width)
    y = places[1] * np.float32(view.ray_step[1]) - np.float32(view.tan_half_height)
    buffer = empty_buffer(seen, _depth_behind(canvas, view, flat, x, y))
    cast_samples(seen, buffer, places, pixels)
    depth, owner = split_buffer(seen, buffer)
    # Each solid is shaded once in a pixel, and counts for as many rays as it catches.
    same = owner[:, None] == owner
    is_hit = owner != seen.nobody
    first = np.flatnonzero((same.argmax(axis=0) == np.arange(len(owner))[:, None]) & is_hit)
    hits = Hits(*(values.ravel().take(first) for values in (x, y, depth, owner)))
    share = same.mean(axis=0, dtype=np.float32).ravel().take(first)
    light = np.zeros((3, owner.size), np.float32)
    light[:, first] = shade(hits, seen, view, brush.to_light, brush.shadows) * share
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
