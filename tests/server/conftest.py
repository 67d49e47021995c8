"""One small cast, one motion, one server for most tests of this room."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from aesop.director.director import Director
from aesop.files.motion_files import write_motion
from tests.director.makers import director_of, save_cast, walking
from tests.server.running import Client, running


@pytest.fixture(scope="session")
def director(tmp_path_factory: pytest.TempPathFactory) -> Director:
    folder = tmp_path_factory.mktemp("served_cast")
    save_cast(folder)
    return director_of(folder)


@pytest.fixture(scope="session")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("served_motion") / "walk.bvh"
    write_motion(walking(53), path)
    return path


@pytest.fixture(scope="session")
def client(director: Director, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with running(tmp_path_factory.mktemp("served"), director) as client:
        yield client


@pytest.fixture(scope="session")
def motion(client: Client, walk: Path) -> str:
    return client.upload(walk.read_bytes()).json["id"]
