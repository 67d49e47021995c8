"""Words that somebody mistyped, as the camera terms that they nearly are: "puhs in slwoly" is "push
in slowly". A word that means something is never touched, and every change can be told."""

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from aesop.camera_words.action_terms import ACTION_TERMS, MOVE_TERMS, PACES
from aesop.camera_words.bare_directions import BARE_VERBS
from aesop.camera_words.request_reader import KNOWN_WORDS, words_of
from aesop.camera_words.standing_terms import PEOPLE, SHOT, STANDING_TERMS
from aesop.text.minilm import WordPiece, load_wordpiece, packaged_folder

_WORD = re.compile(r"(?<![\w'’.@/-])[A-Za-z]{3,}(?![\w'’@/]|\.\w)")
_TAG = re.compile(r"(?:^|\s|,)+#(?=[A-Za-z])")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TAGGED = re.compile(r"#\w+")
_FOREIGN = re.compile(r"[^\W\d_a-zA-Z]")
_DRAWN_OUT = re.compile(r"(\w)\1{2,}")  # no word has a letter three times in a row
# A word of a pattern, and the endings that it may take: "zoom(?:s|ing)?", "pans?".
_TERM = re.compile(r"(?<![\\a-z])([a-z]{2,})(\?)?(?:\(\?:([a-z|]+)\)(\?)?)?")
_VOWELS = frozenset("aeiouy")
_FIVE, _SEVEN = 5, 7  # letters from which one may be missing, and one may be wrong
_JOINED = re.compile(
    rf"(?P<verb>{BARE_VERBS})(?:s|es|ing)?(?P<way>in|out|back|left|right|up|down|forward|around)"
    r"|(?P<how>\w{3,})(?P<what>shots?|angles?)"
)
_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "ers", "ly")
_OTHERS = frozenset(
    words_of(
        "second seconds hold holds wait waits pause beat first last half quarter circle degrees"
        " until pls plz thx counterclockwise anticlockwise"
    )
)


@dataclass(frozen=True)
class Spelling:
    """A request with its camera terms spelt as they are known."""

    words: str
    changes: tuple[tuple[str, str], ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """ "read 'slwoly' as 'slowly'"."""
        return tuple(f"read {typed!r} as {meant!r}" for typed, meant in self.changes)


@cache
def spelling_of(words: str) -> Spelling:
    """A request as it was meant to be spelt. Names, words of any other kind and what is more than
    one slip away from a term stay as they were typed, and so does all that is not in English."""
    if _FOREIGN.search(words):
        return Spelling(words)
    changes: dict[str, str] = {}

    def meant(match: re.Match[str]) -> str:
        typed = match[0]
        better = _meant(typed.lower(), ends=_ends_clause(plain, match.end()))
        if better is None:
            return typed
        if better.replace(" ", "") != typed.lower():
            changes.setdefault(typed, better)
        return better

    plain = _without_tags(words)
    return Spelling(_WORD.sub(meant, plain), tuple(changes.items()))


def spelled(words: str) -> str:
    """The same, without what was changed."""
    return spelling_of(words).words


def _without_tags(words: str) -> str:
    """ "#LowAngle #pushin" as "Low Angle, pushin"."""
    if not _TAG.search(words):
        return words
    parted = _TAGGED.sub(lambda match: _HUMP.sub(" ", match[0]), words)
    return re.sub(r"^[\s,]+", "", _TAG.sub(", ", parted))


def _ends_clause(text: str, at: int) -> bool:
    return re.match(r"\s*(?:[,;.!?#]|$)", text[at:]) is not None


@cache
def _meant(word: str, *, ends: bool) -> str | None:
    """What an unknown word was meant as; None where it is known, or nothing is near."""
    terms = term_words()
    if word in terms or _is_word(word):
        return None
    if _DRAWN_OUT.search(word):
        for times in (r"\1\1", r"\1"):
            short = _DRAWN_OUT.sub(times, word)
            if short in terms and len(short) > 2:
                return short
    if not ends and word.endswith("in") and f"{word}g" in terms:  # "trackin her"
        return f"{word}g"
    parts = _two_terms(word)
    if parts is not None:
        return parts
    for slips in (_exchanged, _doubled, _one_letter_off):
        near = [(rank, it) for it in slips(word) if it in terms and (rank := _rank(it)) is not None]
        if near:
            return min(near)[1]  # the most usual
    return None


def _two_terms(word: str) -> str | None:
    """ "Pushin", "lowangle": a term of two words without a blank; a backoff is none."""
    match = _JOINED.fullmatch(word)
    if match is None or (match["how"] is not None and match["how"] not in term_words()):
        return None
    second = match["way"] or match["what"]
    return f"{word.removesuffix(second)} {second}"


def _exchanged(word: str) -> Iterator[str]:
    for at in range(len(word) - 1):
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _doubled(word: str) -> Iterator[str]:
    """With a letter twice that stands there once, or once where it stands twice: "doly"."""
    for at in range(1, len(word)):
        yield word[: at + 1] + word[at:]
        if word[at] == word[at - 1]:
            yield word[:at] + word[at + 1 :]


def _one_letter_off(word: str) -> Iterator[str]:
    """Hardly anybody mistypes the first letter. A short word with another letter may be a word that
    nobody here knows ("loom" for "look"); without vowels ("lft") it is none."""
    if len(word) >= _FIVE or not _VOWELS.intersection(word):
        for at in range(1, len(word) + 1):
            yield from (word[:at] + letter + word[at:] for letter in string.ascii_lowercase)
    if len(word) < _SEVEN:
        return
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]
        if word[at] in _VOWELS:
            yield from (word[:at] + vowel + word[at + 1 :] for vowel in sorted(_VOWELS))


def _is_word(word: str) -> bool:
    """Whether English has it, or what it is a form of."""
    if _rank(word) is not None:
        return True
    stems = [word[: -len(ending)] for ending in _ENDINGS if word.endswith(ending)]
    stems = [stem for stem in stems if len(stem) > 2]
    stems += [f"{stem}e" for stem in stems]
    stems += [stem[:-1] for stem in stems if len(stem) > 3 and stem[-1] == stem[-2]]
    return any(_rank(stem) is not None for stem in stems)


@cache
def _rank(word: str) -> int | None:
    """The place of a word in MiniLM's vocabulary, which begins with the usual ones; None where it
    is none of its words."""
    pieces = _wordpiece()(word)[1:-1]
    return pieces[0] if len(pieces) == 1 else None


@cache
def _wordpiece() -> WordPiece:
    return load_wordpiece(packaged_folder())


@cache
def term_words() -> frozenset[str]:
    """Every word that a term may have, and those of the grammar of movements."""
    tables: Sequence[Mapping[str, Sequence[str]]] = (STANDING_TERMS, ACTION_TERMS, MOVE_TERMS)
    patterns = [term for table in tables for terms in table.values() for term in terms]
    patterns += [PEOPLE, SHOT, *(pattern for pattern, _ in PACES)]
    words = {word for pattern in patterns for word in _words_in(pattern)}
    return KNOWN_WORDS | words | _OTHERS


def _words_in(pattern: str) -> Iterator[str]:
    for match in _TERM.finditer(re.sub(r"\\[a-zA-Z]|@\w+", " ", pattern)):
        word, endings = match[1], (match[3] or "").split("|")
        if match[2]:
            yield word[:-1]
        if not match[3] or match[4]:
            yield word
        yield from (word + ending for ending in endings if ending)
