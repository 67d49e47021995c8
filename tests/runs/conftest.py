"""One cast for all tests of scripts."""

import pytest

from aesop.director.director import Director
from tests.director.makers import director_of, save_cast


@pytest.fixture(scope="session")
def director(tmp_path_factory: pytest.TempPathFactory) -> Director:
    folder = tmp_path_factory.mktemp("cast")
    save_cast(folder)
    return director_of(folder)
