"""Weights under which intensity alone tells a source's targets from all other shots.

A camera flow sees every training shot at intensity one, and targets of active sources at all
others. Whatever else distinguishes the two, it will take for the meaning of intensity. Two things
do. A long way can seldom be made much longer: the camera would be too fast or lose the person, so
the stronger a label, the shorter the ways that were accepted with it, above all in short shots,
where cameras are fastest. And sources are not like all shots of their kind: short ways are no
sources, and a truck that is a direction source is none here, which leaves the trucks beside a
walking person, twice as long.

Words tell a flow the kind of movement, and it knows how long a shot lasts. Sources are therefore
weighed until those of every label and duration, and those of every kind and duration, travel like
all training shots of that kind and duration.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Int64, Integer, Real

from aesop.pairs.recipe import Balance
from aesop.scene.movement import CLASSES, signs_from_tag

# Left and right, up and down are one kind each; toward and away from the person are two.
_MIRRORED = np.array([[1, 1, 0]])
_SORTS = 64  # at least as many as there are classes of duration


@dataclass(frozen=True, eq=False)
class Ways:
    """How far some cameras went, what kind of movement it was, and how long it lasted: classes of
    both, counted from zero."""

    path_m: Float[np.ndarray, " shots"]
    kind: Int64[np.ndarray, " shots"]
    duration: Int64[np.ndarray, " shots"]

    def take(self, rows: Int64[np.ndarray, " taken"]) -> "Ways":
        return Ways(self.path_m[rows], self.kind[rows], self.duration[rows])

    @property
    def sort(self) -> Int64[np.ndarray, " shots"]:
        """Kind and duration together."""
        return self.kind * _SORTS + self.duration


def movement_kinds(
    tags_of_shots: Iterable[Integer[np.ndarray, " transitions"]], rule: Balance
) -> Int64[np.ndarray, " shots"]:
    """The most frequent tag of every shot, mirrored ones alike, and whether it is almost alone."""
    signs = signs_from_tag(np.arange(CLASSES))
    folded = np.where(_MIRRORED, np.abs(signs), signs) @ np.array([9, 3, 1])
    kinds: list[int] = []
    for tags in tags_of_shots:
        counts = np.bincount(tags, minlength=CLASSES)
        tag = int(counts.argmax())
        alone = counts[tag] >= rule.alone * counts.sum()
        kinds.append(2 * int(folded[tag]) + int(alone))
    return np.unique(np.array(kinds, np.int64), return_inverse=True)[1].astype(np.int64)


def durations(
    frames_of_shots: Int[np.ndarray, " shots"], rule: Balance
) -> Int64[np.ndarray, " shots"]:
    """Which of so many equally frequent durations every shot has."""
    assert rule.duration_bins <= _SORTS
    return np.digitize(frames_of_shots, _edges(frames_of_shots, rule.duration_bins)).astype(
        np.int64
    )


def balanced_weights(
    sources: Ways,
    labels: Float[np.ndarray, "sources sides"],
    population: Ways,
    rule: Balance,
) -> Float[np.ndarray, " sources"]:
    """Mean one. Within every bin of weaker and of stronger labels of shots that last as long, and
    within every kind of them, sources of all lengths count as often as in the population of their
    kind and duration.

    Proportions are fitted for one grouping after the other until all hold. Lengths that no source
    has are stood for by the next longer ones that have; a kind is left out at a duration if fewer
    than `rule.covered` of its shots travel like its sources. No source counts more than `rule.most`
    times.
    """
    if len(sources.path_m) == 0:
        return np.ones(0)
    wanted, length = _lengths(sources, population, rule)
    groups = [
        np.digitize(side, _edges(side, rule.label_bins)) * _SORTS + sources.duration
        for side in labels.T
    ]
    weights = (wanted.sum(1) > 0).astype(np.float64)
    if not weights.any():
        return np.ones(len(weights))
    for _ in range(rule.rounds):
        for group in (*groups, sources.sort):
            weights *= _factors(group, length, weights, wanted)
        weights = np.minimum(weights / weights.mean(), rule.most)
    return weights / weights.mean()


def _lengths(
    sources: Ways, population: Ways, rule: Balance
) -> tuple[Float[np.ndarray, "sources bins"], Int64[np.ndarray, " sources"]]:
    """For every source, which share of its sort should lie in which bin of lengths, zero for a sort
    left out; and its own bin. Bins are the quantiles of all shots of the sort."""
    bins = rule.travel_bins
    wanted = np.zeros((len(sources.path_m), bins))
    length = np.zeros(len(sources.path_m), np.int64)
    own_sort, every_sort = sources.sort, population.sort
    for sort in np.unique(own_sort).tolist():
        own = own_sort == sort
        everyone = population.path_m[every_sort == sort]
        length[own] = np.digitize(sources.path_m[own], _edges(everyone, bins))
        filled = np.unique(length[own])
        if (bins - filled[0]) / bins < rule.covered:
            continue
        next_longer = np.searchsorted(filled, np.arange(bins))
        stands_for = filled[np.minimum(next_longer, len(filled) - 1)]
        wanted[own] = np.bincount(stands_for, minlength=bins) / bins
    return wanted, length


def _edges(values: Real[np.ndarray, " values"], bins: int) -> Float[np.ndarray, " edges"]:
    return np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1])


def _factors(
    group: Int[np.ndarray, " sources"],
    length: Int64[np.ndarray, " sources"],
    weights: Float[np.ndarray, " sources"],
    wanted: Float[np.ndarray, "sources bins"],
) -> Float[np.ndarray, " sources"]:
    """What every source is multiplied by so that the lengths of its group are as wanted."""
    have = np.zeros((int(group.max()) + 1, wanted.shape[1]))
    want = np.zeros_like(have)
    np.add.at(have, (group, length), weights)
    np.add.at(want, group, weights[:, None] * wanted)
    return np.divide(want, have, out=np.ones_like(have), where=have > 0)[group, length]
