"""Trainings that take turns."""

from collections.abc import Callable

from side_by_side import run_side_by_side


def steps(name: str, count: int, journal: list[str], fails_after: int | None = None):
    def train(after_step: Callable[[], bool]) -> None:
        for step in range(count):
            if step == fails_after:
                raise ValueError(name)
            journal.append(f"{name}{step}")
            assert after_step() is False

    return train


def test_every_training_steps_in_turn_until_its_end():
    journal: list[str] = []
    ends = run_side_by_side(
        [steps("a", 2, journal), steps("b", 5, journal), steps("c", 3, journal)], "cpu"
    )
    assert ends == [None] * 3
    assert journal == ["a0", "b0", "c0", "a1", "b1", "c1", "b2", "c2", "b3", "b4"]


def test_one_that_fails_stops_nobody_else():
    journal: list[str] = []
    ends = run_side_by_side([steps("a", 3, journal), steps("b", 3, journal, fails_after=1)], "cpu")
    assert ends[0] is None and isinstance(ends[1], ValueError)
    assert journal == ["a0", "b0", "a1", "a2"]
