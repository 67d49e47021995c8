"""Solids: ellipsoids and tapered limbs, written as quadric surfaces so that rays meet them exactly.

A limb is what two balls of different size sweep between them; stretched as a whole it becomes a
torso or a foot. It is stored as its side (a piece of a cone) and its end balls.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

# Steeper than this one end ball swallows the other and the limb has no side.
STEEPEST_TAPER = 0.999


@dataclass(frozen=True, eq=False)
class Solids:
    """Surfaces (p, 1)ᵀ·quadric·(p, 1) = 0, negative inside, kept where |clip·(p, 1)| ≤ 1.

    `ends` and `spreads` bound each surface: it lies in the hull of the two ellipsoids with these
    centres whose half-axes B have spread B·Bᵀ. Colours are linear light; `glow` is the share of the
    colour that shows whatever the light.
    """

    quadric: Float[np.ndarray, "solids 4 4"]
    clip: Float[np.ndarray, "solids 4"]
    ends: Float[np.ndarray, "solids 2 3"]
    spreads: Float[np.ndarray, "solids 2 3 3"]
    colour: Float[np.ndarray, "solids 3"]
    glow: Float[np.ndarray, " solids"]

    @property
    def count(self) -> int:
        return self.quadric.shape[0]

    @property
    def radii(self) -> Float[np.ndarray, "solids 2"]:
        """Mean radius at both ends."""
        return np.sqrt(np.trace(self.spreads, axis1=-2, axis2=-1) / 3)

    @property
    def is_side(self) -> Bool[np.ndarray, " solids"]:
        """Which solids are sides of limbs rather than ellipsoids."""
        return np.asarray(self.clip.any(axis=-1))


def join(groups: Sequence[Solids]) -> Solids:
    """All solids of several groups, in their order."""
    return Solids(
        np.concatenate([group.quadric for group in groups]),
        np.concatenate([group.clip for group in groups]),
        np.concatenate([group.ends for group in groups]),
        np.concatenate([group.spreads for group in groups]),
        np.concatenate([group.colour for group in groups]),
        np.concatenate([group.glow for group in groups]),
    )


def select(solids: Solids, chosen: Bool[np.ndarray, " solids"]) -> Solids:
    """Some of the solids."""
    return Solids(
        solids.quadric[chosen],
        solids.clip[chosen],
        solids.ends[chosen],
        solids.spreads[chosen],
        solids.colour[chosen],
        solids.glow[chosen],
    )


def ellipsoids(
    centre: Float[np.ndarray, "solids 3"],
    half_axes: Float[np.ndarray, "solids 3 3"],
    colour: Float[np.ndarray, "solids 3"],
    glow: float = 0.0,
) -> Solids:
    """Ellipsoids; the columns of `half_axes` point from the centre to the surface."""
    local_from_world = np.linalg.inv(half_axes)
    quadric = _from_local(local_from_world, centre, np.eye(3), np.zeros_like(centre), -1.0)
    clip = np.zeros((len(centre), 4))
    spreads = half_axes @ half_axes.swapaxes(-1, -2)
    ends = np.repeat(centre[:, None], 2, axis=1)
    return Solids(
        quadric, clip, ends, np.repeat(spreads[:, None], 2, axis=1), colour, _full(glow, centre)
    )


def balls(
    centre: Float[np.ndarray, "solids 3"],
    radius: Float[np.ndarray, " solids"],
    colour: Float[np.ndarray, "solids 3"],
    glow: float = 0.0,
) -> Solids:
    """Round balls."""
    return ellipsoids(centre, radius[:, None, None] * np.eye(3), colour, glow)


def limb_sides(
    ends: Float[np.ndarray, "solids 2 3"],
    radii: Float[np.ndarray, "solids 2"],
    shape: Float[np.ndarray, "solids 3 3"],
    colour: Float[np.ndarray, "solids 3"],
    glow: float = 0.0,
) -> Solids:
    """Sides of limbs between the ellipsoids with half-axes radius · `shape` at both ends.

    Where one end swallows the other there is no side, and none is returned.
    """
    local_from_world = np.linalg.inv(shape)
    along = (local_from_world @ (ends[:, 1] - ends[:, 0])[..., None])[..., 0]
    length = np.linalg.norm(along, axis=-1)
    near, far = radii[:, 0], radii[:, 1]
    taper = (near - far) / np.maximum(length, 1e-9)
    has_side = np.abs(taper) < STEEPEST_TAPER
    taper = np.clip(taper, -STEEPEST_TAPER, STEEPEST_TAPER)
    axis = along / np.maximum(length, 1e-9)[:, None]
    # In local space, with z along the axis and ρ across it, the cone is √(1−s²)·ρ + s·z = r₀.
    square = (1 - taper**2)[:, None, None] * np.eye(3) - axis[:, :, None] * axis[:, None, :]
    quadric = _from_local(
        local_from_world, ends[:, 0], square, (near * taper)[:, None] * axis, -(near**2)
    )
    # The side touches the balls at z = r₀·s and z = length + r₁·s.
    low, high = near * taper, length + far * taper
    slope = 2 / np.maximum(high - low, 1e-9)
    clip_axis = (local_from_world.swapaxes(-1, -2) @ axis[..., None])[..., 0] * slope[:, None]
    offset = -(clip_axis * ends[:, 0]).sum(-1) - slope * (low + high) / 2
    clip = np.concatenate([clip_axis, offset[:, None]], axis=-1)
    spreads = radii[..., None, None] ** 2 * (shape @ shape.swapaxes(-1, -2))[:, None]
    return select(Solids(quadric, clip, ends, spreads, colour, _full(glow, radii)), has_side)


def capsules(
    ends: Float[np.ndarray, "solids 2 3"],
    radius: float,
    colour: Float[np.ndarray, "solids 3"],
    glow: float = 0.0,
) -> Solids:
    """Rods of one thickness with round ends."""
    count = len(ends)
    shape = np.repeat(np.eye(3)[None], count, axis=0)
    thick = np.full(count, radius)
    return join(
        [
            limb_sides(ends, np.stack([thick, thick], -1), shape, colour, glow),
            balls(ends[:, 0], thick, colour, glow),
            balls(ends[:, 1], thick, colour, glow),
        ]
    )


def _full(value: float, like: Float[np.ndarray, "solids _"]) -> Float[np.ndarray, " solids"]:
    return np.full(len(like), value)


def _from_local(
    local_from_world: Float[np.ndarray, "solids 3 3"],
    origin: Float[np.ndarray, "solids 3"],
    square: Float[np.ndarray, "#solids 3 3"] | Float[np.ndarray, "3 3"],
    linear: Float[np.ndarray, "solids 3"],
    constant: float | Float[np.ndarray, " solids"],
) -> Float[np.ndarray, "solids 4 4"]:
    """World quadric of lᵀ·square·l + 2·linear·l + constant, where l = local·(p − origin)."""
    world_from_local = local_from_world.swapaxes(-1, -2)
    world_square = world_from_local @ square @ local_from_world
    pull = (world_square @ origin[..., None])[..., 0]
    world_linear = (world_from_local @ linear[..., None])[..., 0]
    quadric = np.empty((len(origin), 4, 4))
    quadric[:, :3, :3] = world_square
    quadric[:, :3, 3] = quadric[:, 3, :3] = world_linear - pull
    quadric[:, 3, 3] = (origin * (pull - 2 * world_linear)).sum(-1) + constant
    return quadric
