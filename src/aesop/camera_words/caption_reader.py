"""Reading a camera caption back into movement classes: our own grammar's, and the style of E.T. and
PulpMotion.

What the person does and where they are is set aside first. The rest is cut into steps at the words
that say "later"; within a step, every direction word marks one sign of one axis.
"""

import re
from itertools import groupby

from aesop.camera_words.outline import TAG_OF

PERSON = (
    r"(?:the|a|an)\s+(?:main\s+)?"
    r"(?:character|person|subject|performer|actor|actress|figure|man|woman|dancer|human)s?\b"
    r"|(?:he|she|they)\b"
)
# Captions of others speak of people in more ways. All of this is set aside before a caption is read
# or turned round; words asked of the Director are read more strictly (`request_reader`).
_NOUN = "(?:character|person|subject|performer|actor|actress|figure|man|woman|dancer|human)s?"
_LOOKS = (
    r"(?:main|stationary|static|still|motionless|unmoving|immobile|standing|seated|sitting|walking"
    r"|running|moving|dancing|approaching|advancing|retreating|kneeling|crouching|lying|lone|central"
    r"|male|female|young|older?|two|three|other)"
)
_SOMEBODY = rf"(?:the|a|an)\s+(?:{_LOOKS}\s+)*{_NOUN}\b"
_WHOM = rf"(?:{_SOMEBODY}|\b(?:him|her|them)\b)"
_CAMERA_VERB = r"(?:push|pull|truck|boom|doll|crane|pedestal|track)\w*"
_CLAUSE_END = (
    rf"(?=[,.;!?]|$|\bwhile\b|\b(?:and|then|before)\b(?:\s+\w+)?\s+{_CAMERA_VERB}"
    r"|\b(?:and\s+)?then\s+(?:remain|stay|becom)\w*\s+(?:static|stationary)\b"
    r"|\b(?:and|while|but)?\s*(?:the|our)\s+(?:camera|shot|view)\b|\bit\b)"
)
_SIDE = r"(?:left|right|top|bottom)"
_SET_ASIDE = tuple(
    re.compile(pattern)
    for pattern in (
        # "the camera and the person both move left": the camera does
        rf"(?<=camera)\s+and\s+{_SOMEBODY}(?:\s+both\b)?",
        # "who is moving to the left"
        rf",?\s*\bwhom?\b.*?{_CLAUSE_END},?",
        # "as the stationary person looks up", "so that the man stays in frame"
        rf"(?:^|(?<=[.;!?]\s)|,|\b(?:while|as|when|where|and|but|until|once|since|because|so that"
        rf"|(?:even )?though|although|with)\b)\s*(?:{_SOMEBODY}|(?:he|she|they)\b)(?!\s*,|['’])"
        rf".*?{_CLAUSE_END}",
        # "with the person walking forward"; "the person trucking right" would be the camera's
        rf"{_WHOM}\s+(?:\w+ly\s+)?(?!{_CAMERA_VERB})\w+ing\b.*?{_CLAUSE_END}",
        # "the character's movement to the right"
        rf"(?:{_SOMEBODY}['’]s|\b(?:their|his|her))\s+(?:\w+\s+)??(?:movement|motion|walk|run|step"
        r"|path|progress|turn|advance|retreat|approach|direction)s?\b"
        r"(?:\s+(?:to|towards?)\s+(?:the\s+)?\w+|\s+(?:for|back|up|down|left|right)wards?\b)?",
        # "the stationary character"
        rf"(?<=the\s)(?:{_LOOKS}\s+)+(?={_NOUN}\b)|(?<=\ba\s)(?:{_LOOKS}\s+)+(?={_NOUN}\b)",
        # "on the left side of the frame"; "from left" of "from left to right"
        r"\b(?:left|right|lower)\s+(?:shoulder|hand|arm|leg|foot|knee|profile|body|half)s?\b",
        rf"\b(?:on|at|from)\s+the\s+{_SIDE}\b(?:\s+side)?|\bfrom\s+{_SIDE}(?=\s+to\b)",
        # idioms
        r"\b(?:keep|catch)\w*\s+up\b|\bup\s+close\b|\bright\s+(?:away|now)\b"
        r"|\b(?:up|down)\s+the\s+(?:hall(?:way)?|corridor|stairs|street|road|path|aisle|sidewalk)\b"
        r"|\bback\s+to(?=\s+(?:an?\s+|its\s+)?(?:static|still|stationary))",
    )
)
_HUMAN_CLAUSE = re.compile(
    rf"(?:^|,|\b(?:while|as|when|where|and|but)\b)\s*(?:{PERSON})(?!\s*,).*?"
    r"(?=,|$|\b(?:and|while|but)?\s*(?:the|our)\s+(?:camera|shot|view)\b|\bit\b)"
)
# Turning and zooming are no travel; the rest are idioms that borrow a direction word.
_NOT_TRAVEL = re.compile(
    r"\b(?:pan|tilt|rotat|turn|swivel|yaw|pitch|zoom)\w*(?:\s+(?:to|toward|towards|the))*"
    r"\s+(?:left|right|up|down|in|out|upwards?|downwards?|leftwards?|rightwards?)\b"
    r"|\b(?:starts?|starting|begins?|sets?)\s+out\b|\bout of\b|\bahead of\b|\bclose[- ]up\b"
    r"|\bup to\b(?! (?:follow|keep|track|match|show|reveal)\b)|\bends? up\b|\bslow\w*\s+down\b"
    r"|(?<!truck )(?<!trucks )(?<!trucking )\bright\s+(?:behind|next|at|in front|beside)\b"
    r"|\bback and forth\b|\bon top\b|\btop of\b|\bfixed on\b"
)
_LATER = re.compile(
    r"\b(?:then|next|finally|lastly|afterwards?|subsequently|eventually|later|before"
    r"|followed by|after (?:that|which)|continues? (?:with|by)"
    r"|(?:ends?|finishes|closes|concludes|ending|finishing) (?:with|by|on)"
    r"|(?:switch|transition|chang|mov)\w*\s+(?:on\s+)?(?:in)?to\s+an?)\b"
)
_SUBJECT = r"(?:the |our )?(?:camera|shot|view)|it"
_AFTER_FIRST = re.compile(rf"^\s*(?:after|having|once)\b(.*?),\s*((?:{_SUBJECT})\b.*)$")
_BEFORE_FIRST = re.compile(rf"^\s*before\b(.*?),\s*((?:{_SUBJECT})\b.*)$")
_AFTER_INSIDE = re.compile(r"^(.+?)\bafter\b(.+)$")

