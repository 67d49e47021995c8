"""How far a camera shall go, in metres: the intensity at which it goes that far, found by filming.

With shared noise and one take, travel grows with intensity. A few intensities are filmed together,
and what lies between two of them is closed in on.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TypeVar

from aesop.director.requests import FilmRequest, RequestError, ShootRequest
from aesop.scene.shot import Shot

CameraRequest = TypeVar("CameraRequest", FilmRequest, ShootRequest)
Films = Callable[[Sequence[CameraRequest]], list[Shot]]

FIRST_INTENSITIES = (0.5, 0.75, 1.0, 1.25, 1.5)
CLOSE = 0.02  # of the way that was asked for
ROUNDS = 4
_TAKE = re.compile(r"seed \d+, take (\d+)")
_CHOICE = "best of "


@dataclass(frozen=True, eq=False)
class _Search:
    """What one request has been filmed at; shots stand in the order of their intensities."""

    request: FilmRequest | ShootRequest
    asked_m: float
    shots: tuple[Shot, ...]

    @property
    def best(self) -> Shot:
        return min(self.shots, key=lambda shot: abs(_travel_m(shot) - self.asked_m))

    @property
    def range_m(self) -> tuple[float, float]:
        """The least and the most that was travelled."""
        ways = [_travel_m(shot) for shot in self.shots]
        return min(ways), max(ways)

    @property
    def next_intensity(self) -> float | None:
        """Where the straight line between the two shots around the asked way meets it; None where
        one is near enough, or no two lie around it."""
        if abs(_travel_m(self.best) - self.asked_m) <= CLOSE * self.asked_m:
            return None
        for low, high in zip(self.shots, self.shots[1:], strict=False):
            short, long = _travel_m(low), _travel_m(high)
            if short < self.asked_m < long:
                share = (self.asked_m - short) / (long - short)
                return low.intensity + share * (high.intensity - low.intensity)
        return None

    def with_shot(self, shot: Shot) -> "_Search":
        shots = sorted((*self.shots, shot), key=lambda one: one.intensity)
        return replace(self, shots=tuple(shots))


def check_travel(metres: float) -> None:
    if not isfinite(metres) or metres <= 0:
        raise RequestError(
            f"A camera cannot travel {metres:g} m.",
            'Ask for a way above 0; for a camera that stands, say "the camera stays static".',
        )


def film_travelling(
    film: Films[CameraRequest], requests: Sequence[CameraRequest], metres: float
) -> list[Shot]:
    """Shots in the order of the requests, each with a camera that goes so far, or as near to that
    as intensities go. `film` answers requests, each by itself."""
    check_travel(metres)
    first = [
        replace(request, intensity=intensity)
        for request in requests
        for intensity in FIRST_INTENSITIES
    ]
    shots, count = film(first), len(FIRST_INTENSITIES)
    searches = [
        _Search(request, metres, tuple(shots[at * count : (at + 1) * count]))
        for at, request in enumerate(requests)
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
            searches[at] = searches[at].with_shot(shot)
    return [_told(search) for search in searches]


def _asked_again(request: CameraRequest, search: _Search, intensity: float) -> CameraRequest:
    """The take is chosen once, at the first intensities."""
    found = [match for note in search.shots[0].provenance.notes if (match := _TAKE.match(note))]
    take = int(found[0][1]) if found else request.take
    return replace(request, intensity=intensity, take=take)


def _told(search: _Search) -> Shot:
    """The nearest shot, with what was asked, how near it comes, and how its take was chosen."""
    shot = search.best
    notes = [note for note in shot.provenance.notes if not note.startswith(_CHOICE)]
    notes += [note for note in search.shots[0].provenance.notes if note.startswith(_CHOICE)]
    told = (
        f"travel {search.asked_m:g} m: intensity {shot.intensity:.3g} goes {_travel_m(shot):.2f} m"
    )
    low, high = search.range_m
    if not low <= search.asked_m <= high:
        told += f"; these words can go {low:.2f} to {high:.2f} m here"
    return replace(shot, provenance=replace(shot.provenance, notes=(*notes, told)))


def _travel_m(shot: Shot) -> float:
    return float(shot.camera.travel)
