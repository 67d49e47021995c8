"""What a camera may be asked to do, in structure.

Movements are classes of travel in camera axes, as captions tell them. Going with a person, in front
of them or around them has a kind of its own: a class alone cannot say it.
"""

from dataclasses import dataclass
from typing import Literal

from aesop.data.fables.outline import SIGNS, TAG_OF, Kind

STATIC = 0
# Where a camera that goes with a person is, seen along the person's way.
Place = Literal["behind", "beside", "front"]
Side = Literal["left", "right"]
_SPOKEN = (("truck right", "truck left"), ("boom down", "boom up"), ("push in", "pull out"))


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
class CameraWish:
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
    said = [pair[sign < 0] for pair, sign in zip(_SPOKEN, SIGNS[tag], strict=True) if sign]
    return " + ".join(said) or "static"
