"""What evaluators are taught: paths and their words meet, strangers part."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import cross_entropy, normalize, smooth_l1_loss

from aesop.evaluators.network import ContrastivePair, Latent, SequenceDecoder
from aesop.evaluators.recipes import LossWeights


@dataclass(frozen=True, eq=False)
class TeachingBatch:
    """Inputs of both encoders, standardised and padded. `stranger` is true where a row's words do
    not also describe the column's path."""

    moves: Float[Tensor, "batch items features"]
    moves_mask: Bool[Tensor, "batch items"]
    words: Float[Tensor, "batch tokens text_width"]
    words_mask: Bool[Tensor, "batch tokens"]
    stranger: Bool[Tensor, "batch batch"]


def contrast(
    moves: Float[Tensor, "batch width"],
    words: Float[Tensor, "batch width"],
    stranger: Bool[Tensor, "batch batch"],
    temperature: float,
) -> Float[Tensor, ""]:
    """InfoNCE both ways over cosines. Others that say the same are no negatives: left out."""
    similar = normalize(moves, dim=-1) @ normalize(words, dim=-1).T / temperature
    own = torch.eye(len(moves), dtype=torch.bool, device=moves.device)
    similar = similar.masked_fill(~(stranger | own), -torch.inf)
    target = torch.arange(len(moves), device=moves.device)
    return (cross_entropy(similar, target) + cross_entropy(similar.T, target)) / 2


def divergence(first: Latent, second: Latent | None) -> Float[Tensor, ""]:
    """Mean KL of one Gaussian from another, or from the standard one."""
    other_mean = torch.zeros_like(first.mean) if second is None else second.mean
    other_log = torch.zeros_like(first.mean) if second is None else second.log_variance
    apart = (first.mean - other_mean).square()
    ratio = (first.log_variance.exp() + apart) / other_log.exp()
    return (other_log - first.log_variance + ratio - 1).mean() / 2


def teaching_loss(
    pair: ContrastivePair,
    decoder: SequenceDecoder,
    batch: TeachingBatch,
    weights: LossWeights,
    dice: torch.Generator,
) -> Float[Tensor, ""]:
    """All terms of CLaTr's and TMR's loss."""
    moves = pair.moves(batch.moves, batch.moves_mask)
    words = pair.words(batch.words, batch.words_mask)
    rebuilt = torch.zeros((), device=batch.moves.device)
    for latent in (moves, words):
        noise = torch.randn(latent.mean.shape, generator=dice, device=dice.device)
        drawn = latent.mean + torch.exp(latent.log_variance / 2) * noise
        made = decoder(drawn, batch.moves_mask)
        error = smooth_l1_loss(made, batch.moves, reduction="none").mean(-1)
        rebuilt = rebuilt + error.where(batch.moves_mask, 0).sum() / batch.moves_mask.sum()
    spread = (
        divergence(moves, words)
        + divergence(words, moves)
        + divergence(moves, None)
        + divergence(words, None)
    )
    return (
        weights.contrast * contrast(moves.mean, words.mean, batch.stranger, weights.temperature)
        + weights.reconstruction * rebuilt
        + weights.divergence * spread
        + weights.latent * smooth_l1_loss(words.mean, moves.mean)
    )
