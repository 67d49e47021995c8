"""How people say that a camera goes with somebody, in front of them, or around them, and which
words a request may hold to be read at all."""

import re
from collections.abc import Iterable

from aesop.data.fables import vocabulary
from aesop.data.fables.phrases import inflected
from aesop.data.fables.reading import PERSON

_GOING = (
    "stay|keep|remain|go(?:es)?|mov(?:e|es)|travel|walk|run|runn|glid(?:e|es)?|doll(?:y|ies)|truck"
    "|track|com(?:e|es)?|slid(?:e|es)?|rid(?:e|es)?|float|fl(?:y|ies)|head|back|retreat|pull|push"
    "|mov"
)
_GOES = rf"(?:{_GOING})(?:s|l?ing)?"
_WHO = rf"(?:{PERSON}|(?:him|her|them|someone|somebody)\b)"

# Marks that take the place of such phrases, whose own words would be read as directions. They are
# no English, so that nobody types them.
FOLLOW, LEAD, ARC = "zzfollow", "zzlead", "zzarc"
BEHIND, BESIDE, FRONT = "zzbehind", "zzbeside", "zzfront"
CLOCKWISE, COUNTER_CLOCKWISE = "zzclockwise", "zzcounterclockwise"
MARKS = frozenset({FOLLOW, LEAD, ARC, BEHIND, BESIDE, FRONT, CLOCKWISE, COUNTER_CLOCKWISE})

_WITH_AND_BESIDE = r"along ?side(?: of)?|side by side(?: with)?"
_BESIDE = rf"{_WITH_AND_BESIDE}|beside|next to"


def _said(pattern: str, meant: str) -> tuple[re.Pattern[str], str]:
    return re.compile(rf"\b(?:{pattern})(?!\w)"), f" {meant} "


# In this order: a phrase that holds another comes first.
PHRASES: tuple[tuple[re.Pattern[str], str], ...] = (
    _said(r"follow\w* up (?:with|by)", "then"),
    _said(r"not move at all", "not move"),
    _said(r"(?:from )?(?:the )?left to (?:the )?right", "right"),
    _said(r"(?:from )?(?:the )?right to (?:the )?left", "left"),
    _said(r"from (?:the )?top to (?:the )?bottom", "down"),
    _said(r"from (?:the )?bottom to (?:the )?top", "up"),
    _said(r"(?:on|from) (?:a|the|its) tripod", "static"),
    _said(r"(?:counter|anti) ?clockwise", COUNTER_CLOCKWISE),
    _said(r"clockwise", CLOCKWISE),
    _said(rf"follow(?:s|ing)? {_WHO} a?round", FOLLOW),
    # In front of somebody, going where they go.
    _said(r"lead(?:s|ing)?|led|preced(?:e|es|ing)", LEAD),
    _said(rf"{_GOES}(?: \w+){{0,2}}? (?:in front|ahead) of(?= {_WHO})", LEAD),
    # With somebody: behind them, beside them, or wherever.
    _said(rf"(?:{_GOES}|following) (?:{_BESIDE})|{_WITH_AND_BESIDE}", f"{FOLLOW} {BESIDE}"),
    _said(rf"(?:{_GOES}|following) (?:close )?behind(?= {_WHO})", f"{FOLLOW} {BEHIND}"),
    _said(rf"{_GOES} after(?= {_WHO})", f"{FOLLOW} {BEHIND}"),
    _said(r"trail(?:s|ing)?(?: behind)?|chas(?:e|es|ing)|pursu(?:e|es|ing)", f"{FOLLOW} {BEHIND}"),
    _said(r"keep(?:s|ing)? (?:up|pace|step) with|in step with", FOLLOW),
    _said(rf"{_GOES} (?:along |together |right )?with(?= {_WHO})", FOLLOW),
    _said(rf"track(?:s|ing)?(?= {_WHO})", FOLLOW),
    _said(r"(?<!the )follow(?:s|ing)?(?! by)(?: along(?: with)?)?", FOLLOW),
    _said(r"accompan(?:y|ies|ying)|shadow(?:s|ing)?|tag(?:s|ging)? along(?: with)?", FOLLOW),
    _said(r"from (?:the|in) front(?: of)?|in front of", FRONT),
    _said(r"from behind|from (?:the|their|his|her) (?:back|rear)|behind", BEHIND),
    _said(r"beside|next to|from (?:the|their|his|her|one) side|in profile", BESIDE),
    # Around somebody.
    _said(rf"(?:rotat|turn|spin|swing|wrap)\w* a?round(?= {_WHO})", ARC),
    _said(r"in (?:an? )?(?:arc|circle|orbit|half circle|semi ?circle)", ARC),
    _said(r"arc(?:s|ing|ed)?|orbit(?:s|ing|al)?|(?:en)?circl(?:e|es|ing)|curv(?:e|es|ing)", ARC),
    _said(r"revolv(?:e|es|ing)|half circle|semi ?circle", ARC),
    _said(rf"(?:{_GOES} )?a?round(?= (?:to|the|{_WHO})|$| *[,.])", ARC),
)  # fmt: skip
# "the person walking to the left": a participle right after somebody is theirs.
THEIR_DOING = re.compile(rf"({_WHO})\s+(?:who|that|\w+ing)\b.*?(?=,|;|\.|$|\b(?:while|then|and)\b)")
# "to her left" is the person's side, and nothing here knows which way that is for the camera.
THEIR_SIDE = re.compile(r"\b(?:s|his|her|their) (?:own )?(?:left|right)\b")
# Whole phrases with words that ask for more when they stand elsewhere ("all the way around").
HARMLESS = re.compile(
    r"\ball (?:in one move|together)\b|\bin unison\b|\bgoes about the action\b"
    r"|\b(?:keeping|holding) [\w ]+? in (?:frame|view|shot|the (?:frame|picture|shot))\b"
)

