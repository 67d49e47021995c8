"""When the steps of a shot begin and end, as words say it ("for two seconds", "from 2 s", "halfway
through"), and what that means in a shot of so many seconds."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from aesop.core.errors import AesopError

# A camera needs this long to do something that can be seen; a rest that nobody asked for and that
# is shorter goes to the step before it.
SHORTEST_TIMED_S = 1.0
# Times may go this far beyond the end of the motion, which is seldom as long as one thinks.
END_SLACK_S = 0.5
_EPS = 1e-6


class TimesError(AesopError):
    """Times that no shot, or not this one, can have."""


@dataclass(frozen=True)
class Instant:
    """A moment: seconds after a share of the shot. Two seconds before its end are (-2, 1)."""

    seconds: float = 0.0
    share: float = 0.0

    def at(self, shot_s: float) -> float:
        """In seconds, in a shot of so many."""
        return self.seconds + self.share * shot_s

    @property
    def text(self) -> str:
        if self.share == 0:
            return f"{self.seconds:g} s"
        if self.share == 1:
            return "the end" if self.seconds == 0 else f"{-self.seconds:g} s before the end"
        return f"{self.share:.0%} of the shot"


END = Instant(0.0, 1.0)


@dataclass(frozen=True)
class SpokenTime:
    """What words say of the time of one step; None leaves it open. `after_s` counts from the
    beginning of the shot, or where that time has passed, from the end of the step before."""

    start: Instant | None = None
    stop: Instant | None = None
    lasting_s: float | None = None
    after_s: float | None = None

    @property
    def begins(self) -> bool:
        """Whether words say when the step begins."""
        return self.start is not None or self.after_s is not None

    @property
    def is_open(self) -> bool:
        return self == SpokenTime()

    @property
    def text(self) -> str:
        """ "from 2 s for 3 s"; what is said in seconds can be typed so."""
        parts = [f"after {self.after_s:g} s"] if self.after_s is not None else []
        if self.start is not None and self.start.share == 1:
            return f"for the last {-self.start.seconds:g} s"
        parts += [f"from {self.start.text}"] if self.start is not None else []
        if self.stop is not None and self.stop != END:
            parts += [f"{'to' if self.start else 'until'} {self.stop.text}"]
        parts += [f"for {self.lasting_s:g} s"] if self.lasting_s is not None else []
        return " ".join(parts)

    def joins(self, other: "SpokenTime") -> bool:
        """Whether both can be said of one step: one says when it begins, one how long it goes."""
        return self.begins != other.begins and (self.is_only_start or other.is_only_start)

    @property
    def is_only_start(self) -> bool:
        return self.begins and self.stop is None and self.lasting_s is None

    def joined(self, other: "SpokenTime") -> "SpokenTime":
        return SpokenTime(
            self.start or other.start,
            self.stop or other.stop,
            other.lasting_s if self.lasting_s is None else self.lasting_s,
            other.after_s if self.after_s is None else self.after_s,
        )

    def shared(self, count: int) -> list["SpokenTime"]:
        """Of several steps that one time is said of: its length is shared."""
        each = None if self.lasting_s is None else self.lasting_s / count
        times = [SpokenTime(lasting_s=each) for _ in range(count)]
        first = SpokenTime(self.start, None, each, self.after_s)
        times[0] = first
        last = times[-1]
        times[-1] = SpokenTime(last.start, self.stop, last.lasting_s, last.after_s)
        return times


OPEN = SpokenTime()


@dataclass(frozen=True)
class Span:
    """Seconds of a shot."""

    first_s: float
    stop_s: float

    @property
    def lasting_s(self) -> float:
        return self.stop_s - self.first_s


@dataclass
class _TimeLayout:
    """Spans so far, and the steps that wait for the moment at which they have to be over."""

    shot_s: float
    spans: list[Span] = field(default_factory=list[Span])
    waiting: list[SpokenTime] = field(default_factory=list[SpokenTime])
    since_s: float = 0.0  # when the steps that wait begin

    @property
    def needed_s(self) -> float:
        return sum((time.lasting_s or 0.0 for time in self.waiting), 0.0)

    def close(self, until_s: float) -> None:
        """Deal out the time until then: lengths that were said, and even shares of the rest."""
        room = until_s - self.since_s
        open_ones = sum(time.lasting_s is None for time in self.waiting)
        if self.needed_s > room + (END_SLACK_S if until_s == self.shot_s else _EPS):
            raise _too_long(self.since_s, until_s, self.needed_s)
        share = (room - self.needed_s) / open_ones if open_ones else 0.0
        for time in self.waiting:
            lasting = share if time.lasting_s is None else time.lasting_s
            stop = min(self.since_s + lasting, self.shot_s)
            self.spans.append(Span(self.since_s, stop))
            self.since_s = stop
        self.waiting = []

    def begin(self, at_s: float) -> None:
        """What comes now begins then."""
        if at_s < self.since_s - _EPS:
            raise TimesError(
                f"The times overlap: a step is to begin at {at_s:g} s, and the one before it "
                f"ends at {self.since_s:g} s.",
                "Give times that follow each other.",
            )
        self.close(at_s)
        self.since_s = at_s


def spans_of(times: Sequence[SpokenTime], shot_s: float) -> tuple[Span, ...]:
    """When every step happens in a shot of so many seconds. Steps without times share what is left
    evenly; time that nobody has asked for is no step's, and the camera rests."""
    times = _at_last(times)
    layout = _TimeLayout(shot_s)
    for time in times:
        start = _start_of(time, layout)
        if start is not None:
            _check_inside(start, shot_s, is_start=True)
            layout.begin(start)
        layout.waiting.append(time)
        if time.stop is not None:
            stop = time.stop.at(shot_s)
            _check_inside(stop, shot_s, is_start=False)
            stop = min(stop, shot_s)
            if stop < layout.since_s + SHORTEST_TIMED_S - _EPS:
                raise _too_short(layout.since_s, stop)
            _close_at(layout, time, stop)
    layout.close(shot_s)
    spans = _without_gaps(layout.spans, shot_s)
    for span in spans:
        if span.lasting_s < SHORTEST_TIMED_S - _EPS:
            raise _too_short(span.first_s, span.stop_s)
    if spans and _EPS < spans[0].first_s < SHORTEST_TIMED_S - _EPS:
        raise _too_short(0.0, spans[0].first_s)  # the rest before the first step
    return tuple(spans)


