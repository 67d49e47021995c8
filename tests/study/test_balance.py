"""Plans are read strictly, and sheets give everything its equal share."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aesop.core.errors import AesopError
from aesop.study.balance import (
    balance_of,
    balance_text,
    deal_sheets,
    equal_halves,
    equal_shares,
)
from aesop.study.study_plan import (
    CRITERIA,
    comparisons_of,
    plan_from_values,
    plan_values,
    read_plan_file,
)
from tests.study.makers import plan_values as small_values
from tests.study.makers import small_plan


def test_the_papers_plan_has_the_papers_counts():
    plan = read_plan_file(Path("paper"), needs_methods=False)
    sheets = deal_sheets(plan)
    film, shoot = balance_of(plan, sheets)
    assert plan.participants == len(sheets) == 29
    assert (film.comparisons, shoot.comparisons) == (120, 60)
    assert [comparisons_of(task) for task in plan.tasks] == [120, 60]
    assert (film.trials, shoot.trials) == (580, 522)
    assert str(film.per_participant) == "20" and str(shoot.per_participant) == "18"
    responses = film.trials * len(CRITERIA["film"]) + shoot.trials * len(CRITERIA["shoot"])
    assert responses == 5452
    assert film.is_even and shoot.is_even
    assert film.left_more_per_pair <= 1 and shoot.left_more_per_pair <= 1
    assert abs(film.begun_with - shoot.begun_with) == 1
    assert "580 | 522" in balance_text(plan, (film, shoot))


@settings(max_examples=40, deadline=None)
@given(
    clips=st.integers(2, 13), methods=st.integers(2, 5), share=st.floats(0.01, 1),
    participants=st.integers(1, 17), seed=st.integers(0, 10**6),
)  # fmt: skip
def test_every_plan_is_dealt_evenly(
    clips: int, methods: int, share: float, participants: int, seed: int
):
    names = [f"m{number}" for number in range(methods)]
    task = {"task": "film", "methods": names, "clips": clips,
            "comparisons": max(1, int(share * clips))}  # fmt: skip
    plan = small_plan(tasks=[task], participants=participants, seed=seed)
    (balance,) = balance_of(plan, deal_sheets(plan))
    assert balance.is_even, balance
    assert balance.left_more_per_pair <= 1
    assert balance.clip_per_participant.most <= 1


@settings(max_examples=60, deadline=None)
@given(
    ends=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7)), min_size=1, max_size=60),
    shares=st.integers(2, 7), seed=st.integers(0, 10**6),
)  # fmt: skip
def test_edges_are_shared_out_evenly_at_every_point(
    ends: list[tuple[int, int]], shares: int, seed: int
):
    dealt = equal_shares(ends, shares, np.random.default_rng(seed))
    for kind in (0, 1):
        for point in {end[kind] for end in ends}:
            own = Counter(
                share for end, share in zip(ends, dealt, strict=True) if end[kind] == point
            )
            counts = [own[share] for share in range(shares)]
            assert max(counts) - min(counts) <= 1
    counts = [dealt.count(share) for share in range(shares)]
    assert max(counts) - min(counts) <= 1


def test_halves_need_no_second_look():
    dice = np.random.default_rng(3)
    ends = [(int(a), int(b)) for a, b in dice.integers(0, 11, (211, 2))]
    half = equal_halves(ends, dice)
    assert abs(2 * sum(half) - len(half)) <= 1


def test_a_study_that_ends_early_is_nearly_balanced():
    plan = read_plan_file(Path("paper"), needs_methods=False)
    sheets = deal_sheets(plan)
    for count in range(1, 30):
        film, shoot = balance_of(plan, sheets[:count])
        assert film.per_comparison.most - film.per_comparison.least <= 2
        assert shoot.per_comparison.most - shoot.per_comparison.least <= 3


def test_the_seed_decides_and_nothing_else():
    assert deal_sheets(small_plan()) == deal_sheets(small_plan())
    assert deal_sheets(small_plan()) != deal_sheets(small_plan(seed=14))
    orders = {tuple(trial.clip for trial in sheet) for sheet in deal_sheets(small_plan())}
    assert len(orders) > 1


def test_an_uneven_deal_would_be_noticed():
    plan = small_plan()
    sheets = deal_sheets(plan)
    assert not balance_of(plan, (sheets[0], *sheets[:-1]))[0].is_even
    turned = [tuple(trial for trial in sheet if trial.left != "aesop") for sheet in sheets]
    assert not balance_of(plan, turned)[0].is_even


def test_a_plan_survives_its_json():
    plan = small_plan(contact="a@b.org", split="test", noise_seed=3)
    assert plan_from_values(plan_values(plan), Path(), needs_methods=False) == plan
    named = small_values()
    named["tasks"][0]["clips"] = [f"shot {number}" for number in range(5)]
    plan = plan_from_values(named, Path(), needs_methods=False)
    assert plan.tasks[0].ids[4] == "shot 4" and plan.tasks[0].clips == 5
    assert plan_from_values(plan_values(plan), Path(), needs_methods=False) == plan
    fewer = task_with(methods=["aesop", "ccd"])
    plan = plan_from_values(small_values(tasks=fewer) | {"methods": {"ccd": {"steps": 53}}}, Path())
    assert plan.method("ccd").setting.steps == 53
    assert plan_from_values(plan_values(plan), Path(), needs_methods=False) == plan


def task_with(**changes: Any) -> list[dict[str, Any]]:
    usual = {"task": "film", "methods": ["aesop", "reference"], "clips": 5, "comparisons": 3}
    return [usual | changes]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"tasks": task_with(methods=["aesop", "nobody"])}, "no method 'nobody'. Choose among"),
        ({"tasks": task_with(methods=["aesop", "pulpmotion-mar"])}, "pulpmotion-mar cannot do"),
        ({"tasks": task_with(task="shoot", methods=["aesop", "ccd"])}, "ccd cannot do"),
        ({"tasks": task_with(task="shoot", methods=["aesop", "operator"])}, "operator cannot do"),
        ({"tasks": task_with(methods=["aesop"])}, "two or more"),
        ({"tasks": task_with(methods=["aesop", "aesop"])}, "two or more"),
        ({"tasks": task_with(comparisons=6)}, "6 comparisons on 5 clips"),
        ({"tasks": task_with(comparisons=0)}, "0 comparisons"),
        ({"tasks": task_with(clips=["a", "a"], comparisons=1)}, "a clip twice"),
        ({"tasks": task_with(task="dance")}, "no task 'dance'"),
        ({"tasks": task_with(clip=3)}, "knows no `clip`"),
        ({"tasks": []}, "no task"),
        ({"tasks": [*task_with(), *task_with()]}, "one twice"),
        ({"participants": 0}, "0 participants"),
        ({"participants": "many"}, "a whole number"),
        ({"seed": True}, "a whole number"),
        ({"title": " "}, "title is empty"),
        ({"colour": "red"}, "knows no `colour`"),
        ({"methods": {"mar": {}}}, "is in no task"),
        ({"methods": {"reference": {"weights": "x"}}}, "has no weights"),
        ({"methods": {"aesop": {"protocol": "loud"}}}, "no protocol 'loud'"),
        ({"methods": {"aesop": {"steps": 50}}}, "steps of aesop cannot be changed"),
        (
            {"tasks": task_with(methods=["aesop", "ccd"]), "methods": {"ccd": {"steps": 5}}},
            "10 to 999",
        ),
    ],
)
def test_plans_that_cannot_be_are_refused(changes: dict[str, Any], told: str):
    values = small_values(tasks=task_with()) | changes
    with pytest.raises(AesopError) as refusal:
        plan_from_values(values, Path())
    assert told in str(refusal.value) and refusal.value.remedy


def test_files_that_are_no_plans_are_refused(tmp_path: Path):
    (tmp_path / "plan.toml").write_text("title = ", encoding="utf-8")
    for name in ("plan.toml", "nothing.toml"):
        with pytest.raises(AesopError) as refusal:
            read_plan_file(tmp_path / name)
        assert name in str(refusal.value)
    assert read_plan_file(Path("paper")).participants == 29
    assert read_plan_file(Path("fables")).participants == 24
    baselines = read_plan_file(Path("baselines"))
    (film,) = balance_of(baselines, deal_sheets(baselines))
    assert (film.comparisons, film.trials, film.is_even) == (120, 360, True)
