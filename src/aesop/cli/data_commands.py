"""`aesop data …` and `aesop pairs …`: datasets, and direction and intensity pairs from them."""

from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from aesop.cli.film_options import refuse_flag
from aesop.cli.terminal import progress_bar, remark, report, wrote
from aesop.core.errors import StoreError


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
    from aesop.data.pulpmotion import list_counts
    from aesop.data.store import open_store

    with progress_bar("importing") as progress:
        result = run(folder, store, workers=workers, canonicalise=canonicalise, progress=progress)
    remark(f"{result.kept} of {result.found} clips kept")
    for what in (*result.dropped, *result.noted):
        remark(f"{what.count:>8}  {what.what} (such as {', '.join(what.examples[:3])})")
    for counted in list_counts(open_store(store)):
        remark(str(counted))
    wrote(store)


def import_shots(
    folder: Positional[Path], store: Positional[Path], /, *, workers: int | None = None
) -> None:
    """Convert a folder of your own shots into an AESOP store, to train on. An interrupted import
    resumes; a file that cannot be used is left out and counted.

    Args:
        folder: NAME.shot files, or motions with cameras as NAME.json; and captions.csv with the
            columns id, camera, human and split, of which only id is needed.
        store: The folder to make.
        workers: Processes to use; all cores if not given.
    """
    from aesop.data.shot_folder import import_shots as run

    with progress_bar("importing") as progress:
        result = run(folder, store, workers=workers, progress=progress)
    remark(f"{result.kept} windows of {result.found} shots kept")
    for what in (*result.dropped, *result.noted):
        remark(f"{what.count:>8}  {what.what} (such as {', '.join(what.examples[:3])})")
    wrote(store)


