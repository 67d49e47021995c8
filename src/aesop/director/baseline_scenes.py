"""People and cameras together by the methods that AESOP is compared with, and scenes encoded and
decoded by the autoencoder that they build on."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.baselines.request_noise import request_noise
from aesop.baselines.scene_batch import SampledScenes, SceneBatch
from aesop.core.errors import Progress
from aesop.director.baseline_films import (
    PLAIN_FINISHES,
    BaselineDirector,
    baseline_beside,
    path_of,
    stood_in,
)
from aesop.director.best_take import Instead
from aesop.director.body_finish import BODY_FINISHINGS, PersonFinish
from aesop.director.director import Director
from aesop.director.finish import Finish
from aesop.director.requests import RequestError, ShootRequest
from aesop.director.sampling import can_exist, frame_mask, stacked
from aesop.features.camera_features import camera_to_features
from aesop.features.human_features import human_from_features, human_to_features
from aesop.models.phase_table import MethodName
from aesop.scene.human import NATIVE_FPS, Clip, HumanMotion, grounded, pose_motion
from aesop.scene.picture_format import AS_DECODED, PictureFormat
from aesop.scene.shot import Shot
from aesop.text.encoder import TextFeatures

# What is done to a person before it is shown, beside what is done to the camera: as decoded where
# the camera is, and otherwise on our skeleton's bones and on the ground, as our own people are.
PERSON_FINISH: dict[Finish, PersonFinish] = {"as-sampled": "as-decoded", "held": "as-sampled"}
PADDED_LENS_RAD = 1.0  # of a scene whose lens is yet to be made: any that can exist


def shoot_many(
    director: BaselineDirector,
    requests: Sequence[ShootRequest],
    progress: Progress | None = None,
    *,
    instead: Instead | None = None,
    finish: Finish = "held",
    picture: PictureFormat = AS_DECODED,
) -> list[Shot]:
    """Answers in the order of the requests, sampled in batches of similar length. Person and camera
    come from one noise: seed and take of the request's camera."""
    assert finish in PLAIN_FINISHES
    _check(director, requests)
    shots: dict[int, Shot] = {}
    for batch in director.batches([request.frames for request in requests]):
        some = [requests[at] for at in batch]
        sampled = _sampled(director, some)
        for row, (at, request) in enumerate(zip(batch, some, strict=True)):
            shots[at] = _shot(director, request, sampled, row, instead, finish, picture)
        if progress is not None:
            progress(len(shots), len(requests))
    return [shots[at] for at in range(len(requests))]


def shoot_by_baseline(
    name: MethodName,
    director: Director,
    requests: Sequence[ShootRequest],
    guidance: float | None = None,
    progress: Progress | None = None,
    finish: Finish = "held",
    picture: PictureFormat = AS_DECODED,
) -> list[Shot]:
    """Answers of a method whose weights lie beside the director's (`baseline_beside`)."""
    other = baseline_beside(director, name, guidance)
    return shoot_many(other, requests, progress, finish=finish, picture=picture)


def _check(director: BaselineDirector, requests: Sequence[ShootRequest]) -> None:
    name = director.method.paper_name
    if director.method.task != "shoot":
        raise RequestError(f"{name} makes no people.", "Use it with film.")
    for request in requests:
        request.check(director.shortest_seconds)
        if request.intensity != 1:
            raise RequestError(f"{name} knows no intensity.", "Ask for intensity 1.")


@torch.no_grad()
def _sampled(director: BaselineDirector, requests: Sequence[ShootRequest]) -> SampledScenes:
    device = director.device
    mask = frame_mask([request.frames for request in requests], device)
    scenes = SceneBatch(
        mask=mask,
        camera_words=director.words([request.camera_words for request in requests]),
        human_words=director.words([request.human_words for request in requests]),
        lens=torch.full((*mask.shape, 2), PADDED_LENS_RAD, device=device),
    )
    noise = request_noise([(it.noise_seed, it.take or 0) for it in requests], device)
    return director.method.sample(director.part.network, scenes, noise, director.guidance)


def _shot(
    director: BaselineDirector,
    request: ShootRequest,
    sampled: SampledScenes,
    row: int,
    instead: Instead | None,
    finish: Finish,
    picture: PictureFormat,
) -> Shot:
    assert sampled.human is not None
    decoded = _motion(sampled.human[row, : request.frames])
    origin = director.origin("shot", request, finish)
    shown = _shown(decoded, PERSON_FINISH[finish])
    clip = Clip(shown.to(torch.float32), NATIVE_FPS, request.human_words, origin)
    camera = path_of(sampled.cameras, row, request.frames)
    # Whoever is put on the ground is raised or lowered, and the camera that stands beside with it.
    camera = replace(camera, centre=camera.centre + (shown.root[0] - decoded.root[0]))
    answer = Shot(
        clip=clip,
        camera=picture.framed(camera) if can_exist(camera) else camera,
        provenance=origin,
        human_words=request.human_words,
        camera_words=request.camera_words,
    )
    asked = f"the words {request.human_words!r} and {request.camera_words!r}"
    return director.finished_shot(answer, asked, instead, finish, picture)


def _motion(features: Float[Tensor, "frames 199"]) -> HumanMotion:
    return human_from_features(features.double().cpu())


def _shown(motion: HumanMotion, finish: PersonFinish) -> HumanMotion:
    """As decoded, or with joints placed by the decoded turns, so that bones keep their length."""
    if not BODY_FINISHINGS[finish].is_posed:
        return motion
    return grounded(pose_motion(motion.rotations, motion.root))


@torch.no_grad()
def rebuilt_shots(
    director: BaselineDirector, shots: Sequence[Shot], instead: Instead
) -> list[Shot]:
    """Shots encoded and decoded, person and camera: what is lost before any generation."""
    if director.method.task != "codec":
        raise RequestError(f"{director.method.paper_name} is no autoencoder.", "Use pulpmotion-ae.")
    made: dict[int, Shot] = {}
    for batch in director.batches([shot.frames for shot in shots]):
        some = [shots[at] for at in batch]
        sampled = director.method.sample(
            director.part.network, _whole_scenes(director, some), request_noise([]), ()
        )
        assert sampled.human is not None
        for row, (at, shot) in enumerate(zip(batch, some, strict=True)):
            motion = _motion(sampled.human[row, : shot.frames])
            path = path_of(sampled.cameras, row, shot.frames)
            rebuilt = replace(shot, clip=replace(shot.clip, motion=motion), camera=path)
            made[at] = rebuilt if can_exist(path) else stood_in(rebuilt, instead)
    return [made[at] for at in range(len(shots))]


def _whole_scenes(director: BaselineDirector, shots: Sequence[Shot]) -> SceneBatch:
    device = director.device
    mask = frame_mask([shot.frames for shot in shots], device)
    people = [human_to_features(shot.clip.motion).float() for shot in shots]
    cameras = [camera_to_features(it.camera, it.clip.motion.root).float() for it in shots]
    silent = torch.zeros(len(shots), 1, 1, device=device)
    words = TextFeatures(silent, silent[..., 0] > 0, silent[:, 0])
    lens = torch.full((*mask.shape, 2), PADDED_LENS_RAD, device=device)
    human, camera = stacked(people, device), stacked(cameras, device)
    return SceneBatch(mask, words, words, lens, human, camera)
