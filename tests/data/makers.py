"""Small stores for tests: random features of prime lengths, captions in several scripts."""

from pathlib import Path

import numpy as np
import torch

from aesop.data.builder import StoreBuilder
from aesop.data.manifest import HumanRow, ShotRow, Split, StorePlan
from aesop.data.store import Store, open_store
from aesop.data.table import numbers, ragged

LENGTHS = (7, 11, 13, 17, 19)
PLAN = StorePlan(
    dataset="toy",
    recipe={"seed": 5, "note": "Größe"},
    rotations="retargeted",
    human_extra=(ragged("clip_token", "float32", 3),),
    shot_extra=(numbers("travel_m", "float64"),),
)
CAPTIONS = ("The camera pushes in.", "La caméra s'approche.", "カメラが近づく 🎥", "")


def dice_for(*words: object) -> torch.Generator:
    """A generator that depends on a row's name alone, as a build must."""
    return torch.Generator().manual_seed(sum(map(ord, "".join(map(str, words)))))


def human_row(number: int) -> HumanRow:
    """Window `number`: the features depend on the number alone."""
    dice = dice_for("human", number)
    frames = LENGTHS[number % len(LENGTHS)]
    return HumanRow(
        id=f"human-{number}",
        features=torch.randn(frames, 199, generator=dice),
        captions=tuple(f"A person, take {number}, told {i} ways." for i in range(number % 4)),
        attributes={"subject": number % 3, "söurce": "tåke"},
        extra={"clip_token": np.full((number % 2, 3), number, np.float32)},
    )


def shot_row(number: int, human: int) -> ShotRow:
    """Shot `number` of a window."""
    dice = dice_for("shot", number, human)
    frames = LENGTHS[human % len(LENGTHS)]
    return ShotRow(
        id=f"shot-{human}-{number}",
        human_id=f"human-{human}",
        features=torch.randn(frames, 14, generator=dice),
        tags=torch.randint(27, (frames - 1,), generator=dice).numpy(),
        captions=CAPTIONS[: number + 1],
        reversed_captions=CAPTIONS[: number + 1][::-1],
        splits=(
            Split("test" if human % 5 == 0 else "train", "pure" if number % 2 else "mixed"),
            Split("everything"),
        ),
        attributes={"grip": "dolly", "shake": number / 4},
        extra={"travel_m": np.array(number + human / 8, np.float64)},
    )


SHOTS_PER_HUMAN = 3


def write_toy_shard(builder: StoreBuilder, name: str, humans: list[int]) -> None:
    """One shard: some windows, each with its shots."""
    with builder.shard(name) as shard:
        for human in humans:
            if human % 7 == 6:
                shard.drop("unlucky number", f"human-{human}")
                continue
            shard.add_human(human_row(human))
            for number in range(SHOTS_PER_HUMAN):
                shard.add_shot(shot_row(number, human))
            if human % 2:
                shard.note("odd number", f"human-{human}")


def toy_store(path: Path, humans: int = 23, shard_humans: int = 5) -> Store:
    """A finished store of `humans` windows, cut into shards in order."""
    builder = StoreBuilder(path, PLAN)
    builder.start()
    names = []
    for start in range(0, humans, shard_humans):
        names.append(f"{start:04d}")
        write_toy_shard(builder, names[-1], list(range(start, min(start + shard_humans, humans))))
    builder.finalise(names)
    return open_store(path)
