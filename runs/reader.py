"""The reader of camera words: put the phrase bank together, train the network, judge it.

    python runs/reader.py add PAGE.txt … --other OTHER.txt …    # writers' pages into the package
    python runs/reader.py requests PAGE.tsv …                   # whole sentences of several things
    python runs/reader.py mirror -o mirrored.txt                # left for right, a page of its own
    python runs/reader.py train --updates 4000                  # hours of two cores
    python runs/reader.py train --setting on-agree --from OLD.safetensors --seconds 3000 -o NEW
    python runs/reader.py choose NEW.safetensors OTHER.safetensors …    # or a mean of them
    python runs/reader.py measure                               # unseen wordings, families, topics
    python runs/reader.py measure --choosing --reader OLD.safetensors -o before.json

A page has sections such as [move:push-in] and lines of family|register|text, where the register is
one of i (imperative), d (descriptive), n (noun phrase), x (indirect). A page of other topics has
sections of topics and plain lines. What the bank holds stays as it is: of new pages is left out
what comes near to a phrase that readers are judged on. `lab/reader_h200.py` trains on a GPU.
"""

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import torch
from tqdm import tqdm

import reader_training as training
from aesop.camera_words import phrase_bank as bank_room
from aesop.camera_words.attributes import attribute_value
from aesop.camera_words.phrase_bank import (
    COLUMNS,
    JUDGED_WRITERS,
    BankPart,
    BankPhrase,
    ComposedSentence,
    Composer,
    NaturalRequest,
    OtherText,
    Register,
    check_fact,
    merged,
    natural_requests,
    other_texts,
    phrase_bank,
)
from aesop.camera_words.reader_network import read_reader, write_reader
from aesop.camera_words.understanding import (
    ABOUT_CAMERA,
    READER_FILE,
    WordReader,
    likely_values,
    load_reader,
)
from aesop.core.whole_files import atomic_path
from aesop.measuring.runs import origin_of_result
from aesop.measuring.unseen_wording import SENTENCES as UNSEEN
from aesop.text.encoder import TextEncoder
from aesop.text.minilm import MiniLM, load_wordpiece, packaged_folder, published_tensors
from reader_training import say

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "aesop" / "camera_words"
RESULT = ROOT / "results" / "reader" / "reader.json"
REGISTERS: dict[str, Register] = {
    "i": "imperative", "d": "descriptive", "n": "noun", "x": "indirect"
}  # fmt: skip
# From this cosine on two phrases nearly say the same: what is judged on must not be taught.
SAME_THOUGHT = 0.80
TAUGHT = 120_000  # sentences
_OTHER_SIDE = {
    "left": "right", "leftward": "rightward", "leftwards": "rightwards", "lefthand": "righthand",
    "clockwise": "counterclockwise", "port": "starboard", "gauche": "droite",
}  # fmt: skip
_OTHER_SIDE |= {right: left for left, right in _OTHER_SIDE.items()}
_OTHER_SIDE |= {"anticlockwise": "clockwise", "counter-clockwise": "clockwise", "droit": "gauche"}
_OTHER_SIDE |= {"anti-clockwise": "clockwise", "counter clockwise": "clockwise"}
_SIDE = re.compile(rf"\b(?:{'|'.join(sorted(_OTHER_SIDE, key=len, reverse=True))})\b", re.I)
# "Right" that is no side.
_NOT_A_SIDE = re.compile(
    r"\bright (?:at|by|behind|in|on|next|beside|there|here|now|up|down|away|where|into|over|after"
    r"|through|before|ahead|across|angles?|past|along|around|back|off|out|opposite|to the)\b"
    r"|\b(?:all right|that's right|just right|is left|are left|nothing left|what's left|to write)\b"
)
LIKENESS = (0.5, 0.6, 0.7, 0.8)  # cosines to the nearest taught phrase


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


