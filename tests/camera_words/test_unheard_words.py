"""Numbers and parts of the body that no film obeys are told, and those that terms stand for not."""

import pytest

from aesop.camera_words.attributes import CameraFacts, Step
from aesop.camera_words.unheard_words import Settings, unheard_in

ARC = CameraFacts(steps=(Step(moves=("arc-left",), extent="quarter"),))
PUSH = CameraFacts(steps=(Step(moves=("push-in",)),))
PAN = CameraFacts(steps=(Step(turns=("pan-left",)),))
ZOOM = CameraFacts(lens="wide-angle", steps=(Step(zoom="zoom-in"),))
NOTHING = CameraFacts()

TOLD = {
    ("50mm, close-up", NOTHING): ("'50 mm' is not set by words: use --lens 50",),
    ("85 mm", CameraFacts(lens="long-lens")): (
        "'85 mm' is only heard as long-lens: use --lens 85",
    ),
    ("truck right 2 meters", PUSH): ("'2 meters' is not measured: use --travel 2",),
    ("push in two metres", PUSH): ("'two metres' is not measured: use --travel 2",),
    ("push in 3 ft", PUSH): ("'3 ft' is not measured: use --travel 0.91",),
    ("a wide shot from 10 m away", PUSH): ("'10 m' is not measured",),
    ("arc left 30 degrees", CameraFacts(steps=(Step(moves=("arc-left",)),))): (
        "'30 degrees' is not measured",
    ),
    ("arc left 75°", ARC): ("'75°' is not measured",),
    ("pan left 90 degrees", PAN): ("'90 degrees' is not measured",),
    ("pan left by thirty degrees", PAN): ("'thirty degrees' is not measured",),
    ("zoom in 2x", ZOOM): ("'2x' is not measured",),
    ("follow at 5 km/h, 20% slower", NOTHING): ("'5 km/h' and '20%' are not measured",),
    ("orbit twice around him", ARC): ("'twice' is not counted: a camera goes around once at most",),
    ("close-up on the hands", NOTHING): ("'hands': only the face can be asked for",),
    ("film her hands in close-up", NOTHING): ("'hands': only the face can be asked for",),
    ("close-up, handheld, on his hands", NOTHING): ("'hands': only the face can be asked for",),
    ("close up of his shoes", NOTHING): ("'shoes': only the face can be asked for",),
}
SILENT = (
    ("arc left 90 degrees", ARC),
    ("from 24mm to 70mm", ZOOM),
    ("hold for 2 seconds, then push in for 3 s", PUSH),
    ("30 degrees down", CameraFacts(height="high")),
    ("45 degrees off her front", CameraFacts(side="three-quarter-front")),
    ("fov 90 degrees", CameraFacts(lens="wide-angle")),
    ("shot on 35mm film", NOTHING),
    ("16:9, 1920x1080, take 3", NOTHING),
    ("close-up of her face", NOTHING),
    ("tilt down to her feet", NOTHING),
    ("handheld, in his hands", NOTHING),
    ("push in from the knees up", NOTHING),
    ("close-up, one hand on her hip", NOTHING),
    ("both feet in the frame", NOTHING),
    ("I'm on her left, one step at a time", NOTHING),
)


@pytest.mark.parametrize(("words", "facts"), TOLD)
def test_what_no_film_obeys_is_told(words: str, facts: CameraFacts):
    assert unheard_in(words, facts) == TOLD[words, facts]


@pytest.mark.parametrize(("words", "facts"), SILENT)
def test_what_is_understood_is_not_told(words: str, facts: CameraFacts):
    assert unheard_in(words, facts) == ()


def test_what_was_set_beside_the_words_is_not_told():
    assert unheard_in("50mm", NOTHING, Settings(lens=True)) == ()
    assert unheard_in("push in 2 m", PUSH, Settings(travel=True)) == ()
    assert unheard_in("push in 2 m, 50mm", PUSH, Settings(lens=True)) != ()
