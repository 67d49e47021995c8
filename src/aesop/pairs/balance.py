"""Weights that keep what is asked for apart from how far a source travels.

A long way can seldom be made much longer: the camera would be too fast or lose the person. So the
stronger a label, the shorter the ways that were accepted with it, and the travel of the targets
hardly grows with their label. A network that learns from them as they are learns just that.
Weighing the sources until those of every label travel like all sources leaves the label alone to
say how far the target goes.
"""

import numpy as np
from jaxtyping import Float, Int

from aesop.pairs.recipe import Balance


def balanced_weights(
    path_m: Float[np.ndarray, " sources"],
    labels: Float[np.ndarray, "sources sides"],
    all_paths_m: Float[np.ndarray, " population"],
    rule: Balance,
) -> Float[np.ndarray, " sources"]:
    """Mean one. Within every bin of weaker and of stronger labels, sources of all lengths count as
    often as in the population; bins are the population's and the labels' own quantiles.

    Proportions are fitted for one side after the other until both hold. Where a label has no source
    of some length nothing can be done, and no source counts more than `rule.most` times.
    """
    if len(path_m) == 0:
        return np.ones(0)
    travel = np.digitize(path_m, _edges(all_paths_m, rule.travel_bins))
    common = np.bincount(
        np.digitize(all_paths_m, _edges(all_paths_m, rule.travel_bins)),
        minlength=rule.travel_bins,
    ) / len(all_paths_m)
    cells = [
        np.digitize(side, _edges(side, rule.label_bins)) * rule.travel_bins + travel
        for side in labels.T
    ]
    weights = np.ones(len(path_m))
    for _ in range(rule.rounds):
        for cell in cells:
            weights *= _factors(cell, weights, common)[cell]
        weights = np.minimum(weights / weights.mean(), rule.most)
    return weights / weights.mean()


def _edges(values: Float[np.ndarray, " values"], bins: int) -> Float[np.ndarray, " edges"]:
    return np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1])


def _factors(
    cell: Int[np.ndarray, " sources"],
    weights: Float[np.ndarray, " sources"],
    common: Float[np.ndarray, " travel_bins"],
) -> Float[np.ndarray, " cells"]:
    """What every cell is multiplied by so that the lengths of a label are those of all."""
    width = len(common)
    count = (int(cell.max()) // width + 1) * width
    have = np.bincount(cell, weights, minlength=count).reshape(-1, width)
    want = have.sum(1, keepdims=True) * common
    return np.divide(want, have, out=np.ones_like(have), where=have > 0).reshape(-1)
