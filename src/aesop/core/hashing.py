"""Hashes of texts, files and tensors, and dice that depend on the seed and on what they are thrown
for, and on nothing else."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor


def text_sha256(*lines: str) -> str:
    """Of lines joined by ends of lines."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def file_sha256(path: Path) -> str:
    """Of a whole file, read piece by piece."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fingerprint(tensors: Mapping[str, Tensor]) -> str:
    """Over tensors in the order of their names: equal only if every name, type, shape and bit is.
    The device does not matter."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        values = tensors[name].detach().cpu().contiguous()
        # repr of the name: no name can imitate the end of another entry's header.
        digest.update(f"{name!r} {values.dtype} {tuple(values.shape)}\n".encode())
        digest.update(values.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


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
