"""PulpMotion DiT: a diffusion Transformer makes camera and human latents together, from both
captions.

The block is the one of Peebles and Xie (2023): words and noise level only shift, scale and gate.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import dropout, gelu, silu

from aesop.baselines.baseline_sampling import dropped, repeated
from aesop.baselines.diffusion import STEPS
from aesop.baselines.latent_diffusion import (
    GUIDANCE_NAMES,
    SAMPLING_STEPS,
    WORD_DROPOUT,
    Betas,
    BothCaptions,
    CaptionCondition,
    GuidanceTuple,
    LatentGenerator,
    captions_of,
    denoised,
    draws_of,
    fit_latents,
    guidance_tuple,
    guided_noise,
    random_levels,
)
from aesop.baselines.pulpmotion_autoencoder import SIZES as AUTOENCODER_SIZES
from aesop.baselines.request_noise import RequestNoise
from aesop.baselines.scene_batch import (
    Baseline,
    Dice,
    Guidance,
    MethodLoss,
    MethodProtocol,
    SampledScenes,
    SceneBatch,
    masked_mean,
)
from aesop.core.errors import AesopError
from aesop.models.blocks import (
    MODULATIONS,
    SelfAttention,
    TimeCondition,
    attention_bias,
    modulated_norm,
    start_at_zero,
    start_evenly,
    waves,
)
from aesop.models.codec import token_mask
from aesop.models.method_network import MethodShape, MethodSize

MAX_TOKENS = 75
DIT_GUIDANCE = (11.0, -1.0, 0.0)


@dataclass(frozen=True)
class DitSizes:
    """Widths and depth of the Transformer."""

    width: int = 512
    depth: int = 12
    heads: int = 8
    ffn: int = 4
    dropout: float = 0.1
    betas: Betas = "linear"


# PulpMotion's own size is not told; `published` is that of the paper's flows (FACTS U-96). `base`
# has as many weights as our two flows together.
SIZES: dict[MethodSize, DitSizes] = {
    "published": DitSizes(),
    "base": DitSizes(width=352, depth=14, heads=11),
    "tiny": DitSizes(width=64, depth=2, heads=2, dropout=0.0),
}


class DitBlock(nn.Module):
    """Self-attention and feed-forward, each shifted, scaled and gated by the condition."""

    def __init__(self, width: int, heads: int, hidden: int, rate: float) -> None:
        super().__init__()
        self.rate = rate
        self.itself = SelfAttention(width, heads, rate)
        self.widen = nn.Linear(width, hidden)
        self.narrow = nn.Linear(hidden, width)
        self.modulation = nn.Linear(width, MODULATIONS * width)
        start_evenly(self.widen)
        start_evenly(self.narrow)
        start_at_zero(self.modulation)

    def forward(
        self,
        states: Float[Tensor, "batch tokens width"],
        condition: Float[Tensor, "batch width"],
        bias: Float[Tensor, "batch 1 1 tokens"],
    ) -> Float[Tensor, "batch tokens width"]:
        modulation = self.modulation(condition).unflatten(-1, (MODULATIONS, -1))
        shift, scale, gate, late_shift, late_scale, late_gate = modulation.unbind(1)
        inner = self.itself(modulated_norm(states, shift, scale), bias)
        states = states + gate[:, None] * self._dropped(inner)
        inner = gelu(self.widen(modulated_norm(states, late_shift, late_scale)), approximate="tanh")
        return states + late_gate[:, None] * self._dropped(self.narrow(self._dropped(inner)))

    def _dropped(self, states: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        return dropout(states, self.rate, self.training)


class TokenTransformer(LatentGenerator):
    """What DiT and MAR share: tokens of latents at their places, read through blocks under a
    condition."""

    positions: Tensor

    def __init__(self, shape: MethodShape, sizes: DitSizes) -> None:
        super().__init__(shape, AUTOENCODER_SIZES[shape.size].latent, sizes.betas)
        width = sizes.width
        self.latents_in = nn.Linear(self.latent, width)
        self.register_buffer(
            "positions", waves(torch.arange(MAX_TOKENS).float(), width), persistent=False
        )
        self.words = CaptionCondition(shape.text, width)
        self.blocks = nn.ModuleList(
            DitBlock(width, sizes.heads, sizes.ffn * width, sizes.dropout)
            for _ in range(sizes.depth)
        )
        start_evenly(self.latents_in)

    def read(
        self,
        latents: Float[Tensor, "batch tokens latent"],
        condition: Float[Tensor, "batch width"],
        mask: Bool[Tensor, "batch tokens"],
        rate: float = 0.0,
    ) -> Float[Tensor, "batch tokens width"]:
        """What is known of every place; `rate` of what comes in is dropped in training."""
        clean = latents.masked_fill(~mask[..., None], 0).to(self.latents_in.weight.dtype)
        embedded = self.latents_in(clean)
        states = dropout(embedded + self.positions[: mask.shape[1]], rate, self.training)
        bias = attention_bias(mask, embedded.dtype)  # as queries and keys are
        for block in self.blocks:
            states = block(states, condition, bias)
        return states


class PulpMotionDit(TokenTransformer):
    """Predicts the noise in latents of camera and human."""

    def __init__(self, shape: MethodShape) -> None:
        sizes = SIZES[shape.size]
        super().__init__(shape, sizes)
        self.level = TimeCondition(sizes.width)
        self.head_modulation = nn.Linear(sizes.width, 2 * sizes.width)
        self.head = nn.Linear(sizes.width, self.latent)
        start_at_zero(self.head_modulation)
        start_at_zero(self.head)

    def forward(
        self,
        latents: Float[Tensor, "batch tokens latent"],
        level: Float[Tensor, " batch"],
        captions: BothCaptions,
        mask: Bool[Tensor, "batch tokens"],
    ) -> Float[Tensor, "batch tokens latent"]:
        """The noise in latents at a level (0 … 999); zero at tokens that are not valid."""
        # `TimeCondition` counts levels in thousandths.
        condition = silu(self.level(level / STEPS) + self.words(captions))
        states = self.read(latents, condition, mask)
        shift, scale = self.head_modulation(condition).chunk(2, dim=-1)
        noise = self.head(modulated_norm(states, shift, scale))
        return noise.to(latents.dtype).masked_fill(~mask[..., None], 0)


def dit_loss(network: PulpMotionDit, scenes: SceneBatch, dice: Dice = None) -> MethodLoss:
    """Squared error of the predicted noise, every clip alike."""
    clean, mask = network.scaled_latents(scenes), token_mask(scenes.mask)
    noise = torch.randn(clean.shape, generator=dice, device=clean.device)
    level = random_levels((len(clean),), dice, clean.device)
    (silent,) = dropped(len(clean), [WORD_DROPOUT], dice, clean.device)
    noisy = network.noised(clean, noise, level)
    answer = network(noisy, level.float(), captions_of(scenes, silent), mask)
    loss = masked_mean((answer.float() - noise).square(), mask)
    return MethodLoss(loss, loss.detach()[None])


@torch.no_grad()
def sample_dit(
    network: PulpMotionDit, scenes: SceneBatch, noise: RequestNoise, guidance: Guidance
) -> SampledScenes:
    """People and cameras from both captions: fifty steps, with and without words together."""
    factors, mask = guidance_tuple(guidance), token_mask(scenes.mask)
    if factors.has_context:
        raise AesopError(
            f"PulpMotion DiT makes all tokens at once and has no context to be guided by "
            f"({factors.context:g}).",
            "Give a negative second factor.",
        )
    draws = draws_of(network, noise, mask.shape[1])
    latents = dit_latents(network, captions_of(scenes), mask, draws, factors)
    return network.scenes_of(latents, scenes.mask)


def dit_latents(
    network: PulpMotionDit,
    captions: BothCaptions,
    mask: Bool[Tensor, "batch tokens"],
    draws: Float[Tensor, "steps batch tokens latent"],
    guidance: GuidanceTuple,
) -> Float[Tensor, "batch tokens latent"]:
    """All tokens together."""
    both, twice = captions.without().followed_by(captions), repeated(mask, 2)
    projection = network.projection(guidance)

    def predicted(
        latents: Float[Tensor, "batch tokens latent"], level: int
    ) -> Float[Tensor, "batch tokens latent"]:
        levels = torch.full((len(twice),), float(level), device=mask.device)
        answers = network(repeated(latents, 2), levels, both, twice).float().chunk(2)
        return guided_noise(answers, guidance, projection)

    return denoised(predicted, network.betas, draws)


PULPMOTION_DIT: Baseline[PulpMotionDit] = Baseline(
    name="pulpmotion-dit",
    paper_name="PulpMotion DiT",
    task="shoot",
    reads="both captions",
    makes_lens=True,
    protocol=MethodProtocol(
        sampler=f"DDPM, {SAMPLING_STEPS} steps",
        guidance=DIT_GUIDANCE,
        guidance_names=GUIDANCE_NAMES,
        network_calls=2 * SAMPLING_STEPS,
    ),
    loss_parts=("noise",),
    build=PulpMotionDit,
    fit=fit_latents,
    loss=dit_loss,
    sample=sample_dit,
)
