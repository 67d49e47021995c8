"""Films by the methods that AESOP is compared with: the same requests, answered by another
network."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.baselines.baseline_table import in_steps, load_trained, method_named
from aesop.baselines.request_noise import request_noise
from aesop.baselines.scene_batch import CameraTracks, Guidance, SceneBatch
from aesop.core.errors import Progress
from aesop.director.best_take import IMPOSSIBLE, Instead
from aesop.director.director import Director
from aesop.director.finish import FINISHINGS, Finish, finished
from aesop.director.long_motion import grounded_start
from aesop.director.requests import LONGEST_SECONDS, FilmRequest, RequestError, ShootRequest
from aesop.director.sampling import can_exist, frame_mask, in_batches, stacked
from aesop.features.human_features import human_to_features
from aesop.models.method_network import MethodNetwork
from aesop.models.phase_table import MethodName
from aesop.models.weights import Part, shipped_folder
from aesop.scene.camera import CameraPath
from aesop.scene.human import MAX_FRAMES, Provenance
from aesop.scene.picture_format import AS_DECODED, SENSOR_WIDTH_MM, SIXTEEN_NINE, PictureFormat
from aesop.scene.shot import SHORTEST_SECONDS, Placement, Shot, place_camera
from aesop.text.encoder import TextEncoder, TextFeatures, pad_texts

# Where the commands of docs/baselines.md leave trained methods.
DEFAULT_FOLDER = Path("build/baselines")
USUAL_LENS_MM = 35.0  # where a method makes no lens and nobody names one
CPU_BATCH, GPU_BATCH = 4, 512
# What is done to a method's camera before it is shown: choosing and correcting are AESOP's own.
PLAIN_FINISHES: tuple[Finish, ...] = ("as-sampled", "held")


@dataclass(frozen=True, eq=False)
class LensAngles:
    """Both angles of view of every frame, radians."""

    vertical: Float[Tensor, " frames"]
    horizontal: Float[Tensor, " frames"]


def usual_lens(frames: int) -> LensAngles:
    half_wide = SENSOR_WIDTH_MM / 2 / USUAL_LENS_MM
    across, up = 2 * math.atan(half_wide), 2 * math.atan(half_wide / SIXTEEN_NINE)
    return LensAngles(torch.full((frames,), up), torch.full((frames,), across))


def lens_of(camera: CameraPath) -> LensAngles:
    return LensAngles(camera.fov_vertical.float(), camera.fov_horizontal.float())


@dataclass(frozen=True, eq=False)
class _Scene:
    """A request on its way: features from the canonical start, and the way back."""

    human: Float[Tensor, "frames 199"]
    placement: Placement
    lens: LensAngles


class BaselineDirector:
    """Answers film requests by one method. Guidance and steps are the paper's unless others are
    given."""

    def __init__(
        self,
        part: Part[MethodNetwork],
        encoder: TextEncoder,
        device: str = "cpu",
        guidance: Guidance | None = None,
        shortest_seconds: float = SHORTEST_SECONDS,
        steps: int | None = None,
    ) -> None:
        self.part, self.encoder, self.device = part, encoder, torch.device(device)
        method = method_named(part.network.shape.method)
        self.method = method if steps is None else in_steps(method, steps)
        self.guidance = self.method.protocol.guidance if guidance is None else guidance
        self.shortest_seconds = shortest_seconds
        if len(self.guidance) != len(self.method.protocol.guidance):
            names = ", ".join(self.method.protocol.guidance_names)
            raise RequestError(
                f"{self.method.paper_name} is guided by {len(self.method.protocol.guidance)} "
                f"numbers, not {len(self.guidance)}.",
                f"Give one for each of: {names}.",
            )

    def film_many(
        self,
        requests: Sequence[FilmRequest],
        lenses: Sequence[LensAngles] | None = None,
        progress: Progress | None = None,
        *,
        instead: Instead | None = None,
        finish: Finish = "held",
        picture: PictureFormat = AS_DECODED,
    ) -> list[Shot]:
        """Answers in the order of the requests, sampled in batches of similar length. Lenses are
        those to film with where the method makes none."""
        assert finish in PLAIN_FINISHES
        self._check(requests)
        given = lenses or [usual_lens(request.frames) for request in requests]
        shots: dict[int, Shot] = {}
        for batch in self.batches([request.frames for request in requests]):
            some = [requests[at] for at in batch]
            cameras = self._cameras(some, [given[at] for at in batch])
            for at, request, camera in zip(batch, some, cameras, strict=True):
                shots[at] = self._shot(request, picture.framed(camera), instead, finish, picture)
            if progress is not None:
                progress(len(shots), len(requests))
        return [shots[at] for at in range(len(requests))]

    def _check(self, requests: Sequence[FilmRequest]) -> None:
        if self.method.task != "film":
            raise RequestError(
                f"{self.method.paper_name} does not film given people.", "Use it with shoot."
            )
        for request in requests:
            request.check(self.shortest_seconds)
            if request.frames > MAX_FRAMES:
                raise RequestError(
                    f"{request.clip.name} has {request.clip.seconds:.1f} s of motion; "
                    f"{self.method.paper_name} films at most {LONGEST_SECONDS:g}.",
                    "Cut the motion first, or let AESOP film it: it films any length.",
                )
            if request.intensity != 1:
                raise RequestError(
                    f"{self.method.paper_name} knows no intensity.", "Ask for intensity 1."
                )

    @torch.no_grad()
    def _cameras(
        self, requests: Sequence[FilmRequest], lenses: Sequence[LensAngles]
    ) -> list[CameraPath]:
        scenes = [
            self._scene(request, lens) for request, lens in zip(requests, lenses, strict=True)
        ]
        mask = frame_mask([len(scene.human) for scene in scenes], self.device)
        words = self.words([request.camera_words for request in requests])
        lens = stacked(
            [torch.stack([it.lens.vertical, it.lens.horizontal], -1) for it in scenes], self.device
        )
        batch = SceneBatch(
            mask=mask,
            camera_words=words,
            human_words=words,  # not read by a method that films
            lens=torch.where(mask[..., None], lens, 1.0),
            human=stacked([scene.human for scene in scenes], self.device),
        )
        keys = [(request.noise_seed, request.take or 0) for request in requests]
        noise = request_noise(keys, self.device)
        sampled = self.method.sample(self.part.network, batch, noise, self.guidance)
        return [
            place_camera(path_of(sampled.cameras, row, len(scene.human)), scene.placement)
            for row, scene in enumerate(scenes)
        ]

    def _scene(self, request: FilmRequest, lens: LensAngles) -> _Scene:
        keeps_yaw = self.part.card.yaw == "kept"
        clip, placement = grounded_start(request.clip, keeps_yaw=keeps_yaw)
        return _Scene(human_to_features(clip.motion).float(), placement, lens)

    def _shot(
        self,
        request: FilmRequest,
        camera: CameraPath,
        instead: Instead | None,
        finish: Finish,
        picture: PictureFormat,
    ) -> Shot:
        clip, words = request.clip, request.camera_words
        origin = self.origin("filmed", request, finish)
        answer = Shot(clip=clip, camera=camera, provenance=origin, camera_words=words)
        asked = f"{clip.name!r} and the words {words!r}"
        return self.finished_shot(answer, asked, instead, finish, picture)

    def words(self, texts: Sequence[str]) -> TextFeatures:
        """Texts as the method reads them."""
        return pad_texts(self.encoder.encode_each(texts), self.encoder.width).to(self.device)

    def batches(self, frames: Sequence[int]) -> list[list[int]]:
        """Which requests are answered together."""
        return in_batches(frames, CPU_BATCH if self.device.type == "cpu" else GPU_BATCH)

    def origin(self, made: str, request: FilmRequest | ShootRequest, finish: Finish) -> Provenance:
        """What an answer says of itself."""
        guided = ", ".join(f"{it:g}" for it in self.guidance)
        notes = (
            f"weights {self.part.card.identity[:12]}",
            f"seed {request.noise_seed}, take {request.take or 0}",
            f"guidance {guided}, {self.method.protocol.sampler}",
            f"finish {finish}",
        )
        return Provenance(f"{made} by {self.method.paper_name}", notes=notes)

    def finished_shot(
        self,
        answer: Shot,
        asked: str,
        instead: Instead | None,
        finish: Finish,
        picture: PictureFormat,
    ) -> Shot:
        """An answer as it is shown: its camera finished, or another one in its place where that
        cannot exist."""
        if not can_exist(answer.camera):
            if instead is None:
                raise RequestError(
                    f"{self.method.paper_name} answered with a camera that cannot exist, for "
                    f"{asked}.",
                    "Try another seed or other words.",
                )
            answer = stood_in(answer, instead)
        clip, origin = answer.clip, answer.provenance
        camera, done = finished(answer.camera, clip, answer.camera_words, None, FINISHINGS[finish])
        return replace(
            answer,
            camera=camera.to(clip.motion.joints),
            provenance=replace(origin, notes=(*origin.notes, *done)),
            sensor_width_mm=picture.sensor_width_mm,
            resolution_px=picture.resolution_px,
        )


def stood_in(shot: Shot, instead: Instead) -> Shot:
    """The shot with another camera in the place of one that cannot exist, and a note of it."""
    origin = replace(shot.provenance, notes=(*shot.provenance.notes, IMPOSSIBLE))
    return replace(shot, camera=instead(shot.clip), provenance=origin)


def path_of(tracks: CameraTracks, row: int, frames: int) -> CameraPath:
    """One camera of a batch, float64, with one aspect: the median over frames."""
    lens = tracks.lens[row, :frames].double().cpu()
    tangents = torch.tan(lens / 2)
    return CameraPath(
        world_from_camera=tracks.world_from_camera[row, :frames].double().cpu(),
        centre=tracks.centre[row, :frames].double().cpu(),
        fov_vertical=lens[:, 0],
        aspect=float((tangents[:, 1] / tangents[:, 0]).median()),
    )


def load_baseline(
    folder: Path | None,
    name: MethodName,
    encoder: TextEncoder,
    device: str = "cpu",
    guidance: Guidance | None = None,
    shortest_seconds: float = SHORTEST_SECONDS,
    steps: int | None = None,
) -> BaselineDirector:
    """A method with its trained weights. None come with AESOP: a folder must be named."""
    part = load_trained(folder or DEFAULT_FOLDER, name, encoder, device)
    return BaselineDirector(part, encoder, device, guidance, shortest_seconds, steps)


def baseline_beside(
    director: Director, name: MethodName, guidance: float | None
) -> BaselineDirector:
    """A method whose weights lie in the director's folder; where the director has those that came
    with AESOP, in `DEFAULT_FOLDER`. A guidance is that of the words; other factors stay."""
    parts, protocol = director.parts, method_named(name).protocol
    folder = None if parts.folder == shipped_folder("base") else parts.folder
    factors = list(protocol.guidance)
    if guidance is not None:
        named = "words" in protocol.guidance_names
        factors[protocol.guidance_names.index("words") if named else 0] = guidance
    return load_baseline(folder, name, parts.encoder, str(parts.device), tuple(factors))


def film_by_baseline(
    name: MethodName,
    director: Director,
    requests: Sequence[FilmRequest],
    guidance: float | None = None,
    progress: Progress | None = None,
    finish: Finish = "held",
    picture: PictureFormat = AS_DECODED,
) -> list[Shot]:
    """Answers of a method whose weights lie in the director's folder; where the director has those
    that came with AESOP, in `DEFAULT_FOLDER`."""
    other = baseline_beside(director, name, guidance)
    return other.film_many(requests, None, progress, finish=finish, picture=picture)
