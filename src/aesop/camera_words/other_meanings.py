"""Values that the trained reader sees in words that mean something else: hands that are filmed do
not hold the camera, and a usual focal length is neither wide nor long."""

import re

from aesop.camera_words.spoken_numbers import plain_text

# "Close on her hands", "the hands": seen, not holding.
_HANDS = re.compile(
    r"\b(?:on|of|to|at|onto|towards?|only|just|see|show) (?:the|her|his|their) hands?\b"
)
_HOLDS = re.compile(
    r"\bhand ?hel?d|\bheld\b|\bshak|\bwobbl|\bjitter|\bshoulder\b|\bdocumentary|\bbreath|\bnervous"
    r"|\bin (?:\w+ ){1,2}hands?\b|\bby hand\b|\bhandi?cam|\bphone\b"
)
_USUAL_MM = re.compile(r"\b(?:2[7-9]|[345]\d|60) ?(?:mm|mil|millimet(?:er|re)s?)\b")
_OF_A_LENS = re.compile(
    r"\b(?:wide(?! shot)|short|long(?! shot)|tele\w*|fish ?eye|distort\w*|compress\w*|portrait"
    r"|flat\w*|squash\w*|bulg\w*|fov|field of view)\b"
)


def other_meanings(text: str) -> frozenset[str]:
    """Names of values that a text does not ask for, though it sounds like them."""
    plain = plain_text(text)
    names: set[str] = set()
    if _HANDS.search(plain) and not _HOLDS.search(plain):
        names.add("grip:handheld")
    if _USUAL_MM.search(plain) and not _OF_A_LENS.search(_USUAL_MM.sub(" ", plain)):
        names |= {"lens:wide-angle", "lens:long-lens"}
    return frozenset(names)
