"""The bank of phrases: complete, kept apart by families, and composed without contradictions."""

import re
from collections import Counter, defaultdict

import pytest

from aesop.camera_words.attributes import VOCABULARY, VocabularyError
from aesop.camera_words.phrase_bank import (
    JUDGED_WRITERS,
    TEXTBOOK,
    BankPhrase,
    Composer,
    check_fact,
    merged,
    other_texts,
    phrase_bank,
)
from aesop.core.hashing import text_sha256
from aesop.measuring.unseen_wording import SENTENCES

FEWEST = 40  # ways to say every value
JUDGED_SHA256 = "4bbda6e7d3447328c2793764ab56930af9a9d1f54b9e124994cc4b749721ed49"


def test_every_value_can_be_said_in_forty_ways_by_several_writers() -> None:
    ways, writers = Counter[str](), defaultdict[str, set[str]](set)
    for phrase in phrase_bank():
        for name in phrase.facts:
            ways[name] += 1
            writers[name].add(phrase.writer)
    asked = [value.name for value in VOCABULARY if value.attribute != "when"]
    assert {name: ways[name] for name in asked if ways[name] < FEWEST} == {}
    assert all(len(writers[name]) >= 2 for name in asked)


def test_families_that_are_judged_on_are_not_trained_on() -> None:
    parts = defaultdict[tuple[str, ...], set[str]](set)
    for phrase in phrase_bank():
        parts[(*phrase.facts, phrase.family)].add(phrase.part)
    held = [family for family, where in parts.items() if "family" in where]
    assert len(held) > 50
    assert all(parts[family] == {"family"} for family in held)
    assert all(family[-1] != TEXTBOOK for family in held)


def test_what_is_judged_on_stays_as_it_was() -> None:
    """The numbers of before can be compared with those of now only if the phrases are the same."""
    judged = [phrase for phrase in phrase_bank() if phrase.part in ("wording", "family")]
    assert Counter(phrase.part for phrase in judged) == {"family": 612, "wording": 330}
    rows = sorted(f"{' '.join(it.facts)}/{it.family}/{it.text}/{it.part}" for it in judged)
    assert text_sha256("\n".join(rows)) == JUDGED_SHA256


def test_later_writers_do_not_say_what_is_judged_on() -> None:
    judged = [phrase for phrase in phrase_bank() if phrase.part in ("wording", "family")]
    assert {phrase.writer for phrase in judged} <= set(JUDGED_WRITERS)
    later = [phrase for phrase in phrase_bank() if phrase.writer not in JUDGED_WRITERS]
    assert len(later) > 8_000
    grams = set[tuple[str, ...]]().union(*(_grams(phrase.text, 4) for phrase in judged))
    assert [phrase.text for phrase in later if _grams(phrase.text, 4) & grams] == []
    families = {(phrase.facts, phrase.family) for phrase in judged if phrase.part == "family"}
    assert not families & {(phrase.facts, phrase.family) for phrase in later}


def _grams(text: str, size: int) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z']+", text.lower())
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def test_the_sentences_that_measure_wording_stay_out_of_the_bank() -> None:
    """No five words in a row of them occur in any phrase."""
    unseen = set[tuple[str, ...]]().union(*(_grams(it.words, 5) for it in SENTENCES))
    shared = {gram for phrase in phrase_bank() for gram in _grams(phrase.text, 5)} & unseen
    assert shared == set()


def test_nothing_about_other_things_asks_for_a_camera_value() -> None:
    texts = {phrase.text.lower() for phrase in phrase_bank()}
    others = other_texts()
    assert sum(text.part == "judged" for text in others) >= 200
    assert not texts & {text.text.lower() for text in others}


def test_composed_sentences_say_what_their_phrases_say_and_follow_from_the_seed() -> None:
    phrases = [phrase for phrase in phrase_bank() if phrase.part == "train"]
    first, again, another = Composer(phrases, 11), Composer(phrases, 11), Composer(phrases, 13)
    drawn = [first.sentence() for _ in range(307)]
    assert drawn == [again.sentence() for _ in range(307)]
    assert drawn != [another.sentence() for _ in range(307)]
    known = {name for phrase in phrases for name in phrase.facts}
    for sentence in drawn:
        plain = {name.removesuffix("@end") for name in sentence.facts}
        assert plain <= known
        kinds = Counter(name.partition(":")[0] for name in sentence.facts)
        assert all(count == 1 for kind, count in kinds.items() if kind != "size"), sentence
        assert kinds["size"] <= 2


def test_a_phrase_alone_keeps_its_facts() -> None:
    phrase = BankPhrase(("move:push-in",), "near", "imperative", "a", "go to the person")
    sentence = Composer([phrase], 3).single(phrase)
    assert sentence.facts == {"move:push-in"}
    assert "go to" in sentence.text.lower() or len(sentence.text) > 5


def test_pages_merge_without_doubles() -> None:
    one = BankPhrase(("size:full",), "a", "noun", "x", "A full shot!")
    same = BankPhrase(("size:full",), "b", "noun", "y", "a full  shot")
    other = BankPhrase(("size:wide",), "a", "noun", "y", "a full shot")
    assert merged([[one], [same, other]]) == sorted(
        [one, other], key=lambda phrase: (phrase.facts, phrase.family)
    )


@pytest.mark.parametrize("name", ["size:huge", "move:push-in@end", "colour:red"])
def test_names_outside_the_vocabulary_are_refused(name: str) -> None:
    with pytest.raises(VocabularyError):
        check_fact(name)
