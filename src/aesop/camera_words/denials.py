"""What stands in a request and is not asked for: what is denied, taken back or complained of, and
what somebody does meanwhile."""

import re
from collections.abc import Iterator

from aesop.camera_words.standing_terms import PEOPLE, WHO

# Words that stand for terms where they are denied: "no dolly" is no movement on wheels.
_DENIED_NOUNS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(rf"\b(?:{pattern})"), names)
    for pattern, names in (
        (r"zoom", ("lens:zoom-in", "lens:zoom-out")),
        (r"push", ("move:push-in",)),
        (r"doll(?:y|ies)\b(?! zoom)", ("move:push-in", "move:pull-out", "grip:dolly")),
        (r"track", ("move:follow", "move:follow-beside", "move:truck-left", "move:truck-right")),
        (r"tripod\b", ("grip:locked-off",)),
        (r"(?:pan|schwenk)\b", ("turn:pan-left", "turn:pan-right", "turn:pan-follow")),
        (r"tilt", ("turn:tilt-up", "turn:tilt-down")),
        (r"cuts?\b", ()),
        (r"shak|wobbl|jitter|hand ?held", ("grip:handheld",)),
        (r"(?:steadicam|gimbal)\b", ("grip:steadicam",)),
        (r"slider\b", ("grip:dolly",)),
        (r"(?:orbit|circl)", ("move:orbit", "move:arc-left", "move:arc-right")),
    )
)
DENIAL = re.compile(
    r"(?:(?<=[,;:.!?(])|^|(?<=\band)|(?<=\bbut)|(?<=\bplease))\s*"
    r"(?:(?:it|this|that)(?:['’]?s| is) +(?=not\b))?"
    r"(?P<denied>(?:no|not|without|never|avoid|do not|don['’]?t|instead of)\s+[^,;:.!?()]*?)"
    # "Not a zoom but a dolly in", "it is not a close-up, it is a wide shot": what comes then is.
    r"(?:\s+but(?: rather)?\b|(?=[,;:.!?()]|$))",
    re.IGNORECASE,
)
# Rest may be denied anywhere: "the camera should not be static", "I don't want it locked off". Only
# words that say nothing stand between, so that "no movement, static" and "not wide, still" rest.
_NOT = (
    r"(?:no(?:t|r|n| longer)?|never|without|avoid(?:ing|s)?|hates?|anything but|rather than|less"
    r"|instead of|cannot|(?:do|does|did|is|are|was|were|wo|ca|should|must|would|could)n['’]?t)"
)
_BETWEEN = (
    r"(?:an?|the|it|its|be|being|is|to|so|too|that|very|all|just|completely|totally|entirely|like"
    r"|want|need|let|make|have|leave|use|keep|keeping|stay|staying|remain|remaining|hold|holding|sit"
    r"|stand|standing|look|feel|camera|shot|frame|picture|any|one|of)"
)
_AT_REST = (
    r"(?:static|stationary|motionless|immobile|unmoving|locked(?:[ -](?:off|down))?"
    r"|lock(?:ed)?[ -]off)(?: (?:shots?|cameras?|frames?|framing|views?|pictures?|position))?"
)
_KEEPS_STILL = (
    r"(?:be(?:ing)?|keep(?:s|ing)?|hold(?:s|ing)?|stay(?:s|ing)?|remain(?:s|ing)?|stand(?:s|ing)?"
    r"|sit(?:s|ting)?|so|too)(?: (?:it|the (?:camera|shot|frame)|so|too|completely|very))* still"
)
_DENIED_REST = re.compile(
    rf"\b(?:(?:but|and|that is|which is) +)?{_NOT}[ -]+(?:{_BETWEEN} +)*?"
    rf"(?:{_AT_REST}|{_KEEPS_STILL}|still(?= *(?:[,;.!?]|$)))\b",
    re.IGNORECASE,
)
_RESTS = re.compile(rf"\b{_AT_REST}", re.IGNORECASE)
# "She is never still": what the person does.
_THEIRS = re.compile(rf"\b{WHO}(?: (?:is|are|does|do|can|will|just))* $", re.IGNORECASE)
REST = frozenset({"move:static", "grip:locked-off"})
_WAY = r"(?:left|right|up|down|in|out|forwards?|backwards?)"
_SORRY = r"(?:no|nope|sorry|wait|oops|er|uh|um|actually|rather|i mean(?:t)?)"
# "To the left, no sorry, to the right": the first is taken back.
_TAKEN_BACK = re.compile(
    rf"\b(?:to (?:the |its |her |his )?)?{_WAY}[ ,.\-–]+{_SORRY}(?:[ ,.]+{_SORRY})*[ ,.]+"
    rf"(?=(?:to )?(?:the |its |her |his |cameras? |camera's )?{_WAY}\b)",
    re.IGNORECASE,
)
_PACE_TAKEN_BACK = re.compile(
    rf"\b(?P<pace>\w+)[ ,]+{_SORRY}(?:[ ,]+{_SORRY})* not (?P=pace)\b", re.IGNORECASE
)
# How it was before: nobody asks for what is too near.
_COMPLAINT = re.compile(
    r"\b(?:(?:(?:i|we) (?:feel|think)(?: like)? )?(?:(?:it|this|that|we|you|she|he)(?:['’]s| is"
    r"|['’]re| are| was| were)? )?(?:way |much |far |a bit |still )*too (?:close|near|far(?: away)?"
    r"|tight|wide|high|low|fast|slow|shaky|wobbly|static)\b(?: before| now)?"
    r"|(?:i|we) (?:can )?only (?:ever )?see [^,.;!?]*"
    r"|i hate how \w+ (?:this|it) is)[ ,.;!?]*",
    re.IGNORECASE,
)


