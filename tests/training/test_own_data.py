"""The example of docs/own_data.md at its smallest: shots of one's own, a store, a flow that goes on
from given weights, and a film by it."""

from pathlib import Path

import pytest
import torch

from aesop.data.shot_folder import import_shots
from aesop.director.director import load_director
from aesop.fables.build import FablesRecipe, Share, build_mini
from aesop.files.shot_file import write_shot
from aesop.models.phase_table import PhaseName
from aesop.models.weights import read_card
from aesop.training import phases
from aesop.training.loop import Conduct
from aesop.training.phases import TrainingRequest, train_from_store
from aesop.training.recipe_book import recipes_for
from aesop.training.recipes import Recipe, with_steps
from aesop.training.run_folder import weights_path
from tests.data.test_shot_folder import own_shot
from tests.director.makers import PUSH_IN, HashEncoder, walking


def test_shots_of_ones_own_teach_a_flow_that_films(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def short(what: PhaseName, *args: object, **named: object) -> tuple[Recipe, ...]:
        return tuple(with_steps(it, 2) for it in recipes_for(what, *args, **named))  # pyright: ignore

    monkeypatch.setattr(phases, "recipes_for", short)
    share = Share(windows=2, one_run=1, several=0, any_run=0)
    build_mini(tmp_path / "mini", FablesRecipe(3, train=share, validation=share, test=share))
    start = TrainingRequest("all", "tiny", tmp_path / "mini", tmp_path / "start")
    train_from_store(start, HashEncoder(), Conduct(sheets=False))

    (tmp_path / "own").mkdir()
    for seed in range(4):
        write_shot(own_shot(31 + 2 * seed, seed), tmp_path / "own" / f"take{seed}.shot")
    import_shots(tmp_path / "own", tmp_path / "store", workers=1)
    said: list[str] = []
    request = TrainingRequest(
        "camera-flow", "tiny", tmp_path / "store", tmp_path / "run", start=tmp_path / "start"
    )
    (result,) = train_from_store(request, HashEncoder(), Conduct(sheets=False), said.append)
    assert said == ["train: 3 shots listed, 3 trained on"]
    card = read_card(result.weights)
    before = read_card(weights_path(tmp_path / "start", "camera-flow"))
    assert card.notes["continued"] == before.identity and card.identity != before.identity
    director = load_director(tmp_path / "run", encoder=HashEncoder())
    shot = director.film(walking(29), PUSH_IN, seed=1, finish="as-sampled")
    assert bool(torch.isfinite(shot.camera.centre).all())
    assert director.parts.camera_flow.card.identity == card.identity
