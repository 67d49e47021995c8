"""The script that fits the reader of acts: what it writes is what ships, and what it counts."""

from pathlib import Path

import pytest

from aesop.director.act_reader import NOTHING, READER_FILE, ActPhrase, load_act_reader
from aesop.models.weights import shipped_folder
from aesop.text.minilm import MiniLM
from tests.runs.scripts import script


def test_what_ships_is_what_the_script_makes(tmp_path: Path):
    """But for where the optimiser of another processor stops."""
    path = tmp_path / READER_FILE
    script("act_reader").main(["train", "-o", str(path)])
    encoder = MiniLM()
    made, ships = (
        load_act_reader(it, encoder) for it in (path, shipped_folder("reader") / READER_FILE)
    )
    assert made is not None and ships is not None and made.acts == ships.acts
    words = ["he takes a seat", "a duck waves its left wing", "she pays the bill", "limp along"]
    for one, other in zip(made.read_each(words), ships.read_each(words), strict=True):
        for act in ships.acts:  # a hundredth: where two optimisers stop, not what arithmetic loses
            assert one.chance(act) == pytest.approx(other.chance(act), abs=0.01)


def test_what_is_read_is_counted_of_all_sentences():
    judged = [ActPhrase("choosing", act, "") for act in ("run", "run", "bow", NOTHING, NOTHING)]
    found = ["run", NOTHING, "run", "bow", NOTHING]
    assert script("act_reader").counted(judged, found) == {
        "read": 3,
        "right_of_read": 1 / 3,
        "read_of_asked": 1 / 3,
        "nothing_read_as_an_act": 1,
    }
    assert script("act_reader").ruled("a man sits down") == "sit down"
    assert script("act_reader").ruled("she waves with her left hand") == "wave"
    assert script("act_reader").ruled("the bill is paid") == NOTHING
