"""Ray casting against closed forms and brute force."""

import numpy as np
import pytest
import torch
from jaxtyping import Float

from aesop.preview.canvas import View
from aesop.preview.ray_casting import (
    FARTHEST,
    NEAR_M,
    Solids,
    VisibleSolids,
    balls,
    cast,
    cast_samples,
    ellipsoids,
    empty_buffer,
    join,
    limb_sides,
    see,
    select,
    split_buffer,
)
from aesop.preview.stage import filming_of, lens_view
from aesop.scene.camera import project
from tests.preview.makers import pushing_shot, random_view, rays_of
from tests.tolerances import rounded32

# Rays of some metres in single precision, met at a slant: a root doubles the digits that are lost
# where a surface is seen along itself, down to a fiftieth of its size.
SURFACE = rounded32(20, 5.0) / 0.02


def grey(count: int) -> Float[np.ndarray, "count 3"]:
    return np.full((count, 3), 0.5)


def drawn(solids: Solids, view: View) -> tuple[VisibleSolids, np.ndarray, np.ndarray]:
    """Depth and owner of every pixel; depth is infinite where nothing is."""
    seen = see(solids, view)
    buffer = empty_buffer(seen, np.full((view.height, view.width), FARTHEST, np.float32))
    cast(seen, buffer, (0, 0))
    depth, owner = split_buffer(seen, buffer)
    return seen, np.where(owner == seen.nobody, np.inf, depth), owner


def random_limb(dice: np.random.Generator) -> tuple[Solids, np.ndarray, np.ndarray, np.ndarray]:
    ends = np.array([0.0, 0.0, 1.0]) + dice.normal(size=(2, 3)) * 0.4
    radii = dice.uniform(0.1, 0.3, size=2)
    turn, _ = np.linalg.qr(dice.normal(size=(3, 3)))
    shape = turn * dice.uniform(0.6, 1.3, size=3)
    whole = join(
        [
            limb_sides(ends[None], radii[None], shape[None], grey(1)),
            ellipsoids(ends, radii[:, None, None] * shape, grey(2)),
        ]
    )
    return whole, ends, radii, shape


def distance_to_swept_balls(
    points: Float[np.ndarray, "*shape 3"], ends: np.ndarray, radii: np.ndarray, shape: np.ndarray
) -> Float[np.ndarray, "*shape"]:
    """Distance to the nearest of many balls along the limb, in the space where balls are round."""
    local = (points[..., None, :] - ends[0]) @ np.linalg.inv(shape).T
    along = np.linspace(0, 1, 201)
    centres = along[:, None] * (np.linalg.inv(shape) @ (ends[1] - ends[0]))
    sizes = radii[0] + along * (radii[1] - radii[0])
    return (np.linalg.norm(local - centres, axis=-1) - sizes).min(axis=-1)


@pytest.mark.parametrize("seed", range(7))
def test_limbs_are_what_balls_sweep(seed: int):
    dice = np.random.default_rng(seed)
    solids, *limb = random_limb(dice)
    view = random_view(dice)
    _, depth, _ = drawn(solids, view)
    rays = rays_of(view)
    hit = np.isfinite(depth)
    assert 30 < hit.sum() < 0.5 * hit.size
    surface = view.centre + rays[hit] * depth[hit, None]
    assert np.abs(distance_to_swept_balls(surface, *limb)).max() < SURFACE
    # Nothing was met before the surface, and rays that miss stay outside all the way.
    steps = np.linspace(2.0, 6.5, 61)
    for points, last in ((rays[hit][::13], depth[hit][::13]), (rays[~hit][::29], np.inf)):
        way = view.centre + points[:, None] * steps[:, None]
        outside = distance_to_swept_balls(way, *limb) > -1e-3
        assert (outside | (steps >= np.reshape(last, (-1, 1)) - 1e-3)).all()


