"""Facts about a window that geometry makes certain. Doubtful cases give no fact at all.

Limits were set on CMU takes so that what is claimed is what the take's description says.
"""

import math
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from aesop.data.fables.human_measures import Measures, held, measure, stretches
from aesop.scene.skeleton import JOINT

Fact = Literal[
    "walks forward", "walks backward", "walks", "runs", "sidesteps left", "sidesteps right",
    "stands still", "stands", "turns left", "turns right", "turns around", "jumps",
    "jumps repeatedly", "sits down", "stands up", "sits", "crouches", "bends over", "lies",
    "raises left arm", "raises right arm", "raises both arms",
]  # fmt: skip

_ANKLES = [JOINT["left_ankle"], JOINT["right_ankle"]]
_KNEES = [JOINT["left_knee"], JOINT["right_knee"]]
_WRISTS = [JOINT["left_wrist"], JOINT["right_wrist"]]
_SECOND = 25  # frames
_STANDS_M = 0.78  # pelvis height of a body on straight legs; ours stands at 0.93
_UPRIGHT = 0.8  # cosine
_STRAIGHT = math.radians(40)  # a path that bends less goes straight
_MOST_BEND = 1.6  # radians per metre of way
_TURN = (math.radians(65), math.radians(145))
_TWIST = math.radians(35)
_HALF_TURN = (math.radians(150), math.radians(215))


def facts_of(
    joints: Float[np.ndarray, "frames 22 3"], yaw: Float[np.ndarray, " frames"]
) -> tuple[Fact, ...]:
    """All certain facts of a window at our rate, its floor at its lowest joint."""
    measures = measure(joints, yaw)
    tellers = (_going, _staying, _turning, _jumping, _seated, _low, _arms)
    return tuple(fact for tell in tellers for fact in tell(measures))


def _mostly(mask: Bool[np.ndarray, " frames"], share: float) -> bool:
    return bool(mask.mean() >= share)


def _longest(mask: Bool[np.ndarray, " frames"]) -> int:
    return max((stop - first for first, stop in stretches(mask)), default=0)


def _is_on_its_feet(m: Measures) -> bool:
    return _mostly(m.uprightness > _UPRIGHT, 0.97) and bool((m.pelvis_height > _STANDS_M).all())


def _going(m: Measures) -> list[Fact]:
    """Steady locomotion over nearly the whole window, on level ground."""
    level = m.foot_height[m.planted]
    if m.steps < 2 or m.flights or not len(level) or np.percentile(level, 95) > 0.15:
        return []
    # Who turns on the spot also steps; a path bends less for every metre.
    path = float(m.speed.sum()) / _SECOND
    if float(np.abs(np.diff(m.yaw)).sum()) > _MOST_BEND * path:
        return []
    return _running(m) or _walking(m)


def _running(m: Measures) -> list[Fact]:
    forward = m.velocity[:, 0]
    upright = _mostly(m.uprightness > 0.65, 0.95)
    fast = forward.mean() > 2.0 and _mostly(forward > 1.5, 0.85)
    return ["runs"] if upright and fast and _longest(m.both_off) >= 2 else []


def _walking(m: Measures) -> list[Fact]:
    forward, left = m.velocity.T
    along, aside = float(forward.mean()), float(left.mean())
    grounded = _mostly(m.planted[:, 0] | m.planted[:, 1], 0.8) and _longest(m.both_off) < 2
    calm = float(m.joint_speed[:, _WRISTS].mean()) < 1.0 + abs(along)
    if not (grounded and calm and _is_on_its_feet(m)) or max(abs(along), abs(aside)) > 1.9:
        return []
    straight = bool(np.ptp(m.yaw) < _STRAIGHT)
    if abs(aside) < 0.35 * abs(along):
        if along > 0.4 and _mostly(forward > 0.25, 0.9):
            return ["walks forward"] if straight else ["walks"]
        if along < -0.35 and _mostly(forward < -0.2, 0.9):
            return ["walks backward"]
    sideways = straight and abs(along) < 0.35 * abs(aside) and abs(aside) > 0.3
    if sideways and _mostly(left * np.sign(aside) > 0.15, 0.9):
        return ["sidesteps left"] if aside > 0 else ["sidesteps right"]
    return []


