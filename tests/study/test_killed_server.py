"""A small version of runs/study_crowd.py: a server that is killed loses and doubles nothing."""

from pathlib import Path

from study_crowd import crowd


def test_every_acknowledged_answer_survives(tmp_path: Path):
    found = crowd(tmp_path / "study", participants=5, trials=3, kills=1)
    assert found["kills"] == 1
    assert found["acknowledged"] == found["found"] == 15
    assert found["lost"] == found["doubled"] == [] and found["never_acknowledged"] == 0
    assert found["responses"] == 15 * 4
