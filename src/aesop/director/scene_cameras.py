"""Cameras for scenes as the flow and its decoder answer: whose words, noise and windows they are,
filmed in batches. Nothing is chosen or corrected here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from aesop.core.errors import Progress
from aesop.director.facts_filming import AskedFacts, times_notes
from aesop.director.finish import FINISHINGS, Finish
from aesop.director.intensity_over_time import begun_where, camera_over_time, levels_of
from aesop.director.long_motion import film_clips
from aesop.director.requests import FilmRequest, ShootRequest
from aesop.director.sampling import (
    CameraCondition,
    NearPath,
    Person,
    can_exist,
    film_people,
    in_batches,
    tokens_of,
    with_near,
)
from aesop.director.trained_parts import Parts
from aesop.director.window_facts import film_windows, words_of_windows
from aesop.flow.path import noise_for
from aesop.flow.solvers import PresetName
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip
from aesop.scene.intensity_curve import IntensityCurve
from aesop.scene.picture_format import AS_DECODED, PictureFormat
from aesop.text.encoder import EncodedText

CameraRequest = FilmRequest | ShootRequest
ChoiceKey = tuple[object, ...]  # a request but for its intensity
TakeKey = tuple[ChoiceKey, int]  # and a take
WINDOWS_HEAR = "windows hear: "  # how the note of a long film begins whose windows hear parts


def choice_key(request: CameraRequest) -> ChoiceKey:
    """Requests with the same key get the same take: all but intensity is alike."""
    who = request.acted if isinstance(request, ShootRequest) else id(request.clip)
    return who, request.camera_words, request.noise_seed, request.guidance, id(request.keys)


@dataclass(frozen=True, eq=False)
class Scene:
    """A camera request and whom it films; a person who was acted is read as sampled."""

    request: CameraRequest
    clip: Clip
    person: Person | None = None
    near: NearPath | None = None  # what sampling keeps near to, on a second way to given cameras

    @property
    def take(self) -> int:
        return self.request.take or 0


@dataclass(eq=False)
class SceneCameras:
    """How scenes are filmed, with everything that they share."""

    parts: Parts
    texts: Mapping[str, EncodedText]
    preset: PresetName
    finish: Finish
    asked: Mapping[str, AskedFacts | None]  # what the words mean, where anybody needs to know
    largest_batch: int
    progress: Progress | None
    picture: PictureFormat
    heard: Mapping[str, str]  # words told to the model

    def __post_init__(self) -> None:
        self._how = FINISHINGS[self.finish]
        self._filmed, self.to_film = 0, 0  # counted for the progress

    def filmed(self, scenes: Sequence[Scene]) -> list[CameraPath]:
        """In batches of similar length."""
        cameras: dict[int, CameraPath] = {}
        lengths = [scene.request.frames for scene in scenes]
        for batch in in_batches(lengths, self.largest_batch):
            sampled = self._sampled([scenes[at] for at in batch])
            framed = [self.picture.framed(camera) for camera in sampled]
            cameras.update(zip(batch, framed, strict=True))
            self._filmed += len(batch)
            if self.progress is not None:
                self.progress(self._filmed, self.to_film)
        return [cameras[at] for at in range(len(scenes))]

    def _sampled(self, scenes: Sequence[Scene]) -> list[CameraPath]:
        conditions = [self._condition(scene) for scene in scenes]
        way, decoding = self.parts.sampling(self.preset), self._how.decoding
        people = [scene.person for scene in scenes if scene.person is not None]
        if people:
            assert len(people) == len(scenes), "either all people were acted or none"
            conditions = [
                with_near(self.parts, asked, asked.near, person.motion.root)
                if asked.near
                else asked
                for asked, person in zip(conditions, people, strict=True)
            ]
            return film_people(self.parts, people, conditions, way, decoding)
        clips = [scene.clip for scene in scenes]
        return film_clips(self.parts, clips, conditions, way, decoding)

    def _condition(self, scene: Scene) -> CameraCondition:
        request = scene.request
        shape = (tokens_of(request.frames), self.parts.camera_codec.network.shape.latent)
        noise = noise_for(request.noise_seed, scene.take, shape, stream="camera")
        words = self.texts[request.camera_words]
        heard = [self.heard.get(words, words) for words in self._window_words(scene)]
        windows = tuple(self.parts.encoder.encode_each(heard)) if heard else ()
        return CameraCondition(
            words, level_of(scene), request.guidance, noise,
            window_words=windows, near=scene.near, windows=self._windows(scene),
        )  # fmt: skip

    def _windows(self, scene: Scene) -> tuple[range, ...]:
        asked = self.asked[scene.request.camera_words]
        by_steps = scene.person is None and self._how.hears_plain
        return film_windows(asked if by_steps else None, scene.clip)

    def _window_words(self, scene: Scene) -> tuple[str, ...]:
        """Words for every window of a film; none where all of them hear the request's own."""
        request, clip = scene.request, scene.clip
        asked, windows = self.asked[request.camera_words], self._windows(scene)
        if len(windows) == 1 or asked is None:
            return ()
        goes_left = (request.noise_seed + scene.take) % 2 == 0
        return words_of_windows(request.camera_words, asked, clip, windows, goes_left)

    def notes(self, scene: Scene) -> list[str]:
        """How a scene is filmed: what would film it again."""
        flow = self.parts.camera_flow.card.identity[:12]
        request, windows = scene.request, len(self._windows(scene))
        notes = [f"weights {flow}", f"seed {request.noise_seed}, take {scene.take}",
                 f"guidance {request.guidance:g}, preset {self.preset}",
                 f"finish {self.finish}"]  # fmt: skip
        notes += self.parts.sampling_notes(self.preset)
        heard = self.heard.get(request.camera_words, request.camera_words)
        notes += [f"heard as {heard!r}"] if heard != request.camera_words else []
        notes += [self.picture.note] if self.picture != AS_DECODED else []
        notes += [f"{windows} overlapping windows"] if windows > 1 else []
        if self._how.hears_plain:
            notes += times_notes(words := request.camera_words, self.asked[words], scene.clip)
        parts = self._window_words(scene)
        return notes + ([f"{WINDOWS_HEAR}{' | '.join(parts)}"] if parts else [])


