"""Building Fables: import and screen every take, cut windows, film them, tell what was filmed."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
from jaxtyping import Float32
from torch import Tensor

from aesop.camera_words.grammar import camera_caption
from aesop.camera_words.vocabulary import mirror_caption
from aesop.core.dice import dice_for
from aesop.core.errors import ClipError, StoreError
from aesop.core.pool import Engine, run_all
from aesop.core.progress import Progress
from aesop.data.builder import ShardWriter, StoreBuilder
from aesop.data.manifest import (
    BUILDING,
    Attributes,
    HumanRow,
    Manifest,
    ShotRow,
    Split,
    StorePlan,
    count_ids,
)
from aesop.fables.cinematographer.filming import FilmedShot, Runs, film
from aesop.fables.cinematographer.lens import Style
from aesop.fables.cinematographer.moves import SHORTEST_SEVERAL
from aesop.fables.cmu_takes import (
    SplitName,
    Take,
    TakeFile,
    find_takes,
    read_takes,
    split_of,
    subject_of,
)
from aesop.fables.evidence import evidence_of
from aesop.fables.human_facts import factual_captions
from aesop.fables.synthetic import ACTIONS, make_believe
from aesop.fables.take_windows import (
    ImportedTake,
    TakeWindow,
    draw_length,
    draw_windows,
    glitches,
    import_take,
    screen_window,
)
from aesop.features.camera_features import camera_to_features
from aesop.features.human_features import human_from_features, human_to_features
from aesop.scene.human import Clip, HumanMotion, cut, grounded, mirrored
from aesop.scene.shot import canonical


@dataclass(frozen=True)
class Share:
    """One split: how many windows, and how many cameras of which kind film each."""

    windows: int
    one_run: int  # cameras with a single movement
    several: int  # cameras with two or three; windows too short for that get a single one
    any_run: int  # cameras for which the style decides


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
        """The share of one split."""
        return {"train": self.train, "validation": self.validation, "test": self.test}[split]


def cameras(share: Share) -> int:
    """Cameras that film each window."""
    return share.one_run + share.several + share.any_run


def recipe_for(clips: int | None, seed: int) -> FablesRecipe:
    """The default set, or one with about `clips` training clips and smaller splits to match."""
    default = FablesRecipe(seed=seed)
    if clips is None:
        return default
    size = clips / (default.train.windows * cameras(default.train))

    def scaled(share: Share) -> Share:
        # A larger training set does not need a larger test; a smaller one should not wait for it.
        windows = round(share.windows * (size if share is default.train else min(1.0, size)))
        return Share(max(8, windows), share.one_run, share.several, share.any_run)

    return FablesRecipe(
        seed=seed,
        train=scaled(default.train),
        validation=scaled(default.validation),
        test=scaled(default.test),
    )


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
) -> Iterator[TakeWindow]:
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


def _human_window(imported: ImportedTake, clip: Clip, window: TakeWindow) -> HumanWindow:
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


def _features(clip: Clip, window: TakeWindow) -> Float32[Tensor, "frames 199"]:
    motion = cut(clip, window.start, window.stop).motion
    motion = HumanMotion(motion.rotations.double(), motion.joints.double())
    if window.mirrored:
        motion = mirrored(motion)
    start, _ = canonical(replace(clip, motion=grounded(motion)))
    return human_to_features(start.motion).float()


TAKES_PER_SHARD = 8
SPLITS: tuple[SplitName, ...] = ("train", "validation", "test")


@dataclass(frozen=True)
class ImportTask:
    """Import and screen one take."""

    take: Take
    file: TakeFile
    cache: Path


@dataclass(frozen=True)
class FilmTask:
    """Cut and film some takes into one shard."""

    name: str
    builder: StoreBuilder
    recipe: FablesRecipe
    takes: tuple[tuple[ImportedTake, int], ...]  # with the number of windows to cut


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
    imported, missing = _import_all(takes, cache, workers, engine, progress)
    plan = allot_windows(imported, recipe)
    tasks = _film_tasks(plan, builder, recipe)
    waiting = [task for task in tasks if not builder.has_shard(task.name)]
    run_all(film_takes, waiting, workers=workers, engine=engine, progress=progress)
    faults: dict[str, list[str]] = {"take has captions but no file": missing}
    for take in imported:
        if take.fault is not None:
            faults.setdefault(f"take left out: {take.fault}", []).append(take.take.name)
    return builder.finalise(
        [task.name for task in tasks],
        count_ids({what: names for what, names in faults.items() if names}),
    )


def _import_all(
    source: Path, cache: Path, workers: int | None, engine: Engine, progress: Progress | None
) -> tuple[list[ImportedTake], list[str]]:
    files = {file.take: file for file in find_takes(source, cache.with_name("archive"))}
    table = {take.name: take for take in read_takes() if take.captions}
    # CMU lists some takes under several names; any of them will do.
    found = {
        name: next(files[alias] for alias in (name, *take.aliases) if alias in files)
        for name, take in table.items()
        if any(alias in files for alias in (name, *take.aliases))
    }
    if not found:
        raise StoreError(
            f"None of the {len(table)} captioned takes was found in {source}.",
            "Give the CMU BVH files under their own names, such as 02_01.bvh.",
        )
    cache.mkdir(parents=True, exist_ok=True)
    tasks = [ImportTask(table[name], file, cache) for name, file in sorted(found.items())]
    answers = run_all(_import_one, tasks, workers=workers, engine=engine, progress=progress)
    return answers, sorted(table.keys() - found.keys())


def _import_one(task: ImportTask) -> ImportedTake:
    return import_take(task.take, task.file, task.cache)


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


def _film_tasks(
    plan: Sequence[tuple[ImportedTake, int]], builder: StoreBuilder, recipe: FablesRecipe
) -> list[FilmTask]:
    groups = [plan[at : at + TAKES_PER_SHARD] for at in range(0, len(plan), TAKES_PER_SHARD)]
    return [
        FilmTask(f"film-{at:05d}", builder, recipe, tuple(group)) for at, group in enumerate(groups)
    ]


def film_takes(task: FilmTask) -> None:
    """One shard."""
    with task.builder.shard(task.name) as shard:
        for take, windows in task.takes:
            dice = dice_for(task.recipe.seed, take.take.name)
            add_take(shard, take, windows, task.recipe, dice)


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
