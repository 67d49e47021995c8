"""From a screened take to windows, and from windows to rows."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from jaxtyping import Float32
from torch import Tensor

from aesop.data.builder import ShardWriter
from aesop.data.fables.evidence import evidence_of
from aesop.data.fables.imported import ImportedTake
from aesop.data.fables.mirror_words import mirror_caption
from aesop.data.fables.recipe import FablesRecipe
from aesop.data.fables.rows import HumanWindow, add_window
from aesop.data.fables.screening import glitches, screen_window
from aesop.data.fables.splits import split_of, subject_of
from aesop.data.fables.windows import Window, draw_windows
from aesop.features.human import human_to_features
from aesop.scene.human import Clip, HumanMotion, cut, grounded, mirrored
from aesop.scene.placement import canonical


def add_take(
    shard: ShardWriter,
    imported: ImportedTake,
    windows: int,
    recipe: FablesRecipe,
    dice: np.random.Generator,
) -> None:
    """Cut a take into windows and film each of them."""
    clip = imported.clip()
    for window in _windows(shard, imported, clip, windows, dice):
        add_window(shard, _human_window(imported, clip, window), recipe, dice)


def _windows(
    shard: ShardWriter,
    imported: ImportedTake,
    clip: Clip,
    count: int,
    dice: np.random.Generator,
) -> Iterator[Window]:
    joints = clip.motion.joints.double().numpy()
    screened: dict[tuple[int, int], bool] = {}

    def accept(start: int, stop: int) -> bool:
        if (start, stop) not in screened:
            fault = screen_window(joints[start:stop]).fault
            screened[start, stop] = fault is None
            if fault is not None:
                name = f"{imported.take.name}_{start:05d}_{stop - start:03d}"
                shard.drop(f"window: {fault}", name)
        return screened[start, stop]

    score = evidence_of(joints, imported.take.captions).score
    yield from draw_windows(~glitches(joints), count, score, accept, dice)


def _human_window(imported: ImportedTake, clip: Clip, window: Window) -> HumanWindow:
    take = imported.take
    captions = take.captions
    if window.mirrored:
        captions = tuple(mirror_caption(caption) for caption in captions)
    mark = "m" if window.mirrored else ""
    return HumanWindow(
        name=f"{take.name}_{window.start:05d}_{window.frames:03d}{mark}",
        split=split_of(take.name),
        features=_features(clip, window),
        captions=captions,
        attributes={
            "take": take.name,
            "subject": subject_of(take.name),
            "mirrored": window.mirrored,
        },
    )


def _features(clip: Clip, window: Window) -> Float32[Tensor, "frames 199"]:
    motion = cut(clip, window.start, window.stop).motion
    motion = HumanMotion(motion.rotations.double(), motion.joints.double())
    if window.mirrored:
        motion = mirrored(motion)
    start, _ = canonical(replace(clip, motion=grounded(motion)))
    return human_to_features(start.motion).float()
