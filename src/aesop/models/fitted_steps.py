"""The numbers of the preset `instant`: at which few times a flow is asked, and how the answers are
weighed. They belong to one flow, as a trained part does, and lie on disk like one."""

from dataclasses import dataclass

import torch
from jaxtyping import Float64
from torch import Tensor, nn


@dataclass(frozen=True)
class StepsShape:
    """How many calls there are, and in how many of them, the first ones, the velocity without words
    is asked for too. After those its last difference to the one with words holds. With none, what
    is weighed is the velocity as guidance makes it, which every call asks both for: guidance that
    is held back is no weighed sum of the two."""

    calls: int
    guided_calls: int

    def __post_init__(self) -> None:
        assert 0 <= self.guided_calls <= self.calls and self.calls > 0

    @property
    def weighs_guided(self) -> bool:
        """Whether velocities are weighed as guidance makes them."""
        return self.guided_calls == 0

    @property
    def evaluations(self) -> int:
        """Of the network, for one clip that is guided."""
        return self.calls + (self.calls if self.weighs_guided else self.guided_calls)


class FittedSteps(nn.Module):
    """The step to the time after the k-th call is from the noise, along `of_words[k]` of the
    velocities so far and (g − 1)·`of_guidance[k]` of what words made of them. Every row sums to how
    far that time lies from noise, so straight ways are followed exactly, whatever else was fitted.
    As made, all steps are Euler's first one."""

    times: Float64[Tensor, " times"]
    of_words: Float64[Tensor, "calls calls"]
    of_guidance: Float64[Tensor, "calls calls"]

    def __init__(self, shape: StepsShape) -> None:
        super().__init__()
        self.shape = shape
        count = shape.calls
        times = torch.linspace(1, 0, count + 1, dtype=torch.float64)
        for name in ("of_words", "of_guidance"):
            weights = torch.zeros(count, count, dtype=torch.float64)
            weights[:, 0] = times[1:] - 1
            self.register_buffer(name, weights)
        self.register_buffer("times", times)
