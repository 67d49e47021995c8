"""Clean shots: every limit of direction pairs is looked at."""

import numpy as np
import pytest

from aesop.fables.cinematographer.intent import can_be_clean, is_clean
from aesop.fables.cinematographer.lens import Lens, Subject, watch
from aesop.fables.cinematographer.meant_path import MeantPath
from aesop.fables.cinematographer.moves import Move
from aesop.fables.cinematographer.shot_setup import composed_angles
from tests.fables.filmed import person

FRAMES = 71
FULL = Lens(35.0, 1.85)
PUSH_IN, TRUCK_LEFT = Move(1, "plain", 0.5), Move(18, "plain", 0.5)


@pytest.fixture(scope="module")
def subject() -> Subject:
    who = person("wave", FRAMES)
    return watch(who.joints, who.yaw)


def passing(
    subject: Subject, distance_m: float, way_m: np.ndarray, *, inward: bool, aside_m: float = 0.0
) -> MeantPath:
    """Someone facing −Y, filmed from −Y with a locked aim; the way is to the left, or inward."""
    centre = np.tile([aside_m, -distance_m, 1.1], (FRAMES, 1))
    centre[:, 1 if inward else 0] += way_m if inward else -way_m
    still = composed_angles(centre[:1], np.array([[0.0, 0.0, 0.9]]), FULL, (0.0, 0.0))
    return MeantPath(centre, np.repeat(still, FRAMES, axis=0))


GOING = np.linspace(0.0, 1.0, FRAMES)
SWINGING = 0.8 * GOING + 0.4 * np.sin(GOING * 6 * np.pi)


def test_a_plain_truck_and_a_plain_dolly_are_clean(subject: Subject):
    assert is_clean(subject, passing(subject, 6.0, 0.8 * GOING, inward=False), FULL, TRUCK_LEFT)
    assert is_clean(subject, passing(subject, 6.0, 1.2 * GOING, inward=True), FULL, PUSH_IN)


@pytest.mark.parametrize(
    ("distance", "way", "inward"),
    [
        (6.0, 0.5 * GOING, True),  # too short for the distance
        (6.0, SWINGING, False),  # to and fro
        (2.0, 0.3 * GOING, False),  # the body does not fit the image
        (6.0, 4.5 * GOING, False),  # the reflected camera loses the person
    ],
)
def test_other_ways_are_not(subject: Subject, distance: float, way: np.ndarray, inward: bool):
    path = passing(subject, distance, way, inward=inward)
    assert not is_clean(subject, path, FULL, PUSH_IN if inward else TRUCK_LEFT)


def test_a_truck_has_a_least_length_however_near(subject: Subject):
    wide = Lens(18.0, 1.85)
    for way_m, long_enough in ((0.18, False), (0.24, True)):
        path = passing(subject, 2.6, way_m * GOING, inward=False)
        assert is_clean(subject, path, wide, TRUCK_LEFT) == long_enough


def test_a_truck_must_not_come_closer_on_one_side_than_on_the_other(subject: Subject):
    straight = passing(subject, 6.0, 0.8 * GOING, inward=False)
    slanted = MeantPath(straight.centre.copy(), straight.angles + np.array([0.5, 0.0]))
    assert is_clean(subject, straight, Lens(18.0, 1.85), TRUCK_LEFT)
    assert not is_clean(subject, slanted, Lens(18.0, 1.85), TRUCK_LEFT)


def test_who_walks_away_or_stays_too_short_is_no_subject_for_it():
    for action, frames, able in (("wave", 61, True), ("wave", 59, False), ("walk", 149, False)):
        who = person(action, frames)
        assert can_be_clean(watch(who.joints, who.yaw)) == able
