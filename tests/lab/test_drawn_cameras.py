"""Cameras drawn on the machine that learns from them: the same by any number of processes, and
found again as footage."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.data.store import Store
from aesop.fables.build import VocabularyRecipe
from aesop.fables.window_shots import film_window
from aesop.features.human_features import human_from_features
from aesop.training.footage import Footage, Ragged, footage_of_rows
from aesop.training.recipes import TrainingError
from drawn_cameras import MOVEMENTS, Drawing, draw, read_drawn

RECIPE = VocabularyRecipe(vocabulary_cameras=2, more_for_goers=0, bank_captions=2)


@pytest.fixture(scope="module")
def windows(store: Store) -> Footage:
    footage = footage_of_rows(store, np.arange(8))
    count = len(footage.humans)
    return replace(
        footage,
        cameras=Ragged(torch.zeros(0, 14), torch.zeros(1, dtype=torch.int64)),
        human_of_shot=torch.zeros(0, dtype=torch.int64),
        shot_names=(),
        camera_captions=(),
        human_names=footage.human_names[:count],
    )


def test_two_processes_draw_what_one_does(
    windows: Footage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    one, two = (Drawing(RECIPE, "train", tmp_path / name) for name in ("one", "two"))
    draw(windows, one, workers=1)
    draw(windows, two, workers=2)
    assert one.shard(0).read_bytes() == two.shard(0).read_bytes()
    footage = read_drawn(windows, one)
    row = footage.shot_names.index(f"{windows.human_names[1]}_v0")
    motion = human_from_features(windows.humans.clip(1).double())
    runs = RECIPE.share("train").runs(motion.frames)
    name = windows.human_names[1]
    alone = film_window(name, motion, "train", runs, RECIPE.filming, RECIPE.seed)
    shot = next(shot for shot in alone.shots if shot.id == f"{name}_v0")
    assert torch.equal(footage.cameras.clip(row), shot.features)
    assert footage.camera_captions[row] == shot.captions
    assert int(footage.human_of_shot[row]) == 1
    some = read_drawn(windows, one, at_most=6)
    assert sum(kind == MOVEMENTS for kind in some.shot_kinds) == 3 == len(some.shot_kinds) - 3


def test_other_cameras_and_missing_shards_are_refused(windows: Footage, tmp_path: Path):
    drawing = Drawing(RECIPE, "train", tmp_path)
    draw(windows, drawing, workers=1)
    other = replace(drawing, recipe=replace(RECIPE, seed=3))
    with pytest.raises(TrainingError, match="other windows or cameras"):
        draw(windows, other, workers=1)
    with pytest.raises(TrainingError, match="not drawn"):
        read_drawn(windows, other)
    drawing.shard(0).unlink()
    with pytest.raises(TrainingError, match="1 of 1 shards"):
        read_drawn(windows, drawing)
