"""The script that trains the compared methods on a lent GPU, run here at its smallest: what it
tries, what it keeps, that it goes on, and what comes home."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from aesop.fables.build import FablesRecipe, Share, build_mini
from aesop.models.weights import read_card

SCRIPT = Path(__file__).resolve().parents[2] / "lab" / "baselines_h200.py"
NAME = "director-c"
SMALL = ("--steps", "8", "--rows", "4", "--size", "tiny")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("lent")
    few = Share(windows=2, one_run=2, several=0, any_run=0)
    build_mini(home / "mini", FablesRecipe(3, train=few, validation=few, test=few))
    run(home, "pack", home / "mini", home / "parcel")
    return home


def run(home: Path, *words: object) -> str:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TMPDIR": str(home), "OMP_NUM_THREADS": "1", "AESOP_CACHE": str(home)},
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_rates_are_tried_the_better_is_trained_and_all_of_it_comes_home(home: Path):
    out = home / "out"
    run(home, "train", NAME, "--parcel", home / "parcel", "--out", out, *SMALL)
    choice = json.loads((out / "choices.json").read_text(encoding="utf-8"))[NAME]
    trials, trained = choice["trials"], choice["trained"]
    assert [it["steps"] for it in trials] == [1, 1] and trained["steps"] == 8
    best = min(trials, key=lambda it: it["validation_loss"])
    assert trained["learning_rate"] == best["learning_rate"]
    assert "is there already" in run(home, "train", NAME, "--out", out, *SMALL)
    run(home, "guide", NAME, "--at-most", "2", "--out", out)
    guided = json.loads((out / "guidance.json").read_text(encoding="utf-8"))[NAME]
    assert guided["chosen"] in [it["guidance"] for it in guided["tried"]]
    run(home, "collect", out, "--run", home / "run", "--results", home / "results")
    card = read_card(home / "run" / NAME / "weights.safetensors")
    assert card.part == NAME and card.notes["steps"] == "8"
    told = json.loads((home / "results" / "training" / "baselines.json").read_text("utf-8"))
    assert told["choices"][NAME] == choice and told["guidance"][NAME] == guided
    assert told["phases"][NAME]["validation"]
