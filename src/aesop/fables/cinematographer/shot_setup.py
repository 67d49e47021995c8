"""The setup of a shot: lens, place, aim and grip, drawn so that the moves have room."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from aesop.core.hashing import picked
from aesop.fables.cinematographer.grip import NATURE, Grip, draw_grip
from aesop.fables.cinematographer.lens import (
    Lens,
    Points,
    ShotSize,
    Style,
    Subject,
    draw_height_m,
    draw_lens,
    size_of,
)
from aesop.fables.cinematographer.moves import Move, Timing, draw_timing, travel_of
from aesop.scene.curves import chased, unwrapped, with_play
from aesop.scene.human import NATIVE_FPS

NEAREST_M, FARTHEST_M = 0.8, 11.5  # camera to focus
LOWEST_M, HIGHEST_M = 0.25, 4.5  # camera above ground
_STEEPEST = math.sin(math.radians(35))
_ARC_TURN_RAD_S = 0.55  # mean speed of the aim on an arc
_FOCUS_HEIGHT_M = 1.1  # of a standing person, only to draw camera heights


@dataclass(frozen=True)
class Aim:
    """How the camera is pointed. Place is where the focus should be in the image (NDC)."""

    locked: bool
    place: tuple[float, float]
    late_frames: int
    smooth_frames: float
    play_rad: float


def camera_axes(
    pan: Float[np.ndarray, "*batch"], tilt: Float[np.ndarray, "*batch"]
) -> Float[np.ndarray, "*batch 3 3"]:
    """World_from_camera of a level camera whose view has azimuth `pan` and elevation `tilt`."""
    cos_pan, sin_pan, cos_tilt, sin_tilt = np.cos(pan), np.sin(pan), np.cos(tilt), np.sin(tilt)
    axes = np.empty((*np.shape(pan), 3, 3))
    right, down, forward = axes[..., 0], axes[..., 1], axes[..., 2]
    right[..., 0], right[..., 1], right[..., 2] = sin_pan, -cos_pan, 0.0
    down[..., 0], down[..., 1], down[..., 2] = sin_tilt * cos_pan, sin_tilt * sin_pan, -cos_tilt
    forward[..., 0], forward[..., 1] = cos_tilt * cos_pan, cos_tilt * sin_pan
    forward[..., 2] = sin_tilt
    return axes


def composed_angles(
    centre: Points, focus: Points, lens: Lens, place: tuple[float, float]
) -> Float[np.ndarray, "frames 2"]:
    """Pan (unwrapped) and tilt that put the focus exactly at `place` in the image."""
    across = place[0] * lens.tan_half_width
    upward = place[1] * lens.tan_half_height
    line = focus - centre
    ground = np.hypot(line[:, 0], line[:, 1])
    # Seen ray (across, upward, 1) must have the elevation of the line to the focus.
    sine = line[:, 2] / np.hypot(ground, line[:, 2]) * np.sqrt(1 + across**2 + upward**2)
    sine = np.clip(sine / np.hypot(1, upward), -1, 1)
    tilt = np.arcsin(sine) - np.arctan(upward)
    aside = np.arctan2(across, np.cos(tilt) - upward * np.sin(tilt))
    angles = np.empty((len(line), 2))
    angles[:, 0] = unwrapped(np.arctan2(line[:, 1], line[:, 0])) + aside
    angles[:, 1] = tilt
    return angles


def aimed(
    centre: Points, focus: Points, lens: Lens, aim: Aim, key_frame: int
) -> Float[np.ndarray, "frames 2"]:
    """Pan and tilt of every frame. A locked aim is composed once, for the key frame's place."""
    if aim.locked:
        middle = focus.mean(axis=0, keepdims=True)
        still = composed_angles(centre[key_frame : key_frame + 1], middle, lens, aim.place)
        return np.repeat(still, len(centre), axis=0)
    wanted = composed_angles(centre, focus, lens, aim.place)
    if aim.play_rad > 0:
        wanted = with_play(wanted, aim.play_rad)
    return chased(wanted, aim.smooth_frames, aim.late_frames)


