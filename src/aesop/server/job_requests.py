"""What a program can ask the server for: one record per verb, read strictly from JSON, described in
OpenAPI from the same fields, and answered as the commands answer."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from functools import cache, partial
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from aesop.camera_words.attributes import Size
from aesop.core.errors import AesopError, CameraError, Progress
from aesop.director.body_finish import PersonFinish
from aesop.director.director import Director
from aesop.director.finish import Finish, usual_picture
from aesop.director.intensity_words import intensity_over
from aesop.director.requests import (
    GUIDANCE,
    HUMAN_GUIDANCE,
    SWEEP,
    ActRequest,
    FilmRequest,
    RequestError,
    ShootRequest,
    check_sweep,
)
from aesop.director.rule_based import Method, check_heard_times, film_by, shoot_by
from aesop.director.travel import film_for, goal_of
from aesop.flow.solvers import PresetName
from aesop.scene.camera_keys import CameraKeys
from aesop.scene.human import Clip
from aesop.scene.intensity_curve import (
    MOST_POINTS,
    Intensity,
    IntensityCurve,
    plain_intensity,
)
from aesop.scene.picture_format import SENSOR_WIDTH_MM, PictureFormat, resolution_from_text
from aesop.scene.shot import Shot
from aesop.server.key_jobs import KeptPartJob, KeyJob, camera_keys

Record = TypeVar("Record")  # a dataclass
Verb = Literal["film", "shoot", "act", "sweep"]
ClipOf = Callable[[str], Clip]  # the motion that was uploaded under an id

OPTIONAL = (UnionType, Union)  # Python has two of them: `Literal[…] | None` is the second
MOST_TAKES = 32
LONGEST_WORDS = 1000
SAMPLED = ("guidance", "preset", "first_take", "as_sampled")


def person_finish(first_take: bool, as_sampled: bool) -> PersonFinish:
    """How people are finished, by the two fields that change it."""
    if as_sampled:
        return "as-sampled"
    return "standing" if first_take else "best-take"


LARGEST_WHOLE = 2**63 - 1
INTENSITY_HELP = (
    "How far the camera travels: a number, 1 is usual, or a curve of [second, value] pairs, also "
    'as a text "0:0.6 2.5:1.5 4:1". What the words mean if not given.'
)
TRAVEL_HELP = "How far the camera travels in metres; the intensity for that is found."
END_SIZE_HELP = "On which size the shot ends; the intensity for that is found."
TAKE_HELP = "A take by its number, from 0; if not given, the best of several."


class HttpError(AesopError):
    """An answer of the server other than what was asked for, with its HTTP status."""

    def __init__(self, status: int, fact: str, remedy: str) -> None:
        super().__init__(fact, remedy)
        self.status = status


@dataclass(frozen=True, kw_only=True)
class CameraJob:
    """How every camera is made."""

    sampled: ClassVar[tuple[str, ...]] = SAMPLED  # what means nothing for the rule-based operator
    seed: Annotated[int | None, "Another seed makes another answer."] = None
    guidance: Annotated[float, "How hard the camera follows the words."] = GUIDANCE
    preset: Annotated[
        PresetName | None,
        "`reference` is the paper's sampler, `instant` takes few fitted steps; the quickest that "
        "the weights have if not given.",
    ] = None
    method: Annotated[Method, "The model, the rule-based operator, or auto."] = "model"
    first_take: Annotated[bool, "Keep the first take instead of the best of several."] = False
    as_sampled: Annotated[bool, "The first take as the paper decodes it, uncorrected."] = False
    aspect: Annotated[float | None, "Width by height of the picture; 16:9 if not given."] = None
    resolution: Annotated[str | None, "Pixels of the picture, such as 1920x1080."] = None
    lens_mm: Annotated[float | None, "A fixed focal length instead of the model's lens."] = None
    sensor_mm: Annotated[float, "Width of the sensor."] = SENSOR_WIDTH_MM
    keys: Annotated[tuple[KeyJob, ...], "Cameras to meet, in the world of the motion."] = ()
    kept: Annotated[tuple[KeptPartJob, ...], "Parts of a path that stay as they are."] = ()

    @property
    def finish(self) -> Finish:
        return "as-sampled" if self.as_sampled else "hand"

    @property
    def picture(self) -> PictureFormat:
        """What was asked for; what was not is as usual."""
        pixels = None if self.resolution is None else resolution_from_text(self.resolution)
        usual = usual_picture(self.finish)
        return usual.asked(self.aspect, pixels, self.sensor_mm, self.lens_mm)

    def camera_keys(self) -> CameraKeys | None:
        """What the camera has to meet."""
        return camera_keys(self.keys, self.kept)

    def numbered(self, takes: int, take: int | None = None) -> list[int | None]:
        """All takes by their numbers, the one that is asked for, or the one that is kept."""
        _check_takes(takes)
        self._refuse_unused(takes)
        _ = self.picture  # refuses one that no camera has
        if take is not None:
            if takes > 1 or self.first_take:
                raise RequestError("take names one take, and others are asked for.", "Give one.")
            return [take]
        if takes > 1:
            return list(range(takes))
        return [0 if self.first_take else None]

    def _refuse_unused(self, takes: int) -> None:
        """No field is ignored: the operator samples nothing, and of several takes all are kept."""
        if takes > 1 and self.first_take:
            raise RequestError("first_take means nothing for several takes.", "Leave it away.")
        unused = [name for name in self.sampled if getattr(self, name) != getattr(CameraJob, name)]
        if self.method == "operator" and unused:
            raise RequestError(
                f"{unused[0]} means nothing for the rule-based operator.", "Leave it away."
            )


@dataclass(frozen=True, kw_only=True)
class FilmJob(CameraJob):
    """A camera for an uploaded motion."""

    verb: ClassVar[Verb] = "film"
    motion: Annotated[str, "The id of an uploaded motion."]
    words: Annotated[str, "What the camera does."]
    intensity: Annotated[Intensity | None, INTENSITY_HELP] = None
    travel_m: Annotated[float | None, TRAVEL_HELP] = None
    end_size: Annotated[Size | None, END_SIZE_HELP] = None
    takes: Annotated[int, "Several cameras for one request."] = 1
    take: Annotated[int | None, TAKE_HELP] = None

    def requests(self, clip_of: ClipOf) -> list[FilmRequest]:
        clip, keys = clip_of(self.motion), self.camera_keys()
        _ = goal_of(self.travel_m, self.end_size, self.intensity)  # refuses what cannot be met
        intensity = intensity_over(self.words, self.intensity, clip.seconds)
        return [
            FilmRequest(clip, self.words, intensity, self.seed, take, self.guidance, keys=keys)
            for take in self.numbered(self.takes, self.take)
        ]

    def answer(self, director: Director, clip_of: ClipOf, progress: Progress) -> list[Shot]:
        asked = self.requests(clip_of)

        def film(some: Sequence[FilmRequest]) -> list[Shot]:
            return film_by(
                self.method, director, some, self.preset, progress, self.finish, self.picture
            )

        goal = goal_of(self.travel_m, self.end_size, self.intensity)
        return film(asked) if goal is None else film_for(film, asked, goal)


@dataclass(frozen=True, kw_only=True)
class SweepJob(CameraJob):
    """An uploaded motion filmed at several intensities with everything else alike."""

    verb: ClassVar[Verb] = "sweep"
    motion: Annotated[str, "The id of an uploaded motion."]
    words: Annotated[str, "What the camera does."]
    intensities: Annotated[tuple[float, ...], "How far the camera travels."] = SWEEP
    take: Annotated[int | None, TAKE_HELP] = None

    def requests(self, clip_of: ClipOf) -> list[FilmRequest]:
        if not 1 <= len(self.intensities) <= MOST_TAKES:
            raise RequestError(
                f"A sweep of {len(self.intensities)} intensities cannot be made.",
                f"Ask for 1 to {MOST_TAKES}.",
            )
        check_sweep(self.intensities)
        clip, keys = clip_of(self.motion), self.camera_keys()
        take = self.numbered(1, self.take)[0]
        return [
            FilmRequest(clip, self.words, intensity, self.seed, take, self.guidance, keys=keys)
            for intensity in self.intensities
        ]

    def answer(self, director: Director, clip_of: ClipOf, progress: Progress) -> list[Shot]:
        asked = self.requests(clip_of)
        return film_by(
            self.method, director, asked, self.preset, progress, self.finish, self.picture
        )


@dataclass(frozen=True, kw_only=True)
class ShootJob(CameraJob):
    """A person and a camera, both from words."""

    verb: ClassVar[Verb] = "shoot"
    sampled: ClassVar[tuple[str, ...]] = ("guidance", "preset")  # the person is the model's
    human_words: Annotated[str, "What the person does."]
    camera_words: Annotated[str, "What the camera does."]
    seconds: Annotated[float, "Length, 1 to 12."] = 6.0
    intensity: Annotated[Intensity | None, INTENSITY_HELP] = None
    travel_m: Annotated[float | None, TRAVEL_HELP] = None
    end_size: Annotated[Size | None, END_SIZE_HELP] = None
    takes: Annotated[int, "Several cameras for one person."] = 1
    camera_seed: Annotated[int | None, "Another camera for the same person."] = None
    human_guidance: Annotated[float, "How hard the person follows the words."] = HUMAN_GUIDANCE

    def requests(self, clip_of: ClipOf) -> list[ShootRequest]:
        intensity = intensity_over(self.camera_words, self.intensity, self.seconds)
        _ = goal_of(self.travel_m, self.end_size, self.intensity)  # refuses what cannot be met
        keys = self.camera_keys()
        return [
            ShootRequest(
                self.human_words,
                self.camera_words,
                self.seconds,
                intensity,
                self.seed,
                self.camera_seed,
                take,
                self.guidance,
                self.human_guidance,
                keys=keys,
            )
            for take in self.numbered(self.takes)
        ]

    def answer(self, director: Director, clip_of: ClipOf, progress: Progress) -> list[Shot]:
        asked = self.requests(clip_of)
        acting = director.with_people(person_finish(self.first_take, self.as_sampled))

        def shoot(some: Sequence[ShootRequest]) -> list[Shot]:
            return shoot_by(
                self.method, acting, some, self.preset, progress, self.finish, self.picture
            )

        goal = goal_of(self.travel_m, self.end_size, self.intensity)
        return shoot(asked) if goal is None else film_for(shoot, asked, goal)


@dataclass(frozen=True, kw_only=True)
class ActJob:
    """A person from words."""

    verb: ClassVar[Verb] = "act"
    words: Annotated[str, "What the person does."]
    seconds: Annotated[float, "Length, 1 to 12."] = 6.0
    seed: Annotated[int | None, "Another seed makes another person."] = None
    takes: Annotated[int, "Several people for the same words."] = 1
    human_guidance: Annotated[float, "How hard the person follows the words."] = HUMAN_GUIDANCE
    first_take: Annotated[bool, "Keep the first take instead of the best of several."] = False
    as_sampled: Annotated[bool, "The first take as sampled: feet may slide."] = False

    def requests(self, clip_of: ClipOf) -> list[ActRequest]:
        _check_takes(self.takes)
        if self.takes > 1 and self.first_take:
            raise RequestError("first_take means nothing for several takes.", "Leave it away.")
        takes = range(self.takes) if self.takes > 1 else [None]
        return [
            ActRequest(self.words, self.seconds, self.seed, take, self.human_guidance)
            for take in takes
        ]

    def answer(self, director: Director, clip_of: ClipOf, progress: Progress) -> list[Clip]:
        acting = director.with_people(person_finish(self.first_take, self.as_sampled))
        return acting.act_many(self.requests(clip_of), progress)


JobRequest = FilmJob | SweepJob | ShootJob | ActJob
JOBS: dict[Verb, type[JobRequest]] = {
    "film": FilmJob, "shoot": ShootJob, "act": ActJob, "sweep": SweepJob,
}  # fmt: skip


def _check_takes(takes: int) -> None:
    if not 1 <= takes <= MOST_TAKES:
        raise RequestError(f"{takes} takes cannot be made.", f"Ask for 1 to {MOST_TAKES}.")


def checked_job(job: JobRequest, clip_of: ClipOf) -> JobRequest:
    """The job itself, if all that it asks for can be met."""
    for request in job.requests(clip_of):
        request.check()
        if isinstance(job, CameraJob) and not isinstance(request, ActRequest):
            check_heard_times(request, job.method, job.finish)
    return job


def read_json(body: bytes) -> dict[str, Any]:
    """An object with every name once. Numbers that are none are refused by their fields."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) < len(pairs):
            raise ValueError("a name stands twice in one object")
        return dict(pairs)

    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=once)
    except RecursionError:
        raise HttpError(
            400, "The body is JSON nested too deeply.", "Send one flat object."
        ) from None
    except ValueError as problem:
        reason = str(problem)[:120]
        raise HttpError(400, f"The body is no JSON ({reason}).", "Send one object.") from None
    if not isinstance(value, dict):
        raise HttpError(400, "The body is JSON, but no object.", "Send one object.")
    return value


