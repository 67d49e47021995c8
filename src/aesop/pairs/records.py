"""What training reads: two camera targets for one human window, with words and intensities."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float, Int64
from torch import Tensor

PairKind = Literal["direction", "active", "null"]
PAIR_KINDS: tuple[PairKind, ...] = get_args(PairKind)


@dataclass(frozen=True, eq=False)
class Member:
    """One of the two rows of a pair: a camera target with the words and intensity that ask for it.

    Features are physical, not standardised.
    """

    camera: Float[Tensor, "frames 14"]
    captions: tuple[str, ...]
    intensity: float


@dataclass(frozen=True, eq=False)
class TrainingPair:
    """Two camera targets for one human window of the store.

    Direction pairs are (original, opposite), active intensity pairs (weaker, stronger), null pairs
    the same target with intensity one and another. Both members have equally many captions: the
    n-th of one belongs to the n-th of the other.
    """

    kind: PairKind
    name: str
    human_name: str
    first: Member
    second: Member
    weight: float = 1.0  # how often it is shown, against the others of its kind

    def __post_init__(self) -> None:
        assert len(self.first.captions) == len(self.second.captions) > 0, self.name
        assert len(self.first.camera) == len(self.second.camera), self.name


@dataclass(frozen=True, eq=False)
class PairSet:
    """Everything the continuations need beyond the store."""

    pairs: tuple[TrainingPair, ...]
    sha256: str  # of the file or files it was read from, for the run record

    @cached_property
    def rows_of(self) -> dict[PairKind, Int64[np.ndarray, " pairs"]]:
        """Places of each kind in `pairs`."""
        return {
            kind: np.array([i for i, it in enumerate(self.pairs) if it.kind == kind], np.int64)
            for kind in PAIR_KINDS
        }
