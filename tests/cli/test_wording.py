"""`measure wording` on untrained weights: every sentence is filmed, and the file says by whom."""

import json
from pathlib import Path

import pytest

from aesop.director.director import load_director
from aesop.measuring.unseen_wording import SENTENCES
from aesop.text.encoders import text_encoder
from tests.cli.test_commands import run
from tests.director.makers import save_cast


def test_wording_is_measured_on_motions_of_our_own_making(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    weights, out = tmp_path / "weights", tmp_path / "results"
    weights.mkdir()
    save_cast(weights, text_encoder("minilm"))
    assert run("measure", "wording", "--model", weights, "--clips", "1", "-o", out) == 0
    told = capsys.readouterr()
    assert told.out.split() == [str(out / "wording" / "aesop.json")]
    assert f"of {len(SENTENCES)} sentences obeyed" in told.err
    said = json.loads((out / "wording" / "aesop.json").read_text())
    camera_flow = load_director(weights).parts.camera_flow
    assert said["setting"]["weights"] == camera_flow.card.identity
    assert said["setting"]["clips"] == ["walk"] and said["setting"]["seeds"] == [0]
    for words in ("unseen", "familiar"):
        assert said[words]["films"] == len(said[words]["sentences"]) == len(SENTENCES)
    assert [it["words"] for it in said["unseen"]["sentences"]] == [it.words for it in SENTENCES]
