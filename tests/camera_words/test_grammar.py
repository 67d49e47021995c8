"""Laws of camera captions: they can be read back, turned round, and say nothing of amounts."""

import re
from dataclasses import replace
from itertools import groupby
from typing import get_args

import numpy as np
import pytest

from aesop.camera_words.caption_reader import movements_in
from aesop.camera_words.grammar import MINIMAL_CAPTIONS, camera_caption
from aesop.camera_words.outline import SIGNS, TAG_OF, Kind, Movement
from aesop.scene.movement import CLASSES, TAG_NAMES

KINDS: tuple[Kind, ...] = get_args(Kind)

OPPOSITES = (
    ("left", "right"), ("leftward", "rightward"), ("leftwards", "rightwards"), ("up", "down"),
    ("upward", "downward"), ("upwards", "downwards"), ("top", "bottom"), ("forward", "backward"),
    ("forwards", "backwards"), ("closer", "away"), ("higher", "lower"), ("ahead", "back"),
)  # fmt: skip


def random_outline(dice: np.random.Generator, most: int = 4) -> list[Movement]:
    count = int(dice.integers(1, most + 1))
    tags = [int(dice.integers(CLASSES)) if dice.random() < 0.8 else 0 for _ in range(count)]
    return [
        Movement(tag, 30 * i, 30 * i + 30, KINDS[int(dice.integers(len(KINDS)))])
        for i, tag in enumerate(tags)
    ]


def reversed_tag(tag: int) -> int:
    x, y, z = SIGNS[tag]
    return TAG_OF[-x, -y, -z]


def reversed_outline(outline: list[Movement]) -> list[Movement]:
    """Every movement the other way: who followed now leads."""
    turned: dict[Kind, Kind] = {"follow": "lead", "lead": "follow"}
    return [
        replace(move, tag=reversed_tag(move.tag), kind=turned.get(move.kind, move.kind))
        for move in outline
    ]


def merged_tags(outline: list[Movement]) -> list[int]:
    return [tag for tag, _ in groupby(move.tag for move in outline)]


@pytest.mark.parametrize("tag", range(CLASSES))
def test_every_class_can_be_read_back_from_its_caption(tag: int) -> None:
    dice = np.random.default_rng(tag)
    for kind in KINDS * 7:
        pair = camera_caption([Movement(tag, 0, 47, kind)], dice)
        assert movements_in(pair.caption) == [tag], pair.caption
        assert movements_in(pair.reversed_caption) == [reversed_tag(tag)], pair.reversed_caption


def test_every_sequence_can_be_read_back_from_its_caption() -> None:
    dice = np.random.default_rng(2)
    for _ in range(1000):
        outline = random_outline(dice)
        pair = camera_caption(outline, dice)
        tags = merged_tags(outline)
        assert movements_in(pair.caption) == tags, pair.caption
        assert movements_in(pair.reversed_caption) == [reversed_tag(tag) for tag in tags]


def test_the_twin_of_the_twin_is_the_caption() -> None:
    dice = np.random.default_rng(3)
    for seed in range(400):
        outline = random_outline(dice)
        pair = camera_caption(outline, np.random.default_rng(seed))
        twin = camera_caption(reversed_outline(outline), np.random.default_rng(seed))
        assert (twin.caption, twin.reversed_caption) == (pair.reversed_caption, pair.caption)


def test_the_twin_is_the_caption_itself_only_if_nothing_moves() -> None:
    dice = np.random.default_rng(5)
    for _ in range(400):
        outline = random_outline(dice, most=2)
        pair = camera_caption(outline, dice)
        static = all(move.tag == 0 for move in outline)
        assert (pair.caption == pair.reversed_caption) == static


def test_twins_are_of_nearly_equal_length() -> None:
    dice = np.random.default_rng(7)
    for _ in range(400):
        outline = random_outline(dice)
        pair = camera_caption(outline, dice)
        difference = len(pair.caption.split()) - len(pair.reversed_caption.split())
        assert abs(difference) <= 2 * len(outline) + 1


