"""Cutting takes at changes of action, the facts of a segment, and the table that ships."""

from itertools import groupby, pairwise

import numpy as np
import pytest
import torch
from jaxtyping import Float

from aesop.fables import segments
from aesop.fables.motion_sets import read_set_takes
from aesop.fables.segment_facts import SegmentFacts, facts_text, segment_facts
from aesop.fables.segment_table import parse_segments, read_segments, segment_table
from aesop.fables.segments import best_cut, boundary_agreement, cut_segments
from aesop.fables.synthetic import synthetic_motion
from aesop.scene.human import HumanMotion, mirrored, turned

FRAMES = 127


def motion(action: str, frames: int = FRAMES, seed: int = 3) -> HumanMotion:
    return synthetic_motion(action, frames, np.random.default_rng(seed)).clip.motion


def arrays(
    of: HumanMotion,
) -> tuple[Float[np.ndarray, "frames 22 3"], Float[np.ndarray, " frames"]]:
    return of.joints.double().numpy(), of.yaw.double().numpy()


def facts(of: HumanMotion) -> SegmentFacts:
    return segment_facts(*arrays(of), 0, of.frames)


def test_levels_are_cut_where_they_change():
    levels = np.repeat([[0.0, 3.0], [4.0, 3.0], [4.0, -2.0]], [11, 13, 17], axis=0)
    assert best_cut(levels) == [0, 11, 24, 41]


def test_a_level_curve_is_cut_only_because_it_is_long():
    usual = round(segments.USUAL_S * 5)
    assert best_cut(np.zeros((usual, 3))) == [0, usual]
    edges = best_cut(np.zeros((149, 3)))
    lengths = [(stop - first) / 5 for first, stop in pairwise(edges)]
    assert max(lengths) <= segments.LONGEST_S


def test_a_higher_price_never_gives_more_segments(monkeypatch: pytest.MonkeyPatch):
    levels = np.cumsum(np.random.default_rng(5).normal(size=(97, 3)), axis=0)
    counts: list[int] = []
    for price in (0.5, 2.0, 6.0, 20.0, 80.0):
        monkeypatch.setattr(segments, "CUT_PRICE", price)
        counts.append(len(best_cut(levels)) - 1)
    assert counts == sorted(counts, reverse=True) and counts[0] > counts[-1]


@pytest.mark.parametrize("action", ["walk", "sit", "jump"])
def test_segments_cover_a_take_without_gaps_wherever_it_stands(action: str):
    take = motion(action, 311)
    cut = cut_segments(*arrays(take))
    assert cut[0][0] == 0 and cut[-1][1] == take.frames
    assert all(stop == first for (_, stop), (first, _) in pairwise(cut))
    assert all(stop - first >= segments.SHORTEST_S * 25 for first, stop in cut)
    elsewhere = turned(take, torch.tensor(1.1, dtype=take.joints.dtype))
    assert cut_segments(*arrays(elsewhere)) == cut


def test_a_take_too_short_to_be_cut_stays_whole():
    assert cut_segments(*arrays(motion("walk", 19))) == [(0, 19)]


def test_boundaries_match_one_to_one():
    assert boundary_agreement([1.0, 1.2, 5.0], [1.1, 9.0]) == (3, 2, 1)
    assert boundary_agreement([1.0, 2.0], [1.4, 1.5]) == (2, 2, 2)
    assert boundary_agreement([], [2.0]) == (0, 1, 0)


def test_a_mirror_exchanges_left_and_right_and_keeps_the_rest():
    for action in ("wave", "turn", "walk_curve"):
        straight, back = facts(motion(action)), facts(mirrored(motion(action)))
        assert (straight.left_hand, straight.right_hand) == (back.right_hand, back.left_hand)
        assert (straight.left_strokes, straight.right_strokes) == (
            back.right_strokes, back.left_strokes,
        )  # fmt: skip
        assert straight.turn_deg == -back.turn_deg
        assert straight.most_left_deg == back.most_right_deg
        # Two decimals are kept.
        assert straight.left_m == pytest.approx(-back.left_m, abs=0.011)
        assert straight.forward_m == pytest.approx(back.forward_m, abs=0.011)
        assert straight.postures == back.postures


def test_what_made_up_people_do_is_found():
    assert facts(motion("walk")).forward_m > 1.0 and facts(motion("walk")).steps >= 4
    assert facts(motion("walk_back")).forward_m < -0.5
    assert abs(facts(motion("turn")).turn_deg) > 40
    assert facts(motion("jump")).jumps >= 1
    assert max(facts(motion("wave")).left_strokes, facts(motion("wave")).right_strokes) >= 3
    assert "sitting" in facts(motion("sit")).postures.split(">")
    assert facts(motion("stand")).postures == "standing"
    assert facts(motion("stand")).path_m < 0.25


def test_facts_do_not_depend_on_place_and_heading():
    take = motion("wave")
    elsewhere = turned(take, torch.tensor(-2.3, dtype=take.joints.dtype))
    for one, other in zip(
        facts_text(facts(take), 5.1), facts_text(facts(elsewhere), 5.1), strict=True
    ):
        assert one == other


def test_the_text_says_sides():
    right = facts(mirrored(motion("turn")))
    left = facts(motion("turn"))
    assert {" ".join(facts_text(it, 5.0)).count("turns left") > 0 for it in (left, right)} == {
        True, False,
    }  # fmt: skip


def test_the_shipped_table_is_gapless_and_knows_its_takes():
    table = read_segments()
    assert len(table) > 7000
    assert len({segment.id for segment in table}) == len(table)
    takes = {take.id for take in read_set_takes()}
    for take_id, group in groupby(table, key=lambda segment: segment.take_id):
        rows = list(group)
        assert take_id in takes
        assert [row.id for row in rows] == [f"{take_id}/{at:02d}" for at in range(len(rows))]
        assert rows[0].start_s == 0.0
        assert all(one.end_s == other.start_s for one, other in pairwise(rows))


def test_tables_are_read_as_written():
    some = read_segments()[:53]
    assert parse_segments(segment_table(some), "some") == some
