"""Whoever answers cases (the dataset itself, the Director, its codecs), and answers kept on disk in
pieces."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar, assert_never, runtime_checkable

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from aesop.core.errors import Progress
from aesop.core.hashing import fingerprint, text_sha256
from aesop.core.whole_files import PieceFolder, atomic_path
from aesop.director.acting import PERSON_TAKES, UNCHOSEN
from aesop.director.best_take import IMPOSSIBLE, TAKES
from aesop.director.director import Director
from aesop.director.finish import FINISHINGS
from aesop.director.protocols import MEASURED, Choices, SamplingProtocol
from aesop.director.requests import GUIDANCE, FilmRequest, ShootRequest
from aesop.director.rule_based import Operator
from aesop.director.sampling import can_exist
from aesop.director.trained_parts import Parts
from aesop.features.camera_features import camera_from_features, camera_to_features
from aesop.features.human_features import human_from_features, human_to_features
from aesop.flow.solvers import PRESETS
from aesop.measuring.cases import (
    SHORTEST_MEASURED_SECONDS,
    Case,
    Cases,
    Task,
    is_impossible,
    looking_away,
)
from aesop.metrics.metric_book import MetricError
from aesop.models.codec import token_mask
from aesop.scene.camera import CameraPath
from aesop.scene.human import HumanMotion
from aesop.scene.shot import Shot

Request = TypeVar("Request", FilmRequest, ShootRequest)
# How identities of controls begin: they stand in tables beside methods and never win them.
CONTROL = "control: "
PIECE = 128  # cases: what an interruption can cost
CODEC_BATCH = 32
# People of one run differ by their window; their seeds stay apart for this many runs.
_SEEDS_APART = 1_000_003
_VERSION = 1  # of answers kept on disk
_FILMING_ROOMS = (
    "scene", "features", "text", "camera_words", "fables", "models", "flow", "director",
)  # fmt: skip


@dataclass(frozen=True)
class Ask:
    """How cases are asked for. Noise depends on seed and case alone, so two asks that differ in
    words or intensity share it."""

    task: Task
    seed: int = 0
    intensity: float = 1.0
    is_reversed: bool = False


@runtime_checkable
class Method(Protocol):
    """Anything that answers cases. `identity` names everything that its answers depend on."""

    def identity(self, task: Task) -> str: ...

    def answer(self, cases: Sequence[Case], ask: Ask) -> list[Shot]: ...


class ReferenceMethod:
    """The dataset's own shots: the ground-truth row of a table."""

    def identity(self, task: Task) -> str:
        return "reference"

    def answer(self, cases: Sequence[Case], ask: Ask) -> list[Shot]:
        return [case.reference for case in cases]


class DirectorMethod:
    """The Director, or its codecs alone. A person depends on window and seed, a camera's noise on
    shot and seed. All else is the protocol's; clips too short for users are answered too."""

    def __init__(self, director: Director, protocol: SamplingProtocol = MEASURED) -> None:
        self._director = Director(
            director.parts, people=protocol.people, shortest_seconds=SHORTEST_MEASURED_SECONDS
        )
        self.protocol = protocol
        if protocol.camera_preset is None:
            quickest = director.quickest_preset(protocol.camera_guidance)
            self.protocol = replace(protocol, camera_preset=quickest)

    def choices(self, task: Task) -> Choices:
        """The protocol by its name and in every choice that the task depends on."""
        if task == "codec":
            return ()
        if task == "film":
            return (("protocol", self.protocol.name), *self.protocol.camera_choices)
        chooses = self.protocol.people.finishing.chooses_take
        is_idle = chooses and self._director.parts.chooser is None
        idle = (("person's take, in fact", UNCHOSEN),) if is_idle else ()
        return (("protocol", self.protocol.name), *self.protocol.choices, *idle)

    def identity(self, task: Task) -> str:
        parts = self._director.parts
        if task == "codec":
            codecs = (parts.human_codec, parts.camera_codec)
            return text_sha256("codec", *(codec.card.identity for codec in codecs))
        cast = parts.cast(self.protocol.people.finish) if task == "shoot" else None
        flows = [parts.camera_flow] + ([] if cast is None else [cast.flow])
        # A flow's identity covers the codecs it was trained with.
        # Settings, not names: answers kept under a preset that has changed since are not its.
        way, people = self.protocol, self.protocol.people
        settings = [self._camera_sampling()]
        if task == "shoot":
            assert cast is not None
            settings.append(cast.sampling_identity(people.preset))
        how = FINISHINGS[way.finish]
        settings += ["held at rest, above the floor"] if how.is_held else []
        if task == "shoot":
            settings += [f"human guidance {way.human_guidance!r}", repr(people.restraint)]
            settings += [people.finish, f"camera reads latents {way.human_latents}"]
            settings += self._choosing()
        if way.camera_guidance != GUIDANCE:
            settings += [f"camera guidance {way.camera_guidance!r}"]
        if way.finish not in ("as-sampled", "held"):
            settings += [way.finish, repr(how), f"{TAKES} takes, or twice as many"]
        return text_sha256("director", *settings, *(flow.card.identity for flow in flows))

    def _camera_sampling(self) -> str:
        preset = self.protocol.camera_preset
        assert preset is not None
        if preset == "instant":
            return self._director.parts.camera_steps.card.identity
        return repr(PRESETS[preset])

    def _choosing(self) -> list[str]:
        """Who chooses among takes of people, where somebody does."""
        chooser = self._director.parts.chooser
        if not self.protocol.people.finishing.chooses_take or chooser is None:
            return []
        return [f"best of {PERSON_TAKES} people by {chooser.identity}"]

    def answer(self, cases: Sequence[Case], ask: Ask) -> list[Shot]:
        way = self.protocol
        match ask.task:
            case "film":
                requests = [self._asked(film_request(case, ask), case) for case in cases]
                return self._director.film_many(
                    requests, way.camera_preset, instead=looking_away, finish=way.finish
                )
            case "shoot":
                scenes = [
                    replace(
                        self._asked(shoot_request(case, ask), case),
                        human_guidance=way.human_guidance,
                    )
                    for case in cases
                ]
                return self._director.shoot_many(
                    scenes, way.camera_preset, instead=looking_away, finish=way.finish
                )
            case "codec":
                return reconstruct(self._director.parts, [case.reference for case in cases])
            case _:
                assert_never(ask.task)

    def _asked(self, request: Request, case: Case) -> Request:
        """As the protocol asks. Where takes are chosen, no take is named and every case has a seed
        of its own."""
        request = replace(request, guidance=self.protocol.camera_guidance)
        if not FINISHINGS[self.protocol.finish].chooses_take:
            return request
        own = request.noise_seed * _SEEDS_APART + case.row
        if isinstance(request, FilmRequest):
            return replace(request, take=None, seed=own)
        return replace(request, take=None, camera_seed=own)


