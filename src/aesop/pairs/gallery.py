"""Overviews of a pair folder: a page of pairs of every kind, and the report of its funnels."""

from collections.abc import Sequence

from aesop.data.store import Store
from aesop.pairs.build import ALL, DOLLIES, TRUCKS
from aesop.pairs.direction_gates import NEVER_FAIL
from aesop.pairs.funnel import Funnel, funnel_text
from aesop.pairs.inspection import Portrait, direction_portrait, intensity_portrait
from aesop.pairs.intensity_gates import NEVER_FAIL_WEAKER
from aesop.pairs.plan import IntensityFile, PairPlan
from aesop.pairs.round_trip import Codecs
from aesop.pairs.scaling import hash_rank

ACCEPTED_EACH = 2  # accepted pairs of every kind on a page

# Gates that cannot fail, per funnel.
NEVER = {
    ALL: NEVER_FAIL,
    TRUCKS: (*NEVER_FAIL, "speed off the event"),
    DOLLIES: NEVER_FAIL,
    "Intensity: weaker tries": NEVER_FAIL_WEAKER,
}


def gallery(plan: PairPlan, store: Store, codecs: Codecs | None) -> list[tuple[str, Portrait]]:
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
    found: IntensityFile, store: Store, codecs: Codecs | None
) -> list[tuple[str, Portrait]]:
    salt = found.origin.recipe.salt
    sources = list(dict.fromkeys(it.shot for it in found.active))
    chosen = [("active", name) for name in _some(sources, salt)]
    chosen += [("null", name) for name in _some([it.shot for it in found.null], salt)]
    chosen += [(f"rejected by {gate}", name) for gate, name in _rejected(found.funnels[:1])]
    return [
        (f"{what}, {name}", intensity_portrait(store, name, found, codecs)) for what, name in chosen
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
        limits, sources = intensity.dynamics, len({it.shot for it in intensity.active})
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
