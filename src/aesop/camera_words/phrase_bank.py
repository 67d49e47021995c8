"""What people say when they mean a value of the camera vocabulary: a hand-written bank of phrases
in families, its parts, and sentences composed from it."""

import importlib.resources
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, get_args

from aesop.camera_words.attributes import VocabularyError, attribute_value
from aesop.core.hashing import text_sha256

Register = Literal["imperative", "descriptive", "noun", "indirect"]
# Whole families are kept apart ("family"), and single wordings of families that are trained on
# ("wording"): a reader is judged on both, and chosen on "choosing", which has some of each.
BankPart = Literal["train", "choosing", "wording", "family"]
OtherPart = Literal["train", "choosing", "judged"]

BANK_FILE, OTHER_FILE = "phrase_bank.tsv", "other_topics.tsv"
REQUEST_FILE = "natural_requests.tsv"
COLUMNS = ("facts", "family", "register", "writer", "text")
END = "@end"  # behind a size: what the shot ends on
FAMILY_SHARES = (0.18, 0.10)  # of the families other than textbooks: judged on, chosen on
WORDING_SHARES = (0.12, 0.06)  # of the wordings of the other families
# The pages of the first writers are judged on. Those of later ones never are: they teach, and a few
# of their families and wordings are chosen on.
JUDGED_WRITERS = ("writer1", "writer2", "writer3")
LATER_FAMILY_SHARE, LATER_WORDING_SHARE = 0.03, 0.015
HELD_TOPICS = 0.58  # of what is not about cameras: whole topics are judged on
JUDGED_OTHERS = ("other1", "other2", "other3")
CHOOSING_REQUESTS = 0.12  # of whole requests: chosen on
LATER_TOPIC_SHARE = 0.2  # of the topics of later writers: chosen on
TEXTBOOK = "textbook"  # terms of the trade are never held back as a family


@dataclass(frozen=True)
class BankPhrase:
    """One way to say some values. `facts` are names such as "move:push-in" or "size:full@end"."""

    facts: tuple[str, ...]
    family: str
    register: Register
    writer: str
    text: str

    @property
    def part(self) -> BankPart:
        """Which part of the bank it belongs to, by a hash of its family and of its words."""
        family = f"{' '.join(self.facts)}/{self.family}"
        if self.writer not in JUDGED_WRITERS:
            return "choosing" if self._is_chosen_on(family) else "train"
        if self.family != TEXTBOOK:
            share = text_share(f"family {family}")
            if share < FAMILY_SHARES[0]:
                return "family"
            if share < sum(FAMILY_SHARES):
                return "choosing"
        share = text_share(f"wording {family}/{self.text}")
        if share < WORDING_SHARES[0]:
            return "wording"
        return "choosing" if share < sum(WORDING_SHARES) else "train"

    @property
    def family_is_unseen(self) -> bool:
        """Whether none of its family is trained on."""
        family = f"{' '.join(self.facts)}/{self.family}"
        judged = self.writer in JUDGED_WRITERS
        least = sum(FAMILY_SHARES) if judged else LATER_FAMILY_SHARE
        return self.family != TEXTBOOK and text_share(f"family {family}") < least

    def _is_chosen_on(self, family: str) -> bool:
        share = text_share(f"wording {family}/{self.text}")
        return self.family_is_unseen or share < LATER_WORDING_SHARE


def text_share(text: str) -> float:
    """A number from 0 to 1 that belongs to a text: the same on every machine and in every order."""
    return int(text_sha256(text)[:8], 16) / 2**32


def check_fact(name: str) -> None:
    """Refuse what is neither a value of the vocabulary nor a size at the end."""
    base = name.removesuffix(END)
    value = attribute_value(base)
    if base != name and value.attribute != "size":
        raise VocabularyError(f"{name!r} is not something a shot can end on.", "Only sizes are.")


@cache
def phrase_bank() -> tuple[BankPhrase, ...]:
    """All phrases that come with the package."""
    lines = _packaged(BANK_FILE)
    assert tuple(next(lines).split("\t")) == COLUMNS
    phrases = tuple(_phrase(line) for line in lines)
    for name in {name for phrase in phrases for name in phrase.facts}:
        check_fact(name)
    return phrases


def _phrase(line: str) -> BankPhrase:
    facts, family, register, writer, text = line.split("\t")
    assert register in get_args(Register), line
    return BankPhrase(tuple(facts.split()), family, register, writer, text)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True)
