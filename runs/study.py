"""What the study's design and analysis promise, measured on simulated studies of the paper's plan.

    python runs/study.py [--studies 500] [--resamples 10000]

How often 95 % intervals hold the truth, for several crowds; and how often so many participants as
`participants_needed` says really tell 55 % from 50 %. Nobody votes here: every number is about the
method of a study, none about a camera. Writes results/runs/study.json.
"""

import argparse
import json
from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import NormalDist

import numpy as np
from tqdm import tqdm

from aesop.core.machine import code_state, processor_name
from aesop.core.whole_files import atomic_path
from aesop.metrics.bootstrap import EXPANDED, PERCENTILE, IntervalWay
from aesop.study.balance import balance_of, deal_sheets
from aesop.study.preferences import Preference, add_votes, preferences_of
from aesop.study.simulated import Crowd, merits_of, simulate_votes, true_preferences
from aesop.study.study_folder import Study, study_without_videos
from aesop.study.study_plan import OVERALL, StudyPlan, TaskPlan, read_plan_file
from aesop.study.voters import PowerAsked, participants_needed

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "results" / "runs" / "study.json"
WANTED = (0.92, 0.97)
WAYS: tuple[IntervalWay, ...] = (EXPANDED, PERCENTILE)
# The first is like the paper's participants, who prefer AESOP in about 87 % of comparisons.
CROWDS: dict[str, Crowd] = {
    "clear preference": Crowd({"aesop": 1.5}),
    "slight preference": Crowd({"aesop": 0.3}),
    "no preference": Crowd(),
    "strong tastes": Crowd({"aesop": 0.5}, taste_spread=0.8),
    "left-leaning, careless": Crowd({"aesop": 0.8}, side_bias=0.3, careless=0.15),
}


@dataclass(frozen=True)
class Covered:
    """How often intervals of a kind held the truth."""

    crowd: str
    task: str
    kind: str  # pairwise, or of a method against all
    way: IntervalWay
    intervals: int
    covered: float
    mean_width: float
    mean_error: float | None  # none against all: over all methods it is zero by arithmetic


def coverage_of(
    study: Study, name: str, crowd: Crowd, seeds: range, resamples: int
) -> list[Covered]:
    """One crowd, many studies: other participants every time, the same stimuli."""
    hits: dict[tuple[str, str, IntervalWay], list[tuple[bool, float, float]]] = defaultdict(list)
    truths = {
        task.task: true_preferences(merits_of(task, crowd, study.plan.seed), crowd)
        for task in study.plan.tasks
    }
    for seed in tqdm(seeds, desc=name, disable=None):
        votes = simulate_votes(study, crowd, seed, only=(OVERALL,))
        for task in study.plan.tasks:
            clips = tuple(clip.id for clip in dict(study.clips)[task.task])
            sums = add_votes(task, clips, OVERALL, votes)
            for way in WAYS:
                for found in preferences_of(sums, resamples, way):
                    # Of each pair one direction: the other is its mirror image.
                    pair = (found.method, found.opponent)
                    if found.opponent is not None and pair not in task.pairs:
                        continue
                    kind = "against all" if found.opponent is None else "pairwise"
                    hits[task.task, kind, way].append(_hit(found, truths[task.task][pair]))
    rows: list[Covered] = []
    for (task, kind, way), seen in hits.items():
        covered, width, error = np.mean(seen, axis=0).tolist()
        told = None if kind == "against all" else error
        rows.append(Covered(name, task, kind, way, len(seen), covered, width, told))
    return rows


def _hit(found: Preference, truth: float) -> tuple[bool, float, float]:
    """Whether the interval holds the truth, how wide it is, and how far off the number."""
    interval, value = found.interval, found.value
    assert interval is not None and value is not None
    is_inside = interval.low <= truth <= interval.high
    return is_inside, interval.high - interval.low, value - truth


