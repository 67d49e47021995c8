"""Shadows fall where light says, darken only floor, and touch where things touch."""

from copy import deepcopy

import numpy as np
import pytest

from aesop.preview.canvas import looking
from aesop.preview.ground import (
    TEXEL_M,
    Floor,
    Patch,
    casters_of,
    lay_shadow,
    paint_floor,
    plan_shadow,
    shadow_patch,
)
from aesop.preview.painting import Brush, light_map, paint_solids
from aesop.preview.ray_casting import FARTHEST, Solids, balls
from tests.tolerances import SOLVED64, rounded32

FLOOR = Floor(np.zeros(2), 11.0, 1.0)
TO_LIGHT = np.array([0.6, -0.3, 0.74])
TO_LIGHT /= np.linalg.norm(TO_LIGHT)


def ball(x: float, y: float, z: float, radius: float) -> Solids:
    return balls(np.array([[x, y, z]]), np.array([radius]), np.full((1, 3), 0.6))


def texels(patch: Patch) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = patch.dark.shape
    x = patch.corner[0] + (np.arange(columns) + 0.5) * patch.texel_m
    y = patch.corner[1] + (np.arange(rows) + 0.5) * patch.texel_m
    return x, y


@pytest.mark.parametrize("height", [0.8, 1.7])
def test_a_ball_in_the_air_throws_its_shadow_along_the_light(height: float):
    patch = shadow_patch(plan_shadow(ball(0.31, -0.17, height, 0.23), TO_LIGHT))
    x, y = texels(patch)
    middle = (patch.dark.sum(axis=0) @ x, patch.dark.sum(axis=1) @ y) / patch.dark.sum()
    wanted = np.array([0.31, -0.17]) - height * TO_LIGHT[:2] / TO_LIGHT[2]
    assert np.abs(middle - wanted).max() < 0.002


def test_shadows_soften_and_fade_with_height():
    low, high = (shadow_patch(plan_shadow(ball(0, 0, h, 0.15), TO_LIGHT)).dark for h in (0.7, 2.9))
    assert high.max() < low.max()
    assert np.abs(np.diff(high, axis=0)).max() < 0.5 * np.abs(np.diff(low, axis=0)).max()


def test_the_floor_is_darkest_where_a_ball_rests():
    patch = shadow_patch(plan_shadow(ball(0.1, 0.2, 0.09, 0.09), TO_LIGHT))
    x, y = texels(patch)
    row, column = np.unravel_index(patch.dark.argmax(), patch.dark.shape)
    # Between the point of contact and the middle of the shadow thrown from the ball's height.
    thrown = np.array([0.1, 0.2]) - 0.09 * TO_LIGHT[:2] / TO_LIGHT[2]
    assert min(0.1, thrown[0]) - 0.02 < x[column] < max(0.1, thrown[0]) + 0.02
    assert min(0.2, thrown[1]) - 0.02 < y[row] < max(0.2, thrown[1]) + 0.02
    assert patch.dark.max() > 0.6


@pytest.mark.parametrize(("height", "radius"), [(0.3, 0.2), (0.16, 0.16), (0.45, 0.1)])
def test_dark_is_a_share_and_ends_before_the_patch_does(height: float, radius: float):
    dark = shadow_patch(plan_shadow(ball(0.1, 0.2, height, radius), TO_LIGHT)).dark
    assert dark.min() >= 0
    assert dark.max() < 1
    border = np.concatenate([dark[0], dark[-1], dark[:, 0], dark[:, -1]])
    assert (border == 0).all()
    # The row before the border has faded out too, or the patch's edge would show.
    assert max(dark[1].max(), dark[-2].max(), dark[:, 1].max(), dark[:, -2].max()) < 0.002
    # So has the contact shadow where it ends; on the lamp's side (+x) nothing lies over it.
    for row in dark:
        fading = row[row > 0]
        assert not len(fading) or fading[-1] < 0.002


