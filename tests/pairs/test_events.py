"""Events and their reflection: found where they are, reversed exactly, nothing else touched."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aesop.pairs.pair_recipe import EventRule
from aesop.pairs.shot_arrays import Film
from aesop.pairs.transforms import (
    Events,
    at,
    coordinate,
    distance,
    find_events,
    longest_run,
    net,
    reflected,
)
from tests.pairs.makers import (
    PULL_OUT,
    PUSH_IN,
    TRUCK_LEFT,
    TRUCK_RIGHT,
    film_of_way,
    smooth_noise,
    still_root,
    straight,
    whole_event,
)
from tests.tolerances import GEOMETRY64

RULE = EventRule()
TAGS = st.sampled_from([PUSH_IN, PULL_OUT, TRUCK_RIGHT, TRUCK_LEFT])


def wandering_film(seed: int, frames: int, padding: int = 0) -> Film:
    dice = np.random.default_rng(seed)
    root = still_root(frames) + smooth_noise(dice, frames, 0.2)
    centre = root + np.array([0.7, -4.0, 0.5]) + smooth_noise(dice, frames, 0.3)
    centre += straight(frames, (0, 0, 0), (0.4, 0.6, 0.0))
    return film_of_way(centre, root, padding=padding)


def some_event(film: Film, tag: int, seed: int) -> Events:
    dice = np.random.default_rng(seed)
    frames = int(film.lengths[0])
    first, last = np.sort(dice.choice(frames, 2, replace=False))
    event = find_events(film, np.array([tag]), RULE)
    return replace(event, first=np.array([first]), last=np.array([last]))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), TAGS, st.sampled_from([11, 53, 97]))
def test_reflecting_twice_is_the_identity(seed: int, tag: int, frames: int):
    film = wandering_film(seed, frames)
    event = some_event(film, tag, seed)
    once = film.cameras.moved(reflected(film, film.cameras, event))
    twice = reflected(film, once, event)
    assert np.abs(twice - film.cameras.centre).max() < GEOMETRY64


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), TAGS, st.sampled_from([11, 53, 97]))
def test_the_coordinate_is_reflected_and_nothing_else(seed: int, tag: int, frames: int):
    film = wandering_film(seed, frames)
    event = some_event(film, tag, seed)
    target = film.cameras.moved(reflected(film, film.cameras, event))
    before = coordinate(film, film.cameras, event)
    after = coordinate(film, target, event)
    inside = event.inside(frames)
    start = at(before, event.first)[:, None]
    assert np.abs((after - start) + (before - start))[inside].max() < GEOMETRY64
    if event.is_truck[0]:
        # Height, and everything across the axis.
        assert np.array_equal(target.centre[..., 2], film.cameras.centre[..., 2])
        moved = target.centre - film.cameras.centre
        across = moved - (moved @ event.axis[0])[..., None] * event.axis[0]
        assert np.abs(across).max() < GEOMETRY64
    else:
        lines = film.cameras.centre - film.root, target.centre - film.root
        units = [line / np.linalg.norm(line, axis=-1, keepdims=True) for line in lines]
        assert np.abs(units[0] - units[1])[inside].max() < GEOMETRY64


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), TAGS)
def test_nothing_changes_before_the_event_and_the_offset_is_carried_after(seed: int, tag: int):
    film = wandering_film(seed, 61)
    event = some_event(film, tag, seed)
    centre, target = film.cameras.centre, reflected(film, film.cameras, event)
    first, last = int(event.first[0]), int(event.last[0])
    assert np.array_equal(target[:, : first + 1], centre[:, : first + 1])
    offset = target[0, last] - centre[0, last]
    assert np.abs(target[0, last:] - centre[0, last:] - offset).max() < GEOMETRY64
    # Steps across the end of the event are those of the source: no jump.
    assert np.allclose(np.diff(target, axis=1)[0, last:], np.diff(centre, axis=1)[0, last:])


def test_padding_reaches_nothing():
    alone, padded = wandering_film(5, 47), wandering_film(5, 47, padding=13)
    for tag in (PUSH_IN, TRUCK_LEFT):
        first, second = (find_events(film, np.array([tag]), RULE) for film in (alone, padded))
        assert (first.first, first.last) == (second.first, second.last)
        ways = [
            reflected(film, film.cameras, it) for film, it in ((alone, first), (padded, second))
        ]
        assert np.array_equal(ways[0][0], ways[1][0, :47])


def test_an_event_that_lasts_to_the_end_does_not_go_on_in_the_padding():
    way = np.concatenate(
        [np.repeat([[0.0, -4.0, 1.5]], 40, axis=0), straight(53, (0, -4.0, 1.5), (1.2, 0, 0))]
    )
    film = film_of_way(way, still_root(93), aim=way + np.array([0.0, 1.0, 0.0]), padding=29)
    event = find_events(film, np.array([TRUCK_RIGHT]), RULE)
    assert (int(event.first[0]), int(event.last[0])) == (40 - 5, 92)


def test_a_truck_is_found_where_it_happens():
    """Still, then 60 frames to the right, then still; the smoothed velocity spills over by five."""
    way = np.concatenate(
        [
            np.repeat([[0.0, -4.0, 1.5]], 30, axis=0),
            straight(61, (0, -4.0, 1.5), (1.2, 0, 0)),
            np.repeat([[1.2, -4.0, 1.5]], 40, axis=0),
        ]
    )
    film = film_of_way(way, still_root(len(way)), aim=way + np.array([0.0, 1.0, 0.0]))
    event = find_events(film, np.array([TRUCK_RIGHT]), RULE)
    assert event.axis[0] == pytest.approx([1.0, 0.0, 0.0])
    assert (int(event.first[0]), int(event.last[0])) == (30 - 5, 90 + 5)


@pytest.mark.parametrize(("still_frames", "is_whole"), [(14, True), (24, False)])
def test_a_run_of_nine_tenths_is_the_whole_shot(still_frames: int, is_whole: bool):
    # The filter's five frames on the moving side count as moving.
    way = np.concatenate(
        [
            straight(90, (0, -4.0, 1.5), (1.8, 0, 0)),
            np.repeat([[1.8, -4.0, 1.5]], still_frames, axis=0),
        ]
    )
    film = film_of_way(way, still_root(len(way)), aim=way + np.array([0.0, 1.0, 0.0]))
    event = find_events(film, np.array([TRUCK_RIGHT]), RULE)
    assert (int(event.last[0]) == len(way) - 1) == is_whole


def test_the_truck_axis_is_the_mean_level_right_vector_of_the_first_frames():
    frames = 43  # a fifth is eight
    way = straight(frames, (0, -4.0, 3.0), (1.0, 0, 0))
    film = film_of_way(way, still_root(frames))
    right = film.cameras.world_from_camera[0, :8, :, 0].mean(0) * [1, 1, 0]
    event = find_events(film, np.array([TRUCK_RIGHT]), RULE)
    assert event.axis[0] == pytest.approx(right / np.linalg.norm(right), abs=GEOMETRY64)
    assert event.level[0] == pytest.approx(np.linalg.norm(right), abs=GEOMETRY64)
    short = film_of_way(way[:13], still_root(13))  # a fifth is two
    right = short.cameras.world_from_camera[0, :2, :, 0].mean(0) * [1, 1, 0]
    axis = find_events(short, np.array([TRUCK_RIGHT]), RULE).axis[0]
    assert axis == pytest.approx(right / np.linalg.norm(right), abs=GEOMETRY64)


def test_a_dolly_is_measured_from_the_person_not_from_the_world():
    frames = 53
    root = still_root(frames) + straight(frames, (0, 0, 0), (0, 2.0, 0))
    film = film_of_way(np.repeat([[0.0, -4.0, 1.5]], frames, axis=0), root)
    event = whole_event(film, PULL_OUT)
    changed = distance(film, film.cameras)[0, -1] - distance(film, film.cameras)[0, 0]
    assert net(coordinate(film, film.cameras, event), event)[0] == pytest.approx(changed)
    assert changed > 1.9


@settings(max_examples=50, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=37))
def test_longest_run_against_plain_search(flags: list[bool]):
    best, start = 0, 0
    for first in range(len(flags)):
        count = 0
        while first + count < len(flags) and flags[first + count]:
            count += 1
        if count > best:
            best, start = count, first
    found_start, found = longest_run(np.array([flags]))
    assert (int(found[0]), int(found_start[0])) == (best, start)
