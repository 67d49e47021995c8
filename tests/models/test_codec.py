"""Laws of the codecs: padding, lengths, reach, and the one-way street from human to camera."""

import pytest
import torch

from aesop.features.columns import Statistics
from aesop.models.codec import STRIDE, CodecShape, LatentMoments, token_mask
from tests.models.makers import CAMERA_LATENT, HUMAN_LATENT, camera_codec, human_codec, mask_of
from tests.tolerances import network32

LONGEST = 300
SMALLEST = CodecShape(199, latent=HUMAN_LATENT, width=7)
DEEP = CodecShape(199, latent=HUMAN_LATENT, width=7, res_blocks=4, down_kernel=8)


# A codec is a chain of about twenty filters, the widest of 11 channels and 8 frames; nothing is
# normed, so that what it says reaches four.
ROUNDING = network32(20 / 4, 8 * 11, 4.0)


@pytest.mark.parametrize(("shape", "stride"), [(DEEP, 1), (SMALLEST, 7)])
@torch.no_grad()
def test_padding_cannot_reach_real_frames_of_humans(
    shape: CodecShape, stride: int, dice: torch.Generator
):
    """Every length from 1 to 300: alone, and in a batch whose padding is NaN."""
    codec = human_codec(dice, shape)
    lengths = list(range(1, LONGEST + 1, stride))
    mask = mask_of(lengths)
    features = torch.randn(*mask.shape, 199, generator=dice)
    spoilt = features.masked_fill(~mask[..., None], torch.nan)
    latents = codec.encode(spoilt, mask)
    decoded = codec.decode(latents.masked_fill(~token_mask(mask)[..., None], torch.nan), mask)
    for row, length in enumerate(lengths):
        tokens = -(-length // STRIDE)
        alone = codec.encode(features[row : row + 1, :length], mask[row : row + 1, :length])
        assert alone.shape == (1, tokens, HUMAN_LATENT)
        torch.testing.assert_close(latents[row, :tokens], alone[0], atol=ROUNDING, rtol=0)
        assert not latents[row, tokens:].any()
        back = codec.decode(alone, mask[row : row + 1, :length])
        assert back.shape == (1, length, 199)
        torch.testing.assert_close(decoded[row, :length], back[0], atol=ROUNDING, rtol=0)
        assert not decoded[row, length:].any()


@torch.no_grad()
def test_padding_cannot_reach_real_frames_of_cameras(dice: torch.Generator):
    codec = camera_codec(dice)
    lengths = list(range(1, LONGEST + 1, 7))
    mask = mask_of(lengths)
    features = torch.randn(len(lengths), mask.shape[1], 14, generator=dice)
    human = torch.randn(len(lengths), -(-mask.shape[1] // STRIDE), HUMAN_LATENT, generator=dice)
    beyond = ~token_mask(mask)[..., None]
    latents = codec.to_latents(features.masked_fill(~mask[..., None], torch.nan), mask)
    decoded = codec.from_latents(
        latents.masked_fill(beyond, torch.nan), human.masked_fill(beyond, torch.nan), mask
    )
    for row, length in enumerate(lengths):
        tokens, own = -(-length // STRIDE), mask[row : row + 1, :length]
        alone = codec.to_latents(features[row : row + 1, :length], own)
        torch.testing.assert_close(latents[row, :tokens], alone[0], atol=ROUNDING, rtol=0)
        back = codec.from_latents(alone, human[row : row + 1, :tokens], own)
        torch.testing.assert_close(decoded[row, :length], back[0], atol=ROUNDING, rtol=0)
        assert not decoded[row, length:].any()


@torch.no_grad()
def test_neighbours_do_not_change_a_bit(dice: torch.Generator):
    codec = human_codec(dice)
    mask = mask_of([23, 17, 5])
    features = torch.randn(3, 23, 199, generator=dice)
    others = features.clone()
    others[[0, 2]] = torch.randn(2, 23, 199, generator=dice)
    latents, again = codec.to_latents(features, mask), codec.to_latents(others, mask)
    assert torch.equal(latents[1], again[1]) and not torch.equal(latents[0], again[0])
    decoded, again = codec.from_latents(latents, mask), codec.from_latents(again, mask)
    assert torch.equal(decoded[1], again[1]) and not torch.equal(decoded[0], again[0])


@pytest.mark.parametrize("shape", [SMALLEST, DEEP])
def test_every_frame_reaches_a_token(shape: CodecShape, dice: torch.Generator):
    codec = human_codec(dice, shape)
    for length in range(1, 18):
        features = torch.randn(1, length, 199, generator=dice, requires_grad=True)
        codec.encode(features, mask_of([length])).square().sum().backward()
        assert features.grad is not None
        assert bool((features.grad[0].abs().amax(-1) > 0).all()), f"a frame of {length} is unseen"


def test_tokens_know_the_future(dice: torch.Generator):
    """Noncausal: the first token reads frames after its own four."""
    codec = human_codec(dice, DEEP)
    features = torch.randn(1, 13, 199, generator=dice, requires_grad=True)
    codec.encode(features, mask_of([13]))[0, 0].sum().backward()
    assert features.grad is not None and bool(features.grad[0, STRIDE + 1].any())


def test_cameras_learn_from_humans_but_never_teach_them(dice: torch.Generator):
    humans, cameras = human_codec(dice), camera_codec(dice)
    mask = mask_of([23, 9])
    human = humans.encode(torch.randn(2, 23, 199, generator=dice), mask)
    camera = cameras.encode(torch.randn(2, 23, 14, generator=dice), mask)
    decoded = cameras.decode(camera, human, mask)
    changed = cameras.decode(camera, human + 1, mask)
    assert not torch.allclose(decoded[:, 0], changed[:, 0], atol=10 * ROUNDING)
    decoded.square().sum().backward()
    assert all(parameter.grad is None for parameter in humans.parameters())
    assert all(parameter.grad is not None for parameter in cameras.parameters())


@torch.no_grad()
def test_latents_can_be_scaled_without_changing_a_decoded_bit(dice: torch.Generator):
    humans, cameras = human_codec(dice), camera_codec(dice)
    mask = mask_of([23, 9])
    human, camera = (torch.randn(2, 23, width, generator=dice) for width in (199, 14))
    context = humans.encode(human, mask)
    latents = cameras.encode(camera, mask)
    decoded = humans.decode(context, mask), cameras.decode(latents, context, mask)
    humans.scale_latents(torch.tensor([0.5, 8.0, 1.0, 2.0**-9, 4.0]))
    factors = torch.tensor([2.0**7, 0.25, 1.0])
    cameras.scale_latents(factors)
    assert torch.equal(cameras.encode(camera, mask), latents * factors)
    assert torch.equal(humans.decode(humans.encode(human, mask), mask), decoded[0])
    assert torch.equal(cameras.decode(latents * factors, context, mask), decoded[1])


@torch.no_grad()
def test_statistics_and_whitening_stand_between_codec_and_flow(dice: torch.Generator):
    statistics = Statistics(
        torch.randn(199, generator=dice).double(), torch.rand(199, generator=dice).double() + 0.5
    )
    codec = human_codec(dice)
    codec.mean.copy_(statistics.mean)
    codec.spread.copy_(statistics.spread)
    mask = mask_of([23, 9])
    features = torch.randn(2, 23, 199, generator=dice)
    standard = (features - statistics.mean.float()) / statistics.spread.float()
    raw = codec.encode(standard, mask)
    moments = LatentMoments(HUMAN_LATENT)
    moments.add(raw, token_mask(mask))
    codec.whitening.fit(moments)
    white = codec.to_latents(features, mask)
    torch.testing.assert_close(
        white, codec.whitening(raw, token_mask(mask)), atol=10 * ROUNDING, rtol=0
    )
    expected = codec.decode(raw, mask) * statistics.spread + statistics.mean
    expected = expected.float() * mask[..., None]
    torch.testing.assert_close(
        codec.from_latents(white, mask), expected, atol=10 * ROUNDING, rtol=0
    )


@torch.no_grad()
def test_the_first_camera_increment_stays_zero(dice: torch.Generator):
    codec = camera_codec(dice)
    codec.mean.fill_(0.3)
    mask = mask_of([11])
    latents = torch.randn(1, 3, CAMERA_LATENT, generator=dice)
    human = torch.randn(1, 3, HUMAN_LATENT, generator=dice)
    features = codec.from_latents(latents, human, mask)
    assert not features[0, 0, -3:].any() and bool(features[0, 1, -3:].all())
