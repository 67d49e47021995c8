"""The rule-based operator, and who films: it, the model, or it where the model loses the person."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import torch

from aesop.camera_words.outline import SIGNS, STATIC, TAG_OF, AskedCamera, AskedMove
from aesop.camera_words.request_reader import read_asked
from aesop.core.errors import AesopError
from aesop.core.progress import Progress
from aesop.director.best_take import TakeMark, marked
from aesop.director.director import Director
from aesop.director.finish import Finish
from aesop.director.long_motion import grounded_start
from aesop.director.requests import SWEEP, FilmRequest, RequestError, ShootRequest, take_numbers
from aesop.fables.cinematographer.lens import Lens, Style, Subject, size_of, watch
from aesop.fables.cinematographer.meant_path import meant_path
from aesop.fables.cinematographer.moves import SHORTEST_MOVE, Move, Timing, draw_timing, travel_of
from aesop.fables.cinematographer.shot_setup import Aim, Setup
from aesop.flow.solvers import PresetName
from aesop.metrics.framing_metrics import holding_of
from aesop.scene.camera import CameraPath
from aesop.scene.human import NATIVE_FPS, Clip, Provenance
from aesop.scene.shot import Shot, place_camera

OPERATOR = "filmed by AESOP's rule-based operator"
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


@dataclass(frozen=True, eq=False)
class _OperatorPlan:
    """What is kept when only the intensity changes."""

    moves: tuple[Move, ...]
    timing: Timing
    setup: Setup


class Operator:
    """Answers film requests as the Director does. Seeds draw another place and another lens height;
    intensity scales the travel of every move and nothing else."""

    def film(self, clip: Clip, words: str, intensity: float = 1.0, seed: int | None = None) -> Shot:
        """A camera for a motion. The motion comes back untouched."""
        return self.film_many([FilmRequest(clip, words, intensity, seed)])[0]

    def film_takes(
        self,
        clip: Clip,
        words: str,
        takes: int,
        intensity: float = 1.0,
        seed: int | None = None,
    ) -> list[Shot]:
        """Several answers to one request; the first is `film`'s."""
        first = FilmRequest(clip, words, intensity, seed)
        return self.film_many([replace(first, take=take) for take in take_numbers(takes)])

    def sweep(
        self,
        clip: Clip,
        words: str,
        intensities: Sequence[float] = SWEEP,
        seed: int | None = None,
    ) -> list[Shot]:
        """The same shot at several intensities."""
        first = FilmRequest(clip, words, seed=seed)
        return self.film_many([replace(first, intensity=it) for it in intensities])

    def film_many(
        self, requests: Sequence[FilmRequest], progress: Progress | None = None
    ) -> list[Shot]:
        """Answers in the order of the requests; all are checked before the first is filmed."""
        wishes = [_checked(request) for request in requests]
        shots: list[Shot] = []
        for request, wish in zip(requests, wishes, strict=True):
            shots.append(_filmed(request, wish))
            if progress is not None:
                progress(len(shots), len(requests))
        return shots


def _checked(request: FilmRequest) -> AskedCamera:
    request.check()
    wish = read_asked(request.camera_words)
    if wish is None:
        raise RequestError(
            f"The rule-based operator cannot read {request.camera_words!r}.",
            'Say a movement plainly ("push in", "truck left, then stop", "follow the person", '
            '"circle her to the right"), or let the model film it.',
        )
    if wish.goes_with_person and request.intensity != 1:
        raise RequestError(
            f"{request.camera_words!r} at intensity {request.intensity:g}: a camera that goes with "
            "a person goes as far as they do.",
            "Ask the operator for intensity 1, or let the model film it.",
        )
    shortest = len(wish.moves) * SHORTEST_MOVE + 1
    if len(wish.moves) > 1 and request.frames < shortest:
        raise RequestError(
            f"{len(wish.moves)} movements do not fit into {request.clip.seconds:.1f} s.",
            f"Film {shortest / NATIVE_FPS:.1f} s or more, or ask for fewer.",
        )
    return wish


