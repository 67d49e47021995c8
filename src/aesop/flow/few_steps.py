"""Few steps that end where the paper's fifty end: every step is a weighted sum of all velocities
asked for so far, with weights that were fitted, by least squares, to where a flow's own ways lead.
Weights know no clip, word or channel: some dozen numbers for a whole flow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from aesop.flow.solvers import Latents
from aesop.models.fitted_steps import FittedSteps

# Velocity that follows the words, and what the words make of it (the difference to the velocity
# without words); None where that is not asked for, which costs half.
BothVelocities = Callable[
    [Latents, Float[Tensor, ""], bool], tuple[Float[Tensor, "batch tokens width"], Tensor | None]
]
# Between these, weights were fitted to ways that follow the words as hard as that.
FITTED_GUIDANCES = (1.0, 3.0)
FITTED_HUMAN_GUIDANCES = (1.0, 6.0)
# Of the normal equations' mean diagonal: velocities of neighbouring times are much alike.
_RIDGE = 1e-6


def follow(
    velocities: BothVelocities,
    noise: Latents,
    steps: FittedSteps,
    guidance: float | Float[Tensor, "batch 1 1"] = 1.0,
) -> Latents:
    """From noise to data. Guided by one everywhere, no velocity without words is asked for."""
    is_guided = bool((torch.as_tensor(guidance) != 1).any())
    times, latents = steps.times.to(noise), noise
    words, differences = list[Tensor](), list[Tensor]()
    for at in range(steps.shape.calls):
        asks = is_guided and at < steps.shape.guided_calls
        velocity, difference = velocities(latents, times[at], asks)
        words.append(velocity)
        if difference is not None:
            differences.append(difference)
        latents = weighed_steps(steps, at, noise, words, differences, guidance)
    return latents


def weighed_steps(
    steps: FittedSteps,
    at: int,
    noise: Latents,
    words: Sequence[Tensor],
    differences: Sequence[Tensor],
    guidance: float | Float[Tensor, "batch 1 1"] = 2.0,
) -> Latents:
    """Where the step after the call `at` leads. Guided by two, differences count as they are."""
    latents = noise + _summed(steps.of_words[at], words)
    if not differences:
        return latents
    return latents + (guidance - 1) * _summed(steps.of_guidance[at], differences)


def _summed(weights: Float[Tensor, " calls"], parts: Sequence[Tensor]) -> Latents:
    known = weights[: len(parts)].tolist()
    total = known[0] * parts[0]
    for weight, part in zip(known[1:], parts[1:], strict=True):
        total = total + weight * part
    return total


def held_back(
    velocities: BothVelocities, held: Latents, share: Float[Tensor, "*batch tokens 1"]
) -> BothVelocities:
    """Draw held tokens straight from where they are to what they are known to become; there words
    make no difference."""

    def blended(
        latents: Latents, flow_time: Float[Tensor, ""], asks: bool
    ) -> tuple[Tensor, Tensor | None]:
        velocity, difference = velocities(latents, flow_time, asks)
        straight = (latents - held) / flow_time
        velocity = torch.lerp(velocity, straight, share)
        return velocity, None if difference is None else difference * (1 - share)

    return blended


@dataclass(eq=False)
class StepFit:
    """The least squares of one step: where it should lead, against the changes of the velocities so
    far. What is left of the way is Euler's first step."""

    calls: int  # made so far
    guided: int  # of which so many asked without words, too
    squares: Float64[Tensor, "unknowns unknowns"]
    products: Float64[Tensor, " unknowns"]

    @classmethod
    def after(cls, calls: int, guided: int) -> "StepFit":
        count = calls - 1 + max(guided - 1, 0)
        zeros = torch.zeros(count, count + 1, dtype=torch.float64)
        return cls(calls, guided, zeros[:, 1:], zeros[:, 0])

    def add(
        self,
        way: Float[Tensor, " entries"],
        words: Sequence[Float[Tensor, " entries"]],
        differences: Sequence[Float[Tensor, " entries"]],
    ) -> None:
        """Some of the ways from noise to where the step should lead. `differences` are those that
        words make, times the guidance beyond one."""
        assert len(words) == self.calls and len(differences) == self.guided
        changes = [late - early for early, late in pairwise(words)]
        changes += [late - early for early, late in pairwise(differences)]
        if changes:
            columns = torch.stack(changes, dim=1).double()
            self.squares += (columns.T @ columns).to(self.squares.device)
            self.products += (columns.T @ way.double()).to(self.products.device)

    def solved(self, length: float) -> tuple[list[float], list[float]]:
        """Weights of the velocities with words and of the differences; each sums to `length`, the
        time that the step leads to less one. Ways are to be given less what Euler's step does."""
        count = len(self.products)
        found = torch.zeros(0, dtype=torch.float64)
        if count:
            ridge = _RIDGE * self.squares.diagonal().mean()
            kept_up = self.squares + ridge * torch.eye(count, dtype=torch.float64)
            found = torch.linalg.solve(kept_up, self.products)
        changes = found.tolist()
        of_words = _of_velocities(changes[: self.calls - 1], length)
        return of_words, _of_velocities(changes[self.calls - 1 :], length) if self.guided else []


def _of_velocities(of_changes: Sequence[float], length: float) -> list[float]:
    """Weights of velocities from those of their changes: c₀·length + Σ wⱼ(cⱼ − cⱼ₋₁)."""
    weights = [length, *[0.0] * len(of_changes)]
    for at, weight in enumerate(of_changes):
        weights[at] -= weight
        weights[at + 1] += weight
    return weights
