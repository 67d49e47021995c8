"""A shot or clip made ready to be drawn: plain arrays, floor, lamp, the view from outside, and the
filming camera as seen from there."""

import math
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from aesop.preview import colours
from aesop.preview.canvas import Canvas, Plane, Vector, View, level_axes
from aesop.preview.ground import Floor
from aesop.preview.ray_casting import Solids, balls, capsules, ellipsoids, join, limb_sides
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINT, world_rotations

FRUSTUM_SHARE = 0.22  # length of a drawn frustum, in distances from camera to person
FRUSTUM_RANGE_M = (0.3, 1.6)
WIDE_HALF = 0.7  # wider images (half diagonal per depth) get shorter frusta, or they would swell


@dataclass(frozen=True, eq=False)
class DrawnCamera:
    """A camera path for drawing. `corners` are the image's corners where the drawn frusta end,
    clockwise from top left."""

    world_from_camera: Float[np.ndarray, "frames 3 3"]
    centre: Float[np.ndarray, "frames 3"]
    tan_half: Float[np.ndarray, "frames 2"]
    aspect: float
    frustum_m: float
    corners: Float[np.ndarray, "frames 4 3"]


def filming_of(camera: CameraPath, person: Float[np.ndarray, "frames 3"]) -> DrawnCamera:
    """Arrays of a camera path that films a person at these places; frusta are to scale."""
    world = camera.world_from_camera.double().numpy()
    centre = camera.centre.double().numpy()
    tan_half = camera.tan_half_fov.double().numpy()
    away = np.median(np.linalg.norm(centre - person, axis=-1))
    frustum_m = float(np.clip(FRUSTUM_SHARE * away, *FRUSTUM_RANGE_M))
    length = frustum_m / np.maximum(1, np.linalg.norm(tan_half, axis=-1) / WIDE_HALF)
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    rays = np.concatenate([signs * tan_half[:, None], np.ones((len(centre), 4, 1))], axis=-1)
    corners = centre[:, None] + length[:, None, None] * rays @ world.swapaxes(-1, -2)
    return DrawnCamera(world, centre, tan_half, camera.aspect, frustum_m, corners)


def lens_view(filming: DrawnCamera, frame: int, width: int, height: int) -> View:
    """Exactly what the camera films at this frame."""
    turn, centre = filming.world_from_camera[frame], filming.centre[frame]
    half_width, half_height = filming.tan_half[frame].tolist()
    return View(turn, centre, half_width, half_height, width, height)


HEAD_TOP_M = 0.22  # above the head joint
BODY_ROUND_M = 0.12  # flesh around the joints
ELEVATION = math.radians(21)  # of the view from outside
TAN_HALF_HEIGHT = math.tan(math.radians(15))  # a longish lens: little distortion
FILLED = 0.90  # share of the picture that the action may fill
AZIMUTHS = 24  # directions tried
LAMP_ELEVATION = math.radians(54)
LAMP_TURN = (math.radians(42), math.radians(72))  # how far the lamp stands beside the viewer
BODY_SHARE = 0.36  # length of the filming camera's body, in frusta
FITTED_FRAMES = 64  # more do not change the fit

Balls = tuple[Float[np.ndarray, "balls 3"], Float[np.ndarray, " balls"]]  # centres and radii


@dataclass(frozen=True, eq=False)
class Stage:
    """What all pictures of one shot or clip share."""

    joints: Float[np.ndarray, "frames 22 3"]
    turns: Float[np.ndarray, "frames 22 3 3"]
    camera: DrawnCamera | None
    fps: float
    outside_from: Vector  # unit vector from the action to the outside viewer
    to_light: Vector
    floor: Floor

    @property
    def frames(self) -> int:
        return len(self.joints)


def stage_of(subject: Shot | Clip) -> Stage:
    """Prepare a shot, or a clip without a camera."""
    clip = subject.clip if isinstance(subject, Shot) else subject
    joints = clip.motion.joints.double().numpy()
    camera = filming_of(subject.camera, joints[:, 0]) if isinstance(subject, Shot) else None
    turns = world_rotations(clip.motion.rotations.double()).numpy()
    floor, up = Floor(np.zeros(2), 1.0, 1.0), np.array([0.0, 0.0, 1.0])
    bare = Stage(joints, turns, camera, clip.fps, up, up, floor)
    azimuth = _best_azimuth(bare)
    points, _ = _bounds(bare)
    low, high = points.min(axis=0), points.max(axis=0)
    size = float(np.linalg.norm((high - low)[:2]))
    return replace(
        bare,
        outside_from=_direction(azimuth, ELEVATION),
        to_light=_direction(_lamp_azimuth(bare, azimuth), LAMP_ELEVATION),
        floor=Floor((low + high)[:2] / 2, max(8.0, 1.6 * size), 1.0 if size < 40 else 10.0),
    )


def _direction(azimuth: float, elevation: float) -> Vector:
    level = math.cos(elevation)
    return np.array([level * math.cos(azimuth), level * math.sin(azimuth), math.sin(elevation)])


