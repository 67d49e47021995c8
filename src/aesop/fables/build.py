"""Building Fables: import and screen takes, cut windows, film them, caption what was filmed."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float32
from torch import Tensor

from aesop.camera_words.vocabulary import mirror_caption
from aesop.core.errors import ClipError, Progress, StoreError
from aesop.core.hashing import dice_for
from aesop.core.pool import Engine, run_all
from aesop.data.builder import ShardWriter, StoreBuilder
from aesop.data.manifest import BUILDING, HumanRow, Manifest, StorePlan, count_ids
from aesop.fables.cinematographer.facts_draw import FactStyle
from aesop.fables.cinematographer.filming import FilmedShot, Runs, film
from aesop.fables.cinematographer.lens import Style
from aesop.fables.cinematographer.moves import SHORTEST_SEVERAL
from aesop.fables.human_facts import factual_captions
from aesop.fables.synthetic import ACTIONS, synthetic_motion
from aesop.fables.takes import (
    SPLITS,
    ImportedTake,
    SplitName,
    Take,
    TakeWindow,
    draw_length,
    draw_windows,
    evidence_of,
    fault_of_window,
    find_takes,
    glitches,
    import_take,
    read_takes,
    split_of,
    subject_of,
)
from aesop.fables.window_shots import LOST, WindowFilming, film_window, movement_row
from aesop.features.human_features import human_from_features, human_to_features
from aesop.scene.human import Clip, HumanMotion, cut, grounded, mirrored
from aesop.scene.shot import canonical

Edition = Literal["fables-1", "fables-2"]

TAKES_PER_SHARD = 8
MINI_SHARD = "mini"


@dataclass(frozen=True)
class Share:
    """One split: how many windows, and how many cameras of which kind film each."""

    windows: int
    one_run: int  # cameras with a single movement
    several: int  # cameras with two or three; windows too short for that get a single one
    any_run: int  # cameras for which the style decides

    @property
    def cameras(self) -> int:
        return self.one_run + self.several + self.any_run

    def runs(self, frames: int) -> list[Runs]:
        """What each camera of a window is asked for."""
        several: Runs = "several" if frames >= SHORTEST_SEVERAL else "one"
        counts: tuple[tuple[Runs, int], ...] = (
            ("one", self.one_run), (several, self.several), ("any", self.any_run),
        )  # fmt: skip
        return [runs for runs, count in counts for _ in range(count)]


@dataclass(frozen=True)
class FablesRecipe:
    """The default set: four cameras a training window, so that words and person come apart."""

    seed: int = 20261115
    train: Share = Share(windows=11_400, one_run=0, several=0, any_run=4)
    validation: Share = Share(windows=500, one_run=2, several=1, any_run=0)
    test: Share = Share(windows=1_500, one_run=2, several=1, any_run=0)
    captions_per_shot: int = 2
    style: Style = field(default_factory=Style)

    def share(self, split: SplitName) -> Share:
        return {"train": self.train, "validation": self.validation, "test": self.test}[split]


@dataclass(frozen=True)
class VocabularyRecipe(FablesRecipe):
    """The same windows, and beside cameras of the first edition some of the whole vocabulary:
    sixteen or more a training window."""

    style: Style = field(default_factory=lambda: Style(follow=0.0))
    fact_style: FactStyle = field(default_factory=FactStyle)
    vocabulary_cameras: int = 12
    more_for_goers: int = 4
    bank_captions: int = 4

    @property
    def filming(self) -> WindowFilming:
        return WindowFilming(
            style=self.style,
            fact_style=self.fact_style,
            vocabulary_cameras=self.vocabulary_cameras,
            more_for_goers=self.more_for_goers,
            grammar_captions=self.captions_per_shot,
            bank_captions=self.bank_captions,
        )


EDITIONS: dict[Edition, type[FablesRecipe]] = {
    "fables-1": FablesRecipe,
    "fables-2": VocabularyRecipe,
}


def recipe_for(clips: int | None, seed: int, edition: Edition = "fables-1") -> FablesRecipe:
    """The default set, or one with about `clips` training clips of the first edition's cameras and
    smaller splits to match."""
    default = EDITIONS[edition](seed=seed)
    if clips is None:
        return default
    size = clips / (default.train.windows * default.train.cameras)

    def scaled(share: Share, by: float) -> Share:
        return replace(share, windows=max(8, round(share.windows * by)))

    # A larger training set does not need a larger test; a smaller one should not wait for it.
    return replace(
        default,
        train=scaled(default.train, size),
        validation=scaled(default.validation, min(1.0, size)),
        test=scaled(default.test, min(1.0, size)),
    )


def mini_recipe(seed: int = 7) -> FablesRecipe:
    """A few hundred clips: enough to run every stage, too few to learn from."""
    return FablesRecipe(
        seed=seed,
        train=Share(windows=64, one_run=2, several=0, any_run=2),
        validation=Share(windows=16, one_run=1, several=1, any_run=0),
        test=Share(windows=24, one_run=2, several=1, any_run=0),
    )


def build_fables(
    takes: Path,
    out: Path,
    recipe: FablesRecipe,
    *,
    workers: int | None = None,
    engine: Engine = "processes",
    progress: Progress | None = None,
) -> Manifest:
    """Build the set, or finish an interrupted build of the same recipe."""
    builder = StoreBuilder(out, StorePlan("fables", asdict(recipe), "retargeted"))
    builder.start()
    cache = out / BUILDING / "takes"
    captioned, missing = _captioned_files(takes, cache.with_name("archive"))
    cache.mkdir(parents=True, exist_ok=True)
    run = partial(run_all, workers=workers, engine=engine, progress=progress)
    imported: list[ImportedTake] = run(partial(import_take, cache=cache), captioned)
    plan = allot_windows(imported, recipe)
    groups = [plan[at : at + TAKES_PER_SHARD] for at in range(0, len(plan), TAKES_PER_SHARD)]
    tasks = [
        FilmTask(f"film-{at:05d}", builder, recipe, tuple(group)) for at, group in enumerate(groups)
    ]
    run(film_takes, [task for task in tasks if not builder.has_shard(task.name)])
    faults: dict[str, list[str]] = {"take has captions but no file": missing} if missing else {}
    for take in imported:
        if take.fault is not None:
            faults.setdefault(f"take left out: {take.fault}", []).append(take.take.name)
    return builder.finalise([task.name for task in tasks], count_ids(faults))


def build_mini(out: Path, recipe: FablesRecipe | None = None) -> Manifest:
    """Build the mini set of synthetic motion; every action occurs in every split."""
    recipe = recipe or mini_recipe()
    builder = StoreBuilder(out, StorePlan("fables-mini", asdict(recipe), "recorded"))
    builder.start()
    if not builder.has_shard(MINI_SHARD):
        with builder.shard(MINI_SHARD) as shard:
            for split in SPLITS:
                for at in range(recipe.share(split).windows):
                    name, action = f"{split}_{at:04d}", list(ACTIONS)[at % len(ACTIONS)]
                    dice = dice_for(recipe.seed, name)
                    motion_dice = dice_for(recipe.seed, name, "motion")
                    made = synthetic_motion(action, draw_length(dice), motion_dice)
                    features = human_to_features(made.clip.motion).float()
                    row = HumanRow(f"{name}_{action}", features, made.captions, {"action": action})
                    add_window(shard, row, split, recipe, dice)
    return builder.finalise([MINI_SHARD])


def _captioned_files(source: Path, unpack_to: Path) -> tuple[list[tuple[Take, Path]], list[str]]:
    """Captioned takes with their files, by name, and the names of those that have none."""
    files = find_takes(source, unpack_to)
    captioned: list[tuple[Take, Path]] = []
    missing: list[str] = []
    for take in sorted(read_takes(), key=lambda take: take.name):
        if take.captions:
            # CMU lists some takes under several names; any of them will do.
            path = next((files[name] for name in (take.name, *take.aliases) if name in files), None)
            if path is None:
                missing.append(take.name)
            else:
                captioned.append((take, path))
    if not captioned:
        raise StoreError(
            f"None of the {len(missing)} captioned takes was found in {source}.",
            "Give the CMU BVH files under their own names, such as 02_01.bvh.",
        )
    return captioned, missing


def allot_windows(
    imported: Sequence[ImportedTake], recipe: FablesRecipe
) -> list[tuple[ImportedTake, int]]:
    """How many windows each take gives: by its good frames; the split's total is kept exactly."""
    plan: list[tuple[ImportedTake, int]] = []
    for split in SPLITS:
        usable = [take for take in imported if take.frames and split_of(take.take.name) == split]
        if not usable:
            continue
        ends = np.cumsum([take.frames for take in usable])
        edges = np.rint(ends / ends[-1] * recipe.share(split).windows).astype(int)
        counts = np.diff(edges, prepend=0).tolist()
        plan += [(take, count) for take, count in zip(usable, counts, strict=True) if count]
    return plan


