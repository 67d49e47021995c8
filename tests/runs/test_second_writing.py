"""Two writings of the same segments: what agrees with itself, and what falls to chance."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from aesop.fables.segment_captions import read_segment_captions
from aesop.fables.segment_table import Segment, read_segments
from aesop.metrics.bootstrap import each_apart
from tests.runs.scripts import script
from tests.tolerances import rounded64

agreement = script("caption_agreement")
writing = script("second_writing")


def shipped(some: int) -> list[Any]:
    """First captions that ship, spread over the table."""
    rows = read_segment_captions()
    return [writing._first(row) for row in rows[:: len(rows) // some]][:some]


def unit(dice: np.random.Generator, rows: int, width: int) -> np.ndarray:
    vectors = dice.standard_normal((rows, width))
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def test_a_writing_agrees_with_itself():
    rows = shipped(101)
    for name, part in agreement.PARTS.items():
        answers = [part(row) for row in rows]
        found = agreement.part_agreement(answers, answers, each_apart(len(rows)))
        assert (found.equal, found.kappa) == (1.0, 1.0), name
    assert not any(agreement.contradictions(row, row) for row in rows)
    vectors = unit(np.random.default_rng(3), 53, 11)
    alike = agreement.likeness(vectors, vectors, seed=5)
    assert (alike.auc, alike.first_rank, alike.median_rank) == (1.0, 1.0, 1.0)


def test_shuffled_writings_fall_to_chance():
    dice = np.random.default_rng(7)
    answers = dice.choice(["walk", "turn", "sit"], 307, p=[0.7, 0.2, 0.1]).tolist()
    shuffled = [
        agreement.part_agreement(answers, dice.permutation(answers).tolist(), each_apart(307))
        for _ in range(13)
    ]
    # By chance alone more than half is equal: kappa must not be fooled by it.
    assert np.mean([found.equal for found in shuffled]) > 0.5
    # Four standard errors of a mean of 13 kappas of 307 answers.
    assert abs(np.mean([found.kappa for found in shuffled])) < 4 / np.sqrt(13 * 307)
    alike = agreement.likeness(unit(dice, 307, 29), unit(dice, 307, 29), seed=5)
    # Four standard errors: 307 right pairs among uniform ranks.
    assert abs(alike.auc - 0.5) < 4 * np.sqrt(1 / 12 / 307)
    assert abs(alike.first_rank - 1 / 32) < 4 * np.sqrt(1 / 32 / 307)


def test_kappa_has_the_textbook_value():
    """Twenty and fifteen agree, five and ten do not: 0.7 equal, 0.5 by chance."""
    first = np.repeat([0, 0, 1, 1], [20, 5, 10, 15])
    second = np.repeat([0, 1, 0, 1], [20, 5, 10, 15])
    assert agreement.kappa(first, second, np.ones(50)) == pytest.approx(0.4, abs=rounded64(50, 1))
    cells = (np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([20.0, 5.0, 10.0, 15.0]))
    assert agreement.kappa(*cells) == pytest.approx(0.4, abs=rounded64(50, 1))


def mirrored(row: Any) -> Any:
    other = {"left": "right", "right": "left"}
    manner, *words = (
        re.sub(r"\b(left|right)\b", lambda it: other[it[1]], text)
        for text in (row.manner, *row.sentences)
    )
    side = other.get(row.side, row.side)
    return replace(row, side=side, manner=manner, sentences=tuple(words))


def test_a_mirrored_caption_contradicts():
    rows = shipped(401)
    sided = [row for row in rows if len(agreement.things_said(row, "hand")) == 1]
    assert len(sided) > 17
    for row in sided:
        assert any(it.startswith("hand: ") for it in agreement.contradictions(row, mirrored(row)))
    for one, other in pairwise(rows):
        here, there = agreement.contradictions(one, other), agreement.contradictions(other, one)
        assert len(here) == len(there)


def test_the_draw_spreads_over_takes():
    segments = read_segments()
    captioned = frozenset(row.id for row in read_segment_captions())
    shares = {"cmu_more": 101, "rocketbox": 11}  # nearly all takes of one set

    def ids(seed: int) -> Sequence[str]:
        found: list[Segment] = writing.drawn(segments, captioned, shares, seed)
        assert len({it.take_id for it in found}) == len(found) == 112
        assert sum(it.id.startswith("rocketbox/") for it in found) == 11
        assert captioned.issuperset(it.id for it in found)
        return [it.id for it in found]

    assert ids(2) == ids(2) != ids(3)


def test_everything_that_contradicts_was_looked_at():
    twice = writing.twice_written()
    assert len({row.id for row in twice}) == len(twice) == 300
    judged = writing._judged(twice)
    assert judged and all(row["right"] in writing.RIGHT for row in judged)