def job_from_json(verb: Verb, values: dict[str, Any]) -> JobRequest:
    """A record from an object; unknown, missing and wrongly typed fields are refused."""
    return record_from_json(JOBS[verb], verb, values)


def record_from_json(kind: type[Record], what: str, values: dict[str, Any]) -> Record:
    """A record whose fields are annotated with their help, from an object."""
    listed_fields = fields(kind)  # pyright: ignore[reportArgumentType]
    hints, known = _hints(kind), {one.name: one for one in listed_fields}
    for name in values:
        if name not in known:
            listed = ", ".join(known)
            raise HttpError(400, f"{what} has no field {name[:60]!r}.", f"Its fields: {listed}.")
    for name, one in known.items():
        if one.default is MISSING and name not in values:
            raise HttpError(400, f"{what} needs the field {name!r}.", _help(hints[name]))
    return kind(**{name: _typed(name, value, hints[name]) for name, value in values.items()})


def job_as_json(job: JobRequest) -> dict[str, Any]:
    """Inverse of `job_from_json`."""
    return {one.name: _as_json(getattr(job, one.name)) for one in fields(job)}


def _as_json(value: Any) -> Any:
    if isinstance(value, IntensityCurve):
        return value.points
    if isinstance(value, tuple):
        return tuple(map(_as_json, cast("tuple[Any, ...]", value)))
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _help(kind: Any) -> str:
    return kind.__metadata__[0]


