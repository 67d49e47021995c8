"""Building intensity pairs: measure all shots, rank the active ones, scale them, keep pairs."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int, Int64
from torch import Tensor

from aesop.core.whole_files import PieceFolder
from aesop.data.store import Store, attributes_of, training_rows
from aesop.pairs.direction_pairs import (
    BuildRequest,
    PieceTask,
    finish_pieces,
    namer,
    origin_of,
    shot_and_human,
    start_pieces,
)
from aesop.pairs.gates import (
    Funnel,
    FunnelStage,
    GateCount,
    Verdicts,
    counted,
    joined,
    packed,
    side_by_side,
    unpacked,
    write_piece,
)
from aesop.pairs.intensity_gates import (
    DECODED_PATH,
    SourceFacts,
    TargetRule,
    Tries,
    active_verdicts,
    decoded_path_verdicts,
    null_verdicts,
    source_facts,
    source_stage,
    target_verdicts,
    try_stages,
)
from aesop.pairs.pair_files import (
    ActiveSource,
    IntensityFile,
    NullSource,
    read_direction,
    write_pair_file,
)
from aesop.pairs.pair_recipe import DynamicsLimits, PairError, PairRecipe
from aesop.pairs.shot_arrays import (
    CameraFeatures,
    ClipBool,
    ClipFloat,
    CodecPair,
    Film,
    FramePoints,
    JointPoints,
    Stock,
    aimed,
    cut_into_tasks,
    features_of_ways,
    film_of,
    human_latents,
    in_batches,
    load_codecs,
    opened,
    path_lengths,
    read_stock,
    round_trip,
    sight,
    smoothed,
    taken,
    ways_of,
)
from aesop.pairs.transforms import (
    SIDES,
    Ways,
    balanced_weights,
    durations,
    hash_rank,
    movement_kinds,
    proposed_labels,
    scaled,
)

ACTIVE, NULL = "Intensity: active sources", "Intensity: null sources"


def build_intensity(request: BuildRequest) -> IntensityFile:
    """The intensity funnel. Direction sources may be left out, so those pairs are built first."""
    store, recipe = opened(request.store), request.recipe
    direction = read_direction(request.out)
    if direction.origin.store_sha256 != store.manifest.content_sha256:
        raise PairError(
            f"The direction pairs in {request.out} were made from another store.",
            "Build both kinds from one store.",
        )
    folder = start_pieces(request, "intensity")
    candidates = _measured(request, folder, {source.shot for source in direction.sources})
    ranked = _ranked(store, candidates.active, recipe.salt)[: recipe.amounts.constructed]
    tries = _scaled(request, folder, ranked, candidates.limits)
    result = _chosen(request, candidates, tries)
    write_pair_file(request.out, result)
    folder.remove()
    return result


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
    active_stage: FunnelStage
    null_stage: FunnelStage


@dataclass(frozen=True, eq=False)
class MeasureTask(PieceTask):
    """Decide which shots can be active or null sources."""

    is_direction: ClipBool


def measure_sources(task: MeasureTask) -> None:
    """Do one task."""
    store, gates = opened(task.store), task.recipe.intensity
    has_caption = store.shots.lengths("captions") > 0
    batches = in_batches(store.shot_lengths(task.rows))
    active: list[Verdicts] = []
    null: list[Verdicts] = []
    measured: list[SourceFacts] = []
    for batch in batches:
        rows = task.rows[batch]
        film = film_of(read_stock(store, rows))
        facts = source_facts(film, sight(film, film.cameras, aimed(film, film.cameras)).visible)
        asked = has_caption[rows], task.is_direction[batch]
        active.append(active_verdicts(film, facts, *asked, gates))
        null.append(null_verdicts(film, facts, *asked, gates))
        measured.append(facts)
    rows = task.rows[np.concatenate(batches)]
    dynamics = [np.stack(astuple(facts.dynamics), axis=1) for facts in measured]
    write_piece(
        task.piece,
        {
            **packed("active", rows, joined(active)),
            **packed("null", rows, joined(null)),
            "start_m": np.concatenate([facts.start_m for facts in measured]),
            "dynamics": np.concatenate(dynamics),
        },
    )


def _measured(request: BuildRequest, folder: PieceFolder, direction_ids: set[str]) -> Candidates:
    store, recipe = opened(request.store), request.recipe
    pool = training_rows(store).train
    ids = store.shots.texts("id")
    tasks: list[MeasureTask] = []
    for name, rows in cut_into_tasks(pool, store.shot_lengths(pool)):
        is_direction = np.array([ids[row] in direction_ids for row in rows.tolist()], np.bool_)
        piece = folder.piece(f"measure-{name}")
        tasks.append(MeasureTask(request.store, recipe, rows, piece, is_direction))
    pieces = finish_pieces(request, measure_sources, tasks)
    active, null = (unpacked(stage, pieces) for stage in ("active", "null"))
    assert active is not None and null is not None
    rows = np.concatenate([piece["active.rows"] for piece in pieces])
    start_m, dynamics = (
        np.concatenate([piece[name] for piece in pieces])[np.argsort(rows)]
        for name in ("start_m", "dynamics")
    )
    every = np.ones(len(pool), np.bool_)
    names = namer(store, active.rows)
    return Candidates(
        rows=active.rows,
        path_m=active.verdicts.values_of("path"),
        start_m=start_m,
        nearest_m=active.verdicts.values_of("distance to the person"),
        active=active.accepted,
        null=null.accepted,
        limits=_limits(store, active.rows, dynamics, recipe),
        active_stage=counted("source", active.verdicts, every, names, recipe.salt),
        null_stage=counted("source", null.verdicts, every, names, recipe.salt),
    )


def _limits(
    store: Store,
    rows: Int64[np.ndarray, " pool"],
    dynamics: Float[np.ndarray, "pool 3"],
    recipe: PairRecipe,
) -> DynamicsLimits:
    """The recipe's limits, or those that a pilot of training shots gives."""
    if recipe.intensity.dynamics is not None:
        return recipe.intensity.dynamics
    names = [store.shots.text("id", int(row)) for row in rows]
    pilot = hash_rank(names, f"{recipe.salt}:pilot")[: recipe.pilot.clips]
    return DynamicsLimits(*np.quantile(dynamics[pilot], recipe.pilot.quantile, axis=0).tolist())


