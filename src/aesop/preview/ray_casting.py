"""Solids (ellipsoids and tapered limbs as quadric surfaces), and which of them every pixel sees:
exact ray casting with a depth buffer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float32, Int, UInt32

from aesop.preview.canvas import PIECE, View

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
    def arrays(self) -> tuple[Float[np.ndarray, "..."], ...]:
        """All fields in their order."""
        return self.quadric, self.clip, self.ends, self.spreads, self.colour, self.glow

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
    return Solids(*map(np.concatenate, zip(*(group.arrays for group in groups), strict=True)))


def select(solids: Solids, chosen: Bool[np.ndarray, " solids"]) -> Solids:
    """Some of the solids."""
    return Solids(*(values[chosen] for values in solids.arrays))


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
    both = np.repeat(spreads[:, None], 2, axis=1)
    return Solids(quadric, clip, ends, both, colour, np.full(len(centre), glow))


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
    return select(Solids(quadric, clip, ends, spreads, colour, np.full(len(radii), glow)), has_side)


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


NEAR_M = 0.02  # nearer surfaces are cut away, as if the lens were inside them
FARTHEST = np.float32(1e9)
BATCHED_SIDES = (24, 64)  # pixels; larger boxes are worked on one by one


@dataclass(frozen=True, eq=False)
class VisibleSolids:
    """The solids that can appear in a view, as polynomials in pixels around `middle` (column, row).

    `box` holds first row, end row, first column, end column. `polynomials` holds the discriminant
    (xx, xy, x, yy, y, 1), B (x, y, 1), C, and the clip (x, y, 1 per depth; 1). `normal` gives the
    normal t·(m₀x + m₁y + m₂) + m₃, in camera axes and of any length, at ray x, y and depth t.
    """

    box: Int[np.ndarray, "visible 4"]
    middle: Float[np.ndarray, "2 visible"]
    polynomials: Float32[np.ndarray, "14 visible"]
    is_clipped: Bool[np.ndarray, " visible"]
    is_near: Bool[np.ndarray, " visible"]
    normal: Float32[np.ndarray, "3 4 visible"]
    colour: Float32[np.ndarray, "3 visible"]
    glow: Float32[np.ndarray, " visible"]

    @property
    def owner_bits(self) -> int:
        """Bits that hold an owner; the largest number they hold means nobody."""
        return len(self.box).bit_length()

    @property
    def nobody(self) -> int:
        return (1 << self.owner_bits) - 1

    @property
    def around(self) -> tuple[slice, slice]:
        """Rows and columns of the smallest rectangle around all boxes."""
        low, high = self.box.min(axis=0), self.box.max(axis=0)
        return slice(int(low[0]), int(high[1])), slice(int(low[2]), int(high[3]))


def see(solids: Solids, view: View) -> VisibleSolids:
    """Prepare the solids for a view and drop those that cannot appear in it."""
    camera_ends = view.in_camera(solids.ends)
    spreads = view.world_from_camera.T @ solids.spreads @ view.world_from_camera
    box, is_near = _boxes(camera_ends, spreads, view)
    keep = np.flatnonzero((box[:, 0] < box[:, 1]) & (box[:, 2] < box[:, 3]))
    box, is_near = box[keep], is_near[keep]
    quadric, clip = solids.quadric[keep], solids.clip[keep]

    turn, centre = view.world_from_camera, view.centre
    square, linear = quadric[:, :3, :3], quadric[:, :3, 3]
    gradient = square @ centre + linear  # half the gradient at the camera's centre
    constant = gradient @ centre + linear @ centre + quadric[:, 3, 3]
    camera_square = turn.T @ square @ turn
    camera_linear = gradient @ turn
    discriminant = (
        camera_linear[:, :, None] * camera_linear[:, None, :]
        - constant[:, None, None] * camera_square
    )

    middle = np.stack([box[:, 2] + box[:, 3], box[:, 0] + box[:, 1]]) / 2
    ray_from_pixel = _ray_from_pixel(view, middle)
    pixel_from_ray = ray_from_pixel.swapaxes(-1, -2)
    # One factor per solid brings everything near one, which floats like and depth ignores.
    scale = 1 / np.sqrt(np.maximum(np.abs(discriminant).max(axis=(-1, -2)), 1e-30))[:, None]
    in_pixels = pixel_from_ray @ discriminant @ ray_from_pixel * scale[..., None] ** 2
    linear_in_pixels = np.stack([camera_linear * scale, clip[:, :3] @ turn], axis=-1)
    facing, per_depth = (pixel_from_ray @ linear_in_pixels).transpose(2, 0, 1)
    polynomials = np.concatenate(
        [
            in_pixels[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]] * (1, 2, 2, 1, 2, 1),
            facing,
            constant[:, None] * scale,
            per_depth,
            (clip[:, :3] @ centre + clip[:, 3])[:, None],
        ],
        axis=-1,
    )
    normal = np.concatenate([camera_square, camera_linear[..., None]], axis=-1)
    return VisibleSolids(
        box,
        middle,
        _f32(polynomials.T),
        solids.is_side[keep],
        is_near,
        _f32((normal * scale[..., None]).transpose(1, 2, 0)),
        _f32(solids.colour[keep].T),
        _f32(solids.glow[keep]),
    )


def empty_buffer(
    visible: VisibleSolids, depth: Float32[np.ndarray, "*shape"]
) -> UInt32[np.ndarray, "*shape"]:
    """A buffer in which nobody stands before the given depth."""
    bits = np.ascontiguousarray(depth).view(np.uint32)
    return bits | np.uint32(visible.nobody)


def split_buffer(
    visible: VisibleSolids, buffer: UInt32[np.ndarray, "*shape"]
) -> tuple[Float32[np.ndarray, "*shape"], Int[np.ndarray, "*shape"]]:
    """Depth and owner (or nobody) of each entry."""
    owner = (buffer & np.uint32(visible.nobody)).astype(np.intp)
    depth = (buffer & ~np.uint32(visible.nobody)).view(np.float32)
    return depth, owner


@dataclass(frozen=True, eq=False)
class _Batch:
    """Solids worked on together, in windows of one size from their own first row and column."""

    numbers: Int[np.ndarray, " batch"]
    first_row: Int[np.ndarray, " batch"]
    rows: int
    columns: int


def cast(
    visible: VisibleSolids, buffer: UInt32[np.ndarray, "rows columns"], corner: tuple[int, int]
) -> None:
    """Draw into a buffer that covers the pixels from `corner` (row, column)."""
    with np.errstate(all="ignore"):
        for batch in _batches(visible):
            box = visible.box[batch.numbers]
            column, row = visible.middle[:, batch.numbers, None]
            across = _f32(box[:, 2, None] + 0.5 - column + np.arange(batch.columns))
            down = _f32(batch.first_row[:, None] + 0.5 - row + np.arange(batch.rows))
            numbers = batch.numbers[:, None, None]
            words = _words(visible, numbers, across[:, None, :], down[:, :, None])
            tops = (batch.first_row - corner[0]).tolist()
            for layer, top, (_, end, left, right) in zip(words, tops, box.tolist(), strict=True):
                bottom = min(top + batch.rows, end - corner[0])
                window = buffer[top:bottom, left - corner[1] : right - corner[1]]
                np.minimum(window, layer[: bottom - top, : right - left], out=window)


def _batches(visible: VisibleSolids) -> Iterator[_Batch]:
    """Small boxes of similar size together, since calls cost more there than arithmetic; large
    ones alone and in bands."""
    sides = visible.box[:, [1, 3]] - visible.box[:, [0, 2]]
    rounded = np.select([sides <= side for side in BATCHED_SIDES], BATCHED_SIDES, 0)
    kind = rounded[:, 0] * 4096 + rounded[:, 1] * 4 + visible.is_clipped * 2
    is_alone = (rounded == 0).any(axis=-1) | visible.is_near
    for number in np.flatnonzero(is_alone).tolist():
        first, end = visible.box[number, :2].tolist()
        columns = int(sides[number, 1])
        band = max(PIECE // columns, 1)
        for row in range(first, end, band):
            yield _Batch(np.array([number]), np.array([row]), min(band, end - row), columns)
    for value in np.unique(kind[~is_alone]):
        alike = np.flatnonzero((kind == value) & ~is_alone)
        rows, columns = rounded[alike[0]].tolist()
        together = max(PIECE // (rows * columns), 1)
        for start in range(0, len(alike), together):
            numbers = alike[start : start + together]
            yield _Batch(numbers, visible.box[numbers, 0], rows, columns)


def cast_samples(
    visible: VisibleSolids,
    buffer: UInt32[np.ndarray, "samples pixels"],
    places: Float32[np.ndarray, "2 samples pixels"],
    pixels: Int[np.ndarray, "2 pixels"],
) -> None:
    """Draw at scattered places (column, row) inside the given pixels (row, column)."""
    # Comparing along the many pixels is fast, but meetings are wanted pixel by pixel.
    row, column = pixels.astype(np.int16)
    top, bottom, left, right = visible.box.astype(np.int16).T[:, :, None]
    is_met = row >= top
    is_met &= row < bottom
    is_met &= column >= left
    is_met &= column < right
    met = np.flatnonzero(is_met.T)
    if not len(met):
        return
    pixel, number = np.divmod(met, len(visible.box))
    with np.errstate(all="ignore"):
        column, row = _f32(visible.middle).take(number, axis=1)
        across = places[0].take(pixel, axis=1) - column
        down = places[1].take(pixel, axis=1) - row
        words = _words(visible, number, across, down)
    # Meetings come pixel by pixel: the nearest of each run is that pixel's.
    starts = np.concatenate([[0], np.flatnonzero(np.diff(pixel)) + 1])
    nearest = np.minimum.reduceat(words, starts, axis=1)
    chosen = pixel[starts]
    buffer[:, chosen] = np.minimum(buffer[:, chosen], nearest)


def _words(
    visible: VisibleSolids,
    number: Int[np.ndarray, "*#shape"],
    across: Float32[np.ndarray, "*#shape"],
    down: Float32[np.ndarray, "*#shape"],
) -> UInt32[np.ndarray, "*shape"]:
    """Depth at which rays enter solids, with the solids' numbers in the lowest bits."""
    xx, xy, x, yy, y, one, face_x, face_y, face, constant, *clip = visible.polynomials.take(
        number, axis=1
    )
    depth = across * (xy * down)
    depth += across * (xx * across + x)
    depth += down * (yy * down + y) + one
    np.sqrt(depth, out=depth)
    depth -= across * face_x
    depth -= down * face_y + face
    np.divide(constant, depth, out=depth)
    if visible.is_clipped[number].any():
        clip_x, clip_y, per_depth, offset = clip
        along = across * clip_x + (down * clip_y + per_depth)
        along *= depth
        along += offset
        depth /= np.abs(along, out=along) <= 1  # dividing by False sends a miss to infinity
    if visible.is_near[number].any():
        depth /= depth > NEAR_M
    words = depth.view(np.uint32)
    words &= ~np.uint32(visible.nobody)
    words |= number.astype(np.uint32)
    return words


