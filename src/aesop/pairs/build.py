"""Building pairs: what both kinds share, and the direction funnel from pool to pair file."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int64

from aesop.data.engine import Engine, Progress, run_all
from aesop.data.store import Store
from aesop.pairs.direction_task import DirectionTask, screen_directions
from aesop.pairs.events import EVENT_TAGS, TRUCK_LEFT, TRUCK_RIGHT
from aesop.pairs.funnel import Funnel, Stage, counted
from aesop.pairs.mining import Mined, mine
from aesop.pairs.plan import (
    BuildKind,
    DirectionFile,
    DirectionSource,
    Origin,
    pair_path,
    write_pair_file,
)
from aesop.pairs.recipe import PairError, PairRecipe
from aesop.pairs.round_trip import load_codecs
from aesop.pairs.shards import Screened, Workshop, cut_into_tasks, opened, unpacked

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


def workshop_for(request: BuildRequest, kind: BuildKind) -> Workshop:
    """Check that the build can begin; an interrupted one of the same settings goes on."""
    target = pair_path(request.out, kind)
    if target.exists():
        raise PairError(f"{target} exists.", "Choose another folder, or delete this file.")
    workshop = Workshop(request.out / "building" / kind)
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
    pieces = [workshop.read(task.piece.stem) for task in tasks]
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
        counted_stages: list[Stage] = []
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
