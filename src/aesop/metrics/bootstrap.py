"""How sure a number is: one bootstrap for all of them. What belongs together (shots of a film, of a
performer, answers of a participant) is drawn together, and every interval says so."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float64, Int64, UInt16

# What is drawn again, with everything that belongs to it.
Cluster = Literal["clip", "window", "film", "performer", "participant", "sentence"]
SHARE = 0.95  # of redrawn numbers that an interval holds
# Plain percentiles of the draws, or percentiles further out where clusters are few.
IntervalWay = Literal["percentile", "expanded"]
PERCENTILE: IntervalWay = "percentile"
EXPANDED: IntervalWay = "expanded"
MEAN_RESAMPLES = 10_000
FRECHET_RESAMPLES = 100  # each costs two covariances and two eigenvalue problems
_TOGETHER = 1 << 21  # counts that are held at a time: 16 MB


@dataclass(frozen=True)
class Interval:
    """Where the number would lie for most choices of clusters; results of earlier versions do not
    say of which, nor how often they were drawn."""

    low: float
    high: float
    cluster: Cluster | None = None
    resamples: int | None = None


@dataclass(frozen=True, eq=False)
class Clusters:
    """Which items belong together. Groups are numbered from 0 without gaps."""

    kind: Cluster
    group: Int64[np.ndarray, " items"]

    @property
    def count(self) -> int:
        return int(self.group.max()) + 1 if len(self.group) else 0

    def only(self, chosen: Int64[np.ndarray, " chosen"] | Bool[np.ndarray, " items"]) -> "Clusters":
        """Of some of the items."""
        return Clusters(self.kind, _numbered(self.group[chosen]))


def clusters_of(kind: Cluster, names: Sequence[str]) -> Clusters:
    """From the name of every item's cluster."""
    return Clusters(kind, _numbered(np.array(names, dtype=np.str_)))


def each_apart(items: int, kind: Cluster = "clip") -> Clusters:
    """Every item is a cluster of its own."""
    return Clusters(kind, np.arange(items))


def _numbered(names: np.ndarray) -> Int64[np.ndarray, " items"]:
    return np.unique(names, return_inverse=True)[1].astype(np.int64).reshape(-1)


# How often each item counts, many times over, to a number for each time; or to several numbers.
Statistic = Callable[[Float64[np.ndarray, "times items"]], Float64[np.ndarray, " times"]]
SeveralStatistics = Callable[
    [Float64[np.ndarray, "times items"]], Float64[np.ndarray, "times numbers"]
]


def bootstrap(
    statistic: Statistic,
    clusters: Clusters,
    resamples: int,
    around: float | None = None,
    seed: int = 0,
    way: IntervalWay = PERCENTILE,
) -> Interval | None:
    """Draw as many clusters as there are, with replacement, and compute the number again.

    `around` moves the interval so that its mean is the number itself: drawing clips twice makes
    sets look less varied than they are, which shifts every Fréchet distance. None where there is
    one cluster only, or no number at all: nothing says how sure it is.
    """
    if clusters.count < 2:
        return None
    drawn = np.concatenate([statistic(counts) for counts in _counts(clusters, resamples, seed)])
    return _interval(drawn, clusters, resamples, around, way)


def bootstrap_several(
    statistics: SeveralStatistics,
    clusters: Clusters,
    resamples: int,
    seed: int = 0,
    way: IntervalWay = PERCENTILE,
) -> list[Interval | None]:
    """The same for numbers that are computed together; empty where there is one cluster only."""
    if clusters.count < 2:
        return []
    drawn = np.concatenate([statistics(counts) for counts in _counts(clusters, resamples, seed)])
    return [_interval(column, clusters, resamples, way=way) for column in drawn.T]


def expanded_share(count: int, share: float = SHARE) -> float:
    """The share of redrawn numbers that holds the truth as often as `share` says, for a mean over
    so few clusters (the expanded percentile of Hesterberg 2015). Draws with replacement spread by
    √((n − 1)/n) too little, and know nothing of an uncertain spread, for which Student has t."""
    wide = (count / (count - 1)) ** 0.5 * student_quantile((1 + share) / 2, count - 1)
    return 2 * NormalDist().cdf(wide) - 1


@lru_cache(maxsize=16)
def student_quantile(below: float, freedom: int) -> float:
    """Student's t of so many degrees of freedom. With t = √ν·tan θ its density is cos^(ν−1) θ."""
    turns = np.linspace(0, np.pi / 2, 200_001)
    density = np.cos(turns) ** (freedom - 1)
    up_to = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    turn = float(np.interp(abs(2 * below - 1), up_to / up_to[-1], turns))
    return float(np.sign(below - 0.5) * freedom**0.5 * np.tan(turn))


def _interval(
    drawn: Float64[np.ndarray, " times"],
    clusters: Clusters,
    resamples: int,
    around: float | None = None,
    way: IntervalWay = PERCENTILE,
) -> Interval | None:
    share = expanded_share(clusters.count) if way == EXPANDED else SHARE
    drawn = drawn[np.isfinite(drawn)]
    if len(drawn) == 0:
        return None
    low, high = np.quantile(drawn, [(1 - share) / 2, (1 + share) / 2]).tolist()
    shift = 0.0 if around is None else around - float(drawn.mean())
    return Interval(low + shift, high + shift, clusters.kind, resamples)


def mean_interval(
    values: Float64[np.ndarray, " items"],
    clusters: Clusters | None = None,
    resamples: int = MEAN_RESAMPLES,
) -> Interval | None:
    """Of a mean over items; those without a value are left out."""
    kept = np.isfinite(values)
    drawn_from = (clusters or each_apart(len(values))).only(kept)
    return ratio_interval(values[kept], np.ones(int(kept.sum())), drawn_from, resamples)


def ratio_interval(
    over: Float64[np.ndarray, " items"],
    under: Float64[np.ndarray, " items"],
    clusters: Clusters,
    resamples: int = MEAN_RESAMPLES,
    way: IntervalWay = PERCENTILE,
) -> Interval | None:
    """Of a sum over another sum: a share of frames, a ratio of means."""

    def ratio(counts: Float64[np.ndarray, "times items"]) -> Float64[np.ndarray, " times"]:
        with np.errstate(invalid="ignore", divide="ignore"):
            return (counts @ over) / (counts @ under)

    return bootstrap(ratio, clusters, resamples, way=way)


def one_by_one(number: Callable[[Float64[np.ndarray, " items"]], float]) -> Statistic:
    """A statistic from a function that takes the counts of one draw."""
    return lambda counts: np.array([number(row) for row in counts])


def _counts(
    clusters: Clusters, resamples: int, seed: int
) -> Iterator[Float64[np.ndarray, "times items"]]:
    """How often every item counts: as often as its cluster was drawn."""
    of_groups = _drawn(clusters.count, resamples, seed)
    step = max(1, _TOGETHER // max(1, len(clusters.group)))
    for start in range(0, resamples, step):
        yield of_groups[start : start + step][:, clusters.group].astype(np.float64)


@lru_cache(maxsize=4)  # all means of one method are drawn alike
def _drawn(groups: int, resamples: int, seed: int) -> UInt16[np.ndarray, "resamples groups"]:
    dice = np.random.default_rng((seed, groups, resamples))
    drawn = np.empty((resamples, groups), np.uint16)
    for row in drawn:
        row[:] = np.bincount(dice.integers(0, groups, groups), minlength=groups)
    return drawn
