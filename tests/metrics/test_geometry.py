"""Paths, people and framing against closed forms."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.metrics.framing_metrics import framing_of
from aesop.metrics.motion_metrics import foot_slide_m_s, motion_errors, path_errors, travel_of
from aesop.scene.human import shifted, turned
from aesop.scene.rotation import about_axis
from aesop.scene.shot import Shot
from tests.metrics.makers import FPS, standing_clip, straight_shot
from tests.tolerances import GEOMETRY32, SOLVED64, rounded32


def test_a_path_has_no_error_against_itself():
    shot = straight_shot((0.3, 0, 0.1))
    errors = path_errors(shot, shot)
    assert errors["ade"] == errors["velocity_error"] == errors["jerk_error"] == 0
    assert errors["rotation"] < np.degrees(GEOMETRY32)


def test_a_moved_path_is_off_by_the_move():
    shot = straight_shot((0.3, 0, 0.1))
    moved = replace(shot.camera, centre=shot.camera.centre + torch.tensor([0.3, 0.0, -0.4]))
    errors = path_errors(shot, replace(shot, camera=moved))
    assert errors["ade"] == pytest.approx(0.5, abs=GEOMETRY32)
    assert errors["fde"] == pytest.approx(0.5, abs=GEOMETRY32)
    assert errors["velocity_error"] < rounded32(4, 4.0) * FPS * 1000


def test_a_misplaced_person_misplaces_the_camera_but_not_from_the_person():
    """Both went 0.3 m aside; the camera another 0.4 m by itself."""
    shot = straight_shot((0.3, 0, 0.1))
    moved = replace(
        shot,
        clip=replace(shot.clip, motion=shifted(shot.clip.motion, torch.tensor([0.3, 0.0, 0.0]))),
        camera=replace(shot.camera, centre=shot.camera.centre + torch.tensor([0.3, 0.0, -0.4])),
    )
    errors = path_errors(shot, moved)
    assert errors["ade"] == pytest.approx(0.5, abs=GEOMETRY32)
    assert errors["ade_from_person"] == pytest.approx(0.4, abs=GEOMETRY32)


def test_a_turned_path_is_off_by_the_turn_about_any_axis():
    shot = straight_shot((0, 0, 0))
    for axis in "xyz":
        turned_by = shot.camera.world_from_camera @ about_axis(torch.tensor(0.25), axis)
        camera = replace(shot.camera, world_from_camera=turned_by)
        errors = path_errors(shot, replace(shot, camera=camera))
        assert errors["rotation"] == pytest.approx(np.degrees(0.25), abs=np.degrees(GEOMETRY32))
        assert errors["rotation_velocity_error"] < np.degrees(GEOMETRY32) * FPS


def test_a_faster_path_is_off_by_the_difference_of_speeds():
    errors = path_errors(straight_shot((0.3, 0, 0)), straight_shot((0.8, 0, 0)))
    frames = 83
    assert errors["velocity_error"] == pytest.approx(500, abs=rounded32(4, 8.0) * FPS * 1000)
    assert errors["fde"] == pytest.approx(0.5 * (frames - 1) / FPS, abs=GEOMETRY32)
    assert errors["ade"] == pytest.approx(0.25 * (frames - 1) / FPS, abs=GEOMETRY32)


def test_a_steady_pan_is_off_by_its_speed():
    shot = straight_shot((0, 0, 0))
    turns = shot.camera.world_from_camera @ about_axis(torch.arange(83) * 0.01, "y")
    panned = replace(shot.camera, world_from_camera=turns)
    errors = path_errors(shot, replace(shot, camera=panned))
    assert errors["rotation_velocity_error"] == pytest.approx(
        np.degrees(0.01) * FPS, rel=GEOMETRY32 / 0.01
    )
    assert travel_of(panned, FPS).turn_acceleration_deg_s2 < 1


def test_a_cubic_path_has_constant_jerk():
    shot = straight_shot((0, 0, 0))
    seconds = torch.arange(83).double() / FPS
    away = seconds[:, None] ** 3 * torch.tensor([0.5, 0.0, 0.0]).double()
    cubic = replace(shot.camera, centre=shot.camera.centre.double() + away)
    errors = path_errors(shot, replace(shot, camera=cubic))
    assert errors["jerk_error"] == pytest.approx(3.0, rel=GEOMETRY32)
    travel = travel_of(cubic, FPS)
    assert travel.jerk_m_s3 == pytest.approx(3.0, rel=SOLVED64)  # third derivative of s³/2
    assert travel.path_m == pytest.approx(0.5 * float(seconds[-1]) ** 3, rel=SOLVED64)


def test_there_and_back_is_travel_without_displacement():
    camera = straight_shot((0.5, 0, 0)).camera
    back = torch.cat([camera.centre, camera.centre.flip(0)[1:]])
    there_and_back = replace(
        camera,
        centre=back,
        world_from_camera=camera.world_from_camera[:1].expand(165, 3, 3),
        fov_vertical=camera.fov_vertical[:1].expand(165),
    )
    travel = travel_of(there_and_back, FPS)
    assert travel.net_m < GEOMETRY32
    assert travel.path_m == pytest.approx(2 * 0.5 * 82 / FPS, rel=GEOMETRY32)


def test_short_clips_have_no_jerk():
    assert np.isnan(travel_of(straight_shot((0.1, 0, 0), frames=3).camera, FPS).jerk_m_s3)


def test_moved_and_turned_people():
    motion = standing_clip(41).motion
    moved = motion_errors(motion, shifted(motion, torch.tensor([0.3, 0.4, 0.0])))
    assert moved["global_mpjpe"] == pytest.approx(0.5, abs=GEOMETRY32)
    assert moved["root_ade"] == pytest.approx(0.5, abs=GEOMETRY32) == moved["root_fde"]
    assert moved["aligned_mpjpe"] < GEOMETRY32
    half = torch.tensor(np.pi).to(motion.joints)
    around = turned(shifted(motion, -motion.root[0]), half)
    aligned = motion_errors(motion, around)["aligned_mpjpe"]
    across = motion.joints - motion.root[:, None]
    wanted = 2 * torch.linalg.vector_norm(across[..., :2], dim=-1).mean()
    assert aligned == pytest.approx(float(wanted), rel=2 * GEOMETRY32)


def test_feet_that_glide_slide():
    motion = standing_clip(41).motion
    assert foot_slide_m_s(motion, FPS) == 0
    glide = (torch.arange(41)[:, None, None] / FPS) * torch.tensor([0.0, 0.3, 0.0])
    assert foot_slide_m_s(replace(motion, joints=motion.joints + glide), FPS) == pytest.approx(
        0.3, abs=rounded32(4, 4.0) * FPS
    )
    assert np.isnan(foot_slide_m_s(shifted(motion, torch.tensor([0.0, 0.0, 1.0])), FPS))


def test_feet_that_lift_off_or_land_do_not_slide():
    motion = standing_clip(41).motion
    hop = torch.zeros(41, 1, 3)
    hop[13:23, :, 2], hop[13:23, :, 0] = 0.5, 1.0
    assert foot_slide_m_s(replace(motion, joints=motion.joints + hop), FPS) == 0


def test_framing_of_a_person_in_the_middle_and_of_nobody():
    shot = straight_shot((0, 0, 0), frames=29)
    seen = framing_of(shot)
    assert not seen.is_out.any() and seen.places.shape == (29, 18)
    assert np.abs(seen.places).max() < 1
    # The pelvis is the first joint: by hand, y = (z − 1) / (4·tan(fov/2)) with distance in y.
    pelvis = shot.clip.motion.joints[0, 0].double()
    depth = float(pelvis[1]) + 4.0
    half = np.tan(0.45)
    assert seen.places[0, 1] == pytest.approx((float(pelvis[2]) - 1) / depth / half, abs=GEOMETRY32)
    assert seen.places[0, 0] == pytest.approx(
        float(pelvis[0]) / depth / half / (16 / 9), abs=GEOMETRY32
    )
    away = framing_of(straight_shot((0, 0, 0), frames=29, start_y=4.0 - 8.5e-3))
    assert not away.is_out.any()
    behind = Shot(
        shot.clip,
        replace(shot.camera, world_from_camera=shot.camera.world_from_camera @ _half_turn()),
        shot.provenance,
    )
    nothing = framing_of(behind)
    assert nothing.is_out.all() and np.abs(nothing.places).max() == 2
    assert np.isnan(nothing.box_height)


def _half_turn() -> torch.Tensor:
    return about_axis(torch.tensor(np.pi, dtype=torch.float32), "y")


def test_composition_follows_the_lens():
    near, far = straight_shot((0, 0, 0), 29, -4.0), straight_shot((0, 0, 0), 29, -8.0)
    tall, small = framing_of(near), framing_of(far)
    # People are not flat: what is nearer to the camera grows a little more.
    assert tall.box_height == pytest.approx(2 * small.box_height, rel=0.03)
    assert 0 < tall.headroom < small.headroom