def _lamp_azimuth(stage: Stage, outside: float) -> float:
    """Beside the outside viewer, on the side of the filming camera: both see lit faces."""
    if stage.camera is None:
        return outside - LAMP_TURN[0]
    frames = _some_frames(stage)
    away = (stage.camera.centre[frames] - stage.joints[frames, 0]).sum(axis=0)
    apart = math.remainder(math.atan2(away[1], away[0]) - outside, 2 * math.pi)
    turn = min(max(abs(apart) * 0.6, LAMP_TURN[0]), LAMP_TURN[1])
    return outside + math.copysign(turn, apart)


def _some_frames(stage: Stage) -> list[int]:
    return _spread(stage.frames, min(stage.frames, FITTED_FRAMES)).tolist()


def _spread(frames: int, count: int) -> Int[np.ndarray, " chosen"]:
    """At most so many frames, evenly from the first to the last."""
    return np.unique(np.linspace(0, frames - 1, count).round().astype(int))


def _bounds(stage: Stage) -> Balls:
    """What must be in the view from outside."""
    frames = _some_frames(stage)
    body = stage.joints[frames].reshape(-1, 3)
    crown = stage.joints[frames, JOINT["head"]] + (0.0, 0.0, HEAD_TOP_M - BODY_ROUND_M)
    centres = [np.concatenate([body, crown])]
    radii = [np.full(len(centres[0]), BODY_ROUND_M)]
    if stage.camera is not None:
        centre = stage.camera.centre[frames]
        forward = stage.camera.world_from_camera[frames, :, 2]
        size = BODY_SHARE * stage.camera.frustum_m
        corners = stage.camera.corners[frames].reshape(-1, 3)
        feet = centre * (1.0, 1.0, 0.0)  # where the plumb line ends
        centres += [centre - size * forward, feet, corners]
        radii += [np.full(len(centre), 0.3 * size), np.zeros(len(feet) + len(corners))]
    together = np.concatenate(centres)
    together[:, 2] = np.maximum(together[:, 2], 0)  # the floor hides what lies below it
    return together, np.concatenate(radii)


def outside_view(stage: Stage, size: tuple[int, int]) -> View:
    """The view from outside that holds the whole action in a picture of this size."""
    return _fitted(stage.outside_from, _bounds(stage), size)


def _fitted(outside_from: Vector, bounds: Balls, size: tuple[int, int]) -> View:
    turn = level_axes(-outside_from)
    centres, radii = bounds
    aspect = size[0] / size[1]
    tan_half = np.array([TAN_HALF_HEIGHT * aspect, TAN_HALF_HEIGHT]) / max(1.0, aspect) ** 0.5
    in_turn = centres @ turn
    # Each side of the picture is a plane that every ball must stay behind:
    # x − k·z + radius·√(1 + k²) ≤ cx − k·cz.
    slope = FILLED * tan_half
    swell = radii[:, None] * np.sqrt(1 + slope**2)
    plus = (in_turn[:, :2] - slope * in_turn[:, 2:] + swell).max(axis=0)
    minus = (-in_turn[:, :2] - slope * in_turn[:, 2:] + swell).max(axis=0)
    depth = (-(plus + minus) / (2 * slope)).min()
    middle = (plus - minus) / 2
    centre = turn @ np.array([*middle, depth])
    return View(turn, centre, float(tan_half[0]), float(tan_half[1]), *size)


def _best_azimuth(stage: Stage) -> float:
    """The direction that shows the action large, from its front, and its paths from the side.

    Directions are counted from where the person faces, so turning the world turns the view.
    """
    frames = _some_frames(stage)
    heading = stage.turns[frames, 0][:, :2, 2].sum(axis=0)  # the rest body's z is its front
    facing = math.atan2(heading[1], heading[0])
    bounds = _bounds(stage)
    best, best_score = facing, -math.inf
    for number in range(AZIMUTHS):
        azimuth = facing + math.radians(35) + 2 * math.pi * number / AZIMUTHS
        outside_from = _direction(azimuth, ELEVATION)
        view = _fitted(outside_from, bounds, (4, 3))
        depth = float(((stage.joints[frames, 0] - view.centre) @ -outside_from).mean())
        score = 3.0 / depth**0.5 * (1 + 0.30 * math.cos(azimuth - facing))
        score *= 1 + 0.8 * _sideways(stage, frames, outside_from)
        score *= 1 - 0.5 * _hidden_share(stage, frames, view)
        if score > best_score:
            best, best_score = azimuth, score
    return best


def _hidden_share(stage: Stage, frames: list[int], view: View) -> float:
    """Share of frames in which the filming camera stands before the person."""
    if stage.camera is None:
        return 0.0
    x, y, depth = view.in_camera(stage.joints[frames, 0]).T
    camera_x, camera_y, camera_depth = view.in_camera(stage.camera.centre[frames]).T
    apart = np.hypot(x / depth - camera_x / camera_depth, y / depth - camera_y / camera_depth)
    return float(((apart < 1.0 / depth) & (camera_depth < depth)).mean())


