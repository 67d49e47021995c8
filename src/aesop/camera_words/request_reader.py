"""What words ask of a camera, in the movements of the grammar. A sentence is read only if every
word of it is understood."""

import re
from collections.abc import Sequence
from itertools import groupby

from aesop.camera_words import vocabulary
from aesop.camera_words.caption_reader import PERSON, steps_in, tags_in, without_person
from aesop.camera_words.outline import (
    SIGNS,
    STATIC,
    TAG_OF,
    AskedCamera,
    AskedMove,
    Kind,
    Place,
    Side,
)

_TRACKING_SHOT = re.compile(r"\btracking (?:shot|move)\b")

_GOING = (
    "stay|keep|remain|go(?:es)?|mov(?:e|es)|travel|walk|run|runn|glid(?:e|es)?|doll(?:y|ies)|truck"
    "|track|com(?:e|es)?|slid(?:e|es)?|rid(?:e|es)?|float|fl(?:y|ies)|head|back|retreat|pull|push"
    "|mov"
)
_GOES = rf"(?:{_GOING})(?:s|l?ing)?"
_WHO = rf"(?:{PERSON}|(?:him|her|them|someone|somebody)\b)"

# Marks for phrases that go with, before or around somebody, whose own words would be read as
# directions. They are no English, so that nobody types them.
FOLLOW, LEAD, ARC = "zzfollow", "zzlead", "zzarc"
BEHIND, BESIDE, FRONT = "zzbehind", "zzbeside", "zzfront"
CLOCKWISE, COUNTER_CLOCKWISE = "zzclockwise", "zzcounterclockwise"
MARKS = frozenset({FOLLOW, LEAD, ARC, BEHIND, BESIDE, FRONT, CLOCKWISE, COUNTER_CLOCKWISE})

_WITH_AND_BESIDE = r"along ?side(?: of)?|side by side(?: with)?"
_BESIDE = rf"{_WITH_AND_BESIDE}|beside|next to"


def _mark(pattern: str, meant: str) -> tuple[re.Pattern[str], str]:
    return re.compile(rf"\b(?:{pattern})(?!\w)"), f" {meant} "


