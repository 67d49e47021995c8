"""What must be seen of arms and legs that act: geometric tests. `side` is LEFT or RIGHT."""

import numpy as np

from aesop.metrics.action_curves import (
    KNEES,
    LEFT,
    RIGHT,
    SHOULDERS,
    WRISTS,
    ActionCurves,
    Curve,
    Mask,
    longest_s,
    reversals,
)

# Arms.


def _raised(c: ActionCurves, side: int, over_m: float = 0.15) -> Mask:
    return c.wrists_up[:, side] > over_m


def raises_arm(c: ActionCurves, side: int) -> bool:
    """One hand is held high above its shoulder, the other is not."""
    high = longest_s(_raised(c, side)) >= 0.25
    return high and longest_s(_raised(c, 1 - side, 0.0)) < 0.2


def raises_both_arms(c: ActionCurves) -> bool:
    return longest_s(_raised(c, LEFT) & _raised(c, RIGHT)) >= 0.25


def stretches_arms(c: ActionCurves) -> bool:
    """Both arms long and overhead."""
    up = c.wrists_up.min(1) > 0.1
    return longest_s(up & (c.reach_m.min(1) > 0.25)) >= 0.2


def waves(c: ActionCurves, side: int) -> bool:
    """A raised hand goes to and fro; it is higher than the other."""
    raised = c.wrists_up[:, side] > -0.2
    if longest_s(raised) < 0.5:
        return False
    across, ahead = (curve(WRISTS, SHOULDERS)[raised, side] for curve in (c.aside, c.ahead))
    strokes = max(reversals(across, 0.04), reversals(ahead, 0.04))
    higher = c.wrists_up[raised, side] > c.wrists_up[raised, 1 - side] + 0.1
    return strokes >= 2 and bool(higher.mean() > 0.7)


def claps(c: ActionCurves) -> bool:
    """Hands before the body meet and part again and again."""
    near = (c.hands_apart_m < 0.35) & (c.wrists_up.min(1) > -0.45)
    return reversals(c.hands_apart_m[near], 0.025) >= 4 and bool(near.mean() > 0.4)


def _thrusts(c: ActionCurves, side: int, least_mps: float) -> int:
    """Times a hand shoots forward and away from the shoulder."""
    ahead = c.ahead(WRISTS, SHOULDERS)[:, side]
    speed = c.wrist_speed[:, side]
    high = c.wrists_up[:, side] > -0.3
    count, last = 0, -8
    for frame in range(1, c.frames - 1):
        is_peak = ahead[frame - 1] <= ahead[frame] > ahead[frame + 1]
        fast = speed[max(0, frame - 8) : frame + 1].max() > least_mps
        if is_peak and fast and ahead[frame] > 0.25 and high[frame] and frame - last >= 8:
            count, last = count + 1, frame
    return count


def punches(c: ActionCurves, side: int) -> bool:
    own, other = (_thrusts(c, which, 2.0) for which in (side, 1 - side))
    return own >= 1 and own >= other


def boxes(c: ActionCurves) -> bool:
    return _thrusts(c, LEFT, 2.0) + _thrusts(c, RIGHT, 2.0) >= 2


def throws(c: ActionCurves) -> bool:
    """A hand is flung past the shoulder."""
    flung: list[bool] = []
    for side in (LEFT, RIGHT):
        speed = c.wrist_speed[:, side]
        fast = int(speed.argmax())
        around = slice(max(0, fast - 12), fast + 12)
        ahead, up = c.ahead(WRISTS, SHOULDERS)[around, side], c.wrists_up[around, side]
        far = np.ptp(ahead) > 0.22 or np.ptp(up) > 0.4
        flung.append(bool(speed[fast] > 2.8 and far and up.max() > -0.3))
    return any(flung)


def reaches(c: ActionCurves) -> bool:
    """A hand is held out, long, in front."""
    out = (c.reach_m > 0.34) & (c.ahead(WRISTS, SHOULDERS) > 0.24) & (c.wrists_up > -0.37)
    if c.path_m > 0.25 * c.seconds + 0.3:
        return False
    return max(longest_s(out[:, LEFT]), longest_s(out[:, RIGHT])) >= 0.3


def reaches_up(c: ActionCurves) -> bool:
    up = (c.wrists_over_head > 0.1) & (c.reach_m > 0.4)
    return max(longest_s(up[:, LEFT]), longest_s(up[:, RIGHT])) >= 0.25


