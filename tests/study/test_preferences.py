"""The analysis against hand-computed cases, against loops that share nothing with it, and against
what was put into simulated studies."""

import random
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest

from aesop.measuring.method_table import AskedTask
from aesop.study.preferences import Preference, add_votes, all_preferences, preferences_of
from aesop.study.record import Vote
from aesop.study.simulated import Crowd, merits_of, simulate_votes, true_preferences
from aesop.study.study_folder import study_without_videos
from aesop.study.study_plan import StudyPlan, TaskPlan, criteria_names
from aesop.study.study_report import (
    latex,
    markdown,
    power_text,
    report_study,
    whole_questionnaires,
)
from aesop.study.voters import (
    PowerAsked,
    agreement_of,
    chance_to_tell,
    count_votes,
    krippendorff_alpha,
    participants_needed,
    side_bias,
    trial_seconds,
    voter_facts,
)
from tests.study.makers import one_pair_plan, small_plan, vote

TASK = TaskPlan("film", ("a", "b", "c"), 2, 2)
CLIPS = ("x", "y")
VOTES = (
    # a against b on x: a wins, a tie. 1.5 of 2.
    vote(1, "x", "a", "b", -2),
    vote(2, "x", "b", "a", 0),
    # a against b on y: one of four.
    vote(1, "y", "b", "a", 1),
    vote(2, "y", "a", "b", 1),
    vote(3, "y", "b", "a", -1),
    vote(4, "y", "b", "a", -2),
    # a against c: nobody can judge y, so x counts alone.
    vote(1, "x", "c", "a", 2),
    vote(2, "y", "c", "a", None),
    # b against c: a tie.
    vote(3, "x", "b", "c", 0),
)


def found(preferences: Sequence[Preference], method: str, opponent: str | None) -> Preference:
    (one,) = [it for it in preferences if (it.method, it.opponent) == (method, opponent)]
    return one


def test_preferences_by_hand():
    preferences = preferences_of(add_votes(TASK, CLIPS, "overall", VOTES), resamples=50)
    assert found(preferences, "a", "b").value == (0.75 + 0.25) / 2
    assert found(preferences, "b", "a").value == 0.5
    assert found(preferences, "a", "c").value == 1.0
    assert found(preferences, "c", "b").value == 0.5
    assert found(preferences, "a", None).value == (0.5 + 1.0) / 2
    assert found(preferences, "c", None).value == (0.0 + 0.5) / 2
    counted = found(preferences, "a", "b")
    assert (counted.wins, counted.ties, counted.losses) == (2, 1, 3)
    counted = found(preferences, "a", None)
    assert (counted.wins, counted.ties, counted.losses) == (3, 1, 3)


def test_what_nobody_judged_has_no_number():
    preferences = preferences_of(add_votes(TASK, CLIPS, "framing", VOTES), resamples=50)
    assert all(it.value is None and it.interval is None for it in preferences)


def test_one_participant_has_no_interval_and_unanimity_has_a_narrow_one():
    alone = [it for it in VOTES if it.participant == 1]
    preferences = preferences_of(add_votes(TASK, CLIPS, "overall", alone), resamples=50)
    assert found(preferences, "a", "b").interval is None
    all_for_a = [vote(number, "x", "a", "b", -1) for number in range(5)]
    interval = found(
        preferences_of(add_votes(TASK, CLIPS, "overall", all_for_a), resamples=50), "a", "b"
    ).interval
    assert interval is not None and (interval.low, interval.high) == (1.0, 1.0)
    assert interval.cluster == "participant" and interval.resamples == 50


def plain_score(votes: Sequence[Vote], clips: Sequence[str], method: str, other: str) -> float:
    """The same, said in loops."""
    of_clips: list[float] = []
    for clip in clips:
        won = tied = lost = 0
        for it in votes:
            if (
                it.clip != clip
                or it.value is None
                or {it.left_method, it.right_method}
                != {
                    method,
                    other,
                }
            ):
                continue
            if it.value == 0:
                tied += 1
            elif (it.value < 0) == (it.left_method == method):
                won += 1
            else:
                lost += 1
        if won + tied + lost:
            of_clips.append((won + 0.5 * tied) / (won + tied + lost))
    return sum(of_clips) / len(of_clips)


Simulated = tuple[StudyPlan, dict[AskedTask, tuple[str, ...]], tuple[Vote, ...]]


