"""What must be seen of a body that goes, turns, sits, lies, jumps or bends: geometric tests.

Heights are those of our skeleton, whose hips stand at 0.93 m.
"""

import numpy as np

from aesop.metrics.action_curves import (
    ANKLES,
    KNEES,
    LEFT,
    WRISTS,
    ActionCurves,
    Mask,
    last_frames,
    longest_s,
    reversals,
)

ON_FEET_M = 0.75  # hips of somebody on the feet, knees bent or not


# Going.


def _on_feet(c: ActionCurves, hips_m: float = ON_FEET_M) -> bool:
    return bool((c.hips > hips_m).mean() >= 0.9)


def _goes(c: ActionCurves, way_m: float, aside_m: float) -> bool:
    """Goes `way_m` on its feet, more than aside, at a walk."""
    far = way_m >= max(0.3, 0.14 * c.seconds) and way_m > abs(aside_m)
    slow = way_m / c.seconds < 2.2
    return far and slow and _on_feet(c, 0.62) and not c.measures.flights


def walks_forward(c: ActionCurves) -> bool:
    return _goes(c, float(c.forward_m[-1]), float(c.left_m[-1]))


def walks_backward(c: ActionCurves) -> bool:
    return _goes(c, -float(c.forward_m[-1]), float(c.left_m[-1]))


def sidesteps(c: ActionCurves, side: int) -> bool:
    way = float(c.left_m[-1]) * (1 if side == LEFT else -1)
    return _goes(c, way, float(c.forward_m[-1]))


def walks_circle(c: ActionCurves) -> bool:
    """The heading turns half a circle or more one way while the way goes on."""
    return c.goes_on and bool(abs(c.turn_deg[-1]) >= 140) and c.path_m >= 1.2


def runs(c: ActionCurves) -> bool:
    """Fast, with moments in which no foot stands."""
    fast = float(c.measures.velocity[:, 0].max()) > 1.5 and float(c.forward_m[-1]) > 1.0
    return fast and longest_s(c.measures.both_off) >= 0.08


