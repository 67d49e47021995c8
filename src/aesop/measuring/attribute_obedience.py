"""Whether cameras have what sentences ask for, attribute by attribute: values that come with the
sentences, not from a reader, measured back in films."""

import importlib.resources
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from aesop.camera_words.attributes import CameraFacts, attribute_value, facts_of
from aesop.camera_words.fact_check import check_facts, measure_facts
from aesop.camera_words.phrase_bank import END, BankPart, phrase_bank, text_share
from aesop.core.errors import AesopError, Progress
from aesop.core.hashing import text_sha256
from aesop.core.machine import Code, Machine
from aesop.core.whole_files import PieceLines
from aesop.director.film_report import OPERATOR_SOURCE
from aesop.director.protocols import Choices
from aesop.director.requests import FilmRequest
from aesop.measuring.runs import ProgressBar, origin_of_result, restored
from aesop.metrics.bootstrap import Interval, clusters_of, ratio_interval
from aesop.metrics.framing_metrics import holding_of
from aesop.scene.human import Clip
from aesop.scene.shot import Shot

Films = Callable[[Sequence[FilmRequest]], list[Shot]]
SentenceSet = Literal["plain", "idiom"]
SENTENCE_SETS: tuple[SentenceSet, ...] = get_args(SentenceSet)
PLAIN_FILE = "attribute_sentences.tsv"
HELD_OUT: tuple[BankPart, ...] = ("family", "wording")
# Nothing of a path tells pace, and a time or an extent says nothing alone.
_NOT_ALONE = ("pace:", "when:", "extent:")
_GROUPS: dict[str, tuple[str, ...]] = {
    "pan": ("turn:pan", "turn:whip-pan"),
    "tilt": ("turn:tilt",),
    "roll": ("turn:roll", "turn:dutch"),
    "zoom": ("lens:zoom", "lens:dolly-zoom"),
    "orbit": ("move:orbit", "move:arc", "extent:"),
    "follow": ("move:follow", "move:lead"),
}
REFUSED = "refused"


@dataclass(frozen=True)
class AttributeSentence:
    """A sentence and what it asks for, as phrase banks write it; a size at the end has "@end"."""

    words: str
    names: tuple[str, ...]
    kind: SentenceSet

    @property
    def facts(self) -> CameraFacts:
        ends = [name.removesuffix(END) for name in self.names if name.endswith(END)]
        facts = facts_of(attribute_value(it) for it in self.names if not it.endswith(END))
        size = ends[0].partition(":")[2] if ends else None
        return facts if size is None else replace(facts, size_end=size)  # pyright: ignore[reportArgumentType]


@cache
def plain_sentences() -> tuple[AttributeSentence, ...]:
    """In terms of the trade, written by hand with their facts."""
    file = importlib.resources.files("aesop.measuring") / PLAIN_FILE
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t") == ["facts", "words"]
    rows = [line.split("\t") for line in lines[1:]]
    return tuple(AttributeSentence(words, tuple(facts.split()), "plain") for facts, words in rows)


@cache
def idiom_sentences() -> tuple[AttributeSentence, ...]:
    """Phrases of the bank that no training saw, those of every value in turn: as many of them as
    one likes from the front cover the values alike."""
    by_facts: dict[tuple[str, ...], list[str]] = {}
    meanings = Counter(phrase.text for phrase in phrase_bank())
    for phrase in phrase_bank():
        if meanings[phrase.text] > 1:  # nobody can tell which is meant
            continue
        alone = [name for name in phrase.facts if not name.startswith(_NOT_ALONE)]
        if phrase.part in HELD_OUT and alone and not _is_timed(phrase.facts):
            by_facts.setdefault(phrase.facts, []).append(phrase.text)
    ranked = [
        (place, text_share(" ".join(facts)), AttributeSentence(text, facts, "idiom"))
        for facts, texts in by_facts.items()
        for place, text in enumerate(sorted(texts, key=text_share))
    ]
    return tuple(it for _, _, it in sorted(ranked, key=lambda row: row[:2]))


def _is_timed(names: Iterable[str]) -> bool:
    return any(name.startswith(("pace:", "when:")) for name in names)


def group_of(asked: str) -> str:
    """The row of a table that a value belongs to: "turn:pan-left" is a pan."""
    for group, starts in _GROUPS.items():
        if asked.startswith(starts):
            return group
    return asked.partition(":")[0].removesuffix("-end")


