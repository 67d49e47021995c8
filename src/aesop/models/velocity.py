"""The flow Transformers: velocity of latents, given flow time, words, intensity and, for cameras,
the human."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import silu

from aesop.features.human_features import STAND_WIDTH
from aesop.models.blocks import (
    DROPS,
    MODULATIONS,
    Block,
    Dense,
    Dice,
    HumanKeysValues,
    TextKeysValues,
    TimeCondition,
    attention_bias,
    modulated_norm,
    start_at_zero,
    start_evenly,
    waves,
)
from aesop.models.short_attention import random_words
from aesop.text.encoder import TextFeatures, as_single_token


@dataclass(frozen=True, eq=False)
class FlowContext:
    """One batch of clips. Where `drop_text` is true the flow sees its learned null text instead.

    Camera flows also get the human (`human_condition`) and, unless every clip has the default, the
    intensities.
    """

    mask: Bool[Tensor, "batch tokens"]
    text: TextFeatures
    drop_text: Bool[Tensor, " batch"]
    human: Float[Tensor, "batch tokens human_width"] | None = None
    intensity: Float[Tensor, " batch"] | None = None


def with_text(
    mask: Bool[Tensor, "batch tokens"],
    text: TextFeatures,
    human: Float[Tensor, "batch tokens human_width"] | None = None,
    intensity: Float[Tensor, " batch"] | None = None,
) -> FlowContext:
    """A context in which every clip's words are read."""
    assert len(text) == len(mask)
    return FlowContext(mask, text, torch.zeros_like(mask[:, 0]), human, intensity)


def with_and_without_text(context: FlowContext) -> FlowContext:
    """Twice the batch, for guidance: first as it is, then with the null text, all else alike."""

    def twice(values: Tensor) -> Tensor:
        return values.repeat(2, *[1] * (values.ndim - 1))  # autocast would not join halves

    text = context.text
    return FlowContext(
        mask=twice(context.mask),
        text=TextFeatures(twice(text.tokens), twice(text.mask), twice(text.pooled)),
        drop_text=torch.cat([context.drop_text, torch.ones_like(context.drop_text)]),
        human=None if context.human is None else twice(context.human),
        intensity=None if context.intensity is None else twice(context.intensity),
    )


# A hidden unit of weight k computes SiLU(k·x)/k, which is max(x, 0) to 1/500 where |x| > 0.1.
_HINGE = 64.0


