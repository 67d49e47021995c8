"""Solids on a canvas: smooth outlines, honest depth, opacity."""

from copy import deepcopy

import numpy as np
import pytest

from aesop.preview.canvas import Canvas, View, looking
from aesop.preview.ground import Floor, paint_floor
from aesop.preview.painting import Brush, paint_solids, sample_offsets
from aesop.preview.ray_casting import FARTHEST, Solids, balls, join
from aesop.preview.stage import paint_glass
from tests.tolerances import rounded32

FLOOR = Floor(np.zeros(2), 11.0, 1.0)
LAMP = np.array([0.6, -0.3, 0.74])


def ball(x: float, y: float, z: float, radius: float, shade: float = 0.6) -> Solids:
    return balls(np.array([[x, y, z]]), np.array([radius]), np.full((1, 3), shade))


def front(size: tuple[int, int] = (97, 89)) -> View:
    return looking(np.array([0.0, -4.0, 1.2]), np.array([0.0, 0.0, 1.0]), (0.3, 0.275), size)


def flat(view: View, light: float) -> Canvas:
    shape = (view.height, view.width)
    return Canvas(
        np.full((3, *shape), light, np.float32),
        np.zeros(shape, np.float32),
        np.full(shape, FARTHEST, np.float32),
    )


def test_coverage_adds_up_to_the_area_of_the_outline():
    """White glowing ball on black: total light is the projected area, to a fraction of a pixel."""
    view = front()
    white = balls(np.array([[0.013, 0.0, 1.07]]), np.array([0.31]), np.ones((1, 3)), glow=1.0)
    errors = {}
    for samples in (5, 16):
        canvas = flat(view, 0.0)
        paint_solids(canvas, view, white, Brush(LAMP, edge_samples=samples))
        # Rim light comes on top of the glow near the outline; take coverage from the green floor.
        covered = np.minimum(canvas.light[0], 1)
        offset = np.array([0.013, 0.0, 1.07]) - view.centre
        distance = np.linalg.norm(offset)
        sine = 0.31 / distance
        axis = offset @ view.world_from_camera / distance
        # A ball's outline is an ellipse; its area in ray coordinates is known in closed form.
        area = np.pi * sine**2 * axis[2] / (axis[2] ** 2 - sine**2) ** 1.5
        pixels = area / (view.ray_step[0] * view.ray_step[1])
        errors[samples] = abs(float(covered.sum()) - pixels) / pixels
    assert errors[16] < 0.006
    assert errors[5] < 0.012


def test_outlines_are_smooth():
    """Many grey levels lie along an outline; without extra rays there would be two."""
    view = front()
    canvas = flat(view, 0.0)
    white = balls(np.array([[0.0, 0.0, 1.0]]), np.array([0.3]), np.ones((1, 3)), glow=1.0)
    paint_solids(canvas, view, white, Brush(LAMP, edge_samples=16))
    between = canvas.light[0][(canvas.light[0] > 0.03) & (canvas.light[0] < 0.97)]
    assert len(between) > 60
    assert len(np.unique((between * 16).round())) > 10


def test_drawing_large_and_shrinking_gives_the_same_picture():
    """Outlines against sky, floor and other solids are averages over the pixel."""
    solids = join([ball(0.1, -1.0, 1.2, 0.2, 0.9), ball(0.0, 0.0, 1.0, 0.3, 0.2),
                   ball(-0.3, 0.3, 0.0, 0.3, 0.3)])  # fmt: skip
    pictures = []
    for factor in (1, 8):
        view = looking(
            np.array([0.0, -4.0, 1.2]), np.array([0.0, 0.0, 0.8]), (0.3, 0.275),
            (61 * factor, 53 * factor),
        )  # fmt: skip
        canvas = paint_floor(view, FLOOR)
        paint_solids(canvas, view, solids, Brush(LAMP, edge_samples=16))
        shape = (3, 53, factor, 61, factor)
        pictures.append(canvas.light.reshape(shape).mean(axis=(2, 4)))
    error = np.abs(pictures[0] - pictures[1])
    assert error.mean() < 0.0025
    assert (error.max(axis=0) > 0.06).mean() < 0.003


