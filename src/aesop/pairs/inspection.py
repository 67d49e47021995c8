"""One source looked at closely: its members as shots, and which gates it passes."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float32

from aesop.data.fables.words import MINIMAL_CAPTIONS
from aesop.data.store import Store
from aesop.features.camera import camera_from_features
from aesop.pairs.direction_gates import source_verdicts
from aesop.pairs.direction_task import (
    opposite_stock,
    physical_verdicts,
    reconstruction_verdicts,
    reflect,
)
from aesop.pairs.events import EVENT_TAGS, OPPOSITE, find_events
from aesop.pairs.film import film_of, read_stock
from aesop.pairs.gates import Verdicts
from aesop.pairs.plan import IntensityFile, PairPlan
from aesop.pairs.recipe import PairError, PairRecipe
from aesop.pairs.round_trip import Codecs, human_latents, round_trip
from aesop.pairs.scaling import SIDES, proposed_labels
from aesop.pairs.targets import SourceShot, scaled_features
from aesop.scene.shot import Shot


@dataclass(frozen=True, eq=False)
class Portrait:
    """Members of a pair, side by side, with what is said of each; `verdict` sums it up."""

    verdict: str
    members: tuple[tuple[str, Shot], ...]


def direction_portrait(
    store: Store, shot_id: str, recipe: PairRecipe, codecs: Codecs | None
) -> Portrait:
    """Original, opposite and, with codecs, the opposite's reconstruction."""
    rows = np.array([store.row_of(shot_id)])
    stock = read_stock(store, rows)
    tag = int(store.shots.items("tags", int(rows[0]))[0])
    if tag not in EVENT_TAGS:
        raise PairError(f"{shot_id} is neither a Truck nor a Dolly.", "Name another shot.")
    film = film_of(stock)
    pairs = reflect(stock, film, find_events(film, np.array([tag]), recipe.event))
    verdicts = [
        source_verdicts(film, pairs.events, recipe.direction, recipe.event),
        physical_verdicts(pairs, recipe),
    ]
    original = store.as_shot(int(rows[0]))
    opposite = opposite_stock(pairs)
    first, last = int(pairs.events.first[0]), int(pairs.events.last[0])
    event = f"frames {first} to {last}"
    members = [
        (f"original, {event}", _said(original, MINIMAL_CAPTIONS[tag])),
        (
            "opposite",
            _filmed(_said(original, MINIMAL_CAPTIONS[OPPOSITE[tag]]), opposite.camera[0]),
        ),
    ]
    if codecs is not None:
        verdicts.append(reconstruction_verdicts(pairs, codecs, recipe))
        people = human_latents(codecs, stock)
        back = round_trip(codecs, people, opposite.camera, stock.lengths)
        members.append(("reconstruction of the opposite", _filmed(members[1][1], back.features[0])))
    return Portrait(_sentence(verdicts), tuple(members))


def _sentence(verdicts: list[Verdicts]) -> str:
    failed = [
        f"{gate} ({part.values[0, at]:.3g})"
        for part in verdicts
        for at, gate in enumerate(part.gates)
        if not part.passed[0, at]
    ]
    return f"fails {', '.join(failed)}" if failed else "passes every gate"


def intensity_portrait(
    store: Store, shot_id: str, found: IntensityFile, codecs: Codecs | None
) -> Portrait:
    """Weaker, original and stronger of a source's first pair; for a shot that is none, of the first
    labels tried. A null source has one target for all labels."""
    recipe = found.origin.recipe
    null = {it.shot: it.intensity for it in (*found.null, *found.development_null)}
    pairs = (*found.active, *found.development_active)
    active = {it.shot: (it.weaker, it.stronger) for it in reversed(pairs)}  # a source's first
    row = store.row_of(shot_id)
    stock = read_stock(store, np.array([row]))
    shot = SourceShot(stock.camera[0], film_of(stock).root[0], ())
    if shot_id in null:
        labels, verdict = (1.0, null[shot_id]), "one target for both intensities"
    elif shot_id in active:
        weaker, stronger = active[shot_id]
        labels, verdict = (weaker, 1.0, stronger), "passes every gate"
    else:
        tries = [proposed_labels(shot_id, side, recipe.labels, recipe.salt)[0] for side in SIDES]
        labels, verdict = (tries[0], 1.0, tries[1]), "not kept; the first labels tried"
    members: list[tuple[str, Shot]] = []
    applied = [1.0] * len(labels) if shot_id in null else labels
    cameras = scaled_features(shot, applied, recipe.smoothing_taps)
    for label, camera in zip(labels, cameras, strict=True):
        if codecs is not None:
            people = human_latents(codecs, stock)
            camera = round_trip(codecs, people, camera[None], stock.lengths).features[0]
        filmed = replace(_filmed(store.as_shot(row), camera), intensity=label)
        title = f"a = {label:.2f}, travel {float(filmed.camera.travel):.3f} m"
        members.append((title if codecs is None else f"{title} (decoded)", filmed))
    return Portrait(verdict, tuple(members))


def portrait(plan: PairPlan, store: Store, shot_id: str, codecs: Codecs | None) -> Portrait:
    """The portrait that fits the shot: as a direction source if it is one, else by intensity."""
    sources = {it.shot for it in plan.direction.sources}
    screened = {
        example
        for funnel in plan.direction.funnels
        for stage in funnel.stages
        if stage.name != "mined"
        for gate in stage.gates
        for example in gate.examples
    }
    if plan.intensity is None or shot_id in sources or shot_id in screened:
        return direction_portrait(store, shot_id, plan.direction.origin.recipe, codecs)
    return intensity_portrait(store, shot_id, plan.intensity, codecs)


def _said(shot: Shot, words: str) -> Shot:
    return replace(shot, camera_words=words)


def _filmed(shot: Shot, features: Float32[np.ndarray, "frames 14"]) -> Shot:
    """The same clip with another camera."""
    values = torch.from_numpy(features).double()
    camera = camera_from_features(values, shot.clip.motion.root[0].double())
    return replace(
        shot,
        camera=replace(
            camera,
            world_from_camera=camera.world_from_camera.float(),
            centre=camera.centre.float(),
            fov_vertical=camera.fov_vertical.float(),
        ),
    )
