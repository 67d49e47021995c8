"""The table of segments that ships: their ids, times and facts, one row each."""

import csv
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, get_type_hints

from aesop.core.errors import FileError
from aesop.fables.motion_sets import SetTake
from aesop.fables.segment_facts import FACT_NAMES, SegmentFacts, segment_facts
from aesop.fables.segments import cut_segments
from aesop.fables.takes import fault_of_window
from aesop.scene.human import NATIVE_FPS, Clip

COLUMNS = ("id", "start_s", "end_s", "fault", *FACT_NAMES)
_KINDS = get_type_hints(SegmentFacts)


@dataclass(frozen=True)
class Segment:
    """One action of a take, in the take's own time. `fault` says why it should not be shown to a
    network as human motion, and is empty where it may."""

    id: str  # cmu/13_29/03: set, take, number in the take
    start_s: float
    end_s: float
    fault: str
    facts: SegmentFacts

    @property
    def take_id(self) -> str:
        return self.id.rpartition("/")[0]

    @property
    def seconds(self) -> float:
        return self.end_s - self.start_s

    @property
    def frames(self) -> slice:
        """Its frames in the clip of the take."""
        return slice(round(self.start_s * NATIVE_FPS), round(self.end_s * NATIVE_FPS))


def segments_of(take: SetTake, clip: Clip) -> list[Segment]:
    """The segments of a take at our rate, numbered in order."""
    joints = clip.motion.joints.double().numpy()
    yaw = clip.motion.yaw.double().numpy()
    return [
        Segment(
            id=f"{take.id}/{number:02d}",
            start_s=round(first / NATIVE_FPS, 2),
            end_s=round(stop / NATIVE_FPS, 2),
            fault=fault_of_window(joints[first:stop]) or "",
            facts=segment_facts(joints, yaw, first, stop),
        )
        for number, (first, stop) in enumerate(cut_segments(joints, yaw))
    ]


@cache
def read_segments() -> tuple[Segment, ...]:
    """All segments that ship, in the order of the table."""
    table = files("aesop.fables").joinpath("segments.tsv").read_text(encoding="utf-8")
    return parse_segments(table, "segments.tsv")


def segment_table(segments: Iterable[Segment]) -> str:
    """The table as text; `parse_segments` gives the same segments back."""
    lines = ["\t".join(COLUMNS)]
    for segment in segments:
        row = (segment.id, segment.start_s, segment.end_s, segment.fault, *astuple(segment.facts))
        lines.append("\t".join(_cell(value) for value in row))
    return "\n".join(lines) + "\n"


def _cell(value: str | float | int) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def parse_segments(table: str, name: str) -> tuple[Segment, ...]:
    """Segments from a table; `name` is the table's, for errors."""
    rows = csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    if tuple(rows.fieldnames or ()) != COLUMNS:
        raise FileError(
            f"{name} does not have the columns of a table of segments.",
            "Make it with `python runs/segments.py table`.",
        )
    return tuple(_segment(row) for row in rows)


def _segment(row: dict[str, str]) -> Segment:
    values: dict[str, Any] = {
        fact: _KINDS[fact](row[fact]) if _KINDS[fact] in (int, float) else row[fact]
        for fact in FACT_NAMES
    }
    return Segment(
        row["id"], float(row["start_s"]), float(row["end_s"]), row["fault"], SegmentFacts(**values)
    )
