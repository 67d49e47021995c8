"""How much a window shows of what the take's captions say.

Verbs of the captions are matched with what can be measured; where no verb can, a window near the
take's busiest part beats an idle beginning or end.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from aesop.fables.human_facts import Measures, measure
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS, yaw_from_joints
from aesop.scene.skeleton import JOINT

Curve = Float[np.ndarray, " frames"]

_BUSY_SHARE = 0.25  # of the score, beside the verbs
_SEEN = 0.3  # a cue that never gets this strong in the whole take says nothing about its windows
_ENOUGH = 0.5  # seconds of an event at full strength count as seen
_HANDS = [JOINT["left_wrist"], JOINT["right_wrist"]]
_FEET = [JOINT["left_ankle"], JOINT["right_ankle"]]


def _ramp(curve: Curve, none: float, full: float) -> Curve:
    """0 at `none`, 1 at `full`, straight between; `full` may be the smaller."""
    return np.clip((curve - none) / (full - none), 0.0, 1.0)


def _about_body(m: Measures, joints: list[int]) -> Curve:
    """Speed of the fastest of some joints against the pelvis."""
    against = m.joints[:, joints] - m.joints[:, :1]
    return (np.linalg.norm(np.gradient(against, axis=0), axis=-1) * NATIVE_FPS).max(1)


def _walks(m: Measures) -> Curve:
    return _ramp(m.speed, 0.2, 0.5)


def _runs(m: Measures) -> Curve:
    return _ramp(m.speed, 1.2, 2.0)


def _jumps(m: Measures) -> Curve:
    curve = np.zeros(m.frames)
    for first, stop in m.flights:
        curve[max(0, first - 6) : stop + 6] = 1.0
    return curve


def _turns(m: Measures) -> Curve:
    return _ramp(np.abs(np.gradient(m.yaw)) * NATIVE_FPS, 0.4, 1.2)


def _lowers(m: Measures) -> Curve:
    return np.maximum(_ramp(m.pelvis_height, 0.8, 0.6), _ramp(m.uprightness, 0.8, 0.45))


def _kicks(m: Measures) -> Curve:
    return _ramp(m.joints[:, _FEET, 2].max(1), 0.35, 0.6) * _ramp(_about_body(m, _FEET), 1.0, 2.5)


def _hits(m: Measures) -> Curve:
    return _ramp(_about_body(m, _HANDS), 1.0, 2.5)


def _gestures(m: Measures) -> Curve:
    return _ramp(_about_body(m, _HANDS), 0.2, 0.8)


def _reaches(m: Measures) -> Curve:
    return _ramp(m.wrists_above_shoulders.max(1), -0.15, 0.1)


def _rests(m: Measures) -> Curve:
    return _ramp(m.joint_speed.mean(1), 0.25, 0.08)


@dataclass(frozen=True)
class _Cue:
    words: re.Pattern[str]
    curve: Callable[[Measures], Curve]
    event: bool  # seen once is seen; otherwise it should last


def _cue(stems: str, curve: Callable[[Measures], Curve], *, event: bool) -> _Cue:
    return _Cue(re.compile(rf"\b(?:{stems})"), curve, event)


_CUES = (
    _cue(r"walk|strid|stroll|pac(?:e|ing)\b|ambl|march|wander|strut|limp|hobbl|creep|sneak|tiptoe|"
         r"trudg|lumber|toddl|shuffl|sidestep|saunter", _walks, event=False),
    _cue(r"run(?:s|ning)?\b|jog|sprint|dash|trot|rac(?:es|ing)|rush", _runs, event=False),
    _cue(r"jump|hop(?:s|ping)?\b|leap|spring|bound", _jumps, event=True),
    _cue(r"turn(?!s? up)|spin|pivot|whirl|twirl|rotat|veer|curv|swerv", _turns, event=True),
    _cue(r"sit|seat|stool|chair|crouch|squat|kneel|bend|bow|stoop|duck|pick|crawl|lie|lying|lay|"
         r"roll|floor", _lowers, event=True),
    _cue(r"kick", _kicks, event=True),
    _cue(r"punch|box|jab|hit|strik|throw|swing|swat|slap|chop|club", _hits, event=True),
    _cue(r"wav|gestur|signal|point|clap|direct|conduct|shak|wip|wash|scrub|sweep|stir|play|paint|"
         r"hammer|flap|write|scribbl", _gestures, event=False),
    _cue(r"reach|stretch|overhead|rais", _reaches, event=True),
    _cue(r"motionless|still\b|stands? (?:still|in place|quiet)|wait|pos(?:e|es|ing)\b", _rests,
         event=False),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Weighed:
    curve: Curve
    event: bool
    weight: float  # share of the captions that say it


@dataclass(frozen=True, eq=False)
class Evidence:
    """What every frame of a take shows of its captions; gathered once, asked for every window."""

    cues: tuple[_Weighed, ...]
    busy: Curve

    def score(self, start: int, stop: int) -> float:
        """How much frames start … stop−1 show, in [0, 1]."""
        busy = float(self.busy[start:stop].mean())
        if not self.cues:
            return busy
        shown = sum(cue.weight * _shown(cue, start, stop) for cue in self.cues)
        verbs = shown / sum(cue.weight for cue in self.cues)
        return _BUSY_SHARE * busy + (1 - _BUSY_SHARE) * verbs


def _shown(cue: _Weighed, start: int, stop: int) -> float:
    part = cue.curve[start:stop]
    if cue.event:
        return min(1.0, float(part.sum()) / (_ENOUGH * NATIVE_FPS))
    return float(part.mean())


def evidence_of(joints: Float[np.ndarray, "frames 22 3"], captions: Sequence[str]) -> Evidence:
    """The evidence in a whole take at our rate."""
    measures = measure(joints, yaw_from_joints(torch.from_numpy(joints)).numpy())
    cues: list[_Weighed] = []
    for cue in _CUES:
        weight = sum(bool(cue.words.search(caption)) for caption in captions) / len(captions)
        curve = cue.curve(measures) if weight else np.zeros(0)
        if weight and curve.max() > _SEEN:
            cues.append(_Weighed(curve, cue.event, weight))
    activity = smoothed(measures.joint_speed.mean(1)[:, None], NATIVE_FPS / 2)[:, 0]
    busiest = max(float(np.percentile(activity, 95)), 1e-6)
    return Evidence(tuple(cues), np.clip(activity / busiest, 0.0, 1.0))
