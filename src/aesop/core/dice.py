"""Dice that depend on the seed and on what they are thrown for, and on nothing else."""

import hashlib
from collections.abc import Mapping
from typing import TypeVar

import numpy as np


def dice_for(seed: int, *names: str) -> np.random.Generator:
    """Generator for one named piece of work, whoever does it and when."""
    digest = hashlib.sha256("/".join([str(seed), *names]).encode()).digest()
    return np.random.default_rng(np.frombuffer(digest, dtype="<u4"))


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
