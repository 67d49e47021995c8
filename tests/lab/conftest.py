"""The mini set that tests of measuring use."""

from tests.measuring.conftest import store

__all__ = ["store"]
