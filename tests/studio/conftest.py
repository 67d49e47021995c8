"""One small cast, one motion, and one studio for most tests of this room."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from aesop.director.director import Director
from aesop.files.motion_files import write_motion
from aesop.studio.studio_serving import studio_annex
from tests.director.makers import director_of, save_cast, walking
from tests.server.running import Client, running
from tests.studio.visiting import Visitor


@pytest.fixture(scope="session")
def cast(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studio_cast")
    save_cast(folder)
    return folder


@pytest.fixture(scope="session")
def director(cast: Path) -> Director:
    return director_of(cast)


@pytest.fixture(scope="session")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("studio_motion") / "walk.bvh"
    write_motion(walking(53), path)
    return path


@pytest.fixture(scope="session")
def client(director: Director, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("studio")
    with running(folder, director, extend=studio_annex(folder)) as client:
        yield client


@pytest.fixture
def visitor(client: Client, walk: Path) -> Visitor:
    return Visitor(client, client.upload(walk.read_bytes()).json["id"])
