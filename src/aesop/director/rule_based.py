"""The rule-based operator, and who films: it, the model, or it where the model loses the person."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from aesop.camera_words.attributes import CameraFacts
from aesop.camera_words.made_as_asked import made_as_asked
from aesop.core.errors import AesopError, Progress
from aesop.director.director import Director
from aesop.director.facts_filming import (
    AskedFacts,
    check_time_for,
    check_times,
    draw_fault,
    facts_camera,
    read_request,
)
from aesop.director.film_report import OPERATOR_SOURCE
from aesop.director.finish import FINISHINGS, Finish, usual_picture
from aesop.director.intensity_over_time import camera_over_time, levels_of
from aesop.director.intensity_words import intensity_over
from aesop.director.keyed_finish import UNFINISHED, finished_with_keys
from aesop.director.long_motion import grounded_start
from aesop.director.requests import (
    SWEEP,
    FilmRequest,
    RequestError,
    ShootRequest,
    check_kept_lens,
    take_numbers,
)
from aesop.director.take_marks import checks_of, marked
from aesop.director.timed_steps import times_note
from aesop.fables.cinematographer.operator_path import operator_path, shortest_frames
from aesop.flow.solvers import PresetName
from aesop.metrics.framing_metrics import holding_of
from aesop.scene.camera import CameraPath
from aesop.scene.human import NATIVE_FPS, Clip, Provenance
from aesop.scene.intensity_curve import (
    Intensity,
    IntensityCurve,
    curve_of,
    intensity_text,
    mean_intensity,
    plain_intensity,
)
from aesop.scene.picture_format import AS_DECODED, PictureFormat
from aesop.scene.shot import Shot, place_camera

Method = Literal["model", "operator", "auto"]
STOOD_IN = "the model's film loses the person: the rule-based operator filmed instead"
COULD_NOT_STAND_IN = "the model loses the person, and the rule-based operator cannot film this: "
USUAL_PICTURE = usual_picture("hand")  # as commands have it: 16:9
OBEYED = "the model's film is not what the words ask for: the rule-based operator filmed instead"
OPERATOR = OPERATOR_SOURCE


class Operator:
    """Answers film requests as the Director does. Seeds draw another place and another lens height;
    intensity scales the travel of every move and nothing else."""

    def film(
        self,
        clip: Clip,
        words: str,
        intensity: Intensity | str | None = None,
        seed: int | None = None,
        picture: PictureFormat = USUAL_PICTURE,
    ) -> Shot:
        """A camera for a motion. The motion comes back untouched."""
        request = FilmRequest(clip, words, intensity_over(words, intensity, clip.seconds), seed)
        return self.film_many([request], picture=picture)[0]

    def film_facts(
        self,
        clip: Clip,
        facts: CameraFacts,
        intensity: float = 1.0,
        seed: int | None = None,
        picture: PictureFormat = USUAL_PICTURE,
    ) -> Shot:
        """A camera that has been asked for in structure: no words are read."""
        request = FilmRequest(clip, facts.text, intensity, seed)
        request.check()
        check_time_for(facts, clip)
        return _filmed(request, AskedFacts(facts, None), picture)

    def film_takes(
        self,
        clip: Clip,
        words: str,
        takes: int,
        intensity: Intensity | str | None = None,
        seed: int | None = None,
        picture: PictureFormat = USUAL_PICTURE,
    ) -> list[Shot]:
        """Several answers to one request; the first is `film`'s."""
        first = FilmRequest(clip, words, intensity_over(words, intensity, clip.seconds), seed)
        requests = [replace(first, take=take) for take in take_numbers(takes)]
        return self.film_many(requests, picture=picture)

    def sweep(
        self,
        clip: Clip,
        words: str,
        intensities: Sequence[Intensity | str] = SWEEP,
        seed: int | None = None,
        picture: PictureFormat = USUAL_PICTURE,
    ) -> list[Shot]:
        """The same shot at several intensities."""
        first = FilmRequest(clip, words, seed=seed)
        requests = [replace(first, intensity=plain_intensity(it)) for it in intensities]
        return self.film_many(requests, picture=picture)

    def film_many(
        self,
        requests: Sequence[FilmRequest],
        progress: Progress | None = None,
        picture: PictureFormat = AS_DECODED,
    ) -> list[Shot]:
        """Answers in the order of the requests; all are checked before the first is filmed. The
        aspect is the cinematographer's where nothing else is asked for, as whoever measures
        wants it."""
        cameras = [_checked(request) for request in requests]
        for request in requests:
            check_kept_lens(request.keys, picture)
        shots: list[Shot] = []
        for request, asked in zip(requests, cameras, strict=True):
            shots.append(_filmed(request, asked, picture))
            if progress is not None:
                progress(len(shots), len(requests))
        return shots


