"""`aesop pairs …`: direction and intensity pairs from a store."""

from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from aesop.cli.terminal import progress_bar, remark, report, wrote


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
    from aesop.pairs.build import BuildRequest, build_direction
    from aesop.pairs.build_intensity import build_intensity
    from aesop.pairs.plan import pair_path
    from aesop.pairs.recipe import recipe_for_dataset, recipe_named

    dataset = open_store(data).manifest.dataset
    chosen = recipe_for_dataset(dataset) if recipe is None else recipe_named(recipe)
    if codec is None:
        remark("No --codec: the gates on reconstructions are left out.")
    with progress_bar("screening") as progress:
        request = BuildRequest(data, codec, out, chosen, workers, engine, progress)
        if kind == "direction":
            told = f"{len(build_direction(request).sources)} direction pairs"
        else:
            found = build_intensity(request)
            told = f"{len(found.active)} active and {len(found.null)} null intensity pairs"
    remark(told)
    wrote(pair_path(out, kind))


def show(
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
    from aesop.pairs.drawing import pair_page
    from aesop.pairs.gallery import gallery
    from aesop.pairs.inspection import portrait
    from aesop.pairs.plan import read_plan
    from aesop.pairs.round_trip import load_codecs
    from aesop.preview.stills import check_picture_target, write_picture

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
    from aesop.pairs.gallery import plan_report
    from aesop.pairs.plan import read_plan

    report(plan_report(read_plan(out)))
