"""Windows of people, drawn from segments with words: single segments, runs of neighbours in order,
and parts of even ones; at random starts and lengths, half of them seen in a mirror.

Every segment gives windows by dice of its own, so a drawing is the same for any number of
processes and in any order of the takes.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float

from aesop.camera_words.vocabulary import mirror_caption
from aesop.core.hashing import dice_for
from aesop.core.pool import run_all
from aesop.fables.motion_sets import SetTake, split_of_take
from aesop.fables.people_words import (
    GOING,
    SegmentWords,
    joined_caption,
    plain_caption,
    set_of,
    written_captions,
)
from aesop.fables.segment_captions import SegmentCaption
from aesop.fables.segment_table import Segment
from aesop.fables.takes import HIGHEST_SUPPORT_M, SplitName, glitches, support
from aesop.scene.human import NATIVE_FPS

SHORTEST_FRAMES, LONGEST_FRAMES = 30, 300
# Of a segment at the edge of a window so much is shown, unless it is even and may be cut.
LEAST_SHOWN = 0.8
# A part of an even segment lasts at least this long.
SHORTEST_PART_FRAMES = 40
# Of an even segment at the end of a run.
SHORTEST_END_FRAMES = 25
# Actions that look alike in all of their parts, where nobody turns.
EVEN_VERBS = GOING | set_of(
    "stand sit lie dance box swim wait hold sway balance wipe dribble paint sweep mop march "
    "crouch carry conduct argue laugh cry drum row pose perch"
)
EVEN_TURN_DEG = 35.0
# What strangers ask for first: seen more often than its number says.
EVERYDAY_VERBS = set_of(
    "walk run jog turn sit stand jump crouch squat wave kick punch throw pick raise bend reach hop "
    "crawl lie kneel point clap step get"
)
# Labels that need not be said beside another action: who sits down and stays so, sits down.
QUIET_VERBS = frozenset({"stand", "sit", "wait", "stop", "lie", "hold pose", "hold", "perch"})
_RUN_TRIES, _TRIES = 4, 7
_TAKES_AT_ONCE = 32


@dataclass(frozen=True)
class PeopleRecipe:
    """How windows are drawn."""

    seed: int = 20261117
    windows: int = 150_000  # of a split
    run_share: float = 0.5  # show two or three segments
    part_share: float = 0.6  # of single even segments longer than a part: cut anywhere
    jitter_s: float = 0.3  # most that a window begins or ends beside its segments
    # An action with n segments is seen n^(1 − rarity) as often as one with one; below `common`
    # segments rarity counts no more.
    rarity: float = 0.4
    common: int = 20
    everyday: float = 2.0  # how much more often `EVERYDAY_VERBS` are seen
    captions: int = 6  # of a single segment; runs have two fewer


@dataclass(frozen=True)
class PeopleWindow:
    """Frames first … stop−1 of a take, what they show and how that may be said."""

    take_id: str
    first: int
    stop: int
    mirrored: bool
    segments: tuple[str, ...]  # ids, in order
    captions: tuple[str, ...]

    @property
    def frames(self) -> int:
        return self.stop - self.first

    @property
    def name(self) -> str:
        take = self.take_id.replace("/", "_")
        return f"{take}_{self.first:05d}_{self.frames:03d}{'m' if self.mirrored else ''}"


@dataclass(frozen=True)
class Worded:
    """A segment that may be shown, and its words."""

    segment: Segment
    words: SegmentWords

    @property
    def number(self) -> int:
        return int(self.segment.id.rpartition("/")[2])

    @property
    def verb(self) -> str:
        return self.words.caption.verb.split()[0]

    @property
    def first(self) -> int:
        return self.segment.frames.start

    @property
    def stop(self) -> int:
        return self.segment.frames.stop

    @cached_property
    def is_even(self) -> bool:
        """Whether any part of it shows what it shows."""
        facts = self.segment.facts
        return (
            self.verb in EVEN_VERBS
            and " and " not in self.words.caption.verb
            and max(facts.most_left_deg, facts.most_right_deg) < EVEN_TURN_DEG
            and ">" not in facts.postures
        )


def worded_segments(
    segments: Iterable[Segment], captions: Iterable[SegmentCaption]
) -> dict[str, list[Worded]]:
    """Segments without fault that have words, in order, by take."""
    words_of = {caption.id: caption for caption in captions}
    found: dict[str, list[Worded]] = defaultdict(list)
    for segment in segments:
        if segment.id in words_of and not segment.fault:
            words = SegmentWords(words_of[segment.id], segment.facts)
            found[segment.take_id].append(Worded(segment, words))
    return {take: sorted(rows, key=lambda it: it.number) for take, rows in found.items()}


def takes_of_split(takes: Iterable[SetTake], split: SplitName) -> set[str]:
    """Ids of the takes whose performers are in a split."""
    return {take.id for take in takes if split_of_take(take) == split}


def allot(worded: Mapping[str, Sequence[Worded]], recipe: PeopleRecipe) -> dict[str, int]:
    """How many windows each segment gives: of rare and of everyday actions more; their sum is the
    recipe's number."""
    rows = [it for take in sorted(worded) for it in worded[take]]
    if not rows:
        return {}
    labels = Counter(it.words.caption.verb for it in rows)
    # An action is a common label, or all rarer labels that begin alike.
    actions = [
        label if labels[label := it.words.caption.verb] >= recipe.common else it.verb for it in rows
    ]
    known = Counter(actions)
    weights = np.array(
        [
            max(known[action], recipe.common) ** -recipe.rarity
            * (recipe.everyday if it.verb in EVERYDAY_VERBS else 1.0)
            for it, action in zip(rows, actions, strict=True)
        ]
    )
    edges = np.rint(np.cumsum(weights) / weights.sum() * recipe.windows).astype(int)
    counts = np.diff(edges, prepend=0).tolist()
    return {it.segment.id: count for it, count in zip(rows, counts, strict=True)}


