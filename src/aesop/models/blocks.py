"""Parts of the flow Transformers: positions, time, masks, attention and one block."""

import math

import torch
from jaxtyping import Bool, Float, Int32
from torch import Tensor, nn
from torch.nn.functional import (
    dropout,
    gelu,
    layer_norm,
    pad,
    scaled_dot_product_attention,
    silu,
)

from aesop.core.linear_products import linear
from aesop.models.short_attention import hashed_dropout, short_attention

# Keys and values of one cross-attention, over words or over the human's tokens.
TextKeysValues = Float[Tensor, "2 batch heads words head_width"]
HumanKeysValues = Float[Tensor, "2 batch heads tokens head_width"]

# Random words for the dropout of one block.
Dice = Int32[Tensor, "drops 2"]

TIME_WAVES = 256
TIME_SCALE = 1000.0
LONGEST_PERIOD = 10000.0
DROPS = 8  # places in a block where dropout acts: three attentions, what they say, feed-forward
MODULATIONS = 6  # shift, scale and gate, for self-attention and for the feed-forward part
# CUDA's attention copies a mask whose rows do not start at multiples of this many elements.
MASK_ALIGNMENT = 8


class Dense(nn.Linear):
    """A linear layer that is quick on this processor, too."""

    def forward(self, input: Float[Tensor, "*batch inputs"]) -> Float[Tensor, "*batch outputs"]:
        return linear(input, self.weight, self.bias)


def start_evenly(layer: nn.Linear) -> None:
    """Initial weights that keep the variance of what passes through; biases zero."""
    bound = math.sqrt(3 / layer.in_features)
    nn.init.uniform_(layer.weight, -bound, bound)
    nn.init.zeros_(layer.bias)


def start_at_zero(layer: nn.Linear) -> None:
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)


def waves(places: Float[Tensor, " places"], width: int) -> Float[Tensor, "places width"]:
    """Cosines and sines of falling frequency, in float32."""
    half = width // 2
    exponents = torch.arange(half, dtype=torch.float32, device=places.device) / half
    angles = places.float()[:, None] * torch.exp(-math.log(LONGEST_PERIOD) * exponents)
    return torch.cat([angles.cos(), angles.sin()], dim=-1)


def attention_bias(
    mask: Bool[Tensor, "batch keys"], dtype: torch.dtype
) -> Float[Tensor, "batch 1 1 keys"]:
    """0 at keys to read, −∞ at the others. A row without any key may read all: what it then says
    is finite and masked later, where −∞ everywhere would say NaN."""
    readable = mask | ~mask.any(-1, keepdim=True)
    keys = mask.shape[1]
    bias = torch.zeros(readable.shape, dtype=dtype, device=mask.device)
    bias = bias.masked_fill(~readable, -torch.inf)
    return pad(bias, (0, -keys % MASK_ALIGNMENT))[:, None, None, :keys]


