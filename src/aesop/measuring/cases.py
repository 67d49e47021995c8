"""The cases of a split (what is asked of a method, what the dataset answers) and the bench that
all methods are judged on."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, assert_never

import numpy as np
import torch
from jaxtyping import Float64, Int64, Integer

from aesop.camera_words.direction_swap import reversed_caption
from aesop.core.errors import AesopError, Progress, StoreError
from aesop.core.hashing import text_sha256
from aesop.data.store import Store, attributes_of
from aesop.director.best_take import IMPOSSIBLE
from aesop.director.requests import FilmRequest, check_words
from aesop.director.sampling import can_exist
from aesop.evaluators.evaluator_weights import Evaluators
from aesop.metrics.bootstrap import Cluster, Clusters, clusters_of
from aesop.metrics.judging import (
    Compared,
    Observed,
    Verdict,
    compare,
    judge_cameras,
    judge_motions,
    judge_paths,
    judge_people,
    observe,
)
from aesop.scene.camera import CameraPath
from aesop.scene.human import MAX_FRAMES, NATIVE_FPS, Clip
from aesop.scene.shot import Shot, heading

Task = Literal["film", "shoot", "codec"]
# PulpMotion's shortest clips. Users are refused sooner: nothing is seen in a third of a second.
FEWEST_FRAMES = 9
SHORTEST_MEASURED_SECONDS = FEWEST_FRAMES / NATIVE_FPS
# The camera that stands in for one that cannot exist.
AWAY_M, AWAY_FOV_VERTICAL, AWAY_ASPECT = 3.0, math.radians(40.0), 16 / 9


@dataclass(frozen=True, eq=False)
class Case:
    """One shot of the dataset as a request and its reference."""

    row: int
    human_row: int
    reference: Shot
    target_tags: Integer[np.ndarray, " transitions"]
    reversed_words: str
    group: str = ""  # the film or performer it comes from

    @property
    def camera_words(self) -> str:
        return self.reference.camera_words

    @property
    def human_words(self) -> str:
        return self.reference.human_words


@dataclass(frozen=True)
class LeftOut:
    """A shot of the split that is not measured, and why."""

    name: str
    reason: str


@dataclass(frozen=True, eq=False)
class Cases:
    """The cases of a split in the order of their rows, and those that cannot be measured."""

    dataset: str
    data_sha256: str
    split: str
    cases: tuple[Case, ...]
    left_out: tuple[LeftOut, ...]
    note: str = ""  # what was done to them on the way
    cluster: Cluster = "window"  # what the groups of the cases are

    @property
    def clusters(self) -> Clusters:
        """Which cases are drawn together when intervals are estimated."""
        groups = [case.group or str(case.human_row) for case in self.cases]
        return clusters_of(self.cluster, groups)

    @property
    def references(self) -> list[Shot]:
        return [case.reference for case in self.cases]

    @property
    def windows(self) -> Int64[np.ndarray, " windows"]:
        """The first case of every human window: people are counted once."""
        rows = np.array([case.human_row for case in self.cases], np.int64)
        return np.sort(np.unique(rows, return_index=True)[1]).astype(np.int64)

    def only(self, chosen: Sequence[int]) -> "Cases":
        """Some of the cases, by their places."""
        return replace(self, cases=tuple(self.cases[place] for place in chosen))

    @property
    def sha256(self) -> str:
        """Names this very list of cases."""
        return text_sha256(f"{self.data_sha256} {[case.row for case in self.cases]}")


def read_cases(
    store: Store, split: str, at_most: int | None = None, needs_human_words: bool = False
) -> Cases:
    """All shots of a split ("test", or "test/pure" for one kind) that can be asked for: with words,
    of a length that is measured, with a person who can be filmed and a camera that can exist. The
    others are named. With a limit, evenly spaced ones."""
    name, _, kind = split.partition("/")
    rows = store.split(name, kind or None)
    words = [bool(store.shots.strings("captions", row)) for row in rows.tolist()]
    places, reasons = chosen_places(store.shot_lengths(rows), words, at_most)
    names = {int(rows[place]): reason for place, reason in reasons.items()}
    unasked = [LeftOut(store.shots.text("id", row), reason) for row, reason in names.items()]
    chosen = [read_case(store, int(rows[place])) for place in places]
    cases, unfit = fit_cases(chosen, needs_human_words)
    if not cases:
        first = (*unasked, *unfit)[:1]
        why = f" ({first[0].name}: {first[0].reason})" if first else ""
        raise StoreError(
            f"The split {split} of {store.path} has no shot that can be asked for{why}.",
            f"Shots need words and {FEWEST_FRAMES} to {MAX_FRAMES} frames.",
        )
    return Cases(
        dataset=store.manifest.dataset,
        data_sha256=store.manifest.content_sha256,
        split=split,
        cases=tuple(cases),
        left_out=(*unasked, *unfit),
        cluster=cluster_of(store, cases[0].row),
    )


def chosen_places(
    lengths: Integer[np.ndarray, " shots"], has_words: Sequence[bool], at_most: int | None
) -> tuple[list[int], dict[int, str]]:
    """Which shots of a split are asked for, by their places in it, and why others cannot be."""
    reasons: dict[int, str] = {}
    for place, (frames, has_caption) in enumerate(zip(lengths.tolist(), has_words, strict=True)):
        if not has_caption:
            reasons[place] = "no camera caption"
        elif frames < FEWEST_FRAMES:
            reasons[place] = f"fewer than {FEWEST_FRAMES} frames"
        elif frames > MAX_FRAMES:
            reasons[place] = f"more than {MAX_FRAMES} frames"
    kept = np.array([place for place in range(len(lengths)) if place not in reasons], np.int64)
    if at_most is not None and len(kept) > at_most:
        kept = kept[np.linspace(0, len(kept) - 1, at_most).round().astype(int)]
    return kept.tolist(), reasons


def fit_cases(
    cases: Iterable[Case], needs_human_words: bool = False
) -> tuple[list[Case], list[LeftOut]]:
    """Cases that can be measured, and the others: one bad clip never ends a run."""
    kept: list[Case] = []
    left_out: list[LeftOut] = []
    for case in cases:
        reason = _unfit(case.reference, needs_human_words)
        if reason is None:
            kept.append(case)
        else:
            left_out.append(LeftOut(_shot_name(case.reference), reason))
    return kept, left_out


def _unfit(reference: Shot, needs_human_words: bool) -> str | None:
    if needs_human_words and not reference.human_words:
        return "no human caption"
    try:
        FilmRequest(reference.clip, reference.camera_words).check(SHORTEST_MEASURED_SECONDS)
        if needs_human_words:
            check_words(reference.human_words, "human")
    except AesopError as error:
        return error.fact.removesuffix(".")
    return None if can_exist(reference.camera) else "a reference camera that cannot exist"


def _shot_name(shot: Shot) -> str:
    """The id of a stored shot."""
    return shot.provenance.source.partition(":")[2]


def cluster_of(store: Store, row: int) -> Cluster:
    """What shots of a store have in common: a film, a performer, or at least their window."""
    if "video" in attributes_of(store.shots, row):
        return "film"
    human_row = int(store.human_rows[row])
    return "performer" if "subject" in attributes_of(store.humans, human_row) else "window"


def group_of(store: Store, row: int) -> str:
    """The film or performer of a shot; empty where the store does not say."""
    human = attributes_of(store.humans, int(store.human_rows[row]))
    return str(attributes_of(store.shots, row).get("video", human.get("subject", "")))


def read_case(store: Store, row: int) -> Case:
    """One shot of a store."""
    stored = store.shot(row)
    return Case(
        row=row,
        human_row=stored.human_row,
        reference=store.as_shot(row),
        target_tags=stored.tags,
        reversed_words=reversed_caption(stored.camera_captions, stored.reversed_captions),
        group=group_of(store, row),
    )


def looking_away(clip: Clip) -> CameraPath:
    """A camera that stands still above everyone's head and films the sky: the person is out of the
    image in every frame, and no movement is shown."""
    motion = clip.motion
    centre = motion.root[0] + AWAY_M * heading(motion.yaw[0])
    centre[2] = motion.joints[..., 2].max() + AWAY_M
    kind = motion.joints
    return CameraPath(
        torch.eye(3).to(kind).expand(clip.frames, 3, 3),
        centre.expand(clip.frames, 3),
        kind.new_full((clip.frames,), AWAY_FOV_VERTICAL),
        AWAY_ASPECT,
    )


def is_impossible(shot: Shot) -> bool:
    """Whether another camera stands in for the one that was made."""
    return IMPOSSIBLE in shot.provenance.notes


def impossible_answers(shots: Sequence[Shot]) -> int:
    """How many cameras could not exist."""
    return sum(map(is_impossible, shots))


@dataclass(frozen=True, eq=False)
class Bench:
    """Everything about the references that judging needs."""

    cases: Cases
    evaluators: Evaluators
    reference: Observed
    words: Float64[np.ndarray, "cases width"]
    people: Float64[np.ndarray, "windows human_width"]
    people_words: Float64[np.ndarray, "windows human_width"]


def build_bench(
    cases: Cases,
    evaluators: Evaluators,
    progress: Progress | None = None,
    looked_at: Observed | None = None,
) -> Bench:
    """Look at the references once; or not even that, where someone has (embeddings apart)."""
    shots = cases.references
    embeddings = evaluators.cameras.embed_shots(shots)
    if looked_at is None:
        reference = observe(shots, embeddings, progress)
    else:
        assert len(looked_at.tags) == len(shots), "what was looked at are these references"
        reference = replace(looked_at, embeddings=embeddings)
    windows = [shots[place] for place in cases.windows.tolist()]
    return Bench(
        cases=cases,
        evaluators=evaluators,
        reference=reference,
        words=evaluators.cameras.embed_words([shot.camera_words for shot in shots]),
        people=evaluators.people.embed_shots(windows),
        people_words=evaluators.people.embed_words([shot.human_words for shot in windows]),
    )


def judge(bench: Bench, shots: Sequence[Shot], task: Task) -> Verdict:
    """All metrics that the task supports, and how many answers were impossible."""
    observed = observe(shots, bench.evaluators.cameras.embed_shots(shots))
    targets = [case.target_tags for case in bench.cases.cases]
    clusters = bench.cases.clusters
    cameras = judge_cameras(bench.reference, observed, targets, bench.words, clusters)
    cameras = replace(cameras, impossible=impossible_answers(shots))
    compared = compare(bench.cases.references, shots)
    paths = judge_paths(compared, clusters)
    match task:
        case "film":
            return cameras + paths
        case "codec":
            windows = bench.cases.windows
            motions = judge_motions(compared, windows, clusters.only(windows))
            return cameras + paths + _people(bench, shots, compared) + motions
        case "shoot":  # a new person's camera can be compared with its reference in nothing else
            rotation = tuple(number for number in paths.measured if number.metric == "rotation")
            return cameras + Verdict(rotation) + _people(bench, shots, compared)
        case _:
            assert_never(task)


def _people(bench: Bench, shots: Sequence[Shot], compared: Compared) -> Verdict:
    windows = bench.cases.windows
    made = bench.evaluators.people.embed_shots([shots[place] for place in windows.tolist()])
    slides = compared.people["foot_slide"][windows]
    clusters = bench.cases.clusters.only(windows)
    return judge_people(bench.people, made, bench.people_words, slides, clusters)
