"""Curves and ways in metres, measured on cameras whose travel is known in closed form."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.director.requests import FilmRequest
from aesop.measuring.cases import Case
from aesop.measuring.curve_response import (
    JOIN_SECONDS,
    LEAST_APART,
    LEAST_PIECE_SECONDS,
    CurveFilm,
    CurvesPlan,
    draw_pieces,
    film_curves,
    join_facts,
    reference_jumps,
    seconds_for,
    segment_facts,
    speed_changes,
    usable,
)
from aesop.measuring.travel_reach import film_travels, travel_result
from aesop.scene.camera import CameraPath
from aesop.scene.human import Provenance
from aesop.scene.intensity_curve import IntensityCurve
from aesop.scene.shot import Shot
from tests.director.makers import walking
from tests.tolerances import FILMED32

FPS = 25.0
PLAN = CurvesPlan("w", "fables", "validation", "c", "s", "hand", "fast", 3)


def shot_of(frames: int, steps_m: torch.Tensor, name: str, words: str = "push in") -> Shot:
    """A camera that goes along x by these steps."""
    along = torch.cat([torch.zeros(1, dtype=torch.float64), steps_m.double().cumsum(0)])
    centre = torch.stack([along, torch.zeros_like(along), torch.ones_like(along)], -1)
    turns = torch.eye(3, dtype=torch.float64).expand(frames, 3, 3)
    camera = CameraPath(turns, centre, torch.full((frames,), 0.7, dtype=torch.float64), 1.5)
    notes = ("seed 5, take 0",)
    return Shot(walking(frames), camera, Provenance(f"store:{name}", notes=notes), words)


def case_of(frames: int, row: int, metres: float = 2.0, words: str = "push in") -> Case:
    shot = shot_of(frames, torch.full((frames - 1,), metres / (frames - 1)), f"row {row}", words)
    return Case(row, row, shot, np.zeros(frames - 1, np.int64), "", group=f"person {row % 3}")


def proportional(requests: Sequence[FilmRequest]) -> list[Shot]:
    """Every step as long as the intensity of its moment, and 0.02 m."""
    shots: list[Shot] = []
    for request in requests:
        steps = torch.full((request.frames - 1,), 0.02, dtype=torch.float64)
        instants = (torch.arange(request.frames - 1).double() + 0.5) / FPS
        curve = request.intensity
        share = curve.at(instants) if isinstance(curve, IntensityCurve) else curve
        intensity = 1.0 if isinstance(curve, IntensityCurve) else curve
        made = shot_of(request.frames, steps * share, "made", request.camera_words)
        shots.append(replace(made, intensity=intensity))
    return shots


def deaf(requests: Sequence[FilmRequest]) -> list[Shot]:
    """Curves are not heard, numbers are."""
    return proportional(
        [replace(it, intensity=1.0) if isinstance(it.intensity, IntensityCurve) else it
         for it in requests]
    )  # fmt: skip


def test_drawn_curves_are_pieces_with_joins_that_fill_the_shot():
    for seed in range(53):
        frames = 71 + 7 * seed
        drawn = draw_pieces(frames, FPS, np.random.default_rng(seed))
        met = drawn.curve.at_frames(frames, FPS)
        assert drawn.pieces[0][0] == 0 and drawn.pieces[-1][1] == frames - 1
        for (first, last), value in zip(drawn.pieces, drawn.values, strict=True):
            assert (last - first + 2) / FPS >= LEAST_PIECE_SECONDS  # whole frames at both ends
            assert met[first : last + 1].tolist() == [value] * (last - first + 1)
        for first, last in drawn.joins:
            assert (last - first) / FPS == pytest.approx(JOIN_SECONDS, abs=2 / FPS)  # whole frames
        neighbours = np.abs(np.diff(drawn.values))
        assert neighbours.min() >= LEAST_APART


def test_cameras_that_obey_have_slope_one_and_deaf_ones_have_none(tmp_path: Path):
    cases = [case_of(83 + 12 * row, row) for row in range(11)]
    films = film_curves(proportional, cases, tmp_path / "a.jsonl", PLAN)
    facts = segment_facts(films)
    assert facts.slope_over_time == pytest.approx(1, abs=FILMED32)
    assert facts.slope_ratio == pytest.approx(1, abs=FILMED32)
    assert facts.ordered_share == facts.ordered_share_of_numbers == 1
    assert facts.moving == facts.segments and facts.pairs > 0
    unheard = segment_facts(film_curves(deaf, cases, tmp_path / "b.jsonl", PLAN))
    assert abs(unheard.slope_over_time) < FILMED32
    assert unheard.slope_of_numbers == pytest.approx(1, abs=FILMED32)
    assert unheard.ordered_share < 1 == unheard.ordered_share_of_numbers


def test_what_was_filmed_is_not_filmed_again(tmp_path: Path):
    cases = [case_of(101, row) for row in range(5)]
    first = film_curves(proportional, cases[:3], tmp_path / "a.jsonl", PLAN)
    asked: list[FilmRequest] = []

    def counted(requests: Sequence[FilmRequest]) -> list[Shot]:
        asked.extend(requests)
        return proportional(requests)

    again = film_curves(counted, cases, tmp_path / "a.jsonl", PLAN)
    assert again[:3] == first and 0 < len(asked) <= 2 * 5


def test_jumps_are_changes_of_speed():
    speeds = torch.tensor([0.5] * 20 + [1.7] * 23)  # m/s
    shot = shot_of(44, speeds / FPS, "a")
    changes = speed_changes(shot.camera, FPS)
    assert changes.argmax() == 19 and changes.max() == pytest.approx(1.2 * FPS, abs=FILMED32)
    assert np.delete(changes, 19).max() < FILMED32
    assert reference_jumps([shot]).join_99 > 1
    film = CurveFilm(
        "a", "p", "w", "0:1", (1.0,), (1.0,), (1.0,), (1.0,), (9.0, 0.1), (0.1,), (0.2,)
    )
    found = join_facts([film], replace(reference_jumps([shot]), join_99=5.0))
    assert (found.beyond_share, found.beyond_share_at_one) == (0.5, 0.0)
    assert found.shape_apart_m_median == 0.2


def test_shots_that_cannot_be_asked_are_left_out():
    short = int(seconds_for(2) * FPS)
    cases = [
        case_of(101, 0),
        case_of(short, 1),
        case_of(101, 2, metres=0.1),
        case_of(101, 3, words="the camera makes a full circle around her"),
        *(case_of(103, row) for row in range(4, 9)),
    ]
    kept = [case.row for case in usable(cases)]
    assert sorted(kept) == [0, 4, 5, 6, 7, 8]
    assert [case.row for case in usable(cases, 3)] == kept[:3]  # fewer are a part of more
    assert [case.row for case in usable(cases[::-1])] == kept


def test_ways_between_the_ends_are_met_and_those_that_shrink_are_told(tmp_path: Path):
    cases = [case_of(101, row) for row in range(7)]
    met = travel_result(PLAN, *film_travels(proportional, cases, tmp_path / "a.jsonl", PLAN))
    assert (met.within_share, met.requests, met.shrinking) == (1, 7, 0)
    assert met.least_ratio[1] == pytest.approx(0.5, abs=FILMED32)
    assert met.most_ratio[1] == pytest.approx(1.5, abs=FILMED32)

    def backwards(requests: Sequence[FilmRequest]) -> list[Shot]:
        shots = proportional([replace(it, intensity=2 - _number(it)) for it in requests])
        return [replace(a, intensity=_number(b)) for a, b in zip(shots, requests, strict=True)]

    films, ratios = film_travels(backwards, cases, tmp_path / "b.jsonl", PLAN)
    assert films == [] and len(ratios) == 7


def _number(request: FilmRequest) -> float:
    assert isinstance(request.intensity, float)
    return request.intensity