@pytest.fixture(scope="module")
def simulated() -> Simulated:
    study = study_without_videos(small_plan(participants=23))
    votes = simulate_votes(study, Crowd({"aesop": 0.6}, cannot_judge=0.2), seed=3)
    clips: dict[AskedTask, tuple[str, ...]] = {
        task: tuple(clip.id for clip in some) for task, some in study.clips
    }
    return study.plan, clips, votes


def test_preferences_agree_with_plain_loops(simulated: Simulated):
    plan, clips, votes = simulated
    preferences = all_preferences(plan, clips, votes, resamples=20)
    assert len(preferences) == 4 * 3 * 3 + 6 * 2 * 2
    for it in preferences:
        own = [one for one in votes if (one.task, one.criterion) == (it.task, it.criterion)]
        methods = plan.task(it.task).methods
        others = [it.opponent] if it.opponent else [one for one in methods if one != it.method]
        scores = [plain_score(own, clips[it.task], it.method, other) for other in others]
        assert it.value == pytest.approx(sum(scores) / len(scores))


def test_intervals_agree_with_plain_draws(simulated: Simulated):
    """Participants are drawn one by one, and their votes copied into a list."""
    plan, clips, votes = simulated
    own = [it for it in votes if (it.task, it.criterion) == ("film", "overall")]
    of_person: dict[int, list[Vote]] = defaultdict(list)
    for it in own:
        of_person[it.participant].append(it)
    chooser = random.Random(7)
    people, drawn = sorted(of_person), list[float]()
    for _ in range(600):
        again = [one for _ in people for one in of_person[chooser.choice(people)]]
        scores = [plain_score(again, clips["film"], "aesop", other) for other in ("ccd", "mar")]
        drawn.append(sum(scores) / 2)
    sums = add_votes(plan.task("film"), clips["film"], "overall", votes)
    interval = found(preferences_of(sums, way="percentile"), "aesop", None).interval
    wider = found(preferences_of(sums), "aesop", None).interval
    assert interval is not None and wider is not None
    assert wider.low < interval.low and interval.high < wider.high
    low, high = np.quantile(drawn, [0.025, 0.975])
    # Ends of 600 draws: three standard errors of a 2.5 % quantile of this spread.
    error = 3 * np.std(drawn) * 0.11
    assert abs(interval.low - low) < error and abs(interval.high - high) < error


def test_a_large_study_recovers_what_was_put_in():
    study = study_without_videos(one_pair_plan(participants=401))
    crowd = Crowd({"a": 0.4}, side_bias=0.5, careless=0.2)
    votes = simulate_votes(study, crowd, seed=11)
    truth = true_preferences(merits_of(study.plan.tasks[0], crowd, study.plan.seed), crowd)
    clips = tuple(clip.id for clip in study.clips[0][1])
    sums = add_votes(study.plan.tasks[0], clips, "overall", votes)
    one = found(preferences_of(sums, resamples=200), "a", "b")
    assert one.value is not None
    # 1,200 votes of a standard deviation of one half: three standard errors.
    assert one.value == pytest.approx(truth["a", "b"], abs=3 * 0.5 / 1200**0.5)
    side = side_bias(votes)
    assert side.left is not None and side.interval is not None and side.interval.low > 0.55
    without = side_bias(simulate_votes(study, Crowd({"a": 0.4}), seed=11))
    assert without.interval is not None and without.interval.low < 0.5 < without.interval.high


def test_carelessness_draws_towards_one_half():
    plan = one_pair_plan()
    merit = merits_of(plan.tasks[0], Crowd({"a": 1.0}), 3)
    values = [
        true_preferences(merit, Crowd({"a": 1.0}, careless=share))["a", "b"]
        for share in (0.0, 0.3, 0.7, 1.0)
    ]
    assert values == sorted(values, reverse=True) and values[-1] == pytest.approx(0.5)
    opposite = true_preferences(merit, Crowd({"a": 1.0}))
    assert opposite["a", "b"] + opposite["b", "a"] == pytest.approx(1)


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    """A small version of runs/study.py, which does 500 at full size."""
    study = study_without_videos(one_pair_plan(clips=5, participants=19))
    crowd = Crowd({"a": 0.3})
    truth = true_preferences(merits_of(study.plan.tasks[0], crowd, study.plan.seed), crowd)
    clips = tuple(clip.id for clip in study.clips[0][1])
    inside = 0
    for seed in range(60):
        votes = simulate_votes(study, crowd, seed)
        sums = add_votes(study.plan.tasks[0], clips, "overall", votes)
        interval = found(preferences_of(sums, resamples=300), "a", "b").interval
        assert interval is not None
        inside += interval.low <= truth["a", "b"] <= interval.high
    # 60 throws that hit in 95 %: below 51 in less than one run of a hundred.
    assert 51 <= inside <= 60


