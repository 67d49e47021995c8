"""The path that is meant: place and aim for every frame, what no shot may do, and clean shots."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from aesop.fables.cinematographer.lens import (
    Curve,
    Lens,
    Points,
    Rotations,
    Steps,
    Style,
    Subject,
    draw_lens,
    focus_at,
    focus_weights,
)
from aesop.fables.cinematographer.moves import TRUCK_TAGS, Move
from aesop.fables.cinematographer.shot_setup import FARTHEST_M, Aim, Setup, aimed, camera_axes
from aesop.scene.camera import MIN_DEPTH_M
from aesop.scene.human import NATIVE_FPS
from aesop.scene.skeleton import KEY_JOINTS

_LEVEL_TILT = np.radians(20)  # rails stay level while the camera tilts no more than this
# Place and aim depend on each other; so many rounds bring them together to millimetres.
_ROUNDS = 3


@dataclass(frozen=True, eq=False)
class MeantPath:
    """Place and aim of every frame, free of shake."""

    centre: Points
    angles: Float[np.ndarray, "frames 2"]  # pan, tilt

    @property
    def world_from_camera(self) -> Rotations:
        return camera_axes(self.angles[:, 0], self.angles[:, 1])


def meant_path(subject: Subject, setup: Setup) -> MeantPath:
    """Integrate the moves around the nominal place, which the camera passes in the key frame."""
    key = setup.key_frame
    per_metre = 2 * setup.lens.tan_half_height
    from_nominal = focus_at(subject.focus, np.full(subject.frames, per_metre * setup.distance_m))
    nominal = _nominal_place(from_nominal, setup)
    exact = replace(setup.aim, play_rad=0.0)

    def path_through(centre: Points, aim: Aim) -> MeantPath:
        focus = from_nominal
        if not aim.locked:
            distance = np.linalg.norm(centre - subject.neck, axis=-1)
            focus = focus_at(subject.focus, per_metre * distance)
        return MeantPath(centre, aimed(centre, focus, setup.lens, aim, key))

    still = np.repeat(nominal[None], subject.frames, axis=0)
    if all(move.axes == 0 and not move.goes_with_person for move in setup.moves):
        return path_through(still, setup.aim)
    path = path_through(still, exact)
    # The hand's play matters for what is seen, hardly for where the camera goes: last round only.
    for aim in (*[exact] * (_ROUNDS - 1), setup.aim):
        way = np.cumsum(_steps(subject, setup, path), axis=0)
        way = np.concatenate([np.zeros((1, 3)), way])
        path = path_through(nominal + way - way[key], aim)
    return path


def _nominal_place(focus: Points, setup: Setup) -> Float[np.ndarray, "3"]:
    anchor = focus[setup.key_frame] if setup.goes_with_person else focus.mean(axis=0)
    rise = setup.height_m - anchor[2]
    ground = np.sqrt(max(setup.distance_m**2 - rise**2, 0.25 * setup.distance_m**2))
    towards = np.array([np.cos(setup.azimuth_rad), np.sin(setup.azimuth_rad)])
    return np.array([*(anchor[:2] + ground * towards), setup.height_m])


def _steps(subject: Subject, setup: Setup, before: MeantPath) -> Steps:
    """Metres a frame, from the path of the round before."""
    steps = np.zeros((subject.frames - 1, 3))
    timing = setup.timing
    for at, (move, travel_m) in enumerate(zip(setup.moves, setup.travels_m, strict=True)):
        weights = timing.weights[at]
        if move.goes_with_person:
            steps += weights[:, None] * setup.follow_gain * subject.steps
        elif move.kind == "arc":
            steps += _arc_steps(subject, setup, at, before)
        elif move.axes:
            pace = weights * setup.gait
            direction = _direction(move, timing.middle(at), setup, before)
            steps += (pace / pace.sum() * travel_m)[:, None] * direction
    return steps


def _direction(
    move: Move, middle: int, setup: Setup, before: MeantPath
) -> Float[np.ndarray, "#transitions 3"]:
    """Unit vectors in the world: a straight rail, or always along the camera's own axes."""
    along = move.signs * np.array(setup.balance)
    along /= np.linalg.norm(along)
    # A truck along the camera's own axis would bend around the person: that is an arc's part.
    straight = setup.on_rails or (move.tag in TRUCK_TAGS and not setup.bends_trucks)
    if move.axes == 1 and straight:
        pan, tilt = before.angles[middle]
        level = abs(tilt) < _LEVEL_TILT
        return camera_axes(np.array([pan]), np.array([0.0 if level else tilt])) @ along
    return before.world_from_camera[:-1] @ along


