"""Fixtures shared by all tests."""

from pathlib import Path

import pytest
import torch

# Test processes share the cores: a second thread in each only makes them wait for one another.
torch.set_num_threads(1)

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
