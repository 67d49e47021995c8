"""Facts about a window that geometry makes certain, and short captions that say them."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from aesop.camera_words.vocabulary import Form, inflected, pick
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS
from aesop.scene.skeleton import JOINT

_ANKLES, _HIPS, _KNEES, _TOES, _WRISTS, _SHOULDERS = (
    [JOINT[f"left_{name}"], JOINT[f"right_{name}"]]
    for name in ("ankle", "hip", "knee", "foot", "wrist", "shoulder")
)
_TRUNK = [JOINT[name] for name in ("pelvis", "spine2", "spine3", "neck", "head")]
_STEP_SIGMA = 6.0  # frames: removes bobbing and swaying, keeps turns and stops
_TOE_BELOW_ANKLE_M = 0.05
_PLANTED_MPS = 0.35
_AIRBORNE_M = 0.05
# A free fall has the acceleration of gravity; what hangs or climbs has not.
_FREE_FALL_MPS2 = (-16.0, -5.0)
_SHORTEST_FLIGHT = 7  # frames; a runner flies for four or five
_LOWEST_FLIGHT_M = 0.12
_SECOND = 25  # frames
_STANDS_M = 0.78  # pelvis height of a body on straight legs; ours stands at 0.93
_UPRIGHT = 0.8  # cosine
_STRAIGHT = math.radians(40)  # a path that bends less goes straight
_MOST_BEND = 1.6  # radians per metre of way
_TURN = (math.radians(65), math.radians(145))
_TWIST = math.radians(35)
_HALF_TURN = (math.radians(150), math.radians(215))

Joints = Float[np.ndarray, "frames 22 3"]
Curve = Float[np.ndarray, " frames"]
Mask = Bool[np.ndarray, " frames"]
Sides = Float[np.ndarray, "frames 2"]  # left and right

Fact = Literal[
    "walks forward", "walks backward", "walks", "runs", "sidesteps left", "sidesteps right",
    "stands still", "stands", "turns left", "turns right", "turns around", "jumps",
    "jumps repeatedly", "sits down", "stands up", "sits", "crouches", "bends over", "lies",
    "raises left arm", "raises right arm", "raises both arms",
]  # fmt: skip

_PEOPLE = ("a person", "a person", "someone", "the figure", "a human")

_ACTIONS: dict[Fact, tuple[str, ...]] = {
    "walks forward": ("walk forward", "walk straight ahead", "step forward at a walk"),
    "walks backward": ("walk backward", "walk backwards", "step back without turning round"),
    "walks": ("walk", "walk along a curve", "walk around"),
    "runs": ("run", "run forward", "run along"),
    "sidesteps left": ("step sideways to the left", "move sideways to the left"),
    "sidesteps right": ("step sideways to the right", "move sideways to the right"),
    "stands still": ("stand still", "stand without moving", "stay standing in one place"),
    "stands": ("stand in place", "stand on the spot", "stay on both feet in one spot"),
    "turns left": ("turn left", "turn to the left"),
    "turns right": ("turn right", "turn to the right"),
    "turns around": ("turn around", "turn to face the other way", "make a half turn"),
    "jumps": ("jump", "jump up", "leap off the ground"),
    "jumps repeatedly": ("jump several times", "jump again and again"),
    "sits down": ("sit down", "take a seat"),
    "stands up": ("stand up", "rise from a seat", "get up"),
    "sits": ("sit", "stay seated"),
    "crouches": ("crouch", "crouch down", "squat down"),
    "bends over": ("bend over", "bend forward at the waist"),
    "lies": ("lie on the ground", "lie down low"),
    "raises left arm": ("raise the left arm", "lift the left hand above the head"),
    "raises right arm": ("raise the right arm", "lift the right hand above the head"),
    "raises both arms": ("raise both arms", "lift both hands above the head"),
}


# What the rule for gerunds misspells. The first edition keeps its words as they were.
_RIGHT_SPELLINGS = {
    "runing": "running", "liing": "lying", "squating": "squatting", "steping": "stepping",
}  # fmt: skip


def factual_captions(
    joints: Joints, yaw: Curve, dice: np.random.Generator, *, spells_right: bool = False
) -> list[str]:
    """One caption for every certain fact of a window at our rate, and one that joins the first two.

    Empty where nothing is certain. The first edition of Fables misspells four gerunds.
    """
    captions = _captions(facts_of(joints, yaw), dice)
    if not spells_right:
        return captions
    return [
        " ".join(_RIGHT_SPELLINGS.get(word, word) for word in caption.split(" "))
        for caption in captions
    ]


def _captions(facts: tuple[Fact, ...], dice: np.random.Generator) -> list[str]:
    captions = [_caption([pick(_ACTIONS[fact], dice)], dice) for fact in facts]
    if len(facts) > 1:
        captions.append(_caption([pick(_ACTIONS[fact], dice) for fact in facts[:2]], dice))
    return captions


def _caption(actions: list[str], dice: np.random.Generator) -> str:
    person = pick((*_PEOPLE, ""), dice)
    form: Form = "third" if person else "gerund"
    done = " and ".join(inflected((action, action), form).words for action in actions)
    return f"{person} {done}".strip()


def facts_of(joints: Joints, yaw: Curve) -> tuple[Fact, ...]:
    """All certain facts of a window at our rate, its floor at its lowest joint."""
    measures = measure(joints, yaw)
    rules = (_going, _staying, _turning, _jumping, _seated, _low, _arms)
    return tuple(fact for rule in rules for fact in rule(measures))


@dataclass(frozen=True, eq=False)
class Measures:
    """Measurable curves of one motion."""

    joints: Joints
    yaw: Curve  # unwrapped and smoothed; grows to the left

    @property
    def frames(self) -> int:
        return len(self.joints)

    @cached_property
    def velocity(self) -> Float[np.ndarray, "frames 2"]:
        """Of the smoothed root along the ground: forward and to the left of the person."""
        root = smoothed(self.joints[:, 0, :2], _STEP_SIGMA)
        step = np.gradient(root, axis=0) * NATIVE_FPS
        (x, y), sine, cosine = step.T, np.sin(self.yaw), np.cos(self.yaw)
        return np.stack([x * sine - y * cosine, x * cosine + y * sine], -1)

    @cached_property
    def speed(self) -> Curve:
        return np.linalg.norm(self.velocity, axis=-1)

    @cached_property
    def joint_speed(self) -> Float[np.ndarray, "frames 22"]:
        return np.linalg.norm(np.gradient(self.joints, axis=0), axis=-1) * NATIVE_FPS

    @property
    def pelvis_height(self) -> Curve:
        return self.joints[:, 0, 2]

    @cached_property
    def uprightness(self) -> Curve:
        """Cosine between trunk and vertical."""
        trunk = self.joints[:, JOINT["neck"]] - self.joints[:, 0]
        return trunk[:, 2] / np.linalg.norm(trunk, axis=-1)

    @property
    def standing(self) -> Mask:
        return (self.pelvis_height > _STANDS_M) & (self.uprightness > _UPRIGHT)

    @cached_property
    def shin_uprightness(self) -> Sides:
        """Cosine between the left and the right shin and the vertical."""
        shin = self.joints[:, _KNEES] - self.joints[:, _ANKLES]
        return shin[..., 2] / np.linalg.norm(shin, axis=-1)

    @cached_property
    def feet_turn(self) -> float:
        """Angle in (−π, π] by which both feet together point elsewhere at the end; left is +."""
        along = (self.joints[:, _TOES, :2] - self.joints[:, _ANKLES, :2]).sum(1)
        (x, y), (later_x, later_y) = along[:5].mean(0), along[-5:].mean(0)
        return float(np.arctan2(x * later_y - y * later_x, x * later_x + y * later_y))

    @cached_property
    def leg_reach(self) -> Sides:
        """From hip to ankle, left and right."""
        return np.linalg.norm(self.joints[:, _HIPS] - self.joints[:, _ANKLES], axis=-1)

    @cached_property
    def foot_height(self) -> Sides:
        """Of the lowest part of the left and the right foot above the floor of the window."""
        toes, ankles = self.joints[:, _TOES, 2], self.joints[:, _ANKLES, 2]
        lowest = np.minimum(toes, ankles - _TOE_BELOW_ANKLE_M)
        return lowest - np.percentile(lowest.min(1), 5)

    @cached_property
    def planted(self) -> Bool[np.ndarray, "frames 2"]:
        """Whether toe or heel of the left and the right foot rests."""
        speed = np.minimum(self.joint_speed[:, _TOES], self.joint_speed[:, _ANKLES])
        return speed < _PLANTED_MPS

    @property
    def both_planted(self) -> Mask:
        return self.planted[:, 0] & self.planted[:, 1]

    @property
    def both_off(self) -> Mask:
        """Both feet in the air; captured floors slope too much to tell by height alone."""
        off = ~self.planted & (self.foot_height > 0.03)
        return off[:, 0] & off[:, 1]

    @cached_property
    def wrists_above_shoulders(self) -> Sides:
        return self.joints[:, _WRISTS, 2] - self.joints[:, _SHOULDERS, 2]

    @cached_property
    def overhang(self) -> Curve:
        """How far the trunk is behind the feet. Nobody keeps balance there without a seat."""
        trunk = self.joints[:, _TRUNK, :2].mean(1)
        feet = self.joints[:, _ANKLES + _TOES, :2].mean(1)
        ahead = feet - trunk
        return ahead[:, 0] * np.sin(self.yaw) - ahead[:, 1] * np.cos(self.yaw)

    @cached_property
    def flights(self) -> list[tuple[int, int]]:
        """Frames first … stop−1 in which the upright body falls freely, well off the ground."""
        flights: list[tuple[int, int]] = []
        low = self.foot_height.min(1)
        for first, stop in stretches(low > _AIRBORNE_M):
            if stop - first < _SHORTEST_FLIGHT or low[first:stop].max() < _LOWEST_FLIGHT_M:
                continue
            time = np.arange(stop - first) / NATIVE_FPS
            bend = 2 * np.polyfit(time, self.pelvis_height[first:stop], 2)[0]
            upright = bool((self.uprightness[first:stop] > 0.6).all())
            if _FREE_FALL_MPS2[0] < bend < _FREE_FALL_MPS2[1] and upright:
                flights.append((first, stop))
        return flights

    @cached_property
    def steps(self) -> int:
        """How often the weight passes from one foot to the other."""
        left, right = self.planted.T
        alone = (left.astype(int) - right.astype(int))[left != right]
        return int(np.count_nonzero(np.diff(alone)))


def measure(joints: Joints, yaw: Curve) -> Measures:
    """The measures of a motion at our own rate."""
    unwrapped = np.unwrap(yaw.astype(np.float64))
    return Measures(joints.astype(np.float64), smoothed(unwrapped[:, None], _STEP_SIGMA)[:, 0])


def stretches(mask: Mask) -> list[tuple[int, int]]:
    """Maximal stretches of true frames as (first, past-the-last)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    return [(int(first), int(stop)) for first, stop in zip(edges[::2], edges[1::2], strict=True)]


