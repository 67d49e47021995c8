"""Between the page and the queue: what is asked for becomes jobs, what jobs make becomes takes."""

import logging
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from aesop.core.errors import AesopError
from aesop.director.film_report import OPERATOR_SOURCE
from aesop.director.intensity_words import intensity_of
from aesop.director.requests import (
    OWN_SEEDS,
    USUAL_INTENSITIES,
    ActRequest,
    FilmRequest,
    RequestError,
)
from aesop.director.rule_based import Method
from aesop.files.motion_files import ReadOptions
from aesop.files.shot_file import read_shot, write_clip, write_shot
from aesop.flow.solvers import PresetName
from aesop.scene.human import Clip, cut
from aesop.scene.intensity_curve import (
    Intensity,
    IntensityCurve,
    intensity_text,
    plain_intensity,
)
from aesop.scene.shot import Shot
from aesop.server.job_queue import JobQueue
from aesop.server.job_requests import ActJob, FilmJob, HttpError, SweepJob
from aesop.server.key_jobs import KeptPartJob, KeyJob
from aesop.server.server_folder import (
    KeptJob,
    KeptMotion,
    ServerFolder,
    error_json,
    new_id,
)
from aesop.studio.motion_gallery import GalleryMotion, write_gallery_motion
from aesop.studio.person_words import person_facts
from aesop.studio.studio_project import JobNote, MotionState, StudioProject, StudioTake
from aesop.studio.take_facts import shot_facts
from aesop.studio.take_keys import KeptOf, TakeKeys, kept_of, key_flags

log = logging.getLogger(__name__)

MOST_TAKES_AT_ONCE = 8
# Intensities that are filmed in advance, in groups that the queue can put other work between: the
# ends first, because between them the page can show any.
FAN = ((0.5, 1.5), (0.75, 1.25), (1.0, 0.6, 0.9), (0.7, 0.8, 1.1), (1.2, 1.3, 1.4))
# A motion of many windows takes long to film: only the ends, and what is asked for.
LONG_SECONDS = 24.0


def offered_presets(has_steps: bool) -> tuple[PresetName, ...]:
    """How takes can be sampled with these weights, the quickest first; it is what takes and their
    slider use unless somebody asks for another. In few steps where the weights have some."""
    return ("instant", "fast", "reference") if has_steps else ("fast", "reference")


@dataclass(frozen=True, kw_only=True)
class KeepRequest:
    """A part of a take's camera that stays, as that take is turned now."""

    take: Annotated[str, "Whose camera."]
    start_s: Annotated[float, "From here on."]
    stop_s: Annotated[float, "Up to here."]


@dataclass(frozen=True, kw_only=True)
class TakeRequest:
    """What the page asks for."""

    motion: Annotated[str, "The id of a motion."]
    words: Annotated[str, "What the camera does."]
    intensity: Annotated[float | None, "How far it travels; what the words say if not given."] = (
        None
    )
    seed: Annotated[int | None, "The first that is not used yet if not given."] = None
    method: Annotated[Method, "The model, the rule-based operator, or auto."] = "auto"
    aspect: Annotated[float | None, "Width by height; 16:9 if not given."] = None
    lens_mm: Annotated[float | None, "A fixed focal length instead of the model's lens."] = None
    takes: Annotated[int, "Several at once, with one seed each."] = 1
    instead_of: Annotated[str | None, "A take that goes once this one is there."] = None
    preset: Annotated[PresetName | None, "How it is sampled; the quickest if not given."] = None
    keys: Annotated[tuple[KeyJob, ...], "Cameras to meet, in the world of the motion."] = ()
    keep: Annotated[tuple[KeepRequest, ...], "Parts of takes to keep; the rest is redone."] = ()