class OtherText:
    """A sentence that asks nothing of a camera: weather, recipes, code, other languages."""

    topic: str
    writer: str
    text: str

    @property
    def part(self) -> OtherPart:
        """Topics are kept apart whole, as families are; those of later writers are never judged
        on."""
        share = text_share(f"topic {self.topic}")
        if self.writer in JUDGED_OTHERS:
            return "train" if share >= HELD_TOPICS else "judged"
        return "train" if share >= LATER_TOPIC_SHARE else "choosing"


@cache
def other_texts() -> tuple[OtherText, ...]:
    """Sentences about other things that come with the package."""
    lines = _packaged(OTHER_FILE)
    assert next(lines).split("\t") == ["topic", "writer", "text"]
    return tuple(OtherText(*line.split("\t")) for line in lines)


@dataclass(frozen=True)
class NaturalRequest:
    """A whole sentence by somebody who asks for several things at once, or for one among words that
    mean nothing. Readers learn from them and are chosen on them, never judged."""

    facts: tuple[str, ...]
    writer: str
    text: str

    @property
    def part(self) -> Literal["train", "choosing"]:
        share = text_share(f"request {self.text}")
        return "choosing" if share < CHOOSING_REQUESTS else "train"


@cache
def natural_requests() -> tuple[NaturalRequest, ...]:
    """Whole requests that come with the package."""
    lines = _packaged(REQUEST_FILE)
    assert next(lines).split("\t") == ["facts", "writer", "text"]
    rows = [line.split("\t") for line in lines]
    for name in {name for facts, _, _ in rows for name in facts.split()}:
        check_fact(name)
    return tuple(NaturalRequest(tuple(facts.split()), *rest) for facts, *rest in rows)


def _packaged(name: str) -> Iterator[str]:
    text = (importlib.resources.files("aesop.camera_words") / name).read_text(encoding="utf-8")
    return iter(text.splitlines())


