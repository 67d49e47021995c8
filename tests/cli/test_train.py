"""`aesop train`: weights on stdout, what is missing or already there is refused before any work."""

from pathlib import Path
from typing import Any

import pytest

from aesop.cli import main
from aesop.fables.build import build_mini
from aesop.training import phases
from aesop.training.recipe_book import recipes_for
from aesop.training.recipes import Recipe, with_steps


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("train") / "mini"
    build_mini(path)
    return path


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    def short(*args: Any, **named: Any) -> tuple[Recipe, ...]:
        return tuple(with_steps(recipe, 3) for recipe in recipes_for(*args, **named))

    monkeypatch.setattr(phases, "recipes_for", short)


def run(*words: str | Path) -> int:
    try:
        main(["train", *map(str, words)])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_a_phase_leaves_weights_and_is_not_trained_twice(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    words = ("--data", store, "--out", tmp_path / "run", "--recipe", "tiny", "--no-sheets")
    assert run("human-flow", *words) == 1
    assert "human-codec" in capsys.readouterr().err
    assert run("human-codec", *words) == 0
    weights = tmp_path / "run" / "human-codec" / "weights.safetensors"
    assert capsys.readouterr().out == f"{weights}\n" and weights.stat().st_size > 100_000
    assert (tmp_path / "run" / "human-codec" / "run.json").exists()
    assert run("human-codec", *words) == 1
    assert "--resume" in capsys.readouterr().err
    before = weights.read_bytes()
    assert run("human-codec", *words, "--resume") == 0
    assert weights.read_bytes() == before


def test_continuations_ask_for_pairs_and_stores_must_exist(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "run"
    assert run("all", "--data", tmp_path / "nothing", "--out", out, "--recipe", "tiny") == 1
    assert "nothing" in capsys.readouterr().err
    assert run("camera-flow-dpa", "--data", store, "--out", out, "--recipe", "tiny") == 1
    assert not out.exists()
