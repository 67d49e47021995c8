"""One mini set and one bench for all tests of this room."""

from pathlib import Path

import pytest

from aesop.data.store import Store, open_store
from aesop.director.director import Director
from aesop.evaluators.evaluator_weights import Evaluators
from aesop.fables.build import FablesRecipe, Share, build_mini
from aesop.measuring.cases import Bench, build_bench, read_cases
from tests.director.makers import director_of, save_cast
from tests.measuring.makers import made_evaluators


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    path = tmp_path_factory.mktemp("mini") / "store"
    few = Share(windows=1, one_run=1, several=0, any_run=0)
    test = Share(windows=11, one_run=2, several=1, any_run=0)
    build_mini(path, FablesRecipe(seed=3, train=few, validation=few, test=test))
    return open_store(path)


@pytest.fixture(scope="session")
def evaluators(tmp_path_factory: pytest.TempPathFactory) -> Evaluators:
    return made_evaluators(tmp_path_factory.mktemp("evaluators"))


@pytest.fixture(scope="session")
def bench(store: Store, evaluators: Evaluators) -> Bench:
    return build_bench(read_cases(store, "test"), evaluators)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def director(tmp_path_factory: pytest.TempPathFactory) -> Director:
    folder = tmp_path_factory.mktemp("cast")
    save_cast(folder)
    return director_of(folder)