def _typed(name: str, value: object, kind: Any) -> Any:
    """The value as its field wants it. Nothing is converted but whole numbers to numbers."""
    if get_origin(kind) is Annotated:
        return _typed(name, value, get_args(kind)[0])
    if get_origin(kind) in OPTIONAL:  # but for intensities, only `… | None` stands in the records
        first = IntensityCurve if IntensityCurve in get_args(kind) else get_args(kind)[0]
        return None if value is None else _typed(name, value, first)
    if get_origin(kind) is Literal:
        if not isinstance(value, str) or value not in get_args(kind):
            raise _wrong(name, value, f"one of {', '.join(get_args(kind))}")
        return value
    if kind is IntensityCurve:  # a record of its own, with three spellings
        return _intensity(name, value)
    if get_origin(kind) is tuple or is_dataclass(kind):
        return _nested(name, value, kind)
    if kind is str:
        return _text(name, value)
    if kind is bool:
        if not isinstance(value, bool):
            raise _wrong(name, value, "true or false")
        return value
    return _number(name, value, kind is int)


def _intensity(name: str, value: object) -> Intensity:
    """A number, a text, or pairs of second and value."""
    wanted = 'a number, a text such as "0:0.6 2.5:1.5", or a list of [second, value] pairs'
    if isinstance(value, str):
        read = partial(IntensityCurve.from_text, _text(name, value))
    elif isinstance(value, list):
        points = cast("list[Any]", value)
        if not all(isinstance(point, list) for point in points):
            raise _wrong(name, value, wanted)
        pairs = [[_number(name, number, whole=False) for number in point] for point in points]
        read = partial(IntensityCurve.from_points, pairs)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        return _number(name, value, whole=False)
    else:
        raise _wrong(name, value, wanted)
    try:
        return plain_intensity(read())
    except CameraError as problem:
        raise HttpError(400, problem.fact, problem.remedy) from None


