"""Sentences for a sequence of movements: statements, orders, requests, noun phrases, stories.

Every link between two movements says that the second comes later, so a caption can be read back.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from aesop.data.fables import vocabulary as words
from aesop.data.fables.clauses import say_movement
from aesop.data.fables.outline import Movement
from aesop.data.fables.phrases import Form, Said, pick, pick_weighted, told

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

_Teller = Callable[[Sequence[Movement], np.random.Generator], Said]


@dataclass(frozen=True)
class _Style:
    tell: _Teller
    weight_single: int
    weight_several: int
    takes_front: bool  # whether a human clause may stand before it


def sentence(moves: Sequence[Movement], dice: np.random.Generator) -> Said:
    """One draw of the grammar, lower case, `{who}` still open."""
    several = len(moves) > 1
    style = pick_weighted(
        [(style.weight_several if several else style.weight_single, style) for style in _STYLES],
        dice,
    )
    return _with_human(style.tell(moves, dice), style.takes_front, dice)


def _with_human(said: Said, takes_front: bool, dice: np.random.Generator) -> Said:
    """Half of the captions also mention the person, saying nothing about what they do."""
    place = pick_weighted([(50, "none"), (20, "front"), (30, "tail")], dice)
    if place == "front" and takes_front:
        return told(
            f"{pick(('while', 'as'), dice)} {{{{who}}}} {pick(words.ACTS, dice)}, {{}}", said
        )
    if place == "tail":
        act = f" {pick(('while', 'as'), dice)} {{who}} {pick(words.ACTS, dice)}"
        tail = pick((act, act, pick(words.KEEPINGS, dice), pick(words.SCENES, dice)), dice)
        return Said(said.words + tail, said.turned + tail)
    if takes_front and dice.random() < 0.12:
        return told(pick(_OPENERS, dice) + "{}", said)
    return said


def _clauses(
    moves: Sequence[Movement],
    form: Form,
    dice: np.random.Generator,
    *,
    first: Form | None = None,
    last: Form | None = None,
) -> list[Said]:
    """Every movement in one form, but the first or last in another where asked."""
    forms: list[Form] = [form] * len(moves)
    forms[0] = first or form
    forms[-1] = last or forms[-1]
    return [
        say_movement(move, form, dice, after_movement=place > 0)
        for place, (move, form) in enumerate(zip(moves, forms, strict=True))
    ]


def _linked(clauses: Sequence[Said], dice: np.random.Generator, *, nouns: bool = False) -> Said:
    links, last_links = (_NOUN_LINKS, _NOUN_LAST_LINKS) if nouns else (_LINKS, _LAST_LINKS)
    said = clauses[0]
    for place, clause in enumerate(clauses[1:], start=2):
        late = place == len(clauses) > 2
        said = told("{}" + pick(last_links if late else links, dice) + "{}", said, clause)
    return said


def _chain(moves: Sequence[Movement], form: Form, dice: np.random.Generator) -> Said:
    clauses = _clauses(moves, form, dice)
    return _linked(clauses, dice, nouns=form == "noun")


def _statement(moves: Sequence[Movement], dice: np.random.Generator) -> Said:
    return told(pick(_SUBJECTS, dice) + " {}", _chain(moves, "third", dice))


def _progressive(moves: Sequence[Movement], dice: np.random.Generator) -> Said:
    return told(pick(_SUBJECTS, dice) + " is {}", _chain(moves, "gerund", dice))


def _order(moves: Sequence[Movement], dice: np.random.Generator) -> Said:
    return _chain(moves, "base", dice)


def _request(moves: Sequence[Movement], dice: np.random.Generator) -> Said:
    return told(pick(_REQUESTS, dice) + "{}", _chain(moves, "base", dice))


def _fragment(moves: Sequence[Movement], dice: np.random.Generator) -> Said:
    return told(pick(("{}", "camera {}", "a shot {}"), dice), _chain(moves, "gerund", dice))


def _nouns(moves: Sequence[Movement], dice: np.random.Generator) -> Said:
    return told(pick(_NOUN_LEADS, dice) + "{}", _chain(moves, "noun", dice))


def _numbered(moves: Sequence[Movement], dice: np.random.Generator) -> Said:
    """ "First the camera …; then it …; finally, it …" in one sentence or in several."""
    clauses = _clauses(moves, "third", dice)
    gap = pick(("; ", ". ", ". ", ", "), dice)
    steps = _COMMA_STEPS if gap == ", " else _STEPS
    last_steps = _COMMA_LAST_STEPS if gap == ", " else _LAST_STEPS
    numbered = gap != ". " or dice.random() < 0.4
    first = pick(("first, ", "first ", "at first "), dice) if numbered else ""
    said = told(first + pick(_SUBJECTS, dice) + " {}", clauses[0])
    for place, clause in enumerate(clauses[1:], start=2):
        late = place == len(clauses) > 2
        said = told("{}" + gap + pick(last_steps if late else steps, dice) + " {}", said, clause)
    return said


def _opening(moves: Sequence[Movement], dice: np.random.Generator) -> Said:
    """ "The camera starts by …, then …, and ends by …"."""
    clauses = _clauses(moves, "third", dice, first="gerund", last="gerund")
    middle = "".join(pick(_LINKS, dice) + "{}" for _ in clauses[1:-1])
    start = pick(("starts by", "begins by", "starts out by", "first starts by"), dice)
    end = pick((" and ends by", ", then ends by", ", and finishes by", " and finishes by"), dice)
    return told(f"{pick(_SUBJECTS, dice)} {start} {{}}{middle}{end} {{}}", *clauses)


def _programme(moves: Sequence[Movement], dice: np.random.Generator) -> Said:
    """ "The shot opens with a …, continues with a … and ends with a …"."""
    clauses = _clauses(moves, "noun", dice)
    subject = pick(("the shot", "the take", "the camera", "it"), dice)
    verb = pick(("opens", "starts", "begins"), dice)
    middle = "".join(pick((", continues with {}", ", then {}"), dice) for _ in clauses[1:-1])
    end = pick(
        (" and ends with", ", and closes with", " and finishes with", ", then ends on"), dice
    )
    return told(f"{subject} {verb} with {{}}{middle}{end} {{}}", *clauses)


def _after(moves: Sequence[Movement], dice: np.random.Generator) -> Said:
    """ "After …, the camera …" or "the camera … after …": the later may be said first."""
    first, *rest = _clauses(moves, "third", dice, first="gerund")
    later = told(pick(_SUBJECTS, dice) + " {}", _linked(rest, dice))
    if len(moves) == 2 and dice.random() < 0.4:
        return told("{} after {}", later, first)
    return told("after {}, {}", first, later)


def _before(moves: Sequence[Movement], dice: np.random.Generator) -> Said:
    """ "The camera … before …"."""
    *clauses, last = _clauses(moves, "third", dice, last="gerund")
    lead = told(pick(_SUBJECTS, dice) + " {}", _linked(clauses, dice))
    return told(pick(("{} before {}", "{} before {}", "{} and then ends by {}"), dice), lead, last)


_STYLES: tuple[_Style, ...] = (
    _Style(_statement, 36, 24, takes_front=True),
    _Style(_progressive, 10, 6, takes_front=True),
    _Style(_order, 12, 8, takes_front=True),
    _Style(_request, 12, 8, takes_front=True),
    _Style(_fragment, 8, 4, takes_front=False),
    _Style(_nouns, 22, 9, takes_front=False),
    _Style(_numbered, 0, 15, takes_front=False),
    _Style(_opening, 0, 8, takes_front=True),
    _Style(_programme, 0, 6, takes_front=False),
    _Style(_after, 0, 7, takes_front=False),
    _Style(_before, 0, 5, takes_front=True),
)
