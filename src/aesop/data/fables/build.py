"""Building Fables: import and screen every take, cut windows, film them, tell what was filmed.

Two rounds of independent pieces of work. The first imports takes and finds their good frames; only
then is it known how many windows each take can carry. The second cuts and films. Every piece draws
from dice seeded by its own name, so the number of workers changes nothing.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from aesop.data.builder import StoreBuilder
from aesop.data.engine import Engine, Progress, run_all
from aesop.data.fables.archive import TakeFile, find_takes
from aesop.data.fables.cutting import add_take
from aesop.data.fables.dice import dice_for
from aesop.data.fables.imported import ImportedTake, import_take
from aesop.data.fables.recipe import FablesRecipe
from aesop.data.fables.splits import SplitName, split_of
from aesop.data.fables.takes import Take, read_takes
from aesop.data.manifest import BUILDING, Manifest
from aesop.data.records import StorePlan, count_ids
from aesop.errors import StoreError

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
