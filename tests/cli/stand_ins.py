"""Stand-ins for everything heavy that commands call: they note what they were asked and do nothing.

What a command "did" is then the list of those notes, the files it left, and what it said.
"""

import dataclasses
import pkgutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import aesop
from aesop.director.acting import ACTED_SOURCE
from aesop.director.director import Director
from aesop.director.requests import ActRequest, FilmRequest, ShootRequest
from aesop.director.sampling import USUAL_PEOPLE
from aesop.evaluators.published import EvaluatorChoice
from aesop.measuring.methods import Method
from aesop.scene.camera import camera_looking_at
from aesop.scene.human import Clip, Provenance
from aesop.scene.intensity_curve import mean_intensity
from aesop.scene.shot import Shot
from aesop.study.study_folder import Study, study_without_videos
from aesop.study.study_plan import read_plan_file
from tests.director.makers import HashEncoder, walking


@dataclass
class Diary:
    """What was asked of whom, in order."""

    entries: list[str] = field(default_factory=list[str])

    def note(self, who: str, *asked: object, **named: object) -> None:
        rest = [f"{name}={plain(it)}" for name, it in sorted(named.items())]
        self.entries.append(f"{who}({', '.join([*map(plain, asked), *rest])})")


def plain(thing: object) -> str:
    """A text that is the same whenever two things are meant alike."""
    match thing:
        case Clip():
            sum_m = float(thing.motion.joints.sum())
            return f"clip {thing.name} {thing.fps:g} {sum_m:.6f} {thing.provenance}"
        case str() | int() | float() | None | Path() | range():
            return repr(thing)
        case np.ndarray():
            return f"array {thing.tolist()}"
        case list() | tuple():
            return f"[{', '.join(map(plain, thing))}]"
        case dict():
            return plain(list(thing.items()))
        case Noting():
            return thing.name
        case _ if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
            parts = [f"{f.name}={plain(getattr(thing, f.name))}" for f in dataclasses.fields(thing)]
            return f"{type(thing).__name__}({', '.join(parts)})"
        case _:
            return type(thing).__name__


class Noting:
    """Something that carries its description along."""

    def __init__(self, name: str) -> None:
        self.name = name


