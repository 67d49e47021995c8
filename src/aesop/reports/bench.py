"""The bench that all methods of a split are judged on: references and words, looked at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import assert_never

import numpy as np
from jaxtyping import Float64

from aesop.evaluators.shipped import Evaluators
from aesop.metrics.judging import (
    Verdict,
    judge_cameras,
    judge_motions,
    judge_paths,
    judge_people,
)
from aesop.metrics.observing import Compared, Observed, compare, observe
from aesop.reports.cases import Cases, Task
from aesop.scene.shot import Shot

Progress = Callable[[int, int], None]
# What a new person's camera can still be compared with its reference in.
_WITHOUT_SAME_PERSON = ("rotation",)


@dataclass(frozen=True, eq=False)
class Bench:
    """Everything about the references that judging needs."""

    cases: Cases
    evaluators: Evaluators
    reference: Observed
    words: Float64[np.ndarray, "cases width"]
    people: Float64[np.ndarray, "windows human_width"]
    people_words: Float64[np.ndarray, "windows human_width"]


def build_bench(cases: Cases, evaluators: Evaluators, progress: Progress | None = None) -> Bench:
    """Look at the references once."""
    shots = cases.references
    seen = observe(shots, evaluators.cameras.embed_shots(shots), progress)
    windows = [shots[place] for place in cases.windows.tolist()]
    return Bench(
        cases=cases,
        evaluators=evaluators,
        reference=seen,
        words=evaluators.cameras.embed_words([shot.camera_words for shot in shots]),
        people=evaluators.people.embed_shots(windows),
        people_words=evaluators.people.embed_words([shot.human_words for shot in windows]),
    )


def judge(bench: Bench, shots: Sequence[Shot], task: Task) -> Verdict:
    """All metrics that the task supports."""
    seen = observe(shots, bench.evaluators.cameras.embed_shots(shots))
    targets = [case.target_tags for case in bench.cases.cases]
    cameras = judge_cameras(bench.reference, seen, targets, bench.words)
    compared = compare(bench.cases.references, shots)
    paths = judge_paths(compared)
    match task:
        case "film":
            return cameras + paths
        case "codec":
            motions = judge_motions(compared, bench.cases.windows)
            return cameras + paths + _people(bench, shots, compared) + motions
        case "shoot":
            kept = tuple(it for it in paths.measured if it.metric in _WITHOUT_SAME_PERSON)
            return cameras + Verdict(kept) + _people(bench, shots, compared)
        case _:
            assert_never(task)


def _people(bench: Bench, shots: Sequence[Shot], compared: Compared) -> Verdict:
    windows = bench.cases.windows
    made = bench.evaluators.people.embed_shots([shots[place] for place in windows.tolist()])
    slides = compared.foot_slides_m_s[windows]
    return judge_people(bench.people, made, bench.people_words, slides)
