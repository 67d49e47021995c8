"""Mirroring a caption: left and right change places, but only where they are sides."""

import re

_SIDE = re.compile(
    r"\b(?P<side>left|right)(?P<way>wards?)?\b|\b(?P<spin>(?:anti-?|counter-?)?clockwise)\b",
    re.IGNORECASE,
)
_OTHER = {"left": "right", "right": "left"}

# "Right" as a corner or for emphasis, "left" as what someone did. A word that makes it a side
# again in front ("to the right over the wall") wins.
_NO_SIDE_AFTER = {
    "right": re.compile(
        r" (?:away|now|behind|beside|next to|through(?! an? (?:whole|full))|over an?\b|into"
        r"|in front|on top|up to|there|here)\b",
        re.IGNORECASE,
    ),
    "left": re.compile(r" (?:the|behind|alone|over)\b", re.IGNORECASE),
}
_NO_SIDE_BEFORE = {
    "right": re.compile(r"\ball\s$", re.IGNORECASE),
    "left": re.compile(
        r"\b(?:has|have|had|is|are|was|were|been|nothing|he|she|they|who|someone|person|man|woman)"
        r"\s$",
        re.IGNORECASE,
    ),
}
_SIDE_BEFORE = re.compile(
    r"\b(?:the|his|her|its|their|a|to|turns?|turning|off|over)\s$", re.IGNORECASE
)


def mirror_caption(text: str) -> str:
    """What the caption says of the motion seen in a mirror."""
    return _SIDE.sub(_mirrored, text)


def _mirrored(match: re.Match[str]) -> str:
    if match["spin"]:
        other = "anticlockwise" if match["spin"].lower() == "clockwise" else "clockwise"
        return _in_case_of(match["spin"], other)
    side = match["side"].lower()
    if not match["way"] and not _is_side(side, match):
        return match[0]
    return _in_case_of(match["side"], _OTHER[side]) + (match["way"] or "")


def _is_side(side: str, match: re.Match[str]) -> bool:
    before, after = match.string[: match.start()], match.string[match.end() :]
    if side == "right" and re.match(r"[ -]angle", after, re.IGNORECASE):
        return False
    if _SIDE_BEFORE.search(before):
        return True
    return not (_NO_SIDE_AFTER[side].match(after) or _NO_SIDE_BEFORE[side].search(before))


def _in_case_of(model: str, word: str) -> str:
    return word.capitalize() if model[0].isupper() else word