# In this order: a phrase that holds another comes first.
PHRASES: tuple[tuple[re.Pattern[str], str], ...] = (
    _mark(r"follow\w* up (?:with|by)", "then"),
    _mark(r"not move at all", "not move"),
    _mark(r"(?:from )?(?:the )?left to (?:the )?right", "right"),
    _mark(r"(?:from )?(?:the )?right to (?:the )?left", "left"),
    _mark(r"from (?:the )?top to (?:the )?bottom", "down"),
    _mark(r"from (?:the )?bottom to (?:the )?top", "up"),
    _mark(r"(?:on|from) (?:a|the|its) tripod", "static"),
    _mark(r"(?:counter|anti) ?clockwise", COUNTER_CLOCKWISE),
    _mark(r"clockwise", CLOCKWISE),
    _mark(rf"follow(?:s|ing)? {_WHO} a?round", FOLLOW),
    # In front of somebody, going where they go.
    _mark(r"lead(?:s|ing)?|led|preced(?:e|es|ing)", LEAD),
    _mark(rf"{_GOES}(?: \w+){{0,2}}? (?:in front|ahead) of(?= {_WHO})", LEAD),
    # With somebody: behind them, beside them, or wherever.
    _mark(rf"(?:{_GOES}|following) (?:{_BESIDE})|{_WITH_AND_BESIDE}", f"{FOLLOW} {BESIDE}"),
    _mark(rf"(?:{_GOES}|following) (?:close )?behind(?= {_WHO})", f"{FOLLOW} {BEHIND}"),
    _mark(rf"{_GOES} after(?= {_WHO})", f"{FOLLOW} {BEHIND}"),
    _mark(r"trail(?:s|ing)?(?: behind)?|chas(?:e|es|ing)|pursu(?:e|es|ing)", f"{FOLLOW} {BEHIND}"),
    _mark(r"keep(?:s|ing)? (?:up|pace|step) with|in step with", FOLLOW),
    _mark(rf"{_GOES} (?:along |together |right )?with(?= {_WHO})", FOLLOW),
    _mark(rf"track(?:s|ing)?(?= {_WHO})", FOLLOW),
    _mark(r"(?<!the )follow(?:s|ing)?(?! by)(?: along(?: with)?)?", FOLLOW),
    _mark(r"accompan(?:y|ies|ying)|shadow(?:s|ing)?|tag(?:s|ging)? along(?: with)?", FOLLOW),
    _mark(r"from (?:the|in) front(?: of)?|in front of", FRONT),
    _mark(r"from behind|from (?:the|their|his|her) (?:back|rear)|behind", BEHIND),
    _mark(r"beside|next to|from (?:the|their|his|her|one) side|in profile", BESIDE),
    # Around somebody.
    _mark(rf"(?:rotat|turn|spin|swing|wrap)\w* a?round(?= {_WHO})", ARC),
    _mark(r"in (?:an? )?(?:arc|circle|orbit|half circle|semi ?circle)", ARC),
    _mark(r"arc(?:s|ing|ed)?|orbit(?:s|ing|al)?|(?:en)?circl(?:e|es|ing)|curv(?:e|es|ing)", ARC),
    _mark(r"revolv(?:e|es|ing)|half circle|semi ?circle", ARC),
    _mark(rf"(?:{_GOES} )?a?round(?= (?:to|the|{_WHO})|$| *[,.])", ARC),
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
_DIRECTIONS = """
in out up down left right top bottom higher lower rise lift climb ascend descend sink approach
advance retreat withdraw recede held kept stop stops stopping halt halts standstill
"""


def words_of(text: str) -> list[str]:
    """Words in lower case, without signs."""
    return re.findall(r"[a-z]+", text.lower())


def _caption_words() -> set[str]:
    """Every word of the captions' verbs and nouns, in the forms that sentences use."""
    pairs = (
        *vocabulary.CORE, *vocabulary.VERBS, *vocabulary.NOUNS, *vocabulary.SHARED_DIRECTIONS,
        vocabulary.ARC_VERBS, vocabulary.ARC_NOUNS, vocabulary.FOLLOW_NOUNS,
    )  # fmt: skip
    plain = (
        vocabulary.ALONGSIDE_NOUNS, vocabulary.SHARED_VERBS, vocabulary.KEEPINGS,
        vocabulary.SCENES, vocabulary.PEOPLE, vocabulary.STATIC_VERBS, vocabulary.STOP_VERBS,
        vocabulary.STATIC_NOUNS,
    )  # fmt: skip
    phrases = [pair for group in pairs for pair in group]
    phrases += [(phrase, phrase) for group in plain for phrase in group]
    words: set[str] = set()
    for pair in phrases:
        for form in ("base", "third", "gerund"):
            both = vocabulary.inflected(pair, form)
            words.update(words_of(f"{both.words} {both.turned}"))
    return words - {"who"}


# Words that ask for nothing by themselves.
EMPTY_WORDS = frozenset(words_of(" ".join((_FUNCTION, _MANNER, _PEOPLE))))
# A sentence with any other word is not read: it may ask for something that nothing here checks.
KNOWN_WORDS = EMPTY_WORDS.union(words_of(_MOVING), words_of(_DIRECTIONS), _caption_words(), MARKS)
STATIC_PHRASES = re.compile(
    r"\b(?:static|still|motionless|stationary|unmoving|immobile|(?:is |are )?(?:at|to) rest"
    r"|(?:is |are |stays? |remains? |held |kept )?(?:fixed|locked)(?: off| in place)?"
    r"|(?:stays?|remains?|holds?|rests?|keeps?|staying|remaining|holding|resting|keeping)"
    r"(?: (?:its|a|the))? (?:place|position|put|in place|in one spot|where it is)"
    r"|does not (?:move|travel)|doesn t move|never moves|makes no movement|no (?:camera )?movement"
    r"|without moving|not moving|in place|in one spot|where it is)\b"
)


def read_asked(words: str) -> AskedCamera | None:
    """What a sentence asks of the camera; None where it holds anything that is not understood, for
    then a camera cannot be judged by it."""
    marked = _marked(words)
    if marked is None:
        return None
    moves: list[AskedMove] = []
    for step in steps_in(marked):
        asked = _asked_in(step)
        if asked is None:
            return None
        moves += asked
    merged = tuple(move for move, _ in groupby(moves))
    return AskedCamera(merged) if merged else None


def _marked(words: str) -> str | None:
    """The sentences without what the person does, and with marks for going with, before and around
    them. None if a word is unknown, or a direction is the person's own."""
    plain = re.sub(r"n['’]t\b", " not", words.lower().replace("-", " "))
    plain = re.sub(r"\s+", " ", re.sub(r"['’:()\"]", " ", plain)).strip()
    sentences: list[str] = []
    for sentence in re.split(r"[.;!?]+(?:\s|$)", plain):
        text = THEIR_DOING.sub(r"\1", without_person(sentence))
        if THEIR_SIDE.search(text):
            return None
        for phrase, meant in PHRASES:
            text = phrase.sub(meant, text)
        text = re.sub(r"\s+", " ", HARMLESS.sub(" ", text)).strip()
        if not KNOWN_WORDS.issuperset(words_of(STATIC_PHRASES.sub(" ", text))):
            return None
        sentences.append(text)
    return ". ".join(sentences)


def _asked_in(step: str) -> list[AskedMove] | None:
    """The movements of one step in order; none where it says nothing, None if it is not clear."""
    marks = MARKS.intersection(words_of(step))
    tags = tags_in(step)
    kind = _kind_of(step, marks, tags)
    if kind is None:
        return None
    if kind == "plain":
        if not tags and not EMPTY_WORDS.issuperset(words_of(step)):
            return None
        return [AskedMove("plain", tag) for tag in tags]
    moving = [tag for tag in tags if tag != STATIC]
    if (tags and tags[0] == STATIC) or len(moving) > 1:
        return None
    tag = moving[0] if moving else None
    behind: Place | None = "behind" if BEHIND in marks else "beside" if BESIDE in marks else None
    place = "front" if kind == "lead" else behind
    head = _arc(tag, marks) if kind == "arc" else AskedMove(kind, tag, place=place)
    return [head, AskedMove("plain", STATIC)] if STATIC in tags else [head]


def _kind_of(step: str, marks: frozenset[str], tags: Sequence[int]) -> Kind | None:
    arc = bool(marks & {ARC, CLOCKWISE, COUNTER_CLOCKWISE})
    follow, lead = FOLLOW in marks, LEAD in marks
    if arc:
        return None if follow or lead or marks & {BEHIND, BESIDE, FRONT} else "arc"
    if lead or (follow and FRONT in marks):
        return None if marks & {BEHIND, BESIDE} else "lead"
    if follow or (_TRACKING_SHOT.search(step) and not tags):
        return None if {BEHIND, BESIDE} <= marks else "follow"
    return None if marks else "plain"


def _arc(tag: int | None, marks: frozenset[str]) -> AskedMove:
    """Seen from above, a camera that goes to its left goes clockwise around what it looks at."""
    x, y, z = SIGNS[tag or STATIC]
    x = -1 if CLOCKWISE in marks else 1 if COUNTER_CLOCKWISE in marks else x
    side: Side | None = "right" if x > 0 else "left" if x < 0 else None
    return AskedMove("arc", TAG_OF[x, y, z] or None, side)
