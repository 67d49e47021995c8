"""Curves of one angle over a shot: a penalised least-squares solve on a cubic spline, and limits of
its rate."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

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
    columns = [np.stack(four) * per_second**n for n, four in enumerate((value, rate, bend))]
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
