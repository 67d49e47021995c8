"""One cast for all tests of this room."""

from pathlib import Path

import pytest

from aesop.director.director import Director
from tests.director.makers import director_of, save_cast


@pytest.fixture(scope="session")
def cast(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cast")
    save_cast(folder)
    return folder


@pytest.fixture(scope="session")
def director(cast: Path) -> Director:
    return director_of(cast)
