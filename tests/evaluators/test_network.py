"""Encoders: what lies beyond a sequence's end cannot reach its embedding."""

import math

import numpy as np
import pytest
import torch

from aesop.evaluators.evaluator import (
    EncoderShape,
    SequenceDecoder,
    SequenceEncoder,
    embed_batch,
    position_waves,
)
from tests.tolerances import network32, rounded32

# Two layers, the widest of 31; what they say is not normed.
ROUNDING = network32(2, 31, 2.0)


@pytest.fixture(params=[1, 4], ids=["frames", "patches"])
def encoder(request: pytest.FixtureRequest, dice: torch.Generator) -> SequenceEncoder:
    torch.manual_seed(3)
    return SequenceEncoder(EncoderShape(5, 22, 2, 2, 31, patch=request.param)).eval()


def test_padding_cannot_reach_a_latent(encoder: SequenceEncoder, dice: torch.Generator):
    for frames in (7, 8, 11):
        clip = torch.randn(1, frames, 5, generator=dice)
        alone = encoder(clip, torch.ones(1, frames, dtype=torch.bool))
        padded = torch.full((3, 23, 5), torch.nan)
        padded[0, :frames] = clip[0]
        padded[1:] = 1.0
        mask = torch.arange(23) < torch.tensor([[frames], [23], [5]])
        together = encoder(padded, mask)
        torch.testing.assert_close(together.mean[0], alone.mean[0], rtol=0, atol=ROUNDING)
        torch.testing.assert_close(
            together.log_variance[0], alone.log_variance[0], rtol=0, atol=ROUNDING
        )


def test_order_and_every_frame_matter(encoder: SequenceEncoder, dice: torch.Generator):
    clip = torch.randn(1, 11, 5, generator=dice)
    mask = torch.ones(1, 11, dtype=torch.bool)
    mean = encoder(clip, mask).mean
    assert (encoder(clip.flip(1), mask).mean - mean).abs().max() > 1e-3
    for frame in range(11):
        other = clip.clone()
        other[0, frame] += 0.5
        assert (encoder(other, mask).mean - mean).abs().max() > ROUNDING, frame


def test_waves_are_the_published_ones():
    waves = position_waves(13, 6, torch.zeros(1))
    for place in range(13):
        for pair in range(3):
            angle = place / 10_000 ** (2 * pair / 6)
            assert float(waves[place, 2 * pair]) == pytest.approx(
                math.sin(angle), abs=rounded32(8, 12.0)
            )
            assert float(waves[place, 2 * pair + 1]) == pytest.approx(
                math.cos(angle), abs=rounded32(8, 12.0)
            )


def test_embedding_in_batches_changes_nothing(encoder: SequenceEncoder, dice: torch.Generator):
    clips = [torch.randn(frames, 5, generator=dice) for frames in (3, 17, 8)]
    together = embed_batch(encoder, clips)
    for row, clip in enumerate(clips):
        np.testing.assert_allclose(together[row], embed_batch(encoder, [clip])[0], atol=ROUNDING)


def test_the_decoder_answers_with_as_many_frames_as_are_asked(dice: torch.Generator):
    decoder = SequenceDecoder(EncoderShape(5, 22, 2, 2, 31, patch=4), 1).eval()
    mask = torch.arange(11) < torch.tensor([[11], [7]])
    assert decoder(torch.randn(2, 22, generator=dice), mask).shape == (2, 11, 5)
