"""Training of the reader of camera words: what is taught, settings, the loop, and the choice among
what came out, all of it on the part "choosing" of the bank."""

import random
import string
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, dropout, normalize

from aesop.camera_words.phrase_bank import (
    BankPart,
    BankPhrase,
    ComposedSentence,
    Composer,
    OtherText,
    other_texts,
    phrase_bank,
)
from aesop.camera_words.reader_network import (
    AdaptedReader,
    ReaderCard,
    key_of,
    matrix_shape,
    mean_of,
)
from aesop.camera_words.understanding import (
    ABOUT_CAMERA,
    LikelyValue,
    likely_values,
    read_values,
    reader_values,
)
from aesop.fables.takes import read_takes
from aesop.text.encoder import batches_of_equal_length
from aesop.text.minilm import MATRICES, Bert, WordPiece

LONGEST = 48  # tokens of a sentence that is taught
BATCH = 384
WARM_UP = 0.06  # share of the time
MOST_ALARMS = 0.04  # sentences of the choosing part that may get an attribute nobody asked for
MOST_UNDERSTOOD = 0.02  # of its sentences about other things
# Above this certainty that words are about a camera the gate costs more than it keeps out: between
# 0.97 and 0.99 a sixth of what was asked for is lost for two more sentences about other things.
MOST_GATE = 0.97
CONTRAST_HEAT = 0.1


def say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


@dataclass(frozen=True)
class Base:
    """MiniLM as it is published, whole or cut down to the words of the bank."""

    tensors: Mapping[str, Tensor]
    wordpiece: WordPiece
    unknown: int  # the token that stands for any