# What surrounds a phrase without meaning anything.
WRAPS: Mapping[Register, tuple[str, ...]] = {
    "imperative": (
        "{}", "{}", "{}", "please {}", "could you {}?", "i'd like you to {}", "now {}",
        "{}, please", "let's {}", "we should {}", "camera: {}", "operator, {}",
        "what if you {}", "you {}",
    ),
    "descriptive": ("{}", "{}", "{}", "{}.", "i imagine it so: {}", "in this shot {}", "here {}"),
    "noun": (
        "{}", "{}", "{}", "give me {}", "shoot it as {}", "i want {}", "make it {}", "{} please",
        "use {}", "this is {}", "let's do {}", "{}, that's all", "we need {}", "it should be {}",
    ),
    "indirect": ("{}", "{}", "{}.", "you know, {}", "i feel it like this: {}"),
}  # fmt: skip
PEOPLE = (
    "the person", "the dancer", "the woman", "the man", "the performer", "the runner", "our hero",
    "the character", "the actor", "the subject", "the girl", "the boy", "Maria", "the figure",
)  # fmt: skip
_PRONOUN = re.compile(r"\b(?:he|him|his|she)\b")
IRRELEVANT = (
    "in the rain", "at golden hour", "with neon light", "under moonlight", "in black and white",
    "very moody", "like a dream", "as the music swells", "for the trailer", "on a Sunday morning",
    "in an abandoned factory", "with warm colours", "it should feel sad", "make it beautiful",
    "for our music video", "in front of the old church", "he is called Tom", "this is scene four",
    "with a lot of tension", "she has just lost her job", "cinematic, 4k", "in the style of noir",
    "full of hope", "while it snows", "everyone is tired", "there is smoke in the air",
    "the walls are blue", "as a tribute to my grandfather", "with soft shadows", "at the harbour",
)  # fmt: skip
# Words that stand before another term, as in "a slow handheld low-angle close-up".
_STACKED: Mapping[str, tuple[str, ...]] = {
    "pace:slowly": ("slow", "gentle", "unhurried", "creeping"),
    "pace:quickly": ("fast", "quick", "rapid", "speedy"),
    "pace:slightly": ("slight", "subtle", "tiny", "little"),
    "pace:dramatically": ("dramatic", "sweeping", "epic", "bold"),
    "grip:handheld": ("handheld", "hand-held", "shaky", "shoulder-mounted", "wobbly"),
    "grip:steadicam": ("steadicam", "floating", "gimbal", "stabilised"),
    "grip:locked-off": ("locked-off", "tripod-locked"),
    "height:low": ("low-angle", "low", "low angle"),
    "height:high": ("high-angle", "high angle", "elevated"),
    "height:overhead": ("overhead", "top-down", "bird's-eye"),
    "height:ground": ("ground-level", "worm's-eye", "floor-level"),
    "height:eye": ("eye-level", "eye level"),
    "turn:dutch": ("dutch-angle", "canted", "tilted-horizon", "dutch"),
    "lens:wide-angle": ("wide-angle", "fisheye", "18mm"),
    "lens:long-lens": ("long-lens", "telephoto", "200mm"),
    "side:front": ("frontal", "head-on"),
    "side:behind": ("rear-view", "from-behind"),
    "place:centre": ("centred", "symmetrical"),
}  # fmt: skip
_HEADS: Mapping[str, tuple[str, ...]] = {
    "size:extreme-wide": ("extreme wide shot", "extreme long shot", "ews"),
    "size:wide": ("wide shot", "wide", "long shot", "master"),
    "size:full": ("full shot", "full body shot", "full-length shot"),
    "size:medium": ("medium shot", "mid shot", "medium", "waist shot"),
    "size:close-up": ("close-up", "closeup", "close up", "cu"),
    "size:extreme-close-up": ("extreme close-up", "ecu", "macro shot"),
    "move:static": ("static shot", "still shot"),
    "move:push-in": ("push in", "push-in", "dolly in", "track in", "push"),
    "move:pull-out": ("pull out", "pull-back", "dolly out", "pull back"),
    "move:truck-left": ("truck left", "slide left", "crab left", "track left"),
    "move:truck-right": ("truck right", "slide right", "crab right", "track right"),
    "move:boom-up": ("boom up", "crane up", "jib up", "rise"),
    "move:boom-down": ("boom down", "crane down", "jib down", "descent"),
    "move:arc-left": ("arc left", "arc to the left"),
    "move:arc-right": ("arc right", "arc to the right"),
    "move:orbit": ("orbit", "orbit shot", "circling shot"),
    "move:follow": ("follow shot", "chase shot", "following shot"),
    "move:follow-beside": ("side tracking shot", "parallel tracking shot"),
    "move:lead": ("leading shot", "lead shot", "walk-and-talk"),
    "move:fly-past": ("fly-by", "flyby", "fly past"),
    "turn:pan-left": ("pan left", "left pan", "pan to the left"),
    "turn:pan-right": ("pan right", "right pan", "pan to the right"),
    "turn:tilt-up": ("tilt up", "upward tilt"),
    "turn:tilt-down": ("tilt down", "downward tilt"),
    "turn:roll": ("roll", "camera roll", "barrel roll"),
    "lens:zoom-in": ("zoom in", "zoom-in", "zoom in on the person"),
    "lens:zoom-out": ("zoom out", "zoom-out"),
    "lens:dolly-zoom": ("dolly zoom", "vertigo shot"),
}  # fmt: skip
_OPENERS = ("", "", "", "a ", "a ", "one ", "let's do a ", "give me a ", "start with a ", "do a ")
_OF_SOMEBODY = ("", "", "", "", " of the person", " of her", " of him", " of the dancer")
JOINS = (", ", ", ", " and ", "; ", ". ", ", and ", " with ", " - ", ", also ")
_NEGATIONS = ("do not {}", "don't {}", "never {}", "please don't {}", "you must not {}")
END_FRAMES = ("ending on {}", "until it is {}", "to {}", "and finish on {}", "landing on {}")
SPANS = ("from {} to {}", "start on {} and end on {}", "begin with {}, finish with {}")


@dataclass(frozen=True)
class ComposedSentence:
    """A composed text and the names of what it asks for."""

    text: str
    facts: frozenset[str]


