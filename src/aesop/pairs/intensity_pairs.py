"""The intensity funnel: measure all shots, rank the active ones, scale them, keep whole pairs."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from jaxtyping import Float, Int64

from aesop.core.pieces import PieceFolder
from aesop.core.pool import run_all
from aesop.data.store import Store, training_rows
from aesop.pairs.direction_pairs import BuildRequest, namer, origin_of, workshop_for
from aesop.pairs.gates import Funnel, FunnelStage, GateCount, counted, lost_examples
from aesop.pairs.intensity_gates import DECODED_PATH
from aesop.pairs.intensity_pieces import (
    MeasureTask,
    ScaleTask,
    Tries,
    measure_sources,
    scale_sources,
)
from aesop.pairs.pair_files import (
    ActiveSource,
    IntensityFile,
    NullSource,
    read_direction,
    write_pair_file,
)
from aesop.pairs.pair_recipe import Amounts, DynamicsLimits, PairError, PairRecipe
from aesop.pairs.scaling import (
    SIDES,
    Ways,
    balanced_weights,
    durations,
    hash_rank,
    movement_kinds,
    proposed_labels,
)
from aesop.pairs.shards import cut_into_tasks, opened, read_piece, unpacked


def source_stage(tries: Tries, name_of: Callable[[int], str], salt: str) -> FunnelStage:
    """Sources that lose a side at every gate. After gates 1 … k a source is alive if each side has
    a try that passes all of them; alone, if each side has a try that passes gate k.

    Tries that were not made come after an accepted one, and could change neither count.
    """
    alive = np.ones(len(tries.rows), np.bool_)
    still = tries.tried.copy()
    gates: list[GateCount] = []
    for at, gate in enumerate(tries.gates):
        passed = tries.passed[..., at] & tries.tried
        alone = passed.any(axis=-1).all(axis=-1)
        still &= passed
        now = still.any(axis=-1).all(axis=-1)
        lost = alive & ~now
        if gate == DECODED_PATH:
            alone = ~lost  # only what passed the physical gates was decoded
        examples = lost_examples(np.flatnonzero(lost), name_of, salt)
        gates.append(GateCount(gate, int(lost.sum()), int((~alone).sum()), None, examples))
        alive = now
    return FunnelStage("target", len(tries.rows), int(alive.sum()), tuple(gates))


def try_stages(tries: Tries) -> tuple[FunnelStage, ...]:
    """Tries themselves, on each side: how many labels every gate turns down."""
    stages: list[FunnelStage] = []
    for side in range(len(SIDES)):
        alive = tries.tried[:, side].copy()
        gates: list[GateCount] = []
        for at, gate in enumerate(tries.gates):
            passed = tries.passed[:, side, :, at]
            reached = alive if gate == DECODED_PATH else tries.tried[:, side]
            lost, alone = alive & ~passed, reached & ~passed
            gates.append(GateCount(gate, int(lost.sum()), int(alone.sum()), None, ()))
            alive &= passed
        stages.append(
            FunnelStage("tries", int(tries.tried[:, side].sum()), int(alive.sum()), tuple(gates))
        )
    return tuple(stages)


ACTIVE, NULL = "Intensity: active sources", "Intensity: null sources"


@dataclass(frozen=True, eq=False)
class Candidates:
    """All training shots as intensity sources."""

    rows: Int64[np.ndarray, " pool"]
    path_m: Float[np.ndarray, " pool"]
    start_m: Float[np.ndarray, " pool"]  # from the person
    nearest_m: Float[np.ndarray, " pool"]
    active: Int64[np.ndarray, " active"]  # rows
    null: Int64[np.ndarray, " null"]
    limits: DynamicsLimits
    stages: tuple[FunnelStage, FunnelStage]


def build_intensity(request: BuildRequest) -> IntensityFile:
    """The intensity funnel. Direction sources may be left out, so those pairs are built first."""
    store, recipe = opened(request.store), request.recipe
    direction = read_direction(request.out)
    if direction.origin.store_sha256 != store.manifest.content_sha256:
        raise PairError(
            f"The direction pairs in {request.out} were made from another store.",
            "Build both kinds from one store.",
        )
    workshop = workshop_for(request, "intensity")
    used = {source.shot for source in direction.sources}
    found = _measured(request, workshop, used)
    ranked = _ranked(store, found.active, recipe.salt)[: recipe.amounts.constructed]
    tries = _scaled(request, workshop, ranked, found.limits)
    result = _chosen(request, found, tries)
    write_pair_file(request.out, result)
    workshop.remove()
    return result


def _measured(request: BuildRequest, workshop: PieceFolder, used: set[str]) -> Candidates:
    store, recipe = opened(request.store), request.recipe
    pool = training_rows(store)[0]
    ids = store.shots.texts("id")
    tasks: list[MeasureTask] = []
    for name, rows in cut_into_tasks(pool, store.shot_lengths(pool)):
        is_direction = np.array([ids[row] in used for row in rows.tolist()], np.bool_)
        piece = workshop.piece(f"measure-{name}")
        tasks.append(MeasureTask(request.store, recipe, rows, is_direction, piece))
    _run(request, measure_sources, tasks)
    pieces = [read_piece(task.piece) for task in tasks]
    active, null = (unpacked(stage, pieces) for stage in ("active", "null"))
    assert active is not None and null is not None
    rows = np.concatenate([piece["active.rows"] for piece in pieces])
    start_m, moving = (
        np.concatenate([piece[name] for piece in pieces])[np.argsort(rows)]
        for name in ("start_m", "dynamics")
    )
    every = np.ones(len(pool), np.bool_)
    stages = tuple(
        counted("source", it.verdicts, every, namer(store, it.rows), recipe.salt)
        for it in (active, null)
    )
    return Candidates(
        rows=active.rows,
        path_m=active.verdicts.values_of("path"),
        start_m=start_m,
        nearest_m=active.verdicts.values_of("distance to the person"),
        active=active.accepted,
        null=null.accepted,
        limits=_limits(store, active.rows, moving, recipe),
        stages=(stages[0], stages[1]),
    )


def _limits(
    store: Store,
    rows: Int64[np.ndarray, " pool"],
    moving: Float[np.ndarray, "pool 3"],
    recipe: PairRecipe,
) -> DynamicsLimits:
    """The recipe's limits, or those that a pilot of training shots gives."""
    if recipe.intensity.dynamics is not None:
        return recipe.intensity.dynamics
    names = [store.shots.text("id", int(row)) for row in rows]
    pilot = hash_rank(names, f"{recipe.salt}:pilot")[: recipe.pilot.clips]
    speed, acceleration, jerk = np.quantile(moving[pilot], recipe.pilot.quantile, axis=0).tolist()
    return DynamicsLimits(speed, acceleration, jerk)


