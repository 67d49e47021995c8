"""Lenses and shot sizes."""

import math

import numpy as np
import pytest

from aesop.fables.cinematographer.lens import (
    ASPECTS,
    SHOT_SIZES,
    Lens,
    ShotSize,
    draw_height_m,
    draw_lens,
    focus_weights,
    size_of,
)
from aesop.scene.skeleton import JOINT, JOINTS
from tests.tolerances import GEOMETRY64


def test_a_35_mm_lens_sees_what_the_catalogue_says():
    # Tables of lenses give one decimal.
    assert math.degrees(Lens(35.0, 3 / 2).fov_vertical) == pytest.approx(37.8, abs=0.05)
    assert Lens(35.0, 3 / 2).tan_half_width == pytest.approx(18 / 35)
    # Cropping to a wider image keeps the width, turning the camera upright keeps the frame.
    assert Lens(35.0, 2.39).tan_half_width == pytest.approx(18 / 35)
    assert Lens(35.0, 9 / 16).tan_half_height == pytest.approx(18 / 35)


def test_distance_and_image_height_belong_together():
    lens = Lens(50.0, 1.85)
    assert 2 * lens.tan_half_height * lens.distance_for(1.7) == pytest.approx(1.7)


def test_drawn_lenses_cover_a_believable_span():
    dice = np.random.default_rng(1)
    lenses = [draw_lens(dice) for _ in range(997)]
    fov = np.degrees([lens.fov_vertical for lens in lenses])
    assert {lens.aspect for lens in lenses} == set(ASPECTS)
    assert 9 < fov.min() < 14 and 60 < fov.max() < 100
    assert np.percentile(fov, 75) - np.percentile(fov, 25) > 12
    assert all(draw_lens(dice, landscape_only=True).aspect > 1 for _ in range(199))


@pytest.mark.parametrize("size", SHOT_SIZES)
def test_an_image_height_drawn_for_a_size_has_that_size(size: ShotSize):
    dice = np.random.default_rng(2)
    assert {size_of(draw_height_m(size, dice)) for _ in range(53)} == {size}


def test_the_focus_lies_inside_the_body_and_rises_as_the_camera_comes_closer():
    weights = focus_weights(np.geomspace(7.0, 0.3, 37))
    assert np.allclose(weights.sum(axis=1), 1.0) and (weights >= 0).all()
    standing = np.zeros(JOINTS)
    standing[[JOINT["head"], JOINT["neck"]]] = 1.5
    standing[[JOINT["spine3"], JOINT["spine1"], JOINT["pelvis"]]] = 1.3, 1.1, 0.95
    height = weights @ standing
    assert (np.diff(height) >= -GEOMETRY64).all() and height[-1] > height[0] + 0.5