def _at_last(times: Sequence[SpokenTime]) -> list[SpokenTime]:
    """The last `n` seconds are the last step's, whenever they were spoken of: where every other
    step is without a time that it begins at, order is the order of words; else that of time."""
    if all(time.start is not None for time in times):
        return list(times)
    return [*(it for it in times if not _is_last(it)), *(it for it in times if _is_last(it))]


def _is_last(time: SpokenTime) -> bool:
    return time.start is not None and time.start.share == 1


def _start_of(time: SpokenTime, layout: _TimeLayout) -> float | None:
    if time.start is not None:
        return time.start.at(layout.shot_s)
    if time.after_s is None:
        return None
    earliest = layout.since_s + layout.needed_s
    has_passed = time.after_s < earliest - _EPS or (
        bool(layout.waiting) and time.after_s <= layout.since_s + _EPS
    )
    return earliest + time.after_s if has_passed else time.after_s


def _close_at(layout: _TimeLayout, time: SpokenTime, stop: float) -> None:
    """The last of the steps that wait is over then; one that also says how long ends so."""
    if time.lasting_s is not None and not time.begins and len(layout.waiting) == 1:
        layout.since_s = max(layout.since_s, stop - time.lasting_s)
    layout.close(stop)
    layout.since_s = stop


def _without_gaps(spans: Sequence[Span], shot_s: float) -> list[Span]:
    """A rest that nobody asked for and nobody would see goes to the step before it."""
    nexts = [*(span.first_s for span in spans), shot_s][1:]
    return [
        Span(span.first_s, after if 0 < after - span.stop_s < SHORTEST_TIMED_S else span.stop_s)
        for span, after in zip(spans, nexts, strict=True)
    ]


def _check_inside(at_s: float, shot_s: float, *, is_start: bool) -> None:
    latest = shot_s - SHORTEST_TIMED_S if is_start else shot_s + END_SLACK_S
    if at_s < -_EPS or at_s > latest + _EPS:
        what = "begin" if is_start else "end"
        when = f"at {at_s:g} s" if at_s >= 0 else f"{-at_s:g} s before the motion does"
        raise TimesError(
            f"A step is to {what} {when}, and the motion has {shot_s:g} s.",
            "Give times that lie inside the motion, or film a longer one.",
        )


def _too_long(since_s: float, until_s: float, needed_s: float) -> TimesError:
    return TimesError(
        f"The times do not fit: {needed_s:g} s of steps between {since_s:g} and {until_s:g} s.",
        "Give shorter times, or film a longer motion.",
    )


def _too_short(first_s: float, stop_s: float) -> TimesError:
    return TimesError(
        f"A step has only the time from {first_s:.1f} to {stop_s:.1f} s.",
        f"Leave every step {SHORTEST_TIMED_S:g} s or more, or film a longer motion.",
    )
