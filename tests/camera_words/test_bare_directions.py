"""Directions that stand alone go on with the verb before them, and nothing else is changed."""

import pytest

from aesop.camera_words.bare_directions import with_same_verb

AGAIN = {
    "tilt up then down": "tilt up, then tilt down",
    "Tilt up, then down.": "Tilt up, then tilt down.",
    "pan left then back to the right": "pan left, then pan right",
    "pan left and right": "pan left, then pan right",
    "pan left and up": "pan left and tilt up",
    "pan left, right, left": "pan left, then pan right, then pan left",
    "arc left then right": "arc left, then arc right",
    "crane up, then back down": "crane up, then crane down",
    "pan slowly to the left and then to the right": "pan slowly to the left, then pan right",
    "zoom in and back": "zoom in, then zoom out",
    "pan left for 2 s, then right": "pan left for 2 s, then pan right",
}
AS_TYPED = (
    "pan left, right profile",
    "push in then out",  # the grammar of movements reads it
    "tilt up and truck left",
    "pan right, low angle",
    "zoom in and push in",
    "pan left up",
    "tilt up to her face",
)


@pytest.mark.parametrize("words", AGAIN)
def test_a_direction_alone_goes_on_with_the_verb_before_it(words: str):
    assert with_same_verb(words) == AGAIN[words]
    assert with_same_verb(AGAIN[words]) == AGAIN[words]


@pytest.mark.parametrize("words", AS_TYPED)
def test_other_words_stay_as_they_were_typed(words: str):
    assert with_same_verb(words) == words
