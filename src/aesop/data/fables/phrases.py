"""Phrases that are drawn once and said twice: as meant, and with every direction turned round."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

Form = Literal["base", "third", "gerund", "noun"]
Pair = tuple[str, str]  # the same phrase for movement along +axis and along −axis

_T = TypeVar("_T")

_DOUBLED = frozenset(
    {"crab", "get", "jib", "pedestal", "sit", "stop", "travel"}
)  # double their last letter before -ing
_IRREGULAR = {
    ("do", "third"): "does",
    ("go", "third"): "goes",
    ("be", "third"): "is",
    ("be", "gerund"): "being",
}


@dataclass(frozen=True)
class Said:
    """A phrase and its direction-reversed twin."""

    words: str
    turned: str

    @property
    def swapped(self) -> "Said":
        return Said(self.turned, self.words)


def told(template: str, *parts: Said) -> Said:
    """The template filled with the phrases, on both sides."""
    return Said(
        template.format(*(part.words for part in parts)),
        template.format(*(part.turned for part in parts)),
    )


def joined(parts: Sequence[Said], last: str = " and ") -> Said:
    """ "a, b and c"."""
    assert parts
    if len(parts) == 1:
        return parts[0]
    return told(", ".join(["{}"] * (len(parts) - 1)) + last + "{}", *parts)


def with_article(said: Said) -> Said:
    """ "a …" or "an …", each side by its own first letter."""
    return Said(_article(said.words), _article(said.turned))


def _article(words: str) -> str:
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def inflected(pair: Pair, form: Form) -> Said:
    """A pair of verb phrases in the form that the sentence needs; the first word is the verb."""
    return Said(*(_inflect(phrase, form) for phrase in pair))


def _inflect(phrase: str, form: Form) -> str:
    verb, gap, rest = phrase.partition(" ")
    if (verb, form) in _IRREGULAR:
        return _IRREGULAR[verb, form] + gap + rest
    match form:
        case "third":
            return _third(verb) + gap + rest
        case "gerund":
            return _gerund(verb) + gap + rest
        case "base" | "noun":
            return phrase


def _third(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _gerund(verb: str) -> str:
    if verb in _DOUBLED:
        return verb + verb[-1] + "ing"
    if verb.endswith("e"):
        return verb[:-1] + "ing"
    return verb + "ing"


def pick(options: Sequence[_T], dice: np.random.Generator) -> _T:
    """One of the options, all equally likely."""
    return options[int(dice.integers(len(options)))]


def pick_weighted(options: Sequence[tuple[int, _T]], dice: np.random.Generator) -> _T:
    """One of the options, as likely as its weight."""
    left = dice.random() * sum(weight for weight, _ in options)
    for weight, option in options:
        left -= weight
        if left < 0:
            return option
    return options[-1][1]
