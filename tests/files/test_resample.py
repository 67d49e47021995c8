"""Laws of resampling: instants, closed forms, and nothing touched that need not be."""

import numpy as np
import pytest
import torch
from scipy.spatial.transform import Rotation, Slerp

from aesop.scene.curves import resample_points, resample_rotations, resampled_frames
from aesop.scene.rotation import geodesic_distance, matrix_from_axis_angle
from tests.tolerances import SOLVED64

RATES = [(30.0, 25.0), (120.0, 25.0), (20.0, 25.0), (29.97, 25.0), (60.0, 24.0)]


def random_rotations(dice: torch.Generator, *shape: int) -> torch.Tensor:
    return matrix_from_axis_angle(torch.randn(*shape, 3, generator=dice, dtype=torch.float64))


def test_equal_rates_change_no_bit(dice: torch.Generator) -> None:
    turns = random_rotations(dice, 7, 3)
    points = torch.randn(7, 5, 3, generator=dice)
    assert torch.equal(resample_rotations(turns, 25.0, 25.0), turns)
    assert torch.equal(resample_points(points, 25.0, 25.0), points)


@pytest.mark.parametrize(("source_fps", "target_fps"), RATES)
def test_a_steady_course_stays_steady(source_fps: float, target_fps: float) -> None:
    frames = 53
    seconds = torch.arange(frames, dtype=torch.float64) / source_fps
    speed = torch.tensor([1.5, -0.4, 0.0], dtype=torch.float64)
    line = resample_points(seconds[:, None] * speed, source_fps, target_fps)
    new_seconds = torch.arange(len(line), dtype=torch.float64) / target_fps
    # A source frame within a thousandth of a frame counts as being on the instant.
    slack = 2e-3 / source_fps
    assert (line - new_seconds[:, None] * speed).abs().max() < 1.5 * slack
    spin = torch.tensor([0.7, 2.0, -1.1], dtype=torch.float64)
    turned = resample_rotations(
        matrix_from_axis_angle(seconds[:, None] * spin), source_fps, target_fps
    )
    expected = matrix_from_axis_angle(new_seconds[:, None] * spin)
    assert geodesic_distance(turned, expected).max() < 2.5 * slack


@pytest.mark.parametrize(("source_fps", "target_fps"), RATES)
def test_as_many_frames_as_fit_and_no_more(source_fps: float, target_fps: float) -> None:
    for frames in (1, 2, 3, 31, 211):
        last = (resampled_frames(frames, source_fps, target_fps) - 1) / target_fps
        end = (frames - 1) / source_fps
        assert last <= end + 1e-3 / target_fps < last + (1 + 2e-3) / target_fps


def test_slerp_agrees_with_scipy(dice: torch.Generator) -> None:
    turns = random_rotations(dice, 11, 3)
    ours = resample_rotations(turns, 30.0, 25.0)
    instants = np.arange(len(ours)) / 25.0
    for joint in range(3):
        path = Slerp(np.arange(11) / 30.0, Rotation.from_matrix(turns[:, joint].numpy()))
        theirs = torch.from_numpy(path(instants.clip(max=10 / 30)).as_matrix())
        assert geodesic_distance(ours[:, joint], theirs).max() < SOLVED64


def test_shared_instants_are_copied(dice: torch.Generator) -> None:
    turns, points = random_rotations(dice, 13, 2), torch.randn(13, 3, generator=dice)
    assert torch.equal(resample_rotations(turns, 30.0, 25.0)[::5], turns[::6])
    assert torch.equal(resample_points(points, 30.0, 25.0)[::5], points[::6])


@pytest.mark.parametrize("frame_time", [0.03999999, 0.04000001])
def test_a_rounded_rate_keeps_the_last_frame(frame_time: float) -> None:
    points = torch.arange(601, dtype=torch.float64)[:, None]
    resampled = resample_points(points, 1 / frame_time, 25.0)
    assert torch.equal(resampled, points)
