"""How a camera holds its person, against closed forms."""

from dataclasses import replace

import pytest
import torch

from aesop.metrics.framing_metrics import (
    CROWN_M,
    clearance_m,
    crown_share,
    framing_of,
    hidden_share,
    holding_of,
    turn_speeds_dps,
)
from aesop.scene.camera import CameraPath, camera_looking_at
from aesop.scene.human import HumanMotion, shifted, turned
from aesop.scene.rotation import about_axis, about_z
from aesop.scene.shot import Placement, Shot, place_camera
from aesop.scene.skeleton import JOINT, world_from_rest
from tests.metrics.makers import FPS, straight_shot
from tests.tolerances import GEOMETRY64

FRAMES = 83
# Places of some metres are stored in float32: 1e-7 of them, with room for a handful of sums.
CLOSE_M = 1e-5


def holding(shot: Shot):
    return holding_of(shot.camera, shot.clip.motion, shot.fps)


def turned_away(shot: Shot, frames: int) -> Shot:
    """The last frames look the other way."""
    turns = shot.camera.world_from_camera.clone()
    turns[shot.frames - frames :] = about_axis(torch.tensor(torch.pi), "z") @ turns[-1]
    return replace(shot, camera=replace(shot.camera, world_from_camera=turns))


def straight_body(frames: int) -> HumanMotion:
    """All joints in one point but the head, a metre above it; every bone is upright."""
    joints = torch.zeros(frames, 22, 3)
    joints[:, JOINT["head"], 2] = 1.0
    rotations = torch.eye(3).repeat(frames, 22, 1, 1)
    rotations[:, 0] = world_from_rest(joints)
    return HumanMotion(rotations, joints)


def test_a_camera_that_looks_at_a_standing_person_holds_them():
    facts = holding(straight_shot((0, 0, 0), FRAMES))
    assert facts.empty_share == 0
    assert facts.head_share == 1
    assert facts.fastest_turn_dps == facts.travel_m == facts.person_way_m == 0
    assert not facts.loses_person


@pytest.mark.parametrize(("away", "is_lost"), [(7, False), (8, False), (9, True), (83, True)])
def test_frames_that_look_away_are_empty_and_a_tenth_of_them_loses_the_person(
    away: int, is_lost: bool
):
    shot = turned_away(straight_shot((0, 0, 0), FRAMES), away)
    facts = holding(shot)
    assert facts.empty_share == pytest.approx(away / FRAMES, abs=GEOMETRY64)
    assert facts.head_share == pytest.approx(1 - away / FRAMES, abs=GEOMETRY64)
    assert facts.empty_share == pytest.approx(framing_of(shot).is_out.mean(), abs=GEOMETRY64)
    assert facts.loses_person is is_lost


def test_a_head_above_the_picture_is_not_in_it_though_the_person_is():
    shot = straight_shot((0, 0, 0), FRAMES)
    # 23° down: the picture then ends 3° over the horizon, and the head is at 9°.
    tilt = about_axis(torch.tensor(-0.4), "x")
    looking_down = replace(shot.camera, world_from_camera=shot.camera.world_from_camera @ tilt)
    facts = holding(replace(shot, camera=looking_down))
    assert facts.head_share == 0
    assert facts.empty_share == 0


def test_travel_and_the_persons_way_are_lengths():
    shot = straight_shot((0.3, 0, 0.4), FRAMES)
    steps = torch.arange(FRAMES)[:, None] * torch.tensor([0.03, 0.0, 0.04])  # half upwards
    motion = shot.clip.motion
    going = HumanMotion(motion.rotations, motion.joints + steps[:, None])
    facts = holding_of(shot.camera, going, FPS)
    assert facts.travel_m == pytest.approx(0.5 * (FRAMES - 1) / FPS, abs=CLOSE_M * FRAMES)
    assert facts.person_way_m == pytest.approx(0.03 * (FRAMES - 1), abs=CLOSE_M * FRAMES)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_turn_speed_is_that_of_the_fastest_turn_about_any_axis(axis: str):
    shot = straight_shot((0, 0, 0), FRAMES)
    angles = torch.zeros(FRAMES, dtype=torch.float64)
    angles[11:] += 0.02
    angles[53:] -= 0.07
    turns = shot.camera.world_from_camera.double() @ about_axis(angles, axis)
    camera = replace(shot.camera, world_from_camera=turns)
    speeds = turn_speeds_dps(camera, FPS)
    expected = torch.rad2deg(torch.tensor(0.07, dtype=torch.float64)) * FPS
    assert int(speeds.argmax()) == 52
    # The camera's own axes are float32: 1e-7 rad a frame is 1.5e-4 °/s.
    assert float(speeds[52]) == pytest.approx(float(expected), abs=1e-3)
    assert holding(replace(shot, camera=camera)).fastest_turn_dps == float(speeds.max())


