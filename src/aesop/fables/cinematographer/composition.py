"""Where the person is put in the picture, and turns on the spot: pans and tilts take them from one
place in it to another, rolls tilt it."""

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from aesop.camera_words.attributes import CameraFacts, Step
from aesop.fables.cinematographer.lens import Curve, Subject
from aesop.fables.cinematographer.rig import tan_half_height
from aesop.fables.cinematographer.step_timing import StepTime

_WHIP_NDC = 0.68
_PAN_NDC = 0.62
_PAN_DPS, _SHORTEST_PAN_DEG, _WIDEST_DEG = 10.0, 22.0, 120.0
_TILT_RAD = math.radians(15)  # what a tilt turns by at least, where the picture has room for it
_TILT_NDC = 0.5
_ROLL_DEG, _ROLL_DPS = (22, 55), 12.0


def place_curve(
    subject: Subject,
    facts: CameraFacts,
    steps: Sequence[Step],
    times: Sequence[StepTime],
    azimuth: Curve,
    pictures: Curve,
) -> Float[np.ndarray, "frames 2"]:
    """Where the focus is to be in the picture while nothing turns."""
    place = np.zeros((subject.frames, 2))
    place[:, 0] = _across(subject, facts, azimuth)
    place[:, 1] = np.interp(pictures, (0.3, 0.45, 0.9, 1.6), (-0.2, 0.06, 0.08, 0.0))
    if "head-room" in facts.places:
        top = subject.neck[:, 2] + 0.33
        height = subject.focus[2, :, 2] if pictures[0] < 1.75 else subject.focus[4, :, 2]
        if pictures[0] < 0.9:
            height = subject.focus[0, :, 2]
        place[:, 1] = np.minimum(0.28 - float(np.median((top - height) / (pictures / 2))), 0.0)
    return place


def pan_place(
    steps: Sequence[Step], times: Sequence[StepTime], half_width: Curve
) -> Float[np.ndarray, "frames 2"]:
    """Pans take the person from one side of the picture to the other, whips fast, others no faster
    than one looks around; `half_width` is that of the picture at depth one."""
    place = np.zeros((len(half_width), 2))
    for step, time in zip(steps, times, strict=True):
        turns = set(step.turns)
        left = "pan-left" in turns or ("whip-pan" in turns and "pan-right" not in turns)
        if not left and not turns & {"pan-right", "whip-pan"}:
            continue
        reach = _WHIP_NDC
        if "whip-pan" not in turns:
            most = math.radians(min(max(time.most_deg(_PAN_DPS), _SHORTEST_PAN_DEG), _WIDEST_DEG))
            reach = min(_PAN_NDC, math.tan(most / 2) / float(half_width[time.first]))
        side = 1.0 if left else -1.0
        place[:, 0] += side * reach * (2 * time.done - 1) * (len(steps) == 1 or 0.8)
    return place


def _across(subject: Subject, facts: CameraFacts, azimuth: Curve) -> float:
    if "left-third" in facts.places:
        return -0.37
    if "right-third" in facts.places:
        return 0.37
    if "lead-room" not in facts.places:
        return 0.0
    way = subject.root[-1] - subject.root[0]
    ahead = float(np.median(subject.facing))
    if subject.goes:
        ahead = math.atan2(way[1], way[0])
    # Seen from an azimuth to the left of where they look, people look to the picture's left.
    looks_left = math.sin(float(np.median(azimuth)) - ahead) > 0
    return 0.36 if looks_left else -0.36


def legs_curve(steps: Sequence[Step], times: Sequence[StepTime], pictures: Curve) -> Curve:
    """Tilts go between the feet and where the size would aim."""
    legs = np.zeros(len(pictures))
    for step, time in zip(steps, times, strict=True):
        if "tilt-up" in step.turns:
            legs += 1 - time.done
        if "tilt-down" in step.turns:
            legs += time.done
    return np.clip(legs, 0, 1)


def tilt_place(
    steps: Sequence[Step],
    times: Sequence[StepTime],
    distance: Curve,
    focals: Curve,
    aspect: float,
) -> Float[np.ndarray, "frames 2"]:
    """What the way from feet to head leaves over of a tilt: the person goes down or up in the
    picture."""
    place = np.zeros((len(distance), 2))
    by_body = math.atan(0.7 / float(np.median(distance)))
    half_height = float(np.median(tan_half_height(focals, aspect)))
    reach = min(math.tan(max(_TILT_RAD - by_body, 0.0)) / half_height / 2, _TILT_NDC)
    for step, time in zip(steps, times, strict=True):
        up = ("tilt-up" in step.turns) - float("tilt-down" in step.turns)
        place[:, 1] += up * reach * (1 - 2 * time.done)
    return place


def roll_curve(
    facts: CameraFacts, steps: Sequence[Step], times: Sequence[StepTime], dice: np.random.Generator
) -> Curve:
    roll = np.zeros(len(times[0].done))
    hand = float(np.sign(dice.random() - 0.5))
    if facts.dutch:
        roll += hand * math.radians(dice.uniform(11, 22))
    for step, time in zip(steps, times, strict=True):
        if "roll" in step.turns:
            most = max(time.most_deg(_ROLL_DPS), _ROLL_DEG[0])
            roll += hand * math.radians(min(dice.uniform(*_ROLL_DEG), most)) * time.done
    return roll
