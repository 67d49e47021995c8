"""When the steps of a shot happen: their bounds in time, and how far each is at every frame."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aesop.camera_words.attributes import Step
from aesop.fables.cinematographer.lens import Curve, Subject
from aesop.scene.human import NATIVE_FPS

SHORTEST_STEP = 29  # frames: the tagger of movements swallows shorter ones
_WHIP_FRAMES = 9.0
_END_FROM = (0.56, 0.64)  # of the shot: where what happens at the end begins
_EASE_SHARE = (0.16, 0.3)  # of a step, at either end of it


@dataclass(frozen=True, eq=False)
class StepTime:
    """A step over frames first … last, and the share of it that is done at every frame."""

    first: int
    last: int
    done: Curve

    def most_deg(self, dps: float) -> float:
        """How far one gets in the time of the step at so many degrees a second."""
        return dps * (self.last - self.first) / NATIVE_FPS


def draw_step_times(
    steps: Sequence[Step],
    subject: Subject,
    turning: int | None,
    dice: np.random.Generator,
    spans: Sequence[tuple[int, int]] | None = None,
) -> tuple[StepTime, ...]:
    """One after another over the whole shot; events and ends have their time. Where the first and
    last frames of all steps are given, these are theirs."""
    if spans is not None:
        return tuple(
            _timed(step, *span, subject.frames, dice)
            for step, span in zip(steps, spans, strict=True)
        )
    last = subject.frames - 1
    bounds = [0.0, *(last * (at + 1) / len(steps) for at in range(len(steps)))]
    for at, step in enumerate(steps):
        low, high = SHORTEST_STEP * at, last - SHORTEST_STEP * (len(steps) - at)
        if step.when == "as-she-turns" and turning is not None and low <= high:
            bounds[at] = min(max(turning - 4, low), high)
        elif step.when == "at-the-end" and low <= high:
            bounds[at] = min(max(dice.uniform(*_END_FROM) * last, low), high)
        elif at > 0 and low <= high:
            spread = 0.08 * last * dice.uniform(-1, 1)
            bounds[at] = min(max(bounds[at] + spread, low), high)
    edges = np.maximum.accumulate(np.rint(bounds).astype(int)).tolist()
    return tuple(
        _timed(step, edges[at], edges[at + 1], subject.frames, dice)
        for at, step in enumerate(steps)
    )


def _timed(step: Step, first: int, last: int, frames: int, dice: np.random.Generator) -> StepTime:
    instants = np.arange(frames, dtype=np.float64)
    if "whip-pan" in step.turns:
        middle = first + (last - first) * dice.uniform(0.4, 0.6)
        share = np.clip((instants - middle) / _WHIP_FRAMES, -0.5, 0.5) + 0.5
        return StepTime(first, last, share**2 * (3 - 2 * share))
    return StepTime(first, last, _eased(instants, first, last, dice.uniform(*_EASE_SHARE)))


def _eased(instants: Curve, first: int, last: int, ease: float) -> Curve:
    """From 0 to 1 at an even pace that begins and ends gently."""
    share = np.clip((instants - first) / max(last - first, 1), 0, 1)
    speed = np.minimum(np.minimum(share, 1 - share) / ease, 1.0)
    speed = speed * speed * (3 - 2 * speed) + 0.03
    speed = np.where((instants > first) & (instants <= last), speed, 0.0)
    total = float(speed.sum())
    return np.cumsum(speed) / total if total > 0 else (instants > first).astype(np.float64)
