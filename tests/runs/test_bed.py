"""The bed's script on untrained parts: films, goes on, counts, draws."""

import json
from pathlib import Path

import pytest
from PIL import Image

from aesop.director.director import Director
from aesop.measuring.bed import read_films
from aesop.measuring.bed_summary import BedSummary
from aesop.measuring.runs import read_record
from tests.runs.scripts import script

SMALL = {
    "seeds": [0, 1],
    "sentences": [
        {"name": "push_in", "kind": "tags", "words": "The camera pushes in."},
        {"name": "follow", "kind": "follow", "words": "The camera follows the person."},
        {"name": "arc", "kind": "arc", "words": "The camera arcs to the left."},
    ],
    "motions": [
        {"name": "goes", "side": "tune", "kind": "walk", "legs": [[2, 1.3]]},
        {"name": "runs", "side": "tune", "kind": "run", "legs": [[1.6, 2.9]]},
        {"name": "waits", "side": "test", "kind": "turn", "legs": [[1, 0], [1, 0, 90]]},
    ],
}


def test_the_script_films_goes_on_counts_and_draws(
    director: Director,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    bed = script("bed")
    (tmp_path / "bed.json").write_text(json.dumps(SMALL))
    monkeypatch.setattr(bed, "LIST", tmp_path / "bed.json")
    monkeypatch.setattr(bed, "load_director", lambda *_: director)
    out = tmp_path / "films.jsonl"
    told = ["--takes", str(tmp_path)]
    bed.main(["film", *told, "--only", "run", "--limit", "5", "--out", str(out)])
    first = read_films(out)[1]
    assert len(first) == 5 and {film.motion for film in first} == {"runs"}
    bed.main(["film", *told, "--out", str(out)])
    head, films = read_films(out)
    assert films[:5] == first
    assert len({film.key for film in films}) == len(films) == 2 * 3 * 2
    assert {film.motion for film in films} == {"goes", "runs"}
    assert head.side == "tune" and head.finish == "as-sampled"
    summary = read_record(out.with_suffix(".json"), BedSummary)
    assert summary.total.films == summary.expected == 12
    bed.main(["table", str(out.with_suffix(".json")), "-o", str(tmp_path / "page.md")])
    assert "12 of 12 films" in (tmp_path / "page.md").read_text(encoding="utf-8")
    hand = tmp_path / "hand.jsonl"
    chosen = ["--finish", "hand", "--takes-from", str(out), "--half", "--out", str(hand)]
    bed.main(["film", *told, *chosen])
    half = read_films(hand)[1]
    assert {film.take for film in half} == {0}  # as-sampled films are all first takes
    assert len({film.key[:2] for film in half}) == len(half) == 2 * 3
    assert [sum(film.seed == seed for film in half) for seed in (0, 1)] == [3, 3]
    capsys.readouterr()
    bed.main(["common", str(out), str(hand)])
    assert "| films | 6 | 6 |" in capsys.readouterr().out
    monkeypatch.setattr(bed, "WORST", 2)
    bed.main(["worst", str(out), *told, "-o", str(tmp_path / "worst.jpg")])
    assert Image.open(tmp_path / "worst.jpg").width == bed.PICTURE_PX


def test_facts_name_every_motion_and_both_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    bed = script("bed")
    (tmp_path / "bed.json").write_text(json.dumps(SMALL))
    monkeypatch.setattr(bed, "LIST", tmp_path / "bed.json")
    bed.main(["facts", "--takes", str(tmp_path), "--out", str(tmp_path / "facts.json")])
    facts = json.loads((tmp_path / "facts.json").read_text(encoding="utf-8"))
    assert [it["name"] for it in facts["motions"]] == ["goes", "runs", "waits"]
    assert facts["films"] == [["tune", 12], ["test", 6]]


def test_a_mistake_is_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    bed = script("bed")
    with pytest.raises(SystemExit):
        bed.main(["table", str(tmp_path / "nothing.json")])
    assert "holds no BedSummary" in capsys.readouterr().err