@dataclass(frozen=True)
class AttributeFilm:
    """One film: what was asked, what of it is there, and how the person is held."""

    kind: SentenceSet
    words: str
    motion: str
    seed: int
    asked: tuple[str, ...]
    right: tuple[bool, ...]
    got: tuple[str, ...]
    empty_share: float
    by_operator: bool  # filmed by rules, also where the model was asked

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.kind, self.words, self.motion, self.seed


@dataclass(frozen=True)
class FilmsPlan:
    """What all films of a file share; a file is only continued by an equal plan."""

    method: str
    weights: str
    motions: str
    motions_sha256: str
    code_sha256: str
    choices: Choices


@dataclass(frozen=True)
class FilmsAmount:
    """So many films of every kind of sentences, with noise from a seed on, some sampled
    together."""

    films: int
    seed: int = 0
    kinds: tuple[SentenceSet, ...] = SENTENCE_SETS
    together: int = 4


@dataclass(frozen=True)
class AttributeShare:
    """One row: values asked for, and those that were measured back. Intervals are over motions."""

    name: str
    asked: int
    right: int
    interval: Interval | None
    missed: tuple[tuple[str, int], ...]  # "asked / got", the most frequent first

    @property
    def share(self) -> float:
        return self.right / self.asked if self.asked else float("nan")


@dataclass(frozen=True)
class AttributeTable:
    """All films of one set of sentences."""

    kind: SentenceSet
    films: int
    sentences: int
    motions: int
    whole: int  # films in which everything that was asked for is there
    empty_share: float
    by_operator: int
    total: AttributeShare
    rows: tuple[AttributeShare, ...]


@dataclass(frozen=True)
class AttributeResult:
    """Plain terms and idioms, with everything needed to repeat it."""

    plan: FilmsPlan
    tables: tuple[AttributeTable, ...]
    code: Code
    machine: Machine
    repeat: str


