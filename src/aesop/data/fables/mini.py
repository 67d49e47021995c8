"""A small set from made-up motion: what a clone without the capture archive trains and tests on."""

from dataclasses import asdict
from pathlib import Path

from aesop.data.builder import StoreBuilder
from aesop.data.fables.dice import dice_for
from aesop.data.fables.make_believe import ACTIONS, make_believe
from aesop.data.fables.recipe import FablesRecipe, Share
from aesop.data.fables.rows import HumanWindow, add_window
from aesop.data.fables.splits import SplitName
from aesop.data.fables.windows import draw_length
from aesop.data.manifest import Manifest
from aesop.data.records import StorePlan
from aesop.features.human import human_to_features

SHARD = "mini"


def mini_recipe(seed: int = 7) -> FablesRecipe:
    """A few hundred clips: enough to run every stage, too few to learn from."""
    return FablesRecipe(
        seed=seed,
        train=Share(windows=64, one_run=2, several=0, any_run=2),
        validation=Share(windows=16, one_run=1, several=1, any_run=0),
        test=Share(windows=24, one_run=2, several=1, any_run=0),
    )


def build_mini(out: Path, recipe: FablesRecipe | None = None) -> Manifest:
    """Build the mini set; every action occurs in every split."""
    recipe = recipe or mini_recipe()
    builder = StoreBuilder(out, StorePlan("fables-mini", asdict(recipe), "recorded"))
    builder.start()
    if not builder.has_shard(SHARD):
        with builder.shard(SHARD) as shard:
            for split in ("train", "validation", "test"):
                for at in range(recipe.share(split).windows):
                    name = f"{split}_{at:04d}"
                    dice = dice_for(recipe.seed, name)
                    window = _window(name, split, at, draw_length(dice), recipe.seed)
                    add_window(shard, window, recipe, dice)
    return builder.finalise([SHARD])


def _window(name: str, split: SplitName, at: int, frames: int, seed: int) -> HumanWindow:
    action = list(ACTIONS)[at % len(ACTIONS)]
    made = make_believe(action, frames, dice_for(seed, name, "motion"))
    return HumanWindow(
        name=f"{name}_{action}",
        split=split,
        features=human_to_features(made.clip.motion).float(),
        captions=made.captions,
        attributes={"action": action},
    )
