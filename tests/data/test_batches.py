"""Batches: every clip once, alike in length, padded with zeros, the same for the same seed."""

from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.data.batches import batches_by_length, collate, draw_captions, epoch_batches
from aesop.data.store import Store
from tests.data.makers import toy_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    path: Path = tmp_path_factory.mktemp("stores") / "toy"
    return toy_store(path)


@pytest.mark.parametrize(("clips", "size"), [(1009, 7), (7, 11), (1, 1), (640, 10), (0, 3)])
def test_every_clip_appears_once(clips: int, size: int):
    lengths = np.random.default_rng(1).integers(9, 252, clips)
    batches = batches_by_length(lengths, size, seed=5, epoch=2)
    assert sorted(np.concatenate([np.empty(0, np.int64), *batches]).tolist()) == list(range(clips))
    sizes = sorted(len(batch) for batch in batches)
    assert all(it == size for it in sizes[1:]) and len(batches) == -(-clips // size)


def test_seed_and_epoch_decide_everything():
    lengths = np.random.default_rng(1).integers(9, 252, 503)

    def order(seed: int, epoch: int) -> list[int]:
        batches = batches_by_length(lengths, 11, seed=seed, epoch=epoch)
        return np.concatenate(batches).tolist()

    assert order(3, 1) == order(3, 1)
    assert len({tuple(order(seed, epoch)) for seed in (3, 4) for epoch in (1, 2)}) == 4


def test_neighbours_are_alike_in_length_but_change_between_epochs():
    lengths = np.random.default_rng(1).integers(9, 252, 20011)

    def padding(batches: list[np.ndarray]) -> float:
        padded = sum(lengths[batch].max() * len(batch) for batch in batches)
        return 1 - lengths.sum() / padded

    epochs = [batches_by_length(lengths, 31, seed=0, epoch=epoch) for epoch in (0, 1)]
    assert padding(epochs[0]) < 0.02 < 0.4 < padding(np.array_split(np.arange(20011), 645))
    met = [{tuple(sorted(batch[:2].tolist())) for batch in epoch} for epoch in epochs]
    assert len(met[0] & met[1]) < 5
    # Lengths come in no order: long and short batches alternate.
    longest = np.array([lengths[batch].max() for batch in epochs[0]], float)
    assert abs(np.corrcoef(longest[:-1], longest[1:])[0, 1]) < 0.1


def test_collated_clips_are_the_stored_ones_and_the_rest_is_zero(store: Store):
    rows = np.array([41, 3, 17, 58, 2])
    batch = collate(store, rows, draw_captions(store, seed=1, epoch=0))
    longest = max(store.shot(int(row)).frames for row in rows)
    assert batch.human.shape == (5, longest, 199) and batch.camera.shape == (5, longest, 14)
    for i, row in enumerate(rows.tolist()):
        stored = store.shot(row)
        frames = stored.frames
        assert batch.rows[i] == row and batch.lengths[i] == frames
        assert torch.equal(batch.human[i, :frames], stored.human_features)
        assert torch.equal(batch.camera[i, :frames], stored.camera_features)
        assert batch.mask[i].tolist() == [True] * frames + [False] * (longest - frames)
    assert len(set(batch.lengths.tolist())) > 2
    assert not batch.human[~batch.mask].any() and not batch.camera[~batch.mask].any()


def test_a_batch_may_be_changed_without_touching_the_store(store: Store):
    rows = np.arange(5)
    captions = draw_captions(store, seed=1, epoch=0)
    collate(store, rows, captions).human.fill_(9.0)
    assert not (collate(store, rows, captions).human == 9.0).any()


def test_captions_are_drawn_evenly_among_a_clips_own(store: Store):
    seen: dict[int, list[int]] = {}
    for epoch in range(300):
        draw = draw_captions(store, seed=2, epoch=epoch)
        for row in (2, 50):
            seen.setdefault(row, []).append(int(draw.camera[row]))
    for row, drawn in seen.items():
        captions = store.shot(row).camera_captions
        texts = [store.shots.text("captions", number) for number in drawn]
        shares = [texts.count(caption) / len(texts) for caption in captions]
        assert set(texts) == set(captions) and len(captions) == 3
        assert max(shares) < 0.45 and min(shares) > 0.22
    draw = draw_captions(store, seed=2, epoch=0)
    for row in range(len(store)):
        captions = store.shot(row).human_captions
        number = int(draw.human[row])
        assert (number == -1) == (captions == ())
        assert number == -1 or store.humans.text("captions", number) in captions
    assert (draw.human == -1).any()


def test_shots_of_one_window_draw_their_human_captions_apart(store: Store):
    draw = draw_captions(store, seed=2, epoch=0)
    shared = [set(draw.human[store.human_rows == row].tolist()) for row in range(store.humans.rows)]
    assert any(len(numbers) > 1 for numbers in shared)


def test_an_epoch_is_the_split_once_whatever_the_batch_size(store: Store):
    rows = store.split("train")
    choices = []
    for size in (4, 13):
        batches = list(epoch_batches(store, rows, size, seed=3, epoch=1))
        met = torch.cat([batch.rows for batch in batches])
        captions = torch.cat([batch.camera_caption for batch in batches])
        assert sorted(met.tolist()) == rows.tolist()
        choices.append(captions[met.argsort()])
    assert torch.equal(*choices)
