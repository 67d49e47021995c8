"""What the votes say: preference (W + T/2) / (W + T + L) of every clip and pair, averaged equally
over clips, then over opponents, with participant-cluster intervals while the stimuli stay fixed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from aesop.measuring.method_table import AskedTask
from aesop.metrics.bootstrap import (
    EXPANDED,
    MEAN_RESAMPLES,
    Interval,
    IntervalWay,
    bootstrap_several,
    each_apart,
)
from aesop.study.record import Vote
from aesop.study.study_plan import OVERALL, StudyPlan, TaskPlan, criteria_names

CHANCE = 0.5


@dataclass(frozen=True)
class Preference:
    """How often one method is preferred: to one opponent, or (without one) to all, each counting
    alike. None where no vote can be judged."""

    task: AskedTask
    criterion: str
    method: str
    opponent: str | None
    value: float | None
    interval: Interval | None
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, eq=False)
class VoteSums:
    """Votes of one task and criterion, added up for every participant and cell: a cell is a clip
    and a pair of methods. `credit` is W + T/2 of the pair's first method, `judged` W + T + L."""

    plan: TaskPlan
    criterion: str
    participants: tuple[int, ...]
    wins: Float64[np.ndarray, "participants clips pairs"]
    ties: Float64[np.ndarray, "participants clips pairs"]
    losses: Float64[np.ndarray, "participants clips pairs"]

    @property
    def credit(self) -> Float64[np.ndarray, "participants clips pairs"]:
        return self.wins + 0.5 * self.ties

    @property
    def judged(self) -> Float64[np.ndarray, "participants clips pairs"]:
        return self.wins + self.ties + self.losses


def add_votes(
    task: TaskPlan, clips: Sequence[str], criterion: str, votes: Sequence[Vote]
) -> VoteSums:
    """Add up the votes of a task. All participants count as drawn, also those who could judge
    nothing here."""
    people = tuple(sorted({vote.participant for vote in votes}))
    rows = {number: row for row, number in enumerate(people)}
    columns = {clip: column for column, clip in enumerate(clips)}
    pairs = {frozenset(pair): number for number, pair in enumerate(task.pairs)}
    shape = (len(people), len(clips), len(task.pairs))
    wins, ties, losses = (np.zeros(shape) for _ in range(3))
    for vote in votes:
        if (vote.task, vote.criterion) != (task.task, criterion) or vote.value is None:
            continue
        pair = pairs[frozenset((vote.left_method, vote.right_method))]
        is_first_left = vote.left_method == task.pairs[pair][0]
        leaning = -vote.value if is_first_left else vote.value  # towards the pair's first method
        sums = ties if leaning == 0 else wins if leaning > 0 else losses
        sums[rows[vote.participant], columns[vote.clip], pair] += 1
    return VoteSums(task, criterion, people, wins, ties, losses)


def pair_scores(
    credit: Float64[np.ndarray, "times clips pairs"],
    judged: Float64[np.ndarray, "times clips pairs"],
) -> Float64[np.ndarray, "times pairs"]:
    """Preference of every pair's first method: the mean over clips that were judged at all."""
    is_judged = judged > 0
    of_clip = np.divide(credit, judged, out=np.zeros_like(credit), where=is_judged)
    with np.errstate(invalid="ignore"):
        return of_clip.sum(axis=1) / is_judged.sum(axis=1)


def scores_of(
    sums: VoteSums, counts: Float64[np.ndarray, "times participants"]
) -> Float64[np.ndarray, "times pairs"]:
    """The same where every participant counts so many times."""
    flat = (len(sums.participants), -1)
    credit, judged = (counts @ values.reshape(flat) for values in (sums.credit, sums.judged))
    shape = (len(counts), *sums.credit.shape[1:])
    return pair_scores(credit.reshape(shape), judged.reshape(shape))


@dataclass(frozen=True)
class _Contest:
    """A method against one opponent, or against all (None): the pairs that tell, and in which of
    them the method is the first."""

    method: str
    opponent: str | None
    pairs: tuple[int, ...]
    is_first: tuple[bool, ...]


def _contests(task: TaskPlan) -> list[_Contest]:
    found: list[_Contest] = []
    for method in task.methods:
        own = [(number, pair) for number, pair in enumerate(task.pairs) if method in pair]
        for number, (first, second) in own:
            other = second if method == first else first
            found.append(_Contest(method, other, (number,), (method == first,)))
        numbers, first_ones = zip(*[(it, pair[0] == method) for it, pair in own], strict=True)
        found.append(_Contest(method, None, numbers, first_ones))
    return found


def preferences_of(
    sums: VoteSums, resamples: int = MEAN_RESAMPLES, way: IntervalWay = EXPANDED
) -> list[Preference]:
    """Of every method against every other, and of every method against all."""
    contests = _contests(sums.plan)

    def statistics(
        counts: Float64[np.ndarray, "times participants"],
    ) -> Float64[np.ndarray, "times contests"]:
        scores = scores_of(sums, counts)
        columns = [
            np.where(it.is_first, scores[:, it.pairs], 1 - scores[:, it.pairs]).mean(axis=1)
            for it in contests
        ]
        return np.stack(columns, axis=1)

    people = len(sums.participants)
    values = statistics(np.ones((1, people)))[0].tolist()
    # Participants are drawn; clips and pairs are those of the study.
    drawn = bootstrap_several(
        statistics,
        each_apart(people, "participant"),
        resamples,
        way=way,
    )
    intervals = drawn or [None] * len(contests)
    return [
        _preference(sums, contest, value, interval)
        for contest, value, interval in zip(contests, values, intervals, strict=True)
    ]


def _preference(
    sums: VoteSums, contest: _Contest, value: float, interval: Interval | None
) -> Preference:
    won, tied, lost = (
        values[..., contest.pairs].sum(axis=(0, 1))
        for values in (sums.wins, sums.ties, sums.losses)
    )
    is_known = bool(np.isfinite(value))
    return Preference(
        task=sums.plan.task,
        criterion=sums.criterion,
        method=contest.method,
        opponent=contest.opponent,
        value=value if is_known else None,
        interval=interval if is_known else None,
        wins=int(np.where(contest.is_first, won, lost).sum()),
        ties=int(tied.sum()),
        losses=int(np.where(contest.is_first, lost, won).sum()),
    )


def all_preferences(
    plan: StudyPlan,
    clips: dict[AskedTask, tuple[str, ...]],
    votes: Sequence[Vote],
    resamples: int = MEAN_RESAMPLES,
    way: IntervalWay = EXPANDED,
) -> tuple[Preference, ...]:
    """Every task, every criterion, the overall judgement first."""
    found: list[Preference] = []
    for task in plan.tasks:
        names = sorted(criteria_names(task.task), key=lambda name: name != OVERALL)
        for criterion in names:
            sums = add_votes(task, clips[task.task], criterion, votes)
            found += preferences_of(sums, resamples, way)
    return tuple(found)
