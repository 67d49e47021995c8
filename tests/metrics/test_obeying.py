"""Whether a film obeys its words, on cameras whose movement is known exactly."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.metrics.movement_metrics import company_of, makes_arc, makes_tags, swept_deg
from aesop.scene.camera import CameraPath, camera_looking_at
from aesop.scene.human import HumanMotion, shifted, turned
from aesop.scene.movement import TAG_NAMES
from aesop.scene.rotation import about_z
from tests.metrics.makers import FPS, standing_clip, straight_shot
from tests.tolerances import GEOMETRY32

FRAMES = 151
TAG = {name: number for number, name in enumerate(TAG_NAMES)}


def walker(speed_m_s: float, frames: int = FRAMES) -> HumanMotion:
    """A statue that glides along +X."""
    still = standing_clip(frames).motion
    way = torch.arange(frames, dtype=torch.float64)[:, None] / FPS * speed_m_s
    return replace(still, joints=still.joints + way[..., None] * torch.tensor([1.0, 0, 0]))


def beside(
    motion: HumanMotion, offset: tuple[float, float], gain: float = 1.0, aim: float = 1.0
) -> CameraPath:
    """A camera that goes along `gain` of the person's way, from the offset on the ground."""
    start = motion.root[0] + torch.tensor([*offset, 0.3])
    centre = start + gain * (motion.root - motion.root[0])
    return camera_looking_at(centre, motion.root + torch.tensor([0, 0, 0.4]) * aim, 0.9)


def orbit(motion: HumanMotion, degrees: float) -> CameraPath:
    """Around the person by an angle, anticlockwise from above, always looking at them."""
    turn = about_z(torch.deg2rad(torch.linspace(0, degrees, motion.frames).double()))
    arm = (turn @ torch.tensor([0.0, -3.0, 0.2], dtype=torch.float64)).squeeze(-1)
    return camera_looking_at(motion.root + arm, motion.root, 0.9)


@pytest.mark.parametrize(
    ("velocity", "name"),
    [
        ((0, 0, 0.3), "push_in"),
        ((0, 0, -0.3), "pull_out"),
        ((0.3, 0, 0), "trucking_right"),
        ((-0.3, 0, 0), "trucking_left"),
        ((0, -0.3, 0), "boom_top"),
        ((0, 0, 0), "static"),
    ],
)
def test_one_movement_is_right_if_it_is_made_and_no_other_is(
    velocity: tuple[float, float, float], name: str
):
    camera = straight_shot(velocity, FRAMES).camera
    assert [tag for tag in range(len(TAG_NAMES)) if makes_tags(camera, FPS, [tag])] == [TAG[name]]


def two_steps(first: int, second: int) -> CameraPath:
    """So many frames to the right, then so many forward."""
    camera = straight_shot((0, 0, 0), first + second + 1).camera
    right, ahead = camera.world_from_camera[0, :, 0], camera.world_from_camera[0, :, 2]
    steps = torch.cat([right.expand(first, 3), ahead.expand(second, 3)]) * 0.3 / FPS
    way = torch.cat([torch.zeros(1, 3), steps.cumsum(0)])
    return replace(camera, centre=camera.centre + way)


def test_two_movements_count_in_their_order():
    camera = two_steps(83, 71)
    right, ahead = TAG["trucking_right"], TAG["push_in"]
    assert makes_tags(camera, FPS, [right, ahead])
    assert not makes_tags(camera, FPS, [ahead, right])
    assert not makes_tags(camera, FPS, [right, TAG["boom_top"]])


def test_a_movement_that_hardly_happens_does_not_count():
    right, ahead = TAG["trucking_right"], TAG["push_in"]
    assert makes_tags(two_steps(60, 140), FPS, [right, ahead])
    assert not makes_tags(two_steps(40, 460), FPS, [right, ahead])  # 8 % of the film


def test_nobody_is_followed_who_stays():
    motion = standing_clip(FRAMES).motion
    assert company_of(beside(motion, (-3.0, 0.2)), motion, FPS) is None


