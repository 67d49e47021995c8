"""Building direction pairs: shots mined for one Truck or Dolly, their reflections, and the funnel
from the pool to the pair file."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from jaxtyping import Int64

from aesop.camera_words.caption_reader import movements_in
from aesop.core.errors import Progress
from aesop.core.pool import Engine, run_all
from aesop.core.whole_files import PieceFolder
from aesop.data.store import Store, training_rows
from aesop.pairs.direction_gates import (
    DecodedPair,
    decoded_verdicts,
    effect,
    effect_verdicts,
    framing_verdicts,
    geometry_verdicts,
    leakage_verdicts,
    source_verdicts,
    views_of_both,
)
from aesop.pairs.gates import (
    Arrays,
    Funnel,
    FunnelStage,
    GateList,
    Screened,
    Verdicts,
    counted,
    joined,
    packed,
    read_piece,
    side_by_side,
    unpacked,
    write_piece,
)
from aesop.pairs.pair_files import (
    BuildKind,
    DirectionFile,
    DirectionSource,
    Origin,
    pair_path,
    write_pair_file,
)
from aesop.pairs.pair_recipe import PairError, PairRecipe
from aesop.pairs.shot_arrays import (
    Cameras,
    ClipBool,
    CodecPair,
    Film,
    Stock,
    cameras_of,
    cut_into_tasks,
    features_of_ways,
    film_of,
    human_latents,
    in_batches,
    load_codecs,
    opened,
    read_stock,
    round_trip,
    taken,
)
from aesop.pairs.transforms import OPPOSITE, TRUCK_LEFT, TRUCK_RIGHT, Events, find_events, reflected

ALL, TRUCKS, DOLLIES = "Direction", "Direction: Trucks", "Direction: Dollies"
_EVENT_FIELDS = ("rows", "tags", "first", "last")


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


@dataclass(frozen=True, eq=False)
class PieceTask:
    """Work on some shots of a store; its result becomes the file `piece`."""

    store: Path
    recipe: PairRecipe
    rows: Int64[np.ndarray, " clips"]
    piece: Path


Task = TypeVar("Task", bound=PieceTask)


def start_pieces(request: BuildRequest, kind: BuildKind) -> PieceFolder:
    """Check that the build can begin; an interrupted one of the same settings goes on."""
    target = pair_path(request.out, kind)
    if target.exists():
        raise PairError(f"{target} exists.", "Choose another folder, or delete this file.")
    pieces = PieceFolder(request.out / "building" / kind, ".npz")
    origin = origin_of(request, pool=0)
    pieces.start(
        {"recipe": asdict(request.recipe), "store": origin.store_sha256, "codec": origin.codec}
    )
    return pieces


def finish_pieces(
    request: BuildRequest, work: Callable[[Task], None], tasks: Sequence[Task]
) -> list[Arrays]:
    """Do what an earlier run has not done, and read the results of all tasks."""
    waiting = [task for task in tasks if not task.piece.is_file()]
    run_all(
        work, waiting, workers=request.workers, engine=request.engine, progress=request.progress
    )
    return [read_piece(task.piece) for task in tasks]


def origin_of(request: BuildRequest, pool: int) -> Origin:
    """What the pair file says about where it comes from."""
    manifest = opened(request.store).manifest
    codec = None if request.codec is None else load_codecs(request.codec).identity
    return Origin(request.recipe, manifest.dataset, manifest.content_sha256, codec, pool)


def build_direction(request: BuildRequest) -> DirectionFile:
    """The direction funnel."""
    store = opened(request.store)
    folder = start_pieces(request, "direction")
    mined = mine(store)
    rows, tags = mined.chosen
    tag_of = dict(zip(rows.tolist(), tags.tolist(), strict=True))
    tasks: list[DirectionTask] = []
    for name, part in cut_into_tasks(rows, store.shot_lengths(rows)):
        own = np.array([tag_of[row] for row in part.tolist()], np.int64)
        work = request.store, request.recipe, part, folder.piece(name)
        tasks.append(DirectionTask(*work, own, request.codec))
    pieces = finish_pieces(request, screen_directions, tasks)
    by_name = (unpacked(name, pieces) for name in ("source", "target", "reconstruction"))
    stages = [stage for stage in by_name if stage is not None]
    result = DirectionFile(
        origin_of(request, len(mined.rows)),
        _funnels(store, mined, tag_of, stages, request.recipe.salt),
        _sources(store, pieces, stages),
    )
    write_pair_file(request.out, result)
    folder.remove()
    return result


@dataclass(frozen=True, eq=False)
class Mined:
    """The training pool and what its tags and captions say."""

    rows: Int64[np.ndarray, " pool"]
    tags: Int64[np.ndarray, " pool"]  # of the first transition; −1 where a shot has none
    verdicts: Verdicts

    @property
    def chosen(self) -> tuple[Int64[np.ndarray, " chosen"], Int64[np.ndarray, " chosen"]]:
        """Rows and tags of the shots that hold one event."""
        kept = self.verdicts.accepted
        return self.rows[kept], self.tags[kept]


def mine(store: Store) -> Mined:
    """Look at tags and captions only."""
    rows = training_rows(store).train
    tags = np.full(len(rows), -1, np.int64)
    is_event, is_captioned = np.zeros((2, len(rows)), np.bool_)
    for at, row in enumerate(rows.tolist()):
        of_shot = store.shots.items("tags", row)
        if len(of_shot):
            tags[at] = tag = int(of_shot[0])
            is_event[at] = tag in OPPOSITE and bool((of_shot == tag).all())
        if is_event[at]:
            captions = store.shots.strings("captions", row)
            is_captioned[at] = bool(captions) and all(
                movements_in(caption) == [tags[at]] for caption in captions
            )
    screen = GateList(len(rows))
    screen.holds("tags are one Truck or Dolly", is_event, is_event.astype(np.float64))
    alone = is_captioned.astype(np.float64)
    screen.holds("captions tell that alone", is_captioned, alone, is_event)
    return Mined(rows, tags, screen.verdicts)


@dataclass(frozen=True, eq=False)
class DirectionTask(PieceTask):
    """Screen mined shots."""

    tags: Int64[np.ndarray, " clips"]
    codec: Path | None


def screen_directions(task: DirectionTask) -> None:
    """Do one task."""
    codecs = None if task.codec is None else load_codecs(task.codec)
    stages: dict[str, list[tuple[np.ndarray, Verdicts]]] = {}
    events: list[tuple[np.ndarray, ...]] = []
    for batch in in_batches(opened(task.store).shot_lengths(task.rows)):
        rows = task.rows[batch]
        of_batch, of_stage = _screen_batch(task, rows, task.tags[batch], codecs)
        events.append((rows, of_batch.tags, of_batch.first, of_batch.last))
        for stage, (kept, verdicts) in of_stage.items():
            stages.setdefault(stage, []).append((rows[kept], verdicts))
    arrays: dict[str, np.ndarray] = {}
    for stage, parts in stages.items():
        rows = np.concatenate([rows for rows, _ in parts])
        arrays.update(packed(stage, rows, joined([verdicts for _, verdicts in parts])))
    for name, parts in zip(_EVENT_FIELDS, zip(*events, strict=True), strict=True):
        arrays[f"event.{name}"] = np.concatenate(parts)
    write_piece(task.piece, arrays)


def _screen_batch(
    task: DirectionTask,
    rows: Int64[np.ndarray, " batch"],
    tags: Int64[np.ndarray, " batch"],
    codecs: CodecPair | None,
) -> tuple[Events, dict[str, tuple[Int64[np.ndarray, " _"], Verdicts]]]:
    """The events, and for every stage which shots came to it and how they fared."""
    recipe = task.recipe
    stock = read_stock(opened(task.store), rows)
    film = film_of(stock)
    events = find_events(film, tags, recipe.event)
    source = source_verdicts(film, events, recipe.direction, recipe.event)
    stages = {"source": (np.arange(len(rows)), source)}
    kept = np.flatnonzero(source.accepted)
    if len(kept):
        pairs = reflect(stock.take(kept), taken(film, kept), taken(events, kept))
        physical = physical_verdicts(pairs, recipe)
        stages["target"] = kept, physical
        good = np.flatnonzero(physical.accepted)
        if codecs is not None and len(good):
            decoded = reconstruction_verdicts(pairs.take(good), codecs, recipe)
            stages["reconstruction"] = kept[good], decoded
    return events, stages


@dataclass(frozen=True, eq=False)
class Reflected:
    """Sources with their opposite targets."""

    stock: Stock
    film: Film
    events: Events
    opposite: Cameras

    @property
    def target_stock(self) -> Stock:
        """The targets as features."""
        camera = features_of_ways(self.stock.camera, self.film, self.opposite.centre)
        return replace(self.stock, camera=camera)

    def take(self, clips: Int64[np.ndarray, " chosen"]) -> "Reflected":
        others = taken(self.film, clips), taken(self.events, clips), taken(self.opposite, clips)
        return Reflected(self.stock.take(clips), *others)


def reflect(stock: Stock, film: Film, events: Events) -> Reflected:
    """Make the opposite targets."""
    opposite = film.cameras.moved(reflected(film, film.cameras, events))
    return Reflected(stock, film, events, opposite)


def physical_verdicts(pairs: Reflected, recipe: PairRecipe) -> Verdicts:
    """Geometry, framing, visible effect, leakage."""
    film, events, opposite, gates = pairs.film, pairs.events, pairs.opposite, recipe.direction
    views = views_of_both(film, film.cameras, opposite)
    change = effect(film, events, film.cameras, opposite, views)
    parts = [
        geometry_verdicts(film, events, opposite, gates),
        framing_verdicts(film, [view.visible for view in views], gates),
        effect_verdicts(events, change, gates),
    ]
    leakage = leakage_verdicts(film, events, opposite, gates)
    return side_by_side(parts if leakage is None else [*parts, leakage])


def reconstruction_verdicts(pairs: Reflected, codecs: CodecPair, recipe: PairRecipe) -> Verdicts:
    """What the codec leaves of the pairs."""
    lengths, first_root = pairs.stock.lengths, pairs.film.root[:, 0]
    people = human_latents(codecs, pairs.stock)
    first, second = (
        round_trip(codecs, people, stock.camera, lengths)
        for stock in (pairs.stock, pairs.target_stock)
    )
    decoded = DecodedPair(
        cameras_of(first.features, first_root, lengths),
        cameras_of(second.features, first_root, lengths),
        first.mse,
        second.mse,
    )
    return side_by_side(
        decoded_verdicts(pairs.film, pairs.events, pairs.opposite, decoded, recipe.direction)
    )


def _sources(
    store: Store, pieces: Sequence[Arrays], stages: list[Screened]
) -> tuple[DirectionSource, ...]:
    """Accepted by the last stage that was run. Without a shot nothing was accepted."""
    if not stages or stages[-1].stage == "source":
        return ()
    events = {
        row: (tag, first, last)
        for piece in pieces
        for row, tag, first, last in zip(
            *(piece[f"event.{name}"].tolist() for name in _EVENT_FIELDS), strict=True
        )
    }
    return tuple(
        DirectionSource(*shot_and_human(store, row), *events[row])
        for row in stages[-1].accepted.tolist()
    )


def shot_and_human(store: Store, row: int) -> tuple[str, str]:
    """Ids of a shot and of the window it films."""
    return store.shots.text("id", row), store.humans.text("id", int(store.human_rows[row]))


def _funnels(
    store: Store, mined: Mined, tag_of: dict[int, int], stages: list[Screened], salt: str
) -> tuple[Funnel, ...]:
    """One funnel for all, one for each of the two movements."""

    def count(stage: Screened, concerned: ClipBool) -> FunnelStage:
        return counted(stage.stage, stage.verdicts, concerned, namer(store, stage.rows), salt)

    pool = Screened("mined", mined.rows, mined.verdicts)
    first = count(pool, np.ones(len(mined.rows), np.bool_))
    trucks = {TRUCK_RIGHT, TRUCK_LEFT}
    groups = ((ALL, set(OPPOSITE)), (TRUCKS, trucks), (DOLLIES, set(OPPOSITE) - trucks))
    funnels: list[Funnel] = []
    for name, tags in groups:
        later = (
            count(stage, np.array([tag_of[row] in tags for row in stage.rows.tolist()], np.bool_))
            for stage in stages
        )
        funnels.append(Funnel(name, (*((first,) if name == ALL else ()), *later)))
    return tuple(funnels)


def namer(store: Store, rows: Int64[np.ndarray, " clips"]) -> Callable[[int], str]:
    """Ids of shots by their place among some rows."""
    return lambda place: store.shots.text("id", int(rows[place]))
