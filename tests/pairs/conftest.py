"""One small store for all tests of the room."""

from pathlib import Path

import pytest

from aesop.fables.build import FablesRecipe, Share, build_mini, mini_recipe


@pytest.fixture(scope="session")
def mini_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pairs") / "store"
    small = FablesRecipe(
        seed=mini_recipe().seed,
        train=Share(windows=29, one_run=3, several=0, any_run=1),
        validation=Share(windows=8, one_run=1, several=0, any_run=0),
        test=Share(windows=8, one_run=1, several=0, any_run=0),
    )
    build_mini(path, small)
    return path
