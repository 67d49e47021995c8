"""The test bed in a few numbers, and as a table with a column for each way to film."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from aesop.core.machine import Code, Machine
from aesop.measuring.bed import PUSH_UNITS, BedFilm, TurnCounts

NEAREST_M = 0.4
FASTEST_TURN_DPS = 90.0
HIGH_PERCENTILE = 0.99


@dataclass(frozen=True)
class LongSummary:
    """Films of several windows. Shares of frames are means over films."""

    films: int
    first_empty: float
    later_empty: float
    first_head: float
    later_head: float
    lost: int
    inside_turn_p99_dps: float
    seam_turn_p99_dps: float
    seam_turn_max_dps: float
    inside_push_p99_mps2: float | None = None  # None: not counted
    seam_push_p99_mps2: float | None = None


@dataclass(frozen=True)
class FilmGroup:
    """Some films. Shares of frames are means over films; None where no film was judged."""

    name: str
    films: int
    empty_share: float
    head_share: float
    lost: int  # films with nobody in the picture for a tenth of their time or more
    too_near: int  # films that come nearer to the body than 0.4 m
    too_fast: int  # films that turn faster than 90 degrees a second
    judged: int
    right: int
    travel_m: float
    distance_m: float
    lens_range_deg: float
    crown_share: float | None = None  # of the frames: the top of the head is in the picture

    @property
    def right_share(self) -> float | None:
        return self.right / self.judged if self.judged else None


@dataclass(frozen=True)
class CompanySummary:
    """Follow or lead, over films of a person who goes somewhere."""

    sentence: str
    films: int
    travel_of_way: float  # all travel over all ways
    along_of_way: float
    median_travel_share: float
    reached: int  # films that travel at least 0.7 of the person's way


@dataclass(frozen=True)
class BedSummary:
    """A side of the bed, filmed one way."""

    side: str
    finish: str
    bed_sha256: str
    weights: str
    expected: int
    total: FilmGroup
    by_kind: tuple[FilmGroup, ...]
    by_sentence: tuple[FilmGroup, ...]
    company: tuple[CompanySummary, ...]
    long: LongSummary | None
    lost_films: tuple[str, ...]
    code: Code
    machine: Machine
    repeat: str


def group_of(name: str, films: Sequence[BedFilm]) -> FilmGroup:
    """Counts and means of some films."""
    holdings = [film.holding for film in films]
    judged = [film.is_right for film in films if film.is_right is not None]
    crowns = [film.crown_share for film in films if film.crown_share is not None]
    return FilmGroup(
        name=name,
        films=len(films),
        empty_share=_mean([holding.empty_share for holding in holdings]),
        head_share=_mean([holding.head_share for holding in holdings]),
        lost=sum(holding.loses_person for holding in holdings),
        too_near=sum(holding.nearest_m < NEAREST_M for holding in holdings),
        too_fast=sum(holding.fastest_turn_dps > FASTEST_TURN_DPS for holding in holdings),
        judged=len(judged),
        right=sum(judged),
        travel_m=_mean([holding.travel_m for holding in holdings]),
        distance_m=_mean([film.distance_m for film in films]),
        lens_range_deg=_mean([film.lens_range_deg for film in films]),
        crown_share=_mean(crowns) if len(crowns) == len(films) else None,
    )


def groups_by(films: Sequence[BedFilm], name_of: Callable[[BedFilm], str]) -> tuple[FilmGroup, ...]:
    """A group for every name, in the order in which names first occur."""
    names = list(dict.fromkeys(map(name_of, films)))
    return tuple(
        group_of(name, [film for film in films if name_of(film) == name]) for name in names
    )


def companies_of(films: Sequence[BedFilm]) -> tuple[CompanySummary, ...]:
    """Follow and lead, wherever a person goes somewhere."""
    summaries: list[CompanySummary] = []
    for sentence in ("follow", "lead"):
        some = [
            film for film in films if film.sentence == sentence and film.travel_share is not None
        ]
        if not some:
            continue
        ways = np.array([film.holding.person_way_m for film in some])
        shares = np.array([film.travel_share for film in some], dtype=float)
        along = np.array([film.along_share for film in some], dtype=float)
        summaries.append(
            CompanySummary(
                sentence=sentence,
                films=len(some),
                travel_of_way=float((shares * ways).sum() / ways.sum()),
                along_of_way=float((along * ways).sum() / ways.sum()),
                median_travel_share=float(np.median(shares)),
                reached=int((shares >= 0.7).sum()),
            )
        )
    return tuple(summaries)


def long_summary(films: Sequence[BedFilm]) -> LongSummary | None:
    """None if no film has several windows."""
    some = [film.long for film in films if film.long is not None]
    if not some:
        return None
    seams = _pooled([long.seam_turns for long in some])
    inside = _pooled([long.inside_turns for long in some])
    pushed, pushed_inside = (
        _percentile(_pooled(counts), HIGH_PERCENTILE) / PUSH_UNITS if all(counts) else None
        for counts in ([it.seam_pushes for it in some], [it.inside_pushes for it in some])
    )
    return LongSummary(
        films=len(some),
        first_empty=_mean([long.first_empty for long in some]),
        later_empty=_mean([long.later_empty for long in some]),
        first_head=_mean([long.first_head for long in some]),
        later_head=_mean([long.later_head for long in some]),
        lost=sum(film.holding.loses_person for film in films if film.long is not None),
        inside_turn_p99_dps=_percentile(inside, HIGH_PERCENTILE),
        seam_turn_p99_dps=_percentile(seams, HIGH_PERCENTILE),
        seam_turn_max_dps=_percentile(seams, 1.0),
        inside_push_p99_mps2=pushed_inside,
        seam_push_p99_mps2=pushed,
    )


def _pooled(counts: Sequence[TurnCounts]) -> Counter[int]:
    total: Counter[int] = Counter()
    for some in counts:
        for speed, count in some:
            total[speed] += count
    return total


def _percentile(counts: Counter[int], share: float) -> float:
    """Upper edge of the whole unit below which a share of the transitions lies."""
    speeds = sorted(counts)
    reached = np.cumsum([counts[speed] for speed in speeds])
    return float(speeds[int(np.searchsorted(reached, share * reached[-1]))] + 1)


def lost_films(films: Sequence[BedFilm]) -> tuple[str, ...]:
    """The films that lose the person, the worst first."""
    lost = sorted(
        (film for film in films if film.holding.loses_person),
        key=lambda it: -it.holding.empty_share,
    )
    return tuple(
        f"{it.motion}, {it.sentence}, seed {it.seed}: {it.holding.empty_share:.0%} empty"
        for it in lost
    )


def table(summaries: Sequence[BedSummary]) -> str:
    """Markdown: a row for each number, a column for each way to film."""
    head = ["", *(summary.finish for summary in summaries)]
    rows = [[name, *(show(summary) for summary in summaries)] for name, show in _ROWS]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def page(summaries: Sequence[BedSummary]) -> str:
    """Markdown: the table of each side, and every way to film by kind of motion and sentence."""
    parts = ["# The test bed in numbers\n", "What is counted and how: `docs/bed.md`.\n"]
    for side in dict.fromkeys(summary.side for summary in summaries):
        some = [summary for summary in summaries if summary.side == side]
        parts += [f"## Side: {side}\n", table(some)]
        for it in some:
            filmed = f"{it.total.films} of {it.expected} films"
            parts += [f"### {it.finish}, {side} ({filmed})\n", group_table(it.by_kind)]
            parts += [group_table(it.by_sentence)]
    return "\n".join(parts)


def group_table(groups: Sequence[FilmGroup]) -> str:
    """Markdown: a row for each group of one way to film."""
    lines = [
        "| | films | empty | head | lost | right | nearer than 0.4 m | over 90 °/s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for it in groups:
        right = "–" if it.right_share is None else f"{it.right_share:.0%}"
        lines.append(
            f"| {it.name} | {it.films} | {it.empty_share:.1%} | {it.head_share:.1%} | {it.lost} "
            f"| {right} | {it.too_near} | {it.too_fast} |"
        )
    return "\n".join(lines) + "\n"


def _of_company(sentence: str) -> Callable[[BedSummary], str]:
    def show(summary: BedSummary) -> str:
        for it in summary.company:
            if it.sentence == sentence:
                return f"{it.travel_of_way:.2f} (median {it.median_travel_share:.2f})"
        return "–"

    return show


def _of_long(show: Callable[[LongSummary], str]) -> Callable[[BedSummary], str]:
    return lambda summary: "–" if summary.long is None else show(summary.long)


_ROWS: tuple[tuple[str, Callable[[BedSummary], str]], ...] = (
    ("films", lambda it: f"{it.total.films}"),
    ("frames without the person", lambda it: f"{it.total.empty_share:.1%}"),
    ("head in the picture", lambda it: f"{it.total.head_share:.1%}"),
    ("top of the head in the picture", lambda it: _percent(it.total.crown_share)),
    ("films that lose the person for a tenth or more", lambda it: f"{it.total.lost}"),
    ("films nearer to the body than 0.4 m", lambda it: f"{it.total.too_near}"),
    ("films that turn over 90 °/s", lambda it: f"{it.total.too_fast}"),
    ("movement right", lambda it: f"{it.total.right_share or 0:.1%} of {it.total.judged}"),
    ("follow: travel over the person's way", _of_company("follow")),
    ("lead: travel over the person's way", _of_company("lead")),
    ("travel, m", lambda it: f"{it.total.travel_m:.2f}"),
    ("distance, m", lambda it: f"{it.total.distance_m:.2f}"),
    ("lens breathes by, °", lambda it: f"{it.total.lens_range_deg:.1f}"),
    ("films over 12 s", _of_long(lambda it: f"{it.films}")),
    ("– empty in the first window / after", _of_long(
        lambda it: f"{it.first_empty:.1%} / {it.later_empty:.1%}")),
    ("– head in the first window / after", _of_long(
        lambda it: f"{it.first_head:.1%} / {it.later_head:.1%}")),
    ("– lose the person", _of_long(lambda it: f"{it.lost}")),
    ("– 99th percentile of turns, inside / seams, °/s", _of_long(
        lambda it: f"{it.inside_turn_p99_dps:.0f} / {it.seam_turn_p99_dps:.0f}")),
    ("– 99th percentile of changes of velocity, inside / seams, m/s²", _of_long(
        lambda it: f"{_metres(it.inside_push_p99_mps2)} / {_metres(it.seam_push_p99_mps2)}")),
)  # fmt: skip


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _metres(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")
