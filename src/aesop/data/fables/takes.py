"""The table of CMU takes that ships with the package: true rates, and captions of our own."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

RateSource = Literal["table", "subject", "assumed"]  # from most to least sure

_NAME = re.compile(r"\d+_\d+")


@dataclass(frozen=True)
class Take:
    """One recording. `captions` is empty where nobody knows what it shows."""

    name: str
    aliases: tuple[str, ...]  # CMU lists some recordings under several subjects
    seconds: float
    captured_fps: float  # in the public release; its headers do not always tell
    rate_source: RateSource
    description: str
    captions: tuple[str, ...]

    @property
    def subjects(self) -> tuple[str, ...]:
        """CMU's numbers of the performer: one for the name and each alias."""
        return tuple(name.split("_")[0] for name in (self.name, *self.aliases))


@cache
def read_takes() -> tuple[Take, ...]:
    """All takes in the order of the table."""
    table = files("aesop.data.fables").joinpath("takes.tsv").read_text(encoding="utf-8")
    rows = csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return tuple(_take(row) for row in rows)


def _take(row: dict[str, str]) -> Take:
    aliases = tuple(name for name in row["aliases"].split(",") if name)
    captions = tuple(row[key] for key in ("caption_a", "caption_b", "caption_c") if row[key])
    source = row["rate_source"]
    assert source in ("table", "subject", "assumed")
    assert all(_NAME.fullmatch(name) for name in (row["take"], *aliases))
    return Take(
        name=row["take"],
        aliases=aliases,
        seconds=float(row["seconds"]),
        captured_fps=float(row["captured_fps"]),
        rate_source=source,
        description=row["description"],
        captions=captions,
    )


def performers(takes: Sequence[Take]) -> dict[str, str]:
    """Performer of every CMU subject number: the lowest number that shares a take with it.

    Subjects that share one recording are one person, so a split must not part them.
    """
    groups: list[set[str]] = []
    for take in takes:
        touching = [group for group in groups if group & set(take.subjects)]
        groups = [group for group in groups if group not in touching]
        groups.append(set(take.subjects).union(*touching))
    return {subject: min(group, key=int) for group in groups for subject in group}
