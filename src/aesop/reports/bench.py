"""The bench that all methods of a split are judged on: references and words, looked at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
from aesop.reports.impossible import impossible_answers
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


def build_bench(
    cases: Cases,
    evaluators: Evaluators,
    progress: Progress | None = None,
    looked_at: Observed | None = None,
) -> Bench:
    """Look at the references once; or not even that, where someone has (embeddings apart)."""
    shots = cases.references
    embeddings = evaluators.cameras.embed_shots(shots)
    if looked_at is None:
        seen = observe(shots, embeddings, progress)
    else:
        assert len(looked_at.tags) == len(shots), "what was looked at are these references"
        seen = replace(looked_at, embeddings=embeddings)
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
    """All metrics that the task supports, and how many answers were impossible."""
    return _judged(bench, shots, task) + Verdict((), impossible=impossible_answers(shots))


def _judged(bench: Bench, shots: Sequence[Shot], task: Task) -> Verdict:
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