class NotingDirector(Director, Noting):
    """Answers every request with a camera that looks at the person."""

    def __init__(self, diary: Diary, name: str) -> None:
        Noting.__init__(self, name)
        self._diary = diary
        flow = SimpleNamespace(card=SimpleNamespace(identity="f" * 64), network=None)
        self.people = USUAL_PEOPLE
        self.parts: Any = SimpleNamespace(
            camera_flow=flow,
            has_steps=False,
            cast=lambda _: SimpleNamespace(flow=flow, steps=None),
            chooser=None,
        )

    def film_many(self, requests: Sequence[FilmRequest], *asked: Any, **named: Any) -> list[Shot]:
        self._ask("film", requests, asked, named)
        return [self.looked_at(it.clip, it) for it in requests]

    def shoot_many(self, requests: Sequence[ShootRequest], *asked: Any, **named: Any) -> list[Shot]:
        self._ask("shoot", requests, asked, named)
        return [self.looked_at(walking(29), it) for it in requests]

    def act_many(self, requests: Sequence[ActRequest], *asked: Any, **named: Any) -> list[Clip]:
        self._ask("act", requests, asked, named)
        notes = ("seed 5, take 0",)
        acted = Provenance(ACTED_SOURCE, notes=notes)
        return [replace(walking(it.frames), provenance=acted) for it in requests]

    def _ask(
        self, verb: str, requests: Sequence[Any], asked: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
        for request in requests:
            request.check()
        kept = [it for it in asked if not callable(it)]
        told = {name: it for name, it in named.items() if not callable(it)}
        self._diary.note(f"{self.name}.{verb}", list(requests), *kept, **told)

    def looked_at(self, clip: Clip, request: FilmRequest | ShootRequest) -> Shot:
        root = clip.motion.root
        camera = camera_looking_at(root + root.new_tensor([1.0, -3.0, 0.2]), root, 0.7)
        origin = Provenance("a stand-in")
        intensity = mean_intensity(request.intensity, clip.frames, clip.fps)
        return Shot(clip, camera, origin, request.camera_words, intensity=intensity)


def answers_of_a_baseline(diary: Diary, verb: str) -> Callable[..., list[Shot]]:
    """Whoever answers in place of a method that AESOP is compared with."""

    def answer(name: str, director: NotingDirector, requests: Any, *asked: Any) -> list[Shot]:
        for request in requests:
            request.check()
        kept = [it for it in asked if not callable(it)]
        diary.note(f"{name} beside {director.name}: {verb}", list(requests), *kept)
        return [director.looked_at(getattr(it, "clip", walking(29)), it) for it in requests]

    return answer


class NotingMethod(Noting, Method):
    def identity(self, task: Any) -> str:
        return self.name

    def answer(self, cases: Any, ask: Any) -> list[Shot]:
        return []


class NotingChoice(EvaluatorChoice):
    def load(self, device: str = "cpu") -> Any:
        return Noting("evaluators")


class AnsweringMethod(NotingMethod):
    """Its answers say who was asked for what."""

    def answer(self, cases: Any, ask: Any) -> list[Shot]:
        clip = walking(29)
        root = clip.motion.root
        camera = camera_looking_at(root + root.new_tensor([1.0, -3.0, 0.2]), root, 0.7)
        return [Shot(clip, camera, Provenance("a stand-in"), f"{self.name} {ask}") for _ in cases]


class NotingBaseline(AnsweringMethod):
    """A method that AESOP is compared with."""

    director = SimpleNamespace(method=SimpleNamespace(paper_name="Another method"))


class NotingEncoder(HashEncoder, Noting):
    pass


class NotingStore(Noting):
    """A store of 97 shots of which nothing is known but their number."""

    manifest = SimpleNamespace(dataset="fables", dropped=(), noted=())
    splits = (SimpleNamespace(name="test", kind="pure"),)

    def __len__(self) -> int:
        return 97

    def split(self, name: str, kind: str) -> np.ndarray:
        return np.arange(13)

    def row_of(self, clip: str) -> int:
        return len(clip)

    def shot(self, row: int) -> SimpleNamespace:
        return SimpleNamespace(
            id=f"row {row}", frames=3, splits=(), human_captions=(), camera_captions=()
        )

    def as_shot(self, row: int) -> Noting:
        return Noting(f"row {row}")


@cache
def load_everything() -> None:
    """Load the whole package: a module that is loaded while a stand-in stands would keep it."""
    for module in pkgutil.walk_packages(aesop.__path__, "aesop."):
        if module.name not in ("aesop.__main__", "aesop.models.short_attention_kernels"):
            import_module(module.name)


def stand_in(monkeypatch: pytest.MonkeyPatch, diary: Diary) -> None:
    """Put a stand-in where commands look for whoever does the work."""
    load_everything()

    def noting(place: str, answer: Callable[[str], object]) -> None:
        module, name = place.rsplit(".", 1)

        def asked(*given: object, **named: object) -> object:
            heard = Diary()
            heard.note(
                place,
                *(it for it in given if not callable(it) or isinstance(it, Noting)),
                **{key: it for key, it in named.items() if not callable(it)},
            )
            diary.entries += heard.entries
            return answer(heard.entries[0])

        monkeypatch.setattr(import_module(module), name, asked)

    noting("aesop.director.director.load_director", lambda told: NotingDirector(diary, told))
    for place, verb in (("films.film", "film"), ("scenes.shoot", "shoot")):
        module, name = f"aesop.director.baseline_{place}_by_baseline".rsplit(".", 1)
        monkeypatch.setattr(import_module(module), name, answers_of_a_baseline(diary, verb))
    noting("aesop.measuring.method_table.trained_baseline", NotingBaseline)
    noting("aesop.text.encoders.text_encoder", NotingEncoder)
    noting("aesop.cli.motion_commands.draw", lambda _: None)

    def serve(
        place: Any, load: Callable[[], Director], ready: Callable[..., None], *more: Any
    ) -> None:
        diary.note("serve", place, load(), *more)
        ready(SimpleNamespace(url="http://127.0.0.1:8765", token=None))

    monkeypatch.setattr(import_module("aesop.server.serving"), "serve", serve)
    monkeypatch.setattr(import_module("aesop.studio.studio_serving"), "run_studio", serve)
    noting("webbrowser.open", lambda _: None)
    for place in ("aesop.data.store.open_store", "aesop.measuring.cases.read_cases"):
        noting(place, NotingStore if "store" in place else _cases)
    _judging(noting)
    _drawing(noting)
    _building(noting)
    _studying(noting)


Noted = Callable[[str, Callable[[str], object]], None]


@dataclass(frozen=True)
class Acted:
    """What the probe of people found."""

    acted: tuple[SimpleNamespace, ...]
    matched: object = None


def _cases(told: str) -> SimpleNamespace:
    return SimpleNamespace(
        cases=[SimpleNamespace(reference=SimpleNamespace(clip=walking(29)))],
        windows=np.arange(1),
        dataset="fables",
        split="test",
        sha256=told,
        left_out=(),
    )


def _judging(noting: Noted) -> None:
    nothing: Callable[[str], object] = lambda _: []  # noqa: E731 - a list of no files
    noting("aesop.measuring.methods.DirectorMethod", NotingMethod)
    noting("aesop.measuring.controls.ShuffledCameras", NotingMethod)
    noting("aesop.measuring.controls.MeanCameraLooking", NotingMethod)
    noting("aesop.measuring.controls.CinematographerAgain", NotingMethod)
    noting(
        "aesop.evaluators.published.EvaluatorChoice",
        lambda _: NotingChoice(),
    )
    noting("aesop.measuring.cases.build_bench", lambda told: SimpleNamespace(cases=_cases(told)))
    for name in ("measure_task", "measure_sweep", "measure_direction", "sweep_examples"):
        noting(f"aesop.measuring.runs.{name}", nothing)
    noting("aesop.measuring.runs.with_direction", _cases)
    noting("aesop.measuring.preset_distance.measure_presets", nothing)
    noting("aesop.measuring.jobs.read_jobs", nothing)
    whole = SimpleNamespace(job=SimpleNamespace(name="row"), errors=())
    noting("aesop.measuring.jobs.run_jobs", lambda _: [whole])
    for name in ("write_result", "write_job"):
        noting(f"aesop.pages.result_pages.{name}", nothing)
    noting("aesop.pages.result_pages.write_pages", lambda _: [Path("page.md")])
    for name in ("write_examples", "write_qualitative"):
        noting(f"aesop.pages.result_pages.{name}", lambda _: Path("page.png"))
    noting("aesop.cli.measure_commands._qualitative", lambda _: Path("page.png"))
    noting("aesop.measuring.evaluator_quality.measure_evaluators", lambda _: None)
    noting("aesop.measuring.evaluator_quality.quality_text", lambda _: "quality")
    noting("aesop.measuring.unseen_wording.films_by", Noting)
    noting("aesop.measuring.unseen_wording.made_clips", lambda _: [walking(29)])
    told = SimpleNamespace(obeyed=0, right_share=0.0, films=1)
    found = SimpleNamespace(unseen=told, familiar=told)
    told_nothing = SimpleNamespace(tables=())
    noting("aesop.measuring.unseen_wording.measure_wording", lambda _: found)
    noting("aesop.measuring.attribute_obedience.measure_attributes", lambda _: told_nothing)
    _curves(noting)
    noting("aesop.measuring.action_calibration.read_calibration", lambda _: None)
    noting("aesop.measuring.acts.KeptActs", Noting)
    takes = SimpleNamespace(
        takes="first take", right=0.0, right_frequent=0.0, worst_core=("run", 0.0), sentences=()
    )
    noting("aesop.measuring.acts.measure_acts", lambda _: Acted((takes,)))
    noting("aesop.evaluators.evaluator_weights.load_judge", Noting)
    noting("aesop.measuring.matched_people.match_people", lambda told: told)


def _curves(noting: Noted) -> None:
    response = dict.fromkeys(
        ("moving", "segments", "slope_over_time", "slope_of_numbers", "slope_ratio", "pairs",
         "ordered_share", "ordered_share_of_numbers"), 0.0,
    )  # fmt: skip
    joins = dict.fromkeys(("beyond_share", "joins", "beyond_share_at_one", "shape_apart_m_95"), 0.0)
    jumps = SimpleNamespace(**joins, reference=SimpleNamespace(join_99=0.0))
    found = SimpleNamespace(films=1, response=SimpleNamespace(**response), joins=jumps)
    noting("aesop.measuring.curve_response.usable", lambda _: [])
    noting("aesop.measuring.curve_response.film_curves", lambda _: [])
    noting("aesop.measuring.curve_response.curves_result", lambda _: found)
    met = dict.fromkeys(("within_share", "requests", "error_median", "films_mean"), 0.0)
    reach = SimpleNamespace(**met, least_ratio=(0.0,) * 3, most_ratio=(0.0,) * 3)
    noting("aesop.measuring.travel_reach.film_travels", lambda _: ([], []))
    noting("aesop.measuring.travel_reach.travel_result", lambda _: reach)


def _drawing(noting: Noted) -> None:
    noting("aesop.measuring.cases.read_case", lambda told: SimpleNamespace(camera_words=told))
    noting(
        "aesop.measuring.cases.fit_cases", lambda told: ([SimpleNamespace(camera_words=told)], [])
    )
    for name in ("ReferenceMethod", "OperatorMethod"):
        noting(f"aesop.measuring.methods.{name}", AnsweringMethod)
    noting("aesop.measuring.methods.DirectorMethod", AnsweringMethod)
    noting("aesop.measuring.runs.read_record", Noting)
    noting("aesop.pages.paper_figures.funnels_of", lambda told: (told,))
    noting("aesop.pages.paper_figures.read_outside_list", lambda told: [told])
    noting("aesop.pages.paper_figures.film_outside", lambda told: [told])
    for name in ("comparison", "intensity_examples", "population", "construction", "outside"):
        noting(f"aesop.pages.paper_figures.write_{name}", lambda _: Path("figure.png"))


def _building(noting: Noted) -> None:
    found = SimpleNamespace(kept=1, found=1, dropped=(), noted=())
    noting("aesop.data.pulpmotion.import_pulpmotion", lambda _: found)
    noting("aesop.data.shot_folder.import_shots", lambda _: found)
    noting("aesop.data.pulpmotion.list_counts", lambda _: ())
    rows = SimpleNamespace(rows=1)
    built = SimpleNamespace(shots=rows, humans=rows)
    noting("aesop.fables.build.build_fables", lambda _: built)
    noting("aesop.fables.people_build.build_people", lambda _: built)
    noting("aesop.fables.thin.build_thin", lambda _: built)
    noting("aesop.data.facts.store_facts", Noting)
    noting("aesop.data.facts.facts_table", lambda told: told)
    noting("aesop.pages.figures.write_store_charts", lambda _: None)
    noting("aesop.training.phases.train_from_store", lambda _: ())
    noting("aesop.reproduction.reproducing.reproduce", lambda _: [Path("page.md")])
    noting(
        "aesop.evaluators.evaluator_training.train_evaluator_from_store", lambda _: Path("weights")
    )
    pairs = SimpleNamespace(sources=(), active=(), null=())
    noting("aesop.pairs.direction_pairs.build_direction", lambda _: pairs)
    noting("aesop.pairs.intensity_pairs.build_intensity", lambda _: pairs)
    noting("aesop.pairs.pair_files.read_plan", Noting)
    noting("aesop.pairs.shot_arrays.load_codecs", Noting)
    noting("aesop.pairs.inspection.gallery", lambda told: [told])
    noting("aesop.pairs.inspection.portrait", lambda told: told)
    noting("aesop.pairs.inspection.plan_report", lambda told: told)
    noting("aesop.pairs.inspection.pair_page", lambda told: told)
    noting("aesop.preview.sheets.write_picture", lambda _: None)


@cache
def _made_study() -> Study:
    return study_without_videos(read_plan_file(Path("fables")))


def _studying(noting: Noted) -> None:
    noting("aesop.study.study_folder.make_study", lambda _: _made_study())
    noting("aesop.study.study_folder.read_study", lambda _: _made_study())
    noting("aesop.study.study_folder.write_study", lambda _: None)
    noting("aesop.study.study_server.serve_study", lambda _: None)
    noting("aesop.study.simulated.simulate_votes", lambda _: ())
    record = SimpleNamespace(
        close=lambda: None, votes=lambda: (), remove=lambda _: 1, add_simulated=lambda _: None
    )
    noting("aesop.study.record.StudyRecord", lambda _: record)
    noting("aesop.study.record.votes_json", lambda told: told)
    noting("aesop.study.study_report.report_record", lambda _: None)
    noting("aesop.study.study_report.write_report", lambda _: [Path("report.md")])


def what_is_there(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        with suppress(OSError):
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found
