"""Several processes that share one batch. `torchrun` starts them; alone, nothing is set up."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
import torch.distributed as dist
from jaxtyping import Shaped
from torch import Tensor


@dataclass(frozen=True)
class World:
    """This process among all processes of the run."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0

    @property
    def leads(self) -> bool:
        """Whether this process writes files and talks to people."""
        return self.rank == 0

    def share(self, rows: Shaped[np.ndarray, " batch"]) -> Shaped[np.ndarray, " _"]:
        """This process's rows of the whole batch; taken in turns, so that lengths are balanced."""
        return rows[self.rank :: self.size]

    def add_up(self, tensors: Sequence[Tensor]) -> None:
        """Replace tensors by their sums over all processes, in one message."""
        if self.size == 1:
            return
        flat = torch.cat([tensor.flatten() for tensor in tensors])
        dist.all_reduce(flat)
        pieces = flat.split([tensor.numel() for tensor in tensors])
        for tensor, piece in zip(tensors, pieces, strict=True):
            tensor.copy_(piece.view_as(tensor))

    def wait(self) -> None:
        """Let every process arrive here."""
        if self.size > 1:
            dist.barrier()


ALONE = World()


@contextmanager
def joined_world(device: torch.device) -> Iterator[World]:
    """Join the processes that torchrun started, for as long as the block lasts."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield ALONE
        return
    world = World(int(os.environ["RANK"]), size, int(os.environ.get("LOCAL_RANK", "0")))
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield world
    finally:
        dist.destroy_process_group()