def _checked(request: FilmRequest) -> AskedFacts:
    request.check()
    asked = read_request(request.camera_words)
    if _goes_with_person(asked) and request.intensity != 1:
        raise RequestError(
            f"{request.camera_words!r} at intensity {intensity_text(request.intensity)}: a camera "
            "that goes with a person goes as far as they do.",
            "Ask the operator for intensity 1, or let the model film it.",
        )
    if asked.movement is None and curve_of(request.intensity) is not None:
        raise RequestError(
            f"The operator films {request.camera_words!r} at one intensity, not over time.",
            "Give it one number, or let the model film it.",
        )
    if asked.timeline:
        check_times(request)
        return asked
    if asked.movement is None:
        check_time_for(asked.facts, request.clip)
        return asked
    shortest = shortest_frames(asked.movement)
    if request.frames < shortest:
        raise RequestError(
            f"{len(asked.movement.moves)} movements do not fit into {request.clip.seconds:.1f} s.",
            f"Film {shortest / NATIVE_FPS:.1f} s or more, or ask for fewer.",
        )
    return asked


def _goes_with_person(asked: AskedFacts) -> bool:
    if asked.movement is not None:
        return asked.movement.goes_with_person
    return any(step.goes_with_person for step in asked.facts.steps)


def _filmed(request: FilmRequest, asked: AskedFacts, picture: PictureFormat) -> Shot:
    clip, placement = grounded_start(request.clip)
    take = request.take or 0
    seed = (request.noise_seed, take)
    if asked.movement is None:
        assert not isinstance(request.intensity, IntensityCurve), "refused when checked"
        dice = np.random.default_rng(seed)
        path = facts_camera(clip, asked, request.intensity, dice)
    else:
        movement = asked.movement

        def fault(camera: CameraPath) -> float:
            return draw_fault(marked(take, picture.framed(camera), clip, movement))

        def at(level: float) -> CameraPath:  # the same dice: the same shot with another travel
            return operator_path(clip.motion, movement, level, fault, np.random.default_rng(seed))

        path = _at_intensity(at, request.intensity, clip)
    camera = place_camera(picture.framed(path), placement)
    fps = request.clip.fps
    kind = request.clip.motion.joints
    notes: tuple[str, ...] = (f"seed {request.noise_seed}, take {take}", f"asked: {asked.text}")
    notes += (times_note(asked.spans(request.clip)),) if asked.timeline else ()
    met = None
    if (keys := request.keys) is not None:
        keys = keys if picture.lens_mm is None else keys.without_lenses
        keyed = finished_with_keys(camera, request.clip, keys, UNFINISHED)
        camera, notes, met = keyed.camera, (*notes, *keyed.notes), keyed.met
    return Shot(
        clip=request.clip,
        camera=camera.to(kind),
        provenance=Provenance(OPERATOR, notes=notes),
        camera_words=request.camera_words,
        intensity=mean_intensity(request.intensity, request.frames, fps),
        sensor_width_mm=picture.sensor_width_mm,
        resolution_px=picture.resolution_px,
        intensity_curve=curve_of(request.intensity),
        keys=met,
    )


