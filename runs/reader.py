"""The reader of camera words: put the phrase bank together, train the network, judge it.

    python runs/reader.py bank PAGE.txt … --other OTHER.txt …   # writers' pages into the package
    python runs/reader.py train                                 # minutes of two cores
    python runs/reader.py measure                               # unseen wordings, families, topics

A page has sections such as [move:push-in] and lines of family|register|text, where the register is
one of i (imperative), d (descriptive), n (noun phrase), x (indirect). A page of other topics has
sections of topics and plain lines. Everything is chosen on the part "choosing" of the bank.
"""

import argparse
import json
import random
import re
import string
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from pathlib import Path

import torch
from jaxtyping import Bool
from safetensors.torch import save
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits
from tqdm import tqdm

from aesop.camera_words import phrase_bank as bank_room
from aesop.camera_words.phrase_bank import (
    COLUMNS,
    TEXTBOOK,
    BankPart,
    BankPhrase,
    ComposedSentence,
    Composer,
    OtherText,
    Register,
    check_fact,
    merged,
    other_texts,
    phrase_bank,
)
from aesop.camera_words.understanding import (
    ABOUT_CAMERA,
    READER_FILE,
    AdaptedReader,
    ReaderCard,
    WordReader,
    header_of,
    load_reader,
    reader_values,
)
from aesop.core.whole_files import atomic_path
from aesop.fables.takes import read_takes
from aesop.measuring.runs import origin_of_result
from aesop.measuring.unseen_wording import SENTENCES as UNSEEN
from aesop.text.encoder import TextEncoder
from aesop.text.minilm import (
    MiniLM,
    WordPiece,
    load_wordpiece,
    packaged_folder,
    published_tensors,
)

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "aesop" / "camera_words"
RESULT = ROOT / "results" / "reader" / "reader.json"
REGISTERS: dict[str, Register] = {
    "i": "imperative", "d": "descriptive", "n": "noun", "x": "indirect"
}  # fmt: skip
# Families of two writers that share a thought must not stand on two sides of the split.
SAME_THOUGHT = 0.80
SENTENCES: dict[BankPart, int] = {
    "train": 40_000,
    "choosing": 2_000,
    "wording": 1_500,
    "family": 1_500,
}
EPOCHS, BATCH, HEAD_RATE, ADAPTER_RATE = 8, 128, 1e-3, 1e-3
LOST_WORDS = 0.08  # share of words that a sentence loses while training
FALSE_ALARMS = 0.03  # of a value, on sentences that do not ask for it: what sets its threshold


def say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def read_page(path: Path) -> list[BankPhrase]:
    """A writer's page; the writer's name is the file's."""
    facts: tuple[str, ...] = ()
    phrases: list[BankPhrase] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("["):
            facts = tuple(line.strip("[] ").split())
            for name in facts:
                check_fact(name)
        elif line.strip():
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) != 3 or cells[1] not in REGISTERS or not facts:
                raise SystemExit(f"{path}:{number}: not family|register|text: {line}")
            phrases.append(BankPhrase(facts, cells[0], REGISTERS[cells[1]], path.stem, cells[2]))
    return phrases


def read_topics(path: Path) -> list[OtherText]:
    """A page of sentences about other things."""
    topic, texts = "other", list[OtherText]()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            topic = line.strip("[] ")
        elif line.strip():
            texts.append(OtherText(topic, path.stem, " ".join(line.split())))
    return texts


def joined_families(phrases: Sequence[BankPhrase], encoder: TextEncoder) -> list[BankPhrase]:
    """Families of one value whose phrases nearly say the same are one family, named after the
    first: otherwise a held-out family might have been trained on under another writer's name."""
    pooled = torch.stack([text.pooled for text in encoder.encode_each([p.text for p in phrases])])
    by_facts = defaultdict[tuple[str, ...], list[int]](list)
    for at, phrase in enumerate(phrases):
        by_facts[phrase.facts].append(at)
    family = [phrase.family for phrase in phrases]
    for rows in by_facts.values():
        near = pooled[rows] @ pooled[rows].T >= SAME_THOUGHT
        for one, other in near.nonzero().tolist():
            first, second = family[rows[one]], family[rows[other]]
            if first == second or TEXTBOOK in (first, second):
                continue
            keep, drop = sorted((first, second))
            for row in rows:
                family[row] = keep if family[row] == drop else family[row]
    return [replace(phrase, family=name) for phrase, name in zip(phrases, family, strict=True)]


