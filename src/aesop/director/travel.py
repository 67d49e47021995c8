"""How far a camera shall go, in metres or to a size at the end: the intensity at which it does,
found by filming.

With shared noise and one take, travel grows with intensity, and what a movement makes larger or
smaller grows or shrinks with it. A few intensities are filmed together, and what lies between two
of them is closed in on.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from aesop.camera_words.attributes import Size
from aesop.camera_words.standing_tagger import (
    SIZE_EDGES_M,
    camera_curves,
    person_curves,
    size_from_picture,
    standing_of,
)
from aesop.director.requests import FilmRequest, RequestError, ShootRequest
from aesop.scene.intensity_curve import Intensity
from aesop.scene.shot import Shot

CameraRequest = TypeVar("CameraRequest", FilmRequest, ShootRequest)
Films = Callable[[Sequence[CameraRequest]], list[Shot]]

FIRST_INTENSITIES = (0.5, 0.75, 1.0, 1.25, 1.5)
TRAVEL_NOTE = "travel "
CLOSE = 0.02  # of the way that was asked for
CLOSE_SIZE = 0.05  # of the height of the picture in the middle of a size
ROUNDS = 4
LEAST_SHARE = 0.25  # of the way between two intensities
SIZES: tuple[Size, ...] = tuple(SIZE_EDGES_M)  # the closest first
# The picture where the two outermost sizes, which have no end, are at their middle.
_OUTER_M = (0.26, 7.5)
_TAKE = re.compile(r"seed \d+, take (\d+)")
_CHOICE = "best of "


@dataclass(frozen=True)
class TravelGoal:
    """A way in metres, in the size of the motion's file."""

    metres: float

    def short_of(self, shot: Shot) -> float:
        """Below 0 where a shot has less than what is asked for, above where it has more; NaN where
        that cannot be told. Its size is relative."""
        return told_travel_m(shot) / self.metres - 1

    @property
    def close(self) -> float:
        """How near is near enough."""
        return CLOSE

    def note(self, shot: Shot, others: Sequence[Shot]) -> str:
        """What was asked for, how near the shot comes, and how far the others go if it does not."""
        goes = f"intensity {shot.intensity:.3g} goes {told_travel_m(shot):.2f} m"
        text = f"{TRAVEL_NOTE}{self.metres:g} m: {goes}"
        ways = [told_travel_m(one) for one in others]
        if min(ways) <= self.metres <= max(ways):
            return text
        return f"{text}; these words can go {min(ways):.2f} to {max(ways):.2f} m here"


@dataclass(frozen=True)
class EndSizeGoal:
    """A size at the end of the shot: the middle of it, if it can be had."""

    size: Size

    @property
    def picture_m(self) -> float:
        """How high the picture is at the person in the middle of the size."""
        edges = [*SIZE_EDGES_M.values()]
        at = SIZES.index(self.size)
        if at in (0, len(SIZES) - 1):
            return _OUTER_M[0 if at == 0 else 1]
        return math.sqrt(edges[at - 1] * edges[at])

    def short_of(self, shot: Shot) -> float:
        return end_picture_m(shot) / self.picture_m - 1

    @property
    def close(self) -> float:
        return CLOSE_SIZE

    def note(self, shot: Shot, others: Sequence[Shot]) -> str:
        made = end_picture_m(shot)
        text = f"end size {self.size}: intensity {shot.intensity:.3g} ends on {_named(made)}"
        if math.isfinite(made) and size_from_picture(made) == self.size:
            return text
        pictures = sorted(filter(math.isfinite, map(end_picture_m, others)))
        if not pictures:
            return f"{text}; nobody is there to measure by"
        ends = f"{_named(pictures[0])} to {_named(pictures[-1])}"
        spoken = self.size.replace("-", " ")
        article = "an" if spoken[0] in "aeiou" else "a"
        return f'{text}; these words can end on {ends} here: say "to {article} {spoken}" in them'


Goal = TravelGoal | EndSizeGoal


def _named(picture_m: float) -> str:
    """ "close-up (0.52 m of picture)"."""
    if not math.isfinite(picture_m):
        return "nobody"
    return f"{size_from_picture(picture_m)} ({picture_m:.2f} m of picture)"


@dataclass(frozen=True, eq=False)
class _TriedIntensity:
    """A shot, and by how much it falls short of the goal."""

    shot: Shot
    short: float

    @property
    def apart(self) -> float:
        return abs(self.short) if math.isfinite(self.short) else math.inf

    @property
    def intensity(self) -> float:
        return self.shot.intensity


