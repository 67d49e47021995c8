"""Steps of a film with the times that words give them: in which frames each happens, and what the
camera does between them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from aesop.camera_words.attributes import MOST_STEPS, CameraFacts, Step, VocabularyError
from aesop.camera_words.fact_check import FactCheck, MeasuredFacts
from aesop.camera_words.step_times import END, OPEN, Instant, SpokenTime, TimesError, spans_of
from aesop.scene.camera import CameraPath
from aesop.scene.human import NATIVE_FPS

RESTS = Step(moves=("static",))
END_FROM = 2 / 3  # of the film: where "at the end" begins
TIME_SLACK_S = 0.5  # how far from its time a movement may begin or end
# A camera that comes to a rest, or out of one, takes this long.
_EASE_FRAMES = 8.0
# Taggers do not tell rests at the ends of a film that are shorter than this share of it.
_UNSEEN_REST_SHARE = 0.2
TIMES_NOTE = "times: "  # how the note of a film begins whose words had times


@dataclass(frozen=True)
class TimedStep:
    """A step, and what words say of its time. One that goes on is the step before it, at another
    pace."""

    step: Step
    time: SpokenTime = OPEN
    goes_on: bool = False


@dataclass(frozen=True)
class StepSpan:
    """A step and the frames first … stop-1 that are its time."""

    step: Step
    first: int
    stop: int

    @property
    def text(self) -> str:
        """ "push-in from 2.0 to 6.0 s"."""
        first, stop = self.first / NATIVE_FPS, self.stop / NATIVE_FPS
        return f"{_told(self.step)} from {first:.1f} to {stop:.1f} s"


def _told(step: Step) -> str:
    return " + ".join(name.partition(":")[2] for name in step.names if name[:5] != "when:")


def timed_steps(readings: Sequence[tuple[CameraFacts, SpokenTime]]) -> tuple[TimedStep, ...]:
    """Steps in order, from what the clauses of a request ask for and when. Who gives a time to a
    picture alone wants a camera that rests; who names a pace alone, one that goes on."""
    timeline: list[TimedStep] = []
    for facts, time in readings:
        if timeline and facts == CameraFacts(pace=facts.pace) and facts.pace is not None:
            timeline.append(TimedStep(timeline[-1].step, time, goes_on=True))
            continue
        steps = facts.steps or (() if time.is_open else (RESTS,))
        for step, one in zip(steps, time.shared(len(steps)) if steps else (), strict=True):
            when = step.when if step.when == "as-she-turns" else None
            timeline.append(TimedStep(replace(step, when=when), _spoken_time(step, one)))
    return tuple(timeline)


def _spoken_time(step: Step, time: SpokenTime) -> SpokenTime:
    """ "At the end" is a time too."""
    if step.when != "at-the-end" or time.begins or time.stop is not None:
        return time
    start = Instant(share=END_FROM) if time.lasting_s is None else Instant(-time.lasting_s, 1.0)
    return SpokenTime(start=start, stop=END)


def kept_steps(timeline: Sequence[TimedStep]) -> tuple[Step, ...]:
    """The steps as facts hold them. Where they are too many, rests are left out: time that no step
    fills is a rest."""
    steps = [one.step for one in timeline if not one.goes_on]
    if len(steps) > MOST_STEPS:
        steps = [step for step in steps if not step.is_static]
    if len(steps) > MOST_STEPS:
        raise VocabularyError(
            f"{len(steps)} movements are too many for one shot.", f"Ask for {MOST_STEPS} or fewer."
        )
    return tuple(
        replace(step, when=step.when or ("then" if at else None)) for at, step in enumerate(steps)
    )


def step_spans(
    timeline: Sequence[TimedStep], frames: int, turning: int | None = None
) -> tuple[StepSpan, ...]:
    """The frames of every step. `turning` is the frame in which the person turns, when a step that
    waits for it begins, if the times leave room for that."""
    times = [one.time for one in timeline]
    turns = [
        replace(time, start=Instant(turning / NATIVE_FPS))
        if turning is not None and one.step.when and not time.begins
        else time
        for one, time in zip(timeline, times, strict=True)
    ]
    try:
        spans = spans_of(turns, frames / NATIVE_FPS)
    except TimesError:
        spans = spans_of(times, frames / NATIVE_FPS)
    dealt: list[StepSpan] = []
    for one, span in zip(timeline, spans, strict=True):
        first, stop = round(span.first_s * NATIVE_FPS), round(span.stop_s * NATIVE_FPS)
        if one.goes_on:
            dealt[-1] = replace(dealt[-1], stop=min(stop, frames))
        else:
            dealt.append(StepSpan(replace(one.step, when=None), first, min(stop, frames)))
    return tuple(dealt)


def spans_of_kept(
    timeline: Sequence[TimedStep], frames: int, turning: int | None = None
) -> tuple[StepSpan, ...]:
    """The frames of the steps that facts hold."""
    spans = step_spans(timeline, frames, turning)
    too_many = len(spans) > MOST_STEPS
    return tuple(span for span in spans if not (too_many and span.step.is_static))


def tiled(spans: Sequence[StepSpan], frames: int) -> tuple[StepSpan, ...]:
    """The whole film: between the steps, before and after them the camera rests."""
    whole: list[StepSpan] = []
    for span in (*spans, StepSpan(RESTS, frames, frames)):
        since = whole[-1].stop if whole else 0
        rest = [StepSpan(RESTS, since, span.first)] if span.first > since else []
        for one in (*rest, *([span] if span.stop > span.first else [])):
            if whole and whole[-1].step.is_static and one.step.is_static:
                whole[-1] = replace(whole[-1], stop=one.stop)
            else:
                whole.append(one)
    return tuple(whole)


def times_note(spans: Sequence[StepSpan]) -> str:
    """ "times: static from 0.0 to 2.0 s, push-in from 2.0 to 6.0 s"."""
    return TIMES_NOTE + ", ".join(span.text for span in spans)


def held_in_rests(camera: CameraPath, spans: Sequence[StepSpan]) -> tuple[CameraPath, float]:
    """The camera without what it travels in the rests between its steps, and how many metres that
    was. Its own steps stay, and so does its aim."""
    frames = torch.arange(camera.frames - 1, dtype=torch.float64) + 0.5
    moving = torch.zeros_like(frames)
    for span in spans:
        if not span.step.is_static:
            since, until = (
                ((sign * (frames - edge)) / _EASE_FRAMES + 0.5).clamp(0, 1)
                for sign, edge in ((1.0, span.first), (-1.0, span.stop))
            )
            # At its ends a film may begin and end in full movement.
            since = torch.ones_like(frames) if span.first == 0 else since
            until = torch.ones_like(frames) if span.stop == camera.frames else until
            share = torch.minimum(since, until)
            moving = torch.maximum(moving, share * share * (3 - 2 * share))
    steps = camera.centre.diff(dim=0)
    lost = steps * (1 - moving).to(steps)[:, None]
    strayed = float(torch.linalg.vector_norm(lost, dim=-1).sum())
    gone = torch.cat([torch.zeros_like(steps[:1]), lost.cumsum(dim=0)])
    return replace(camera, centre=camera.centre - gone), strayed


def time_checks(spans: Sequence[StepSpan], measured: MeasuredFacts) -> tuple[FactCheck, ...]:
    """Of every movement that has a time, for spans that tile a film: whether it begins then, and
    ends then where a rest comes after it."""
    checks: list[FactCheck] = []
    for at, span in enumerate(spans):
        if span.step.is_static:
            continue
        made = [
            one for one in measured.steps
            if set(span.step.names) & set(one.step.names)
            and min(one.stop, span.stop) > max(one.first, span.first)
        ]  # fmt: skip
        first, stop = span.first / measured.fps, span.stop / measured.fps
        asked = f"time:{_told(span.step)} from {first:.1f} to {stop:.1f} s"
        if not made:
            checks.append(FactCheck(asked, "never", False))
            continue
        since, until = made[0].first / measured.fps, made[-1].stop / measured.fps
        before, after = spans[:at][-1:], spans[at + 1 : at + 2]
        begins = not _is_told(before, spans) or abs(since - first) <= TIME_SLACK_S
        rests = bool(after) and after[0].step.is_static
        ends = not rests or not _is_told(after, spans) or abs(until - stop) <= TIME_SLACK_S
        checks.append(FactCheck(asked, f"{since:.1f} to {until:.1f} s", begins and ends))
    return tuple(checks)


def _is_told(neighbour: Sequence[StepSpan], spans: Sequence[StepSpan]) -> bool:
    """Whether taggers see where a span touches what is beside it."""
    if not neighbour:
        return False
    span, frames = neighbour[0], spans[-1].stop
    at_end = span.first == 0 or span.stop == frames
    is_short = span.stop - span.first <= (_UNSEEN_REST_SHARE + 0.05) * frames
    return not (at_end and span.step.is_static and is_short)
