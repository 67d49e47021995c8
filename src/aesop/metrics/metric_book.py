"""Every metric by name (in a table, its unit, which way is better), a measured number, and what
cannot be measured."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

from aesop.core.errors import AesopError
from aesop.metrics.bootstrap import Interval
from aesop.scene.shot import Shot

_SHOWN = 4  # names in a message
Better = Literal["lower", "higher", "neither"]
SeedKind = Literal["training", "sampling"]


class MetricError(AesopError):
    """Shots or embeddings from which a metric cannot be computed."""


@dataclass(frozen=True)
class Metric:
    """How a metric is spoken of. `latex` is its heading in a LaTeX table, the title if empty."""

    name: str
    title: str
    unit: str
    better: Better
    digits: int
    latex: str = ""


_ALL = (
    # Camera distribution and alignment.
    Metric("fdc", "FDC", "", "lower", 2),
    Metric("clatr", "CLaTr", "", "higher", 2),
    Metric("f1", "F1", "", "higher", 3),
    Metric("f1_macro", "F1 macro", "", "higher", 3),
    Metric("camera_precision", "Precision (C)", "", "higher", 3, r"Precision$_C$"),
    Metric("camera_recall", "Recall (C)", "", "higher", 3, r"Recall$_C$"),
    Metric("camera_density", "Density (C)", "", "higher", 3, r"Density$_C$"),
    Metric("camera_coverage", "Coverage (C)", "", "higher", 3, r"Coverage$_C$"),
    Metric("camera_precision_block", "Precision (C, one block)", "", "higher", 3),
    Metric("camera_recall_block", "Recall (C, one block)", "", "higher", 3),
    Metric("camera_density_block", "Density (C, one block)", "", "higher", 3),
    Metric("camera_coverage_block", "Coverage (C, one block)", "", "higher", 3),
    # Framing and geometry.
    Metric("r_fpd", "r-FPD", "", "lower", 3),
    Metric("out", "Out", "%", "lower", 2),
    Metric("ade", "ADE", "m", "lower", 3),
    Metric("ade_from_person", "ADE from the person", "m", "lower", 4),
    Metric("fde", "FDE", "m", "lower", 4),
    Metric("rotation", "Rot.", "°", "lower", 2),
    Metric("velocity_error", "Trans. vel.", "mm/s", "lower", 2),
    Metric("rotation_velocity_error", "Rot. vel.", "°/s", "lower", 2),
    Metric("jerk_error", "Trans. jerk", "m/s³", "lower", 2),
    Metric("path", "Path length", "m", "neither", 3),
    Metric("net", "Net displacement", "m", "neither", 3),
    Metric("jerk", "Jerk", "m/s³", "lower", 2),
    Metric("turn_acceleration", "Turn acceleration", "°/s²", "lower", 1),
    Metric("centre_offset", "Box from the middle", "half images", "neither", 3),
    Metric("box_height", "Box height", "images", "neither", 3),
    Metric("headroom", "Headroom", "images", "neither", 3),
    # People.
    Metric("fd_tmr", "FD TMR", "", "lower", 2, r"FD$_{\mathrm{TMR}}$"),
    Metric("tmr", "TMR", "", "higher", 2),
    Metric("human_precision", "Precision", "", "higher", 3),
    Metric("human_recall", "Recall", "", "higher", 3),
    Metric("human_density", "Density", "", "higher", 3),
    Metric("human_coverage", "Coverage", "", "higher", 3),
    Metric("human_precision_block", "Precision (one block)", "", "higher", 3),
    Metric("human_recall_block", "Recall (one block)", "", "higher", 3),
    Metric("human_density_block", "Density (one block)", "", "higher", 3),
    Metric("human_coverage_block", "Coverage (one block)", "", "higher", 3),
    Metric("global_mpjpe", "Global MPJPE", "m", "lower", 4),
    Metric("aligned_mpjpe", "Aligned MPJPE", "m", "lower", 4),
    Metric("root_ade", "Root ADE", "m", "lower", 4),
    Metric("root_fde", "Root FDE", "m", "lower", 4),
    Metric("foot_slide", "Foot slide", "m/s", "lower", 3),
    # Direction.
    Metric("direction_original", "Original", "%", "higher", 2),
    Metric("direction_reversed", "Reversed", "%", "higher", 2),
    Metric("direction_combined", "Combined", "%", "higher", 2),
)

METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}


@dataclass(frozen=True)
class Measured:
    """One number; `count` is how many clips (or windows) it rests on."""

    metric: str
    value: float
    count: int
    interval: Interval | None = None


def mean_and_sd(values: Sequence[float]) -> tuple[float, float | None]:
    """Over seeds: the sample deviation (n − 1), none from a single seed."""
    if not values:
        raise MetricError("There is no value to average over seeds.", "Measure at least one seed.")
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return mean, None
    squares = math.fsum((value - mean) ** 2 for value in values)
    return mean, math.sqrt(squares / (len(values) - 1))


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
