"""Facts into a rig: what is asked for is obeyed, what is left open is drawn."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from aesop.camera_words.attributes import (
    AROUND,
    CameraFacts,
    MoveName,
    PersonSide,
    Step,
)
from aesop.fables.cinematographer.composition import (
    legs_curve,
    pan_place,
    place_curve,
    roll_curve,
    tilt_place,
)
from aesop.fables.cinematographer.facts_start import (
    PICTURE_M,
    PUSH,
    RigStart,
    draw_start,
    log_uniform,
    way_m,
)
from aesop.fables.cinematographer.lens import Curve, Points, Subject
from aesop.fables.cinematographer.rig import Rig, going_azimuth, tan_half_height
from aesop.fables.cinematographer.step_timing import StepTime, draw_step_times
from aesop.scene.curves import smoothed

_EXTENT_DEG = {"quarter": (75, 100), "half": (158, 195), "full": (320, 365)}
_ORBIT_DEG = (170, 330)
_ARC_DEG = (32, 100)
# How fast the camera turns where that is left open: nine of ten real ones never turn by more than
# 24 degrees a second (runs/vocabulary.py pace). What is shorter goes less far, and so far at least
# that it can be told.
_ARC_DPS, _SHORTEST_ARC_DEG = 15.0, 32.0
_ORBIT_DPS = 45.0
_TRUCK_DPS, _SHORTEST_TRUCK_DEG = 8.0, 18.0
_PLAIN_MOVES = {"push-in", "pull-out", "truck-left", "truck-right", "boom-up", "boom-down"}
_ZOOM = (0.45, 0.66)
_WIDEST_TRUCK = 0.7  # half of a truck's way, of the distance over the ground
_BOOM_DEG = (14, 30)
_STEEPEST_RAD = math.radians(78)
# Of the person's speed: how much faster a camera may be that swings around to stay behind them.
_SWING_SHARE = 0.85
_KEEPS_UP_SHARE = 0.8


def draw_rig(
    subject: Subject,
    facts: CameraFacts,
    intensity: float,
    dice: np.random.Generator,
    *,
    turning: int | None,
    aspect: float = 16 / 9,
    spans: Sequence[tuple[int, int]] | None = None,
) -> Rig:
    """One way to film what is asked for. Intensity scales moves whose extent is left open. `spans`
    are the first and last frames of the steps, where somebody gave them times."""
    steps = _filled_steps(facts, subject)
    times = draw_step_times(steps, subject, turning, dice, spans)
    goes_along = _goes_along(steps, times, subject, facts, dice)
    start = draw_start(subject, facts, steps, goes_along, dice, aspect)
    pictures, focals = _size_curves(facts, steps, times, start, intensity, dice)
    distance = pictures / (2 * tan_half_height(focals, aspect))
    azimuth, elevation = _around_curves(steps, times, start, distance, intensity, dice)
    anchor = _anchor(subject, goes_along)
    if goes_along.any() and any(step.goes_with_person for step in steps):
        azimuth = azimuth + _stays_beside(subject, goes_along, distance)
    beside, ratio = _trucked(steps, times, distance, elevation, intensity, dice)
    azimuth = azimuth + beside
    # Rails are level: what they change is the way over the ground.
    level, height = distance * np.cos(elevation) * ratio, distance * np.sin(elevation)
    distance, elevation = np.hypot(level, height), np.arctan2(height, level)
    shift = _shift(steps, times, azimuth, elevation, distance, dice)
    return Rig(
        anchor=anchor,
        azimuth=azimuth,
        elevation=np.clip(elevation, -_STEEPEST_RAD, _STEEPEST_RAD),
        distance_m=distance,
        shift_m=shift,
        focal_mm=focals,
        aspect=aspect,
        place=place_curve(subject, facts, steps, times, azimuth, pictures)
        + pan_place(steps, times, tan_half_height(focals, aspect) * aspect)
        + tilt_place(steps, times, distance, focals, aspect),
        legs_share=legs_curve(steps, times, pictures),
        roll=roll_curve(facts, steps, times, dice),
        locked=facts.grip == "locked-off" and not any(step.turns for step in steps),
    )


def _filled_steps(facts: CameraFacts, subject: Subject) -> tuple[Step, ...]:
    """The steps, with the push or pull that two sizes ask for where nothing else changes size."""
    steps = facts.steps or (Step(),)
    start, end = facts.size_start, facts.size_end
    if start is None or end is None or start == end:
        return steps
    changes = {"push-in", "pull-out", "zoom-in", "zoom-out"}
    if any(changes & {*step.moves, step.zoom} for step in steps):
        return steps
    sizes = list(PICTURE_M)
    move: MoveName = "push-in" if sizes.index(end) < sizes.index(start) else "pull-out"
    last = steps[-1]
    moves = tuple(one for one in last.moves if one != "static")
    return (*steps[:-1], replace(last, moves=(*moves, move)))


def _goes_along(
    steps: Sequence[Step],
    times: Sequence[StepTime],
    subject: Subject,
    facts: CameraFacts,
    dice: np.random.Generator,
) -> Curve:
    """1 where the camera goes with the person, 0 where it keeps its place in the world."""
    along = np.zeros(subject.frames)
    stays = facts.grip == "locked-off"
    for step, time in zip(steps, times, strict=True):
        with_person = step.goes_with_person
        free = not step.moves and not step.turns and step.zoom is None and not stays
        # Who circles somebody who goes must go with them; so may one who is asked for no move.
        circles = bool(set(step.moves) & set(AROUND)) and way_m(subject) > 1.5
        leaves = subject.excursion_m > 1.2 and free and dice.random() < 0.75
        # So may a push after somebody who leaves: the sizes asked for are then theirs.
        sees_off = subject.excursion_m > 1.2 and _goes_their_way(step, facts.side)
        if with_person or circles or leaves or (sees_off and dice.random() < 0.4):
            along[time.first : time.last + 1] = 1.0
    return along


def _goes_their_way(step: Step, side: PersonSide | None) -> bool:
    """Whether a move and somebody's way add up: who pushes in on somebody that comes nearer would
    have to go backwards. Where no side is asked for one can be found."""
    moves = set(step.moves) & _PLAIN_MOVES
    if side is None:
        return bool(moves)
    if moves & {"truck-left", "truck-right"}:
        return False
    behind = side in ("behind", "three-quarter-back")
    before = side in ("front", "three-quarter-front")
    against = ("push-in" in moves and not behind) or ("pull-out" in moves and not before)
    return bool(moves) and not against


def _stays_beside(subject: Subject, along: Curve, distance: Curve) -> Curve:
    """What keeps a camera on its side of somebody whose way turns. On a small circle it would have
    to run around them: there it goes as they go and looks the same way throughout."""
    going = going_azimuth(subject)
    turn = np.diff(going, prepend=going[0])
    speed = np.linalg.norm(subject.steps[:, :2], axis=-1)
    speed = smoothed(np.append(speed, speed[-1])[:, None], 12.0)[:, 0]
    fastest = _SWING_SHARE * np.maximum(speed, 0.012) / distance
    share = np.minimum(1.0, fastest / np.maximum(np.abs(turn), 1e-9))
    if float(np.average(share, weights=along)) < _KEEPS_UP_SHARE:
        return np.zeros(subject.frames)
    return np.cumsum(turn * smoothed(share[:, None], 8.0)[:, 0] * along)


def _anchor(subject: Subject, along: Curve) -> Points:
    """The neck, smoothed, where the camera goes along; else where it was at last. Its height is
    that of the first frame: nobody nods with the person they film."""
    neck = smoothed(subject.neck, 6.0)
    steps = np.diff(neck, axis=0, prepend=neck[:1]) * smoothed(along[:, None], 5.0)
    steps[:, 2] = 0.0
    return neck[0] + np.cumsum(steps, axis=0)


def _size_curves(
    facts: CameraFacts,
    steps: Sequence[Step],
    times: Sequence[StepTime],
    start: RigStart,
    intensity: float,
    dice: np.random.Generator,
) -> tuple[Curve, Curve]:
    """Picture height at the anchor and focal length: pushes change the first, zooms both, a dolly
    zoom the second alone."""
    frames = len(times[0].done)
    pictures, focals = np.zeros(frames), np.zeros(frames)
    changing = [at for at, step in enumerate(steps) if _growth(step) != 0]
    wanted = None
    if facts.size_end is not None and changing:
        end = log_uniform(PICTURE_M[facts.size_end], dice)
        wanted = math.log(end / start.picture_m) / len(changing)
    for at, (step, time) in enumerate(zip(steps, times, strict=True)):
        zooms = step.zoom in ("zoom-in", "zoom-out")
        amount = intensity * math.log(dice.uniform(*(_ZOOM if zooms else PUSH)))
        growth = -_growth(step) * amount
        if at in changing:
            growth = wanted if wanted is not None else growth
            pictures += growth * time.done
            if zooms:
                focals -= growth * time.done
        if step.zoom == "dolly-zoom":
            inward = -1.0 if "pull-out" in step.moves else 1.0
            focals += inward * math.log(dice.uniform(*_ZOOM)) * time.done
    return start.picture_m * np.exp(pictures), start.focal_mm * np.exp(focals)


def _growth(step: Step) -> int:
    """Which way the picture's height at the person goes."""
    if step.zoom == "dolly-zoom":
        return 0
    shrinks = "push-in" in step.moves or step.zoom == "zoom-in"
    grows = "pull-out" in step.moves or step.zoom == "zoom-out"
    return int(grows) - int(shrinks)


