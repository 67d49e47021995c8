"""What a sentence asks of a camera, in anybody's words: MiniLM with small changes and a head,
trained on the phrase bank, with "not understood" among its answers."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import torch
from jaxtyping import Bool, Float, Int
from safetensors import safe_open
from torch import Tensor, nn

from aesop.camera_words.attributes import (
    AROUND,
    LENS_CLASSES,
    MOST_STEPS,
    VOCABULARY,
    AttributeValue,
    CameraFacts,
    Size,
    When,
    attribute_value,
    facts_of,
    values_of,
)
from aesop.camera_words.phrase_bank import END
from aesop.core.errors import WeightsError
from aesop.text.encoder import shortened
from aesop.text.minilm import (
    MATRICES,
    MAX_TOKENS,
    WEIGHTS_SHA256,
    WIDTH,
    Bert,
    WordPiece,
    adapted_bert,
    load_wordpiece,
    packaged_folder,
    published_tensors,
)

READER_FILE = Path(__file__).resolve().parents[1] / "weights" / "reader" / "reader.safetensors"
ABOUT_CAMERA = "about-camera"
HIDDEN, RANK = 256, 16
LEAST_SURE = 0.5  # whatever a value's own threshold: nobody acts on less than an even chance
_HEADER = "aesop.reader"

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
_OPENINGS = re.compile(r"^\s*(?:first(?:ly)?|to begin with|at first|in the beginning)\b[,:]?\s*")
# Asked for by many, done by no camera path: the pattern, and what it is called in the answer.
_BEYOND: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"\b(?:{pattern})\b"), name)
    for pattern, name in (
        (r"(?:jump |smash |match |hard |cross)?cuts? (?:to|between|away|back)|jump cuts?", "cuts"),
        (r"montage|intercut\w*|cross-?cut\w*", "montage"),
        (r"rack(?:s|ing)? (?:the )?focus|focus pull|pull(?:s|ing)? focus|soft focus", "focus"),
        (r"bokeh|depth of field|out of focus|blurr(?:y|ed) background", "focus"),
        (r"over[- ]the[- ]shoulder|over (?:his|her|their) shoulder|ots", "a second person"),
        (r"two[- ]shot|group shot|between the two of them|reverse shot", "a second person"),
        (r"slow[- ]?mo(?:tion)?|time[- ]?lapse|fast[- ]forward|freeze[- ]frame", "time"),
        (r"fade (?:in|out|to)|dissolve|wipe to|split[- ]screen", "transitions"),
        (r"exposure|white balance|lens flare|colou?r grad\w+|film grain", "light and colour"),
    )
)


@dataclass(frozen=True)
class ReadValue:
    """A value that a sentence asks for, and how sure the reader is (calibrated, 0 to 1)."""

    name: str
    confidence: float


@dataclass(frozen=True)
class Understanding:
    """What a reader made of a text. `beyond` names what was asked for and no camera path can do."""

    facts: CameraFacts
    values: tuple[ReadValue, ...]
    about_camera: float
    beyond: tuple[str, ...] = ()

    @property
    def is_understood(self) -> bool:
        return not self.facts.is_empty


@dataclass(frozen=True)
class ReaderCard:
    """What has to be known to use the network: its values in order, what makes a score a
    probability, and from which probability on a value counts."""

    values: tuple[str, ...]
    temperature: float
    thresholds: tuple[float, ...]
    encoder: str


class ValueReader(nn.Module):
    """For every value its own look at the tokens: attention with a learned query, then a score."""

    def __init__(self, width: int, values: int, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, hidden)
        self.query = nn.Parameter(torch.randn(values, hidden) * hidden**-0.5)
        self.weight = nn.Parameter(torch.randn(values, 2 * hidden) * (2 * hidden) ** -0.5)
        self.bias = nn.Parameter(torch.full((values,), -3.0))
        self.dropout = nn.Dropout(0.2)

    def forward(
        self, tokens: Float[Tensor, "texts tokens width"], mask: Bool[Tensor, "texts tokens"]
    ) -> Float[Tensor, "texts values"]:
        """Scores before the sigmoid. Padding cannot reach them."""
        inner = nn.functional.gelu(self.inner(self.dropout(self.norm(tokens))))
        looks = torch.einsum("btd,vd->bvt", inner, self.query)
        looks = looks.masked_fill(~mask[:, None], -torch.inf).softmax(-1)
        seen = torch.einsum("bvt,btd->bvd", looks, inner)
        counts = mask.sum(-1, keepdim=True).clamp_min(1)
        whole = (inner * mask[..., None]).sum(1) / counts
        both = torch.cat([seen, whole[:, None].expand_as(seen)], dim=-1)
        return (self.dropout(both) * self.weight).sum(-1) + self.bias


class AdaptedReader(nn.Module):
    """MiniLM with low-rank changes of its matrices, and a look of every value on top. MiniLM alone
    hardly tells left from right or in from out; it learns to, in a few hundred kilobytes."""

    def __init__(self, values: int, rank: int = RANK, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.head = ValueReader(WIDTH, values, hidden)
        self.down, self.up = nn.ParameterDict(), nn.ParameterDict()
        for name in MATRICES:
            out, into = matrix_shape(name)
            self.down[_key(name)] = nn.Parameter(torch.randn(rank, into) * into**-0.5)
            self.up[_key(name)] = nn.Parameter(torch.zeros(out, rank))

    def encoder(self, published: Mapping[str, Tensor]) -> Bert:
        """MiniLM as this reader has changed it."""
        pairs = {name: (self.up[_key(name)], self.down[_key(name)]) for name in MATRICES}
        return adapted_bert(published, pairs)

    def forward(
        self, bert: Bert, numbers: Int[Tensor, "texts tokens"]
    ) -> Float[Tensor, "texts values"]:
        """Scores of texts of one length."""
        states = bert(numbers)
        return self.head(states, torch.ones_like(numbers, dtype=torch.bool))


def matrix_shape(name: str) -> tuple[int, int]:
    """Rows and columns of a matrix that can be adapted."""
    if name.endswith("intermediate.dense"):
        return 4 * WIDTH, WIDTH
    if name.endswith("output.dense") and "attention" not in name:
        return WIDTH, 4 * WIDTH
    return WIDTH, WIDTH


def _key(name: str) -> str:
    return name.replace(".", "_")  # parameters cannot have dots in their names


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
        beyond = tuple(dict.fromkeys(n for pattern, n in _BEYOND if pattern.search(text.lower())))
        clauses = clauses_of(text)
        chances = self.probabilities([clause for _, clause in clauses])
        # The bank knows no words of time: a text is about a camera if one of its clauses is.
        about = float(chances[:, self.card.values.index(ABOUT_CAMERA)].max())
        named: list[tuple[When | None, list[ReadValue]]] = []
        for (when, _), row in zip(clauses, chances, strict=True):
            named.append((when, self._values(row)))
        if about < self.card.thresholds[self.card.values.index(ABOUT_CAMERA)]:
            return Understanding(CameraFacts(), (), about, beyond)
        values = tuple(value for _, some in named for value in some)
        return Understanding(_facts(named), values, about, beyond)

    def _values(self, row: Float[Tensor, " values"]) -> list[ReadValue]:
        """Values over their thresholds, of those that exclude each other the likeliest."""
        read = {
            name: ReadValue(name, float(chance))
            for name, chance, least in zip(self.card.values, row, self.card.thresholds, strict=True)
            if name != ABOUT_CAMERA and float(chance) >= max(least, LEAST_SURE)
        }
        for group in _GROUPS:
            rivals = [read[name] for name in group if name in read]
            for loser in sorted(rivals, key=lambda value: -value.confidence)[1:]:
                del read[loser.name]
        return list(_sensible(read).values())


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
    opened = 0
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
        if not actions or opened == MOST_STEPS:
            continue
        moving = [value for value in actions if value.name != "turn:dutch"]
        if moving and (opened or when not in (None, "then")):
            steps.append(attribute_value(f"when:{when or 'then'}"))
        opened += bool(moving)
        steps += actions
    facts = facts_of([*standing.values(), *steps])
    return replace(facts, size_start=_size(size_start), size_end=_size(size_end))


def _size(value: str | None) -> Size | None:
    return value  # pyright: ignore[reportReturnType]


def reader_values() -> tuple[str, ...]:
    """Everything the network answers, in its order: all values but words of time, the sizes that a
    shot ends on, and whether the text is about a camera at all."""
    plain = [value.name for value in VOCABULARY if value.attribute != "when"]
    return (*plain, *(f"size:{value}{END}" for value in values_of("size")), ABOUT_CAMERA)


def header_of(card: ReaderCard) -> dict[str, str]:
    """The card as a safetensors header."""
    return {_HEADER: json.dumps(card.__dict__)}


@cache
def load_reader(path: Path = READER_FILE) -> WordReader:
    """The reader that comes with the package, or another one."""
    if not path.is_file():
        raise WeightsError(f"{path} is missing.", "Install AESOP again.")
    with safe_open(path, "pt") as file:
        fields = json.loads(file.metadata()[_HEADER])
        tensors = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
    card = ReaderCard(
        tuple(fields["values"]),
        fields["temperature"],
        tuple(fields["thresholds"]),
        fields["encoder"],
    )
    if card.encoder != WEIGHTS_SHA256:
        raise WeightsError(
            "The reader of camera words was trained with another MiniLM.", "Install AESOP again."
        )
    hidden, _ = tensors["head.inner.weight"].shape
    rank = tensors[f"up.{_key(MATRICES[0])}"].shape[1]
    network = AdaptedReader(len(card.values), rank, hidden)
    network.load_state_dict(tensors)
    folder = packaged_folder()
    return WordReader(network, card, published_tensors(folder), load_wordpiece(folder))
