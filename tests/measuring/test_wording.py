"""Unseen words: foreign to the grammar, labelled, and counted right for cameras of known habits."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.camera_words import vocabulary
from aesop.camera_words.grammar import camera_caption
from aesop.camera_words.outline import SIGNS, Movement
from aesop.camera_words.vocabulary import Form, Pair, inflected
from aesop.director.requests import FilmRequest, RequestError
from aesop.measuring.unseen_wording import (
    SENTENCES,
    Obedience,
    Sentence,
    WordingSetting,
    familiar_sentences,
    made_clips,
    measure_obedience,
    wording_result,
)
from aesop.metrics.metric_book import MetricError
from aesop.pages.result_pages import write_pages, write_result
from aesop.scene.camera import camera_looking_at
from aesop.scene.human import Provenance
from aesop.scene.movement import CLASSES
from aesop.scene.shot import Shot

FORMS: tuple[Form, ...] = ("base", "third", "gerund")
# However the person is named: in the grammar's words, by a pronoun, or as anybody.
WHO = r"(?:her|him|them|(?:the|a|an) \w+)"
ASKED = {sentence.words: sentence.tag for sentence in (*SENTENCES, *familiar_sentences())}


def grammar_phrases() -> list[str]:
    """Every phrase that the grammar says a movement with, in all its forms."""
    shared = [
        (f"{verb}{how} {plus}", f"{verb}{how} {minus}")
        for verb, how in product(vocabulary.SHARED_VERBS, ("", " diagonally"))
        for axis in vocabulary.SHARED_DIRECTIONS
        for plus, minus in axis
    ]
    verbs: list[Pair] = [*shared, *vocabulary.ARC_VERBS, *vocabulary.FOLLOW_VERBS]
    verbs += [it for axis in (*vocabulary.CORE, *vocabulary.VERBS) for it in axis]
    still = (*vocabulary.ALONGSIDE_VERBS, *vocabulary.STATIC_VERBS, *vocabulary.STOP_VERBS)
    verbs += [(it, it) for it in still]
    said = [inflected(pair, form) for pair in verbs for form in FORMS]
    nouns = [*vocabulary.ARC_NOUNS, *vocabulary.FOLLOW_NOUNS]
    nouns += [it for axis in vocabulary.NOUNS for it in axis]
    phrases = [words for it in said for words in (it.words, it.turned)]
    phrases += [words for pair in nouns for words in pair]
    phrases += [
        *vocabulary.ALONGSIDE_NOUNS,
        *vocabulary.STATIC_STATES,
        *vocabulary.STATIC_NOUNS,
    ]
    return sorted(set(phrases))


def flat(words: str) -> str:
    return " ".join(re.findall(r"[a-z{}']+", words.lower()))


PHRASES = re.compile(
    r"\b(?:" + "|".join(flat(it).replace("{who}", WHO) for it in grammar_phrases()) + r")\b"
)


class Knowing:
    """A camera that does what is asked, or always the same."""

    def __init__(self, always: int | None = None) -> None:
        self.always = always
        self.asked: list[FilmRequest] = []

    def __call__(self, requests: Sequence[FilmRequest]) -> list[Shot]:
        self.asked += requests
        return [self._film(it) for it in requests]

    def _film(self, request: FilmRequest) -> Shot:
        tag = ASKED[request.camera_words] if self.always is None else self.always
        clip = request.clip
        still = camera_looking_at(
            torch.tensor([[0.3, -4.0, 1.2]]).expand(clip.frames, 3),
            torch.tensor([[0.0, 0.0, 1.0]]).expand(clip.frames, 3),
            0.7,
        )
        seconds = torch.arange(clip.frames) / clip.fps
        step = still.world_from_camera[0] @ torch.tensor(SIGNS[tag]).float()
        centre = still.centre + 0.2 * seconds[:, None] * step
        return Shot(clip, replace(still, centre=centre), Provenance("a test"))


def test_fifty_sentences_ask_for_balanced_movements():
    assert len(SENTENCES) == len({flat(it.words) for it in SENTENCES}) == 50
    counts = Counter(it.tag for it in SENTENCES)
    single = [tag for tag, signs in enumerate(SIGNS) if np.abs(signs).sum() <= 1]
    assert {counts[tag] for tag in single} == {6}
    assert sum(counts.values()) - 6 * len(single) == 8


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda it: it.words)
def test_no_sentence_holds_a_phrase_of_the_grammar(sentence: Sentence):
    found = PHRASES.search(flat(sentence.words))
    assert found is None, f"the grammar says {found}"


def test_the_search_finds_phrases_in_every_caption_of_the_grammar():
    """A canary for the test above."""
    dice = np.random.default_rng(5)
    for tag in range(CLASSES):
        for kind in ("plain", "arc", "follow", "lead"):
            caption = camera_caption([Movement(tag, 0, 1, kind)], dice).caption
            assert PHRASES.search(flat(caption)), caption
    for words in ("dolly toward her", "back away slowly", "Pushing in on the dancer."):
        assert PHRASES.search(flat(words))


def test_an_obedient_camera_is_right_and_a_camera_at_rest_only_where_rest_was_asked():
    clips = made_clips(3)
    obedient = measure_obedience(Knowing(), clips, (0, 5), SENTENCES)
    assert obedient.right_share == obedient.includes_share == 1.0
    assert obedient.obeyed == 50 and obedient.films == 50 * 3 * 2
    resting = measure_obedience(Knowing(0), clips, (0,), SENTENCES)
    asked = len(resting.of("static"))
    assert resting.obeyed == asked and resting.right_share == resting.includes_share == asked / 50
    assert resting.right_interval is not None and resting.right_interval.cluster == "sentence"
    low, high = resting.right_interval.low, resting.right_interval.high
    assert 0 <= low < asked / 50 < high < 0.3


@pytest.mark.parametrize(("right", "obeyed"), [(2, 0), (3, 50)])
def test_a_sentence_is_obeyed_if_more_than_half_of_its_films_are(right: int, obeyed: int):
    def film(requests: Sequence[FilmRequest]) -> list[Shot]:
        wrong = SIGNS.index((1, 1, 1))
        return [Knowing(None if (it.take or 0) % 4 < right else wrong)([it])[0] for it in requests]

    found = measure_obedience(film, made_clips(4), (0,), SENTENCES)
    assert found.obeyed == obeyed and found.right_share == right / 4


def test_a_movement_with_another_beside_it_includes_what_was_asked_and_is_not_right():
    beside = measure_obedience(Knowing(SIGNS.index((-1, 0, 1))), made_clips(2), (0,), SENTENCES)
    for facts in beside.sentences:
        exact = facts.asked == "trucking_left+push_in"
        assert facts.right == (2 if exact else 0)
        part = facts.asked in ("trucking_left", "push_in")
        assert facts.includes == (2 if exact or part else 0)


def test_films_of_a_seed_differ_in_noise_and_both_wordings_share_it():
    clips, takes = made_clips(2), []
    for sentences in (SENTENCES, familiar_sentences()):
        film = Knowing()
        measure_obedience(film, clips, (3,), sentences)
        takes.append([it.take for it in film.asked])
        assert {it.seed for it in film.asked} == {3}
    assert takes[0] == takes[1] and len(set(takes[0])) == 100


def test_one_refused_film_is_wrong_and_costs_no_other():
    def film(requests: Sequence[FilmRequest]) -> list[Shot]:
        if any(it.take == 13 for it in requests):
            raise RequestError("A camera that cannot exist.", "Try another seed.")
        return Knowing()(requests)

    found = measure_obedience(film, made_clips(5), (0,), SENTENCES)
    assert found.refused == 1 and found.right_share == found.includes_share == 249 / 250
    assert found.sentences[2].shown == (("push_in", 4), ("refused", 1)) and found.obeyed == 50


def test_made_motions_are_of_all_kinds_and_always_the_same():
    first, again = made_clips(9), made_clips(9)
    assert len({clip.name for clip in first}) == 8
    assert all(
        torch.equal(a.motion.joints, b.motion.joints) for a, b in zip(first, again, strict=True)
    )
    with pytest.raises(MetricError):
        measure_obedience(Knowing(), [], (0,), SENTENCES)


def test_results_are_a_page_and_data(tmp_path: Path):
    def answers(film: Knowing) -> Obedience:
        return measure_obedience(film, made_clips(1), (0,), SENTENCES)

    setting = WordingSetting("f" * 64, "fast", "our own making", ("walk",), (0,))
    result = wording_result(setting, answers(Knowing(0)), answers(Knowing()))
    (data,) = write_result(tmp_path, "wording_aesop", result)
    (page,) = write_pages([data], tmp_path)
    assert "**6 of 50 sentences are obeyed; 12.0% of the films are right**" in page.read_text()
    assert '"obeyed": 50' in data.read_text()
