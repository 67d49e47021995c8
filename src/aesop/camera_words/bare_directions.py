"""Directions that stand alone: "tilt up, then down" and "pan left and right" mean the verb before
them again, and no movement of its own. Movements that stand alone in a list come one by one."""

import re

_LASTING = r"(?: (?:for|over|in) \S+(?: ?(?:s|secs?|seconds?)\b)?)?"
_TO = r"(?:(?:back|over) )?(?:(?:to|towards?) )?(?:the |camera )?"
_JOINT = r"(?: ?(?:,|;|[-=]?>|→))? ?(?:\b(?:and |but )?then\b|\band\b|\bbefore\b)?"
_ENDS = (
    r"(?=\s*(?:[,;.!?]|[-=]?>|→|$)| again\b| (?:and |but )?then\b| slowly\b| quickly\b"
    r"| (?:for|over) (?:\d|\w+ sec))"
)
_SAME_VERB: tuple[re.Pattern[str], ...] = tuple(
    re.compile(
        rf"\b(?P<verb>{verb}) (?P<first>(?:\w+ly )?{_TO}(?P<from>{ways})(?:wards?)?)"
        rf"(?P<lasting>{_LASTING}(?: slowly| quickly)?)(?P<joint>{_JOINT}) {_TO}"
        rf"(?P<way>{ways}{more})(?:wards?)?\b{_ENDS}",
        re.IGNORECASE,
    )
    for verb, ways, more in (
        (r"(?:whip )?(?:pan|tilt)(?:s|ning|ing)?|whips?|swivels?", "left|right|up|down", "|back"),
        (r"(?:arc|orbit|circle|curve)s?(?: a?round(?: (?:her|him|them))?)?", "left|right", "|back"),
        (r"zoom(?:s|ing)?", "in|out", "|back"),
        # "Crane up and back" rises and goes backward.
        (r"(?:boom|crane|jib|pedestal|ped)(?:s|ing)?", "up|down", ""),
        (r"(?:truck|track|slide|crab|strafe|dolly)(?:s|ing)?", "left|right", ""),
    )
)
_OPPOSITE = {"left": "right", "up": "down", "in": "out"}
_OPPOSITE |= {other: one for one, other in _OPPOSITE.items()}
_ON_THE_SPOT = re.compile(r"(?:pan|tilt)(s|ning|ing)?", re.IGNORECASE)
# A movement by itself, as a shot list has it: "push in", "slow pan left", "orbit".
_SPEED = r"(?:(?:slow|quick|fast|gentle)(?:ly)? )?"
BARE_VERBS = (
    "push|pull|truck|track|dolly|boom|crane|jib|pedestal|ped|whip pan|pan|tilt|zoom|slide|crab|arc"
    "|orbit|circle|roll"
)
_BARE = re.compile(
    rf"(?:and )?{_SPEED}(?:(?:{BARE_VERBS})(?: (?:to the )?"
    r"(?:in|out|back|left|right|up|down|around(?: (?:her|him|them))?))?)"
    r"(?: (?:slow|quick)(?:ly)?)?",
    re.IGNORECASE,
)
_LISTED = 3
_MOST = 8  # directions one after the other: a shot has three steps


def with_same_verb(words: str) -> str:
    """ "Tilt up then down" with the verb again, as "tilt up then tilt down". Who goes the way back
    does so afterwards, whatever joins both: "pan left and right" is two pans."""
    words = with_list_in_order(words)
    for _ in range(_MOST):
        before = words
        for pattern in _SAME_VERB:
            words = pattern.sub(_again, words)
        if words == before:
            break
    return words


def with_list_in_order(words: str) -> str:
    """ "Push in, arc right, boom up": a list of three bare movements or more is made one by one, as
    its writer goes through it. Two may well be meant at once."""
    pieces = words.split(",")
    bare = [_BARE.fullmatch(piece.strip(" .!")) is not None for piece in pieces]
    if sum(bare) < _LISTED:
        return words
    joined = [
        f" then{piece}" if at and bare[at] and bare[at - 1] else piece
        for at, piece in enumerate(pieces)
    ]
    return ",".join(joined)


def _again(match: re.Match[str]) -> str:
    first, way = match["from"].lower(), match["way"].lower()
    joint = match["joint"]
    if not joint.strip() and way != "back":  # "pan left up": both at once
        return match[0]
    way = _OPPOSITE[first] if way == "back" else way
    turns = _ON_THE_SPOT.fullmatch(match["verb"])
    verb = match["verb"]
    if turns is not None:
        verb = "pan" if way in ("left", "right") else "tilt"
    after = way == _OPPOSITE[first] or "and" not in joint or "then" in joint
    joined = ", then" if after else " and"
    return f"{match['verb']} {match['first']}{match['lasting']}{joined} {verb} {way}"
