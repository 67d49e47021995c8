"""Direction is measured on words that can be turned round; anything else is refused before a film
is made."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from aesop.core.errors import Progress
from aesop.data.pulpmotion import import_pulpmotion
from aesop.data.store import open_store
from aesop.measuring.cases import Bench, Case, Cases, Task, read_cases
from aesop.measuring.methods import Ask
from aesop.measuring.runs import MethodEntry, measure_direction, with_direction
from aesop.metrics.metric_book import MetricError
from aesop.metrics.movement_metrics import has_reverse
from aesop.scene.shot import Shot
from tests.data.pulpmotion_layout import wandering_shot, write_pulpmotion


class NobodyFilms:
    """A method that must not be asked."""

    def identity(self, task: Task) -> str:
        return "nobody"

    def answer(self, cases: Sequence[Case], ask: Ask) -> list[Shot]:
        raise AssertionError("a film was made")


@contextmanager
def quiet(_: str) -> Iterator[Progress]:
    yield lambda done, total: None


def test_no_words_are_no_reversed_words(bench: Bench, tmp_path: Path):
    assert not has_reverse(["The camera trucks right."], [""])
    moving = with_direction(bench.cases)
    mute = replace(moving.cases[1], reversed_words="")
    spoilt: Cases = replace(moving, cases=(moving.cases[0], mute, *moving.cases[2:]))
    assert len(with_direction(spoilt).cases) == len(moving.cases) - 1
    entry = MethodEntry("Nobody", (NobodyFilms(),), (0,))
    with pytest.raises(MetricError, match="cannot be turned round"):
        measure_direction(spoilt, entry, "film", tmp_path, quiet)


def test_sets_without_twins_are_asked_with_swapped_words(tmp_path: Path):
    words = {
        "a": "The camera trucks right to keep up with the person walking left.",
        "b": "The camera remains static.",
    }
    shots = {
        name: replace(wandering_shot(53 + 6 * place, place), camera_words=caption)
        for place, (name, caption) in enumerate(words.items())
    }
    write_pulpmotion(tmp_path / "pulp", shots, {"pure_test": list(words)})
    import_pulpmotion(tmp_path / "pulp", tmp_path / "store", workers=1)
    first, second = read_cases(open_store(tmp_path / "store"), "test").cases
    assert first.reversed_words == (
        "The camera trucks left to keep up with the person walking left."
    )
    assert second.reversed_words == ""
