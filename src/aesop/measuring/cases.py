"""The cases of a split (what is asked of a method, what the dataset answers) and the bench that
all methods are judged on."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, assert_never

import numpy as np
import torch
from jaxtyping import Float64, Int64, Integer

from aesop.core.errors import Progress, StoreError
from aesop.core.hashing import text_sha256
from aesop.data.store import Store
from aesop.director.best_take import IMPOSSIBLE
from aesop.evaluators.evaluator_weights import Evaluators
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
from aesop.scene.shot import SHORTEST_SECONDS, Shot, heading

Task = Literal["film", "shoot", "codec"]
FEWEST_FRAMES = round(SHORTEST_SECONDS * NATIVE_FPS)
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

    @property
    def camera_words(self) -> str:
        return self.reference.camera_words

    @property
    def human_words(self) -> str:
        return self.reference.human_words


@dataclass(frozen=True, eq=False)
class Cases:
    """The cases of a split in the order of their rows, and how many could not be asked."""

    dataset: str
    data_sha256: str
    split: str
    cases: tuple[Case, ...]
    left_out: int
    note: str = ""  # what was done to them on the way

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


def read_cases(store: Store, split: str, at_most: int | None = None) -> Cases:
    """All shots of a split ("test", or "test/pure" for one kind) that can be asked for: with words,
    and of a length that AESOP makes. With a limit, evenly spaced ones."""
    name, _, kind = split.partition("/")
    rows = store.split(name, kind or None)
    lengths = store.shot_lengths(rows)
    words = [bool(store.shots.strings("captions", row)) for row in rows.tolist()]
    places, left_out = chosen_places(lengths, words, at_most)
    kept = [int(rows[place]) for place in places]
    if not kept:
        raise StoreError(
            f"The split {split} of {store.path} has no shot that can be asked for.",
            f"Shots need words and {FEWEST_FRAMES} to {MAX_FRAMES} frames.",
        )
    return Cases(
        dataset=store.manifest.dataset,
        data_sha256=store.manifest.content_sha256,
        split=split,
        cases=tuple(_case(store, row) for row in kept),
        left_out=left_out,
    )


def chosen_places(
    lengths: Integer[np.ndarray, " shots"], has_words: Sequence[bool], at_most: int | None
) -> tuple[list[int], int]:
    """Which shots of a split are asked for, by their places in it, and how many cannot be."""
    fits = (lengths >= FEWEST_FRAMES) & (lengths <= MAX_FRAMES) & np.array(has_words, bool)
    kept = np.flatnonzero(fits)
    left_out = len(lengths) - len(kept)
    if at_most is not None and len(kept) > at_most:
        kept = kept[np.linspace(0, len(kept) - 1, at_most).round().astype(int)]
    return kept.tolist(), left_out


def _case(store: Store, row: int) -> Case:
    stored = store.shot(row)
    return Case(
        row=row,
        human_row=stored.human_row,
        reference=store.as_shot(row),
        target_tags=stored.tags,
        reversed_words=next(iter(stored.reversed_captions), ""),
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
    cameras = judge_cameras(bench.reference, observed, targets, bench.words)
    cameras = replace(cameras, impossible=impossible_answers(shots))
    compared = compare(bench.cases.references, shots)
    paths = judge_paths(compared)
    match task:
        case "film":
            return cameras + paths
        case "codec":
            motions = judge_motions(compared, bench.cases.windows)
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
    return judge_people(bench.people, made, bench.people_words, slides)