def mirrored_page(path: Path) -> None:
    """What is taught of sides and directions, with left and right exchanged: writers thought of
    more wordings for the one than for the other."""
    code = {long: short for short, long in REGISTERS.items()}
    lines: dict[str, list[str]] = defaultdict(list)
    known = {_words(phrase.text) for phrase in phrase_bank()}
    for phrase in phrase_bank():
        facts = " ".join(_mirrored_name(name) for name in phrase.facts)
        text = _SIDE.sub(lambda match: _OTHER_SIDE[match[0].lower()], phrase.text)
        text = re.sub(r"\ban (?=clock)", "a ", text)
        is_side = facts != " ".join(phrase.facts) and not _NOT_A_SIDE.search(phrase.text.lower())
        if phrase.part == "train" and is_side and _words(text) not in known:
            known.add(_words(text))
            lines[facts].append(f"{phrase.family}|{code[phrase.register]}|{text}")
    page = "\n".join(f"[{facts}]\n" + "\n".join(some) for facts, some in sorted(lines.items()))
    path.write_text(page + "\n", encoding="utf-8")
    say(f"{sum(map(len, lines.values()))} phrases in {path}")


def _mirrored_name(name: str) -> str:
    value = attribute_value(name.removesuffix(bank_room.END))
    return f"{value.attribute}:{value.mirrored_value}{name[len(value.name) :]}"


def shares_words(text: str) -> bool:
    """Whether four words in a row stand in a sentence that `aesop measure wording` asks with."""
    return bool(_grams(text) & set[tuple[str, ...]]().union(*(_grams(s.words) for s in UNSEEN)))


