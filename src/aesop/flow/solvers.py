"""Ways to follow a velocity from noise to data, all with one signature, and presets of them."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from jaxtyping import Float
from torch import Tensor

from aesop.flow.path import SHIFT, eased_times, sampling_times, uniform_time

# Velocity of latents at one flow time, the same for the whole batch.
Velocity = Callable[[Float[Tensor, "batch tokens width"], Float[Tensor, ""]], Tensor]
Latents = Float[Tensor, "batch tokens width"]
Times = Float[Tensor, " times"]

EULER_STEPS = 50  # of the paper's sampler

SolverName = Literal["euler", "adams_bashforth2", "adams_moulton2", "shadowing", "runge_kutta4"]


@dataclass(frozen=True)
class Solver:
    """A method, the order at which its error falls, and what a step costs in velocity calls."""

    solve: Callable[[Velocity, Latents, Times], Latents]
    order: int
    calls_per_step: int

    def __call__(self, velocity: Velocity, noise: Latents, times: Times) -> Latents:
        return self.solve(velocity, noise, times)


@dataclass(frozen=True, eq=False)
class _Step:
    """One interval of the grid, on the device and in the precision of the latents."""

    start: Float[Tensor, ""]
    middle: Float[Tensor, ""]
    stop: Float[Tensor, ""]
    size: Float[Tensor, ""]  # negative: time falls


def _steps(times: Times, like: Latents) -> list[_Step]:
    # Sizes are taken before rounding to the precision of the latents, and all at once, so that no
    # step has to wait for the device.
    sizes, middles = times.diff().to(like), ((times[1:] + times[:-1]) / 2).to(like)
    marks = times.to(like)
    return [
        _Step(start, middle, stop, size)
        for start, middle, stop, size in zip(marks[:-1], middles, marks[1:], sizes, strict=True)
    ]


def euler(velocity: Velocity, noise: Latents, times: Times) -> Latents:
    latents = noise
    for step in _steps(times, noise):
        latents = latents + step.size * velocity(latents, step.start)
    return latents


def adams_bashforth2(velocity: Velocity, noise: Latents, times: Times) -> Latents:
    """Extrapolates from the velocity of the step before; one call per step. Its first step is
    Euler's, which costs no order because it is taken once."""
    latents = noise
    steps = _steps(times, noise)
    before = velocity(latents, steps[0].start)
    latents = latents + steps[0].size * before
    for last, step in pairwise(steps):
        now = velocity(latents, step.start)
        ratio = step.size / (2 * last.size)  # steps differ in size: the grid is shifted
        latents = latents + step.size * (now + ratio * (now - before))
        before = now
    return latents


def adams_moulton2(velocity: Velocity, noise: Latents, times: Times) -> Latents:
    """Adams–Bashforth predicts, the trapezoid rule corrects with the velocity found where the
    prediction leads. That velocity also begins the next step: still one call per step. The last
    step is predicted only."""
    latents = noise
    steps = _steps(times, noise)
    now = velocity(latents, steps[0].start)
    slope = now  # extrapolated over the coming step; the first step has nothing to do it from
    for step, coming in pairwise(steps):
        arriving = velocity(latents + step.size * slope, coming.start)
        latents = latents + step.size / 2 * (now + arriving)
        slope = arriving + coming.size / (2 * step.size) * (arriving - now)
        now = arriving
    return latents + steps[-1].size * slope


def shadowing(velocity: Velocity, noise: Latents, times: Times) -> Latents:
    """Ends where the paper's 50 Euler steps end, in a third of the calls.

    Euler's steps are short, but each leaves the path by half a step times the change of velocity,
    always to the same side; 50 of them end visibly elsewhere than the equation does. Their sum over
    a long step is the trapezoid's, less half a short step times the change over the long one:
    Adams–Moulton with more weight on the velocity that is left. Where the times are Euler's own,
    this is Euler.
    """
    latents = noise
    steps = _steps(times, noise)
    euler_share = euler_shares(times)
    now = velocity(latents, steps[0].start)
    slope = now
    for at, (step, coming) in enumerate(pairwise(steps)):
        arriving = velocity(latents + step.size * slope, coming.start)
        lean = euler_share[at] / 2
        latents = latents + step.size * ((0.5 + lean) * now + (0.5 - lean) * arriving)
        ratio = (1 - euler_share[at + 1]) * coming.size / (2 * step.size)
        slope = arriving + ratio * (arriving - now)
        now = arriving
    return latents + steps[-1].size * slope


def euler_shares(times: Times) -> list[float]:
    """The length of one of the 50 steps at the middle of every interval, as a share of it."""
    middle = uniform_time((times[1:] + times[:-1]) / 2)
    euler_step = SHIFT / (1 + (SHIFT - 1) * middle) ** 2 / EULER_STEPS
    return (euler_step / -times.diff()).clamp(max=1).tolist()


def runge_kutta4(velocity: Velocity, noise: Latents, times: Times) -> Latents:
    """Four calls per step: the yardstick for the others, not for daily use."""
    latents = noise
    for step in _steps(times, noise):
        first = velocity(latents, step.start)
        second = velocity(latents + step.size / 2 * first, step.middle)
        third = velocity(latents + step.size / 2 * second, step.middle)
        fourth = velocity(latents + step.size * third, step.stop)
        latents = latents + step.size / 6 * (first + 2 * second + 2 * third + fourth)
    return latents


SOLVERS: dict[SolverName, Solver] = {
    "euler": Solver(euler, order=1, calls_per_step=1),
    "adams_bashforth2": Solver(adams_bashforth2, order=2, calls_per_step=1),
    "adams_moulton2": Solver(adams_moulton2, order=2, calls_per_step=1),
    "shadowing": Solver(shadowing, order=1, calls_per_step=1),
    "runge_kutta4": Solver(runge_kutta4, order=4, calls_per_step=4),
}


# `instant` needs steps that were fitted to the very flow (`flow.few_steps`); the others do for
# every flow.
GeneralPresetName = Literal["fast", "reference"]
PresetName = Literal["instant", "fast", "reference"]


@dataclass(frozen=True)
class Preset:
    """A solver and the times it visits: evenly spaced before the shift, or eased at both ends."""

    method: SolverName
    steps: int
    shift: float = SHIFT
    is_eased: bool = False

    @property
    def solver(self) -> Solver:
        return SOLVERS[self.method]

    @property
    def times(self) -> Float[Tensor, " times"]:
        grid = eased_times if self.is_eased else sampling_times
        return grid(self.steps, self.shift)

    @property
    def calls(self) -> int:
        """Evaluations of the network."""
        return self.steps * self.solver.calls_per_step


PRESETS: dict[GeneralPresetName, Preset] = {
    "reference": Preset("euler", EULER_STEPS),
    # Chosen by measurement: what 50 Euler steps answer, in 16 calls (docs/director.md).
    "fast": Preset("shadowing", 16, shift=3.5, is_eased=True),
}
