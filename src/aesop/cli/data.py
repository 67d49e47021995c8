"""`aesop data …`: importing, building and inspecting collections of shots."""

import os
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from aesop.cli.outputs import refuse_flag
from aesop.cli.terminal import progress_bar, remark, report, wrote
from aesop.errors import StoreError


def import_pulpmotion(
    folder: Positional[Path],
    store: Positional[Path],
    /,
    *,
    workers: int | None = None,
    canonicalise: bool = False,
) -> None:
    """Convert PulpMotion as published into an AESOP store, once. An interrupted import resumes.

    Args:
        folder: The dataset: smpl_rifke/, traj/, intrinsics/, caption_cam/ … and *_split.txt.
        store: The folder to make.
        workers: Processes to use; all cores if not given.
        canonicalise: Turn every clip to start with yaw 0 instead of keeping its own heading.
    """
    from aesop.data.pulpmotion import import_pulpmotion as run

    cores = workers or os.cpu_count() or 1
    with progress_bar("importing") as progress:
        found = run(folder, store, workers=cores, canonicalise=canonicalise, progress=progress)
    remark(f"{found.kept} of {found.found} clips kept")
    for what in (*found.dropped, *found.noted):
        remark(f"{what.count:>8}  {what.what} (such as {', '.join(what.examples[:3])})")
    wrote(store)


def build_fables(
    store: Positional[Path],
    /,
    *,
    takes: Path,
    clips: int | None = None,
    seed: int = 20261115,
    workers: int | None = None,
    engine: Literal["processes", "ray"] = "processes",
) -> None:
    """Build Fables: CMU motion filmed by a procedural cinematographer, with captions. The same seed
    gives the same set for any number of workers. An interrupted build resumes.

    Args:
        store: The folder to make.
        takes: Folder or archive of the CMU takes as BVH (the public 120 fps release, or 30 fps).
        clips: Training clips to make; the default set has about 45,000.
        seed: Another seed makes another set.
        workers: Processes to use; all cores if not given.
        engine: "ray" runs on a Ray cluster (needs the extra "cluster").
    """
    from aesop.data.fables.build import build_fables as run
    from aesop.data.fables.recipe import recipe_for

    if clips is not None and clips < 1:
        raise StoreError(f"{clips} clips cannot be made.", "Ask for one or more.")
    with progress_bar("building") as progress:
        manifest = run(
            takes, store, recipe_for(clips, seed), workers=workers, engine=engine, progress=progress
        )
    remark(f"{manifest.shots.rows} shots of {manifest.humans.rows} windows")
    wrote(store)


def show(
    store: Positional[Path],
    clip: Positional[str | None] = None,
    /,
    *,
    output: Annotated[Path, arg(aliases=["-o"])] = Path("shot.png"),
    seed: int | None = None,
) -> None:
    """Draw one shot of a store as a contact sheet or a video.

    Args:
        store: A finished store.
        clip: The id of the shot; one is drawn by lot if not given.
        output: What to write: .png for a contact sheet, .mp4 for a video.
        seed: Another seed draws another lot.
    """
    import numpy as np

    from aesop.cli.motion import draw
    from aesop.data.store import open_store

    if clip is not None:
        refuse_flag("--seed", seed, "for a shot that is named", "Leave it away, or the name.")
    opened = open_store(store)
    lot = int(np.random.default_rng(seed or 0).integers(len(opened)))
    row = lot if clip is None else opened.row_of(clip)
    stored = opened.shot(row)
    remark(f"{stored.id}: {stored.frames} frames, {', '.join(map(str, stored.splits))}")
    for caption in (*stored.human_captions, *stored.camera_captions):
        remark(f"  {caption}")
    draw(opened.as_shot(row), output)


def stats(
    store: Positional[Path],
    /,
    *,
    at_most: int = 4000,
    charts: Path | None = None,
) -> None:
    """Tell what a store holds: counts, lengths, lenses, distances, movements, framing, words. A
    table in Markdown, one column a split.

    Args:
        store: A finished store.
        at_most: Shots to measure in each split, evenly spaced; counts in the table are of these.
        charts: Also draw the distributions, as a .png.
    """
    import numpy as np

    from aesop.data.facts import facts_table, store_facts
    from aesop.data.store import open_store

    opened = open_store(store)
    named = {}
    for split in opened.splits:
        rows = opened.split(split.name, split.kind)
        chosen = rows[np.linspace(0, len(rows) - 1, min(at_most, len(rows))).astype(int)]
        with progress_bar(f"measuring {split}") as progress:
            named[f"{split} ({len(rows):,})"] = store_facts(opened, chosen, progress)
    if charts is not None:
        from aesop.reports.store_charts import write_store_charts

        write_store_charts(named, charts)
    report(facts_table(named))
    for what in (*opened.manifest.dropped, *opened.manifest.noted):
        remark(f"{what.count:>8}  {what.what}")
