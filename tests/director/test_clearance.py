"""No camera comes nearer to the body than its distance, and none moves that need not."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.director.clearance import NEAREST_M, body_of, clear_of_body
from aesop.metrics.framing_metrics import clearance_m
from aesop.scene.camera import CameraPath, look_at
from aesop.scene.human import Clip
from aesop.scene.movement import tag_path
from tests.director.test_hand import along, clip_of, sitting_still
from tests.tolerances import GEOMETRY64


def ahead(way: torch.Tensor, towards: list[float]) -> CameraPath:
    turns = look_at(way, way + torch.tensor(towards, dtype=torch.float64))
    return CameraPath(turns, way, torch.full((len(way),), 0.6, dtype=torch.float64), 1.5)


def cleared(camera: CameraPath, clip: Clip) -> CameraPath:
    return clear_of_body(camera, clip, body_of(clip.motion))


def test_distances_are_those_of_the_metric():
    clip = clip_of()
    way = along(clip, [1.0, -3.0, 0.7], [-0.4, 1.0, 1.9])
    body = body_of(clip.motion)
    np.testing.assert_allclose(
        body.distance(way.numpy()), clearance_m(way, clip.motion), atol=GEOMETRY64
    )


def test_a_camera_that_keeps_its_distance_comes_back_as_it_is():
    clip = clip_of()
    camera = ahead(along(clip, [3.0, -3.0, 1.2], [3.0, 0.0, 1.2]), [-1.0, 0.0, 0.0])
    assert cleared(camera, clip) is camera


def test_a_push_in_through_the_body_stays_in_front_of_it_and_stays_a_push_in():
    clip = sitting_still(113)
    camera = ahead(along(clip, [0.0, -4.0, 1.1], [0.0, -0.1, 1.1]), [0.0, 1.0, 0.0])
    after = cleared(camera, clip)
    assert float(clearance_m(camera.centre, clip.motion).min()) < 0.15
    assert float(clearance_m(after.centre, clip.motion).min()) >= NEAREST_M
    assert (tag_path(after, clip.fps) == tag_path(camera, clip.fps)).all()
    assert after.world_from_camera is camera.world_from_camera
    steps = after.centre.diff(dim=0)
    assert float(steps.diff(dim=0).abs().max()) < 0.02, "without a jolt"
    assert float(after.travel) > 0.8 * float(camera.travel)


def test_a_tripod_in_somebodys_way_stands_elsewhere_and_still_is_a_tripod():
    clip = clip_of(149)
    way = clip.motion.joints[70, 0].expand(149, 3) * torch.tensor([1.0, 1.0, 1.2])
    camera = ahead(way.double().contiguous(), [0.0, 1.0, 0.0])
    after = cleared(camera, clip)
    assert float(clearance_m(after.centre, clip.motion).min()) >= NEAREST_M
    assert (after.centre == after.centre[0]).all()
    assert 0.3 < float((after.centre - camera.centre)[0].norm()) < 1.0


@pytest.mark.parametrize("height_m", [0.4, 1.1, 1.5])
def test_a_camera_that_crosses_somebodys_way_is_led_around_them(height_m: float):
    clip = clip_of(199)
    middle = clip.motion.joints[100, 0].double()
    aside = torch.tensor([2.5, 0.0, 0.0], dtype=torch.float64)
    share = torch.linspace(-1, 1, 199, dtype=torch.float64)[:, None]
    way = (middle + share * aside) * torch.tensor([1.0, 1.0, 0.0]) + torch.tensor(
        [0.0, 0.0, height_m]
    )
    camera = ahead(way.double(), [1.0, 0.0, 0.0])
    before = float(clearance_m(camera.centre, clip.motion).min())
    after = cleared(camera, clip)
    assert before < NEAREST_M <= float(clearance_m(after.centre, clip.motion).min())
    assert float(after.centre.diff(dim=0).diff(dim=0).abs().max()) < 0.02
    assert (after.centre[:, 2] >= camera.centre[:, 2]).all(), "never towards the floor"


def test_single_precision_keeps_the_distance_too():
    clip = sitting_still(53)
    camera = ahead(along(clip, [0.0, -2.0, 1.1], [0.0, 0.0, 1.1]), [0.0, 1.0, 0.0])
    single = replace(camera, centre=camera.centre.float())
    after = cleared(single, clip)
    assert after.centre.dtype == torch.float32
    assert float(clearance_m(after.centre, clip.motion).min()) >= NEAREST_M
