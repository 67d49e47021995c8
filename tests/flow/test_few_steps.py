"""Fitted steps: straight ways are exact whatever was fitted, and a fit comes nearer to 50 steps."""

from itertools import pairwise

import pytest
import torch
from torch import Tensor

from aesop.flow.few_steps import StepFit, follow, held_back
from aesop.flow.path import on_path, sampling_times, target_velocity
from aesop.flow.solvers import PRESETS, SOLVERS, Velocity
from aesop.models.fitted_steps import FittedSteps, StepsShape
from tests.tolerances import GEOMETRY64, rounded32

CLIPS, TOKENS, WIDTH = 2, 3, 5
# Sums of at most ten products of numbers below four.
ROUNDING = rounded32(20, 8.0)


def fitted(calls: int, guided: int, dice: torch.Generator) -> FittedSteps:
    """Any weights at all, but that every row sums to how far its time lies from noise."""
    steps = FittedSteps(StepsShape(calls, guided))
    steps.times.copy_(sampling_times(calls, 4.0))
    for weights, known in ((steps.of_words, calls), (steps.of_guidance, guided)):
        for at in range(calls):
            count = min(at + 1, known)
            row = torch.randn(count, generator=dice, dtype=torch.float64)
            row += (float(steps.times[at + 1]) - 1 - row.sum()) / count
            weights[at] = 0
            weights[at, :count] = row
    return steps


def pair(dice: torch.Generator) -> tuple[Tensor, Tensor]:
    clean, noise = (torch.randn(CLIPS, TOKENS, WIDTH, generator=dice) for _ in range(2))
    return clean, noise


@pytest.mark.parametrize(("calls", "guided"), [(1, 1), (3, 2), (5, 5)])
def test_straight_ways_are_exact_whatever_was_fitted(
    calls: int, guided: int, dice: torch.Generator
):
    clean, noise = pair(dice)

    def straight(latents: Tensor, flow_time: Tensor, asks: bool) -> tuple[Tensor, Tensor | None]:
        expected = on_path(clean, noise, flow_time.expand(CLIPS))
        torch.testing.assert_close(latents, expected, atol=ROUNDING, rtol=0)
        velocity = target_velocity(clean, noise)
        return velocity, torch.zeros_like(velocity) if asks else None

    reached = follow(straight, noise, fitted(calls, guided, dice), guidance=2.5)
    torch.testing.assert_close(reached, clean, atol=ROUNDING, rtol=0)


def test_what_words_make_of_a_straight_way_is_exact_too(dice: torch.Generator):
    """Velocity and difference are each constant: the guided end is as far as guidance says."""
    clean, noise = pair(dice)
    difference = torch.randn(CLIPS, TOKENS, WIDTH, generator=dice)

    def constant(latents: Tensor, flow_time: Tensor, asks: bool) -> tuple[Tensor, Tensor | None]:
        return target_velocity(clean, noise), difference if asks else None

    strength = torch.tensor([1.5, 3.0])[:, None, None]
    reached = follow(constant, noise, fitted(5, 3, dice), strength)
    wanted = clean - (strength - 1) * difference
    torch.testing.assert_close(reached, wanted, atol=ROUNDING, rtol=0)


@pytest.mark.parametrize(("guidance", "asked"), [(1.0, 0), (1.5, 3)])
def test_calls_are_what_the_shape_promises(guidance: float, asked: int, dice: torch.Generator):
    _, noise = pair(dice)
    seen: list[bool] = []

    def bending(latents: Tensor, flow_time: Tensor, asks: bool) -> tuple[Tensor, Tensor | None]:
        seen.append(asks)
        return flow_time * latents, latents if asks else None

    steps = fitted(5, 3, dice)
    follow(bending, noise, steps, guidance)
    assert len(seen) == 5 and sum(seen) == asked and seen == sorted(seen, reverse=True)
    assert steps.shape.evaluations == 8


