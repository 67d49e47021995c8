"""What `aesop measure` can be asked: on which data, of which model and how it is sampled, and by
which evaluators it is judged."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import FlagCreatePairsOff, arg

from aesop.cli.film_options import refuse_flag
from aesop.cli.terminal import progress_bar, remark, wrote
from aesop.core.errors import AesopError
from aesop.models.phase_table import METHOD, PHASE_METHODS, MethodName, PhaseName

if TYPE_CHECKING:
    from aesop.director.director import Director
    from aesop.director.protocols import SamplingProtocol
    from aesop.evaluators.evaluator import Evaluator
    from aesop.evaluators.evaluator_weights import Evaluators
    from aesop.evaluators.published import EvaluatorChoice
    from aesop.measuring.acts import Acts, MatchedPeople
    from aesop.measuring.cases import Bench, Cases, Task
    from aesop.measuring.methods import Method
    from aesop.measuring.runs import MethodEntry
    from aesop.text.encoder import TextEncoder


Asked = Literal["film", "shoot", "codec", "reference"]
Sampler = Literal["instant", "fast", "reference"]
Switch = Annotated[bool, FlagCreatePairsOff]
Encoder = Annotated[
    str | None,
    arg(help="What the weights read words with: minilm (if not given), clip or clip:FOLDER."),
]
Phase = Annotated[
    PhaseName | None,
    arg(help="A finished camera phase of a training run; its last one if not given."),
]
AsSampled = Annotated[
    Switch, arg(help="Cameras as the paper decodes them: not even held at rest or above the floor.")
]
Protocol = Annotated[
    Literal["paper"] | None,
    arg(help="All choices of sampling at once: `paper` is the paper's (docs/director.md)."),
]
RESULTS = Path("results")
SEEDS = (0, 1, 2)


def device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def encoder_of(choice: str | None) -> "TextEncoder":
    """The text encoder that was named, with its memory on disk."""
    from aesop.text.encoders import default_cache_folder, text_encoder

    return text_encoder(choice or "minilm", default_cache_folder())


@dataclass(frozen=True)
class JudgeOptions:
    """By which evaluators."""

    evaluators: Annotated[
        Path | None, arg(help="Folder of the evaluators; those that came with AESOP if not given.")
    ] = None
    evaluator_encoder: Annotated[
        str | None,
        arg(help="What evaluators of that folder read words with; minilm if not given."),
    ] = None
    clatr: Annotated[
        Path | None,
        arg(
            help="Who judges cameras in place of the first judge of ours: clatr2, which knows the "
            "camera vocabulary, a file of ours, or a published CLaTr checkpoint."
        ),
    ] = None
    clip: Annotated[
        str | None, arg(help="Folder or hub name of the CLIP that --clatr reads words with.")
    ] = None
    clatr_statistics: Annotated[
        Path | None,
        arg(
            help="YAML file, or folder, of what --clatr standardises by; looked for beside it, and "
            "E.T.'s if there is none."
        ),
    ] = None
    tmr: Annotated[
        Path | None,
        arg(
            help="Who judges people in place of the first judge of ours: tmr_acts, which was "
            "taught by captions of segments, a file of ours, or a published TMR checkpoint."
        ),
    ] = None
    distilbert: Annotated[
        Path | None, arg(help="Folder of the DistilBERT that --tmr reads words with.")
    ] = None
    tmr_statistics: Annotated[
        Path | None, arg(help="Folder of mean.pt and std.pt; looked for near --tmr if not given.")
    ] = None

    def load(self) -> "Evaluators":
        """Both evaluators, checked before any other work."""
        return self.choice().load(device())

    def choice(self) -> "EvaluatorChoice":
        """What the flags name; flags that mean nothing beside others are refused."""
        from aesop.evaluators.published import EvaluatorChoice

        self._refuse_unused()
        return EvaluatorChoice(
            self.evaluators,
            self.evaluator_encoder or "minilm",
            self.clatr,
            self.clip,
            self.clatr_statistics,
            self.tmr,
            self.distilbert,
            self.tmr_statistics,
        )

    def _refuse_unused(self) -> None:
        if self.clatr is None:
            where = "without --clatr"
            refuse_flag("--clip", self.clip, where, "Leave it away.")
            refuse_flag("--clatr-statistics", self.clatr_statistics, where, "Leave it away.")
        if self.tmr is None:
            where = "without --tmr"
            refuse_flag("--distilbert", self.distilbert, where, "Leave it away.")
            refuse_flag("--tmr-statistics", self.tmr_statistics, where, "Leave it away.")
        if self.clatr is not None and self.tmr is not None:
            where = "beside --clatr and --tmr, which judge everything"
            refuse_flag("--evaluators", self.evaluators, where, "Leave it away.")
            refuse_flag("--evaluator-encoder", self.evaluator_encoder, where, "Leave it away.")


@dataclass(frozen=True)
class DataOptions:
    """What is measured on."""

    data: Annotated[Path, arg(help="A finished store.")]
    split: Annotated[str, arg(help="A split, or one kind of it.")] = "test/pure"
    at_most: Annotated[
        int | None, arg(help="Shots to measure, evenly spaced; all if not given.")
    ] = None
    output: Annotated[Path, arg(aliases=["-o"], help="Folder for the results.")] = RESULTS

    def cases(self, task: "Task" = "film") -> "Cases":
        """The shots of the split that can be asked for; who is left out is said."""
        from aesop.data.store import open_store
        from aesop.measuring.cases import read_cases

        store = open_store(self.data)
        cases = read_cases(store, self.split, self.at_most, task != "film")
        remark(f"{len(cases.cases)} shots of {len(cases.windows)} windows")
        if cases.left_out:
            first = cases.left_out[0]
            remark(f"{len(cases.left_out)} left out, first {first.name}: {first.reason}")
        return cases

    def bench(self, judges: "Evaluators", task: "Task") -> "Bench":
        from aesop.measuring.cases import build_bench

        cases = self.cases(task)
        with progress_bar("references") as progress:
            return build_bench(cases, judges, progress)

    def write(self, name: str, result: object) -> None:
        from aesop.pages.result_pages import write_result

        for path in write_result(self.output, name, result):
            wrote(path)

    def sheet(self, name: str) -> Path:
        """Pictures stand apart: no command can make them again from the JSON of a result."""
        return self.output / "sheets" / f"{name}.png"


TRAINED = ("model", "encoder", "phase", "method", "guidance", "method_steps")
CAMERA_SAMPLING = ("preset", "finish", "as_sampled")
HUMAN_SAMPLING = ("human_guidance", "human_preset", "human_finish")
SAMPLING = (*CAMERA_SAMPLING, *HUMAN_SAMPLING, "protocol")


@dataclass(frozen=True)
class ModelOptions:
    """Who is measured, and how it is asked."""

    model: Annotated[
        tuple[Path, ...],
        arg(
            help="Folder of weights; several are several trainings of one method. Those that came "
            "with AESOP if not given."
        ),
    ] = ()
    encoder: Encoder = None
    phase: Phase = None
    method: Annotated[
        MethodName | None,
        arg(
            help="A method that AESOP is compared with, in place of it (docs/baselines.md); its "
            "weights lie in a folder named with --model, or in build/baselines."
        ),
    ] = None
    guidance: Annotated[
        tuple[float, ...],
        arg(help="How hard that method follows its conditions; the paper's if not given."),
    ] = ()
    method_steps: Annotated[
        int | None,
        arg(
            help="Sampling steps of that method where it can take fewer than the paper's (ccd, "
            "ccd-h: 1000, dear without a GPU); the row says so."
        ),
    ] = None
    seeds: Annotated[
        tuple[int, ...],
        arg(help="Of the noise: 0 1 2 if not given, and 0 where one is enough."),
    ] = ()
    name: Annotated[str | None, arg(help="What the method is called in tables.")] = None
    protocol: Protocol = None
    preset: Annotated[
        Sampler | None,
        arg(help="Sampling as in the paper (reference, if not given), or a faster way (fast)."),
    ] = None
    human_preset: Annotated[
        Sampler | None, arg(help="How people are sampled; fast, as for users, if not given.")
    ] = None
    finish: Annotated[
        Literal["as-sampled", "held", "consistent", "best-take", "hand"] | None,
        arg(
            help="How cameras are finished: held is the paper's decoding, held at rest and above "
            "the floor (if not given), hand is what users get."
        ),
    ] = None
    as_sampled: AsSampled = False
    human_guidance: Annotated[
        float | None,
        arg(
            help="How hard people follow their words; as for users if not given, the paper's is 1."
        ),
    ] = None
    human_finish: Annotated[
        Literal["as-decoded", "as-sampled", "standing", "best-take"] | None,
        arg(
            help="How people are finished: as sampled (if not given), with feet that stand, or the "
            "best take, which is what users get."
        ),
    ] = None
    cache: Annotated[Path | None, arg(help="Where generated shots are kept.")] = None

    @property
    def way(self) -> "SamplingProtocol":
        """How people and cameras are sampled."""
        from aesop.director.protocols import MEASURED, PROTOCOLS

        if self.protocol is not None:
            where = f"beside --protocol {self.protocol}, which sets it"
            self.refuse_unused(where, *CAMERA_SAMPLING, *HUMAN_SAMPLING)
            return PROTOCOLS[self.protocol]
        if self.as_sampled:
            self.refuse_unused("beside --as-sampled", "finish")
        guidance, people = self.human_guidance, MEASURED.people
        return replace(
            MEASURED,
            people=replace(
                people,
                preset=self.human_preset or people.preset,
                finish=self.human_finish or people.finish,
            ),
            human_guidance=MEASURED.human_guidance if guidance is None else guidance,
            camera_preset=self.preset or MEASURED.camera_preset,
            finish="as-sampled" if self.as_sampled else self.finish or MEASURED.finish,
        )

    def entry(self, task: Asked, *, one_seed: bool = False) -> "MethodEntry":
        """The method, its weights checked before any work."""
        from aesop.measuring.methods import ReferenceMethod
        from aesop.measuring.runs import MethodEntry

        if self.method is None:
            self.refuse_unused("without --method", "guidance", "method_steps")
        if task == "reference":
            self.refuse_unused("for the dataset's own shots", *TRAINED, "seeds", *SAMPLING)
            return MethodEntry(self.name or "GT reference", (ReferenceMethod(),), (0,))
        if self.method is not None:
            return self._baseline(self.method, task, one_seed=one_seed)
        if task == "codec":
            unused = ("encoder", "phase", "seeds", *SAMPLING)
            self.refuse_unused("for codecs, which draw no noise", *unused)
        if task == "film":
            self.refuse_unused("for given people", *HUMAN_SAMPLING)
        of_phase = None if self.phase is None else PHASE_METHODS.get(self.phase)
        usual = "AESOP AE (asym.)" if task == "codec" else of_phase
        is_alone = one_seed or task == "codec" or len(self.model) > 1
        seeds = self.one_seed() if is_alone else self.seeds or SEEDS
        return MethodEntry(self.name or usual or METHOD, self._directors(task), seeds)

    def _baseline(self, name: MethodName, task: "Task", *, one_seed: bool) -> "MethodEntry":
        """Another method: sampled as the paper samples it, with AESOP's finish or none."""
        from aesop.director.baseline_films import DEFAULT_FOLDER
        from aesop.measuring.method_table import trained_baseline
        from aesop.measuring.runs import MethodEntry

        self.refuse_unused(f"for {name}", "phase", "preset", *HUMAN_SAMPLING)
        if task == "codec":
            self.refuse_unused("for codecs, which draw no noise", "encoder", "seeds", *SAMPLING)
        encoder, finish = encoder_of(self.encoder), self.way.finish
        folders: Sequence[Path] = self.model or (DEFAULT_FOLDER,)
        sampled = (self.guidance, finish, self.method_steps)
        methods = [
            trained_baseline(folder, name, encoder, device(), *sampled) for folder in folders
        ]
        for method in methods:
            method.identity(task)
        is_alone = one_seed or task == "codec" or len(methods) > 1
        seeds = self.one_seed() if is_alone else self.seeds or SEEDS
        called = self.name or methods[0].director.method.paper_name
        return MethodEntry(called, tuple(methods), seeds)

    def one_seed(self) -> tuple[int, ...]:
        """The seed of a run that has one."""
        if len(self.seeds) > 1:
            raise AesopError(
                f"{len(self.seeds)} seeds were given where one is used.", "Give one with --seeds."
            )
        return self.seeds or SEEDS[:1]

    def refuse_unused(self, where: str, *names: str) -> None:
        """Raise if a flag was given that would change nothing."""
        for name in names:
            flag = f"--{name.replace('_', '-')}"
            refuse_flag(flag, getattr(self, name), where, "Leave it away.")

    def directors(self) -> "list[Director]":
        """One for every training."""
        from aesop.director.director import load_director

        folders: Sequence[Path | None] = self.model or (None,)
        encoder = encoder_of(self.encoder)
        return [load_director(it, device(), encoder, phase=self.phase) for it in folders]

    def _directors(self, task: "Task") -> "tuple[Method, ...]":
        from aesop.measuring.methods import DirectorMethod

        way = self.way
        methods = tuple(DirectorMethod(director, way) for director in self.directors())
        for method in methods:
            method.identity(task)
        return methods

    @property
    def kept_in(self) -> Path:
        from aesop.measuring.methods import default_cache_folder

        return self.cache or default_cache_folder()


