"""What geometry is sure of in one segment of a take: numbers in named columns, and short text."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from aesop.fables.human_facts import Measures, measure, stretches
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS
from aesop.scene.skeleton import JOINT

Posture = Literal[
    "standing", "bent over", "crouching", "sitting", "kneeling", "on all fours",
    "sitting on the floor", "lying",
]  # fmt: skip
HandLevel = Literal["low", "waist", "chest", "shoulder", "head", "overhead"]
# Heights of a wrist against the shoulder up to which it counts as at that level.
HAND_LEVELS: tuple[tuple[float, HandLevel], ...] = (
    (-0.42, "low"), (-0.25, "waist"), (-0.08, "chest"), (0.1, "shoulder"), (0.3, "head"),
)  # fmt: skip

LYING_M, SEAT_M, LOW_M = 0.35, 0.3, 0.7  # heights of the pelvis
BENT_COSINE = 0.64  # a trunk 50° from the vertical
LYING_COSINE = 0.5
KNEE_DOWN_M, HAND_DOWN_M = 0.17, 0.16
BEHIND_FEET_M = 0.2  # a trunk this far behind the feet needs a seat
SHORTEST_POSTURE_S = 0.4
STROKE_M = 0.07  # a hand that comes back by this much has made a stroke
FAST_MPS = 2.2  # of a thrusting hand or a kicking foot, against the pelvis
THRUST_REACH_M, KICK_REACH_M, KICK_HEIGHT_M = 0.33, 0.4, 0.3
APART_FRAMES = 8  # two peaks nearer than this are one
TOGETHER_M = 0.2
CONTEXT_FRAMES = 25  # around a segment, to find the floor beneath it

_WRISTS = [JOINT["left_wrist"], JOINT["right_wrist"]]
_SHOULDERS = [JOINT["left_shoulder"], JOINT["right_shoulder"]]
_KNEES = [JOINT["left_knee"], JOINT["right_knee"]]
_ANKLES = [JOINT["left_ankle"], JOINT["right_ankle"]]
_ANKLE_OVER_SOLE_M = 0.07

Joints = Float[np.ndarray, "frames 22 3"]
Curve = Float[np.ndarray, " frames"]
Sides = Float[np.ndarray, "frames 2"]


@dataclass(frozen=True)
class SegmentFacts:
    """Measured numbers of a segment. Left is the person's own left; turns to the left are +."""

    postures: str  # in order, as "standing>sitting"
    path_m: float  # way of the hips along the ground
    forward_m: float  # what of it went forward (backward is −), in the person's own heading
    left_m: float
    turn_deg: float  # from the first to the last frame
    most_left_deg: float  # furthest turn from the first heading, either way
    most_right_deg: float
    steps: int
    jumps: int  # flights with both feet off the ground
    jump_m: float  # highest of them
    pelvis_m: float  # lowest height of the hips; 0.93 is standing
    lean_deg: float  # largest angle of the trunk from the vertical
    left_hand: HandLevel  # highest level held
    right_hand: HandLevel
    left_hand_mps: float  # mean speed against the hips
    right_hand_mps: float
    left_strokes: int  # times a hand at shoulder height or above changes its direction sideways
    right_strokes: int
    left_thrusts: int  # fast reaches forward: punches, throws, pushes
    right_thrusts: int
    left_foot_m: float  # highest lift of the ankle
    right_foot_m: float
    left_kicks: int
    right_kicks: int
    hands_together: float  # share of the time
    hands_on_floor: str  # "", "left", "right" or "both"


FACT_NAMES = tuple(field.name for field in fields(SegmentFacts))


def segment_facts(joints: Joints, yaw: Curve, first: int, stop: int) -> SegmentFacts:
    """Facts about frames first … stop−1 of a take at our rate."""
    around = joints[max(0, first - CONTEXT_FRAMES) : stop + CONTEXT_FRAMES]
    floor = around[..., 2].min()
    m = measure(joints[first:stop] - [0.0, 0.0, floor], yaw[first:stop])
    along, aside = m.velocity.sum(0) / NATIVE_FPS
    turn = np.rad2deg(m.yaw - m.yaw[0])
    hands = _hand_levels(m)
    strokes, thrusts, kicks = _strokes(m), _thrusts(m), _kicks(m)
    busy = _speed(m, _WRISTS).mean(0)
    lift = m.joints[:, _ANKLES, 2].max(0) - _ANKLE_OVER_SOLE_M
    lean = np.rad2deg(np.arccos(np.clip(m.uprightness, -1.0, 1.0)))
    apart = np.linalg.norm(m.joints[:, _WRISTS[0]] - m.joints[:, _WRISTS[1]], axis=-1)
    rises = [_rise(m, flight) for flight in m.flights]
    return SegmentFacts(
        postures=">".join(_in_order(postures_of(m))),
        path_m=_rounded(m.speed.sum() / NATIVE_FPS),
        forward_m=_rounded(along),
        left_m=_rounded(aside),
        turn_deg=float(round(turn[-1])),
        most_left_deg=float(round(turn.max())),
        most_right_deg=float(round(-turn.min())),
        steps=m.steps,
        jumps=len(rises),
        jump_m=_rounded(max(rises, default=0.0)),
        pelvis_m=_rounded(m.pelvis_height.min()),
        lean_deg=float(round(lean.max())),
        left_hand=hands[0],
        right_hand=hands[1],
        left_hand_mps=_rounded(busy[0]),
        right_hand_mps=_rounded(busy[1]),
        left_strokes=strokes[0],
        right_strokes=strokes[1],
        left_thrusts=thrusts[0],
        right_thrusts=thrusts[1],
        left_foot_m=_rounded(max(0.0, lift[0])),
        right_foot_m=_rounded(max(0.0, lift[1])),
        left_kicks=kicks[0],
        right_kicks=kicks[1],
        hands_together=_rounded(float((apart < TOGETHER_M).mean())),
        hands_on_floor=_on_floor(m),
    )


