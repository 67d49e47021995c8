"""Laws of PulpMotion's networks: what each part reads, padding, seeds, batches, sizes, learning."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest
import torch
from torch import Tensor

from aesop.baselines.baseline_table import AnyMethod
from aesop.baselines.latent_diffusion import (
    BothCaptions,
    LatentGenerator,
    captions_of,
    denoised,
    draws_of,
    fit_latents,
    guidance_tuple,
    guided_noise,
)
from aesop.baselines.pulpmotion_autoencoder import (
    PULPMOTION_AE,
    SymmetricAutoencoder,
    fit_statistics,
    framing_projection,
    rebuilt_scenes,
    reconstruction_loss,
    whole,
)
from aesop.baselines.pulpmotion_dit import (
    DIT_GUIDANCE,
    PULPMOTION_DIT,
    PulpMotionDit,
    dit_latents,
    dit_loss,
)
from aesop.baselines.pulpmotion_mar import (
    MAR_GUIDANCE,
    PULPMOTION_MAR,
    PulpMotionMar,
    mar_latents,
    mar_loss,
)
from aesop.baselines.request_noise import RequestNoise, request_noise
from aesop.baselines.scene_batch import MethodLoss, SceneBatch
from aesop.core.errors import AesopError
from aesop.features.human_features import joints_from_features
from aesop.models.codec import token_mask
from aesop.models.method_network import MethodNetwork, MethodShape
from tests.baselines.pulpmotion_makers import (
    AE_SHAPE,
    DIT_SHAPE,
    MAR_SHAPE,
    eight_scenes,
    part_of,
    tiny_autoencoder,
    tiny_dit,
    tiny_mar,
)
from tests.tolerances import network32, summed32

Maker = Callable[[SceneBatch, torch.Generator], LatentGenerator]
GENERATORS = [
    pytest.param(tiny_dit, PULPMOTION_DIT, id="dit"),
    pytest.param(tiny_mar, PULPMOTION_MAR, id="mar"),
]


@pytest.fixture(scope="module")
def scenes() -> SceneBatch:
    return eight_scenes()


@torch.no_grad()
def test_padding_cannot_reach_real_frames_of_the_autoencoder(
    scenes: SceneBatch, dice: torch.Generator
):
    """Lengths of every remainder by four, alone and in a batch whose padding is NaN."""
    network = tiny_autoencoder(scenes, dice)
    lengths = [31, 29, 28, 26, 7, 2, 1, 5]
    mask = torch.arange(37) < torch.tensor(lengths)[:, None]
    standard = torch.randn(8, 37, 213, generator=dice)
    latents = network.encode(standard.masked_fill(~mask[..., None], torch.nan), mask)
    beyond = ~token_mask(mask)[..., None]
    assert not latents[beyond.expand_as(latents)].any()
    decoded = network.decode(latents.masked_fill(beyond, torch.nan), mask)
    # About thirty filters, the widest of three frames and 213 channels; nothing is normed.
    rounding = network32(30 / 4, 3 * 213, 4.0)
    for row, length in enumerate(lengths):
        own = mask[row : row + 1, :length]
        alone = network.encode(standard[row : row + 1, :length], own)
        torch.testing.assert_close(latents[row, : alone.shape[1]], alone[0], atol=rounding, rtol=0)
        again = network.decode(alone, own)
        for together, single in zip(vars(decoded).values(), vars(again).values(), strict=True):
            torch.testing.assert_close(together[row, :length], single[0], atol=rounding, rtol=0)
            assert not together[row, length:].any()


@torch.no_grad()
def test_the_representation_is_symmetric(scenes: SceneBatch, dice: torch.Generator):
    """Both latents read both inputs; camera and human decoders read only their own latent; the
    framing decoder reads nothing outside the columns of W."""
    network, mask = tiny_autoencoder(scenes, dice), scenes.mask
    layout, (camera, human) = network.sizes.layout, whole(scenes)
    latents = network.to_latents(camera, human, mask)
    other = network.to_latents(camera, human * 1.01, mask)
    assert not torch.equal(layout.take(latents, "camera"), layout.take(other, "camera"))
    swapped = torch.cat([layout.take(latents, "camera"), layout.take(other, "human")], -1)
    first, second = network.decode(latents, mask), network.decode(swapped, mask)
    assert torch.equal(first.camera, second.camera)
    assert not torch.equal(first.human, second.human)
    outside = torch.eye(network.sizes.latent).double() - framing_projection(network.framing_map())
    moved = latents + torch.randn(latents.shape, generator=dice) @ outside.float()
    third = network.decode(moved, mask)
    # The map sums 36 products and the decoder goes on from its error.
    near = network32(30 / 4, 3 * 48, 8.0)
    torch.testing.assert_close(third.framing, first.framing, atol=near, rtol=0)
    assert not torch.allclose(third.camera, first.camera, atol=100 * near)


@torch.no_grad()
def test_projection_of_a_generator_acts_on_what_it_makes(scenes: SceneBatch, dice: torch.Generator):
    """Latents are scaled for diffusion; what P leaves out of them changes no framing latent."""
    network = tiny_dit(scenes, dice)
    assert network.projection(guidance_tuple(DIT_GUIDANCE)) is None
    projection = network.projection(guidance_tuple((11.0, -1.0, 0.5)))
    assert projection is not None
    change = torch.randn(5, network.latent, generator=dice).double()
    for kept, moves in ((change - change @ projection, False), (change @ projection, True)):
        framing = (kept * network.latent_spread) @ network.autoencoder.framing_map()
        size = float(framing.abs().max())
        # Products of 36 numbers in single precision weights.
        assert (size > 0.01) if moves else (size < summed32(36))


@torch.no_grad()
@pytest.mark.parametrize(("make", "method"), GENERATORS)
def test_answers_depend_on_seed_and_words_not_on_the_batch(
    make: Maker, method: AnyMethod, scenes: SceneBatch, dice: torch.Generator
):
    """A scene alone, and in another place of a longer batch, is the same scene."""
    network = make(scenes, dice)
    network.sampling_steps = 7
    noise = request_noise([(3, number) for number in range(8)])
    asked = replace(scenes, human=None, camera=None)
    guidance = (1.5, method.protocol.guidance[1], 0.25)
    every = method.sample(network, asked, noise, guidance)
    again = method.sample(network, asked, noise, guidance)
    assert every.human is not None and again.human is not None
    assert torch.equal(every.human, again.human)
    some = slice(2, 4)
    frames = int(scenes.mask[some].sum(1).max())
    alone = part_of(scenes, some, frames)
    alone = replace(alone, human=None, camera=None)
    fewer = method.sample(network, alone, RequestNoise(noise.keys[some]), guidance)
    assert fewer.human is not None
    real = alone.mask
    # Steps carry on the error of a network of four layers of width 64; people and cameras are
    # summed up over fifty frames.
    near = 50 * network32(4, 64, 8.0)
    for wide, narrow in (
        (every.human, fewer.human),
        (every.cameras.centre, fewer.cameras.centre),
        (every.cameras.lens, fewer.cameras.lens),
    ):
        torch.testing.assert_close(wide[some, :frames][real], narrow[real], atol=near, rtol=0)
    other = method.sample(network, asked, request_noise([(4, n) for n in range(8)]), guidance)
    assert other.human is not None and not torch.allclose(other.human, every.human, atol=near)
    silent = replace(asked, human_words=asked.camera_words)
    unheard = method.sample(network, silent, noise, guidance)
    assert unheard.human is not None and not torch.allclose(unheard.human, every.human, atol=near)


def test_a_dit_refuses_guidance_by_context(scenes: SceneBatch, dice: torch.Generator):
    network = tiny_dit(scenes, dice)
    with pytest.raises(AesopError, match="negative second factor"):
        PULPMOTION_DIT.sample(network, scenes, request_noise([(0, 0)] * 8), MAR_GUIDANCE)


@torch.no_grad()
def test_tokens_that_are_made_stay_and_are_read(scenes: SceneBatch, dice: torch.Generator):
    """Every token is made once: from the head's own answer, had the Transformer seen what was there
    in its iteration. Making all missing tokens each time, as MARDM does, gives the same."""
    network = tiny_mar(scenes, dice)
    network.sampling_steps = 3
    mask, captions = token_mask(scenes.mask), captions_of(scenes)
    noise = request_noise([(5, number) for number in range(8)])
    draws = draws_of(network, noise, mask.shape[1])
    scores, guidance = noise.uniform(0, mask.shape[1]), guidance_tuple(MAR_GUIDANCE)
    made = mar_latents(network, captions, mask, scores, draws, guidance)
    wasteful = _as_mardm_does(network, captions, mask, scores, draws)
    # Eighteen rounds of three steps of a network of six layers of width 64, whose three answers
    # guidance of (3.5, 2) weighs by -1, -1.5 and 3.5.
    near = 18 * 3 * 6 * network32(6, 64, 2.0)
    torch.testing.assert_close(made[mask], wasteful[mask], atol=near, rtol=0)
    assert not made[~mask].any()


def _as_mardm_does(
    network: PulpMotionMar, captions: BothCaptions, mask: Tensor, scores: Tensor, draws: Tensor
) -> Tensor:
    """All missing tokens made in each of eighteen rounds, most of them hidden again."""
    rank = scores.masked_fill(~mask, torch.inf).argsort(dim=1, stable=True).argsort(dim=1)
    tokens, latents = mask.sum(1), torch.zeros_like(draws[0])
    for round_number in range(18):
        share = math.cos(math.pi / 2 * round_number / 17)
        left = (tokens.double() * share).round().clamp(min=1)[:, None]
        hidden = (rank >= tokens[:, None] - left) & mask
        nothing = network.places(latents, mask, captions.without(), mask)
        without = network.places(latents, hidden, captions.without(), mask)
        places = torch.stack([nothing, without, network.places(latents, hidden, captions, mask)])

        def predicted(noisy: Tensor, level: int, places: Tensor = places) -> Tensor:
            levels = torch.full(places.shape[:-1], float(level))
            answers = network.head(noisy.expand(3, *noisy.shape), levels, places)
            return guided_noise(tuple(answers), guidance_tuple(MAR_GUIDANCE))

        made = denoised(predicted, network.betas, draws)
        latents = torch.where(hidden[..., None], made, latents)
    return latents


@pytest.mark.parametrize(
    ("method", "published", "base", "ours"),
    [
        (PULPMOTION_AE, 35_755_943, 4_951_823, 5_011_349),
        (PULPMOTION_DIT, 58_356_928, 32_167_360, 32_063_680),
        (PULPMOTION_MAR, 289_865_600, 31_611_600, 32_063_680),
    ],
)
def test_sizes(method: AnyMethod, published: int, base: int, ours: int):
    """`base` is as large as what it is compared with: our codecs, or our flows, together."""
    shapes = MethodShape(method.name, "published", 512), MethodShape(method.name, "base", 384)
    for shape, count in zip(shapes, (published, base), strict=True):
        with torch.device("meta"):
            network = method.build(shape)
        assert sum(values.numel() for values in network.parameters()) == count
    assert abs(base / ours - 1) < 0.02  # said in docs/baselines.md


NetworkT = TypeVar("NetworkT", bound=MethodNetwork)
LossOf = Callable[[NetworkT, SceneBatch, torch.Generator], MethodLoss]


def _learn(
    network: NetworkT, loss: "LossOf[NetworkT]", scenes: SceneBatch, steps: int, rate: float
) -> list[float]:
    optimiser, dice = torch.optim.Adam(network.parameters(), rate), torch.Generator()
    losses: list[float] = []
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = rate * min(1, 2 * (1 - step / steps))
        optimiser.zero_grad()
        total = loss(network, scenes, dice.manual_seed(step)).total
        total.backward()
        optimiser.step()
        losses.append(float(total.detach()))
    return losses


def test_the_autoencoder_learns_eight_clips(scenes: SceneBatch):
    torch.manual_seed(1)
    network = SymmetricAutoencoder(AE_SHAPE)
    fit_statistics(network, [scenes])
    losses = _learn(network, reconstruction_loss, scenes, 80, 4e-3)
    assert losses[-1] < 0.1 * losses[0]
    network.eval()
    rebuilt = rebuilt_scenes(network, scenes)
    assert rebuilt.human is not None
    joints, wanted = (joints_from_features(it) for it in (rebuilt.human, whole(scenes)[1]))
    apart = (joints - wanted).norm(dim=-1)[scenes.mask].mean()
    assert float(apart) < 0.25  # metres; people go up to six


def _learnt(network: NetworkT, loss: "LossOf[NetworkT]", scenes: SceneBatch) -> NetworkT:
    """A generator that has seen eight clips many times."""
    assert isinstance(network, LatentGenerator)
    network.build_on(tiny_autoencoder(scenes, torch.Generator().manual_seed(2)))
    fit_latents(network, [scenes])
    losses = _learn(network, loss, scenes, 140, 4e-3)
    assert sum(losses[-20:]) / 20 < 0.6 * losses[0]
    network.sampling_steps = 12
    return network.eval().requires_grad_(False)


def _find_their_own(made: Tensor, network: LatentGenerator, scenes: SceneBatch) -> None:
    """What is sampled with the words of a clip is nearer to its latents than to those of the other
    seven, for at least half of the eight (by chance once in ninety times)."""
    mask = token_mask(scenes.mask)
    both = (mask[:, None] & mask[None])[..., None]
    apart = (made[:, None] - network.scaled_latents(scenes)[None]).square() * both
    nearest = (apart.sum((2, 3)) / both.sum((2, 3))).argmin(1)
    assert int((nearest == torch.arange(8)).sum()) >= 4


def test_a_dit_learns_eight_clips(scenes: SceneBatch):
    torch.manual_seed(2)
    network = _learnt(PulpMotionDit(DIT_SHAPE), dit_loss, scenes)
    mask, noise = token_mask(scenes.mask), request_noise([(1, number) for number in range(8)])
    draws, factors = draws_of(network, noise, mask.shape[1]), guidance_tuple((1.0, -1.0, 0.0))
    made = dit_latents(network, captions_of(scenes), mask, draws, factors)
    _find_their_own(made, network, scenes)


def test_a_mar_learns_eight_clips(scenes: SceneBatch):
    torch.manual_seed(2)
    network = _learnt(PulpMotionMar(MAR_SHAPE), mar_loss, scenes)
    mask, noise = token_mask(scenes.mask), request_noise([(1, number) for number in range(8)])
    draws, factors = draws_of(network, noise, mask.shape[1]), guidance_tuple((1.0, 1.0, 0.0))
    scores = noise.uniform(0, mask.shape[1])
    made = mar_latents(network, captions_of(scenes), mask, scores, draws, factors)
    _find_their_own(made, network, scenes)
