"""Errors reach the user whole, from any process."""

import pickle

import pytest

from aesop.core import errors

KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, errors.AesopError)
]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_says_fact_then_remedy_and_survives_the_way_between_processes(
    kind: type[errors.AesopError],
):
    error = kind("The file is empty.", "Export it again.")
    copy = pickle.loads(pickle.dumps(error))
    assert str(error) == str(copy) == "The file is empty. Export it again."
    assert (copy.fact, copy.remedy) == ("The file is empty.", "Export it again.")