def test_one_frame_has_no_turn():
    facts = holding(straight_shot((0, 0, 0), 1))
    assert facts.fastest_turn_dps == facts.travel_m == 0


@pytest.mark.parametrize(
    ("centre", "expected"),
    [
        ((0.3, 0.0, 0.5), 0.3),  # beside the middle of the bone: 0.58 m from either joint
        ((0.3, 0.0, 1.0 + CROWN_M / 2), 0.3),  # beside the skull
        ((0.0, 0.4, 1.0 + CROWN_M + 0.3), 0.5),  # above the crown and aside
        ((0.0, 0.3, -0.4), 0.5),  # below the feet
        ((0.0, 0.0, 0.7), 0.0),  # inside
    ],
)
def test_clearance_is_to_bones_and_the_crown(centre: tuple[float, float, float], expected: float):
    frames = 3
    places = torch.full((frames, 3), 7.0)
    places[1] = torch.tensor(centre)
    body = straight_body(frames)
    clear = clearance_m(places, body)
    assert float(clear[1]) == pytest.approx(expected, abs=CLOSE_M)
    camera = CameraPath(torch.eye(3).repeat(frames, 1, 1), places, torch.full((frames,), 0.9), 1.5)
    assert holding_of(camera, body, FPS).nearest_m == pytest.approx(expected, abs=CLOSE_M)


def test_the_crown_goes_with_the_head():
    """A bowed head ends in front of its joint."""
    body = straight_body(1)
    body.rotations[:, JOINT["head"]] = about_axis(torch.tensor(torch.pi / 2), "x")
    end = torch.tensor([[0.0, -CROWN_M, 1.0]])
    assert float(clearance_m(end, body)) == pytest.approx(0, abs=CLOSE_M)


def test_turning_and_moving_the_world_changes_nothing():
    shot = straight_shot((0.3, 0.1, 0.2), FRAMES)
    yaw = torch.tensor(0.7, dtype=torch.float64)
    offset = torch.tensor([2.0, -3.0, 0.0], dtype=torch.float64)
    turn, camera = about_z(yaw), shot.camera
    moved_camera = replace(
        camera,
        world_from_camera=turn @ camera.world_from_camera.double(),
        centre=camera.centre.double() @ turn.T + offset,
    )
    moved_person = shifted(turned(shot.clip.motion, yaw), offset)
    before, after = holding(shot), holding_of(moved_camera, moved_person, FPS)
    for name in ("empty_share", "head_share", "nearest_m", "travel_m", "person_way_m"):
        # Everything is float64 after the first rounding, which both share.
        assert getattr(after, name) == pytest.approx(getattr(before, name), abs=1e-9)


@pytest.mark.parametrize(("above", "share"), [(-0.001, 1.0), (0.001, 0.0)])
def test_a_crown_leaves_the_picture_where_the_edge_passes_it(above: float, share: float):
    """The camera stands two metres away, level with the middle of a body whose crown is 1.2 m up:
    an edge of the picture that lies a little above or below it decides."""
    body = straight_body(FRAMES)
    turns = torch.tensor([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    tangent = torch.tensor((1.0 + CROWN_M - above) / 2)
    camera = CameraPath(
        turns.repeat(FRAMES, 1, 1), torch.tensor([-2.0, 0.0, 0.0]).repeat(FRAMES, 1),
        (2 * torch.atan(tangent)).repeat(FRAMES), 1.0,
    )  # fmt: skip
    assert crown_share(camera, body) == share
    assert holding_of(camera, body, FPS).head_share == 1


def test_a_head_is_hidden_by_an_arm_between_it_and_the_camera():
    """Wherever the world stands; not by an arm behind the head, beside it, or behind the camera."""
    base = straight_body(13)

    def with_wrist(place: tuple[float, float, float]) -> HumanMotion:
        joints = base.joints.clone()
        joints[:, JOINT["left_elbow"]] = torch.tensor((place[0], place[1], place[2] - 0.2))
        joints[:, JOINT["left_wrist"]] = torch.tensor((place[0], place[1], place[2] + 0.2))
        return HumanMotion(base.rotations, joints)

    ahead = torch.tensor([[0.0, -3.0, 1.0]]).expand(13, 3)
    camera = camera_looking_at(ahead, base.joints[:, JOINT["head"]], 0.6, 16 / 9)
    for place, is_hidden in (
        ((0.0, -0.5, 1.0), True), ((0.0, 0.5, 1.0), False), ((0.3, -0.5, 1.0), False),
        ((0.0, -3.5, 1.0), False),
    ):  # fmt: skip
        motion = with_wrist(place)
        assert hidden_share(camera, motion) == float(is_hidden)
        yaw, offset = torch.tensor(1.9), torch.tensor([4.0, -7.0, 0.0])
        moved = place_camera(camera, Placement(yaw, offset))
        assert hidden_share(moved, shifted(turned(motion, yaw), offset)) == float(is_hidden)
