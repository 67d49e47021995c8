"""The funnel: how many shots enter every stage, and what each gate takes, in sequence and alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from aesop.pairs.gates import Verdicts
from aesop.pairs.scaling import hash_rank

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
class Stage:
    """Some gates that are applied together."""

    name: str
    entered: int
    left: int
    gates: tuple[GateCount, ...]


@dataclass(frozen=True)
class Funnel:
    """Stages from the training pool to the accepted sources."""

    name: str
    stages: tuple[Stage, ...]


def counted(
    name: str,
    verdicts: Verdicts,
    concerned: Bool[np.ndarray, " clips"],
    name_of: Callable[[int], str],
    salt: str,
) -> Stage:
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
    return Stage(name, int(concerned.sum()), int(alive.sum()), tuple(gates))


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


def _stage_lines(stage: Stage, never: Sequence[str]) -> list[str]:
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
