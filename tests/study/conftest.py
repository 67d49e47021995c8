"""One small study with videos, copied for every test that serves it."""

import shutil
from pathlib import Path

import pytest

from tests.study.makers import served_folder


@pytest.fixture(scope="session")
def made_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study") / "made"
    served_folder(folder)
    return folder


@pytest.fixture
def folder(made_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_folder, tmp_path / "served"))
