"""What evaluators read of a shot: nothing is lost, and axes are the ones they were trained with."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.evaluators.evaluator import (
    SLOW_MPS,
    START_M,
    et_nine_of_shot,
    humanml_of_shot,
    nine_of_shot,
)
from aesop.fables.synthetic import synthetic_motion
from aesop.scene.camera import camera_looking_at
from aesop.scene.human import NATIVE_FPS, Provenance
from aesop.scene.rotation import matrix_from_columns6
from aesop.scene.shot import Placement, Shot, place_camera
from tests.scene.makers import place_clip
from tests.tolerances import GEOMETRY32, rounded32


@pytest.fixture
def shot() -> Shot:
    clip = synthetic_motion("walk", 53, np.random.default_rng(2)).clip
    root = clip.motion.root
    swing = torch.sin(torch.arange(53) / 9)[:, None] * root.new_tensor([0.8, 0.1, 0.3])
    camera = camera_looking_at(root + root.new_tensor([1.0, -3.0, 0.2]) + swing, root, 0.7)
    return Shot(clip, camera, Provenance("a test"))


def test_the_path_can_be_rebuilt_from_nine_numbers(shot: Shot):
    nine = nine_of_shot(shot).double()
    turns = matrix_from_columns6(nine[:, :6])
    steps = torch.sinh(2 * nine[1:, 6:]) * SLOW_MPS / NATIVE_FPS
    world = (turns[:-1] @ steps[..., None]).squeeze(-1)
    start = nine[:1, 6:] * START_M
    centre = torch.cat([start, start + world.cumsum(0)]) + shot.clip.motion.root[0].double()
    torch.testing.assert_close(centre, shot.camera.centre.double(), rtol=0, atol=GEOMETRY32)
    torch.testing.assert_close(
        turns, shot.camera.world_from_camera.double(), rtol=0, atol=GEOMETRY32
    )


def test_moving_the_world_changes_nothing_and_turning_it_changes_rotations_only(shot: Shot):
    placed = Placement(
        torch.tensor(0.8, dtype=torch.float64),
        torch.tensor([3.0, -2.0, 0.0], dtype=torch.float64),
    )
    turned = replace(
        shot, clip=place_clip(shot.clip, placed), camera=place_camera(shot.camera, placed)
    )
    before, after = nine_of_shot(shot), nine_of_shot(turned)
    torch.testing.assert_close(
        after[1:, 6:], before[1:, 6:], rtol=0, atol=rounded32(2, 10.0) * NATIVE_FPS / SLOW_MPS
    )
    assert (after[:, :6] - before[:, :6]).abs().max() > 0.1


def test_published_nine_are_standardised_steps_in_a_y_down_world(shot: Shot):
    """A camera that rises goes to −y there; the person's first place is the origin."""
    still = replace(shot.camera, centre=shot.camera.centre[:1].expand(53, 3).clone())
    rise = still.centre + torch.arange(53)[:, None] * still.centre.new_tensor([0.0, 0.0, 0.01])
    nine = et_nine_of_shot(replace(shot, camera=replace(still, centre=rise)))
    steps = nine[1:, 6:] * torch.tensor([0.027841, 0.01819818, 0.03138536])
    steps = steps + torch.tensor([7.93987673e-05, -9.98621393e-05, 4.12940653e-04])
    torch.testing.assert_close(
        steps, torch.tensor([0.0, -0.01, 0.0]).expand(52, 3), rtol=0, atol=GEOMETRY32
    )
    away = rise[0] - shot.clip.motion.root[0]
    first = nine[0, 6:] * torch.tensor([1.13433516, 1.19061042, 1.58744263])
    first = first + torch.tensor([0.00201079, -0.27488501, -1.23616805])
    wanted = torch.stack([away[0], -away[2], away[1]]).float()
    torch.testing.assert_close(first, wanted, rtol=0, atol=GEOMETRY32)


def test_published_people_lose_one_frame(shot: Shot):
    features = humanml_of_shot(shot)
    assert features.shape == (52, 263) and bool(features.isfinite().all())
