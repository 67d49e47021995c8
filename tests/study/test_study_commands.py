"""The commands on a small simulated study, from its plan to its export."""

import csv
import json
from pathlib import Path

import pytest

from tests.cli.test_commands import run

PLAN = """
title = "Small"
seed = 3
participants = 5
[[tasks]]
task = "film"
methods = ["aesop", "nobody"]
clips = 3
comparisons = 2
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_simulated_study_is_reported_exported_and_forgotten(
    here: Path, capsys: pytest.CaptureFixture[str]
):
    assert run("study", "simulate", "plan.toml", "OUT") == 0
    said = capsys.readouterr().out
    assert "| film: one pair of methods | 2.0 |" in said and "OUT/report/report.md" in said
    for name in ("report.md", "tables.tex", "report.json", "preferences.png"):
        assert (here / "OUT/report" / name).stat().st_size > 200
    assert "SIMULATED" in (here / "OUT/report/report.md").read_text(encoding="utf-8")
    assert run("study", "export", "OUT") == 0
    with (here / "OUT/votes.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 5 * 2 * 4
    assert run("study", "remove", "OUT", "2") == 0
    assert run("study", "remove", "OUT", "2") == 1
    assert run("study", "report", "OUT", "-o", "again") == 0
    told = json.loads((here / "again/report.json").read_text(encoding="utf-8"))
    assert (told["participants"], told["removed"], told["is_simulated"]) == (4, 1, True)
    assert run("study", "simulate", "plan.toml", "OUT") == 1
    assert "holds a study already" in capsys.readouterr().err


def test_only_what_can_be_made_is_made(here: Path, capsys: pytest.CaptureFixture[str]):
    assert run("study", "make", "plan.toml", "OUT") == 1
    assert "There is no method 'nobody'. Choose among: aesop" in capsys.readouterr().err
    assert run("study", "simulate", "plan.toml", "SIM") == 0
    assert run("study", "serve", "SIM", "--port", "0") == 1
    assert "is simulated" in capsys.readouterr().err
    assert not (here / "OUT").exists()
