"""The flow network as sampling runs it: everything that does not change between steps done once.

Words and human are projected to keys and values, all flow times to modulations, and masks that mask
nothing are left away. Answers equal `FlowTransformer.velocity` up to rounding.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import gelu, layer_norm, scaled_dot_product_attention

from aesop.models.blocks import Block, attention_bias
from aesop.models.velocity import FlowContext, FlowTransformer, Modulations


@dataclass(frozen=True, eq=False)
class StepConstants:
    """What one batch of requests needs at every step. `valid` is None where nothing is padded."""

    valid: Bool[Tensor, "batch tokens 1"] | None
    places: Float[Tensor, "tokens width"]
    self_bias: Float[Tensor, "batch 1 1 tokens"] | None
    text_bias: Float[Tensor, "batch 1 1 words"] | None
    text: tuple[Tensor, ...]
    human: tuple[Tensor | None, ...]


class Stepper:
    """Velocity of one batch at the flow times it was made for."""

    def __init__(
        self, network: FlowTransformer, context: FlowContext, times: Float[Tensor, " times"]
    ) -> None:
        assert not network.training, "sampling wants a network that is ready to use"
        prepared = network.prepare(context)
        dtype = prepared.text[0].dtype
        self._network = network
        self._times = times.to(device=context.mask.device, dtype=torch.float32)
        self._frozen = StepConstants(
            valid=None if bool(context.mask.all()) else context.mask[..., None],
            places=network.positions[: context.mask.shape[1]],
            self_bias=_bias(context.mask, dtype),
            text_bias=_bias(_readable(context), dtype),
            text=prepared.text,
            human=prepared.human,
        )
        self._modulations = network.modulations(self._times, _distinct(context.intensity))

    def __call__(
        self, latents: Float[Tensor, "batch tokens latent"], flow_time: Float[Tensor, ""]
    ) -> Float[Tensor, "batch tokens latent"]:
        """Velocity at one of the times; zero at padded tokens."""
        frozen, network = self._frozen, self._network
        # Found on the device: asking the host would stop the device at every step.
        place = (self._times - flow_time).abs().argmin().view(1)
        modulations = Modulations(
            self._modulations.blocks.index_select(0, place)[0],
            self._modulations.head.index_select(0, place)[0],
        )
        clean = latents if frozen.valid is None else latents.masked_fill(~frozen.valid, 0)
        states = network.latents_in(clean.to(frozen.places.dtype)) + frozen.places
        for index, block in enumerate(network.blocks):
            assert isinstance(block, Block)
            states = _through(block, states, modulations.blocks[:, index], index, frozen)
        shift, scale = modulations.head.unbind(1)
        out = network.head(_modulated(states, shift, scale)).to(latents.dtype)
        return out if frozen.valid is None else out.masked_fill(~frozen.valid, 0)


def _through(
    block: Block,
    states: Float[Tensor, "batch tokens width"],
    modulation: Float[Tensor, "rows 6 width"],
    index: int,
    frozen: StepConstants,
) -> Float[Tensor, "batch tokens width"]:
    shift, scale, gate, late_shift, late_scale, late_gate = modulation.unbind(1)
    itself, heads = block.itself, block.itself.heads
    together = itself.query_key_value(_modulated(states, shift, scale))
    query, key, value = together.unflatten(-1, (3, heads, -1)).transpose(1, 3).unbind(2)
    attended = scaled_dot_product_attention(query, key, value, attn_mask=frozen.self_bias)
    states = _gated(states, itself.join(attended.transpose(1, 2).flatten(-2)), gate)
    reading = [(block.text, frozen.text[index], frozen.text_bias)]
    if block.human is not None:
        keys_values = frozen.human[index]
        assert keys_values is not None
        reading.append((block.human, keys_values, frozen.self_bias))
    for attention, keys_values, bias in reading:
        query = attention.query(attention.norm(states)).unflatten(-1, (heads, -1)).transpose(1, 2)
        key, value = keys_values.unbind(0)
        attended = scaled_dot_product_attention(query, key, value, attn_mask=bias)
        states = states + attention.join(attended.transpose(1, 2).flatten(-2))
    inner = gelu(block.widen(_modulated(states, late_shift, late_scale)))
    return _gated(states, block.narrow(inner), late_gate)


def _modulated(
    states: Float[Tensor, "batch tokens width"],
    shift: Float[Tensor, "rows width"],
    scale: Float[Tensor, "rows width"],
) -> Float[Tensor, "batch tokens width"]:
    width = states.shape[-1:]
    if len(shift) == 1:  # one row for all clips: the norm itself can apply it
        return layer_norm(states, width, 1 + scale[0], shift[0])
    return torch.addcmul(shift[:, None], layer_norm(states, width), 1 + scale[:, None])


def _gated(
    states: Float[Tensor, "batch tokens width"],
    inner: Float[Tensor, "batch tokens width"],
    gate: Float[Tensor, "rows width"],
) -> Float[Tensor, "batch tokens width"]:
    return torch.addcmul(states, inner, gate[:, None])


def _bias(
    mask: Bool[Tensor, "batch keys"], dtype: torch.dtype
) -> Float[Tensor, "batch 1 1 keys"] | None:
    return None if bool(mask.all()) else attention_bias(mask, dtype)


def _readable(context: FlowContext) -> Bool[Tensor, "batch words"]:
    """Real words; and for clips without words all places, since each then holds the null text and
    reading it many times is reading it once."""
    mask = context.text.mask
    return mask | (context.drop_text | ~mask.any(-1))[:, None]


def _distinct(intensity: Float[Tensor, " batch"] | None) -> Float[Tensor, " rows"] | None:
    """One intensity if all clips share it."""
    if intensity is None or not bool((intensity == intensity[0]).all()):
        return intensity
    return intensity[:1]
