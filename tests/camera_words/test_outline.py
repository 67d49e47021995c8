"""Laws of outlines: they cover the path, and reversing twice changes nothing."""

import numpy as np

from aesop.camera_words.outline import (
    Kind,
    Movement,
    dominant_tag,
    outline_of,
    reversed_outline,
    reversed_tag,
)
from aesop.scene.movement import CLASSES, TAG_NAMES, signs_from_tag


def test_an_outline_covers_every_transition_once() -> None:
    tags = np.repeat([9, 0, 9, 22], [31, 29, 37, 41])
    outline = outline_of(tags)
    assert [move.tag for move in outline] == [9, 0, 9, 22]
    rebuilt = np.concatenate([np.full(move.stop - move.first, move.tag) for move in outline])
    assert np.array_equal(rebuilt, tags)
    assert {move.kind for move in outline} == {"plain"}


def held(kind: Kind, transitions: int) -> list[Kind]:
    return [kind] * transitions


def test_a_movement_is_of_the_kind_that_most_of_it_was_meant_as() -> None:
    tags = np.repeat([9, 2], [29, 31])
    kinds = held("arc", 17) + held("plain", 26) + held("lead", 17)
    assert [move.kind for move in outline_of(tags, kinds)] == ["arc", "lead"]


def test_reversing_negates_every_axis_and_is_its_own_inverse() -> None:
    for tag in range(CLASSES):
        there = signs_from_tag(np.asarray(tag))
        back = signs_from_tag(np.asarray(reversed_tag(tag)))
        assert np.array_equal(back, -there)
        assert reversed_tag(reversed_tag(tag)) == tag
    assert TAG_NAMES[reversed_tag(TAG_NAMES.index("push_in"))] == "pull_out"


def test_who_follows_leads_in_reverse() -> None:
    outline = (Movement(1, 0, 30, "follow"), Movement(9, 30, 70, "arc"))
    turned = reversed_outline(outline)
    assert [move.kind for move in turned] == ["lead", "arc"]
    assert reversed_outline(turned) == outline


def test_the_dominant_class_holds_most_transitions_in_all() -> None:
    outline = outline_of(np.repeat([9, 0, 9], [30, 41, 29]))
    assert dominant_tag(outline) == 9