@dataclass(frozen=True)
class FilmTask:
    """Cut and film some takes into one shard."""

    name: str
    builder: StoreBuilder
    recipe: FablesRecipe
    takes: tuple[tuple[ImportedTake, int], ...]  # with the number of windows to cut


def film_takes(task: FilmTask) -> None:
    """One shard."""
    with task.builder.shard(task.name) as shard:
        for imported, count in task.takes:
            clip, name = imported.clip(), imported.take.name
            dice = dice_for(task.recipe.seed, name)
            for window in _windows(shard, imported, clip, count, dice):
                row = _human_row(imported, clip, window)
                add_window(shard, row, split_of(name), task.recipe, dice)


def _windows(
    shard: ShardWriter, imported: ImportedTake, clip: Clip, count: int, dice: np.random.Generator
) -> list[TakeWindow]:
    joints = clip.motion.joints.double().numpy()
    screened: dict[tuple[int, int], bool] = {}

    def accept(start: int, stop: int) -> bool:
        if (start, stop) not in screened:
            fault = fault_of_window(joints[start:stop])
            screened[start, stop] = fault is None
            if fault is not None:
                name = f"{imported.take.name}_{start:05d}_{stop - start:03d}"
                shard.drop(f"window: {fault}", name)
        return screened[start, stop]

    score = evidence_of(joints, imported.take.captions).score
    return draw_windows(~glitches(joints), count, score, accept, dice)


