"""Who compares what: sheets that give every comparison, pair, clip and side its equal share, and
the report that proves it.

All of it rests on one fact about edges between two kinds of points: they can be dealt out so that
at every point, and in all, no two shares differ by more than one (de Werra, 1971). Here clips and
pairs of methods are the points, comparisons the edges, and participants the shares.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from aesop.core.hashing import dice_for
from aesop.measuring.method_table import AskedTask
from aesop.study.study_plan import StudyPlan, TaskPlan

Ends = tuple[Hashable, Hashable]  # the two points that an edge joins
Cell = tuple[int, int]  # a clip and a pair of methods, by their places in the plan


@dataclass(frozen=True)
class Trial:
    """One comparison of a participant, as it is shown."""

    task: AskedTask
    clip: int
    left: str
    right: str

    @property
    def pair(self) -> frozenset[str]:
        return frozenset((self.left, self.right))


Sheet = tuple[Trial, ...]  # everything that one participant is asked, in order


def deal_sheets(plan: StudyPlan) -> tuple[Sheet, ...]:
    """A sheet for every participant; the seed decides all that is left to chance."""
    by_task = [_task_sheets(plan, task) for task in plan.tasks]
    sheets: list[Sheet] = []
    for number, parts in enumerate(zip(*by_task, strict=True)):
        # Who begins with which task takes turns.
        start = number % len(parts)
        sheets.append(tuple(trial for part in (*parts[start:], *parts[:start]) for trial in part))
    return tuple(sheets)


def _task_sheets(plan: StudyPlan, task: TaskPlan) -> list[list[Trial]]:
    dice = dice_for(plan.seed, "sheets", task.task)
    sheets = _dealt_comparisons(task, plan.participants, dice)
    shown = [(number, cell) for number, sheet in enumerate(sheets) for cell in sheet]
    trials: list[list[Trial]] = [[] for _ in sheets]
    for pair, (first, second) in enumerate(task.pairs):
        own = [(number, cell) for number, cell in shown if cell[1] == pair]
        # The pair has either side equally often: in all, on every clip, and on every sheet.
        is_first_left = equal_halves([(clip, number) for number, (clip, _) in own], dice)
        for (number, (clip, _)), is_left in zip(own, is_first_left, strict=True):
            sides = (first, second) if is_left else (second, first)
            trials[number].append(Trial(task.task, clip, *sides))
    return [[sheet[place] for place in dice.permutation(len(sheet))] for sheet in trials]


def _dealt_comparisons(
    task: TaskPlan, participants: int, dice: np.random.Generator
) -> list[list[Cell]]:
    """The comparisons of every sheet, dealt in blocks: so many sheets as hold every comparison
    equally often. A study that ends early is then nearly as balanced as a whole one."""
    cells = _every_comparison(task, participants, dice)
    block = len(task.pairs) * task.clips
    block //= math.gcd(block, task.comparisons)
    sheets: list[list[Cell]] = []
    while len(sheets) < participants:
        count = min(block, participants - len(sheets))
        start = len(sheets) * task.comparisons
        some = cells[start : start + count * task.comparisons]
        dealt: list[list[Cell]] = [[] for _ in range(count)]
        for cell, share in zip(some, equal_shares(some, count, dice), strict=True):
            dealt[share].append(cell)
        sheets += _evenly_ordered(dealt)
    return sheets


def _every_comparison(task: TaskPlan, participants: int, dice: np.random.Generator) -> list[Cell]:
    """Every comparison as often as it is made by all participants together. Those that are made
    once more than others follow diagonals, so that no clip and no pair has two of them more."""
    clips, pairs = task.clips, len(task.pairs)
    clip_order, pair_order = dice.permutation(clips).tolist(), dice.permutation(pairs).tolist()
    lap = math.lcm(clips, pairs)
    diagonal = [
        (clip_order[turn % clips], pair_order[(turn + turn // lap) % pairs])
        for turn in range(clips * pairs)
    ]
    whole, rest = divmod(participants * task.comparisons, len(diagonal))
    return diagonal * whole + diagonal[:rest]


def equal_shares(ends: Sequence[Ends], shares: int, dice: np.random.Generator) -> list[int]:
    """A share for every edge: at every point, and in all, no two shares differ by more than one.

    Whenever two shares differ somewhere, their edges together are halved again; the sum of squares
    over points falls each time, so this ends.
    """
    share_of = (dice.permutation(len(ends)) % shares).tolist()
    is_settled = False
    while not is_settled:
        is_settled = True
        for one in range(shares):
            for other in range(one):
                among = [edge for edge, share in enumerate(share_of) if share in (one, other)]
                split = [ends[edge] for edge in among]
                if _is_even(split, [share_of[edge] == one for edge in among]):
                    continue
                is_settled = False
                for edge, is_first in zip(among, equal_halves(split, dice), strict=True):
                    share_of[edge] = one if is_first else other
    return share_of


def _is_even(ends: Sequence[Ends], is_first: Sequence[bool]) -> bool:
    excess: Counter[tuple[int, Hashable]] = Counter()
    for edge, first in zip(ends, is_first, strict=True):
        for kind, point in enumerate((*edge, "all")):
            excess[kind, point] += 1 if first else -1
    return all(abs(more) <= 1 for more in excess.values())


def equal_halves(ends: Sequence[Ends], dice: np.random.Generator) -> list[bool]:
    """Which half every edge is in. At every point edges are paired, and the two of a pair go to
    different halves: so pairs make chains, along which halves alternate. Chains close only after an
    even number of edges, because they pass both kinds of points in turn."""
    partners: list[dict[int, int]] = [{} for _ in ends]
    for kind in (0, 1):
        at_point: dict[Hashable, list[int]] = defaultdict(list)
        for edge in dice.permutation(len(ends)).tolist():
            at_point[ends[edge][kind]].append(edge)
        for edges in at_point.values():
            for one, other in zip(edges[::2], edges[1::2], strict=False):
                partners[one][kind], partners[other][kind] = other, one
    half: dict[int, bool] = {}
    is_first = bool(dice.integers(2))
    # Open chains first, from an end; whatever is left is closed.
    for start in sorted(range(len(ends)), key=lambda edge: len(partners[edge])):
        if start in half:
            continue
        chain = _chain(partners, start)
        for place, edge in enumerate(chain):
            half[edge] = is_first ^ bool(place % 2)
        if len(chain) % 2:  # odd ones give one half an edge more, the next one the other half
            is_first = not is_first
        elif dice.integers(2):
            half |= {edge: not half[edge] for edge in chain}
    return [half[edge] for edge in range(len(ends))]


def _chain(partners: Sequence[dict[int, int]], start: int) -> list[int]:
    kind = next(iter(partners[start]), 0)
    chain = [start]
    while (follower := partners[chain[-1]].get(kind)) is not None and follower != start:
        chain.append(follower)
        kind = 1 - kind
    return chain


def _evenly_ordered(sheets: list[list[Cell]]) -> list[list[Cell]]:
    """The same sheets, each next one with what was least often on those before it."""
    seen: Counter[Cell] = Counter()
    left, ordered = list(sheets), list[list[Cell]]()
    while left:
        best = min(left, key=lambda sheet: sum(seen[cell] for cell in sheet))
        left.remove(best)
        ordered.append(best)
        seen.update(best)
    return ordered


@dataclass(frozen=True)
class Spread:
    """The least and the greatest of some counts."""

    least: int
    most: int

    @property
    def is_even(self) -> bool:
        return self.most - self.least <= 1

    def __str__(self) -> str:
        return f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"


def _spread(counts: Iterable[int]) -> Spread:
    known = list(counts)
    return Spread(min(known, default=0), max(known, default=0))


@dataclass(frozen=True)
class TaskBalance:
    """Everything about a task that should be equal, as the least and the greatest count."""

    task: AskedTask
    comparisons: int  # clip–pair comparisons
    trials: int
    per_participant: Spread
    per_comparison: Spread  # how often each is made
    per_comparison_halfway: Spread  # after half of the sheets
    per_pair: Spread
    per_clip: Spread
    pair_per_participant: Spread
    clip_per_participant: Spread
    left_more_per_comparison: int  # the greatest difference between its two sides
    left_more_per_pair: int
    begun_with: int  # sheets that begin with this task

    @property
    def is_even(self) -> bool:
        spreads = (
            self.per_participant, self.per_comparison, self.per_pair, self.per_clip,
            self.pair_per_participant, self.clip_per_participant,
        )  # fmt: skip
        return all(it.is_even for it in spreads) and self.left_more_per_comparison <= 1


def balance_of(plan: StudyPlan, sheets: Sequence[Sheet]) -> tuple[TaskBalance, ...]:
    """Counted from the sheets themselves, whoever dealt them."""
    return tuple(_task_balance(task, sheets) for task in plan.tasks)


def _task_balance(task: TaskPlan, sheets: Sequence[Sheet]) -> TaskBalance:
    own = [[trial for trial in sheet if trial.task == task.task] for sheet in sheets]
    pairs = {frozenset(pair): number for number, pair in enumerate(task.pairs)}
    cells = [(clip, pair) for clip in range(task.clips) for pair in range(len(pairs))]

    def counted(some: Sequence[Sequence[Trial]]) -> Counter[Cell]:
        return Counter((trial.clip, pairs[trial.pair]) for sheet in some for trial in sheet)

    made, halfway = counted(own), counted(own[: len(own) // 2])
    excess: Counter[Cell] = Counter()
    for trial in (trial for sheet in own for trial in sheet):
        pair = pairs[trial.pair]
        excess[trial.clip, pair] += 1 if trial.left == task.pairs[pair][0] else -1
    by_pair: Counter[int] = Counter()
    by_clip: Counter[int] = Counter()
    side_of_pair: Counter[int] = Counter()
    for (clip, pair), count in made.items():
        by_pair[pair] += count
        by_clip[clip] += count
        side_of_pair[pair] += excess[clip, pair]
    clips = [Counter(trial.clip for trial in sheet) for sheet in own]
    of_sheet = [Counter(pairs[trial.pair] for trial in sheet) for sheet in own]
    return TaskBalance(
        task=task.task,
        comparisons=len(cells),
        trials=sum(made.values()),
        per_participant=_spread(map(len, own)),
        per_comparison=_spread(made[cell] for cell in cells),
        per_comparison_halfway=_spread(halfway[cell] for cell in cells),
        per_pair=_spread(by_pair[pair] for pair in range(len(pairs))),
        per_clip=_spread(by_clip[clip] for clip in range(task.clips)),
        pair_per_participant=_spread(
            count[pair] for count in of_sheet for pair in range(len(pairs))
        ),
        clip_per_participant=_spread(count[clip] for count in clips for clip in range(task.clips)),
        left_more_per_comparison=max(map(abs, excess.values()), default=0),
        left_more_per_pair=max(map(abs, side_of_pair.values()), default=0),
        begun_with=sum(bool(sheet) and sheet[0].task == task.task for sheet in sheets),
    )


def balance_text(plan: StudyPlan, balances: Sequence[TaskBalance]) -> str:
    """The proof as a page of Markdown."""
    rows: list[tuple[str, list[str]]] = [
        ("clip–pair comparisons", [str(it.comparisons) for it in balances]),
        ("trials of all sheets", [str(it.trials) for it in balances]),
        ("trials of a sheet", [str(it.per_participant) for it in balances]),
        ("every comparison is made", [f"{it.per_comparison} times" for it in balances]),
        ("  after half of the sheets", [f"{it.per_comparison_halfway} times" for it in balances]),
        ("every pair of methods", [f"{it.per_pair} times" for it in balances]),
        ("every clip", [f"{it.per_clip} times" for it in balances]),
        ("a pair on a sheet", [f"{it.pair_per_participant} times" for it in balances]),
        ("a clip on a sheet", [f"{it.clip_per_participant} times" for it in balances]),
        ("sides of a comparison differ by", [str(it.left_more_per_comparison) for it in balances]),
        ("sides of a pair differ by", [str(it.left_more_per_pair) for it in balances]),
        ("sheets that begin with it", [str(it.begun_with) for it in balances]),
        ("all equal to within one", ["yes" if it.is_even else "NO" for it in balances]),
    ]
    lines = [
        "# Balance",
        "",
        f"{plan.participants} sheets, dealt with seed {plan.seed}. Counted from the sheets.",
        "",
        f"| | {' | '.join(it.task for it in balances)} |",
        "|---" + "|---:" * len(balances) + "|",
        *(f"| {name.strip()} | {' | '.join(cells)} |" for name, cells in rows),
    ]
    return "\n".join(lines) + "\n"