@dataclass(frozen=True)
class PeopleOptions:
    """How people are sampled, where no camera is asked for."""

    protocol: Protocol = None
    human_guidance: Annotated[
        float | None, arg(help="How hard people follow their words; as for users if not given.")
    ] = None
    human_preset: Annotated[
        Sampler | None, arg(help="How people are sampled; as for users if not given.")
    ] = None

    def way(self, takes: Literal["first", "both"] = "both") -> "SamplingProtocol":
        """What users get, unless something else is asked for, or the same with first takes."""
        return self._way().with_first_people if takes == "first" else self._way()

    def _way(self) -> "SamplingProtocol":
        from aesop.director.protocols import PROTOCOLS, SHIPPED

        if self.protocol is not None:
            where = f"beside --protocol {self.protocol}, which sets it"
            refuse_flag("--human-guidance", self.human_guidance, where, "Leave it away.")
            refuse_flag("--human-preset", self.human_preset, where, "Leave it away.")
            return PROTOCOLS[self.protocol]
        people, guidance = SHIPPED.people, self.human_guidance
        return replace(
            SHIPPED,
            people=replace(people, preset=self.human_preset or people.preset),
            human_guidance=SHIPPED.human_guidance if guidance is None else guidance,
        )


@dataclass(frozen=True)
class MatchOptions:
    """Whether captions of real test segments find the people who are made from them."""

    clips: Annotated[
        Path | None,
        arg(
            help="Clips of real takes, from `python runs/segments.py import`: people are made from "
            "the captions of their test segments too, and compared with them."
        ),
    ] = None
    tmr: Annotated[
        Path | None,
        arg(help="Who compares: tmr, or a file of ours; tmr_acts if not given."),
    ] = None
    at_most: Annotated[
        int | None, arg(help="Segments to compare, evenly spaced; all if not given.")
    ] = None

    def load(self, encoder: str | None) -> "Evaluator | None":
        """The evaluator, checked before any other work; none where nothing is compared."""
        if self.clips is None:
            where = "without clips of real people"
            refuse_flag("--tmr", self.tmr, where, "Name them with --clips.")
            refuse_flag("--at-most", self.at_most, where, "Name them with --clips.")
            return None
        from aesop.evaluators.evaluator_weights import (
            evaluators_folder,
            load_judge,
            own_judge,
        )

        path = self.tmr or evaluators_folder() / "tmr_acts.safetensors"
        return load_judge(own_judge(path, "tmr") or path, encoder_of(encoder), "tmr", device())

    def measure(self, judge: "Evaluator", act: "Acts", at_once: int) -> "MatchedPeople":
        from aesop.measuring.matched_people import match_people

        assert self.clips is not None
        with progress_bar("people from captions") as progress:
            return match_people(act, self.clips, judge, self.at_most, progress, at_once)


JUDGE_DEFAULTS, MODEL_DEFAULTS = JudgeOptions(), ModelOptions()
PEOPLE_DEFAULTS, MATCH_DEFAULTS = PeopleOptions(), MatchOptions()