def _human_row(imported: ImportedTake, clip: Clip, window: TakeWindow) -> HumanRow:
    take = imported.take
    captions = take.captions
    if window.mirrored:
        captions = tuple(mirror_caption(caption) for caption in captions)
    mark = "m" if window.mirrored else ""
    return HumanRow(
        id=f"{take.name}_{window.start:05d}_{window.frames:03d}{mark}",
        features=window_features(clip, window),
        captions=captions,
        attributes={
            "take": take.name,
            "subject": subject_of(take.name),
            "mirrored": window.mirrored,
        },
    )


def window_features(clip: Clip, window: TakeWindow) -> Float32[Tensor, "frames 199"]:
    """A window of a take as a clip of its own: on its own ground, from the canonical start."""
    motion = cut(clip, window.start, window.stop).motion.to(torch.float64)
    if window.mirrored:
        motion = mirrored(motion)
    start, _ = canonical(replace(clip, motion=grounded(motion)))
    return human_to_features(start.motion).float()


def add_window(
    shard: ShardWriter,
    row: HumanRow,
    split: SplitName,
    recipe: FablesRecipe,
    dice: np.random.Generator,
) -> None:
    """Film a window and add it with all its shots; a window that nobody can film is counted."""
    if isinstance(recipe, VocabularyRecipe):
        _add_vocabulary_window(shard, row, split, recipe)
        return
    # What the network will see is what the camera films.
    motion = human_from_features(row.features.double())
    shots = list(_shots(shard, row.id, motion, recipe, recipe.share(split), dice))
    if not shots:
        return
    facts = factual_captions(motion.joints.numpy(), motion.yaw.numpy(), dice)
    attributes = {**row.attributes, "written_captions": len(row.captions)}
    shard.add_human(replace(row, captions=(*row.captions, *facts), attributes=attributes))
    for shot_id, shot in shots:
        shard.add_shot(
            movement_row(shot_id, row.id, motion, split, shot, recipe.captions_per_shot, dice)
        )


def _add_vocabulary_window(
    shard: ShardWriter, row: HumanRow, split: SplitName, recipe: VocabularyRecipe
) -> None:
    """A window of the second edition: nothing of it depends on the windows before."""
    motion = human_from_features(row.features.double())
    runs = recipe.share(split).runs(motion.frames)
    filmed = film_window(row.id, motion, split, runs, recipe.filming, recipe.seed)
    for why, shot_id in filmed.dropped:
        shard.drop(why, shot_id)
    if not filmed.shots:
        return
    dice = dice_for(recipe.seed, row.id, "facts")
    joints, yaw = motion.joints.numpy(), motion.yaw.numpy()
    facts = factual_captions(joints, yaw, dice, spells_right=True)
    attributes = {**row.attributes, "written_captions": len(row.captions)}
    shard.add_human(replace(row, captions=(*row.captions, *facts), attributes=attributes))
    for shot in filmed.shots:
        shard.add_shot(shot)


def _shots(
    shard: ShardWriter,
    window_id: str,
    motion: HumanMotion,
    recipe: FablesRecipe,
    share: Share,
    dice: np.random.Generator,
) -> Iterator[tuple[str, FilmedShot]]:
    joints, yaw = motion.joints.numpy(), motion.yaw.numpy()
    for at, runs in enumerate(share.runs(motion.frames)):
        shot_id = f"{window_id}_c{at}"
        try:
            yield shot_id, film(joints, yaw, dice, style=recipe.style, runs=runs)
        except ClipError:
            shard.drop(LOST, shot_id)
