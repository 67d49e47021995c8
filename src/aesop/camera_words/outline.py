"""What a camera does or is asked to do, in structure: movements one after another, and moves asked
for."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mode
from typing import Literal

import numpy as np
from jaxtyping import Int

from aesop.scene.movement import CLASSES, runs, signs_from_tag

# How a movement was meant: an arc bends around the person, a follow stays behind or beside them,
# a lead backs away in front of them. The class alone cannot tell.
Kind = Literal["plain", "arc", "follow", "lead"]
Signs = tuple[int, int, int]
# Where a camera that goes with a person is, seen along the person's way.
Place = Literal["behind", "beside", "front"]
Side = Literal["left", "right"]

STATIC = 0
# Movement along camera x, y, z of every class, and back.
SIGNS: tuple[Signs, ...] = tuple(
    (x, y, z) for x, y, z in signs_from_tag(np.arange(CLASSES)).tolist()
)
TAG_OF = {signs: tag for tag, signs in enumerate(SIGNS)}
_SPOKEN = (("truck right", "truck left"), ("boom down", "boom up"), ("push in", "pull out"))

# An arc is plain to see if it goes this far around the person while its way bends this much.
PLAIN_SWEEP_RAD = np.radians(20)
PLAIN_BEND_RAD = np.radians(18)


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
        Movement(tag, first, stop, mode(kinds[first:stop]) if kinds else "plain")
        for tag, first, stop in runs(tags)
    )


def dominant_tag(outline: Sequence[Movement]) -> int:
    """The class that holds most transitions in total; the earlier one on ties."""
    total: Counter[int] = Counter()
    for movement in outline:
        total[movement.tag] += movement.stop - movement.first
    return total.most_common(1)[0][0]


@dataclass(frozen=True)
class AskedMove:
    """One thing that a camera is asked to do.

    `tag` is the class of travel, None where the words leave it open: a camera that goes with
    somebody goes where they go. On an arc `side` is where the camera goes, None if either will do.
    `place` is said of a camera that goes with a person, or None.
    """

    kind: Kind
    tag: int | None = None
    side: Side | None = None
    place: Place | None = None

    @property
    def is_static(self) -> bool:
        return self.kind == "plain" and self.tag == STATIC

    @property
    def goes_with_person(self) -> bool:
        return self.kind in ("follow", "lead")

    @property
    def text(self) -> str:
        """ "push in", "follow from behind", "arc left + boom up"."""
        if self.kind == "plain":
            assert self.tag is not None
            return spoken_tag(self.tag)
        head = self.kind
        if self.kind == "arc":
            head += f" {self.side}" if self.side else ""
            _, y, z = SIGNS[self.tag or STATIC]
            beside = TAG_OF[0, y, z]
        else:
            places = {"behind": " from behind", "beside": " from the side", "front": ""}
            head += places[self.place] if self.place else ""
            beside = self.tag or STATIC
        return f"{head} + {spoken_tag(beside)}" if beside != STATIC else head


@dataclass(frozen=True)
class AskedCamera:
    """Everything that words ask of a camera's way, in order."""

    moves: tuple[AskedMove, ...]

    @property
    def text(self) -> str:
        """ "push in, then truck left"."""
        return ", then ".join(move.text for move in self.moves)

    @property
    def is_static(self) -> bool:
        return all(move.is_static for move in self.moves)

    @property
    def goes_with_person(self) -> bool:
        return any(move.goes_with_person for move in self.moves)


def spoken_tag(tag: int) -> str:
    """A class as one would say it: "truck left + push in"."""
    moves = [pair[sign < 0] for pair, sign in zip(_SPOKEN, SIGNS[tag], strict=True) if sign]
    return " + ".join(moves) or "static"
