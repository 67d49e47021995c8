"""`aesop pairs`: build, report and show, from a store to a picture."""

from pathlib import Path

import pytest
from PIL import Image

import aesop.pairs.direction_pairs
from aesop.cli import main
from aesop.pairs.pair_files import read_plan
from tests.pairs.test_build import at_once


def test_from_a_store_to_a_picture(
    mini_store: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setattr(aesop.pairs.direction_pairs, "run_all", at_once)
    out = tmp_path / "pairs"
    for kind in ("direction", "intensity"):
        main(["pairs", "build", kind, str(out), "--data", str(mini_store)])
        told = capsys.readouterr()
        assert told.out == f"{out / kind}.json\n"
        assert "reconstructions are left out" in told.err and "pairs" in told.err
    plan = read_plan(out)
    assert plan.direction.origin.recipe.name == "fables"
    assert plan.intensity is not None and plan.intensity.active
    main(["pairs", "report", str(out)])
    assert "### Direction" in capsys.readouterr().out
    picture = tmp_path / "pair.png"
    for source in (plan.direction.sources[0], plan.intensity.active[0], plan.intensity.null[0]):
        main(
            ["pairs", "show", str(out), source.shot, "--data", str(mini_store), "-o", str(picture)]
        )
        assert capsys.readouterr().out == f"{picture}\n"
        width, height = Image.open(picture).size
        assert width > 800 and height > 500