class IntensityEmbedding(nn.Module):
    """Adds nothing, to the last bit, where the intensity is 1; starts by adding nothing at all."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.first = Dense(2, hidden, bias=False)
        self.second = Dense(hidden, width, bias=False)
        nn.init.zeros_(self.second.weight)

    def forward(
        self, condition: Float[Tensor, "batch width"], intensity: Float[Tensor, " batch"]
    ) -> Float[Tensor, "batch width"]:
        """The condition with the intensity added."""
        beyond = intensity.to(torch.float32) - 1
        powers = torch.stack([beyond, beyond.square()], dim=-1).to(self.first.weight.dtype)
        moved = condition + self.second(silu(self.first(powers)))
        # Chosen, not added: adding zero would still turn −0.0 into 0.0.
        return torch.where((beyond == 0)[:, None], condition, moved)

    def straighten(self, below: float, above: float) -> None:
        """Keep the values at two intensities and go straight through each of them from one: below
        one the embedding is 1 − a times one vector, above it a − 1 times another.

        A curved embedding fits targets that change in more than travel, because long ways can
        hardly be made longer, and turns away from travel where such targets begin.
        """
        assert 0 <= below < 1 < above
        with torch.no_grad():
            ends = torch.tensor([below, above], device=self.first.weight.device)
            nothing = torch.zeros(2, len(self.second.weight), device=ends.device)
            steps = self(nothing.to(self.second.weight), ends) / (ends - 1).abs()[:, None]
            self.forget()
            self.second.weight[:, :2] = steps.T / _HINGE

    def shorten(self, above: float) -> None:
        """Go only so far along the line above one. Both lines must be straight, as `straighten` and
        `forget` leave them."""
        with torch.no_grad():
            self.second.weight[:, 1] *= above

    def forget(self) -> None:
        """Add nothing again, and learn two straight lines from here: all other units are at rest
        and get no gradient."""
        with torch.no_grad():
            self.first.weight.zero_()
            self.second.weight.zero_()
            self.first.weight[:2, 0] = torch.tensor([-_HINGE, _HINGE])


@dataclass(frozen=True)
class VelocityShape:
    """Sizes of a flow Transformer. `human` is the width of human latents; 0 in the human flow.

    Latents of the human tell of steps and turns, not of places. With `reads_stand` they are
    followed by where the human stands and faces, the sum of those steps (`stand_from_features`):
    adding up hundreds of them, each turned by the sum of the turns, is hard to learn.

    `modulation`: every block projects the time condition for itself, or all share one projection
    and own only an offset, which buys depth where parameters are few.
    """

    latent: int
    text: int
    human: int = 0
    width: int = 512
    depth: int = 12
    heads: int = 8
    ffn: int = 4
    dropout: float = 0.1
    intensity_hidden: int = 64
    max_tokens: int = 75
    text_mode: Literal["sequence", "pooled"] = "sequence"
    modulation: Literal["per_block", "shared"] = "per_block"
    reads_stand: bool = False

    @property
    def human_read(self) -> int:
        """Numbers that the camera flow reads of every token of the human."""
        return self.human + STAND_WIDTH * self.reads_stand

    def __post_init__(self) -> None:
        assert self.width % self.heads == 0 and self.width % 2 == 0
        assert self.human > 0 or not self.reads_stand


def human_condition(
    shape: VelocityShape,
    latents: Float[Tensor, "*batch tokens latent"],
    stands: Float[Tensor, "*batch tokens 5"],
) -> Float[Tensor, "*batch tokens human_width"]:
    """What a camera flow of that shape reads of the human: whitened latents, and where the human
    stands at the first frame of every token if it asks for that."""
    return torch.cat([latents, stands.to(latents)], dim=-1) if shape.reads_stand else latents


@dataclass(frozen=True, eq=False)
class Prepared:
    """A context as the blocks read it: keys and values of every block, biases for masked keys."""

    mask: Bool[Tensor, "batch tokens"]
    self_bias: Float[Tensor, "batch 1 1 tokens"]
    text_bias: Float[Tensor, "batch 1 1 words"]
    text: tuple[TextKeysValues, ...]
    human: tuple[HumanKeysValues | None, ...]
    intensity: Float[Tensor, " batch"] | None


@dataclass(frozen=True, eq=False)
class Modulations:
    """Shift, scale and gate of every block, and shift and scale of the head."""

    blocks: Float[Tensor, "*times rows depth 6 width"]
    head: Float[Tensor, "*times rows 2 width"]


class FlowTransformer(nn.Module):
    """The human flow, or with human latents in its shape the camera flow."""

    positions: Tensor

    def __init__(self, shape: VelocityShape) -> None:
        super().__init__()
        self.shape = shape
        # Set where blocks are compiled: see `hashed` and `short_attention`.
        self.hashes_dropout = False
        width, has_human = shape.width, shape.human > 0
        self.latents_in = Dense(shape.latent, width)
        self.register_buffer(
            "positions", waves(torch.arange(shape.max_tokens).float(), width), persistent=False
        )
        self.time = TimeCondition(width)
        self.text_in = Dense(shape.text, width)
        self.null_text = nn.Parameter(torch.randn(width))
        self.text_norm = nn.LayerNorm(width)
        # One projection for the keys and values of all blocks: one large product, not many small.
        self.text_keys_values = Dense(width, shape.depth * 2 * width)
        self.human_in = Dense(shape.human_read, width) if has_human else None
        self.human_norm = nn.LayerNorm(width) if has_human else None
        self.human_keys_values = Dense(width, shape.depth * 2 * width) if has_human else None
        self.intensity = IntensityEmbedding(width, shape.intensity_hidden) if has_human else None
        self.blocks = nn.ModuleList(
            Block(width, shape.heads, shape.ffn * width, shape.dropout, has_human)
            for _ in range(shape.depth)
        )
        projections = shape.depth if shape.modulation == "per_block" else 1
        self.modulation = Dense(width, projections * MODULATIONS * width)
        shared = shape.modulation == "shared"
        offsets = torch.zeros(shape.depth, MODULATIONS, width)
        self.modulation_offsets = nn.Parameter(offsets) if shared else None
        self.head_modulation = Dense(width, 2 * width)
        self.head = Dense(width, shape.latent)
        self._start()

    def _start(self) -> None:
        """Gates and head start at zero: an untrained network is at rest."""
        even = (self.latents_in, self.text_in, self.text_keys_values)
        for linear in (*even, self.human_in, self.human_keys_values):
            if linear is not None:
                start_evenly(linear)
        for linear in (self.modulation, self.head_modulation, self.head):
            start_at_zero(linear)

    def forward(
        self,
        latents: Float[Tensor, "batch tokens latent"],
        flow_time: Float[Tensor, " batch"],
        context: FlowContext,
    ) -> Float[Tensor, "batch tokens latent"]:
        """Velocity in one call, as training needs it."""
        return self.velocity(latents, flow_time, self.prepare(context))

    def prepare(self, context: FlowContext) -> Prepared:
        """Project words and human once for all steps and blocks."""
        words, readable = self._read_text(context)
        text = self._per_block(self.text_keys_values(words))
        human: tuple[Tensor | None, ...] = (None,) * self.shape.depth
        assert (context.human is None) == (self.human_in is None), "only cameras see the human"
        if self.human_in is not None and context.human is not None:
            assert self.human_norm is not None and self.human_keys_values is not None
            valid = context.human.masked_fill(~context.mask[..., None], 0)
            embedded = self.human_in(valid.to(self.human_in.weight.dtype)) + self._places(
                context.mask
            )
            keys_values = self.human_keys_values(self.human_norm(embedded))
            human = self._per_block(keys_values)
        dtype = text[0].dtype
        return Prepared(
            mask=context.mask,
            self_bias=attention_bias(context.mask, dtype),
            text_bias=attention_bias(readable, dtype),
            text=text,
            human=human,
            intensity=context.intensity,
        )

    def velocity(
        self,
        latents: Float[Tensor, "batch tokens latent"],
        flow_time: Float[Tensor, " batch"],
        prepared: Prepared,
    ) -> Float[Tensor, "batch tokens latent"]:
        """Velocity at a flow time; zero at tokens that are not valid, in the latents' type."""
        invalid = ~prepared.mask[..., None]
        clean = latents.masked_fill(invalid, 0).to(self.latents_in.weight.dtype)
        states = self.latents_in(clean) + self._places(prepared.mask)
        condition = self._condition(flow_time, prepared.intensity)
        # Unbound: one gradient for all; slices would each fill a whole one.
        modulations = self._block_modulations(condition).unbind(1)
        dice = self._dice(latents.device)
        for index, block in enumerate(self.blocks):
            words = (prepared.text[index], prepared.text_bias)
            human = prepared.human[index]
            states = block(
                states, modulations[index], prepared.self_bias, words, human, dice[index]
            )
        shift, scale = self.head_modulation(condition).chunk(2, dim=-1)
        out = self.head(modulated_norm(states, shift, scale))
        return out.to(latents.dtype).masked_fill(invalid, 0)

    def field(self, prepared: Prepared) -> Callable[[Tensor, Tensor], Tensor]:
        """Velocity as solvers ask for it: one flow time for the whole batch."""

        def velocity(
            latents: Float[Tensor, "batch tokens latent"], flow_time: Float[Tensor, ""]
        ) -> Float[Tensor, "batch tokens latent"]:
            return self.velocity(latents, flow_time.expand(len(latents)), prepared)

        return velocity

    def modulations(
        self,
        times: Float[Tensor, " times"],
        intensity: Float[Tensor, " rows"] | None,
    ) -> Modulations:
        """What the condition tells every block at every one of these times; one row for all clips
        if no intensities are given."""
        rows = 1 if intensity is None else len(intensity)
        every = None if intensity is None else intensity.repeat(len(times))
        condition = self._condition(times.repeat_interleave(rows), every)
        blocks = self._block_modulations(condition)
        head = self.head_modulation(condition).unflatten(-1, (2, -1))
        apart = (len(times), rows)
        return Modulations(blocks.unflatten(0, apart), head.unflatten(0, apart))

    def _block_modulations(
        self, condition: Float[Tensor, "rows width"]
    ) -> Float[Tensor, "rows depth 6 width"]:
        own = self.modulation(condition).unflatten(-1, (-1, MODULATIONS, self.shape.width))
        return own if self.modulation_offsets is None else own + self.modulation_offsets

    def _condition(
        self,
        flow_time: Float[Tensor, " batch"],
        intensity: Float[Tensor, " batch"] | None,
    ) -> Float[Tensor, "batch width"]:
        condition = self.time(flow_time)
        if intensity is not None:
            assert self.intensity is not None, "the human flow has no intensity"
            condition = self.intensity(condition, intensity)
        return silu(condition)

    def _read_text(
        self, context: FlowContext
    ) -> tuple[Float[Tensor, "batch words width"], Bool[Tensor, "batch words"]]:
        """Projected words, and which to read. A clip without words reads the null text."""
        text: TextFeatures = context.text
        if self.shape.text_mode == "pooled":
            text = as_single_token(text)
        tokens = text.tokens.masked_fill(~text.mask[..., None], 0)
        silent = (context.drop_text | ~text.mask.any(-1))[:, None]
        first = torch.arange(text.mask.shape[1], device=text.mask.device)[None] == 0
        projected = self.text_in(tokens.to(self.text_in.weight.dtype))
        projected = torch.where(silent[..., None], self.null_text.to(projected.dtype), projected)
        return self.text_norm(projected), torch.where(silent, first, text.mask)

    def _dice(self, device: torch.device) -> tuple[Dice | None, ...]:
        depth = self.shape.depth
        if not (self.hashes_dropout and self.training):
            return (None,) * depth
        return random_words((depth, DROPS), device).unbind(0)

    def _places(self, mask: Bool[Tensor, "batch tokens"]) -> Float[Tensor, "tokens width"]:
        assert mask.shape[1] <= self.shape.max_tokens, "cut the clip into windows first"
        return self.positions[: mask.shape[1]]

    def _per_block(
        self, projected: Float[Tensor, "batch keys _"]
    ) -> tuple[Float[Tensor, "2 batch heads keys head_width"], ...]:
        """Keys and values of each block, split into heads."""
        split = projected.unflatten(-1, (self.shape.depth, 2, self.shape.heads, -1))
        # Taken apart before they are turned: gradients are put together as the product needs them.
        return tuple(block.permute(2, 0, 3, 1, 4) for block in split.unbind(2))
