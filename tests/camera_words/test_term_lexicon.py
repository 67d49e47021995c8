"""Plain terms into facts: what is understood, and that nothing else is ever taken for something."""

import pytest

from aesop.camera_words import vocabulary
from aesop.camera_words.attributes import (
    VOCABULARY,
    CameraFacts,
    Extent,
    LensWord,
    Step,
    VocabularyError,
    mirrored_facts,
)
from aesop.camera_words.pace_words import pace_in
from aesop.camera_words.term_lexicon import (
    ReadFacts,
    needs_vocabulary,
    read_facts,
    with_place_behind,
)
from aesop.camera_words.wanted_words import wanted_in

READ = {
    "a low-angle close-up, push in": CameraFacts(
        size_start="close-up", height="low", steps=(Step(moves=("push-in",)),)
    ),
    "pull out from a close-up to a wide shot": CameraFacts(
        size_start="close-up", size_end="wide", steps=(Step(moves=("pull-out",)),)
    ),
    "The camera pans left, then zooms in.": CameraFacts(
        steps=(Step(turns=("pan-left",)), Step(zoom="zoom-in", when="then"))
    ),
    "orbit 360 degrees": CameraFacts(steps=(Step(moves=("orbit",), extent="full"),)),
    "a full circle": CameraFacts(steps=(Step(moves=("orbit",), extent="full"),)),
    "circle around her to the left": CameraFacts(steps=(Step(moves=("arc-left",)),)),
    "orbit the person to the left": CameraFacts(steps=(Step(moves=("arc-left",)),)),
    "a rightward orbit around her": CameraFacts(steps=(Step(moves=("arc-right",)),)),
    "a full orbit to the right": CameraFacts(steps=(Step(moves=("arc-right",), extent="full"),)),
    "truck left, then a full circle": CameraFacts(
        steps=(Step(moves=("truck-left",)), Step(moves=("orbit",), extent="full", when="then"))
    ),
    "handheld, follow her from the side": CameraFacts(
        grip="handheld", steps=(Step(moves=("follow-beside",)),)
    ),
    "push in as she turns": CameraFacts(steps=(Step(moves=("push-in",), when="as-she-turns"),)),
    "a dutch angle": CameraFacts(dutch=True),
    "keep her centered": CameraFacts(places=("centre",)),
    "slowly push in": CameraFacts(steps=(Step(moves=("push-in",)),), pace="slowly"),
    # Lists, as people type them.
    "WS, high angle, locked": CameraFacts(size_start="wide", height="high", grip="locked-off"),
    "slowly orbit, low": CameraFacts(height="low", steps=(Step(moves=("orbit",)),), pace="slowly"),
    "push in a bit, centre her": CameraFacts(
        places=("centre",), steps=(Step(moves=("push-in",)),), pace="slightly"
    ),
    "her in profile, from her left, with lots of space in front of her face": CameraFacts(
        side="profile-left", places=("lead-room",)
    ),
    "a tight portrait": CameraFacts(size_start="close-up"),
    "pull out wide": CameraFacts(size_end="wide", steps=(Step(moves=("pull-out",)),)),
    "1) static wide 2) whip pan right 3) crash zoom": CameraFacts(
        size_start="wide",
        steps=(
            Step(moves=("static",)),
            Step(turns=("whip-pan", "pan-right"), when="then"),
            Step(zoom="zoom-in", when="then"),
        ),
        pace="quickly",
    ),
    "WS -> MS -> CU": CameraFacts(size_start="wide", size_end="close-up"),
    "a full shot, then push in until he's a dot": CameraFacts(
        size_start="full", size_end="extreme-wide", steps=(Step(moves=("push-in",)),)
    ),
    "an over-the-shoulder shot": CameraFacts(side="three-quarter-back"),
    "crane up and back": CameraFacts(steps=(Step(moves=("boom-up", "pull-out")),)),
    "stay right behind her": CameraFacts(side="behind", steps=(Step(moves=("follow",)),)),
    "pull out while zooming in": CameraFacts(steps=(Step(moves=("pull-out",), zoom="dolly-zoom"),)),
    "SC 12 SH 3A - MS - dolly R to L - 35mm": CameraFacts(
        size_start="medium", steps=(Step(moves=("truck-left",)),)
    ),
    "not so shaky please": CameraFacts(grip="dolly"),
    "from overhead, then boom down to eye level": CameraFacts(
        height="overhead", steps=(Step(moves=("boom-down",)),)
    ),
    "zoom in, orbit, zoom out": CameraFacts(
        steps=(
            Step(zoom="zoom-in"),
            Step(moves=("orbit",), when="then"),
            Step(zoom="zoom-out", when="then"),
        )
    ),
    "half a circle around him to the right": CameraFacts(
        steps=(Step(moves=("arc-right",), extent="half"),)
    ),
    "end on a wide": CameraFacts(size_end="wide"),
    "a close-up at the end": CameraFacts(size_end="close-up"),
    "from above, a bird's eye view": CameraFacts(height="overhead"),
    "directly from above": CameraFacts(height="overhead"),
    "follow him from behind, then lead him from the front": CameraFacts(
        side="behind", steps=(Step(moves=("follow",)), Step(moves=("lead",), when="then"))
    ),
}
# Movements among words that nobody reads; where a word would have to be guessed, none.
AMONG = {
    "truck right slowly with the guy in a poncho": ("move:truck-right", "pace:slowly"),
    "follow her down the aisle": ("move:follow",),
    "crane up over the harbour": ("move:boom-up",),
    "back off fast from the bomb disposal guy": ("move:pull-out", "pace:quickly"),
    "truck right, nervously, truck left again": (
        "move:truck-right", "when:then", "move:truck-left",
    ),
    "she comes up the aisle, going down the corridor": (),
    "man at the bottom of the harbour": (),
    "the cowboy in the middle of his solo, lit from behind, a lamp overhead": (),
    "she rolls her suitcase, a candle in her hand": (),
    "so more of the harbour comes in": (),
}  # fmt: skip
DENIED = {
    "don't zoom, walk up to her": " walk up to her",
    "a close-up, no head room": "a close-up,",
    "push in, without a tripod": "push in,",
    "no camera movement": "no camera movement",
    "do not move the camera": "do not move the camera",
    "we never see his face": "we never see his face",
    "no headroom": "no headroom",
    "push in, don't be shaky": "push in, don't be shaky",
    "too close!! back up": "back up",
    "too close": "too close",
    "pan to the left no sorry to the right": "pan to the right",
    "truck left, wait, I mean right": "truck right",
    "she goes left, no one knows why": "she goes left, no one knows why",
}


