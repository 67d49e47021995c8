"""Drawing one of several things by their shares."""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

Thing = TypeVar("Thing")


def picked(shares: Mapping[Thing, float], dice: np.random.Generator) -> Thing:
    """One thing; a share counts relative to the sum of all."""
    left = dice.random() * sum(shares.values())
    *most, last = shares
    for thing in most:
        left -= shares[thing]
        if left < 0:
            return thing
    return last
