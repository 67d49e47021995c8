"""Parts of which the baselines' Transformers are made: attention with masked keys, feed-forward
layers, positions and time embeddings."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import dropout, scaled_dot_product_attention

from aesop.models.blocks import attention_bias, waves


class Attention(nn.Module):
    """Queries of one sequence read keys and values of the same or another. Masked keys are never
    read; a row whose keys are all masked reads all, and whoever asks masks what it says."""

    def __init__(self, width: int, heads: int, rate: float = 0.0) -> None:
        super().__init__()
        assert width % heads == 0
        self.heads, self.rate = heads, rate
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.join = nn.Linear(width, width)

    def forward(
        self,
        states: Float[Tensor, "batch tokens width"],
        context: Float[Tensor, "batch keys width"],
        readable: Bool[Tensor, "batch keys"],
        turned: tuple[Tensor, Tensor] | None = None,
    ) -> Float[Tensor, "batch tokens width"]:
        """`turned` holds states and context with positions turned into them (rotary), for queries
        and keys only; values are read as they are."""
        asking, offering = (states, context) if turned is None else turned
        query = self._heads(self.query(asking))
        if turned is None:
            key, value = self.key_value(context).chunk(2, dim=-1)
        else:
            weights, biases = self.key_value.weight.chunk(2), self.key_value.bias.chunk(2)
            key = nn.functional.linear(offering, weights[0], biases[0])
            value = nn.functional.linear(context, weights[1], biases[1])
        bias = attention_bias(readable, query.dtype)
        read = scaled_dot_product_attention(
            query,
            self._heads(key),
            self._heads(value),
            attn_mask=bias,
            dropout_p=self.rate if self.training else 0.0,
        )
        return self.join(read.transpose(1, 2).flatten(-2))

    def _heads(self, values: Float[Tensor, "batch items width"]) -> Tensor:
        return values.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class FeedForward(nn.Sequential):
    """Wider and back, with dropout on what is wide."""

    def __init__(self, width: int, hidden: int, rate: float = 0.0) -> None:
        super().__init__(
            nn.Linear(width, hidden), nn.GELU(), nn.Dropout(rate), nn.Linear(hidden, width)
        )


def positions(count: int, width: int, like: Tensor, first: int = 0) -> Float[Tensor, "count width"]:
    """Sinusoidal positions from `first` on, in single precision: so are the sums they enter."""
    places = torch.arange(first, first + count, device=like.device).float()
    return waves(places, width)


def drop_branch(
    branch: Float[Tensor, "batch tokens width"], rate: float, *, training: bool
) -> Float[Tensor, "batch tokens width"]:
    """Stochastic depth: a whole residual branch is left out of some rows, and weighs more in the
    others."""
    if not training or rate == 0:
        return branch
    return branch * dropout(branch.new_ones(len(branch), 1, 1), rate)


def rotary(values: Float[Tensor, "batch items width"]) -> Float[Tensor, "batch items width"]:
    """Pairs of columns turned by angles that grow with the place: before heads are split, as
    EDGE does."""
    items, width = values.shape[1:]
    exponents = torch.arange(0, width, 2, device=values.device).float() / width
    angles = torch.arange(items, device=values.device)[:, None] * torch.exp(
        -math.log(10_000.0) * exponents
    )
    cos, sin = angles.cos().to(values.dtype), angles.sin().to(values.dtype)
    even, odd = values[..., 0::2], values[..., 1::2]
    turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1)
    return turned.flatten(-2)


def parameter_count(network: nn.Module) -> int:
    return sum(values.numel() for values in network.parameters())
