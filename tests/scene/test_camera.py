"""Camera paths and framing: projection against an independent closed form."""

import math

import numpy as np
import pytest
import torch

from aesop.core.errors import CameraError
from aesop.scene.camera import (
    CameraPath,
    Projection,
    boxes,
    camera_looking_at,
    look_at,
    out_of_frame,
    project,
    project_joints,
)
from aesop.scene.human import Provenance
from aesop.scene.shot import Shot, canonical_camera, place_camera, placement_of
from aesop.scene.skeleton import JOINT
from tests.scene.makers import wandering_camera, wandering_clip, wandering_motion
from tests.tolerances import GEOMETRY64, SOLVED64


def test_look_at_is_level_and_puts_its_target_in_the_middle(dice: torch.Generator):
    centre = torch.randn(13, 3, generator=dice).double() * 4
    target = torch.randn(13, 3, generator=dice).double()
    matrix = look_at(centre, target)
    assert torch.allclose(torch.linalg.det(matrix), torch.ones(13).double())
    assert matrix[:, 2, 0].abs().max() < GEOMETRY64  # the image's x axis is horizontal
    assert (matrix[:, 2, 1] < 0).all()  # image down is world down
    camera = camera_looking_at(centre, target, 0.9)
    seen = project_joints(camera, target[:, None])
    assert seen.ndc.abs().max() < GEOMETRY64
    distance = torch.linalg.vector_norm(target - centre, dim=-1)
    assert torch.allclose(seen.depth_m[:, 0], distance)


def test_a_camera_without_a_level_horizon_is_refused():
    here = torch.tensor([[1.0, 2.0, 3.0]])
    for target in (here, here + torch.tensor([0.0, 0.0, -2.0])):
        with pytest.raises(CameraError, match="sideways"):
            look_at(here, target)


def test_projection_agrees_with_pinhole_pixels(dice: torch.Generator):
    """u = fx·X/Z + cx, v = fy·Y/Z + cy, with X from a 4×4 inverse: no shared code with ours."""
    motion = wandering_motion(7, dice)
    camera = wandering_camera(motion, dice)
    seen = project_joints(camera, motion.joints)
    width, height = 1850.0, 1000.0
    for frame in range(7):
        pose = np.eye(4)
        pose[:3, :3] = camera.world_from_camera[frame].numpy()
        pose[:3, 3] = camera.centre[frame].numpy()
        points = np.c_[motion.joints[frame].numpy(), np.ones(22)] @ np.linalg.inv(pose).T
        focal = height / 2 / math.tan(float(camera.fov_vertical[frame]) / 2)
        u = focal * points[:, 0] / points[:, 2] + width / 2
        v = focal * points[:, 1] / points[:, 2] + height / 2
        expected = np.stack([(u - width / 2) / (width / 2), (height / 2 - v) / (height / 2)], -1)
        assert np.allclose(seen.ndc[frame].numpy(), expected, atol=SOLVED64)
        assert np.allclose(seen.depth_m[frame].numpy(), points[:, 2])


def test_projection_is_the_same_with_leading_batch_axes(dice: torch.Generator):
    motion = wandering_motion(5, dice)
    camera = wandering_camera(motion, dice)
    lone = project_joints(camera, motion.joints)
    stacked = project(
        motion.joints.expand(3, 2, 5, 22, 3),
        camera.world_from_camera.expand(3, 2, 5, 3, 3),
        camera.centre.expand(3, 2, 5, 3),
        camera.tan_half_fov.expand(3, 2, 5, 2),
    )
    assert torch.allclose(stacked.ndc[2, 1], lone.ndc)


def test_visibility_follows_the_papers_three_conditions():
    camera = camera_looking_at(torch.zeros(1, 3), torch.tensor([[0.0, 1.0, 0.0]]), math.pi / 2, 1.0)
    points = torch.tensor(
        [
            [0.0, 2.0, 0.0],  # in the middle
            [1.99, 2.0, 0.0],  # just inside the right edge (tan 45° = 1)
            [2.01, 2.0, 0.0],  # just outside
            [0.0, -2.0, 0.0],  # behind
            [0.0, 0.5e-4, 0.0],  # in front, but nearer than the depth limit
            [0.0, 2e-4, 0.0],  # just deeper than the limit
            [math.nan, 2.0, 0.0],
            [0.0, math.inf, 0.0],
        ]
    )
    seen = project_joints(camera, points[None])
    assert seen.visible[0].tolist() == [True, True, False, False, False, True, False, False]