def without_complaints(words: str) -> str:
    """A request without what it says of the film before and what it takes back: "too close!! back
    up" asks to back up. What is nothing but a complaint stays, and may be understood."""
    plain = _PACE_TAKEN_BACK.sub(" ", _TAKEN_BACK.sub("", words))
    left = _COMPLAINT.sub(" ", plain)
    return left if len(re.findall(r"\w+", left)) > 1 else plain


def without_denied_rest(words: str) -> tuple[str, bool]:
    """A request without what says that the camera is not to rest, and whether anything does."""
    left, since, found = "", 0, False
    for match in _DENIED_REST.finditer(words):
        if _THEIRS.search(words[: match.start()]):
            continue
        left, since, found = f"{left}{words[since : match.start()]} ", match.end(), True
    left += words[since:]
    # "Static at first, then not static": rest is asked for too.
    return left, found and _RESTS.search(left) is None


# "No zoom" is neither in nor out.
_ANY_ZOOM = re.compile(
    r"^\w+(?: not| of)?(?: an?| any| the)? zoom(?:s|ing)?\b(?! in\b| out\b| back)"
)


def names_all(denied: str) -> bool:
    """Whether a denial speaks of all that its noun can mean, though a term names one of those."""
    return _ANY_ZOOM.search(denied) is not None


def denied_nouns(denied: str) -> tuple[str, ...] | None:
    """What a denial speaks of by its noun alone; None where it names nothing of a camera."""
    found = [names for pattern, names in _DENIED_NOUNS if pattern.search(denied)]
    return tuple(name for names in found for name in names) if found else None


# What somebody does, from its subject to the next word of the camera's: "she walks quickly".
_CAMERA_AGAIN = (
    r"(?:and|but|while|then|before|camera|cam|shot|we|you|push|pull|truck|boom|doll|crane|pedestal"
    r"|track|zoom|pan|tilt|orbit|arc|circl|follow|whip|jib)\w*"
)
_THEIR_DOING = re.compile(
    r"(?:^|[,.;:!?]|\b(?:while|as|when|where|and|but|because|since|so|that)\b) *"
    rf"(?:(?:s?he|they)\b|(?:the|a|an|our|my) (?:\w+ )?{PEOPLE}"
    r"(?= (?:\w+ly )?(?:\w+s|\w+ing|are)\b))"
    rf"(?P<doing>(?: +(?!{_CAMERA_AGAIN}\b)\w+)+)"
)
# "She slowly fills the frame": what the picture does with her.
_IN_THE_PICTURE = re.compile(
    r"\b(?:fills?|gets?|getting|grows?|becom(?:es?|ing)|appears?|revealed|seen|shown|framed|frame"
    r"|picture|screen|smaller|bigger|larger)\b"
)


def their_doing(text: str) -> Iterator[tuple[int, int]]:
    """Where a plain text tells what somebody does, from the first word behind them to the last."""
    for match in _THEIR_DOING.finditer(text):
        if not _IN_THE_PICTURE.search(match["doing"]):
            yield match.span("doing")


def without_their_doing(text: str) -> str:
    """A plain text without what somebody does in it, how fast they do it among that."""
    left, since = "", 0
    for first, stop in their_doing(text):
        left, since = left + text[since:first], stop
    return left + text[since:]
