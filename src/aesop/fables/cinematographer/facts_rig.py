"""Facts into a rig: what is asked for is obeyed, what is left open is drawn."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aesop.camera_words.attributes import (
    AROUND,
    CameraFacts,
    Height,
    MoveName,
    PersonSide,
    Size,
    Step,
)
from aesop.camera_words.standing_tagger import GROUND_M, LOW_SHARE
from aesop.fables.cinematographer.composition import (
    legs_curve,
    place_curve,
    roll_curve,
    tilt_place,
)
from aesop.fables.cinematographer.lens import Curve, Points, Subject
from aesop.fables.cinematographer.rig import Rig, going_azimuth, tan_half_height
from aesop.fables.cinematographer.step_timing import StepTime, draw_step_times
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS

# Picture height at the person, metres: inside the edges of each size.
PICTURE_M: dict[Size, tuple[float, float]] = {
    "extreme-close-up": (0.26, 0.33), "close-up": (0.41, 0.6), "medium": (0.85, 1.5),
    "full": (1.95, 2.6), "wide": (3.2, 4.9), "extreme-wide": (6.1, 9.0),
}  # fmt: skip
_SIDES_DEG: dict[PersonSide, tuple[float, float]] = {
    "front": (0, 15), "three-quarter-front": (34, 56), "profile-left": (74, 106),
    "profile-right": (74, 106), "three-quarter-back": (124, 146), "behind": (166, 180),
}  # fmt: skip
_EXTENT_DEG = {"quarter": (78, 112), "half": (165, 215), "full": (320, 365)}
_ORBIT_DEG = (190, 330)
_ARC_DEG = (32, 100)
# Nine of ten real cameras never turn faster (runs/vocabulary.py pace); a short arc goes less far.
_ARC_DPS = 24.0
_SHORTEST_ARC_DEG = 40.0
_USUAL_MM, _WIDE_MM, _LONG_MM, _WHIP_MM = (28.0, 55.0), (18.0, 24.5), (66.0, 105.0), (18.0, 20.0)
_LONGEST_MM = 160.0
_NEAREST_M = 0.85
_PLAIN_MOVES = {"push-in", "pull-out", "truck-left", "truck-right", "boom-up", "boom-down"}
_PUSH = (0.42, 0.66)  # how much of the picture's height a push leaves
_ZOOM = (0.45, 0.66)
_BOOM_DEG = (14, 30)
_STEEPEST_RAD = math.radians(78)
_START_FRAMES = 12
# Of the person's speed: how much faster a camera may be that swings around to stay behind them.
_SWING_SHARE = 0.85
_KEEPS_UP_SHARE = 0.8


@dataclass(frozen=True, eq=False)
class _Start:
    """Where the shot starts: everything that holds for all of it."""

    picture_m: float
    focal_mm: float
    aspect: float
    azimuth: float
    elevation: float
    distance_m: float
    neck_m: float


def draw_rig(
    subject: Subject,
    facts: CameraFacts,
    intensity: float,
    dice: np.random.Generator,
    *,
    turning: int | None,
    aspect: float = 16 / 9,
) -> Rig:
    """One way to film what is asked for. Intensity scales moves whose extent is left open."""
    steps = _filled_steps(facts, subject)
    times = draw_step_times(steps, subject, turning, dice)
    goes_along = _goes_along(steps, times, subject, facts, dice)
    start = _draw_start(subject, facts, steps, goes_along, dice, aspect)
    pictures, focals = _size_curves(facts, steps, times, start, intensity, dice)
    distance = pictures / (2 * tan_half_height(focals, aspect))
    azimuth, elevation = _around_curves(steps, times, start, distance, intensity, dice)
    anchor = _anchor(subject, goes_along)
    if goes_along.any() and any(step.goes_with_person for step in steps):
        azimuth = azimuth + _stays_beside(subject, goes_along, distance)
    beside, ratio = _trucked(steps, times, distance, elevation, intensity, dice)
    azimuth, distance = azimuth + beside, distance * ratio
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
        circles = bool(set(step.moves) & set(AROUND)) and _way_m(subject) > 1.5
        leaves = subject.excursion_m > 1.2 and free and dice.random() < 0.75
        # So may a push or truck on somebody who leaves: the sizes asked for are then theirs.
        sees_off = not free and subject.excursion_m > 1.2 and bool(set(step.moves) & _PLAIN_MOVES)
        if with_person or circles or leaves or (sees_off and dice.random() < 0.4):
            along[time.first : time.last + 1] = 1.0
    return along


def _way_m(subject: Subject) -> float:
    return float(np.linalg.norm(subject.steps[:, :2], axis=-1).sum())


def _draw_start(
    subject: Subject,
    facts: CameraFacts,
    steps: Sequence[Step],
    along: Curve,
    dice: np.random.Generator,
    aspect: float,
) -> _Start:
    picture = _start_picture_m(facts, steps, dice)
    neck_m = float(subject.neck[0, 2])
    low, high = _focal_range(facts, steps)
    focal = math.exp(dice.uniform(math.log(low), math.log(high)))
    rise_m = _draw_rise(facts.height, neck_m, dice)
    # Room for the person's way, for steep views and for whatever the moves take away.
    shrink = _shrinks(facts, steps, picture)
    nearest = _NEAREST_M / shrink
    if not along.any():
        nearest = max(nearest, 0.75 * subject.excursion_m + 0.6)
    if rise_m is not None:
        nearest = max(nearest, abs(rise_m) / math.sin(math.radians(48)))
    if facts.lens != "wide-angle" and "whip-pan" not in {t for s in steps for t in s.turns}:
        per_metre = float(tan_half_height(np.array([1.0]), aspect)[0])
        focal = min(max(focal, 2 * per_metre * nearest / picture), _LONGEST_MM)
    half = float(tan_half_height(np.array([focal]), aspect)[0])
    distance = picture / (2 * half)
    elevation = _draw_elevation(facts.height, dice)
    if rise_m is not None:
        elevation = math.asin(float(np.clip(rise_m / distance, -0.95, 0.95)))
    azimuth = _draw_azimuth(subject, facts, steps, along, distance, dice)
    return _Start(picture, focal, aspect, azimuth, elevation, distance, neck_m)


def _shrinks(facts: CameraFacts, steps: Sequence[Step], picture_m: float) -> float:
    """The least share of the first distance that pushes leave."""
    pushes = any("push-in" in step.moves for step in steps)
    if not pushes:
        return 1.0
    if facts.size_end is not None:
        return min(1.0, PICTURE_M[facts.size_end][0] / picture_m)
    return _PUSH[0]


def _start_picture_m(facts: CameraFacts, steps: Sequence[Step], dice: np.random.Generator) -> float:
    if facts.size_start is not None:
        return _log_uniform(PICTURE_M[facts.size_start], dice)
    moves = {move for step in steps for move in (*step.moves, step.zoom)}
    whips = any("whip-pan" in step.turns for step in steps)
    if facts.size_end is not None:
        end = _log_uniform(PICTURE_M[facts.size_end], dice)
        if moves & {"push-in", "zoom-in"}:
            return end / dice.uniform(*_PUSH)
        return end * dice.uniform(*_PUSH) if moves & {"pull-out", "zoom-out"} else end
    if moves & {"push-in", "zoom-in"}:
        return _log_uniform((1.2, 2.0), dice)  # what ends on a face
    if moves & {"pull-out", "zoom-out"}:
        return _log_uniform((0.8, 1.6), dice)
    return _log_uniform((2.0, 2.8) if whips else (1.3, 2.5), dice)


def _log_uniform(span: tuple[float, float], dice: np.random.Generator) -> float:
    return math.exp(dice.uniform(math.log(span[0]), math.log(span[1])))


def _focal_range(facts: CameraFacts, steps: Sequence[Step]) -> tuple[float, float]:
    if facts.lens == "wide-angle":
        return _WIDE_MM
    if facts.lens == "long-lens":
        return _LONG_MM
    if any("whip-pan" in step.turns for step in steps):
        return _WHIP_MM
    return _USUAL_MM


def _draw_rise(height: Height | None, neck_m: float, dice: np.random.Generator) -> float | None:
    """Height of the lens over the neck, where the word is about heights and not about angles."""
    match height:
        case "ground":
            return dice.uniform(0.17, GROUND_M - 0.09) - neck_m
        case "low":
            low = max(GROUND_M + 0.05, 0.3 * neck_m)
            return dice.uniform(low, max(low, (LOW_SHARE - 0.08) * neck_m)) - neck_m
        case "eye" | None:
            return dice.uniform(-0.22, 0.08) * max(neck_m, 0.6)
        case _:
            return None


def _draw_elevation(height: Height | None, dice: np.random.Generator) -> float:
    span = {"high": (21, 40), "overhead": (58, 74)}.get(height or "", (0, 0))
    return math.radians(dice.uniform(*span))


def _draw_azimuth(
    subject: Subject,
    facts: CameraFacts,
    steps: Sequence[Step],
    along: Curve,
    distance_m: float,
    dice: np.random.Generator,
) -> float:
    """Where the words say; else behind, beside or before somebody who is gone with, square to the
    way of somebody who passes, and before everybody else."""
    spread, hand = float(dice.uniform(-1, 1)), float(np.sign(dice.random() - 0.5))
    facing = float(np.mean(subject.facing[:_START_FRAMES]))
    if facts.side is not None:
        low, high = _SIDES_DEG[facts.side]
        hand = {"profile-left": 1.0, "profile-right": -1.0}.get(facts.side, hand)
        return facing + hand * math.radians(dice.uniform(low, high))
    way = subject.root[-1] - subject.root[0]
    going = math.atan2(way[1], way[0])
    moves = {move for step in steps for move in step.moves}
    if {"follow", "lead", "follow-beside"} & moves and _way_m(subject) > 0.7:
        return float(going_azimuth(subject)[0]) + _beside_rad(moves, hand, spread)
    if subject.goes and not along.any():
        half_m = float(np.hypot(way[0], way[1])) / 2
        # From the start's own distance, square to the middle of the way.
        square = math.acos(min(half_m / distance_m, 0.9))
        return going + hand * (square + 0.2 * spread)
    if "lead-room" in facts.places:
        ahead = going if subject.goes else facing
        return ahead + hand * math.radians(70 + 30 * spread)
    return facing + spread


def _beside_rad(moves: Collection[str], hand: float, spread: float) -> float:
    if "lead" in moves:
        return 0.3 * spread
    if "follow-beside" in moves:
        return hand * math.pi / 2 + 0.25 * spread
    return math.pi + 0.35 * spread


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
    start: _Start,
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
        end = _log_uniform(PICTURE_M[facts.size_end], dice)
        wanted = math.log(end / start.picture_m) / len(changing)
    for at, (step, time) in enumerate(zip(steps, times, strict=True)):
        zooms = step.zoom in ("zoom-in", "zoom-out")
        amount = intensity * math.log(dice.uniform(*(_ZOOM if zooms else _PUSH)))
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
    start: _Start,
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
        return side * math.radians(min(max(dice.uniform(low, high) * intensity, low), 400))
    most = max(_ARC_DPS * (time.last - time.first) / NATIVE_FPS, _SHORTEST_ARC_DEG)
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
            aside = hand * min(0.7 * level, dice.uniform(1.0, 1.5))
            length = dice.uniform(2.0, 2.3) * level
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
    """What trucks add to the azimuth, and by what they multiply the distance. A line that is square
    to the view at its middle ends as far away as it began, so that what comes next starts from
    there. Together with a push or boom it winds around the person at an even slant instead: a line
    would leave its class as soon as the camera has turned."""
    azimuth, ratio = np.zeros_like(distance), np.ones_like(distance)
    for step, time in zip(steps, times, strict=True):
        side = ("truck-right" in step.moves) - float("truck-left" in step.moves)
        if not side:
            continue
        part = slice(time.first, time.last + 1)
        inward = np.abs(np.diff(np.log(distance[part]))).sum()
        upward = np.abs(np.diff(elevation[part])).sum()
        beside = float(np.hypot(inward, upward))
        if beside > 0.05:
            azimuth += side * beside * dice.uniform(0.85, 1.1) * time.done
            continue
        half = math.asin(min(intensity * dice.uniform(0.4, 0.65), 0.95) / 2)
        across = np.arctan((2 * time.done - 1) * math.tan(half))
        azimuth += side * (across + half)
        ratio *= math.cos(half) / np.cos(across)
    return azimuth, ratio