def _filmed(request: FilmRequest, wish: AskedCamera) -> Shot:
    clip, placement = grounded_start(request.clip)
    motion = clip.motion
    subject = watch(motion.joints.numpy(), motion.yaw.numpy())
    dice = np.random.default_rng((request.noise_seed, request.take or 0))
    best: tuple[TakeMark, _OperatorPlan] | None = None
    for draw in range(_DRAWS):
        plan = _drawn(subject, wish, dice)
        mark = marked(draw, _camera(subject, plan, 1.0), clip, wish)
        if best is None or mark.fault < best[0].fault:
            best = mark, plan
        if mark.fault < _FAULTLESS:
            break
    assert best is not None
    camera = place_camera(_camera(subject, best[1], request.intensity), placement)
    kind = request.clip.motion.joints
    return Shot(
        clip=request.clip,
        camera=CameraPath(
            camera.world_from_camera.to(kind),
            camera.centre.to(kind),
            camera.fov_vertical.to(kind),
            camera.aspect,
        ),
        provenance=Provenance(
            OPERATOR,
            notes=(f"seed {request.noise_seed}, take {request.take or 0}", f"asked: {wish.text}"),
        ),
        camera_words=request.camera_words,
        intensity=request.intensity,
    )


def _camera(subject: Subject, plan: _OperatorPlan, intensity: float) -> CameraPath:
    travels = tuple(intensity * travel for travel in plan.setup.travels_m)
    setup = replace(plan.setup, travels_m=travels)
    path = meant_path(subject, plan.moves, plan.timing, setup)
    return CameraPath(
        torch.from_numpy(path.world_from_camera),
        torch.from_numpy(path.centre),
        torch.full((subject.frames,), setup.lens.fov_vertical, dtype=torch.float64),
        setup.lens.aspect,
    )


def _drawn(subject: Subject, wish: AskedCamera, dice: np.random.Generator) -> _OperatorPlan:
    """One way to film a wish."""
    moves = tuple(_move(asked, dice) for asked in wish.moves)
    timing = draw_timing(moves, subject.activity, _STYLE, dice)
    seconds = timing.weights.sum(axis=1) / NATIVE_FPS
    travels = tuple(
        travel_of(move, float(lasting), _STYLE) if move.axes else 0.0
        for move, lasting in zip(moves, seconds, strict=True)
    )
    inward, upward = _nets(moves, travels)
    with_person = wish.goes_with_person
    room_m = 0.0 if with_person else 0.7 * subject.excursion_m + 0.5
    sideways = max(
        (abs(move.signs[0]) * m for move, m in zip(moves, travels, strict=True)), default=0.0
    )
    distance = max(
        _LENS.distance_for(float(dice.uniform(*_IMAGE_HEIGHTS_M))),
        room_m,
        0.9 * float(sideways),
        _NEAREST_M + _LARGEST_INTENSITY * max(0.0, *inward),
    )
    height = float(dice.uniform(*_EYE_LEVEL_M))
    sweep = float(dice.uniform(*_SWEEPS_RAD))
    travels = tuple(
        _arc_travel_m(sweep, distance, float(lasting)) if asked.kind == "arc" else travel
        for asked, travel, lasting in zip(wish.moves, travels, seconds, strict=True)
    )
    setup = Setup(
        lens=_LENS,
        size=size_of(2 * _LENS.tan_half_height * distance),
        grip="tripod",
        aim=_AIM,
        distance_m=distance,
        height_m=max(height, _LOWEST_M - _LARGEST_INTENSITY * min(0.0, *upward)),
        azimuth_rad=_azimuth(subject, wish, dice),
        key_frame=0,
        travels_m=travels,
        balance=(1.0, 1.0, 1.0),
        on_rails=False,
        goes_with_person=with_person,
        follow_gain=1.0,
        gait=np.ones(subject.frames - 1),
        bends_trucks=bool(dice.random() < 0.5),
    )
    return _OperatorPlan(moves, timing, setup)


def _arc_travel_m(sweep_rad: float, distance_m: float, seconds: float) -> float:
    """Wide enough to be seen as an arc, and no faster than one walks."""
    return max(_SWEEPS_RAD[0] * distance_m, min(sweep_rad * distance_m, _ARC_MPS * seconds))


