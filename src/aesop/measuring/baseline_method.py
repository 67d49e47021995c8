"""The methods that AESOP is compared with, as whoever is measured: they answer the same cases."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import assert_never

from aesop.baselines.scene_batch import Guidance
from aesop.core.errors import Progress
from aesop.core.hashing import text_sha256
from aesop.director.baseline_films import PLAIN_FINISHES, BaselineDirector, lens_of, load_baseline
from aesop.director.baseline_scenes import PERSON_FINISH, rebuilt_shots, shoot_many
from aesop.director.finish import Finish
from aesop.director.protocols import MEASURED, Choices
from aesop.measuring.cases import SHORTEST_MEASURED_SECONDS, Case, Task, looking_away
from aesop.measuring.methods import Ask, film_request, shoot_request
from aesop.metrics.metric_book import MetricError
from aesop.models.phase_table import MethodName
from aesop.scene.shot import Shot
from aesop.text.encoder import TextEncoder


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
        """What networks are sampled in (`baselines.captured_steps`), where it is not float32. Those
        that make people are: guidance of eleven would make roundings eleven times as large."""
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
) -> BaselineMethod:
    """A method with weights from a folder, read once in every process; without a guidance the
    paper's."""
    director = load_baseline(
        folder, name, encoder, device, guidance or None, SHORTEST_MEASURED_SECONDS
    )
    return BaselineMethod(director, finish)
