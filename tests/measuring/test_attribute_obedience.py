"""Attributes obeyed: sentences come with their facts, films are counted value by value, and what
was filmed is not filmed again."""

import math
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from aesop.camera_words.attributes import VOCABULARY
from aesop.camera_words.phrase_bank import END, phrase_bank
from aesop.director.facts_filming import read_request
from aesop.director.requests import FilmRequest, RequestError
from aesop.director.rule_based import Operator
from aesop.measuring.attribute_obedience import (
    REFUSED,
    AttributeFilm,
    AttributeResult,
    FilmsAmount,
    FilmsPlan,
    attribute_table,
    attributes_page,
    group_of,
    idiom_sentences,
    measure_attributes,
    orders_for,
    plain_sentences,
)
from aesop.measuring.runs import read_record, write_json
from aesop.pages.result_pages import write_pages
from aesop.scene.shot import Shot
from tests.director.test_operator import clip_of

ASKED = (
    "size",
    "height",
    "side",
    "pan",
    "tilt",
    "roll",
    "zoom",
    "orbit",
    "follow",
    "grip",
    "place",
)
PLAN = FilmsPlan("operator", "", "two motions", "0" * 64, "1" * 64, ())


@contextmanager
def silent(_: str):
    yield lambda done, of: None


def test_plain_sentences_ask_for_every_value_that_a_path_shows():
    asked = {name.removesuffix(END) for it in plain_sentences() for name in it.names}
    shown = {value.name for value in VOCABULARY if value.attribute != "pace"}
    assert asked == shown
    assert len({it.words for it in plain_sentences()}) == len(plain_sentences()) > 100


def test_what_plain_sentences_ask_for_is_what_plain_terms_say():
    """Facts were written by hand; the lexicon is another reader of the same words."""
    for sentence in plain_sentences():
        read = read_request(sentence.words).facts
        names = {name for name in read.names if not name.startswith("pace:")}
        assert names == {name.removesuffix(END) for name in sentence.names}, sentence.words
        assert (read.size_start, read.size_end) == (
            sentence.facts.size_start, sentence.facts.size_end,
        )  # fmt: skip


def test_idioms_are_phrases_that_were_kept_from_training():
    parts = {(phrase.facts, phrase.text): phrase.part for phrase in phrase_bank()}
    assert {parts[it.names, it.words] for it in idiom_sentences()} == {"family", "wording"}
    first = idiom_sentences()[:50]
    assert len({it.names for it in first}) == 50, "values in turn"
    assert all(not it.facts.is_empty for it in idiom_sentences())


@pytest.mark.parametrize("sentences", [plain_sentences(), idiom_sentences()])
def test_every_attribute_of_the_table_is_asked_for(sentences: Sequence[object]):
    found = {group_of(name) for it in sentences for name in it.names}  # pyright: ignore[reportAttributeAccessIssue]
    assert found >= {*ASKED, "move"}


def test_groups_are_those_of_the_table():
    assert [group_of(it) for it in ("turn:pan-follow", "turn:whip-pan", "turn:dutch")] == [
        "pan", "pan", "roll",
    ]  # fmt: skip
    assert group_of("size-end:wide") == "size" and group_of("lens:long-lens") == "lens"
    assert group_of("extent:half") == group_of("move:arc-left") == "orbit"
    assert group_of("move:lead") == "follow" and group_of("move:push-in") == "move"


def test_films_take_sentences_in_turn_and_motions_in_an_order_of_their_own():
    clips = [clip_of(action, 53) for action in ("walk", "sit", "turn")]
    some = plain_sentences()[:7]
    orders = orders_for(some, clips, 7 * 3 + 7, seed=2)
    assert [it[0] for it in orders[:7]] == list(some)
    for sentence in some:
        filmed = [(clip.name, seed) for it, clip, seed in orders if it is sentence]
        assert len({name for name, _ in filmed[:3]}) == 3 and filmed[0][0] == filmed[3][0]
        assert [seed for _, seed in filmed] == [2, 2, 2, 3]
    assert orders_for(some, clips, 5, 2) == orders[:5]


def film(motion: str, right: tuple[bool, ...]) -> AttributeFilm:
    asked = ("size:wide", "turn:pan-left", "turn:tilt-up")[: len(right)]
    return AttributeFilm("plain", f"{motion} {right}", motion, 0, asked, right, asked, 0.25, False)


def test_shares_are_of_values_and_intervals_over_motions():
    films = [film("a", (True, True, False)), film("b", (False, True)), film("c", (True,))]
    table = attribute_table("plain", films)
    assert (table.total.asked, table.total.right, table.whole) == (6, 4, 1)
    assert {row.name: (row.right, row.asked) for row in table.rows} == {
        "size": (2, 3), "pan": (2, 2), "tilt": (0, 1),
    }  # fmt: skip
    size = next(row for row in table.rows if row.name == "size")
    assert size.interval is not None and size.interval.low <= size.share <= size.interval.high
    assert size.missed == (("size:wide / size:wide", 1),) and table.empty_share == 0.25
    tilt = next(row for row in table.rows if row.name == "tilt")
    assert tilt.interval is None and tilt.share == 0 and not math.isnan(table.total.share)


def test_what_was_filmed_is_not_filmed_again_and_a_refusal_counts(tmp_path: Path):
    clips = [clip_of(action, 83) for action in ("walk", "wave")]
    asked: list[str] = []

    def films(requests: Sequence[FilmRequest]) -> list[Shot]:
        for request in requests:
            if request.camera_words == plain_sentences()[1].words:
                raise RequestError("No.", "Ask for something else.")
        asked.extend(request.camera_words for request in requests)
        return Operator().film_many(requests)

    def measured(amount: FilmsAmount) -> AttributeResult:
        return measure_attributes(films, clips, amount, tmp_path / "films.jsonl", PLAN, silent)

    first = measured(FilmsAmount(5, kinds=("plain",)))
    assert len(asked) == 4
    again = measured(FilmsAmount(7, kinds=("plain",)))
    assert len(asked) == 6, "only two more"
    (table,) = again.tables
    (size,) = [row for row in table.rows if row.name == "size"]
    assert dict(size.missed)[f"size:extreme-close-up / {REFUSED}"] == 1
    assert table.films == 7 and first.tables[0].films == 5
    write_json(tmp_path / "attributes" / "mine.json", again)
    back = read_record(tmp_path / "attributes" / "mine.json", AttributeResult)
    assert back.tables == again.tables and "| size |" in attributes_page(back)
    assert write_pages([tmp_path / "attributes"], tmp_path / "pages")