def stops(c: ActionCurves) -> bool:
    """Goes at first, stands at last."""
    tail = last_frames(c)
    speed, fastest = c.measures.speed, c.measures.speed[: c.frames // 2].max()
    return bool(fastest > 0.3 and speed[tail].mean() < min(0.35, 0.5 * fastest))


# Turning.


def turns(c: ActionCurves, low_deg: float, high_deg: float, sign: int) -> bool:
    """From the first to the last frame; `sign` 1 is left, −1 right, 0 either."""
    turn = float(c.turn_deg[-1])
    return low_deg <= (abs(turn) if sign == 0 else sign * turn) <= high_deg


def spins(c: ActionCurves) -> bool:
    """A whole turn one way, on the spot."""
    return bool(np.ptp(c.turn_deg) >= 220) and c.path_m < 1.2 * c.seconds + 0.5


# Sitting, lying, crouching.


def _seated(c: ActionCurves) -> Mask:
    """Low, trunk up, and too far behind the feet to be balanced on them; or on the floor."""
    low = (c.hips < 0.7) & (c.upright > 0.5)
    behind = c.measures.overhang > 0.05
    return (low & behind) | (c.is_posture("sitting on the floor") & (c.upright > 0.5))


def sits_down(c: ActionCurves) -> bool:
    """Stands or is higher at first, is seated at last and stays so."""
    tail = last_frames(c)
    lowered = c.hips[: c.frames // 2].max() - c.hips[tail].mean() > 0.15
    return bool(_seated(c)[tail].mean() > 0.7 and lowered)


def stands_up(c: ActionCurves) -> bool:
    """The same backward in time."""
    tail = last_frames(c)
    low = c.hips[: c.frames // 2].min()
    return bool(low < 0.7 and c.hips[tail].mean() > 0.75 and c.upright[tail].mean() > 0.6)


def sits(c: ActionCurves) -> bool:
    return bool(_seated(c).mean() > 0.7)


def _lying(c: ActionCurves) -> Mask:
    return (c.hips < 0.4) & (np.abs(c.upright) < 0.6)


def lies_down(c: ActionCurves) -> bool:
    tail = last_frames(c)
    return bool(_lying(c)[tail].mean() > 0.7 and (c.hips[: c.frames // 2] > 0.45).any())


def gets_up(c: ActionCurves) -> bool:
    tail = last_frames(c)
    return bool((c.hips[: c.frames // 2] < 0.45).any() and c.hips[tail].mean() > 0.7)


def lies(c: ActionCurves) -> bool:
    return bool(_lying(c).mean() > 0.85)


def _crouching(c: ActionCurves) -> Mask:
    knees_free = c.heights[:, KNEES].min(1) > 0.17
    return (c.hips < 0.7) & knees_free & (c.upright > 0.1) & (c.measures.overhang < 0.1)


def crouches(c: ActionCurves) -> bool:
    return longest_s(_crouching(c)) >= 0.25


def squats_again(c: ActionCurves) -> bool:
    """Down, up and down again."""
    return crouches(c) and reversals(c.hips, 0.2) >= 3


def kneels(c: ActionCurves) -> bool:
    knee_down = c.heights[:, KNEES].min(1) < 0.17
    return longest_s(knee_down & (c.hips < 0.75) & (c.upright > 0.4)) >= 0.4


def crawls(c: ActionCurves) -> bool:
    fours = (c.hips < 0.75) & (c.heights[:, WRISTS].min(1) < 0.25) & (c.upright < 0.75)
    return bool(fours.mean() > 0.6) and c.path_m > 0.12 * c.seconds


# Leaving the ground.


def jumps_up(c: ActionCurves) -> bool:
    """Both feet are off the ground by 10 cm."""
    return len(c.flights(0.10, 5)) >= 1


def jumps_again(c: ActionCurves) -> bool:
    """Three flights or more, each lower."""
    return len(c.flights(0.06, 4)) >= 3


def jumps_forward(c: ActionCurves) -> bool:
    """A flight that carries the body forward by a foot or more."""
    for first, stop in c.flights(0.08, 5):
        way = c.forward_m[min(stop + 5, c.frames - 1)] - c.forward_m[max(first - 5, 0)]
        if way > 0.25:
            return True
    return False


def hops(c: ActionCurves, side: int) -> bool:
    """Flights again and again while the other foot never comes down."""
    other = c.foot_lift[:, 1 - side]
    own = c.foot_lift[:, side]
    span = other > 0.08
    flights = [f for f in c.flights(0.05, 3)]
    up = [f for f in flights if other[max(0, f[0] - 5) : f[1] + 5].min() > 0.06]
    return len(up) >= 2 and longest_s(span) >= 0.8 and bool(np.median(own[span]) < 0.12)


def jumping_jacks(c: ActionCurves) -> bool:
    """Both hands overhead and back again while the feet part and join."""
    arms = reversals(c.wrists_up.min(1), 0.4)
    return arms >= 2 and reversals(c.feet_apart_m, 0.2) >= 2


def skips(c: ActionCurves) -> bool:
    """Forward in bounces: the hips rise and sink at every step and no foot stands."""
    fast = float(c.forward_m[-1]) / c.seconds
    return fast > 0.4 and len(c.flights(0.05, 3)) >= 2 and reversals(c.hips, 0.07) >= 3


# The trunk and the whole body.


def bows(c: ActionCurves) -> bool:
    """The trunk tips forward over standing feet and comes up again."""
    tips = c.forward_lean_deg > 30
    standing = (c.hips > 0.7).mean() > 0.9
    return bool(standing and longest_s(tips) >= 0.25) and c.path_m < 1.2


def bends_forward(c: ActionCurves) -> bool:
    return longest_s((c.forward_lean_deg > 40) & (c.hips > 0.55)) >= 0.2


def picks_up(c: ActionCurves) -> bool:
    """A hand goes down near the floor; the feet stay under the body."""
    down = c.heights[:, WRISTS].min(1) < 0.45
    on_feet = (c.heights[:, KNEES].max(1) > 0.25).mean() > 0.9
    return longest_s(down) >= 0.16 and bool(on_feet) and bool((c.hips > 0.75).any())


def leans(c: ActionCurves, side: int) -> bool:
    sign = 1 if side == LEFT else -1
    return longest_s(sign * c.side_lean_deg > 15) >= 0.25


def twists(c: ActionCurves) -> bool:
    """The shoulders turn against the hips, both ways."""
    return bool(np.ptp(c.chest_turn_deg) > 30) and c.path_m < 0.15 * c.seconds + 0.3


def looks_around(c: ActionCurves) -> bool:
    """The face turns one way and the other; the feet stay."""
    return bool(np.ptp(c.head_turn_deg) > 28) and c.path_m < 0.1 * c.seconds + 0.5


def stumbles(c: ActionCurves) -> bool:
    """On the way the trunk pitches and the arms fly out."""
    pitches = bool(np.ptp(c.forward_lean_deg) > 21)
    wavers = bool(np.ptp(c.hips_aside_m) > 0.15) and float(c.wrist_speed.mean()) > 0.42
    return pitches and wavers and c.path_m > 0.1 * c.seconds


def dances(c: ActionCurves) -> bool:
    """Arms off the sides, hands and feet busy, hips that change their way."""
    busy = float(c.wrist_speed.mean()) > 0.4 and float(c.ankle_speed.mean()) > 0.25
    arms = float(c.wrists_up.mean()) > -0.34
    return busy and arms and c.hips_push_mps2 > 1.4


def stands_still(c: ActionCurves) -> bool:
    """On the feet, upright, and nothing moves much."""
    usual, fast = np.percentile(c.measures.joint_speed.max(1), [75, 95]).tolist()
    stays = c.path_m < 0.25 and bool(np.ptp(c.hips) < 0.1)
    return usual < 0.35 and fast < 1.1 and stays and _on_feet(c)


def upside_down(c: ActionCurves) -> bool:
    """Feet above hips, hands on the floor."""
    over = c.heights[:, ANKLES].min(1) > c.hips
    return bool((over & (c.heights[:, WRISTS].min(1) < 0.3)).sum() >= 3)
