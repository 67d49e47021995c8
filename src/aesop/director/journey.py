"""Act, film, shoot: the whole journey of a shot.

Noise belongs to a request (its seed, its take), so an answer does not depend on what else is asked.
Nothing about a camera reaches the code that makes a person.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from aesop.director.cameras import Wish, can_exist, film_people
from aesop.director.parts import Parts, weights_folder
from aesop.director.people import Acted, Role, act_out
from aesop.director.requests import (
    GUIDANCE,
    HUMAN_GUIDANCE,
    SWEEP,
    ActRequest,
    FilmRequest,
    RequestError,
    ShootRequest,
    check_preset,
    take_numbers,
    tell_unusual_intensities,
)
from aesop.director.sampling import in_batches, tokens_of
from aesop.director.tidying import tidied
from aesop.director.windows import film_clips, windows_of
from aesop.flow.guidance import Restraint
from aesop.flow.noise import noise_for
from aesop.flow.presets import PRESETS, PresetName
from aesop.scene.camera import CameraPath
from aesop.scene.human import NATIVE_FPS, Clip, Provenance
from aesop.scene.shot import Shot
from aesop.text.encoder import EncodedText, TextEncoder

Progress = Callable[[int, int], None]
# Bodies pay for guidance; this is what holds it back (docs/director.md says how it was chosen).
HUMAN_RESTRAINT = Restraint(rescale=0.7)
# A camera to show for a clip where the model's own cannot exist.
Instead = Callable[[Clip], CameraPath]
IMPOSSIBLE = "the model's camera could not exist; another stands in for it"
Request = TypeVar("Request", FilmRequest, ActRequest, ShootRequest)
Answer = TypeVar("Answer", Shot, Clip)
# Requests sampled together. More of them fall out of a CPU's caches: four were fastest per request.
CPU_BATCH, GPU_BATCH = 4, 256


@dataclass(frozen=True, eq=False)
class Texts:
    """The words of all requests, read: those for people apart from those for cameras."""

    human: Mapping[str, EncodedText]
    camera: Mapping[str, EncodedText]


def load_director(
    weights: str | os.PathLike[str] | None = None,
    device: str = "cpu",
    encoder: TextEncoder | None = None,
) -> "Director":
    """A director with the weights of a folder, or with those that came with AESOP. Parts are read
    when first needed; a folder that is not there is refused now."""
    folder = None if weights is None else Path(weights)
    return Director(Parts(weights_folder(folder), device, encoder))


class Director:
    """Answers requests one at a time or thousands together; equal requests get equal answers.

    `human_preset` is the director's and not a request's: a person may not depend on how the camera
    is sampled. Without `is_tidy`, cameras come back as they were decoded, neither held at rest nor
    lifted above the floor (`director.tidying`).
    """

    def __init__(
        self,
        parts: Parts,
        human_preset: PresetName = "fast",
        largest_batch: int | None = None,
        is_tidy: bool = True,
    ) -> None:
        check_preset(human_preset)
        self.parts, self.is_tidy = parts, is_tidy
        self.human_preset: PresetName = human_preset
        usual = CPU_BATCH if parts.device.type == "cpu" else GPU_BATCH
        self._largest_batch = largest_batch or usual

    def act(
        self,
        words: str,
        seconds: float,
        seed: int = 0,
        human_guidance: float = HUMAN_GUIDANCE,
    ) -> Clip:
        """A new motion."""
        request = ActRequest(words, seconds, seed, human_guidance=human_guidance)
        return self.act_many([request])[0]

    def film(
        self,
        clip: Clip,
        words: str,
        intensity: float = 1.0,
        seed: int = 0,
        guidance: float = GUIDANCE,
        preset: PresetName = "fast",
    ) -> Shot:
        """A camera for a motion. The motion comes back untouched."""
        request = FilmRequest(clip, words, intensity, seed, guidance=guidance)
        return self.film_many([request], preset)[0]

    def film_takes(
        self,
        clip: Clip,
        words: str,
        takes: int,
        intensity: float = 1.0,
        seed: int = 0,
        guidance: float = GUIDANCE,
        preset: PresetName = "fast",
    ) -> list[Shot]:
        """Several answers to one request; the first is `film`'s."""
        first = FilmRequest(clip, words, intensity, seed, guidance=guidance)
        return self.film_many([replace(first, take=take) for take in take_numbers(takes)], preset)

    def sweep(
        self,
        clip: Clip,
        words: str,
        intensities: Sequence[float] = SWEEP,
        seed: int = 0,
        guidance: float = GUIDANCE,
        preset: PresetName = "fast",
    ) -> list[Shot]:
        """The same request at several intensities, with the same noise."""
        first = FilmRequest(clip, words, seed=seed, guidance=guidance)
        return self.film_many([replace(first, intensity=a) for a in intensities], preset)

    def shoot(  # noqa: PLR0913 - a request, spelled out
        self,
        human_words: str,
        camera: str,
        seconds: float,
        intensity: float = 1.0,
        seed: int = 0,
        camera_seed: int | None = None,
        guidance: float = GUIDANCE,
        preset: PresetName = "fast",
        human_guidance: float = HUMAN_GUIDANCE,
    ) -> Shot:
        """A new motion, the same as `act`'s, and a camera for it."""
        request = ShootRequest(
            human_words,
            camera,
            seconds,
            intensity,
            seed,
            camera_seed,
            guidance=guidance,
            human_guidance=human_guidance,
        )
        return self.shoot_many([request], preset)[0]

    def act_many(
        self, requests: Sequence[ActRequest], progress: Progress | None = None
    ) -> list[Clip]:
        """Answers in the order of the requests."""

        def answer(some: Sequence[ActRequest], texts: Texts) -> list[Clip]:
            acted = self._act(some, texts)
            return [self._clip(request, acted[request]) for request in some]

        return self._answered(requests, answer, progress)

    def film_many(
        self,
        requests: Sequence[FilmRequest],
        preset: PresetName = "fast",
        progress: Progress | None = None,
        instead: Instead | None = None,
    ) -> list[Shot]:
        """Answers in the order of the requests. A camera that cannot exist ends them, or is
        replaced and said to be."""
        check_preset(preset)

        def answer(some: Sequence[FilmRequest], texts: Texts) -> list[Shot]:
            clips, wishes = [it.clip for it in some], [self._wish(it, texts) for it in some]
            cameras = film_clips(self.parts, clips, wishes, PRESETS[preset])
            return [
                self._shot(request, request.clip, camera, preset, instead)
                for request, camera in zip(some, cameras, strict=True)
            ]

        return self._answered(requests, answer, progress)

    def shoot_many(
        self,
        requests: Sequence[ShootRequest],
        preset: PresetName = "fast",
        progress: Progress | None = None,
        instead: Instead | None = None,
    ) -> list[Shot]:
        """Answers in the order of the requests. The camera reads the sampled latents directly."""
        check_preset(preset)
        everyone: dict[ActRequest, Acted] = {}

        def answer(some: Sequence[ShootRequest], texts: Texts) -> list[Shot]:
            if not everyone:
                everyone.update(self._act([request.acted for request in requests], texts))
            acted = [everyone[request.acted] for request in some]
            people, wishes = [who.person for who in acted], [self._wish(it, texts) for it in some]
            cameras = film_people(self.parts, people, wishes, PRESETS[preset])
            return [
                self._shot(request, self._clip(request.acted, who), camera, preset, instead)
                for request, who, camera in zip(some, acted, cameras, strict=True)
            ]

        return self._answered(requests, answer, progress)

    def _answered(
        self,
        requests: Sequence[Request],
        answer: Callable[[Sequence[Request], Texts], list[Answer]],
        progress: Progress | None,
    ) -> list[Answer]:
        """Check all requests and load all parts before the first is worked on; then batches."""
        for request in requests:
            request.check()
        tell_unusual_intensities(requests)
        self._load(requests)
        texts = self._read_words(requests)
        answers: dict[int, Answer] = {}
        for places in in_batches([request.frames for request in requests], self._largest_batch):
            some = answer([requests[place] for place in places], texts)
            answers.update(zip(places, some, strict=True))
            if progress is not None:
                progress(len(answers), len(requests))
        return [answers[place] for place in range(len(requests))]

    def _load(self, requests: Sequence[FilmRequest | ActRequest | ShootRequest]) -> None:
        """Missing or damaged weights are told here, not half-way."""
        if any(not isinstance(request, FilmRequest) for request in requests):
            _ = self.parts.human_flow
        if any(not isinstance(request, ActRequest) for request in requests):
            _ = self.parts.camera_flow

    def _read_words(self, requests: Sequence[FilmRequest | ActRequest | ShootRequest]) -> Texts:
        """Texts that share a batch share its rounding. Words for people are therefore read by
        themselves, one text at a time: no camera's words can reach them."""
        human = dict.fromkeys(it.human_words for it in requests if not isinstance(it, FilmRequest))
        camera = list(
            dict.fromkeys(it.camera_words for it in requests if not isinstance(it, ActRequest))
        )
        encode_each = self.parts.encoder.encode_each
        return Texts(
            human={words: encode_each([words])[0] for words in human},
            camera=dict(zip(camera, encode_each(camera), strict=True)),
        )

    def _act(self, requests: Sequence[ActRequest], texts: Texts) -> dict[ActRequest, Acted]:
        """Everybody who is asked for, made once however many cameras film them. On a CPU each is
        made alone: in a batch, the last bits of a person would depend on who else is in it."""
        unique = list(dict.fromkeys(requests))
        largest = 1 if self.parts.device.type == "cpu" else self._largest_batch
        acted: dict[ActRequest, Acted] = {}
        for places in in_batches([request.frames for request in unique], largest):
            some = [unique[place] for place in places]
            roles = [self._role(request, texts) for request in some]
            people = act_out(self.parts, roles, PRESETS[self.human_preset], HUMAN_RESTRAINT)
            acted.update(zip(some, people, strict=True))
        return acted

    def _role(self, request: ActRequest, texts: Texts) -> Role:
        shape = (tokens_of(request.frames), self.parts.human_flow.network.shape.latent)
        noise = noise_for(request.seed, request.take, shape, stream="human")
        words = texts.human[request.human_words]
        return Role(words, request.frames, noise, request.human_guidance)

    def _wish(self, request: FilmRequest | ShootRequest, texts: Texts) -> Wish:
        shape = (tokens_of(request.frames), self.parts.camera_flow.network.shape.latent)
        noise = noise_for(request.noise_seed, request.take, shape, stream="camera")
        words = texts.camera[request.camera_words]
        return Wish(words, request.intensity, request.guidance, noise)

    def _clip(self, request: ActRequest, acted: Acted) -> Clip:
        flow = self.parts.human_flow.card.identity[:12]
        how = f"preset {self.human_preset}, human guidance {request.human_guidance:g}"
        notes = (f"weights {flow}", f"seed {request.seed}, take {request.take}", how)
        origin = Provenance("acted by AESOP", notes=notes)
        return Clip(acted.motion, NATIVE_FPS, request.human_words, origin)

    def _shot(
        self,
        request: FilmRequest | ShootRequest,
        clip: Clip,
        camera: CameraPath,
        preset: PresetName,
        instead: Instead | None,
    ) -> Shot:
        flow, windows = self.parts.camera_flow.card.identity[:12], len(windows_of(clip.frames))
        notes = [f"weights {flow}", f"seed {request.noise_seed}, take {request.take}",
                 f"guidance {request.guidance:g}, preset {preset}"]  # fmt: skip
        notes += [f"{windows} overlapping windows"] if windows > 1 else []
        if not can_exist(camera):
            if instead is None:
                raise _impossible(request, clip)
            camera, notes = instead(clip), [*notes, IMPOSSIBLE]
        if self.is_tidy:
            camera, told = tidied(camera, clip)
            notes += told
        kind = clip.motion.joints
        return Shot(
            clip=clip,
            camera=CameraPath(
                camera.world_from_camera.to(kind),
                camera.centre.to(kind),
                camera.fov_vertical.to(kind),
                camera.aspect,
            ),
            provenance=Provenance("filmed by AESOP", notes=tuple(notes)),
            camera_words=request.camera_words,
            human_words=request.human_words if isinstance(request, ShootRequest) else "",
            intensity=request.intensity,
        )


def _impossible(request: FilmRequest | ShootRequest, clip: Clip) -> RequestError:
    return RequestError(
        f"The model answered with a camera that cannot exist, for {clip.name!r} and the words "
        f"{request.camera_words!r} (seed {request.noise_seed}, take {request.take}, intensity "
        f"{request.intensity:g}).",
        "Try another seed or other words; if it happens often, the weights are not trained.",
    )
