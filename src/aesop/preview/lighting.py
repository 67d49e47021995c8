"""Key, sky, bounce and rim light on solids, and the shadows that solids cast on each other."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float, Float32, Int

from aesop.preview.cast import FARTHEST, Seen, cast, empty_buffer, see, split_buffer
from aesop.preview.solids import Solids
from aesop.preview.view import View, looking

KEY = (0.98, 0.92, 0.84)
SKY = (0.34, 0.37, 0.42)
BOUNCE = (0.22, 0.20, 0.175)
FILL = (0.23, 0.235, 0.25)  # from where the viewer stands
RIM = (0.20, 0.21, 0.23)
WRAP = 0.25  # how far the key light creeps past the terminator

LAMP_M = 30.0  # the lamp's distance: far enough for parallel light
SOFT_M = 0.05  # an occluder this far before a surface shades it fully
LIFT_M = 0.016  # surfaces are tested a little off themselves, or they would shade themselves


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
    depth: Float32[np.ndarray, "rows columns"]
    softness: Softness


def light_map(
    solids: Solids, to_light: Float[np.ndarray, "3"], side_px: int, softness: Softness = "quick"
) -> LightMap:
    """Look at the solids from the lamp."""
    middle = solids.ends.mean(axis=(0, 1))
    away = np.linalg.norm(solids.ends - middle, axis=-1) + solids.radii
    radius = 1.1 * float(away.max())  # the picture's border must stay empty
    lamp = middle + to_light * max(LAMP_M, 4 * radius)
    half = radius / float(np.linalg.norm(lamp - middle))
    view = looking(lamp, middle, (half, half), (side_px, side_px))
    seen = see(solids, view)
    buffer = empty_buffer(seen, np.full((side_px, side_px), FARTHEST, np.float32))
    cast(seen, buffer, (0, 0))
    return LightMap(view, split_buffer(seen, buffer)[0], softness)


@dataclass(frozen=True, eq=False)
class Hits:
    """Where rays met solids: ray coordinates x and y, depth, owner."""

    x: Float32[np.ndarray, " hits"]
    y: Float32[np.ndarray, " hits"]
    depth: Float32[np.ndarray, " hits"]
    owner: Int[np.ndarray, " hits"]


def shade(
    hits: Hits, seen: Seen, view: View, to_light: Float[np.ndarray, "3"], shadows: LightMap | None
) -> Float32[np.ndarray, "3 hits"]:
    """Linear light that reaches the eye from each hit."""
    normal = _normals(hits, seen)
    ray = _rays(hits, view)
    key = sum_products(normal, to_light)
    key += WRAP
    key *= 1 / (1 + WRAP)
    np.clip(key, 0, 1, out=key)
    if shadows is not None:
        key *= _lit_share(hits, normal, ray, view, shadows)
    up = normal[2] * 0.5
    up += 0.5
    facing = normal[0] * ray[0] + normal[1] * ray[1] + normal[2] * ray[2]
    facing /= -np.sqrt(hits.x * hits.x + hits.y * hits.y + 1)
    np.clip(facing, 0, 1, out=facing)
    grazing = 1 - facing
    rim = grazing * grazing
    rim *= grazing
    rim *= up + 0.15
    light = np.empty((3, len(key)), np.float32)
    glow = seen.glow.take(hits.owner)
    for channel in range(3):
        plane = light[channel]
        np.multiply(up, SKY[channel] - BOUNCE[channel], out=plane)
        plane += BOUNCE[channel]
        plane += key * KEY[channel]
        plane += facing * FILL[channel]
        plane += glow * (1 - plane)
        plane *= seen.colour[channel].take(hits.owner)
        plane += rim * RIM[channel]
    return light


def sum_products(
    planes: Float32[np.ndarray, "3 hits"], weights: Float[np.ndarray, "3"]
) -> Float32[np.ndarray, " hits"]:
    """Dot product of every hit's vector with one vector."""
    total = planes[0] * float(weights[0])
    total += planes[1] * float(weights[1])
    total += planes[2] * float(weights[2])
    return total


def _normals(hits: Hits, seen: Seen) -> Float32[np.ndarray, "3 hits"]:
    normal = np.empty((3, len(hits.x)), np.float32)
    for axis in range(3):
        m = seen.normal[axis]
        plane = m[0].take(hits.owner)
        plane *= hits.x
        plane += m[1].take(hits.owner) * hits.y
        plane += m[2].take(hits.owner)
        plane *= hits.depth
        np.add(plane, m[3].take(hits.owner), out=normal[axis])
    length = np.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2])
    normal /= np.maximum(length, 1e-20)
    return normal


def _rays(hits: Hits, view: View) -> Float32[np.ndarray, "3 hits"]:
    turn = view.world_from_camera.astype(np.float32)
    return np.stack([turn[i, 0] * hits.x + turn[i, 1] * hits.y + turn[i, 2] for i in range(3)])


def _lit_share(
    hits: Hits,
    normal: Float32[np.ndarray, "3 hits"],
    ray: Float32[np.ndarray, "3 hits"],
    view: View,
    shadows: LightMap,
) -> Float32[np.ndarray, " hits"]:
    """How much of the key light reaches each hit past the other solids."""
    lamp = shadows.view
    offset = (view.centre - lamp.centre).astype(np.float32)
    place = ray * hits.depth
    place += normal * LIFT_M
    place += offset[:, None]
    turn = lamp.world_from_camera
    depth = sum_products(place, turn[:, 2])
    step_x, step_y = lamp.ray_step
    column = sum_products(place, turn[:, 0] / step_x)
    column /= depth
    column += lamp.width / 2 - 0.5
    row = sum_products(place, turn[:, 1] / step_y)
    row /= depth
    row += lamp.height / 2 - 0.5
    dark = np.zeros_like(depth)
    lookups = _LOOKUPS[shadows.softness]
    for right, below in lookups:
        dark += _darkness(column + right, row + below, depth, shadows.depth)
    dark *= -1 / len(lookups)
    dark += 1
    return dark


def _darkness(
    column: Float32[np.ndarray, " hits"],
    row: Float32[np.ndarray, " hits"],
    depth: Float32[np.ndarray, " hits"],
    occluders: Float32[np.ndarray, "rows columns"],
) -> Float32[np.ndarray, " hits"]:
    """How much stands before each place, between the four texels around it."""
    height, width = occluders.shape
    np.clip(column, 0, width - 1.01, out=column)
    np.clip(row, 0, height - 1.01, out=row)
    left, top = column.astype(np.int32), row.astype(np.int32)
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
        gap = depth - flat.take(corner + step)
        gap *= 1 / SOFT_M
        np.clip(gap, 0, 1, out=gap)
        dark += gap * weight
    return dark
