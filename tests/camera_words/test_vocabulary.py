"""Pairs of words differ; mirrored captions: sides change places, turns of phrase stay."""

import re

import pytest

from aesop.camera_words import vocabulary
from aesop.camera_words.vocabulary import mirror_caption
from aesop.fables.takes import read_takes

CAPTIONS = sorted({caption for take in read_takes() for caption in take.captions})


@pytest.mark.parametrize(
    ("text", "mirrored"),
    [
        ("kicks with the left leg", "kicks with the right leg"),
        ("Left, then a drive to the right", "Right, then a drive to the left"),
        ("curving leftward", "curving rightward"),
        ("faking right before going left", "faking left before going right"),
        ("then cuts left at a right angle", "then cuts right at a right angle"),
        ("a left-sided fighting stance", "a right-sided fighting stance"),
        ("to the right over the wall", "to the left over the wall"),
        ("spins clockwise", "spins anticlockwise"),
        ("spins counter-clockwise", "spins clockwise"),
        ("turns right into the street", "turns left into the street"),
    ],
)
def test_sides_change_places(text: str, mirrored: str) -> None:
    assert mirror_caption(text) == mirrored


@pytest.mark.parametrize(
    "text",
    [
        "walks upright", "someone left the room", "it is all right", "leaves right away",
        "walks and turns at right angles", "makes right-angle turns", "gets a fright",
        "running right through without a pause", "running right over an obstacle",
    ],
)  # fmt: skip
def test_what_is_no_side_stays(text: str) -> None:
    assert mirror_caption(text) == text


def test_mirroring_twice_gives_every_caption_back() -> None:
    for caption in CAPTIONS:
        assert mirror_caption(mirror_caption(caption)) == caption


def test_every_side_in_the_table_changes_and_nothing_else() -> None:
    changed = {caption for caption in CAPTIONS if mirror_caption(caption) != caption}
    with_sides = {caption for caption in CAPTIONS if re.search(r"\b(?:left|right)", caption)}
    assert changed < with_sides
    # Looked at one by one: right angles, and "right" for emphasis.
    assert {caption for caption in with_sides - changed} == {
        "a person walks at a regular pace making right angle turns",
        "a person walks sternly and makes right angle turns",
        "a person walks slowly and turns at right angles",
        "a person walks like a zombie and makes right angle turns",
        "a person walks with attitude, turning at right angles",
        "running right through without a pause",
        "running right over an obstacle",
    }
    sides = re.compile(r"\b(?:left|right)")
    for caption in changed:
        assert sides.sub("·", mirror_caption(caption)) == sides.sub("·", caption)


def test_both_words_of_every_pair_differ() -> None:
    pairs = [pair for axis in range(3) for pair in vocabulary.VERBS[axis] + vocabulary.NOUNS[axis]]
    pairs += [*vocabulary.ARC_VERBS, *vocabulary.ARC_NOUNS, *vocabulary.FOLLOW_VERBS]
    assert all(plus != minus for plus, minus in pairs)
