"""Whether people made from words do what the words say: sentences that no training caption has,
each with a geometric test, each acted several times."""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

import numpy as np
from safetensors import SafetensorError
from safetensors.torch import load, save

from aesop.core.errors import Progress
from aesop.core.hashing import text_sha256
from aesop.core.machine import Code, Machine
from aesop.core.whole_files import PieceFolder, atomic_path
from aesop.director.director import Director
from aesop.director.protocols import Choices, SamplingProtocol
from aesop.director.requests import ActRequest
from aesop.measuring.action_labels import training_counts
from aesop.measuring.cases import SHORTEST_MEASURED_SECONDS
from aesop.measuring.methods import filming_code
from aesop.measuring.runs import ProgressBar, origin_of_result
from aesop.metrics.action_tests import does
from aesop.metrics.bootstrap import Interval, each_apart, mean_interval
from aesop.metrics.embedding_metrics import Prdc, RPrecision
from aesop.metrics.metric_book import MetricError
from aesop.metrics.motion_metrics import BodyFacts, body_facts
from aesop.scene.human import NATIVE_FPS, HumanMotion, grounded

ProbeSet = Literal["judging", "choosing", "fresh"]
Takes = Literal["first take", "best take"]
Acts = Callable[[Sequence[ActRequest]], Sequence[HumanMotion]]

# An action that fewer training segments show is rare: it is reported, and not asked for.
RARE_BELOW = 20
# Actions that everybody asks for; none of them should come out wrong more often than right.
CORE = (
    "walk forward", "walk backward", "run", "turn left", "turn right", "turn around", "sit down",
    "stand up", "jump up", "jump forward", "crouch", "wave with the left hand",
    "wave with the right hand", "kick with the left leg", "kick with the right leg",
    "punch with the left hand", "punch with the right hand", "throw", "pick up",
    "raise the left arm", "raise the right arm", "raise both arms",
)  # fmt: skip
# Tests that real people of the test split contradict (docs/acts.md): reported, and not asked for.
UNSURE = ("sneak", "limp", "dance")
WALK, STILL = "walk forward", "stand still"


@dataclass(frozen=True)
class ProbeSentence:
    """What is said, the action whose test must hold, and how long it is given."""

    words: str
    action: str
    seconds: float


@cache
def probe_sentences(name: ProbeSet = "judging") -> tuple[ProbeSentence, ...]:
    """The sentences that judge, or the other ones that may choose: weights that were chosen by
    some sentences are judged by others."""
    table = files("aesop.measuring").joinpath("action_probe.tsv").read_text(encoding="utf-8")
    rows = csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return tuple(
        ProbeSentence(row["words"], row["action"], float(row["seconds"]))
        for row in rows
        if row["set"] == name
    )


@dataclass(frozen=True)
class SentenceResult:
    """One sentence: which of its people do it, by seed."""

    words: str
    action: str
    seconds: float
    right: tuple[bool, ...]


@dataclass(frozen=True)
class RealPeople:
    """How many real examples of an action pass its test, and how many windows do whose labels
    exclude it."""

    examples: int
    examples_pass: float
    others: int
    others_pass: float


@dataclass(frozen=True)
class ActionResult:
    """One action over its sentences and seeds, beside real people and beside how many training
    segments are labelled so."""

    action: str
    people: int
    right: float
    training_segments: int
    real: RealPeople | None

    @property
    def is_rare(self) -> bool:
        return self.training_segments < RARE_BELOW

    @property
    def is_unsure(self) -> bool:
        return self.action in UNSURE


@dataclass(frozen=True)
class Bodies:
    """Bodies of some people: means of `BodyFacts`, and the worst bone."""

    people: int
    slide_mps: float
    sliding_share: float
    jerk_mps3: float
    jerk_p95_mps3: float
    bone_spread: float  # largest


@dataclass(frozen=True)
class BodiesResult:
    """Walkers, people who stand still, and everybody; beside real ones where they were measured."""

    walking: Bodies
    standing: Bodies
    everybody: Bodies
    real_walking: Bodies | None = None
    real_standing: Bodies | None = None


