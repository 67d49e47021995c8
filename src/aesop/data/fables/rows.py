"""From a human window to rows of the store: its captions, its cameras, and their captions."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32
from torch import Tensor

from aesop.data.builder import ShardWriter
from aesop.data.fables.human_words import factual_captions
from aesop.data.fables.moves import SHORTEST_SEVERAL
from aesop.data.fables.operator import FilmedShot, Runs, film
from aesop.data.fables.recipe import FablesRecipe, Share
from aesop.data.fables.splits import SplitName
from aesop.data.fables.words import camera_caption
from aesop.data.records import Attributes, HumanRow, ShotRow, Split
from aesop.errors import ClipError
from aesop.features.camera import camera_to_features
from aesop.features.human import human_from_features
from aesop.scene.human import HumanMotion


@dataclass(frozen=True, eq=False)
class HumanWindow:
    """A piece of motion to be filmed: canonical features, and what is written about it."""

    name: str
    split: SplitName
    features: Float32[Tensor, "frames 199"]
    captions: tuple[str, ...]
    attributes: Attributes


def add_window(
    shard: ShardWriter, window: HumanWindow, recipe: FablesRecipe, dice: np.random.Generator
) -> None:
    """Film a window and add it with all its shots; a window that nobody can film is counted."""
    # What the network will see is what the camera films.
    motion = human_from_features(window.features.double())
    shots = list(_film(shard, window, motion, recipe, dice))
    if not shots:
        return
    facts = factual_captions(motion.joints.numpy(), motion.yaw.numpy(), dice)
    shard.add_human(
        HumanRow(
            id=window.name,
            features=window.features,
            captions=(*window.captions, *facts),
            attributes={**window.attributes, "written_captions": len(window.captions)},
        )
    )
    for at, shot in shots:
        shard.add_shot(_shot_row(f"{window.name}_c{at}", window, shot, motion, recipe, dice))


def _wanted(share: Share, frames: int) -> list[Runs]:
    several: Runs = "several" if frames >= SHORTEST_SEVERAL else "one"
    wanted: list[Runs] = []
    wanted.extend("one" for _ in range(share.one_run))
    wanted.extend(several for _ in range(share.several))
    wanted.extend("any" for _ in range(share.any_run))
    return wanted


def _film(
    shard: ShardWriter,
    window: HumanWindow,
    motion: HumanMotion,
    recipe: FablesRecipe,
    dice: np.random.Generator,
) -> Iterator[tuple[int, FilmedShot]]:
    joints, yaw = motion.joints.numpy(), motion.yaw.numpy()
    for at, runs in enumerate(_wanted(recipe.share(window.split), motion.frames)):
        try:
            yield at, film(joints, yaw, dice, style=recipe.style, runs=runs)
        except ClipError:
            shard.drop("shot: no camera keeps the person in view", f"{window.name}_c{at}")


def _shot_row(
    shot_id: str,
    window: HumanWindow,
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
        human_id=window.name,
        features=camera_to_features(shot.camera, motion.root.float()),
        tags=intent.tags,
        captions=tuple(pair.caption for pair in pairs),
        reversed_captions=tuple(pair.reversed_caption for pair in pairs),
        splits=(Split(window.split, kind),),
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
