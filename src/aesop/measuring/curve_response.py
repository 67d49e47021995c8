"""Intensity over time, measured: whether the camera travels in every part of a shot as it does at
the intensity of that part, and whether its speed jumps between them.

Every shot is filmed with a random curve of two or three pieces, at intensity 1, and at the value of
every piece, all with one take. What a piece travels is compared with what the same frames travel at
1 (the response) and at the piece's value (the response of a number).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float64

from aesop.core.errors import AesopError, Progress
from aesop.core.hashing import text_sha256
from aesop.core.machine import Code, Machine
from aesop.core.whole_files import PieceLines
from aesop.director.intensity_words import extent_in
from aesop.director.requests import USUAL_INTENSITIES, FilmRequest
from aesop.measuring.cases import Case, Cases
from aesop.measuring.runs import origin_of_result, restored
from aesop.metrics.bootstrap import Interval, clusters_of, ratio_interval
from aesop.metrics.intensity_scan import TRAVELLING_M
from aesop.scene.camera import CameraPath
from aesop.scene.intensity_curve import IntensityCurve
from aesop.scene.shot import Shot

Films = Callable[[Sequence[FilmRequest]], list[Shot]]

JOIN_SECONDS = 0.8
LEAST_PIECE_SECONDS = 0.8
LEAST_APART = 0.25  # of the values of two neighbouring pieces
# A piece whose way at intensity 1 is shorter does not move: a ratio of such ways says nothing.
MOVING_M = 0.1
TOGETHER = 4  # shots that are filmed at once


@dataclass(frozen=True)
class Pieces:
    """A curve of constant pieces with eased joins, and the frames of both, first and last."""

    curve: IntensityCurve
    values: tuple[float, ...]
    pieces: tuple[tuple[int, int], ...]
    joins: tuple[tuple[int, int], ...]


def seconds_for(pieces: int) -> float:
    """How long a shot must be for so many pieces."""
    return pieces * LEAST_PIECE_SECONDS + (pieces - 1) * JOIN_SECONDS


def draw_pieces(frames: int, fps: float, dice: np.random.Generator) -> Pieces:
    """Two pieces, or three where there is time; one of them may be at the usual intensity."""
    seconds = (frames - 1) / fps
    count = 3 if seconds >= seconds_for(3) and dice.random() < 0.5 else 2
    assert seconds >= seconds_for(count), "a shot that is long enough"
    spare = dice.dirichlet(np.ones(count)) * (seconds - seconds_for(count))
    lasts = np.cumsum(LEAST_PIECE_SECONDS + spare + JOIN_SECONDS) - JOIN_SECONDS
    starts = np.array([0.0, *(lasts[:-1] + JOIN_SECONDS)])
    lasts[-1] = seconds
    values = _draw_values(count, dice)
    points = [
        (second, value)
        for start, last, value in zip(starts.tolist(), lasts.tolist(), values, strict=True)
        for second in (start, last)
    ]
    curve = IntensityCurve.from_points([(round(at, 3), value) for at, value in points])
    near = 1e-6  # of a frame: what divides and multiplies comes back a little off
    bounds = [
        (math.ceil(start * fps - near), math.floor(last * fps + near))
        for start, last in zip(curve.seconds[::2], curve.seconds[1::2], strict=True)
    ]
    joins = tuple((before[1], after[0]) for before, after in pairwise(bounds))
    return Pieces(curve, tuple(values), tuple(bounds), joins)


def _draw_values(count: int, dice: np.random.Generator) -> list[float]:
    low, high = USUAL_INTENSITIES
    while True:
        values = [round(float(value), 2) for value in dice.uniform(low, high, count)]
        if dice.random() < 0.5:
            values[int(dice.integers(count))] = 1.0
        if all(abs(one - other) >= LEAST_APART for one, other in pairwise(values)):
            return values


@dataclass(frozen=True)
class CurveFilm:
    """One shot: the ways of its pieces in metres, and its joins."""

    shot: str
    group: str  # the performer
    words: str
    curve: str
    values: tuple[float, ...]
    over_time_m: tuple[float, ...]
    at_one_m: tuple[float, ...]
    at_value_m: tuple[float, ...]
    jumps: tuple[float, ...]  # the largest change of speed within each join, m/s²
    jumps_at_one: tuple[float, ...]  # in the same frames at intensity 1
    apart_at_one_m: tuple[float, ...]  # of pieces at 1: largest distance from the shape at 1


@dataclass(frozen=True)
class CurvesPlan:
    """What all films of a file share; a file is only continued by an equal plan."""

    weights: str
    dataset: str
    split: str
    cases_sha256: str
    code_sha256: str
    finish: str
    preset: str
    seed: int


@dataclass(frozen=True)
class ReferenceJumps:
    """Changes of speed in the references, m/s²: the 99th percentile of all frames, and of the
    largest in windows as long as a join."""

    frame_99: float
    join_99: float
    windows: int


@dataclass(frozen=True)
class SegmentResponse:
    """Ways of segments over their ways at 1, against intensity: under curves ("over time"), and of
    the same segments at one intensity throughout ("of numbers")."""

    segments: int
    moving: int
    slope_over_time: float
    slope_of_numbers: float
    slope_ratio: float
    slope_ratio_interval: Interval | None
    correlation_over_time: float
    correlation_of_numbers: float
    mean_absolute_difference: float  # of the two, segment by segment
    pairs: int  # of moving segments in one shot whose intensities are apart
    ordered_share: float
    ordered_share_of_numbers: float


@dataclass(frozen=True)
class JoinFacts:
    """Changes of speed in joins, m/s², beside those of the same frames at intensity 1 and of the
    references; and how near pieces at 1 are to their shape at 1, as finished."""

    reference: ReferenceJumps
    joins: int
    median: float
    percentile_99: float
    percentile_99_at_one: float
    beyond_share: float  # of joins beyond the references' windows
    beyond_share_at_one: float
    pieces_at_one: int
    shape_apart_m_median: float
    shape_apart_m_95: float


@dataclass(frozen=True)
class CurvesResult:
    """All films of a split, with everything needed to repeat it."""

    plan: CurvesPlan
    films: int
    shots: int  # of the split
    usable: int  # long enough, with a reference that travels and words that leave open how far
    response: SegmentResponse
    joins: JoinFacts
    code: Code
    machine: Machine
    repeat: str


def speed_changes(camera: CameraPath, fps: float) -> Float64[np.ndarray, " changes"]:
    """How much the speed of the centre changes, m/s²; change n lies at frame n + 1."""
    steps = torch.linalg.vector_norm(camera.centre.double().diff(dim=0), dim=-1) * fps
    return (steps.diff().abs() * fps).numpy()


def reference_jumps(references: Sequence[Shot]) -> ReferenceJumps:
    """Over all references that are long enough for a window."""
    frames: list[Float64[np.ndarray, " changes"]] = []
    largest: list[float] = []
    for shot in references:
        changes, window = speed_changes(shot.camera, shot.fps), round(JOIN_SECONDS * shot.fps)
        frames.append(changes)
        largest += [
            float(changes[start : start + window].max())
            for start in range(0, len(changes) - window + 1, window)
        ]
    return ReferenceJumps(
        frame_99=float(np.percentile(np.concatenate(frames), 99)),
        join_99=float(np.percentile(largest, 99)),
        windows=len(largest),
    )


def usable(cases: Sequence[Case], at_most: int | None = None) -> list[Case]:
    """Shots with time for two pieces and a join, whose reference travels and whose words leave open
    how far. Their order has nothing to do with what they are: so many of them from the front are a
    fair sample, and a part of any larger one."""
    kept = [
        case
        for case in cases
        if (case.reference.frames - 1) / case.reference.fps >= seconds_for(2)
        and float(case.reference.camera.travel) >= TRAVELLING_M
        and not extent_in(case.camera_words)
    ]
    return sorted(kept, key=lambda case: text_sha256(_name(case)))[:at_most]


def film_curves(
    film: Films,
    cases: Sequence[Case],
    path: Path,
    plan: CurvesPlan,
    progress: Progress | None = None,
) -> list[CurveFilm]:
    """Film what a file does not have yet, a line for every shot."""
    lines = PieceLines(path)
    done = {it.shot: it for it in (restored(CurveFilm, it) for it in lines.start(asdict(plan)))}
    left = [case for case in cases if _name(case) not in done]
    for start in range(0, len(left), TOGETHER):
        films = _filmed(film, left[start : start + TOGETHER], plan.seed)
        lines.add(asdict(it) for it in films)
        done |= {it.shot: it for it in films}
        if progress is not None:
            progress(len(cases) - len(left) + min(start + TOGETHER, len(left)), len(cases))
    return [done[_name(case)] for case in cases]


def _name(case: Case) -> str:
    return case.reference.provenance.source.partition(":")[2]


def _filmed(film: Films, cases: Sequence[Case], seed: int) -> list[CurveFilm]:
    drawn: list[Pieces] = []
    requests: list[FilmRequest] = []
    for case in cases:
        clip, dice = case.reference.clip, np.random.default_rng((seed, case.row))
        pieces = draw_pieces(clip.frames, clip.fps, dice)
        drawn.append(pieces)
        requests += [
            FilmRequest(clip, case.camera_words, intensity, seed)
            for intensity in (pieces.curve, 1.0, *pieces.values)
        ]
    shots = iter(film(requests))
    return [
        curve_film(case, pieces, next(shots), next(shots), [next(shots) for _ in pieces.values])
        for case, pieces in zip(cases, drawn, strict=True)
    ]


def curve_film(
    case: Case, pieces: Pieces, over_time: Shot, at_one: Shot, at_values: Sequence[Shot]
) -> CurveFilm:
    """Look at one shot under its curve, at intensity 1 and at the value of every piece."""
    return CurveFilm(
        shot=_name(case),
        group=case.group,
        words=case.camera_words,
        curve=pieces.curve.text,
        values=pieces.values,
        over_time_m=tuple(_way_m(over_time, *piece) for piece in pieces.pieces),
        at_one_m=tuple(_way_m(at_one, *piece) for piece in pieces.pieces),
        at_value_m=tuple(
            _way_m(shot, *piece) for shot, piece in zip(at_values, pieces.pieces, strict=True)
        ),
        jumps=tuple(_jump(over_time, *join) for join in pieces.joins),
        jumps_at_one=tuple(_jump(at_one, *join) for join in pieces.joins),
        apart_at_one_m=tuple(
            _apart_m(over_time, at_one, *piece)
            for piece, value in zip(pieces.pieces, pieces.values, strict=True)
            if value == 1
        ),
    )


def _way_m(shot: Shot, first: int, last: int) -> float:
    return float(shot.camera.part(slice(first, last + 1)).travel)


def _jump(shot: Shot, first: int, last: int) -> float:
    """The largest change of speed from the first to the last frame of a join."""
    changes = speed_changes(shot.camera, shot.fps)[max(first - 1, 0) : last]
    return float(changes.max())


def _apart_m(shot: Shot, other: Shot, first: int, last: int) -> float:
    """How far two ways are apart between two frames once they start at one place."""
    way, another = (one.camera.centre[first : last + 1].double() for one in (shot, other))
    apart = (way - way[:1]) - (another - another[:1])
    return float(torch.linalg.vector_norm(apart, dim=-1).max())


def curves_result(plan: CurvesPlan, films: Sequence[CurveFilm], cases: Cases) -> CurvesResult:
    """What all films show together."""
    return CurvesResult(
        plan,
        len(films),
        len(cases.cases),
        len(usable(cases.cases)),
        segment_facts(films),
        join_facts(films, reference_jumps(cases.references)),
        *origin_of_result(),
    )


def segment_facts(films: Sequence[CurveFilm]) -> SegmentResponse:
    rows = [
        (value, over / one, number / one, film.group)
        for film in films
        for value, over, one, number in zip(
            film.values, film.over_time_m, film.at_one_m, film.at_value_m, strict=True
        )
        if one >= MOVING_M
    ]
    if len(rows) < 2:
        raise AesopError(
            f"{len(films)} films have {len(rows)} segments that move.", "Measure more shots."
        )
    value, over_time, of_number = (np.array([row[at] for row in rows]) for at in range(3))
    apart = value - value.mean()
    clusters = clusters_of("performer", [row[3] for row in rows])
    ordered = [hit for film in films for hit in _ordered(film, film.over_time_m)]
    of_numbers = [hit for film in films for hit in _ordered(film, film.at_value_m)]
    return SegmentResponse(
        segments=sum(len(film.values) for film in films),
        moving=len(rows),
        slope_over_time=float(over_time @ apart / (apart @ apart)),
        slope_of_numbers=float(of_number @ apart / (apart @ apart)),
        slope_ratio=float(over_time @ apart / (of_number @ apart)),
        slope_ratio_interval=ratio_interval(over_time * apart, of_number * apart, clusters),
        correlation_over_time=_correlation(value, over_time),
        correlation_of_numbers=_correlation(value, of_number),
        mean_absolute_difference=float(np.abs(over_time - of_number).mean()),
        pairs=len(ordered),
        ordered_share=float(np.mean(ordered)) if ordered else float("nan"),
        ordered_share_of_numbers=float(np.mean(of_numbers)) if of_numbers else float("nan"),
    )


def _correlation(
    value: Float64[np.ndarray, " segments"], ways: Float64[np.ndarray, " segments"]
) -> float:
    """NaN where all ways are alike."""
    if np.ptp(ways) == 0:
        return math.nan
    return float(np.corrcoef(value, ways)[0, 1])


def join_facts(films: Sequence[CurveFilm], reference: ReferenceJumps) -> JoinFacts:
    jumps = np.array([jump for film in films for jump in film.jumps])
    at_one = np.array([jump for film in films for jump in film.jumps_at_one])
    shape = np.array([apart for film in films for apart in film.apart_at_one_m])
    known = shape if len(shape) else np.array([np.nan])
    return JoinFacts(
        reference=reference,
        joins=len(jumps),
        median=float(np.median(jumps)),
        percentile_99=float(np.percentile(jumps, 99)),
        percentile_99_at_one=float(np.percentile(at_one, 99)),
        beyond_share=float((jumps > reference.join_99).mean()),
        beyond_share_at_one=float((at_one > reference.join_99).mean()),
        pieces_at_one=len(shape),
        shape_apart_m_median=float(np.median(known)),
        shape_apart_m_95=float(np.percentile(known, 95)),
    )


def _ordered(film: CurveFilm, ways_m: Sequence[float]) -> list[bool]:
    """Whether of two moving segments the one with more intensity has the larger share of its way at
    1."""
    ratios = [
        (value, way / one)
        for value, way, one in zip(film.values, ways_m, film.at_one_m, strict=True)
        if one >= MOVING_M
    ]
    return [
        (first[0] < second[0]) == (first[1] < second[1])
        for first, second in combinations(ratios, 2)
        if abs(first[0] - second[0]) >= LEAST_APART
    ]


def curves_page(result: CurvesResult) -> str:
    """What was measured, as a page."""
    plan, response, joins = result.plan, result.response, result.joins
    near = response.slope_ratio_interval
    interval = "" if near is None else f" ({near.low:.3f} to {near.high:.3f})"
    lines = [
        f"# Intensity over time: {plan.dataset}, {plan.split}",
        "",
        f"{result.films} shots of {result.usable} that can be asked ({result.shots} in the split); "
        f"weights {plan.weights[:12]}, finish {plan.finish}, preset {plan.preset}, seed "
        f"{plan.seed}. {response.moving} of {response.segments} segments travel {MOVING_M:g} m or "
        "more at intensity 1.",
        "",
        "| | over time | one intensity throughout |",
        "|---|---|---|",
        f"| slope of a segment's way over its way at 1, against its intensity | "
        f"{response.slope_over_time:.3f} | {response.slope_of_numbers:.3f} |",
        f"| correlation | {response.correlation_over_time:.3f} | "
        f"{response.correlation_of_numbers:.3f} |",
        f"| pairs of segments in the right order, of {response.pairs} | "
        f"{response.ordered_share:.1%} | {response.ordered_share_of_numbers:.1%} |",
        "",
        f"The first slope is {response.slope_ratio:.3f} of the second{interval}; segment by "
        f"segment the ways differ by {response.mean_absolute_difference:.4f} of the way at 1.",
        "",
        "| largest change of speed in a join, m/s² | over time | same frames at 1 | references |",
        "|---|---|---|---|",
        f"| 99th percentile | {joins.percentile_99:.2f} | {joins.percentile_99_at_one:.2f} | "
        f"{joins.reference.join_99:.2f} |",
        f"| beyond the references' 99th percentile, of {joins.joins} | {joins.beyond_share:.1%} | "
        f"{joins.beyond_share_at_one:.1%} | 1.0% |",
        "",
        f"{joins.pieces_at_one} pieces at intensity 1 lie {100 * joins.shape_apart_m_median:.2g} "
        f"cm from their shape at 1 (median; 95th percentile "
        f"{100 * joins.shape_apart_m_95:.2g} cm).",
    ]
    return "\n".join([*lines, "", f"Repeat: `{result.repeat}`", ""])