def _ranked(
    store: Store, rows: Int64[np.ndarray, " rows"], salt: str
) -> Int64[np.ndarray, " rows"]:
    return rows[hash_rank([store.shots.text("id", int(row)) for row in rows], salt)]


def _scaled(
    request: BuildRequest,
    workshop: PieceFolder,
    ranked: Int64[np.ndarray, " sources"],
    limits: DynamicsLimits,
) -> Tries:
    """Tries of all constructed sources, in the order of their rank."""
    store = opened(request.store)
    if not len(ranked):
        raise PairError(
            f"No shot of {request.store} can be an active intensity source.",
            "Give a store with more shots that travel.",
        )
    tasks = [
        ScaleTask(request.store, request.codec, request.recipe, limits, rows,
                  workshop.piece(f"scale-{name}"))
        for name, rows in cut_into_tasks(ranked, store.shot_lengths(ranked))
    ]  # fmt: skip
    _run(request, scale_sources, tasks)
    pieces = [read_piece(task.piece) for task in tasks]
    whole = {
        key: np.concatenate([piece[key] for piece in pieces])
        for key in ("rows", "labels", "tried", "passed")
    }
    place = {row: at for at, row in enumerate(whole["rows"].tolist())}
    order = np.array([place[row] for row in ranked.tolist()], np.int64)
    gates = tuple(str(gate) for gate in pieces[0]["gates"])
    return Tries(
        whole["rows"][order],
        gates,
        whole["labels"][order],
        whole["tried"][order],
        whole["passed"][order],
    )


Task = TypeVar("Task", MeasureTask, ScaleTask)


def _run(request: BuildRequest, work: Callable[[Task], None], tasks: Sequence[Task]) -> None:
    waiting = [task for task in tasks if not task.piece.is_file()]
    run_all(
        work, waiting, workers=request.workers, engine=request.engine, progress=request.progress
    )


def _chosen(request: BuildRequest, found: Candidates, tries: Tries) -> IntensityFile:
    """Reserve groups for development, then keep as many as the recipe asks for."""
    store, recipe = opened(request.store), request.recipe
    active = np.flatnonzero(tries.has_both_sides)  # places among the tries
    null = _null_sources(store, found.null, recipe)
    group_of = _grouping(store)
    group_of_try = [group_of(store.shots.text("id", int(row))) for row in tries.rows[active]]
    reserved = reserved_groups(group_of_try, recipe)
    is_reserved = np.array([group in reserved for group in group_of_try], np.bool_)
    amounts = recipe.amounts
    trained, development = active[~is_reserved][: amounts.active], active[is_reserved]
    null_train, null_development = _parted(null, group_of, reserved)
    kept = _weighed(store, _pairs(store, tries, trained), found, recipe)
    # Alternating after the choice, in the order of the store: as many labels below one as above.
    null_kept = _alternating(sorted(null_train[: amounts.null], key=_row_in(store)), recipe)
    stages = (
        found.stages[0],
        FunnelStage("ranked", len(found.active), len(tries.rows), ()),
        source_stage(tries, namer(store, tries.rows), recipe.salt),
        _split_stage(len(active), len(development), len(trained)),
    )
    null_counts = len(null), len(null_development), len(null_kept)
    null_stages = (found.stages[1], _split_stage(*null_counts))
    funnels = (
        Funnel(ACTIVE, stages),
        *(Funnel(f"Intensity: {side} tries", (stage,))
          for side, stage in zip(SIDES, try_stages(tries), strict=True)),
        Funnel(NULL, null_stages),
    )  # fmt: skip
    return IntensityFile(
        origin_of(request, len(found.rows)),
        found.limits,
        funnels,
        tuple(kept),
        tuple(null_kept),
        tuple(sorted(reserved)),
        tuple(_pairs(store, tries, development)),
        tuple(_alternating(null_development[: _share(amounts)], recipe)),
    )


