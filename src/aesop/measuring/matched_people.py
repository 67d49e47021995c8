"""People made from the captions of real test segments, beside the real ones, in an evaluator's
space: do captions find them, and are they spread as real people are?"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from jaxtyping import Float64

from aesop.core.errors import Progress
from aesop.director.requests import LONGEST_SECONDS, ActRequest
from aesop.evaluators.evaluator import Evaluator
from aesop.measuring.action_calibration import CHECKED_ON, RealTakes, RealWindow
from aesop.measuring.acts import Acts, MatchedPeople, Matching
from aesop.measuring.cases import SHORTEST_MEASURED_SECONDS, looking_away
from aesop.metrics.embedding_metrics import (
    alignment_score,
    cosines,
    fit_gaussian,
    frechet_distance,
    prdc,
    r_precision,
)
from aesop.scene.human import NATIVE_FPS, Clip, HumanMotion, Provenance, grounded
from aesop.scene.shot import Shot, canonical

SEED = 0  # of every person: one each


def match_people(
    act: Acts,
    clips: Path,
    evaluator: Evaluator,
    at_most: int | None = None,
    progress: Progress | None = None,
    at_once: int = 8,
) -> MatchedPeople:
    """Everybody, or so many evenly spaced; each from the first sentence of its caption, as long as
    the real one."""
    windows = _some(RealTakes(clips, CHECKED_ON).single, at_most)
    requests = [ActRequest(_words(it), _seconds(it), SEED) for it in windows]
    made: list[HumanMotion] = []
    for start in range(0, len(requests), at_once):
        made += act(requests[start : start + at_once])
        if progress is not None:
            progress(len(made), len(requests))
    words = [_words(it) for it in windows]
    real = [it.take.part(_frames(it)) for it in windows]
    return matched(evaluator, words, real, made, [it.segments[0].take_id for it in windows])


def matched(
    evaluator: Evaluator,
    words: Sequence[str],
    real: Sequence[HumanMotion],
    made: Sequence[HumanMotion],
    takes: Sequence[str],
) -> MatchedPeople:
    """Two sets of people for the same captions. The first of every take is counted alone too:
    neighbours in a take are alike, and so are captions."""
    captions = evaluator.embed_words(words)
    there, here = (evaluator.embed_shots([_shot(it) for it in some]) for some in (real, made))
    firsts = [takes.index(take) for take in dict.fromkeys(takes)]
    return MatchedPeople(
        evaluator=evaluator.identity,
        segments=len(words),
        takes=len(firsts),
        real=_matching(there, captions, words),
        made=_matching(here, captions, words),
        fd_tmr=frechet_distance(fit_gaussian(there), fit_gaussian(here)),
        everybody=prdc(there, here),
        one_a_take=prdc(there[firsts], here[firsts]),
    )


def _matching(
    people: Float64[np.ndarray, "people width"],
    captions: Float64[np.ndarray, "people width"],
    words: Sequence[str],
) -> Matching:
    ranks = r_precision(people, captions, words, np.random.default_rng(0))
    return Matching(ranks, alignment_score(cosines(people, captions)))


def _some(windows: Sequence[RealWindow], at_most: int | None) -> list[RealWindow]:
    if at_most is None or at_most >= len(windows):
        return list(windows)
    return [windows[place] for place in np.linspace(0, len(windows) - 1, at_most).astype(int)]


def _words(window: RealWindow) -> str:
    return window.labels[0].sentences[0]


def _seconds(window: RealWindow) -> float:
    return min(max(window.segments[0].seconds, SHORTEST_MEASURED_SECONDS), LONGEST_SECONDS)


def _frames(window: RealWindow) -> slice:
    frames = window.segments[0].frames
    return slice(frames.start, frames.start + round(_seconds(window) * NATIVE_FPS))


def _shot(motion: HumanMotion) -> Shot:
    """A person as evaluators read them; nobody looks at the camera."""
    clip = Clip(grounded(motion), NATIVE_FPS, "somebody", Provenance("measured"))
    clip = replace(clip, motion=canonical(clip)[0].motion)
    return Shot(clip, looking_away(clip), Provenance("measured"))