@dataclass(frozen=True)
class TakesResult:
    """All sentences with one way of choosing takes. Intervals are over sentences."""

    takes: Takes
    right: float
    right_interval: Interval | None
    right_frequent: float  # over actions that are neither rare nor unsure
    worst_core: tuple[str, float]
    sentences: tuple[SentenceResult, ...]
    actions: tuple[ActionResult, ...]
    bodies: BodiesResult


@dataclass(frozen=True)
class ActsSetting:
    """Who acted what and how."""

    probe: ProbeSet
    weights: str
    seeds: tuple[int, ...]
    choices: Choices
    calibration: str = ""  # hash of the file that real people's numbers come from


@dataclass(frozen=True)
class Matching:
    """How captions find people in an evaluator's space."""

    r_precision: RPrecision
    score: float  # 100 times the mean cosine, the mean clamped at zero


@dataclass(frozen=True)
class MatchedPeople:
    """People made from the captions of real test segments, beside the real ones."""

    evaluator: str
    segments: int
    takes: int
    real: Matching
    made: Matching
    fd_tmr: float
    everybody: Prdc
    one_a_take: Prdc


@dataclass(frozen=True)
class ActsResult:
    """The probe, with everything needed to repeat it."""

    setting: ActsSetting
    acted: tuple[TakesResult, ...]
    code: Code
    machine: Machine
    repeat: str
    matched: MatchedPeople | None = None


@dataclass(frozen=True)
class RealNumbers:
    """What calibration says of real people."""

    actions: Mapping[str, RealPeople]
    walking: Bodies
    standing: Bodies
    sha256: str  # of the file they come from


def measure_acts(
    actors: Mapping[Takes, Acts],
    setting: ActsSetting,
    real: RealNumbers | None,
    bar: ProgressBar,
    at_once: int,
) -> ActsResult:
    """Every sentence with every seed, once for every way of choosing takes."""
    if not setting.seeds:
        raise MetricError("There is nothing to act.", "Give one seed at least.")
    results: list[TakesResult] = []
    for takes, act in actors.items():
        with bar(takes) as progress:
            people = act_probe(act, setting, progress, at_once)
        results.append(judged(takes, probe_sentences(setting.probe), people, real))
    return ActsResult(setting, tuple(results), *origin_of_result())


def act_probe(
    act: Acts, setting: ActsSetting, progress: Progress | None = None, at_once: int = 8
) -> list[list[HumanMotion]]:
    """People by sentence and seed."""
    sentences = probe_sentences(setting.probe)
    requests = [
        ActRequest(it.words, it.seconds, seed) for it in sentences for seed in setting.seeds
    ]
    made: list[HumanMotion] = []
    for start in range(0, len(requests), at_once):
        made += act(requests[start : start + at_once])
        if progress is not None:
            progress(len(made), len(requests))
    each = len(setting.seeds)
    return [made[place * each : (place + 1) * each] for place in range(len(sentences))]


def judged(
    takes: Takes,
    sentences: Sequence[ProbeSentence],
    people: Sequence[Sequence[HumanMotion]],
    real: RealNumbers | None = None,
) -> TakesResult:
    """Tests and bodies of people who were acted."""
    results = tuple(
        SentenceResult(
            it.words, it.action, it.seconds, tuple(does(it.action, motion) for motion in motions)
        )
        for it, motions in zip(sentences, people, strict=True)
    )
    shares = np.array([np.mean(it.right) for it in results])
    counts = training_counts()
    actions = tuple(
        _action_result(action, [it for it in results if it.action == action], counts, real)
        for action in dict.fromkeys(it.action for it in results)
    )
    frequent = [
        share
        for it, share in zip(results, shares.tolist(), strict=True)
        if counts[it.action] >= RARE_BELOW and it.action not in UNSURE
    ]
    core = [(it.action, it.right) for it in actions if it.action in CORE]
    return TakesResult(
        takes=takes,
        right=float(shares.mean()),
        right_interval=mean_interval(shares, each_apart(len(shares), "sentence")),
        right_frequent=float(np.mean(frequent)) if frequent else float("nan"),
        worst_core=min(core, key=lambda it: it[1], default=("", float("nan"))),
        sentences=results,
        actions=actions,
        bodies=_bodies_result(sentences, people, real),
    )