@dataclass(frozen=True, eq=False)
class Setup:
    """Everything about a shot: its moves, when they happen, and how they are filmed. Azimuth is
    where the camera stands, seen from the person, in the world."""

    moves: tuple[Move, ...]
    timing: Timing
    travels_m: tuple[float, ...]  # of every move
    lens: Lens
    grip: Grip
    aim: Aim
    distance_m: float
    height_m: float
    azimuth_rad: float
    key_frame: int  # in which the camera passes the nominal place
    balance: tuple[float, float, float]  # of the axes of a compound move
    on_rails: bool
    follow_gain: float  # share of the person's way that the camera goes along
    gait: Float[np.ndarray, " transitions"]  # unevenness of a walking operator's pace
    bends_trucks: bool = False  # trucks go along the camera's own axis, not along a rail

    @property
    def goes_with_person(self) -> bool:
        return any(move.goes_with_person for move in self.moves)


@dataclass(frozen=True, eq=False)
class Reach:
    """How long moves last, how far they go, and where the camera then is, in its own axes."""

    seconds: tuple[float, ...]
    travels_m: tuple[float, ...]
    after_m: Float[np.ndarray, "moves 3"]


def reach_of(moves: Sequence[Move], timing: Timing, style: Style) -> Reach:
    """Before anything is placed."""
    seconds = (timing.weights.sum(axis=1) / NATIVE_FPS).tolist()
    travels = [
        travel_of(move, lasting, style) if move.axes else 0.0
        for move, lasting in zip(moves, seconds, strict=True)
    ]
    steps = [
        move.signs / max(move.axes, 1) ** 0.5 * m for move, m in zip(moves, travels, strict=True)
    ]
    return Reach(tuple(seconds), tuple(travels), np.cumsum(steps, axis=0))


def draw_setup(
    subject: Subject, moves: tuple[Move, ...], style: Style, dice: np.random.Generator
) -> Setup | None:
    """A setup in which the moves have room, or None where this draw leaves none."""
    timing = draw_timing(moves, subject.activity, style, dice)
    reach = reach_of(moves, timing, style)
    grip = draw_grip(moves, dice)
    nature = NATURE[grip]
    size = picked(style.shot_sizes, dice)
    lens = draw_lens(dice)
    bends = any(move.kind == "arc" for move in moves)
    locked = dice.random() < nature.locked_aim and not bends
    distance = lens.distance_for(draw_height_m(size, dice) * (1.0 if lens.aspect > 1 else 1.4))
    distance = max(distance, _room_m(subject, moves, reach, lens, locked))
    distance = _arc_distance_m(distance, moves, reach, dice)
    _, downward_m, inward_m = reach.after_m[-1].tolist()
    key_share = _draw_key(distance, inward_m, dice)
    height = _draw_height_m(distance, -downward_m, key_share, dice)
    if not NEAREST_M <= distance <= FARTHEST_M or key_share is None or height is None:
        return None
    size = size_of(2 * lens.tan_half_height * distance)
    azimuth, key_frame = _draw_side(subject, moves, timing, key_share, dice)
    relative = azimuth - subject.facing[key_frame]
    return Setup(
        moves=moves,
        timing=timing,
        travels_m=reach.travels_m,
        lens=lens,
        grip=grip,
        aim=Aim(
            locked=locked,
            place=_draw_place(size, lens, relative, dice),
            late_frames=int(dice.integers(*nature.late_frames, endpoint=True)),
            smooth_frames=float(dice.uniform(*nature.smooth_frames)),
            play_rad=float(dice.uniform(*nature.play)) * math.atan(lens.tan_half_width),
        ),
        distance_m=distance,
        height_m=height,
        azimuth_rad=azimuth,
        key_frame=key_frame,
        balance=tuple(dice.uniform(0.62, 1.0, 3).tolist()),
        on_rails=nature.on_rails,
        # All of the person's way, or less.
        follow_gain=1.0 if dice.random() < 0.25 else math.exp(dice.uniform(math.log(0.15), 0.0)),
        gait=_draw_gait(subject.frames - 1, nature.on_rails, dice),
    )


def _room_m(
    subject: Subject, moves: Sequence[Move], reach: Reach, lens: Lens, locked: bool
) -> float:
    """The least distance at which moves and person can stay in view and keep their class."""
    room = 0.0
    if not any(move.goes_with_person for move in moves):
        spread = subject.excursion_m
        room = 0.6 * spread / lens.tan_half_width if locked else 0.7 * spread + 0.5
    for move, travel in zip(moves, reach.travels_m, strict=True):
        if move.axes == 0 or move.kind == "arc":
            continue
        sideways, upright, _ = np.abs(move.signs) / move.axes**0.5 * travel
        if locked:
            sideways, upright = sideways / lens.tan_half_width, upright / lens.tan_half_height
        share = 0.7 if locked else 0.9
        room = max(room, share * sideways, share * upright)
    return room


