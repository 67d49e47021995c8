"""How much of two videos was played, by the server's clock: nobody passes faster than real time.

A browser tells, again and again, which stretches of both videos it has played since it opened the
trial. Of what is new in that, the server believes no more than the time that has gone by since it
last believed something of this participant, in whichever tab, on whichever trial, and no more than
a second at once: time cannot be saved up. Whatever it does not believe yet can be told again later,
so lost messages and a server that was restarted cost a little time and no watching.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock

NEEDED = 0.9  # of both videos must have been played before an answer is saved
LONGEST_GAP_SECONDS = 1.0  # between two messages that count; browsers send one in half of it
MOST_STRETCHES = 200  # that one message may name
Stretch = tuple[float, float]  # from and to, in seconds of a video


class Played:
    """Stretches of one video that were played, without overlaps."""

    def __init__(self, stretches: Iterable[Stretch] = ()) -> None:
        self._stretches: list[Stretch] = sorted(stretches)

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        return tuple(self._stretches)

    @property
    def seconds(self) -> float:
        return sum((end - start for start, end in self._stretches), 0.0)

    def add(self, stretches: Iterable[Stretch], at_most_seconds: float) -> float:
        """Take in what is new, from the start on, but no more than so many seconds; how many were
        taken."""
        left = at_most_seconds
        for start, end in sorted(stretches):
            for free_start, free_end in self._free(start, end):
                taken = min(free_end - free_start, left)
                if taken <= 0:
                    continue
                self._join(free_start, free_start + taken)
                left -= taken
        return at_most_seconds - left

    def _free(self, start: float, end: float) -> list[Stretch]:
        free: list[Stretch] = []
        for known_start, known_end in self._stretches:
            if known_start > start:
                free.append((start, min(known_start, end)))
            start = max(start, known_end)
            if start >= end:
                break
        if start < end:
            free.append((start, end))
        return [(begin, stop) for begin, stop in free if begin < stop]

    def _join(self, start: float, end: float) -> None:
        joined: list[Stretch] = []
        for known in sorted([*self._stretches, (start, end)]):
            if joined and known[0] <= joined[-1][1]:
                joined[-1] = joined[-1][0], max(joined[-1][1], known[1])
            else:
                joined.append(known)
        self._stretches = joined


@dataclass(frozen=True)
class Coverage:
    """Which share of both videos of a trial was played."""

    left: float
    right: float

    @property
    def is_enough(self) -> bool:
        return min(self.left, self.right) >= NEEDED


@dataclass(frozen=True)
class _OpenTrial:
    """Since when it has been on a screen, by the clock of this process, and what was played."""

    since: float
    played: tuple[Played, Played]


@dataclass
class _Watching:
    """A participant: when something was last believed, and the trials that were opened."""

    believed_at: float
    trials: dict[int, _OpenTrial] = field(default_factory=dict[int, _OpenTrial])


class Gate:
    """What all participants have played. `clock` runs evenly and never back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._watching: dict[str, _Watching] = {}
        self._lock = Lock()

    def open(
        self, participant: str, trial: int, known: tuple[Played, Played] | None = None
    ) -> None:
        """A trial is on somebody's screen, in one tab or in several: its time begins with the
        first. What was believed before a restart is known."""
        with self._lock:
            now = self._clock()
            watching = self._watching.setdefault(participant, _Watching(now))
            if trial not in watching.trials:
                watching.trials[trial] = _OpenTrial(now, known or (Played(), Played()))

    def is_open(self, participant: str, trial: int) -> bool:
        return participant in self._watching and trial in self._watching[participant].trials

    def beat(
        self,
        participant: str,
        trial: int,
        sides: tuple[Sequence[Stretch], Sequence[Stretch]],
        seconds: float,
    ) -> Coverage:
        """Believe what can be true by now. Both videos run at once, so both have the whole time."""
        with self._lock:
            watching = self._watching[participant]
            opened, now = watching.trials[trial], self._clock()
            gone = min(now - max(watching.believed_at, opened.since), LONGEST_GAP_SECONDS)
            watching.believed_at = now
            for played, stretches in zip(opened.played, sides, strict=True):
                played.add([_within(it, seconds) for it in stretches], gone)
        return self.coverage(participant, trial, seconds)

    def coverage(self, participant: str, trial: int, seconds: float) -> Coverage:
        left, right = self._watching[participant].trials[trial].played
        return Coverage(min(left.seconds / seconds, 1.0), min(right.seconds / seconds, 1.0))

    def played(self, participant: str, trial: int) -> tuple[Played, Played]:
        return self._watching[participant].trials[trial].played


def _within(stretch: Stretch, seconds: float) -> Stretch:
    """The part of a stretch that the video has."""
    start, end = (min(max(at, 0.0), seconds) for at in stretch)
    return start, max(start, end)