NOT_INWARD = (
    "an?|the|place|front|position|frame|view|shot|one|this|that|sync|step|tandem|parallel|unison"
    "|time|action|order|motion|its|their|his|her|which|line|opposite|response|reaction|pursuit"
)
_NOT_A_PERSON = "left|right|ground|floor|sky|ceiling|bottom|top"
_STATIC = (
    r"static|still|motionless|stationary|locked|fixed|unmoving|immobile|(?:at|to) rest|in place"
    r"|put|in one spot|(?:hold|keep|stay)\w*\s+(?:its\s+)?(?:position|place)|not (?:move|travel)"
    r"|doesn't move|never moves|no (?:camera )?movement|without moving|where it is|stop\w*|halt\w*"
    r"|standstill|(?:is|remain|stay|hold|keep|held|kept)\w*\s+(?:\w+ly\s+)?steady"
)
# Group names carry axis and sign; "s" is no movement at all.
_MARKS = re.compile(
    r"\b(?:"
    rf"(?P<s>{_STATIC})"
    r"|(?P<xp>right(?:wards?)?)|(?P<xm>left(?:wards?)?)"
    r"|(?P<yp>down(?:wards?)?|bottom|lower\w*|descen\w+|sink\w*|drop\w*)"
    r"|(?P<ym>up(?:wards?)?|top|higher|ris(?:e|es|ing)|rais\w+|ascen\w+|climb\w*|lift\w*)"
    rf"|(?P<zp>in(?!\s+(?:{NOT_INWARD})\b)|forwards?|ahead|closer|nearer|approach\w*|advanc\w+"
    rf"|towards?(?!\s+the\s+(?:{_NOT_A_PERSON})\b))"
    r"|(?P<zm>out|back(?:s|ing|wards?)?|away|retreat\w*|withdr\w+|reced\w+)"
    r")\b"
    rf"|\btowards? the (?:(?P<ground>ground|floor)|(?P<sky>sky|ceiling))\b"
)
_AXIS_SIGNS = {
    "xp": (0, 1), "xm": (0, -1), "yp": (1, 1), "ym": (1, -1), "zp": (2, 1), "zm": (2, -1),
    "ground": (1, 1), "sky": (1, -1),
}  # fmt: skip


def movements_in(caption: str) -> list[int]:
    """Classes in the order in which they happen, equal neighbours merged."""
    tags = [tag for step in steps_in(camera_part(caption)) for tag in tags_in(step)]
    return [tag for tag, _ in groupby(tags)]


def camera_part(caption: str) -> str:
    """The caption in lower case, blanks where it speaks of the person, every character at its old
    place."""
    # Some capitals become two small letters.
    plain = "".join(small if len(small := char.lower()) == 1 else char for char in caption)
    plain = plain.replace("-", " ")
    for pattern in _SET_ASIDE:
        plain = _blanked(pattern, plain)
    return plain


def travel_part(caption: str) -> str:
    """The same, with blanks also where it speaks of the camera but not of where it goes."""
    return _blanked(_NOT_TRAVEL, camera_part(caption))


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: " " * len(found.group()), text)


def steps_in(caption: str) -> list[str]:
    """What a caption asks of the camera, in the order in which it happens, in lower case. What the
    person does, and what is no travel, is left out."""
    sentences = re.split(r"[.;!?]+(?:\s|$)", caption.lower().replace("-", " "))
    return [step for sentence in sentences for step in _steps(sentence)]


def without_person(sentence: str) -> str:
    """A sentence in lower case without the clauses that say what the person does."""
    return _HUMAN_CLAUSE.sub(" ", sentence)


def _steps(sentence: str) -> list[str]:
    """Parts of a sentence in the order in which they happen."""
    if match := _BEFORE_FIRST.match(sentence):
        return [step for part in reversed(match.groups()) for step in _steps(part)]
    ordered: list[str] = []
    for step in _LATER.split(_NOT_TRAVEL.sub(" ", without_person(sentence))):
        if match := _AFTER_FIRST.match(step):
            ordered += match.groups()
        elif match := _AFTER_INSIDE.match(step):
            ordered += reversed(match.groups())
        else:
            ordered.append(step)
    return ordered


def tags_in(step: str) -> list[int]:
    """Usually one class; more if the step stops, or goes one way and then the other."""
    tags: list[int] = []
    signs = [0, 0, 0]
    for mark in _MARKS.finditer(step):
        name = mark.lastgroup
        assert name is not None
        if name == "s":
            tags += [*_flushed(signs), 0]
            continue
        axis, sign = _AXIS_SIGNS[name]
        if signs[axis] == -sign:
            tags += _flushed(signs)
        signs[axis] = sign
    return tags + _flushed(signs)


def _flushed(signs: list[int]) -> list[int]:
    """The class of the signs gathered so far, if any; they start again from nothing."""
    x, y, z = signs
    signs[:] = [0, 0, 0]
    return [TAG_OF[x, y, z]] if x or y or z else []