def _staying(m: Measures) -> list[Fact]:
    """On both feet, and on the spot."""
    if not (_is_on_its_feet(m) and _mostly(m.both_planted, 0.97)) or m.speed.max() > 0.25:
        return []
    feet = m.joints[:, _ANKLES]
    if np.ptp(feet, axis=0).max() > 0.08:
        return []
    still = np.percentile(m.joint_speed.max(1), 95) < 0.25 and m.speed.max() < 0.12
    return ["stands still"] if still else ["stands"]


def _turning(m: Measures) -> list[Fact]:
    """A turn one way without coming back, on the feet."""
    if not _is_on_its_feet(m):
        return []
    net = float(m.yaw[-1] - m.yaw[0])
    back = float(np.abs(np.diff(m.yaw)).sum()) - abs(net)
    if back > 0.15 * abs(net):
        return []
    # A twist of the hips over planted feet is no turn.
    apart = m.feet_turn - net
    if abs(math.atan2(math.sin(apart), math.cos(apart))) > _TWIST:
        return []
    if _TURN[0] < abs(net) < _TURN[1]:
        return ["turns left"] if net > 0 else ["turns right"]
    return ["turns around"] if _HALF_TURN[0] < abs(net) < _HALF_TURN[1] else []


def _jumping(m: Measures) -> list[Fact]:
    if not m.flights:
        return []
    return ["jumps repeatedly"] if len(m.flights) >= 3 else ["jumps"]


def _seated(m: Measures) -> list[Fact]:
    """Seated is: low, trunk and shins up, and too far behind the feet to balance."""
    low = (m.pelvis_height < 0.68) & (m.pelvis_height > 0.3)
    posture = (m.speed < 0.3) & (m.uprightness > 0.7) & (m.shin_uprightness.max(1) > 0.75)
    seated = held(m.overhang > 0.28, (m.overhang > 0.2) & low & posture)
    standing = (m.pelvis_height > _STANDS_M) & (m.uprightness > _UPRIGHT)
    if _mostly(seated, 0.98):
        return ["sits"]
    if not (seated.any() and standing.any()) or m.flights:
        return []
    spells = stretches(seated)
    if len(spells) != 1 or _longest(seated) < _SECOND // 2:
        return []
    first, stop = spells[0]
    facts: list[Fact] = []
    if standing[:first].sum() > 5:
        facts.append("sits down")
    if standing[stop:].sum() > 5:
        facts.append("stands up")
    return facts


def _low(m: Measures) -> list[Fact]:
    """Crouching, bending over, lying."""
    if _mostly((m.pelvis_height < 0.35) & (np.abs(m.uprightness) < 0.45), 0.98):
        return ["lies"]
    planted = m.both_planted
    # Both legs bent; neither on a low seat nor on knees or hands.
    folded = (m.pelvis_height < 0.58) & (m.leg_reach.max(1) < 0.62) & (m.overhang < 0.1)
    free = (m.joints[:, _KNEES, 2].min(1) > 0.2) & (m.joints[:, _WRISTS, 2].min(1) > 0.12)
    crouch = folded & free & planted & (m.uprightness > 0.5)
    standing = (m.pelvis_height > _STANDS_M) & (m.uprightness > _UPRIGHT)
    facts: list[Fact] = []
    if _longest(crouch) >= _SECOND // 2 and standing.sum() > 5 and not m.flights:
        facts.append("crouches")
    on_ground = m.foot_height.max(1) < 0.15
    bent = (m.uprightness < 0.4) & (m.pelvis_height > 0.65) & planted & on_ground
    if _longest(bent) >= _SECOND // 3 and standing.sum() > 5 and not m.flights:
        facts.append("bends over")
    return facts


def _arms(m: Measures) -> list[Fact]:
    """An arm that hung is held above the head."""
    if not _is_on_its_feet(m):
        return []
    raised = [
        _rises(m.wrists_above_head[:, side], m.wrists_above_shoulders[:, side]) for side in range(2)
    ]
    match raised:
        case [True, True]:
            return ["raises both arms"]
        case [True, False] if m.wrists_above_shoulders[:, 1].max() < 0:
            return ["raises left arm"]
        case [False, True] if m.wrists_above_shoulders[:, 0].max() < 0:
            return ["raises right arm"]
        case _:
            return []


def _rises(
    above_head: Float[np.ndarray, " frames"], above_shoulder: Float[np.ndarray, " frames"]
) -> bool:
    high = stretches(above_head > 0.1)
    if not high or max(stop - first for first, stop in high) < _SECOND // 3:
        return False
    return bool((above_shoulder[: high[0][0]] < -0.25).sum() > 5)
