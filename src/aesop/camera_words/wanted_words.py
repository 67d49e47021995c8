"""A request without what it does not ask for: denials, complaints, and what somebody takes back."""

import re
from dataclasses import dataclass

from aesop.camera_words.bare_directions import with_same_verb
from aesop.camera_words.denials import (
    DENIAL,
    REST,
    denied_nouns,
    names_all,
    without_complaints,
    without_denied_rest,
)
from aesop.camera_words.spoken_numbers import plain_text
from aesop.camera_words.term_lexicon import says_nothing
from aesop.camera_words.term_matches import starts_with_term, terms_in


@dataclass(frozen=True)
class Wanted:
    """A request without what it does not ask for, and names of what it denies."""

    words: str
    denied: frozenset[str]

    @property
    def asks_for_nothing(self) -> bool:
        """Whether all that was said is that the camera is not to rest."""
        return self.denied >= REST and says_nothing(plain_text(self.words))


def wanted_in(words: str) -> Wanted:
    """ "Don't zoom, walk up to her" without what is not to happen, if it is a camera term; whoever
    denies all movement asks for rest, and whoever denies shaking for a steady camera: those are
    terms by themselves."""
    denied_names = set[str]()

    def kept(match: re.Match[str]) -> str:
        denied = plain_text(match["denied"])
        is_term = starts_with_term(denied)
        named, nouns = terms_in(denied)[0], denied_nouns(denied)
        if is_term or not (named or nouns is not None):
            return match[0]
        said = [] if names_all(denied) else [value.name for value in named]
        denied_names.update(said or nouns or ())
        return " "

    plain, no_rest = without_denied_rest(with_same_verb(without_complaints(words)))
    left = DENIAL.sub(kept, plain)
    denied_names.update(REST if no_rest else ())
    is_left = no_rest or re.search(r"\w", left)
    return Wanted(left if is_left else words, frozenset(denied_names))