def _grams(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z']+", text.lower())
    return {tuple(words[at : at + 4]) for at in range(len(words) - 3)}


def add_pages(pages: Sequence[Path], others: Sequence[Path]) -> None:
    """New pages beside what the two tables of the package hold."""
    old = phrase_bank()
    new = [phrase for path in pages for phrase in read_page(path)]
    replaced = {phrase.writer for phrase in new}
    if replaced & set(JUDGED_WRITERS):
        raise SystemExit("the first writers' pages are judged on and stay as they are")
    old = tuple(phrase for phrase in old if phrase.writer not in replaced)
    taken = [phrase for phrase in new if not shares_words(phrase.text)]
    say(f"{len(new) - len(taken)} phrases left out: measure wording says nearly the same")
    kept = apart_from_judged(taken, old, MiniLM())
    say(f"{len(taken) - len(kept)} phrases left out: too near to what is judged on")
    phrases = merged([old, kept])
    rows = ["\t".join(COLUMNS)]
    rows += [
        "\t".join((" ".join(p.facts), p.family, p.register, p.writer, p.text)) for p in phrases
    ]
    _write_table(PACKAGE / bank_room.BANK_FILE, rows)
    fresh = [text for path in others for text in read_topics(path)]
    again = {text.writer for text in fresh}
    known = [text for text in other_texts() if text.writer not in again]
    apart = others_apart_from_judged(fresh, known, MiniLM())
    say(f"{len(fresh) - len(apart)} texts left out: too near to other topics that are judged on")
    topics = [*known, *apart]
    lines = ["topic\twriter\ttext", *(f"{t.topic}\t{t.writer}\t{t.text}" for t in topics)]
    _write_table(PACKAGE / bank_room.OTHER_FILE, lines)
    counts = Counter(phrase.facts for phrase in phrases)
    say(f"{len(phrases)} phrases, {len(counts)} values, least {counts.most_common()[-5:]}")
    say(f"{Counter(phrase.part for phrase in phrases)}, {Counter(text.part for text in topics)}")


def add_requests(pages: Sequence[Path]) -> None:
    """Whole requests beside those that the package holds: lines of sentence and values. What shares
    four words in a row with something that is judged on is left out."""
    new = [
        NaturalRequest(tuple(sorted(values.split())), path.stem, " ".join(text.split()))
        for path in pages
        for text, values in (
            line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()
        )
    ]
    for name in {name for request in new for name in request.facts}:
        check_fact(name)
    judged = [phrase.text for phrase in phrase_bank() if phrase.part in ("wording", "family")]
    grams = set[tuple[str, ...]]().union(*map(_grams, judged))
    kept = [it for it in new if not shares_words(it.text) and not _grams(it.text) & grams]
    say(f"{len(new) - len(kept)} of {len(new)} requests left out: too near to what is judged on")
    again = {request.writer for request in new}
    known = [it for it in natural_requests() if it.writer not in again]
    rows = sorted({it.text.lower(): it for it in (*kept, *known)}.values(), key=_by_writer)
    lines = ["facts\twriter\ttext"]
    lines += [f"{' '.join(it.facts)}\t{it.writer}\t{it.text}" for it in rows]
    _write_table(PACKAGE / bank_room.REQUEST_FILE, lines)
    say(f"{len(rows)} requests, {Counter(it.part for it in rows)}")


def _by_writer(request: NaturalRequest) -> tuple[str, str]:
    return request.writer, request.text


def _write_table(path: Path, rows: Sequence[str]) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text("\n".join(rows) + "\n", encoding="utf-8", newline="\n")


def apart_from_judged(
    new: Sequence[BankPhrase], old: Sequence[BankPhrase], encoder: TextEncoder
) -> list[BankPhrase]:
    """New phrases without those that belong to a judged family by name, share four words in a row
    or all their words with a judged phrase, or nearly say the same as one of the same value. What
    phrases choose is kept as clean as what they judge, whoever wrote it."""
    judged = [phrase for phrase in old if phrase.part != "train"]
    families = {(p.facts, p.family) for p in judged if p.part == "family"}
    grams = set[tuple[str, ...]]().union(*(_grams(phrase.text) for phrase in judged))
    said = {_words(phrase.text) for phrase in judged}
    left = [
        phrase
        for phrase in new
        if (phrase.facts, phrase.family) not in families
        and _words(phrase.text) not in said
        and not _grams(phrase.text) & grams
    ]
    near = likeness_to_nearest(left, judged, encoder)
    return [phrase for phrase, like in zip(left, near, strict=True) if like < SAME_THOUGHT]


def others_apart_from_judged(
    new: Sequence[OtherText], old: Sequence[OtherText], encoder: TextEncoder
) -> list[OtherText]:
    """New texts about other things without those of a topic that is judged or chosen on, and those
    that come as near to one of its texts as phrases may not come."""
    kept_apart = [text for text in old if text.part != "train"]
    topics = {text.topic for text in kept_apart}
    grams = set[tuple[str, ...]]().union(*(_grams(text.text) for text in kept_apart))
    left = [it for it in new if it.topic not in topics and not _grams(it.text) & grams]
    if not left or not kept_apart:
        return left
    vectors = [
        torch.stack([text.pooled for text in encoder.encode_each([it.text for it in some])])
        for some in (left, kept_apart)
    ]
    near = (vectors[0] @ vectors[1].T).amax(-1).tolist()
    return [text for text, like in zip(left, near, strict=True) if like < SAME_THOUGHT]


def likeness_to_nearest(
    phrases: Sequence[BankPhrase], others: Sequence[BankPhrase], encoder: TextEncoder
) -> list[float]:
    """How alike (cosine of MiniLM) every phrase is to the nearest other one of the same facts."""
    vectors = [
        torch.stack([text.pooled for text in encoder.encode_each([p.text for p in some])])
        for some in (phrases, others)
    ]
    rows_of = defaultdict[tuple[str, ...], list[int]](list)
    for row, phrase in enumerate(others):
        rows_of[phrase.facts].append(row)
    near: list[float] = []
    for vector, phrase in zip(vectors[0], phrases, strict=True):
        rows = rows_of[phrase.facts]
        near.append(float((vectors[1][rows] @ vector).max()) if rows else 0.0)
    return near


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[a-z0-9']+", text.lower()))


def published_base() -> training.Base:
    folder = packaged_folder()
    wordpiece = load_wordpiece(folder)
    unknown = wordpiece("\u2603")[1]  # no word of the vocabulary
    return training.Base(published_tensors(folder), wordpiece, unknown)


def train_here(
    name: str,
    length: training.Length,
    begun: Path | None,
    more_of: Sequence[str],
    output: Path,
) -> None:
    """One setting on this machine's processor; what is chosen with it is its own."""
    settings = {it.name: it for it in (*training.SETTINGS, *training.GOING_ON)}
    if name not in settings:
        raise SystemExit(f"there is no setting {name}: {', '.join(settings)}")
    setting, base = settings[name], published_base()
    drawn = training.taught_sentences(TAUGHT, setting.seed, more_of)
    lessons = training.Lesson.of(drawn, base.wordpiece)
    network = training.train(
        base, lessons, setting, length, None if begun is None else read_reader(begun)[0]
    )
    part = training.Choosing.of(base.wordpiece)
    best = training.candidate(setting.name, network, base, part)
    write_reader(best.network, best.card, output)


def choose(readers: Sequence[Path], output: Path, report: Path) -> None:
    """The best of several readers or of means of them, by the choosing part."""
    base = published_base()
    networks = {path.stem: read_reader(path)[0] for path in readers}
    candidates = training.best_of(networks, base, training.Choosing.of(base.wordpiece))
    write_reader(candidates[0].network, candidates[0].card, output)
    with atomic_path(report) as path:
        text = json.dumps(training.report_of(candidates), indent=1)
        path.write_text(text + "\n", encoding="utf-8", newline="\n")


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
        said = _said(reader, sentence.text)
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


@cache
def _said(reader: WordReader, text: str) -> frozenset[str]:
    return frozenset(value.name for value in reader.understand(text).values)


def by_likeness(reader: WordReader, phrases: Sequence[BankPhrase]) -> dict[str, dict[str, float]]:
    """How much is read right of phrases by how alike the nearest taught phrase of the same value
    is: several writers may have had one thought."""
    taught = [phrase for phrase in phrase_bank() if phrase.part == "train"]
    near = likeness_to_nearest(phrases, taught, MiniLM())
    shares: dict[str, dict[str, float]] = {}
    for low, high in pairwise((0.0, *LIKENESS, 1.01)):
        some = [p for p, like in zip(phrases, near, strict=True) if low <= like < high]
        if some:
            alone = [ComposedSentence(phrase.text, frozenset(phrase.facts)) for phrase in some]
            right = judged(reader, alone)[0].right
            shares[f"{low:.2f} to {min(high, 1.0):.2f}"] = {"phrases": len(some), "right": right}
    return shares


def measure_part(reader: WordReader, part: BankPart) -> dict[str, object]:
    """Phrases of one part alone, all together and by value, and composed."""
    phrases = [phrase for phrase in phrase_bank() if phrase.part == part]
    alone = [ComposedSentence(phrase.text, frozenset(phrase.facts)) for phrase in phrases]
    reading, shares = judged(reader, alone)
    composer = Composer(phrases, 7)
    together, _ = judged(reader, [composer.sentence() for _ in range(300)])
    say(f"{part}\n  {reading}\n  {together}")
    say(f"  weakest: {sorted(shares.items(), key=lambda share: share[1])[:14]}")
    return {"alone": asdict(reading), "composed": asdict(together), "by value": shares}


def lost_where(reader: WordReader, phrases: Sequence[BankPhrase]) -> dict[str, float]:
    """Shares of the asked values: read, lost at the gate or at a threshold, or taken for another
    one; and those that are the likeliest of all, which is what no threshold can better."""
    kinds, values = Counter[str](), reader.card.values
    for phrase in phrases:
        (chances,) = reader.probabilities([phrase.text]).tolist()
        by_chance = sorted(likely_values(chances, values), key=lambda it: -it.asked)
        first = {value.name for value in by_chance[: len(phrase.facts)]}
        said = _said(reader, phrase.text)
        for fact in phrase.facts:
            kinds["among the likeliest"] += fact in first
            if fact in said:
                kinds["read"] += 1
            elif said:
                kinds["another value read"] += 1
            elif chances[values.index(ABOUT_CAMERA)] < reader.card.least_about:
                kinds["nothing read: not about a camera"] += 1
            else:
                known = fact == by_chance[0].name
                kinds[f"nothing read: {'not sure enough' if known else 'another likelier'}"] += 1
    asked = sum(len(phrase.facts) for phrase in phrases)
    return {"values": asked, **{kind: count / asked for kind, count in sorted(kinds.items())}}


def measure_groups(reader: WordReader) -> dict[str, object]:
    """The choosing part by who wrote, and whether the family was taught."""
    groups: dict[str, object] = {}
    chosen = [phrase for phrase in phrase_bank() if phrase.part == "choosing"]
    for writers, unseen in product(("the first writers", "all writers"), (False, True)):
        some = [
            phrase
            for phrase in chosen
            if phrase.family_is_unseen == unseen
            and (writers == "all writers" or phrase.writer in JUDGED_WRITERS)
        ]
        alone = [ComposedSentence(phrase.text, frozenset(phrase.facts)) for phrase in some]
        group = f"{writers}, {'unseen' if unseen else 'known'} families"
        groups[group] = {**asdict(judged(reader, alone)[0]), "lost": lost_where(reader, some)}
        say(f"{group}: {groups[group]}")
    return groups


def measure(parts: Sequence[BankPart], file: Path, output: Path | None) -> None:
    """Unseen wordings of known families, unseen families, and texts about other things."""
    reader = load_reader(file)
    figures: dict[str, object] = {part: measure_part(reader, part) for part in parts}
    judges = "family" in parts
    if not judges:
        figures["choosing by writers"] = measure_groups(reader)
    other = [it for it in other_texts() if it.part == ("judged" if judges else "choosing")]
    silent = [not reader.understand(text.text).is_understood for text in other]
    figures["other topics"] = {"texts": len(other), "not understood": sum(silent) / len(silent)}
    wrong = [text.text for text, ok in zip(other, silent, strict=True) if not ok]
    say(f"{figures['other topics']}; understood all the same: {wrong[:12]}")
    if judges:
        apart = [phrase for phrase in phrase_bank() if phrase.part in ("wording", "family")]
        figures["judged parts by likeness"] = by_likeness(reader, apart)
        say(f"{figures['judged parts by likeness']}")
    if output is not None:
        write_figures(figures, output)


def write_figures(figures: Mapping[str, object], output: Path) -> None:
    origin = dict(zip(("code", "machine", "command"), origin_of_result(), strict=True))
    record = {name: asdict(it) if is_dataclass(it) else it for name, it in origin.items()}
    output.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(output) as path:
        text = json.dumps({**record, "reader": dict(figures)}, indent=1)
        path.write_text(text + "\n", encoding="utf-8", newline="\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add")
    add.add_argument("pages", type=Path, nargs="+")
    add.add_argument("--other", type=Path, nargs="*", default=[])
    whole = commands.add_parser("requests")
    whole.add_argument("pages", type=Path, nargs="+")
    turning = commands.add_parser("mirror")
    turning.add_argument("-o", "--output", type=Path, required=True)
    learn = commands.add_parser("train")
    learn.add_argument("--setting", default=training.SETTINGS[0].name)
    learn.add_argument("--from", dest="begun", type=Path, help="a reader to go on from")
    learn.add_argument("--more-of", nargs="*", default=[], help="writers who are taught twice more")
    learn.add_argument("--updates", type=int)
    learn.add_argument("--seconds", type=float)
    learn.add_argument("-o", "--output", type=Path, default=READER_FILE)
    best = commands.add_parser("choose")
    best.add_argument("readers", type=Path, nargs="+")
    best.add_argument("-o", "--output", type=Path, default=READER_FILE)
    best.add_argument("--report", type=Path, default=RESULT.parent / "choosing.json")
    judging = commands.add_parser("measure")
    judging.add_argument("--choosing", action="store_true", help="on the choosing part alone")
    judging.add_argument("--reader", type=Path, default=READER_FILE)
    judging.add_argument("-o", "--output", type=Path, help="where figures go")
    return parser


def main() -> None:
    args = _parser().parse_args()
    match args.command:
        case "add":
            add_pages(args.pages, args.other)
        case "requests":
            add_requests(args.pages)
        case "mirror":
            mirrored_page(args.output)
        case "train":
            updates = args.updates or (None if args.seconds else 4000)
            length = training.Length(updates, args.seconds)
            train_here(args.setting, length, args.begun, args.more_of, args.output)
        case "choose":
            choose(args.readers, args.output, args.report)
        case _ if args.choosing:
            measure(("choosing",), args.reader, args.output)
        case _:
            parts: tuple[BankPart, ...] = ("choosing", "wording", "family")
            measure(parts, args.reader, args.output or RESULT)


if __name__ == "__main__":
    main()