def test_agreement_by_hand():
    assert krippendorff_alpha([[1, 1], [-1, -1]]) == 1.0
    # Observed (2²) 4; expected 2 · 2 · 2 · 4 / (4 · 3) = 8 / 3.
    assert krippendorff_alpha([[1, -1], [1, -1]]) == pytest.approx(1 - 4 / (8 / 3))
    assert krippendorff_alpha([[2, 2], [2, 2]]) is None
    agreement = agreement_of("film", "overall", VOTES)
    # a–b on x: for a, and neither; on y: one for a and three against, so 3 of 6 pairs agree.
    assert agreement.compared == 7 and agreement.same_side == pytest.approx(3 / 7)
    assert agreement_of("shoot", "overall", VOTES).alpha is None
    turned = [vote(it.participant, it.clip, it.right_method, it.left_method,
                   None if it.value is None else -it.value) for it in VOTES]  # fmt: skip
    assert agreement_of("film", "overall", turned) == agreement


def test_counts_sides_and_times():
    (counted,) = count_votes(VOTES)
    assert (counted.responses, counted.cannot_judge, counted.ties) == (9, 1, 2)
    assert counted.judgeable == 8
    # Left wins: a on x, b on y twice; half for the two ties.
    assert side_bias(VOTES).left == pytest.approx((3 + 2 * 0.5) / 8)
    assert trial_seconds(VOTES, "film") == (20.0, 20.0, 20.0)
    facts = {it.participant: it for it in voter_facts(VOTES)}
    assert facts[4].is_one_sided and not facts[1].is_one_sided
    assert facts[2].cannot_judge == pytest.approx(1 / 3)


def test_how_many_participants_are_needed():
    asked = PowerAsked(0.55, trials=10.0)
    needed = participants_needed(asked)
    assert chance_to_tell(asked, needed) >= 0.8 > chance_to_tell(asked, needed - 1)
    assert (
        participants_needed(PowerAsked(0.6, 10.0))
        < needed
        < participants_needed(PowerAsked(0.55, 3.0))
    )
    dice = np.random.default_rng(5)
    # 900 studies of that size, with a plain test of the mean.
    own = np.clip(dice.normal(0.55, asked.spread, (900, needed, 1)), 0.11, 0.89)
    thrown = dice.random((900, needed, 10))
    wins = own - asked.ties / 2
    means = ((thrown < wins) + 0.5 * ((thrown >= wins) & (thrown < wins + asked.ties))).mean(axis=2)
    error = means.std(axis=1, ddof=1) / needed**0.5
    told = ((means.mean(axis=1) - 0.5) / error > 1.96).mean()
    # Three standard errors of a share of 0.8 among 900.
    assert told == pytest.approx(0.8, abs=0.04)


def test_the_report_says_everything_and_counts_whole_questionnaires_only():
    study = study_without_videos(small_plan(participants=11))
    votes = simulate_votes(study, Crowd({"aesop": 0.5}), seed=2)
    cut = tuple(it for it in votes if it.participant > 1 or it.trial > 0)
    assert {it.participant for it in whole_questionnaires(study, cut)} == set(range(2, 12))
    report = report_study(study, cut, begun=12, removed=3, resamples=100)
    assert (report.participants, report.incomplete, report.removed) == (10, 2, 3)
    assert dict(report.trials) == {"film": 30, "shoot": 20}
    assert report.comparisons[0][2] == 15
    more = report_study(study, cut, 12, 3, with_incomplete=True, resamples=100)
    assert more.participants == 11
    plain = report_study(study, cut, 12, 3, resamples=100, intervals="percentile")
    assert "expanded percentiles" in markdown(study, report)
    assert "as in the paper" in markdown(study, plain)
    page, tables = markdown(study, report), latex(study, report)
    for text in (page, tables):
        assert "SIMULATED" in text
        assert f"{100 * (report.found('film', 'overall', 'aesop', None).value or 0):.1f}" in text
    for criterion in criteria_names("shoot"):
        assert criterion in page
    assert tables.count(r"\begin{tabular}") == tables.count(r"\end{tabular}") == 3
    assert "needed" in power_text(study, 0.2, 0.1)
