"""Where a rig starts: size, lens, height and side, and as far away as the person asks for."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aesop.camera_words.attributes import CameraFacts, FaceTime, Height, PersonSide, Size, Step
from aesop.camera_words.standing_tagger import GROUND_M, LOW_SHARE
from aesop.fables.cinematographer.lens import Curve, Subject
from aesop.fables.cinematographer.rig import going_azimuth, tan_half_height
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
# Who stands and turns after somebody who passes stands so far away, and takes a longer lens.
_AFTER_DPS, _STEP_BACK = 18.0, 1.12
_USUAL_MM, _WIDE_MM, _LONG_MM, _WHIP_MM = (28.0, 55.0), (18.0, 24.5), (66.0, 105.0), (18.0, 20.0)
_LONGEST_MM = 160.0
_PANS_MM = 55.0  # in a longer lens a turn from edge to edge is too small to be one
_ACROSS = {"pan-left", "pan-right", "tilt-up", "tilt-down"}
_NEAREST_M = 0.85
_START_FRAMES = 12
PUSH = (0.42, 0.66)  # how much of the picture's height a push leaves


@dataclass(frozen=True, eq=False)
class RigStart:
    """Where the shot starts: everything that holds for all of it."""

    picture_m: float
    focal_mm: float
    aspect: float
    azimuth: float
    elevation: float
    distance_m: float
    neck_m: float


def draw_start(
    subject: Subject,
    facts: CameraFacts,
    steps: Sequence[Step],
    along: Curve,
    dice: np.random.Generator,
    aspect: float,
) -> RigStart:
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
    start = RigStart(picture, focal, aspect, azimuth, elevation, distance, neck_m)
    turns = {turn for step in steps for turn in step.turns}
    if facts.lens is not None or "whip-pan" in turns or along.any():
        return start
    return _stood_back(start, subject, rise_m, shrink, _PANS_MM if turns & _ACROSS else _LONGEST_MM)


def _stood_back(
    start: RigStart, subject: Subject, rise_m: float | None, shrink: float, longest_mm: float
) -> RigStart:
    """From so far away, and with so long a lens, that nobody need be turned after too fast: neither
    from where the camera starts nor from where a push takes it."""
    while start.focal_mm < longest_mm and _after_dps(start, subject, shrink) > _AFTER_DPS:
        distance = start.distance_m * _STEP_BACK
        elevation = start.elevation
        if rise_m is not None:
            elevation = math.asin(float(np.clip(rise_m / distance, -0.95, 0.95)))
        start = replace(
            start, focal_mm=start.focal_mm * _STEP_BACK, distance_m=distance, elevation=elevation
        )
    return start


def _after_dps(start: RigStart, subject: Subject, shrink: float) -> float:
    """How fast one turns after the person from where the camera starts, and from nearer by."""
    away = np.array(
        [
            math.cos(start.elevation) * math.cos(start.azimuth),
            math.cos(start.elevation) * math.sin(start.azimuth),
            math.sin(start.elevation),
        ]
    )
    fastest = 0.0
    for share in {1.0, shrink}:
        line = subject.neck - (subject.neck[0] + share * start.distance_m * away)
        line = line / np.maximum(np.linalg.norm(line, axis=-1, keepdims=True), 1e-6)
        turn = 2 * np.arcsin(np.clip(np.linalg.norm(np.diff(line, axis=0), axis=-1) / 2, 0, 1))
        fastest = max(fastest, float(np.degrees(np.quantile(turn, 0.95))) * NATIVE_FPS)
    return fastest


def _shrinks(facts: CameraFacts, steps: Sequence[Step], picture_m: float) -> float:
    """The least share of the first distance that pushes leave."""
    pushes = any("push-in" in step.moves for step in steps)
    if not pushes:
        return 1.0
    if facts.size_end is not None:
        return min(1.0, PICTURE_M[facts.size_end][0] / picture_m)
    return PUSH[0]


def _start_picture_m(facts: CameraFacts, steps: Sequence[Step], dice: np.random.Generator) -> float:
    if facts.size_start is not None:
        return log_uniform(PICTURE_M[facts.size_start], dice)
    moves = {move for step in steps for move in (*step.moves, step.zoom)}
    whips = any("whip-pan" in step.turns for step in steps)
    if facts.size_end is not None:
        end = log_uniform(PICTURE_M[facts.size_end], dice)
        if moves & {"push-in", "zoom-in"}:
            return end / dice.uniform(*PUSH)
        return end * dice.uniform(*PUSH) if moves & {"pull-out", "zoom-out"} else end
    if moves & {"push-in", "zoom-in"}:
        return log_uniform((1.2, 2.0), dice)  # what ends on a face
    if moves & {"pull-out", "zoom-out"}:
        return log_uniform((0.8, 1.6), dice)
    return log_uniform((2.0, 2.8) if whips else (1.3, 2.5), dice)


def log_uniform(span: tuple[float, float], dice: np.random.Generator) -> float:
    return math.exp(dice.uniform(math.log(span[0]), math.log(span[1])))


def _focal_range(facts: CameraFacts, steps: Sequence[Step]) -> tuple[float, float]:
    if facts.lens == "wide-angle":
        return _WIDE_MM
    if facts.lens == "long-lens":
        return _LONG_MM
    turns = {turn for step in steps for turn in step.turns}
    if "whip-pan" in turns:
        return _WHIP_MM
    # A pan needs room in a picture that a zoom narrows.
    pans = turns & {"pan-left", "pan-right"} and any(step.zoom == "zoom-in" for step in steps)
    return _WIDE_MM if pans else _USUAL_MM


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
    if facts.face is not None and facts.side is None:
        return _before_face(subject, facts.face) + 0.7 * spread
    if facts.side is not None:
        low, high = _SIDES_DEG[facts.side]
        hand = {"profile-left": 1.0, "profile-right": -1.0}.get(facts.side, hand)
        return facing + hand * math.radians(dice.uniform(low, high))
    way = subject.root[-1] - subject.root[0]
    going = math.atan2(way[1], way[0])
    moves = {move for step in steps for move in step.moves}
    if {"follow", "lead", "follow-beside"} & moves and way_m(subject) > 0.7:
        return float(going_azimuth(subject)[0]) + _beside_rad(moves, hand, spread)
    if subject.goes and not along.any():
        half_m = float(np.hypot(way[0], way[1])) / 2
        # From the start's own distance, square to the middle of the way.
        square = math.acos(min(half_m / distance_m, 0.9))
        return going + hand * (square + 0.2 * spread)
    if subject.goes and "push-in" in moves:
        return going + math.pi + 0.5 * spread  # after them
    if "lead-room" in facts.places:
        ahead = going if subject.goes else facing
        return ahead + hand * math.radians(70 + 30 * spread)
    return facing + spread


def _before_face(subject: Subject, face: FaceTime) -> float:
    """Where somebody looks when their face is to be seen."""
    frames = {
        "start": subject.facing[:_START_FRAMES],
        "end": subject.facing[-_START_FRAMES:],
        "throughout": subject.facing,
    }[face]
    return float(np.median(frames))


def _beside_rad(moves: Collection[str], hand: float, spread: float) -> float:
    if "lead" in moves:
        return 0.3 * spread
    if "follow-beside" in moves:
        return hand * math.pi / 2 + 0.25 * spread
    return math.pi + 0.35 * spread


def way_m(subject: Subject) -> float:
    return float(np.linalg.norm(subject.steps[:, :2], axis=-1).sum())
