"""Closed forms of the path between data and noise."""

import pytest
import torch

from aesop.flow.path import (
    eased_times,
    on_path,
    sampling_times,
    shifted_time,
    target_velocity,
    uniform_time,
)
from tests.tolerances import GEOMETRY64, rounded64

CLIPS, TOKENS, WIDTH = 2, 3, 5


def pair(dice: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    shape = (CLIPS, TOKENS, WIDTH)
    clean, noise = (torch.randn(shape, generator=dice, dtype=torch.float64) for _ in range(2))
    return clean, noise


def test_the_shift_is_the_papers():
    uniform = torch.linspace(0, 1, 101, dtype=torch.float64)
    expected = 5 * uniform / (1 + 4 * uniform)
    torch.testing.assert_close(shifted_time(uniform), expected, atol=GEOMETRY64, rtol=0)
    assert torch.equal(shifted_time(uniform, shift=1.0), uniform)
    back = uniform_time(shifted_time(uniform, 3.0), 3.0)
    torch.testing.assert_close(back, uniform, atol=GEOMETRY64, rtol=0)


def test_the_reference_grid():
    times = sampling_times(50)
    assert times.dtype == torch.float64 and len(times) == 51
    assert times[0] == 1 and times[-1] == 0 and bool((times.diff() < 0).all())
    first_and_last = torch.cat([times[1:3], times[-3:-1]])
    known = torch.tensor([0.9959, 0.9917, 0.1724, 0.0926], dtype=torch.float64)
    # Known to four decimals.
    torch.testing.assert_close(first_and_last, known, atol=5e-5, rtol=0)


def test_ends_of_the_path(dice: torch.Generator):
    clean, noise = pair(dice)
    ends = on_path(clean, noise, torch.tensor([0.0, 1.0], dtype=torch.float64))
    assert torch.equal(ends[0], clean[0]) and torch.equal(ends[1], noise[1])


def test_the_target_is_the_derivative_of_the_path(dice: torch.Generator):
    clean, noise = pair(dice)
    at = torch.tensor([0.3, 0.7], dtype=torch.float64)
    slope = (on_path(clean, noise, at + 1e-3) - on_path(clean, noise, at - 1e-3)) / 2e-3
    torch.testing.assert_close(
        slope, target_velocity(clean, noise), atol=rounded64(10, 5.0) / 1e-3, rtol=0
    )


@pytest.mark.parametrize("shift", [1.0, 3.0])
def test_eased_times_keep_both_ends_and_step_shortest_there(shift: float):
    times = eased_times(13, shift)
    assert float(times[0]) == 1 and float(times[-1]) == 0
    sizes = -times.diff()
    assert bool((sizes > 0).all()) and int(sizes.argmax()) not in (0, 1, 11, 12)
    even = eased_times(13, 1.0)
    assert torch.allclose(times, shift * even / (1 + (shift - 1) * even), atol=GEOMETRY64)
    assert torch.allclose(even + even.flip(0), torch.ones(14, dtype=torch.float64), atol=GEOMETRY64)
