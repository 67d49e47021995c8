"""What cannot be measured, and why."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from aesop.errors import AesopError
from aesop.scene.shot import Shot

_SHOWN = 4  # names in a message


class MetricError(AesopError):
    """Shots or embeddings from which a metric cannot be computed."""


def require_same_count(what: str, first: int, second: int) -> None:
    """Paired things come in equal numbers."""
    if first != second:
        raise MetricError(
            f"There are {first} and {second} {what}: they cannot be compared one by one.",
            "Give one of each for every clip.",
        )


def require_finite(rows: Float[np.ndarray, " rows *width"], what: str) -> None:
    """Refuse numbers that are none, and say which rows hold them."""
    broken = np.flatnonzero(~np.isfinite(rows.reshape(len(rows), -1)).all(1))
    if len(broken):
        raise MetricError(
            f"{len(broken)} of {len(rows)} {what} hold numbers that are not finite "
            f"(first: {', '.join(map(str, broken[:_SHOWN]))}).",
            "Leave them out or make them again.",
        )


def require_judgeable(shots: Sequence[Shot]) -> None:
    """Refuse shots with missing numbers, and one-frame shots, in which nothing moves."""
    if not shots:
        raise MetricError("There are no shots to judge.", "Give at least one.")
    broken = [number for number, shot in enumerate(shots) if not _is_finite(shot)]
    if broken:
        names = ", ".join(f"{number} ({shots[number].clip.name})" for number in broken[:_SHOWN])
        raise MetricError(
            f"{len(broken)} of {len(shots)} shots hold numbers that are not finite: {names}.",
            "Leave them out or make them again.",
        )
    short = [number for number, shot in enumerate(shots) if shot.frames < 2]
    if short:
        raise MetricError(
            f"Shot {short[0]} has one frame; movement needs two.", "Leave out shots of one frame."
        )


def require_paired(reference: Sequence[Shot], generated: Sequence[Shot]) -> None:
    """Refuse two lists that do not belong together shot by shot."""
    require_same_count("reference and generated shots", len(reference), len(generated))
    require_judgeable(reference)
    require_judgeable(generated)
    for number, (wanted, made) in enumerate(zip(reference, generated, strict=True)):
        if (wanted.frames, wanted.fps) != (made.frames, made.fps):
            raise MetricError(
                f"Shot {number} has {made.frames} frames at {made.fps:g} fps, its reference "
                f"{wanted.frames} at {wanted.fps:g}.",
                "Generate as many frames as the reference has, at its rate.",
            )


def _is_finite(shot: Shot) -> bool:
    camera = shot.camera
    parts = (
        camera.centre, camera.world_from_camera, camera.fov_vertical, shot.clip.motion.joints,
    )  # fmt: skip
    return all(bool(part.isfinite().all()) for part in parts)