def _f32(values: Float[np.ndarray, "*shape"]) -> Float32[np.ndarray, "*shape"]:
    return values.astype(np.float32)


def _ray_from_pixel(
    view: View, middle: Float[np.ndarray, "2 solids"]
) -> Float[np.ndarray, "solids 3 3"]:
    """Takes (column, row, 1), measured from `middle`, to the ray (x, y, 1)."""
    step_x, step_y = view.ray_step
    matrix = np.zeros((middle.shape[1], 3, 3))
    matrix[:, 0, 0], matrix[:, 1, 1], matrix[:, 2, 2] = step_x, step_y, 1
    matrix[:, 0, 2] = middle[0] * step_x - view.tan_half_width
    matrix[:, 1, 2] = middle[1] * step_y - view.tan_half_height
    return matrix


def _boxes(
    ends: Float[np.ndarray, "solids 2 3"], spreads: Float[np.ndarray, "solids 2 3 3"], view: View
) -> tuple[Int[np.ndarray, "solids 4"], Bool[np.ndarray, " solids"]]:
    """Pixel boxes around solids in camera axes, and which solids reach the camera's plane.

    The plane x = k·z touches an ellipsoid where (cx − k·cz)² = Sxx − 2k·Sxz + k²·Szz.
    """
    depth = ends[..., 2]
    reach = np.sqrt(spreads[..., 2, 2])
    is_near = (depth - reach).min(axis=-1) <= NEAR_M
    is_behind = (depth + reach).max(axis=-1) <= NEAR_M
    square = np.maximum(depth**2 - spreads[..., 2, 2], 1e-12)
    box = np.empty((len(ends), 4), dtype=np.int64)
    halves = (view.tan_half_height, view.tan_half_width)
    for axis, half, step, side in (
        (1, halves[0], view.ray_step[1], view.height),
        (0, halves[1], view.ray_step[0], view.width),
    ):
        place = ends[..., axis]
        cross = place * depth - spreads[..., axis, 2]
        root = np.sqrt(np.maximum(cross**2 - square * (place**2 - spreads[..., axis, axis]), 0))
        low = ((cross - root) / square).min(axis=-1)
        high = ((cross + root) / square).max(axis=-1)
        # What reaches the camera's plane may fill the picture.
        low, high = np.where(is_near, -half, low), np.where(is_near, half, high)
        slot = 0 if axis == 1 else 2
        box[:, slot] = np.clip(np.floor((low + half) / step - 1), 0, side)
        box[:, slot + 1] = np.clip(np.ceil((high + half) / step + 1), 0, side)
    box[is_behind] = 0
    return box, is_near
