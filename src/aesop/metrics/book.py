"""Every metric by name: what it is called in a table, its unit, which way is better, its digits."""

from dataclasses import dataclass
from typing import Literal

from aesop.metrics.spread import Interval

Better = Literal["lower", "higher", "neither"]


@dataclass(frozen=True)
class Metric:
    """How a metric is spoken of. `latex` is its heading in a LaTeX table."""

    name: str
    title: str
    latex: str
    unit: str
    better: Better
    digits: int


@dataclass(frozen=True)
class Measured:
    """One number. An interval is over clips; `count` is how many clips (or windows) it rests on."""

    metric: str
    value: float
    count: int
    interval: Interval | None = None


def _metric(
    name: str, title: str, unit: str, better: Better, digits: int, latex: str = ""
) -> Metric:
    return Metric(name, title, latex or title, unit, better, digits)


_ALL = (
    # Camera distribution and alignment.
    _metric("fdc", "FDC", "", "lower", 2),
    _metric("clatr", "CLaTr", "", "higher", 2),
    _metric("f1", "F1", "", "higher", 3),
    _metric("f1_macro", "F1 macro", "", "higher", 3),
    _metric("camera_precision", "Precision (C)", "", "higher", 3, r"Precision$_C$"),
    _metric("camera_recall", "Recall (C)", "", "higher", 3, r"Recall$_C$"),
    _metric("camera_density", "Density (C)", "", "higher", 3, r"Density$_C$"),
    _metric("camera_coverage", "Coverage (C)", "", "higher", 3, r"Coverage$_C$"),
    _metric("camera_precision_block", "Precision (C, one block)", "", "higher", 3),
    _metric("camera_recall_block", "Recall (C, one block)", "", "higher", 3),
    _metric("camera_density_block", "Density (C, one block)", "", "higher", 3),
    _metric("camera_coverage_block", "Coverage (C, one block)", "", "higher", 3),
    # Framing and geometry.
    _metric("r_fpd", "r-FPD", "", "lower", 3),
    _metric("out", "Out", "%", "lower", 2),
    _metric("ade", "ADE", "m", "lower", 3),
    _metric("ade_from_person", "ADE from the person", "m", "lower", 4),
    _metric("fde", "FDE", "m", "lower", 4),
    _metric("rotation", "Rot.", "°", "lower", 2),
    _metric("velocity_error", "Trans. vel.", "mm/s", "lower", 2),
    _metric("rotation_velocity_error", "Rot. vel.", "°/s", "lower", 2),
    _metric("jerk_error", "Trans. jerk", "m/s³", "lower", 2),
    _metric("path", "Path length", "m", "neither", 3),
    _metric("net", "Net displacement", "m", "neither", 3),
    _metric("jerk", "Jerk", "m/s³", "lower", 2),
    _metric("turn_acceleration", "Turn acceleration", "°/s²", "lower", 1),
    _metric("centre_offset", "Box from the middle", "half images", "neither", 3),
    _metric("box_height", "Box height", "images", "neither", 3),
    _metric("headroom", "Headroom", "images", "neither", 3),
    # People.
    _metric("fd_tmr", "FD TMR", "", "lower", 2, r"FD$_{\mathrm{TMR}}$"),
    _metric("tmr", "TMR", "", "higher", 2),
    _metric("human_precision", "Precision", "", "higher", 3),
    _metric("human_recall", "Recall", "", "higher", 3),
    _metric("human_density", "Density", "", "higher", 3),
    _metric("human_coverage", "Coverage", "", "higher", 3),
    _metric("human_precision_block", "Precision (one block)", "", "higher", 3),
    _metric("human_recall_block", "Recall (one block)", "", "higher", 3),
    _metric("human_density_block", "Density (one block)", "", "higher", 3),
    _metric("human_coverage_block", "Coverage (one block)", "", "higher", 3),
    _metric("global_mpjpe", "Global MPJPE", "m", "lower", 4),
    _metric("aligned_mpjpe", "Aligned MPJPE", "m", "lower", 4),
    _metric("root_ade", "Root ADE", "m", "lower", 4),
    _metric("root_fde", "Root FDE", "m", "lower", 4),
    _metric("foot_slide", "Foot slide", "m/s", "lower", 3),
    # Direction.
    _metric("direction_original", "Original", "%", "higher", 2),
    _metric("direction_reversed", "Reversed", "%", "higher", 2),
    _metric("direction_combined", "Combined", "%", "higher", 2),
)

METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}
