"""Captions tell facts of the shot and no others, in words that belong to their part of the bank."""

import random
import re
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from aesop.camera_words.attributes import CameraFacts, Step, reversed_facts
from aesop.camera_words.caption_teller import (
    MOST_WORDS,
    caption_sources,
    part_of_facts,
    teller_for,
)
from aesop.camera_words.phrase_bank import IRRELEVANT, phrase_bank
from aesop.camera_words.plain_wordings import ADJECTIVES, PLAIN_WORDINGS, SIZE_NOUNS
from aesop.camera_words.term_lexicon import read_facts
from aesop.measuring.unseen_wording import SENTENCES

SHOTS = (
    CameraFacts(
        size_start="full", height="low", side="behind", lens="long-lens", grip="handheld",
        places=("left-third",), steps=(Step(moves=("boom-up", "push-in")),),
    ),
    CameraFacts(
        size_start="medium", height="eye", side="front", grip="dolly",
        steps=(
            Step(moves=("orbit", "arc-left"), extent="half"),
            Step(turns=("pan-left",), when="as-she-turns"),
            Step(zoom="zoom-in", when="at-the-end"),
        ),
    ),
    CameraFacts(
        size_start="close-up", height="overhead", dutch=True, grip="locked-off",
        steps=(Step(moves=("static",)),),
    ),
    CameraFacts(
        size_start="wide", height="high", side="profile-left", grip="steadicam",
        steps=(Step(moves=("follow-beside",)), Step(moves=("pull-out",), when="then")),
    ),
    CameraFacts(steps=(Step(moves=("arc-right",), extent="quarter"),), places=("centre",)),
)  # fmt: skip


@pytest.mark.parametrize("name", PLAIN_WORDINGS)
def test_plain_wordings_are_read_as_what_they_stand_for(name: str):
    implied = ("move:orbit", name) if name.startswith("extent:") else (name,)
    for wording in PLAIN_WORDINGS[name]:
        read = read_facts(wording)
        assert read.facts.names == implied and read.unread == (), wording


def test_adjectives_before_sizes_are_read():
    for value, adjective in ADJECTIVES.items():
        for size, nouns in SIZE_NOUNS.items():
            for noun in nouns:
                assert set(read_facts(f"{adjective} {noun}").facts.names) == {value, size}


@pytest.mark.parametrize("facts", SHOTS)
def test_a_part_of_the_facts_has_all_steps_or_none(facts: CameraFacts):
    sizes = set[int]()
    for seed in range(97):
        part = part_of_facts(facts, random.Random(seed))
        assert set(part.names) <= set(facts.names)
        assert len(part.steps) in (0, len(facts.steps))
        sizes.add(len(part.names))
    assert len(sizes) > 1


@pytest.mark.parametrize("facts", SHOTS)
def test_plain_captions_say_what_they_tell_and_twins_the_reverse(facts: CameraFacts):
    """Where a typo or idle words are in the way the lexicon says so, and nothing is compared."""
    compared = 0
    for caption in teller_for("plain").captions(facts, 61, np.random.default_rng(3)):
        for text, told in (
            (caption.text, caption.facts),
            (caption.reversed_text, reversed_facts(caption.facts)),
        ):
            read = read_facts(text)
            idle = any(words.lower() in text.lower() for words in IRRELEVANT)  # "soft shadows"
            if not read.unread and not idle:
                compared += 1
                # Pace is idle here, times are read as far as the lexicon can, and it does not call
                # half a circle to the left an orbit.
                found, meant = _compared(read.facts), _compared(told)
                assert found <= meant <= found | {"move:orbit"}, text
    assert compared > 23


def _compared(facts: CameraFacts) -> set[str]:
    return {name for name in facts.names if not name.startswith(("pace:", "when:"))}


def test_captions_follow_from_the_dice_and_are_short():
    for kind in ("train", "validation", "plain", "idiom"):
        teller = teller_for(kind)
        first, again = (teller.captions(SHOTS[1], 29, np.random.default_rng(5)) for _ in range(2))
        assert first == again
        assert len({caption.text for caption in first}) == len(first) > 11
        assert all(len(caption.text.split()) <= MOST_WORDS for caption in first)


def test_what_cannot_be_reversed_has_the_same_twin():
    for caption in teller_for("train").captions(SHOTS[2], 31, np.random.default_rng(7)):
        assert caption.text == caption.reversed_text


def test_idioms_of_the_test_split_are_not_trained_on():
    """Neither a phrase, nor one of a family that is kept apart, is heard in training."""
    heard = {(phrase.facts, phrase.family) for phrase in phrase_bank() if phrase.part == "train"}
    held = {(phrase.facts, phrase.family) for phrase in phrase_bank() if phrase.part == "family"}
    assert held and not held & heard
    dice = np.random.default_rng(11)
    facts = CameraFacts(size_start="close-up", height="high", grip="handheld")
    trained = {phrase.text for phrase in phrase_bank() if phrase.part == "train"}
    spoken = {
        caption.text.lower().strip(".")
        for caption in teller_for("idiom").captions(facts, 67, dice)
        if len(caption.facts.names) == 1
    }
    assert spoken and not spoken & {text.lower() for text in trained}


def _fours(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z']+", text.lower())
    return {tuple(words[at : at + 4]) for at in range(len(words) - 3)}


def test_no_four_words_of_the_sentences_that_measure_wording_are_a_source_of_captions():
    unseen = set[tuple[str, ...]]().union(*(_fours(it.words) for it in SENTENCES))
    assert not [text for text in caption_sources() if _fours(text) & unseen]


@pytest.mark.parametrize("kind", ["train", "validation", "plain", "idiom"])
@pytest.mark.parametrize("seen", [{"side": "behind"}, {"height": "overhead"}])
def test_nobody_speaks_of_a_face_that_is_not_seen(
    kind: Literal["train", "validation", "plain", "idiom"], seen: dict[str, str]
):
    """Half of the phrases for a close-up do; whoever stands in front hears them."""
    near = CameraFacts(size_start="extreme-close-up")
    hidden, shown = replace(near, **seen), replace(near, side="front", height="eye")  # pyright: ignore[reportArgumentType]
    face = re.compile(r"\b(face|eyes?|lips?|nose|mouth|smile)\b", re.IGNORECASE)
    dice = np.random.default_rng(41)
    said: dict[bool, int] = {True: 0, False: 0}
    for facts in (hidden, shown):
        for _ in range(47):
            for caption in teller_for(kind).captions(facts, 3, dice):
                if caption.facts == near and face.search(caption.text):
                    said[facts == shown] += 1
    assert said[False] == 0 < said[True]
