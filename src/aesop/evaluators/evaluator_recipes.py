"""How evaluators are trained, and what they are taught: paths and their words meet, strangers
part."""

import json
from dataclasses import asdict, dataclass, replace
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import cross_entropy, normalize, smooth_l1_loss

from aesop.core.hashing import text_sha256
from aesop.evaluators.evaluator import (
    FRAMED,
    NINE,
    ContrastivePair,
    EncoderShape,
    Kind,
    Latent,
    SequenceDecoder,
)
from aesop.features.columns import HUMAN

Size = Literal["base", "tiny"]


@dataclass(frozen=True)
class LossWeights:
    """Factors of the terms; the contrast of paths and words leads, the rest keeps the latent from
    forgetting what words do not say."""

    contrast: float = 1.0
    reconstruction: float = 1.0
    divergence: float = 1e-5
    latent: float = 1e-5
    temperature: float = 0.1
    # Captions more alike than this (cosine of their pooled features) are no negatives.
    alike: float = 0.8


@dataclass(frozen=True)
class EvaluatorRecipe:
    """The full settings of one evaluator."""

    kind: Kind
    size: Size
    moves: EncoderShape
    words: EncoderShape
    decoder_layers: int
    losses: LossWeights
    steps: int
    batch_rows: int
    learning_rate: float
    warm_up_steps: int
    weight_decay: float
    validate_every: int
    # Clips are cut to a random part of at least this share, and their inputs jittered: people do
    # the same thing in a part of a clip, cameras may not.
    least_share: float = 1.0
    jitter: float = 0.0
    seed: int = 0

    @property
    def sha256(self) -> str:
        return text_sha256(json.dumps(asdict(self), sort_keys=True))


def evaluator_recipe(kind: Kind, size: Size, text_width: int) -> EvaluatorRecipe:
    """Base is what we ship, tiny is for tests."""
    features = NINE if kind == "clatr" else HUMAN.width
    base = EvaluatorRecipe(
        kind=kind,
        size=size,
        moves=EncoderShape(features, 192, 4, 4, 512, patch=4),
        words=EncoderShape(text_width, 192, 3, 4, 512),
        decoder_layers=2,
        losses=LossWeights(),
        steps=6000,
        batch_rows=512,
        learning_rate=5e-4,
        warm_up_steps=200,
        weight_decay=0.02,
        validate_every=250,
    )
    if kind == "tmr":  # far fewer windows than shots: shorter, and harder to learn by heart
        base = replace(
            base,
            steps=4000,
            batch_rows=256,
            learning_rate=3e-4,
            weight_decay=0.05,
            least_share=0.6,
            jitter=0.1,
        )
    return base if size == "base" else _tiny(base)


def framed_recipe(size: Size, text_width: int) -> EvaluatorRecipe:
    """The judge of the second edition, which also sees how the person is framed, and reads many
    more words."""
    base = replace(
        evaluator_recipe("clatr", "base", text_width),
        size=size,
        moves=EncoderShape(FRAMED, 192, 4, 4, 768, patch=4),
        words=EncoderShape(text_width, 192, 4, 4, 768),
        steps=16_000,
        learning_rate=6e-4,
        warm_up_steps=300,
        validate_every=500,
    )
    return base if size == "base" else _tiny(base)


def _tiny(base: EvaluatorRecipe) -> EvaluatorRecipe:
    features, text_width = base.moves.features, base.words.features
    return replace(
        base,
        moves=EncoderShape(features, 32, 1, 2, 64, patch=4),
        words=EncoderShape(text_width, 32, 1, 2, 64),
        decoder_layers=1,
        steps=60,
        batch_rows=64,
        learning_rate=2e-3,
        warm_up_steps=5,
        validate_every=30,
    )