def _sideways(stage: Stage, frames: list[int], outside_from: Vector) -> float:
    """How much of the distances worth seeing lies across the view rather than along it.

    Distances well under a metre hardly count: they can be seen from anywhere.
    """
    person = stage.joints[frames, 0]
    spans = [person[-1:] - person[:1]]
    if stage.camera is not None:
        centre = stage.camera.centre[frames]
        spans += [(centre - person)[:: max(1, len(frames) // 3)], centre[-1:] - centre[:1]]
    span = np.concatenate(spans)
    length = np.linalg.norm(span, axis=-1)
    along = np.abs(span @ outside_from)
    return float(1 - along.sum() / (length.sum() + 1.0))


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


def camera_path(camera: DrawnCamera, view: View) -> Solids:
    """A tube along the camera's way, coloured by time, with a golden start."""
    picks, last = _spread(len(camera.centre), PATH_PIECES + 1), len(camera.centre) - 1
    places, share = camera.centre[picks], picks / max(last, 1)
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
    places = stage.joints[_spread(stage.frames, PATH_PIECES + 1), 0] * (1.0, 1.0, 0.0)
    radius = line_radius(view, places, 0.008) * 0.8
    places[:, 2] = 0.2 * radius
    colour = np.repeat(colours.linear(colours.THREAD)[None], max(len(places) - 1, 1), axis=0)
    if len(places) == 1:
        return balls(places, np.array([radius]), colour, glow=0.6)
    return capsules(np.stack([places[:-1], places[1:]], axis=1), radius, colour, glow=0.6)


def frustum(camera: DrawnCamera, view: View, frame: int, colour: Vector) -> Solids:
    """The edges of the pyramid that the camera films."""
    corners, centre = camera.corners[frame], camera.centre[frame]
    ends = [(centre, corner) for corner in corners]
    ends += [(corners[i], corners[(i + 1) % 4]) for i in range(4)]
    radius = line_radius(view, corners, 0.006)
    return capsules(np.array(ends), radius, np.repeat(colour[None], 8, axis=0), glow=0.5)


def camera_body(camera: DrawnCamera, frame: int) -> Solids:
    """A little film camera behind its centre of projection: body, barrel, front glass."""
    size = BODY_SHARE * camera.frustum_m
    turn, centre = camera.world_from_camera[frame], camera.centre[frame]
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


def up_mark(camera: DrawnCamera, frame: int) -> Float[np.ndarray, "3 3"]:
    """Corners of a triangle above the image that tells which way is up."""
    top_left, top_right, _, bottom_left = camera.corners[frame]
    middle, across, up = (top_left + top_right) / 2, top_right - top_left, top_left - bottom_left
    base = middle + 0.05 * up
    return np.stack([base - 0.16 * across, base + 0.16 * across, base + 0.24 * up])


def drop_line(camera: DrawnCamera, view: View, frame: int) -> Solids:
    """A plumb line from the camera to the floor: it tells how high and how far it stands."""
    top = camera.centre[frame]
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
    canvas: Canvas,
    view: View,
    pane: Float[np.ndarray, "corners 3"],
    colour: Vector,
    opacity: float,
) -> None:
    """Tint what lies behind a triangle or parallelogram of thin glass, its corners in order around
    it; depth is left as it is.

    A ray d meets p₀ + u·e₁ + v·e₂ where depth, u and v are ratios of functions linear in d.
    """
    corners = view.in_camera(pane)
    if corners[:, 2].min() < NEAREST_GLASS_M:
        return
    rows, columns = view.box(corners)
    if min(rows.stop - rows.start, columns.stop - columns.start) < 2:
        return
    first, edge_u, edge_v = corners[0], corners[1] - corners[0], corners[-1] - corners[0]
    normal = np.cross(edge_u, edge_v)
    with np.errstate(all="ignore"):
        inverse = 1 / view.linear(normal, rows, columns)
        u = view.linear(np.cross(edge_v, first), rows, columns) * inverse
        v = view.linear(np.cross(first, edge_u), rows, columns) * inverse
        inverse *= float(normal @ first)
    share = _soft_step(u)
    share *= _soft_step(v)
    for other_side in (1 - u - v,) if len(corners) == 3 else (1 - u, 1 - v):
        share *= _soft_step(other_side)
    share *= inverse < canvas.depth[rows, columns]
    share *= opacity
    for channel in range(3):
        plane = canvas.light[channel, rows, columns]
        plane += share * (float(colour[channel]) - plane)


def _soft_step(
    inside: Plane,
) -> Plane:
    """From 0 to 1 within one pixel of where a smooth function turns positive."""
    down = np.diff(inside, axis=0, append=2 * inside[-1:] - inside[-2:-1])
    across = np.diff(inside, axis=1, append=2 * inside[:, -1:] - inside[:, -2:-1])
    slope = np.maximum(np.hypot(down, across), 1e-9)
    return np.clip(inside / slope + 0.5, 0, 1)