class TimeCondition(nn.Module):
    """One vector per clip that says how noisy its latents are."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = Dense(TIME_WAVES, width)
        self.second = Dense(width, width)
        start_evenly(self.first)
        start_evenly(self.second)

    def forward(self, flow_time: Float[Tensor, " batch"]) -> Float[Tensor, "batch width"]:
        angles = waves(TIME_SCALE * flow_time.float(), TIME_WAVES)
        return self.second(silu(self.first(angles.to(self.first.weight.dtype))))


def modulated_norm(
    states: Float[Tensor, "batch tokens width"],
    shift: Float[Tensor, "batch width"],
    scale: Float[Tensor, "batch width"],
) -> Float[Tensor, "batch tokens width"]:
    """Layer norm whose shift and scale come from the condition."""
    normal = layer_norm(states, states.shape[-1:])
    return normal * (1 + scale[:, None]) + shift[:, None]


class _Attention(nn.Module):
    """What self- and cross-attention share: heads, reading, and joining what was read."""

    def __init__(self, width: int, heads: int, rate: float) -> None:
        super().__init__()
        self.heads, self.rate = heads, rate
        self.join = Dense(width, width)
        start_evenly(self.join)

    def read(
        self,
        query: Float[Tensor, "batch heads tokens head_width"],
        keys_values: Float[Tensor, "2 batch heads keys head_width"],
        bias: Float[Tensor, "batch 1 1 keys"],
    ) -> Float[Tensor, "batch tokens width"]:
        rate = self.rate if self.training else 0.0
        key, value = keys_values.unbind(0)
        attended = scaled_dot_product_attention(query, key, value, attn_mask=bias, dropout_p=rate)
        return self.join(attended.transpose(1, 2).flatten(-2))


class SelfAttention(_Attention):
    """Tokens read each other."""

    def __init__(self, width: int, heads: int, rate: float) -> None:
        super().__init__(width, heads, rate)
        self.query_key_value = Dense(width, 3 * width)
        start_evenly(self.query_key_value)

    def forward(
        self,
        states: Float[Tensor, "batch tokens width"],
        bias: Float[Tensor, "batch 1 1 tokens"],
        words: Int32[Tensor, "2"] | None = None,
    ) -> Float[Tensor, "batch tokens width"]:
        together = self.query_key_value(states).unflatten(-1, (3, self.heads, -1))
        if words is not None:
            return self.join(short_attention(together, None, bias, self.rate, words))
        query_key_value = together.permute(2, 0, 3, 1, 4)
        return self.read(query_key_value[0], query_key_value[1:], bias)


class CrossAttention(_Attention):
    """Tokens read a context whose keys and values were made outside, once for all steps."""

    def __init__(self, width: int, heads: int, rate: float) -> None:
        super().__init__(width, heads, rate)
        self.norm = nn.LayerNorm(width)
        self.query = Dense(width, width)
        start_evenly(self.query)

    def forward(
        self,
        states: Float[Tensor, "batch tokens width"],
        keys_values: Float[Tensor, "2 batch heads keys head_width"],
        bias: Float[Tensor, "batch 1 1 keys"],
        words: Int32[Tensor, "2"] | None = None,
    ) -> Float[Tensor, "batch tokens width"]:
        query = self.query(self.norm(states)).unflatten(-1, (1, self.heads, -1))
        if words is not None:
            context = keys_values.permute(1, 3, 0, 2, 4)
            return self.join(short_attention(query, context, bias, self.rate, words))
        return self.read(query[:, :, 0].transpose(1, 2), keys_values, bias)


class Block(nn.Module):
    """Self-attention, text, (human,) feed-forward. Pre-norm; the condition gates first and last."""

    def __init__(self, width: int, heads: int, hidden: int, rate: float, has_human: bool) -> None:
        super().__init__()
        self.rate = rate
        self.itself = SelfAttention(width, heads, rate)
        self.text = CrossAttention(width, heads, rate)
        self.human = CrossAttention(width, heads, rate) if has_human else None
        self.widen = Dense(width, hidden)
        self.narrow = Dense(hidden, width)
        start_evenly(self.widen)
        start_evenly(self.narrow)

    def forward(
        self,
        states: Float[Tensor, "batch tokens width"],
        modulation: Float[Tensor, "batch 6 width"],
        self_bias: Float[Tensor, "batch 1 1 tokens"],
        text: tuple[TextKeysValues, Float[Tensor, "batch 1 1 words"]],
        human: HumanKeysValues | None,
        dice: Dice | None = None,
    ) -> Float[Tensor, "batch tokens width"]:
        """Dropout draws from torch's generator, or is a hash of `dice` where those are given."""
        shift, scale, gate, late_shift, late_scale, late_gate = modulation.unbind(1)
        own, text_own, human_own, *drops = (None,) * DROPS if dice is None else dice.unbind(0)
        inner = self.itself(modulated_norm(states, shift, scale), self_bias, own)
        states = states + gate[:, None] * self._dropped(inner, drops[0])
        states = states + self._dropped(self.text(states, *text, text_own), drops[1])
        if self.human is not None:
            # The human has a token for every token of the camera: one mask serves both.
            states = states + self._dropped(
                self.human(states, human, self_bias, human_own), drops[2]
            )
        inner = gelu(self.widen(modulated_norm(states, late_shift, late_scale)))
        inner = self.narrow(self._dropped(inner, drops[3]))
        return states + late_gate[:, None] * self._dropped(inner, drops[4])

    def _dropped(
        self, states: Float[Tensor, "*shape"], words: Int32[Tensor, "2"] | None
    ) -> Float[Tensor, "*shape"]:
        if words is None or self.rate == 0:
            return dropout(states, self.rate, self.training)
        return hashed_dropout(states, self.rate, words)