class TakeDesk:
    """Films takes of a project through a server's queue, and keeps what comes back."""

    def __init__(self, project: StudioProject, folder: ServerFolder, queue: JobQueue) -> None:
        self._project, self._folder, self._queue = project, folder, queue
        self.presets = offered_presets(queue.director.parts.has_steps)
        # By take or job: why intensities or people could not be made, since this server began.
        self.mistakes: dict[str, Mapping[str, str]] = {}

    # What the page asks for

    def film(self, asked: TakeRequest) -> list[StudioTake]:
        """Takes that wait for their first shots."""
        if not 1 <= asked.takes <= MOST_TAKES_AT_ONCE:
            raise RequestError(
                f"{asked.takes} takes cannot be made at once.",
                f"Ask for 1 to {MOST_TAKES_AT_ONCE}.",
            )
        if asked.instead_of is not None:
            asked = replace(asked, instead_of=self._given_up(asked.instead_of))
        intensity = hundredths(intensity_of(asked.words, asked.intensity))
        keys = self._keys(asked)
        takes: list[StudioTake] = []
        for at in range(asked.takes):
            only = asked if at == 0 else replace(asked, instead_of=None)
            takes.append(self._film_one(only, intensity, self._seed(asked), keys))
        return takes

    def _keys(self, asked: TakeRequest) -> TakeKeys:
        """What the camera has to meet, with the numbers of kept parts."""
        folder, parts = self._project.folder, list[tuple[KeptOf, KeptPartJob]]()
        for part in asked.keep:
            path = self.shot_path(self._project.take(part.take))
            parts.append(kept_of(path, folder, part.start_s, part.stop_s))
        return TakeKeys(asked.keys, tuple(kept for _, kept in parts), tuple(of for of, _ in parts))

    def _given_up(self, name: str) -> str | None:
        """What a take replaces: another one, or, of one that is not filmed yet and now need not
        be, whatever that was to replace."""
        take = self._project.take(name)
        if take.state != "waiting":
            return name
        for job, note in self._project.jobs().items():
            if note == JobNote("film", name):
                self._cancel(job)
        return take.instead_of

    def _film_one(
        self, asked: TakeRequest, intensity: float, seed: int, keys: TakeKeys
    ) -> StudioTake:
        take = StudioTake(
            new_id(), 0, asked.motion, asked.words, asked.method, asked.aspect, asked.lens_mm,
            seed, None, intensity, instead_of=asked.instead_of, preset=self._preset(asked),
        )  # fmt: skip
        self._queue.submit(
            film_job(take, keys),
            noted=lambda kept: self._project.new_take(take, kept.id, keys) and None,
        )
        return self._project.take(take.id)

    def _preset(self, asked: TakeRequest) -> PresetName:
        if asked.method == "operator":  # who samples nothing has no preset
            return "fast"
        return asked.preset or self.presets[0]

    def _seed(self, asked: TakeRequest) -> int:
        """The seed that was named, or the first from the request's own on that no take has."""
        if asked.seed is not None:
            return asked.seed
        own = FilmRequest(self._folder.clip(asked.motion), asked.words).noise_seed
        alike = (asked.motion, asked.words, asked.aspect, asked.lens_mm)
        used = {
            take.seed
            for take in self._project.takes()
            if (take.motion, take.words, take.aspect, take.lens_mm) == alike
            and (not take.removed or take.state == "waiting")
        }
        return next(seed % OWN_SEEDS for seed in range(own, own + OWN_SEEDS) if seed not in used)

    def turn(self, take: StudioTake, intensity: Intensity) -> bool:
        """Turn a take to another intensity, or to one over time; whether a shot of it is there
        already."""
        asked = tidied(intensity)
        low, high = USUAL_INTENSITIES
        for value in asked.values if isinstance(asked, IntensityCurve) else (asked,):
            if not low <= value <= high:
                raise RequestError(
                    f"The intensity {value:g} is not between {low:g} and {high:g}.",
                    "Choose one between them; 1 is the usual camera travel.",
                )
        if isinstance(asked, IntensityCurve):
            turned = replace(take, curve=asked.text)
        else:
            turned = replace(take, intensity=asked, curve=None)
        is_there = self._project.facts(turned) is not None
        if not is_there:
            self._film_turned(turned)
        values = {"intensity": turned.intensity, "curve": turned.curve}
        self._project.change("intensity", take.id, values)
        return is_there

    def catch_up(self) -> None:
        """After something was taken back: nobody waits for takes of a motion that is gone; what a
        take is turned to and nobody has filmed, because it was turned on before that was done, is
        filmed."""
        self.give_up_films()
        asked = {note.subject for note in self._project.jobs().values() if note.kind == "turn"}
        for take in self._project.takes():
            is_shown = take.state == "done" and not take.removed and take.id not in asked
            if is_shown and self._project.facts(take) is None:
                self._film_turned(take)

    def _film_turned(self, take: StudioTake) -> None:
        """The take as it is turned now. Whatever it was turned to before need not be filmed."""
        self._refuse_unfilmed(take)
        for job, note in self._project.jobs().items():
            if note == JobNote("turn", take.id):
                self._cancel(job)
        self._submit(take, film_job(take, self._project.keys(take.id)), "turn")

    def give_up_films(self) -> None:
        """Takes that wait for their first shot and whose motion was removed are not made."""
        gone = {name for name, state in self._project.motion_states().items() if state.removed}
        for job, note in self._project.jobs().items():
            if note.kind == "film" and self._project.take(note.subject).motion in gone:
                self._cancel(job)

    def _cancel(self, job: str) -> None:
        """A job that nobody waits for any more, unless it has ended meanwhile."""
        with suppress(HttpError):
            self._queue.cancel(job)

    @staticmethod
    def _refuse_unfilmed(take: StudioTake) -> None:
        if take.state != "done":
            raise HttpError(409, "The take is not filmed yet.", "Wait until it is.")

    def spread(self, take: StudioTake) -> int:
        """Film the intensities around a take in advance; how many jobs that takes."""
        asked = {note.subject for note in self._project.jobs().values() if note.kind == "fan"}
        if take.id in asked:
            return 0
        there = self._project.shots(take.id)
        is_long = self._folder.clip(take.motion).seconds > LONG_SECONDS
        groups = FAN[:1] if is_long else FAN
        missing = [tuple(a for a in group if a not in there) for group in groups]
        jobs = [group for group in missing if group]
        self._refuse_unfilmed(take)
        film = film_job(take, self._project.keys(take.id))
        for group in jobs:
            self._submit(take, sweep_job(film, group), "fan")
        return len(jobs)

    def _submit(
        self, take: StudioTake, job: FilmJob | SweepJob, kind: Literal["turn", "fan"]
    ) -> None:
        """What nobody waits for comes after everything else."""
        note = JobNote(kind, take.id)
        self._queue.submit(
            job, in_advance=kind == "fan", noted=lambda kept: self._project.note_job(kept.id, note)
        )

    def act(self, words: str, seconds: float, seed: int | None) -> str:
        """A person from words; the job that makes them."""
        note = JobNote("act", words)
        if seed is None and (used := self._seeds_of_people(words, seconds)):
            own = ActRequest(words, seconds).noise_seed
            seed = next(one % OWN_SEEDS for one in range(own, own + OWN_SEEDS) if one not in used)
        job = ActJob(words=words, seconds=seconds, seed=seed)
        return self._queue.submit(job, noted=lambda kept: self._project.note_job(kept.id, note)).id

    def _seeds_of_people(self, words: str, seconds: float) -> set[int]:
        """Of people who were made from the same words and are still there."""
        states = self._project.motion_states()
        return {
            made["seed"]
            for motion, made in self._project.people().items()
            if (made.get("words"), made.get("seconds")) == (words, seconds)
            and not states.get(motion, MotionState()).removed
            and made.get("seed") is not None
        }

    def add_from_gallery(self, one: GalleryMotion) -> KeptMotion:
        received = self._folder.incoming(".bvh")
        write_gallery_motion(one, received)
        with self._project.undivided():
            kept = self._folder.add_motion(received, f"{one.name}.bvh", ReadOptions())
            self._project.add_motion(kept.id, "open motion", {"label": one.label}, "gallery")
        return kept

    def cut(self, motion: str, start_s: float, stop_s: float) -> KeptMotion:
        """A part of a motion as a motion of its own, where it stands in its file's world."""
        clip = self._folder.clip(motion)
        start, stop = round(start_s * clip.fps), round(stop_s * clip.fps)
        part = cut(clip, start, stop)
        whole = self._project.people().get(motion, {})
        origin = {"of": motion, "start": start, "stop": stop, "label": whole.get("label")}
        name = f"{_stem(self._folder.motion(motion).name)} {start_s:.2f}-{stop_s:.2f} s.clip"
        with self._project.undivided():
            kept = self._keep_clip(replace(part, name=_stem(name)), name)
            self._project.add_motion(kept.id, "cut motion", origin, "cut")
        return kept

    def file_behind(self, motion: KeptMotion) -> KeptMotion:
        """The file that a motion is, or was cut from."""
        whole = self._project.people().get(motion.id, {}).get("of")
        return motion if whole is None else self.file_behind(self._folder.motion(whole))

    def _keep_clip(self, clip: Clip, name: str) -> KeptMotion:
        received = self._folder.incoming(".clip")
        write_clip(clip, received)
        return self._folder.add_motion(received, name, ReadOptions())

    # What the queue makes

    def answered(self, job: KeptJob, answers: Sequence[Shot | Clip]) -> None:
        note = self._project.job(job.id)
        if note is None:
            return
        match note.kind:
            case "film":
                self._keep_first(self._project.take(note.subject), _only_shot(answers))
            case "fan" | "turn":
                take = self._project.take(note.subject)
                shots = [answer for answer in answers if isinstance(answer, Shot)]
                for shot in shots:
                    if shot.intensity_curve is not None:
                        facts = self._kept(take, shot)
                        self._project.add_curve_shot(take.id, shot.intensity_curve, facts)
                plain = [shot for shot in shots if shot.intensity_curve is None]
                self._project.add_shots(
                    take.id, {shot.intensity: self._kept(take, shot) for shot in plain}
                )
            case "act":
                self._keep_person(job, answers[0])

    def tidy(self) -> None:
        """Settle what an earlier server had made, or lost, and could not write down any more."""
        for name, note in self._project.jobs().items():
            try:
                job = self._folder.job(name)
            except HttpError:
                if note.kind == "film" and self._project.take(note.subject).state == "waiting":
                    lost = AesopError("The film's job is gone from the project.", "Film again.")
                    self._project.failed(note.subject, error_json(lost))
                self._project.forget_job(name)
            else:
                if job.ended:
                    self.ended(job)

    def ended(self, job: KeptJob) -> None:
        note = self._project.job(job.id)
        if note is None:
            return
        if note.kind == "film" and job.state != "done":
            self._project.failed(note.subject, job.error)
        if note.kind in ("fan", "turn") and job.state == "failed":
            self._turn_back(note.subject, job.error or {})
        self._project.forget_job(job.id)
        if note.kind == "act" and job.state == "failed":
            self.mistakes[job.id] = job.error or {}
        self._folder.remove_job(job.id)
        if note.kind == "turn" and job.state == "done":
            self.catch_up()  # it was turned on between its answer and its end

    def _turn_back(self, name: str, error: Mapping[str, str]) -> None:
        """A take that cannot be had at an intensity goes back to the nearest that there is."""
        self.mistakes[name] = error
        take, there = self._project.take(name), list(self._project.shots(name))
        if there and self._project.facts(take) is None:
            nearest = min(there, key=lambda a: abs(a - take.intensity))
            self._project.change("intensity", name, {"intensity": nearest, "curve": None})

    def _keep_first(self, take: StudioTake, shot: Shot) -> None:
        """Whoever filmed it films its other intensities too."""
        facts = self._kept(take, shot)
        by_rules = shot.provenance.source == OPERATOR_SOURCE
        method: Method = "operator" if by_rules else "model"
        noise = {"seed": facts["seed"], "take": facts["take"]}
        preset: PresetName = "fast" if by_rules else take.preset
        self._project.filmed(replace(take, method=method, preset=preset, **noise), facts)

    def _kept(self, take: StudioTake, shot: Shot) -> dict[str, Any]:
        path = self._project.shot_path(take, shot.intensity_curve or shot.intensity)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_shot(shot, path)
        return shot_facts(shot)

    def _keep_person(self, job: KeptJob, clip: Shot | Clip) -> None:
        assert isinstance(clip, Clip) and isinstance(job.request, ActJob)
        words = job.request.words
        name = "".join(sign if sign.isalnum() else " " for sign in words)
        origin = {"job": job.id, "words": words, "label": words, "seconds": job.request.seconds}
        origin |= person_facts(words, clip)
        with self._project.undivided():
            kept = self._keep_clip(clip, f"{' '.join(name.split())[:60] or 'person'}.clip")
            self._project.add_motion(kept.id, "act", origin, "acted")

    # What is told of a take

    def shot(self, take: StudioTake, intensity: float | None = None) -> Shot:
        """The take as it is turned now, or at an intensity that was filmed."""
        return read_shot(self.shot_path(take, intensity))

    def shot_path(self, take: StudioTake, intensity: float | None = None) -> Path:
        asked = take.turned_to if intensity is None else hundredths(intensity)
        path = self._project.shot_path(take, asked)
        if isinstance(asked, IntensityCurve):
            is_there = self._project.facts(take) is not None
        else:
            is_there = asked in self._project.shots(take.id)
        if not is_there or not path.exists():
            told = intensity_text(asked)
            raise HttpError(409, f"The take is not filmed at {told} yet.", "Wait a moment.")
        return path

    def command(self, take: StudioTake, suffix: str = ".shot") -> str:
        """The command line that makes the same shot."""
        kept = self._folder.motion(take.motion)
        motion = self._folder.motion_file(kept, f"motion{kept.suffix}")
        keys = self._project.keys(take.id)
        if keys.parts:  # a part is kept of the shot that it is part of
            motion = self._project.folder / keys.parts[0].shot
        parts = ["aesop", "film", str(motion.resolve()), take.words, "--seed", str(take.seed)]
        parts += ["--intensity", intensity_text(take.turned_to)]
        parts += ["--method", "operator"] if take.method == "operator" else []
        by_model = take.method != "operator"
        parts += ["--preset", take.preset] if by_model and take.preset != self.presets[0] else []
        parts += [] if take.aspect is None else ["--aspect", f"{take.aspect!r}"]
        parts += [] if take.lens_mm is None else ["--lens", f"{take.lens_mm:g}"]
        folder = self._project.shot_path(take, take.intensity).parent
        parts += key_flags(keys, take.aspect or 16 / 9, folder)
        parts += [] if keys.parts else _reading(kept.options)
        return shlex.join([*parts, "-o", f"{export_name(take, kept)}{suffix}"])


