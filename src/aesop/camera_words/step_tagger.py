"""What a camera does, one thing after another, measured back from the finished path: moves with
and around the person, turns on the spot, zooms, and when each begins."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from jaxtyping import Float

from aesop.camera_words.attributes import Extent, LensWord, MoveName, Step, Turn
from aesop.camera_words.ground_ways import (
    SHORTEST,
    SIGMA,
    GroundWays,
    Labels,
    Mask,
    bearing_of,
    company_of,
    flies_past,
    ground_ways,
    swept_around,
    without_short,
)
from aesop.camera_words.outline import SIGNS, STATIC
from aesop.camera_words.standing_tagger import CameraCurves, Curve, PersonCurves
from aesop.scene.curves import smoothed, unwrapped
from aesop.scene.movement import camera_velocity, smooth_tags, tag_velocity

PAN_RAD, TILT_RAD, ROLL_RAD = np.radians(10), np.radians(8), np.radians(15)
WHIP_RAD, WHIP_RAD_S = np.radians(35), np.radians(100)
ZOOM_LOG = float(np.log(1.22))  # of the focal length
SAME_SIZE_LOG = float(np.log(1.2))  # a dolly zoom keeps the person's size within this
ORBIT_RAD = np.radians(150)
EXTENT_EDGES_RAD: dict[Extent, float] = {
    "quarter": float(np.radians(135)), "half": float(np.radians(270)), "full": float("inf"),
}  # fmt: skip
BESIDE_RISE_M, BESIDE_LOG = 0.4, float(np.log(1.35))
SHORTEST_EXTENT_RAD = np.radians(60)
EVENT_RAD = np.radians(45)  # a person who turns by this much within a second turns
_RATES = (np.radians(2.5), np.radians(3.0), 0.04)  # of turning, rolling, zooming: a second
_WHIP_REACH = 12  # transitions
_TURN_SIGMA = 7.0  # frames


@dataclass(frozen=True)
class MeasuredStep:
    """What the camera does over transitions first … stop−1."""

    step: Step
    first: int
    stop: int
    swept_rad: float = 0.0  # around the person, + to the camera's right


def steps_of(camera: CameraCurves, person: PersonCurves | None) -> tuple[MeasuredStep, ...]:
    """The steps of a shot in order. A rest of less than a fifth of the shot at either end belongs
    to what is beside it."""
    ground = None if person is None else ground_ways(camera, person)
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


def _labels(camera: CameraCurves, ground: GroundWays | None) -> Labels:
    """One number for what happens in a transition; equal numbers, one thing."""
    velocity = camera_velocity(camera.world_from_camera, camera.centre, camera.fps)
    labels = smooth_tags(tag_velocity(velocity)).astype(np.int64)
    labels = _as_straight_ways(labels, camera)
    if ground is not None:
        labels = np.where(ground.with_person, 100, labels)
        labels = np.where(ground.circles != 0, 200 + ground.circles, labels)
    rests = labels == STATIC
    turn = _turn_label(camera, ground, rests)
    turn = np.where(_near_whips(camera, ground) & rests, 6, turn)
    roll = _sign(camera.roll, _RATES[1], camera.fps)
    zoom = _sign(-np.log(camera.tan_half_height), _RATES[2], camera.fps)
    return labels + 1000 * turn + 10_000 * (roll + 1) + 100_000 * (zoom + 1)


def _sign(curve: Curve, rate: float, fps: float) -> Labels:
    """Which way a curve goes; slower than `rate` a second is no way."""
    speed = np.diff(smoothed(curve[:, None], _TURN_SIGMA)[:, 0]) * fps
    sign = np.where(np.abs(speed) > rate, np.sign(speed), 0).astype(np.int64)
    return without_short(sign)


def _as_straight_ways(labels: Labels, camera: CameraCurves) -> Labels:
    """Neighbouring movements along one straight line are one: a camera that looks at somebody it
    passes pushes in first, trucks by and pulls out."""
    steps = np.diff(smoothed(camera.centre, SIGMA), axis=0)
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


def _turn_label(camera: CameraCurves, ground: GroundWays | None, rests: Mask) -> Labels:
    """0 no turn on the spot, 1 and 2 pans, 3 and 4 tilts, 5 with the person; whips are 6."""
    pan, tilt = camera.pan[:-1], camera.tilt[:-1]
    if ground is not None and rests.mean() > 0.3:
        bearing = bearing_of(ground)
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


def _spans(labels: Labels) -> list[tuple[int, int]]:
    edges = [0, *(np.flatnonzero(np.diff(without_short(labels))) + 1).tolist(), len(labels)]
    return [(first, stop) for first, stop in pairwise(edges) if stop > first]


def _measured(
    camera: CameraCurves,
    person: PersonCurves | None,
    ground: GroundWays | None,
    first: int,
    stop: int,
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
    ground: GroundWays | None,
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
    # Straight down the horizon tells nothing: the camera must turn about its own axis too.
    rolled = float(camera.roll[stop] - camera.roll[first])
    if min(abs(rolled), abs(_spun(camera, first, stop))) >= ROLL_RAD:
        turns.append("roll")
    return tuple(turns)


def _spun(camera: CameraCurves, first: int, stop: int) -> float:
    """How far the camera turns about its own axis, step by step."""
    axes = camera.world_from_camera[first : stop + 1]
    between = np.swapaxes(axes[:-1], -1, -2) @ axes[1:]
    return float((between[:, 1, 0] - between[:, 0, 1]).sum() / 2)


def _pan_of_its_own(
    camera: CameraCurves, ground: GroundWays | None, first: int, stop: int
) -> Float[np.ndarray, " transitions"]:
    """The pan that is not owed to where the person is, as wide as it looks."""
    pan = camera.pan[first:stop]
    if ground is not None:
        pan = unwrapped(pan - bearing_of(ground)[first:stop])
    return pan * float(np.cos(np.median(camera.tilt[first:stop])))


def _whips(camera: CameraCurves, ground: GroundWays | None, first: int, stop: int) -> bool:
    """A fast turn of the camera's own: who circles or passes somebody close by turns fast too."""
    pan = _pan_of_its_own(camera, ground, first, stop)
    speed = np.abs(np.diff(pan)).max(initial=0.0) * camera.fps
    return bool(speed > WHIP_RAD_S and _range(pan) >= WHIP_RAD)


