"""The words of camera captions, always in pairs: phrases that are drawn once and said twice, as
meant and with every direction turned round. Also captions of people, as seen in a mirror."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeVar

import numpy as np

Form = Literal["base", "third", "gerund", "noun"]
Pair = tuple[str, str]  # the same phrase for movement along +axis and along −axis

_T = TypeVar("_T")

# Verbs that double their last letter before -ing.
_DOUBLED = frozenset({"crab", "get", "jib", "pedestal", "sit", "stop", "travel"})
_IRREGULAR = {"do": "does", "go": "goes"}  # in the third person


@dataclass(frozen=True)
class Phrase:
    """A phrase and its direction-reversed twin."""

    words: str
    turned: str


def filled(template: str, *parts: Phrase) -> Phrase:
    """The template filled with the phrases, on both sides."""
    return Phrase(
        template.format(*(part.words for part in parts)),
        template.format(*(part.turned for part in parts)),
    )


def joined(parts: Sequence[Phrase], last: str = " and ") -> Phrase:
    """ "a, b and c"."""
    assert parts
    if len(parts) == 1:
        return parts[0]
    return filled(", ".join(["{}"] * (len(parts) - 1)) + last + "{}", *parts)


def with_article(noun: Phrase) -> Phrase:
    """ "a …" or "an …", each side by its own first letter."""
    sides = (noun.words, noun.turned)
    return Phrase(*(f"an {side}" if side[0] in "aeiou" else f"a {side}" for side in sides))


def inflected(pair: Pair, form: Form) -> Phrase:
    """A pair of verb phrases in the form that the sentence needs; the first word is the verb."""
    return Phrase(*(_inflect(phrase, form) for phrase in pair))


def _inflect(phrase: str, form: Form) -> str:
    verb, gap, rest = phrase.partition(" ")
    inflect = {"third": _third, "gerund": _gerund}.get(form, str)
    return inflect(verb) + gap + rest


def _third(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _gerund(verb: str) -> str:
    if verb in _DOUBLED:
        return verb + verb[-1] + "ing"
    return verb.removesuffix("e") + "ing"


def pick(options: Sequence[_T], dice: np.random.Generator) -> _T:
    """One of the options, all equally likely."""
    return options[int(dice.integers(len(options)))]


PEOPLE = (
    "the character", "the person", "the subject", "the performer", "the actor", "the figure",
)  # fmt: skip


def _combined(verbs: tuple[str, ...], directions: tuple[Pair, ...]) -> tuple[Pair, ...]:
    return tuple(
        (f"{verb} {plus}", f"{verb} {minus}") for verb, (plus, minus) in product(verbs, directions)
    )


def _both_ways(templates: Sequence[str], plus: str, minus: str) -> tuple[Pair, ...]:
    return tuple((phrase.replace("*", plus), phrase.replace("*", minus)) for phrase in templates)


_SIDEWAYS = _both_ways(
    ("*", "to the *", "*ward", "*wards", "toward the *", "towards the *", "sideways to the *",
     "laterally to the *", "over to the *", "across to the *", "to camera *"),
    "right", "left",
)  # fmt: skip
_TRUCK = _combined(
    ("truck", "slide", "track", "glide", "move", "travel", "dolly", "crab", "go", "strafe", "head",
     "ride"),
    _SIDEWAYS,
)  # fmt: skip
_VERTICAL = (
    *_both_ways(("*", "*ward", "*wards", "vertically *", "straight *"), "down", "up"),
    ("toward the ground", "toward the sky"),
)
_BOOM = _combined(
    ("boom", "crane", "jib", "pedestal", "move", "travel", "glide", "slide", "go", "head", "ride"),
    _VERTICAL,
)
_BOOM_WORDS = (
    ("lower", "rise"), ("descend", "ascend"), ("sink", "rise"), ("sink down", "rise up"),
    ("descend", "climb"), ("sink", "lift"), ("come down", "come up"), ("move lower", "move higher"),
    ("go lower", "go higher"), ("descend vertically", "ascend vertically"),
    ("sink toward the ground", "rise off the ground"),
    *_both_ways(("boom *", "boom to the *", "boom toward the *"), "bottom", "top"),
)  # fmt: skip
_DEPTH = (
    ("in", "out"), ("in", "back"), ("forward", "backward"), ("forwards", "backwards"),
    ("forward", "back"), ("straight in", "straight out"), ("closer", "away"),
    ("closer to {who}", "away from {who}"), ("toward {who}", "away from {who}"),
    ("towards {who}", "away from {who}"), ("in toward {who}", "out from {who}"),
    ("in on {who}", "back from {who}"), ("nearer to {who}", "away from {who}"),
    ("forward toward {who}", "backward away from {who}"),
)  # fmt: skip
_DOLLY = _combined(("dolly", "track", "move", "travel", "glide", "go"), _DEPTH) + tuple(
    (f"push {plus}", f"pull {minus}") for plus, minus in _DEPTH
)
_DOLLY_WORDS = (
    ("advance", "retreat"), ("advance toward {who}", "retreat from {who}"),
    ("advance on {who}", "withdraw from {who}"), ("approach {who}", "back away from {who}"),
    ("approach", "back away"), ("close in", "back away"),
    ("close in on {who}", "back away from {who}"), ("come in", "back out"),
    ("come closer", "back away"), ("come closer to {who}", "back away from {who}"),
    ("draw closer", "draw back"), ("draw nearer to {who}", "draw away from {who}"),
    ("get closer to {who}", "pull away from {who}"), ("press in", "fall back"),
    ("press forward", "fall backward"), ("head in", "head out"),
    ("head toward {who}", "head away from {who}"),
)  # fmt: skip

# What E.T.'s captions say: drawn more often than the rest.
CORE: tuple[tuple[Pair, ...], ...] = (
    (("truck right", "truck left"), ("truck to the right", "truck to the left")),
    (("boom bottom", "boom top"), ("boom down", "boom up")),
    (("push in", "pull out"), ("push in", "pull out")),
)
VERBS: tuple[tuple[Pair, ...], ...] = (_TRUCK, _BOOM + 3 * _BOOM_WORDS, _DOLLY + 4 * _DOLLY_WORDS)
NOUNS: tuple[tuple[Pair, ...], ...] = (
    _combined(
        ("truck", "trucking move", "trucking shot", "slide", "tracking shot", "tracking move",
         "lateral move", "sideways move", "lateral dolly", "glide", "sideways dolly", "crab"),
        (("right", "left"), ("to the right", "to the left"),
         ("toward the right", "toward the left")),
    )
    + tuple(
        (f"rightward {noun}", f"leftward {noun}")
        for noun in ("truck", "trucking move", "move", "dolly", "slide", "tracking move", "glide")
    ),
    _combined(
        ("boom", "boom move", "crane", "crane move", "crane shot", "jib", "jib move", "pedestal",
         "vertical move"),
        (("down", "up"), ("downward", "upward"), ("downwards", "upwards")),
    )
    + tuple(
        (f"downward {noun}", f"upward {noun}")
        for noun in ("boom", "crane move", "move", "boom move", "glide", "pedestal move", "jib")
    )
    + 2 * (("descent", "rise"), ("descent", "ascent"), ("descent", "climb"),
           ("boom bottom", "boom top"), ("boom to the bottom", "boom to the top"),
           ("lowering move", "rising move"), ("descending crane shot", "rising crane shot"),
           ("descending move", "ascending move")),
    _combined(
        ("dolly", "dolly move", "dolly shot", "move", "tracking move", "tracking shot", "glide"),
        (("in", "out"), ("forward", "backward"), ("forward", "back"),
         ("toward {who}", "away from {who}"), ("in on {who}", "out from {who}"),
         ("closer to {who}", "away from {who}"), ("in toward {who}", "back from {who}")),
    )
    + tuple(
        (f"forward {noun}", f"backward {noun}") for noun in ("dolly", "move", "push", "track")
    )
    + 4 * (("push in", "pull out"), ("push-in", "pull-out"), ("push in", "pull back"),
           ("push toward {who}", "pull away from {who}"), ("approach", "retreat"),
           ("push in on {who}", "pull out from {who}"), ("advance", "retreat")),
)  # fmt: skip

ARC_VERBS = _both_ways(
    (
        "arc *", "arc to the *", "arc around to the *", "arc around {who} to the *",
        "arc *ward", "arc *ward around {who}", "arc to the * around {who}", "circle *",
        "circle to the *", "circle around to the *", "circle {who} to the *",
        "circle around {who} to the *", "circle to the * around {who}", "circle *ward around {who}",
        "orbit *", "orbit to the *", "orbit {who} to the *", "orbit around {who} to the *",
        "orbit to the * around {who}", "orbit *ward around {who}", "curve to the *",
        "curve around to the *", "curve around {who} to the *", "curve *ward around {who}",
        "go around {who} to the *", "move around {who} to the *", "travel around {who} to the *",
        "track around {who} to the *", "move in an arc to the *", "travel in an arc to the *",
        "glide around {who} to the *", "truck * in an arc", "truck * in an arc around {who}",
        "truck * around {who}", "arc sideways to the *", "dolly around {who} to the *",
        "trace an arc to the * around {who}", "revolve to the * around {who}",
    ),
    "right", "left",
)  # fmt: skip
ARC_NOUNS = _both_ways(
    (
        "arc to the *", "arc *", "arc shot to the *", "arc around {who} to the *",
        "arc around to the *", "orbit to the *", "orbit around {who} to the *",
        "circling move to the *", "circling truck *", "arcing truck *", "arcing move to the *",
        "*ward arc", "*ward arc around {who}", "*ward orbit around {who}", "truck * in an arc",
        "*ward circle around {who}", "orbiting move to the *",
    ),
    "right", "left",
)  # fmt: skip

# Follows in depth: behind the person going forward, or in front of them going backward.
FOLLOW_VERBS: tuple[Pair, ...] = (
    ("follow {who}", "lead {who}"), ("follow {who} from behind", "lead {who} from the front"),
    ("follow behind {who}", "lead in front of {who}"), ("trail {who}", "precede {who}"),
    ("trail behind {who}", "stay in front of {who}"),
    ("track behind {who}", "track in front of {who}"),
    ("stay behind {who}", "stay in front of {who}"),
)  # fmt: skip
FOLLOW_NOUNS: tuple[Pair, ...] = (
    ("follow shot", "leading shot"), ("follow shot from behind", "leading shot from the front"),
    ("following move behind {who}", "leading move in front of {who}"),
    ("following shot of {who}", "leading shot of {who}"),
)  # fmt: skip
# Follows from the side name no front or back.
ALONGSIDE_VERBS: tuple[str, ...] = (
    "follow {who}", "follow alongside {who}", "track alongside {who}", "move alongside {who}",
    "travel alongside {who}", "accompany {who}", "stay with {who}", "follow along with {who}",
    "stay alongside {who}", "stay beside {who}",
)  # fmt: skip
ALONGSIDE_NOUNS: tuple[str, ...] = (
    "follow shot", "follow shot beside {who}", "following shot of {who}", "follow move",
    "following move alongside {who}", "tracking shot alongside {who}",
)  # fmt: skip

# Compounds that share one verb: "moves left, up and forward".
SHARED_VERBS = ("move", "travel", "glide", "slide", "track", "dolly", "go")
SHARED_DIRECTIONS: tuple[tuple[Pair, ...], ...] = (
    (("right", "left"), ("to the right", "to the left"), ("rightward", "leftward"),
     ("sideways to the right", "sideways to the left")),
    (("down", "up"), ("downward", "upward"), ("downwards", "upwards")),
    # Nothing about the distance to the person: a follow moves forward without coming closer.
    (("in", "out"), ("forward", "backward"), ("forward", "back"), ("forwards", "backwards")),
)  # fmt: skip

STATIC_VERBS = (
    "hold still", "hold position", "hold in place", "stay static", "stay still", "stay put",
    "stay in place", "stay stationary", "stay fixed", "stay fixed in place", "stay locked off",
    "stay motionless", "stay in one spot", "remain static", "remain still", "remain in place",
    "remain stationary", "remain fixed", "remain motionless", "remain locked off",
    "remain in one spot", "remain unmoving", "keep still", "keep static", "stand still",
    "sit still", "rest in place", "hold a static frame", "hold a fixed frame", "stay immobile",
    "remain immobile", "stay locked in place", "remain locked in place", "stay at rest",
)  # fmt: skip
# Sayable of the camera only: "the camera …".
STATIC_STATES = (
    "is static", "is locked off", "is stationary", "is still", "is fixed", "is fixed in place",
    "is motionless", "is at rest", "is held still", "is kept still", "does not move",
    "does not move at all", "makes no movement", "stays where it is", "remains where it is",
    "holds its position", "holds its place", "keeps its position", "keeps its place",
    "never moves", "is locked in place", "is kept static", "does not travel", "is immobile",
)  # fmt: skip
STATIC_NOUNS = (
    "static shot", "static camera", "static frame", "static hold", "static view", "still camera",
    "fixed shot", "fixed camera", "fixed frame", "fixed view", "locked-off shot",
    "locked-off camera", "locked-off frame", "stationary shot", "stationary camera",
    "stationary frame", "motionless camera", "motionless shot", "locked frame", "locked camera",
    "immobile camera", "unmoving camera", "unmoving shot", "static setup", "locked-off view",
)  # fmt: skip
# After a movement one may also stop.
STOP_VERBS = (
    "stop", "halt", "come to a stop", "come to rest", "come to a halt", "come to a standstill",
    "stop in place", "stop to hold still",
)  # fmt: skip

# What the person does while the camera moves: nothing that a direction could be read from.
ACTS = (
    "performs", "moves", "acts", "is performing", "is acting", "is in action", "plays the scene",
    "goes about the action", "carries out the action", "does the action", "plays out the action",
    "goes through the motions", "plays their part", "does their thing", "is at work",
    "is on screen", "is being filmed",
)  # fmt: skip
KEEPINGS = (
    ", keeping {who} in frame", ", keeping {who} in view", ", keeping {who} in shot",
    ", with {who} in frame", ", with {who} in view", ", framing {who}", ", filming {who}",
    ", watching {who}", ", holding {who} in frame", ", {who} in view",
)  # fmt: skip
SCENES = (
    " during the action", " during the scene", " as the action unfolds", " as the scene unfolds",
    " while the action unfolds", " while the scene plays", " as the scene plays",
    " during the take", " during the performance",
)  # fmt: skip

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
