"""Dice that depend on the seed and on what they are thrown for, and on nothing else."""

import hashlib

import numpy as np


def dice_for(seed: int, *names: str) -> np.random.Generator:
    """Generator for one named piece of work, whoever does it and when."""
    digest = hashlib.sha256("/".join([str(seed), *names]).encode()).digest()
    return np.random.default_rng(np.frombuffer(digest, dtype="<u4"))
