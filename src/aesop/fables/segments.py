"""Takes cut into segments at changes of action.

A take is described by curves that stay level while a person keeps doing one thing: how it goes and
turns, how high and upright it is, how busy each limb is and where it is held. The cut is the one
that explains these curves best by levels, one per segment, when every further cut has a price
(optimal partitioning by dynamic programming). It draws no dice.
"""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float, Int

from aesop.fables.human_facts import Measures, measure
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS
from aesop.scene.skeleton import JOINT

STEP_FRAMES = 5  # cuts lie on multiples of 0.2 s, the precision at which people agree on them
SHORTEST_S = 1.0
USUAL_S = 6.0
LONGEST_S = 12.0  # one window of the networks
# What one more cut must explain, in squared units of the curves (see `_SCALES`) times seconds.
# Chosen on labelled takes: from 5 to 10 the boundary F1 hardly changes; 6 keeps most below 6 s.
CUT_PRICE = 6.0
# What a segment pays for every second beyond `USUAL_S`: long ones stay whole only if they are even.
LENGTH_PRICE_PER_S = 0.5
# Gaussian that takes steps and strokes out of the curves, and the one for how busy a limb is.
_SMOOTH_FRAMES = 7.0
_BUSY_FRAMES = 10.0
# A change of this size counts as one unit of each curve.
_SCALES = {
    "forward_mps": 0.45,
    "left_mps": 0.4,
    "turn_radps": 0.8,
    "pelvis_m": 0.16,
    "upright": 0.28,
    "hand_height_m": 0.3,
    "hand_reach_m": 0.25,
    "hand_busy_mps": 0.7,
    "foot_height_m": 0.16,
    "foot_busy_mps": 0.7,
    "in_air": 0.5,
}
_WRISTS = [JOINT["left_wrist"], JOINT["right_wrist"]]
_SHOULDERS = [JOINT["left_shoulder"], JOINT["right_shoulder"]]
_ANKLES = [JOINT["left_ankle"], JOINT["right_ankle"]]

Joints = Float[np.ndarray, "frames 22 3"]
Curve = Float[np.ndarray, " frames"]
Curves = Float[np.ndarray, "frames curves"]


def cut_segments(joints: Joints, yaw: Curve) -> list[tuple[int, int]]:
    """Frames (first, past-the-last) of the segments of a take, gapless and in order."""
    frames = len(joints)
    steps = max(1, frames // STEP_FRAMES)
    curves = action_curves(joints, yaw)
    levels = curves[: steps * STEP_FRAMES].reshape(steps, -1, curves.shape[1]).mean(1)
    edges = best_cut(levels)
    stops = [edge * STEP_FRAMES for edge in edges[1:-1]] + [frames]
    return list(zip([0, *stops[:-1]], stops, strict=True))


def action_curves(joints: Joints, yaw: Curve) -> Curves:
    """The curves whose changes are changes of action, each in its own unit."""
    m = measure(joints, yaw)
    parts = {
        "forward_mps": m.velocity[:, :1],
        "left_mps": m.velocity[:, 1:],
        "turn_radps": np.gradient(m.yaw)[:, None] * NATIVE_FPS,
        "pelvis_m": m.pelvis_height[:, None],
        "upright": m.uprightness[:, None],
        "hand_height_m": m.wrists_above_shoulders,
        "hand_reach_m": _reach(m),
        "hand_busy_mps": _busy(m, _WRISTS),
        "foot_height_m": m.joints[:, _ANKLES, 2],
        "foot_busy_mps": _busy(m, _ANKLES),
        "in_air": m.both_off[:, None].astype(float),
    }
    assert parts.keys() == _SCALES.keys()
    scaled = [parts[name] / _SCALES[name] for name in _SCALES]
    return smoothed(np.concatenate(scaled, axis=1), _SMOOTH_FRAMES)


def _reach(m: Measures) -> Float[np.ndarray, "frames 2"]:
    """How far before the shoulder, along the heading, each hand is held."""
    ahead = m.joints[:, _WRISTS, :2] - m.joints[:, _SHOULDERS, :2]
    sine, cosine = np.sin(m.yaw)[:, None], np.cos(m.yaw)[:, None]
    return ahead[..., 0] * sine - ahead[..., 1] * cosine


def _busy(m: Measures, joints: list[int]) -> Float[np.ndarray, "frames 2"]:
    """Speed against the pelvis, over the time of a stroke or two."""
    against = m.joints[:, joints] - m.joints[:, :1]
    speed = np.linalg.norm(np.gradient(against, axis=0), axis=-1) * NATIVE_FPS
    return smoothed(speed, _BUSY_FRAMES)


def best_cut(levels: Float[np.ndarray, "steps curves"]) -> list[int]:
    """Edges 0 … steps of the cheapest cut of a curve of levels, one level every `STEP_FRAMES`."""
    steps, step_s = len(levels), STEP_FRAMES / NATIVE_FPS
    shortest, longest = round(SHORTEST_S / step_s), round(LONGEST_S / step_s)
    sums = np.concatenate([np.zeros((1, levels.shape[1])), np.cumsum(levels, axis=0)])
    squares = np.concatenate([[0.0], np.cumsum((levels**2).sum(1))])
    price = np.full(steps + 1, np.inf)
    price[0] = -CUT_PRICE
    came_from = np.zeros(steps + 1, dtype=int)
    for edge in range(1, steps + 1):
        starts = _starts(edge, shortest, longest)
        count = edge - starts
        spread = squares[edge] - squares[starts]
        spread -= ((sums[edge] - sums[starts]) ** 2).sum(1) / count
        late = np.maximum(0.0, count * step_s - USUAL_S) * LENGTH_PRICE_PER_S
        total = price[starts] + spread * step_s + late + CUT_PRICE
        best = int(np.argmin(total))
        price[edge], came_from[edge] = total[best], starts[best]
    edges = [steps]
    while edges[-1] > 0:
        edges.append(int(came_from[edges[-1]]))
    return edges[::-1]


def _starts(edge: int, shortest: int, longest: int) -> Int[np.ndarray, " starts"]:
    """Where a segment that ends at `edge` may begin. A take too short to be cut stays whole."""
    starts = np.arange(max(0, edge - longest), edge - shortest + 1)
    return starts if len(starts) else np.array([0])


def boundary_agreement(
    found_s: Iterable[float], wanted_s: Iterable[float], within_s: float = 0.5
) -> tuple[int, int, int]:
    """How many boundaries were found, wanted, and matched one to one within a time."""
    found, wanted = sorted(found_s), sorted(wanted_s)
    matched, at = 0, 0
    for edge in wanted:
        while at < len(found) and found[at] < edge - within_s:
            at += 1
        if at < len(found) and found[at] <= edge + within_s:
            matched, at = matched + 1, at + 1
    return len(found), len(wanted), matched
