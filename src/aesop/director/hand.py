"""The aim of the operator's hand: a person who leaves the safe area of the picture is brought back,
with as little turning as is enough."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from aesop.director.hand_solve import (
    Corridor,
    Curve,
    least_motion,
    least_turn,
    lowered,
    rate_limited,
)
from aesop.scene.curves import unwrapped

FASTEST_DPS = 90.0
# Limits of one correction, below the law for both together.
_PAN_DPS, _TILT_DPS, _LIMITED_DPS = 75.0, 45.0, 89.0
_SHARPEST_DPS2 = 240.0
# A correction begins and ends this long before and after what it corrects, and longer if large.
_EASE_SECONDS, _EASE_DPS = 0.8, 50.0
# A tripod pans when the person leaves this part of the picture around their usual place in it.
_DEAD_ZONE, _USUAL_PLACE = 0.25, 0.45
_STEADY_RAD = np.radians(0.1)  # an aim that strays less is held already
# Half sizes of the safe area in half pictures, for wide pictures and for close ones. Those of head
# and hips lie where one reference shot in fifty or fewer goes beyond them. In close pictures the
# head's shrinks, for whoever comes near looks at the face, and hips are not asked for. The crown is
# held as long as a whole head fits: half of the reference shots cut it, which looks like a mistake.
HEAD_EDGE, HEAD_EDGE_CLOSE = 0.9, 0.65
CROWN_EDGE, CROWN_EDGE_CLOSE = 0.94, 1.6
HIPS_EDGE, HIPS_EDGE_CLOSE = 0.95, 3.0
SIDE_EDGE, SIDE_EDGE_CLOSE = 0.8, 1.5  # to the left and right, where shoulders need room
# Distance from head to hips, and from head to crown, in pictures: a wide picture, and a close one.
# A chin lies half as far below the head joint as the crown lies above it: up to 0.6 all of a head
# fits into the picture.
WIDE, CLOSE = 0.45, 0.85
WIDE_SKULL, CLOSE_SKULL = 0.6, 0.9
STEEPEST = np.radians(89)
# Nearer to the vertical than this (cosine of the elevation), no azimuth is worth following.
UPRIGHT, LEVEL = 0.12, 0.35

Turns = Float[np.ndarray, "frames 3 3"]
Points = Float[np.ndarray, "frames 3"]


@dataclass(frozen=True, eq=False)
class Range:
    """Angles between which a turn may lie, frame by frame."""

    low: Curve
    high: Curve

    def nearest(self, angle: Curve) -> Curve:
        return np.clip(angle, self.low, self.high)

    def within(self, other: "Range") -> "Range":
        """This range as far as the other allows: where they do not meet, the other's nearer end."""
        return Range(other.nearest(self.low), other.nearest(self.high))

    def moved(self, by: Curve) -> "Range":
        return Range(self.low + by, self.high + by)


@dataclass(frozen=True, eq=False)
class Angles:
    """A camera's turn as about_z(pan) · about_y(roll) · about_x(tilt), from a level camera.

    Looking straight down is no special case: only a camera on its side would be.
    """

    pan: Curve  # azimuth of the view, unwrapped
    tilt: Curve  # elevation of the view
    roll: Curve  # elevation of what points to the right


def angles_of(turns: Turns) -> Angles:
    """Pan, tilt and roll of a camera."""
    right = turns[..., 0]
    return Angles(
        pan=unwrapped(np.arctan2(right[:, 0], -right[:, 1])),
        tilt=np.arctan2(turns[:, 2, 2], -turns[:, 2, 1]),
        roll=np.arcsin(np.clip(right[:, 2], -1, 1)),
    )


def turns_of(angles: Angles) -> Turns:
    """Inverse of `angles_of`."""
    zero = np.zeros_like(angles.roll)
    cosine, sine = np.cos(angles.roll), np.sin(angles.roll)
    right = np.stack([zero, -cosine, sine], axis=-1)
    down = np.stack([zero, -sine, -cosine], axis=-1)
    ahead = np.stack([zero + 1, zero, zero], axis=-1)
    return turned(np.stack([right, down, ahead], axis=-1), angles.pan, angles.tilt)


def turned(turns: Turns, yaw: Curve, pitch: Curve) -> Turns:
    """A camera turned by yaw and pitch. A turn by nothing gives its numbers back."""
    panned = np.stack(
        [
            np.cos(yaw)[:, None] * turns[:, 0] - np.sin(yaw)[:, None] * turns[:, 1],
            np.sin(yaw)[:, None] * turns[:, 0] + np.cos(yaw)[:, None] * turns[:, 1],
            turns[:, 2],
        ],
        axis=1,
    )
    down, ahead = panned[..., 1], panned[..., 2]
    cosine, sine = np.cos(pitch)[:, None], np.sin(pitch)[:, None]
    return np.stack(
        [panned[..., 0], cosine * down + sine * ahead, cosine * ahead - sine * down], -1
    )


