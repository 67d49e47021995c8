"""What no shot may do: each flaw is seen, and a plain shot has none. Clean shots: every limit of
direction pairs is looked at."""

import numpy as np
import pytest
import torch

from aesop.fables.cinematographer.lens import Lens, Subject, watch
from aesop.fables.cinematographer.meant_path import (
    Flaw,
    MeantPath,
    can_be_clean,
    flaw_of_place,
    is_clean,
    keeps_person,
    sight,
)
from aesop.fables.cinematographer.moves import Move
from aesop.fables.cinematographer.shot_setup import composed_angles
from aesop.scene.camera import project
from tests.fables.filmed import person
from tests.tolerances import GEOMETRY64

FRAMES = 61
LENS = Lens(31.0, 1.85)


@pytest.fixture(scope="module")
def subject() -> Subject:
    who = person("wave", FRAMES)
    return watch(who.joints, who.yaw)


def looking(subject: Subject, centre: np.ndarray) -> MeantPath:
    return MeantPath(centre, composed_angles(centre, subject.neck, LENS, (0.0, 0.0)))


def going(start: tuple[float, float, float], step: np.ndarray) -> np.ndarray:
    return np.array(start) + np.concatenate([np.zeros((1, 3)), np.cumsum(step, axis=0)])


STILL = np.zeros((FRAMES - 1, 3))
ACROSS = np.array([1.0, 0.0, 0.0])
FAST = STILL + 0.15 * ACROSS
JERKED = STILL.copy()
JERKED[30, 0] = 0.02
BRAKED = STILL.copy()
BRAKED[:30, 0] = 0.06


@pytest.mark.parametrize(
    ("start", "step", "flaw"),
    [
        ((0.0, -3.0, 1.2), STILL, None),
        ((0.0, -3.0, 0.1), STILL, "ground"),
        ((0.0, -0.4, 1.2), STILL, "body"),
        ((0.0, -13.0, 1.2), STILL, "far"),
        ((-4.5, -5.0, 1.2), FAST, "dynamics"),
        ((0.0, -5.0, 1.2), JERKED, "dynamics"),
        ((0.0, -5.0, 1.2), BRAKED, "dynamics"),
        ((0.0, -1.0, 3.2), STILL, "tilt"),
        ((-2.0, -0.9, 1.2), STILL + 0.07 * ACROSS, "turn"),
    ],
)
def test_every_flaw_is_seen(
    subject: Subject, start: tuple[float, float, float], step: np.ndarray, flaw: Flaw | None
):
    assert flaw_of_place(subject, looking(subject, going(start, step))) == flaw


def test_a_person_is_kept_by_who_looks_and_lost_by_who_does_not(subject: Subject):
    path = looking(subject, going((0.0, -6.0, 1.2), STILL))
    assert keeps_person(subject, path, LENS)
    away = MeantPath(path.centre, path.angles + np.array([1.2, 0.0]))
    assert not keeps_person(subject, away, LENS)


@pytest.mark.parametrize("first, kept", [(0, False), (27, True), (FRAMES - 6, False)])
def test_a_shot_neither_begins_nor_ends_on_nobody(subject: Subject, first: int, kept: bool):
    path = looking(subject, going((0.0, -6.0, 1.2), STILL))
    angles = path.angles.copy()
    angles[first : first + 6, 0] += 1.2  # a tenth of the shot
    assert keeps_person(subject, MeantPath(path.centre, angles), LENS) == kept


def test_sight_agrees_with_the_scene(subject: Subject):
    path = looking(subject, going((1.0, -2.0, 1.4), STILL + 0.01 * ACROSS))
    ours = sight(subject.joints, path.centre, path.world_from_camera, LENS)
    tan = torch.tensor([LENS.tan_half_width, LENS.tan_half_height], dtype=torch.float64)
    theirs = project(
        torch.from_numpy(subject.joints),
        torch.from_numpy(path.world_from_camera),
        torch.from_numpy(path.centre),
        tan.expand(FRAMES, 2),
    )
    assert np.allclose(ours.ndc, theirs.ndc.numpy(), atol=GEOMETRY64)
    assert np.array_equal(ours.visible, theirs.visible.numpy())


CLEAN_FRAMES = 71
FULL = Lens(35.0, 1.85)
PUSH_IN, TRUCK_LEFT = Move(1, "plain", 0.5), Move(18, "plain", 0.5)


@pytest.fixture(scope="module")
def stander() -> Subject:
    who = person("wave", CLEAN_FRAMES)
    return watch(who.joints, who.yaw)


def passing(
    distance_m: float, way_m: np.ndarray, *, inward: bool, aside_m: float = 0.0
) -> MeantPath:
    """Someone facing −Y, filmed from −Y with a locked aim; the way is to the left, or inward."""
    centre = np.tile([aside_m, -distance_m, 1.1], (CLEAN_FRAMES, 1))
    centre[:, 1 if inward else 0] += way_m if inward else -way_m
    still = composed_angles(centre[:1], np.array([[0.0, 0.0, 0.9]]), FULL, (0.0, 0.0))
    return MeantPath(centre, np.repeat(still, CLEAN_FRAMES, axis=0))


GOING = np.linspace(0.0, 1.0, CLEAN_FRAMES)
SWINGING = 0.8 * GOING + 0.4 * np.sin(GOING * 6 * np.pi)


def test_a_plain_truck_and_a_plain_dolly_are_clean(stander: Subject):
    assert is_clean(stander, passing(6.0, 0.8 * GOING, inward=False), FULL, TRUCK_LEFT)
    assert is_clean(stander, passing(6.0, 1.2 * GOING, inward=True), FULL, PUSH_IN)


@pytest.mark.parametrize(
    ("distance", "way", "inward"),
    [
        (6.0, 0.5 * GOING, True),  # too short for the distance
        (6.0, SWINGING, False),  # to and fro
        (2.0, 0.3 * GOING, False),  # the body does not fit the image
        (6.0, 4.5 * GOING, False),  # the reflected camera loses the person
    ],
)
def test_other_ways_are_not(stander: Subject, distance: float, way: np.ndarray, inward: bool):
    path = passing(distance, way, inward=inward)
    assert not is_clean(stander, path, FULL, PUSH_IN if inward else TRUCK_LEFT)


def test_a_truck_has_a_least_length_however_near(stander: Subject):
    wide = Lens(18.0, 1.85)
    for way_m, long_enough in ((0.18, False), (0.24, True)):
        path = passing(2.6, way_m * GOING, inward=False)
        assert is_clean(stander, path, wide, TRUCK_LEFT) == long_enough


def test_a_truck_must_not_come_closer_on_one_side_than_on_the_other(stander: Subject):
    straight = passing(6.0, 0.8 * GOING, inward=False)
    slanted = MeantPath(straight.centre.copy(), straight.angles + np.array([0.5, 0.0]))
    assert is_clean(stander, straight, Lens(18.0, 1.85), TRUCK_LEFT)
    assert not is_clean(stander, slanted, Lens(18.0, 1.85), TRUCK_LEFT)


def test_who_walks_away_or_stays_too_short_is_no_subject_for_it():
    for action, frames, able in (("wave", 61, True), ("wave", 59, False), ("walk", 149, False)):
        who = person(action, frames)
        assert can_be_clean(watch(who.joints, who.yaw)) == able
