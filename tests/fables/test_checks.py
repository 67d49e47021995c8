"""What no shot may do: each flaw is seen, and a plain shot has none."""

import numpy as np
import pytest
import torch

from aesop.fables.cinematographer.lens import Lens, Subject, watch
from aesop.fables.cinematographer.meant_path import (
    Flaw,
    MeantPath,
    flaw_of_place,
    keeps_person,
    sight,
)
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