def film_job(take: StudioTake, keys: TakeKeys) -> FilmJob:
    """The take as it is turned now, as the queue films it."""
    return FilmJob(
        motion=take.motion,
        words=take.words,
        intensity=take.turned_to,
        seed=take.seed,
        take=take.take,
        method=take.method,
        aspect=take.aspect,
        lens_mm=take.lens_mm,
        preset=None if take.method == "operator" else take.preset,
        keys=keys.keys,
        kept=keys.kept,
    )


def sweep_job(film: FilmJob, intensities: tuple[float, ...]) -> SweepJob:
    """The same film at several intensities."""
    alike = {one.name for one in fields(FilmJob)} & {one.name for one in fields(SweepJob)}
    return SweepJob(intensities=intensities, **{name: getattr(film, name) for name in alike})


def hundredths(intensity: float) -> float:
    """Intensities are told apart in hundredths, as sliders and file names have them."""
    return round(intensity, 2)


def tidied(intensity: Intensity) -> Intensity:
    """In hundredths, and a curve at milliseconds; one that stays at a value is that value."""
    if not isinstance(intensity, IntensityCurve):
        return hundredths(intensity)
    points = [(round(second, 3), hundredths(value)) for second, value in intensity.points]
    return plain_intensity(IntensityCurve.from_points(points))


def export_name(take: StudioTake, motion: KeptMotion) -> str:
    """A file name for downloads."""
    chosen = take.name or f"{_stem(motion.name)} {take.folder[4:]}"
    plain = "".join(sign if sign.isalnum() or sign in "-." else "_" for sign in chosen)
    return plain.strip("._")[:60] or "shot"


def _only_shot(answers: Sequence[Shot | Clip]) -> Shot:
    (shot,) = answers
    assert isinstance(shot, Shot)
    return shot


def _stem(name: str) -> str:
    return Path(name).stem


def _reading(options: ReadOptions) -> list[str]:
    told: Mapping[str, object] = {
        "--file-fps": options.fps,
        "--units": options.units,
        "--up": options.up,
        "--loop": options.loop,
    }
    return [
        part for flag, value in told.items() if value is not None for part in (flag, f"{value}")
    ]
