"""How far a camera may turn in each frame while head and hips stay inside a safe area.

A camera is turned by `yaw` about the world's vertical and then by `pitch` about its own horizontal
axis: `about_z(yaw) @ world_from_camera @ about_x(pitch)`. Neither can roll it. Ranges of both are
exact for the pinhole: the edges of the area are planes through the camera's centre.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from aesop.data.fables.aim import unwrapped

# Half sizes of the safe area in half pictures, for wide pictures and for close ones. They lie where
# one reference shot in fifty or fewer goes beyond them. In close pictures the head's shrinks, for
# whoever comes near looks at the face; the crown may be cut, and hips are not asked for.
HEAD_EDGE, HEAD_EDGE_CLOSE = 0.9, 0.65
CROWN_EDGE, CROWN_EDGE_CLOSE = 1.0, 1.6
HIPS_EDGE, HIPS_EDGE_CLOSE = 0.95, 3.0
SIDE_EDGE, SIDE_EDGE_CLOSE = 0.8, 1.5  # to the left and right, where shoulders need room
# Distance from head to hips, and from head to crown, in pictures: a wide picture, and a close one.
WIDE, CLOSE = 0.45, 0.85
WIDE_SKULL, CLOSE_SKULL = 0.08, 0.3
STEEPEST = np.radians(89)
# Nearer to the vertical than this (cosine of the elevation), no azimuth is worth following.
UPRIGHT, LEVEL = 0.12, 0.35

Curve = Float[np.ndarray, " frames"]
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


@dataclass(frozen=True, eq=False)
class Sights:
    """What a camera should keep in its picture: lines from its centre to head, crown and hips."""

    turns: Turns
    tan_half: Float[np.ndarray, "frames 2"]
    head: Points
    crown: Points
    hips: Points

    @property
    def trust(self) -> Curve:
        """How well the person's azimuth is known: not at all right above or below the camera."""
        level = np.hypot(self.head[:, 0], self.head[:, 1])
        cosine = level / np.maximum(np.linalg.norm(self.head, axis=-1), 1e-9)
        return np.clip((cosine - UPRIGHT) / (LEVEL - UPRIGHT), 0.0, 1.0)

    def closeness(self, other: Points, wide: float, close: float) -> Curve:
        """0 where head and another point lie near each other in the picture, 1 where they hardly
        fit into it together; smooth between."""
        picture = 2 * np.arctan(self.tan_half)
        level = np.hypot(self.head[:, 0], self.head[:, 1])
        level = level / np.maximum(np.linalg.norm(self.head, axis=-1), 1e-9)
        aside = level * np.abs(wrapped(azimuth(self.head) - azimuth(other)))
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


def safe_turns(sights: Sights, yaw: Curve, pitch: Curve) -> tuple[Range, Range]:
    """Ranges of yaw and pitch, each for the other at its safe value that is nearest to the given
    one. Head, crown and hips count in this order: a later one never costs an earlier one."""
    close = sights.closeness(sights.hips, WIDE, CLOSE)
    tight = sights.closeness(sights.crown, WIDE_SKULL, CLOSE_SKULL)
    head_edge = HEAD_EDGE + close * (HEAD_EDGE_CLOSE - HEAD_EDGE)
    crown_edge = CROWN_EDGE + tight * (CROWN_EDGE_CLOSE - CROWN_EDGE)
    hips_edge = HIPS_EDGE + close * (HIPS_EDGE_CLOSE - HIPS_EDGE)
    side_edge = SIDE_EDGE + close * (SIDE_EDGE_CLOSE - SIDE_EDGE)
    upright = angles_of(sights.turns).tilt
    steep = Range(-STEEPEST - upright, STEEPEST - upright)
    lines = ((sights.head, 0 * close + SIDE_EDGE, head_edge),
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
