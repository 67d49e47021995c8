"""Classifier-free guidance as the baselines combine it: from answers with more and more of the
condition, each of one batch."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

Answer = Float[Tensor, "batch items width"]


def guided(answers: Sequence[Answer], factors: Sequence[float]) -> Answer:
    """u + w₁·(a₁ − u) + w₂·(a₂ − a₁) + …: every answer reads more than the one before it, and every
    factor says how far to go towards it. One factor is usual guidance; all ones give the last
    answer."""
    assert len(answers) == len(factors) + 1
    total = answers[0]
    for before, after, factor in zip(answers[:-1], answers[1:], factors, strict=True):
        total = total + factor * (after - before)
    return total


def dropped(
    batch: int, chances: Sequence[float], dice: torch.Generator | None, device: torch.device
) -> list[Bool[Tensor, " batch"]]:
    """Whether each row goes without a condition, of every chance independently."""
    draws = torch.rand(len(chances), batch, generator=dice, device=device)
    return [draws[number] < chance for number, chance in enumerate(chances)]


def repeated(values: Tensor, times: int) -> Tensor:
    """A batch several times over, for answers that are asked for together."""
    return values.repeat(times, *[1] * (values.ndim - 1))
