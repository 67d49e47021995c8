"""Pieces of the intensity funnel: measuring every shot, then making and screening targets."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float, Float32, Int, Int64
from torch import Tensor

from aesop.pairs.gates import Verdicts, joined
from aesop.pairs.intensity_gates import (
    DECODED_PATH,
    SourceFacts,
    TargetRule,
    active_verdicts,
    decoded_path_verdicts,
    null_verdicts,
    source_facts,
    target_verdicts,
)
from aesop.pairs.pair_recipe import DynamicsLimits, PairRecipe
from aesop.pairs.round_trip import CodecPair, human_latents, load_codecs, round_trip, ways_of
from aesop.pairs.scaling import SIDES, proposed_labels, scaled
from aesop.pairs.shards import in_batches, opened, packed, write_piece
from aesop.pairs.shot_arrays import (
    Film,
    Stock,
    aimed,
    features_of_way,
    film_of,
    path_lengths,
    read_stock,
    sight,
    smoothed,
)


@dataclass(frozen=True, eq=False)
class MeasureTask:
    """Decide for some shots whether they can be active or null sources."""

    store: Path
    recipe: PairRecipe
    rows: Int64[np.ndarray, " clips"]
    is_direction: Bool[np.ndarray, " clips"]
    piece: Path


def measure_sources(task: MeasureTask) -> None:
    """Do one task."""
    store, gates = opened(task.store), task.recipe.intensity
    captions = store.shots.lengths("captions") > 0
    parts: list[tuple[np.ndarray, Verdicts, Verdicts, SourceFacts]] = []
    for batch in in_batches(store.shot_lengths(task.rows)):
        rows = task.rows[batch]
        film = film_of(read_stock(store, rows))
        visible = sight(film, film.cameras, aimed(film, film.cameras)).visible
        facts = source_facts(film, visible)
        asked = captions[rows], task.is_direction[batch]
        active = active_verdicts(film, facts, *asked, gates)
        parts.append((rows, active, null_verdicts(film, facts, *asked, gates), facts))
    rows = np.concatenate([part[0] for part in parts])
    moving = [part[3].dynamics for part in parts]
    write_piece(
        task.piece,
        {
            **packed("active", rows, joined([part[1] for part in parts])),
            **packed("null", rows, joined([part[2] for part in parts])),
            "start_m": np.concatenate([part[3].start_m for part in parts]),
            "dynamics": np.stack(
                [
                    np.concatenate([getattr(it, name) for it in moving])
                    for name in ("speed", "acceleration", "jerk")
                ],
                axis=1,
            ),
        },
    )


@dataclass(frozen=True, eq=False)
class ScaleTask:
    """Make and screen weaker and stronger targets of some active sources."""

    store: Path
    codec: Path | None
    recipe: PairRecipe
    limits: DynamicsLimits
    rows: Int64[np.ndarray, " clips"]
    piece: Path


@dataclass(frozen=True, eq=False)
class _Sources:
    """Sources of one batch with everything their targets are compared with. The film's people are
    nothing but roots: `turned` holds their joints, and copies are dear."""

    film: Film
    camera: Float32[np.ndarray, "clips frames 14"]
    facts: SourceFacts
    smooth: Float[np.ndarray, "clips frames 3"]
    turned: Float[np.ndarray, "clips frames 3 joints"]
    people: Float[Tensor, "clips tokens width"] | None
    decoded_path_m: Float[np.ndarray, " clips"] | None

    def take(self, clips: Int[np.ndarray, " chosen"]) -> "_Sources":
        if len(clips) == len(self.camera):
            return self
        return _Sources(
            self.film.take(clips),
            self.camera[clips],
            self.facts.take(clips),
            self.smooth[clips],
            self.turned[clips],
            None if self.people is None else self.people[clips],
            None if self.decoded_path_m is None else self.decoded_path_m[clips],
        )


@dataclass(frozen=True, eq=False)
class Tries:
    """Every label that was tried. Passed gates are those of the physical check and, where it was
    reached, of the reconstruction."""

    rows: Int64[np.ndarray, " sources"]
    gates: tuple[str, ...]
    labels: Float[np.ndarray, "sources sides tries"]
    tried: Bool[np.ndarray, "sources sides tries"]
    passed: Bool[np.ndarray, "sources sides tries gates"]

    @property
    def accepted(self) -> Bool[np.ndarray, "sources sides tries"]:
        return self.tried & self.passed.all(axis=-1)

    @property
    def has_both_sides(self) -> Bool[np.ndarray, " sources"]:
        return np.all(self.accepted.any(axis=-1), axis=-1)

    def pairs_of(self, source: int) -> list[tuple[float, float]]:
        """Weaker and stronger labels side by side; the side with fewer begins again."""
        weaker, stronger = (
            labels[accepted].tolist()
            for labels, accepted in zip(self.labels[source], self.accepted[source], strict=True)
        )
        count = max(len(weaker), len(stronger)) if weaker and stronger else 0
        return [(weaker[at % len(weaker)], stronger[at % len(stronger)]) for at in range(count)]


def scale_sources(task: ScaleTask) -> None:
    """Do one task."""
    store = opened(task.store)
    codecs = None if task.codec is None else load_codecs(task.codec)
    parts = [
        try_labels(task.rows[batch], task, codecs)
        for batch in in_batches(store.shot_lengths(task.rows))
    ]
    write_piece(
        task.piece,
        {
            "rows": np.concatenate([it.rows for it in parts]),
            "gates": np.array(parts[0].gates),
            "labels": np.concatenate([it.labels for it in parts]),
            "tried": np.concatenate([it.tried for it in parts]),
            "passed": np.concatenate([it.passed for it in parts]),
        },
    )


def try_labels(
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
    shape = labels.shape
    accepted = np.zeros(shape[:2], np.int64)
    tried = np.zeros(shape, np.bool_)
    passed: np.ndarray | None = None
    gates: tuple[str, ...] = ()
    for number in range(recipe.labels.tries):
        for side in range(len(SIDES)):
            waiting = np.flatnonzero(accepted[:, side] < recipe.labels.kept)
            if not len(waiting):
                continue
            found = _screen_round(
                sources.take(waiting), labels[waiting, side, number], task, codecs
            )
            if passed is None:
                gates = found.gates
                passed = np.zeros((*shape, len(gates)), np.bool_)
            tried[waiting, side, number] = True
            passed[waiting, side, number] = found.passed
            accepted[waiting, side] += found.accepted
    assert passed is not None
    return Tries(rows, gates, labels, tried, passed)


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


def _screen_round(
    sources: _Sources,
    labels: Float[np.ndarray, " clips"],
    task: ScaleTask,
    codecs: CodecPair | None,
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
    decoded = np.zeros((len(labels), 1), np.bool_)
    errors = np.full((len(labels), 1), np.nan)
    if len(good):
        chosen = sources.take(good)
        assert chosen.people is not None and chosen.decoded_path_m is not None
        lengths = chosen.film.lengths
        back = round_trip(codecs, chosen.people, _moved(chosen, centre[good]), lengths)
        path = path_lengths(ways_of(back.features), lengths)
        found = decoded_path_verdicts(path, chosen.decoded_path_m, labels[good], gates)
        decoded[good], errors[good] = found.passed, found.values
    return Verdicts(
        (*physical.gates, DECODED_PATH),
        np.concatenate([physical.passed, decoded], axis=1),
        np.concatenate([physical.values, errors], axis=1),
    )


def _moved(
    sources: _Sources, centre: Float[np.ndarray, "clips frames 3"]
) -> Float32[np.ndarray, "clips frames 14"]:
    """Features of the targets."""
    camera, root = sources.camera.copy(), sources.film.root
    for at, frames in enumerate(sources.film.lengths.tolist()):
        camera[at, :frames] = features_of_way(
            sources.camera[at, :frames], root[at, :frames], centre[at, :frames]
        )
    return camera