def _around_curves(
    steps: Sequence[Step],
    times: Sequence[StepTime],
    start: RigStart,
    distance: Curve,
    intensity: float,
    dice: np.random.Generator,
) -> tuple[Curve, Curve]:
    azimuth, elevation = np.full_like(distance, start.azimuth), np.full_like(distance, 0.0)
    elevation += start.elevation
    for step, time in zip(steps, times, strict=True):
        azimuth += _sweep_rad(step, time, intensity, dice) * time.done
        up = ("boom-up" in step.moves) - float("boom-down" in step.moves)
        if up:
            rise = up * intensity * math.radians(dice.uniform(*_BOOM_DEG))
            inward = abs(math.log(float(distance[time.last] / distance[time.first])))
            if inward > 0.05:  # together with a push: at an even slant, so that both are seen
                rise = up * min(inward * dice.uniform(0.85, 1.1), math.radians(45))
            elevation += rise * time.done
    # A boom that would end underground starts higher instead.
    lowest = np.arcsin(np.clip((0.17 - start.neck_m) / distance, -0.98, 0.98))
    short = float((lowest - elevation).max())
    return azimuth, elevation + max(short, 0.0)


def _sweep_rad(step: Step, time: StepTime, intensity: float, dice: np.random.Generator) -> float:
    moves = set(step.moves)
    if not moves & set(AROUND):
        return 0.0
    side = 1.0 if "arc-right" in moves else -1.0 if "arc-left" in moves else 0.0
    side = side or float(np.sign(dice.random() - 0.5))
    if step.extent is not None:
        return side * math.radians(dice.uniform(*_EXTENT_DEG[step.extent]))
    if "orbit" in moves:
        low, high = _ORBIT_DEG
        most = max(time.most_deg(_ORBIT_DPS), low)
        swept = min(dice.uniform(low, high), most) * intensity
        return side * math.radians(min(max(swept, low), 400))
    most = max(time.most_deg(_ARC_DPS), _SHORTEST_ARC_DEG)
    return side * math.radians(min(min(dice.uniform(*_ARC_DEG), most) * intensity, 140))


