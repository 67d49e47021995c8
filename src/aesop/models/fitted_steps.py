"""The numbers of the preset `instant`: at which few times a flow is asked, how the answers are
weighed, and which intensity the flow is told. They belong to one flow, as a trained part does, and
lie on disk like one."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn


@dataclass(frozen=True)
class StepsShape:
    """How many calls there are, and in how many of them, the first ones, the velocity without words
    is asked for too. After those its last difference to the one with words holds. With none, what
    is weighed is the velocity as guidance makes it, which every call asks both for: guidance that
    is held back is no weighed sum of the two. `intensities` is the length of the table of what the
    flow is told for them; with none it is told what is asked for."""

    calls: int
    guided_calls: int
    intensities: int = 0

    def __post_init__(self) -> None:
        assert 0 <= self.guided_calls <= self.calls and self.calls > 0
        assert self.intensities == 0 or self.intensities > 1

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
    As made, all steps are Euler's first one.

    A flow goes less far than an intensity says, few steps of it less far still. So a table says,
    for some intensities, what the flow is told instead to go as far as was asked for; between them
    it is straight. As made, it changes nothing."""

    times: Float64[Tensor, " times"]
    of_words: Float64[Tensor, "calls calls"]
    of_guidance: Float64[Tensor, "calls calls"]
    asked_intensities: Float64[Tensor, " intensities"]
    told_intensities: Float64[Tensor, " intensities"]

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
        for name in ("asked_intensities", "told_intensities") if shape.intensities else ():
            evenly = torch.linspace(0, 2, shape.intensities, dtype=torch.float64)
            self.register_buffer(name, evenly)

    def told(self, intensity: Float[Tensor, " batch"]) -> Float[Tensor, " batch"]:
        """What the flow is told for intensities that are asked for."""
        if self.shape.intensities == 0:
            return intensity
        asked, told = self.asked_intensities, self.told_intensities
        wanted = intensity.to(asked)
        after = torch.searchsorted(asked, wanted).clamp(1, len(asked) - 1)
        share = (wanted - asked[after - 1]) / (asked[after] - asked[after - 1])
        return torch.lerp(told[after - 1], told[after], share).to(intensity)
