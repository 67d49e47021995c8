"""Geometric tests of actions on real people: how many examples of an action pass, and how many
windows do whose labels exclude it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from aesop.core.errors import FileError, Progress
from aesop.core.hashing import text_sha256
from aesop.core.machine import Code, Machine
from aesop.fables.motion_sets import read_set_takes, split_of_take
from aesop.fables.segment_captions import SegmentCaption, read_segment_captions
from aesop.fables.segment_table import Segment, read_segments
from aesop.fables.takes import SplitName
from aesop.files.shot_file import read_clip
from aesop.measuring.action_labels import (
    RULES,
    SEQUENCES,
    LabelRule,
    mirrored_facts,
    mirrored_label,
    names_side,
)
from aesop.measuring.acts import STILL, WALK, Bodies, RealNumbers, RealPeople, bodies_of
from aesop.measuring.runs import ProgressBar, origin_of_result, restored
from aesop.metrics.action_curves import ActionCurves, action_curves
from aesop.metrics.action_tests import ACTION_TESTS
from aesop.metrics.motion_metrics import BodyFacts, body_facts
from aesop.scene.human import NATIVE_FPS, HumanMotion, grounded, mirrored

CHOSEN_ON: tuple[SplitName, ...] = ("train", "validation")
CHECKED_ON: tuple[SplitName, ...] = ("test",)
SHORTEST_S = 0.8
LONGEST_SEQUENCE_S = 12.0
# Windows whose labels exclude an action that are tried, drawn once: all would take minutes.
MOST_OTHERS, MOST_OTHER_PAIRS = 600, 150
FEW = 10  # examples; a share of fewer says little


@dataclass(frozen=True)
class Counted:
    """Real windows of one action. Examples have its label and, where a label alone says less than
    the action, facts of the segment that agree; labelled windows have the label."""

    examples: int
    examples_pass: float
    labelled: int
    labelled_pass: float
    others: int
    others_pass: float
    failing: tuple[str, ...]  # some examples that do not pass
    passing_others: tuple[str, ...]


@dataclass(frozen=True)
class CalibratedAction:
    """One action on the performers by whom its test was chosen, and on those of the test split."""

    action: str
    chosen: Counted
    checked: Counted

    @property
    def has_few(self) -> bool:
        return self.chosen.examples < FEW


@dataclass(frozen=True)
class Calibration:
    """All actions, and the bodies of real people who walk and who stand."""

    actions: tuple[CalibratedAction, ...]
    walking: Bodies
    standing: Bodies
    windows: int
    code: Code
    machine: Machine
    repeat: str


@dataclass(frozen=True, eq=False)
class RealWindow:
    """Some neighbouring segments of a take, each with its label. Curves are kept: dozens of tests
    look at the same ones."""

    take: HumanMotion
    segments: tuple[Segment, ...]
    labels: tuple[SegmentCaption, ...]
    kept: dict[tuple[float, bool], ActionCurves] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.segments[0].id

    def curves(self, margin_s: float, is_mirrored: bool) -> ActionCurves:
        """With so much of what comes before and after."""
        if (margin_s, is_mirrored) not in self.kept:
            self.kept[margin_s, is_mirrored] = self._curves(margin_s, is_mirrored)
        return self.kept[margin_s, is_mirrored]

    def _curves(self, margin_s: float, is_mirrored: bool) -> ActionCurves:
        margin = round(margin_s * NATIVE_FPS)
        first, stop = self.segments[0].frames.start, self.segments[-1].frames.stop
        motion = self.take.part(slice(max(0, first - margin), stop + margin))
        return action_curves(mirrored(motion) if is_mirrored else motion)


class RealTakes:
    """Takes of some splits, read once from the cache of `runs/segments.py import`."""

    def __init__(
        self, clips: Path, splits: Sequence[SplitName], progress: Progress | None = None
    ) -> None:
        wanted = {it.id for it in read_set_takes() if split_of_take(it) in splits}
        self._segments = [it for it in read_segments() if it.take_id in wanted]
        self._labels = {it.id: it for it in read_segment_captions()}
        names = list(dict.fromkeys(it.take_id for it in self._segments))
        self._motions: dict[str, HumanMotion] = {}
        for number, name in enumerate(names, start=1):
            path = clips / f"{name}.clip"
            if not path.exists():
                raise FileError(
                    f"{path} is missing.", "Make the clips with `python runs/segments.py import`."
                )
            self._motions[name] = read_clip(path).motion
            if progress is not None:
                progress(number, len(names))

    @cached_property
    def single(self) -> tuple[RealWindow, ...]:
        """Every segment with a label and without a fault, by itself."""
        return tuple(
            self._window(it)
            for it in self._segments
            if self._usable(it) and it.seconds >= SHORTEST_S
        )

    @cached_property
    def neighbours(self) -> tuple[RealWindow, ...]:
        """Every two that follow each other in a take."""
        return tuple(
            self._window(one, other)
            for one, other in pairwise(self._segments)
            if one.take_id == other.take_id
            and self._usable(one)
            and self._usable(other)
            and one.seconds + other.seconds <= LONGEST_SEQUENCE_S
        )

    def _usable(self, segment: Segment) -> bool:
        return not segment.fault and segment.id in self._labels

    def _window(self, *segments: Segment) -> RealWindow:
        labels = tuple(self._labels[it.id] for it in segments)
        return RealWindow(self._motions[segments[0].take_id], segments, labels)


@dataclass(frozen=True, eq=False)
class _Tried:
    """Windows of one action, each as it is or in the mirror."""

    examples: list[tuple[RealWindow, bool]]
    labelled: list[tuple[RealWindow, bool]]  # examples are among them
    others: list[tuple[RealWindow, bool]]


def calibrate(clips: Path, bar: ProgressBar) -> Calibration:
    """Every test on every split."""
    with bar("takes") as progress:
        chosen, checked = (RealTakes(clips, some, progress) for some in (CHOSEN_ON, CHECKED_ON))
    names = (*RULES, *SEQUENCES)
    found: list[CalibratedAction] = []
    with bar("tests") as progress:
        for action in names:
            here, there = (counted(action, takes) for takes in (chosen, checked))
            found.append(CalibratedAction(action, here, there))
            progress(len(found), len(names))
    actions = tuple(found)
    return Calibration(
        actions,
        _real_bodies(WALK, (chosen, checked)),
        _real_bodies(STILL, (chosen, checked)),
        len(chosen.single) + len(checked.single),
        *origin_of_result(),
    )


def counted(action: str, takes: RealTakes) -> Counted:
    """One test on all windows of some takes."""
    test, margin_s = ACTION_TESTS[action], _margin_s(action)
    tried = _tried(action, takes)

    def passes(window: RealWindow, is_mirrored: bool) -> bool:
        return test(window.curves(margin_s, is_mirrored))

    labelled = {one: passes(*one) for one in tried.labelled}
    examples = [labelled[one] for one in tried.examples]
    others = {one: passes(*one) for one in tried.others}
    return Counted(
        len(examples),
        _share(examples),
        len(labelled),
        _share(list(labelled.values())),
        len(others),
        _share(list(others.values())),
        tuple(one[0].name for one in tried.examples if not labelled[one])[:12],
        tuple(one[0].name for one, passed in others.items() if passed)[:12],
    )


def _margin_s(action: str) -> float:
    return 0.0 if action in SEQUENCES else RULES[action].margin_s


def _share(passed: Sequence[bool]) -> float:
    return float(np.mean(passed)) if passed else float("nan")


def _tried(action: str, takes: RealTakes) -> _Tried:
    tried = _Tried([], [], [])
    if action in SEQUENCES:
        for window in takes.neighbours:
            _sort_pair(SEQUENCES[action], window, tried)
    else:
        for window in takes.single:
            for is_mirrored in (False, True) if names_side(action) else (False,):
                _sort_single(RULES[action], window, is_mirrored, tried)
    most = MOST_OTHER_PAIRS if action in SEQUENCES else MOST_OTHERS
    if len(tried.others) > most:
        order = np.random.default_rng(0).permutation(len(tried.others))[:most]
        return _Tried(
            tried.examples, tried.labelled, [tried.others[place] for place in sorted(order)]
        )
    return tried


def _sort_single(rule: LabelRule, window: RealWindow, is_mirrored: bool, tried: _Tried) -> None:
    label, facts = window.labels[0], window.segments[0].facts
    if is_mirrored:
        label, facts = mirrored_label(label), mirrored_facts(facts)
    if rule.is_shown(label):
        tried.labelled.append((window, is_mirrored))
        if rule.facts(facts):
            tried.examples.append((window, is_mirrored))
    elif rule.is_excluded(label):
        tried.others.append((window, is_mirrored))


def _sort_pair(rules: tuple[LabelRule, LabelRule], window: RealWindow, tried: _Tried) -> None:
    """Both must be shown; if either is excluded, so is the sequence."""
    pairs = list(zip(rules, window.labels, window.segments, strict=True))
    if all(rule.is_shown(label) for rule, label, _ in pairs):
        tried.labelled.append((window, False))
        if all(rule.facts(segment.facts) for rule, _, segment in pairs):
            tried.examples.append((window, False))
    elif any(rule.is_excluded(label) for rule, label, _ in pairs):
        tried.others.append((window, False))


def _real_bodies(action: str, some: Sequence[RealTakes]) -> Bodies:
    return bodies_of([facts for takes in some for facts in _body_facts(action, takes)])


def _body_facts(action: str, takes: RealTakes) -> Iterator[BodyFacts]:
    for window, _ in _tried(action, takes).examples:
        motion = window.take.part(window.segments[0].frames)
        if motion.frames > 3:
            yield body_facts(grounded(motion), NATIVE_FPS)


def read_calibration(chosen: Path | None, usual: Path) -> RealNumbers | None:
    """What a file says of real people: of a file that was named, or of the usual one if it is
    there."""
    path = chosen or usual
    if chosen is None and not path.exists():
        return None
    try:
        text = path.read_text(encoding="utf-8")
        calibration = restored(Calibration, json.loads(text))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(
            f"{path} holds no numbers of real people ({error!r}).",
            "Make it with `python runs/acts.py calibrate`.",
        ) from error
    return real_numbers(calibration, text_sha256(text))


def real_numbers(calibration: Calibration, sha256: str) -> RealNumbers:
    """The numbers that stand beside people from words: of everybody, whatever their split."""
    actions: Mapping[str, RealPeople] = {
        it.action: RealPeople(
            it.chosen.examples + it.checked.examples,
            _joined(it.chosen.examples_pass, it.chosen.examples, it.checked.examples_pass,
                    it.checked.examples),
            it.chosen.others + it.checked.others,
            _joined(it.chosen.others_pass, it.chosen.others, it.checked.others_pass,
                    it.checked.others),
        )
        for it in calibration.actions
    }  # fmt: skip
    return RealNumbers(actions, calibration.walking, calibration.standing, sha256)


def _joined(first: float, count: int, second: float, other_count: int) -> float:
    known = [(first, count), (second, other_count)]
    total = sum(number for _, number in known)
    return (
        sum(share * number for share, number in known if number) / total if total else float("nan")
    )
