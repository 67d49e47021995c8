"""What each window of a film is asked for: what holds throughout in every window, what happens in
the window in whose time it falls, and what happens once not twice. Films of several steps have a
window for each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from aesop.camera_words.attributes import (
    AROUND,
    SIZE_CHANGES,
    CameraFacts,
    Extent,
    MoveName,
    Size,
    Step,
    Turn,
    values_of,
)
from aesop.camera_words.plain_teller import plain_caption
from aesop.camera_words.standing_tagger import person_curves
from aesop.camera_words.step_tagger import turning_frame
from aesop.director.asked_hand import SURE
from aesop.director.facts_filming import AskedFacts
from aesop.director.long_motion import windows_of
from aesop.director.timed_steps import END_FROM, RESTS, StepSpan
from aesop.models.codec import STRIDE
from aesop.scene.human import Clip

# How much of a circle a word means, and from how many degrees on a window is told so.
_CIRCLE_DEG: dict[Extent, float] = {"quarter": 95.0, "half": 190.0, "full": 340.0}
_LEAST_DEG: dict[Extent, float] = {"full": 300.0, "half": 150.0, "quarter": 60.0}
_ORBIT_DEG = 260.0
# What ends by itself; what else a camera does goes on as long as there is time.
_ONCE_MOVES: frozenset[MoveName] = frozenset({"fly-past"})
_LASTING_TURNS: frozenset[Turn] = frozenset({"pan-follow"})
_SHORTEST_SHARE = 0.3  # of a window's own time: what is shorter is another window's
# Windows of steps: how far two overlap, and how little time a step may have. Shorter ones obey even
# more often and look it: steps that begin with a jolt (docs/log.md).
STEP_OVERLAP_FRAMES, SHORTEST_STEP_FRAMES = 40, 60
# Steps with times: how much later than its window lets it a movement is seen to begin or end. Of
# short steps half an overlap is kept all the same: with less they begin with a jolt (docs/log.md).
LATE_FRAMES = 16


@dataclass(frozen=True)
class _TimedWindow:
    """Frames that the model films at once, and the number of the span whose step it hears."""

    frames: range
    span: int


def words_of_windows(
    words: str, asked: AskedFacts, clip: Clip, windows: Sequence[range], goes_left: bool
) -> tuple[str, ...]:
    """Words for every window: the request's own where a window hears all of them. None where all
    windows do, as for one movement that goes on, and where the words were understood too poorly to
    be cut up."""
    facts = asked.facts
    if spans := asked.spans(clip):
        timed = _timed_windows(spans)
        if [it.frames for it in timed] == list(windows):
            parts = _timed_facts(facts, spans, [it.span for it in timed], goes_left)
            return tuple(plain_caption(part) or words for part in parts)
    if asked.confidence < SURE or facts.is_empty:
        return ()
    turning = turning_frame(person_curves(clip.motion), clip.fps)
    parts = window_facts(facts, windows, turning, goes_left)
    if all(part == facts for part in parts):
        return ()
    return tuple(words if part == facts else plain_caption(part) or words for part in parts)


def film_windows(asked: AskedFacts | None, clip: Clip) -> tuple[range, ...]:
    """Long films have as many windows as their length needs, others one, or one for every step that
    is asked for. Steps with times have windows of their own in any film."""
    windows = windows_of(clip.frames)
    if asked is not None and (spans := asked.spans(clip)):
        return tuple(window.frames for window in _timed_windows(spans))
    if len(windows) > 1 or asked is None:
        return windows
    return step_windows(asked, clip) or windows


def step_windows(asked: AskedFacts, clip: Clip) -> tuple[range, ...]:
    """A window for every step of a film that one window could hold: the model does one thing after
    another more surely if it is asked for one at a time. None where there are not two steps, or one
    of them has too little time."""
    if asked.confidence < SURE or len(asked.facts.steps) < 2:
        return ()
    turning = turning_frame(person_curves(clip.motion), clip.fps)
    spans = _spans(asked.facts.steps, clip.frames, turning)
    if min(span.stop - span.first for span in spans) < SHORTEST_STEP_FRAMES:
        return ()
    return _one_by_one(spans)


def _one_by_one(spans: Sequence[StepSpan]) -> tuple[range, ...]:
    """A window for each of the spans that tile a film."""
    # Half of the overlap lies before the step begins, where the window before is still kept to.
    starts = [STRIDE * round((span.first - STEP_OVERLAP_FRAMES / 2) / STRIDE) for span in spans]
    starts[0] = 0
    stops = [start + STEP_OVERLAP_FRAMES for start in starts[1:]]
    return tuple(range(*it) for it in zip(starts, [*stops, spans[-1].stop], strict=True))


def _timed_windows(spans: Sequence[StepSpan]) -> tuple[_TimedWindow, ...]:
    """A window for each span, and more where one is too long."""
    return tuple(
        _TimedWindow(range(window.start + part.start, window.start + part.stop), number)
        for number, window in enumerate(_windows_in_time(spans))
        for part in windows_of(len(window))
    )


def _windows_in_time(spans: Sequence[StepSpan]) -> tuple[range, ...]:
    """A window for each of the spans that tile a film. What a window does is seen half a second
    after it may: the window before is kept to until that much before the time of the step."""
    half = STEP_OVERLAP_FRAMES // 2
    kept_to = [max(it.first - LATE_FRAMES, before.first + half) for before, it in pairwise(spans)]
    starts = [0, *(STRIDE * round((frame - half) / STRIDE) for frame in kept_to)]
    stops = [start + STEP_OVERLAP_FRAMES for start in starts[1:]]
    return tuple(range(*it) for it in zip(starts, [*stops, spans[-1].stop], strict=True))


def _timed_facts(
    facts: CameraFacts, spans: Sequence[StepSpan], heard: Sequence[int], goes_left: bool
) -> list[CameraFacts]:
    """Facts for every window, which hears the step of one span. The way between two sizes is dealt
    out to the windows that change the size."""
    dealt = _dealt(spans, [[number] for number in heard], goes_left)
    moving = [at for at, steps in enumerate(dealt) if any(_changes_size(it) for it in steps)]
    changing = moving or list(range(len(dealt)))
    parts: list[CameraFacts] = []
    for at, steps in enumerate(dealt):
        done = sum(other < at for other in changing)
        part = _standing(facts, min(done, len(changing) - 1), len(changing))
        if at not in changing:
            over = done == len(changing)
            start = (part.size_end or part.size_start) if over else part.size_start
            part = replace(part, size_start=start, size_end=None)
        # What a step changes holds at the start of the film alone, whichever window changes sizes.
        later = _standing(facts, at, len(dealt))
        part = replace(part, height=later.height, side=later.side, lens=later.lens)
        parts.append(replace(part, steps=steps))
    return parts


def _changes_size(step: Step) -> bool:
    return bool(SIZE_CHANGES & {*step.moves, step.zoom})


def window_facts(
    facts: CameraFacts,
    windows: Sequence[range],
    turning: int | None = None,
    goes_left: bool = True,
) -> tuple[CameraFacts, ...]:
    """Facts for every window of a film. One window hears everything.

    `turning` is the frame in which the person turns; `goes_left` is the way of an orbit, which must
    not change between windows.
    """
    if len(windows) == 1:
        return (facts,)
    spans = _spans(facts.steps, windows[-1].stop, turning)
    dealt = _dealt(spans, _heard(spans, windows), goes_left)
    return tuple(
        replace(_standing(facts, at, len(windows)), steps=steps) for at, steps in enumerate(dealt)
    )


def _spans(steps: Sequence[Step], frames: int, turning: int | None) -> list[StepSpan]:
    """Steps share the film evenly, but for those that have a time of their own; before the first of
    these the camera rests."""
    if not steps:
        return []
    starts = [round(frames * at / len(steps)) for at in range(len(steps))]
    for at, step in enumerate(steps):
        if step.when == "at-the-end":
            starts[at] = max(starts[at], round(END_FROM * frames))
        elif step.when == "as-she-turns" and turning is not None:
            starts[at] = turning
    # A step that begins earlier than the one before it has no time of its own.
    starts = [max(starts[: at + 1]) for at in range(len(starts))]
    stops = [*starts[1:], frames]
    spans = [StepSpan(*it) for it in zip(steps, starts, stops, strict=True)]
    return [StepSpan(RESTS, 0, starts[0]), *spans] if starts[0] > 0 else spans


def _dealt(
    spans: Sequence[StepSpan], heard: Sequence[Sequence[int]], goes_left: bool
) -> list[tuple[Step, ...]]:
    """The steps of every window, which hears the spans of these numbers."""
    started: set[int] = set()
    dealt: list[tuple[Step, ...]] = []
    for numbers in heard:
        steps: list[Step] = []
        for number in numbers:
            step = spans[number].step
            told = sum(number in others for others in heard)
            step = _share_of(step, told, goes_left)
            step = _lasting(step) if number in started else step
            started.add(number)
            steps.append(replace(step, when="then" if steps else None))
        dealt.append(tuple(steps))
    return dealt


def _heard(spans: Sequence[StepSpan], windows: Sequence[range]) -> list[list[int]]:
    """Which spans fall into the time that each window adds to the film. None is unheard, and no
    window hears nothing."""
    bounds = [0, *(window.stop for window in windows)]

    def together(number: int, at: int) -> int:
        span = spans[number]
        return min(span.stop, bounds[at + 1]) - max(span.first, bounds[at])

    heard: list[set[int]] = [
        {
            number
            for number in range(len(spans))
            if together(number, at) >= _SHORTEST_SHARE * (bounds[at + 1] - bounds[at])
        }
        for at in range(len(windows))
    ]
    for number in range(len(spans)):
        if not any(number in some for some in heard):
            heard[max(range(len(windows)), key=lambda at: together(number, at))].add(number)
    for at, some in enumerate(heard):
        if spans and not some:
            some.add(max(range(len(spans)), key=lambda number: together(number, at)))
    return [sorted(some) for some in heard]


def _lasting(step: Step) -> Step:
    """What goes on of a step that a window before has begun."""
    rest = replace(
        step,
        moves=tuple(move for move in step.moves if move not in _ONCE_MOVES),
        turns=tuple(turn for turn in step.turns if turn in _LASTING_TURNS),
        zoom=None,
    )
    if step.zoom == "dolly-zoom":
        rest = replace(rest, moves=tuple(m for m in rest.moves if m not in ("push-in", "pull-out")))
    return rest if rest.moves or rest.turns else replace(RESTS, when=step.when)


def _share_of(step: Step, windows: int, goes_left: bool) -> Step:
    """A circle that several windows share: as much of it as each of them makes."""
    if windows == 1 or not set(step.moves) & set(AROUND):
        return step
    whole = _CIRCLE_DEG[step.extent] if step.extent else _ORBIT_DEG
    if step.extent is None and "orbit" not in step.moves:
        return step  # an arc of no particular length goes on
    each = whole / windows
    extent = next((name for name, least in _LEAST_DEG.items() if each >= least), None)
    side: MoveName = "arc-left" if goes_left else "arc-right"
    sided = bool({"arc-left", "arc-right"} & set(step.moves))
    others = tuple(move for move in step.moves if move != "orbit")
    moves = others if sided else (side, *others)
    return replace(step, moves=moves, extent=extent)


def _standing(facts: CameraFacts, at: int, count: int) -> CameraFacts:
    """What holds throughout. What a step changes holds at the start alone."""
    moves = {move for step in facts.steps for move in step.moves}
    zooms = any(step.zoom for step in facts.steps)
    start, end = _sizes(facts, at, count, is_changed=zooms or bool(moves & {"push-in", "pull-out"}))
    is_later = at > 0
    walks_around = bool(moves & {*AROUND, "truck-left", "truck-right", "fly-past"})
    rises = bool(moves & {"boom-up", "boom-down"})
    return replace(
        facts,
        size_start=start,
        size_end=end,
        height=None if is_later and rises else facts.height,
        side=None if is_later and walks_around else facts.side,
        lens=None if is_later and zooms else facts.lens,
    )


def _sizes(
    facts: CameraFacts, at: int, count: int, *, is_changed: bool
) -> tuple[Size | None, Size | None]:
    """Sizes at the start and the end of a window: the way from the first to the last is shared."""
    sizes: tuple[Size, ...] = values_of("size")  # pyright: ignore[reportAssignmentType]
    start, end = facts.size_start, facts.size_end
    if end is None:
        return (None if is_changed and at else start), None
    if start is None:
        return (end if at == count - 1 else None), None
    first, last = sizes.index(start), sizes.index(end)
    here, there = (round(first + (last - first) * part / count) for part in (at, at + 1))
    return sizes[here], (None if here == there else sizes[there])
