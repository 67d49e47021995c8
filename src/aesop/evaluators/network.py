"""Encoders that turn a sequence of any length into one Gaussian, as CLaTr and TMR do, and the
decoder that training needs to keep more in it than the words say."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import pad

DROPOUT = 0.1


@dataclass(frozen=True)
class EncoderShape:
    """Sizes of one encoder. `patch` items (frames or text tokens) are read as one."""

    features: int
    width: int
    layers: int
    heads: int
    feed_forward: int
    patch: int = 1


@dataclass(frozen=True, eq=False)
class Latent:
    """A Gaussian per sequence; its mean is the embedding."""

    mean: Float[Tensor, "batch width"]
    log_variance: Float[Tensor, "batch width"]


def position_waves(count: int, width: int, like: Tensor) -> Float[Tensor, "count width"]:
    """Sines at even and cosines at odd columns, from wavelength 2π to 10,000·2π."""
    place = torch.arange(count, device=like.device, dtype=torch.float32)[:, None]
    rate = torch.exp(torch.arange(0, width, 2, device=like.device) * (-math.log(10_000.0) / width))
    return torch.stack([torch.sin(place * rate), torch.cos(place * rate)], dim=-1).flatten(1)


class SequenceEncoder(nn.Module):
    """Two learned tokens read the sequence; what they become is mean and log-variance."""

    def __init__(self, shape: EncoderShape) -> None:
        super().__init__()
        self.shape = shape
        self.projection = nn.Linear(shape.features * shape.patch, shape.width)
        self.tokens = nn.Parameter(torch.randn(2, shape.width))
        self.dropout = nn.Dropout(DROPOUT)
        layer = nn.TransformerEncoderLayer(
            shape.width, shape.heads, shape.feed_forward, DROPOUT, "gelu", batch_first=True
        )
        self.blocks = nn.TransformerEncoder(layer, shape.layers, enable_nested_tensor=False)

    def forward(
        self, items: Float[Tensor, "batch items features"], mask: Bool[Tensor, "batch items"]
    ) -> Latent:
        # Filled, not multiplied: not even a NaN in the padding may pass.
        items = items.masked_fill(~mask[..., None], 0)
        short = -items.shape[1] % self.shape.patch
        patches = pad(items, (0, 0, 0, short)).unflatten(1, (-1, self.shape.patch)).flatten(2)
        kept = pad(mask, (0, short))[:, :: self.shape.patch]
        states = torch.cat(
            [self.tokens.expand(len(items), -1, -1), self.projection(patches)], dim=1
        )
        waves = position_waves(states.shape[1], self.shape.width, states).to(states.dtype)
        padding = torch.cat([torch.zeros_like(kept[:, :1]).expand(-1, 2), ~kept], dim=1)
        states = self.blocks(self.dropout(states + waves), src_key_padding_mask=padding)
        return Latent(states[:, 0], states[:, 1])


class SequenceDecoder(nn.Module):
    """From one latent vector back to a sequence; used in training only."""

    def __init__(self, shape: EncoderShape, layers: int) -> None:
        super().__init__()
        self.shape = shape
        layer = nn.TransformerDecoderLayer(
            shape.width, shape.heads, shape.feed_forward, DROPOUT, "gelu", batch_first=True
        )
        self.blocks = nn.TransformerDecoder(layer, layers)
        self.last = nn.Linear(shape.width, shape.features * shape.patch)

    def forward(
        self, latent: Float[Tensor, "batch width"], mask: Bool[Tensor, "batch items"]
    ) -> Float[Tensor, "batch items features"]:
        kept = mask[:, :: self.shape.patch]
        waves = position_waves(kept.shape[1], self.shape.width, latent).to(latent.dtype)
        queries = waves.expand(len(latent), -1, -1)
        states = self.blocks(queries, latent[:, None], tgt_key_padding_mask=~kept)
        items = self.last(states).unflatten(2, (self.shape.patch, -1)).flatten(1, 2)
        return items[:, : mask.shape[1]]


class ContrastivePair(nn.Module):
    """An encoder of paths or motions and an encoder of words into the same space, with the
    statistics by which inputs of the first are standardised."""

    mean: Tensor
    spread: Tensor

    def __init__(self, moves: EncoderShape, words: EncoderShape) -> None:
        assert moves.width == words.width
        super().__init__()
        self.moves = SequenceEncoder(moves)
        self.words = SequenceEncoder(words)
        self.register_buffer("mean", torch.zeros(moves.features))
        self.register_buffer("spread", torch.ones(moves.features))

    @property
    def width(self) -> int:
        return self.moves.shape.width

    def standard(self, items: Float[Tensor, "*batch features"]) -> Float[Tensor, "*batch features"]:
        """Inputs as the first encoder reads them."""
        return (items - self.mean) / self.spread
