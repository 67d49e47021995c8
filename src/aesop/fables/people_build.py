"""A store of people with words for every moment: windows drawn from captioned segments of several
sets, each filmed once by the cinematographer of Fables."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache as cached
from functools import partial
from pathlib import Path

import torch

from aesop.core.errors import Progress, StoreError
from aesop.core.hashing import dice_for
from aesop.core.pool import Engine, run_all
from aesop.data.builder import StoreBuilder
from aesop.data.manifest import BUILDING, HumanRow, Manifest, StorePlan, count_ids
from aesop.fables.build import (
    TAKES_PER_SHARD,
    FablesRecipe,
    Share,
    add_window,
    window_features,
)
from aesop.fables.motion_sets import (
    SetTake,
    import_set,
    motion_set,
    read_set_takes,
    with_like_turns,
)
from aesop.fables.people_windows import (
    PeopleRecipe,
    PeopleWindow,
    Worded,
    allot,
    draw_take,
    ground_of,
    takes_of_split,
    worded_segments,
)
from aesop.fables.segment_captions import read_segment_captions
from aesop.fables.segment_table import read_segments
from aesop.fables.takes import SPLITS, SplitName, TakeWindow
from aesop.files.shot_file import read_clip

DATASET = "people"
_TAKES_AT_ONCE = 64


@dataclass(frozen=True)
class PeopleStoreRecipe(FablesRecipe):
    """How many windows of each split, one camera for each, and how windows are drawn."""

    train: Share = field(default_factory=lambda: Share(24_000, 0, 0, 1))
    validation: Share = field(default_factory=lambda: Share(1_000, 1, 0, 0))
    test: Share = field(default_factory=lambda: Share(2_000, 1, 0, 0))
    drawing: PeopleRecipe = field(default_factory=PeopleRecipe)


def people_recipe(windows: int | None, seed: int) -> PeopleStoreRecipe:
    """The default set, or one of so many training windows and smaller splits to match."""
    default = PeopleStoreRecipe(seed=seed, drawing=PeopleRecipe(seed=seed))
    if windows is None:
        return default
    size = windows / default.train.windows

    def scaled(share: Share, by: float) -> Share:
        return replace(share, windows=max(8, round(share.windows * by)))

    return replace(
        default,
        train=scaled(default.train, size),
        validation=scaled(default.validation, min(1.0, size)),
        test=scaled(default.test, min(1.0, size)),
    )


def build_people(
    sources: Mapping[str, Path],
    clips: Path | None,
    out: Path,
    recipe: PeopleStoreRecipe,
    *,
    workers: int | None = None,
    engine: Engine = "processes",
    progress: Progress | None = None,
) -> Manifest:
    """Import the sets whose files are given (or read clips that were imported before), draw
    windows, film them; or finish an interrupted build of the same recipe."""
    builder = StoreBuilder(out, StorePlan(DATASET, asdict(recipe), "retargeted"))
    builder.start()
    run = partial(run_all, workers=workers, engine=engine, progress=progress)
    cache = clips or out / BUILDING / "clips"
    takes = read_set_takes()
    run(import_takes, import_tasks(takes, sources, cache))
    worded = worded_segments(read_segments(), read_segment_captions())
    present = {name: rows for name, rows in worded.items() if (cache / f"{name}.clip").exists()}
    if not present:
        raise StoreError(
            f"No take with captioned segments was found in {cache}.",
            "Name the sets' folders with --sets, such as --sets cmu=FOLDER.",
        )
    tasks = _film_tasks(takes, present, cache, builder, recipe)
    run(film_people, [task for task in tasks if not builder.has_shard(task.name)])
    missing = sorted(set(worded) - set(present))
    faults = {"take has captioned segments but no file": missing} if missing else {}
    return builder.finalise([task.name for task in tasks], count_ids(faults))


@dataclass(frozen=True)
class ImportTask:
    """Some takes of a set."""

    set_name: str
    takes: tuple[SetTake, ...]
    source: Path
    cache: Path


def import_tasks(
    takes: Sequence[SetTake], sources: Mapping[str, Path], cache: Path
) -> list[ImportTask]:
    """Takes in small groups where each has a file of its own; an archive is read at once."""
    tasks: list[ImportTask] = []
    for name, source in sources.items():
        ours = tuple(take for take in takes if take.set_name == name)
        if not ours:
            known = ", ".join(dict.fromkeys(take.set_name for take in takes))
            raise StoreError(f"There is no set called {name}.", f"Known are {known}.")
        if not source.exists():
            raise StoreError(f"{source} does not exist.", f"Name the folder of the set {name}.")
        at_once = _TAKES_AT_ONCE if source.is_dir() and name != "cmu_more" else len(ours)
        for at in range(0, len(ours), at_once):
            tasks.append(ImportTask(name, ours[at : at + at_once], source, cache))
    return tasks


def import_takes(task: ImportTask) -> None:
    """Clips of some takes; those that lie there already are kept."""
    import_set(motion_set(task.set_name), task.takes, task.source, task.cache)


@dataclass(frozen=True, eq=False)
class PeopleTask:
    """Draw and film some takes into one shard."""

    name: str
    builder: StoreBuilder
    recipe: PeopleStoreRecipe
    split: SplitName
    takes: tuple[tuple[Worded, ...], ...]
    counts: Mapping[str, int]
    cache: Path


def _film_tasks(
    takes: Sequence[SetTake],
    worded: Mapping[str, Sequence[Worded]],
    cache: Path,
    builder: StoreBuilder,
    recipe: PeopleStoreRecipe,
) -> list[PeopleTask]:
    tasks: list[PeopleTask] = []
    for split in SPLITS:
        names = sorted(takes_of_split(takes, split) & worded.keys())
        drawing = replace(recipe.drawing, windows=recipe.share(split).windows)
        counts = allot({name: worded[name] for name in names}, drawing)
        for at in range(0, len(names), TAKES_PER_SHARD):
            rows = tuple(tuple(worded[name]) for name in names[at : at + TAKES_PER_SHARD])
            mine = {it.segment.id: counts[it.segment.id] for take in rows for it in take}
            name = f"people-{split}-{at // TAKES_PER_SHARD:05d}"
            tasks.append(PeopleTask(name, builder, recipe, split, rows, mine, cache))
    return tasks


def film_people(task: PeopleTask) -> None:
    """One shard."""
    with task.builder.shard(task.name) as shard:
        for rows in task.takes:
            take_id = rows[0].segment.take_id
            set_name = take_id.partition("/")[0]
            clip = read_clip(task.cache / f"{take_id}.clip")
            clip = replace(clip, motion=with_like_turns(set_name, clip.motion.to(torch.float64)))
            ground = ground_of(clip.motion.joints.numpy())
            seen: set[str] = set()
            for window in draw_take(rows, ground, task.counts, task.recipe.drawing):
                if window.name not in seen:
                    seen.add(window.name)
                    shown = TakeWindow(window.first, window.stop, window.mirrored)
                    row = _row(window, HumanRow(window.name, window_features(clip, shown)))
                    dice = dice_for(task.recipe.seed, window.name)
                    add_window(shard, row, task.split, task.recipe, dice)


def _row(window: PeopleWindow, row: HumanRow) -> HumanRow:
    set_name, _, take = window.take_id.partition("/")
    attributes = {
        "set": set_name,
        "take": take,
        "performer": _performers()[window.take_id],
        "segments": list(window.segments),
        "mirrored": window.mirrored,
    }
    return replace(row, captions=window.captions, attributes=attributes)


@cached
def _performers() -> dict[str, str]:
    return {take.id: take.performer for take in read_set_takes()}
