"""Two presets: nothing between a thing and itself, closed forms where paths are moved."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.measuring.cases import Bench, judge
from aesop.measuring.methods import ReferenceMethod
from aesop.measuring.preset_distance import (
    Look,
    References,
    compare_looks,
    look_at_references,
    look_at_shots,
    measure_presets,
)
from aesop.metrics.metric_book import MetricError
from aesop.pages.result_pages import presets_text, write_pages, write_result
from aesop.scene.movement import CLASSES
from aesop.scene.shot import Shot
from tests.measuring.makers import ObedientMethod, quiet
from tests.tolerances import GEOMETRY32, frechet32, network32


def moved(shot: Shot, *offset: float) -> Shot:
    return replace(
        shot, camera=replace(shot.camera, centre=shot.camera.centre + torch.tensor(offset))
    )


def look(bench: Bench, shots: list[Shot], name: str = "made") -> Look:
    embeddings = bench.evaluators.cameras.embed_shots(shots)
    return look_at_shots(bench.cases.cases[: len(shots)], shots, embeddings, name)


def test_there_is_nothing_between_a_preset_and_itself(bench: Bench):
    reference = look_at_references(bench)
    made = look(bench, [moved(it, 0.3, 0.0, 0.1) for it in bench.cases.references])
    found = compare_looks(reference, [made], [made])
    assert [it.metric for it in found.differences] == ["fdc", "r_fpd"]
    for it in found.differences:
        assert it.first == it.second > 0 and it.percent == 0
        assert it.interval is not None and (it.interval.low, it.interval.high) == (0, 0)
    assert [it.metric for it in found.changes] == ["f1", "out"]
    for it in found.changes:
        assert it.first == it.second and it.change == 0
        assert it.interval is not None and (it.interval.low, it.interval.high) == (0, 0)
    assert found.apart_interval is not None
    assert found.apart_m == found.farthest_m == found.apart_interval.high == 0


def test_distances_are_those_of_the_tables_and_paths_are_metres_apart(bench: Bench):
    shots = [moved(it, 0.3, 0.0, 0.1) for it in bench.cases.references]
    others = [moved(it, 0.3, 0.0, 0.5) for it in bench.cases.references]
    found = compare_looks(
        look_at_references(bench), [look(bench, shots)], [look(bench, others)], times=20
    )
    verdict = judge(bench, shots, "film")
    # Both look at the same shots, but in other batches: every row of embeddings may be off.
    embeddings = bench.reference.embeddings
    width, variance = embeddings.shape[1], float(embeddings.var(axis=0).max())
    row = network32(1, 23) * float(np.linalg.norm(embeddings, axis=1).max())
    for it in found.differences:
        wanted = verdict.value(it.metric)
        assert wanted is not None
        assert it.first == pytest.approx(wanted, rel=0, abs=frechet32(wanted, row, variance, width))
        assert it.percent == pytest.approx(100 * (it.first / it.second - 1))
        assert it.interval is not None and it.interval.low < it.percent < it.interval.high
    for it in found.changes:
        assert verdict.value(it.metric) == pytest.approx(it.first)
    assert found.apart_m == pytest.approx(0.4, abs=GEOMETRY32)
    assert found.apart_interval is not None
    assert found.apart_interval.low == pytest.approx(0.4, abs=GEOMETRY32)


def test_a_ratio_that_no_choice_of_clips_changes_has_no_interval(bench: Bench):
    """Moved by d and by 2 d in the evaluator's space, sets are |d|² and 4 |d|² away, however often
    each clip is drawn: as long as it is drawn alike for all three."""
    reference = look_at_references(bench)
    step = np.linspace(-1, 2, reference.embeddings.shape[1])
    far, near = (
        replace(look(bench, bench.cases.references), embeddings=reference.embeddings + it * step)
        for it in (2, 1)
    )
    fdc = compare_looks(reference, [far], [near], times=11).differences[0]
    assert fdc.second == pytest.approx(step @ step) and fdc.percent == pytest.approx(300)
    assert fdc.interval is not None
    assert (fdc.interval.low, fdc.interval.high) == pytest.approx((300, 300))


def test_several_seeds_are_their_mean_and_clips_are_drawn_alike_for_all(bench: Bench):
    """A change that every clip has in the same share stays that share however clips are drawn."""
    reference = look_at_references(bench)
    made = look(bench, bench.cases.references)
    frames = made.moments.count
    worse = [replace(made, outs=made.outs + it * frames) for it in (0.125, 0.375)]
    found = compare_looks(reference, worse, [made, made], times=3)
    _, out = found.changes
    assert out.change == pytest.approx(25) and out.first == pytest.approx(out.second + 25)
    assert out.interval is not None
    assert (out.interval.low, out.interval.high) == pytest.approx((25, 25))
    step = np.linspace(-1, 2, reference.embeddings.shape[1])
    one, two = (replace(made, embeddings=reference.embeddings + it * step) for it in (1, 2))
    fdc = compare_looks(reference, [one, two], [one, one], times=11).differences[0]
    assert fdc.first == pytest.approx(2.5 * (step @ step)) and fdc.percent == pytest.approx(150)


def test_a_movement_that_is_shown_right_counts(bench: Bench):
    """Shown rightly by one and not at all by the other: F1 of 1 and of 0."""
    reference, made = look_at_references(bench), look(bench, bench.cases.references)
    asked = made.tables.reshape(-1, CLASSES, CLASSES).sum(2)
    right, wrong = (
        np.stack([np.roll(np.diag(it), turn, axis=1) for it in asked]).reshape(len(asked), -1)
        for turn in (0, 1)
    )
    pair = (replace(made, tables=it) for it in (right, wrong))
    f1, _ = compare_looks(reference, *([it] for it in pair), times=3).changes
    assert f1.first == pytest.approx(1) and f1.second < 0.5 and f1.change == f1.first - f1.second


def test_too_few_clips_are_told_and_other_lengths_refused(bench: Bench):
    few = bench.cases.references[:5]
    made = look(bench, few)
    references = References(made.embeddings, made.moments)
    found = compare_looks(references, [made], [made], times=3)
    assert [it.metric for it in found.differences] == ["r_fpd"] and "FDC" in found.unmeasured[0]
    short = replace(made, centres=tuple(it[:-1] for it in made.centres))
    with pytest.raises(MetricError, match="frames"):
        compare_looks(references, [made], [short], times=3)
    with pytest.raises(MetricError):
        compare_looks(references, [made, look(bench, few[:4])], [made, made], times=3)
    with pytest.raises(MetricError, match="seeds"):
        compare_looks(references, [made, made], [made], times=3)


def test_the_comparison_is_written(bench: Bench, cache: Path, tmp_path: Path):
    methods = {"fast": ObedientMethod(), "reference": ReferenceMethod()}
    told = measure_presets(bench, "AESOP", methods, "film", (7,), cache, quiet)
    # Seed s moves every camera by 1 cm · s along each axis.
    assert told.found.apart_m == pytest.approx(0.07 * 3**0.5, abs=1e-5)
    assert dict(told.setting.identities)["weights, fast"] == "obedient film"
    assert told.presets == ("fast", "reference") and told.impossible == (0, 0)
    text = presets_text(told)
    assert "| metric | fast | reference |" in text and "0.1212 m apart" in text
    assert "| F1 |" in text and "| Out |" in text
    write_result(tmp_path, "presets_film", told)
    (page,) = write_pages([tmp_path], tmp_path / "pages")
    assert page.read_text() == text
    assert np.isfinite(told.found.differences[1].first)
