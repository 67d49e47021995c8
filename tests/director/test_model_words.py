"""What the model hears of a user's words."""

import pytest

from aesop.camera_words.term_lexicon import read_facts
from aesop.director.director import Director
from aesop.director.facts_filming import asked_in, model_words, read_request
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


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("The camera opens with an arc to the right and ends with a locked-off frame.",
         "arc right, then static"),
        ("locked off, then push in", "static, then push in"),
        ("Please remain locked off during the scene.", "static"),
        ("the camera orbits around her to the left, then it stops", "arc left, then static"),
        ("the camera booms straight down and then dollies in", "boom down, then push in"),
        ("a crane shot up", "boom up"),
    ],
)  # fmt: skip
def test_words_that_the_grammar_reads_whole_are_not_taken_for_terms(words: str, meant: str):
    asked = read_request(words)
    assert asked.movement is not None and asked.movement.text == meant
    assert asked.facts.grip is None and asked.facts.height is None
    assert len(asked.facts.steps) == len(asked.movement.moves)


@pytest.mark.parametrize(
    ("words", "height"),
    [("looking straight down at her", "overhead"), ("look up at her", "low"),
     ("straight down", "overhead"), ("shot up at her", "low")],
)  # fmt: skip
def test_where_a_camera_looks_is_a_height(words: str, height: str):
    assert read_request(words).facts.height == height


@pytest.mark.parametrize("words", [PUSH_IN, NONSENSE, "The camera trucks left, then pushes in."])
def test_sentences_of_the_grammar_and_what_nobody_reads_stay(words: str):
    assert model_words(words) == words


def test_of_words_that_nobody_reads_to_their_end_the_plain_ones_are_heard():
    assert model_words("truck right slowly with the guy in a cowboy") == model_words(
        "a cowboy shot, truck right slowly"
    )
    assert model_words("a medium shot with a rack focus") == model_words("a medium shot")


@pytest.mark.parametrize(
    "words", ["a used tripod costs forty euros", "fry the onions on a medium heat"]
)
def test_terms_in_talk_of_other_things_are_no_request(words: str):
    assert asked_in(words) is None and model_words(words) == words


def test_a_pace_is_the_cameras_only_where_it_moves():
    still = asked_in("a wide shot of her, she walks slowly")
    moving = asked_in("a wide shot of her, push in slowly")
    assert still is not None and still.facts.pace is None
    assert moving is not None and moving.facts.pace == "slowly"


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
