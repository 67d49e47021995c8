"""Laws of outlines: they cover the path, and reversing twice changes nothing."""

import numpy as np

from aesop.camera_words.outline import SIGNS, TAG_OF, Kind, dominant_tag, outline_of
from aesop.scene.movement import CLASSES, signs_from_tag


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


def test_signs_and_classes_are_each_other_s_inverse() -> None:
    assert [TAG_OF[signs] for signs in SIGNS] == list(range(CLASSES))
    for tag in range(CLASSES):
        x, y, z = SIGNS[tag]
        assert np.array_equal(signs_from_tag(np.asarray(TAG_OF[-x, -y, -z])), [-x, -y, -z])


def test_the_dominant_class_holds_most_transitions_in_all() -> None:
    outline = outline_of(np.repeat([9, 0, 9], [30, 41, 29]))
    assert dominant_tag(outline) == 9
