"""The view from outside holds the whole action, wherever the world's axes lie."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.core.errors import AesopError
from aesop.preview.canvas import View, check_size, fit_aspect
from aesop.preview.stage import Stage, lens_view, outside_view, stage_of
from aesop.scene.camera import camera_looking_at
from aesop.scene.human import shifted, turned
from aesop.scene.rotation import about_z
from aesop.scene.shot import Placement, Shot, place_camera
from tests.preview.makers import ORIGIN, pushing_shot, steady_camera, walking_clip
from tests.scene.makers import wandering_camera, wandering_clip
from tests.tolerances import SOLVED64


def in_picture(view: View, points: np.ndarray) -> np.ndarray:
    """Image coordinates, ±1 at the borders; NaN behind the view."""
    x, y, depth = ((points - view.centre) @ view.world_from_camera).T
    assert (depth > 0).all()
    return np.stack([x / depth / view.tan_half_width, y / depth / view.tan_half_height], axis=-1)


def wandering_shot(seed: int) -> Shot:
    dice = torch.Generator().manual_seed(seed)
    clip = wandering_clip(89, dice)
    return Shot(clip, wandering_camera(clip.motion, dice), ORIGIN)


def everything(stage: Stage) -> np.ndarray:
    points = [stage.joints.reshape(-1, 3)]
    if stage.camera is not None:
        points += [stage.camera.centre, stage.camera.corners.reshape(-1, 3)]
    return np.concatenate(points)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [(640, 480), (300, 700), (1600, 400)])
def test_everything_is_in_the_view_from_outside(seed: int, size: tuple[int, int]):
    stage = stage_of(wandering_shot(seed))
    view = outside_view(stage, size)
    spots = in_picture(view, everything(stage))
    assert np.abs(spots).max() < 0.97
    # And it is not lost in it either: one direction is filled.
    assert np.ptp(spots, axis=0).max() > 1.3
    assert view.centre[2] > 0.3
    assert view.world_from_camera[2, 2] < -0.2  # looks down


def test_a_camera_below_the_floor_does_not_pull_the_view_down():
    clip = walking_clip()
    shot = Shot(clip, steady_camera(clip, (2.0, -9.0, -30.0)), ORIGIN)
    stage = stage_of(shot)
    view = outside_view(stage, (400, 300))
    assert view.centre[2] > 0.3
    # What the floor hides takes no room in the picture.
    assert np.ptp(in_picture(view, stage.joints.reshape(-1, 3)), axis=0).max() > 0.25


def moved(shot: Shot, yaw: float, offset: tuple[float, float, float]) -> Shot:
    angle = torch.tensor(yaw, dtype=torch.float64)
    shift = torch.tensor(offset, dtype=torch.float64)
    motion = shifted(turned(shot.clip.motion, angle), shift)
    camera = place_camera(shot.camera, Placement(angle, shift))
    return Shot(replace(shot.clip, motion=motion), camera, ORIGIN)


@pytest.mark.parametrize("yaw", [0.9, -2.4, 3.0])
def test_turning_the_world_turns_view_and_lamp(yaw: float):
    shot = wandering_shot(3)
    offset = (5.0, -7.0, 0.0)
    here, there = stage_of(shot), stage_of(moved(shot, yaw, offset))
    turn = about_z(torch.tensor(yaw, dtype=torch.float64)).numpy()
    np.testing.assert_allclose(there.outside_from, turn @ here.outside_from, atol=1000 * SOLVED64)
    np.testing.assert_allclose(there.to_light, turn @ here.to_light, atol=1000 * SOLVED64)
    spots = in_picture(outside_view(here, (400, 300)), here.joints[:, 0])
    other = in_picture(outside_view(there, (400, 300)), there.joints[:, 0])
    np.testing.assert_allclose(spots, other, atol=1000 * SOLVED64)


@pytest.mark.parametrize("seed", range(4))
def test_both_viewers_see_lit_faces(seed: int):
    shot = wandering_shot(seed)
    stage = stage_of(shot)
    to_camera = (shot.camera.centre.numpy() - stage.joints[:, 0]).mean(axis=0)[:2]
    for side in (stage.outside_from[:2], to_camera):
        cosine = (
            side @ stage.to_light[:2] / np.linalg.norm(side) / np.linalg.norm(stage.to_light[:2])
        )
        assert cosine > math.cos(math.radians(112))
    assert stage.to_light[2] > 0.5


def test_frusta_end_at_the_corners_of_the_image():
    shot = pushing_shot(aspect=2.1)
    stage = stage_of(shot)
    for frame in (0, 7):
        assert stage.camera is not None
        view = lens_view(stage.camera, frame, 10, 10)
        spots = in_picture(view, stage.camera.corners[frame])
        np.testing.assert_allclose(spots, [(-1, -1), (1, -1), (1, 1), (-1, 1)], atol=SOLVED64)


@pytest.mark.parametrize(
    ("aspect", "size", "fitted"),
    [
        (2.0, (400, 300), (400, 200)),
        (0.5, (400, 300), (150, 300)),
        (4 / 3, (400, 300), (400, 300)),
        (1.337, (400, 300), (400, 300)),  # off by less than a pixel: no hairline bars
        (100.0, (50, 40), (50, 2)),
    ],
)
def test_pictures_fit_their_panel(aspect: float, size: tuple[int, int], fitted: tuple[int, int]):
    assert fit_aspect(aspect, size) == fitted


@pytest.mark.parametrize("size", [(0, 10), (1, 10), (10, -3), (10, 100_000)])
def test_impossible_sizes_are_refused(size: tuple[int, int]):
    with pytest.raises(AesopError, match="pixels"):
        check_size(size)


@pytest.mark.parametrize(
    ("start", "sweep"), [(-0.5, 1.5), (-0.5, 3.0), (-1.0, 1.5), (0.4, -0.7), (0.4, -1.5)]
)
def test_the_filming_camera_does_not_stand_before_the_person(start: float, sweep: float):
    clip = walking_clip(31)
    angle = start + sweep * torch.linspace(0, 1, 31, dtype=torch.float64)
    around = torch.stack([2 * torch.sin(angle), -2 * torch.cos(angle), 0 * angle + 0.2], dim=-1)
    camera = camera_looking_at(clip.motion.root + around, clip.motion.root, 0.6)
    stage = stage_of(Shot(clip, camera, ORIGIN))
    view = outside_view(stage, (400, 300))
    person = in_picture(view, stage.joints[:, 0])
    filming = in_picture(view, camera.centre.numpy())
    nearer = (camera.centre.numpy() - stage.joints[:, 0]) @ stage.outside_from > 0
    body = np.ptp(in_picture(view, stage.joints[0])[:, 1])
    covers = (np.abs(person - filming) < (0.3 * body, 0.6 * body)).all(axis=-1) & nearer
    assert not covers.any()
