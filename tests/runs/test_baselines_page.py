"""The page of the compared methods, from whatever came home."""

import json
import shutil
from pathlib import Path

import pytest

import baselines_page
from aesop.models.phase_table import METHOD_NAMES
from baseline_names import OURS, PEOPLE, phase_called


def test_every_training_that_may_come_home_has_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Ours among them, whose phases have other names than what they were asked for by."""
    real = json.loads(baselines_page.TRAINED.read_text(encoding="utf-8"))
    asked = (*METHOD_NAMES, OURS, PEOPLE)
    record = {
        "phases": {phase_called(name): real["phases"]["ccd"] for name in asked},
        "choices": dict.fromkeys(asked, real["choices"]["ccd"]),
    }
    trained = tmp_path / "baselines.json"
    trained.write_text(json.dumps(record), encoding="utf-8")
    for name in baselines_page.OUR_TRAININGS:
        shutil.copy(baselines_page.TRAINED.with_name(name), tmp_path)
    monkeypatch.setattr(baselines_page, "TRAINED", trained)
    rows = list(baselines_page.trainings())[2:]
    assert len({row.split(" | ")[0] for row in rows}) == len(asked)