@dataclass(frozen=True)
class CloseEdges:
    """Half sizes of the safe area in close pictures: of the head up and down and to the sides, and
    of the crown; and how large a skull makes a picture close for the crown (from, to)."""

    head: float = HEAD_EDGE_CLOSE
    head_side: float = SIDE_EDGE
    crown: float = CROWN_EDGE_CLOSE
    skull: tuple[float, float] = (WIDE_SKULL, CLOSE_SKULL)


USUAL_EDGES = CloseEdges()


@dataclass(frozen=True, eq=False)
class Sights:
    """What a camera should keep in its picture: lines from its centre to head, crown and hips."""

    turns: Turns
    tan_half: Float[np.ndarray, "frames 2"]
    head: Points
    crown: Points
    hips: Points
    edges: CloseEdges = USUAL_EDGES

    @property
    def level(self) -> Curve:
        """Cosine of the head's elevation."""
        distance = np.linalg.norm(self.head, axis=-1)
        return np.hypot(self.head[:, 0], self.head[:, 1]) / np.maximum(distance, 1e-9)

    @property
    def trust(self) -> Curve:
        """How well the person's azimuth is known: not at all right above or below the camera."""
        return np.clip((self.level - UPRIGHT) / (LEVEL - UPRIGHT), 0.0, 1.0)

    def closeness(self, other: Points, wide: float, close: float) -> Curve:
        """0 where head and another point lie near each other in the picture, 1 where they hardly
        fit into it together; smooth between."""
        picture = 2 * np.arctan(self.tan_half)
        aside = self.level * np.abs(wrapped(azimuth(self.head) - azimuth(other)))
        apart = np.abs(elevation(self.head) - elevation(other))
        share = np.maximum(aside / picture[:, 0], apart / picture[:, 1])
        rise = np.clip((share - wide) / (close - wide), 0.0, 1.0)
        return rise * rise * (3 - 2 * rise)


def azimuth(line: Points) -> Curve:
    return np.arctan2(line[:, 1], line[:, 0])


def elevation(line: Points) -> Curve:
    return np.arctan2(line[:, 2], np.hypot(line[:, 0], line[:, 1]))


def wrapped(angle: Curve) -> Curve:
    """The same angle in [−π, π)."""
    return (angle + np.pi) % (2 * np.pi) - np.pi


def followed(
    sights: Sights, fps: float, largest: float, fastest_dps: float = FASTEST_DPS
) -> Angles:
    """A moving camera, turned as little as keeps head and hips in the safe area. No correction is
    larger than `largest` (radians), and no turn faster than `fastest_dps`."""
    base = within_speed(angles_of(sights.turns), fps, fastest_dps)
    sights = replace(sights, turns=turns_of(base))
    yaw = pitch = np.zeros_like(base.pan)
    is_free = np.zeros((2, len(yaw)), dtype=bool)
    for _ in range(2):
        yaws, pitches = safe_turns(sights, yaw, pitch)
        yaws, whole = _continuous(yaws)
        none = np.zeros_like(pitch)
        yaws = yaws.within(Range(whole - largest, whole + largest))
        pitches = pitches.within(Range(none - largest, none + largest))
        is_free[0] |= _around(yaws, whole, sights.trust, fps)
        is_free[1] |= _around(pitches, none, none + 1, fps)
        yaw = least_turn(
            _corridor(yaws, sights.trust, base.pan, _PAN_DPS, fps), whole, is_free[0], fps
        )
        pitch = least_turn(
            _corridor(pitches, none + 1, base.tilt, _TILT_DPS, fps), none, is_free[1], fps
        )
    if not is_free.any():
        return base
    return within_speed(Angles(base.pan + yaw, base.tilt + pitch, base.roll), fps, fastest_dps)


def _continuous(yaws: Range) -> tuple[Range, Curve]:
    """The same range without jumps by a whole turn, and the whole turns that are no correction."""
    middle = (yaws.low + yaws.high) / 2
    smooth = unwrapped(middle)
    inside = (yaws.low <= 0) & (yaws.high >= 0)
    usual = smooth[inside] if inside.any() else smooth
    smooth = smooth - 2 * np.pi * np.round(np.median(usual) / (2 * np.pi))
    return yaws.moved(smooth - middle), 2 * np.pi * np.round(smooth / (2 * np.pi))


