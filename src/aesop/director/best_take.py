"""Cameras for requests: several takes are sampled and marked, the best is kept and finished."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from aesop.core.errors import Progress
from aesop.director.asked_hand import HandManner
from aesop.director.facts_filming import AskedFacts, asked_in
from aesop.director.finish import (
    FINISHINGS,
    Finish,
    aims_elsewhere,
    finished,
    rested_and_lifted,
)
from aesop.director.intensity_over_time import begun_where
from aesop.director.keep_in_picture import EMPTY_SHARE, empty_share
from aesop.director.key_warp import hold_shares, warped_to
from aesop.director.keyed_finish import (
    NEAR,
    Finisher,
    KeyedManner,
    finished_with_keys,
    is_within,
    near_path,
)
from aesop.director.requests import RequestError, ShootRequest
from aesop.director.sampling import NearPath, can_exist
from aesop.director.scene_cameras import (
    CameraRequest,
    ChoiceKey,
    Scene,
    SceneCameras,
    TakeKey,
    at_levels,
    choice_key,
    level_key,
    level_of,
    over_time,
)
from aesop.director.take_marks import (
    NOT_OFF,
    Choice,
    TakeMark,
    chosen,
    marked,
    marked_by_facts,
)
from aesop.director.trained_parts import Parts
from aesop.flow.solvers import PresetName
from aesop.scene.camera import CameraPath
from aesop.scene.camera_keys import CameraKeys, MetKeys
from aesop.scene.human import Clip, Provenance
from aesop.scene.intensity_curve import curve_of, intensity_text, mean_intensity
from aesop.scene.picture_format import AS_DECODED, PictureFormat
from aesop.scene.shot import Shot
from aesop.text.encoder import EncodedText

# Takes that are filmed to choose from: the most that keep a cold `aesop film` of eight seconds
# within 1.5 times the time of its first take alone (docs/director.md). Where more than a movement
# is asked for there is more to miss, and one more take.
TAKES, TAKES_BY_FACTS = 3, 4
# A camera to show for a clip where the model's own cannot exist.
Instead = Callable[[Clip], CameraPath]
IMPOSSIBLE = "the model's camera could not exist; another stands in for it"


def candidates(request: CameraRequest, takes: range = range(TAKES)) -> list[CameraRequest]:
    """What is filmed to choose a take for a request that names none."""
    return [replace(request, intensity=1.0, take=take) for take in takes]


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
        # Nobody who neither chooses nor corrects needs to understand.
        reads = self._how.chooses_take or self._how.is_steadied
        self._asked: dict[str, AskedFacts | None] = {
            words: asked_in(words) if reads else None for words in self.texts
        }
        self._free = SceneCameras(
            self.parts, self.texts, self.preset, self.finish, self._asked,
            self.largest_batch, self.progress, self.picture, self.heard,
        )  # fmt: skip
        self._met_freely = set[CameraPath]()  # those that come to their keys by themselves
        self._steadied: dict[CameraPath, tuple[CameraPath, list[str]]] = {}  # what the hand did

    def shots(self, scenes: Sequence[Scene]) -> list[Shot]:
        """Shots in the order of the scenes."""
        is_open = [self._how.chooses_take and scene.request.take is None for scene in scenes]
        keys = [choice_key(scene.request) for scene in scenes]
        undecided = {keys[at]: scenes[at] for at in range(len(scenes)) if is_open[at]}
        # At the usual intensity, the film is the take that was tried.
        others = [
            at
            for at, scene in enumerate(scenes)
            if not (is_open[at] and scene.request.intensity == 1)
        ]
        self._free.to_film = len(others)
        tried_as: dict[TakeKey, CameraPath] = {}
        choices = self._choices(undecided, tried_as)
        settled = [
            replace(scene, request=replace(scene.request, take=choices[keys[at]].take))
            if is_open[at]
            else scene
            for at, scene in enumerate(scenes)
        ]
        usual = self._at_usual_intensity([settled[at] for at in others], tried_as)
        asked = self._asked_for([settled[at] for at in others], usual)
        filmed = dict(zip(others, asked, strict=True))
        return [
            self._shot(
                scene,
                filmed[at] if at in filmed else tried_as[keys[at], scene.take],
                choices[keys[at]] if is_open[at] else None,
                usual.get((keys[at], scene.take)) if at in filmed else None,
            )
            for at, scene in enumerate(settled)
        ]

    def _at_usual_intensity(
        self, scenes: Sequence[Scene], tried_as: Mapping[TakeKey, CameraPath]
    ) -> dict[TakeKey, CameraPath]:
        """Cameras at intensity one of all that are filmed at another: where they begin, others do.
        Takes that were not tried are filmed for it."""
        if not self._how.chooses_take:
            return {}
        unknown = {
            key: replace(scene, request=replace(scene.request, intensity=1.0))
            for scene in scenes
            if (key := (choice_key(scene.request), scene.take)) not in tried_as
            and scene.request.intensity != 1
            and scene.request.keys is None
        }
        self._free.to_film += len(unknown)
        cameras = self._cameras(list(unknown.values()))
        return {**tried_as, **dict(zip(unknown, cameras, strict=True))}

    def _asked_for(
        self, scenes: Sequence[Scene], usual: Mapping[TakeKey, CameraPath]
    ) -> list[CameraPath]:
        """Cameras of scenes at the intensities that they are asked for; one whose intensity changes
        over time is put together from cameras at several."""
        known = [usual.get((choice_key(scene.request), scene.take)) for scene in scenes]
        levels = [
            at_levels(scene, knows_usual=one is not None)
            for scene, one in zip(scenes, known, strict=True)
        ]
        # What several ask for is filmed once.
        once = {level_key(level): level for some in levels for level in some}
        self._free.to_film += len(once) - len(scenes)
        filmed = dict(zip(once, self._cameras(list(once.values())), strict=True))
        return [
            over_time(scene, {level_of(level): filmed[level_key(level)] for level in some}, one)
            for scene, some, one in zip(scenes, levels, known, strict=True)
        ]

    def _takes(self, scene: Scene) -> int:
        asked = self._asked[scene.request.camera_words]
        return TAKES if asked is None or asked.movement is not None else TAKES_BY_FACTS

    def _choices(
        self, undecided: Mapping[ChoiceKey, Scene], tried_as: dict[TakeKey, CameraPath]
    ) -> dict[ChoiceKey, Choice]:
        """Which take every request gets; the cameras that were tried for it are put down. Where
        every take falls short of the words, as many are filmed again. Where the best take
        loses the person even in the operator's hand, all takes are judged as the hand shows them,
        and where that does not help, as many are filmed again."""
        tries = {key: range(self._takes(scene)) for key, scene in undecided.items()}
        trials = self._try(undecided, tries, tried_as)
        marks = {key: self._marks(some, tried_as) for key, some in trials.items()}
        missed = {
            key: scene
            for key, scene in undecided.items()
            if all(mark.falls_short for mark in marks[key])
        }
        tries = {key: range(len(trials[key]), 2 * len(trials[key])) for key in missed}
        for key, some in self._try(missed, tries, tried_as).items():
            trials[key] += some
            marks[key] += self._marks(some, tried_as)
        choices = {key: chosen(some) for key, some in marks.items()}
        for more in (False, True):
            lost = {
                key: scene
                for key, scene in undecided.items()
                if self.loses_person(trials[key][choices[key].take], tried_as)
            }
            if more and lost:
                tries = {key: range(len(trials[key]), 2 * len(trials[key])) for key in lost}
                for key, some in self._try(lost, tries, tried_as).items():
                    trials[key] += some
            for key in lost:
                shown = [self.shown_mark(it, tried_as[key, it.take]) for it in trials[key]]
                choices[key] = chosen(shown)
        return choices

    def _marks(
        self, trials: Sequence[Scene], tried_as: Mapping[TakeKey, CameraPath]
    ) -> list[TakeMark]:
        """Of takes of one request."""
        return [self._mark(it, tried_as[choice_key(it.request), it.take]) for it in trials]

    def _try(
        self,
        scenes: Mapping[ChoiceKey, Scene],
        takes: Mapping[ChoiceKey, range],
        tried_as: dict[TakeKey, CameraPath],
    ) -> dict[ChoiceKey, list[Scene]]:
        """Film takes to choose from."""
        trials = {
            key: [
                replace(scene, request=request) for request in candidates(scene.request, takes[key])
            ]
            for key, scene in scenes.items()
        }
        every = [(key, trial) for key, some in trials.items() for trial in some]
        self._free.to_film += len(every)
        cameras = self._cameras([trial for _, trial in every])
        for (key, trial), camera in zip(every, cameras, strict=True):
            tried_as[key, trial.take] = camera
        return trials

    def loses_person(self, trial: Scene, tried_as: Mapping[TakeKey, CameraPath]) -> bool:
        """Whether more frames are empty than the hand leaves alone, though nobody asked for it."""
        camera, words = tried_as[choice_key(trial.request), trial.take], trial.request.camera_words
        if not self._how.is_steadied or trial.request.keys is not None or aims_elsewhere(words):
            return False
        if not can_exist(camera):
            return False
        return empty_share(self._finished(trial, camera)[0], trial.clip) > EMPTY_SHARE

    def shown_mark(self, trial: Scene, camera: CameraPath) -> TakeMark:
        """A take of a movement as the hand shows it; others are marked so in any case."""
        asked = self._asked[trial.request.camera_words]
        if not can_exist(camera) or (asked is not None and asked.movement is None):
            return self._mark(trial, camera)
        movement = None if asked is None else asked.movement
        return marked(trial.take, self._finished(trial, camera)[0], trial.clip, movement)

    def _mark(self, trial: Scene, camera: CameraPath) -> TakeMark:
        """A take of a movement is marked before the hand, which keeps it; one that was asked for
        more as it will be shown, for what the hand cannot mend decides."""
        if not can_exist(camera):
            return TakeMark(trial.take, None, None)
        asked, clip, keys = self._asked[trial.request.camera_words], trial.clip, self._keys(trial)
        off = None if keys is None else near_path(camera, clip, keys)
        if camera in self._met_freely:
            keys, off = None, NOT_OFF
        camera = camera if keys is None else warped_to(camera, clip, keys)
        shown = rested_and_lifted(camera, clip)[0] if keys is None else camera
        if asked is None or asked.movement is not None:
            movement = None if asked is None else asked.movement
            return replace(marked(trial.take, shown, clip, movement), keys_off=off)
        final = self._finished(trial, camera)[0]
        mark = marked_by_facts(trial.take, final, clip, asked.facts, shown, asked.spans(clip))
        return replace(mark, keys_off=off)

    def _keys(self, scene: Scene) -> CameraKeys | None:
        """What the path has to meet; a lens that somebody chose for all of it wins over keys."""
        keys = scene.request.keys
        return keys if keys is None or self.picture.lens_mm is None else keys.without_lenses

    def _finished(
        self, scene: Scene, camera: CameraPath
    ) -> tuple[CameraPath, list[str], MetKeys | None]:
        keys = self._keys(scene)
        if keys is None:
            if camera not in self._steadied:
                self._steadied[camera] = self._finish(scene)(camera)
            shown, notes = self._steadied[camera]
            return shown, list(notes), None
        asked = self._asked[scene.request.camera_words]
        zooms = asked is not None and any(step.zoom for step in asked.facts.steps)
        manner = KeyedManner(
            self._finish(scene),
            self._finish(scene, is_lens_free=False),
            holds_lens=self._how.is_steadied and not zooms,
        )
        keyed = finished_with_keys(camera, scene.clip, keys, manner)
        return keyed.camera, list(keyed.notes), keyed.met

    def _finish(self, scene: Scene, is_lens_free: bool = True) -> Finisher:
        words, clip = scene.request.camera_words, scene.clip
        seed = 1000 * scene.request.noise_seed + scene.take
        manner = HandManner(is_lens_free and self.picture.lens_mm is None, seed)
        return lambda path: finished(path, clip, words, self._asked[words], self._how, manner)

    def _cameras(self, scenes: Sequence[Scene]) -> list[CameraPath]:
        """Cameras as decoded, in the picture that is asked for. Those that have to meet others are
        filmed again, near to what they have to meet, unless they come that near by themselves."""
        cameras = self._free.filmed(scenes)
        again: dict[int, Scene] = {}
        for at, (scene, camera) in enumerate(zip(scenes, cameras, strict=True)):
            keys = self._keys(scene)
            if keys is None or not can_exist(camera):
                continue
            shown = self._finish(scene)(camera)[0]
            if is_within(near_path(shown, scene.clip, keys), NEAR):
                self._met_freely.add(camera)
                continue
            share = hold_shares(keys, camera.frames, scene.clip.fps)
            again[at] = replace(scene, near=NearPath(warped_to(camera, scene.clip, keys), share))
        self._free.to_film += len(again)
        filmed = zip(again, self._free.filmed(list(again.values())), strict=True)
        nearer = {at: camera for at, camera in filmed if can_exist(camera)}
        return [nearer.get(at, camera) for at, camera in enumerate(cameras)]

    def _shot(
        self,
        scene: Scene,
        camera: CameraPath,
        choice: Choice | None,
        usual: CameraPath | None = None,
    ) -> Shot:
        request, clip = scene.request, scene.clip
        notes = self._free.notes(scene)
        is_free = request.keys is None  # keys, not the beginning, say where it stands
        if usual is not None and is_free and can_exist(camera) and can_exist(usual):
            camera, moved = begun_where(usual, camera)
            notes += moved
        if not can_exist(camera):
            if self.instead is None:
                raise _impossible(scene)
            camera, notes = self.picture.framed(self.instead(clip)), [*notes, IMPOSSIBLE]
        camera, done, met = self._finished(scene, camera)
        notes += done
        notes += [choice.note] if choice is not None else []
        return Shot(
            clip=clip,
            camera=camera.to(clip.motion.joints),
            provenance=Provenance("filmed by AESOP", notes=tuple(notes)),
            camera_words=request.camera_words,
            human_words=request.human_words if isinstance(request, ShootRequest) else "",
            intensity=mean_intensity(request.intensity, clip.frames, clip.fps),
            sensor_width_mm=self.picture.sensor_width_mm,
            resolution_px=self.picture.resolution_px,
            intensity_curve=curve_of(request.intensity),
            keys=met,
        )


def _impossible(scene: Scene) -> RequestError:
    request = scene.request
    return RequestError(
        f"The model answered with a camera that cannot exist, for {scene.clip.name!r} and the "
        f"words {request.camera_words!r} (seed {request.noise_seed}, take {scene.take}, intensity "
        f"{intensity_text(request.intensity)}).",
        "Try another seed or other words; if it happens often, the weights are not trained.",
    )