def _arc_distance_m(
    distance_m: float, moves: Sequence[Move], reach: Reach, dice: np.random.Generator
) -> float:
    """Near enough for an arc to be seen as one, far enough for the aim to keep up with it."""
    for move, travel, seconds in zip(moves, reach.travels_m, reach.seconds, strict=True):
        if move.kind == "arc":
            nearest = max(NEAREST_M + 0.1, travel / (_ARC_TURN_RAD_S * seconds))
            distance_m = max(nearest, min(distance_m, travel / dice.uniform(0.45, 1.5)))
    return distance_m


def _draw_key(distance_m: float, inward_m: float, dice: np.random.Generator) -> float | None:
    """Which moment has the drawn shot size: start, middle or end, where the way fits."""
    shares = [
        key
        for key in (0.0, 0.5, 1.0)
        if NEAREST_M + 0.1 <= distance_m + inward_m * key <= FARTHEST_M
        and NEAREST_M + 0.1 <= distance_m - inward_m * (1 - key) <= FARTHEST_M
    ]
    pick = dice.random()
    return shares[int(pick * len(shares))] if shares else None


def _draw_height_m(
    distance_m: float, upward_m: float, key_share: float | None, dice: np.random.Generator
) -> float | None:
    """Eye level, low or high, moved as far as the boom needs."""
    pick, spread = dice.random(), dice.random()
    if pick < 0.55:
        rise = 0.25 * (2 * spread - 1)
    elif pick < 0.75:
        rise = -0.3 - 0.6 * spread
    else:
        rise = 0.4 + 1.4 * spread
    if key_share is None:
        return None
    steepest = _STEEPEST * distance_m
    wanted = _FOCUS_HEIGHT_M + 0.15 + min(max(rise, -steepest), steepest)
    before, after = -upward_m * key_share, upward_m * (1 - key_share)
    lowest = LOWEST_M - min(before, after, 0.0)
    highest = HIGHEST_M - max(before, after, 0.0)
    return min(max(wanted, lowest), highest) if lowest <= highest else None


def _draw_side(
    subject: Subject,
    moves: Sequence[Move],
    timing: Timing,
    key_share: float,
    dice: np.random.Generator,
) -> tuple[float, int]:
    """Azimuth in the world and key frame. Followers stand where the person's way puts them."""
    pick, spread, side = dice.random(), dice.random(), float(np.sign(dice.random() - 0.5))
    for at, move in enumerate(moves):
        if move.goes_with_person:
            first, stop = timing.bounds[at], timing.bounds[at + 1]
            way = subject.root[stop] - subject.root[first]
            going = math.atan2(way[1], way[0])
            behind = math.pi if move.kind == "follow" else 0.0
            beside = move.kind == "follow" and pick < 0.35
            offset = math.pi / 2 + 0.5 * (2 * spread - 1) if beside else behind + 0.45 * spread
            return going + side * offset, timing.middle(at)
    edges = np.radians([0, 25, 70, 110, 180])
    at = int(np.searchsorted([0.22, 0.62, 0.84], pick))
    offset = edges[at] + spread * (edges[at + 1] - edges[at])
    key_frame = round(key_share * (subject.frames - 1))
    return float(subject.facing[key_frame] + side * offset), key_frame


def _draw_place(
    size: ShotSize, lens: Lens, relative_rad: float, dice: np.random.Generator
) -> tuple[float, float]:
    """Centred, on a third, or with room in front of the person's face."""
    pick, side = dice.random(), float(np.sign(dice.random() - 0.5))
    across = 0.05 * dice.standard_normal()
    if pick > 0.75:
        across += 0.33 * side
    elif pick > 0.45:
        # Seen from the azimuth β to the person's left they look to the image's left.
        across += 0.3 * math.sin(relative_rad)
    if lens.aspect < 1:
        across *= 0.5
    headroom = {"close_up": 0.1, "medium_close": 0.12, "medium": 0.05}.get(size, 0.0)
    return across, headroom + 0.05 * dice.standard_normal()


def _draw_gait(
    transitions: int, on_rails: bool, dice: np.random.Generator
) -> Float[np.ndarray, " transitions"]:
    amount = dice.uniform(0, 0.05 if on_rails else 0.2)
    period, phase = dice.uniform(40, 150), dice.uniform(0, 2 * math.pi)
    return 1 + amount * np.sin(2 * math.pi * np.arange(transitions) / period + phase)