@dataclass(frozen=True, eq=False)
class TeachingBatch:
    """Inputs of both encoders, standardised and padded. `stranger` is true where a column's words
    do not also describe the row's path. `contrary` are words that deny a row's own in one point,
    where `is_denied` says that there are any."""

    moves: Float[Tensor, "batch items features"]
    moves_mask: Bool[Tensor, "batch items"]
    words: Float[Tensor, "batch tokens text_width"]
    words_mask: Bool[Tensor, "batch tokens"]
    stranger: Bool[Tensor, "batch batch"]
    draws: Float[Tensor, "2 batch width"]  # normal noise of both latents
    contrary: Float[Tensor, "batch tokens text_width"] | None = None
    contrary_mask: Bool[Tensor, "batch tokens"] | None = None
    is_denied: Bool[Tensor, " batch"] | None = None


def contrast(
    moves: Float[Tensor, "batch width"],
    words: Float[Tensor, "batch width"],
    stranger: Bool[Tensor, "batch batch"],
    temperature: float,
    denials: Float[Tensor, "batch width"] | None = None,
    is_denied: Bool[Tensor, " batch"] | None = None,
) -> Float[Tensor, ""]:
    """InfoNCE both ways over cosines. Others that say the same are no negatives: left out. Denials
    are one more negative of their own row's path each."""
    similar = normalize(moves, dim=-1) @ normalize(words, dim=-1).T / temperature
    own = torch.eye(len(moves), dtype=torch.bool, device=moves.device)
    similar = similar.masked_fill(~(stranger | own), -torch.inf)
    target = torch.arange(len(moves), device=moves.device)
    choices = similar
    if denials is not None and is_denied is not None:
        denied = (normalize(moves, dim=-1) * normalize(denials, dim=-1)).sum(-1) / temperature
        choices = torch.cat([similar, denied.masked_fill(~is_denied, -torch.inf)[:, None]], dim=1)
    return (cross_entropy(choices, target) + cross_entropy(similar.T, target)) / 2


def divergence(first: Latent, second: Latent | None) -> Float[Tensor, ""]:
    """Mean KL of one Gaussian from another, or from the standard one."""
    other = second or Latent(torch.zeros_like(first.mean), torch.zeros_like(first.mean))
    apart = (first.mean - other.mean).square()
    ratio = (first.log_variance.exp() + apart) / other.log_variance.exp()
    return (other.log_variance - first.log_variance + ratio - 1).mean() / 2


def teaching_loss(
    pair: ContrastivePair,
    decoder: SequenceDecoder,
    batch: TeachingBatch,
    weights: LossWeights,
) -> Float[Tensor, ""]:
    """All terms of CLaTr's and TMR's loss."""
    moves = pair.moves(batch.moves, batch.moves_mask)
    words = pair.words(batch.words, batch.words_mask)
    rebuilt = torch.zeros((), device=batch.moves.device)
    for latent, noise in zip((moves, words), batch.draws, strict=True):
        drawn = latent.mean + torch.exp(latent.log_variance / 2) * noise
        made = decoder(drawn, batch.moves_mask)
        error = smooth_l1_loss(made, batch.moves, reduction="none").mean(-1)
        rebuilt = rebuilt + error.masked_fill(~batch.moves_mask, 0).sum() / batch.moves_mask.sum()
    spread = (
        divergence(moves, words)
        + divergence(words, moves)
        + divergence(moves, None)
        + divergence(words, None)
    )
    denials = None
    if batch.contrary is not None and batch.contrary_mask is not None:
        denials = pair.words(batch.contrary, batch.contrary_mask).mean
    # Cosines are divided by a small number: half of their digits would not do.
    with torch.autocast(batch.moves.device.type, enabled=False):
        apart = contrast(
            moves.mean.float(),
            words.mean.float(),
            batch.stranger,
            weights.temperature,
            None if denials is None else denials.float(),
            batch.is_denied,
        )
    return (
        weights.contrast * apart
        + weights.reconstruction * rebuilt
        + weights.divergence * spread
        + weights.latent * smooth_l1_loss(words.mean, moves.mean)
    )