@dataclass(frozen=True, eq=False)
class TakeGround:
    """Which frames of a take may be shown, and how high what carries the body lies."""

    is_bad: Bool[np.ndarray, " frames"]
    support_m: Float[np.ndarray, " frames"]

    @property
    def frames(self) -> int:
        return len(self.is_bad)

    def accepts(self, first: int, stop: int) -> bool:
        level = self.support_m[first:stop]
        return not self.is_bad[first:stop].any() and float(np.ptp(level)) <= HIGHEST_SUPPORT_M


def ground_of(joints: Float[np.ndarray, "frames 22 3"]) -> TakeGround:
    """Look at a whole take once."""
    return TakeGround(glitches(joints), support(joints))


def draw_take(
    rows: Sequence[Worded], ground: TakeGround, counts: Mapping[str, int], recipe: PeopleRecipe
) -> list[PeopleWindow]:
    """All windows of one take, segment by segment. Fewer come back where none fits."""
    windows: list[PeopleWindow] = []
    for place, row in enumerate(rows):
        dice = dice_for(recipe.seed, row.segment.id)
        for _ in range(counts.get(row.segment.id, 0)):
            window = _drawn(rows, place, ground, recipe, dice)
            if window is not None:
                windows.append(window)
    return windows


def _drawn(
    rows: Sequence[Worded],
    place: int,
    ground: TakeGround,
    recipe: PeopleRecipe,
    dice: np.random.Generator,
) -> PeopleWindow | None:
    wants_run = dice.random() < recipe.run_share
    for attempt in range(_TRIES):
        shown = [rows[place]]
        if wants_run and attempt < _RUN_TRIES:
            shown = _run(rows, place, 2 if attempt or dice.random() < 0.7 else 3, dice)
            if len(shown) < 2:
                continue
        first, stop = _edges(shown, ground.frames, recipe, dice)
        if SHORTEST_FRAMES <= stop - first <= LONGEST_FRAMES and ground.accepts(first, stop):
            parts = [(it.words, shown_share(it, first, stop) >= LEAST_SHOWN) for it in shown]
            return PeopleWindow(
                take_id=rows[place].segment.take_id,
                first=first,
                stop=stop,
                mirrored=(is_mirrored := bool(dice.integers(2))),
                segments=tuple(it.segment.id for it in shown),
                captions=_captions(parts, is_mirrored, recipe, dice),
            )
    return None


def shown_share(row: Worded, first: int, stop: int) -> float:
    """How much of a segment lies in frames first … stop−1."""
    inside = min(stop, row.stop) - max(first, row.first)
    return max(0, inside) / (row.stop - row.first)


def _run(rows: Sequence[Worded], place: int, count: int, dice: np.random.Generator) -> list[Worded]:
    """Neighbours, one of them the segment at a place; nothing where there are none."""
    start = place - int(dice.integers(count))
    run = list(rows[max(0, start) : start + count])
    follow = all(
        after.number == before.number + 1 and after.first == before.stop
        for before, after in pairwise(run)
    )
    return run if follow and len(run) == count else []