class OperatorMethod:
    """The rule-based operator. Its rules are those that the references were drawn by, so it stands
    beside methods as a control."""

    def identity(self, task: Task) -> str:
        return f"{CONTROL}rule-based operator {filming_code()}"

    def answer(self, cases: Sequence[Case], ask: Ask) -> list[Shot]:
        if ask.task != "film":
            raise MetricError("The operator films given people only.", "Measure it with film.")
        return Operator().film_many([film_request(case, ask) for case in cases])


def reconstruct(parts: Parts, shots: Sequence[Shot]) -> list[Shot]:
    """Shots encoded and decoded: what is lost before any generation."""
    batches = [shots[start : start + CODEC_BATCH] for start in range(0, len(shots), CODEC_BATCH)]
    return [shot for some in batches for shot in _decoded(parts, some)]


@torch.no_grad()
def _decoded(parts: Parts, shots: Sequence[Shot]) -> list[Shot]:
    device = parts.device
    human_codec = parts.human_codec.network
    camera_codec = parts.camera_codec.network
    people = [human_to_features(shot.clip.motion).float() for shot in shots]
    paths = [camera_to_features(shot.camera, shot.clip.motion.root).float() for shot in shots]
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


def _stood_in(shot: Shot) -> Shot:
    origin = shot.provenance
    return replace(
        shot,
        camera=looking_away(shot.clip),
        provenance=replace(origin, notes=(*origin.notes, IMPOSSIBLE)),
    )


def filming_code() -> str:
    """A hash of the source that decides how a film looks; tests and reports may change."""
    package = Path(__file__).parents[1]
    content = hashlib.sha256()
    for room in _FILMING_ROOMS:
        for path in sorted((package / room).rglob("*.py")):
            content.update(path.read_bytes())
    return content.hexdigest()


def words_of(case: Case, ask: Ask) -> str:
    """What the camera is asked for."""
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


def default_cache_folder() -> Path:
    """`AESOP_CACHE` if set, else the user's cache folder."""
    chosen, base = os.environ.get("AESOP_CACHE"), os.environ.get("XDG_CACHE_HOME")
    if chosen:
        return Path(chosen) / "generated"
    return (Path(base) if base else Path.home() / ".cache") / "aesop" / "generated"


def generate(
    method: Method, cases: Cases, ask: Ask, cache: Path, progress: Progress | None = None
) -> list[Shot]:
    """The answers to all cases in their order."""
    folder = _pieces(method, cases, ask, cache)
    shots: list[Shot] = []
    for start in range(0, len(cases.cases), PIECE):
        shots += _read(*_made(method, cases, ask, folder, start), ask)
        if progress is not None:
            progress(len(shots), len(cases.cases))
    return shots


def generate_part(
    method: Method, cases: Cases, ask: Ask, cache: Path, part: int, parts: int
) -> None:
    """Every `parts`-th piece of what `generate` then finds: for processes that share the work."""
    folder = _pieces(method, cases, ask, cache)
    for start in range(part * PIECE, len(cases.cases), parts * PIECE):
        _made(method, cases, ask, folder, start)


