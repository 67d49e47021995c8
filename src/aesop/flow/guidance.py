"""Classifier-free guidance: how hard sampling follows the words."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from aesop.flow.solvers import Velocity


def guided(velocity_of_both: Velocity, guidance: float | Float[Tensor, "batch 1 1"]) -> Velocity:
    """v_null + g·(v_words − v_null), from one evaluation; one g for all, or one for each clip.

    `velocity_of_both` takes a batch twice as long: its first half is conditioned on the words, its
    second half on no words, both on everything else alike.
    """

    def combined(
        latents: Float[Tensor, "batch tokens width"], flow_time: Float[Tensor, ""]
    ) -> Float[Tensor, "batch tokens width"]:
        both = velocity_of_both(torch.cat([latents, latents]), flow_time)
        with_words, without = both.chunk(2)
        return without + guidance * (with_words - without)

    return combined


@dataclass(frozen=True)
class Restraint:
    """What strong guidance is held back by, so that it does not tear what is sampled.

    `rescale` of 1 gives the guided clean latents the spread of those that follow the words as
    learned, 0 leaves them as they are.
    """

    rescale: float = 0.0


def guided_with_restraint(
    velocity_of_both: Velocity,
    guidance: Float[Tensor, "batch 1 1"],
    mask: Bool[Tensor, "batch tokens"],
    restraint: Restraint,
) -> Velocity:
    """`guided`, held back; padded tokens do not count. With `Restraint()` it is `guided`."""

    def combined(
        latents: Float[Tensor, "batch tokens width"], flow_time: Float[Tensor, ""]
    ) -> Float[Tensor, "batch tokens width"]:
        with_words, without = velocity_of_both(torch.cat([latents, latents]), flow_time).chunk(2)
        velocity = without + guidance * (with_words - without)
        if restraint.rescale == 0:
            return velocity
        clean = latents - flow_time * velocity
        learned = latents - flow_time * with_words
        ratio = _spread(learned, mask) / _spread(clean, mask)
        factor = 1 + restraint.rescale * (ratio - 1)
        return velocity + (1 - factor) * clean / flow_time

    return combined


def _spread(
    latents: Float[Tensor, "batch tokens width"], mask: Bool[Tensor, "batch tokens"]
) -> Float[Tensor, "batch 1 1"]:
    """Root of the mean square over the real tokens of every clip."""
    squares = latents.square().mean(-1).masked_fill(~mask, 0).sum(-1) / mask.sum(-1)
    return squares.sqrt()[:, None, None]