def points(c: ActionCurves) -> bool:
    """One arm long and near the level of the shoulder, the other hangs."""
    if c.path_m > 0.25 * c.seconds + 0.5:
        return False
    for side in (LEFT, RIGHT):
        level = (c.wrists_up[:, side] > -0.25) & (c.wrists_up[:, side] < 0.3)
        long = c.reach_m[:, side] > 0.4
        other = c.wrists_up[:, 1 - side] < -0.2
        if longest_s(level & long & other) >= 0.3:
            return True
    return False


def hand_to_head(c: ActionCurves) -> bool:
    """A hand is at the head, coming from below or going there again."""
    near = (c.hand_to_head_m < 0.28) & (c.wrists_over_head < 0.15)
    return max(longest_s(near[:, LEFT]), longest_s(near[:, RIGHT])) >= 0.25


def drinks(c: ActionCurves) -> bool:
    return hand_to_head(c) and _on_feet_or_seated(c)


def _on_feet_or_seated(c: ActionCurves) -> bool:
    return bool((c.upright > 0.6).mean() > 0.8) and c.path_m < 1.0


def swings_arms(c: ActionCurves) -> bool:
    """Both hands go to and fro by a lot."""
    if c.path_m > 0.3 * c.seconds + 0.5:
        return False
    ranges: list[int] = []
    for side in (LEFT, RIGHT):
        ahead = c.ahead(WRISTS, SHOULDERS)[:, side]
        aside = c.aside(WRISTS, SHOULDERS)[:, side]
        up = c.wrists_up[:, side]
        ranges.append(max(reversals(curve, 0.2) for curve in (ahead, aside, up)))
    return min(ranges) >= 2


def gestures(c: ActionCurves) -> bool:
    """On the spot, with busy hands in front of the body."""
    busy = float(c.wrist_speed.max(1).mean()) > 0.2
    near = c.path_m < 0.25 * c.seconds + 0.4
    return busy and near and bool((c.wrists_up.max(1) > -0.42).mean() > 0.4)


# Legs.


def kicks(c: ActionCurves, side: int) -> bool:
    """One foot swings up fast and comes back; the other stands."""
    lift, speed = c.foot_lift[:, side], c.ankle_speed[:, side]
    top = int(lift.argmax())
    fast = speed[max(0, top - 10) : top + 10].max() > 2.0
    stands = c.foot_lift[max(0, top - 3) : top + 4, 1 - side].min() < 0.15
    return bool(lift[top] > 0.3 and fast and stands and lift[top] > c.foot_lift[:, 1 - side].max())


def balances(c: ActionCurves) -> bool:
    """On one foot for a second."""
    lifted = (c.foot_lift.max(1) > 0.08) & (c.foot_lift.min(1) < 0.08)
    return longest_s(lifted) >= 0.9


def lifts_leg(c: ActionCurves) -> bool:
    lifted = c.foot_lift > 0.12
    return max(longest_s(lifted[:, LEFT]), longest_s(lifted[:, RIGHT])) >= 0.2 and c.path_m < 1.1


def marches(c: ActionCurves) -> bool:
    """Knees come up one after the other."""
    knees = c.heights[:, KNEES]
    return bool((knees.max(0) > 0.57).all()) and c.goes_on


def limps(c: ActionCurves) -> bool:
    """Goes on while one foot stands longer than the other and the trunk rocks over it."""
    stands = c.measures.planted.mean(0)
    uneven = float(stands.max() / max(stands.min(), 0.02)) > 1.05
    rocks = float(np.abs(np.diff(c.side_lean_deg)).sum()) > 12.5 * c.seconds
    return uneven and rocks and 0.2 * c.seconds < c.path_m < 0.66 * c.seconds


def sneaks(c: ActionCurves) -> bool:
    """Goes on slowly, stooped, hands before the body."""
    low = float(c.forward_lean_deg.max()) > 18 or float(np.median(c.hips)) < 0.7
    hands = float(c.wrists_up.mean()) > -0.39
    return low and hands and 0.1 * c.seconds < c.path_m < 0.95 * c.seconds


def steps_up(c: ActionCurves) -> bool:
    """The floor beneath the feet gets higher by a step."""
    return _rise(c.stance_m) > 0.12


def steps_down(c: ActionCurves) -> bool:
    return _rise(c.stance_m[::-1]) > 0.12


def _rise(curve: Curve) -> float:
    """How far a curve gets above the lowest it was before."""
    return float((curve - np.minimum.accumulate(curve)).max())


def steps_over(c: ActionCurves) -> bool:
    return bool(c.foot_lift.max(0).max() > 0.27) and float(c.forward_m[-1]) > 0.4


def lunges(c: ActionCurves) -> bool:
    return longest_s((c.feet_apart_m > 0.6) & (c.hips < 0.84)) >= 0.25
