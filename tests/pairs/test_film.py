"""Batches of shots say the same as shots one by one, and features the same as ways."""

from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.data.store import Store, open_store
from aesop.features.camera_features import camera_from_features, centre_from_features
from aesop.features.columns import CAMERA
from aesop.features.human_features import human_from_features
from aesop.pairs.shot_arrays import (
    aimed,
    blind_frames,
    features_of_way,
    film_of,
    in_batches,
    read_stock,
    severe_frames,
    sight,
    visible_share,
)
from aesop.scene.camera import boxes, project_joints
from tests.tolerances import GEOMETRY32, GEOMETRY64, SOLVED64


@pytest.fixture(scope="module")
def store(mini_store: Path) -> Store:
    return open_store(mini_store)


def test_a_batch_shows_what_single_shots_show(store: Store):
    rows = np.array([3, 17, 41, 5])
    film = film_of(read_stock(store, rows))
    turned = aimed(film, film.cameras)
    views = sight(film, film.cameras, turned)
    visible = views.visible
    box = views.boxes
    shares = visible_share(visible, film), blind_frames(visible, film), severe_frames(visible, film)
    for at, row in enumerate(rows.tolist()):
        stored = store.shot(row)
        motion = human_from_features(stored.human_features.double())
        camera = camera_from_features(stored.camera_features.double(), motion.root[0])
        frames = stored.frames
        assert np.abs(film.cameras.centre[at, :frames] - camera.centre.numpy()).max() < GEOMETRY64
        joints = film.root[at, :frames, :, None] + film.around[at, :frames]
        assert np.abs(np.swapaxes(joints, -1, -2) - motion.joints.numpy()).max() < GEOMETRY64
        assert (
            np.abs(film.cameras.tan_half_fov[at, :frames] - camera.tan_half_fov.numpy()).max()
            < GEOMETRY64
        )
        projection = project_joints(camera, motion.joints)
        wanted = projection.visible.numpy()
        assert np.array_equal(visible[at, :frames], wanted)
        around = boxes(projection)
        assert torch.allclose(box.low[at, :frames], around.low, atol=SOLVED64, equal_nan=True)
        assert torch.allclose(box.high[at, :frames], around.high, atol=SOLVED64, equal_nan=True)
        assert shares[0][at] == pytest.approx(wanted.mean(), abs=GEOMETRY64)
        assert shares[1][at] == pytest.approx((~wanted.any(1)).mean(), abs=GEOMETRY64)
        assert shares[2][at] == pytest.approx((wanted.sum(1) < 11).mean(), abs=GEOMETRY64)


def test_features_of_a_way_decode_back_to_it_and_keep_aim_and_lens(store: Store):
    stock = read_stock(store, np.array([7]))
    film = film_of(stock)
    dice = np.random.default_rng(0)
    centre = film.cameras.centre[0] + np.cumsum(dice.standard_normal((film.frames, 3)), 0) * 0.01
    centre[0] = film.cameras.centre[0, 0]
    features = features_of_way(stock.camera[0], film.root[0], centre)
    back = centre_from_features(
        torch.from_numpy(features).double(), torch.from_numpy(film.root[0, 0])
    )
    # Steps of centimetres in float32, a hundred of them.
    assert np.abs(back.numpy() - centre).max() < GEOMETRY32
    relative = features[:, CAMERA.span("from_root")]
    assert np.abs(relative - (centre - film.root[0])).max() < GEOMETRY32
    assert not features[0, CAMERA.span("velocity")].any()
    for block in ("fov_vertical", "fov_horizontal", "rotation"):
        span = CAMERA.span(block)
        assert features[:, span].tobytes() == stock.camera[0][:, span].tobytes()
    unchanged = features_of_way(stock.camera[0], film.root[0], film.cameras.centre[0])
    assert np.abs(unchanged - stock.camera[0]).max() < GEOMETRY32


def test_batches_hold_every_clip_once_and_pad_little():
    lengths = np.random.default_rng(0).integers(25, 300, 1_001)
    groups = in_batches(lengths, 4_096)
    assert sorted(np.concatenate(groups).tolist()) == list(range(1_001))
    padded = [len(group) * lengths[group].max() for group in groups]
    assert max(padded) <= 4_096 and sum(padded) < 1.05 * lengths.sum()
