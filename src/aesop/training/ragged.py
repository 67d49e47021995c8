"""Many clips of different lengths in one flat tensor, and padded batches gathered from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Padded:
    """Clips side by side, zeros after their ends; `mask` is true on real items."""

    values: Float[Tensor, "batch items width"]
    mask: Bool[Tensor, "batch items"]


@dataclass(frozen=True, eq=False)
class Ragged:
    """Clip r is `values[starts[r]:starts[r + 1]]`; items are frames, latent or text tokens."""

    values: Float[Tensor, "all_items width"]
    starts: Int64[Tensor, " clips_and_one"]

    def __len__(self) -> int:
        return self.starts.shape[0] - 1

    @property
    def width(self) -> int:
        return self.values.shape[1]

    @property
    def lengths(self) -> Int64[Tensor, " clips"]:
        return self.starts.diff()

    def clip(self, row: int) -> Float[Tensor, "items width"]:
        """One clip (a view)."""
        return self.values[int(self.starts[row]) : int(self.starts[row + 1])]

    def padded(self, rows: Int64[Tensor, " batch"], items: int) -> Padded:
        """Gather clips, each cut or padded to `items`, without making the host wait."""
        first = self.starts[rows]
        place = torch.arange(items, device=rows.device)
        mask = place < (self.starts[rows + 1] - first)[:, None]
        index = torch.where(mask, first[:, None] + place, 0)
        return Padded(self.values[index] * mask[..., None], mask)

    def to(self, device: torch.device) -> "Ragged":
        """The same clips on another device."""
        return Ragged(self.values.to(device), self.starts.to(device))


def ragged_from_clips(clips: Sequence[Float[Tensor, "_ width"]]) -> Ragged:
    """Put clips one after the other."""
    return Ragged(torch.cat(list(clips)), starts_from_lengths(len(clip) for clip in clips))


def starts_from_lengths(lengths: Iterable[int]) -> Int64[Tensor, " clips_and_one"]:
    """0 and the running sums."""
    counts = np.fromiter(lengths, np.int64)
    return torch.from_numpy(np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)]))