@pytest.mark.parametrize("words", READ)
def test_terms_are_read(words: str):
    read = read_facts(words)
    assert read.facts == READ[words] and read.unread == ()


@pytest.mark.parametrize("words", AMONG)
def test_movements_are_found_among_other_words_and_those_are_named(words: str):
    read = read_facts(words)
    assert read.facts.names == AMONG[words] and read.unread


@pytest.mark.parametrize("words", DENIED)
def test_what_is_not_to_happen_is_left_out_unless_it_means_rest(words: str):
    left = wanted_in(words).words
    assert " ".join(left.split()).strip(" ,") == " ".join(DENIED[words].split()).strip(" ,")


@pytest.mark.parametrize(
    ("words", "unread"),
    [
        ("asdf qwer", ("asdf", "qwer")),
        ("push in with a rack focus", ("rack focus",)),
        ("over his shoulder of her", ("over his shoulder of",)),
        ("a close-up of the moon", ("moon",)),
        ("die Kamera fährt", ("die", "kamera", "fährt")),
    ],
)
def test_what_cannot_be_read_is_named(words: str, unread: tuple[str, ...]):
    assert read_facts(words).unread == unread


@pytest.mark.parametrize("pair", (*vocabulary.ARC_VERBS, *vocabulary.ARC_NOUNS), ids=str)
def test_every_arc_of_the_captions_keeps_its_side(pair: tuple[str, str]):
    phrase = vocabulary.inflected(pair, "base")
    for words in (phrase.words, phrase.turned):
        spoken = words.replace("{who}", "the person")
        side = "arc-right" if "right" in spoken else "arc-left"
        read = read_facts(spoken)
        assert read.facts == CameraFacts(steps=(Step(moves=(side,)),)) and read.unread == ()


def test_the_plain_name_of_nearly_every_value_is_a_term():
    # A bare "roll", "static" or "lead" is said of a camera; extents and places need their nouns.
    skipped = {"extent", "pace", "when", "place"}
    others = {"size:wide": "wide shot", "size:full": "full shot", "size:medium": "medium shot",
              "height:ground": "ground level", "height:low": "low angle", "height:eye": "eye level",
              "height:high": "high angle", "side:front": "from the front",
              "side:profile-left": "left profile", "side:profile-right": "right profile",
              "side:behind": "from behind", "turn:pan-follow": "pan with her",
              "turn:dutch": "dutch angle", "grip:dolly": "on a dolly", "move:lead": "lead her",
              "move:follow": "follow her", "move:follow-beside": "follow her from the side",
              "size:extreme-wide": "extreme wide shot"}  # fmt: skip
    for value in VOCABULARY:
        if value.attribute not in skipped:
            words = others.get(value.name, value.value.replace("-", " "))
            read = read_facts(words)
            assert value.name in read.facts.names and not read.unread, value.name


