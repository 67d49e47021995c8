"""Fixtures shared by all tests, and the settings under which `runs/matrix.py` repeats them."""

import multiprocessing
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import jaxtyping
import pytest
import torch

THREADS = "AESOP_TEST_THREADS"
START = "AESOP_TEST_START"

# Test processes share the cores: a second thread in each only makes them wait for one another.
torch.set_num_threads(int(os.environ.get(THREADS, "1")))


def live_without_fork() -> None:
    """Make this process like one on Windows, where workers can only be spawned."""

    def only_spawn(*_: object) -> list[str]:
        return ["spawn"]

    multiprocessing.get_all_start_methods = only_spawn
    multiprocessing.set_start_method("spawn", force=True)
    if hasattr(os, "fork"):
        del os.fork


if os.environ.get(START) == "spawn":
    live_without_fork()

# Nothing that a test encodes or generates goes into the user's own cache.
os.environ.setdefault("AESOP_CACHE", tempfile.mkdtemp(prefix="aesop-tests-"))

# Rooms whose tests look at answers, pages and files: the shapes below them are checked by the tests
# of the rooms that they belong to, and a film costs several times as much with every call checked.
UNCHECKED = frozenset({"cli", "studio", "server", "study", "reproduction", "runs", "test_docs.py"})


@pytest.fixture(autouse=True)
def shapes_are_checked_where_they_are_made(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test of every room sees wrong shapes, but for rooms that only put others together."""
    before = jaxtyping.config.jaxtyping_disable
    is_unchecked = not UNCHECKED.isdisjoint((request.path.parent.name, request.path.name))
    jaxtyping.config.update("jaxtyping_disable", is_unchecked)
    yield
    jaxtyping.config.update("jaxtyping_disable", before)


SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Data that lies beside the repository on the maintainers' machines only."""
    if not SHARED.is_dir():
        pytest.skip("the maintainers' data folder is not beside this clone")
    return SHARED


@pytest.fixture
def dice() -> torch.Generator:
    """A seeded generator of its own for every test."""
    return torch.Generator().manual_seed(7)
