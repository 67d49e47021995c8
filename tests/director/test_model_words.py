"""What the model hears of a user's words."""

import pytest

from aesop.camera_words.term_lexicon import read_facts
from aesop.director.director import Director
from aesop.director.facts_filming import model_words
from aesop.director.finish import Finish
from tests.director.makers import PUSH_IN, walking
from tests.director.test_laws import same_camera

TERMS = (
    "a low-angle close-up", "bird's eye view, locked off", "pan left then tilt up",
    "the camera pushes in to a close-up",
)  # fmt: skip
IDIOM = "we never see his face"
NONSENSE = "asdf qwer zxcv"


@pytest.mark.parametrize("words", [*TERMS, IDIOM])
def test_plain_terms_say_what_was_understood_and_saying_them_again_changes_nothing(words: str):
    heard = model_words(words)
    assert heard != words
    assert model_words(heard) == heard
    if words != IDIOM:
        assert read_facts(heard).facts == read_facts(words).facts


@pytest.mark.parametrize("words", [PUSH_IN, NONSENSE, "The camera trucks left, then pushes in."])
def test_sentences_of_the_grammar_and_what_nobody_reads_stay(words: str):
    assert model_words(words) == words


def test_orders_are_heard_as_terms():
    """A caption never orders; "lower the camera" was taken for a low one."""
    assert model_words("lower the camera") == "Boom down."
    assert model_words("The camera lowers.") == "The camera lowers."


def test_an_idiom_and_its_plain_terms_are_one_request_to_the_model(director: Director):
    clip = walking(67)
    idiom, plain = (
        director.film(clip, words, seed=5, finish="best-take")
        for words in (IDIOM, model_words(IDIOM))
    )
    assert same_camera(idiom.camera, plain.camera)
    assert f"heard as {model_words(IDIOM)!r}" in idiom.provenance.notes
    assert idiom.camera_words == IDIOM


@pytest.mark.parametrize("finish", ["as-sampled", "held", "consistent"])
def test_measured_finishes_hear_what_was_typed(director: Director, finish: Finish):
    clip = walking(67)
    idiom, plain = (
        director.film(clip, words, seed=5, finish=finish) for words in (IDIOM, model_words(IDIOM))
    )
    assert not same_camera(idiom.camera, plain.camera)
    assert not any(note.startswith("heard") for note in idiom.provenance.notes)