def _near_whips(camera: CameraCurves, ground: GroundWays | None) -> Mask:
    """Where the camera whips, and as far around it as it takes to begin and end."""
    pan = _pan_of_its_own(camera, ground, 0, camera.frames - 1)
    fast = np.abs(np.diff(pan, append=pan[-1:])) * camera.fps > WHIP_RAD_S
    return np.convolve(fast, np.ones(2 * _WHIP_REACH + 1), mode="same") > 0


def _follows_by_turning(camera: CameraCurves, ground: GroundWays, first: int, stop: int) -> bool:
    pan, bearing = camera.pan[first:stop], bearing_of(ground)[first:stop]
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
    camera: CameraCurves,
    person: PersonCurves | None,
    ground: GroundWays | None,
    first: int,
    stop: int,
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
    part = ground.part(first, stop)
    goes_along = part.with_person.mean() > 0.5
    if np.abs(part.circles).mean() > 0.5:
        swept = swept_around(part.spoke, part.own)
        company: list[MoveName] = [company_of(part)] if goes_along else []
        beside = _beside_an_arc(part, camera, first, stop)
        return (*company, *_around(swept), *beside), swept
    if goes_along:
        swept = swept_around(part.spoke, part.own)
        return (company_of(part), *_beside_an_arc(part, camera, first, stop)), swept
    if not plain:
        return ("static",), 0.0
    if flies_past(part):
        return ("fly-past",), 0.0
    return (*plain,), swept_around(part.spoke, part.camera)


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


def _beside_an_arc(part: GroundWays, camera: CameraCurves, first: int, stop: int) -> list[MoveName]:
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
    short = max(SHORTEST, transitions // 5)
    kept = list(steps)
    for end in (0, -1):
        if len(kept) > 1 and kept[end].step.is_static and _lasts(kept[end]) < short:
            kept.pop(end)
    while len(kept) > 3:
        kept.remove(min(kept, key=_lasts))
    return kept


def _lasts(step: MeasuredStep) -> int:
    return step.stop - step.first
