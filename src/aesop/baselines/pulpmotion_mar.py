"""PulpMotion MAR: a Transformer reads the latent tokens that are there, a small diffusion network
makes those that are missing, a few at a time in random order.

Transformer, masking and head follow MARDM, whose eighteen iterations and fifty steps PulpMotion
keeps; the diffusion head is the one of MAR (Li et al. 2024).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.functional import layer_norm, silu

from aesop.baselines.baseline_sampling import dropped, repeated
from aesop.baselines.diffusion import STEPS
from aesop.baselines.latent_diffusion import (
    GUIDANCE_NAMES,
    SAMPLING_STEPS,
    WORD_DROPOUT,
    Betas,
    BothCaptions,
    GuidanceTuple,
    captions_of,
    denoised,
    draws_of,
    fit_latents,
    guidance_tuple,
    guided_noise,
    random_levels,
)
from aesop.baselines.pulpmotion_dit import DitSizes, TokenTransformer
from aesop.baselines.request_noise import RequestNoise
from aesop.baselines.scene_batch import (
    Baseline,
    Dice,
    Guidance,
    MethodLoss,
    MethodProtocol,
    SampledScenes,
    SceneBatch,
)
from aesop.models.blocks import (
    TimeCondition,
    start_at_zero,
    start_evenly,
)
from aesop.models.codec import token_mask
from aesop.models.method_network import MethodShape, MethodSize

ITERATIONS = 18
MAR_GUIDANCE = (3.5, 2.0, 0.0)
# Of the tokens to be made in training, so many show noise; of the others, so many the token that
# stands for a missing one; the rest show what they are.
SHOWN_AS_NOISE = 0.1
SHOWN_AS_MISSING = 0.88
LEVELS_PER_TOKEN = 4  # that the head learns from what the Transformer said once


@dataclass(frozen=True)
class MarSizes(DitSizes):
    """Widths and depths of Transformer and head; MARDM's where nothing else is said."""

    width: int = 1024
    depth: int = 1
    heads: int = 16
    ffn: int = 4
    dropout: float = 0.2
    head_width: int = 1792
    head_depth: int = 16
    betas: Betas = "cosine"


# PulpMotion's own size is not told; `published` is MARDM's. `base` has as many weights as our two
# flows together: a deeper Transformer and a smaller head.
SIZES: dict[MethodSize, MarSizes] = {
    "published": MarSizes(),
    "base": MarSizes(384, depth=6, heads=6, dropout=0.1, head_width=720, head_depth=5),
    "tiny": MarSizes(64, depth=2, heads=2, dropout=0.0, head_width=64, head_depth=2),
}


