"""One look at every shot of a list: what all metrics of cameras and people are computed from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Integer

from aesop.metrics.framing import Framing, framing_of
from aesop.metrics.paths import PathErrors, Travel, ade_from_person_m, path_errors, travel_of
from aesop.metrics.people import MotionErrors, foot_slide_m_s, motion_errors
from aesop.metrics.refusal import require_judgeable, require_paired
from aesop.scene.movement import tag_path
from aesop.scene.shot import Shot

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Observed:
    """A list of shots, each looked at once. Embeddings are an evaluator's, one row a shot."""

    tags: tuple[Integer[np.ndarray, " _"], ...]
    framings: tuple[Framing, ...]
    travels: tuple[Travel, ...]
    embeddings: Float64[np.ndarray, "shots width"]


def observe(
    shots: Sequence[Shot],
    embeddings: Float64[np.ndarray, "shots width"],
    progress: Progress | None = None,
) -> Observed:
    """Tags, framing and travel of every shot."""
    require_judgeable(shots)
    tags, framings, travels = [], [], []
    for done, shot in enumerate(shots, start=1):
        tags.append(tag_path(shot.camera, shot.fps))
        framings.append(framing_of(shot))
        travels.append(travel_of(shot.camera, shot.fps))
        if progress is not None:
            progress(done, len(shots))
    return Observed(tuple(tags), tuple(framings), tuple(travels), embeddings)


@dataclass(frozen=True, eq=False)
class Compared:
    """Generated shots against their references, clip by clip."""

    paths: tuple[PathErrors, ...]
    ades_from_person_m: Float64[np.ndarray, " shots"]
    motions: tuple[MotionErrors, ...]
    foot_slides_m_s: Float64[np.ndarray, " shots"]  # of the generated people


def compare(reference: Sequence[Shot], generated: Sequence[Shot]) -> Compared:
    """Errors of every pair."""
    require_paired(reference, generated)
    pairs = list(zip(reference, generated, strict=True))
    return Compared(
        paths=tuple(path_errors(a.camera, b.camera, a.fps) for a, b in pairs),
        ades_from_person_m=np.array([ade_from_person_m(a, b) for a, b in pairs]),
        motions=tuple(motion_errors(a.clip.motion, b.clip.motion) for a, b in pairs),
        foot_slides_m_s=np.array([foot_slide_m_s(it.clip.motion, it.fps) for it in generated]),
    )
