"""Who films: the model, the rule-based operator, or the operator where the model loses the person.

The model is the default. No measured number of the model's comes through `auto`: tables ask the
Director itself, and the operator has a row of its own.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from aesop.director.answers import Progress
from aesop.director.finishing import Finish
from aesop.director.journey import Director
from aesop.director.operator import Operator
from aesop.director.requests import FilmRequest, RequestError, ShootRequest
from aesop.errors import AesopError
from aesop.flow.presets import PresetName
from aesop.metrics.holding import holding_of
from aesop.scene.human import Clip
from aesop.scene.shot import Shot

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
