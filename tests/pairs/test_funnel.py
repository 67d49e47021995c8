"""Counting: in sequence, alone, and by the tries of a source."""

import numpy as np

from aesop.pairs.gates import Funnel, FunnelStage, GateList, Verdicts, counted, funnel_text
from aesop.pairs.intensity_gates import Tries, source_stage, try_stages


def some_verdicts(dice: np.random.Generator, clips: int, gates: int) -> Verdicts:
    names = tuple(f"gate{i}" for i in range(gates))
    return Verdicts(names, dice.random((clips, gates)) < 0.7, dice.random((clips, gates)))


def test_losses_in_sequence_add_up_and_losses_alone_do_not_know_each_other():
    dice = np.random.default_rng(0)
    verdicts = some_verdicts(dice, 211, 5)
    concerned = dice.random(211) < 0.6
    stage = counted("target", verdicts, concerned, str, "salt")
    assert stage.entered == concerned.sum()
    assert stage.left == (verdicts.accepted & concerned).sum()
    assert stage.entered - sum(gate.lost for gate in stage.gates) == stage.left
    for at, gate in enumerate(stage.gates):
        before = verdicts.passed[:, :at].all(axis=1) & concerned
        lost = before & ~verdicts.passed[:, at]
        assert gate.lost == lost.sum()
        assert gate.lost_alone == (concerned & ~verdicts.passed[:, at]).sum()
        assert gate.median == np.median(verdicts.values[concerned, at])
        assert gate.examples and all(lost[int(name)] for name in gate.examples)


def test_gates_that_concern_nobody_are_left_out():
    screen = GateList(3)
    screen.at_least("for some", np.array([1.0, 2.0, 3.0]), 2.0, np.array([True, True, False]))
    found = screen.verdicts
    assert found.passed[:, 0].tolist() == [False, True, True] and np.isnan(found.values[2, 0])
    assert counted("s", found, np.array([False, False, True]), str, "").gates == ()
    assert counted("s", found, np.array([True, False, True]), str, "").gates[0].lost == 1


def test_nan_passes_no_gate():
    screen = GateList(1)
    nan = np.array([np.nan])
    screen.at_least("least", nan, 0.0)
    screen.at_most("most", nan, 0.0)
    screen.between("between", nan, (0.0, 1.0))
    assert not screen.verdicts.passed.any()


def some_tries(
    dice: np.random.Generator, sources: int, tries: int, gates: int
) -> tuple[Tries, Tries]:
    """The same tries, all made, and made only up to the first that passes."""
    passed = dice.random((sources, 2, tries, gates)) < 0.8
    good = passed.all(-1)
    first = np.where(good.any(-1), good.argmax(-1), tries)
    reached = np.arange(tries) <= first[..., None]
    names = tuple(f"gate{i}" for i in range(gates))
    labels = dice.random((sources, 2, tries))
    rows = np.arange(sources)
    every = np.ones_like(reached)
    lazy = Tries(rows, names, labels, reached, passed & reached[..., None])
    return Tries(rows, names, labels, every, passed), lazy


def test_tries_that_were_not_made_change_no_count_of_sources():
    whole, lazy = some_tries(np.random.default_rng(2), 127, 3, 5)
    first, second = source_stage(whole, str, ""), source_stage(lazy, str, "")
    assert first == second
    assert first.left == whole.has_both_sides.sum() == lazy.has_both_sides.sum()
    assert 0 < first.left < 127
    assert first.entered - sum(gate.lost for gate in first.gates) == first.left
    for at, gate in enumerate(first.gates):
        has_one = whole.passed[..., at].any(axis=-1).all(axis=-1)
        assert gate.lost_alone == (~has_one).sum()


def test_tries_are_counted_on_each_side():
    _, lazy = some_tries(np.random.default_rng(3), 53, 3, 2)
    for side, stage in enumerate(try_stages(lazy)):
        assert stage.entered == lazy.tried[:, side].sum()
        assert stage.left == lazy.accepted[:, side].sum()
        assert stage.entered - sum(gate.lost for gate in stage.gates) == stage.left


def test_the_side_with_fewer_labels_begins_again():
    labels = np.array([[[0.1, 0.2, 0.3, 0.4, 0.5], [1.1, 1.2, 1.3, 1.4, 1.5]]])
    tried = np.ones_like(labels, np.bool_)
    tried[0, 1, 4] = False  # passed by no one, as it was not tried
    passed = np.array([[[0, 1, 0, 1, 0], [1, 0, 1, 1, 1]]], np.bool_)[..., None]
    tries = Tries(np.zeros(1, np.int64), ("gate",), labels, tried, passed)
    assert tries.pairs_of(0) == [(0.2, 1.1), (0.4, 1.3), (0.2, 1.4)]
    passed[0, 1] = False
    assert tries.pairs_of(0) == [] and not tries.has_both_sides.any()


def test_the_table_marks_what_cannot_fail():
    verdicts = some_verdicts(np.random.default_rng(1), 7, 2)
    stage = counted("target", verdicts, np.ones(7, np.bool_), str, "")
    text = funnel_text((Funnel("One", (stage, FunnelStage("kept", 0, 0, ()))),), {"One": ["gate1"]})
    assert "| target | gate0 | 7 |" in text and "gate1 (by construction)" in text
    assert f"**{stage.left:,}**" in text
