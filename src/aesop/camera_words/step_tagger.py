"""What a camera does, one thing after another, measured back from the finished path: moves with
and around the person, turns on the spot, zooms, and when each begins."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from jaxtyping import Bool, Float, Int

from aesop.camera_words.attributes import Extent, LensWord, MoveName, Step, Turn
from aesop.camera_words.outline import SIGNS, STATIC
from aesop.camera_words.standing_tagger import CameraCurves, Curve, PersonCurves
from aesop.scene.curves import smoothed, unwrapped
from aesop.scene.movement import camera_velocity, smooth_tags, tag_velocity

PAN_RAD, TILT_RAD, ROLL_RAD = np.radians(10), np.radians(8), np.radians(15)
WHIP_RAD, WHIP_RAD_S = np.radians(35), np.radians(100)
ZOOM_LOG = float(np.log(1.22))  # of the focal length
SAME_SIZE_LOG = float(np.log(1.2))  # a dolly zoom keeps the person's size within this
ARC_RAD, ORBIT_RAD = np.radians(20), np.radians(150)
BESIDE_ARC_RAD = np.radians(60)
EXTENT_EDGES_RAD: dict[Extent, float] = {
    "quarter": float(np.radians(135)), "half": float(np.radians(270)), "full": float("inf"),
}  # fmt: skip
BESIDE_RISE_M, BESIDE_LOG = 0.4, float(np.log(1.35))
SHORTEST_EXTENT_RAD = np.radians(60)
EVENT_RAD = np.radians(45)  # a person who turns by this much within a second turns
_GOES_MPS, _GOES_M = 0.25, 0.7
_RATES = (np.radians(2.5), np.radians(3.0), 0.04)  # of turning, rolling, zooming: a second
_SHORTEST = 12  # transitions of a step of its own
_SIGMA, _TURN_SIGMA = 5.0, 7.0  # frames
_AHEAD_RAD, _BEHIND_RAD = np.radians(65), np.radians(115)

_Labels = Int[np.ndarray, " transitions"]
Mask = Bool[np.ndarray, " transitions"]


@dataclass(frozen=True)
class MeasuredStep:
    """What the camera does over transitions first … stop−1."""

    step: Step
    first: int
    stop: int
    swept_rad: float = 0.0  # around the person, + to the camera's right


@dataclass(frozen=True, eq=False)
class _Ground:
    """Ways along the ground, one step a transition, in metres."""

    camera: Float[np.ndarray, "transitions 2"]
    person: Float[np.ndarray, "transitions 2"]
    spoke: Float[np.ndarray, "transitions 2"]  # from the person to the camera


def steps_of(camera: CameraCurves, person: PersonCurves | None) -> tuple[MeasuredStep, ...]:
    """The steps of a shot in order. A rest of less than a fifth of the shot at either end belongs
    to what is beside it."""
    ground = None if person is None else _ground(camera, person)
    labels = _labels(camera, ground)
    spans = _spans(labels)
    measured = [_measured(camera, person, ground, first, stop) for first, stop in spans]
    # Somebody who bobs or jumps cuts a slow turn into pieces that are too small to be one.
    rests = [
        (key, list(group)) for key, group in groupby(measured, key=lambda it: it.step.is_static)
    ]
    measured = [
        step
        for still, group in rests
        for step in (
            [_measured(camera, person, ground, group[0].first, group[-1].stop)]
            if still and len(group) > 1
            else group
        )
    ]
    return tuple(_without_rests(_merged(measured), camera.frames - 1))


def turning_frame(person: PersonCurves, fps: float) -> int | None:
    """When the person turns most, if they turn."""
    second = max(1, min(round(fps), person.frames - 1))
    turned = np.abs(person.facing[second:] - person.facing[:-second])
    if len(turned) == 0 or turned.max() < EVENT_RAD:
        return None
    return int(np.argmax(turned)) + second // 2


def _ground(camera: CameraCurves, person: PersonCurves) -> _Ground:
    centre = smoothed(camera.centre[:, :2], _SIGMA)
    root = person.root[:, :2]
    return _Ground(np.diff(centre, axis=0), np.diff(root, axis=0), (centre - root)[:-1])


def _labels(camera: CameraCurves, ground: _Ground | None) -> _Labels:
    """One number for what happens in a transition; equal numbers, one thing."""
    velocity = camera_velocity(camera.world_from_camera, camera.centre, camera.fps)
    labels = smooth_tags(tag_velocity(velocity)).astype(np.int64)
    labels = _as_straight_ways(labels, camera)
    if ground is not None:
        labels = np.where(_with_person(ground, camera.fps), 100, labels)
    rests = labels == STATIC
    turn = _turn_label(camera, ground, rests)
    roll = _sign(camera.roll, _RATES[1], camera.fps)
    zoom = _sign(-np.log(camera.tan_half_height), _RATES[2], camera.fps)
    return labels + 1000 * turn + 10_000 * (roll + 1) + 100_000 * (zoom + 1)


def _sign(curve: Curve, rate: float, fps: float) -> _Labels:
    """Which way a curve goes; slower than `rate` a second is no way."""
    speed = np.diff(smoothed(curve[:, None], _TURN_SIGMA)[:, 0]) * fps
    sign = np.where(np.abs(speed) > rate, np.sign(speed), 0).astype(np.int64)
    return _without_short(sign)


def _without_short(labels: _Labels) -> _Labels:
    """Stretches too short to be a step of their own take the label of what is before them."""
    out = labels.copy()
    edges = [0, *(np.flatnonzero(np.diff(out)) + 1).tolist(), len(out)]
    for first, stop in pairwise(edges):
        if stop - first < _SHORTEST and len(edges) > 2:
            out[first:stop] = out[first - 1] if first else out[min(stop, len(out) - 1)]
    return out


def _as_straight_ways(labels: _Labels, camera: CameraCurves) -> _Labels:
    """Neighbouring movements along one straight line are one: a camera that looks at somebody it
    passes pushes in first, trucks by and pulls out."""
    steps = np.diff(smoothed(camera.centre, _SIGMA), axis=0)
    length = np.linalg.norm(steps, axis=-1)
    ways = steps / np.maximum(length, 1e-9)[:, None]
    out = labels.copy()
    edges = [0, *(np.flatnonzero(np.diff(labels)) + 1).tolist(), len(labels)]
    for first, middle, stop in zip(edges[:-2], edges[1:-1], edges[2:], strict=True):
        if STATIC in (labels[first], labels[middle]):
            continue
        before = np.einsum("tx,t->x", ways[first:middle], length[first:middle])
        after = np.einsum("tx,t->x", ways[middle:stop], length[middle:stop])
        cosine = before @ after / max(np.linalg.norm(before) * np.linalg.norm(after), 1e-9)
        if cosine > np.cos(np.radians(12)) and _is_straight(steps[first:stop]):
            out[middle:stop] = out[first]
    return out


def _is_straight(steps: Float[np.ndarray, "transitions 3"]) -> bool:
    way = np.cumsum(steps, axis=0)
    net = float(np.linalg.norm(way[-1]))
    return net > 0.97 * float(np.linalg.norm(steps, axis=-1).sum())


def _with_person(ground: _Ground, fps: float) -> Mask:
    """Where the camera goes with a person who goes somewhere."""
    speed = np.linalg.norm(ground.person, axis=-1) * fps
    if float(np.linalg.norm(ground.person, axis=-1).sum()) < _GOES_M:
        return np.zeros(len(speed), dtype=bool)
    camera = smoothed(ground.camera, _SIGMA)
    person = smoothed(ground.person, _SIGMA)
    squared = np.maximum((person**2).sum(-1), 1e-12)
    gain = (camera * person).sum(-1) / squared
    apart = np.linalg.norm(camera - person, axis=-1) / np.sqrt(squared)
    goes = speed > _GOES_MPS
    along = goes & (gain > 0.5) & (gain < 1.9) & (apart < 0.95)
    # Where the person pauses nothing can be told: it is as it was before.
    label = np.where(goes, along.astype(np.int64), -1)
    known = np.flatnonzero(label >= 0)
    if len(known) == 0:
        return np.zeros(len(speed), dtype=bool)
    slow_camera = np.linalg.norm(camera, axis=-1) * fps < 0.35
    nearest = known[np.clip(np.searchsorted(known, np.arange(len(label))), 0, len(known) - 1)]
    filled = np.where((label < 0) & slow_camera, label[nearest], np.maximum(label, 0))
    steady = smoothed(filled.astype(np.float64)[:, None], 9.0)[:, 0] > 0.5
    return _without_short(steady.astype(np.int64)).astype(bool)


def _bearing(ground: _Ground) -> Curve:
    """World azimuth from the camera to the person, unwrapped."""
    return unwrapped(np.arctan2(-ground.spoke[:, 1], -ground.spoke[:, 0]))


def _turn_label(camera: CameraCurves, ground: _Ground | None, rests: Mask) -> _Labels:
    """0 no turn on the spot, 1 and 2 pans, 3 and 4 tilts, 5 with the person."""
    pan, tilt = camera.pan[:-1], camera.tilt[:-1]
    if ground is not None and rests.mean() > 0.3:
        bearing = _bearing(ground)
        swing = _range(pan[rests])
        apart = np.abs(np.angle(np.exp(1j * (pan - bearing))))[rests]
        left = _range(unwrapped(pan - bearing)[rests])
        if swing >= PAN_RAD and left < 0.45 * swing and apart.mean() < np.radians(45):
            return np.where(rests, 5, 0)
    across = _sign(camera.pan * float(np.cos(np.median(tilt))), _RATES[0], camera.fps)
    upward = _sign(camera.tilt, _RATES[0], camera.fps)
    pans = np.abs(np.diff(camera.pan)).sum() * np.cos(np.median(tilt))
    tilts = np.abs(np.diff(camera.tilt)).sum()
    label = np.where(upward != 0, np.where(upward > 0, 3, 4), 0)
    sideways = np.where(across > 0, 1, 2)
    first = (across != 0) & ((label == 0) | (pans >= tilts))
    return np.where(rests, np.where(first, sideways, label), 0)


def _range(curve: Curve) -> float:
    return float(curve.max() - curve.min()) if len(curve) else 0.0


def _spans(labels: _Labels) -> list[tuple[int, int]]:
    edges = [0, *(np.flatnonzero(np.diff(_without_short(labels))) + 1).tolist(), len(labels)]
    return [(first, stop) for first, stop in pairwise(edges) if stop > first]


def _measured(
    camera: CameraCurves, person: PersonCurves | None, ground: _Ground | None, first: int, stop: int
) -> MeasuredStep:
    moves, swept = _moves(camera, person, ground, first, stop)
    zoom = _zoom(camera, person, first, stop)
    rests = moves == ("static",)
    turns = _turns(camera, person, ground, first, stop, rests=rests)
    if rests and (turns or zoom):
        moves = ()
    extent = None
    if abs(swept) >= SHORTEST_EXTENT_RAD and any(m.startswith(("arc", "orbit")) for m in moves):
        extent = extent_from_sweep(swept)
    return MeasuredStep(Step(moves, turns, zoom, extent), first, stop, swept)


def extent_from_sweep(swept_rad: float) -> Extent:
    """How much of a circle."""
    return next(name for name, edge in EXTENT_EDGES_RAD.items() if abs(swept_rad) < edge)


def _risen(camera: CameraCurves, person: PersonCurves, first: int, stop: int) -> float:
    """How much higher the person is seen at the end: a tilt that goes with them is no tilt."""
    line = (person.neck - camera.centre)[[first, stop]]
    low, high = np.arctan2(line[:, 2], np.hypot(line[:, 0], line[:, 1]))
    return float(high - low)


def _turns(
    camera: CameraCurves,
    person: PersonCurves | None,
    ground: _Ground | None,
    first: int,
    stop: int,
    *,
    rests: bool,
) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    frames = slice(first, stop + 1)
    pan = camera.pan[frames] * float(np.cos(np.median(camera.tilt[frames])))
    if _whips(camera, ground, first, stop):
        turns.append("whip-pan")
    if rests:
        if ground is not None and _follows_by_turning(camera, ground, first, stop):
            turns.append("pan-follow")
        net = float(pan[-1] - pan[0])
        if abs(net) >= PAN_RAD:
            turns.append("pan-left" if net > 0 else "pan-right")
        net = float(camera.tilt[stop] - camera.tilt[first])
        net -= 0.0 if person is None else _risen(camera, person, first, stop)
        if abs(net) >= TILT_RAD:
            turns.append("tilt-up" if net > 0 else "tilt-down")
    if abs(float(camera.roll[stop] - camera.roll[first])) >= ROLL_RAD:
        turns.append("roll")
    return tuple(turns)


def _whips(camera: CameraCurves, ground: _Ground | None, first: int, stop: int) -> bool:
    """A fast turn that is not owed to where the person is: who circles or passes somebody close by
    turns fast as well."""
    pan = camera.pan[first:stop]
    if ground is not None:
        pan = unwrapped(pan - _bearing(ground)[first:stop])
    pan = pan * float(np.cos(np.median(camera.tilt[first:stop])))
    speed = np.abs(np.diff(pan)).max(initial=0.0) * camera.fps
    return bool(speed > WHIP_RAD_S and _range(pan) >= WHIP_RAD)


def _follows_by_turning(camera: CameraCurves, ground: _Ground, first: int, stop: int) -> bool:
    pan, bearing = camera.pan[first:stop], _bearing(ground)[first:stop]
    swing = _range(pan)
    return bool(swing >= PAN_RAD and _range(unwrapped(pan - bearing)) < 0.45 * swing)


def _zoom(
    camera: CameraCurves, person: PersonCurves | None, first: int, stop: int
) -> LensWord | None:
    focal = float(np.log(camera.tan_half_height[first] / camera.tan_half_height[stop]))
    if abs(focal) < ZOOM_LOG:
        return None
    if person is not None:
        # The camera's own way counts: whoever walks off while it zooms makes no dolly zoom.
        middle = person.neck[first : stop + 1].mean(axis=0)
        apart = np.linalg.norm(camera.centre - middle, axis=-1)
        nearer = float(np.log(apart[stop] / apart[first]))
        if abs(nearer - focal) < max(SAME_SIZE_LOG, 0.3 * abs(focal)):
            return "dolly-zoom"
    return "zoom-in" if focal > 0 else "zoom-out"


def _moves(
    camera: CameraCurves, person: PersonCurves | None, ground: _Ground | None, first: int, stop: int
) -> tuple[tuple[MoveName, ...], float]:
    """Values of `move` over a stretch, and how far it leads around the person."""
    velocity = camera_velocity(camera.world_from_camera, camera.centre, camera.fps)
    tags = smooth_tags(tag_velocity(velocity))[first:stop]
    counts = np.bincount(tags, minlength=len(SIGNS))
    x, y, z = SIGNS[int(np.argmax(counts))]
    plain = _plain_moves(x, y, z)
    if ground is None or person is None:
        rests: tuple[MoveName, ...] = ("static",)
        return (*plain,) or rests, 0.0
    part = _Ground(ground.camera[first:stop], ground.person[first:stop], ground.spoke[first:stop])
    if _with_person(ground, camera.fps)[first:stop].mean() > 0.5:
        return _moves_with(part, camera, first, stop)
    if not plain:
        return ("static",), 0.0
    if _flies_past(part):
        return ("fly-past",), 0.0
    swept = _swept(part.spoke, part.camera)
    # A truck beside a push or boom winds around whoever the camera looks at.
    least = ARC_RAD if y == z == 0 else BESIDE_ARC_RAD
    if x and abs(swept) >= least and _bend(part.camera) * np.sign(swept) >= 0.55 * abs(swept):
        beside = _beside_an_arc(part, camera, first, stop)
        return (*_around(swept), *(beside or _plain_moves(0, y, z))), swept
    return (*plain,), swept


def _plain_moves(x: int, y: int, z: int) -> list[MoveName]:
    moves: list[MoveName] = []
    if x:
        moves.append("truck-right" if x > 0 else "truck-left")
    if y:
        moves.append("boom-down" if y > 0 else "boom-up")
    if z:
        moves.append("push-in" if z > 0 else "pull-out")
    return moves


def _around(swept: float) -> tuple[MoveName, ...]:
    side: MoveName = "arc-right" if swept > 0 else "arc-left"
    return ("orbit", side) if abs(swept) >= ORBIT_RAD else (side,)


def _moves_with(
    part: _Ground, camera: CameraCurves, first: int, stop: int
) -> tuple[tuple[MoveName, ...], float]:
    """Behind, beside or before a person, and around them where the camera goes that way too."""
    lengths = np.linalg.norm(part.person, axis=-1)
    apart = np.maximum(np.linalg.norm(part.spoke, axis=-1) * lengths, 1e-9)
    cosine = (part.spoke * part.person).sum(-1) / apart
    along = float(np.average(cosine, weights=lengths + 1e-9))
    beside = float(np.average(np.abs(cosine) < np.cos(np.radians(45)), weights=lengths + 1e-9))
    kind: MoveName = "lead" if along > 0.5 else "follow-beside" if beside > 0.5 else "follow"
    moves: list[MoveName] = [kind]
    swept = _swept(part.spoke, part.camera - part.person)
    going = unwrapped(np.arctan2(part.person[:, 1], part.person[:, 0]))
    faced = swept - float(going[-1] - going[0])
    if abs(swept) >= 2 * ARC_RAD and swept * faced > 0 and abs(faced) >= 2 * ARC_RAD:
        moves += _around(swept if abs(swept) < abs(faced) else faced)
    return (*moves, *_beside_an_arc(part, camera, first, stop)), swept


def _beside_an_arc(part: _Ground, camera: CameraCurves, first: int, stop: int) -> list[MoveName]:
    """What a camera does beside going with or around somebody: rise, sink, come nearer, back off.
    A class cannot tell: its axes are compared by speed, and a circle is long."""
    moves: list[MoveName] = []
    rise = float(camera.centre[stop, 2] - camera.centre[first, 2])
    if abs(rise) > BESIDE_RISE_M:
        moves.append("boom-up" if rise > 0 else "boom-down")
    nearer = np.log(np.linalg.norm(part.spoke[0]) / max(np.linalg.norm(part.spoke[-1]), 1e-6))
    if abs(nearer) > BESIDE_LOG and not moves:
        moves.append("push-in" if nearer > 0 else "pull-out")
    return moves


def _flies_past(part: _Ground) -> bool:
    """Ahead of the camera's way first, behind it last, along a line; of somebody who goes the
    middle of their way counts, or a camera that they pass would pass them."""
    way = part.camera.sum(axis=0)
    length = float(np.linalg.norm(part.camera, axis=-1).sum())
    if np.linalg.norm(way) < 0.985 * length or length < 0.5:
        return False
    person = np.cumsum(part.person, axis=0)
    middle = person.mean(axis=0)
    spokes = (part.spoke[0] - middle, part.spoke[-1] + person[-1] - middle)
    cosines = [-spoke @ way / np.linalg.norm(spoke) / np.linalg.norm(way) for spoke in spokes]
    return bool(cosines[0] > np.cos(_AHEAD_RAD) and cosines[1] < np.cos(_BEHIND_RAD))


def _swept(
    spoke: Float[np.ndarray, "transitions 2"], steps: Float[np.ndarray, "transitions 2"]
) -> float:
    """How far steps lead around the person, + to the right of a camera that looks at them."""
    squared = np.maximum((spoke**2).sum(-1), 1e-6)
    return float(((spoke[:, 0] * steps[:, 1] - spoke[:, 1] * steps[:, 0]) / squared).sum())


def _bend(steps: Float[np.ndarray, "transitions 2"]) -> float:
    """How much a way turns, + to its left: the slope of the directions of ten chords, long ones
    weighing most, so that what is left of the step before does not count."""
    chords = np.stack([part.sum(axis=0) for part in np.array_split(steps, min(10, len(steps)))])
    length = np.linalg.norm(chords, axis=-1)
    kept = length > 2e-3
    if kept.sum() < 3:
        return 0.0
    angle = np.unwrap(np.arctan2(chords[kept, 1], chords[kept, 0]))
    slope = np.polyfit(np.flatnonzero(kept), angle, 1, w=length[kept])[0]
    return float(slope) * len(chords)


def _merged(steps: Sequence[MeasuredStep]) -> list[MeasuredStep]:
    """Equal neighbours are one step."""
    out: list[MeasuredStep] = []
    for _, group in groupby(steps, key=lambda one: (one.step.moves, one.step.turns, one.step.zoom)):
        same = list(group)
        swept = sum(one.swept_rad for one in same)
        step = same[0].step
        if step.extent is not None:
            step = Step(step.moves, step.turns, step.zoom, extent_from_sweep(swept))
        out.append(MeasuredStep(step, same[0].first, same[-1].stop, swept))
    return out


def _without_rests(steps: list[MeasuredStep], transitions: int) -> list[MeasuredStep]:
    """Without short rests at the ends, and at most three steps: the longest ones."""
    short = max(_SHORTEST, transitions // 5)
    kept = list(steps)
    for end in (0, -1):
        if len(kept) > 1 and kept[end].step.is_static and _lasts(kept[end]) < short:
            kept.pop(end)
    while len(kept) > 3:
        kept.remove(min(kept, key=_lasts))
    return kept


def _lasts(step: MeasuredStep) -> int:
    return step.stop - step.first
