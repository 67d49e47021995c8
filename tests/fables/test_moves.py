"""Moves: every class, ways that no word knows of, gentle timing that the tagger reads as meant."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from aesop.camera_words.outline import STATIC
from aesop.fables.cinematographer.lens import Style
from aesop.fables.cinematographer.moves import (
    LONGEST_TAIL,
    SHORTEST_MOVE,
    Move,
    draw_moves,
    draw_tag,
    draw_timing,
    travel_of,
)
from aesop.scene.movement import CLASSES, SHORTEST_RUN, STATIC_MPS, tag_velocity
from tests.tolerances import GEOMETRY64

STYLE = Style()
ACTIVITY = np.abs(np.sin(np.arange(211) / 17))


def test_all_classes_are_drawn_in_the_shares_of_the_style():
    dice = np.random.default_rng(1)
    tags = [draw_tag(STYLE, dice) for _ in range(4999)]
    assert set(tags) == set(range(CLASSES))
    # Three standard errors of 4,999 draws are 0.021 at most.
    assert np.mean([tag == STATIC for tag in tags]) == pytest.approx(STYLE.static, abs=0.02)
    axes = np.array([Move(tag, "plain", 0.0).axes for tag in tags])
    # Three standard errors of 4,999 draws.
    assert np.mean(axes == 1) == pytest.approx(STYLE.single_axis, abs=0.02)


def test_neighbours_differ_and_at_most_one_goes_with_the_person():
    dice = np.random.default_rng(2)
    for _ in range(101):
        moves = draw_moves(3, STYLE, dice, with_person=False)
        assert all(a.tag != b.tag for a, b in itertools.pairwise(moves))
        with_person = draw_moves(3, STYLE, dice, with_person=True)
        assert sum(move.goes_with_person for move in with_person) == 1


def test_travel_depends_on_time_and_reach_and_on_no_direction():
    ways = {travel_of(Move(tag, "plain", 0.37), 3.1, STYLE) for tag in (1, 2, 3, 6, 9, 18)}
    assert len(ways) == 1
    short, long = (travel_of(Move(1, "plain", reach), 3.1, STYLE) for reach in (0.1, 0.9))
    assert long > 4 * short


@pytest.mark.parametrize("tag", [1, 10, 13])
def test_the_slowest_move_is_still_movement_for_the_tagger(tag: int):
    move = Move(tag, "plain", 0.0)
    speed = travel_of(move, 3.1, STYLE) / 3.1 / move.axes**0.5 * move.signs
    assert tag_velocity(speed[None]) == [tag] and np.abs(speed).max() > STATIC_MPS


@pytest.mark.parametrize("count", [1, 2, 3])
def test_timing_hands_over_without_gaps_or_jumps(count: int):
    moves = tuple(Move(tag, "plain", 0.5) for tag in (9, 1, 6)[:count])
    for seed in range(37):
        dice = np.random.default_rng(seed)
        timing = draw_timing(moves, ACTIVITY, replace(STYLE, cut_in=1.0), dice)
        assert np.allclose(timing.weights.sum(axis=0), 1.0, atol=GEOMETRY64)
        assert np.abs(np.diff(timing.weights, axis=1)).max() < np.pi / 2 / 8 + GEOMETRY64
        assert np.diff(timing.bounds).min() >= SHORTEST_MOVE


def test_tails_are_shorter_than_the_tagger_splits():
    for seed in range(53):
        timing = draw_timing(
            (Move(1, "plain", 0.5),),
            ACTIVITY,
            replace(STYLE, cut_in=0.0),
            np.random.default_rng(seed),
        )
        below = timing.weights[0] < 0.99
        assert below[:100].sum() <= LONGEST_TAIL < SHORTEST_RUN
        assert below[100:].sum() <= LONGEST_TAIL


def test_a_hold_keeps_all_of_its_time():
    moves = (Move(STATIC, "plain", 0.5), Move(9, "plain", 0.5))
    for seed in range(29):
        timing = draw_timing(moves, ACTIVITY, STYLE, np.random.default_rng(seed))
        assert timing.weights[1, : timing.bounds[1]].max() < GEOMETRY64


def test_bounds_prefer_moments_where_the_person_changes():
    busy = np.zeros(211)
    busy[105:] = 1.0
    moves = (Move(9, "plain", 0.5), Move(1, "plain", 0.5))
    near = [
        abs(draw_timing(moves, busy, STYLE, np.random.default_rng(seed)).bounds[1] - 105) < 20
        for seed in range(199)
    ]
    assert np.mean(near) > 0.5  # by chance it would be 0.26
