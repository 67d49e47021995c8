"""People from captions beside real ones, by one command."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from aesop.cli.measure_options import MatchOptions
from aesop.director.protocols import SHIPPED
from aesop.measuring.acts import MatchedPeople, Matching
from aesop.metrics.embedding_metrics import Prdc, RPrecision
from tests.runs.scripts import script

FOUND = MatchedPeople(
    evaluator="judge",
    segments=7,
    takes=5,
    real=Matching(RPrecision(0.5, 0.7, 0.9), 61.0),
    made=Matching(RPrecision(0.3, 0.5, 0.7), 53.0),
    fd_tmr=11.0,
    everybody=Prdc(0.2, 0.3, 0.5, 0.7),
    one_a_take=Prdc(0.1, 0.3, 0.7, 0.9),
)


@pytest.mark.parametrize("takes", [[], ["--best"]])
def test_a_match_says_who_acted_and_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, takes: list[str]
):
    asked: list[MatchOptions] = []
    monkeypatch.setattr(MatchOptions, "load", lambda self, _: self)
    monkeypatch.setattr(MatchOptions, "measure", lambda self, *_: (asked.append(self), FOUND)[1])
    out = tmp_path / "match.json"
    words = ["match", str(out), "--clips", "takes", "--tmr", "tmr_acts", "--at-most", "7"]
    assert script("acts").main([*words, "--cache", str(tmp_path), *takes]) == 0
    assert asked == [MatchOptions(Path("takes"), Path("tmr_acts"), 7)]
    told = json.loads(out.read_text(encoding="utf-8"))
    assert told["people"] == json.loads(json.dumps(asdict(FOUND)))
    way = SHIPPED if takes else SHIPPED.with_first_people
    assert [tuple(it) for it in told["choices"]] == list(way.human_choices)
    assert len(told["weights"]) == 64
    said = "runs/acts.py match OUT.json --clips CLIPS --tmr tmr_acts"
    assert told["command"] == " ".join([said, *takes, "--at-most 7"])
    assert len(told["code"]["commit"]) == 40
