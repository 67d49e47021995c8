"""Which clips meet when: epochs are complete, pools are sorted, every step is reachable alone."""

import numpy as np
import pytest

from aesop.training.batch_order import Order, Shuffled, bucket, dice_for, seed_for

LENGTHS = np.random.default_rng(5).integers(9, 301, 101)


def test_every_epoch_shows_every_item_once():
    row = Shuffled(13, seed=3)
    first, second = row.take(0, 13), row.take(13, 13)
    assert sorted(first) == sorted(second) == list(range(13))
    assert list(first) != list(second)


def test_a_stretch_is_the_same_however_it_is_asked_for():
    row = Shuffled(7, seed=3)
    whole = row.take(0, 40)
    pieces = [Shuffled(7, seed=3).take(first, 5) for first in range(0, 40, 5)]
    assert whole.tolist() == np.concatenate(pieces).tolist()
    assert row.take(11, 0).tolist() == []


def test_streams_and_seeds_are_independent():
    assert Shuffled(50, 1).take(0, 50).tolist() != Shuffled(50, 2).take(0, 50).tolist()
    assert Shuffled(50, 1).take(0, 50).tolist() != Shuffled(50, 1, stream=1).take(0, 50).tolist()
    assert seed_for(1, 2, 3) != seed_for(1, 3, 2)
    assert dice_for(1, 2).random() == dice_for(1, 2).random()


@pytest.mark.parametrize("pool", [1, 3])
def test_steps_can_be_asked_in_any_order(pool: int):
    order = Order(LENGTHS, 5, seed=2, pool_batches=pool)
    forward = [order.rows(step).rows.tolist() for step in range(30)]
    backward = [Order(LENGTHS, 5, 2, pool).rows(step).rows.tolist() for step in range(29, -1, -1)]
    assert forward == backward[::-1]


@pytest.mark.parametrize("pool", [1, 4])
def test_an_epoch_of_steps_shows_every_clip_once(pool: int):
    order = Order(LENGTHS[:60], 5, seed=2, pool_batches=pool)
    shown = np.concatenate([order.rows(step).rows for step in range(12)])
    assert sorted(shown) == list(range(60))


def test_pools_put_like_lengths_together():
    sorted_order, plain = Order(LENGTHS, 5, 2, pool_batches=20), Order(LENGTHS, 5, 2)

    def spread(order: Order) -> float:
        return float(np.mean([np.ptp(LENGTHS[order.rows(step).rows]) for step in range(20)]))

    assert spread(sorted_order) < 0.2 * spread(plain)


def test_a_pool_weighs_every_frame_alike():
    """Batch sums over the pool's mean count add up to the mean over all frames of the pool."""
    order = Order(LENGTHS, 5, 2, pool_batches=4)
    rows = [order.rows(step) for step in range(4)]
    frames = [LENGTHS[it.rows].sum() for it in rows]
    assert all(it.mean_frames == pytest.approx(np.mean(frames)) for it in rows)
    tokens = [np.ceil(LENGTHS[it.rows] / 4).sum() for it in rows]
    assert rows[0].mean_tokens == pytest.approx(np.mean(tokens))
    transitions = [(LENGTHS[it.rows] - 1).sum() for it in rows]
    assert rows[0].mean_transitions == pytest.approx(np.mean(transitions))


def test_a_pool_of_one_divides_by_its_own_counts():
    rows = Order(LENGTHS, 5, 2).rows(3)
    assert rows.mean_frames == LENGTHS[rows.rows].sum()


def test_padding_goes_to_the_next_bucket():
    assert bucket(60, (60, 100, 300), 4) == 60
    assert bucket(61, (60, 100, 300), 4) == 100
    assert bucket(303, (60, 100, 300), 4) == 304
    assert bucket(61, (), 4) == 64
    order = Order(LENGTHS, 5, 2, 4, (100, 200, 300))
    for step in range(8):
        rows = order.rows(step)
        assert rows.frames in (100, 200, 300) and rows.frames >= LENGTHS[rows.rows].max()
