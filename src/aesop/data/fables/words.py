"""Camera captions: an outline of movements told in varied plain English, and its reversed twin.

The words depend on which movements follow which, never on how far, how fast or how long.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from aesop.data.fables.outline import Movement
from aesop.data.fables.phrases import pick, pick_weighted
from aesop.data.fables.sentences import sentence
from aesop.data.fables.vocabulary import PEOPLE

# The shortest caption of the four pure moves that direction pairs are made of, by class.
MINIMAL_CAPTIONS = {
    1: "The camera pushes in.",
    2: "The camera pulls out.",
    9: "The camera trucks right.",
    18: "The camera trucks left.",
}


@dataclass(frozen=True)
class CaptionPair:
    """A caption, and the same sentence with every direction negated."""

    caption: str
    reversed_caption: str


def camera_caption(outline: Sequence[Movement], dice: np.random.Generator) -> CaptionPair:
    """Tell an outline. The same dice tell the reversed outline in the reversed sentence."""
    moves = _merged(outline)
    assert moves, "an outline has at least one movement"
    who = pick(PEOPLE, dice)
    said = sentence(moves, dice)
    finish = pick_weighted([(80, _as_sentence), (12, str), (8, _capitalised)], dice)
    caption, turned = (finish(side.replace("{who}", who)) for side in (said.words, said.turned))
    return CaptionPair(caption, turned)


def _merged(outline: Sequence[Movement]) -> list[Movement]:
    """Neighbours of one class are one movement to a listener."""
    return list(outline[:1]) + [
        after for before, after in pairwise(outline) if after.tag != before.tag
    ]


def _capitalised(text: str) -> str:
    return ". ".join(part[0].upper() + part[1:] for part in text.split(". "))


def _as_sentence(text: str) -> str:
    return _capitalised(text) + "."
