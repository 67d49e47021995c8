"""Methods by name: whoever can be asked for shots has a row here, with the tasks that it can do;
and the methods that AESOP is compared with, as whoever is measured: they answer the same cases."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Literal, assert_never

from aesop.baselines.baseline_table import METHODS
from aesop.baselines.scene_batch import Guidance
from aesop.core.errors import AesopError, Progress
from aesop.core.hashing import text_sha256
from aesop.director.baseline_films import (
    DEFAULT_FOLDER,
    PLAIN_FINISHES,
    BaselineDirector,
    lens_of,
    load_baseline,
)
from aesop.director.baseline_scenes import PERSON_FINISH, rebuilt_shots, shoot_many
from aesop.director.director import load_director
from aesop.director.finish import Finish
from aesop.director.protocols import MEASURED, PROTOCOLS, SHIPPED, Choices, SamplingProtocol
from aesop.measuring.cases import SHORTEST_MEASURED_SECONDS, Case, Task, looking_away
from aesop.measuring.methods import (
    Ask,
    DirectorMethod,
    Method,
    OperatorMethod,
    ReferenceMethod,
    film_request,
    shoot_request,
)
from aesop.metrics.metric_book import MetricError
from aesop.models.phase_table import MethodName
from aesop.scene.shot import Shot
from aesop.text.encoder import TextEncoder
from aesop.text.encoders import default_cache_folder, text_encoder


class BaselineMethod:
    """A method that AESOP is compared with. Where it makes no lens, it is lent the reference's, and
    its row says so."""

    def __init__(self, director: BaselineDirector, finish: Finish = MEASURED.finish) -> None:
        if finish not in PLAIN_FINISHES:
            raise MetricError(
                f"The finish {finish} is AESOP's own.",
                f"Choose one of: {', '.join(PLAIN_FINISHES)}.",
            )
        self.director = director
        self.finish: Finish = finish
        self._prepared: dict[tuple[Ask, int], Shot] = {}

    def choices(self, task: Task) -> Choices:
        """Every choice that its answers depend on, for tables."""
        method, guidance = self.director.method, self.director.guidance
        named = zip(method.protocol.guidance_names, guidance, strict=True)
        if task == "codec":
            return ()
        people = (("people", PERSON_FINISH[self.finish].replace("-", " ")),)
        return (
            ("sampler", method.protocol.sampler + self._rounding),
            ("guidance", ", ".join(f"{name} {value:g}" for name, value in named)),
            ("lens", "its own" if method.makes_lens else "the reference's"),
            ("finish", self.finish),
            *(people if task == "shoot" else ()),
        )

    @property
    def _rounding(self) -> str:
        """What networks are sampled in (`baselines.baseline_sampling`), where it is not float32.
        Those that make people are: guidance of eleven would make roundings eleven times as large.
        """
        is_half = self.director.device.type == "cuda" and self.director.method.task == "film"
        return ", networks in bfloat16" if is_half else ""

    def identity(self, task: Task) -> str:
        if task != self.director.method.task:
            raise MetricError(
                f"{self.director.method.paper_name} cannot do the task {task}.",
                f"Measure it with --task {self.director.method.task}.",
            )
        card, settings = self.director.part.card, repr(self.choices(task))
        return text_sha256("baseline", card.part, card.identity, settings)

    def prepare(self, cases: Sequence[Case], ask: Ask, progress: Progress | None = None) -> None:
        """Answer many cases at once, in batches by length; `answer` then has them."""
        if ask.intensity != 1:
            raise MetricError(
                f"{self.director.method.paper_name} knows no intensity.", "Leave it out of sweeps."
            )
        shots = self._answers(cases, ask, progress)
        for case, shot in zip(cases, shots, strict=True):
            self._prepared[ask, case.row] = shot

    def _answers(self, cases: Sequence[Case], ask: Ask, progress: Progress | None) -> list[Shot]:
        match ask.task:
            case "film":
                lenses = [lens_of(case.reference.camera) for case in cases]
                films = [film_request(case, ask) for case in cases]
                return self.director.film_many(
                    films, lenses, progress, instead=looking_away, finish=self.finish
                )
            case "shoot":
                scenes = [shoot_request(case, ask) for case in cases]
                return shoot_many(
                    self.director, scenes, progress, instead=looking_away, finish=self.finish
                )
            case "codec":
                references = [case.reference for case in cases]
                return rebuilt_shots(self.director, references, looking_away)
            case _:
                assert_never(ask.task)

    def answer(self, cases: Sequence[Case], ask: Ask) -> list[Shot]:
        unknown = [case for case in cases if (ask, case.row) not in self._prepared]
        if unknown:
            self.prepare(unknown, ask)
        return [self._prepared.pop((ask, case.row)) for case in cases]


@cache
def trained_baseline(
    folder: Path,
    name: MethodName,
    encoder: TextEncoder,
    device: str,
    guidance: Guidance = (),
    finish: Finish = MEASURED.finish,
    steps: int | None = None,
) -> BaselineMethod:
    """A method with weights from a folder, read once in every process; without a guidance or steps
    the paper's."""
    director = load_baseline(
        folder, name, encoder, device, guidance or None, SHORTEST_MEASURED_SECONDS, steps
    )
    return BaselineMethod(director, finish)


AskedTask = Literal["film", "shoot"]
WAYS: dict[str, SamplingProtocol] = {"shipped": SHIPPED, "measured": MEASURED, **PROTOCOLS}


@dataclass(frozen=True)
class MethodSetting:
    """What a method is made from, where it has weights; others are refused to have any."""

    weights: Path | None = None
    encoder: str | None = None
    protocol: str | None = None
    steps: int | None = None  # of sampling, where a method can take fewer than the paper's


@dataclass(frozen=True)
class NamedMethod:
    """A row of the table."""

    title: str
    tasks: tuple[AskedTask, ...]
    make: Callable[[MethodSetting, str], Method]  # from its setting and a device
    has_weights: bool = False


def _aesop(setting: MethodSetting, device: str) -> Method:
    encoder = text_encoder(setting.encoder or "minilm", default_cache_folder())
    director = load_director(setting.weights, device, encoder)
    return DirectorMethod(director, WAYS[setting.protocol or SHIPPED.name])


def _baseline(name: MethodName, setting: MethodSetting, device: str) -> Method:
    encoder = text_encoder(setting.encoder or "minilm", default_cache_folder())
    way = WAYS[setting.protocol or SHIPPED.name]
    finish = way.finish if way.finish in PLAIN_FINISHES else MEASURED.finish
    folder = setting.weights or DEFAULT_FOLDER
    return trained_baseline(folder, name, encoder, device, (), finish, setting.steps)


_BASELINES = {
    name: NamedMethod(method.paper_name, (method.task,), partial(_baseline, name), has_weights=True)
    for name, method in METHODS.items()
    if method.task != "codec"
}
NAMED_METHODS: dict[str, NamedMethod] = {
    "aesop": NamedMethod("AESOP", ("film", "shoot"), _aesop, has_weights=True),
    **_BASELINES,
    "operator": NamedMethod("Rule-based operator", ("film",), lambda *_: OperatorMethod()),
    "reference": NamedMethod("Reference", ("film", "shoot"), lambda *_: ReferenceMethod()),
}


def named_method(name: str) -> NamedMethod:
    """The row of a name; an unknown one is refused."""
    if name not in NAMED_METHODS:
        raise AesopError(
            f"There is no method {name!r}.", f"Choose among: {', '.join(NAMED_METHODS)}."
        )
    return NAMED_METHODS[name]
