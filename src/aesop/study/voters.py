"""About those who voted: how far they agree, whether a side was favoured, how long they took, and
how many of them a study needs."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from aesop.metrics.bootstrap import (
    EXPANDED,
    SHARE,
    Interval,
    IntervalWay,
    each_apart,
    ratio_interval,
)
from aesop.study.record import SCALE, Vote

POWER = 0.8  # the usual chance to find what is there
POOREST = 0.05  # of side or of answers: below this a participant is worth a look
LONG_SECONDS = 600.0  # a trial that took longer was interrupted


@dataclass(frozen=True)
class VoteCount:
    """Responses of one task and criterion."""

    task: str
    criterion: str
    responses: int
    cannot_judge: int
    ties: int

    @property
    def judgeable(self) -> int:
        return self.responses - self.cannot_judge


def count_votes(votes: Sequence[Vote]) -> tuple[VoteCount, ...]:
    groups: dict[tuple[str, str], list[int | None]] = defaultdict(list)
    for vote in votes:
        groups[vote.task, vote.criterion].append(vote.value)
    return tuple(
        VoteCount(task, criterion, len(values), values.count(None), values.count(0))
        for (task, criterion), values in groups.items()
    )


@dataclass(frozen=True)
class Agreement:
    """How alike participants judge the same clip and pair. `alpha` is Krippendorff's, on the five
    steps: 1 is agreement, 0 what chance gives. `same_side` is the share of pairs of participants
    who prefer the same method, or both neither."""

    task: str
    criterion: str
    alpha: float | None
    same_side: float | None
    compared: int  # pairs of participants


def agreement_of(task: str, criterion: str, votes: Sequence[Vote]) -> Agreement:
    """From all clips and pairs that two or more participants judged."""
    units: dict[tuple[str, frozenset[str]], list[int]] = defaultdict(list)
    for vote in votes:
        if (vote.task, vote.criterion) == (task, criterion) and vote.value is not None:
            first = min(vote.left_method, vote.right_method)
            towards_first = -vote.value if vote.left_method == first else vote.value
            units[vote.clip, frozenset((vote.left_method, vote.right_method))].append(towards_first)
    several = [values for values in units.values() if len(values) > 1]
    pairs = sum(math.comb(len(values), 2) for values in several)
    if not pairs:
        return Agreement(task, criterion, None, None, 0)
    same = sum(
        math.comb(count, 2)
        for values in several
        for count in Counter(int(np.sign(value)) for value in values).values()
    )
    return Agreement(task, criterion, krippendorff_alpha(several), same / pairs, pairs)


def krippendorff_alpha(units: Sequence[Sequence[int]]) -> float | None:
    """Observed over expected disagreement, squared differences, for units with two or more values;
    None where all values are one."""
    steps = len(SCALE)
    values = np.array(SCALE, np.float64)
    apart = (values[:, None] - values[None]) ** 2
    together = np.zeros((steps, steps))
    for unit in units:
        counts = np.bincount([value - SCALE[0] for value in unit], minlength=steps).astype(float)
        ordered = np.outer(counts, counts) - np.diag(counts)
        together += ordered / (len(unit) - 1)
    of_value, total = together.sum(axis=0), together.sum()
    expected = (np.outer(of_value, of_value) - np.diag(of_value)) / (total - 1)
    if (expected * apart).sum() == 0:
        return None
    return float(1 - (together * apart).sum() / (expected * apart).sum())


@dataclass(frozen=True)
class SideBias:
    """Preference for the left video, whoever made it: one half without a bias."""

    left: float | None
    interval: Interval | None


def side_bias(votes: Sequence[Vote], way: IntervalWay = EXPANDED) -> SideBias:
    """Over all judged responses; participants are drawn."""
    people = sorted({vote.participant for vote in votes})
    row = {number: place for place, number in enumerate(people)}
    credit, judged = np.zeros(len(people)), np.zeros(len(people))
    for vote in votes:
        if vote.value is not None:
            judged[row[vote.participant]] += 1
            credit[row[vote.participant]] += 0.5 - 0.5 * np.sign(vote.value)
    if judged.sum() == 0:
        return SideBias(None, None)
    interval = ratio_interval(credit, judged, each_apart(len(people), "participant"), way=way)
    return SideBias(float(credit.sum() / judged.sum()), interval)


@dataclass(frozen=True)
class VoterFacts:
    """One participant at a glance. Nobody is left out by these numbers; they show whom to ask."""

    participant: int
    sheet: int
    trials: int
    median_seconds: float
    minutes: float
    left: float | None
    ties: float | None
    cannot_judge: float
    is_one_sided: bool  # all judged responses on one side


def voter_facts(votes: Sequence[Vote]) -> tuple[VoterFacts, ...]:
    by_person: dict[int, list[Vote]] = defaultdict(list)
    for vote in votes:
        by_person[vote.participant].append(vote)
    facts: list[VoterFacts] = []
    for number, own in sorted(by_person.items()):
        times = {vote.trial: vote.saved_at - vote.opened_at for vote in own}
        judged = [vote.value for vote in own if vote.value is not None]
        left = float(np.mean([0.5 - 0.5 * np.sign(it) for it in judged])) if judged else None
        facts.append(
            VoterFacts(
                participant=number,
                sheet=own[0].sheet,
                trials=len(times),
                median_seconds=float(np.median(list(times.values()))),
                minutes=sum(min(it, LONG_SECONDS) for it in times.values()) / 60,
                left=left,
                ties=judged.count(0) / len(judged) if judged else None,
                cannot_judge=1 - len(judged) / len(own),
                is_one_sided=left is not None and not POOREST < left < 1 - POOREST,
            )
        )
    return tuple(facts)


def trial_seconds(votes: Sequence[Vote], task: str) -> tuple[float, float, float] | None:
    """Quartiles of how long a trial took."""
    times = {vote.answer: vote.saved_at - vote.opened_at for vote in votes if vote.task == task}
    if not times:
        return None
    low, middle, high = np.quantile(list(times.values()), [0.25, 0.5, 0.75]).tolist()
    return low, middle, high


@dataclass(frozen=True)
class PowerAsked:
    """What decides how many participants are needed.

    `trials`: judged trials of one participant that bear on the number. `ties`: their share.
    `spread`: how much participants differ, the standard deviation of their true preferences.
    """

    preference: float
    trials: float
    ties: float = 0.2
    spread: float = 0.1


def participants_needed(asked: PowerAsked, power: float = POWER) -> int:
    """How many tell a preference from one half with that chance, at the level of the intervals.

    One participant's mean has the variance spread² + variance of a trial / trials; a trial gives 1,
    one half or 0.
    """
    normal = NormalDist()
    needed = normal.inv_cdf((1 + SHARE) / 2) + normal.inv_cdf(power)
    apart = asked.preference - 0.5
    return math.ceil(needed**2 * _variance(asked) / apart**2)


def chance_to_tell(asked: PowerAsked, participants: int) -> float:
    """The chance that the interval of so many participants leaves one half out."""
    normal = NormalDist()
    error = math.sqrt(_variance(asked) / participants)
    return normal.cdf(abs(asked.preference - 0.5) / error - normal.inv_cdf((1 + SHARE) / 2))


def _variance(asked: PowerAsked) -> float:
    wins = asked.preference - asked.ties / 2
    of_trial = wins + asked.ties / 4 - asked.preference**2
    return asked.spread**2 + of_trial / asked.trials
