"""When words ask to see a face, and when they only name one."""

import pytest

from aesop.camera_words.plain_teller import plain_caption
from aesop.director.facts_filming import asked_in, read_request


@pytest.mark.parametrize(
    ("words", "when"),
    [
        ("push in to a close-up of her face", "end"),
        ("start wide and slowly zoom in on his face", "end"),
        ("tilt up from her feet to her face", "end"),
        ("arc around to her face", "end"),
        ("start on her face, then pull out", "start"),
        ("pull back from her face", "start"),
        ("run ahead of her, keep her face in the middle", "throughout"),
        ("close-up of the actor's face", "throughout"),
        ("handheld, close on the eyes", "throughout"),
        ("show me his expression", "throughout"),
    ],
)
def test_a_face_is_asked_for_when_the_camera_gets_there(words: str, when: str):
    asked = read_request(words)
    assert asked.facts.face == when and "face" in asked.text
    assert asked.movement is None, "no movement alone says what is to be seen"


@pytest.mark.parametrize(
    "words",
    [
        "we never see his face", "from behind, her face hidden", "don't show the face",
        "follow her, she turns her face away", "her face stays a secret, only her back",
        "a close-up of her face in profile", "arc around her face", "the camera faces her",
        "push in, at eye level", "push past her face to the wall",
    ],
)  # fmt: skip
def test_a_face_that_is_denied_passed_or_seen_from_a_named_side_is_not(words: str):
    asked = asked_in(words)
    assert asked is None or asked.facts.face is None


def test_the_model_hears_where_a_face_is_seen_from():
    """From the front and at eye level, unless words say otherwise or the camera comes there."""
    for words, heard in (
        ("a close-up of her face", "A close-up, at eye level, from the front."),
        (
            "a close-up of her face from a low angle",
            "A close-up, from a low angle, from the front.",
        ),
        ("arc right to her face", "At eye level, arc right."),
        ("push in", "Push in."),
    ):
        assert plain_caption(read_request(words).facts) == heard
