"""Cameras for requests: several takes are sampled and marked, the best is kept and finished."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from aesop.camera_words.outline import AskedCamera
from aesop.camera_words.request_reader import AskedAndMade, made_as_asked, read_asked
from aesop.core.errors import Progress
from aesop.director.finish import FINISHINGS, Finish, finished, rested_and_lifted
from aesop.director.long_motion import film_clips, windows_of
from aesop.director.requests import FilmRequest, RequestError, ShootRequest
from aesop.director.sampling import (
    CameraCondition,
    Person,
    can_exist,
    film_people,
    in_batches,
    tokens_of,
)
from aesop.director.trained_parts import Parts
from aesop.flow.path import noise_for
from aesop.flow.solvers import PRESETS, PresetName
from aesop.metrics.framing_metrics import Holding, holding_of
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip, Provenance
from aesop.scene.picture_format import AS_DECODED, PictureFormat
from aesop.scene.shot import Shot
from aesop.text.encoder import EncodedText

# Takes that are filmed to choose from: the most that keep a cold `aesop film` of eight seconds
# within 1.5 times the time of its first take alone (docs/director.md).
TAKES = 3
# Marks this near to the best are equal, and the lowest take number wins.
NEARLY = 0.02
# What a fault weighs beside a movement that is wholly missed, which weighs 1.
_WRONG = 0.5  # the movement that holds most of the time is another
_EMPTY = 2.0  # of a film that never shows anybody
_HEADLESS = 0.5  # of a film that never shows the head
_LOST = 0.5  # nobody for a tenth of the time or more
_NEAR = 0.5  # inside the body
_NEAREST_M = 0.4
_FAST, _FASTEST_TURN_DPS = 0.5, 90.0  # twice that speed or more weighs in full

CameraRequest = FilmRequest | ShootRequest
# A camera to show for a clip where the model's own cannot exist.
Instead = Callable[[Clip], CameraPath]
IMPOSSIBLE = "the model's camera could not exist; another stands in for it"


@dataclass(frozen=True)
class TakeMark:
    """What one take does with its words and its person; without `made`, words were not checked."""

    take: int
    made: AskedAndMade | None
    holding: Holding | None  # None: a camera that cannot exist

    @property
    def fault(self) -> float:
        """Nothing is wrong at 0; infinite for a camera that cannot exist."""
        held = self.holding
        if held is None:
            return float("inf")
        words = 0.0
        if self.made is not None:
            words = 1 - self.made.share + (0 if self.made.right else _WRONG)
        fast = min(1.0, max(0.0, held.fastest_turn_dps / _FASTEST_TURN_DPS - 1))
        near = min(1.0, max(0.0, 1 - held.nearest_m / _NEAREST_M))
        lost = _EMPTY * held.empty_share + _HEADLESS * (1 - held.head_share)
        lost += _LOST * held.loses_person
        return words + lost + _NEAR * near + _FAST * fast

    @property
    def text(self) -> str:
        """ "take 2: fault 0.12 (movement 91 %, nobody 0 %, head 97 %)"."""
        if self.holding is None:
            return f"take {self.take}: cannot exist"
        words = "words not checked" if self.made is None else f"movement {self.made.share:.0%}"
        held = f"nobody {self.holding.empty_share:.0%}, head {self.holding.head_share:.0%}"
        return f"take {self.take}: fault {self.fault:.2f} ({words}, {held})"


@dataclass(frozen=True)
class Choice:
    """The take that was kept, and all marks, the best first."""

    take: int
    ranking: tuple[TakeMark, ...]

    @property
    def note(self) -> str:
        ranked = "; ".join(mark.text for mark in self.ranking)
        return f"best of {len(self.ranking)} takes: {ranked}"


def marked(take: int, camera: CameraPath, clip: Clip, asked: AskedCamera | None) -> TakeMark:
    """Look at one take of what was asked for (None: the words could not be read)."""
    made = None if asked is None else made_as_asked(asked, camera, clip.motion, clip.fps)
    return TakeMark(take, made, holding_of(camera, clip.motion, clip.fps))


def chosen(marks: Sequence[TakeMark]) -> Choice:
    """The take with the least fault; of nearly equal ones that with the lowest number."""
    least = min(mark.fault for mark in marks)
    take = min(mark.take for mark in marks if mark.fault <= least + NEARLY)
    ranking = sorted(marks, key=lambda mark: (mark.take != take, mark.fault, mark.take))
    return Choice(take, tuple(ranking))


def candidates(request: CameraRequest, takes: int = TAKES) -> list[CameraRequest]:
    """What is filmed to choose a take for a request that names none."""
    return [replace(request, intensity=1.0, take=take) for take in range(takes)]


def choice_key(request: CameraRequest) -> tuple[object, ...]:
    """Requests with the same key get the same take: all but intensity is alike."""
    who = request.acted if isinstance(request, ShootRequest) else id(request.clip)
    return who, request.camera_words, request.noise_seed, request.guidance


@dataclass(frozen=True, eq=False)
class Scene:
    """A camera request and whom it films; a person who was acted is read as sampled."""

    request: CameraRequest
    clip: Clip
    person: Person | None = None

    @property
    def take(self) -> int:
        return self.request.take or 0


@dataclass(eq=False)
class Filming:
    """Scenes on their way to shots, with everything that they share."""

    parts: Parts
    texts: Mapping[str, EncodedText]
    preset: PresetName
    finish: Finish
    largest_batch: int
    instead: Instead | None
    progress: Progress | None
    picture: PictureFormat = AS_DECODED
    heard: Mapping[str, str] = field(default_factory=dict[str, str])  # words told to the model

    def __post_init__(self) -> None:
        self._how = FINISHINGS[self.finish]
        self._asked = {words: read_asked(words) for words in self.texts}
        self._filmed, self._to_film = 0, 0

    def shots(self, scenes: Sequence[Scene]) -> list[Shot]:
        """Shots in the order of the scenes."""
        is_open = [self._how.chooses_take and scene.request.take is None for scene in scenes]
        keys = [choice_key(scene.request) for scene in scenes]
        undecided = {keys[at]: scenes[at] for at in range(len(scenes)) if is_open[at]}
        trials = [
            replace(scene, request=request)
            for scene in undecided.values()
            for request in candidates(scene.request)
        ]
        # At the usual intensity, the film is the take that was tried.
        others = [
            at
            for at, scene in enumerate(scenes)
            if not (is_open[at] and scene.request.intensity == 1)
        ]
        self._to_film = len(trials) + len(others)
        tried = self._cameras(trials)
        choices = self._choices(trials, tried)
        tried_as = {
            (choice_key(trial.request), trial.take): camera
            for trial, camera in zip(trials, tried, strict=True)
        }
        settled = [
            replace(scene, request=replace(scene.request, take=choices[keys[at]].take))
            if is_open[at]
            else scene
            for at, scene in enumerate(scenes)
        ]
        filmed = dict(zip(others, self._cameras([settled[at] for at in others]), strict=True))
        return [
            self._shot(
                scene,
                filmed[at] if at in filmed else tried_as[keys[at], scene.take],
                choices[keys[at]] if is_open[at] else None,
            )
            for at, scene in enumerate(settled)
        ]

    def _choices(
        self, trials: Sequence[Scene], cameras: Sequence[CameraPath]
    ) -> dict[tuple[object, ...], Choice]:
        marks: dict[tuple[object, ...], list[TakeMark]] = {}
        for trial, camera in zip(trials, cameras, strict=True):
            mark = TakeMark(trial.take, None, None)
            if can_exist(camera):
                shown = rested_and_lifted(camera, trial.clip)[0]
                asked = self._asked[trial.request.camera_words]
                mark = marked(trial.take, shown, trial.clip, asked)
            marks.setdefault(choice_key(trial.request), []).append(mark)
        return {key: chosen(some) for key, some in marks.items()}

    def _cameras(self, scenes: Sequence[Scene]) -> list[CameraPath]:
        """Cameras as decoded, in the picture that is asked for, in batches of similar length."""
        cameras: dict[int, CameraPath] = {}
        lengths = [scene.request.frames for scene in scenes]
        for batch in in_batches(lengths, self.largest_batch):
            sampled = self._sampled([scenes[at] for at in batch])
            framed = [self.picture.framed(camera) for camera in sampled]
            cameras.update(zip(batch, framed, strict=True))
            self._filmed += len(batch)
            if self.progress is not None:
                self.progress(self._filmed, self._to_film)
        return [cameras[at] for at in range(len(scenes))]

    def _sampled(self, scenes: Sequence[Scene]) -> list[CameraPath]:
        conditions = [self._condition(scene) for scene in scenes]
        preset, decoding = PRESETS[self.preset], self._how.decoding
        people = [scene.person for scene in scenes if scene.person is not None]
        if people:
            assert len(people) == len(scenes), "either all people were acted or none"
            return film_people(self.parts, people, conditions, preset, decoding)
        clips = [scene.clip for scene in scenes]
        return film_clips(self.parts, clips, conditions, preset, decoding)

    def _condition(self, scene: Scene) -> CameraCondition:
        request = scene.request
        shape = (tokens_of(request.frames), self.parts.camera_flow.network.shape.latent)
        noise = noise_for(request.noise_seed, scene.take, shape, stream="camera")
        words = self.texts[request.camera_words]
        return CameraCondition(words, request.intensity, request.guidance, noise)

    def _shot(self, scene: Scene, camera: CameraPath, choice: Choice | None) -> Shot:
        request, clip = scene.request, scene.clip
        notes = self._notes(scene)
        if not can_exist(camera):
            if self.instead is None:
                raise _impossible(scene)
            camera, notes = self.picture.framed(self.instead(clip)), [*notes, IMPOSSIBLE]
        words = request.camera_words
        camera, done = finished(camera, clip, words, self._asked[words], self._how)
        notes += done
        notes += [choice.note] if choice is not None else []
        return Shot(
            clip=clip,
            camera=camera.to(clip.motion.joints),
            provenance=Provenance("filmed by AESOP", notes=tuple(notes)),
            camera_words=request.camera_words,
            human_words=request.human_words if isinstance(request, ShootRequest) else "",
            intensity=request.intensity,
            sensor_width_mm=self.picture.sensor_width_mm,
            resolution_px=self.picture.resolution_px,
        )

    def _notes(self, scene: Scene) -> list[str]:
        flow = self.parts.camera_flow.card.identity[:12]
        request, windows = scene.request, len(windows_of(scene.clip.frames))
        notes = [f"weights {flow}", f"seed {request.noise_seed}, take {scene.take}",
                 f"guidance {request.guidance:g}, preset {self.preset}",
                 f"finish {self.finish}"]  # fmt: skip
        heard = self.heard.get(request.camera_words, request.camera_words)
        notes += [f"heard as {heard!r}"] if heard != request.camera_words else []
        notes += [self.picture.note] if self.picture != AS_DECODED else []
        return notes + ([f"{windows} overlapping windows"] if windows > 1 else [])


def _impossible(scene: Scene) -> RequestError:
    request = scene.request
    return RequestError(
        f"The model answered with a camera that cannot exist, for {scene.clip.name!r} and the "
        f"words {request.camera_words!r} (seed {request.noise_seed}, take {scene.take}, intensity "
        f"{request.intensity:g}).",
        "Try another seed or other words; if it happens often, the weights are not trained.",
    )