def _rounded(number: float) -> float:
    return round(float(number), 2) + 0.0  # no −0


def postures_of(m: Measures) -> list[Posture]:
    """The posture of every frame."""
    knees, hands = m.joints[:, _KNEES, 2].min(1), m.joints[:, _WRISTS, 2].min(1)
    low = m.pelvis_height < LOW_M
    rules: tuple[tuple[Posture, Bool[np.ndarray, " frames"]], ...] = (
        ("lying", (m.pelvis_height < LYING_M) & (np.abs(m.uprightness) < LYING_COSINE)),
        ("sitting on the floor", (m.pelvis_height < SEAT_M) & (knees > KNEE_DOWN_M)),
        ("on all fours", low & (knees < KNEE_DOWN_M) & (hands < HAND_DOWN_M)),
        ("kneeling", low & (knees < KNEE_DOWN_M)),
        ("sitting", low & (m.overhang > BEHIND_FEET_M) & (m.uprightness > BENT_COSINE)),
        ("crouching", low),
        ("bent over", m.uprightness < BENT_COSINE),
    )
    postures: list[Posture] = ["standing"] * m.frames
    for name, holds in reversed(rules):  # the first rule that holds has the last word
        for frame in np.flatnonzero(holds).tolist():
            postures[frame] = name
    return postures