@pytest.mark.parametrize(
    ("offset", "follows", "leads"),
    [
        ((-3.0, 0.2), True, False),  # behind
        ((0.0, -3.0), True, False),  # beside
        ((3.0, 0.2), False, True),  # in front
        ((3.0, -4.0), True, True),  # 53° off the front: either
    ],
)
def test_company_is_told_by_where_the_camera_stands(
    offset: tuple[float, float], follows: bool, leads: bool
):
    motion = walker(1.1)
    company = company_of(beside(motion, offset), motion, FPS)
    assert company is not None
    assert (company.follows, company.leads) == (follows, leads)
    # The way is smoothed by point reflection at its ends, which keeps a straight one as it is.
    assert company.travel_share == pytest.approx(1, abs=GEOMETRY32)
    assert company.along_share == pytest.approx(1, abs=GEOMETRY32)
    assert company.cosine == pytest.approx(1, abs=GEOMETRY32)


def test_who_goes_half_as_far_travels_half_and_who_goes_less_does_not_follow():
    motion = walker(1.1)
    for gain, follows in ((0.55, True), (0.45, False), (-0.8, False), (0.0, False)):
        company = company_of(beside(motion, (-3.0, 0.2), gain), motion, FPS)
        assert company is not None
        assert company.travel_share == pytest.approx(abs(gain), abs=GEOMETRY32)
        assert company.along_share == pytest.approx(gain, abs=GEOMETRY32)
        assert company.follows is follows


def test_who_goes_another_way_does_not_follow():
    motion = walker(1.1)
    camera = beside(motion, (0.0, -3.0))
    turn = about_z(torch.tensor(np.radians(70), dtype=torch.float64))
    away = replace(camera, centre=camera.centre[0] + (camera.centre - camera.centre[0]) @ turn.T)
    company = company_of(away, motion, FPS)
    assert company is not None and not company.follows
    assert company.cosine == pytest.approx(np.cos(np.radians(70)), abs=GEOMETRY32)


@pytest.mark.parametrize("degrees", [53.0, -71.0])
def test_an_orbit_is_an_arc_to_its_side_only(degrees: float):
    motion = standing_clip(FRAMES).motion
    camera = orbit(motion, degrees)
    assert swept_deg(camera, motion) == pytest.approx(degrees, abs=np.degrees(GEOMETRY32))
    right = makes_arc(camera, motion, FPS, TAG["trucking_right"])
    left = makes_arc(camera, motion, FPS, TAG["trucking_left"])
    assert (right, left) == (degrees > 0, degrees < 0)


def test_the_persons_own_way_neither_makes_nor_spoils_an_arc():
    """A truck of two metres, three metres beside somebody who goes the same way, twice as fast."""
    frames = 26
    motion = walker(4.0, frames)
    start = motion.root[0] + torch.tensor([2.0, -3.0, 0.3])
    centre = start + (motion.root - motion.root[0]) / 2
    camera = camera_looking_at(centre, centre + torch.tensor([0.0, 3.0, 0.0]), 0.9)
    # It is two metres ahead at first and level at the end.
    assert swept_deg(camera, motion) > 30
    assert makes_arc(camera, motion, FPS, TAG["trucking_right"])


def test_a_slight_bend_is_no_arc():
    motion = standing_clip(FRAMES).motion
    assert not makes_arc(orbit(motion, 7.0), motion, FPS, TAG["trucking_right"])


def test_a_person_who_passes_a_camera_that_stands_is_no_arc():
    motion = walker(1.1)
    camera = beside(motion, (3.3, -2.0), gain=0.0)
    assert swept_deg(camera, motion) == 0
    for name in ("trucking_left", "trucking_right"):
        assert not makes_arc(camera, motion, FPS, TAG[name])


def test_turning_and_moving_the_world_changes_no_verdict():
    motion = walker(1.1)
    camera = beside(motion, (-2.0, -1.7), gain=0.8)
    yaw, offset = torch.tensor(2.1).double(), torch.tensor([3.0, -5.0, 0.0]).double()
    turn = about_z(yaw)
    moved = replace(
        camera,
        world_from_camera=turn @ camera.world_from_camera,
        centre=camera.centre @ turn.T + offset,
    )
    before = company_of(camera, motion, FPS)
    after = company_of(moved, shifted(turned(motion, yaw), offset), FPS)
    assert before is not None and after is not None
    for name in ("travel_share", "along_share", "cosine", "ahead_deg"):
        # float64 throughout; the angle comes from an arccosine, which halves the digits.
        assert getattr(after, name) == pytest.approx(getattr(before, name), abs=GEOMETRY32)