def shares_words(text: str) -> bool:
    """Whether four words in a row stand in a sentence that `aesop measure wording` asks with."""
    return bool(_grams(text) & set[tuple[str, ...]]().union(*(_grams(s.words) for s in UNSEEN)))


def _grams(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z']+", text.lower())
    return {tuple(words[at : at + 4]) for at in range(len(words) - 3)}


def write_bank(pages: Sequence[Path], others: Sequence[Path]) -> None:
    """All pages as the two tables of the package."""
    phrases = merged([read_page(path) for path in pages])
    apart = [phrase for phrase in phrases if not shares_words(phrase.text)]
    say(f"{len(phrases) - len(apart)} phrases left out: measure wording says nearly the same")
    phrases = joined_families(apart, MiniLM())
    rows = ["\t".join(COLUMNS)]
    rows += [
        "\t".join((" ".join(p.facts), p.family, p.register, p.writer, p.text)) for p in phrases
    ]
    with atomic_path(PACKAGE / bank_room.BANK_FILE) as path:
        path.write_text("\n".join(rows) + "\n", encoding="utf-8", newline="\n")
    topics = [text for path in others for text in read_topics(path)]
    lines = ["topic\twriter\ttext", *(f"{t.topic}\t{t.writer}\t{t.text}" for t in topics)]
    with atomic_path(PACKAGE / bank_room.OTHER_FILE) as path:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    counts = Counter(phrase.facts for phrase in phrases)
    say(f"{len(phrases)} phrases, {len(counts)} values, least {counts.most_common()[-5:]}")
    say(f"{Counter(phrase.part for phrase in phrases)}, {len(topics)} other texts")


@dataclass(frozen=True, eq=False)
class Lesson:
    """Sentences as token numbers, and what they ask for."""

    numbers: tuple[tuple[int, ...], ...]
    asked: Bool[Tensor, "sentences values"]

    def batches(self, size: int, dice: random.Random | None) -> list[list[int]]:
        """Rows of one length together, since the encoder takes no padding; shuffled by dice."""
        by_length = defaultdict[int, list[int]](list)
        for row, numbers in enumerate(self.numbers):
            by_length[len(numbers)].append(row)
        batches: list[list[int]] = []
        for rows in by_length.values():
            if dice is not None:
                dice.shuffle(rows)
            batches += [rows[at : at + size] for at in range(0, len(rows), size)]
        if dice is not None:
            dice.shuffle(batches)
        return batches


def lesson(
    sentences: Sequence[ComposedSentence], wordpiece: WordPiece, values: Sequence[str], device: str
) -> Lesson:
    asked = torch.tensor([[name in sentence.facts for name in values] for sentence in sentences])
    numbers = tuple(tuple(wordpiece(sentence.text)) for sentence in sentences)
    return Lesson(numbers, asked.to(device))


def composed(part: BankPart, seed: int) -> list[ComposedSentence]:
    """Sentences of one part of the bank: every phrase alone, then combinations."""
    phrases = [phrase for phrase in phrase_bank() if phrase.part == part]
    composer = Composer(phrases, seed)
    repeats = 3 if part == "train" else 1
    drawn = [composer.single(phrase) for phrase in phrases for _ in range(repeats)]
    while len(drawn) < SENTENCES[part]:
        drawn.append(composer.sentence())
    about = frozenset({ABOUT_CAMERA})
    return [ComposedSentence(sentence.text, sentence.facts | about) for sentence in drawn]


def elsewhere(trained_on: bool, count: int, seed: int) -> list[ComposedSentence]:
    """Sentences about other things, people's motion and keyboard noise among them."""
    dice = random.Random(seed)
    texts = [other.text for other in other_texts() if other.is_trained_on is trained_on]
    captions = sorted({text for take in read_takes() for text in take.captions})
    half = [c for at, c in enumerate(captions) if (at % 2 == 0) is trained_on]
    noise = ["".join(dice.choices(string.ascii_lowercase + "   ", k=dice.randint(6, 30)))
             for _ in range(count // 10)]  # fmt: skip
    drawn = texts * max(1, count // (3 * len(texts))) + dice.sample(
        half, min(len(half), count // 2)
    )
    return [ComposedSentence(text, frozenset()) for text in (drawn + noise)[: 2 * count]]


def taught_sentences() -> list[ComposedSentence]:
    """What the network is trained on."""
    return composed("train", 1) + elsewhere(True, 6_000, 2)


def choosing_sentences() -> list[ComposedSentence]:
    """What epoch, temperature and thresholds are chosen on."""
    return composed("choosing", 3) + elsewhere(True, 300, 4)


@dataclass(frozen=True, eq=False)
class Base:
    """MiniLM as it is published, whole or cut down to the words of the bank."""

    tensors: Mapping[str, Tensor]
    wordpiece: WordPiece
    unknown: int  # the token that stands for any


def train(base: Base, out: Path, device: str = "cpu", epochs: int = EPOCHS) -> None:
    values = reader_values()
    torch.manual_seed(0)
    dice = random.Random(0)
    lessons = lesson(taught_sentences(), base.wordpiece, values, device)
    judge = lesson(choosing_sentences(), base.wordpiece, values, device)
    network = AdaptedReader(len(values)).to(device)
    adapters = [*network.up.parameters(), *network.down.parameters()]
    groups = [
        {"params": network.head.parameters(), "lr": HEAD_RATE},
        {"params": adapters, "lr": ADAPTER_RATE},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.05)
    total = epochs * len(lessons.batches(BATCH, None))
    rates = [HEAD_RATE, ADAPTER_RATE]
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rates, total_steps=total)
    best, kept = float("inf"), network.state_dict()
    for epoch in range(epochs):
        network.train()
        for rows in lessons.batches(BATCH, dice):
            optimiser.zero_grad()
            _loss(network, base, lessons, rows).backward()
            optimiser.step()
            schedule.step()
        value = float(_scored(network, base, judge)[1])
        say(f"epoch {epoch}: loss on choosing {value:.4f}")
        if value < best:
            best, kept = value, {k: v.clone() for k, v in network.state_dict().items()}
    network.load_state_dict(kept)
    card = calibrated(_scored(network, base, judge)[0], judge, values)
    out.parent.mkdir(parents=True, exist_ok=True)
    tensors = {name: tensor.half().cpu().contiguous() for name, tensor in kept.items()}
    with atomic_path(out) as path:
        path.write_bytes(save(tensors, header_of(card)))
    say(f"temperature {card.temperature:.2f}; {out.stat().st_size / 1e6:.2f} MB")


def _numbers(lessons: Lesson, rows: Sequence[int]) -> Tensor:
    return torch.tensor([lessons.numbers[row] for row in rows], device=lessons.asked.device)


def _loss(network: AdaptedReader, base: Base, lessons: Lesson, rows: Sequence[int]) -> Tensor:
    numbers = _numbers(lessons, rows)
    lost = torch.rand(numbers.shape, device=numbers.device) < LOST_WORDS
    lost[:, 0] = lost[:, -1] = False
    scores = network(network.encoder(base.tensors), numbers.masked_fill(lost, base.unknown))
    target = lessons.asked[rows].float() * 0.98 + 0.005  # softened: nobody is always right
    return binary_cross_entropy_with_logits(scores, target) * len(target[0])


@torch.no_grad()
def _scored(network: AdaptedReader, base: Base, lessons: Lesson) -> tuple[Tensor, Tensor]:
    network.eval()
    bert = network.encoder(base.tensors)
    scores = torch.empty(lessons.asked.shape, device=lessons.asked.device)
    for rows in lessons.batches(512, None):
        scores[rows] = network(bert, _numbers(lessons, rows))
    target = lessons.asked.float()
    return scores, binary_cross_entropy_with_logits(scores, target) * len(target[0])


def calibrated(scores: Tensor, judge: Lesson, values: Sequence[str]) -> ReaderCard:
    """One temperature for all scores, and for every value the threshold with the best F1 whose
    false alarms are few."""
    target = judge.asked.float()
    losses = {
        heat: float(binary_cross_entropy_with_logits(scores / heat, target))
        for heat in (step / 20 for step in range(8, 61))
    }
    heat = min(losses, key=lambda key: losses[key])
    chances = (scores / heat).sigmoid()
    thresholds = tuple(_threshold(chances[:, at], judge.asked[:, at]) for at in range(len(values)))
    return ReaderCard(tuple(values), heat, thresholds, MiniLM.fingerprint)


def _threshold(chances: Tensor, asked: Tensor) -> float:
    def quality(least: float) -> float:
        said = chances >= least
        hits = float((said & asked).sum())
        alarms = float((said & ~asked).sum()) / max(1.0, float((~asked).sum()))
        f1 = 2 * hits / max(1.0, float(said.sum() + asked.sum()))
        return f1 if alarms <= FALSE_ALARMS else f1 - 1

    return max(
        (step / 50 for step in range(10, 41)), key=lambda least: (quality(least), -abs(least - 0.5))
    )


@dataclass(frozen=True)
class Reading:
    """How well a part of the bank is read."""

    sentences: int
    values: int
    right: float  # share of the asked values that were read
    wrong: float  # share of the read values that were not asked for
    sentences_with_an_alarm: float  # that got an attribute nobody asked for
    sentences_exactly_right: float


def judged(
    reader: WordReader, sentences: Sequence[ComposedSentence]
) -> tuple[Reading, dict[str, float]]:
    hits, asked_count, said_count, alarms, exact = 0, 0, 0, 0, 0
    by_value: dict[str, list[bool]] = defaultdict(list)
    for sentence in tqdm(sentences, desc="judging", leave=False):
        asked = sentence.facts - {ABOUT_CAMERA}
        said = frozenset(value.name for value in reader.understand(sentence.text).values)
        hits += len(asked & said)
        asked_count, said_count = asked_count + len(asked), said_count + len(said)
        exact += asked == said
        kinds = {name.partition(":")[0] for name in asked}
        alarms += any(name.partition(":")[0] not in kinds for name in said)
        for name in asked:
            by_value[name].append(name in said)
    shares = {name: sum(some) / len(some) for name, some in sorted(by_value.items())}
    count = len(sentences)
    wrong = 1 - hits / max(1, said_count)
    reading = Reading(
        count, asked_count, hits / max(1, asked_count), wrong, alarms / count, exact / count
    )
    return reading, shares


def measure() -> None:
    """Unseen wordings of known families, unseen families, and texts about other things."""
    reader = load_reader()
    figures: dict[str, object] = {}
    for part in ("choosing", "wording", "family"):
        phrases = [phrase for phrase in phrase_bank() if phrase.part == part]
        composer = Composer(phrases, 7)
        alone = [ComposedSentence(phrase.text, frozenset(phrase.facts)) for phrase in phrases]
        reading, shares = judged(reader, alone)
        together, _ = judged(reader, [composer.sentence() for _ in range(300)])
        figures[part] = {"alone": asdict(reading), "composed": asdict(together), "by value": shares}
        say(f"{part}\n  {reading}\n  {together}")
        say(f"  weakest: {sorted(shares.items(), key=lambda share: share[1])[:14]}")
    other = [text for text in other_texts() if not text.is_trained_on]
    silent = [not reader.understand(text.text).is_understood for text in other]
    figures["other topics"] = {"texts": len(other), "not understood": sum(silent) / len(silent)}
    wrong = [text.text for text, ok in zip(other, silent, strict=True) if not ok]
    say(f"{figures['other topics']}; understood all the same: {wrong[:12]}")
    origin = dict(zip(("code", "machine", "command"), origin_of_result(), strict=True))
    record = {name: asdict(it) if is_dataclass(it) else it for name, it in origin.items()}
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(RESULT) as path:
        text = json.dumps({**record, "reader": figures}, indent=1)
        path.write_text(text + "\n", encoding="utf-8", newline="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    commands = parser.add_subparsers(dest="command", required=True)
    put = commands.add_parser("bank")
    put.add_argument("pages", type=Path, nargs="+")
    put.add_argument("--other", type=Path, nargs="+", required=True)
    commands.add_parser("train")
    commands.add_parser("measure")
    args = parser.parse_args()
    match args.command:
        case "bank":
            write_bank(args.pages, args.other)
        case "train":
            folder = packaged_folder()
            wordpiece = load_wordpiece(folder)
            unknown = wordpiece("\u2603")[1]  # no word of the vocabulary
            train(Base(published_tensors(folder), wordpiece, unknown), READER_FILE)
        case _:
            measure()


if __name__ == "__main__":
    main()