def test_words_of_pace_mean_intensity():
    pace = pace_in("The camera slowly pushes in")
    assert pace is not None and pace.text == "slowly → 0.7"
    assert pace_in("push in all the way") is not None
    assert pace_in("all the way around her") is None
    assert pace_in("push in") is None
    assert pace_in("push in, not too fast") is None


def test_only_what_the_grammar_cannot_say_needs_the_vocabulary():
    assert not needs_vocabulary(read_facts("truck left, then push in slowly").facts)
    assert needs_vocabulary(read_facts("pan left").facts)
    assert needs_vocabulary(read_facts("push in, close-up").facts)


def test_values_that_exclude_each_other_are_refused():
    with pytest.raises(VocabularyError):
        read_facts("a low-angle high-angle shot")


def lens_class(mm: int) -> LensWord | None:
    return "wide-angle" if mm <= 26 else "long-lens" if mm >= 61 else None


@pytest.mark.parametrize("mm", [8, 14, 24, 26, 27, 35, 50, 60, 61, 85, 135, 200])
def test_millimetres_are_the_lens_they_are(mm: int):
    read = read_facts(f"a medium shot, {mm}mm")
    assert read.facts == CameraFacts(size_start="medium", lens=lens_class(mm))
    assert read.unread == ()


@pytest.mark.parametrize(("first", "last"), [(24, 70), (70, 24), (35, 50), (135, 70)])
def test_two_focal_lengths_are_a_zoom_to_the_second(first: int, last: int):
    zoom: LensWord = "zoom-in" if last > first else "zoom-out"
    expected = CameraFacts(lens=lens_class(first), steps=(Step(zoom=zoom),))
    for words in (
        f"zoom from {first}mm to {last}mm over 3s",
        f"start at {first}mm end at {last}mm",
        f"{first} to {last} mm",
    ):
        assert read_facts(words) == ReadFacts(expected, (), trade=read_facts(words).trade), words


@pytest.mark.parametrize(
    ("degrees", "extent"),
    [(45, None), (60, "quarter"), (134, "quarter"), (135, "half"), (269, "half"), (270, "full")],
)
def test_degrees_around_somebody_are_the_part_of_a_circle_that_they_are(
    degrees: int, extent: Extent | None
):
    for sign in ("°", " deg", " degrees"):
        read = read_facts(f"arc left around him by {degrees}{sign}")
        assert read.facts.steps == (Step(moves=("arc-left",), extent=extent),)


def test_degrees_of_other_turns_are_no_part_of_a_circle():
    assert read_facts("roll 90 degrees").facts == CameraFacts(steps=(Step(turns=("roll",)),))
    assert read_facts("looking down 60 degrees").facts == CameraFacts(height="overhead")


@pytest.mark.parametrize("words", ["whip left", "swish pan to the right", "whip pan left, a wide"])
def test_a_whip_has_the_side_that_is_said_and_a_mirror_exchanges_it(words: str):
    said, other = ("left", "right") if "left" in words else ("right", "left")
    read = read_facts(words).facts
    assert read.steps[0].turns == ("whip-pan", f"pan-{said}") and len(read.steps) == 1
    assert read_facts(words.replace(said, other)).facts == mirrored_facts(read)


def test_what_is_denied_by_name_is_told():
    assert wanted_in("no zoom, push in").denied == {"lens:zoom-in", "lens:zoom-out"}
    assert "move:orbit" in wanted_in("stay where you are. No orbit!").denied
    assert wanted_in("push in").denied == frozenset()


def test_whoever_tracks_behind_somebody_is_behind_them():
    follow = CameraFacts(steps=(Step(moves=("follow",)),))
    assert with_place_behind(follow, "gliding along behind the boy").side == "behind"
    assert with_place_behind(follow, "follow her past the bar").side is None
    front = CameraFacts(side="front", steps=follow.steps)
    assert with_place_behind(front, "from behind").side == "front"
    assert with_place_behind(CameraFacts(), "behind her").side is None


def test_words_of_the_trade_are_told_from_everyday_ones():
    assert read_facts("MLS of the wedding").trade == {"size:medium"}
    assert "size:medium" not in read_facts("on medium heat").trade
    assert "height:ground" not in read_facts("she sits on the ground").trade
