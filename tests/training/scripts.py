"""What the tests run in processes of their own: a small training that is killed, or shared."""

import os
import sys
from pathlib import Path

import torch
from safetensors.torch import save
from torch import Tensor

import aesop.training.loop as checkpoint
from aesop.training.loop import Conduct
from aesop.training.phases import train
from aesop.training.recipes import Recipe
from aesop.training.run_folder import Material
from tests.training.makers import HashEncoder, make_footage, small_recipe

STEPS = 8
CODEC_STEPS = 3


def material() -> Material:
    return Material(
        make_footage(6, 2, seed=1, frames=(36, 60)),
        make_footage(3, 1, seed=2, frames=(36, 50)),
        HashEncoder(),
    )


def codec_recipe() -> Recipe:
    return small_recipe("human-codec", CODEC_STEPS)


def flow_recipe(dropout: float) -> Recipe:
    return small_recipe("human-flow", STEPS, dropout=dropout)


KILLED = 113  # an exit code that nothing else gives


def die() -> None:
    """End at once, as a killed process does: nothing is flushed, closed or cleaned up."""
    os._exit(KILLED)


def killed_after(steps: int) -> Conduct:
    """A run that dies without a word after so many steps."""
    count = iter(range(1, 1_000))

    def pause() -> bool:
        if next(count) == steps:
            die()
        return False

    return Conduct(pause=pause)


def die_while_writing(number: int) -> None:
    """Make the process die in the middle of its n-th checkpoint."""
    count, write_whole = iter(range(1, 1_000)), Path.write_bytes
    last: list[bytes] = []

    def counted(tensors: dict[str, Tensor], metadata: dict[str, str]) -> bytes:
        content = save(tensors, metadata)
        if next(count) == number:
            last.append(content)
        return content

    def write(path: Path, content: bytes) -> int:
        if content in last:
            write_whole(path, content[: len(content) // 2])
            die()
        return write_whole(path, content)

    checkpoint.save = counted  # pyright: ignore[reportAttributeAccessIssue]
    Path.write_bytes = write  # pyright: ignore[reportAttributeAccessIssue]


def main(what: str, run: Path) -> None:
    torch.set_num_threads(1)
    device = torch.device("cpu")
    if what == "killed":
        train([flow_recipe(0.1)], material(), run, killed_after(5), device)
    elif what == "killed-while-writing":
        die_while_writing(3)
        train([flow_recipe(0.1)], material(), run, Conduct(), device)
    elif what == "shared":
        # Paused five steps into the second phase.
        count = iter(range(1, 1_000))
        conduct = Conduct(pause=lambda: next(count) == CODEC_STEPS + 5)
        train([codec_recipe(), flow_recipe(0.0)], material(), run, conduct, device)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
