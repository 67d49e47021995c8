"""What a flow is told about the clips it works on."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from aesop.text.encoder import TextFeatures


@dataclass(frozen=True, eq=False)
class FlowContext:
    """One batch of clips. Where `drop_text` is true the flow sees its learned null text instead.

    Camera flows also get the human (`seen_human`) and, unless every clip has the default, the
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
        return torch.cat([values, values])

    text = context.text
    return FlowContext(
        mask=twice(context.mask),
        text=TextFeatures(twice(text.tokens), twice(text.mask), twice(text.pooled)),
        drop_text=torch.cat([context.drop_text, torch.ones_like(context.drop_text)]),
        human=None if context.human is None else twice(context.human),
        intensity=None if context.intensity is None else twice(context.intensity),
    )
