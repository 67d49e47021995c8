"""Made-up participants whose preferences are known: for tests, for teaching, and to see how many
real ones a study needs.

Every method has a quality, every clip and method a deviation from it, and every participant a taste
of their own for every method. Somebody who compares sees the difference of the two sums, plus
noise of variance one and a little more for the left side; five thresholds make a response of it.
Whoever is careless throws dice instead.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
from jaxtyping import Float64

from aesop.core.hashing import dice_for
from aesop.measuring.method_table import AskedTask
from aesop.study.balance import Sheet, Trial
from aesop.study.record import SCALE, Vote
from aesop.study.study_folder import Study
from aesop.study.study_plan import TaskPlan, criteria_names

_SECONDS = (9.0, 30.0)  # that made-up trials take


@dataclass(frozen=True)
class Crowd:
    """Who votes. Qualities and thresholds are in units of the noise of one judgement."""

    quality: Mapping[str, float] = field(default_factory=dict[str, float])
    clip_spread: float = 0.3
    taste_spread: float = 0.3
    side_bias: float = 0.0  # added to the left
    careless: float = 0.0  # share of trials answered by dice
    cannot_judge: float = 0.04
    tie_within: float = 0.25
    much_beyond: float = 1.2


@dataclass(frozen=True, eq=False)
class Merit:
    """What is there to be seen: of every clip and method of a task."""

    plan: TaskPlan
    value: Float64[np.ndarray, "clips methods"]

    def differences(self) -> Float64[np.ndarray, "clips pairs"]:
        places = {name: place for place, name in enumerate(self.plan.methods)}
        return np.stack(
            [self.value[:, places[a]] - self.value[:, places[b]] for a, b in self.plan.pairs],
            axis=1,
        )


def merits_of(task: TaskPlan, crowd: Crowd, seed: int) -> Merit:
    """The stimuli of a simulated study; they stay what they are, whoever votes."""
    dice = dice_for(seed, "merit", task.task)
    quality = np.array([crowd.quality.get(name, 0.0) for name in task.methods])
    noise = dice.normal(0, crowd.clip_spread, (task.clips, len(task.methods)))
    return Merit(task, quality + noise)


def true_preferences(merit: Merit, crowd: Crowd) -> dict[tuple[str, str | None], float]:
    """What a study with endless participants would report, in closed form: of every method against
    every other, and against all (None)."""
    scores = _true_scores(merit.differences(), crowd).mean(axis=0)
    found: dict[tuple[str, str | None], float] = {}
    for (first, second), score in zip(merit.plan.pairs, scores.tolist(), strict=True):
        found[first, second], found[second, first] = score, 1 - score
    for method in merit.plan.methods:
        others = [found[method, it] for it in merit.plan.methods if it != method]
        found[method, None] = sum(others) / len(others)
    return found


def _true_scores(
    differences: Float64[np.ndarray, "clips pairs"], crowd: Crowd
) -> Float64[np.ndarray, "clips pairs"]:
    """Credit of the first method, half of the time on the left. Noise and two tastes add up to one
    normal number, so the thresholds cut its distribution."""
    scale = math.sqrt(1 + 2 * crowd.taste_spread**2)
    below = np.vectorize(NormalDist().cdf)
    credit = np.zeros_like(differences)
    for side in (crowd.side_bias, -crowd.side_bias):
        wins = 1 - below((crowd.tie_within - differences - side) / scale)
        losses = below((-crowd.tie_within - differences - side) / scale)
        credit += 0.5 * (wins + 0.5 * (1 - wins - losses))
    return (1 - crowd.careless) * credit + crowd.careless * 0.5


def simulate_votes(
    study: Study, crowd: Crowd, seed: int, only: tuple[str, ...] | None = None
) -> tuple[Vote, ...]:
    """Votes of a participant for every sheet, on all criteria or on some. The stimuli depend on
    the plan's seed alone, the participants on this one."""
    merits: dict[AskedTask, Merit] = {
        task.task: merits_of(task, crowd, study.plan.seed) for task in study.plan.tasks
    }
    dice = dice_for(seed, "crowd")
    votes: list[Vote] = []
    for number, sheet in enumerate(study.sheets):
        votes += _sheet_votes(study, crowd, merits, (number, sheet), (dice, only))
    return tuple(votes)


def _sheet_votes(
    study: Study,
    crowd: Crowd,
    merits: Mapping[AskedTask, Merit],
    numbered: tuple[int, Sheet],
    asked: tuple[np.random.Generator, tuple[str, ...] | None],
) -> list[Vote]:
    (number, sheet), (dice, only) = numbered, asked
    criteria = {
        task: tuple(it for it in criteria_names(task) if only is None or it in only)
        for task in merits
    }
    tastes = {
        (task, criterion): dice.normal(0, crowd.taste_spread, len(merit.plan.methods))
        for task, merit in merits.items()
        for criterion in criteria[task]
    }
    votes: list[Vote] = []
    now = 1_000_000.0 * (number + 1)
    for place, trial in enumerate(sheet):
        opened, now = now, now + float(dice.uniform(*_SECONDS))
        is_careless = dice.random() < crowd.careless
        for criterion in criteria[trial.task]:
            merit = merits[trial.task]
            leaning = _leaning(merit, trial, tastes[trial.task, criterion], crowd, dice)
            value = int(dice.choice(SCALE)) if is_careless else _response(leaning, crowd)
            votes.append(
                Vote(
                    participant=number + 1,
                    sheet=number,
                    trial=place,
                    task=trial.task,
                    clip=study.clip(trial.task, trial.clip).id,
                    left_method=trial.left,
                    right_method=trial.right,
                    criterion=criterion,
                    value=None if dice.random() < crowd.cannot_judge else value,
                    opened_at=opened,
                    saved_at=now,
                    left_played=1.0,
                    right_played=1.0,
                    window="0x0",
                    version="simulated",
                    study="simulated",
                    answer=f"{number + 1}-{place}",
                )
            )
    return votes


def _leaning(
    merit: Merit,
    trial: Trial,
    taste: Float64[np.ndarray, " methods"],
    crowd: Crowd,
    dice: np.random.Generator,
) -> float:
    """How much better the left one seems."""
    left, right = (merit.plan.methods.index(name) for name in (trial.left, trial.right))
    seen = merit.value[trial.clip] + taste
    return float(seen[left] - seen[right] + crowd.side_bias + dice.normal())


def _response(leaning: float, crowd: Crowd) -> int:
    if abs(leaning) <= crowd.tie_within:
        return 0
    size = 2 if abs(leaning) > crowd.much_beyond else 1
    return -size if leaning > 0 else size