def _at_intensity(
    film_at: Callable[[float], CameraPath], intensity: Intensity, clip: Clip
) -> CameraPath:
    if not isinstance(intensity, IntensityCurve):
        return film_at(intensity)
    levels = levels_of(intensity, clip.frames, clip.fps)
    cameras = {level: film_at(level) for level in levels}
    return camera_over_time(cameras, intensity, clip.motion.joints, clip.fps)


def check_method(method: str) -> None:
    if method not in get_args(Method):
        known = ", ".join(get_args(Method))
        raise RequestError(f"There is no method {method!r}.", f"Choose one of: {known}.")


def check_heard_times(request: FilmRequest | ShootRequest, method: str, finish: Finish) -> None:
    """Refuse times in words that the motion does not have, where words are heard in steps."""
    if method == "operator" or FINISHINGS[finish].hears_plain:
        check_times(request)


def film_by(
    method: Method,
    director: Director,
    requests: Sequence[FilmRequest],
    preset: PresetName | None = None,
    progress: Progress | None = None,
    finish: Finish = "hand",
    picture: PictureFormat = AS_DECODED,
) -> list[Shot]:
    """Answers in the order of the requests. The operator needs no weights: nothing is loaded."""
    check_method(method)
    if method == "operator":
        return Operator().film_many(requests, progress, picture)
    shots = director.film_many(requests, preset, progress, finish=finish, picture=picture)
    if method == "model":
        return shots
    return [_held(shot, request, picture) for shot, request in zip(shots, requests, strict=True)]


def shoot_by(
    method: Method,
    director: Director,
    requests: Sequence[ShootRequest],
    preset: PresetName | None = None,
    progress: Progress | None = None,
    finish: Finish = "hand",
    picture: PictureFormat = AS_DECODED,
) -> list[Shot]:
    """As `film_by`; people are always the model's, and the same whoever films them."""
    check_method(method)
    if method == "operator":
        for request in requests:
            request.check()
            check_times(request)
        clips = director.act_many([request.acted for request in requests])
        films = [_given(request, clip) for request, clip in zip(requests, clips, strict=True)]
        shots = Operator().film_many(films, progress, picture)
        return [
            replace(shot, human_words=request.human_words)
            for shot, request in zip(shots, requests, strict=True)
        ]
    shots = director.shoot_many(requests, preset, progress, finish=finish, picture=picture)
    if method == "model":
        return shots
    return [
        _held(shot, _given(request, shot.clip), picture)
        for shot, request in zip(shots, requests, strict=True)
    ]


def _given(request: ShootRequest, clip: Clip) -> FilmRequest:
    """The camera's part of a request, for the person who was made."""
    return FilmRequest(
        clip,
        request.camera_words,
        request.intensity,
        request.noise_seed,
        request.take,
        keys=request.keys,
    )


def _held(shot: Shot, request: FilmRequest, picture: PictureFormat) -> Shot:
    """The model's shot, or the operator's where the model's loses the person, or lacks something
    that the words ask for and the operator makes; it says which."""
    lost = holding_of(shot.camera, shot.clip.motion, shot.fps).loses_person
    missed = _missed(shot)
    if not lost and not missed:
        return shot
    try:
        instead = Operator().film_many([request], picture=picture)[0]
    except AesopError as error:
        return _noting(shot, COULD_NOT_STAND_IN + str(error)) if lost else shot
    if not lost and _missed(instead) >= missed:
        return shot
    return _noting(replace(instead, human_words=shot.human_words), STOOD_IN if lost else OBEYED)


def _missed(shot: Shot) -> int:
    """How many of the values that the words ask for are not there; a movement is one of them."""
    try:
        asked = read_request(shot.camera_words)
    except RequestError:
        return 0
    if asked.movement is None:
        checks = checks_of(asked.facts, shot.camera, shot.clip, asked.spans(shot.clip))
        return sum(not check.right for check in checks)
    made = made_as_asked(asked.movement, shot.camera, shot.clip.motion, shot.fps)
    return sum(not move.right for move in made.moves)


def _noting(shot: Shot, note: str) -> Shot:
    origin = shot.provenance
    return replace(shot, provenance=replace(origin, notes=(*origin.notes, note)))