def _weighed(
    store: Store, kept: Sequence[ActiveSource], found: Candidates, recipe: PairRecipe
) -> list[ActiveSource]:
    """The sources with their weights, if the recipe wants intensity alone to set them apart."""
    if recipe.balance is None:
        return list(kept)
    tags = (store.shots.items("tags", row) for row in found.rows.tolist())
    lasting = durations(store.shot_lengths(found.rows), recipe.balance)
    kinds = movement_kinds(tags, recipe.balance)
    everyone = Ways(found.path_m, found.start_m, found.nearest_m, kinds, lasting)
    place = {row: at for at, row in enumerate(found.rows.tolist())}
    own = np.array([place[store.row_of(it.shot)] for it in kept], np.int64)
    labels = np.array([[it.weaker, it.stronger] for it in kept]).reshape(-1, len(SIDES))
    weights = balanced_weights(everyone.take(own), labels, everyone, recipe.balance)
    return [
        replace(it, weight=round(float(weight), 4))
        for it, weight in zip(kept, weights, strict=True)
    ]


def _share(amounts: Amounts) -> int:
    """Null sources kept for development: their share of those that train."""
    return round(amounts.null * amounts.development)


def _split_stage(entered: int, development: int, kept: int) -> FunnelStage:
    reserved = GateCount("reserved for development", development, development, None, ())
    more = entered - development - kept
    return FunnelStage(
        "kept", entered, kept, (reserved, GateCount("more than needed", more, more, None, ()))
    )


def _names(store: Store, row: int) -> tuple[str, str]:
    return store.shots.text("id", row), store.humans.text("id", int(store.human_rows[row]))


def _row_in(store: Store) -> Callable[[NullSource], int]:
    return lambda source: store.row_of(source.shot)


def _pairs(
    store: Store, tries: Tries, sources: Int64[np.ndarray, " sources"]
) -> list[ActiveSource]:
    """All pairs of some of the sources that were tried."""
    return [
        ActiveSource(*_names(store, int(tries.rows[at])), *labels)
        for at in sources.tolist()
        for labels in tries.pairs_of(at)
    ]


def _null_sources(
    store: Store, rows: Int64[np.ndarray, " null"], recipe: PairRecipe
) -> list[NullSource]:
    ranked = _ranked(store, rows, f"{recipe.salt}:null")
    return [NullSource(*_names(store, int(row)), 1.0) for row in ranked]


def _alternating(sources: Sequence[NullSource], recipe: PairRecipe) -> list[NullSource]:
    """Give null sources weaker and stronger labels in turn."""
    return [
        NullSource(
            it.shot,
            it.human,
            proposed_labels(it.shot, SIDES[at % 2], recipe.labels, recipe.salt)[0],
        )
        for at, it in enumerate(sources)
    ]


def _grouping(store: Store) -> Callable[[str], str]:
    """What must stay together: a film, a performer, or else the human window."""

    def group_of(shot: str) -> str:
        row = store.row_of(shot)
        attributes = json.loads(store.shots.strings("attributes", row)[0])
        human = json.loads(store.humans.strings("attributes", int(store.human_rows[row]))[0])
        fallback = store.humans.text("id", int(store.human_rows[row]))
        return str(attributes.get("video", human.get("subject", fallback)))

    return group_of


def reserved_groups(groups: Sequence[str], recipe: PairRecipe) -> frozenset[str]:
    """Whole groups in the order of their hashes, as long as they fit into the share."""
    names, counts = np.unique(np.array(groups, dtype=np.str_), return_counts=True)
    room = recipe.amounts.development * len(groups)
    chosen: set[str] = set()
    for at in hash_rank([str(name) for name in names], f"{recipe.salt}:development").tolist():
        if counts[at] <= room:
            chosen.add(str(names[at]))
            room -= int(counts[at])
    return frozenset(chosen)


def _parted(
    sources: Sequence[NullSource], group_of: Callable[[str], str], reserved: frozenset[str]
) -> tuple[list[NullSource], list[NullSource]]:
    train: list[NullSource] = []
    development: list[NullSource] = []
    for source in sources:
        (development if group_of(source.shot) in reserved else train).append(source)
    return train, development
