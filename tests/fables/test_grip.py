"""Shake: as much as was asked, falling with frequency as it was fitted."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.fables.cinematographer.grip import (
    AXIS_SHARES,
    JITTER_LOG_SPREAD,
    JITTER_MEDIAN_DEG,
    NATURE,
    SLOPE,
    SLOPE_SPREAD,
    Shake,
    draw_shake,
    jitter,
    rotation_from_vector,
    sway,
)
from aesop.scene.rotation import matrix_from_axis_angle
from tests.tolerances import GEOMETRY64

RESULTS = Path(__file__).resolve().parents[2] / "results" / "benchmarks" / "real_camera_shake.json"
FRAMES = 307


def spectra(shake: Shake, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean power of the turn about each axis, degrees² per bin, whole period."""
    power = np.zeros((257, 3))
    for seed in range(count):
        turn = np.degrees(jitter(512, shake, np.random.default_rng(seed)))
        power += np.abs(np.fft.rfft(turn, axis=0) / 512) ** 2 * 2 / count
    return np.fft.rfftfreq(512, 1 / 25), power


def test_the_spectrum_of_jitter_falls_as_asked():
    shake = Shake(jitter_deg=0.08, slope=2.6, rest_mps=0.0, moving_mps=0.0, roll_rad=0.0)
    hz, power = spectra(shake, 211)
    inside = (hz > 0.6) & (hz < 12)
    fit = np.polyfit(np.log(hz[inside]), np.log(power[inside].mean(axis=1)), 1)
    # Two hundred spectra of noise fit a slope to a fiftieth.
    assert fit[0] == pytest.approx(-2.6, abs=0.05)
    fast = power[hz >= 2].sum(axis=0)
    # Two hundred draws, each with a few strong frequencies.
    assert np.sqrt(fast.sum()) == pytest.approx(0.08, rel=0.03)
    shares = np.array(AXIS_SHARES)
    # Two hundred draws, each with a few strong frequencies, axis by axis.
    assert np.allclose(np.sqrt(fast / fast.sum()), shares / np.linalg.norm(shares), atol=0.03)


@pytest.mark.parametrize(("speed", "asked"), [(0.0, 0.008), (0.5, 0.043)])
def test_sway_has_the_asked_speed_and_goes_nowhere(speed: float, asked: float):
    shake = Shake(jitter_deg=0.0, slope=3.0, rest_mps=0.008, moving_mps=0.043, roll_rad=0.0)
    ways = [sway(np.full(FRAMES, speed), shake, np.random.default_rng(s)) for s in range(101)]
    speeds = np.diff(np.stack(ways), axis=1) * 25
    # A hundred ways, each with a few strong frequencies.
    assert np.sqrt((speeds**2).sum(-1).mean()) == pytest.approx(asked, rel=0.04)
    assert max(np.abs(way).max() for way in ways) < 0.15


def test_no_grip_shakes_more_than_the_tagger_bears():
    dice = np.random.default_rng(4)
    for nature in NATURE.values():
        shakes = [draw_shake(nature, dice) for _ in range(97)]
        assert max(shake.rest_mps for shake in shakes) <= 0.01
        assert max(shake.moving_mps for shake in shakes) <= 0.05


def test_grips_are_ordered_by_steadiness():
    dice = np.random.default_rng(5)
    jitters = {
        grip: np.median([draw_shake(nature, dice).jitter_deg for _ in range(199)])
        for grip, nature in NATURE.items()
    }
    assert jitters["locked_off"] < jitters["tripod"] < jitters["steadicam"] < jitters["handheld"]


def test_rotation_vectors_agree_with_the_scene():
    turn = np.random.default_rng(6).normal(size=(FRAMES, 3))
    turn[0] = 0
    ours = torch.from_numpy(rotation_from_vector(turn))
    assert torch.allclose(ours, matrix_from_axis_angle(torch.from_numpy(turn)), atol=GEOMETRY64)


def test_shipped_constants_are_the_fitted_ones():
    real = json.loads(RESULTS.read_text(encoding="utf-8"))["real"]
    # Constants are written down with two or three digits.
    assert real["jitter_deg"]["p50"] == pytest.approx(JITTER_MEDIAN_DEG, rel=0.02)
    assert real["jitter_log_spread"] == pytest.approx(JITTER_LOG_SPREAD, rel=0.02)
    assert real["slope"]["p50"] == pytest.approx(SLOPE, abs=0.02)
    assert real["slope_spread"] == pytest.approx(SLOPE_SPREAD, abs=0.1)
    assert np.allclose(real["axis_shares"], AXIS_SHARES, atol=0.01)
