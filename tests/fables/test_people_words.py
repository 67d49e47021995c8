"""Words of windows: forms of verbs, clauses, and sentences that join them."""

import re

import numpy as np
import pytest

from aesop.fables.people_words import (
    FORMS,
    LONGEST_JOINED_WORDS,
    Clause,
    SegmentWords,
    clause_of,
    inflected,
    joined_caption,
    plain_caption,
    plain_clause,
    says_whole,
    spoken,
    written_captions,
)
from aesop.fables.segment_captions import read_segment_captions
from aesop.fables.segment_table import read_segments


@pytest.fixture(scope="module")
def words() -> list[SegmentWords]:
    facts = {segment.id: segment.facts for segment in read_segments()}
    return [SegmentWords(row, facts[row.id]) for row in read_segment_captions()[::7]]


@pytest.mark.parametrize(
    ("verb", "third", "gerund"),
    [
        ("walk", "walks", "walking"), ("sit", "sits", "sitting"), ("punch", "punches", "punching"),
        ("carry", "carries", "carrying"), ("wave", "waves", "waving"), ("lie", "lies", "lying"),
        ("run", "runs", "running"), ("sway", "sways", "swaying"), ("box", "boxes", "boxing"),
        ("bow", "bows", "bowing"), ("do", "does", "doing"), ("stagger", "staggers", "staggering"),
        ("sidestep", "sidesteps", "sidestepping"), ("row", "rows", "rowing"),
        ("reach", "reaches", "reaching"), ("shoot", "shoots", "shooting"),
    ],
)  # fmt: skip
def test_verbs_are_inflected(verb: str, third: str, gerund: str):
    assert inflected(verb, "third") == third
    assert inflected(verb, "gerund") == gerund
    assert inflected(verb, "imperative") == verb


@pytest.mark.parametrize(
    ("sentence", "clause"),
    [
        ("a person walks on", Clause("third", "walks on")),
        ("someone slowly sits down", Clause("third", "slowly sits down")),
        ("stepping to the left", Clause("gerund", "stepping to the left")),
        ("swing the arms, then stop", Clause("imperative", "swing the arms, then stop")),
        ("a person bent over pulls", None),  # no verb after the subject
        ("stooping, someone scratches", None),  # a gerund that leads to a subject
        ("four leaps in a straight line", None),
        ("arms come down", None),
    ],
)
def test_clauses_are_found_only_where_they_can_be_joined(sentence: str, clause: Clause | None):
    assert clause_of(sentence) == clause


def test_joined_sentences_have_one_form_and_keep_the_order(words: list[SegmentWords]):
    dice = np.random.default_rng(3)
    for first, second in zip(words[:-1:5], words[1::5], strict=True):
        for form in FORMS:
            clauses = [plain_clause(it, form, dice) for it in (first, second)]
            text = spoken(clauses, dice, subject="a person")
            assert text.index(clauses[0].text) < text.rindex(clauses[1].text)
            assert text.startswith("a person ") == (form == "third")
    with pytest.raises(AssertionError):
        spoken([Clause("third", "walks"), Clause("gerund", "turning")], dice)


def test_joined_sentences_fit_the_encoder(words: list[SegmentWords]):
    dice = np.random.default_rng(5)
    for place in range(0, len(words) - 3, 11):
        parts = [(it, True) for it in words[place : place + 3]]
        for text in (joined_caption(parts, dice), plain_caption(parts, dice)):
            # Subject and joiners come on top.
            assert len(text.split()) <= LONGEST_JOINED_WORDS + 12
            assert not re.search(r"  |,,|^ | $|\|", text)


def test_nothing_whole_is_said_of_a_part(words: list[SegmentWords]):
    dice = np.random.default_rng(7)
    for it in words[::3]:
        assert not [text for text in written_captions(it, dice, whole=False) if says_whole(text)]
        for _ in range(5):
            text = plain_clause(it, "third", dice, whole=False).text
            number = r"\b((two|three|four|five|six|seven) steps|times|once|twice|all the way)\b"
            assert not re.search(number, text)


def test_directions_are_said_only_where_geometry_agrees(words: list[SegmentWords]):
    dice = np.random.default_rng(11)
    turns = re.compile(r"^turns (?:around )?(?:to the )?(left|right)")
    goes = re.compile(r"^(?:walks|runs|jogs)\b.* (forward|backward)\b")
    seen = 0
    for it in words:
        if it.caption.verb in ("turn", "turn around", "walk", "run", "jog"):
            for _ in range(6):
                text = plain_clause(it, "third", dice).text
                if match := turns.match(text):
                    assert (match[1] == "left") == (it.facts.turn_deg > 0)
                    seen += 1
                if match := goes.match(text):
                    assert (match[1] == "forward") == (it.facts.forward_m > 0)
                    seen += 1
    assert seen > 100
