"""Aiming: composition is exact, and agrees with the scene's own camera."""

import numpy as np
import pytest
import torch

from aesop.fables.cinematographer.lens import Lens
from aesop.fables.cinematographer.shot_setup import Aim, aimed, camera_axes, composed_angles
from aesop.scene.camera import look_at, project
from tests.tolerances import GEOMETRY64, SOLVED64

FRAMES = 41
LENS = Lens(31.0, 1.85)


def places(seed: int) -> tuple[np.ndarray, np.ndarray]:
    dice = np.random.default_rng(seed)
    focus = dice.normal(size=(FRAMES, 3)) * [1.0, 1.0, 0.3]
    return focus + dice.normal(size=(FRAMES, 3)) * [3.0, 3.0, 0.6] + [4.0, 0, 0], focus


def test_a_centred_composition_is_looking_at():
    centre, focus = places(1)
    angles = composed_angles(centre, focus, LENS, (0.0, 0.0))
    ours = camera_axes(angles[:, 0], angles[:, 1])
    theirs = look_at(torch.from_numpy(centre), torch.from_numpy(focus)).numpy()
    assert np.allclose(ours, theirs, atol=GEOMETRY64)


@pytest.mark.parametrize("place", [(0.33, 0.1), (-0.4, 0.25), (0.0, -0.3)])
def test_composition_puts_the_focus_where_it_was_asked(place: tuple[float, float]):
    centre, focus = places(2)
    angles = composed_angles(centre, focus, LENS, place)
    tan = torch.tensor([LENS.tan_half_width, LENS.tan_half_height], dtype=torch.float64)
    projection = project(
        torch.from_numpy(focus)[:, None],
        torch.from_numpy(camera_axes(angles[:, 0], angles[:, 1])),
        torch.from_numpy(centre),
        tan.expand(FRAMES, 2),
    )
    assert np.allclose(projection.ndc[:, 0].numpy(), place, atol=SOLVED64)


def test_a_locked_aim_never_turns_and_a_loose_one_rests_within_its_play():
    centre, focus = places(3)
    locked = aimed(centre, focus, LENS, Aim(True, (0.1, 0.0), 2, 5.0, 0.0), key_frame=7)
    assert np.ptp(locked, axis=0).max() == 0
    still = np.repeat(centre[:1], FRAMES, axis=0)
    nearly = np.repeat(focus[:1], FRAMES, axis=0)
    nearly += 0.01 * np.sin(np.arange(FRAMES))[:, None]
    loose = aimed(still, nearly, LENS, Aim(False, (0.0, 0.0), 2, 5.0, 0.1), key_frame=0)
    assert np.ptp(loose, axis=0).max() < GEOMETRY64