def test_held_tokens_arrive_where_they_are_held(dice: torch.Generator):
    """A token held firmly ends there though its neighbours do not; one not held is untouched."""
    held, noise = pair(dice)
    share = torch.tensor([1.0, 0.0, 0.0])[:, None].expand(CLIPS, TOKENS, 1)

    def bending(latents: Tensor, flow_time: Tensor, asks: bool) -> tuple[Tensor, Tensor | None]:
        return flow_time * latents.sin(), latents if asks else None

    steps = fitted(4, 3, dice)
    free = follow(bending, noise, steps, 1.5)
    reached = follow(held_back(bending, held, share), noise, steps, 1.5)
    torch.testing.assert_close(reached[:, 0], held[:, 0], atol=ROUNDING, rtol=0)
    assert torch.equal(reached[:, 1:], free[:, 1:])
    assert float((reached[:, 0] - free[:, 0]).abs().max()) > 0.01


def test_a_fit_finds_the_weights_that_made_the_ways(dice: torch.Generator):
    """Ways that are weighed sums of velocities give those weights back, with their sums."""
    calls, guided, length, entries = 4, 3, -0.7, 211
    words = [torch.randn(entries, generator=dice) for _ in range(calls)]
    differences = [torch.randn(entries, generator=dice) for _ in range(guided)]
    made = ([-0.9, 0.4, -0.5, 0.3], [0.2, -1.0, 0.1])
    way = sum(
        weight * part
        for weights, parts in zip(made, (words, differences), strict=True)
        for weight, part in zip(weights, parts, strict=True)
    )
    assert isinstance(way, Tensor)
    fit = StepFit.after(calls, guided)
    left = way - length * (words[0] + differences[0])
    for some in (slice(0, 100), slice(100, None)):  # in two batches
        fit.add(left[some], [it[some] for it in words], [it[some] for it in differences])
    found = fit.solved(length)
    for weights, wanted in zip(found, made, strict=True):
        assert sum(weights) == pytest.approx(length, abs=GEOMETRY64)
        # The ridge is a millionth; sums of 211 products of single precision, solved.
        assert weights == pytest.approx(wanted, abs=1e-4)


def test_fitting_comes_nearer_to_fifty_steps(dice: torch.Generator):
    """A bending field, four calls: fitted weights against Euler's and the best general solver's."""
    rates = torch.linspace(0.5, 3.0, WIDTH)

    def field(latents: Tensor, flow_time: Tensor) -> Tensor:
        return rates * (latents - torch.tanh(latents / (flow_time + 0.3)))

    def both(latents: Tensor, flow_time: Tensor, asks: bool) -> tuple[Tensor, Tensor | None]:
        velocity = field(latents, flow_time)
        return velocity, torch.zeros_like(velocity) if asks else None

    noise, other = (torch.randn(40, TOKENS, WIDTH, generator=dice) for _ in range(2))
    steps = FittedSteps(StepsShape(4, 1))
    steps.times.copy_(sampling_times(4, 4.0))
    states, words, latents = _euler_states(field, noise, steps), list[Tensor](), noise
    for at in range(4):
        words.append(field(latents, steps.times[at].float()))
        fit, length = StepFit.after(at + 1, 0), float(steps.times[at + 1] - 1)
        fit.add(
            (states[at] - noise - length * words[0]).flatten(), [it.flatten() for it in words], []
        )
        weights = fit.solved(length)[0]
        steps.of_words[at] = 0
        steps.of_words[at, : at + 1] = torch.tensor(weights, dtype=torch.float64)
        latents = noise + sum(w * it for w, it in zip(weights, words, strict=True))
    wanted = SOLVERS["euler"](field, other, PRESETS["reference"].times)

    def apart(reached: Tensor) -> float:
        return float((reached - wanted).square().mean().sqrt())

    ours = apart(follow(both, other, steps))
    for name in ("euler", "adams_bashforth2", "shadowing"):
        assert ours < 0.7 * apart(SOLVERS[name](field, other, steps.times))


def _euler_states(field: Velocity, noise: Tensor, steps: FittedSteps) -> list[Tensor]:
    """Where 50 Euler steps are at the times of the few steps."""
    own, latents, found = sampling_times(50), noise, list[Tensor]()
    for start, stop in pairwise(own):
        velocity = field(latents, start.float())
        for time in steps.times[1:]:
            if stop <= time < start:
                found.append(latents + float(time - start) * velocity)
        latents = latents + float(stop - start) * velocity
    return found