@pytest.mark.parametrize("seed", range(5))
def test_ball_depth_is_the_nearer_root(seed: int):
    dice = np.random.default_rng(seed)
    view = random_view(dice)
    centre, radius = np.array([0.05, -0.1, 1.1]), 0.43
    _, depth, _ = drawn(balls(centre[None], np.array([radius]), grey(1)), view)
    rays = rays_of(view)
    offset = view.centre - centre
    half, square = rays @ offset, (rays**2).sum(-1)
    discriminant = half**2 - square * (offset @ offset - radius**2)
    with np.errstate(invalid="ignore"):
        closed = (-half - np.sqrt(discriminant)) / square
    closed = np.where(discriminant > 0, closed, np.inf)
    rim = np.abs(discriminant) < 1e-3  # single precision may decide either way there
    # The lowest mantissa bits carry the owner: two bits of 24 for one solid.
    np.testing.assert_allclose(depth[~rim], closed[~rim], rtol=4 * rounded32(20))


def test_normals_point_out_of_the_surface():
    dice = np.random.default_rng(3)
    view = random_view(dice)
    axes = np.diag([0.5, 0.3, 0.4])
    seen, depth, owner = drawn(ellipsoids(np.array([[0.0, 0.0, 1.0]]), axes[None], grey(1)), view)
    rows, columns = np.nonzero(owner == 0)
    x, y, t = view.columns[columns], view.rows[rows], depth[rows, columns]
    m = seen.normal[:, :, 0]
    found = view.world_from_camera @ (t * (m[:, :1] * x + m[:, 1:2] * y + m[:, 2:3]) + m[:, 3:])
    place = view.centre + rays_of(view)[rows, columns] * t[:, None]
    true = ((place - (0.0, 0.0, 1.0)) / np.diag(axes) ** 2).T
    found, true = (v / np.linalg.norm(v, axis=0) for v in (found, true))
    np.testing.assert_allclose(found, true, atol=SURFACE)


@pytest.mark.parametrize("frame", [0, 5, 11])
def test_joints_land_where_the_lens_projects_them(frame: int):
    """The middle of each joint's ball is the pixel that `framing.project` names."""
    shot = pushing_shot()
    width, height = 661, 421
    view = lens_view(filming_of(shot.camera, shot.clip.motion.root.numpy()), frame, width, height)
    ndc = shot.projection.ndc[frame].numpy()
    joints = shot.clip.motion.joints[frame].numpy()
    for joint in range(22):
        _, _, owner = drawn(balls(joints[joint][None], np.array([0.04]), grey(1)), view)
        rows, columns = np.nonzero(owner == 0)
        column = (ndc[joint, 0] + 1) / 2 * width - 0.5
        row = (1 - ndc[joint, 1]) / 2 * height - 0.5
        assert len(rows) > 90
        # A disc of some hundred pixels has its middle known to about a tenth of one.
        assert np.hypot(columns.mean() - column, rows.mean() - row) < 0.3


def test_the_lens_may_roll_and_zoom():
    shot = pushing_shot()
    camera = shot.camera
    angle = torch.tensor(0.6, dtype=torch.float64)
    roll = torch.eye(3, dtype=torch.float64)
    roll[:2, :2] = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()]).view(2, 2)
    turned = camera.world_from_camera[5] @ roll
    view = View(turned.numpy(), camera.centre[5].numpy(), 0.5, 0.2, 307, 127)
    joint = shot.clip.motion.joints[5, 15]
    _, _, owner = drawn(balls(joint.numpy()[None], np.array([0.05]), grey(1)), view)
    rows, columns = np.nonzero(owner == 0)
    where = project(joint[None], turned, camera.centre[5], torch.tensor([0.5, 0.2]).double())
    x, y = where.ndc[0].tolist()
    assert abs(columns.mean() - ((x + 1) / 2 * 307 - 0.5)) < 0.2
    assert abs(rows.mean() - ((1 - y) / 2 * 127 - 0.5)) < 0.2


def test_order_of_solids_does_not_matter():
    dice = np.random.default_rng(11)
    solids = join([random_limb(dice)[0] for _ in range(7)])
    view = random_view(dice)
    order = dice.permutation(len(solids.glow))
    shuffled = join([select(solids, np.arange(len(solids.glow)) == n) for n in order])
    _, depth, owner = drawn(solids, view)
    _, other_depth, other_owner = drawn(shuffled, view)
    # Depths are cut to the bits that owners leave.
    np.testing.assert_allclose(depth, other_depth, rtol=rounded32(2**6))
    owned = np.isfinite(depth)
    apart = order[other_owner[owned]] != owner[owned]
    assert apart.mean() < 0.01  # only where a side meets its ball


