"""Noise belongs to its request."""

import itertools

import torch

from aesop.flow.path import noise_for, noise_for_batch
from tests.tolerances import rounded32

TOKENS, WIDTH = 7, 5


def mask_of(lengths: list[int], tokens: int) -> torch.Tensor:
    return torch.arange(tokens) < torch.tensor(lengths)[:, None]


def test_batch_size_order_and_padding_do_not_matter():
    together = noise_for_batch(3, [2, 11, 5], mask_of([7, 3, 5], 7), WIDTH, stream="human")
    reordered = noise_for_batch(3, [5, 2], mask_of([5, 7], 13), WIDTH, stream="human")
    assert torch.equal(together[2, :5], reordered[0, :5])
    assert torch.equal(together[0], reordered[1, :7])
    assert torch.equal(together[1, :3], noise_for(3, 11, (3, WIDTH), stream="human"))
    assert not together[1, 3:].any() and not reordered[:, 7:].any()


def test_requests_and_streams_are_independent():
    streams = [
        noise_for(seed, index, (TOKENS, WIDTH), stream=stream)
        for seed in (0, 1, 2**32, 2**32 + 1)
        for index in (0, 1)
        for stream in ("human", "camera")
    ]
    for first, second in itertools.combinations(streams, 2):
        assert not torch.equal(first, second)
    rows = torch.stack([
        noise_for(5, index, (1009,), stream=stream)
        for index in range(3)
        for stream in ("human", "camera")
    ])  # fmt: skip
    # Correlations of 1009 independent numbers stay within about four standard errors, 1/√1009.
    assert (rows.corrcoef() - torch.eye(len(rows))).abs().max() < 4 / 1009**0.5


def test_noise_is_standard_normal():
    noise = noise_for(1, 0, (100_003,), stream="camera")
    moments = torch.stack([noise.mean(), noise.square().mean(), noise.pow(4).mean()])
    # The fourth moment has the largest standard error: √(96 / 100,003) = 0.031.
    torch.testing.assert_close(moments, torch.tensor([0.0, 1.0, 3.0]), atol=0.1, rtol=0)


def test_noise_never_changes_between_releases():
    """Shots are remade from their seeds: these numbers are a promise."""
    found = noise_for(7, 3, (2, 2), stream="camera")
    known = torch.tensor([[0.0444900, 0.2181432], [-1.5852071, 0.7443034]])
    torch.testing.assert_close(found, known, atol=rounded32(16, 2.0), rtol=0)
