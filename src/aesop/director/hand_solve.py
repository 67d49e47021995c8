"""Curves of one angle over a shot: a penalised least-squares solve on a cubic spline, limits, and
the safe area."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from aesop.fables.cinematographer.shot_setup import unwrapped

KNOT_FRAMES = 5
# A correction fades over about this time beyond what it corrects.
SMOOTH_SECONDS = 0.35
# Against one square radian of correction in one frame.
CORRIDOR_WEIGHT = 4000.0
RATE_WEIGHT = 40000.0
BEND_WEIGHT = 10.0
# An aim that is held: at this rate it counts as moving, slower as still. Solved in turn, each from
# the last: the sharp corner between rest and motion is far too narrow for a first step.
STILL_RATES = (0.32, 0.08, 0.02)
USUAL_WEIGHT = 0.3  # against one radian a second in one frame
RIDGE = 1e-6  # the last knots may lie beyond all frames
MOST_ROUNDS = 40
SETTLED = 1e-9

Curve = Float[np.ndarray, " frames"]
Knots = Float[np.ndarray, " knots"]
# A curve and its first and second derivative.
Curves = Float[np.ndarray, "3 frames"]


@dataclass(frozen=True, eq=False)
class Corridor:
    """Where an angle should be in every frame, how much that matters (0 to 1), and its limits.

    `drift` is the rate that is there without the curve; limits hold for both together.
    """

    low: Curve
    high: Curve
    trust: Curve
    drift: Curve
    fastest: float
    sharpest: float


@dataclass(frozen=True, eq=False)
class _Spline:
    """The four B-splines that reach into each interval between knots, with two derivatives."""

    frames: int
    values: Float[np.ndarray, "4 columns"]  # value, rate and bend at the frames of an interval

    @property
    def intervals(self) -> int:
        return -(-self.frames // KNOT_FRAMES)

    @property
    def middles(self) -> Int[np.ndarray, " knots"]:
        """The frame at which each B-spline is highest, or the nearest there is."""
        return np.clip(np.arange(-1, self.intervals + 2) * KNOT_FRAMES, 0, self.frames - 1)

    def curves(self, knots: Knots) -> Curves:
        """The curve and its derivatives at all frames."""
        reach = np.arange(self.intervals)[:, None] + np.arange(4)
        parts = (knots[reach] @ self.values).reshape(-1, 3, KNOT_FRAMES)
        return parts.transpose(1, 0, 2).reshape(3, -1)[:, : self.frames]

    def gradient(self, slope: Curves) -> Knots:
        """What a slope at the frames is to the knots."""
        parts = self._by_interval(slope) @ self.values.T
        total = np.zeros(self.intervals + 3)
        for a in range(4):
            total[a : a + self.intervals] += parts[:, a]
        return total

    def curvature(self, weight: Curves) -> Float[np.ndarray, "knots knots"]:
        """What a curvature at the frames is to the knots."""
        products = (self.values[:, None] * self.values[None]).reshape(16, -1)
        parts = self._by_interval(weight) @ products.T
        count = self.intervals + 3
        total = np.zeros((count, count))
        for a in range(4):
            for b in range(4):
                first = a * count + b
                diagonal = total.reshape(-1)[
                    first : first + self.intervals * (count + 1) : count + 1
                ]
                diagonal += parts[:, 4 * a + b]
        return total

    def reached(self, knots: Bool[np.ndarray, " knots"]) -> Bool[np.ndarray, " frames"]:
        """Frames on which some of these knots have a say."""
        of_interval = knots[:-3] | knots[1:-2] | knots[2:-1] | knots[3:]
        return np.repeat(of_interval, KNOT_FRAMES)[: self.frames]

    def _by_interval(self, curves: Curves) -> Float[np.ndarray, "intervals columns"]:
        padded = np.zeros((3, self.intervals * KNOT_FRAMES))
        padded[:, : self.frames] = curves
        return padded.reshape(3, -1, KNOT_FRAMES).transpose(1, 0, 2).reshape(self.intervals, -1)


def _spline(frames: int, fps: float) -> _Spline:
    x = np.arange(KNOT_FRAMES) / KNOT_FRAMES
    value = [(1 - x) ** 3, 3 * x**3 - 6 * x**2 + 4, -3 * x**3 + 3 * x**2 + 3 * x + 1, x**3]
    rate = [-3 * (1 - x) ** 2, 9 * x**2 - 12 * x, -9 * x**2 + 6 * x + 3, 3 * x**2]
    bend = [6 * (1 - x), 18 * x - 12, -18 * x + 6, 6 * x]
    per_second = fps / KNOT_FRAMES
    columns = [np.stack(it) * per_second**order for order, it in enumerate((value, rate, bend))]
    return _Spline(frames, np.concatenate(columns, axis=1) / 6)


@dataclass(frozen=True, eq=False)
class _Energy:
    """What a curve costs: its distance from `rest`, its rate (squared below `still`, summed above),
    its bends, and whatever the corridor does not allow."""

    corridor: Corridor
    rest: Curve
    pull: float
    hold: float
    still: float
    smooth: float

    def __call__(self, curves: Curves) -> tuple[float, Curves, Curves]:
        """The energy, its slope and its curvature in the curve and its derivatives."""
        corridor, (place, rate, bend) = self.corridor, curves
        outside = place - np.clip(place, corridor.low, corridor.high)
        total = rate + corridor.drift
        fast = total - np.clip(total, -corridor.fastest, corridor.fastest)
        sharp = bend - np.clip(bend, -corridor.sharpest, corridor.sharpest)
        wide = CORRIDOR_WEIGHT * corridor.trust
        astray = self.pull * (place - self.rest)
        slow = np.clip(rate, -self.still, self.still)
        slope = np.stack([
            astray + wide * outside,
            self.hold * slow + RATE_WEIGHT * fast,
            self.smooth * bend + BEND_WEIGHT * sharp,
        ])  # fmt: skip
        curvature = np.stack([
            self.pull + wide * (outside != 0),
            self.hold * (np.abs(rate) < self.still) + RATE_WEIGHT * (fast != 0),
            self.smooth + BEND_WEIGHT * (sharp != 0),
        ])  # fmt: skip
        energy = (
            astray @ (place - self.rest) + (wide * outside) @ outside
            + self.hold * ((2 * rate - slow) @ slow)
            + RATE_WEIGHT * (fast @ fast)
            + self.smooth * (bend @ bend) + BEND_WEIGHT * (sharp @ sharp)
        ) / 2  # fmt: skip
        return float(energy), slope, curvature


def least_turn(
    corridor: Corridor, rest: Curve, is_free: Bool[np.ndarray, " frames"], fps: float
) -> Curve:
    """The smallest smooth correction that keeps to the corridor. Where no frame is free it equals
    `rest`, which holds whole turns: no correction at all."""
    spline = _spline(len(rest), fps)
    free = is_free[spline.middles]
    energy = _Energy(corridor, rest, pull=1.0, hold=0.0, still=1.0, smooth=SMOOTH_SECONDS**4)
    curve = spline.curves(_minimum(spline, energy, rest[spline.middles], free))[0]
    # Rounding of the B-splines' sum is no correction either.
    return np.where(spline.reached(free), curve, rest)


def least_motion(corridor: Corridor, usual: Curve, fps: float) -> Curve:
    """The curve that holds still as long as the corridor lets it, and then moves gently, near the
    usual angles: rates are summed, not squared, so that it rests and goes instead of creeping."""
    counts = corridor.trust > 0
    level = np.median(usual)
    if counts.any():
        highest_low, lowest_high = corridor.low[counts].max(), corridor.high[counts].min()
        if highest_low > lowest_high:
            return _taut(corridor, usual, fps)
        level = np.clip(level, highest_low, lowest_high)
    return np.full_like(usual, level)


def _taut(corridor: Corridor, usual: Curve, fps: float) -> Curve:
    spline = _spline(len(usual), fps)
    start = np.clip(usual, corridor.low, corridor.high)
    knots, free = start[spline.middles], np.ones(len(spline.middles), dtype=bool)
    for still in STILL_RATES:
        energy = _Energy(
            corridor, usual, pull=USUAL_WEIGHT, hold=1 / still, still=still,
            smooth=SMOOTH_SECONDS**2,
        )  # fmt: skip
        knots = _minimum(spline, energy, knots, free)
    return spline.curves(knots)[0]


def _minimum(
    spline: _Spline, energy: _Energy, knots: Knots, free: Bool[np.ndarray, " knots"]
) -> Knots:
    """Newton's method over the free knots."""
    if not free.any():
        return knots
    start, within = knots, np.ix_(free, free)

    def cost(knots: Knots) -> tuple[float, Curves, Curves]:
        value, slope, curvature = energy(spline.curves(knots))
        return value + RIDGE / 2 * float(((knots - start) ** 2).sum()), slope, curvature

    value, slope, curvature = cost(knots)
    for _ in range(MOST_ROUNDS):
        gradient = (spline.gradient(slope) + RIDGE * (knots - start))[free]
        matrix = spline.curvature(curvature)[within] + RIDGE * np.eye(len(gradient))
        step = np.zeros_like(knots)
        step[free] = -np.linalg.solve(matrix, gradient)
        descent = float(gradient @ step[free])
        share = 1.0
        while share > SETTLED:
            tried = cost(knots + share * step)
            if tried[0] <= value + 0.1 * share * descent:
                break
            share /= 2
        else:
            return knots  # rounding is all that is left
        knots = knots + share * step
        value, slope, curvature = tried
        if np.abs(share * step).max() < SETTLED:
            break
    return knots


def rate_limited(curve: Curve, largest_step: Float[np.ndarray, " transitions"]) -> Curve:
    """The curve itself where no step is too large; elsewhere the mean of the highest curve below it
    and the lowest one above it whose steps are small enough."""
    below, above = lowered(curve, largest_step), -lowered(-curve, largest_step)
    return np.where(above == below, curve, (above + below) / 2)


def lowered(curve: Curve, largest_step: Float[np.ndarray, " transitions"]) -> Curve:
    """The highest curve that is nowhere above this one and has no larger steps."""
    values, steps = curve.tolist(), largest_step.tolist()
    for at, step in enumerate(steps):
        values[at + 1] = min(values[at + 1], values[at] + step)
    for at in reversed(range(len(steps))):
        values[at] = min(values[at], values[at + 1] + steps[at])
    return np.array(values)


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
