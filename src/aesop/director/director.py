"""Act, film, shoot: from a request to a shot."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from aesop.camera_words.attributes import Size
from aesop.core.errors import Progress, WeightsError
from aesop.director.acting import Acting
from aesop.director.best_take import Filming, Instead
from aesop.director.body_finish import PersonFinish
from aesop.director.facts_filming import check_times, model_words
from aesop.director.finish import FINISHINGS, Finish, check_finish, usual_picture
from aesop.director.intensity_words import intensity_over
from aesop.director.requests import (
    GUIDANCE,
    HUMAN_GUIDANCE,
    SWEEP,
    USUAL_SECONDS,
    ActRequest,
    FilmRequest,
    ShootRequest,
    check_fitted_guidance,
    check_kept_lens,
    check_preset,
    is_fitted_guidance,
    take_numbers,
    warn_of_unusual_intensities,
)
from aesop.director.sampling import USUAL_PEOPLE, PeopleSampling
from aesop.director.scene_cameras import Scene
from aesop.director.trained_parts import Parts, weights_folder
from aesop.director.travel import film_for, goal_of
from aesop.flow.solvers import PresetName
from aesop.models.phase_table import PhaseName
from aesop.scene.camera_keys import CameraKeys
from aesop.scene.human import Clip
from aesop.scene.intensity_curve import Intensity, plain_intensity
from aesop.scene.picture_format import AS_DECODED, PictureFormat
from aesop.scene.shot import SHORTEST_SECONDS, Shot
from aesop.text.encoder import TextEncoder

Request = FilmRequest | ActRequest | ShootRequest
CameraRequest = TypeVar("CameraRequest", FilmRequest, ShootRequest)

# Requests sampled together. More of them fall out of a CPU's caches: four were fastest per request.
CPU_BATCH, GPU_BATCH = 4, 256


def load_director(
    weights: str | os.PathLike[str] | None = None,
    device: str = "cpu",
    encoder: TextEncoder | None = None,
    *,
    phase: PhaseName | None = None,
    people: PeopleSampling = USUAL_PEOPLE,
    chooser: str | os.PathLike[str] | None = None,
) -> "Director":
    """A director with the weights of a folder, or with those that came with AESOP; of a training
    run, with the camera flow of its last phase or of the one that is named. `chooser` is a file of
    the evaluator that chooses among takes of people, if not the one that came with AESOP. Parts are
    read when first needed; a folder that is not there, or has no such phase, is refused now."""
    folder = weights_folder(None if weights is None else Path(weights))
    judge = None if chooser is None else Path(chooser)
    return Director(Parts(folder, device, encoder, phase, judge), people=people)


class Director:
    """Answers requests one at a time or thousands together; equal requests get equal answers.
    Requests below `shortest_seconds` are refused."""

    def __init__(
        self,
        parts: Parts,
        largest_batch: int | None = None,
        people: PeopleSampling = USUAL_PEOPLE,
        shortest_seconds: float = SHORTEST_SECONDS,
    ) -> None:
        self.parts, self.people, self.shortest_seconds = parts, people, shortest_seconds
        usual = CPU_BATCH if parts.device.type == "cpu" else GPU_BATCH
        self._largest_batch = largest_batch or usual

    def act(
        self,
        words: str,
        seconds: float = USUAL_SECONDS,
        seed: int | None = None,
        human_guidance: float = HUMAN_GUIDANCE,
    ) -> Clip:
        """A new motion."""
        request = ActRequest(words, seconds, seed, human_guidance=human_guidance)
        return self.act_many([request])[0]

    def film(  # noqa: PLR0913 - a request, spelled out
        self,
        clip: Clip,
        words: str,
        intensity: Intensity | str | None = None,
        seed: int | None = None,
        guidance: float = GUIDANCE,
        preset: PresetName | None = None,
        finish: Finish = "hand",
        picture: PictureFormat | None = None,
        travel_m: float | None = None,
        end_size: Size | None = None,
        keys: CameraKeys | None = None,
    ) -> Shot:
        """A camera for a motion. The motion comes back untouched. Where a way in metres, or a size
        at the end, is given, the intensity for it is found. The camera meets keys within a
        centimetre and 0.3°. Where no preset is named it is the quickest (`quickest_preset`)."""
        asked_for = intensity_over(words, intensity, clip.seconds)
        request = FilmRequest(clip, words, asked_for, seed, guidance=guidance, keys=keys)
        asked = picture or usual_picture(finish)
        answer = partial(self.film_many, preset=preset, finish=finish, picture=asked)
        goal = goal_of(travel_m, end_size, intensity)
        return answer([request])[0] if goal is None else film_for(answer, [request], goal)[0]

    def film_takes(  # noqa: PLR0913 - a request, spelled out
        self,
        clip: Clip,
        words: str,
        takes: int,
        intensity: Intensity | str | None = None,
        seed: int | None = None,
        guidance: float = GUIDANCE,
        preset: PresetName | None = None,
        finish: Finish = "hand",
        picture: PictureFormat | None = None,
        keys: CameraKeys | None = None,
    ) -> list[Shot]:
        """Several answers to one request by their numbers: each is finished, none is chosen."""
        asked_for = intensity_over(words, intensity, clip.seconds)
        first = FilmRequest(clip, words, asked_for, seed, guidance=guidance, keys=keys)
        requests = [replace(first, take=take) for take in take_numbers(takes)]
        asked = picture or usual_picture(finish)
        return self.film_many(requests, preset, finish=finish, picture=asked)

    def sweep(  # noqa: PLR0913 - a request, spelled out
        self,
        clip: Clip,
        words: str,
        intensities: Sequence[Intensity | str] = SWEEP,
        seed: int | None = None,
        guidance: float = GUIDANCE,
        preset: PresetName | None = None,
        finish: Finish = "hand",
        picture: PictureFormat | None = None,
        keys: CameraKeys | None = None,
    ) -> list[Shot]:
        """The same request at several intensities, with the same noise and the same take."""
        first = FilmRequest(clip, words, seed=seed, guidance=guidance, keys=keys)
        requests = [replace(first, intensity=plain_intensity(it)) for it in intensities]
        asked = picture or usual_picture(finish)
        return self.film_many(requests, preset, finish=finish, picture=asked)

    def shoot(  # noqa: PLR0913 - a request, spelled out
        self,
        human_words: str,
        camera: str,
        seconds: float = USUAL_SECONDS,
        intensity: Intensity | str | None = None,
        seed: int | None = None,
        camera_seed: int | None = None,
        guidance: float = GUIDANCE,
        preset: PresetName | None = None,
        finish: Finish = "hand",
        human_guidance: float = HUMAN_GUIDANCE,
        picture: PictureFormat | None = None,
        travel_m: float | None = None,
        end_size: Size | None = None,
        keys: CameraKeys | None = None,
    ) -> Shot:
        """A new motion, the same as `act`'s, and a camera for it."""
        request = ShootRequest(
            human_words,
            camera,
            seconds,
            intensity_over(camera, intensity, seconds),
            seed,
            camera_seed,
            guidance=guidance,
            human_guidance=human_guidance,
            keys=keys,
        )
        asked = picture or usual_picture(finish)
        answer = partial(self.shoot_many, preset=preset, finish=finish, picture=asked)
        goal = goal_of(travel_m, end_size, intensity)
        return answer([request])[0] if goal is None else film_for(answer, [request], goal)[0]

    def act_many(
        self, requests: Sequence[ActRequest], progress: Progress | None = None
    ) -> list[Clip]:
        """Answers in the order of the requests."""
        self._prepare(requests)
        people = self._acting.people(requests, progress)
        return [people[request].clip for request in requests]

    def film_many(
        self,
        requests: Sequence[FilmRequest],
        preset: PresetName | None = None,
        progress: Progress | None = None,
        instead: Instead | None = None,
        finish: Finish = "hand",
        picture: PictureFormat = AS_DECODED,
    ) -> list[Shot]:
        """Answers in the order of the requests. A request that names its take gets that take; one
        that does not gets the best of several, or the first, as the finish says. A camera that
        cannot exist ends everything, or is replaced and said to be. Pictures stay as decoded where
        nothing else is asked for: whoever measures compares with references of that aspect."""
        if preset is None:
            usual = partial(
                self.film_many, progress=progress, instead=instead, finish=finish, picture=picture
            )
            return self._each_quickly(requests, usual)
        filming = self._filming(requests, preset, finish, instead, progress, picture)
        return filming.shots([Scene(request, request.clip) for request in requests])

    def shoot_many(
        self,
        requests: Sequence[ShootRequest],
        preset: PresetName | None = None,
        progress: Progress | None = None,
        instead: Instead | None = None,
        finish: Finish = "hand",
        picture: PictureFormat = AS_DECODED,
    ) -> list[Shot]:
        """Answers in the order of the requests. A person is made and chosen once, before any camera
        is known; takes of a request are its camera's. The camera reads the person who is shown, as
        in `film`, but in the paper's protocol the latents that were sampled."""
        if preset is None:
            usual = partial(
                self.shoot_many, progress=progress, instead=instead, finish=finish, picture=picture
            )
            return self._each_quickly(requests, usual)
        filming = self._filming(requests, preset, finish, instead, progress, picture)
        people = self._acting.people([request.acted for request in requests])
        acted = [people[request.acted] for request in requests]
        return filming.shots(
            [
                Scene(request, one.clip, one.sampled)
                for request, one in zip(requests, acted, strict=True)
            ]
        )

    def with_people(self, finish: PersonFinish) -> "Director":
        """The same parts, and people who are finished otherwise."""
        people = replace(self.people, finish=finish)
        return Director(self.parts, self._largest_batch, people, self.shortest_seconds)

    def quickest_preset(self, guidance: float = GUIDANCE) -> PresetName:
        """What answers as well as the paper's fifty steps in the fewest: `instant`, where the
        weights have few steps that were fitted to guidance like that, and `fast` elsewhere."""
        return "instant" if self.parts.has_steps and is_fitted_guidance(guidance) else "fast"

    def _each_quickly(
        self,
        requests: Sequence[CameraRequest],
        answer: Callable[[Sequence[CameraRequest], PresetName], list[Shot]],
    ) -> list[Shot]:
        """Every request by its own quickest preset: whose company it is in changes nothing."""
        groups: dict[PresetName, list[int]] = {}
        for at, request in enumerate(requests):
            groups.setdefault(self.quickest_preset(request.guidance), []).append(at)
        if len(groups) > 1:
            self._prepare(requests)  # no film is made before all are known to be fine
        shots: dict[int, Shot] = {}
        for preset, places in groups.items():
            answers = answer([requests[at] for at in places], preset)
            shots.update(zip(places, answers, strict=True))
        return [shots[at] for at in range(len(requests))]

    @property
    def _acting(self) -> Acting:
        return Acting(self.parts, self.people, self._largest_batch)

    def _filming(
        self,
        requests: Sequence[FilmRequest | ShootRequest],
        preset: PresetName,
        finish: Finish,
        instead: Instead | None,
        progress: Progress | None,
        picture: PictureFormat,
    ) -> Filming:
        check_preset(preset)
        check_finish(finish)
        self._prepare(requests)
        self._prepare_cameras(requests, preset)
        for request in requests:
            check_kept_lens(request.keys, picture)
        words = list(dict.fromkeys(request.camera_words for request in requests))
        hears_plain = FINISHINGS[finish].hears_plain
        for request in requests if hears_plain else ():
            check_times(request)
        heard = {text: model_words(text) if hears_plain else text for text in words}
        encoded = self.parts.encoder.encode_each(list(heard.values()))
        texts = dict(zip(words, encoded, strict=True))
        batch = self._largest_batch
        return Filming(self.parts, texts, preset, finish, batch, instead, progress, picture, heard)

    def _prepare_cameras(
        self, requests: Sequence[FilmRequest | ShootRequest], preset: PresetName
    ) -> None:
        _ = self.parts.camera_flow
        if preset != "instant":
            return
        for request in requests:
            check_fitted_guidance(request.guidance)
        if not self.parts.has_steps:
            raise WeightsError(
                f"{self.parts.folder} has no few steps for its camera flow, which the preset "
                "instant needs.",
                "Use the preset fast, or train camera-steps.",
            )
        _ = self.parts.camera_steps

    def _prepare(self, requests: Sequence[Request]) -> None:
        """All requests are checked and all parts loaded before the first is worked on: missing or
        damaged weights are told here, not half-way."""
        for request in requests:
            request.check(self.shortest_seconds)
        warn_of_unusual_intensities(requests)
        people = [request for request in requests if not isinstance(request, FilmRequest)]
        if people:
            self._acting.prepare(request.human_guidance for request in people)
