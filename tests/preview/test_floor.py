"""The floor: its depth, its lines, and that a pixel shows the average of what it covers."""

from dataclasses import replace

import numpy as np
import pytest

from aesop.preview.canvas import Canvas, View, blank, develop, looking
from aesop.preview.ground import Floor, paint_floor
from aesop.preview.ray_casting import FARTHEST
from tests.preview.makers import random_view, rays_of
from tests.tolerances import rounded32

FLOOR = Floor(np.array([0.3, -0.2]), 11.0, 1.0)


def shrunk(plane: np.ndarray, factor: int) -> np.ndarray:
    height, width = plane.shape
    return plane.reshape(height // factor, factor, width // factor, factor).mean(axis=(1, 3))


def sized(view: View, factor: int) -> View:
    size = (view.width * factor, view.height * factor)
    return View(
        view.world_from_camera, view.centre, view.tan_half_width, view.tan_half_height, *size
    )


@pytest.mark.parametrize("seed", range(3))
def test_depth_is_where_rays_meet_the_ground(seed: int):
    view = random_view(np.random.default_rng(seed))
    canvas = paint_floor(view, FLOOR)
    down = rays_of(view)[..., 2]
    with np.errstate(divide="ignore"):
        # Rays along the ground never meet it.
        closed = np.where(down < -1e-6, -view.centre[2] / down, FARTHEST)
    near = closed < 1e3
    # Depths of the floor are interpolated along rows.
    np.testing.assert_allclose(canvas.depth[near], closed[near], rtol=3e-4)
    assert (canvas.depth[~near] > 900).all()


@pytest.mark.parametrize("roll", [0.0, 0.4])
def test_a_pixel_shows_the_average_of_what_it_covers(roll: float):
    """Drawing large and shrinking gives the same picture: nothing can flicker."""
    view = looking(np.array([1.7, -6.0, 1.6]), np.array([0.0, 0.0, 0.6]), (0.5, 0.5), (71, 73))
    view = replace(view, world_from_camera=view.world_from_camera @ rolled(roll))
    small = paint_floor(view, FLOOR)
    large = paint_floor(sized(view, 11), FLOOR)
    for channel in range(3):
        error = small.light[channel] - shrunk(large.light[channel], 11)
        # A box along the axes stands for the true slanted footprint of a pixel.
        assert np.abs(error).max() < 0.045
        assert np.sqrt((error**2).mean()) < 0.006
    contrast = small.light[0].max() - small.light[0].min()
    assert contrast > 0.15


def rolled(angle: float) -> np.ndarray:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


def test_a_hair_of_roll_makes_a_hair_of_difference():
    """A level camera takes a shorter way; it must lead to the same picture."""
    for height in (1.6, -1.6):
        centre, target = np.array([1.7, -6.0, height]), np.array([0.0, 0.0, 0.6])
        level = looking(centre, target, (0.5, 0.5), (71, 73))
        other = replace(level, world_from_camera=level.world_from_camera @ rolled(1e-6))
        first, second = paint_floor(level, FLOOR), paint_floor(other, FLOOR)
        # A roll of 1e-6 moves a pixel by that of the distance, and lines have edges.
        np.testing.assert_allclose(first.light, second.light, atol=3e-4)
        np.testing.assert_allclose(first.floor, second.floor, atol=3e-4)
        near = first.depth < 100
        # A ray that rises by 5e-7 meets the floor d² / h · 5e-7 farther off: 3 mm at 100 m.
        np.testing.assert_allclose(first.depth[near], second.depth[near], rtol=1e-3)


def test_lines_run_through_whole_metres():
    view = looking(np.array([0.5, -0.1, 3.0]), np.array([0.5, 0.0, 0.0]), (0.6, 0.6), (211, 211))
    light = paint_floor(view, FLOOR).light[1]

    def at(x: float, y: float) -> float:
        place = (np.array([x, y, 0.0]) - view.centre) @ view.world_from_camera
        column = (place[0] / place[2] + view.tan_half_width) / view.ray_step[0]
        row = (place[1] / place[2] + view.tan_half_height) / view.ray_step[1]
        return float(light[int(row), int(column)])

    for line, open_floor in (((0.0, 0.4), (0.2, 0.4)), ((1.0, -0.4), (0.8, -0.4)),
                             ((0.4, 1.0), (0.4, 0.8)), ((0.4, -1.0), (0.4, -0.8))):  # fmt: skip
        assert at(*line) < at(*open_floor) - 0.1


def test_moving_the_world_by_whole_cells_changes_nothing():
    view = random_view(np.random.default_rng(5))
    step = np.array([300.0, -700.0, 0.0])
    moved = View(
        view.world_from_camera, view.centre + step, view.tan_half_width, view.tan_half_height,
        view.width, view.height,
    )  # fmt: skip
    here = paint_floor(view, FLOOR)
    there = paint_floor(moved, Floor(FLOOR.centre + step[:2], FLOOR.reach_m, FLOOR.cell_m))
    np.testing.assert_allclose(there.light, here.light, atol=rounded32(4, 700.0))


def test_from_below_the_floor_hides_nothing_and_takes_no_shadow():
    view = looking(np.array([1.0, -3.0, -0.8]), np.array([0.0, 0.0, 0.9]), (0.4, 0.4), (43, 41))
    canvas = paint_floor(view, FLOOR)
    assert (canvas.depth == FARTHEST).all()
    assert (canvas.floor == 0).all()
    above = looking(np.array([1.0, -3.0, 0.8]), np.array([0.0, 0.0, 0.9]), (0.4, 0.4), (43, 41))
    assert canvas.light.mean() < 0.8 * paint_floor(above, FLOOR).light.mean()


@pytest.mark.parametrize("height", [0.0, 1e-9, 5e-4, -5e-4, -1.0, 1e6])
@pytest.mark.parametrize("tilt", [0.0, 0.05, -0.3])  # level: one row looks exactly at the horizon
def test_every_height_gives_a_picture(height: float, tilt: float):
    centre = np.array([0.5, -2.0, height])
    view = looking(centre, np.array([0.5, -1.0, height + tilt]), (1.7, 1.7), (31, 29))
    with np.errstate(all="raise", under="ignore"):
        canvas = paint_floor(view, FLOOR)
    assert np.isfinite(canvas.light).all()
    assert canvas.light.min() > 0.1
    assert canvas.light.max() < 1


def test_developing_keeps_the_mean_and_the_order():
    canvas = blank(89, 97)
    ramp = np.linspace(0, 1, 97, dtype=np.float32)[:, None] * np.ones(89, np.float32)
    canvas = Canvas(np.stack([ramp, ramp * 0.5, ramp * 0.1]), canvas.floor, canvas.depth)
    picture = develop(canvas)
    wanted = 255 * np.sqrt(np.stack([ramp, ramp * 0.5, ramp * 0.1], axis=-1))
    assert np.abs(picture - wanted).max() <= 1
    # Grain spreads the rounding: rows keep their mean far better than half a step.
    inner = slice(1, -1)
    assert np.abs((picture.mean(axis=1) - wanted.mean(axis=1))[inner]).max() < 0.08


def test_developing_holds_what_is_brighter_than_white_or_darker_than_black():
    canvas = blank(3, 2)
    canvas.light[:] = np.array([-1.0, 0.5, 7.0], np.float32)
    picture = develop(canvas)
    assert (picture[:, 0] <= 1).all()
    assert (picture[:, 2] == 255).all()
