"""Spelling: slips are read as the terms that they nearly are, words never, and each is told."""

import pytest

from aesop.camera_words.request_reader import words_of
from aesop.camera_words.spelling import spelled, spelling_of, term_words
from aesop.director.facts_filming import read_request
from aesop.director.film_report import notes_on

# Words of English that no term has, each one letter away from one that a term has.
WORDS = words_of(
    "angel loom posh pall nosy broth mulch skims pane stow rinse punchy floaty loot doe brine"
    " carves panned craned trucked kneels shimmer oner whiz"
)


@pytest.mark.parametrize(
    ("typed", "meant", "slips"),
    [
        ("puhs in slwoly", "push in slowly", 2),
        ("oribt arround her", "orbit around her", 2),
        ("doly in", "dolly in", 1),
        ("pan lft", "pan left", 1),
        ("zooooom in", "zoom in", 1),
        ("trackin her", "tracking her", 1),
        ("lokced off", "locked off", 1),
        ("move backwords", "move backwards", 1),
    ],
)
def test_a_slip_is_read_as_the_term_that_it_nearly_is_and_told(typed: str, meant: str, slips: int):
    spelling = spelling_of(typed)
    assert spelling.words == meant
    assert len(spelling.changes) == slips
    assert set(spelling.notes) <= set(notes_on(typed))


def test_two_terms_without_a_blank_are_two_and_no_letter_of_them_is_another():
    assert spelling_of("#LowAngle #pushin").words == "Low Angle, push in"
    assert spelling_of("#LowAngle #pushin").changes == ()


def test_no_word_is_read_as_another():
    assert [word for word in WORDS if spelled(f"{word} in") != f"{word} in"] == []
    assert [word for word in term_words() if spelled(word) != word] == []


def test_names_numbers_and_other_signs_stay_as_they_were_typed():
    for words in ("Kubrick, Villeneuve", "walk_01.bvh", "don’t", "gro\u00dfaufnahme", "3dmax"):
        assert spelled(words) == words


def test_two_letters_that_changed_places_change_no_reading():
    for words in ("push in", "truck right", "slowly orbit", "tilt down"):
        for at, word in enumerate(words.split()):
            if len(word) < 4:
                continue
            slip = word[:2] + word[3] + word[2] + word[4:]
            mistyped = " ".join([*words.split()[:at], slip, *words.split()[at + 1 :]])
            assert read_request(mistyped).facts == read_request(words).facts, mistyped


def test_reading_again_changes_nothing():
    for words in ("puhs in slwoly", "#pushin", "trackin her"):
        assert spelled(spelled(words)) == spelled(words)
