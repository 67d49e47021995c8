"""People for the operator's benchmarks: windows of captured takes, or made-up motions."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from aesop.core.errors import FileError
from aesop.fables.synthetic import ACTIONS, synthetic_motion
from aesop.files.bvh_clip import read_bvh_clip
from aesop.scene.human import Clip, cut, grounded
from aesop.scene.shot import canonical

# Frames at these shares of all clips, after PulpMotion's published profile.
_SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0)
_FRAMES = (36, 38, 46, 80, 125, 190, 250, 300)


@dataclass(frozen=True, eq=False)
class Filmable:
    """What the operator's `film` takes, and where it came from."""

    name: str
    joints: Float[np.ndarray, "frames 22 3"]
    yaw: Float[np.ndarray, " frames"]


def filmable(clip: Clip) -> Filmable:
    motion = canonical(replace(clip, motion=grounded(clip.motion)))[0].motion
    return Filmable(clip.name, motion.joints.double().numpy(), motion.yaw.double().numpy())


def people(
    takes: Path | None, frames: tuple[int, int] | None = None, seed: int = 5
) -> Iterator[Filmable]:
    """Endless; the same every time. `frames` bounds the lengths, else they follow the profile."""
    torch.set_num_threads(1)
    dice = np.random.default_rng(seed)
    clips = _made(dice, frames) if takes is None else _cut(takes, dice, frames)
    for clip in clips:
        yield filmable(clip)


def _length(dice: np.random.Generator, frames: tuple[int, int] | None) -> int:
    if frames is not None:
        return int(dice.integers(*frames))
    return int(np.interp(dice.random(), _SHARES, _FRAMES))


def _made(dice: np.random.Generator, frames: tuple[int, int] | None) -> Iterator[Clip]:
    while True:
        yield synthetic_motion(str(dice.choice(list(ACTIONS))), _length(dice, frames), dice).clip


def _cut(
    takes: Path, dice: np.random.Generator, frames: tuple[int, int] | None, windows: int = 4
) -> Iterator[Clip]:
    files = sorted(takes.glob("*.bvh"))
    while True:
        for at in dice.permutation(len(files)):
            try:
                clip = read_bvh_clip(files[at])
            except FileError:  # a take of one frame: nobody to film
                continue
            for _ in range(windows):
                length = _length(dice, frames)
                if length <= clip.frames:
                    start = int(dice.integers(0, clip.frames - length + 1))
                    yield cut(clip, start, start + length)