def at_levels(scene: Scene, *, knows_usual: bool) -> list[Scene]:
    """The scene at every intensity that it is still to be filmed at."""
    curve, clip = scene.request.intensity, scene.clip
    if not isinstance(curve, IntensityCurve):
        return [scene]
    return [
        replace(scene, request=replace(scene.request, intensity=level))
        for level in levels_of(curve, clip.frames, clip.fps)
        if not (knows_usual and level == 1)
    ]


def level_of(scene: Scene) -> float:
    """The intensity of a scene that is filmed at one."""
    assert not isinstance(scene.request.intensity, IntensityCurve), "curves are filmed at levels"
    return scene.request.intensity


def level_key(scene: Scene) -> tuple[TakeKey, float]:
    return (choice_key(scene.request), scene.take), level_of(scene)


def over_time(
    scene: Scene, filmed: Mapping[float, CameraPath], usual: CameraPath | None
) -> CameraPath:
    """The camera of a scene from those at its levels, but for level one, which is the usual camera
    where that is known."""
    curve = scene.request.intensity
    if not isinstance(curve, IntensityCurve):
        return filmed[level_of(scene)]
    levels = dict(filmed)
    if usual is not None and 1.0 in levels_of(curve, scene.clip.frames, scene.clip.fps):
        levels[1.0] = usual
    impossible = [camera for camera in levels.values() if not can_exist(camera)]
    if impossible:
        return impossible[0]
    if usual is not None and can_exist(usual):
        levels = {level: begun_where(usual, camera)[0] for level, camera in levels.items()}
    return camera_over_time(levels, curve, scene.clip.motion.joints, scene.clip.fps)
