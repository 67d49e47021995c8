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
    """Linear light that reaches the eye from each hit. All directions are in camera axes."""
    normal = _normals(hits, seen)
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
    return _mixed(key, up, facing, seen, hits.owner)


def _mixed(
    key: Float32[np.ndarray, " hits"],
    up: Float32[np.ndarray, " hits"],
    facing: Float32[np.ndarray, " hits"],
    seen: Seen,
    owner: Int[np.ndarray, " hits"],
) -> Float32[np.ndarray, "3 hits"]:
    """All lights together on the solids' colours."""
    grazing = 1 - facing
    rim = grazing * grazing
    rim *= grazing
    rim *= up + 0.15
    glow = seen.glow.take(owner, mode="clip") if seen.glow.any() else None
    light = np.empty((3, len(key)), np.float32)
    for channel in range(3):
        plane = light[channel]
        np.multiply(up, SKY[channel] - BOUNCE[channel], out=plane)
        plane += BOUNCE[channel]
        plane += key * KEY[channel]
        plane += facing * FILL[channel]
        if glow is not None:
            plane += glow * (1 - plane)
        plane *= seen.colour[channel].take(owner, mode="clip")
        plane += rim * RIM[channel]
    return light


def _dot(
    normal: Float32[np.ndarray, "3 hits"],
    direction: Float[np.ndarray, "3"],
    inverse: Float32[np.ndarray, " hits"],
) -> Float32[np.ndarray, " hits"]:
    """Cosine between normals, given with the inverse of their length, and a direction."""
    total = normal[0] * float(direction[0])
    total += normal[1] * float(direction[1])
    total += normal[2] * float(direction[2])
    total *= inverse
    return total


def _normals(hits: Hits, seen: Seen) -> Float32[np.ndarray, "3 hits"]:
    """Normals of any length. Owners are valid by construction: clipping them skips a check."""
    normal = np.empty((3, len(hits.x)), np.float32)
    for axis in range(3):
        m = seen.normal[axis]
        plane = m[0].take(hits.owner, mode="clip")
        plane *= hits.x
        plane += m[1].take(hits.owner, mode="clip") * hits.y
        plane += m[2].take(hits.owner, mode="clip")
        plane *= hits.depth
        np.add(plane, m[3].take(hits.owner, mode="clip"), out=normal[axis])
    return normal


def _lit_share(
    hits: Hits, key: Float32[np.ndarray, " hits"], view: View, shadows: LightMap
) -> Float32[np.ndarray, " hits"]:
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


def _linear(
    hits: Hits, weights: Float[np.ndarray, "3"], offset: float
) -> Float32[np.ndarray, " hits"]:
    """weights · (x, y, 1) · depth + offset."""
    place = hits.x * float(weights[0])
    place += hits.y * float(weights[1])
    place += float(weights[2])
    place *= hits.depth
    place += offset
    return place


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
