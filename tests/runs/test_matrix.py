"""The matrix of settings: each reaches its own run, and one failure fails the whole."""

import sys
from pathlib import Path

import pytest

from tests.runs.scripts import script

# Stands in for pytest: fails where two threads are asked for, and says what it was given.
PRETENDER = """
import os, sys
from pathlib import Path
report = sys.argv[-1].removeprefix("--junit-xml=")
fails = os.environ.get("AESOP_TEST_THREADS") == "2"
case = '<testcase classname="tests.a" name="one">' + ("<failure/>" * fails) + "</testcase>"
other = '<testcase classname="tests.a" name="two"><skipped/></testcase>'
Path(report).write_text(f"<testsuites>{case}{other}</testsuites>", encoding="utf-8")
told = [os.environ.get(name, "-") for name in ("ATEN_CPU_CAPABILITY", "AESOP_TEST_START")]
with Path(os.environ["MATRIX_NOTES"]).open("a", encoding="utf-8") as notes:
    notes.write(" ".join([*told, *sys.argv[1:-1]]) + "\\n")
sys.exit(int(fails))
"""
PROGRAM = (sys.executable, "-c", PRETENDER)


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "notes.txt"
    monkeypatch.setenv("MATRIX_NOTES", str(path))
    # What a shell left behind must not reach the settings that do not name it.
    monkeypatch.setenv("AESOP_TEST_START", "left behind")
    return path


def test_every_setting_runs_with_its_own_variables_and_the_words_after_the_dashes(
    notes: Path, capsys: pytest.CaptureFixture[str]
):
    matrix = script("matrix")
    only = [word for name in ("plain", "default", "spawn") for word in ("--only", name)]
    assert matrix.main([*only, "--", "tests/scene", "-n", "0"], PROGRAM) == 0
    assert notes.read_text(encoding="utf-8").splitlines() == [
        f"{told} tests/scene -n 0" for told in ("- -", "default -", "- spawn")
    ]
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in told[-3:]] == [
        [name, "passed"] for name in ("plain", "default", "spawn")
    ]
    assert "1 passed, 0 failed, 1 skipped" in told[-1]


def test_one_failure_fails_the_whole_and_is_named(notes: Path, capsys: pytest.CaptureFixture[str]):
    matrix = script("matrix")
    assert matrix.main(["--only", "threads-2", "--only", "plain"], PROGRAM) == 1
    told = capsys.readouterr().out
    assert "threads-2  FAILED" in told and "- tests.a::one" in told and "plain      passed" in told
    assert notes.read_text(encoding="utf-8").splitlines() == ["- - -n auto"] * 2


def test_a_run_that_ends_without_a_report_has_failed(notes: Path):
    matrix = script("matrix")
    assert matrix.main(["--only", "plain"], (sys.executable, "-c", "raise SystemExit(3)")) == 1
    assert not notes.exists()


def test_the_list_names_all_settings_that_the_tests_must_pass(capsys: pytest.CaptureFixture[str]):
    matrix = script("matrix")
    assert matrix.main(["--list"]) == 0
    listed = {line.split()[0] for line in capsys.readouterr().out.splitlines()}
    assert listed == {"plain", "default", "avx2", "avx512", "threads-2", "threads-5", "spawn"}


@pytest.mark.parametrize(
    ("capability", "left_out"),
    [("AVX512", set()), ("AVX2", {"avx512"}), ("DEFAULT", {"avx2", "avx512"}), ("NEON", None)],
)
def test_what_a_processor_cannot_do_is_left_out(capability: str, left_out: set[str] | None):
    """A processor of another family can do only what all can."""
    matrix = script("matrix")
    known = matrix.settings(("X86_V3", "X86_V4"))
    found = {it.name for it in known if not matrix.can_run(it, capability)}
    assert found == ({"avx2", "avx512"} if left_out is None else left_out)
    disabled = {it.name: it.variables.get("NPY_DISABLE_CPU_FEATURES") for it in known}
    assert (disabled["default"], disabled["avx2"]) == ("X86_V3 X86_V4", "X86_V4")