@dataclass(frozen=True, eq=False)
class _Search:
    """What one request has been filmed at, in the order of intensities."""

    goal: Goal
    tried: tuple[_TriedIntensity, ...] = ()

    @property
    def shots(self) -> list[Shot]:
        return [one.shot for one in self.tried]

    @property
    def best(self) -> _TriedIntensity:
        return min(self.tried, key=lambda one: one.apart)

    @property
    def next_intensity(self) -> float | None:
        """Between the two nearest shots around what is asked for; None where one is near enough, or
        no two lie around it. The straight line between the two is followed, but never to where it
        would hardly leave one of them: a way may leap where the hand begins to correct it."""
        if self.best.apart <= self.goal.close:
            return None
        pairs = [(low, high) for low, high in pairwise(self.tried) if low.short * high.short < 0]
        if not pairs:
            return None
        low, high = min(pairs, key=lambda pair: pair[0].apart + pair[1].apart)
        share = min(max(low.apart / (low.apart + high.apart), LEAST_SHARE), 1 - LEAST_SHARE)
        return low.intensity + share * (high.intensity - low.intensity)

    def with_shots(self, shots: Sequence[Shot]) -> "_Search":
        tried = [*self.tried, *(_TriedIntensity(shot, self.goal.short_of(shot)) for shot in shots)]
        return replace(self, tried=tuple(sorted(tried, key=lambda one: one.intensity)))


def check_travel(metres: float) -> None:
    if not math.isfinite(metres) or metres <= 0:
        raise RequestError(
            f"A camera cannot travel {metres:g} m.",
            'Ask for a way above 0; for a camera that stands, say "the camera stays static".',
        )


def check_end_size(size: str) -> None:
    if size not in SIZES:
        raise RequestError(f"There is no size {size!r}.", f"Choose one of: {', '.join(SIZES)}.")


def goal_of(
    metres: float | None, end_size: Size | None, intensity: Intensity | str | None = None
) -> Goal | None:
    """What is asked for, checked; none where nothing is."""
    given = {"a way in metres": metres, "a size at the end": end_size, "an intensity": intensity}
    asked = [name for name, value in given.items() if value is not None]
    if len(asked) > 1:
        raise RequestError(f"Both {asked[0]} and {asked[1]} are asked for.", "Choose one of them.")
    if metres is not None:
        check_travel(metres)
        return TravelGoal(metres)
    if end_size is not None:
        check_end_size(end_size)
        return EndSizeGoal(end_size)
    return None


def film_travelling(
    film: Films[CameraRequest], requests: Sequence[CameraRequest], metres: float
) -> list[Shot]:
    """Shots in the order of the requests, each with a camera that goes so far, or as near to that
    as intensities go. `film` answers requests, each by itself."""
    check_travel(metres)
    return film_for(film, requests, TravelGoal(metres))


def film_for(
    film: Films[CameraRequest], requests: Sequence[CameraRequest], goal: Goal
) -> list[Shot]:
    """Shots in the order of the requests, each as near to the goal as intensities go."""
    first = [
        replace(request, intensity=intensity)
        for request in requests
        for intensity in FIRST_INTENSITIES
    ]
    shots, count = film(first), len(FIRST_INTENSITIES)
    searches = [
        _Search(goal).with_shots(shots[at * count : (at + 1) * count])
        for at in range(len(requests))
    ]
    for _ in range(ROUNDS):
        wanted = {
            at: intensity
            for at, search in enumerate(searches)
            if (intensity := search.next_intensity) is not None
        }
        if not wanted:
            break
        again = [_asked_again(requests[at], searches[at], wanted[at]) for at in wanted]
        for at, shot in zip(wanted, film(again), strict=True):
            searches[at] = searches[at].with_shots([shot])
    return [_with_note(search) for search in searches]


def _asked_again(request: CameraRequest, search: _Search, intensity: float) -> CameraRequest:
    """The take is chosen once, at the first intensities."""
    found = [match for note in search.shots[0].provenance.notes if (match := _TAKE.match(note))]
    take = int(found[0][1]) if found else request.take
    return replace(request, intensity=intensity, take=take)


def _with_note(search: _Search) -> Shot:
    """The nearest shot, with what was asked, how near it comes, and how its take was chosen."""
    shot = search.best.shot
    notes = [note for note in shot.provenance.notes if not note.startswith(_CHOICE)]
    notes += [note for note in search.shots[0].provenance.notes if note.startswith(_CHOICE)]
    note = search.goal.note(shot, search.shots)
    return replace(shot, provenance=replace(shot.provenance, notes=(*notes, note)))


def told_travel_m(shot: Shot) -> float:
    """The way of the camera as exports have it: in the size of the motion's file."""
    return shot.clip.file_metres * float(shot.camera.travel)


def end_picture_m(shot: Shot) -> float:
    """How high the picture is at the person in the last half second; NaN where nobody is there to
    measure by."""
    person = person_curves(shot.clip.motion)
    heights = standing_of(camera_curves(shot.camera, shot.fps), person).picture_m
    return math.nan if heights is None else heights[1]
