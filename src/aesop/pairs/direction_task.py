"""One piece of the direction funnel: find events, reflect them, screen what comes out."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int64

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
from aesop.pairs.events import Events, find_events, reflected
from aesop.pairs.film import Cameras, Film, Stock, cameras_of, features_of_way, film_of, read_stock
from aesop.pairs.gates import Verdicts, joined, side_by_side
from aesop.pairs.recipe import PairRecipe
from aesop.pairs.round_trip import Codecs, human_latents, load_codecs, round_trip
from aesop.pairs.shards import Arrays, in_batches, opened, packed, write_piece


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
    codecs: Codecs | None,
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


def decode_pairs(pairs: Reflected, codecs: Codecs) -> DecodedPair:
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


def reconstruction_verdicts(pairs: Reflected, codecs: Codecs, recipe: PairRecipe) -> Verdicts:
    """What the codec leaves of the pairs."""
    decoded = decode_pairs(pairs, codecs)
    return side_by_side(
        decoded_verdicts(pairs.film, pairs.events, pairs.opposite, decoded, recipe.direction)
    )
