"""What the person does when, for the timeline: a name for every stretch of a motion, by geometry
alone. Nothing is filmed by it."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from aesop.fables.human_facts import stretches
from aesop.metrics.action_curves import LEFT, RIGHT, ActionCurves, action_curves
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS, HumanMotion
from aesop.scene.movement import runs

SHORTEST_S = 0.4  # what lasts shorter is part of what is around it; jumps are not
GOES_MPS, RUNS_MPS = 0.35, 2.2
TURNS_DPS, TURNS_DEG = 40.0, 45.0  # on the spot
OVER_HEAD_M = 0.0
_TURN_SMOOTH_FRAMES = 5.0
_JUMP_M = 0.10
_POSTURES = {
    "bent over": "bends over",
    "crouching": "crouches",
    "sitting": "sits",
    "kneeling": "kneels",
    "on all fours": "on all fours",
    "sitting on the floor": "sits on the floor",
    "lying": "lies",
}
_NAMES = (
    "stands", "walks", "walks backward", "sidesteps left", "sidesteps right", "runs",
    "turns left", "turns right", "left hand up", "right hand up", "hands up",
    *_POSTURES.values(), "jumps",
)  # fmt: skip
_NUMBER = {name: number for number, name in enumerate(_NAMES)}

Mask = Bool[np.ndarray, " frames"]
Labels = Int[np.ndarray, " frames"]


@dataclass(frozen=True)
class PersonEvent:
    """Frames start … stop−1, and what the person does in them."""

    name: str
    start: int
    stop: int


def person_events(motion: HumanMotion) -> list[PersonEvent]:
    """What happens, stretch by stretch; every frame of the motion (at our rate) is in one."""
    curves = action_curves(motion)
    labels = _labels(curves)
    found = runs(_settled(labels))
    return [PersonEvent(_NAMES[label], start, stop) for label, start, stop in found]


def _labels(c: ActionCurves) -> Labels:
    """A number for every frame; what comes later has the last word."""
    labels = np.full(c.frames, _NUMBER["stands"])

    def mark(name: str, mask: Mask) -> None:
        labels[mask] = _NUMBER[name]

    left_up, right_up = (c.wrists_over_head[:, side] > OVER_HEAD_M for side in (LEFT, RIGHT))
    mark("left hand up", left_up)
    mark("right hand up", right_up)
    mark("hands up", left_up & right_up)
    for name, mask in _turns(c).items():
        mark(name, mask)
    forward, left = c.measures.velocity.T
    goes = c.measures.speed > GOES_MPS
    aside = np.abs(left) > np.abs(forward)
    mark("walks", goes & ~aside & (forward > 0))
    mark("walks backward", goes & ~aside & (forward <= 0))
    mark("sidesteps left", goes & aside & (left > 0))
    mark("sidesteps right", goes & aside & (left <= 0))
    mark("runs", goes & (c.measures.speed > RUNS_MPS))
    for posture, name in _POSTURES.items():
        mark(name, np.array([one == posture for one in c.postures]))
    for start, stop in c.flights(_JUMP_M):
        labels[start:stop] = _NUMBER["jumps"]
    return labels


def _turns(c: ActionCurves) -> dict[str, Mask]:
    """Stretches in which the hips turn one way, far enough to be called a turn."""
    turn = smoothed(c.turn_deg[:, None], _TURN_SMOOTH_FRAMES)[:, 0]
    rate = np.gradient(turn) * NATIVE_FPS if c.frames > 1 else np.zeros(c.frames)
    found: dict[str, Mask] = {}
    for name, sign in (("turns left", 1), ("turns right", -1)):
        mask = np.zeros(c.frames, bool)
        for start, stop in stretches(sign * rate > TURNS_DPS):
            if abs(turn[stop - 1] - turn[start]) >= TURNS_DEG:
                mask[start:stop] = True
        found[name] = mask
    return found


def _settled(labels: Labels) -> Labels:
    """Without stretches that pass by: the shortest goes to the longer of its neighbours, until all
    last. A jump is short by nature."""
    least = round(SHORTEST_S * NATIVE_FPS)
    settled = labels.copy()
    while True:
        found = runs(settled)
        short = [
            (stop - start, at)
            for at, (label, start, stop) in enumerate(found)
            if stop - start < least and label != _NUMBER["jumps"]
        ]
        if not short or len(found) == 1:
            return settled
        _, at = min(short)
        beside = [found[i] for i in (at - 1, at + 1) if 0 <= i < len(found)]
        others = [one for one in beside if one[0] != _NUMBER["jumps"]] or beside
        longest = max(others, key=lambda one: one[2] - one[1])
        _, start, stop = found[at]
        settled[start:stop] = longest[0]