def power_found(studies: int, resamples: int) -> list[dict[str, object]]:
    """How often the whole analysis tells a preference of 55 %, with as many participants as the
    formula asks for; the crowd's qualities are tuned so that 55 % is the truth."""
    found: list[dict[str, object]] = []
    for trials, taste in ((10, 0.15), (20, 0.15)):
        crowd = Crowd(taste_spread=taste, clip_spread=0.0, cannot_judge=0.0)
        crowd = replace(crowd, quality={"a": _quality_for(0.55, crowd)})
        ties = _tie_share(crowd)
        # A taste moves one's own preference by the slope of the curve at its middle.
        spread = taste * 2**0.5 * NormalDist().pdf(0)
        needed = participants_needed(PowerAsked(0.55, float(trials), ties, spread))
        task = TaskPlan("film", ("a", "b"), trials, trials)
        plan = StudyPlan("power", 3, needed, (task,), ())
        study = study_without_videos(plan)
        clips = tuple(clip.id for clip in study.clips[0][1])
        told: dict[IntervalWay, int] = dict.fromkeys(WAYS, 0)
        for seed in tqdm(range(studies), desc=f"power, {trials} trials", disable=None):
            votes = simulate_votes(study, crowd, seed, only=(OVERALL,))
            sums = add_votes(task, clips, OVERALL, votes)
            for way in WAYS:
                interval = preferences_of(sums, resamples, way)[0].interval
                assert interval is not None
                told[way] += interval.low > 0.5
        found.append(
            {"trials": trials, "ties": ties, "spread": spread, "participants_needed": needed,
             "studies": studies, "wanted": 0.8,
             "told_apart": {way: count / studies for way, count in told.items()}}
        )  # fmt: skip
    return found


def _quality_for(preference: float, crowd: Crowd) -> float:
    """The quality that makes this preference true, by halving."""
    task, low, high = TaskPlan("film", ("a", "b"), 1, 1), 0.0, 3.0
    for _ in range(50):
        middle = (low + high) / 2
        tried = replace(crowd, quality={"a": middle})
        truth = true_preferences(merits_of(task, tried, 0), tried)["a", "b"]
        low, high = (middle, high) if truth < preference else (low, middle)
    return (low + high) / 2


def _tie_share(crowd: Crowd) -> float:
    scale = (1 + 2 * crowd.taste_spread**2) ** 0.5
    below = NormalDist().cdf
    shift = crowd.quality["a"]
    return below((crowd.tie_within - shift) / scale) - below((-crowd.tie_within - shift) / scale)


def _share(rows: list[Covered]) -> float:
    covered, weights = [it.covered for it in rows], [it.intervals for it in rows]
    return float(np.average(covered, weights=weights))


def measure(studies: int, resamples: int) -> dict[str, object]:
    """Everything that the result holds."""
    plan = read_plan_file(Path("paper"), needs_methods=False)
    study = study_without_videos(plan)
    covered = [
        it
        for name, crowd in CROWDS.items()
        for it in coverage_of(study, name, crowd, range(studies), resamples)
    ]
    together = {
        way: {
            name: _share([it for it in covered if (it.crowd, it.way) == (name, way)])
            for name in CROWDS
        }
        for way in WAYS
    }
    code = code_state(ROOT)
    return {
        "about": "simulated studies: no number here says anything about a camera",
        "repeat": f"python runs/study.py --studies {studies} --resamples {resamples}",
        "code": asdict(code),
        "processor": processor_name(),
        "studies": studies,
        "resamples": resamples,
        "balance": [asdict(it) for it in balance_of(plan, deal_sheets(plan))],
        "crowds": {name: asdict(crowd) for name, crowd in CROWDS.items()},
        "wanted": WANTED,
        "covered": together,
        "by_kind": [asdict(it) for it in covered],
        "power": power_found(studies, resamples),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    result = measure(asked.studies, asked.resamples)
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(asked.out) as temporary:
        temporary.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