def _made(
    method: Method, cases: Cases, ask: Ask, folder: PieceFolder, start: int
) -> tuple[Path, Sequence[Case]]:
    """The piece that begins with this case, and its cases."""
    some = cases.cases[start : start + PIECE]
    path = folder.piece(f"{start:06d}")
    if not path.exists():
        _write(path, some, method.answer(some, ask), has_people=ask.task != "film")
    return path, some


def _pieces(method: Method, cases: Cases, ask: Ask, cache: Path) -> PieceFolder:
    """One folder for everything that shots depend on, named by its hash."""
    plan = {
        "filmer": method.identity(ask.task),
        "cases": cases.sha256,
        "version": _VERSION,
        **asdict(ask),
    }
    folder = PieceFolder(cache / text_sha256(json.dumps(plan, sort_keys=True))[:32], ".safetensors")
    folder.start(plan)
    return folder


def _write(path: Path, cases: Sequence[Case], shots: Sequence[Shot], *, has_people: bool) -> None:
    if len(shots) != len(cases):
        raise MetricError(
            f"{len(cases)} cases were asked for, {len(shots)} shots came back.",
            "The method must answer every case.",
        )
    for case, shot in zip(cases, shots, strict=True):
        if shot.frames != case.reference.frames:
            raise MetricError(
                f"The answer to {case.reference.clip.name} has {shot.frames} frames, not "
                f"{case.reference.frames}.",
                "The method must answer with as many frames as the reference has.",
            )
    cameras = [shot.camera for shot in shots]
    tensors: dict[str, Tensor] = {
        "turns": torch.cat([camera.world_from_camera for camera in cameras]),
        "centres": torch.cat([camera.centre for camera in cameras]),
        "fovs": torch.cat([camera.fov_vertical for camera in cameras]),
        "aspects": torch.tensor([camera.aspect for camera in cameras]),
        "impossible": torch.tensor([is_impossible(shot) for shot in shots]),
    }
    if has_people:
        tensors |= _people(shots)
    with atomic_path(path) as temporary:
        temporary.write_bytes(
            save({key: values.float().contiguous() for key, values in tensors.items()})
        )


def _people(shots: Sequence[Shot]) -> dict[str, Tensor]:
    """Every different person once, and who is in which shot: shots of a window often share one."""
    numbers: dict[str, int] = {}
    tensors: dict[str, Tensor] = {}
    cast: list[int] = []
    for shot in shots:
        motion = shot.clip.motion
        person = fingerprint({"joints": motion.joints, "rotations": motion.rotations})
        if person not in numbers:
            numbers[person] = len(numbers)
            tensors[f"person/{numbers[person]}"] = human_to_features(motion)
            tensors[f"place/{numbers[person]}"] = motion.root[0]
        cast.append(numbers[person])
    return {**tensors, "cast": torch.tensor(cast)}


def _read(path: Path, cases: Sequence[Case], ask: Ask) -> list[Shot]:
    try:
        kept = load(path.read_bytes())
    except (SafetensorError, OSError) as error:
        raise MetricError(
            f"{path} is damaged ({error}).", "Delete it; it is made again."
        ) from error
    edges = torch.tensor([0, *(case.reference.frames for case in cases)]).cumsum(0).tolist()
    people = _motions(kept, cases)
    marks = kept["impossible"].bool().tolist() if "impossible" in kept else [False] * len(cases)
    shots: list[Shot] = []
    for number, case in enumerate(cases):
        span = slice(edges[number], edges[number + 1])
        camera = CameraPath(
            kept["turns"][span],
            kept["centres"][span],
            kept["fovs"][span],
            float(kept["aspects"][number]),
        )
        origin = case.reference.provenance
        if marks[number]:
            origin = replace(origin, notes=(*origin.notes, IMPOSSIBLE))
        shot = replace(
            case.reference,
            clip=replace(case.reference.clip, motion=people[number]),
            camera=camera,
            provenance=origin,
            camera_words=words_of(case, ask),
            intensity=ask.intensity,
        )
        shots.append(shot)
    return shots


def _motions(kept: dict[str, Tensor], cases: Sequence[Case]) -> list[HumanMotion]:
    """The people that were made, or the references' where cameras alone were."""
    if "cast" not in kept:
        return [case.reference.clip.motion for case in cases]
    cast = kept["cast"].int().tolist()
    made = [_motion(kept, person) for person in range(max(cast) + 1)]
    return [made[person] for person in cast]


def _motion(kept: dict[str, Tensor], person: int) -> HumanMotion:
    motion = human_from_features(kept[f"person/{person}"].double())
    # Features start above the origin; the answer may stand elsewhere.
    offset = kept[f"place/{person}"].double() - motion.root[0]
    return HumanMotion(motion.rotations.float(), (motion.joints + offset).float())
