"""Whoever answers cases: the dataset itself, the codecs, the Director, and later baselines."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar, assert_never, runtime_checkable

import torch

from aesop.director.answers import IMPOSSIBLE
from aesop.director.cameras import can_exist
from aesop.director.finishing import FINISHINGS, Finish, check_finish
from aesop.director.journey import HUMAN_RESTRAINT, Director
from aesop.director.operator import Operator
from aesop.director.parts import Parts
from aesop.director.requests import HUMAN_GUIDANCE, FilmRequest, ShootRequest
from aesop.director.takes import TAKES
from aesop.features.camera import camera_from_features, camera_to_features
from aesop.features.human import human_from_features, human_to_features
from aesop.flow.presets import PRESETS, PresetName
from aesop.metrics.refusal import MetricError
from aesop.models.codec import token_mask
from aesop.reports.bed_films import FILMING_ROOMS, filming_code
from aesop.reports.cases import Case, Task
from aesop.reports.impossible import looking_away
from aesop.scene.shot import Shot

Progress = Callable[[int, int], None]
Request = TypeVar("Request", FilmRequest, ShootRequest)
# People of one run differ by their window; their seeds stay apart for this many runs.
_SEEDS_APART = 1_000_003


# How identities of controls begin: they stand in tables beside methods and never win them.
CONTROL = "control: "


@dataclass(frozen=True)
class Ask:
    """How cases are asked for. Noise depends on seed and case alone, so two asks that differ in
    words or intensity share it."""

    task: Task
    seed: int = 0
    intensity: float = 1.0
    is_reversed: bool = False


@runtime_checkable
class Filmer(Protocol):
    """Anything that answers cases. `identity` names everything that its answers depend on."""

    def identity(self, task: Task) -> str: ...

    def answer(
        self, cases: Sequence[Case], ask: Ask, progress: Progress | None = None
    ) -> list[Shot]: ...


class ReferenceFilmer:
    """The dataset's own shots: the ground-truth row of a table."""

    def identity(self, task: Task) -> str:
        return "reference"

    def answer(
        self, cases: Sequence[Case], ask: Ask, progress: Progress | None = None
    ) -> list[Shot]:
        return [case.reference for case in cases]


class CodecFilmer:
    """References encoded and decoded: what is lost before any generation."""

    def __init__(self, parts: Parts, batch: int = 32) -> None:
        self._parts, self._batch = parts, batch

    def identity(self, task: Task) -> str:
        cards = [self._parts.human_codec.card, self._parts.camera_codec.card]
        return _hash("codec", *(card.identity for card in cards))

    @torch.no_grad()
    def answer(
        self, cases: Sequence[Case], ask: Ask, progress: Progress | None = None
    ) -> list[Shot]:
        shots: list[Shot] = []
        for start in range(0, len(cases), self._batch):
            shots += self._decoded([it.reference for it in cases[start : start + self._batch]])
            if progress is not None:
                progress(len(shots), len(cases))
        return shots

    def _decoded(self, shots: Sequence[Shot]) -> list[Shot]:
        device = self._parts.device
        human_codec = self._parts.human_codec.network
        camera_codec = self._parts.camera_codec.network
        people = [human_to_features(shot.clip.motion).float() for shot in shots]
        paths = [camera_to_features(it.camera, it.clip.motion.root).float() for it in shots]
        lengths = torch.tensor([shot.frames for shot in shots], device=device)
        mask = torch.arange(int(lengths.max()), device=device) < lengths[:, None]
        human, camera = (
            torch.nn.utils.rnn.pad_sequence(rows, batch_first=True).to(device)
            for rows in (people, paths)
        )
        latents = human_codec.to_latents(human, mask)
        raw = human_codec.whitening.inverse(latents, token_mask(mask))
        humans = human_codec.from_latents(latents, mask).double().cpu()
        cameras = camera_codec.from_latents(camera_codec.to_latents(camera, mask), raw, mask)
        answers: list[Shot] = []
        for row, shot in enumerate(shots):
            motion = human_from_features(humans[row, : shot.frames])
            features = cameras[row, : shot.frames].double().cpu()
            path = camera_from_features(features, motion.root[0])
            made = replace(shot, clip=replace(shot.clip, motion=motion), camera=path)
            answers.append(made if can_exist(path) else _stood_in(made))
        return answers


