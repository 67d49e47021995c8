"""Does the camera travel farther when it is asked to? A scan over intensities with shared noise."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64

from aesop.metrics.bootstrap import Clusters, Interval, each_apart, ratio_interval
from aesop.metrics.metric_book import MetricError

SCAN = tuple(round(0.5 + 0.1 * step, 1) for step in range(11))
TOLERANCE_M = 1e-6
# Clips whose reference goes at least this far from start to end; also what a clip must travel at
# intensity 1 before the ratio of its travels means anything.
MOVING_M = 0.2
# Clips whose reference travels this far along its way are asked how far they go at other
# intensities; the paper's choice.
TRAVELLING_M = 0.4118


@dataclass(frozen=True)
class Monotone:
    """Shares of clips."""

    path: float  # travel never falls over the ten intervals
    net: float
    path_moving: float  # the same over clips whose reference moves; NaN without any
    net_moving: float
    endpoint_path: float  # travel at 1.5 is no less than at 1
    endpoint_net: float


@dataclass(frozen=True)
class Response:
    """Achieved against requested travel ratio, over clips that travel at intensity 1."""

    slope: float  # 1 is perfect, 0 is deaf
    mean_absolute_error: float
    clips: int


@dataclass(frozen=True)
class RelativeTravel:
    """Mean way at every intensity over that at intensity 1, among clips whose reference travels.
    Intervals draw clips again. NaN without any clip."""

    relative: tuple[float, ...]
    intervals: tuple[Interval, ...]
    path_m: tuple[float, ...]
    clips: int


@dataclass(frozen=True)
class IntensityFacts:
    """What a scan shows."""

    intensities: tuple[float, ...]
    path_m: tuple[float, ...]  # means over clips
    net_m: tuple[float, ...]
    monotone: Monotone
    response: Response
    travel: RelativeTravel
    clips: int
    moving_clips: int


def intensity_facts(
    path_m: Float64[np.ndarray, "clips values"],
    net_m: Float64[np.ndarray, "clips values"],
    reference_net_m: Float64[np.ndarray, " clips"],
    reference_path_m: Float64[np.ndarray, " clips"],
    intensities: tuple[float, ...] = SCAN,
    clusters: Clusters | None = None,
) -> IntensityFacts:
    """From the travels of every clip at every intensity, ascending, 1 among them."""
    if path_m.shape[1] != len(intensities) or 1.0 not in intensities or len(path_m) == 0:
        raise MetricError(
            f"A scan of {path_m.shape} travels does not fit {len(intensities)} intensities with 1 "
            "among them.",
            "Generate every clip at every intensity.",
        )
    one = intensities.index(1.0)
    moving = reference_net_m >= MOVING_M
    travels = reference_path_m >= TRAVELLING_M
    drawn_from = clusters or each_apart(len(path_m))
    path_rises, net_rises = (_rises(travel) for travel in (path_m, net_m))
    return IntensityFacts(
        intensities=intensities,
        path_m=tuple(path_m.mean(0).tolist()),
        net_m=tuple(net_m.mean(0).tolist()),
        monotone=Monotone(
            path=_share(path_rises),
            net=_share(net_rises),
            path_moving=_share(path_rises[moving]),
            net_moving=_share(net_rises[moving]),
            endpoint_path=_share(_rises(path_m[:, [one, -1]])),
            endpoint_net=_share(_rises(net_m[:, [one, -1]])),
        ),
        response=response_of(path_m, intensities),
        travel=relative_travel(path_m[travels], intensities, drawn_from.only(travels)),
        clips=len(path_m),
        moving_clips=int(moving.sum()),
    )


def _rises(travel: Float64[np.ndarray, "clips values"]) -> Bool[np.ndarray, " clips"]:
    return np.all(np.diff(travel, axis=1) >= -TOLERANCE_M, axis=1)


def _share(hits: Bool[np.ndarray, " clips"]) -> float:
    return float(hits.mean()) if len(hits) else float("nan")


def relative_travel(
    path_m: Float64[np.ndarray, "clips values"],
    intensities: tuple[float, ...] = SCAN,
    clusters: Clusters | None = None,
) -> RelativeTravel:
    """A ratio of means, not a mean of ratios: clips that hardly move would rule the latter."""
    clips, values = path_m.shape
    one = intensities.index(1.0)
    if clips == 0 or not path_m[:, one].any():
        nan = float("nan")
        return RelativeTravel((nan,) * values, (Interval(nan, nan),) * values, (nan,) * values, 0)
    mean = path_m.mean(0)
    drawn_from = clusters or each_apart(clips)
    intervals = [ratio_interval(path_m[:, at], path_m[:, one], drawn_from) for at in range(values)]
    unknown = Interval(float("nan"), float("nan"))
    return RelativeTravel(
        relative=tuple((mean / mean[one]).tolist()),
        intervals=tuple(it or unknown for it in intervals),
        path_m=tuple(mean.tolist()),
        clips=clips,
    )


def response_of(
    path_m: Float64[np.ndarray, "clips values"], intensities: tuple[float, ...] = SCAN
) -> Response:
    """Least squares over all clips and values. NaN where no clip travels."""
    one = intensities.index(1.0)
    travels = path_m[:, one] >= MOVING_M
    if not travels.any():
        return Response(float("nan"), float("nan"), 0)
    achieved = path_m[travels] / path_m[travels, one : one + 1]
    asked = np.array(intensities)
    apart = asked - asked.mean()
    slope = ((achieved - achieved.mean()) @ apart).sum() / (len(achieved) * (apart @ apart))
    error = np.abs(achieved - asked)[:, asked != 1.0]
    return Response(float(slope), float(error.mean()), int(travels.sum()))