def build_fables(
    store: Positional[Path],
    /,
    *,
    takes: Path,
    clips: int | None = None,
    seed: int = 20261115,
    edition: Literal["fables-1", "fables-2"] = "fables-1",
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
        edition: "fables-2" adds twelve cameras a window that use the whole vocabulary.
        workers: Processes to use; all cores if not given.
        engine: "ray" runs on a Ray cluster (needs the extra "cluster").
    """
    from aesop.fables.build import build_fables as run
    from aesop.fables.build import recipe_for

    if clips is not None and clips < 1:
        raise StoreError(f"{clips} clips cannot be made.", "Ask for one or more.")
    recipe = recipe_for(clips, seed, edition)
    with progress_bar("building") as progress:
        manifest = run(takes, store, recipe, workers=workers, engine=engine, progress=progress)
    remark(f"{manifest.shots.rows} shots of {manifest.humans.rows} windows")
    wrote(store)


def build_people(
    store: Positional[Path],
    /,
    *,
    sets: list[str] = [],  # noqa: B006 - read, never changed
    clips: Path | None = None,
    windows: int | None = None,
    seed: int = 20261117,
    workers: int | None = None,
    engine: Literal["processes", "ray"] = "processes",
) -> None:
    """Build a store of people with words for every moment: windows drawn from captioned segments
    of CMU and other sets, each filmed once. An interrupted build resumes.

    Args:
        store: The folder to make.
        sets: Where files lie, as NAME=FOLDER: cmu, cmu_more, rocketbox, accad_male1.
        clips: Folder of takes that were imported before (SET/TAKE.clip); new ones are added to it.
        windows: Training windows to make; the default set has 24,000.
        seed: Another seed draws other windows.
        workers: Processes to use; all cores if not given.
        engine: "ray" runs on a Ray cluster (needs the extra "cluster").
    """
    from aesop.fables.people_build import build_people as run
    from aesop.fables.people_build import people_recipe

    if windows is not None and windows < 1:
        raise StoreError(f"{windows} windows cannot be made.", "Ask for one or more.")
    if not sets and clips is None:
        raise StoreError("There is nothing to draw windows from.", "Give --sets or --clips.")
    sources: dict[str, Path] = {}
    for text in sets:
        name, equals, folder = text.partition("=")
        if not equals or not folder:
            raise StoreError(f"{text!r} names no set and folder.", "Write --sets cmu=FOLDER.")
        sources[name] = Path(folder)
    recipe = people_recipe(windows, seed)
    with progress_bar("building") as progress:
        manifest = run(
            sources, clips, store, recipe, workers=workers, engine=engine, progress=progress
        )
    remark(f"{manifest.shots.rows} shots of {manifest.humans.rows} windows")
    wrote(store)


def build_thin(store: Positional[Path], /, *, data: Path, seed: int | None = None) -> None:
    """Derive thin Fables, to study what direction pairs teach: one caption a shot of few wordings
    a movement, and truck left and pull out sixteen times rarer. The test split stays whole.

    Args:
        store: The folder to make.
        data: A store that `aesop data build fables` made.
        seed: Another seed keeps other shots and wordings.
    """
    from aesop.data.store import open_store
    from aesop.fables.thin import ThinRecipe
    from aesop.fables.thin import build_thin as run

    recipe = ThinRecipe() if seed is None else ThinRecipe(seed)
    with progress_bar("thinning") as progress:
        manifest = run(open_store(data), store, recipe, progress)
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

    from aesop.cli.motion_commands import draw
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
        from aesop.pages.figures import write_store_charts

        write_store_charts(named, charts)
    report(facts_table(named))
    for what in (*opened.manifest.dropped, *opened.manifest.noted):
        remark(f"{what.count:>8}  {what.what}")


def build(
    kind: Positional[Literal["direction", "intensity"]],
    out: Positional[Path],
    /,
    *,
    data: Path,
    codec: Path | None = None,
    recipe: Literal["pulpmotion", "fables"] | None = None,
    workers: int | None = None,
    engine: Literal["processes", "ray"] = "processes",
) -> None:
    """Build the pairs of one kind from the training split of a store. Direction pairs come first:
    the paper's recipe leaves their sources out of the intensity pairs. An interrupted build
    resumes; the number of workers changes nothing.

    Args:
        kind: "direction" (Truck and Dolly shots reversed) or "intensity" (more and less travel).
        out: The folder to write to; both kinds share it, and training reads it.
        data: A finished store.
        codec: Weights, or a training run, with both codecs; without, nothing is reconstructed.
        recipe: Whose thresholds to use; those that belong to the store if not given.
        workers: Processes to use; all cores if not given.
        engine: "ray" runs on a Ray cluster (needs the extra "cluster").
    """
    from aesop.data.store import open_store
    from aesop.pairs.direction_pairs import BuildRequest, build_direction
    from aesop.pairs.intensity_pairs import build_intensity
    from aesop.pairs.pair_files import pair_path
    from aesop.pairs.pair_recipe import recipe_for_dataset, recipe_named

    dataset = open_store(data).manifest.dataset
    chosen = recipe_for_dataset(dataset) if recipe is None else recipe_named(recipe)
    if codec is None:
        remark("No --codec: the gates on reconstructions are left out.")
    with progress_bar("screening") as progress:
        request = BuildRequest(data, codec, out, chosen, workers, engine, progress)
        if kind == "direction":
            summary = f"{len(build_direction(request).sources)} direction pairs"
        else:
            pairs = build_intensity(request)
            summary = f"{len(pairs.active)} active and {len(pairs.null)} null intensity pairs"
    remark(summary)
    wrote(pair_path(out, kind))


def show_pairs(
    out: Positional[Path],
    shot: Positional[str | None] = None,
    /,
    *,
    data: Path,
    codec: Path | None = None,
    output: Annotated[Path, arg(aliases=["-o"])] = Path("pairs.png"),
) -> None:
    """Draw pairs as a picture: original, target and reconstruction, each from outside and its last
    frame through the lens. Without a shot, a page of accepted and rejected pairs of every kind.

    Args:
        out: A folder of pairs.
        shot: The id of a shot, source or not; the gates it fails are named.
        data: The store from which the pairs were built.
        codec: Weights, or a training run, with both codecs, to draw reconstructions too.
        output: The picture to write (.png).
    """
    from aesop.data.store import open_store
    from aesop.pairs.inspection import gallery, pair_page, portrait
    from aesop.pairs.pair_files import read_plan
    from aesop.pairs.shot_arrays import load_codecs
    from aesop.preview.sheets import check_picture_target, write_picture

    check_picture_target(output)
    plan, store = read_plan(out), open_store(data)
    codecs = None if codec is None else load_codecs(codec)
    if shot is None:
        portraits = gallery(plan, store, codecs)
    else:
        portraits = [(shot, portrait(plan, store, shot, codecs))]
    write_picture(pair_page(portraits), output)
    wrote(output)


def report_funnels(out: Positional[Path], /) -> None:
    """Tell the whole funnel in Markdown: what enters every stage, and what every gate takes, in
    sequence and alone. Gates that the construction itself satisfies are marked.

    Args:
        out: A folder of pairs.
    """
    from aesop.pairs.inspection import plan_report
    from aesop.pairs.pair_files import read_plan

    report(plan_report(read_plan(out)))
