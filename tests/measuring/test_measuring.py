"""Runs: references are perfect, obedience is measured, results survive the disk."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from aesop.core.errors import FileError
from aesop.evaluators.evaluator_weights import Evaluators
from aesop.measuring.cases import Bench
from aesop.measuring.evaluator_quality import measure_evaluators, quality_text
from aesop.measuring.methods import Method, ReferenceMethod
from aesop.measuring.runs import (
    MethodEntry,
    Result,
    measure_direction,
    measure_sweep,
    measure_task,
    read_result,
    sweep_examples,
    with_direction,
)
from aesop.metrics.metric_book import MetricError
from aesop.pages.figures import Panel, Series, axis_for, write_charts
from aesop.pages.result_pages import (
    page_text,
    sweep_text,
    write_examples,
    write_pages,
    write_qualitative,
    write_result,
)
from aesop.pages.tables import MAIN, latex_table, markdown_table
from tests.measuring.makers import ObedientMethod, quiet
from tests.tolerances import GEOMETRY32


def entry(method: Method, *seeds: int) -> MethodEntry:
    return MethodEntry("Obedient & Co.", (method,), seeds)


@pytest.fixture
def reference(bench: Bench, cache: Path) -> Result:
    who = MethodEntry("GT reference", (ReferenceMethod(),), (0,))
    return measure_task(bench, who, "codec", cache, quiet)


def test_the_reference_is_perfect(reference: Result, bench: Bench):
    wanted = {"fdc": 0, "ade": 0, "rotation": 0, "r_fpd": 0, "camera_recall": 1, "global_mpjpe": 0}
    for name, value in wanted.items():
        found = reference.of(name)
        assert found is not None and found.mean == pytest.approx(
            value, abs=math.degrees(GEOMETRY32)
        ), name
    f1 = reference.of("f1")
    assert f1 is not None and f1.mean > 0.9
    out = reference.of("out")
    assert out is not None and out.mean < 2
    people = reference.of("tmr")
    assert people is not None and people.count == 11
    # Eleven windows are too few for a covariance of people: said, not guessed.
    assert [it.metric for it in reference.unmeasured] == ["fd_tmr", "human_recall"]


def test_tasks_have_the_metrics_of_the_paper(bench: Bench, cache: Path):
    films = measure_task(bench, entry(ObedientMethod(), 1, 2, 4), "film", cache, quiet)
    shoots = measure_task(bench, entry(ObedientMethod(), 1), "shoot", cache, quiet)
    assert films.of("ade") is not None and films.of("tmr") is None
    assert shoots.of("ade") is None and shoots.of("rotation") and shoots.of("tmr")
    ade = films.of("ade")
    assert ade is not None and ade.sd is not None
    # Seed s moves every camera by 1 cm · s along each axis.
    lengths = [0.01 * seed * 3**0.5 for seed in (1, 2, 4)]
    assert ade.values == pytest.approx(lengths, abs=GEOMETRY32)
    assert ade.mean == pytest.approx(sum(lengths) / 3, abs=GEOMETRY32)
    assert films.setting.seed_kind == "sampling" and films.setting.clips == len(bench.cases.cases)


def test_several_models_are_several_trainings(bench: Bench, cache: Path):
    who = MethodEntry("AESOP", (ObedientMethod(), ObedientMethod()), (3, 4))
    assert who.seed_kind == "training" and [seed for _, seed in who.runs] == [3, 3]


def test_an_obedient_camera_passes_the_scan(bench: Bench, cache: Path, tmp_path: Path):
    who = entry(ObedientMethod(), 0)
    found = measure_sweep(bench, who, "film", cache, quiet, (0.5, 1.0, 1.5))
    # A hundred steps between places in single precision, of a way of decimetres.
    assert found.facts.monotone.path == 1 and found.facts.response.slope == pytest.approx(1, 1e-3)
    assert len(found.quality) == 3 and found.facts.path_m[-1] > 2.9 * found.facts.path_m[0]
    text = sweep_text(found)
    assert "slope 1.000" in text and text.count("\n| ") == 4
    # Ratios of two such ways.
    assert found.facts.travel.relative == pytest.approx((0.5, 1.0, 1.5), abs=2e-3)
    assert "or more along its way: 0.500 (0.500 … 0.500) at a = 0.5, 1.500" in text
    outs = [next(it.mean for it in row if it.metric == "out") for row in found.quality]
    assert found.out_rise_points == pytest.approx(max(outs) - outs[1])
    write_result(tmp_path, "sweep_obedient", found)
    page, figure, paper = write_pages([tmp_path], tmp_path / "pages")
    assert "| Given-human |" in paper.read_text() and "Joint (shoot)" in paper.read_text()
    assert page.read_text() == text and figure.stat().st_size > 500
    assert figure == tmp_path / "pages" / "sweep" / "obedient.png"
    examples = sweep_examples(bench, who, "film", cache, rows=2)
    assert [shot.intensity for shot in examples[0]] == [0.5, 1.0, 1.5]
    assert write_examples(tmp_path / "examples.png", examples).stat().st_size > 5000


def test_an_obedient_camera_turns_round(bench: Bench, cache: Path):
    cases = with_direction(bench.cases)
    assert 0 < len(cases.cases) < len(bench.cases.cases)
    result = measure_direction(cases, entry(ObedientMethod(), 0, 1), "film", cache, quiet)
    for name in ("direction_original", "direction_reversed", "direction_combined"):
        found = result.of(name)
        assert found is not None and found.mean > 95, name


def test_stores_without_direction_are_refused(bench: Bench):
    still = [n for n, it in enumerate(bench.cases.cases) if it.camera_words == it.reversed_words]
    with pytest.raises(MetricError, match="turned round"):
        with_direction(bench.cases.only(still))


def test_results_survive_the_disk(reference: Result, tmp_path: Path):
    (path,) = write_result(tmp_path, "reference_gt_test", reference)
    assert path == tmp_path / "reference" / "gt_test.json" and read_result(path) == reference


def test_pages_are_made_from_folders_of_results(reference: Result, tmp_path: Path):
    results, pages = tmp_path / "results", tmp_path / "pages"
    other = replace(reference, setting=replace(reference.setting, method="Other", task="film"))
    write_result(results, "codec_gt_test", reference)
    write_result(results, "film_other_test", other)
    write_result(results / "few", "x_other_test", other)
    (results / "speed.json").write_text('{"seconds": 3}')
    write_pages([results], pages)
    made = sorted(path.relative_to(pages).as_posix() for path in pages.rglob("*.*"))
    name = f"{reference.setting.dataset}_test"
    tables = [f"{name}.md", f"{name}.tex", f"{name}_paper.md"]
    assert made == sorted([*tables, *(f"few/x/{table}" for table in tables)])
    assert (pages / tables[0]).read_text() == page_text([reference, other])
    with pytest.raises(FileError, match=r"speed\.json"):
        write_pages([results / "speed.json"], pages)
    (results / "speed.json").write_text("{")
    with pytest.raises(FileError, match=r"speed\.json"):
        write_pages([results], pages)


def test_tables_are_laid_out_as_the_papers(bench: Bench, reference: Result, cache: Path):
    slow, fast = (
        measure_task(bench, entry(ObedientMethod(), *seeds), "film", cache, quiet)
        for seeds in ((1, 2), (5, 6))
    )
    near, far = (
        replace(result, setting=replace(result.setting, method=name))
        for result, name in ((slow, "Near"), (fast, "Far & wide"))
    )
    rows = [reference, near, far]
    shown = markdown_table(MAIN, rows).splitlines()
    assert shown[0].startswith("| Method | FDC↓ | CLaTr↑ | F1↑ | Recall (C)↑ | r-FPD↓ | Out↓ |")
    assert "–" in shown[-1] and "±" in shown[-1] and "**" not in shown[3]
    line = next(line for line in shown if line.startswith("| Near"))
    assert "**0.026** ± 0.012" in line
    latex = latex_table(MAIN, rows)
    assert r"Far \& wide" in latex and r"\textbf{0.026}\textsuperscript{$\pm$0.012}" in latex
    assert latex.count(r"\\") == latex.count("\n") - 5 - latex.count(r"\midrule") + 1
    assert all(line.count("&") in (10, 11) for line in latex.splitlines() if "Near" in line)


def test_pictures_are_written(bench: Bench, tmp_path: Path):
    shots = bench.cases.references[:2]
    path = write_qualitative(tmp_path / "pairs.png", [(shots[0], shots[1])], "AESOP")
    assert path.stat().st_size > 5000
    panel = Panel("Path (m)", (0.5, 1.0, 1.5), (Series("", (1.0, float("nan"), 2.0)),), 1.0)
    write_charts([panel], tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 1000


def test_axes_have_round_marks_around_the_values():
    assert axis_for([0.5, 1.5]).ticks == pytest.approx((0.5, 0.75, 1.0, 1.25, 1.5))
    for values in ([0.647, 1.023], [71.2], [-3.0, 8.0], [0.0, 0.0]):
        axis = axis_for(values)
        assert axis.low <= min(values) and max(values) <= axis.high
        assert 2 <= len(axis.ticks) <= 8


def test_evaluators_are_judged(bench: Bench, evaluators: Evaluators):
    quality = measure_evaluators(bench.cases, evaluators)
    assert quality.cameras.items == len(bench.cases.cases) and quality.people.items == 11
    assert quality.cameras.shots_to_labels.top1 >= quality.cameras.shots_to_words.top1
    assert quality.cameras.identity == evaluators.cameras.identity
    assert "nearest caption says the same" in quality_text(quality)
