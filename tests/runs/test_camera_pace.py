"""Shake, turns and eases of paths whose own are known."""

import numpy as np
import pytest
import torch

from aesop.scene.camera import CameraPath
from aesop.scene.rotation import about_z
from tests.runs.scripts import script

FPS = 25.0
FRAMES = 211


def path(speed_mps: np.ndarray, turn_dps: float = 0.0) -> CameraPath:
    place = np.concatenate([[0.0], np.cumsum(speed_mps[1:] / FPS)])
    centre = torch.zeros(len(place), 3, dtype=torch.float64)
    centre[:, 0] = torch.from_numpy(place)
    # Level cameras that look along y: x right, y down, z forward.
    level = torch.tensor([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]], dtype=torch.float64)
    angle = torch.arange(len(place), dtype=torch.float64) * np.radians(turn_dps) / FPS
    lens = torch.full((len(place),), 0.7, dtype=torch.float64)
    return CameraPath(about_z(angle) @ level, centre, lens, 1.5)


def test_a_ramp_begins_and_ends_as_it_was_made():
    at = np.arange(FRAMES) / FPS
    # At rest for a second, 2 s up, steady, 1 s down, at rest again.
    speed = np.clip(np.minimum((at - 1) / 2, (7.2 - at) / 1), 0, 1) * 0.8
    pace = script("camera_pace").pace_of([path(speed)])
    assert pace.beginnings == pace.ends == 1
    # Between 15 and 85 % of full speed; smoothing rounds the corners of the shorter one most.
    assert pace.beginning_s[2] == pytest.approx(0.7 * 2, abs=2 / FPS)
    assert pace.end_s[2] == pytest.approx(0.7 * 1, abs=3 / FPS)


def test_turns_are_told_in_degrees_a_second_and_shake_not_at_all():
    steady = script("camera_pace").pace_of([path(np.full(FRAMES, 0.4), turn_dps=13.0)])
    assert steady.median_turn_dps[2] == pytest.approx(13.0, abs=0.1)  # sine for angle
    assert steady.beginnings == steady.ends == 0  # it was on its way already
    assert steady.shake_deg[2] < 1e-3


def test_faster_clocks_make_faster_cameras():
    module = script("camera_pace")
    one, two = (module.pace_of([path(np.full(FRAMES, 0.4), 13.0)], fps) for fps in (25.0, 50.0))
    assert two.median_turn_dps[2] == pytest.approx(
        2 * one.median_turn_dps[2],
        abs=2e-4,  # both are rounded to four digits
    )
