"""Captions of others are read into movement classes; our own are read back in test_grammar."""

import pytest

from aesop.camera_words.caption_reader import movements_in
from aesop.scene.movement import TAG_NAMES


@pytest.mark.parametrize(
    ("caption", "names"),
    [
        ("While the character moves to the right, the camera trucks right and booms top.",
         ["trucking_right+boom_top"]),
        ("The camera remains static while the character walks to the left.", ["static"]),
        ("The camera pushes in, then trucks left as the character turns right.",
         ["push_in", "trucking_left"]),
        ("As the character runs forward the camera pulls out.", ["pull_out"]),
        ("The character walks forward, and the camera trucks left.", ["trucking_left"]),
        ("The camera moves forward, remains static, and then trucks right",
         ["push_in", "static", "trucking_right"]),
        ("the camera pans right and zooms in", []),
        ("The camera trucks right after pulling out.", ["pull_out", "trucking_right"]),
        ("The camera pushes in and pulls out.", ["push_in", "pull_out"]),
        ("A person sits on a chair.", []),
    ],
)  # fmt: skip
def test_captions_in_the_style_of_et_are_understood(caption: str, names: list[str]) -> None:
    assert [TAG_NAMES[tag] for tag in movements_in(caption)] == names
