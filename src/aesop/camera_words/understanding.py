"""What a sentence asks of a camera, in anybody's words: MiniLM with small changes and a head,
trained on the phrase bank, with "not understood" among its answers."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.camera_words.attributes import (
    AROUND,
    LENS_CLASSES,
    VOCABULARY,
    AttributeValue,
    CameraFacts,
    Size,
    TooManyStepsError,
    When,
    attribute_value,
    facts_of,
    values_of,
)
from aesop.camera_words.beyond_terms import beyond_in
from aesop.camera_words.phrase_bank import END
from aesop.camera_words.reader_network import AdaptedReader, ReaderCard, read_reader
from aesop.camera_words.standing_terms import other_meanings
from aesop.text.encoder import shortened
from aesop.text.minilm import (
    MAX_TOKENS,
    WordPiece,
    load_wordpiece,
    packaged_folder,
    published_tensors,
)

READER_FILE = Path(__file__).resolve().parents[1] / "weights" / "reader" / "reader.safetensors"
ABOUT_CAMERA = "about-camera"

# Values that exclude each other in one breath: the likeliest of a group is kept. Moves and turns
# are only excluded by their opposites, so that "truck left while booming up" keeps both.
_GROUPS: tuple[tuple[str, ...], ...] = (
    *(
        tuple(f"{attribute}:{value}" for value in values_of(attribute))
        for attribute in ("size", "height", "side", "extent", "grip", "pace")
    ),
    tuple(f"size:{value}{END}" for value in values_of("size")),
    tuple(f"lens:{value}" for value in values_of("lens") if value in LENS_CLASSES),
    tuple(f"lens:{value}" for value in values_of("lens") if value not in LENS_CLASSES),
    ("turn:pan-left", "turn:pan-right", "turn:pan-follow", "turn:whip-pan"),
    ("turn:tilt-up", "turn:tilt-down"),
    ("turn:roll", "turn:dutch"),
    ("move:truck-left", "move:truck-right", "move:arc-left", "move:arc-right", "move:orbit"),
    ("move:push-in", "move:pull-out", "move:fly-past"),
    ("move:boom-up", "move:boom-down"),
    ("move:follow", "move:follow-beside", "move:lead"),
    ("place:centre", "place:left-third", "place:right-third", "place:lead-room"),
)
_WORDS_OF_TIME: tuple[tuple[re.Pattern[str], When], ...] = (
    (
        re.compile(
            r"[,;.]?\s*\b(?:(?:just |right )?(?:as|when|while) (?:she|he|they|the \w+) (?:\w+ )?"
            r"(?:turns?|spins?)(?: (?:a?round|about|away|back))?)\b,?"
        ),
        "as-she-turns",
    ),
    (
        re.compile(
            r"[,;.]?\s*\b(?:and )?(?:(?:right |just )?at the (?:very )?end|in the end"
            r"|finally|at last|lastly|to finish|as a last thing)\b,?"
        ),
        "at-the-end",
    ),
    (
        re.compile(
            r"[,;.]?\s*\b(?:(?:and |but )?then|after (?:that|which|this)|afterwards?|and next"
            r"|next,|followed by|before (?=\w+ing\b)|subsequently)\b,?"
        ),
        "then",
    ),
)
# Where a list goes on: "wide shot, low and locked off - with some head room".
_JOINTS = re.compile(r"\s*(?:[,;:.!?()]+|\s[-\u2013\u2014]+\s|\b(?:and|while|with|but)\b)\s*")
_OPENINGS = re.compile(r"^\s*(?:first(?:ly)?|to begin with|at first|in the beginning)\b[,:]?\s*")


@dataclass(frozen=True)
class ReadValue:
    """A value that a sentence asks for, and how sure the reader is (calibrated, 0 to 1)."""

    name: str
    confidence: float


@dataclass(frozen=True)
class Understanding:
    """What a reader made of a text. `beyond` names what was asked for and no camera path can do;
    `left_out` counts steps after the last that a shot can have."""

    facts: CameraFacts
    values: tuple[ReadValue, ...]
    about_camera: float
    beyond: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def is_understood(self) -> bool:
        return not self.facts.is_empty


class WordReader:
    """Reads sentences with a trained network."""

    def __init__(
        self,
        network: AdaptedReader,
        card: ReaderCard,
        published: Mapping[str, Tensor],
        wordpiece: WordPiece,
    ) -> None:
        self._network, self.card, self._wordpiece = network.eval(), card, wordpiece
        with torch.no_grad():
            self._bert = network.encoder(published)

    @torch.no_grad()
    def probabilities(self, texts: Sequence[str]) -> Float[Tensor, "texts values"]:
        """Of every value, for every text by itself."""
        rows: list[Tensor] = []
        for text in texts:
            numbers = shortened(self._wordpiece(text), MAX_TOKENS, text)
            rows.append(self._network(self._bert, torch.tensor([numbers]))[0])
        return (torch.stack(rows) / self.card.temperature).sigmoid()

    def understand(self, text: str) -> Understanding:
        """Facts with confidence. A text about something else gives none."""
        beyond = beyond_in(text)
        clauses = clauses_of(text)
        chances = self.probabilities([clause for _, clause in clauses])
        # The bank knows no words of time: a text is about a camera if one of its clauses is.
        about = float(chances[:, self.card.values.index(ABOUT_CAMERA)].max())
        if about < self.card.least_about:
            return Understanding(CameraFacts(), (), about, beyond)
        likely = [
            [it for it in likely_values(row.tolist(), self.card.values) if it.name not in other]
            for row, other in zip(chances, (other_meanings(it) for _, it in clauses), strict=True)
        ]
        whens: list[When | None] = [when for when, _ in clauses]
        named = list(zip(whens, read_clauses(likely, self.card), strict=True))
        values = tuple(value for _, some in named for value in some)
        try:
            return Understanding(_facts(named), values, about, beyond)
        except TooManyStepsError as error:
            return Understanding(error.first, values, about, beyond, error.left_out)

    def chances(self, text: str) -> dict[str, float]:
        """How likely every value is asked for somewhere in a text: in a clause of it, or in a piece
        of a list. A size may be the last one or not."""
        clauses = [clause for _, clause in clauses_of(text)]
        pieces = [piece for clause in clauses for piece in _JOINTS.split(clause) if piece.strip()]
        best = self.probabilities([*clauses, *pieces]).amax(0).tolist()
        found = dict(zip(self.card.values, best, strict=True))
        ends = {name.removesuffix(END): it for name, it in found.items() if name.endswith(END)}
        return found | {name: max(it, found[name]) for name, it in ends.items()}


@dataclass(frozen=True)
class LikelyValue:
    """The likeliest of a group of rivals, and how likely it is that any of them was asked for."""

    name: str
    chance: float
    asked: float


def likely_values(chances: Sequence[float], values: Sequence[str]) -> list[LikelyValue]:
    """The likeliest value of every group of rivals."""
    chance_of = dict(zip(values, chances, strict=True))
    likely: list[LikelyValue] = []
    for group in rival_groups():
        nobody = math.prod(1 - chance_of[name] for name in group)
        best = max(group, key=lambda name: chance_of[name])
        likely.append(LikelyValue(best, chance_of[best], 1 - nobody))
    return likely


def read_values(likely: Sequence[LikelyValue], card: ReaderCard) -> list[ReadValue]:
    """What counts as asked for: one of a group was, and the likeliest is likely enough itself."""
    read = {
        value.name: ReadValue(value.name, value.chance)
        for value in likely
        if value.asked >= card.least_asked and value.chance >= card.least_value
    }
    return list(_sensible(read).values())


def read_clauses(
    clauses: Sequence[Sequence[LikelyValue]], card: ReaderCard
) -> list[list[ReadValue]]:
    """What counts in every clause of a text about a camera. Where nothing does, the likeliest value
    of all, if it is likely enough for a first one."""
    read = [read_values(likely, card) for likely in clauses]
    some = [(value, at) for at, likely in enumerate(clauses) for value in likely]
    some = [(value, at) for value, at in some if not value.name.startswith("extent:")]
    if any(read) or not some:
        return read
    best, at = max(some, key=lambda it: it[0].asked)
    if best.asked >= card.least_first and best.chance >= min(card.least_value, card.least_first):
        read[at] = [ReadValue(best.name, best.chance)]
    return read


@cache
def rival_groups() -> tuple[tuple[str, ...], ...]:
    """Every value of the reader in exactly one group; most actions are alone in theirs."""
    grouped = {name for group in _GROUPS for name in group}
    alone = [(name,) for name in reader_values() if name not in {*grouped, ABOUT_CAMERA}]
    return (*_GROUPS, *alone)


def _sensible(read: Mapping[str, ReadValue]) -> dict[str, ReadValue]:
    """Without what contradicts something surer: rest beside movement, an extent of nothing."""
    kept = dict(read)
    rest = kept.get("move:static")
    actions = [n for n in kept if n.startswith(("move:", "turn:", "lens:zoom", "lens:dolly"))]
    actions = [name for name in actions if name not in ("move:static", "turn:dutch")]
    if rest is not None and any(kept[name].confidence >= rest.confidence for name in actions):
        del kept["move:static"]
    elif rest is not None:
        for name in actions:
            if name.startswith("move:"):
                del kept[name]
    around = any(f"move:{move}" in kept for move in AROUND)
    if not around:
        kept = {name: value for name, value in kept.items() if not name.startswith("extent:")}
    return kept


def clauses_of(text: str) -> list[tuple[When | None, str]]:
    """The text cut where words of time open a next step: which one, and the words after it."""
    plain = _OPENINGS.sub("", " ".join(text.split()).lower())
    cuts: list[tuple[int, int, When]] = []
    for pattern, when in _WORDS_OF_TIME:
        for match in pattern.finditer(plain):
            if not any(match.start() < stop and start < match.end() for start, stop, _ in cuts):
                cuts.append((match.start(), match.end(), when))
    clauses: list[tuple[When | None, str]] = []
    opened: When | None = None
    at = 0
    for start, stop, when in sorted(cuts):
        before = plain[at:start].strip(" ,;.")
        rest_is_empty = not plain[stop:].strip(" ,;.")
        if rest_is_empty and before:  # "push in at the end": the words of time come last
            clauses.append((opened if clauses else when, before))
            return clauses
        if before:
            clauses.append((opened, before))
        at, opened = stop, when
    last = plain[at:].strip(" ,;.")
    if last:
        clauses.append((opened, last))
    return clauses or [(None, plain)]


def _facts(named: Sequence[tuple[When | None, Sequence[ReadValue]]]) -> CameraFacts:
    """One record from the values of all clauses; of what holds for the whole shot the first word
    counts, but a later size is what the shot ends on."""
    standing: dict[str, AttributeValue] = {}
    steps: list[AttributeValue] = []
    size_start: str | None = None
    size_end: str | None = None
    opened = False
    for number, (when, values) in enumerate(named):
        actions = list[AttributeValue]()
        for read in values:
            value = attribute_value(read.name.removesuffix(END))
            if value.attribute == "size":
                at_end = read.name.endswith(END) or (number > 0 and size_start is not None)
                size_start, size_end = (size_start, value.value) if at_end else (
                    size_start or value.value, size_end,
                )  # fmt: skip
            elif value.attribute in ("move", "turn", "extent") or (
                value.attribute == "lens" and value.value not in LENS_CLASSES
            ):
                actions.append(value)
            elif value.attribute == "place":
                standing.setdefault(value.name, value)
            else:
                standing.setdefault(value.attribute, value)
        if not actions:
            continue
        moving = [value for value in actions if value.name != "turn:dutch"]
        if moving and (opened or when not in (None, "then")):
            steps.append(attribute_value(f"when:{when or 'then'}"))
        opened |= bool(moving)
        steps += actions
    sizes = {"size_start": _size(size_start), "size_end": _size(size_end)}
    try:
        return replace(facts_of([*standing.values(), *steps]), **sizes)
    except TooManyStepsError as error:
        error.first = replace(error.first, **sizes)
        raise


def _size(value: str | None) -> Size | None:
    return value  # pyright: ignore[reportReturnType]


def reader_values() -> tuple[str, ...]:
    """Everything the network answers, in its order: all values but words of time, the sizes that a
    shot ends on, and whether the text is about a camera at all."""
    plain = [value.name for value in VOCABULARY if value.attribute != "when"]
    return (*plain, *(f"size:{value}{END}" for value in values_of("size")), ABOUT_CAMERA)


@cache
def load_reader(path: Path = READER_FILE) -> WordReader:
    """The reader that comes with the package, or another one."""
    network, card = read_reader(path)
    folder = packaged_folder()
    return WordReader(network, card, published_tensors(folder), load_wordpiece(folder))