def test_boxes_hold_all_that_is_seen():
    dice = np.random.default_rng(5)
    for _ in range(11):
        solids, *_ = random_limb(dice)
        view = random_view(dice, (83, 71))
        seen, depth, _ = drawn(solids, view)
        whole = np.array([[0, view.height, 0, view.width]] * len(seen.box))
        wide = VisibleSolids(
            whole, seen.middle, seen.polynomials, seen.is_clipped, seen.is_near, seen.normal,
            seen.colour, seen.glow,
        )  # fmt: skip
        buffer = empty_buffer(wide, np.full((view.height, view.width), FARTHEST, np.float32))
        cast(wide, buffer, (0, 0))
        found, owner = split_buffer(wide, buffer)
        np.testing.assert_array_equal(np.where(owner == wide.nobody, np.inf, found), depth)


def test_samples_in_pixel_middles_see_what_pixels_see():
    dice = np.random.default_rng(17)
    solids = join([random_limb(dice)[0] for _ in range(5)])
    view = random_view(dice)
    seen, depth, _ = drawn(solids, view)
    pixels = np.stack(np.nonzero(np.ones((view.height, view.width)))).astype(np.int32)
    places = pixels[::-1, None].astype(np.float32) + np.float32(0.5)
    buffer = empty_buffer(seen, np.full((1, pixels.shape[1]), FARTHEST, np.float32))
    cast_samples(seen, buffer, places, pixels)
    found, owner = split_buffer(seen, buffer)
    found = np.where(owner == seen.nobody, np.inf, found).reshape(view.height, view.width)
    differs = ~np.isclose(found, depth, rtol=rounded32(100))
    assert differs.mean() < 2e-3  # rounding at the very outline


def test_a_camera_inside_a_solid_looks_through_it():
    view = random_view(np.random.default_rng(2))
    around = balls(view.centre[None], np.array([0.7]), grey(1))
    beyond = balls(np.array([[0.0, 0.0, 1.0]]), np.array([0.4]), grey(1))
    _, depth, owner = drawn(join([around, beyond]), view)
    assert set(np.unique(owner[np.isfinite(depth)])) == {1}


def test_what_is_nearer_than_the_lens_or_behind_it_is_not_drawn():
    view = random_view(np.random.default_rng(2))
    forward = view.world_from_camera[:, 2]
    for distance in (0.9 * NEAR_M + 0.001, -1.0, -100.0):
        solids = balls((view.centre + distance * forward)[None], np.array([0.001]), grey(1))
        _, depth, _ = drawn(solids, view) if see(solids, view).box.size else (0, np.inf, 0)
        assert np.isinf(depth).all()


def test_far_away_things_keep_their_place():
    """A kilometre off, single precision alone would scatter the outline."""
    centre = np.array([1000.0, 0.0, 1.0])
    view = View(
        np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]),
        np.array([0.0, 0.0, 1.5]),
        1e-3, 1e-3, 101, 103,
    )  # fmt: skip
    _, depth, owner = drawn(balls(centre[None], np.array([0.3]), grey(1)), view)
    rows, columns = np.nonzero(owner == 0)
    assert abs(len(rows) - np.pi * (0.15 * 101) * (0.15 * 103)) < 12
    assert abs(columns.mean() - 50) < 0.1
    assert abs(rows.mean() - (51 + 0.25 * 103)) < 0.15
    assert np.abs(depth[owner == 0] - 1000).max() < 0.31


def test_swallowed_ends_leave_no_side():
    ends = np.array([[[0.0, 0.0, 1.0], [0.0, 0.0, 1.05]], [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]])
    radii = np.array([[0.3, 0.1], [0.2, 0.2]])
    shape = np.stack([np.eye(3), np.eye(3)])
    sides = limb_sides(ends, radii, shape, grey(2))
    assert len(sides.glow) <= 1
    assert np.isfinite(sides.quadric).all()