def test_nearer_things_hide_farther_ones_whatever_comes_first():
    view = front()
    near, far = ball(0.1, -1.0, 1.0, 0.25, 0.9), ball(0.0, 0.0, 1.0, 0.3, 0.1)
    pictures = []
    for order in ((near, far), (far, near)):
        canvas = paint_floor(view, FLOOR)
        for solids in order:
            paint_solids(canvas, view, solids, Brush(LAMP))
        pictures.append(canvas.light)
    # Only pixels on outlines, mixed in another order, may differ.
    assert (np.abs(pictures[0] - pictures[1]).max(axis=0) > 0.02).mean() < 0.02


def test_the_floor_hides_what_lies_below_it():
    view = front()
    canvas = paint_floor(view, FLOOR)
    before = deepcopy(canvas)
    paint_solids(canvas, view, ball(0.0, 0.0, -0.5, 0.45), Brush(LAMP))
    np.testing.assert_array_equal(canvas.light, before.light)


@pytest.mark.parametrize("opacity", [0.2, 0.7])
def test_ghosts_mix_with_what_is_behind(opacity: float):
    view = front()
    solids = ball(0.0, 0.0, 1.0, 0.3)
    behind = paint_floor(view, FLOOR)
    solid, ghost = deepcopy(behind), deepcopy(behind)
    paint_solids(solid, view, solids, Brush(LAMP))
    paint_solids(ghost, view, solids, Brush(LAMP, opacity=opacity))
    mixed = behind.light + opacity * (solid.light - behind.light)
    np.testing.assert_allclose(ghost.light, mixed, atol=rounded32(64))
    np.testing.assert_array_equal(ghost.depth, behind.depth)


def test_lit_sides_are_brighter():
    view = front()
    canvas = flat(view, 0.0)
    lamp = np.array([-0.9, -0.1, 0.42])
    paint_solids(canvas, view, ball(0.0, 0.0, 1.0, 0.4), Brush(lamp))
    middle = view.width // 2
    assert canvas.light[:, :, :middle].sum() > 1.3 * canvas.light[:, :, middle + 1 :].sum()


def test_glass_tints_what_is_behind_it_only():
    view = front()
    canvas = paint_floor(view, FLOOR)
    paint_solids(canvas, view, ball(0.0, -1.0, 1.0, 0.2), Brush(LAMP))
    before = deepcopy(canvas)
    pane = np.array([[-1.5, 0.0, 0.2], [1.5, 0.0, 0.2], [0.0, 0.0, 2.5]])
    paint_glass(canvas, view, pane, np.array([0.0, 0.0, 1.0]), 0.5)
    is_ball = before.depth < 3.3
    assert (canvas.light[:, is_ball] == before.light[:, is_ball]).all()
    through = (canvas.light - before.light)[:, 50, 20]
    wanted = 0.5 * (np.array([0, 0, 1]) - before.light[:, 50, 20])
    np.testing.assert_allclose(through, wanted, atol=rounded32(64))


def test_glass_behind_the_view_or_outside_it_changes_nothing():
    view = front()
    canvas = paint_floor(view, FLOOR)
    before = deepcopy(canvas)
    for y, z in ((-9.0, 1.0), (0.0, 90.0), (-4.0, 1.2)):
        pane = np.array([[-1.0, y, z], [1.0, y, z], [0.0, y + 0.3, z + 1.0]])
        paint_glass(canvas, view, pane, np.array([0.0, 0.0, 1.0]), 0.5)
    np.testing.assert_array_equal(canvas.light, before.light)


@pytest.mark.parametrize("count", [5, 8, 16])
def test_rays_are_spread_over_the_pixel(count: int):
    offsets = sample_offsets(count)
    for axis in range(2):
        spread = np.sort(offsets[:, axis]) * count - 0.5
        np.testing.assert_allclose(spread, np.arange(count), atol=rounded32(64))
    gaps = np.linalg.norm(offsets[:, None] - offsets, axis=-1) + np.eye(count)
    assert gaps.min() > 0.7 / np.sqrt(count)
