"""Classifier-free guidance: how hard sampling follows the words."""

import torch
from jaxtyping import Float
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
