"""The door of the rule-based operator: a motion and an asked camera in, a camera path out."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from aesop.camera_words.outline import SIGNS, STATIC, TAG_OF, AskedCamera, AskedMove
from aesop.fables.cinematographer.lens import Lens, Style, Subject, watch
from aesop.fables.cinematographer.meant_path import meant_path
from aesop.fables.cinematographer.moves import SHORTEST_MOVE, Move, draw_timing
from aesop.fables.cinematographer.shot_setup import Aim, Setup, reach_of
from aesop.scene.camera import CameraPath
from aesop.scene.human import HumanMotion

_STYLE = Style(cut_in=1.0)
_DRAWS = 48
# A draw with less fault is taken at once: the movement is right and the person is held.
_FAULTLESS = 0.05
_LENS = Lens(35.0, 16 / 9)
_IMAGE_HEIGHTS_M = (1.5, 2.6)  # at the person: from the knees up to the whole body
_REACHES = (0.45, 0.65)  # how far moves go, between the shortest and the longest way there is
_SWEEPS_RAD, _ARC_MPS = (0.6, 1.2), 0.9  # of arcs; a short shot has no time for a wide one
_NEAREST_M = 1.3  # from where the person is on average, at twice the usual travel
_LOWEST_M, _EYE_LEVEL_M = 0.5, (1.2, 1.6)
_LARGEST_INTENSITY = 2.0
_AIM = Aim(locked=False, place=(0.0, 0.05), late_frames=0, smooth_frames=8.0, play_rad=0.0)


def shortest_frames(asked: AskedCamera) -> int:
    """Frames that a motion needs for all movements that are asked for; one fits into any motion."""
    return len(asked.moves) * SHORTEST_MOVE + 1 if len(asked.moves) > 1 else 0


def operator_path(
    motion: HumanMotion,
    asked: AskedCamera,
    intensity: float,
    fault: Callable[[CameraPath], float],
    dice: np.random.Generator,
) -> CameraPath:
    """A camera, free of shake, for a motion on the ground that starts at the origin with yaw 0.

    Of several draws the one with the least `fault` is kept. Intensity scales the travel of every
    move and nothing else.
    """
    subject = watch(motion.joints.numpy(), motion.yaw.numpy())
    setups: list[Setup] = []
    faults: list[float] = []
    while len(setups) < _DRAWS and min(faults, default=math.inf) >= _FAULTLESS:
        setups.append(_draw_setup(subject, asked, dice))
        faults.append(fault(_camera(subject, setups[-1])))
    best = setups[faults.index(min(faults))]
    travels = tuple(intensity * travel for travel in best.travels_m)
    return _camera(subject, replace(best, travels_m=travels))


def _camera(subject: Subject, setup: Setup) -> CameraPath:
    path = meant_path(subject, setup)
    return CameraPath(
        torch.from_numpy(path.world_from_camera),
        torch.from_numpy(path.centre),
        torch.full((subject.frames,), setup.lens.fov_vertical, dtype=torch.float64),
        setup.lens.aspect,
    )


def _draw_setup(subject: Subject, asked: AskedCamera, dice: np.random.Generator) -> Setup:
    """One way to film what is asked for."""
    moves = tuple(_draw_move(move, dice) for move in asked.moves)
    timing = draw_timing(moves, subject.activity, _STYLE, dice)
    reach = reach_of(moves, timing, _STYLE)
    room_m = 0.0 if asked.goes_with_person else 0.7 * subject.excursion_m + 0.5
    sideways_m = max(
        abs(move.signs[0]) * travel for move, travel in zip(moves, reach.travels_m, strict=True)
    )
    _, downward_m, inward_m = reach.after_m.max(axis=0, initial=0.0).tolist()
    distance = max(
        _LENS.distance_for(float(dice.uniform(*_IMAGE_HEIGHTS_M))),
        room_m,
        0.9 * float(sideways_m),
        _NEAREST_M + _LARGEST_INTENSITY * inward_m,
    )
    height = float(dice.uniform(*_EYE_LEVEL_M))
    sweep = float(dice.uniform(*_SWEEPS_RAD))
    travels = tuple(
        _arc_travel_m(sweep, distance, lasting) if move.kind == "arc" else travel
        for move, travel, lasting in zip(asked.moves, reach.travels_m, reach.seconds, strict=True)
    )
    return Setup(
        moves=moves,
        timing=timing,
        travels_m=travels,
        lens=_LENS,
        grip="tripod",
        aim=_AIM,
        distance_m=distance,
        height_m=max(height, _LOWEST_M + _LARGEST_INTENSITY * downward_m),
        azimuth_rad=_draw_azimuth(subject, asked, dice),
        key_frame=0,
        balance=(1.0, 1.0, 1.0),
        on_rails=False,
        follow_gain=1.0,
        gait=np.ones(subject.frames - 1),
        bends_trucks=bool(dice.random() < 0.5),
    )


def _arc_travel_m(sweep_rad: float, distance_m: float, seconds: float) -> float:
    """Wide enough to be seen as an arc, and no faster than one walks."""
    return max(_SWEEPS_RAD[0] * distance_m, min(sweep_rad * distance_m, _ARC_MPS * seconds))


def _draw_move(asked: AskedMove, dice: np.random.Generator) -> Move:
    """An arc whose side is open goes to either; one that also rises or closes in goes along the
    camera's own axes, which bends its way around the person too."""
    reach = float(dice.uniform(*_REACHES))
    if asked.goes_with_person:
        return Move(None, asked.kind, reach)
    x, y, z = SIGNS[asked.tag or STATIC]
    if asked.kind == "arc" and x == 0:
        x = 1 if dice.random() < 0.5 else -1
    is_arc = asked.kind == "arc" and (y, z) == (0, 0)
    return Move(TAG_OF[x, y, z], "arc" if is_arc else "plain", reach)


def _draw_azimuth(subject: Subject, asked: AskedCamera, dice: np.random.Generator) -> float:
    """Where the camera stands, seen from the person: where the words say, else before them, or
    square to the way of somebody who goes somewhere."""
    spread, side = float(dice.uniform(-1, 1)), float(np.sign(dice.random() - 0.5))
    way = subject.root[-1] - subject.root[0]
    going = math.atan2(way[1], way[0])
    place = next((move.place for move in asked.moves if move.place is not None), None)
    if place is not None:
        standing = {"behind": math.pi, "front": 0.0, "beside": side * math.pi / 2}
        return going + standing[place] + 0.35 * spread
    if asked.goes_with_person:
        return going + math.pi + 1.2 * spread
    if subject.goes:
        return going + side * (math.pi / 2 + 0.6 * spread)
    return float(subject.facing[0]) + spread