class Composer:
    """Draws sentences from phrases: one to four of them, wrapped, joined, dressed with words that
    mean nothing, sometimes negated, sometimes misspelt. Everything follows from the seed."""

    def __init__(self, phrases: Iterable[BankPhrase], seed: int) -> None:
        self._dice = random.Random(seed)
        self._by_facts: dict[tuple[str, ...], list[BankPhrase]] = {}
        for phrase in phrases:
            self._by_facts.setdefault(phrase.facts, []).append(phrase)
        self._keys = sorted(self._by_facts)
        self._commands = _by_key(self._by_facts, _is_command)
        self._nouns = _by_key(self._by_facts, lambda phrase: phrase.register == "noun")

    def sentence(self) -> ComposedSentence:
        """One sentence."""
        dice = self._dice
        kind = dice.random()
        if kind < 0.06:
            return self._negated()
        if kind < 0.12:
            return self._span()
        if kind < 0.24:
            return self._stack()
        phrases = self._compatible(dice.choices((1, 2, 3, 4), (50, 30, 14, 6))[0])
        pieces, facts = list[str](), set[str]()
        for number, phrase in enumerate(phrases):
            pieces.append(self._said(phrase, wrapped=number == 0))
            facts |= set(phrase.facts)
        return ComposedSentence(self._dressed(self._joined(pieces)), frozenset(facts))

    def _stack(self) -> ComposedSentence:
        """One to three words before a term: "a slow handheld push in"."""
        dice = self._dice
        facts = [dice.choice(tuple(_HEADS))]
        for name in dice.sample(tuple(_STACKED), 6):
            clashes = _shares([name], facts) or (name == "grip:locked-off" and _moves(facts[0]))
            if len(facts) < dice.choice((2, 3, 3, 4)) and not clashes:
                facts.append(name)
        words = [dice.choice(_STACKED[name]) for name in facts[1:]]
        text = " ".join([*words, dice.choice(_HEADS[facts[0]])])
        text = dice.choice(_OPENERS) + text + dice.choice(_OF_SOMEBODY)
        if dice.random() < 0.4:
            more = [p for p in self._compatible(3) if not _shares(p.facts, facts)][:1]
            text = self._joined([text, *(self._said(phrase, wrapped=False) for phrase in more)])
            facts += [name for phrase in more for name in phrase.facts]
        return ComposedSentence(self._dressed(text), frozenset(facts))

    def single(self, phrase: BankPhrase) -> ComposedSentence:
        """One phrase alone, wrapped and dressed."""
        return ComposedSentence(
            self._dressed(self._said(phrase, wrapped=True)), frozenset(phrase.facts)
        )

    def _compatible(self, count: int) -> list[BankPhrase]:
        """Phrases about different attributes: nobody asks for two sizes in one breath."""
        taken, chosen = set[str](), list[BankPhrase]()
        for facts in self._dice.sample(self._keys, min(len(self._keys), 8 * count)):
            attributes = {_kind(name) for name in facts}
            if attributes & taken or len(chosen) == count:
                continue
            taken |= attributes
            chosen.append(self._dice.choice(self._by_facts[facts]))
        return chosen

    def _said(self, phrase: BankPhrase, wrapped: bool) -> str:
        text = phrase.text
        if "the person" in text:
            text = text.replace("the person", self._dice.choice(PEOPLE))
        elif self._dice.random() < 0.3:
            text = self._of_somebody_else(text)
        return self._dice.choice(WRAPS[phrase.register]).format(text) if wrapped else text

    def _of_somebody_else(self, text: str) -> str:
        """Pronouns for another person, or for somebody by name: who it is does not matter."""
        who = self._dice.choice(PEOPLE)
        for_he = self._dice.choice((("she", "her", "her"), ("they", "them", "their"), (who, who)))
        words: dict[str, str] = dict(
            zip(("he", "him", "his"), (*for_he, f"{who}'s")[:3], strict=True)
        )
        words |= {"she": self._dice.choice(("he", who))} if "her" not in text else {}
        return _PRONOUN.sub(lambda match: words.get(match[0], match[0]), text)

    def _joined(self, pieces: Sequence[str]) -> str:
        text = pieces[0]
        for piece in pieces[1:]:
            text += self._dice.choice(JOINS) + piece
        return text

    def _negated(self) -> ComposedSentence:
        """Something that is asked not to happen, and something else that is."""
        if not self._commands:
            return self.single(self._by_facts[self._keys[0]][0])
        no = self._dice.choice(tuple(self._commands))
        commands = self._commands[no]
        negated = self._dice.choice(_NEGATIONS).format(self._dice.choice(commands).text)
        if self._dice.random() < 0.5:
            return ComposedSentence(self._dressed(negated), frozenset())
        others = [phrase for phrase in self._compatible(3) if not _shares(phrase.facts, no)][:1]
        pieces = [negated, *(self._said(phrase, wrapped=False) for phrase in others)]
        self._dice.shuffle(pieces)
        facts = frozenset(name for phrase in others for name in phrase.facts)
        return ComposedSentence(self._dressed(self._joined(pieces)), facts)

    def _span(self) -> ComposedSentence:
        """A size that the shot ends on, with or without the one it begins with."""
        sizes = [key for key in self._nouns if len(key) == 1 and key[0].startswith("size:")]
        sizes = [key for key in sizes if not key[0].endswith(END)]
        if len(sizes) < 2:
            return self.single(self._by_facts[self._keys[0]][0])
        first, last = self._dice.sample(sizes, 2)
        start, end = (self._dice.choice(self._nouns[key]).text for key in (first, last))
        if self._dice.random() < 0.5:
            text = self._dice.choice(SPANS).format(start, end)
            return ComposedSentence(self._dressed(text), frozenset({first[0], last[0] + END}))
        moves = [
            phrase for phrase in self._compatible(3) if _kind(phrase.facts[0]) in ("move", "lens")
        ][:1]
        pieces = [self._said(phrase, wrapped=False) for phrase in moves]
        pieces.append(self._dice.choice(END_FRAMES).format(end))
        facts = frozenset({last[0] + END, *(name for phrase in moves for name in phrase.facts)})
        return ComposedSentence(self._dressed(" ".join(pieces)), facts)

    def _dressed(self, text: str) -> str:
        dice = self._dice
        if dice.random() < 0.25:
            extra = dice.choice(IRRELEVANT)
            text = f"{text}, {extra}" if dice.random() < 0.6 else f"{extra}: {text}"
        if dice.random() < 0.12:
            text = misspelt(text, dice)
        if dice.random() < 0.4:
            text = text[:1].upper() + text[1:]
        return text + "." if dice.random() < 0.3 and not text.endswith((".", "?")) else text