def _held(over: Mask, kept: Mask) -> Mask:
    """Hysteresis: stretches of `kept` that reach `over` at least once."""
    mask = np.zeros_like(kept)
    for first, stop in stretches(kept):
        mask[first:stop] = over[first:stop].any()
    return mask


def _mostly(mask: Mask, share: float) -> bool:
    return bool(mask.mean() >= share)


def _longest(mask: Mask) -> int:
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
    if np.ptp(m.joints[:, _ANKLES], axis=0).max() > 0.08:
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
    if len(m.flights) >= 3:
        return ["jumps repeatedly"]
    return ["jumps"] if m.flights else []


def _seated(m: Measures) -> list[Fact]:
    """Seated is: low, trunk and shins up, and too far behind the feet to balance."""
    low = (m.pelvis_height < 0.68) & (m.pelvis_height > 0.3)
    posture = (m.speed < 0.3) & (m.uprightness > 0.7) & (m.shin_uprightness.max(1) > 0.75)
    seated = _held(m.overhang > 0.28, (m.overhang > 0.2) & low & posture)
    if _mostly(seated, 0.98):
        return ["sits"]
    if not (seated.any() and m.standing.any()) or m.flights:
        return []
    spells = stretches(seated)
    if len(spells) != 1 or _longest(seated) < _SECOND // 2:
        return []
    first, stop = spells[0]
    facts: list[Fact] = []
    if m.standing[:first].sum() > 5:
        facts.append("sits down")
    if m.standing[stop:].sum() > 5:
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
    facts: list[Fact] = []
    if _longest(crouch) >= _SECOND // 2 and m.standing.sum() > 5 and not m.flights:
        facts.append("crouches")
    on_ground = m.foot_height.max(1) < 0.15
    bent = (m.uprightness < 0.4) & (m.pelvis_height > 0.65) & planted & on_ground
    if _longest(bent) >= _SECOND // 3 and m.standing.sum() > 5 and not m.flights:
        facts.append("bends over")
    return facts


def _arms(m: Measures) -> list[Fact]:
    """An arm that hung is held above the head."""
    if not _is_on_its_feet(m):
        return []
    above_shoulders = m.wrists_above_shoulders.T
    above_head = m.joints[:, _WRISTS, 2] - m.joints[:, [JOINT["head"]], 2]
    left, right = map(_rises, above_head.T, above_shoulders)
    if left and right:
        return ["raises both arms"]
    if left and above_shoulders[1].max() < 0:
        return ["raises left arm"]
    return ["raises right arm"] if right and above_shoulders[0].max() < 0 else []


def _rises(above_head: Curve, above_shoulder: Curve) -> bool:
    high = above_head > 0.1
    if _longest(high) < _SECOND // 3:
        return False
    return bool((above_shoulder[: np.argmax(high)] < -0.25).sum() > 5)
