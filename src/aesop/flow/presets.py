"""How many steps sampling takes, and of which kind: the paper's, and a faster way there."""

from dataclasses import dataclass
from typing import Literal

from jaxtyping import Float
from torch import Tensor

from aesop.flow.path import SHIFT, eased_times, sampling_times
from aesop.flow.solvers import EULER_STEPS, SOLVERS, Solver, SolverName

PresetName = Literal["fast", "reference"]


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


PRESETS: dict[PresetName, Preset] = {
    "reference": Preset("euler", EULER_STEPS),
    # Chosen by measurement: what 50 Euler steps answer, in 16 calls (docs/director.md).
    "fast": Preset("shadowing", 16, shift=3.5, is_eased=True),
}