def _ranked(
    store: Store, rows: Int64[np.ndarray, " rows"], salt: str
) -> Int64[np.ndarray, " rows"]:
    return rows[hash_rank([store.shots.text("id", int(row)) for row in rows], salt)]


@dataclass(frozen=True, eq=False)
class ScaleTask(PieceTask):
    """Make and screen weaker and stronger targets of active sources."""

    limits: DynamicsLimits
    codec: Path | None


def scale_sources(task: ScaleTask) -> None:
    """Do one task."""
    codecs = None if task.codec is None else load_codecs(task.codec)
    batches = in_batches(opened(task.store).shot_lengths(task.rows))
    parts = [_try_labels(task.rows[batch], task, codecs) for batch in batches]
    arrays = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("rows", "labels", "tried", "passed")
    }
    write_piece(task.piece, {**arrays, "gates": np.array(parts[0].gates)})


def _scaled(
    request: BuildRequest,
    folder: PieceFolder,
    ranked: Int64[np.ndarray, " sources"],
    limits: DynamicsLimits,
) -> Tries:
    """Tries of all constructed sources, in the order of their rank."""
    if not len(ranked):
        raise PairError(
            f"No shot of {request.store} can be an active intensity source.",
            "Give a store with more shots that travel.",
        )
    lengths = opened(request.store).shot_lengths(ranked)
    tasks = [
        ScaleTask(request.store, request.recipe, rows, folder.piece(f"scale-{name}"),
                  limits, request.codec)
        for name, rows in cut_into_tasks(ranked, lengths)
    ]  # fmt: skip
    pieces = finish_pieces(request, scale_sources, tasks)
    rows = np.concatenate([piece["rows"] for piece in pieces])
    place = {row: at for at, row in enumerate(rows.tolist())}
    order = np.array([place[row] for row in ranked.tolist()], np.int64)
    labels, tried, passed = (
        np.concatenate([piece[name] for piece in pieces])[order]
        for name in ("labels", "tried", "passed")
    )
    return Tries(ranked, tuple(str(gate) for gate in pieces[0]["gates"]), labels, tried, passed)


