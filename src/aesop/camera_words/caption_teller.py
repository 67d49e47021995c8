"""Captions of a shot whose facts were measured: each tells some of them, as people do who ask for
one to four things at once. Words come from the phrase bank or are plain terms of the trade."""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeVar

import numpy as np

from aesop.camera_words.attributes import (
    AROUND,
    CameraFacts,
    Step,
    reversed_facts,
)
from aesop.camera_words.phrase_bank import (
    END_FRAMES,
    IRRELEVANT,
    JOINS,
    PEOPLE,
    WRAPS,
    BankPart,
    BankPhrase,
    misspelt,
    phrase_bank,
)
from aesop.camera_words.plain_wordings import ADJECTIVES, PLAIN_WORDINGS, SIZE_NOUNS

Voice = Literal["plain", "bank"]

MOST_WORDS = 28
_TRIES = 6
# How many things are told at once; all steps of a shot are one of them.
_UP_TO = ((1, 0.32), (2, 0.66), (3, 0.88), (4, 1.0))
# How likely people are to name a value that is there: what everybody expects goes without saying.
_SALIENCE: dict[str, float] = {
    "steps": 3.0, "size": 1.4, "height": 1.1, "side": 1.0, "lens": 0.8, "dutch": 3.0, "grip": 0.8,
    "place": 0.8,
}  # fmt: skip
_EXPECTED: dict[str, float] = {
    "eye": 0.5, "centre": 0.5, "dolly": 0.6, "ground": 1.5, "overhead": 1.5, "handheld": 1.2,
    "static": 2.0,
}  # fmt: skip
_SAYS_END, _SAYS_EXTENT, _SAYS_SIDE = 0.4, 0.55, 0.6
_IRRELEVANT_SHARE, _TYPO_SHARE, _PACE_SHARE = 0.14, 0.06, 0.1
_PLAIN_AMONG_BANK = 0.15  # a plain term beside a phrase of the bank

