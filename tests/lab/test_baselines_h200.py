"""The script that trains the compared methods on a lent GPU, run here at its smallest: what it
tries, what it keeps, that it goes on, and what comes home."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import baselines_h200
import pieces
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


def test_what_came_home_goes_on_elsewhere(home: Path, tmp_path: Path):
    """Weights and choices of one machine are found on the next and not made again."""
    out = home / "out"
    if not out.exists():
        run(home, "train", NAME, "--parcel", home / "parcel", "--out", out, *SMALL)
    run(tmp_path, "keep", "--parcel", home / "parcel", "--weights", out)
    assert "is there already" in run(tmp_path, "train", NAME, *SMALL)
    state = tmp_path / "aesop-base" / "weights" / "baselines"
    came = b"".join(it.read_bytes() for it in sorted(out.glob(f"{NAME}.weights.*")))
    assert (state / NAME / "weights.safetensors").read_bytes() == came
    assert (state / "choices.json").read_bytes() == (out / "choices.json").read_bytes()
    said = run(tmp_path, "guide", "ccd", "--at-most", "2", "--out", tmp_path / "out")
    assert "ccd has no weights here and is not guided" in said


def test_a_call_brings_back_as_much_as_it_may_and_the_next_ones_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(pieces, "MOST_FILES", 5)
    monkeypatch.setattr(pieces, "MOST_BYTES", 4000)
    outbox, arrived = tmp_path / "outbox", dict[str, bytes]()
    outbox.mkdir()
    wanted = {f"b.weights.{at:02d}": bytes([at]) * 1100 for at in range(3)}
    wanted |= {f"a.weights.{at:02d}": bytes([7 + at]) * 700 for at in range(7)}
    wanted |= {"b.json": b"{}", "a.json": b"[]"}
    for at, (name, content) in enumerate(wanted.items()):
        (outbox / name).write_bytes(content)
        os.utime(outbox / name, (at, at))
    order = list[set[str]]()
    for call in range(7):
        out = tmp_path / f"call {call}"
        out.mkdir()
        left = pieces.hand_over(outbox, out)
        came = {path.name: path.read_bytes() for path in out.iterdir()}
        assert len(came) <= 5 and sum(map(len, came.values())) <= 4000
        assert not came.keys() & arrived.keys()
        arrived |= came
        order.append(set(came))
        assert set(left) == wanted.keys() - arrived.keys()
        if not left:
            break
    assert arrived == wanted
    # Records first; then all of the weights that were written first.
    assert order[0] == {"a.json", "b.json", *(name for name in wanted if name.startswith("b."))}
    (outbox / "a.json").write_bytes(b"[1]")
    last = tmp_path / "last"
    last.mkdir()
    assert pieces.hand_over(outbox, last) == []
    assert [path.name for path in last.iterdir()] == ["a.json"]


def test_what_a_method_gets_of_the_clock():
    spare = baselines_h200.SPARE_SECONDS
    assert baselines_h200.fitting_steps(1600, spare + 160.0, 0.1) == 1600
    assert baselines_h200.fitting_steps(1600, spare + 100.05, 0.1) == 1000
    assert baselines_h200.fitting_steps(1600, spare - 1, 0.1) == 0
    assert baselines_h200.fitting_steps(1600, float("inf"), 0.1) == 1600


def test_our_own_flow_without_codecs_is_refused_before_any_footage_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(baselines_h200, "SHIPPED", tmp_path / "no weights")
    monkeypatch.setattr(baselines_h200.lent, "STATE", tmp_path)
    asked = argparse.Namespace(methods=["ccd", "aesop"], codecs=None)
    with pytest.raises(SystemExit, match="aesop needs human-codec and camera-codec"):
        baselines_h200.adopt_codecs(tmp_path / "run", asked)
    baselines_h200.adopt_codecs(tmp_path / "run", argparse.Namespace(methods=["ccd"], codecs=None))
    shipped = SCRIPT.parents[1] / "src" / "aesop" / "weights" / "base"
    baselines_h200.pack_codecs(shipped, tmp_path / "parcel" / "codecs")
    baselines_h200.adopt_codecs(tmp_path / "run", asked)
    for part in ("human-codec", "camera-codec"):
        card = read_card(tmp_path / "run" / part / "weights.safetensors")
        assert card.part == part


def test_methods_without_weights_are_left_out_and_said(home: Path):
    with pytest.raises(AssertionError, match="dancecamera3d has no weights here and is left out"):
        run(home, "measure", "dancecamera3d", "--out", home / "rows")
