"""Ranges of yaw and pitch end where a point reaches the edge of its area, by projection."""

from dataclasses import replace

import numpy as np
import pytest

from aesop.director.hand import (
    HEAD_EDGE,
    HIPS_EDGE,
    SIDE_EDGE,
    Angles,
    Sights,
    angles_of,
    safe_turns,
    turned,
    turns_of,
)
from aesop.fables.cinematographer.shot_setup import camera_axes
from tests.tolerances import GEOMETRY64

FRAMES = 211
TAN_HALF = np.array([0.55, 0.31])


def looking(dice: np.random.Generator, tilt: float = 0.5) -> Sights:
    """Somebody five to nine metres away, in any direction; the camera looks anywhere."""
    away, bearing = dice.uniform(5, 9, FRAMES), dice.uniform(-np.pi, np.pi, FRAMES)
    foot = np.stack([away * np.cos(bearing), away * np.sin(bearing), 0 * away - 1.3], axis=-1)
    up = np.array([0.0, 0.0, 1.0])
    return Sights(
        turns=camera_axes(
            dice.uniform(-np.pi, np.pi, FRAMES), dice.uniform(-tilt, tilt, FRAMES)
        ),
        tan_half=np.tile(TAN_HALF, (FRAMES, 1)),
        head=foot + 1.5 * up,
        crown=foot + 1.7 * up,
        hips=foot + 0.9 * up,
    )  # fmt: skip


def in_picture(sights: Sights, yaw: np.ndarray, pitch: np.ndarray, line: np.ndarray) -> np.ndarray:
    """Half pictures to the right and down; behind the camera, infinitely far."""
    x = np.einsum("fij,fi->fj", turned(sights.turns, yaw, pitch), line)
    return np.where(x[:, 2:] > 0, x[:, :2] / x[:, 2:] / TAN_HALF, np.inf)


def test_angles_and_turns_are_inverse_even_straight_down():
    dice = np.random.default_rng(3)
    angles = Angles(
        pan=np.cumsum(dice.uniform(-1, 1, FRAMES)),
        tilt=np.linspace(-np.pi / 2, np.pi / 2, FRAMES),
        roll=dice.uniform(-1, 1, FRAMES),
    )
    again = angles_of(turns_of(angles))
    for name in ("tilt", "roll"):
        np.testing.assert_allclose(getattr(again, name), getattr(angles, name), atol=GEOMETRY64)
    np.testing.assert_allclose(np.diff(again.pan), np.diff(angles.pan), atol=GEOMETRY64)
    level = camera_axes(angles.pan, angles.tilt)
    np.testing.assert_allclose(
        turns_of(replace(angles, roll=0 * angles.roll)), level, atol=GEOMETRY64
    )


def test_yaw_and_pitch_add_to_pan_and_tilt_and_leave_roll_alone():
    dice = np.random.default_rng(5)
    pan, tilt, roll, yaw, pitch = dice.uniform(-0.6, 0.6, (5, FRAMES))
    before = Angles(pan, tilt, roll)
    after = angles_of(turned(turns_of(before), yaw, pitch))
    np.testing.assert_allclose(after.pan, pan + yaw, atol=GEOMETRY64)
    np.testing.assert_allclose(after.tilt, tilt + pitch, atol=GEOMETRY64)
    np.testing.assert_allclose(after.roll, roll, atol=GEOMETRY64)
    assert (turned(turns_of(before), 0 * yaw, 0 * pitch) == turns_of(before)).all()


@pytest.mark.parametrize("seed", [0, 1])
def test_ranges_end_at_the_edges(seed: int):
    sights = looking(np.random.default_rng(seed))
    none = np.zeros(FRAMES)
    yaws, pitches = safe_turns(sights, none, none)
    yaw, pitch = yaws.nearest(none), pitches.nearest(none)
    for line, edge in ((sights.head, HEAD_EDGE), (sights.hips, HIPS_EDGE)):
        place = np.abs(in_picture(sights, yaw, pitch, line))
        # Each range is exact for the other's angle of the round before: not to the last bit.
        assert (place[:, 0] <= SIDE_EDGE + 0.02).all() and (place[:, 1] <= edge + 0.02).all()
    for end, sign in ((yaws.low, -1), (yaws.high, 1)):
        aside = np.stack(
            [in_picture(sights, end, pitch, it)[:, 0] for it in (sights.head, sights.hips)]
        )
        # As above: exact for the pitch of the round before.
        np.testing.assert_allclose((sign * aside).max(0), SIDE_EDGE, atol=0.02)


def test_whoever_is_inside_needs_no_turn():
    dice = np.random.default_rng(8)
    sights = looking(dice)
    aim = np.arctan2(sights.head[:, 1], sights.head[:, 0])
    sights = replace(
        sights, turns=camera_axes(aim + dice.uniform(-0.2, 0.2, FRAMES), 0 * aim - 0.05)
    )
    none = np.zeros(FRAMES)
    for allowed in safe_turns(sights, none, none):
        assert (allowed.nearest(none) == 0).all()


def test_close_pictures_look_at_the_head_and_wide_ones_at_both():
    """From 0.9 m the head and the hips do not fit: the hips yield."""
    sights = looking(np.random.default_rng(9))
    away = np.linalg.norm(sights.hips[:, :2], axis=-1, keepdims=True)
    near = {
        name: getattr(sights, name) * np.concatenate([0.9 / away, 0.9 / away, 1 + 0 * away], -1)
        for name in ("head", "crown", "hips")
    }
    close = replace(sights, **near)
    none = np.zeros(FRAMES)
    yaws, pitches = safe_turns(close, none, none)
    yaw, pitch = yaws.nearest(none), pitches.nearest(none)
    assert (np.abs(in_picture(close, yaw, pitch, close.head)) < HEAD_EDGE).all()
    assert (np.abs(in_picture(close, yaw, pitch, close.hips)[:, 1]) > 1).all()