def _shift(
    steps: Sequence[Step],
    times: Sequence[StepTime],
    azimuth: Curve,
    elevation: Curve,
    distance: Curve,
    dice: np.random.Generator,
) -> Points:
    """The straight way past the person, which no coordinate around them has."""
    shift = np.zeros((len(azimuth), 3))
    for step, time in zip(steps, times, strict=True):
        if "fly-past" in step.moves:
            middle = (time.first + time.last) // 2
            heading = float(azimuth[middle])
            right = np.array([-math.sin(heading), math.cos(heading), 0.0])
            inward = -np.array([math.cos(heading), math.sin(heading), 0.0])
            level = float(distance[middle] * math.cos(elevation[middle]))
            hand = float(np.sign(dice.random() - 0.5))
            aside = hand * dice.uniform(0.55, 0.75) * level
            length = dice.uniform(1.75, 2.0) * level
            shift += (length * time.done)[:, None] * inward + aside * right
    return shift


def _trucked(
    steps: Sequence[Step],
    times: Sequence[StepTime],
    distance: Curve,
    elevation: Curve,
    intensity: float,
    dice: np.random.Generator,
) -> tuple[Curve, Curve]:
    """What trucks add to the azimuth, and by what they multiply the distance over the ground. A
    line that is square to the view at its middle ends as far away as it began, so that what comes
    next starts from there. Together with a push or boom it winds around the person at an even
    slant instead: a line would leave its class as soon as the camera has turned."""
    azimuth, ratio = np.zeros_like(distance), np.ones_like(distance)
    for step, time in zip(steps, times, strict=True):
        side = ("truck-right" in step.moves) - float("truck-left" in step.moves)
        if not side:
            continue
        part = slice(time.first, time.last + 1)
        inward = np.abs(np.diff(np.log(distance[part]))).sum()
        upward = np.abs(np.diff(elevation[part])).sum()
        beside = float(np.hypot(inward, upward))
        level = float(np.cos(elevation[part]).mean())  # of the distance, over the ground
        if beside > 0.05:
            azimuth += side * beside / level * dice.uniform(0.85, 1.1) * time.done
            continue
        most = min(max(time.most_deg(_TRUCK_DPS), _SHORTEST_TRUCK_DEG), 90.0)
        most = 2 * math.sin(math.radians(most) / 2)
        share = intensity * min(dice.uniform(0.4, 0.65), most)
        half = math.asin(min(share / 2 / level, _WIDEST_TRUCK))
        across = np.arctan((2 * time.done - 1) * math.tan(half))
        azimuth += side * (across + half)
        ratio *= math.cos(half) / np.cos(across)
    return azimuth, ratio