def orders_for(
    sentences: Sequence[AttributeSentence], clips: Sequence[Clip], films: int, seed: int
) -> list[tuple[AttributeSentence, Clip, int]]:
    """Every sentence in turn, each with the next of the motions in an order of its own."""
    orders: list[tuple[AttributeSentence, Clip, int]] = []
    for number in range(films):
        sentence = sentences[number % len(sentences)]
        order = sorted(clips, key=lambda clip: text_sha256(f"{sentence.words}/{clip.name}"))
        turn = number // len(sentences)
        orders.append((sentence, order[turn % len(order)], seed + turn // len(order)))
    return orders


def attribute_film(sentence: AttributeSentence, clip: Clip, seed: int, shot: Shot | None,
                   *, by_operator: bool) -> AttributeFilm:  # fmt: skip
    """Look at one film; one that nobody would make has nothing that was asked for."""
    facts = sentence.facts
    if shot is None:
        names = tuple(name for name in sentence.names if not name.startswith("when:"))
        wrong = (False,) * len(names)
        return AttributeFilm(sentence.kind, sentence.words, clip.name, seed, names, wrong,
                             (REFUSED,) * len(names), 0.0, by_operator)  # fmt: skip
    measured = measure_facts(shot.camera, clip.motion, clip.fps)
    checks = check_facts(facts, measured)
    held = holding_of(shot.camera, clip.motion, clip.fps)
    return AttributeFilm(
        kind=sentence.kind,
        words=sentence.words,
        motion=clip.name,
        seed=seed,
        asked=tuple(check.asked for check in checks),
        right=tuple(check.right for check in checks),
        got=tuple(check.got for check in checks),
        empty_share=held.empty_share,
        by_operator=by_operator,
    )


def film_attributes(
    film: Films,
    orders: Sequence[tuple[AttributeSentence, Clip, int]],
    path: Path,
    plan: FilmsPlan,
    progress: Progress | None,
    together: int,
) -> list[AttributeFilm]:
    """Film what a file does not have yet, a line for every film."""
    lines = PieceLines(path)
    done = {it.key: it for it in (restored(AttributeFilm, it) for it in lines.start(asdict(plan)))}
    left = [it for it in orders if _key(it) not in done]
    left.sort(key=lambda order: order[1].frames)  # padding is work for nothing
    for start in range(0, len(left), together):
        some = left[start : start + together]
        films = [
            attribute_film(*order, shot, by_operator=shot is not None and _is_ruled(shot))
            for order, shot in zip(some, _filmed(film, some), strict=True)
        ]
        lines.add(asdict(it) for it in films)
        done |= {it.key: it for it in films}
        if progress is not None:
            progress(len(orders) - len(left) + start + len(some), len(orders))
    return [done[_key(order)] for order in orders]


def _key(order: tuple[AttributeSentence, Clip, int]) -> tuple[str, str, str, int]:
    sentence, clip, seed = order
    return sentence.kind, sentence.words, clip.name, seed


def _is_ruled(shot: Shot) -> bool:
    return shot.provenance.source == OPERATOR_SOURCE


def _filmed(
    film: Films, orders: Sequence[tuple[AttributeSentence, Clip, int]]
) -> list[Shot | None]:
    """One refusal must not cost its neighbours."""
    requests = [FilmRequest(clip, sentence.words, seed=seed) for sentence, clip, seed in orders]
    try:
        return list(film(requests))
    except AesopError:
        if len(orders) == 1:
            return [None]
    return [shot for order in orders for shot in _filmed(film, [order])]


def attribute_table(kind: SentenceSet, films: Sequence[AttributeFilm]) -> AttributeTable:
    """Shares of values over all films, and by attribute."""
    values = [
        (group_of(asked), asked, right, got, film.motion)
        for film in films
        for asked, right, got in zip(film.asked, film.right, film.got, strict=True)
    ]
    groups = sorted({value[0] for value in values})
    return AttributeTable(
        kind=kind,
        films=len(films),
        sentences=len({film.words for film in films}),
        motions=len({film.motion for film in films}),
        whole=sum(all(film.right) for film in films),
        empty_share=float(np.mean([film.empty_share for film in films])),
        by_operator=sum(film.by_operator for film in films),
        total=_share("all", values),
        rows=tuple(_share(group, [it for it in values if it[0] == group]) for group in groups),
    )


def _share(name: str, values: Sequence[tuple[str, str, bool, str, str]]) -> AttributeShare:
    right = np.array([value[2] for value in values], dtype=np.float64)
    clusters = clusters_of("clip", [value[4] for value in values])
    missed = Counter(f"{asked} / {got}" for _, asked, is_right, got, _ in values if not is_right)
    return AttributeShare(
        name=name,
        asked=len(values),
        right=int(right.sum()),
        interval=ratio_interval(right, np.ones_like(right), clusters),
        missed=tuple(missed.most_common(8)),
    )


def measure_attributes(
    film: Films,
    clips: Sequence[Clip],
    amount: FilmsAmount,
    path: Path,
    plan: FilmsPlan,
    bar: ProgressBar,
) -> AttributeResult:
    """So many films of every set of sentences; what a file has already is not filmed again."""
    if len({clip.name for clip in clips}) < len(clips):  # films are told apart by their names
        clips = [replace(clip, name=f"{at} {clip.name}") for at, clip in enumerate(clips)]
    tables: list[AttributeTable] = []
    sets = {"plain": plain_sentences, "idiom": idiom_sentences}
    for kind in amount.kinds:
        orders = orders_for(sets[kind](), clips, amount.films, amount.seed)
        with bar(f"{kind} words") as progress:
            made = film_attributes(film, orders, path, plan, progress, amount.together)
        tables.append(attribute_table(kind, made))
    return AttributeResult(plan, tuple(tables), *origin_of_result())


def attributes_page(result: AttributeResult) -> str:
    """The tables."""
    plan = result.plan
    lines = [
        f"# Attributes obeyed: {plan.method}",
        "",
        f"Motions: {plan.motions}; weights {plan.weights[:12]}. A value counts if it is measured "
        "back in the finished path; what was asked for comes with the sentences. Intervals are "
        "over motions.",
    ]
    for table in result.tables:
        lines += [
            "",
            f"## {table.kind}",
            "",
            f"{table.films} films of {table.sentences} sentences and {table.motions} motions; "
            f"everything there in {table.whole}; empty frames {table.empty_share:.2%}; filmed by "
            f"rules {table.by_operator}.",
            "",
            "| attribute | asked | obeyed | 95 % | most often instead |",
            "|---|---|---|---|---|",
        ]
        for row in (table.total, *table.rows):
            near = "" if row.interval is None else f"{row.interval.low:.0%}–{row.interval.high:.0%}"
            missed = row.missed[0][0] if row.missed else ""
            lines.append(f"| {row.name} | {row.asked} | {row.share:.1%} | {near} | {missed} |")
    way = "; ".join(f"{name}: {choice}" for name, choice in plan.choices)
    lines += ["", f"Filmed: {way}."] if way else []
    return "\n".join([*lines, "", f"Repeat: `{result.repeat}`", ""])
