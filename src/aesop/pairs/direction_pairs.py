"""Building direction pairs: the funnel from pool to pair file, and one piece of it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int64

from aesop.core.pieces import PieceFolder
from aesop.core.pool import Engine, run_all
from aesop.core.progress import Progress
from aesop.data.store import Store
from aesop.pairs.direction_gates import (
    DecodedPair,
    decoded_verdicts,
    effect,
    effect_verdicts,
    framing_verdicts,
    geometry_verdicts,
    leakage_verdicts,
    seen_both,
    source_verdicts,
)
from aesop.pairs.events import (
    EVENT_TAGS,
    TRUCK_LEFT,
    TRUCK_RIGHT,
    Events,
    Mined,
    find_events,
    mine,
    reflected,
)
from aesop.pairs.gates import Funnel, FunnelStage, Verdicts, counted, joined, side_by_side
from aesop.pairs.pair_files import (
    BuildKind,
    DirectionFile,
    DirectionSource,
    Origin,
    pair_path,
    write_pair_file,
)
from aesop.pairs.pair_recipe import PairError, PairRecipe
from aesop.pairs.round_trip import CodecPair, human_latents, load_codecs, round_trip
from aesop.pairs.shards import (
    Arrays,
    Screened,
    cut_into_tasks,
    in_batches,
    opened,
    packed,
    piece_folder,
    read_piece,
    unpacked,
    write_piece,
)
from aesop.pairs.shot_arrays import (
    Cameras,
    Film,
    Stock,
    cameras_of,
    features_of_way,
    film_of,
    read_stock,
)


@dataclass(frozen=True, eq=False)
class DirectionTask:
    """Screen some mined shots and write what was found."""

    store: Path
    codec: Path | None
    recipe: PairRecipe
    rows: Int64[np.ndarray, " clips"]
    tags: Int64[np.ndarray, " clips"]
    piece: Path


@dataclass(frozen=True, eq=False)
class Reflected:
    """Sources with their opposite targets."""

    stock: Stock
    film: Film
    events: Events
    opposite: Cameras


def screen_directions(task: DirectionTask) -> None:
    """Do one task."""
    lengths = opened(task.store).shot_lengths(task.rows)
    codecs = None if task.codec is None else load_codecs(task.codec)
    found: dict[str, list[tuple[np.ndarray, Verdicts]]] = {}
    events: list[tuple[np.ndarray, Events]] = []
    for batch in in_batches(lengths):
        _screen_batch(task, batch, codecs, found, events)
    arrays: dict[str, np.ndarray] = {}
    for stage, parts in found.items():
        rows = np.concatenate([rows for rows, _ in parts])
        arrays.update(packed(stage, rows, joined([verdicts for _, verdicts in parts])))
    arrays.update(_event_arrays(events))
    write_piece(task.piece, arrays)


def _event_arrays(events: list[tuple[np.ndarray, Events]]) -> Arrays:
    return {
        "event.rows": np.concatenate([rows for rows, _ in events]),
        "event.tags": np.concatenate([it.tags for _, it in events]),
        "event.first": np.concatenate([it.first for _, it in events]),
        "event.last": np.concatenate([it.last for _, it in events]),
    }


def _screen_batch(
    task: DirectionTask,
    batch: Int64[np.ndarray, " batch"],
    codecs: CodecPair | None,
    found: dict[str, list[tuple[np.ndarray, Verdicts]]],
    events_found: list[tuple[np.ndarray, Events]],
) -> None:
    rows, recipe = task.rows[batch], task.recipe
    stock = read_stock(opened(task.store), rows)
    film = film_of(stock)
    events = find_events(film, task.tags[batch], recipe.event)
    events_found.append((rows, events))
    source = source_verdicts(film, events, recipe.direction, recipe.event)
    found.setdefault("source", []).append((rows, source))
    kept = np.flatnonzero(source.accepted)
    if not len(kept):
        return
    pairs = reflect(stock.take(kept), film.take(kept), events.take(kept))
    physical = physical_verdicts(pairs, recipe)
    found.setdefault("target", []).append((rows[kept], physical))
    good = np.flatnonzero(physical.accepted)
    if codecs is None or not len(good):
        return
    kept_pairs = Reflected(
        pairs.stock.take(good), pairs.film.take(good), pairs.events.take(good),
        pairs.opposite.take(good),
    )  # fmt: skip
    decoded = reconstruction_verdicts(kept_pairs, codecs, recipe)
    found.setdefault("reconstruction", []).append((rows[kept][good], decoded))


def reflect(stock: Stock, film: Film, events: Events) -> Reflected:
    """Make the opposite targets."""
    opposite = film.cameras.moved(reflected(film, film.cameras, events))
    return Reflected(stock, film, events, opposite)


def physical_verdicts(pairs: Reflected, recipe: PairRecipe) -> Verdicts:
    """Geometry, framing, visible effect, leakage."""
    film, events, opposite, gates = pairs.film, pairs.events, pairs.opposite, recipe.direction
    seen = seen_both(film, film.cameras, opposite)
    change = effect(film, events, film.cameras, opposite, seen)
    parts = [
        geometry_verdicts(film, events, opposite, gates),
        framing_verdicts(film, seen, gates),
        effect_verdicts(events, change, gates),
    ]
    leakage = leakage_verdicts(film, events, opposite, gates)
    return side_by_side(parts if leakage is None else [*parts, leakage])


def opposite_stock(pairs: Reflected) -> Stock:
    """The targets as features."""
    camera = pairs.stock.camera.copy()
    for at, frames in enumerate(pairs.stock.lengths.tolist()):
        camera[at, :frames] = features_of_way(
            pairs.stock.camera[at, :frames],
            pairs.film.root[at, :frames],
            pairs.opposite.centre[at, :frames],
        )
    return pairs.stock.filmed(camera)


def decode_pairs(pairs: Reflected, codecs: CodecPair) -> DecodedPair:
    """Both members through the codec."""
    lengths, first_root = pairs.stock.lengths, pairs.film.root[:, 0]
    people = human_latents(codecs, pairs.stock)
    first, second = (
        round_trip(codecs, people, stock.camera, lengths)
        for stock in (pairs.stock, opposite_stock(pairs))
    )
    return DecodedPair(
        cameras_of(first.features, first_root, lengths),
        cameras_of(second.features, first_root, lengths),
        first.mse,
        second.mse,
    )


def reconstruction_verdicts(pairs: Reflected, codecs: CodecPair, recipe: PairRecipe) -> Verdicts:
    """What the codec leaves of the pairs."""
    decoded = decode_pairs(pairs, codecs)
    return side_by_side(
        decoded_verdicts(pairs.film, pairs.events, pairs.opposite, decoded, recipe.direction)
    )


ALL, TRUCKS, DOLLIES = "Direction", "Direction: Trucks", "Direction: Dollies"


@dataclass(frozen=True)
class BuildRequest:
    """What is built from what, where, and by whom."""

    store: Path
    codec: Path | None
    out: Path
    recipe: PairRecipe
    workers: int | None = None
    engine: Engine = "processes"
    progress: Progress | None = None


def workshop_for(request: BuildRequest, kind: BuildKind) -> PieceFolder:
    """Check that the build can begin; an interrupted one of the same settings goes on."""
    target = pair_path(request.out, kind)
    if target.exists():
        raise PairError(f"{target} exists.", "Choose another folder, or delete this file.")
    workshop = piece_folder(request.out, kind)
    codec = None if request.codec is None else load_codecs(request.codec).identity
    workshop.start(
        {
            "recipe": asdict(request.recipe),
            "store": opened(request.store).manifest.content_sha256,
            "codec": codec,
        }
    )
    return workshop


def origin_of(request: BuildRequest, pool: int) -> Origin:
    """What the pair file says about where it comes from."""
    manifest = opened(request.store).manifest
    codec = None if request.codec is None else load_codecs(request.codec).identity
    return Origin(request.recipe, manifest.dataset, manifest.content_sha256, codec, pool)


def build_direction(request: BuildRequest) -> DirectionFile:
    """The direction funnel."""
    store = opened(request.store)
    workshop = workshop_for(request, "direction")
    mined = mine(store)
    rows, tags = mined.chosen
    tag_of = dict(zip(rows.tolist(), tags.tolist(), strict=True))
    tasks: list[DirectionTask] = []
    for name, part in cut_into_tasks(rows, store.shot_lengths(rows)):
        own = np.array([tag_of[row] for row in part.tolist()], np.int64)
        piece = workshop.piece(name)
        tasks.append(DirectionTask(request.store, request.codec, request.recipe, part, own, piece))
    waiting = [task for task in tasks if not task.piece.is_file()]
    run_all(
        screen_directions, waiting, workers=request.workers, engine=request.engine,
        progress=request.progress,
    )  # fmt: skip
    pieces = [read_piece(task.piece) for task in tasks]
    stages = [
        found
        for name in ("source", "target", "reconstruction")
        if (found := unpacked(name, pieces)) is not None
    ]
    found = DirectionFile(
        origin_of(request, len(mined.rows)),
        _funnels(store, mined, tag_of, stages, request.recipe.salt),
        _sources(store, pieces, stages),
    )
    write_pair_file(request.out, found)
    workshop.remove()
    return found


def _sources(
    store: Store, pieces: list[dict[str, np.ndarray]], stages: list[Screened]
) -> tuple[DirectionSource, ...]:
    """Accepted by the last stage that was run. Without a shot nothing was accepted."""
    if not stages or stages[-1].stage == "source":
        return ()
    fields = ("event.rows", "event.tags", "event.first", "event.last")
    events = {
        row: (tag, first, last)
        for piece in pieces
        for row, tag, first, last in zip(*(piece[key].tolist() for key in fields), strict=True)
    }
    human = store.human_rows
    return tuple(
        DirectionSource(
            store.shots.text("id", row), store.humans.text("id", int(human[row])), *events[row]
        )
        for row in stages[-1].accepted.tolist()
    )


def _funnels(
    store: Store, mined: Mined, tag_of: dict[int, int], stages: list[Screened], salt: str
) -> tuple[Funnel, ...]:
    """One funnel for all, one for each of the two movements."""
    trucks = (TRUCK_RIGHT, TRUCK_LEFT)
    groups = ((ALL, EVENT_TAGS), (TRUCKS, trucks), (DOLLIES, tuple(set(EVENT_TAGS) - {*trucks})))
    funnels: list[Funnel] = []
    for name, tags in groups:
        counted_stages: list[FunnelStage] = []
        if name == ALL:
            every = np.ones(len(mined.rows), np.bool_)
            pool = counted("mined", mined.verdicts, every, namer(store, mined.rows), salt)
            counted_stages.append(pool)
        for it in stages:
            concerned = np.array([tag_of[row] in tags for row in it.rows.tolist()], np.bool_)
            names = namer(store, it.rows)
            counted_stages.append(counted(it.stage, it.verdicts, concerned, names, salt))
        funnels.append(Funnel(name, tuple(counted_stages)))
    return tuple(funnels)


def namer(store: Store, rows: Int64[np.ndarray, " clips"]) -> Callable[[int], str]:
    """Ids of shots by their place among some rows."""
    return lambda place: store.shots.text("id", int(rows[place]))
