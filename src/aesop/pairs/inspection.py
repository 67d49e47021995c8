"""One source looked at closely, pairs as papers print them, and overviews of a pair folder."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float32, UInt8

from aesop.camera_words.grammar import MINIMAL_CAPTIONS
from aesop.data.store import Store
from aesop.features.camera_features import camera_from_features
from aesop.pairs.direction_gates import NEVER_FAIL, source_verdicts
from aesop.pairs.direction_pairs import (
    ALL,
    DOLLIES,
    TRUCKS,
    physical_verdicts,
    reconstruction_verdicts,
    reflect,
)
from aesop.pairs.gates import Funnel, Verdicts, funnel_text
from aesop.pairs.intensity_gates import NEVER_FAIL_WEAKER
from aesop.pairs.pair_files import IntensityFile, PairPlan, SourceShot, scaled_features
from aesop.pairs.pair_recipe import PairError, PairRecipe
from aesop.pairs.shot_arrays import CodecPair, film_of, human_latents, read_stock, round_trip
from aesop.pairs.transforms import OPPOSITE, SIDES, find_events, hash_rank, proposed_labels
from aesop.preview import colours
from aesop.preview.drawing import STILL, global_panel, lens_panel
from aesop.preview.page import Words, blank_page, place, write_words
from aesop.preview.stage import Stage, stage_of
from aesop.scene.shot import Shot


@dataclass(frozen=True, eq=False)
class Portrait:
    """Members of a pair, side by side, with what is said of each; `verdict` sums it up."""

    verdict: str
    members: tuple[tuple[str, Shot], ...]


def direction_portrait(
    store: Store, shot_id: str, recipe: PairRecipe, codecs: CodecPair | None
) -> Portrait:
    """Original, opposite and, with codecs, the opposite's reconstruction."""
    row = store.row_of(shot_id)
    tag = int(store.shots.items("tags", row)[0])
    if tag not in OPPOSITE:
        raise PairError(f"{shot_id} is neither a Truck nor a Dolly.", "Name another shot.")
    stock = read_stock(store, np.array([row]))
    film = film_of(stock)
    pairs = reflect(stock, film, find_events(film, np.array([tag]), recipe.event))
    verdicts = [
        source_verdicts(film, pairs.events, recipe.direction, recipe.event),
        physical_verdicts(pairs, recipe),
    ]
    original, opposite = (
        replace(store.as_shot(row), camera_words=MINIMAL_CAPTIONS[movement])
        for movement in (tag, OPPOSITE[tag])
    )
    camera = pairs.target_stock.camera
    opposite = _filmed(opposite, camera[0])
    event = f"frames {int(pairs.events.first[0])} to {int(pairs.events.last[0])}"
    members = [(f"original, {event}", original), ("opposite", opposite)]
    if codecs is not None:
        verdicts.append(reconstruction_verdicts(pairs, codecs, recipe))
        back = round_trip(codecs, human_latents(codecs, stock), camera, stock.lengths)
        members.append(("reconstruction of the opposite", _filmed(opposite, back.features[0])))
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
    store: Store, shot_id: str, plan: IntensityFile, codecs: CodecPair | None
) -> Portrait:
    """Weaker, original and stronger of a source's first pair; for a shot that is none, of the first
    labels tried. A null source has one target for all labels."""
    recipe = plan.origin.recipe
    null = {source.shot: source.intensity for source in (*plan.null, *plan.development_null)}
    pairs = (*plan.active, *plan.development_active)
    # Reversed: a source's first pair is the one that stays.
    active = {pair.shot: (pair.weaker, pair.stronger) for pair in reversed(pairs)}
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


def portrait(plan: PairPlan, store: Store, shot_id: str, codecs: CodecPair | None) -> Portrait:
    """The portrait that fits the shot: as a direction source if it is one, else by intensity."""
    sources = {source.shot for source in plan.direction.sources}
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


def _filmed(shot: Shot, features: Float32[np.ndarray, "frames 14"]) -> Shot:
    """The same clip with another camera."""
    values = torch.from_numpy(features).double()
    camera = camera_from_features(values, shot.clip.motion.root[0].double())
    return replace(shot, camera=camera.to(torch.float32))


PANEL_WIDTH_PX = 420
_OUTSIDE_SHARE, _LENS_SHARE = 0.72, 0.5625  # heights of the panels, in widths


def pair_page(
    portraits: Sequence[tuple[str, Portrait]], panel_width: int = PANEL_WIDTH_PX
) -> UInt8[np.ndarray, "height width 3"]:
    """One row of panels a portrait, under its title."""
    rows = [_row(title, portrait, panel_width) for title, portrait in portraits]
    width = max(row.shape[1] for row in rows)
    page = blank_page(width, sum(len(row) for row in rows))
    top = 0
    for row in rows:
        place(page, row, 0, top)
        top += len(row)
    return page


