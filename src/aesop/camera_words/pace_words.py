"""Words for how far or how fast a camera goes, and the intensity that each stands for. How fast
somebody does something is no pace of the camera's."""

import re
from dataclasses import dataclass

from aesop.camera_words.action_terms import PACES
from aesop.camera_words.attributes import INTENSITY_OF, Pace
from aesop.camera_words.denials import without_their_doing
from aesop.camera_words.spoken_numbers import plain_text

_PACE_TERMS: tuple[tuple[re.Pattern[str], Pace], ...] = tuple(
    (re.compile(rf"\b(?:{pattern})\b"), pace) for pattern, pace in PACES
)
# "Not too fast" asks neither for fast nor for slow.
_NO_PACE = re.compile(
    r"\bnot (?:too |so |that |very )*(?:fast|quick(?:ly)?|slow(?:ly)?|rapid(?:ly)?)\b"
)


@dataclass(frozen=True)
class PaceWord:
    """A word for how far or how fast, and the intensity that it stands for."""

    word: str
    pace: Pace

    @property
    def intensity(self) -> float:
        return INTENSITY_OF[self.pace]

    @property
    def text(self) -> str:
        """ "slowly → 0.7"."""
        return f"{self.word} → {self.intensity:g}"


def pace_in(words: str) -> PaceWord | None:
    """The first word of a sentence that says how far or how fast the camera goes, if it has one
    that is no part of a term ("a whip pan" is no pace)."""
    paces = paces_in(words)
    return paces[0] if paces else None


def paces_in(words: str) -> list[PaceWord]:
    """All of them in their order."""
    text = _NO_PACE.sub(" ", without_their_doing(plain_text(words)))
    found = [
        (match.start(), PaceWord(match[0], pace))
        for pattern, pace in _PACE_TERMS
        for match in pattern.finditer(text)
    ]
    return [pace for _, pace in sorted(found, key=lambda one: one[0])]


def has_pace(words: str) -> bool:
    """Whether a word of pace stands anywhere, whoever's it is."""
    text = _NO_PACE.sub(" ", plain_text(words))
    return any(pattern.search(text) for pattern, _ in _PACE_TERMS)


def without_paces(text: str) -> str:
    """A plain text without them."""
    text = _NO_PACE.sub(" ", text)
    for pattern, _ in _PACE_TERMS:
        text = pattern.sub(" ", text)
    return text
