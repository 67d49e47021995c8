"""Gates (named conditions on many clips at once) and the funnel: how many shots enter every stage,
and what each gate takes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int, Int64

from aesop.core.whole_files import atomic_path
from aesop.pairs.pair_recipe import Range
from aesop.pairs.shot_arrays import ClipBool, ClipFloat, ClipInt
from aesop.pairs.transforms import hash_rank

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Which clips pass which gates. Gates that do not concern a clip are passed, with value NaN."""

    gates: tuple[str, ...]
    passed: Bool[np.ndarray, "clips gates"]
    values: Float[np.ndarray, "clips gates"]

    @property
    def accepted(self) -> ClipBool:
        return np.all(self.passed, axis=1)

    def values_of(self, gate: str) -> ClipFloat:
        return self.values[:, self.gates.index(gate)]


@dataclass
class GateList:
    """Gathers gates in the order in which they are applied."""

    clips: int
    names: list[str] = field(default_factory=list)
    passed: list[np.ndarray] = field(default_factory=list)
    values: list[np.ndarray] = field(default_factory=list)

    def holds(
        self, name: str, passes: np.ndarray, values: ClipFloat, only: ClipBool | None = None
    ) -> None:
        """A gate whose condition was worked out by the caller. NaN never passes a comparison."""
        assert name not in self.names and len(passes) == len(values) == self.clips
        concerned = np.ones(self.clips, np.bool_) if only is None else only
        self.names.append(name)
        self.passed.append(passes | ~concerned)
        self.values.append(np.where(concerned, values, np.nan))

    def at_least(
        self, name: str, values: ClipFloat, limit: float | ClipFloat, only: ClipBool | None = None
    ) -> None:
        self.holds(name, values >= limit, values, only)

    def at_most(
        self, name: str, values: ClipFloat, limit: float | ClipFloat, only: ClipBool | None = None
    ) -> None:
        self.holds(name, values <= limit, values, only)

    def between(
        self, name: str, values: ClipFloat, limits: Range, only: ClipBool | None = None
    ) -> None:
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


def packed(stage: str, rows: ClipInt, verdicts: Verdicts) -> Arrays:
    """Verdicts of one stage as arrays."""
    return {
        f"{stage}.rows": rows.astype(np.int64),
        f"{stage}.gates": np.array(verdicts.gates),
        f"{stage}.passed": verdicts.passed,
        f"{stage}.values": verdicts.values,
    }


def write_piece(path: Path, arrays: Arrays) -> None:
    """The result of one task, complete or not at all."""
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        np.savez(stream, **dict[str, Any](arrays))


def read_piece(path: Path) -> Arrays:
    with np.load(path, allow_pickle=False) as archive:
        return {key: archive[key] for key in archive.files}


@dataclass(frozen=True, eq=False)
class Screened:
    """Shots that came to a stage, by their rows, and how they fared there."""

    stage: str
    rows: Int64[np.ndarray, " clips"]
    verdicts: Verdicts

    @property
    def accepted(self) -> Int64[np.ndarray, " accepted"]:
        return self.rows[self.verdicts.accepted]


def unpacked(stage: str, pieces: Sequence[Arrays]) -> Screened | None:
    """Verdicts of one stage from all pieces, in the order of the rows; None if it was not run."""
    parts = [piece for piece in pieces if f"{stage}.rows" in piece]
    if not parts:
        return None
    rows = np.concatenate([piece[f"{stage}.rows"] for piece in parts])
    order = np.argsort(rows, kind="stable")
    gates = tuple(str(name) for name in parts[0][f"{stage}.gates"])
    passed = np.concatenate([piece[f"{stage}.passed"] for piece in parts])
    values = np.concatenate([piece[f"{stage}.values"] for piece in parts])
    return Screened(stage, rows[order], Verdicts(gates, passed[order], values[order]))


EXAMPLES = 6  # ids kept beside a gate


@dataclass(frozen=True)
class GateCount:
    """One gate: what it takes after the gates before it, and what it would take alone."""

    gate: str
    lost: int
    lost_alone: int
    median: float | None  # of what the gate measures, over the shots that entered the stage
    examples: tuple[str, ...]  # lost here, in sequence


@dataclass(frozen=True)
class FunnelStage:
    """Some gates that are applied together."""

    name: str
    entered: int
    left: int
    gates: tuple[GateCount, ...]


@dataclass(frozen=True)
class Funnel:
    """Stages from the training pool to the accepted sources."""

    name: str
    stages: tuple[FunnelStage, ...]


def counted(
    name: str, verdicts: Verdicts, concerned: ClipBool, name_of: Callable[[int], str], salt: str
) -> FunnelStage:
    """Count one stage over some of its shots; `name_of` tells the id of a shot by its place."""
    alive = concerned.copy()
    gates: list[GateCount] = []
    for at, gate in enumerate(verdicts.gates):
        if concerned.any() and np.isnan(verdicts.values[concerned, at]).all():
            continue  # a gate for the other movement
        passed = verdicts.passed[:, at]
        lost = alive & ~passed
        values = verdicts.values[concerned, at]
        values = values[np.isfinite(values)]
        gates.append(
            GateCount(
                gate,
                int(lost.sum()),
                int((concerned & ~passed).sum()),
                float(np.median(values)) if len(values) else None,
                lost_examples(np.flatnonzero(lost), name_of, salt),
            )
        )
        alive &= passed
    return FunnelStage(name, int(concerned.sum()), int(alive.sum()), tuple(gates))


def lost_examples(
    places: Int[np.ndarray, " lost"], name_of: Callable[[int], str], salt: str
) -> tuple[str, ...]:
    # A few of very many: ranking all of them by hash would take longer than the screening.
    some = places[:: max(1, len(places) // (8 * EXAMPLES))]
    names = [name_of(int(place)) for place in some]
    return tuple(names[at] for at in hash_rank(names, salt)[:EXAMPLES].tolist())


def funnel_text(funnels: Sequence[Funnel], never: Mapping[str, Sequence[str]]) -> str:
    """Tables in Markdown. `never` lists, per funnel, the gates that construction satisfies."""
    blocks: list[str] = []
    for funnel in funnels:
        lines = [
            f"### {funnel.name}", "",
            "| stage | gate | entered | lost in sequence | lost alone | median |",
            "|---|---|---:|---:|---:|---:|",
        ]  # fmt: skip
        for stage in funnel.stages:
            lines += _stage_lines(stage, never.get(funnel.name, ()))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _stage_lines(stage: FunnelStage, never: Sequence[str]) -> list[str]:
    entered = stage.entered
    lines: list[str] = []
    for count in stage.gates:
        share = f" ({count.lost_alone / entered:.1%})" if entered else ""
        name = f"{count.gate} (by construction)" if count.gate in never else count.gate
        median = "" if count.median is None else f"{count.median:.4g}"
        lines.append(
            f"| {stage.name} | {name} | {entered:,} | {count.lost:,} | "
            f"{count.lost_alone:,}{share} | {median} |"
        )
    share = f" ({stage.left / stage.entered:.1%})" if stage.entered else ""
    lines.append(f"| {stage.name} | **left** | {stage.entered:,} | **{stage.left:,}**{share} | | |")
    return lines