_SIDEWAYS: dict[str, tuple[str, ...]] = {
    "arc-left": ("to the left", "leftwards", "going left", "towards the left"),
    "arc-right": ("to the right", "rightwards", "going right", "towards the right"),
}
_THEN = (", then ", ", and then ", " then ", ". Then ", ", after that ", "; next, ", ", next ")
_LAST_THEN = (*_THEN, ", finally ", ", and finally ")
_TURNS_CUES = (
    "as she turns", "as he turns around", "when the person turns", "when she turns", "as they turn",
    "when he turns around", "the moment she turns",
)  # fmt: skip
_END_CUES = ("at the end", "towards the end", "at the very end", "in the end")
_TOGETHER = (" and ", " while ", ", ", " and ", " + ")
_PLAIN_JOINS = (", ", ", ", ", ", ". ", " and ", "; ", " / ")
_PLAIN_PACES = ("slowly", "quickly", "gently", "slightly", "fast", "dramatically", "gradually")
_SPACE = " "
_FACELESS_SIDES = ("behind", "three-quarter-back")
_FACE = re.compile(
    r"\b(?:faces?|facial|eye(?!line|-line| line|-level| level)\w*|iris|nos(?:e|tril)\w*|mouth|"
    r"lip\w*|smiles?|tears?|freckles?|expressions?|pupils?|blush\w*|wink\w*|gaze|brows?|cheeks?|"
    r"features)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ToldCaption:
    """A caption, its reversed twin, and the facts that it tells."""

    text: str
    reversed_text: str
    facts: CameraFacts


@dataclass(frozen=True)
class _Piece:
    """Some words, and how they were written down in the bank."""

    text: str
    register: Literal["imperative", "descriptive", "noun", "indirect"] = "noun"


def caption_sources() -> Iterator[str]:
    """Everything that captions are made of, piece by piece; all parts of the bank."""
    yield from (phrase.text for phrase in phrase_bank())
    for wordings in (*PLAIN_WORDINGS.values(), *SIZE_NOUNS.values(), *_SIDEWAYS.values()):
        yield from wordings
    yield from ADJECTIVES.values()
    yield from (wrap.format("").strip() for wraps in WRAPS.values() for wrap in wraps)
    yield from (frame.format("").strip() for frame in END_FRAMES)
    for words in (
        PEOPLE, IRRELEVANT, JOINS, _LAST_THEN, _TURNS_CUES, _END_CUES, _TOGETHER, _PLAIN_JOINS,
        _PLAIN_PACES,
    ):  # fmt: skip
        yield from (word.strip() for word in words)


def part_of_facts(facts: CameraFacts, dice: random.Random) -> CameraFacts:
    """Some of the facts, one to four things: all steps or none, for words that name one of two
    movements would deny the other. What a shot ends on is told beside a movement alone."""
    weights = dict(_weighted(facts))
    if not weights:
        return CameraFacts()
    pick = dice.random()
    count = next((number for number, upto in _UP_TO if pick < upto), 1)
    ranks = {name: dice.random() ** (1 / weight) for name, weight in weights.items()}
    told = set(sorted(ranks, key=lambda name: -ranks[name])[:count])
    part = CameraFacts(
        size_start=facts.size_start if "size" in told else None,
        height=facts.height if "height" in told else None,
        side=facts.side if "side" in told else None,
        lens=facts.lens if "lens" in told else None,
        dutch=facts.dutch and "dutch" in told,
        grip=facts.grip if "grip" in told else None,
        places=tuple(place for place in facts.places if f"place {place}" in told),
    )
    if "steps" not in told:
        return part
    steps = tuple(_with_or_without(step, dice) for step in facts.steps)
    ends = facts.size_end not in (None, facts.size_start) and dice.random() < _SAYS_END
    return replace(part, steps=steps, size_end=facts.size_end if ends else None)


def _weighted(facts: CameraFacts) -> Iterator[tuple[str, float]]:
    values = {
        "size": facts.size_start, "height": facts.height, "side": facts.side, "lens": facts.lens,
        "dutch": "dutch" if facts.dutch else None, "grip": facts.grip,
    }  # fmt: skip
    for name, value in values.items():
        if value is not None:
            yield name, _SALIENCE[name] * _EXPECTED.get(value, 1.0)
    for place in facts.places:
        yield f"place {place}", _SALIENCE["place"] * _EXPECTED.get(place, 1.0)
    if facts.steps:
        yield "steps", _SALIENCE["steps"]


def _with_or_without(step: Step, dice: random.Random) -> Step:
    """A step with how far it goes around somebody, and to which side, or without saying so."""
    says_extent, says_side = dice.random() < _SAYS_EXTENT, dice.random() < _SAYS_SIDE
    moves = step.moves
    if "orbit" in moves and not says_side:
        moves = tuple(move for move in moves if not move.startswith("arc-"))
    return replace(step, moves=moves, extent=step.extent if says_extent else None)


Thing = TypeVar("Thing")


def _chosen(things: Sequence[Thing], dice: random.Random) -> Thing:
    """One of them by one throw, however many there are: twins then throw alike."""
    return things[int(dice.random() * len(things))]


class CaptionTeller:
    """Tells facts with the phrases of some parts of the bank, and in plain terms in `plain` of the
    captions and for `aside` of the values beside phrases. Parts that come first are preferred;
    where they have no phrase for a value the next one speaks, and at last a plain term."""

    def __init__(
        self,
        parts: Sequence[BankPart | tuple[BankPart, ...]],
        plain: float,
        aside: float = _PLAIN_AMONG_BANK,
    ) -> None:
        self._plain, self._aside = plain, aside
        self._phrases = _by_facts(tuple(parts))

    def captions(
        self, facts: CameraFacts, count: int, dice: np.random.Generator
    ) -> tuple[ToldCaption, ...]:
        """Several different captions of one shot; none where there is nothing to tell."""
        told: dict[str, ToldCaption] = {}
        for _ in range(count + _TRIES):
            if len(told) == count or not facts.names:
                break
            caption = self._caption(facts, int(dice.integers(2**62)))
            told.setdefault(caption.text, caption)
        return tuple(told.values())

    def _caption(self, facts: CameraFacts, seed: int) -> ToldCaption:
        part = facts
        faceless = facts.side in _FACELESS_SIDES or facts.height == "overhead"
        for attempt in range(_TRIES):
            part = part_of_facts(facts, random.Random(seed + attempt))
            text, twin = (
                self.told(it, seed + attempt, faceless=faceless)
                for it in (part, reversed_facts(part))
            )
            if max(len(text.split()), len(twin.split())) <= MOST_WORDS:
                return ToldCaption(text, twin, part)
        # Three steps in long words: the steps alone, in the shortest.
        part = CameraFacts(steps=part.steps) if part.steps else part
        text, twin = (
            _Sentence(self._phrases, "plain", 0.0, random.Random(seed), faceless).text(it)
            for it in (part, reversed_facts(part))
        )
        return ToldCaption(text, twin, part)

    def told(self, facts: CameraFacts, seed: int, *, faceless: bool = False) -> str:
        """All of some facts in one text; twins are told with the same seed. Of a shot that shows no
        face nobody says that it is close to one."""
        dice = random.Random(f"words {seed}")
        voice: Voice = "plain" if dice.random() < self._plain else "bank"
        sentence = _Sentence(self._phrases, voice, self._aside, dice, faceless)
        return _dressed(sentence.text(facts), dice)


@cache
def _by_facts(
    parts: tuple[BankPart | tuple[BankPart, ...], ...],
) -> Mapping[tuple[str, ...], tuple[BankPhrase, ...]]:
    """Phrases by what they say, from the first of the parts that has any."""
    found: dict[tuple[str, ...], tuple[BankPhrase, ...]] = {}
    for part in parts:
        names = (part,) if isinstance(part, str) else part
        known: dict[tuple[str, ...], list[BankPhrase]] = {}
        for phrase in phrase_bank():
            if phrase.part in names:
                known.setdefault(phrase.facts, []).append(phrase)
        for facts, phrases in known.items():
            found.setdefault(facts, tuple(phrases))
    return found


def _dressed(text: str, dice: random.Random) -> str:
    """Words that mean nothing, a typo, a capital and a full stop, or none of them."""
    extra, place = dice.random(), dice.random()
    idle = _chosen(IRRELEVANT, dice)
    if extra < _IRRELEVANT_SHARE:
        text = f"{text}, {idle}" if place < 0.6 else f"{idle}: {text}"
    typo, seed = dice.random(), dice.random()
    if typo < _TYPO_SHARE:
        text = misspelt(text, random.Random(seed))
    if dice.random() < 0.5:
        text = text[:1].upper() + text[1:]
    return text + "." if dice.random() < 0.35 and text and text[-1] not in ".?!" else text


class _Sentence:
    """One text in one voice."""

    def __init__(
        self,
        phrases: Mapping[tuple[str, ...], tuple[BankPhrase, ...]],
        voice: Voice,
        aside: float,
        dice: random.Random,
        faceless: bool,
    ) -> None:
        self._phrases, self._voice, self._aside, self._dice = phrases, voice, aside, dice
        self._faceless = faceless

    def text(self, facts: CameraFacts) -> str:
        standing = [*self._standing(facts)]
        acting = [self._steps(facts)] if facts.steps else []
        first = acting + standing if self._dice.random() < 0.4 else standing + acting
        pieces = [piece for piece in first if piece.text]
        if not pieces:
            return ""
        if self._voice == "plain":
            return self._joined(pieces, _PLAIN_JOINS)
        head = pieces[0]
        wrap = _chosen(WRAPS[head.register], self._dice)
        pieces[0] = _Piece(wrap.format(head.text), head.register)
        return self._joined(pieces, JOINS)

    def _joined(self, pieces: Sequence[_Piece], joins: Sequence[str]) -> str:
        text = pieces[0].text
        for piece in pieces[1:]:
            join = _chosen(joins, self._dice)
            if join == " with " and (piece.register != "noun" or piece.text.startswith("with ")):
                join = ", "
            text = text.rstrip(".?") + join + piece.text
        return text

    def _value(self, *names: str) -> _Piece:
        """A phrase for these values, or a plain term."""
        pick, plain = self._dice.random(), self._dice.random() < self._aside
        person = _chosen(PEOPLE, self._dice)
        known = self._phrases.get(names, ())
        if self._faceless and names[0].startswith("size:"):
            known = tuple(it for it in known if not _FACE.search(it.text))
        if self._voice == "bank" and known and not plain:
            phrase = known[int(pick * len(known))]
            return _Piece(phrase.text.replace("the person", person), phrase.register)
        words = [_at(self._plain_words(name), pick) for name in names]
        return _Piece(_SPACE.join(words).replace("the person", person))

    def _plain_words(self, name: str) -> Sequence[str]:
        words = PLAIN_WORDINGS[name]
        hides = self._faceless and name.startswith("size:")
        return [it for it in words if not _FACE.search(it)] if hides else words

    def _standing(self, facts: CameraFacts) -> Iterator[_Piece]:
        values = {
            "size": facts.size_start, "height": facts.height, "side": facts.side,
            "lens": facts.lens, "grip": facts.grip,
        }  # fmt: skip
        names = [f"{name}:{value}" for name, value in values.items() if value]
        names += ["turn:dutch"] if facts.dutch else []
        names += [f"place:{place}" for place in facts.places]
        compound, spread = self._dice.random() < 0.45, self._dice.random()
        size = f"size:{facts.size_start}"
        if self._voice == "plain" and compound and facts.size_start is not None:
            before = next((name for name in names if name in ADJECTIVES), None)
            if before is not None:
                names = [name for name in names if name not in (size, before)]
                yield _Piece(f"{ADJECTIVES[before]} {_at(SIZE_NOUNS[size], spread)}")
        order = sorted(names, key=lambda _: self._dice.random())
        yield from (self._value(name) for name in order)

    def _steps(self, facts: CameraFacts) -> _Piece:
        """All steps in order, and what they end on."""
        pieces = [self._step(step) for step in facts.steps]
        text = pieces[0].text
        for at, (step, piece) in enumerate(zip(facts.steps, pieces, strict=True)):
            text = self._timed(text if at else "", step, piece.text, last=at == len(pieces) - 1)
        if facts.size_end is not None:
            end = _at(SIZE_NOUNS[f"size:{facts.size_end}"], self._dice.random())
            article = "an" if end.startswith("extreme") else "a"
            text = f"{text} {_chosen(END_FRAMES, self._dice).format(f'{article} {end}')}"
        return _Piece(text, pieces[0].register)

    def _timed(self, before: str, step: Step, text: str, *, last: bool) -> str:
        join, cue, trails = (self._dice.random() for _ in range(3))
        if step.when in ("as-she-turns", "at-the-end"):
            cues = _TURNS_CUES if step.when == "as-she-turns" else _END_CUES
            said = f"{text} {_at(cues, cue)}" if trails < 0.5 else f"{_at(cues, cue)} {text}"
            return f"{before}, {said}" if before else said
        return f"{before}{_at(_LAST_THEN if last else _THEN, join)}{text}" if before else text

    def _step(self, step: Step) -> _Piece:
        pieces = [*self._moves(step)]
        pieces += [self._value(f"turn:{turn}") for turn in step.turns]
        pieces += [self._value(f"lens:{step.zoom}")] if step.zoom else []
        text = pieces[0].text
        for piece in pieces[1:]:
            text += _chosen(_TOGETHER, self._dice) + piece.text
        return _Piece(self._paced(text, step), pieces[0].register)

    def _moves(self, step: Step) -> Iterator[_Piece]:
        """What goes around somebody first: in the bank a circle, its part and its side are one
        phrase and a word behind it."""
        around = [move for move in step.moves if move in AROUND]
        side = next((move for move in around if move != "orbit"), None)
        word = self._dice.random()
        extent = (f"extent:{step.extent}",) if step.extent else ()
        if side and self._voice == "plain":
            yield self._value_of_each((f"move:{side}", *extent))
        elif "orbit" in around or extent:
            piece = self._value("move:orbit", *extent)
            way = _at(_SIDEWAYS[side], word) if side else ""
            yield replace(piece, text=f"{piece.text} {way}".strip())
        elif side:
            yield self._value(f"move:{side}")
        yield from (self._value(f"move:{move}") for move in step.moves if move not in AROUND)

    def _value_of_each(self, names: Iterable[str]) -> _Piece:
        return _Piece(_SPACE.join(self._value(name).text for name in names))

    def _paced(self, text: str, step: Step) -> str:
        """Now and then a pace that means nothing: how far and how fast is no part of a caption."""
        paced, before, word = (self._dice.random() for _ in range(3))
        if paced >= _PACE_SHARE or step.is_static:
            return text
        pace = _at(_PLAIN_PACES, word)
        return f"{pace} {text}" if before < 0.5 else f"{text} {pace}"


def _at(things: Sequence[str], share: float) -> str:
    return things[int(share * len(things))]


@cache
def teller_for(kind: Literal["train", "validation", "plain", "idiom"]) -> CaptionTeller:
    """Who speaks in which part of a dataset. Validation hears phrases that nobody trains on beside
    those that everybody does; test is told in plain terms, and in phrases of families kept apart
    (where a value has no such family, in wordings kept apart)."""
    match kind:
        case "train":
            return CaptionTeller(("train",), plain=0.36)
        case "validation":
            return CaptionTeller((("train", "choosing"),), plain=0.36)
        case "plain":
            return CaptionTeller((), plain=1.0)
        case "idiom":
            return CaptionTeller(("family", "wording"), plain=0.0, aside=0.0)
