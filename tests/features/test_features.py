"""Features: exact inverses, invariances, the frame-0 rules, named columns."""

import math

import pytest
import torch

from aesop.features.camera_features import (
    aspect_from_features,
    camera_from_features,
    camera_to_features,
    centre_from_features,
)
from aesop.features.columns import CAMERA, HUMAN
from aesop.features.human_features import (
    human_from_features,
    human_to_features,
    joints_from_features,
    root_from_features,
    yaw_from_features,
)
from aesop.scene.camera import CameraPath
from aesop.scene.human import HumanMotion, shifted, turned
from aesop.scene.rotation import about_z, matrix_from_rows6, rows6_from_matrix
from tests.scene.makers import wandering_camera, wandering_motion
from tests.tolerances import GEOMETRY32, GEOMETRY64, STORED32


def at_origin(motion: HumanMotion) -> HumanMotion:
    return shifted(motion, -motion.root[0] * torch.tensor([1.0, 1.0, 0.0]))


def test_published_layouts():
    """FACTS §1.2 and §2.1, as offsets."""
    assert HUMAN.width == 199 and CAMERA.width == 14
    assert [HUMAN.span(name).start for name, _ in HUMAN.blocks] == [0, 1, 3, 4, 136]
    assert [CAMERA.span(name).start for name, _ in CAMERA.blocks] == [0, 1, 2, 5, 11]


def test_joining_needs_exactly_the_blocks_of_the_layout():
    blocks = {name: torch.zeros(3, width) for name, width in CAMERA.blocks}
    assert CAMERA.join(**blocks).shape == (3, 14)
    numbered = {name: torch.full((3, width), float(CAMERA.span(name).start))
                for name, width in reversed(CAMERA.blocks)}  # fmt: skip
    assert CAMERA.join(**numbered)[0].tolist() == [0.0, 1.0] + [2.0] * 3 + [5.0] * 6 + [11.0] * 3
    with pytest.raises(ValueError, match="velocity"):
        CAMERA.join(**{**blocks, "velocity": torch.zeros(3, 2)})
    with pytest.raises(KeyError):
        CAMERA.join(**{name: blocks[name] for name in list(blocks)[1:]})


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(torch.float64, GEOMETRY64), (torch.float32, GEOMETRY32)]
)
def test_human_round_trip(dtype: torch.dtype, tolerance: float, dice: torch.Generator):
    motion = at_origin(wandering_motion(53, dice))
    motion = motion.to(dtype)
    back = human_from_features(human_to_features(motion))
    assert (back.joints - motion.joints).abs().max() < tolerance
    assert (back.rotations - motion.rotations).abs().max() < tolerance


def test_human_features_forget_the_planar_offset_and_nothing_else(dice: torch.Generator):
    motion = wandering_motion(41, dice)
    moved = shifted(motion, torch.tensor([8.0, -5.0, 0.0]).double())
    assert torch.allclose(human_to_features(moved), human_to_features(motion), atol=GEOMETRY64)


def test_turning_the_world_changes_only_the_first_yaw(dice: torch.Generator):
    motion = wandering_motion(43, dice)
    yaw = torch.tensor(2.2).double()
    plain, after = human_to_features(motion), human_to_features(turned(motion, yaw))
    steps = HUMAN.span("yaw_step")
    change = after[0, steps] - plain[0, steps]
    assert torch.allclose(torch.cos(change), torch.cos(yaw)) and torch.allclose(
        torch.sin(change), torch.sin(yaw)
    )
    after[0, steps] = plain[0, steps]
    assert torch.allclose(after, plain, atol=GEOMETRY64)


def test_a_person_spinning_through_the_wrap_keeps_small_yaw_steps(dice: torch.Generator):
    motion = wandering_motion(97, dice)
    spin = torch.linspace(0, 7 * math.pi, 97).double()
    rotations = motion.rotations.clone()
    rotations[:, 0] = about_z(spin - motion.yaw) @ rotations[:, 0]
    features = human_to_features(HumanMotion(rotations, motion.joints))
    steps = HUMAN.take(features, "yaw_step")[1:, 0]
    assert torch.allclose(steps, torch.full_like(steps, 7 * math.pi / 96))
    assert torch.allclose(yaw_from_features(features), spin)


def test_yaw_integrates_inclusively_and_the_path_exclusively():
    features = torch.zeros(3, 199, dtype=torch.float64)
    features[:, HUMAN.span("yaw_step")] = torch.tensor(
        [[math.pi / 2], [math.pi / 2], [0.0]]
    ).double()
    features[:, HUMAN.span("planar_velocity")] = torch.tensor([[1.0, 0.0]]).double()
    features[:, HUMAN.span("root_height")] = 0.9
    expected_yaw = torch.tensor([math.pi / 2, math.pi, math.pi]).double()
    assert torch.allclose(yaw_from_features(features), expected_yaw, atol=STORED32)
    # First step leaves frame 0, whose heading is already a quarter turn: it goes along +y.
    expected = torch.tensor([[0.0, 0.0, 0.9], [0.0, 1.0, 0.9], [-1.0, 1.0, 0.9]]).double()
    assert torch.allclose(root_from_features(features), expected, atol=STORED32)


