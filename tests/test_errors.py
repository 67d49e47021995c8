"""Errors reach the user whole, from any process."""

import pickle

from aesop.errors import AesopError, ClipError


def all_kinds(kind: type[AesopError] = AesopError) -> list[type[AesopError]]:
    return [kind, *(found for child in kind.__subclasses__() for found in all_kinds(child))]


def test_every_error_says_fact_then_remedy_and_survives_the_way_between_processes():
    assert ClipError in all_kinds()
    for kind in all_kinds():
        error = kind("The file is empty.", "Export it again.")
        copy = pickle.loads(pickle.dumps(error))
        assert str(error) == str(copy) == "The file is empty. Export it again."
        assert (copy.fact, copy.remedy) == ("The file is empty.", "Export it again.")
