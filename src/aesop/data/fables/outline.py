"""A camera path's story in classes: which movement follows which. Captions are told from it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Int

from aesop.scene.movement import CLASSES, runs, signs_from_tag

# How a movement was meant: an arc bends around the person, a follow stays behind or beside them,
# a lead backs away in front of them. The class alone cannot tell.
Kind = Literal["plain", "arc", "follow", "lead"]
Signs = tuple[int, int, int]

# Movement along camera x, y, z of every class, and back.
SIGNS: tuple[Signs, ...] = tuple(
    (x, y, z) for x, y, z in signs_from_tag(np.arange(CLASSES)).tolist()
)
TAG_OF = {signs: tag for tag, signs in enumerate(SIGNS)}


@dataclass(frozen=True)
class Movement:
    """One class held over transitions first … stop−1."""

    tag: int
    first: int
    stop: int
    kind: Kind = "plain"


def outline_of(
    tags: Int[np.ndarray, " transitions"], kinds: Sequence[Kind] | None = None
) -> tuple[Movement, ...]:
    """Runs of equal class in order; `kinds` holds the intent at every transition, where known."""
    assert kinds is None or len(kinds) == len(tags), "one kind for every transition"
    return tuple(
        Movement(tag, first, stop, _commonest(kinds[first:stop]) if kinds else "plain")
        for tag, first, stop in runs(tags)
    )


def _commonest(kinds: Sequence[Kind]) -> Kind:
    return Counter(kinds).most_common(1)[0][0]


def dominant_tag(outline: Sequence[Movement]) -> int:
    """The class that holds most transitions in total; the earlier one on ties."""
    total: Counter[int] = Counter()
    for movement in outline:
        total[movement.tag] += movement.stop - movement.first
    return total.most_common(1)[0][0]


def reversed_tag(tag: int) -> int:
    """The class with every direction negated."""
    x, y, z = SIGNS[tag]
    return TAG_OF[-x, -y, -z]


def reversed_outline(outline: Sequence[Movement]) -> tuple[Movement, ...]:
    """Every movement the other way: who followed now leads."""
    turned: dict[Kind, Kind] = {"follow": "lead", "lead": "follow"}
    return tuple(
        replace(move, tag=reversed_tag(move.tag), kind=turned.get(move.kind, move.kind))
        for move in outline
    )
