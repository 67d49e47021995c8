"""People from captions beside real ones, by an evaluator without training."""

import numpy as np
import pytest
import torch

from aesop.evaluators.evaluator_weights import Evaluators
from aesop.fables.synthetic import ACTIONS, synthetic_motion
from aesop.measuring.matched_people import matched
from aesop.metrics.metric_book import MetricError
from aesop.scene.human import HumanMotion, shifted, turned

PEOPLE = 37


def crowd(seed: int) -> list[HumanMotion]:
    kinds = tuple(ACTIONS)
    return [
        synthetic_motion(
            kinds[number % len(kinds)], 29 + number % 7, np.random.default_rng((seed, number))
        ).clip.motion
        for number in range(PEOPLE)
    ]


WORDS = [f"somebody does number {number}" for number in range(PEOPLE)]
TAKES = [f"take {number // 3}" for number in range(PEOPLE)]


def test_the_same_people_are_no_distance_apart_and_found_as_often(evaluators: Evaluators):
    people = crowd(1)
    found = matched(evaluators.people, WORDS, people, people, TAKES)
    assert found.fd_tmr == pytest.approx(0, abs=1e-6)  # squares of float64 sums
    assert found.real == found.made
    assert found.everybody.precision == found.everybody.recall == 1
    assert (found.segments, found.takes) == (PEOPLE, 13)


def test_it_does_not_matter_where_people_stand(evaluators: Evaluators):
    people, others = crowd(1), crowd(2)
    moved = [
        shifted(
            turned(it, torch.tensor(1.9).to(it.joints)),
            torch.tensor([5.0, -3.0, 0.7]).to(it.joints),
        )
        for it in others
    ]
    one, other = (matched(evaluators.people, WORDS, people, it, TAKES) for it in (others, moved))
    assert one.fd_tmr > 0
    assert other.fd_tmr == pytest.approx(one.fd_tmr, rel=1e-3)  # single precision in a network


def test_fewer_captions_than_a_pool_are_refused(evaluators: Evaluators):
    people = crowd(1)
    with pytest.raises(MetricError, match="pool"):
        matched(evaluators.people, ["the same"] * PEOPLE, people, people, TAKES)
