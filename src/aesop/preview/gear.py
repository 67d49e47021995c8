"""The filming camera as seen from outside: its body, what it frames, and the path it takes."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float32

from aesop.preview import colours
from aesop.preview.canvas import Canvas
from aesop.preview.solids import Solids, balls, capsules, ellipsoids, join, limb_sides
from aesop.preview.stage import BODY_SHARE, Stage
from aesop.preview.view import View

NEAREST_GLASS_M = 0.05  # panes that reach the viewer's eye are not drawn
LINE_PX = 0.9  # thinnest radius of a drawn line
PATH_PIECES = 72


def line_radius(view: View, places: Float[np.ndarray, "places 3"], wished_m: float) -> float:
    """A radius in metres that neither falls under `LINE_PX` nor under the wish."""
    depth = float(np.abs((places - view.centre) @ view.world_from_camera[:, 2]).mean())
    return max(wished_m, LINE_PX * depth * view.ray_step[1])


def time_colour(share: Float[np.ndarray, " places"]) -> Float[np.ndarray, "places 3"]:
    """From early to late along the camera path."""
    early, late = colours.linear(colours.PATH_EARLY), colours.linear(colours.PATH_LATE)
    return early + share[:, None] * (late - early)


def camera_path(stage: Stage, view: View) -> Solids:
    """A tube along the camera's way, coloured by time, with a golden start."""
    assert stage.camera is not None
    centre = stage.camera.centre
    picks = np.unique(np.linspace(0, stage.frames - 1, PATH_PIECES + 1).round().astype(int))
    places, share = centre[picks], picks / max(stage.frames - 1, 1)
    radius = line_radius(view, places, 0.012)
    start = balls(
        places[:1], np.array([3.0 * radius]), colours.linear(colours.GOLD)[None], glow=0.35
    )
    if len(places) == 1:
        return start
    ends = np.stack([places[:-1], places[1:]], axis=1)
    return join([capsules(ends, radius, time_colour(share[1:]), glow=0.45), start])


def person_path(stage: Stage, view: View) -> Solids:
    """A thread on the floor below the pelvis."""
    picks = np.unique(np.linspace(0, stage.frames - 1, PATH_PIECES + 1).round().astype(int))
    places = stage.joints[picks, 0] * (1.0, 1.0, 0.0)
    radius = line_radius(view, places, 0.008) * 0.8
    places[:, 2] = 0.2 * radius
    colour = np.repeat(colours.linear(colours.THREAD)[None], max(len(places) - 1, 1), axis=0)
    if len(places) == 1:
        return balls(places, np.array([radius]), colour, glow=0.6)
    return capsules(np.stack([places[:-1], places[1:]], axis=1), radius, colour, glow=0.6)


def frustum(stage: Stage, view: View, frame: int, colour: Float[np.ndarray, "3"]) -> Solids:
    """The edges of the pyramid that the camera films."""
    assert stage.camera is not None
    corners = stage.camera.corners[frame]
    centre = stage.camera.centre[frame]
    ends = [(centre, corner) for corner in corners]
    ends += [(corners[i], corners[(i + 1) % 4]) for i in range(4)]
    radius = line_radius(view, corners, 0.006)
    return capsules(np.array(ends), radius, np.repeat(colour[None], 8, axis=0), glow=0.5)


def camera_body(stage: Stage, frame: int) -> Solids:
    """A little film camera behind its centre of projection: body, barrel, front glass."""
    assert stage.camera is not None
    size = BODY_SHARE * stage.camera.frustum_m
    turn = stage.camera.world_from_camera[frame]
    centre = stage.camera.centre[frame]
    body, barrel = colours.linear(colours.CAMERA_BODY), colours.linear(colours.ACCENT)
    back, waist, front = (centre - turn[:, 2] * share * size for share in (0.90, 0.42, 0.0))
    narrow = turn * (0.72, 1.0, 1.0)
    radii = np.array([[0.30, 0.30], [0.13, 0.23]]) * size
    return join(
        [
            limb_sides(
                np.array([[back, waist], [waist, front]]),
                radii,
                np.stack([narrow, turn]),
                np.stack([body, barrel]),
            ),
            ellipsoids(
                np.stack([back, waist, front]),
                np.stack([narrow * 0.30, narrow * 0.30, turn * (0.23, 0.23, 0.05)]) * size,
                np.stack([body, body, colours.linear(colours.VISOR)]),
            ),
        ]
    )