def _move(asked: AskedMove, dice: np.random.Generator) -> Move:
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


def _nets(moves: Sequence[Move], travels: Sequence[float]) -> tuple[list[float], list[float]]:
    """How far the camera is towards the person and upwards after every move, metres."""
    inward, upward = [0.0], [0.0]
    for move, travel in zip(moves, travels, strict=True):
        step = move.signs / max(move.axes, 1) ** 0.5 * travel
        inward.append(inward[-1] + float(step[2]))
        upward.append(upward[-1] - float(step[1]))
    return inward, upward


def _azimuth(subject: Subject, wish: AskedCamera, dice: np.random.Generator) -> float:
    """Where the camera stands, seen from the person: where the words say, else before them, or
    square to the way of somebody who goes somewhere."""
    spread, side = float(dice.uniform(-1, 1)), float(np.sign(dice.random() - 0.5))
    way = subject.root[-1] - subject.root[0]
    going = math.atan2(way[1], way[0])
    place = next((move.place for move in wish.moves if move.place is not None), None)
    if place is not None:
        standing = {"behind": math.pi, "front": 0.0, "beside": side * math.pi / 2}
        return going + standing[place] + 0.35 * spread
    if wish.goes_with_person:
        return going + math.pi + 1.2 * spread
    if subject.goes:
        return going + side * (math.pi / 2 + 0.6 * spread)
    return float(subject.facing[0]) + spread


Method = Literal["model", "operator", "auto"]
STOOD_IN = "the model's film loses the person: the rule-based operator filmed instead"
COULD_NOT_STAND_IN = "the model loses the person, and the rule-based operator cannot film this: "


def check_method(method: str) -> None:
    if method not in get_args(Method):
        known = ", ".join(get_args(Method))
        raise RequestError(f"There is no method {method!r}.", f"Choose one of: {known}.")


def film_by(
    method: Method,
    director: Director,
    requests: Sequence[FilmRequest],
    preset: PresetName = "fast",
    progress: Progress | None = None,
    finish: Finish = "hand",
) -> list[Shot]:
    """Answers in the order of the requests. The operator needs no weights: nothing is loaded."""
    check_method(method)
    if method == "operator":
        return Operator().film_many(requests, progress)
    shots = director.film_many(requests, preset, progress, finish=finish)
    if method == "model":
        return shots
    return [_held(shot, request) for shot, request in zip(shots, requests, strict=True)]


def shoot_by(
    method: Method,
    director: Director,
    requests: Sequence[ShootRequest],
    preset: PresetName = "fast",
    progress: Progress | None = None,
    finish: Finish = "hand",
) -> list[Shot]:
    """As `film_by`; people are always the model's, and the same whoever films them."""
    check_method(method)
    if method == "operator":
        for request in requests:
            request.check()
        clips = director.act_many([request.acted for request in requests])
        films = [_given(request, clip) for request, clip in zip(requests, clips, strict=True)]
        shots = Operator().film_many(films, progress)
        return [
            replace(shot, human_words=request.human_words)
            for shot, request in zip(shots, requests, strict=True)
        ]
    shots = director.shoot_many(requests, preset, progress, finish=finish)
    if method == "model":
        return shots
    return [
        _held(shot, _given(request, shot.clip))
        for shot, request in zip(shots, requests, strict=True)
    ]


def _given(request: ShootRequest, clip: Clip) -> FilmRequest:
    """The camera's part of a request, for the person who was made."""
    return FilmRequest(
        clip, request.camera_words, request.intensity, request.noise_seed, request.take
    )


def _held(shot: Shot, request: FilmRequest) -> Shot:
    """The model's shot, or the operator's where the model's loses the person; it says which."""
    if not holding_of(shot.camera, shot.clip.motion, shot.fps).loses_person:
        return shot
    try:
        instead = Operator().film_many([request])[0]
    except AesopError as error:
        return _noting(shot, COULD_NOT_STAND_IN + str(error))
    return _noting(replace(instead, human_words=shot.human_words), STOOD_IN)


def _noting(shot: Shot, note: str) -> Shot:
    origin = shot.provenance
    return replace(shot, provenance=replace(origin, notes=(*origin.notes, note)))