def _around(
    allowed: Range, no_turn: Curve, trust: Curve, fps: float
) -> Bool[np.ndarray, " frames"]:
    """Frames that a correction may touch: those that need one and time to ease in and out."""
    need = np.abs(allowed.nearest(no_turn) - no_turn) * (trust > 0)
    reach = np.ceil((_EASE_SECONDS + need / np.radians(_EASE_DPS)) * fps).astype(int)
    edges = np.zeros(len(need) + 1)
    at = np.flatnonzero(need > 0)
    np.add.at(edges, np.maximum(at - reach[at], 0), 1)
    np.add.at(edges, np.minimum(at + reach[at] + 1, len(need)), -1)
    return np.cumsum(edges)[:-1] > 0.5


def _corridor(
    allowed: Range, trust: Curve, angle: Curve, fastest_dps: float, fps: float
) -> Corridor:
    return Corridor(
        low=allowed.low,
        high=allowed.high,
        trust=trust,
        drift=np.gradient(angle) * fps,
        fastest=np.radians(fastest_dps),
        sharpest=np.radians(_SHARPEST_DPS2),
    )


def held(sights: Sights, fps: float) -> Angles:
    """A tripod's aim: still while the person stays about where they are in the picture, panned
    and tilted gently when they leave. A steady aim that holds them comes back as it is."""
    base = angles_of(sights.turns)
    none = np.zeros_like(base.pan)
    yaws, pitches = safe_turns(sights, none, none)
    is_safe = all(bool(((turn.low <= 0) & (turn.high >= 0)).all()) for turn in (yaws, pitches))
    if is_safe and max(np.ptp(base.pan), np.ptp(base.tilt), np.ptp(base.roll)) < _STEADY_RAD:
        return base
    middle = (sights.head + sights.hips) / 2
    half = np.arctan(sights.tan_half)
    towards, up = unwrapped(azimuth(middle)), elevation(middle)
    own = towards + wrapped(base.pan - towards)  # the take's pan on the turn on which the person is
    pan_zone = _dead_zone(towards, own, half[:, 0], sights.trust)
    tilt_zone = _dead_zone(up, base.tilt, half[:, 1], none + 1)
    pan, tilt = own, base.tilt
    for _ in range(2):
        yaws, pitches = safe_turns(sights, pan - own, tilt - base.tilt)
        corridor = _corridor(pan_zone.within(yaws.moved(own)), sights.trust, none, _PAN_DPS, fps)
        pan = least_motion(corridor, own, fps)
        corridor = _corridor(
            tilt_zone.within(pitches.moved(base.tilt)), none + 1, none, _TILT_DPS, fps
        )
        tilt = least_motion(corridor, base.tilt, fps)
    level = np.clip(0.0, base.roll.min(), base.roll.max())
    return within_speed(Angles(pan, tilt, none + level), fps)


def _dead_zone(towards: Curve, aim: Curve, half: Curve, trust: Curve) -> Range:
    """Aims at which the person is near the place in the picture that they usually have, and those
    between them and the take's own."""
    offset = aim - towards
    counted = offset[trust > 0] if (trust > 0).any() else offset
    usual = towards + np.clip(np.median(counted), -_USUAL_PLACE * half, _USUAL_PLACE * half)
    reach = _DEAD_ZONE * half
    return Range(np.minimum(usual - reach, aim), np.maximum(usual + reach, aim))


def within_speed(angles: Angles, fps: float, fastest_dps: float = FASTEST_DPS) -> Angles:
    """The same angles if they never turn faster than the law; otherwise the nearest that do not."""
    if (_turn_steps(angles) <= np.radians(fastest_dps) / fps).all():
        return angles
    largest = np.radians(fastest_dps - FASTEST_DPS + _LIMITED_DPS) / fps
    roll = _slow_roll(angles.roll, largest / 2)
    slow = _turn_steps(replace(angles, roll=roll)) <= largest
    room = np.sqrt(largest**2 - np.diff(roll) ** 2)
    tilt_step = np.maximum(0.5 * room, np.where(slow, np.abs(np.diff(angles.tilt)), 0.0))
    tilt = rate_limited(angles.tilt, tilt_step)
    # Pan and tilt turn about axes that are square up to the roll.
    step, skew = np.abs(np.diff(tilt)), _skew(roll)
    pan_step = np.sqrt(np.maximum(room**2 - step**2 * (1 - skew**2), 0.0)) - step * skew
    return Angles(rate_limited(angles.pan, np.maximum(pan_step, 0.0)), tilt, roll)


def _turn_steps(angles: Angles) -> Float[np.ndarray, " transitions"]:
    """Upper bound of the turn between neighbouring frames."""
    pan, tilt, roll = np.abs(np.diff([angles.pan, angles.tilt, angles.roll]))
    return np.sqrt(pan**2 + tilt**2 + roll**2 + 2 * pan * tilt * _skew(angles.roll))