def _nested(name: str, value: object, kind: Any) -> Any:
    """A list, or a record inside a record."""
    if is_dataclass(kind):
        if not isinstance(value, dict):
            raise _wrong(name, value, "an object")
        return record_from_json(cast("type[object]", kind), name, value)
    if not isinstance(value, list | tuple):
        raise _wrong(name, value, "a list")
    return tuple(_typed(name, one, get_args(kind)[0]) for one in value)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(name, value, "a text")
    if len(value) > LONGEST_WORDS:
        fact = f"The field {name!r} has {len(value)} characters."
        raise HttpError(400, fact, f"Say it in {LONGEST_WORDS} or fewer.")
    return value


def _number(name: str, value: object, whole: bool) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(name, value, "a whole number" if whole else "a number")
    # Compared first: a whole number may be too large to become a float at all.
    if abs(value) > LARGEST_WHOLE or not math.isfinite(value):
        raise _wrong(name, value, "a number of usual size")
    if not whole:
        return float(value)
    if isinstance(value, float):
        raise _wrong(name, value, "a whole number")
    return value


def _wrong(name: str, value: object, wanted: str) -> HttpError:
    shown = json.dumps(value)[:40]
    return HttpError(400, f"The field {name!r} is {shown}.", f"Give {wanted}.")


