"""Curves of intensity: what they say at every moment, how they are written, and what is refused."""

import math

import pytest
import torch

from aesop.core.errors import CameraError
from aesop.scene.intensity_curve import (
    LEAST_APART_SECONDS,
    MOST_POINTS,
    IntensityCurve,
    intensity_from_text,
    mean_intensity,
    plain_intensity,
)
from tests.tolerances import rounded64

TEXT = "0:0.6 2.5:1.5 4:1"
CURVE = IntensityCurve((0.0, 2.5, 4.0), (0.6, 1.5, 1.0))


def test_points_are_met_exactly_and_the_ends_are_held():
    instants = torch.tensor([0.0, 2.5, 4.0, 7.0], dtype=torch.float64)
    assert CURVE.at(instants).tolist() == [0.6, 1.5, 1.0, 1.0]
    late = IntensityCurve((1.0, 3.0), (0.7, 1.3))
    assert late.at(torch.tensor([0.0, 0.9])).tolist() == [0.7, 0.7]


def test_half_way_is_the_mean_and_points_have_no_corner():
    half = CURVE.at(torch.tensor([1.25, 3.25], dtype=torch.float64))
    assert half.tolist() == pytest.approx([1.05, 1.25], abs=rounded64(8))
    near = 1e-3  # an eased step has left its point by 3·share² of the way: below 1e-6 of it
    around = CURVE.at(torch.tensor([near, 2.5 - near, 2.5 + near, 4 - near], dtype=torch.float64))
    at = torch.tensor([0.6, 1.5, 1.5, 1.0], dtype=torch.float64)
    assert float((around - at).abs().max()) < 3 * near**2


def test_a_curve_stays_between_its_neighbouring_points():
    dice = torch.Generator().manual_seed(11)
    values = (0.1 + 1.8 * torch.rand(13, generator=dice, dtype=torch.float64)).tolist()
    seconds = (0.5 * torch.arange(13)).tolist()
    curve = IntensityCurve(tuple(seconds), tuple(values))
    instants = torch.linspace(0, 6, 1009, dtype=torch.float64)
    met = curve.at(instants)
    before = (instants / 0.5).floor().long().clamp(0, 11)
    ends = torch.tensor(values, dtype=torch.float64)[torch.stack([before, before + 1])]
    assert bool((met >= ends.amin(0)).all() and (met <= ends.amax(0)).all())


def test_texts_and_points_come_back():
    assert CURVE.text == TEXT and IntensityCurve.from_text(TEXT) == CURVE
    assert IntensityCurve.from_text("0:0.6, 2.5:1.5,4:1") == CURVE
    assert IntensityCurve.from_points(CURVE.points) == CURVE
    assert intensity_from_text(" 1.3") == 1.3 and intensity_from_text(TEXT) == CURVE


def test_a_curve_that_stays_is_a_number():
    assert plain_intensity(IntensityCurve.from_text("0:0.7 3:0.7 5:0.7")) == 0.7
    assert intensity_from_text("1:0.7") == 0.7 and plain_intensity(CURVE) is CURVE


def test_the_mean_is_over_the_frames():
    assert mean_intensity(0.9, 31, 25.0) == 0.9
    even = IntensityCurve((0.0, 1.2), (0.5, 1.5))  # the eased step is even about its middle
    assert mean_intensity(even, 31, 25.0) == pytest.approx(1.0, abs=rounded64(40))


@pytest.mark.parametrize(
    "text",
    ["", "slow", "1:", ":1", "0:1:2", "0:1 2", "0:x", "2:1 1:0.5", "0:1 0:1.5", "-1:1 2:1.5",
     "0:nan 1:1", "inf:1", f"0:1 {LEAST_APART_SECONDS - 0.01}:1.5"],
)  # fmt: skip
def test_what_is_no_curve_is_refused(text: str):
    with pytest.raises(CameraError) as refusal:
        IntensityCurve.from_text(text)
    assert refusal.value.fact and refusal.value.remedy


def test_points_that_do_not_change_may_be_near_and_too_many_may_not_be():
    near = IntensityCurve((0.0, 0.1, 0.1 + LEAST_APART_SECONDS), (1.0, 1.0, 1.5))
    assert near.at(torch.tensor([0.05])).tolist() == [1.0]
    seconds = tuple(float(second) for second in range(MOST_POINTS + 1))
    with pytest.raises(CameraError):
        IntensityCurve(seconds, (1.0,) * (MOST_POINTS + 1))
    with pytest.raises(CameraError):
        IntensityCurve((0.0, 1.0), (1.0,))
    with pytest.raises(CameraError):
        IntensityCurve((0.0,), (math.nan,))
