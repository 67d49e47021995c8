"""Gates: named conditions on many clips at once, kept with the numbers that decided them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Float

from aesop.pairs.recipe import Range

Values = Float[np.ndarray, " clips"]
Applies = Bool[np.ndarray, " clips"] | None


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Which clips pass which gates. Gates that do not concern a clip are passed, with value NaN."""

    gates: tuple[str, ...]
    passed: Bool[np.ndarray, "clips gates"]
    values: Float[np.ndarray, "clips gates"]

    @property
    def accepted(self) -> Bool[np.ndarray, " clips"]:
        return np.all(self.passed, axis=1)

    def values_of(self, gate: str) -> Float[np.ndarray, " clips"]:
        return self.values[:, self.gates.index(gate)]

    def take(self, clips: Bool[np.ndarray, " clips"]) -> "Verdicts":
        return Verdicts(self.gates, self.passed[clips], self.values[clips])


@dataclass
class Screen:
    """Gathers gates in the order in which they are applied."""

    clips: int
    names: list[str] = field(default_factory=list)
    passed: list[np.ndarray] = field(default_factory=list)
    values: list[np.ndarray] = field(default_factory=list)

    def holds(self, name: str, passes: np.ndarray, values: Values, only: Applies = None) -> None:
        """A gate whose condition was worked out by the caller. NaN never passes a comparison."""
        assert name not in self.names and len(passes) == len(values) == self.clips
        concerned = np.ones(self.clips, np.bool_) if only is None else only
        self.names.append(name)
        self.passed.append(passes | ~concerned)
        self.values.append(np.where(concerned, values, np.nan))

    def at_least(
        self, name: str, values: Values, limit: float | Values, only: Applies = None
    ) -> None:
        self.holds(name, values >= limit, values, only)

    def at_most(
        self, name: str, values: Values, limit: float | Values, only: Applies = None
    ) -> None:
        self.holds(name, values <= limit, values, only)

    def between(self, name: str, values: Values, limits: Range, only: Applies = None) -> None:
        low, high = limits
        self.holds(name, (values >= low) & (values <= high), values, only)

    @property
    def verdicts(self) -> Verdicts:
        return Verdicts(
            tuple(self.names), np.stack(self.passed, axis=1), np.stack(self.values, axis=1)
        )


def joined(parts: Sequence[Verdicts]) -> Verdicts:
    """Verdicts of several batches on the same gates."""
    assert len({part.gates for part in parts}) == 1
    return Verdicts(
        parts[0].gates,
        np.concatenate([part.passed for part in parts]),
        np.concatenate([part.values for part in parts]),
    )


def side_by_side(parts: Sequence[Verdicts]) -> Verdicts:
    """Several groups of gates on the same clips, in the order in which they are applied."""
    return Verdicts(
        tuple(gate for part in parts for gate in part.gates),
        np.concatenate([part.passed for part in parts], axis=1),
        np.concatenate([part.values for part in parts], axis=1),
    )