def _by_key(
    by_facts: Mapping[tuple[str, ...], Sequence[BankPhrase]], fits: Callable[[BankPhrase], bool]
) -> dict[tuple[str, ...], list[BankPhrase]]:
    """The phrases that fit, by what they ask for, in order; what has none is left out."""
    some = {key: [phrase for phrase in by_facts[key] if fits(phrase)] for key in sorted(by_facts)}
    return {key: phrases for key, phrases in some.items() if phrases}


def _kind(name: str) -> str:
    """The attribute, where an extent goes with a move and a zoom is a movement of its own."""
    attribute = name.partition(":")[0]
    return "move" if attribute == "extent" else attribute


def _shares(some: Iterable[str], others: Iterable[str]) -> bool:
    return bool({_kind(name) for name in some} & {_kind(name) for name in others})


def _moves(name: str) -> bool:
    """Whether a locked-off camera could not do it."""
    return name.startswith(("move:", "turn:")) and name != "move:static"


def _is_command(phrase: BankPhrase) -> bool:
    """Whether "do not" can stand before it: one action, and no negation of its own."""
    actions = all(_kind(name) in ("move", "turn", "lens") for name in phrase.facts)
    negates = re.search(r"\b(?:not|no|never|without|don't|nothing|only)\b", phrase.text)
    is_rest = "move:static" in phrase.facts or "static" in " ".join(phrase.facts)
    return phrase.register == "imperative" and actions and negates is None and not is_rest


def misspelt(text: str, dice: random.Random) -> str:
    """One letter lost, doubled or exchanged with its neighbour, in a word of five or more."""
    words = text.split(" ")
    long = [at for at, word in enumerate(words) if len(word) >= 5 and word.isalpha()]
    if not long:
        return text
    at = dice.choice(long)
    word, cut = words[at], dice.randrange(1, len(words[at]) - 1)
    words[at] = dice.choice(
        (
            word[:cut] + word[cut + 1 :],
            word[:cut] + word[cut] + word[cut:],
            word[:cut] + word[cut + 1] + word[cut] + word[cut + 2 :],
        )
    )
    return " ".join(words)


def merged(pages: Sequence[Sequence[BankPhrase]]) -> list[BankPhrase]:
    """Pages of several writers as one bank: the same words for the same facts stand in it once, and
    a family of two writers with the same name is one family."""
    seen, bank = set[tuple[tuple[str, ...], str]](), list[BankPhrase]()
    for phrase in (phrase for page in pages for phrase in page):
        plain = " ".join(re.sub(r"[^a-z0-9 ]+", "", phrase.text.lower()).split())
        if (phrase.facts, plain) in seen:
            continue
        seen.add((phrase.facts, plain))
        bank.append(replace(phrase, text=" ".join(phrase.text.split())))
    return sorted(
        bank, key=lambda phrase: (phrase.facts, phrase.family, phrase.writer, phrase.text)
    )