def _arc_steps(subject: Subject, setup: Setup, at: int, before: MeantPath) -> Steps:
    """Around where the person is meanwhile, at constant distance and height."""
    move, timing = setup.moves[at], setup.timing
    weights = timing.weights[at]
    pivot = weights @ subject.root[:-1, :2] / weights.sum()
    spoke = before.centre[timing.bounds[at], :2] - pivot
    # Going to the camera's right turns it counter-clockwise around what it looks at.
    sweep = move.signs[0] * setup.travels_m[at] / np.linalg.norm(spoke)
    angle = sweep * np.concatenate([[0.0], np.cumsum(weights) / weights.sum()])
    cosine, sine = np.cos(angle), np.sin(angle)
    way = np.stack(
        [cosine * spoke[0] - sine * spoke[1], sine * spoke[0] + cosine * spoke[1], 0 * angle], -1
    )
    return np.diff(way, axis=0)


Flaw = Literal[
    "ground", "body", "far", "dynamics", "tilt", "turn", "framing", "tags", "room", "clean"
]

CLEAR_OF_GROUND_M = 0.15
CLEAR_OF_BODY_M = 0.45  # of every joint, before shake
FARTHEST_ROOT_M = 12.5
# Metres per frame, frame², frame³: inside the 99.5th percentiles of filmed cameras.
MAX_STEP_M, MAX_ACCELERATION_M, MAX_JERK_M = 0.13, 0.03, 0.011
STEEPEST_RAD = np.radians(50)
FASTEST_TURN_RAD = np.radians(42) / NATIVE_FPS  # a frame
# Share of frames that may lose the person, and how much of the focus must be seen on average.
MAX_OUT = 0.1
MIN_HELD = 0.75
# Nobody cuts to a picture that shows only a leg: the same at both ends of the shot.
END_FRAMES = 10
MIN_HELD_AT_ENDS = 0.5


@dataclass(frozen=True, eq=False)
class LensPoints:
    """Points as a lens sees them; NDC as in `scene.camera`."""

    ndc: Float[np.ndarray, "frames points 2"]
    depth_m: Float[np.ndarray, "frames points"]

    @property
    def visible(self) -> Bool[np.ndarray, "frames points"]:
        return (np.abs(self.ndc) <= 1).all(-1) & (self.depth_m > MIN_DEPTH_M)


def sight(
    points: Float[np.ndarray, "frames points 3"],
    centre: Points,
    world_from_camera: Rotations,
    lens: Lens,
) -> LensPoints:
    """Project in float64 without leaving numpy."""
    in_camera = (points - centre[:, None]) @ world_from_camera
    depth = in_camera[..., 2]
    scale = np.array([lens.tan_half_width, -lens.tan_half_height])
    return LensPoints(in_camera[..., :2] / np.maximum(depth, MIN_DEPTH_M)[..., None] / scale, depth)


def flaw_of_place(subject: Subject, path: MeantPath) -> Flaw | None:
    """Ground, body, distance and limits of motion."""
    centre = path.centre
    if centre[:, 2].min() < CLEAR_OF_GROUND_M:
        return "ground"
    apart = np.linalg.norm(subject.joints - centre[:, None], axis=-1)
    if apart.min() < CLEAR_OF_BODY_M:
        return "body"
    if apart[:, 0].max() > FARTHEST_ROOT_M:
        return "far"
    step = np.diff(centre, axis=0)
    limits = (MAX_STEP_M, MAX_ACCELERATION_M, MAX_JERK_M)
    for order, limit in enumerate(limits):
        if np.linalg.norm(np.diff(step, n=order, axis=0), axis=-1).max() > limit:
            return "dynamics"
    if np.abs(path.angles[:, 1]).max() > STEEPEST_RAD:
        return "tilt"
    if np.abs(np.diff(path.angles, axis=0)).max() > FASTEST_TURN_RAD:
        return "turn"
    return None


def keeps_person(subject: Subject, path: MeantPath, lens: Lens) -> bool:
    """Whether the person, and above all what the operator looks at, stays in the image."""
    visible = sight(subject.joints, path.centre, path.world_from_camera, lens).visible
    lost = ~visible[:, list(KEY_JOINTS)].any(axis=1)
    distance = np.linalg.norm(path.centre - subject.neck, axis=-1)
    weights = focus_weights(2 * lens.tan_half_height * distance)
    held = (weights * visible).sum(axis=1)
    ends = min(held[:END_FRAMES].mean(), held[-END_FRAMES:].mean())
    enough = held.mean() >= MIN_HELD and ends >= MIN_HELD_AT_ENDS
    return bool(lost.mean() <= MAX_OUT and enough)


