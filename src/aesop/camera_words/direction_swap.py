"""A caption with every direction of the camera turned round, for sets that have no reversed twins.

Words are swapped one for one (left and right, in and out, up and down …), and only where the
caption speaks of the camera: the person does what they did.
"""

import re
from collections.abc import Sequence

from aesop.camera_words.caption_reader import NOT_INWARD, movements_in, travel_part
from aesop.camera_words.outline import SIGNS, TAG_OF

_OPPOSITES = (
    ("left", "right"),
    ("leftward", "rightward"),
    ("leftwards", "rightwards"),
    ("forward", "backward"),
    ("forwards", "backwards"),
    ("up", "down"),
    ("upward", "downward"),
    ("upwards", "downwards"),
    ("top", "bottom"),
    ("higher", "lower"),
    ("rise", "sink"),
    ("rises", "sinks"),
    ("rising", "sinking"),
    ("ascend", "descend"),
    ("ascends", "descends"),
    ("ascending", "descending"),
    ("ascent", "descent"),
    ("toward", "away from"),
    ("closer to", "away from"),
    ("closer", "away"),
    ("nearer", "farther away"),
    ("approach", "retreat from"),
    ("approaches", "retreats from"),
    ("approaching", "retreating from"),
    ("advance", "retreat"),
    ("advances", "retreats"),
    ("advancing", "retreating"),
    *((f"push{end} {way}", f"pull{end_of_pull} {back}")
      for end, end_of_pull in (("", ""), ("es", "s"), ("ing", "ing"), ("ed", "ed"))
      for way, back in (("in", "out"), ("forward", "back"), ("toward", "away from"))),
    ("in on", "out from"),
    ("in", "out"),
)  # fmt: skip
# One way only: two phrases may have the same opposite.
_SWAPS = {
    **{second: first for first, second in reversed(_OPPOSITES)},
    **dict(_OPPOSITES),
    **{"towards": "away from", "back": "forward", "away": "in", "ahead": "backward"},
    **{"lowers": "rises", "lowering": "rising"},
    **{f"back{end} away": f"approach{more}" for end, more in (("", ""), ("s", "es"))},
    **{f"clos{end} in": f"back{of_back} away"
       for end, of_back in (("e", ""), ("es", "s"), ("ing", "ing"))},
}  # fmt: skip
_PHRASE = re.compile(
    r"\b(?:"
    + "|".join(sorted(map(re.escape, _SWAPS), key=len, reverse=True))
    + r")\b"
    # … but no "in" that is none: "in frame", "in the middle"
    + rf"(?<!\bin(?=\s(?:{NOT_INWARD})\b))"
)


def reversed_words(caption: str) -> str | None:
    """The caption with the camera's directions swapped; None where it has none, or where what comes
    out does not read as the exact opposite, step by step."""
    movements = movements_in(caption)
    wanted = [_opposite(tag) for tag in movements]
    if wanted == movements:
        return None
    pieces: list[str] = []
    end = 0
    for found in _PHRASE.finditer(travel_part(caption)):
        written = caption[found.start() : found.end()]
        pieces += [caption[end : found.start()], _as_written(_SWAPS[found.group()], written)]
        end = found.end()
    turned = "".join([*pieces, caption[end:]])
    return turned if movements_in(turned) == wanted else None


def reversed_caption(captions: Sequence[str], twins: Sequence[str]) -> str:
    """What a shot is asked for in the reversed arm: the stored twin of its first caption, or else
    that caption with its directions swapped. Nothing where it cannot be turned round."""
    if twins:
        return twins[0]
    return (reversed_words(captions[0]) if captions else None) or ""


def _opposite(tag: int) -> int:
    x, y, z = SIGNS[tag]
    return TAG_OF[-x, -y, -z]


def _as_written(swapped: str, written: str) -> str:
    """A hyphen and a capital stay."""
    if "-" in written:
        swapped = swapped.replace(" ", "-", 1)
    return swapped[0].upper() + swapped[1:] if written[0].isupper() else swapped
