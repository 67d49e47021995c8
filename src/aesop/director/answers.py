"""From camera requests and the people they film to finished shots: takes are filmed, one is chosen
where the request leaves it open, and what is kept is finished."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from aesop.data.fables.wishes import CameraWish, read_wish
from aesop.director.cameras import Wish, can_exist, film_people
from aesop.director.finishing import FINISHINGS, Finish, Finishing, finished
from aesop.director.parts import Parts
from aesop.director.people import Person
from aesop.director.requests import FilmRequest, RequestError, ShootRequest
from aesop.director.sampling import in_batches, tokens_of
from aesop.director.takes import Choice, TakeMark, candidates, choice_key, chosen, marked
from aesop.director.tidying import tidied
from aesop.director.windows import film_clips, windows_of
from aesop.flow.noise import noise_for
from aesop.flow.presets import PRESETS, PresetName
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip, Provenance
from aesop.scene.shot import Shot
from aesop.text.encoder import EncodedText

Progress = Callable[[int, int], None]
# A camera to show for a clip where the model's own cannot exist.
Instead = Callable[[Clip], CameraPath]
IMPOSSIBLE = "the model's camera could not exist; another stands in for it"


@dataclass(frozen=True, eq=False)
class Scene:
    """A camera request and whom it films; a person who was acted is read as sampled."""

    request: FilmRequest | ShootRequest
    clip: Clip
    person: Person | None = None

    @property
    def take(self) -> int:
        return self.request.take or 0


@dataclass(frozen=True)
class FilmSetting:
    """How cameras are sampled and finished. Untidy ones come back as they were decoded."""

    preset: PresetName
    finish: Finish
    largest_batch: int
    is_tidy: bool = True
    instead: Instead | None = None

    @property
    def how(self) -> Finishing:
        return FINISHINGS[self.finish]


class Answering:
    """Scenes on their way to shots, with everything that they share."""

    def __init__(
        self,
        parts: Parts,
        texts: Mapping[str, EncodedText],
        setting: FilmSetting,
        progress: Progress | None,
    ) -> None:
        self._parts, self._texts, self._setting = parts, texts, setting
        self._progress = progress
        self._wishes: dict[str, CameraWish | None] = {words: read_wish(words) for words in texts}
        self._filmed, self._to_film = 0, 0

    def shots(self, scenes: Sequence[Scene]) -> list[Shot]:
        """Shots in the order of the scenes."""
        first_of = self._undecided(scenes)
        trials = [
            replace(scene, request=request)
            for scene in first_of.values()
            for request in candidates(scene.request)
        ]
        self._to_film = len(trials) + sum(not self._is_trial(scene) for scene in scenes)
        trial_cameras = self._cameras(trials)
        choices = self._choices(trials, trial_cameras)
        kept = {
            (choice_key(trial.request), trial.take): camera
            for trial, camera in zip(trials, trial_cameras, strict=True)
        }
        settled = [self._settled(scene, choices) for scene in scenes]
        places = [at for at, scene in enumerate(scenes) if not self._is_trial(scene)]
        own = dict(zip(places, self._cameras([settled[at] for at in places]), strict=True))
        return [
            self._shot(
                scene,
                own[at] if at in own else kept[choice_key(scene.request), scene.take],
                choices.get(choice_key(scene.request)) if self._is_open(scenes[at]) else None,
            )
            for at, scene in enumerate(settled)
        ]

    def _is_open(self, scene: Scene) -> bool:
        """Whether a take is to be chosen."""
        return self._setting.how.chooses_take and scene.request.take is None

    def _is_trial(self, scene: Scene) -> bool:
        """Whether its camera is among the takes that are filmed to choose from."""
        return self._is_open(scene) and scene.request.intensity == 1

    def _undecided(self, scenes: Sequence[Scene]) -> dict[tuple[object, ...], Scene]:
        """One scene for every choice that must be made."""
        first_of: dict[tuple[object, ...], Scene] = {}
        for scene in scenes:
            if self._is_open(scene):
                first_of.setdefault(choice_key(scene.request), scene)
        return first_of

    def _choices(
        self, trials: Sequence[Scene], cameras: Sequence[CameraPath]
    ) -> dict[tuple[object, ...], Choice]:
        marks: dict[tuple[object, ...], list[TakeMark]] = {}
        for trial, camera in zip(trials, cameras, strict=True):
            mark = TakeMark(trial.take, None, None)
            if can_exist(camera):
                shown = tidied(camera, trial.clip)[0] if self._setting.is_tidy else camera
                mark = marked(trial.take, shown, trial.clip, self._wish_of(trial))
            marks.setdefault(choice_key(trial.request), []).append(mark)
        return {key: chosen(some) for key, some in marks.items()}

    def _settled(self, scene: Scene, choices: Mapping[tuple[object, ...], Choice]) -> Scene:
        if not self._is_open(scene):
            return scene
        take = choices[choice_key(scene.request)].take
        return replace(scene, request=replace(scene.request, take=take))

    def _wish_of(self, scene: Scene) -> CameraWish | None:
        return self._wishes[scene.request.camera_words]

    def _cameras(self, scenes: Sequence[Scene]) -> list[CameraPath]:
        """Cameras as decoded, in batches of similar length."""
        cameras: dict[int, CameraPath] = {}
        for places in in_batches(
            [scene.request.frames for scene in scenes], self._setting.largest_batch
        ):
            some = self._batch([scenes[place] for place in places])
            cameras.update(zip(places, some, strict=True))
            self._filmed += len(places)
            if self._progress is not None:
                self._progress(self._filmed, self._to_film)
        return [cameras[place] for place in range(len(scenes))]

    def _batch(self, scenes: Sequence[Scene]) -> list[CameraPath]:
        wishes = [self._noisy_wish(scene) for scene in scenes]
        preset, decoding = PRESETS[self._setting.preset], self._setting.how.decoding
        people = [scene.person for scene in scenes if scene.person is not None]
        if people:
            assert len(people) == len(scenes), "either all people were acted or none"
            return film_people(self._parts, people, wishes, preset, decoding)
        clips = [scene.clip for scene in scenes]
        return film_clips(self._parts, clips, wishes, preset, decoding)

    def _noisy_wish(self, scene: Scene) -> Wish:
        request = scene.request
        shape = (tokens_of(request.frames), self._parts.camera_flow.network.shape.latent)
        noise = noise_for(request.noise_seed, scene.take, shape, stream="camera")
        words = self._texts[request.camera_words]
        return Wish(words, request.intensity, request.guidance, noise)

    def _shot(self, scene: Scene, camera: CameraPath, choice: Choice | None) -> Shot:
        request, clip = scene.request, scene.clip
        notes = self._notes(scene)
        if not can_exist(camera):
            if self._setting.instead is None:
                raise _impossible(scene)
            camera, notes = self._setting.instead(clip), [*notes, IMPOSSIBLE]
        if self._setting.is_tidy:
            camera, told = finished(
                camera, clip, request.camera_words, self._wish_of(scene), self._setting.how
            )
            notes += told
        notes += [choice.note] if choice is not None else []
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

    def _notes(self, scene: Scene) -> list[str]:
        flow = self._parts.camera_flow.card.identity[:12]
        request, windows = scene.request, len(windows_of(scene.clip.frames))
        notes = [f"weights {flow}", f"seed {request.noise_seed}, take {scene.take}",
                 f"guidance {request.guidance:g}, preset {self._setting.preset}",
                 f"finish {self._setting.finish}"]  # fmt: skip
        return notes + ([f"{windows} overlapping windows"] if windows > 1 else [])


def _impossible(scene: Scene) -> RequestError:
    request = scene.request
    return RequestError(
        f"The model answered with a camera that cannot exist, for {scene.clip.name!r} and the "
        f"words {request.camera_words!r} (seed {request.noise_seed}, take {scene.take}, intensity "
        f"{request.intensity:g}).",
        "Try another seed or other words; if it happens often, the weights are not trained.",
    )
