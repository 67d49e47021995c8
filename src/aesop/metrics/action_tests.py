"""Geometric tests of actions by their names.

Tests know motions, not who made them. A motion has 1 to 12 s at our rate. Thresholds were chosen
on real people (docs/acts.md).
"""

from collections.abc import Callable, Mapping
from functools import partial

from aesop.metrics import body_actions as body
from aesop.metrics import limb_actions as limbs
from aesop.metrics.action_curves import LEFT, RIGHT, ActionCurves, action_curves, part_of
from aesop.metrics.metric_book import MetricError
from aesop.scene.human import NATIVE_FPS, HumanMotion

ActionTest = Callable[[ActionCurves], bool]

# Where two actions follow each other: each has this much time at least.
SHORTEST_PART_S = 0.8
CUT_STEP_S = 0.2


def does(action: str, motion: HumanMotion) -> bool:
    """Whether a motion shows an action."""
    if action not in ACTION_TESTS:
        raise MetricError(f"There is no test of {action!r}.", "Choose one of ACTION_TESTS.")
    return ACTION_TESTS[action](action_curves(motion))


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


_turn_left = partial(body.turns, low_deg=37.0, high_deg=300.0, sign=1)
_turn_right = partial(body.turns, low_deg=37.0, high_deg=300.0, sign=-1)
_turn_around = partial(body.turns, low_deg=140.0, high_deg=220.0, sign=0)

ACTION_TESTS: Mapping[str, ActionTest] = {
    "walk forward": body.walks_forward,
    "walk backward": body.walks_backward,
    "sidestep left": partial(body.sidesteps, side=LEFT),
    "sidestep right": partial(body.sidesteps, side=RIGHT),
    "walk in a circle": body.walks_circle,
    "run": body.runs,
    "turn left": _turn_left,
    "turn right": _turn_right,
    "turn around": _turn_around,
    "spin": body.spins,
    "sit down": body.sits_down,
    "stand up": body.stands_up,
    "sit": body.sits,
    "lie down": body.lies_down,
    "get up": body.gets_up,
    "lie": body.lies,
    "crouch": body.crouches,
    "squat several times": body.squats_again,
    "kneel": body.kneels,
    "crawl": body.crawls,
    "jump up": body.jumps_up,
    "jump forward": body.jumps_forward,
    "jump several times": body.jumps_again,
    "hop on the left leg": partial(body.hops, side=LEFT),
    "hop on the right leg": partial(body.hops, side=RIGHT),
    "jumping jacks": body.jumping_jacks,
    "skip": body.skips,
    "raise the left arm": partial(limbs.raises_arm, side=LEFT),
    "raise the right arm": partial(limbs.raises_arm, side=RIGHT),
    "raise both arms": limbs.raises_both_arms,
    "stretch": limbs.stretches_arms,
    "wave with the left hand": partial(limbs.waves, side=LEFT),
    "wave with the right hand": partial(limbs.waves, side=RIGHT),
    "clap": limbs.claps,
    "punch with the left hand": partial(limbs.punches, side=LEFT),
    "punch with the right hand": partial(limbs.punches, side=RIGHT),
    "box": limbs.boxes,
    "throw": limbs.throws,
    "reach forward": limbs.reaches,
    "reach up": limbs.reaches_up,
    "point": limbs.points,
    "touch the head": limbs.hand_to_head,
    "drink": limbs.drinks,
    "swing the arms": limbs.swings_arms,
    "gesture": limbs.gestures,
    "kick with the left leg": partial(limbs.kicks, side=LEFT),
    "kick with the right leg": partial(limbs.kicks, side=RIGHT),
    "balance on one leg": limbs.balances,
    "lift a leg": limbs.lifts_leg,
    "march": limbs.marches,
    "limp": limbs.limps,
    "sneak": limbs.sneaks,
    "step up": limbs.steps_up,
    "step down": limbs.steps_down,
    "step over": limbs.steps_over,
    "lunge": limbs.lunges,
    "bow": body.bows,
    "bend forward": body.bends_forward,
    "pick up": body.picks_up,
    "lean to the left": partial(body.leans, side=LEFT),
    "lean to the right": partial(body.leans, side=RIGHT),
    "twist": body.twists,
    "look around": body.looks_around,
    "stumble": body.stumbles,
    "dance": body.dances,
    "stand still": body.stands_still,
    "turn upside down": body.upside_down,
    "walk, then sit down": then(body.walks_forward, body.sits_down),
    "walk, then turn around": then(body.walks_forward, _turn_around),
    "turn around, then walk": then(_turn_around, body.walks_forward),
    "stand up, then walk": then(body.stands_up, body.walks_forward),
    "crouch, then jump": then(body.crouches, body.jumps_up),
    "run, then stop": then(body.runs, body.stops),
    "walk, then stand": then(body.walks_forward, body.stands_still),
    "pick up, then walk": then(body.picks_up, body.walks_forward),
    "walk, then jump": then(body.walks_forward, body.jumps_up),
}
