"""Pace in words: a number, or a curve where it changes."""

import pytest

from aesop.director.intensity_words import (
    intensity_over,
    meant_intensity,
    pace_text,
    paced_parts,
)
from aesop.scene.intensity_curve import IntensityCurve


@pytest.mark.parametrize(
    ("words", "values", "text"),
    [
        ("the camera pushes in", [1.0], None),
        ("the camera slowly pushes in", [0.7], "slowly → 0.7"),
        ("the camera rushes in", [1.3], "rushes → 1.3"),
        ("pushes in slowly, then rushes", [0.7, 1.3], "slowly → 0.7, then rushes → 1.3"),
        ("slowly push in, then quickly pull out", [0.7, 1.3], "slowly → 0.7, then quickly → 1.3"),
        ("push in quickly at first, then slowly", [1.3, 0.7], "quickly → 1.3, then slowly → 0.7"),
        ("trucks left, then quickly pulls out", [1.0, 1.3], "usual → 1, then quickly → 1.3"),
        ("starts slowly and gets faster", [0.7, 1.3], "slowly → 0.7, then gets faster → 1.3"),
        # A pace holds until another is named.
        ("slowly pushes in, then trucks left", [0.7], "slowly → 0.7"),
        ("slowly in, then fast to the left, then slowly out", [0.7, 1.3, 0.7],
         "slowly → 0.7, then fast → 1.3, then slowly → 0.7"),
        # What goes with a person, or as far as it is told, knows no pace.
        ("quickly follows the person, then slowly", [1.0], None),
        ("a full circle slowly, then quickly", [1.0], None),
    ],
)  # fmt: skip
def test_the_pace_of_every_part(words: str, values: list[float], text: str | None):
    assert [part.intensity for part in paced_parts(words)] == values
    assert pace_text(words) == text


def test_parts_share_the_shot_and_the_end_is_its_last_third():
    curve = meant_intensity("pushes in slowly, then rushes", 6.0)
    assert curve == IntensityCurve.from_text("0:0.7 2.6:0.7 3.4:1.3")
    curve = meant_intensity("arcs left gently, and at the end swiftly pushes in", 6.0)
    assert curve == IntensityCurve.from_text("0:0.7 3.6:0.7 4.4:1.3")
    curve = meant_intensity("slowly in, then fast to the left, then slowly out", 2.4)
    assert curve == IntensityCurve.from_text("0:0.7 0.4:0.7 1.2:1.3 2:0.7")


def test_a_shot_too_short_for_a_change_keeps_the_first_pace():
    assert meant_intensity("slowly in, then fast to the left, then slowly out", 1.0) == 0.7


def test_what_is_given_wins_over_the_words():
    words, curve = "pushes in slowly, then rushes", IntensityCurve.from_text("0:1 2:0.5")
    assert intensity_over(words, 1.0, 6.0) == 1.0 and intensity_over(words, curve, 6.0) is curve
    assert isinstance(intensity_over(words, None, 6.0), IntensityCurve)