def _edges(
    shown: Sequence[Worded], frames: int, recipe: PeopleRecipe, dice: np.random.Generator
) -> tuple[int, int]:
    """Where a window begins and ends: near the edges of its segments, or inside even ones."""
    first, stop = shown[0].first, shown[-1].stop
    if len(shown) == 1 and shown[0].is_even and stop - first > SHORTEST_PART_FRAMES:
        if dice.random() < recipe.part_share:
            length = int(dice.integers(SHORTEST_PART_FRAMES, min(stop - first, LONGEST_FRAMES) + 1))
            start = first + int(dice.integers(stop - first - length + 1))
            return start, start + length
    elif len(shown) > 1:
        first, stop = _cut_ends(shown, dice)
    most = recipe.jitter_s * NATIVE_FPS
    before, after = dice.uniform(-most, most, 2)
    first, stop = round(first - before), round(stop + after)
    if stop - first < SHORTEST_FRAMES:
        missing = SHORTEST_FRAMES - (stop - first)
        first, stop = first - missing // 2, stop + missing - missing // 2
    return max(0, first), min(frames, stop)


def _cut_ends(shown: Sequence[Worded], dice: np.random.Generator) -> tuple[int, int]:
    """A run need not show all of a long even segment at either end."""
    head, tail = shown[0], shown[-1]
    first, stop = head.first, tail.stop
    inner = head.stop, tail.first
    room = LONGEST_FRAMES - (inner[1] - inner[0])
    if head.is_even and (dice.random() < 0.5 or stop - first > LONGEST_FRAMES):
        most = max(SHORTEST_END_FRAMES, min(head.stop - head.first, room // 2))
        first = head.stop - int(dice.integers(SHORTEST_END_FRAMES, most + 1))
    if tail.is_even and (dice.random() < 0.5 or stop - first > LONGEST_FRAMES):
        most = max(SHORTEST_END_FRAMES, min(tail.stop - tail.first, room // 2))
        stop = tail.first + int(dice.integers(SHORTEST_END_FRAMES, most + 1))
    return max(first, head.first), min(stop, tail.stop)


def _captions(
    parts: Sequence[tuple[SegmentWords, bool]],
    is_mirrored: bool,
    recipe: PeopleRecipe,
    dice: np.random.Generator,
) -> tuple[str, ...]:
    """Different wordings of what a window shows."""
    if len(parts) == 1:
        texts = written_captions(parts[0][0], dice, whole=parts[0][1])
        texts = texts[: recipe.captions - 2]
        texts += [plain_caption(parts, dice) for _ in range(recipe.captions - len(texts))]
    else:
        loud = [part for part in parts if part[0].caption.verb not in QUIET_VERBS] or parts
        texts = [joined_caption(parts, dice) for _ in range(recipe.captions - 4)]
        texts += [plain_caption(parts, dice), plain_caption(loud, dice)]
    unique = dict.fromkeys(mirror_caption(text) if is_mirrored else text for text in texts)
    return tuple(unique)


@dataclass(frozen=True, eq=False)
class DrawTask:
    """Some takes to draw windows from."""

    takes: tuple[tuple[tuple[Worded, ...], TakeGround], ...]
    counts: Mapping[str, int]
    recipe: PeopleRecipe


def draw_takes(task: DrawTask) -> list[PeopleWindow]:
    """Windows of some takes, in order."""
    drawn = (draw_take(rows, ground, task.counts, task.recipe) for rows, ground in task.takes)
    return [window for windows in drawn for window in windows]


def draw_people(
    worded: Mapping[str, Sequence[Worded]],
    grounds: Mapping[str, TakeGround],
    recipe: PeopleRecipe,
    workers: int | None = 1,
) -> list[PeopleWindow]:
    """The windows of a split: of all takes that have words and are there, by id."""
    known = {take: rows for take, rows in worded.items() if take in grounds}
    counts = allot(known, recipe)
    names = sorted(known)
    tasks = [
        DrawTask(
            tuple((tuple(known[name]), grounds[name]) for name in group),
            {it.segment.id: counts[it.segment.id] for name in group for it in known[name]},
            recipe,
        )
        for at in range(0, len(names), _TAKES_AT_ONCE)
        if (group := names[at : at + _TAKES_AT_ONCE])
    ]
    return [window for windows in run_all(draw_takes, tasks, workers=workers) for window in windows]
