"""The paper's tables: every row and column has a place, and an empty one says why."""

from dataclasses import replace
from pathlib import Path

from aesop.core.machine import Code, Machine
from aesop.measuring.runs import MetricResult, Result, Setting
from aesop.metrics.bootstrap import Interval
from aesop.pages.paper_tables import UNTRAINED, interval_lines, paper_page
from aesop.pages.result_pages import write_pages, write_result

CODE = Code("0" * 40, None)
MACHINE = Machine("none", "none", "none", "none", ())


def result(method: str, task: str, protocol: str, **values: float) -> Result:
    setting = Setting(
        method=method, task=task, dataset="fables", data_sha256="d" * 64, split="test/pure",
        clips=11, windows=7, left_out=0, seeds=(0,), seed_kind="sampling", identities=(),
        choices=(("protocol", protocol),),
    )  # fmt: skip
    near = Interval(0.0, 1.0, "performer", 10_000)
    metrics = tuple(
        MetricResult(name, "", "lower", it, None, (it,), None if "recall" in name else near, 11)
        for name, it in values.items()
    )
    return Result(setting, metrics, (), CODE, MACHINE, "aesop measure")


def line(page: str, label: str, section: str) -> str:
    """The row of a label below the heading of a section."""
    rest = page[page.index(section) :]
    return next(row for row in rest.splitlines() if row.startswith(f"| {label} |"))


def test_numbers_stand_in_their_rows_and_the_papers_protocol_goes_first():
    plain = result("AESOP", "film", "measured", fdc=3.25, ade=5.5)
    paper = result("AESOP", "film", "paper", fdc=7.125, camera_recall=0.5)
    direction = result("AESOP (+ DPA)", "shoot", "paper", direction_combined=83.0)
    joint = result("AESOP", "shoot", "paper", fdc=9.5, human_recall=0.25)
    page = paper_page([plain, direction, paper, joint], [])
    given = line(page, "AESOP", "*Given-human")
    assert given.startswith("| AESOP | 7.12 |")
    assert "9.50" in line(page, "AESOP", "*Joint")
    assert "| 0.250 |" in line(page, "AESOP", "Table 2")
    assert line(page, "+ DPA", "direction accuracy").endswith("| – | – | – | – | – | 83.00 |")
    assert "say nothing on Fables" in page
    assert "10,000 draws by performer: FDC" in page and "none: Recall (C)" in page


def test_every_row_of_the_paper_is_there_and_an_empty_one_says_why():
    page = paper_page([result("GT reference", "codec", "paper", fdc=0.0)], [])
    for label in ("PulpMotion AE (sym.)", "CCD-H", "DIRECTOR-C", "PulpMotion MAR", "AESOP (+ DPA)"):
        assert label in page
    assert page.count(UNTRAINED) == 3  # Tables 1 and 2, and the autoencoders
    assert "Camera original (film)" in page and "Given-human (film)" in page
    elsewhere = replace(
        result("AESOP", "film", "paper", ade=1.0),
        setting=replace(result("AESOP", "film", "paper").setting, dataset="pulpmotion"),
    )
    assert "say nothing" not in paper_page([elsewhere], [])


def test_intervals_of_earlier_versions_are_over_clips():
    old = result("AESOP", "film", "measured", fdc=1.0)
    metric = replace(old.metrics[0], interval=Interval(0.0, 1.0))
    assert interval_lines([replace(old, metrics=(metric,))], ["fdc"]) == [
        "95 % intervals (in the JSON): drawn by clip: FDC."
    ]
    assert interval_lines([old], ["ade"]) == []


def test_the_page_is_written_beside_the_tables(tmp_path: Path):
    write_result(tmp_path, "film_aesop_test_pure", result("AESOP", "film", "paper", fdc=7.125))
    written = write_pages([tmp_path], tmp_path / "pages")
    assert tmp_path / "pages" / "fables_test_pure_paper.md" in written