class _HeadBlock(nn.Module):
    """Norm, modulate, linear, SiLU, linear, gate; and what came in."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)
        self.modulation = nn.Linear(width, 3 * width)
        start_evenly(self.first)
        start_evenly(self.second)
        start_at_zero(self.modulation)

    def forward(
        self, states: Float[Tensor, "*rows width"], condition: Float[Tensor, "*rows width"]
    ) -> Float[Tensor, "*rows width"]:
        shift, scale, gate = self.modulation(condition).chunk(3, dim=-1)
        inner = self.norm(states) * (1 + scale) + shift
        return states + gate * self.second(silu(self.first(inner)))


class DiffusionHead(nn.Module):
    """The noise in single tokens, given what the Transformer says of their place."""

    def __init__(self, latent: int, sizes: MarSizes) -> None:
        super().__init__()
        width = sizes.head_width
        self.latents_in = nn.Linear(latent, width)
        self.level = TimeCondition(width)
        self.place = nn.Linear(sizes.width, width)
        self.blocks = nn.ModuleList(_HeadBlock(width) for _ in range(sizes.head_depth))
        self.modulation = nn.Linear(width, 2 * width)
        self.last = nn.Linear(width, latent)
        start_evenly(self.latents_in)
        start_evenly(self.place)
        start_at_zero(self.modulation)
        start_at_zero(self.last)

    def forward(
        self,
        noisy: Float[Tensor, "*rows latent"],
        level: Float[Tensor, "*rows"],
        places: Float[Tensor, "*rows width"],
    ) -> Float[Tensor, "*rows latent"]:
        """The noise in tokens at levels 0 … 999."""
        states = self.latents_in(noisy.to(self.latents_in.weight.dtype))
        known = self.level(level.flatten() / STEPS).unflatten(0, level.shape)
        condition = silu(known + self.place(places))
        for block in self.blocks:
            states = block(states, condition)
        shift, scale = self.modulation(condition).chunk(2, dim=-1)
        normal = layer_norm(states, states.shape[-1:], eps=1e-6)
        return self.last(normal * (1 + scale) + shift).to(noisy.dtype)


class PulpMotionMar(TokenTransformer):
    """The Transformer over tokens, and its head."""

    def __init__(self, shape: MethodShape) -> None:
        sizes = SIZES[shape.size]
        super().__init__(shape, sizes)
        self.dropped_in = sizes.dropout
        self.missing = nn.Parameter(0.02 * torch.randn(self.latent))
        self.head = DiffusionHead(self.latent, sizes)

    def places(
        self,
        latents: Float[Tensor, "batch tokens latent"],
        hidden: Bool[Tensor, "batch tokens"],
        captions: BothCaptions,
        mask: Bool[Tensor, "batch tokens"],
    ) -> Float[Tensor, "batch tokens width"]:
        """What is known of every place from the tokens that are not hidden, and the words."""
        shown = torch.where(hidden[..., None], self.missing.to(latents.dtype), latents)
        states = self.read(shown, silu(self.words(captions)), mask, self.dropped_in)
        return layer_norm(states, states.shape[-1:])


def hidden_in_training(
    uniform: Float[Tensor, " batch"],
    scores: Float[Tensor, "batch tokens"],
    mask: Bool[Tensor, "batch tokens"],
) -> Bool[Tensor, "batch tokens"]:
    """Tokens to be made: cos(π/2·u) of every clip's, rounded, at least one, where scores are
    lowest."""
    count = (torch.cos(math.pi / 2 * uniform.double()) * mask.sum(1)).round().long().clamp_min(1)
    # Counted, not sorted: a sort may wait for the device, which no captured step may.
    lower = (scores[:, None, :] < scores[:, :, None]) & mask[:, None, :]
    return (lower.sum(-1) < count[:, None]) & mask


def mar_loss(network: PulpMotionMar, scenes: SceneBatch, dice: Dice = None) -> MethodLoss:
    """Squared error of the predicted noise over the tokens to be made, every token alike, at
    several levels of noise each."""
    clean, mask = network.scaled_latents(scenes), token_mask(scenes.mask)
    device, (batch, tokens, latent) = clean.device, clean.shape
    uniform, *scores = (
        torch.rand(shape, generator=dice, device=device)
        for shape in ((batch,), (batch, tokens), (batch, tokens), (batch, tokens))
    )
    to_make = hidden_in_training(uniform, scores[0], mask)
    is_noise = to_make & (scores[1] < SHOWN_AS_NOISE)
    is_missing = to_make & ~is_noise & (scores[2] < SHOWN_AS_MISSING)
    shown_noise = torch.randn(clean.shape, generator=dice, device=device)
    shown = torch.where(is_noise[..., None], shown_noise, clean)
    (silent,) = dropped(batch, [WORD_DROPOUT], dice, device)
    places = network.places(shown, is_missing, captions_of(scenes, silent), mask)
    # Every clip several times over, at levels of its own each time.
    noise = torch.randn(LEVELS_PER_TOKEN * batch, tokens, latent, generator=dice, device=device)
    level = random_levels((LEVELS_PER_TOKEN * batch, tokens), dice, device)
    noisy = network.noised(repeated(clean, LEVELS_PER_TOKEN), noise, level)
    answer = network.head(noisy, level.float(), repeated(places, LEVELS_PER_TOKEN))
    errors = (answer.float() - noise).square().mean(-1)
    weights = repeated(to_make, LEVELS_PER_TOKEN)
    loss = (errors * weights).sum() / weights.sum()
    return MethodLoss(loss, loss.detach()[None])


def tokens_left(iteration: int, tokens: Int64[Tensor, " batch"]) -> Int64[Tensor, " batch"]:
    """Tokens still missing when an iteration begins: the cosine of its share of a quarter turn,
    rounded, and one until the end; after the last iteration none."""
    if iteration == ITERATIONS:
        return torch.zeros_like(tokens)
    share = math.cos(math.pi / 2 * iteration / (ITERATIONS - 1))
    return (tokens.double() * share).round().long().clamp_min(1)


@torch.no_grad()
def sample_mar(
    network: PulpMotionMar, scenes: SceneBatch, noise: RequestNoise, guidance: Guidance
) -> SampledScenes:
    """People and cameras from both captions: eighteen iterations of fifty steps. Tokens come in an
    order that the request draws, and noise belongs to tokens: no clip depends on its batch."""
    mask = token_mask(scenes.mask)
    draws = draws_of(network, noise, mask.shape[1])
    scores = noise.uniform(0, mask.shape[1])
    latents = mar_latents(
        network, captions_of(scenes), mask, scores, draws, guidance_tuple(guidance)
    )
    return network.scenes_of(latents, scenes.mask)


def mar_latents(
    network: PulpMotionMar,
    captions: BothCaptions,
    mask: Bool[Tensor, "batch tokens"],
    scores: Float[Tensor, "batch tokens"],
    draws: Float[Tensor, "steps batch tokens latent"],
    guidance: GuidanceTuple,
) -> Float[Tensor, "batch tokens latent"]:
    """Tokens in the order of their scores.

    Only the tokens that stay after an iteration go through the head. MARDM makes all missing ones
    each time and hides most of them again, which changes nothing that stays.
    """
    tokens, longest = mask.sum(1), mask.shape[1]
    order = scores.masked_fill(~mask, torch.inf).argsort(dim=1, stable=True)
    latents, hidden = torch.zeros_like(draws[0]), mask.clone()
    nothing = network.places(latents, hidden, captions.without(), mask)
    projection = network.projection(guidance)
    rows = torch.arange(len(mask), device=mask.device)[:, None]
    for iteration in range(ITERATIONS):
        made, after = (
            tokens - tokens_left(number, tokens) for number in (iteration, iteration + 1)
        )
        most = int((after - made).max())
        if most == 0:
            continue
        rank = made[:, None] + torch.arange(most, device=mask.device)
        is_made = rank < after[:, None]
        chosen = order.gather(1, rank.clamp_max(longest - 1))
        known = [network.places(latents, hidden, captions.without(), mask)]
        known.append(network.places(latents, hidden, captions, mask))
        known = [nothing, *known] if guidance.has_context else known
        places = torch.stack([it[rows, chosen] for it in known])
        answer = _head_answer(network.head, places, guidance, projection)
        new = denoised(answer, network.betas, draws[:, rows, chosen])
        # Rows with fewer tokens to make than others fill up with places that keep what they have.
        latents = _placed(latents, chosen, new, is_made)
        hidden = hidden & ~_placed(torch.zeros_like(hidden), chosen, is_made, is_made)
    return latents


def _placed(values: Tensor, chosen: Tensor, new: Tensor, is_new: Tensor) -> Tensor:
    """Values with new ones at chosen places, where they are new. Places that are not may be named
    twice, so what is not new is sent to a place of its own at the end, and cut off."""
    longest = values.shape[1]
    room = torch.cat([values, values[:, :1]], dim=1)
    rows = torch.arange(len(values), device=values.device)[:, None]
    room[rows, chosen.where(is_new, longest)] = new
    return room[:, :longest]


def _head_answer(
    head: DiffusionHead,
    places: Float[Tensor, "answers batch made width"],
    guidance: GuidanceTuple,
    projection: Float[Tensor, "latent latent"] | None,
) -> Callable[[Tensor, int], Tensor]:
    """Noise in tokens, guided by what the head says of a place in several states of knowledge."""

    def predicted(
        latents: Float[Tensor, "batch made latent"], level: int
    ) -> Float[Tensor, "batch made latent"]:
        levels = torch.full(places.shape[:-1], float(level), device=places.device)
        every = latents.expand(len(places), *latents.shape)
        answers = head(every, levels, places).float().unbind(0)
        return guided_noise(answers, guidance, projection)

    return predicted


PULPMOTION_MAR: Baseline[PulpMotionMar] = Baseline(
    name="pulpmotion-mar",
    paper_name="PulpMotion MAR",
    task="shoot",
    reads="both captions",
    makes_lens=True,
    protocol=MethodProtocol(
        sampler=f"{ITERATIONS} iterations, DDPM, {SAMPLING_STEPS} steps each",
        guidance=MAR_GUIDANCE,
        guidance_names=GUIDANCE_NAMES,
        network_calls=3 * ITERATIONS * (SAMPLING_STEPS + 1),
    ),
    loss_parts=("noise",),
    build=PulpMotionMar,
    fit=fit_latents,
    loss=mar_loss,
    sample=sample_mar,
)