def test_moving_the_caster_moves_the_shadow():
    step = TEXEL_M * np.array([37, -53])
    here = shadow_patch(plan_shadow(ball(0.1, 0.2, 0.5, 0.2), TO_LIGHT))
    there = shadow_patch(plan_shadow(ball(0.1 + step[0], 0.2 + step[1], 0.5, 0.2), TO_LIGHT))
    np.testing.assert_allclose(there.corner - here.corner, step, atol=SOLVED64)
    # Rays of the shadow start from places in single precision, and its edge is a texel wide.
    np.testing.assert_allclose(there.dark, here.dark, atol=2e-4)
    # Texels belong to the floor, not to the caster: a shadow does not crawl as it moves.
    texel = here.corner / here.texel_m
    np.testing.assert_allclose(texel, texel.round(), atol=SOLVED64)


def test_shadows_darken_floor_and_nothing_else():
    view = looking(np.array([1.0, -4.0, 1.4]), np.array([0.0, 0.0, 0.4]), (0.4, 0.4), (97, 89))
    solids = ball(0.0, 0.0, 0.25, 0.25)
    canvas = paint_floor(view, FLOOR)
    paint_solids(canvas, view, solids, Brush(TO_LIGHT))
    before = deepcopy(canvas)
    lay_shadow(canvas, view, shadow_patch(plan_shadow(solids, TO_LIGHT)))
    change = canvas.light - before.light
    assert change.max() <= 0
    assert change.min() < -0.2
    assert (change[:, before.floor == 0] == 0).all()
    assert ((before.floor == 0) & (before.depth < FARTHEST)).sum() > 100  # the ball itself
    half = deepcopy(before)
    lay_shadow(half, view, shadow_patch(plan_shadow(solids, TO_LIGHT)), strength=0.5)
    np.testing.assert_allclose(half.light - before.light, change / 2, atol=rounded32(8))


def test_a_shadow_in_the_picture_lies_where_its_patch_says():
    view = looking(np.array([1.0, -4.0, 2.4]), np.array([0.0, 0.0, 0.0]), (0.4, 0.4), (157, 149))
    canvas = paint_floor(view, FLOOR)
    before = deepcopy(canvas)
    dark = np.zeros((31, 29), np.float32)
    dark[17, 11] = 0.8
    patch = Patch(np.array([-0.4, -0.6]), 0.05, dark)
    lay_shadow(canvas, view, patch)
    taken = (before.light - canvas.light)[0]
    rows, columns = np.nonzero(taken == taken.max())
    spot = np.array([-0.4 + 11.5 * 0.05, -0.6 + 17.5 * 0.05, 0.0])
    place = (spot - view.centre) @ view.world_from_camera
    assert abs(columns.mean() + 0.5 - (place[0] / place[2] + 0.4) / view.ray_step[0]) < 1.5
    assert abs(rows.mean() + 0.5 - (place[1] / place[2] + 0.4) / view.ray_step[1]) < 1.5


def test_solids_shade_each_other():
    """The lower of two balls in line with the lamp is darker than alone; beside it, it is not."""
    view = looking(np.array([0.5, -4.0, 1.0]), np.array([0.0, 0.0, 0.5]), (0.3, 0.3), (83, 79))
    target = ball(0.0, 0.0, 0.5, 0.2)

    def brightness(at: np.ndarray) -> float:
        x, y, z = at.tolist()
        casters = ball(x, y, z, 0.18)
        shadows = light_map(casters_of(casters), TO_LIGHT, 97)
        canvas = paint_floor(view, FLOOR)
        paint_solids(canvas, view, target, Brush(TO_LIGHT, shadows))
        is_ball = (canvas.floor == 0) & (canvas.depth < FARTHEST)
        return float(canvas.light[:, is_ball].mean())

    middle = np.array([0.0, 0.0, 0.5])
    aside = np.cross(TO_LIGHT, (0.0, 0.0, 1.0))
    assert brightness(middle + 0.6 * TO_LIGHT) < 0.85 * brightness(middle + 0.9 * aside)
    assert brightness(middle - 0.6 * TO_LIGHT) == pytest.approx(
        brightness(middle + 0.9 * aside), abs=rounded32(64)
    )


def test_seen_from_below_there_is_no_shadow():
    view = looking(np.array([1.0, -4.0, -1.4]), np.array([0.0, 0.0, 0.0]), (0.4, 0.4), (37, 31))
    canvas = paint_floor(view, FLOOR)
    before = deepcopy(canvas)
    lay_shadow(canvas, view, shadow_patch(plan_shadow(ball(0, 0, 0.3, 0.3), TO_LIGHT)))
    np.testing.assert_array_equal(canvas.light, before.light)