@dataclass(frozen=True, eq=False)
class Pane:
    """A flat triangle or parallelogram, its corners in order around it."""

    corners: Float[np.ndarray, "corners 3"]


def image_pane(stage: Stage, frame: int) -> Pane:
    """The image at the end of the frustum."""
    assert stage.camera is not None
    return Pane(stage.camera.corners[frame])


def up_mark(stage: Stage, frame: int) -> Pane:
    """A triangle above the image that tells which way is up."""
    assert stage.camera is not None
    top_left, top_right, _, bottom_left = stage.camera.corners[frame]
    middle, across, up = (top_left + top_right) / 2, top_right - top_left, top_left - bottom_left
    base = middle + 0.05 * up
    return Pane(np.stack([base - 0.16 * across, base + 0.16 * across, base + 0.24 * up]))


def drop_line(stage: Stage, view: View, frame: int) -> Solids:
    """A plumb line from the camera to the floor: it tells how high and how far it stands."""
    assert stage.camera is not None
    top = stage.camera.centre[frame]
    foot = top * (1.0, 1.0, 0.0)
    colour = colours.linear(colours.THREAD)[None]
    radius = 0.6 * line_radius(view, foot[None], 0.004)
    pad = np.diag([9.0 * radius, 9.0 * radius, radius])[None]
    return join(
        [
            capsules(np.stack([foot, top])[None], radius, colour, glow=0.7),
            ellipsoids(foot[None], pad, colour, glow=0.7),
        ]
    )


def paint_glass(
    canvas: Canvas, view: View, pane: Pane, colour: Float[np.ndarray, "3"], opacity: float
) -> None:
    """Tint what lies behind a thin pane of glass; depth is left as it is.

    A ray d meets p₀ + u·e₁ + v·e₂ where depth, u and v are ratios of functions linear in d.
    """
    corners = (pane.corners - view.centre) @ view.world_from_camera
    if corners[:, 2].min() < NEAREST_GLASS_M:
        return
    box = _box(view, corners)
    if box is None:
        return
    rows, columns = box
    first, edge_u, edge_v = corners[0], corners[1] - corners[0], corners[-1] - corners[0]
    normal = np.cross(edge_u, edge_v)
    with np.errstate(all="ignore"):
        inverse = 1 / _plane(view, normal, rows, columns)
        u = _plane(view, np.cross(edge_v, first), rows, columns) * inverse
        v = _plane(view, np.cross(first, edge_u), rows, columns) * inverse
        inverse *= float(normal @ first)
    share = _soft_step(u)
    share *= _soft_step(v)
    if len(corners) == 3:
        share *= _soft_step(1 - u - v)
    else:
        share *= _soft_step(1 - u)
        share *= _soft_step(1 - v)
    share *= inverse < canvas.depth[rows, columns]
    share *= opacity
    for channel in range(3):
        plane = canvas.light[channel, rows, columns]
        plane += share * (float(colour[channel]) - plane)


def _soft_step(
    inside: Float32[np.ndarray, "rows columns"],
) -> Float32[np.ndarray, "rows columns"]:
    """From 0 to 1 within one pixel of where a smooth function turns positive."""
    down = np.diff(inside, axis=0, append=2 * inside[-1:] - inside[-2:-1])
    across = np.diff(inside, axis=1, append=2 * inside[:, -1:] - inside[:, -2:-1])
    slope = np.maximum(np.hypot(down, across), 1e-9)
    return np.clip(inside / slope + 0.5, 0, 1)


def _plane(
    view: View, weights: Float[np.ndarray, "3"], rows: slice, columns: slice
) -> Float32[np.ndarray, "rows columns"]:
    down = (weights[1] * view.rows[rows] + weights[2]).astype(np.float32)
    return np.add.outer(down, (weights[0] * view.columns[columns]).astype(np.float32))


def _box(view: View, places: Float[np.ndarray, "places 3"]) -> tuple[slice, slice] | None:
    half = np.array([view.tan_half_width, view.tan_half_height])
    pixels = (places[:, :2] / places[:, 2:] + half) / view.ray_step
    limit = (view.width, view.height)
    low = np.clip(np.floor(pixels.min(axis=0)), 0, limit).astype(int)
    high = np.clip(np.ceil(pixels.max(axis=0)), 0, limit).astype(int)
    if (high - low < 2).any():
        return None
    return slice(low[1], high[1]), slice(low[0], high[0])