def composed(part: BankPart, sentences: int, seed: int) -> list[ComposedSentence]:
    """Sentences of one part of the bank: every phrase alone, as it stands or wrapped, then
    combinations."""
    phrases = [phrase for phrase in phrase_bank() if phrase.part == part]
    composer, dice = Composer(phrases, seed), random.Random(seed)
    drawn = list[ComposedSentence]()
    while len(drawn) < max(sentences // 2, 1):
        for phrase in phrases:
            plain = ComposedSentence(phrase.text, frozenset(phrase.facts))
            drawn.append(plain if dice.random() < 0.5 else composer.single(phrase))
    while len(drawn) < sentences:
        drawn.append(composer.sentence())
    about = frozenset({ABOUT_CAMERA})
    return [ComposedSentence(sentence.text, sentence.facts | about) for sentence in drawn]


def elsewhere(texts: Sequence[OtherText], count: int, seed: int) -> list[ComposedSentence]:
    """Sentences about other things, people's motion and keyboard noise among them."""
    dice = random.Random(seed)
    captions = sorted({text for take in read_takes() for text in take.captions})
    letters = string.ascii_lowercase + "   "
    noise = ["".join(dice.choices(letters, k=dice.randint(6, 30))) for _ in range(count // 12)]
    drawn = [text.text for text in texts] * max(1, count // (2 * len(texts)))
    drawn += dice.sample(captions, min(len(captions), count // 3)) + noise
    return [ComposedSentence(text, frozenset()) for text in drawn[: 2 * count]]


def taught_sentences(count: int, seed: int = 0) -> list[ComposedSentence]:
    """What the network is trained on."""
    texts = [text for text in other_texts() if text.part == "train"]
    return composed("train", count, 2 * seed + 1) + elsewhere(texts, count // 8, 2 * seed + 2)


def choosing_sentences() -> list[ComposedSentence]:
    """What settings, temperature and thresholds are chosen on, besides phrases alone."""
    texts = [text for text in other_texts() if text.part == "choosing"]
    return composed("choosing", 3_000, 3) + elsewhere(texts, 300, 4)


@dataclass(frozen=True, eq=False)
class Lesson:
    """Sentences as token numbers, and what they ask for, in blocks of one length."""

    numbers: tuple[Int[Tensor, "sentences tokens"], ...]
    asked: tuple[Bool[Tensor, "sentences values"], ...]

    @classmethod
    def of(cls, sentences: Sequence[ComposedSentence], wordpiece: WordPiece) -> "Lesson":
        """Longer ones than LONGEST are left out."""
        values = reader_values()
        at = {name: column for column, name in enumerate(values)}
        by_length: dict[int, list[tuple[list[int], frozenset[str]]]] = {}
        # Pieces never reach over a space, and few words are many sentences.
        pieces = cache(lambda word: wordpiece(word)[1:-1])
        first, last = wordpiece("")
        for sentence in sentences:
            words = sentence.text.split()
            numbers = [first, *(number for word in words for number in pieces(word)), last]
            if len(numbers) <= LONGEST:
                by_length.setdefault(len(numbers), []).append((numbers, sentence.facts))
        blocks, asked = list[Tensor](), list[Tensor]()
        for length in sorted(by_length):
            rows = by_length[length]
            blocks.append(torch.tensor([numbers for numbers, _ in rows], dtype=torch.int32))
            marks = torch.zeros(len(rows), len(values), dtype=torch.bool)
            for row, (_, facts) in enumerate(rows):
                marks[row, [at[name] for name in facts]] = True
            asked.append(marks)
        return cls(tuple(blocks), tuple(asked))

    @property
    def tensors(self) -> dict[str, Tensor]:
        """For a file: blocks by their length."""
        some = {f"numbers.{block.shape[1]}": block for block in self.numbers}
        pairs = zip(self.numbers, self.asked, strict=True)
        return some | {f"asked.{block.shape[1]}": asked for block, asked in pairs}

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, Tensor]) -> "Lesson":
        """What `tensors` gave."""
        lengths = sorted(int(name.partition(".")[2]) for name in tensors if name[0] == "n")
        numbers = tuple(tensors[f"numbers.{length}"] for length in lengths)
        return cls(numbers, tuple(tensors[f"asked.{length}"] for length in lengths))

    def to(self, device: str) -> "Lesson":
        numbers = tuple(block.to(device) for block in self.numbers)
        return Lesson(numbers, tuple(block.to(device) for block in self.asked))

    def batches(self, size: int, dice: random.Random) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless: a length by how many sentences have it, and rows of it by chance."""
        counts = [len(block) for block in self.numbers]
        while True:
            at = dice.choices(range(len(counts)), counts)[0]
            block = self.numbers[at]
            rows = torch.randint(0, len(block), (min(size, len(block)),), device=block.device)
            yield block[rows], self.asked[at][rows]

    @property
    def all_asked(self) -> Bool[Tensor, "sentences values"]:
        return torch.cat(self.asked)


def joined(lessons: Sequence[Lesson]) -> Lesson:
    """Lessons as one."""
    parts: dict[str, list[Tensor]] = {}
    for lesson in lessons:
        for name, block in lesson.tensors.items():
            parts.setdefault(name, []).append(block)
    return Lesson.from_tensors({name: torch.cat(blocks) for name, blocks in parts.items()})


@dataclass(frozen=True)
class Setting:
    """One way to train. Without a rank whole matrices change."""

    name: str
    encoder_rate: float
    head_rate: float = 1e-3
    rank: int | None = None
    decay: float = 0.05  # of the head and of the changes: towards MiniLM as it is published
    lost_words: float = 0.10  # share of words that a sentence loses while training
    contrast: float = 0.0  # weight of drawing texts together that ask for the same
    dropout: float = 0.0  # of what every layer adds, as MiniLM itself was trained
    seed: int = 0


# A first run had 5e-5 to 2e-4, more lost words and rank 32: 2e-4 was best, and the mean of its two
# better than either. These go on from there. What is taught was then known by heart (a loss near
# that of the softened answers), so layers lose something while they learn.
SETTINGS = (
    Setting("whole-3e-4", 3e-4, contrast=0.1, seed=0),
    Setting("dropout-3e-4", 3e-4, contrast=0.1, dropout=0.1, seed=1),
    Setting("dropout-5e-4", 5e-4, contrast=0.1, dropout=0.1, seed=2),
    Setting("dropout-5e-4-contrast", 5e-4, contrast=0.3, dropout=0.1, seed=3),
    Setting("dropout-5e-4-more", 5e-4, contrast=0.1, dropout=0.2, seed=4),
    Setting("whole-5e-4", 5e-4, contrast=0.1, seed=5),
)


class DroppingBert(Bert):
    """MiniLM that loses a share of what every layer adds to its states."""

    def __init__(self, published: Mapping[str, Tensor], share: float) -> None:
        super().__init__(published)
        self._share = share

    def _linear(self, name: str, states: Float[Tensor, "*batch _"]) -> Float[Tensor, "*batch _"]:
        added = super()._linear(name, states)
        return dropout(added, self._share) if name.endswith("output.dense") else added


class LowRankReader(AdaptedReader):
    """A reader whose changes are products of narrow matrices."""

    def __init__(self, values: int, rank: int) -> None:
        super().__init__(values)
        self.down, self.up = nn.ParameterDict(), nn.ParameterDict()
        for name in MATRICES:
            out, into = matrix_shape(name)
            self.down[key_of(name)] = nn.Parameter(torch.randn(rank, into) * into**-0.5)
            self.up[key_of(name)] = nn.Parameter(torch.zeros(out, rank))
        self.change = nn.ParameterDict()

    def changes(self) -> dict[str, Float[Tensor, "out into"]]:
        return {name: self.up[key_of(name)] @ self.down[key_of(name)] for name in MATRICES}


def new_network(setting: Setting) -> AdaptedReader:
    """Heads begin alike, whatever the setting, so that the mean of two networks is one."""
    torch.manual_seed(0)
    values = len(reader_values())
    return AdaptedReader(values) if setting.rank is None else LowRankReader(values, setting.rank)


@dataclass(frozen=True)
class Length:
    """How long to train: updates, or seconds by the clock."""

    updates: int | None = None
    seconds: float | None = None

    def done(self, updates: int, since: float) -> float:
        """The share that is over."""
        if self.updates is not None:
            return updates / self.updates
        assert self.seconds is not None
        return (time.monotonic() - since) / self.seconds


def train(base: Base, lessons: Lesson, setting: Setting, length: Length) -> AdaptedReader:
    """A network trained on lessons that lie on its device; its changes are whole matrices."""
    device = lessons.numbers[0].device
    network = new_network(setting).to(device).train()
    torch.manual_seed(setting.seed + 1)
    encoder = [p for n, p in network.named_parameters() if not n.startswith("head.")]
    groups = [
        {"params": list(network.head.parameters()), "lr": setting.head_rate},
        {"params": encoder, "lr": setting.encoder_rate},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=setting.decay, fused=device.type == "cuda")
    rates = [group["lr"] for group in groups]
    since, updates, told = time.monotonic(), 0, 0.0
    for numbers, asked in lessons.batches(BATCH, random.Random(setting.seed)):
        done = length.done(updates, since)
        if done >= 1:
            break
        share = min(done / WARM_UP, (1 - done) / (1 - WARM_UP), 1.0)
        for group, rate in zip(optimiser.param_groups, rates, strict=True):
            group["lr"] = rate * max(share, 1e-3)
        loss = _loss(network, base, numbers, asked, setting)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        updates += 1
        if updates % 20 == 0 and device.type == "cuda":
            torch.cuda.synchronize()  # the clock must see what was done, not what was asked for
        if done >= told:
            say(f"{setting.name}: {done:4.0%}, {updates} updates, loss {loss.item():.3f}")
            told += 0.1
    say(f"{setting.name}: {updates} updates in {time.monotonic() - since:.0f} s")
    return network.eval()


def _loss(
    network: AdaptedReader, base: Base, numbers: Tensor, asked: Tensor, setting: Setting
) -> Tensor:
    lost = torch.rand(numbers.shape, device=numbers.device) < setting.lost_words
    lost[:, 0] = lost[:, -1] = False
    changed = {
        f"{name}.weight": base.tensors[f"{name}.weight"] + change
        for name, change in network.changes().items()
    }
    bert = DroppingBert({**base.tensors, **changed}, setting.dropout)
    states = bert(numbers.masked_fill(lost, base.unknown))
    mask = torch.ones_like(numbers, dtype=torch.bool)
    target = asked.float() * 0.98 + 0.005  # softened: nobody is always right
    loss = binary_cross_entropy_with_logits(network.head(states, mask), target) * len(target[0])
    if setting.contrast:
        loss = loss + setting.contrast * _contrast(normalize(mean_of(states, mask), dim=-1), asked)
    return loss


def _contrast(texts: Float[Tensor, "texts width"], asked: Bool[Tensor, "texts values"]) -> Tensor:
    """How far texts that ask for the same are apart, measured by all others."""
    marks = asked.float()
    counts = marks.sum(-1)
    shared = marks @ marks.T
    same = (shared == counts[:, None]) & (shared == counts[None])
    itself = torch.eye(len(texts), dtype=torch.bool, device=texts.device)
    near = (texts @ texts.T / CONTRAST_HEAT).masked_fill(itself, -1e4).log_softmax(-1)
    pairs = (same & ~itself).float()
    return -(near * pairs).sum() / pairs.sum().clamp_min(1)


def whole(network: AdaptedReader) -> AdaptedReader:
    """The same reader with whole matrices for changes, whatever they were made of."""
    plain = AdaptedReader(len(reader_values())).to(next(network.parameters()).device).eval()
    plain.head.load_state_dict(network.head.state_dict())
    with torch.no_grad():
        for name, change in network.changes().items():
            plain.change[key_of(name)].copy_(change)
    return plain


def mean_network(networks: Sequence[AdaptedReader]) -> AdaptedReader:
    """The mean of networks that began alike."""
    states = [network.state_dict() for network in networks]
    mean = {name: sum(state[name] for state in states) / len(states) for name in states[0]}
    plain = AdaptedReader(len(reader_values())).to(next(networks[0].parameters()).device)
    plain.load_state_dict(mean)
    return plain.eval()


@torch.no_grad()
def scored(network: AdaptedReader, base: Base, lesson: Lesson) -> Float[Tensor, "sentences values"]:
    """Scores in the order of the lesson's blocks."""
    bert = network.encoder(base.tensors)
    return torch.cat([network(bert, block) for block in lesson.numbers])


@dataclass(frozen=True, eq=False)
class Choosing:
    """What is chosen on: composed sentences for the temperature, phrases alone for thresholds and
    settings, and sentences about other things."""

    mixed: Lesson
    phrases: tuple[BankPhrase, ...]
    alone: tuple[Int[Tensor, " tokens"], ...]
    others: tuple[Int[Tensor, " tokens"], ...]

    @classmethod
    def of(cls, wordpiece: WordPiece) -> "Choosing":
        phrases = tuple(phrase for phrase in phrase_bank() if phrase.part == "choosing")
        others = [text.text for text in other_texts() if text.part == "choosing"]
        texts = [[torch.tensor(wordpiece(text), dtype=torch.int32) for text in some]
                 for some in ([phrase.text for phrase in phrases], others)]  # fmt: skip
        mixed = Lesson.of(choosing_sentences(), wordpiece)
        return cls(mixed, phrases, tuple(texts[0]), tuple(texts[1]))

    def to(self, device: str) -> "Choosing":
        moved = [tuple(row.to(device) for row in some) for some in (self.alone, self.others)]
        return replace(self, mixed=self.mixed.to(device), alone=moved[0], others=moved[1])


@dataclass(frozen=True)
class Marks:
    """How a network does on the choosing part with one card."""

    right_known: float  # phrases of families that were trained on
    right_unseen: float  # of families that were not
    wrong: float  # share of what was read that was not asked for
    alarms: float
    others_understood: float
    loss: float

    @property
    def worth(self) -> float:
        """What settings are chosen by: both kinds of phrases, less what was misread."""
        return (
            self.right_known
            + self.right_unseen
            - self.wrong
            - 2 * max(0.0, self.alarms - MOST_ALARMS)
        )


@torch.no_grad()
def chosen_card(network: AdaptedReader, base: Base, part: Choosing) -> tuple[ReaderCard, Marks]:
    """The temperature with the least loss, then the thresholds with the most worth."""
    scores, asked = scored(network, base, part.mixed), part.mixed.all_asked.float()
    heats = [step / 20 for step in range(8, 81)]
    losses = [float(binary_cross_entropy_with_logits(scores / heat, asked)) for heat in heats]
    loss, heat = min(zip(losses, heats, strict=True))
    bert = network.encoder(base.tensors)
    alone, others = (_answers(network, bert, some, heat) for some in (part.alone, part.others))
    best: tuple[ReaderCard, Marks] | None = None
    for card in _cards(heat, others):
        marks = replace(_marks(card, part.phrases, alone, others), loss=loss)
        if best is None or marks.worth > best[1].worth:
            best = card, marks
    assert best is not None
    return best


@dataclass(frozen=True)
class Answer:
    """What a network says of one text, before thresholds."""

    about: float
    likely: tuple[LikelyValue, ...]

    def read(self, card: ReaderCard) -> set[str]:
        if self.about < card.least_about:
            return set()
        return {value.name for value in read_values(self.likely, card)}


def _answers(
    network: AdaptedReader, bert: Bert, texts: Sequence[Int[Tensor, " tokens"]], heat: float
) -> list[Answer]:
    values = reader_values()
    answers: dict[int, Answer] = {}
    for rows in batches_of_equal_length([len(text) for text in texts], 512):
        scores = network(bert, torch.stack([texts[row] for row in rows]))
        for row, chances in zip(rows, (scores / heat).sigmoid().tolist(), strict=True):
            about = chances[values.index(ABOUT_CAMERA)]
            answers[row] = Answer(about, tuple(likely_values(chances, values)))
    return [answers[row] for row in range(len(texts))]


def _cards(heat: float, others: Sequence[Answer]) -> Iterator[ReaderCard]:
    ranked = sorted((answer.about for answer in others), reverse=True)
    gate = ranked[int(MOST_UNDERSTOOD * len(ranked))] if ranked else 0.5
    least_about = min(max(gate + 1e-3, 0.3), MOST_GATE)
    for least_asked in (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85):
        for least_value in (0.3, 0.35, 0.4, 0.45, 0.5):
            yield ReaderCard(reader_values(), heat, least_asked, least_value, least_about)


def _marks(
    card: ReaderCard,
    phrases: Sequence[BankPhrase],
    alone: Sequence[Answer],
    others: Sequence[Answer],
) -> Marks:
    hits, counts = {True: 0, False: 0}, {True: 0, False: 0}
    said_count, alarms = 0, 0
    for phrase, answer in zip(phrases, alone, strict=True):
        said, unseen = answer.read(card), phrase.family_is_unseen
        hits[unseen] += len(said & set(phrase.facts))
        counts[unseen] += len(phrase.facts)
        said_count += len(said)
        kinds = {name.partition(":")[0] for name in phrase.facts}
        alarms += any(name.partition(":")[0] not in kinds for name in said)
    return Marks(
        hits[False] / max(1, counts[False]),
        hits[True] / max(1, counts[True]),
        1 - sum(hits.values()) / max(1, said_count),
        alarms / max(1, len(phrases)),
        sum(bool(answer.read(card)) for answer in others) / max(1, len(others)),
        0.0,
    )


@dataclass(frozen=True)
class Candidate:
    """A trained network with what was chosen for it."""

    name: str
    network: AdaptedReader
    card: ReaderCard
    marks: Marks


def candidate(name: str, network: AdaptedReader, base: Base, part: Choosing) -> Candidate:
    card, marks = chosen_card(network, base, part)
    say(f"{name}: worth {marks.worth:.4f} {asdict(marks)}")
    return Candidate(name, network, card, marks)


def best_of(trained: Mapping[str, AdaptedReader], base: Base, part: Choosing) -> list[Candidate]:
    """All networks, and means of those that began alike: the best, then each that makes the mean
    better; best first."""
    alone = [candidate(name, network, base, part) for name, network in trained.items()]
    ranked = sorted(alone, key=lambda it: -it.marks.worth)
    some, best = ranked[:1], ranked[0]
    for more in ranked[1:]:
        name = "mean of " + ", ".join(it.name for it in (*some, more))
        mean = mean_network([it.network for it in (*some, more)])
        alone.append(candidate(name, mean, base, part))
        if alone[-1].marks.worth > best.marks.worth:
            some, best = [*some, more], alone[-1]
    return sorted(alone, key=lambda it: -it.marks.worth)


def report_of(candidates: Sequence[Candidate]) -> dict[str, object]:
    """What was tried and how it did on the choosing part."""
    tried = [
        {"name": it.name, "worth": it.marks.worth, **asdict(it.marks), **_thresholds(it.card)}
        for it in candidates
    ]
    return {"chosen": candidates[0].name, "tried": tried}


def _thresholds(card: ReaderCard) -> dict[str, float]:
    names = ("temperature", "least_asked", "least_value", "least_about")
    return {name: getattr(card, name) for name in names}