class DirectorFilmer:
    """The Director. A person depends on window and seed, a camera's noise on shot and seed.

    Cameras are measured as sampled unless another finish is asked for; people follow their words as
    hard as they do for a user unless another guidance is.
    """

    def __init__(
        self,
        director: Director,
        preset: PresetName = "reference",
        finish: Finish = "as-sampled",
        human_guidance: float = HUMAN_GUIDANCE,
    ) -> None:
        check_finish(finish)
        self._director, self._human_guidance = director, human_guidance
        self._preset: PresetName = preset
        self._finish: Finish = finish

    def identity(self, task: Task) -> str:
        parts = self._director.parts
        if task == "codec":
            return CodecFilmer(parts).identity(task)
        flows = [parts.camera_flow] + ([parts.human_flow] if task == "shoot" else [])
        # A flow's identity covers the codecs it was trained with.
        # Settings, not names: answers kept under a preset that has changed since are not its.
        names: list[PresetName] = [self._preset]
        if task == "shoot":
            names.append(self._director.human_preset)
        settings = [repr(PRESETS[name]) for name in names]
        settings += ["held at rest, above the floor"] if self._director.is_tidy else []
        if task == "shoot":
            settings += [f"human guidance {self._human_guidance!r}", repr(HUMAN_RESTRAINT)]
        if self._finish != "as-sampled":
            settings += [self._finish, repr(FINISHINGS[self._finish]), f"{TAKES} takes"]
        return _hash("director", *settings, *(flow.card.identity for flow in flows))

    def answer(
        self, cases: Sequence[Case], ask: Ask, progress: Progress | None = None
    ) -> list[Shot]:
        match ask.task:
            case "film":
                requests = [self._left_open(film_request(case, ask), case) for case in cases]
                return self._director.film_many(
                    requests, self._preset, progress, looking_away, self._finish
                )
            case "shoot":
                scenes = [
                    replace(
                        self._left_open(shoot_request(case, ask), case),
                        human_guidance=self._human_guidance,
                    )
                    for case in cases
                ]
                return self._director.shoot_many(
                    scenes, self._preset, progress, looking_away, self._finish
                )
            case "codec":
                return CodecFilmer(self._director.parts).answer(cases, ask, progress)
            case _:
                assert_never(ask.task)

    def _left_open(self, request: Request, case: Case) -> Request:
        """Where takes are chosen, no take is named and every case has a seed of its own."""
        if not FINISHINGS[self._finish].chooses_take:
            return request
        own = request.noise_seed * _SEEDS_APART + case.row
        if isinstance(request, FilmRequest):
            return replace(request, take=None, seed=own)
        return replace(request, take=None, camera_seed=own)


class OperatorFilmer:
    """The rule-based operator. Its rules are those that the references were drawn by, so it stands
    beside methods as a control."""

    def identity(self, task: Task) -> str:
        return f"{CONTROL}rule-based operator {filming_code((*FILMING_ROOMS, 'data'))}"

    def answer(
        self, cases: Sequence[Case], ask: Ask, progress: Progress | None = None
    ) -> list[Shot]:
        if ask.task != "film":
            raise MetricError("The operator films given people only.", "Measure it with film.")
        requests = [film_request(case, ask) for case in cases]
        return Operator().film_many(requests, progress)


def _stood_in(shot: Shot) -> Shot:
    origin = shot.provenance
    return replace(
        shot,
        camera=looking_away(shot.clip),
        provenance=replace(origin, notes=(*origin.notes, IMPOSSIBLE)),
    )


def words_of(case: Case, ask: Ask) -> str:
    """What the camera is told."""
    return case.reversed_words if ask.is_reversed else case.camera_words


def film_request(case: Case, ask: Ask) -> FilmRequest:
    """A case as the Director is asked for it, given the person."""
    return FilmRequest(
        clip=case.reference.clip,
        camera_words=words_of(case, ask),
        intensity=ask.intensity,
        seed=ask.seed,
        take=case.row,
    )


def shoot_request(case: Case, ask: Ask) -> ShootRequest:
    """A case as the Director is asked for it, from words alone."""
    return ShootRequest(
        human_words=case.human_words,
        camera_words=words_of(case, ask),
        seconds=case.reference.clip.seconds,
        intensity=ask.intensity,
        seed=ask.seed * _SEEDS_APART + case.human_row,
        camera_seed=ask.seed,
        take=case.row,
    )


def _hash(*words: str) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()