@dataclass(frozen=True, eq=False)
class _Sources:
    """Sources of one batch with everything their targets are compared with. The film's people are
    nothing but roots: `turned` holds their joints, and copies are dear."""

    film: Film
    camera: CameraFeatures
    facts: SourceFacts
    smooth: FramePoints
    turned: JointPoints
    people: Float[Tensor, "clips tokens width"] | None
    decoded_path_m: ClipFloat | None

    def take(self, clips: Int[np.ndarray, " chosen"]) -> "_Sources":
        return self if len(clips) == len(self.camera) else taken(self, clips)


def _prepared(stock: Stock, recipe: PairRecipe, codecs: CodecPair | None) -> _Sources:
    film = film_of(stock)
    turned = aimed(film, film.cameras)
    facts = source_facts(film, sight(film, film.cameras, turned).visible)
    smooth = smoothed(film.cameras.centre, film.lengths, recipe.smoothing_taps)
    people = decoded = None
    if codecs is not None:
        people = human_latents(codecs, stock)
        back = round_trip(codecs, people, stock.camera, stock.lengths)
        decoded = path_lengths(ways_of(back.features), stock.lengths)
    roots = replace(film, around=film.around[..., :0])
    return _Sources(roots, stock.camera, facts, smooth, turned, people, decoded)


def _try_labels(
    rows: Int64[np.ndarray, " sources"], task: ScaleTask, codecs: CodecPair | None
) -> Tries:
    """Up to so many labels a side, until as many as the recipe keeps have passed everything."""
    store, recipe = opened(task.store), task.recipe
    sources = _prepared(read_stock(store, rows), recipe, codecs)
    names = [store.shots.text("id", int(row)) for row in rows]
    labels = np.array(
        [
            [proposed_labels(name, side, recipe.labels, recipe.salt) for side in SIDES]
            for name in names
        ]
    )
    accepted = np.zeros(labels.shape[:2], np.int64)
    tried = np.zeros(labels.shape, np.bool_)
    passed: np.ndarray | None = None
    gates: tuple[str, ...] = ()
    for number in range(recipe.labels.tries):
        for side in range(len(SIDES)):
            waiting = np.flatnonzero(accepted[:, side] < recipe.labels.kept)
            if not len(waiting):
                continue
            verdicts = _screen_round(
                sources.take(waiting), labels[waiting, side, number], task, codecs
            )
            if passed is None:
                gates = verdicts.gates
                passed = np.zeros((*labels.shape, len(gates)), np.bool_)
            tried[waiting, side, number] = True
            passed[waiting, side, number] = verdicts.passed
            accepted[waiting, side] += verdicts.accepted
    assert passed is not None
    return Tries(rows, gates, labels, tried, passed)


def _screen_round(
    sources: _Sources, labels: ClipFloat, task: ScaleTask, codecs: CodecPair | None
) -> Verdicts:
    """One label for every source: physical gates, then the codec for those that pass them."""
    film, gates = sources.film, task.recipe.intensity
    centre = scaled(film.cameras.centre, sources.smooth, labels)
    target = film.cameras.moved(centre)
    visible = sight(film, target, sources.turned).visible
    rule = TargetRule(gates, task.limits, task.recipe.smoothing_taps)
    physical = target_verdicts(film, sources.facts, sources.smooth, target, labels, visible, rule)
    if codecs is None:
        return physical
    good = np.flatnonzero(physical.accepted)
    passed = np.zeros((len(labels), 1), np.bool_)
    errors = np.full((len(labels), 1), np.nan)
    if len(good):
        chosen = sources.take(good)
        assert chosen.people is not None and chosen.decoded_path_m is not None
        features = features_of_ways(chosen.camera, chosen.film, centre[good])
        back = round_trip(codecs, chosen.people, features, chosen.film.lengths)
        path = path_lengths(ways_of(back.features), chosen.film.lengths)
        decoded = decoded_path_verdicts(path, chosen.decoded_path_m, labels[good], gates)
        passed[good], errors[good] = decoded.passed, decoded.values
    return side_by_side([physical, Verdicts((DECODED_PATH,), passed, errors)])


