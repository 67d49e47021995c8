"""What is heard in words: what is denied, turns by degrees, directions alone, zooms by factors."""

import pytest

from aesop.director.facts_filming import asked_in, read_request
from aesop.director.film_report import notes_on
from aesop.director.requests import RequestError

# No word of these asks for anything: they only say what is not to happen.
ONLY_DENIED = (
    "the camera should not be static",
    "the camera shouldn't stay still",
    "not static",
    "don't keep it still",
    "never locked off",
    "I don't want a static shot",
    "anything but static",
    "don't let the camera sit still",
)
READ = {
    "wide shot but not static": ("size:wide",),
    "a non-static close-up": ("size:close-up",),
    "push in, not static": ("move:push-in",),
    "the camera shouldn't stay still, orbit around her": ("move:orbit",),
    # Rest is asked for, not denied, or it is the person's.
    "static wide shot, she never stands still": ("size:wide", "move:static"),
    "static, then push in, not static": ("move:static", "when:then", "move:push-in"),
    "no camera movement": ("move:static",),
    "the camera does not move": ("move:static",),
    "don't move, static wide shot": ("size:wide", "move:static"),
    "no zoom, static": ("move:static",),
    # An angle of a turn on the spot is no part of a circle.
    "pan left 90 degrees": ("turn:pan-left",),
    "pan 90 degrees left": ("turn:pan-left",),
    "a slow 180 degree pan to the right": ("turn:pan-right", "pace:slowly"),
    "tilt up 90 degrees": ("turn:tilt-up",),
    "tilt up by ninety degrees": ("turn:tilt-up",),
    "arc left 90 degrees, then pan left 45 degrees": (
        "move:arc-left", "extent:quarter", "when:then", "turn:pan-left",
    ),
    "orbit 360 degrees": ("move:orbit", "extent:full"),
    "a 360 around her": ("move:orbit", "extent:full"),
    "a quarter turn around her": ("move:orbit", "extent:quarter"),
    # A direction alone goes on with the verb before it.
    "tilt up then down": ("turn:tilt-up", "when:then", "turn:tilt-down"),
    "pan left then back to the right": ("turn:pan-left", "when:then", "turn:pan-right"),
    "pan left and right": ("turn:pan-left", "when:then", "turn:pan-right"),
    "arc left then right": ("move:arc-left", "when:then", "move:arc-right"),
    "crane up, then back down": ("move:boom-up", "when:then", "move:boom-down"),
    "truck left then right": ("move:truck-left", "when:then", "move:truck-right"),
    # A bare zoom goes in, and so does one by a factor above one.
    "zoom": ("lens:zoom-in",),
    "zoom on her": ("lens:zoom-in",),
    "zoom 2x": ("lens:zoom-in",),
    "2x zoom": ("lens:zoom-in",),
    "zoom in 2x": ("lens:zoom-in",),
    "zoom 0.5x": ("lens:zoom-out",),
    "zoom out 2x": ("lens:zoom-out",),
    "zoom x3": ("lens:zoom-in",),
    "dolly zoom": ("lens:dolly-zoom",),
    # A usual focal length is neither wide nor long, and hands that are seen hold nothing.
    "50mm lens, push in": ("move:push-in",),
    "85mm": ("lens:long-lens",),
    "close-up on the hands": ("size:close-up",),
    "handheld, camera in his hands": ("grip:handheld",),
}  # fmt: skip


@pytest.mark.parametrize("words", ONLY_DENIED)
def test_rest_that_is_denied_is_not_read_as_rest(words: str):
    assert asked_in(words) is None
    with pytest.raises(RequestError, match="what is not to happen"):
        read_request(words)


@pytest.mark.parametrize("words", READ)
def test_what_is_heard(words: str):
    asked = asked_in(words)
    assert asked is not None and asked.facts.names == READ[words]


TOO_MANY = {
    "push in, then arc right, then boom up, then pan left": (
        "move:push-in", "when:then", "move:arc-right", "when:then", "move:boom-up",
    ),
    "push in, then arc right, then soar over her, then pan left, then gaze at the sky": None,
}  # fmt: skip


@pytest.mark.parametrize("words", TOO_MANY)
def test_steps_after_the_third_are_refused_or_told(words: str):
    """The operator films all that is asked or nothing; others film the first ones and say so."""
    with pytest.raises(RequestError, match="too many for one shot; the first 3"):
        read_request(words)
    asked = asked_in(words)
    assert asked is not None and len(asked.facts.steps) == 3 and asked.left_out
    assert TOO_MANY[words] in (None, asked.facts.names)
    assert any("too many for one shot" in note for note in notes_on(words))


@pytest.mark.parametrize("words", ["slowly", "slowly now", "50mm", "frobnicate it"])
def test_who_says_nothing_of_a_camera_is_told_though_a_pace_was_read(words: str):
    asked = asked_in(words)
    assert asked is None or asked.facts.names == ("pace:slowly",)
    assert notes_on(words)[0].startswith("No camera term was understood")


def test_numbers_are_told_whichever_way_words_were_read():
    """Plain terms, the trained reader, and the grammar of movements."""
    for words in ("truck right 2 meters", "35mm lens, push in", "push in by 30%", "arc left 30°"):
        assert asked_in(words) is not None
        assert len(notes_on(words)) == 1 and "not " in notes_on(words)[0]
