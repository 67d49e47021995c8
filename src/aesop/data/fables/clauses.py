"""One movement as a clause: axes named in varied order and arrangement, and its reversed twin.

No choice here may look at the sign of a direction: the same dice must draw the twin.
"""

from collections.abc import Sequence

import numpy as np

from aesop.data.fables import vocabulary as words
from aesop.data.fables.outline import SIGNS, Movement, Signs
from aesop.data.fables.phrases import (
    Form,
    Pair,
    Said,
    inflected,
    joined,
    pick,
    pick_weighted,
    told,
    with_article,
)

_CORE_SHARE = 0.2
_ARC_SAID_SHARE = 0.85  # the rest of the arcs are told as the trucks that they also are
_SHUFFLED_SHARE = 0.35
_AT_ONCE = ("simultaneously {}", "{}, all in one move", "{}, all together", "{} in unison")


def say_movement(
    movement: Movement, form: Form, dice: np.random.Generator, *, after_movement: bool = False
) -> Said:
    """The clause of a movement, with `{who}` still open. Nouns come with their article."""
    signs = SIGNS[movement.tag]
    if signs == (0, 0, 0):
        return _say_static(form, dice, after_movement)
    if _is_follow(movement, signs):
        return _say_follow(signs, form, dice)
    arc = movement.kind == "arc" and signs[0] != 0 and dice.random() < _ARC_SAID_SHARE
    return _say_directions(signs, form, dice, arc=arc)


def _is_follow(movement: Movement, signs: Signs) -> bool:
    """A follow that backs off, or a lead that advances, is no such thing: say its directions."""
    match movement.kind:
        case "follow":
            return signs[2] >= 0
        case "lead":
            return signs[2] <= 0
        case "plain" | "arc":
            return False


def _say_static(form: Form, dice: np.random.Generator, after_movement: bool) -> Said:
    if form == "noun":
        return with_article(_same(pick(words.STATIC_NOUNS, dice)))
    if after_movement and dice.random() < 0.5:
        return _verb(pick(words.STOP_VERBS, dice), form)
    if form == "third" and dice.random() < 0.45:
        return _same(pick(words.STATIC_STATES, dice))
    return _verb(pick(words.STATIC_VERBS, dice), form)


def _same(text: str) -> Said:
    return Said(text, text)


def _verb(phrase: str, form: Form) -> Said:
    return inflected((phrase, phrase), form)


def _ordered_axes(signs: Signs, dice: np.random.Generator) -> list[int]:
    axes = [axis for axis in range(3) if signs[axis]]
    if dice.random() < _SHUFFLED_SHARE:
        axes = [axes[int(i)] for i in dice.permutation(len(axes))]
    return axes


def _signed(pair: Pair, sign: int) -> Pair:
    return pair if sign > 0 else (pair[1], pair[0])


def _say_axis(axis: int, sign: int, form: Form, dice: np.random.Generator, arc: bool) -> Said:
    if form == "noun":
        nouns = words.ARC_NOUNS if arc and axis == 0 else words.NOUNS[axis]
        return Said(*_signed(pick(nouns, dice), sign))
    if arc and axis == 0:
        verbs: Sequence[Pair] = words.ARC_VERBS
    else:
        verbs = words.CORE[axis] if dice.random() < _CORE_SHARE else words.VERBS[axis]
    return inflected(_signed(pick(verbs, dice), sign), form)


def _say_directions(
    signs: Signs, form: Form, dice: np.random.Generator, *, arc: bool = False
) -> Said:
    axes = _ordered_axes(signs, dice)
    if form == "noun":
        return _say_nouns(axes, signs, dice, arc)
    if len(axes) == 1:
        return _say_axis(axes[0], signs[axes[0]], form, dice, arc)
    style = pick_weighted([(3, "listed"), (0 if arc else 3, "shared"), (3, "while")], dice)
    if style == "shared":
        return _say_shared(axes, signs, form, dice)
    if style == "while":
        return _say_while(axes, signs, form, dice, arc)
    listed = joined([_say_axis(axis, signs[axis], form, dice, arc) for axis in axes])
    if dice.random() < 0.25:
        return told(pick(_AT_ONCE, dice), listed)
    return listed


def _say_nouns(axes: list[int], signs: Signs, dice: np.random.Generator, arc: bool) -> Said:
    nouns = [_say_axis(axis, signs[axis], "noun", dice, arc) for axis in axes]
    if len(nouns) > 1 and dice.random() < 0.25:
        return told("a combined {}", joined(nouns))
    link = pick((" and ", " and ", " with ", " plus ", " combined with "), dice)
    return joined([with_article(noun) for noun in nouns], last=link)


def _say_shared(axes: list[int], signs: Signs, form: Form, dice: np.random.Generator) -> Said:
    """One verb, several directions: "glides left and up"."""
    verb = _verb(pick(words.SHARED_VERBS, dice), form)
    ways = [Said(*_signed(pick(words.SHARED_DIRECTIONS[axis], dice), signs[axis])) for axis in axes]
    diagonal = len(axes) == 2 and dice.random() < 0.3
    return told("{} diagonally {}" if diagonal else "{} {}", verb, joined(ways))


def _say_while(
    axes: list[int], signs: Signs, form: Form, dice: np.random.Generator, arc: bool
) -> Said:
    """One leading verb, the rest beside it: "trucks left while booming up"."""
    head = _say_axis(axes[0], signs[axes[0]], form, dice, arc)
    links = ["{} while {}", "{} while also {}", "{}, {}", "{}, also {}"]
    beside: Form = "gerund"
    if form == "third" and dice.random() < 0.35:
        links, beside = ["{} as it {}", "{} while it {}", "{} as it also {}"], "third"
    rest = joined([_say_axis(axis, signs[axis], beside, dice, arc) for axis in axes[1:]])
    return told(pick(links, dice), head, rest)


def _say_follow(signs: Signs, form: Form, dice: np.random.Generator) -> Said:
    """Whom it stays with, and always which way: "follows her from behind, moving forward"."""
    if signs[2]:
        verbs, nouns = words.FOLLOW_VERBS, words.FOLLOW_NOUNS
    else:
        verbs = tuple((verb, verb) for verb in words.ALONGSIDE_VERBS)
        nouns = tuple((noun, noun) for noun in words.ALONGSIDE_NOUNS)
    which = signs[2] or 1
    axes = _ordered_axes(signs, dice)
    if dice.random() < 0.5:
        way = _say_shared(axes, signs, "gerund", dice)
    else:
        core = [inflected(_signed(pick(words.CORE[i], dice), signs[i]), "gerund") for i in axes]
        way = joined(core)
    if form == "noun":
        return told("{}, {}", with_article(Said(*_signed(pick(nouns, dice), which))), way)
    head = inflected(_signed(pick(verbs, dice), which), form)
    return told(pick(("{}, {}", "{}, {}", "{} while {}"), dice), head, way)
