"""Camera captions: an outline of movements in varied plain English, and its reversed twin."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from aesop.camera_words import vocabulary as words
from aesop.camera_words.outline import SIGNS, Movement, Signs
from aesop.camera_words.vocabulary import (
    PEOPLE,
    Form,
    Pair,
    Phrase,
    filled,
    inflected,
    joined,
    pick,
    with_article,
)
from aesop.core.hashing import picked

# The shortest caption of the four pure moves that direction pairs are made of, by class.
MINIMAL_CAPTIONS = {
    1: "The camera pushes in.",
    2: "The camera pulls out.",
    9: "The camera trucks right.",
    18: "The camera trucks left.",
}

_CORE_SHARE = 0.2
_ARC_NAMED_SHARE = 0.85  # the other arcs are named as the trucks that they also are
_SHUFFLED_SHARE = 0.35
_AT_ONCE = ("simultaneously {}", "{}, all in one move", "{}, all together", "{} in unison")
_SUBJECTS = 7 * ("the camera",) + ("camera", "the shot", "the view", "our camera")
_OPENERS = ("in this shot, ", "here, ", "for this shot, ", "in this take, ", "here ")
_REQUESTS = (
    "have the camera ", "let the camera ", "make the camera ", "I want the camera to ",
    "the camera should ", "the camera will ", "the camera must ", "please ", "get the camera to ",
    "ask the camera to ", "the camera has to ", "the camera can ", "we need the camera to ",
)  # fmt: skip
_NOUN_LEADS = (
    "", "", "the shot is ", "this is ", "it is ", "there is ", "we get ", "a shot with ",
    "the camera makes ", "the camera does ", "the camera performs ", "camera: ", "we see ",
    "the take has ", "I want ", "give me ", "film this with ", "use ",
)  # fmt: skip
_LINKS = (", then ", " and then ", ", and then ", ", next ")
_LAST_LINKS = (", then ", ", and then ", ", and finally ", ", finally ", ", and lastly ")
_NOUN_LINKS = (", followed by ", ", then ", " and then ", ", next ", ", after that ")
_NOUN_LAST_LINKS = (", and finally ", ", then ", ", ending with ", ", followed by ")
_STEPS = ("then it", "then, it", "next, it", "after that, it", "then the camera", "afterwards, it")
_LAST_STEPS = ("finally it", "finally, it", "lastly, it", "finally, the camera")
_COMMA_STEPS = ("then it", "and then it", "then the camera")
_COMMA_LAST_STEPS = ("and finally it", "and then it", "and lastly it")

_Teller = Callable[[Sequence[Movement], np.random.Generator], Phrase]


@dataclass(frozen=True)
class CaptionPair:
    """A caption, and the same sentence with every direction negated."""

    caption: str
    reversed_caption: str


def _say_movement(
    movement: Movement, form: Form, dice: np.random.Generator, *, after_movement: bool
) -> Phrase:
    """The clause of a movement, with `{who}` still open. Nouns come with their article."""
    signs = SIGNS[movement.tag]
    if signs == (0, 0, 0):
        return _say_static(form, dice, after_movement)
    # A follow that backs off, or a lead that advances, is no such thing: say its directions.
    if {"follow": signs[2] >= 0, "lead": signs[2] <= 0}.get(movement.kind, False):
        return _say_follow(signs, form, dice)
    arc = movement.kind == "arc" and signs[0] != 0 and dice.random() < _ARC_NAMED_SHARE
    return _say_directions(signs, form, dice, arc)


def _say(
    phrases: Sequence[Pair] | Sequence[str], form: Form, dice: np.random.Generator, sign: int = 1
) -> Phrase:
    """One of the phrases; what has no direction is the same on both sides."""
    phrase = pick(phrases, dice)
    plus, minus = (phrase, phrase) if isinstance(phrase, str) else phrase
    return inflected((plus, minus) if sign > 0 else (minus, plus), form)


def _say_static(form: Form, dice: np.random.Generator, after_movement: bool) -> Phrase:
    if form == "noun":
        return with_article(_say(words.STATIC_NOUNS, form, dice))
    if after_movement and dice.random() < 0.5:
        return _say(words.STOP_VERBS, form, dice)
    if form == "third" and dice.random() < 0.45:
        return _say(words.STATIC_STATES, "base", dice)
    return _say(words.STATIC_VERBS, form, dice)


def _ordered_axes(signs: Signs, dice: np.random.Generator) -> list[int]:
    axes = [axis for axis in range(3) if signs[axis]]
    if dice.random() < _SHUFFLED_SHARE:
        axes = [axes[int(i)] for i in dice.permutation(len(axes))]
    return axes


def _say_axis(axis: int, sign: int, form: Form, dice: np.random.Generator, arc: bool) -> Phrase:
    if arc and axis == 0:
        pairs = words.ARC_NOUNS if form == "noun" else words.ARC_VERBS
    elif form == "noun":
        pairs = words.NOUNS[axis]
    else:
        pairs = words.CORE[axis] if dice.random() < _CORE_SHARE else words.VERBS[axis]
    return _say(pairs, form, dice, sign)


def _say_directions(signs: Signs, form: Form, dice: np.random.Generator, arc: bool) -> Phrase:
    axes = _ordered_axes(signs, dice)
    if form == "noun":
        return _say_nouns(axes, signs, dice, arc)
    if len(axes) == 1:
        return _say_axis(axes[0], signs[axes[0]], form, dice, arc)
    style = picked({"listed": 3.0, "shared": 0.0 if arc else 3.0, "while": 3.0}, dice)
    if style == "shared":
        return _say_shared(axes, signs, form, dice)
    if style == "while":
        return _say_while(axes, signs, form, dice, arc)
    listed = joined([_say_axis(axis, signs[axis], form, dice, arc) for axis in axes])
    if dice.random() < 0.25:
        return filled(pick(_AT_ONCE, dice), listed)
    return listed


def _say_nouns(axes: list[int], signs: Signs, dice: np.random.Generator, arc: bool) -> Phrase:
    nouns = [_say_axis(axis, signs[axis], "noun", dice, arc) for axis in axes]
    if len(nouns) > 1 and dice.random() < 0.25:
        return filled("a combined {}", joined(nouns))
    link = pick((" and ", " and ", " with ", " plus ", " combined with "), dice)
    return joined([with_article(noun) for noun in nouns], last=link)


def _say_shared(axes: list[int], signs: Signs, form: Form, dice: np.random.Generator) -> Phrase:
    """One verb, several directions: "glides left and up"."""
    verb = _say(words.SHARED_VERBS, form, dice)
    ways = [_say(words.SHARED_DIRECTIONS[axis], "base", dice, signs[axis]) for axis in axes]
    diagonal = len(axes) == 2 and dice.random() < 0.3
    return filled("{} diagonally {}" if diagonal else "{} {}", verb, joined(ways))


def _say_while(
    axes: list[int], signs: Signs, form: Form, dice: np.random.Generator, arc: bool
) -> Phrase:
    """One leading verb, the rest beside it: "trucks left while booming up"."""
    head = _say_axis(axes[0], signs[axes[0]], form, dice, arc)
    links = ["{} while {}", "{} while also {}", "{}, {}", "{}, also {}"]
    beside: Form = "gerund"
    if form == "third" and dice.random() < 0.35:
        links, beside = ["{} as it {}", "{} while it {}", "{} as it also {}"], "third"
    rest = joined([_say_axis(axis, signs[axis], beside, dice, arc) for axis in axes[1:]])
    return filled(pick(links, dice), head, rest)


def _say_follow(signs: Signs, form: Form, dice: np.random.Generator) -> Phrase:
    """Whom it stays with, and always which way: "follows her from behind, moving forward"."""
    axes = _ordered_axes(signs, dice)
    if dice.random() < 0.5:
        way = _say_shared(axes, signs, "gerund", dice)
    else:
        way = joined([_say(words.CORE[axis], "gerund", dice, signs[axis]) for axis in axes])
    if form == "noun":
        nouns = words.FOLLOW_NOUNS if signs[2] else words.ALONGSIDE_NOUNS
        return filled("{}, {}", with_article(_say(nouns, form, dice, signs[2] or 1)), way)
    verbs = words.FOLLOW_VERBS if signs[2] else words.ALONGSIDE_VERBS
    head = _say(verbs, form, dice, signs[2] or 1)
    return filled(pick(("{}, {}", "{}, {}", "{} while {}"), dice), head, way)


def _with_human(phrase: Phrase, takes_front: bool, dice: np.random.Generator) -> Phrase:
    """Half of the captions also mention the person, saying nothing about what they do."""
    place = picked({"none": 50.0, "front": 20.0, "tail": 30.0}, dice)
    if place == "front" and takes_front:
        link, act = pick(("while", "as"), dice), pick(words.ACTS, dice)
        return filled(f"{link} {{{{who}}}} {act}, {{}}", phrase)
    if place == "tail":
        act = f" {pick(('while', 'as'), dice)} {{who}} {pick(words.ACTS, dice)}"
        tail = pick((act, act, pick(words.KEEPINGS, dice), pick(words.SCENES, dice)), dice)
        return Phrase(phrase.words + tail, phrase.turned + tail)
    if takes_front and dice.random() < 0.12:
        return filled(pick(_OPENERS, dice) + "{}", phrase)
    return phrase


def _clauses(
    moves: Sequence[Movement],
    form: Form,
    dice: np.random.Generator,
    *,
    first: Form | None = None,
    last: Form | None = None,
) -> list[Phrase]:
    """Every movement in one form, but the first or last in another where asked."""
    forms: list[Form] = [form] * len(moves)
    forms[0] = first or form
    forms[-1] = last or forms[-1]
    return [
        _say_movement(move, form, dice, after_movement=place > 0)
        for place, (move, form) in enumerate(zip(moves, forms, strict=True))
    ]


def _linked(clauses: Sequence[Phrase], dice: np.random.Generator, *, nouns: bool = False) -> Phrase:
    links, last_links = (_NOUN_LINKS, _NOUN_LAST_LINKS) if nouns else (_LINKS, _LAST_LINKS)
    phrase = clauses[0]
    for place, clause in enumerate(clauses[1:], start=2):
        late = place == len(clauses) > 2
        phrase = filled("{}" + pick(last_links if late else links, dice) + "{}", phrase, clause)
    return phrase


def _chained(templates: Sequence[str], form: Form) -> _Teller:
    """All movements in one chain of one form, in a frame such as "the camera …"."""

    def tell(moves: Sequence[Movement], dice: np.random.Generator) -> Phrase:
        template = pick(templates, dice) if len(templates) > 1 else templates[0]
        return filled(template, _linked(_clauses(moves, form, dice), dice, nouns=form == "noun"))

    return tell


def _numbered(moves: Sequence[Movement], dice: np.random.Generator) -> Phrase:
    """ "First the camera …; then it …; finally, it …" in one sentence or in several."""
    clauses = _clauses(moves, "third", dice)
    gap = pick(("; ", ". ", ". ", ", "), dice)
    steps = _COMMA_STEPS if gap == ", " else _STEPS
    last_steps = _COMMA_LAST_STEPS if gap == ", " else _LAST_STEPS
    numbered = gap != ". " or dice.random() < 0.4
    first = pick(("first, ", "first ", "at first "), dice) if numbered else ""
    phrase = filled(first + pick(_SUBJECTS, dice) + " {}", clauses[0])
    for place, clause in enumerate(clauses[1:], start=2):
        late = place == len(clauses) > 2
        phrase = filled(
            "{}" + gap + pick(last_steps if late else steps, dice) + " {}", phrase, clause
        )
    return phrase


def _opening(moves: Sequence[Movement], dice: np.random.Generator) -> Phrase:
    """ "The camera starts by …, then …, and ends by …"."""
    clauses = _clauses(moves, "third", dice, first="gerund", last="gerund")
    middle = "".join(pick(_LINKS, dice) + "{}" for _ in clauses[1:-1])
    start = pick(("starts by", "begins by", "starts out by", "first starts by"), dice)
    end = pick((" and ends by", ", then ends by", ", and finishes by", " and finishes by"), dice)
    return filled(f"{pick(_SUBJECTS, dice)} {start} {{}}{middle}{end} {{}}", *clauses)


def _programme(moves: Sequence[Movement], dice: np.random.Generator) -> Phrase:
    """ "The shot opens with a …, continues with a … and ends with a …"."""
    clauses = _clauses(moves, "noun", dice)
    subject = pick(("the shot", "the take", "the camera", "it"), dice)
    verb = pick(("opens", "starts", "begins"), dice)
    middle = "".join(pick((", continues with {}", ", then {}"), dice) for _ in clauses[1:-1])
    end = pick(
        (" and ends with", ", and closes with", " and finishes with", ", then ends on"), dice
    )
    return filled(f"{subject} {verb} with {{}}{middle}{end} {{}}", *clauses)


def _after(moves: Sequence[Movement], dice: np.random.Generator) -> Phrase:
    """ "After …, the camera …" or "the camera … after …": the later may be said first."""
    first, *rest = _clauses(moves, "third", dice, first="gerund")
    later = filled(pick(_SUBJECTS, dice) + " {}", _linked(rest, dice))
    if len(moves) == 2 and dice.random() < 0.4:
        return filled("{} after {}", later, first)
    return filled("after {}, {}", first, later)


def _before(moves: Sequence[Movement], dice: np.random.Generator) -> Phrase:
    """ "The camera … before …"."""
    *clauses, last = _clauses(moves, "third", dice, last="gerund")
    lead = filled(pick(_SUBJECTS, dice) + " {}", _linked(clauses, dice))
    return filled(
        pick(("{} before {}", "{} before {}", "{} and then ends by {}"), dice), lead, last
    )


@dataclass(frozen=True)
class _Style:
    tell: _Teller
    weight_single: float
    weight_several: float
    takes_front: bool  # whether a human clause may stand before it


_STYLES: tuple[_Style, ...] = (
    _Style(_chained([f"{who} {{}}" for who in _SUBJECTS], "third"), 36.0, 24.0, takes_front=True),
    _Style(
        _chained([f"{who} is {{}}" for who in _SUBJECTS], "gerund"), 10.0, 6.0, takes_front=True
    ),
    _Style(_chained(["{}"], "base"), 12.0, 8.0, takes_front=True),
    _Style(_chained([f"{lead}{{}}" for lead in _REQUESTS], "base"), 12.0, 8.0, takes_front=True),
    _Style(_chained(["{}", "camera {}", "a shot {}"], "gerund"), 8.0, 4.0, takes_front=False),
    _Style(_chained([f"{lead}{{}}" for lead in _NOUN_LEADS], "noun"), 22.0, 9.0, takes_front=False),
    _Style(_numbered, 0.0, 15.0, takes_front=False),
    _Style(_opening, 0.0, 8.0, takes_front=True),
    _Style(_programme, 0.0, 6.0, takes_front=False),
    _Style(_after, 0.0, 7.0, takes_front=False),
    _Style(_before, 0.0, 5.0, takes_front=True),
)


def camera_caption(outline: Sequence[Movement], dice: np.random.Generator) -> CaptionPair:
    """Tell an outline. The same dice tell the reversed outline in the reversed sentence."""
    # Neighbours of one class are one movement to a listener.
    moves = [next(run) for _, run in groupby(outline, key=lambda movement: movement.tag)]
    assert moves, "an outline has at least one movement"
    who = pick(PEOPLE, dice)
    several = len(moves) > 1
    style = picked(
        {style: style.weight_several if several else style.weight_single for style in _STYLES}, dice
    )
    phrase = _with_human(style.tell(moves, dice), style.takes_front, dice)
    finish = picked({_as_sentence: 80.0, str: 12.0, _capitalised: 8.0}, dice)
    return CaptionPair(
        *(finish(side.replace("{who}", who)) for side in (phrase.words, phrase.turned))
    )


def _capitalised(text: str) -> str:
    return ". ".join(part[0].upper() + part[1:] for part in text.split(". "))


def _as_sentence(text: str) -> str:
    return _capitalised(text) + "."
