"""Where the plain terms of the tables stand in a text, and what each names there."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from aesop.camera_words.action_terms import ACTION_TERMS, MOVE_TERMS
from aesop.camera_words.attributes import AttributeValue, attribute_value
from aesop.camera_words.denials import their_doing
from aesop.camera_words.spoken_numbers import numbers_as_terms, plain_text
from aesop.camera_words.standing_terms import PEOPLE, SHOT, STANDING_TERMS, THEIR, WHO


def _filled(term: str) -> str:
    for name, pattern in (("@shot", SHOT), ("@who", WHO), ("@their", THEIR), ("@people", PEOPLE)):
        term = term.replace(name, pattern)
    return term


def _compiled(table: Mapping[str, Sequence[str]]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(rf"\b(?:{_filled(term)})\b"), name)
        for name, terms in table.items()
        for term in terms
    )


TERMS = _compiled({**STANDING_TERMS, **ACTION_TERMS})
MOVES = _compiled(MOVE_TERMS)
_WHIP = "turn:whip-pan"
# "Rise to eye level", "down from above": a height that the camera goes to is not where it starts.
_RISES_TO = re.compile(
    r"\b(?:ris|rais|lift|climb|ascend|boom|cran|jib|ped|sink|descend|drop|lower|com(?:e|es|ing)"
    r" (?:up|down)|go(?:es|ing)? (?:up|down))\w*\b[^,;.]*\b(?:to|until|till|reach\w*)"
    r"(?: an?| the| about| around)* *$"
)


@dataclass(frozen=True, order=True)
class Match:
    """A term in a text, and the values that it names."""

    first: int
    less_stop: int  # the stop with another sign: of terms at one place the longest comes first
    names: tuple[str, ...]

    @property
    def stop(self) -> int:
        return -self.less_stop


def matches(text: str, terms: Sequence[tuple[re.Pattern[str], str]]) -> list[Match]:
    """Terms in the order of the text; none lies in another. A whip to a side is a pan to it too."""
    every = sorted(
        Match(match.start(), -match.end(), _names_of(name, match[0]))
        for pattern, name in terms
        if not name.startswith("when:")
        for match in pattern.finditer(text)
    )
    kept, since = list[Match](), 0
    theirs = list(their_doing(text))
    for match in every:
        if match.first >= since and not _is_theirs(match, theirs):
            ends_there = _is_reached(match, text)
            kept.append(replace(match, names=()) if ends_there else match)
            since = match.stop
    return kept


def _is_reached(match: Match, text: str) -> bool:
    is_height = all(name.startswith("height:") for name in match.names)
    return is_height and _RISES_TO.search(text[: match.first]) is not None


def heights_reached(text: str) -> list[str]:
    """Where words say that the camera comes to, by rising or sinking: "eye level"."""
    every = matches(numbers_as_terms(plain_text(text)), TERMS)
    return [plain_text(text)[it.first : it.stop] for it in every if not it.names]


def _is_theirs(match: Match, doings: Sequence[tuple[int, int]]) -> bool:
    """Whether somebody else does it: "he rushes past" is no way of the camera's."""
    acts = all(name.startswith(("move:", "turn:")) for name in match.names)
    return acts and any(first <= match.first and match.stop <= stop for first, stop in doings)


def _names_of(name: str, said: str) -> tuple[str, ...]:
    if name != _WHIP:
        return tuple(name.split())
    sides = re.findall(r"\b(?:left|right)\b", said)
    return (name, *(f"turn:pan-{side}" for side in sides[-1:]))


def terms_in(
    text: str, terms: Sequence[tuple[re.Pattern[str], str]] = TERMS
) -> tuple[list[AttributeValue], str]:
    """Terms in the order of the text, and the text without them."""
    named: list[AttributeValue] = []
    left, since = "", 0
    for match in matches(text, terms):
        named += [attribute_value(name) for name in match.names]
        left += text[since : match.first] + " , "
        since = match.stop
    return named, re.sub(r"[\s,]+$", "", left + text[since:]).strip()


def starts_with_term(text: str) -> bool:
    """Whether a plain text begins with a term: "not move" is one."""
    return any(pattern.match(text) for pattern, _ in TERMS)