# Limits of clean shots: one Truck or Dolly past a person who stays in place, whose reflection
# frames them as well, so that direction pairs can be made of it.
CLEAN_FRAMES = 60
CLEAN_EXCURSION_M = 0.8
CLEAN_TRAVEL_M = 0.22
_IMAGE_HEIGHT_M = (2.0, 5.5)  # full or wide
_TRUCK_SHARE = (0.055, 0.19)  # of the distance
_DOLLY_SHARE = (0.11, 0.34)
_SAME_SIGN, _NET_OF_PATH = 0.84, 0.65
_VISIBLE, _OUT_RISE, _RADIAL = 0.83, 0.04, 0.09
_TRUCK_SHIFT, _TRUCK_ANGLE, _DOLLY_GROWTH = 0.085, math.radians(6.3), 0.13


def can_be_clean(subject: Subject) -> bool:
    return subject.frames >= CLEAN_FRAMES and subject.excursion_m <= CLEAN_EXCURSION_M


def cleaned(setup: Setup, style: Style, dice: np.random.Generator) -> Setup | None:
    """The setup with a full or wide frame and a way in proportion to the distance, or None."""
    (move,) = setup.moves
    lens = draw_lens(dice, landscape_only=True)
    low, high = (math.log(edge) for edge in _IMAGE_HEIGHT_M)
    distance = lens.distance_for(math.exp(dice.uniform(low, high)))
    low, high = _TRUCK_SHARE if move.tag in TRUCK_TAGS else _DOLLY_SHARE
    seconds = setup.timing.weights.sum() / NATIVE_FPS
    low = max(low, style.slowest_mps * seconds / distance, CLEAN_TRAVEL_M / distance)
    if low > high or distance * (1 + high) > FARTHEST_M:
        return None
    travel = distance * low * (high / low) ** move.reach
    aim = replace(setup.aim, place=(setup.aim.place[0] * 0.5, setup.aim.place[1]))
    return replace(setup, lens=lens, distance_m=distance, travels_m=(travel,), key_frame=0, aim=aim)


def is_clean(subject: Subject, path: MeantPath, lens: Lens, move: Move) -> bool:
    """Whether the shot and its reflection pass the limits of direction pairs."""
    truck = move.tag in TRUCK_TAGS
    coordinate, mirrored = _reflected(subject, path, truck=truck)
    steps = np.diff(coordinate)
    net = coordinate[-1] - coordinate[0]
    same_sign = (np.sign(steps) == np.sign(net)).mean()
    if same_sign < _SAME_SIGN or abs(net) < _NET_OF_PATH * np.abs(steps).sum():
        return False
    root = subject.joints[:, 0]
    near = np.linalg.norm(path.centre - root, axis=-1)
    if abs(net) < max(CLEAN_TRAVEL_M, 0.0 if truck else 0.105 * near[0]):
        return False
    far = np.linalg.norm(mirrored - root, axis=-1)
    if truck and np.abs(far / near - 1).max() > _RADIAL:
        return False
    return _both_show_person(subject, path, mirrored, lens, truck=truck)


def _reflected(subject: Subject, path: MeantPath, *, truck: bool) -> tuple[Curve, Points]:
    """The move's signed coordinate, and the way with that coordinate reflected at its start."""
    if truck:
        right = path.world_from_camera[: min(8, subject.frames // 5), :, 0].mean(axis=0)
        right = right * np.array([1.0, 1.0, 0.0])
        right /= np.linalg.norm(right)
        coordinate = path.centre @ right
        return coordinate, path.centre - 2 * (coordinate - coordinate[0])[:, None] * right
    root = subject.joints[:, 0]
    line = path.centre - root
    distance = np.linalg.norm(line, axis=-1)
    back = 2 * distance[0] - distance
    return distance, root + line * (back / distance)[:, None]


def _both_show_person(
    subject: Subject, path: MeantPath, mirrored: Points, lens: Lens, *, truck: bool
) -> bool:
    first = sight(subject.joints, path.centre, path.world_from_camera, lens)
    second = sight(subject.joints, mirrored, path.world_from_camera, lens)
    share, share_back = first.visible.mean(), second.visible.mean()
    if min(share, share_back) < _VISIBLE or share - share_back > _OUT_RISE:
        return False
    if not (first.visible.any(axis=1).all() and second.visible.any(axis=1).all()):
        return False
    low, high = first.ndc.min(axis=1), first.ndc.max(axis=1)
    low_back, high_back = second.ndc.min(axis=1), second.ndc.max(axis=1)
    if not truck:
        growth = (high_back - low_back)[:, 1] / (high - low)[:, 1]
        return bool(np.abs(growth - 1).max() >= _DOLLY_GROWTH)
    shift = np.abs((low + high - low_back - high_back)[:, 0]).max() / 4  # of the image's width
    lines = (path.centre - subject.joints[:, 0], mirrored - subject.joints[:, 0])
    azimuths = [np.arctan2(line[:, 1], line[:, 0]) for line in lines]
    angle = np.abs(np.angle(np.exp(1j * (azimuths[0] - azimuths[1])))).max()
    return bool(shift >= _TRUCK_SHIFT or angle >= _TRUCK_ANGLE)