def job_schema(verb: Verb) -> dict[str, Any]:
    """The record as OpenAPI describes it."""
    return record_schema(JOBS[verb])


def record_schema(kind: type[Any]) -> dict[str, Any]:
    """A record whose fields are annotated with their help."""
    hints = _hints(kind)
    known = fields(kind)  # pyright: ignore[reportArgumentType]
    return {
        "type": "object",
        "description": kind.__doc__,
        "additionalProperties": False,
        "required": [one.name for one in known if one.default is MISSING],
        "properties": {
            one.name: {
                **_schema_of(get_args(hints[one.name])[0]),
                "description": _help(hints[one.name]),
                **({} if one.default is MISSING else {"default": one.default}),
            }
            for one in known
        },
    }


def _schema_of(kind: Any) -> dict[str, Any]:
    if IntensityCurve in get_args(kind):
        pair = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
        curve = {"type": "array", "items": pair, "minItems": 1, "maxItems": MOST_POINTS}
        text = {"type": "string", "maxLength": LONGEST_WORDS}
        return {"anyOf": [{"type": "number"}, curve, text, {"type": "null"}]}
    if get_origin(kind) in OPTIONAL:
        return {"anyOf": [_schema_of(get_args(kind)[0]), {"type": "null"}]}
    if get_origin(kind) is Literal:
        return {"type": "string", "enum": list(get_args(kind))}
    if get_origin(kind) is tuple:
        return {"type": "array", "items": _schema_of(get_args(kind)[0])}
    if is_dataclass(kind):
        return record_schema(cast("type[object]", kind))
    if kind is str:
        return {"type": "string", "maxLength": LONGEST_WORDS}
    names = {bool: "boolean", int: "integer", float: "number"}
    return {"type": names[kind]}
