"""Captions of segments: the form, and words against facts."""

from dataclasses import replace
from typing import Any

import pytest

from aesop.fables.segment_captions import (
    CaptionFault,
    SegmentCaption,
    caption_faults,
    parse_captions,
    read_segment_captions,
    segment_caption_table,
)
from aesop.fables.segment_table import Segment, read_segments

BASE = next(segment for segment in read_segments() if segment.id == "cmu/13_29/00")
STILL = replace(
    BASE.facts,
    postures="standing", path_m=0.1, forward_m=0.0, left_m=0.0, turn_deg=0.0, most_left_deg=0.0,
    most_right_deg=0.0, jumps=0, pelvis_m=0.9, left_hand_mps=0.3, right_hand_mps=0.3,
    left_foot_m=0.0, right_foot_m=0.0,
)  # fmt: skip
GOOD = ("a person waits with the arms down", "someone stays put", "not moving from the spot")


def faults(sentence: str, **facts: Any) -> list[str]:
    segment = Segment("own/a/00", 0.0, 3.0, "", replace(STILL, **facts))
    row = SegmentCaption("own/a/00", "act", "", "", "", "", (sentence, *GOOD[1:]))
    return [str(fault) for fault in caption_faults([row], {"own/a/00": segment})]


def test_a_good_caption_has_no_faults():
    assert faults(GOOD[0]) == []


@pytest.mark.parametrize(
    ("sentence", "facts", "agreeing"),
    [
        ("turns to the left", {"most_right_deg": 90.0}, {"most_left_deg": 90.0}),
        ("walks backward", {"forward_m": 2.0, "path_m": 2.0}, {"forward_m": -2.0, "path_m": 2.0}),
        ("walks forward", {"forward_m": -2.0, "path_m": 2.0}, {"forward_m": 2.0, "path_m": 2.0}),
        (
            "steps sideways to the left",
            {"left_m": -1.0, "path_m": 1.0},
            {"left_m": 1.0, "path_m": 1.0},
        ),
        (
            "waves the left hand",
            {"left_hand_mps": 0.1, "right_hand_mps": 0.9},
            {"left_hand_mps": 0.9, "right_hand_mps": 0.1},
        ),
        (
            "kicks with the right foot",
            {"left_foot_m": 0.7},
            {"right_foot_m": 0.7},
        ),
        ("jumps on the spot", {}, {"jumps": 1}),
        ("sits on a low seat", {}, {"pelvis_m": 0.5}),
        ("lies on the back", {}, {"postures": "lying", "pelvis_m": 0.1}),
        ("stands still", {"path_m": 2.0}, {}),
    ],
)
def test_words_that_geometry_excludes_are_errors(
    sentence: str, facts: dict[str, Any], agreeing: dict[str, Any]
):
    assert any(fault.startswith("ERROR") for fault in faults(sentence, **facts))
    assert faults(sentence, **agreeing) == []


@pytest.mark.parametrize(
    "sentence",
    ["", "waits", "A person waits", "a person waits.", "waits for 3 beats", "someone stays put",
     "waits in this segment", "a person  waits", "waits – then goes"],
)  # fmt: skip
def test_sentences_of_another_form_are_errors(sentence: str):
    assert any(fault.startswith("ERROR") for fault in faults(sentence))


def test_labels_ids_and_shared_sentences_are_checked():
    row = SegmentCaption("own/a/00", "act", "", "", "", "", GOOD)
    one = Segment("own/a/00", 0.0, 3.0, "", STILL)
    other = Segment("own/a/01", 3.0, 6.0, "", replace(STILL, postures="lying"))
    segments = {one.id: one, other.id: other}
    assert caption_faults([row], segments) == []
    for changed in (
        replace(row, side="top"), replace(row, verb="Act!"), replace(row, direction="north"),
        replace(row, count="many"), replace(row, id="own/b/00"),
    ):  # fmt: skip
        assert [fault.is_error for fault in caption_faults([changed], segments)] == [True]
    twice = caption_faults([row, row], segments)
    assert [fault.text for fault in twice] == ["is written twice"]
    shared = caption_faults([row, replace(row, id=other.id)], segments)
    assert len(shared) == 3 and not any(fault.is_error for fault in shared)


def test_tables_are_read_as_written_and_wrong_rows_are_told():
    row = SegmentCaption("own/a/00", "act", "left", "up", "2", "slowly", GOOD)
    found: list[CaptionFault] = []
    assert parse_captions(segment_caption_table([row]), "t", found) == [row]
    assert not found
    assert parse_captions(segment_caption_table([row]) + "x\ty\n", "t", found) == [row]
    assert "line 3 has 2 cells" in str(found[0])


def test_shipped_captions_have_no_errors():
    segments = {segment.id: segment for segment in read_segments()}
    errors = [f for f in caption_faults(read_segment_captions(), segments) if f.is_error]
    assert not errors