def test_the_last_velocity_is_zero_and_never_decoded(dice: torch.Generator):
    features = human_to_features(wandering_motion(31, dice))
    assert features[-1, HUMAN.span("planar_velocity")].abs().max() == 0
    changed = features.clone()
    changed[-1, HUMAN.span("planar_velocity")] = 99.0
    assert torch.equal(joints_from_features(changed), joints_from_features(features))


def test_a_stray_yaw_in_the_root_rotation_is_dropped(dice: torch.Generator):
    features = human_to_features(at_origin(wandering_motion(29, dice)))
    rotations = HUMAN.take(features, "rotations").unflatten(-1, (22, 6))
    stray = rotations.clone()
    turn = about_z(torch.tensor(0.8).double())
    stray[:, 0] = rows6_from_matrix(turn @ matrix_from_rows6(rotations[:, 0]))
    changed = features.clone()
    changed[:, HUMAN.span("rotations")] = stray.flatten(1)
    assert torch.allclose(
        human_from_features(changed).rotations, human_from_features(features).rotations
    )


def test_decoding_works_on_leading_batch_axes(dice: torch.Generator):
    features = human_to_features(wandering_motion(23, dice))
    stacked = features.expand(2, 3, 23, 199)
    assert torch.allclose(joints_from_features(stacked)[1, 2], joints_from_features(features))


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(torch.float64, GEOMETRY64), (torch.float32, GEOMETRY32)]
)
def test_camera_round_trip(dtype: torch.dtype, tolerance: float, dice: torch.Generator):
    motion = wandering_motion(61, dice)
    camera = wandering_camera(motion, dice).to(dtype)
    root = motion.root.to(dtype)
    back = camera_from_features(camera_to_features(camera, root), root[0])
    assert (back.centre - camera.centre).abs().max() < tolerance
    assert (back.world_from_camera - camera.world_from_camera).abs().max() < tolerance
    assert (back.fov_vertical - camera.fov_vertical).abs().max() == 0
    assert abs(back.aspect - camera.aspect) < tolerance


def test_camera_features_move_with_the_person(dice: torch.Generator):
    motion = wandering_motion(37, dice)
    camera = wandering_camera(motion, dice)
    offset = torch.tensor([4.0, -9.0, 0.0]).double()
    moved = CameraPath(
        camera.world_from_camera, camera.centre + offset, camera.fov_vertical, camera.aspect
    )
    assert torch.allclose(
        camera_to_features(moved, motion.root + offset),
        camera_to_features(camera, motion.root),
        atol=GEOMETRY64,
    )


def test_only_the_first_relative_position_and_later_increments_are_decoded(dice: torch.Generator):
    motion = wandering_motion(19, dice)
    features = camera_to_features(wandering_camera(motion, dice), motion.root)
    changed = features.clone()
    changed[1:, CAMERA.span("from_root")] = 77.0
    changed[0, CAMERA.span("velocity")] = -55.0
    assert torch.equal(
        centre_from_features(changed, motion.root[0]),
        centre_from_features(features, motion.root[0]),
    )


def test_the_lens_comes_first_and_the_first_velocity_is_zero(dice: torch.Generator):
    motion = wandering_motion(17, dice)
    wide = wandering_camera(motion, dice)
    features = camera_to_features(wide, motion.root)
    assert torch.equal(features[:, 0], wide.fov_vertical)
    assert (
        torch.equal(features[:, 1], wide.fov_horizontal) and (features[:, 1] > features[:, 0]).all()
    )
    velocity = CAMERA.take(features, "velocity")
    assert velocity[0].abs().max() == 0 and velocity[1:].abs().max() > 0


def test_one_aspect_ratio_is_the_median_of_the_tangents(dice: torch.Generator):
    motion = wandering_motion(11, dice)
    features = camera_to_features(wandering_camera(motion, dice), motion.root)
    features[:4, CAMERA.span("fov_horizontal")] = 2.5
    assert abs(aspect_from_features(features) - 1.85) < GEOMETRY64


def test_a_single_frame_has_features_and_decodes(dice: torch.Generator):
    motion = at_origin(wandering_motion(1, dice))
    camera = wandering_camera(motion, dice)
    features = camera_to_features(camera, motion.root)
    assert torch.allclose(camera_from_features(features, motion.root[0]).centre, camera.centre)
    assert torch.allclose(human_from_features(human_to_features(motion)).joints, motion.joints)