def test_what_is_not_finite_is_not_visible():
    ndc = torch.tensor([[0.1, 0.2], [0.1, 0.2], [math.nan, 0.2]])
    seen = Projection(ndc, torch.tensor([3.0, math.inf, 3.0]))
    assert seen.visible.tolist() == [True, False, False]


def test_boxes_bound_what_is_in_front_only():
    camera = camera_looking_at(
        torch.zeros(2, 3), torch.tensor([[0.0, 1.0, 0.0]]).expand(2, 3), math.pi / 2, 1.0
    )
    points = torch.tensor(
        [
            [[-1.0, 2.0, -0.5], [0.5, 2.0, 1.0], [50.0, -1.0, 9.0]],
            [[0.0, -1.0, 0.0], [0.0, -2.0, 0.0], [1.0, -3.0, 0.0]],
        ]
    )
    box = boxes(project_joints(camera, points))
    assert torch.allclose(box.low[0], torch.tensor([-0.5, -0.25]))
    assert torch.allclose(box.high[0], torch.tensor([0.25, 0.5]))
    assert torch.allclose(box.height[0], torch.tensor(0.75))
    assert box.found.tolist() == [True, False] and bool(box.centre[1].isnan().all())


def test_out_counts_frames_without_any_key_joint(dice: torch.Generator):
    motion = wandering_motion(11, dice)
    facing = camera_looking_at(motion.root + torch.tensor([0.0, -4.0, 0.0]), motion.root, 0.8)
    turned_away = CameraPath(
        facing.world_from_camera * torch.tensor([-1.0, 1.0, -1.0]),
        facing.centre,
        facing.fov_vertical,
        facing.aspect,
    )
    assert not out_of_frame(project_joints(facing, motion.joints)).any()
    assert out_of_frame(project_joints(turned_away, motion.joints)).all()
    # A close-up in which one wrist is all there is to see is not out.
    wrist = motion.joints[:, JOINT["left_wrist"]]
    close = camera_looking_at(wrist + torch.tensor([0.1, -0.2, 0.05]), wrist, 0.2, 1.0)
    seen = project_joints(close, motion.joints)
    assert (seen.visible.sum(-1) < 4).all() and not out_of_frame(seen).any()


def test_field_of_view_and_travel_closed_forms():
    centre = torch.tensor([[0.0, 0, 1], [3, 4, 1], [3, 4, 2]])
    camera = camera_looking_at(centre, torch.tensor([[9.0, -2, 0]]).expand(3, 3), 0.6, 2.0)
    assert float(camera.travel) == 6.0
    horizontal = 2 * math.atan(2 * math.tan(0.3))
    assert torch.allclose(camera.fov_horizontal, torch.full((3,), horizontal))


def test_a_camera_placed_with_its_clip_sees_the_same_picture(dice: torch.Generator):
    clip = wandering_clip(13, dice)
    camera = wandering_camera(clip.motion, dice)
    placement = placement_of(clip.motion)
    home = canonical_camera(camera, placement)
    back = place_camera(home, placement)
    assert torch.allclose(back.centre, camera.centre, atol=GEOMETRY64)
    assert torch.allclose(back.world_from_camera, camera.world_from_camera, atol=GEOMETRY64)


def test_a_path_keeps_its_numbers_in_parts_and_in_other_precisions(dice: torch.Generator):
    camera = wandering_camera(wandering_motion(13, dice), dice)
    part = camera.part(slice(2, 7)).to(torch.float32)
    assert torch.equal(part.world_from_camera, camera.world_from_camera[2:7].float())
    assert torch.equal(part.centre, camera.centre[2:7].float())
    assert torch.equal(part.fov_vertical, camera.fov_vertical[2:7].float())
    assert part.aspect == camera.aspect


def test_a_shot_needs_as_many_camera_frames_as_motion_frames(dice: torch.Generator):
    clip = wandering_clip(13, dice)
    camera = wandering_camera(wandering_motion(11, dice), dice)
    with pytest.raises(CameraError, match="13 frames but the camera path has 11"):
        Shot(clip, camera, Provenance("made for a test"))