def _skew(roll: Curve) -> Float[np.ndarray, " transitions"]:
    """Cosine between the axes of pan and tilt."""
    return np.sin(np.maximum(np.abs(roll[1:]), np.abs(roll[:-1])))


def _slow_roll(roll: Curve, largest: float) -> Curve:
    """Roll that changes no faster, and is never more than it was."""
    if (np.abs(np.diff(roll)) <= largest).all():
        return roll
    steps = np.full(len(roll) - 1, largest / 2)
    right, left = np.maximum(roll, 0), np.maximum(-roll, 0)
    return lowered(right, steps) - lowered(left, steps)


def safe_turns(sights: Sights, yaw: Curve, pitch: Curve) -> tuple[Range, Range]:
    """Ranges of yaw and pitch, each for the other at its safe value that is nearest to the given
    one. Head, crown and hips count in this order: a later one never costs an earlier one."""
    close = sights.closeness(sights.hips, WIDE, CLOSE)
    edges = sights.edges
    tight = sights.closeness(sights.crown, *edges.skull)
    head_edge = HEAD_EDGE + close * (edges.head - HEAD_EDGE)
    head_side = SIDE_EDGE + close * (edges.head_side - SIDE_EDGE)
    crown_edge = CROWN_EDGE + tight * (edges.crown - CROWN_EDGE)
    hips_edge = HIPS_EDGE + close * (HIPS_EDGE_CLOSE - HIPS_EDGE)
    side_edge = SIDE_EDGE + close * (SIDE_EDGE_CLOSE - SIDE_EDGE)
    upright = angles_of(sights.turns).tilt
    steep = Range(-STEEPEST - upright, STEEPEST - upright)
    lines = ((sights.head, head_side, head_edge),
             (sights.crown, side_edge, crown_edge),
             (sights.hips, side_edge, hips_edge))  # fmt: skip
    yaws, pitches = Range(yaw, yaw), Range(pitch, pitch)
    for _ in range(2):
        yaws = _nested(
            [_yaw_range(sights, line, pitches.nearest(pitch), edge) for line, edge, _ in lines],
            yaw,
        )
        # Where no azimuth is worth following, nobody will turn that way.
        towards = yaw + sights.trust * (yaws.nearest(yaw) - yaw)
        pitches = _nested(
            [_pitch_range(sights, line, towards, edge) for line, _, edge in lines],
            -upright,
        ).within(steep)
    return yaws, pitches


def _nested(ranges: list[Range], near: Curve) -> Range:
    """One range out of several, earlier ones first; on the turn of the circle that is `near`."""
    best = ranges[0]
    for other in ranges[1:]:
        offset = 2 * np.pi * np.round((best.low + best.high - other.low - other.high) / (4 * np.pi))
        best = other.moved(offset).within(best)
    return best.moved(2 * np.pi * np.round((near - (best.low + best.high) / 2) / (2 * np.pi)))


def _yaw_range(sights: Sights, line: Points, pitch: Curve, edge: Curve) -> Range:
    """Yaws at which a line of sight lies between the left and the right edge.

    Turned by yaw, the line's distance from the plane of an edge is a sinusoid in yaw.
    """
    turns = turned(sights.turns, 0 * pitch, pitch)
    right, ahead = turns[..., 0], turns[..., 2]
    tangent = (edge * sights.tan_half[:, 0])[:, None]
    middle = azimuth(line) - np.arctan2(right[:, 0], -right[:, 1])
    reach: list[Curve] = []
    for sign in (-1.0, 1.0):
        plane = sign * right - tangent * ahead
        along = plane[:, 0] * line[:, 0] + plane[:, 1] * line[:, 1]
        across = plane[:, 0] * line[:, 1] - plane[:, 1] * line[:, 0]
        height = plane[:, 2] * line[:, 2] / np.maximum(np.hypot(along, across), 1e-12)
        best = np.arctan2(across, along) + np.pi
        at_edge = wrapped(best + sign * np.arccos(np.clip(height, -1, 1)) - middle)
        # Steeply above or below, a plane may be out of reach, or passed by every yaw.
        reach.append(np.where(height <= -1, sign * np.pi, at_edge))
    low, high = np.minimum(reach[0], 0), np.maximum(reach[1], 0)
    return Range(middle + low, middle + high)


def _pitch_range(sights: Sights, line: Points, yaw: Curve, edge: Curve) -> Range:
    """Pitches at which a line of sight lies between the upper and the lower edge."""
    turns = turned(sights.turns, yaw, 0 * yaw)
    below = np.arctan2((turns[..., 1] * line).sum(-1), (turns[..., 2] * line).sum(-1))
    reach = np.arctan(edge * sights.tan_half[:, 1])
    return Range(-reach - below, reach - below)