def _chosen(request: BuildRequest, candidates: Candidates, tries: Tries) -> IntensityFile:
    """Reserve groups for development, then keep as many as the recipe asks for."""
    store, recipe, amounts = opened(request.store), request.recipe, request.recipe.amounts
    active = np.flatnonzero(tries.has_both_sides)  # places among the tries
    groups = [_group_of(store, row) for row in tries.rows[active].tolist()]
    reserved = reserved_groups(groups, recipe)
    is_reserved = np.array([group in reserved for group in groups], np.bool_)
    trained, development = active[~is_reserved][: amounts.active], active[is_reserved]
    null = _ranked(store, candidates.null, f"{recipe.salt}:null")
    is_null_reserved = np.array(
        [_group_of(store, row) in reserved for row in null.tolist()], np.bool_
    )
    # In the order of the store, after the choice: as many labels below one as above.
    null_trained = np.sort(null[~is_null_reserved][: amounts.null])
    null_development = null[is_null_reserved]
    weaker_tries, stronger_tries = try_stages(tries)
    funnels = (
        Funnel(ACTIVE, (
            candidates.active_stage,
            FunnelStage("ranked", len(candidates.active), len(tries.rows), ()),
            source_stage(tries, namer(store, tries.rows), recipe.salt),
            _split_stage(len(active), len(development), len(trained)),
        )),
        Funnel("Intensity: weaker tries", (weaker_tries,)),
        Funnel("Intensity: stronger tries", (stronger_tries,)),
        Funnel(NULL, (
            candidates.null_stage,
            _split_stage(len(null), len(null_development), len(null_trained)),
        )),
    )  # fmt: skip
    return IntensityFile(
        origin_of(request, len(candidates.rows)),
        candidates.limits,
        funnels,
        tuple(_weighed(store, _pairs(store, tries, trained), candidates, recipe)),
        _null_sources(store, null_trained, recipe),
        tuple(sorted(reserved)),
        tuple(_pairs(store, tries, development)),
        _null_sources(store, null_development[: round(amounts.null * amounts.development)], recipe),
    )


def _group_of(store: Store, row: int) -> str:
    """What must stay together: a film, a performer, or else the human window."""
    human_row = int(store.human_rows[row])
    human = attributes_of(store.humans, human_row)
    performer = human.get("subject", store.humans.text("id", human_row))
    return str(attributes_of(store.shots, row).get("video", performer))


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


def _pairs(
    store: Store, tries: Tries, sources: Int64[np.ndarray, " sources"]
) -> list[ActiveSource]:
    """All pairs of some of the sources that were tried."""
    return [
        ActiveSource(*shot_and_human(store, int(tries.rows[at])), *labels)
        for at in sources.tolist()
        for labels in tries.pairs_of(at)
    ]


def _null_sources(
    store: Store, rows: Int64[np.ndarray, " null"], recipe: PairRecipe
) -> tuple[NullSource, ...]:
    """Null sources with weaker and stronger labels in turn."""
    names = [shot_and_human(store, row) for row in rows.tolist()]
    return tuple(
        NullSource(*ids, proposed_labels(ids[0], SIDES[at % 2], recipe.labels, recipe.salt)[0])
        for at, ids in enumerate(names)
    )


def _weighed(
    store: Store, sources: Sequence[ActiveSource], candidates: Candidates, recipe: PairRecipe
) -> Sequence[ActiveSource]:
    """The sources with their weights, if the recipe wants intensity alone to set them apart."""
    if recipe.balance is None:
        return sources
    rows = candidates.rows
    tags = (store.shots.items("tags", row) for row in rows.tolist())
    everyone = Ways(
        candidates.path_m,
        candidates.start_m,
        candidates.nearest_m,
        movement_kinds(tags, recipe.balance),
        durations(store.shot_lengths(rows), recipe.balance),
    )
    own = np.searchsorted(rows, [store.row_of(source.shot) for source in sources])
    labels = np.array([[source.weaker, source.stronger] for source in sources])
    weights = balanced_weights(
        taken(everyone, own), labels.reshape(-1, len(SIDES)), everyone, recipe.balance
    )
    return [
        replace(source, weight=round(float(weight), 4))
        for source, weight in zip(sources, weights, strict=True)
    ]


def _split_stage(entered: int, development: int, kept: int) -> FunnelStage:
    reserved = GateCount("reserved for development", development, development, None, ())
    more = entered - development - kept
    surplus = GateCount("more than needed", more, more, None, ())
    return FunnelStage("kept", entered, kept, (reserved, surplus))
