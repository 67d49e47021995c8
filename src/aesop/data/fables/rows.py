"""From a screened take to rows of the store: windows, cameras, and the captions of both."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import repeat

import numpy as np
import torch

from aesop.data.builder import ShardWriter
from aesop.data.fables.evidence import evidence_of
from aesop.data.fables.human_words import factual_captions
from aesop.data.fables.imported import ImportedTake
from aesop.data.fables.mirror_words import mirror_caption
from aesop.data.fables.moves import SHORTEST_SEVERAL
from aesop.data.fables.operator import FilmedShot, Runs, film
from aesop.data.fables.recipe import FablesRecipe, Share
from aesop.data.fables.screening import glitches, screen_window
from aesop.data.fables.splits import split_of, subject_of
from aesop.data.fables.windows import Window, draw_windows
from aesop.data.fables.words import camera_caption
from aesop.data.records import HumanRow, ShotRow, Split
from aesop.errors import ClipError
from aesop.features.camera import camera_to_features
from aesop.features.human import human_from_features, human_to_features
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
    clip, take = imported.clip(), imported.take
    joints = clip.motion.joints.double().numpy()
    screened: dict[tuple[int, int], bool] = {}

    def accept(start: int, stop: int) -> bool:
        if (start, stop) not in screened:
            fault = screen_window(joints[start:stop]).fault
            screened[start, stop] = fault is None
            if fault is not None:
                shard.drop(f"window: {fault}", f"{take.name}_{start:05d}_{stop - start:03d}")
        return screened[start, stop]

    score = evidence_of(joints, take.captions).score
    for window in draw_windows(~glitches(joints), windows, score, accept, dice):
        _add_window(shard, imported, clip, window, recipe, dice)


def _add_window(
    shard: ShardWriter,
    imported: ImportedTake,
    clip: Clip,
    window: Window,
    recipe: FablesRecipe,
    dice: np.random.Generator,
) -> None:
    take = imported.take
    name = f"{take.name}_{window.start:05d}_{window.frames:03d}{'m' if window.mirrored else ''}"
    features = _features(clip, window)
    # What the network will see is what the camera films.
    motion = human_from_features(features.double())
    shots = list(_film(shard, motion, name, recipe, dice))
    if not shots:
        return
    captions = take.captions
    if window.mirrored:
        captions = tuple(mirror_caption(caption) for caption in captions)
    facts = factual_captions(motion.joints.numpy(), motion.yaw.numpy(), dice)
    shard.add_human(
        HumanRow(
            id=name,
            features=features,
            captions=(*captions, *facts),
            attributes={
                "take": take.name,
                "subject": subject_of(take.name),
                "mirrored": window.mirrored,
                "written_captions": len(captions),
            },
        )
    )
    for at, shot in enumerate(shots):
        shard.add_shot(_shot_row(f"{name}_c{at}", name, shot, motion, recipe, dice))


def _features(clip: Clip, window: Window) -> torch.Tensor:
    motion = cut(clip, window.start, window.stop).motion
    motion = HumanMotion(motion.rotations.double(), motion.joints.double())
    if window.mirrored:
        motion = mirrored(motion)
    start, _ = canonical(replace(clip, motion=grounded(motion)))
    return human_to_features(start.motion).float()


def _wanted(share: Share, frames: int) -> list[Runs]:
    several: Runs = "several" if frames >= SHORTEST_SEVERAL else "one"
    return [
        *repeat[Runs]("one", share.one_run),
        *repeat[Runs](several, share.several),
        *repeat[Runs]("any", share.any_run),
    ]


def _film(
    shard: ShardWriter,
    motion: HumanMotion,
    name: str,
    recipe: FablesRecipe,
    dice: np.random.Generator,
) -> Iterator[FilmedShot]:
    joints, yaw = motion.joints.numpy(), motion.yaw.numpy()
    for at, runs in enumerate(_wanted(recipe.share(split_of(name)), motion.frames)):
        try:
            yield film(joints, yaw, dice, style=recipe.style, runs=runs)
        except ClipError:
            shard.drop("shot: no camera keeps the person in view", f"{name}_c{at}")


def _shot_row(
    shot_id: str,
    human_id: str,
    shot: FilmedShot,
    motion: HumanMotion,
    recipe: FablesRecipe,
    dice: np.random.Generator,
) -> ShotRow:
    intent = shot.intent
    pairs = [camera_caption(intent.outline, dice) for _ in range(recipe.captions_per_shot)]
    kind = "pure" if len(np.unique(intent.tags)) == 1 else "mixed"
    return ShotRow(
        id=shot_id,
        human_id=human_id,
        features=camera_to_features(shot.camera, motion.root.float()),
        tags=intent.tags,
        captions=tuple(pair.caption for pair in pairs),
        reversed_captions=tuple(pair.reversed_caption for pair in pairs),
        splits=(Split(split_of(human_id), kind),),
        attributes={
            "grip": intent.grip,
            "shot_size": intent.shot_size,
            "clean": intent.clean,
            "follows": intent.follows,
            "kinds": [movement.kind for movement in intent.outline],
            "travel_m": round(intent.travel_m, 4),
            "redraws": int(sum(shot.redraws.values())),
        },
    )