_FUNCTION = """
a an the and then while as also with by of to from at on in into off onto for it its is are be being
this that there here our we us i me you they them he she him her his their one s toward towards
first firstly second next finally lastly last after afterwards before subsequently eventually later
later followed having once which simultaneously together plus combined both
camera shot view frame take scene picture footage film filming
start starts starting begin begins beginning open opens opening end ends ending finish finishes
finishing close closes closing conclude concludes continue continues out
have has let make makes making want wants should will must get ask can need needs please give use
do does perform performs see watch watching framing
"""
_MANNER = """
slow slowly gentle gently gradual gradually smooth smoothly steady steadily quick quickly fast rapid
rapidly soft softly slight slightly subtle subtly sudden suddenly careful carefully calm calmly
straight directly diagonal diagonally vertical vertically horizontal horizontally lateral laterally
sideways constantly continuously very simple single long short little bit distance across over
"""
_PEOPLE = """
person people character subject performer actor actress figure man woman dancer human boy girl
player runner walker face head body chest waist shoulder shoulders eyes someone somebody main
"""
_MOVING = """
moving movement motion move moves step steps stepping walk walks walking raise raises raising drops
pushing pulls pulling back backs backing near close ahead during action unfolds plays performance
level rail rails track tracks tracking crane jib dolly gimbal steadicam screen
"""
_TOLD = """
in out up down left right top bottom higher lower rise lift climb ascend descend sink approach
advance retreat withdraw recede held kept stop stops stopping halt halts standstill
"""


def words_of(text: str) -> list[str]:
    """Words in lower case, without signs."""
    return re.findall(r"[a-z]+", text.lower())


def _spoken(phrases: Iterable[str]) -> set[str]:
    """Every word of the captions' verbs and nouns, in the forms that sentences use."""
    words: set[str] = set()
    for phrase in phrases:
        for form in ("base", "third", "gerund"):
            words.update(words_of(inflected((phrase, phrase), form).words))
    return words - {"who"}


def _phrases() -> Iterable[str]:
    for axis in range(3):
        for pairs in (vocabulary.CORE, vocabulary.VERBS, vocabulary.NOUNS):
            yield from (phrase for pair in pairs[axis] for phrase in pair)
        yield from (phrase for pair in vocabulary.SHARED_DIRECTIONS[axis] for phrase in pair)
    for pairs in (vocabulary.ARC_VERBS, vocabulary.ARC_NOUNS, vocabulary.FOLLOW_NOUNS):
        yield from (phrase for pair in pairs for phrase in pair)
    for phrases in (
        vocabulary.ALONGSIDE_NOUNS, vocabulary.SHARED_VERBS, vocabulary.KEEPINGS,
        vocabulary.SCENES, vocabulary.PEOPLE, vocabulary.STATIC_VERBS, vocabulary.STOP_VERBS,
        vocabulary.STATIC_NOUNS,
    ):  # fmt: skip
        yield from phrases


# Words that ask for nothing by themselves.
EMPTY_WORDS = frozenset(words_of(" ".join((_FUNCTION, _MANNER, _PEOPLE))))
# A sentence with any other word is not read: it may ask for something that nothing here checks.
KNOWN_WORDS = (
    EMPTY_WORDS
    | frozenset(words_of(" ".join((_MOVING, _TOLD))))
    | frozenset(_spoken(_phrases()))
    | MARKS
)
STATIC_PHRASES = re.compile(
    r"\b(?:static|still|motionless|stationary|unmoving|immobile|(?:is |are )?(?:at|to) rest"
    r"|(?:is |are |stays? |remains? |held |kept )?(?:fixed|locked)(?: off| in place)?"
    r"|(?:stays?|remains?|holds?|rests?|keeps?|staying|remaining|holding|resting|keeping)"
    r"(?: (?:its|a|the))? (?:place|position|put|in place|in one spot|where it is)"
    r"|does not (?:move|travel)|doesn t move|never moves|makes no movement|no (?:camera )?movement"
    r"|without moving|not moving|in place|in one spot|where it is)\b"
)