def _row(title: str, portrait: Portrait, panel_width: int) -> UInt8[np.ndarray, "height width 3"]:
    unit = max(panel_width // 40, 2)
    text = max(round(1.3 * unit), 8)
    outside = panel_width, round(_OUTSIDE_SHARE * panel_width)
    lens = panel_width, round(_LENS_SHARE * panel_width)
    top = unit + 3 * text
    below = top + outside[1] + unit + lens[1] + unit // 2
    count = len(portrait.members)
    page = blank_page(count * (panel_width + unit) + unit, below + 4 * text)
    room = page.shape[1] - 2 * unit
    words = [Words(f"{title}: {portrait.verdict}", unit, unit // 2, room, text, lines=2)]
    first = stage_of(portrait.members[0][1])
    for number, (name, shot) in enumerate(portrait.members):
        left = unit + number * (panel_width + unit)
        above, through = _panels(shot, first, outside, lens)
        place(page, above, left, top)
        place(page, through, left, top + outside[1] + unit)
        words.append(Words(name, left, below, panel_width, text))
        under = below + round(1.4 * text)
        words.append(Words(shot.camera_words, left, under, panel_width, text, colours.FAINT_INK))
    write_words(page, words)
    return page


def _panels(
    shot: Shot, first: Stage, outside: tuple[int, int], lens: tuple[int, int]
) -> tuple[UInt8[np.ndarray, "h1 w1 3"], UInt8[np.ndarray, "h2 w2 3"]]:
    # Seen from where the first member is seen from: only the camera differs between them.
    stage = replace(stage_of(shot), outside_from=first.outside_from, to_light=first.to_light)
    last = stage.frames - 1
    return global_panel(stage, outside, [0, last]), lens_panel(stage, last, lens, STILL)


ACCEPTED_EACH = 2  # accepted pairs of every kind on a page

# Gates that cannot fail, per funnel.
NEVER = {
    ALL: NEVER_FAIL,
    TRUCKS: (*NEVER_FAIL, "speed off the event"),
    DOLLIES: NEVER_FAIL,
    "Intensity: weaker tries": NEVER_FAIL_WEAKER,
}


def gallery(plan: PairPlan, store: Store, codecs: CodecPair | None) -> list[tuple[str, Portrait]]:
    """Some accepted pairs of every movement and intensity, and one that each gate rejected."""
    direction = plan.direction
    recipe = direction.origin.recipe
    portraits: list[tuple[str, Portrait]] = []
    for tag in sorted({source.tag for source in direction.sources}):
        names = [source.shot for source in direction.sources if source.tag == tag]
        for name in _some(names, recipe.salt):
            portraits.append((name, direction_portrait(store, name, recipe, codecs)))
    for gate, name in _rejected(direction.funnels[1:]):
        shown = direction_portrait(store, name, recipe, codecs)
        portraits.append((f"rejected by {gate}, {name}", shown))
    if plan.intensity is not None:
        portraits += _intensity_gallery(plan.intensity, store, codecs)
    return portraits


def _intensity_gallery(
    plan: IntensityFile, store: Store, codecs: CodecPair | None
) -> list[tuple[str, Portrait]]:
    salt = plan.origin.recipe.salt
    active = list(dict.fromkeys(source.shot for source in plan.active))
    chosen = [("active", name) for name in _some(active, salt)]
    chosen += [("null", name) for name in _some([source.shot for source in plan.null], salt)]
    chosen += [(f"rejected by {gate}", name) for gate, name in _rejected(plan.funnels[:1])]
    return [
        (f"{what}, {name}", intensity_portrait(store, name, plan, codecs)) for what, name in chosen
    ]


def _some(names: list[str], salt: str) -> list[str]:
    return [names[int(at)] for at in hash_rank(names, salt)[:ACCEPTED_EACH]]


def _rejected(funnels: Sequence[Funnel]) -> list[tuple[str, str]]:
    """The first example of every gate that made targets were lost at."""
    return [
        (gate.gate, gate.examples[0])
        for funnel in funnels
        for stage in funnel.stages
        if stage.name in ("target", "reconstruction")
        for gate in stage.gates
        if gate.examples
    ]


def plan_report(plan: PairPlan) -> str:
    """Everything that `aesop pairs report` says."""
    direction, intensity = plan.direction, plan.intensity
    origin = direction.origin
    lines = [
        f"Pairs from {origin.dataset} (store {origin.store_sha256[:12]}), "
        f"recipe {origin.recipe.name}, {origin.pool:,} training shots.",
        "",
        f"- {len(direction.sources):,} direction sources, {_checked(origin.codec)}",
    ]
    text = funnel_text(direction.funnels, NEVER)
    if intensity is not None:
        limits, sources = intensity.dynamics, len({pair.shot for pair in intensity.active})
        reserved = len(intensity.development_active), len(intensity.development_null)
        lines += [
            f"- {len(intensity.active):,} active intensity pairs of {sources:,} sources and "
            f"{len(intensity.null):,} null ones, {_checked(intensity.origin.codec)}",
            f"- {reserved[0]:,} active and {reserved[1]:,} null pairs in "
            f"{len(intensity.development_groups)} groups reserved for development",
            f"- dynamics limits (p95): speed {limits.speed:.5g} m/frame, acceleration "
            f"{limits.acceleration:.5g} m/frame², jerk {limits.jerk:.5g} m/frame³",
        ]
        text += "\n\n" + funnel_text(intensity.funnels, NEVER)
    return "\n".join([*lines, "", text])


def _checked(codec: str | None) -> str:
    return "reconstruction not checked" if codec is None else f"codec {codec[:12]}"