def _in_order(postures: Sequence[Posture]) -> list[Posture]:
    """Postures as they follow one another, without those that pass by."""
    kept: list[Posture] = []
    least = min(round(SHORTEST_POSTURE_S * NATIVE_FPS), len(postures) // 2)
    start = 0
    for frame in range(1, len(postures) + 1):
        if frame == len(postures) or postures[frame] != postures[start]:
            if frame - start >= least and (not kept or kept[-1] != postures[start]):
                kept.append(postures[start])
            start = frame
    return kept or [max(set(postures), key=postures.count)]


def _hand_levels(m: Measures) -> tuple[HandLevel, HandLevel]:
    """The highest level that each hand holds for a fifth of a second."""
    held = np.sort(m.wrists_above_shoulders, axis=0)[-min(5, m.frames)]
    left, right = held.tolist()
    return _hand_level(left), _hand_level(right)


def _hand_level(above_shoulder_m: float) -> HandLevel:
    for height, name in HAND_LEVELS:
        if above_shoulder_m < height:
            return name
    return "overhead"


def _speed(m: Measures, joints: list[int]) -> Sides:
    against = m.joints[:, joints] - m.joints[:, :1]
    return np.linalg.norm(np.gradient(against, axis=0), axis=-1) * NATIVE_FPS


def _ahead(m: Measures, joints: list[int]) -> Sides:
    """How far in front of the hips, along the heading."""
    away = m.joints[:, joints, :2] - m.joints[:, :1, :2]
    return away[..., 0] * np.sin(m.yaw)[:, None] - away[..., 1] * np.cos(m.yaw)[:, None]


def _strokes(m: Measures) -> tuple[int, int]:
    """Sideways strokes of each hand while it is at the shoulder or above."""
    away = m.joints[:, _WRISTS, :2] - m.joints[:, _SHOULDERS, :2]
    aside = away[..., 0] * np.cos(m.yaw)[:, None] + away[..., 1] * np.sin(m.yaw)[:, None]
    raised = m.wrists_above_shoulders > -0.1
    left, right = (
        sum(_reversals(aside[first:stop, side]) for first, stop in stretches(raised[:, side]))
        for side in (0, 1)
    )
    return left, right


def _reversals(curve: Curve) -> int:
    """How often a curve turns back by at least `STROKE_M`."""
    turns, direction, extreme = 0, 0, float(curve[0])
    for value in curve.tolist():
        gone = value - extreme
        if direction == 0 and abs(gone) >= STROKE_M:
            direction, extreme = (1 if gone > 0 else -1), value
        elif direction and gone * direction > 0:
            extreme = value
        elif direction and -gone * direction >= STROKE_M:
            turns, direction, extreme = turns + 1, -direction, value
    return turns


def _thrusts(m: Measures) -> tuple[int, int]:
    reach = m.joints[:, _WRISTS, :2] - m.joints[:, _SHOULDERS, :2]
    ahead = reach[..., 0] * np.sin(m.yaw)[:, None] - reach[..., 1] * np.cos(m.yaw)[:, None]
    forward = np.gradient(ahead, axis=0) * NATIVE_FPS
    high = m.wrists_above_shoulders > -0.3
    left, right = (_peaks(ahead[:, s], forward[:, s], THRUST_REACH_M, high[:, s]) for s in (0, 1))
    return left, right


def _kicks(m: Measures) -> tuple[int, int]:
    ahead, height = _ahead(m, _ANKLES), m.joints[:, _ANKLES, 2]
    speed = _speed(m, _ANKLES)
    high = height > KICK_HEIGHT_M
    left, right = (_peaks(ahead[:, s], speed[:, s], KICK_REACH_M, high[:, s]) for s in (0, 1))
    return left, right


def _peaks(
    ahead: Curve, speed: Curve, least_reach: float, allowed: Bool[np.ndarray, " frames"]
) -> int:
    """Furthest points of a limb that came fast to where it is stretched out."""
    count, last = 0, -APART_FRAMES
    for frame in range(1, len(ahead) - 1):
        is_peak = ahead[frame - 1] <= ahead[frame] > ahead[frame + 1]
        fast = speed[max(0, frame - 6) : frame + 1].max() > FAST_MPS
        reaches = ahead[frame] > least_reach and allowed[frame]
        if is_peak and fast and reaches and frame - last >= APART_FRAMES:
            count, last = count + 1, frame
    return count


def _rise(m: Measures, flight: tuple[int, int]) -> float:
    """How high the lower foot gets in a flight."""
    first, stop = flight
    return float(m.foot_height[first:stop].min(1).max())


def _on_floor(m: Measures) -> str:
    down = (smoothed(m.joints[:, _WRISTS, 2], 1.0) < HAND_DOWN_M).sum(0) >= 3
    return {(True, True): "both", (True, False): "left", (False, True): "right"}.get(
        (bool(down[0]), bool(down[1])), ""
    )


def facts_text(facts: SegmentFacts, seconds: float) -> list[str]:
    """The facts in short lines for a page; what is usual is left out."""
    lines = [f"{seconds:.1f} s · {facts.postures.replace('>', ' > ')}", _way_text(facts)]
    if abs(facts.turn_deg) >= 15:
        lines.append(f"turns {_side(facts.turn_deg)} {abs(facts.turn_deg):.0f}° in all")
    swings = facts.most_left_deg, facts.most_right_deg
    if max(swings) >= abs(facts.turn_deg) + 20:
        lines.append(f"turns up to {swings[0]:.0f}° left, {swings[1]:.0f}° right")
    if facts.jumps:
        lines.append(f"jumps {facts.jumps}x, feet {facts.jump_m:.2f} m up")
    lines.append(f"hands up to: left {facts.left_hand}, right {facts.right_hand}")
    lines.append(
        f"hand speed: left {facts.left_hand_mps:.1f}, right {facts.right_hand_mps:.1f} m/s"
    )
    lines += _limb_texts(facts)
    low = facts.pelvis_m < 0.8
    lean = facts.lean_deg >= 30
    if low or lean:
        lines.append(f"hips down to {facts.pelvis_m:.2f} m, leans {facts.lean_deg:.0f}°")
    return lines


def _way_text(facts: SegmentFacts) -> str:
    if facts.path_m < 0.25:
        return f"stays in place, {facts.steps} steps"
    ways: list[str] = []
    if abs(facts.forward_m) >= 0.2:
        ways.append(
            f"{'forward' if facts.forward_m > 0 else 'backward'} {abs(facts.forward_m):.1f}"
        )
    if abs(facts.left_m) >= 0.2:
        ways.append(f"to its {_side(facts.left_m)} {abs(facts.left_m):.1f}")
    goes = f"goes {' + '.join(ways)} m" if ways else "moves about"
    return f"{goes}, path {facts.path_m:.1f} m, {facts.steps} steps"


def _limb_texts(facts: SegmentFacts) -> list[str]:
    lines: list[str] = []
    for what, left, right, least in (
        ("raised hand strokes", facts.left_strokes, facts.right_strokes, 2),
        ("hand thrusts forward", facts.left_thrusts, facts.right_thrusts, 1),
        ("foot kicks", facts.left_kicks, facts.right_kicks, 1),
    ):
        if max(left, right) >= least:
            lines.append(f"{what}: left {left}x, right {right}x")
    if max(facts.left_foot_m, facts.right_foot_m) >= 0.25:
        lines.append(f"ankle lifts: left {facts.left_foot_m:.2f}, right {facts.right_foot_m:.2f} m")
    if facts.hands_together >= 0.3:
        lines.append(f"hands together {facts.hands_together:.0%} of the time")
    if facts.hands_on_floor:
        lines.append(f"hand near the floor: {facts.hands_on_floor}")
    return lines


def _side(left: float) -> str:
    return "left" if left > 0 else "right"