def _action_result(
    action: str,
    sentences: Sequence[SentenceResult],
    counts: Mapping[str, int],
    real: RealNumbers | None,
) -> ActionResult:
    right = [one for it in sentences for one in it.right]
    known = None if real is None else real.actions.get(action)
    return ActionResult(action, len(right), float(np.mean(right)), counts[action], known)


def _bodies_result(
    sentences: Sequence[ProbeSentence],
    people: Sequence[Sequence[HumanMotion]],
    real: RealNumbers | None,
) -> BodiesResult:
    facts = [[body_facts(grounded(motion), NATIVE_FPS) for motion in some] for some in people]

    def of(action: str | None) -> Bodies:
        return bodies_of(
            [
                it
                for sentence, some in zip(sentences, facts, strict=True)
                if action in (None, sentence.action)
                for it in some
            ]
        )

    walking, standing = (None, None) if real is None else (real.walking, real.standing)
    return BodiesResult(of(WALK), of(STILL), of(None), walking, standing)


def bodies_of(facts: Sequence[BodyFacts]) -> Bodies:
    """Means over those who have the fact at all."""
    jerks = np.array([it.jerk_mps3 for it in facts])
    return Bodies(
        people=len(facts),
        slide_mps=_mean([it.slide_mps for it in facts]),
        sliding_share=_mean([it.sliding_share for it in facts]),
        jerk_mps3=_mean(jerks.tolist()),
        jerk_p95_mps3=float(np.percentile(jerks, 95)) if len(jerks) else float("nan"),
        bone_spread=max((it.bone_spread for it in facts), default=float("nan")),
    )


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


class KeptActs:
    """The Director as an actor whose people are kept on disk: an interrupted probe goes on, and
    one whose tests have changed need not be acted again."""

    def __init__(self, director: Director, way: SamplingProtocol, cache: Path) -> None:
        self._director = Director(
            director.parts, people=way.people, shortest_seconds=SHORTEST_MEASURED_SECONDS
        )
        self._guidance = way.human_guidance
        plan = {
            "weights": director.parts.cast(way.people.finish).flow.card.identity,
            "sampler": director.parts.cast(way.people.finish).sampling_identity(way.people.preset),
            "people": repr(way.people),
            "guidance": way.human_guidance,
            "code": filming_code(),
        }
        if way.people.finishing.chooses_take and director.parts.chooser is not None:
            plan["chooser"] = director.parts.chooser.identity
        name = text_sha256("acts", json.dumps(plan, sort_keys=True))[:32]
        self._folder = PieceFolder(cache / name, ".safetensors")
        self._folder.start(plan)

    def __call__(self, requests: Sequence[ActRequest]) -> list[HumanMotion]:
        asked = [
            ActRequest(it.human_words, it.seconds, it.seed, it.take, self._guidance)
            for it in requests
        ]
        paths = [self._folder.piece(text_sha256(repr(it))[:32]) for it in asked]
        missing = [it for it, path in zip(asked, paths, strict=True) if not path.exists()]
        made = dict(zip(missing, self._director.act_many(missing), strict=True)) if missing else {}
        for request, path in zip(asked, paths, strict=True):
            if request in made:
                _write(path, made[request].motion)
        return [_read(path) for path in paths]


def _write(path: Path, motion: HumanMotion) -> None:
    tensors = {"rotations": motion.rotations, "joints": motion.joints}
    with atomic_path(path) as temporary:
        temporary.write_bytes(save({key: it.contiguous() for key, it in tensors.items()}))


def _read(path: Path) -> HumanMotion:
    try:
        kept = load(path.read_bytes())
    except (SafetensorError, OSError) as error:
        raise MetricError(
            f"{path} is damaged ({error}).", "Delete it; it is made again."
        ) from error
    return HumanMotion(kept["rotations"], kept["joints"])
