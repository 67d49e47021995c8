"""Captions as PulpMotion writes them: 354 sentences with readings checked by hand.

A reading has a letter for each direction (R and L truck, T and B boom, I and O dolly, S static),
`+` where they go together and `>` where one follows another; `-` says nothing of where it goes.
"""

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from aesop.camera_words.caption_reader import camera_part, movements_in
from aesop.camera_words.direction_swap import reversed_caption, reversed_words
from aesop.camera_words.grammar import camera_caption
from aesop.camera_words.outline import SIGNS, TAG_OF, Movement

LETTERS = {
    "R": (1, 0, 0), "L": (-1, 0, 0), "B": (0, 1, 0), "T": (0, -1, 0), "I": (0, 0, 1),
    "O": (0, 0, -1), "S": (0, 0, 0),
}  # fmt: skip


@cache
def sentences() -> tuple[tuple[str, tuple[int, ...]], ...]:
    path = Path(__file__).with_name("pulpmotion_captions.tsv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return tuple((row["caption"], tags_of(row["reading"])) for row in rows)


def tags_of(reading: str) -> tuple[int, ...]:
    if reading == "-":
        return ()
    steps = [[LETTERS[letter] for letter in step.split("+")] for step in reading.split(">")]
    sums = [tuple(np.sum(step, axis=0).tolist()) for step in steps]
    return tuple(TAG_OF[x, y, z] for x, y, z in sums)


def opposite(tags: list[int] | tuple[int, ...]) -> list[int]:
    return [TAG_OF[-x, -y, -z] for x, y, z in (SIGNS[tag] for tag in tags)]


def test_there_are_enough_sentences_and_each_is_there_once():
    captions = [caption for caption, _ in sentences()]
    assert len(captions) == len(set(captions)) >= 300
    single = {tags for _, tags in sentences() if len(tags) == 1}
    assert len(single) >= 18  # of the 27 classes


@pytest.mark.parametrize(("caption", "tags"), sentences(), ids=lambda it: it[:40] if it else "")
def test_a_caption_is_read_as_a_person_reads_it(caption: str, tags: tuple[int, ...]):
    assert movements_in(caption) == list(tags)


def test_words_that_are_turned_round_say_the_opposite_and_turned_twice_what_they_said():
    for caption, tags in sentences():
        turned = reversed_words(caption)
        if not any(tags):
            assert turned is None, caption
            continue
        assert turned is not None, caption
        assert movements_in(turned) == opposite(tags), turned
        again = reversed_words(turned)
        assert again is not None and movements_in(again) == list(tags), again


def test_what_the_person_does_is_not_turned_round():
    assert reversed_words("The camera trucks right as the man walks left, then pushes in.") == (
        "The camera trucks left as the man walks left, then pulls out."
    )
    assert reversed_words("Pushing in, the camera keeps him in the right half.") == (
        "Pulling out, the camera keeps him in the right half."
    )
    assert reversed_words("There is a push-in on the person moving forward.") == (
        "There is a pull-out on the person moving forward."
    )


def test_every_character_of_what_is_read_stands_where_it_stood():
    for caption, _ in sentences():
        part = camera_part(caption)
        assert len(part) == len(caption)
        kept = [(a, b) for a, b in zip(part, caption.lower(), strict=True) if a != " "]
        assert all(a == b for a, b in kept)
    assert len(camera_part("İ pushes in")) == len("İ pushes in")


def test_our_own_captions_are_turned_round_or_left_alone():
    """The reader and the swap know more than one style; most of Fables' is among it."""
    dice = np.random.default_rng(11)
    turned = 0
    for number in range(400):
        tag = (1, 2, 9, 18)[number % 4]
        caption = camera_caption((Movement(tag, 0, 31),), dice).caption
        words = reversed_words(caption)
        turned += words is not None
        assert words is None or movements_in(words) == opposite([tag]), words
    assert turned > 0.85 * 400  # 359 of these; the others keep words that have no opposite


def test_a_stored_twin_comes_before_a_swap():
    assert reversed_caption(["The camera trucks right."], ["Left it goes."]) == "Left it goes."
    assert reversed_caption(["The camera trucks right."], []) == "The camera trucks left."
    assert reversed_caption(["The camera stays."], []) == reversed_caption([], []) == ""