def test_every_direction_word_turns_round() -> None:
    dice = np.random.default_rng(11)
    # "Back away" in one sentence is "come closer" in the other: count by sense, not by word.
    sides = [word for pair in OPPOSITES[:3] for word in pair]
    for _ in range(400):
        pair = camera_caption(random_outline(dice), dice)
        here, there = (
            re.findall(r"[a-z]+", text.lower()) for text in (pair.caption, pair.reversed_caption)
        )
        for word in sides:
            opposite = next(b if a == word else a for a, b in OPPOSITES if word in (a, b))
            assert here.count(word) == there.count(opposite), pair


def test_words_do_not_depend_on_when_or_how_long() -> None:
    dice = np.random.default_rng(13)
    for seed in range(50):
        outline = random_outline(dice)
        stretched = [
            replace(move, first=7 * move.first, stop=7 * move.stop + 3) for move in outline
        ]
        assert camera_caption(outline, np.random.default_rng(seed)) == camera_caption(
            stretched, np.random.default_rng(seed)
        )


def test_no_word_hints_at_an_amount() -> None:
    amounts = re.compile(
        r"\b(?:slow|fast|quick|rapid|swift|gentl|slight|far|farther|further|brief|long|short"
        r"|little|bit|creep|inch|rush|sweep|dart|drift|ease|eas|race|zip|snap|steadi|sudden|wide"
        r"|gradual|deep|great|small|big|much|very|all the way|seconds?|frames? \d|\d)\w*"
    )
    dice = np.random.default_rng(17)
    for _ in range(800):
        caption = camera_caption(random_outline(dice), dice).caption.lower()
        assert not amounts.search(caption), caption


def test_equal_neighbours_are_told_once() -> None:
    first, second = Movement(18, 0, 31), Movement(18, 31, 67, "arc")
    for seed in range(20):
        once = camera_caption([first], np.random.default_rng(seed))
        assert camera_caption([first, second], np.random.default_rng(seed)) == once


def test_captions_are_varied_and_of_readable_length() -> None:
    dice = np.random.default_rng(23)
    for tag in (0, 1, 9, 6, 19):
        captions = [camera_caption([Movement(tag, 0, 40)], dice).caption for _ in range(200)]
        assert len(set(captions)) > 170
    captions = [camera_caption(random_outline(dice, most=3), dice).caption for _ in range(800)]
    assert 5 <= np.mean([len(caption.split()) for caption in captions]) <= 25
    words = {word for caption in captions for word in re.findall(r"[a-z]+", caption.lower())}
    assert len(words) > 250
    # What E.T. says must be among what we say.
    assert words > {"trucks", "trucking", "boom", "top", "bottom", "push", "pull", "static"}


def test_plain_words_of_each_caption_tell_its_class() -> None:
    """A least-squares classifier on word counts, the plainest there is."""
    dice = np.random.default_rng(29)
    tags = dice.integers(CLASSES, size=1000)
    texts = [
        re.findall(r"[a-z]+", camera_caption([Movement(int(tag), 0, 40)], dice).caption.lower())
        for tag in tags
    ]
    column = {word: i for i, word in enumerate(sorted({word for text in texts for word in text}))}
    counts = np.zeros((len(texts), len(column) + 1))
    counts[:, -1] = 1
    for row, text in enumerate(texts):
        for word in text:
            counts[row, column[word]] = 1
    train, test = slice(0, 800), slice(800, None)
    signs = np.stack([tags // 9 == 1, tags // 9 == 2, tags // 3 % 3 == 1, tags // 3 % 3 == 2,
                      tags % 3 == 1, tags % 3 == 2], axis=1)  # fmt: skip
    weights, *_ = np.linalg.lstsq(counts[train], signs[train].astype(float), rcond=None)
    guessed = counts[test] @ weights > 0.5
    assert (guessed == signs[test]).mean() > 0.97


def test_minimal_captions_say_what_their_class_is() -> None:
    assert {tag: movements_in(text) for tag, text in MINIMAL_CAPTIONS.items()} == {
        tag: [tag] for tag in MINIMAL_CAPTIONS
    }
    assert {TAG_NAMES[tag] for tag in MINIMAL_CAPTIONS} == {
        "trucking_left", "trucking_right", "push_in", "pull_out"
    }  # fmt: skip
