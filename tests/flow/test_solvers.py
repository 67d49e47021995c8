"""Solvers against equations whose answers are known."""

import math
from collections.abc import Callable
from itertools import pairwise

import pytest
import torch
from torch import Tensor

from aesop.flow.path import on_path, sampling_times, target_velocity
from aesop.flow.solvers import SOLVERS, SolverName
from tests.tolerances import rounded32

CLIPS, TOKENS, WIDTH = 2, 3, 5
# Eleven steps of four operations on normal numbers, which stay below four.
ROUNDING = rounded32(44, 4.0)


def start() -> Tensor:
    count = CLIPS * TOKENS * WIDTH
    return torch.linspace(0.4, 1.5, count, dtype=torch.float64).reshape(CLIPS, TOKENS, WIDTH)


def bending(latents: Tensor, flow_time: Tensor) -> Tensor:
    """dz/dσ = 3σ²·z²: neither straight, nor linear, nor the same at all times."""
    return 3 * flow_time**2 * latents**2


def bent_to_the_end(noise: Tensor) -> Tensor:
    """From σ = 1 to 0: 1/z(0) = 1/z(1) + 1."""
    return 1 / (1 / noise + 1)


def limping_times(steps: int) -> Tensor:
    """Long and short steps in turn, in no way smooth."""
    sizes = torch.tensor([3.0, 1.0], dtype=torch.float64).repeat(steps // 2)
    return 1 - torch.cat([torch.zeros(1), sizes.cumsum(0) / sizes.sum()])


def error(name: SolverName, times: Tensor) -> float:
    noise = start()
    reached = SOLVERS[name](bending, noise, times)
    return float((reached - bent_to_the_end(noise)).abs().max())


@pytest.mark.parametrize("grid", [sampling_times, limping_times])
@pytest.mark.parametrize("name", SOLVERS)
def test_error_falls_at_the_order_of_the_method(name: SolverName, grid: Callable[[int], Tensor]):
    # The corrector's leading errors nearly cancel on coarse grids; order four is near rounding.
    steps = 256 if SOLVERS[name].order > 2 else 2048
    coarse, fine = error(name, grid(steps)), error(name, grid(2 * steps))
    # Terms of higher order are not quite gone at these steps.
    assert math.log2(coarse / fine) == pytest.approx(SOLVERS[name].order, rel=0.06)


@pytest.mark.parametrize("name", SOLVERS)
def test_calls_are_what_the_method_promises(name: SolverName):
    seen: list[float] = []

    def counting(latents: Tensor, flow_time: Tensor) -> Tensor:
        seen.append(float(flow_time))
        return bending(latents, flow_time)

    SOLVERS[name](counting, start(), sampling_times(7))
    assert len(seen) == 7 * SOLVERS[name].calls_per_step
    assert seen[0] == 1 and min(seen) >= 0 and seen == sorted(seen, reverse=True)


@pytest.mark.parametrize("name", SOLVERS)
def test_straight_paths_are_exact_in_one_step(name: SolverName, dice: torch.Generator):
    clean, noise = (torch.randn(CLIPS, TOKENS, WIDTH, generator=dice) for _ in range(2))

    def straight(latents: Tensor, flow_time: Tensor) -> Tensor:
        expected = on_path(clean, noise, flow_time.expand(CLIPS))
        torch.testing.assert_close(latents, expected, atol=ROUNDING, rtol=0)
        return target_velocity(clean, noise)

    for steps in (1, 11):
        reached = SOLVERS[name](straight, noise, sampling_times(steps))
        torch.testing.assert_close(reached, clean, atol=ROUNDING, rtol=0)


def test_shadowing_is_euler_on_the_papers_own_times():
    times = sampling_times(50)
    noise = start()
    expected = SOLVERS["euler"](bending, noise, times)
    # Not rounding: what its interpolation between those times leaves.
    torch.testing.assert_close(
        SOLVERS["shadowing"](bending, noise, times), expected, atol=2e-4, rtol=0
    )


def test_shadowing_ends_nearer_to_fifty_euler_steps_than_those_end_to_the_truth():
    noise = start()
    euler, truth = SOLVERS["euler"](bending, noise, sampling_times(50)), bent_to_the_end(noise)
    shadow = SOLVERS["shadowing"](bending, noise, sampling_times(25))
    other = SOLVERS["adams_moulton2"](bending, noise, sampling_times(25))
    apart = (euler - truth).abs().max()
    assert (shadow - euler).abs().max() < 0.15 * apart
    assert (other - euler).abs().max() > 0.7 * apart


def test_euler_is_the_papers_sampler():
    noise = start()
    latents, times = noise, [5 * (1 - i / 50) / (1 + 4 * (1 - i / 50)) for i in range(51)]
    for now, later in pairwise(times):
        latents = latents + (later - now) * bending(latents, torch.tensor(now))
    found = SOLVERS["euler"](bending, noise, sampling_times(50))
    # The loop above hands its times over in single precision; a velocity has two factors of them.
    torch.testing.assert_close(found, latents, atol=rounded32(2, 1.5), rtol=0)


@pytest.mark.parametrize("name", SOLVERS)
def test_latents_keep_their_type_and_the_start_is_not_changed(name: SolverName):
    noise = start().float()
    kept = noise.clone()
    reached = SOLVERS[name](bending, noise, sampling_times(5))
    assert reached.dtype == torch.float32 and torch.equal(noise, kept)
