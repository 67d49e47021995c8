"""What must be seen of a body that does an action: one geometric test an action.

Tests know motions, not who made them. A motion has 1.5 to 8 s at our rate; heights are those of our
skeleton, whose hips stand at 0.93 m. Thresholds were chosen on real people (docs/acts.md).
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from aesop.metrics.action_curves import (
    ANKLES,
    KNEES,
    SHOULDERS,
    WRISTS,
    ActionCurves,
    Curve,
    Mask,
    action_curves,
    last_frames,
    longest_s,
    part_of,
    reversals,
)
from aesop.metrics.metric_book import MetricError
from aesop.scene.human import NATIVE_FPS, HumanMotion
from aesop.scene.skeleton import JOINT

ActionTest = Callable[[ActionCurves], bool]

LEFT, RIGHT = 0, 1
STANDING_M = 0.93
ON_FEET_M = 0.75  # hips of somebody on the feet, knees bent or not
LOW_M = 0.6 * STANDING_M
PELVIS = [JOINT["pelvis"]]
# Where two actions follow each other: each has this much time at least.
SHORTEST_PART_S = 0.8
CUT_STEP_S = 0.2


def does(action: str, motion: HumanMotion) -> bool:
    """Whether a motion shows an action."""
    if action not in ACTION_TESTS:
        raise MetricError(f"There is no test of {action!r}.", "Choose one of ACTION_TESTS.")
    return ACTION_TESTS[action](action_curves(motion))


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


def _goes_on(c: ActionCurves) -> bool:
    return c.path_m >= 0.25 * c.seconds and bool(c.forward_m[-1] > 0.4 * c.path_m)


def walks_circle(c: ActionCurves) -> bool:
    """The heading turns half a circle or more one way while the way goes on."""
    return _goes_on(c) and bool(abs(c.turn_deg[-1]) >= 140) and c.path_m >= 1.2


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


def _standing(c: ActionCurves) -> Mask:
    return (c.hips > 0.78) & (c.upright > 0.7)


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
    return bool((knees.max(0) > 0.57).all()) and _goes_on(c)


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
    return usual < 0.35 and fast < 1.1 and _on_feet(c) and c.path_m < 0.25


def upside_down(c: ActionCurves) -> bool:
    """Feet above hips, hands on the floor."""
    over = c.heights[:, ANKLES].min(1) > c.hips
    return bool((over & (c.heights[:, WRISTS].min(1) < 0.3)).sum() >= 3)


def then(first: ActionTest, second: ActionTest) -> ActionTest:
    """One after the other: some moment parts the motion so that each part shows its action."""

    def test(c: ActionCurves) -> bool:
        shortest, step = (round(s * NATIVE_FPS) for s in (SHORTEST_PART_S, CUT_STEP_S))
        for cut in range(shortest, c.frames - shortest + 1, step):
            before, after = part_of(c, slice(0, cut)), part_of(c, slice(cut, c.frames))
            if first(before) and second(after):
                return True
        return False

    return test


_turn_left = partial(turns, low_deg=37.0, high_deg=300.0, sign=1)
_turn_right = partial(turns, low_deg=37.0, high_deg=300.0, sign=-1)
_turn_around = partial(turns, low_deg=140.0, high_deg=220.0, sign=0)

ACTION_TESTS: Mapping[str, ActionTest] = {
    "walk forward": walks_forward,
    "walk backward": walks_backward,
    "sidestep left": partial(sidesteps, side=LEFT),
    "sidestep right": partial(sidesteps, side=RIGHT),
    "walk in a circle": walks_circle,
    "run": runs,
    "turn left": _turn_left,
    "turn right": _turn_right,
    "turn around": _turn_around,
    "spin": spins,
    "sit down": sits_down,
    "stand up": stands_up,
    "sit": sits,
    "lie down": lies_down,
    "get up": gets_up,
    "lie": lies,
    "crouch": crouches,
    "squat several times": squats_again,
    "kneel": kneels,
    "crawl": crawls,
    "jump up": jumps_up,
    "jump forward": jumps_forward,
    "jump several times": jumps_again,
    "hop on the left leg": partial(hops, side=LEFT),
    "hop on the right leg": partial(hops, side=RIGHT),
    "jumping jacks": jumping_jacks,
    "skip": skips,
    "raise the left arm": partial(raises_arm, side=LEFT),
    "raise the right arm": partial(raises_arm, side=RIGHT),
    "raise both arms": raises_both_arms,
    "stretch": stretches_arms,
    "wave with the left hand": partial(waves, side=LEFT),
    "wave with the right hand": partial(waves, side=RIGHT),
    "clap": claps,
    "punch with the left hand": partial(punches, side=LEFT),
    "punch with the right hand": partial(punches, side=RIGHT),
    "box": boxes,
    "throw": throws,
    "reach forward": reaches,
    "reach up": reaches_up,
    "point": points,
    "touch the head": hand_to_head,
    "drink": drinks,
    "swing the arms": swings_arms,
    "gesture": gestures,
    "kick with the left leg": partial(kicks, side=LEFT),
    "kick with the right leg": partial(kicks, side=RIGHT),
    "balance on one leg": balances,
    "lift a leg": lifts_leg,
    "march": marches,
    "limp": limps,
    "sneak": sneaks,
    "step up": steps_up,
    "step down": steps_down,
    "step over": steps_over,
    "lunge": lunges,
    "bow": bows,
    "bend forward": bends_forward,
    "pick up": picks_up,
    "lean to the left": partial(leans, side=LEFT),
    "lean to the right": partial(leans, side=RIGHT),
    "twist": twists,
    "look around": looks_around,
    "stumble": stumbles,
    "dance": dances,
    "stand still": stands_still,
    "turn upside down": upside_down,
    "walk, then sit down": then(walks_forward, sits_down),
    "walk, then turn around": then(walks_forward, _turn_around),
    "turn around, then walk": then(_turn_around, walks_forward),
    "stand up, then walk": then(stands_up, walks_forward),
    "crouch, then jump": then(crouches, jumps_up),
    "run, then stop": then(runs, stops),
    "walk, then stand": then(walks_forward, stands_still),
    "pick up, then walk": then(picks_up, walks_forward),
    "walk, then jump": then(walks_forward, jumps_up),
}
