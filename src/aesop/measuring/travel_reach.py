"""Metres, measured: how many ways between those at intensities 0.5 and 1.5 are met, and how far
those two lie apart."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from aesop.core.errors import AesopError, Progress
from aesop.core.machine import Code, Machine
from aesop.core.whole_files import PieceLines
from aesop.director.requests import FilmRequest
from aesop.director.travel import FIRST_INTENSITIES, film_travelling, told_travel_m
from aesop.measuring.cases import Case
from aesop.measuring.curve_response import CurvesPlan
from aesop.measuring.runs import origin_of_result, restored
from aesop.metrics.bootstrap import Interval, clusters_of, ratio_interval
from aesop.scene.shot import Shot

Films = Callable[[Sequence[FilmRequest]], list[Shot]]
WITHIN = 0.05  # of what was asked for


@dataclass(frozen=True)
class TravelFilm:
    """One request: what was asked for, what is gone, and between what it could be asked for."""

    shot: str
    group: str
    words: str
    least_m: float  # at the lowest intensity
    most_m: float  # at the highest
    asked_m: float
    gone_m: float
    films: int  # that were made for it

    @property
    def error(self) -> float:
        return abs(self.gone_m / self.asked_m - 1)


@dataclass(frozen=True)
class TravelResult:
    """All requests of a split, with everything needed to repeat it."""

    plan: CurvesPlan
    requests: int
    within_share: float  # of requests, within 5 %
    within_interval: Interval | None
    error_median: float
    error_99: float
    films_mean: float
    shrinking: int  # requests left out: the camera goes no further at 1.5 than at 0.5
    least_ratio: tuple[float, float, float]  # way at 0.5 over way at 1: quartiles
    most_ratio: tuple[float, float, float]  # way at 1.5 over way at 1
    code: Code
    machine: Machine
    repeat: str


def film_travels(
    film: Films,
    cases: Sequence[Case],
    path: Path,
    plan: CurvesPlan,
    progress: Progress | None = None,
) -> tuple[list[TravelFilm], list[tuple[float, float]]]:
    """One random way for every shot, a line for each that a file does not have yet; and the ways at
    both ends over that at 1."""
    lines = PieceLines(path)
    done = {it.shot: it for it in (restored(_Line, it) for it in lines.start(asdict(plan)))}
    for at, case in enumerate(cases):
        name = case.reference.provenance.source.partition(":")[2]
        if name not in done:
            done[name] = _measured(film, case, name, plan.seed)
            lines.add([asdict(done[name])])
        if progress is not None:
            progress(at + 1, len(cases))
    made = list(done.values())
    films = [it.film for it in made if it.film is not None]
    return films, [(it.least_ratio, it.most_ratio) for it in made]


@dataclass(frozen=True)
class _Line:
    """What is kept of a shot; no film where its way does not grow."""

    shot: str
    film: TravelFilm | None
    least_ratio: float
    most_ratio: float


def _measured(film: Films, case: Case, name: str, seed: int) -> _Line:
    known: dict[tuple[object, int | None], Shot] = {}

    def once(requests: Sequence[FilmRequest]) -> list[Shot]:
        """What was filmed to know both ends need not be filmed again."""
        new = [it for it in requests if (it.intensity, it.take) not in known]
        keys = [(it.intensity, it.take) for it in new]
        known.update(zip(keys, film(new) if new else [], strict=True))
        return [known[it.intensity, it.take] for it in requests]

    request = FilmRequest(case.reference.clip, case.camera_words, 1.0, seed)
    first = [FilmRequest(request.clip, request.camera_words, a, seed) for a in FIRST_INTENSITIES]
    ways = [told_travel_m(shot) for shot in once(first)]
    usual = max(ways[FIRST_INTENSITIES.index(1.0)], 1e-9)
    ratios = (ways[0] / usual, ways[-1] / usual)
    if ways[-1] <= ways[0]:
        return _Line(name, None, *ratios)
    share = float(np.random.default_rng((seed, case.row)).random())
    asked = ways[0] + share * (ways[-1] - ways[0])
    (shot,) = film_travelling(once, [request], asked)
    gone = told_travel_m(shot)
    made = TravelFilm(
        name, case.group, case.camera_words, ways[0], ways[-1], asked, gone, len(known)
    )
    return _Line(name, made, *ratios)


def travel_result(
    plan: CurvesPlan, films: Sequence[TravelFilm], ratios: Sequence[tuple[float, float]]
) -> TravelResult:
    """What all requests show together."""
    if not films:
        raise AesopError("No shot goes further at a higher intensity.", "Measure more shots.")
    errors = np.array([film.error for film in films])
    hits = (errors <= WITHIN).astype(np.float64)
    clusters = clusters_of("performer", [film.group for film in films])
    least, most = (np.percentile([it[at] for it in ratios], (25, 50, 75)) for at in range(2))
    return TravelResult(
        plan,
        len(films),
        float(hits.mean()),
        ratio_interval(hits, np.ones_like(hits), clusters),
        float(np.median(errors)),
        float(np.percentile(errors, 99)),
        float(np.mean([film.films for film in films])),
        len(ratios) - len(films),
        (float(least[0]), float(least[1]), float(least[2])),
        (float(most[0]), float(most[1]), float(most[2])),
        *origin_of_result(),
    )
