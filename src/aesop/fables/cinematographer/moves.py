"""Moves and their timing: what the camera is to do, one thing after another, gently."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from aesop.camera_words.outline import STATIC, Kind
from aesop.core.hashing import picked
from aesop.fables.cinematographer.lens import Style
from aesop.scene.curves import eased_step
from aesop.scene.movement import CLASSES, signs_from_tag

# A shorter stretch would be swallowed by the tagger (runs of at least 25, mode over 56).
SHORTEST_MOVE = 29  # transitions
SHORTEST_SEVERAL = 2 * SHORTEST_MOVE + 1  # frames that a shot with two movements needs
# Slow tails at the ends of a shot that the tagger still counts to the movement.
LONGEST_TAIL = 20  # transitions
_EASE = (8.0, 20.0)  # transitions

_SIGNS = signs_from_tag(np.arange(CLASSES)).astype(np.float64)
_AXES = np.abs(_SIGNS).sum(axis=1).astype(int).tolist()
SINGLE_AXIS_TAGS = tuple(tag for tag in range(CLASSES) if _AXES[tag] == 1)
# Per direction along x, y, z: booms are the rarer moves.
_AXIS_SHARES = np.array([0.24, 0.09, 0.17])
_SINGLE_AXIS_SHARES = {tag: float(np.abs(_SIGNS[tag]) @ _AXIS_SHARES) for tag in SINGLE_AXIS_TAGS}
_TWO_AXIS_TAGS = tuple(tag for tag in range(CLASSES) if _AXES[tag] == 2)
_THREE_AXIS_TAGS = tuple(tag for tag in range(CLASSES) if _AXES[tag] == 3)
TRUCK_TAGS = tuple(tag for tag in SINGLE_AXIS_TAGS if _SIGNS[tag, 0] != 0)
DOLLY_TAGS = tuple(tag for tag in SINGLE_AXIS_TAGS if _SIGNS[tag, 2] != 0)


@dataclass(frozen=True)
class Move:
    """One thing the camera is to do.

    `reach` in [0, 1] says how far it goes between the shortest and the longest way that its time
    allows; it is drawn without looking at the tag. A follow or lead takes its way from the person:
    its tag is what the first filming gave, or None while nothing was filmed.
    """

    tag: int | None
    kind: Kind
    reach: float

    @property
    def goes_with_person(self) -> bool:
        return self.kind in ("follow", "lead")

    @property
    def signs(self) -> Float[np.ndarray, "3"]:
        """Direction along camera x, y, z; zero where the person sets the way."""
        return _SIGNS[self._own_tag]

    @property
    def axes(self) -> int:
        return _AXES[self._own_tag]

    @property
    def _own_tag(self) -> int:
        return STATIC if self.goes_with_person or self.tag is None else self.tag


def draw_tag(style: Style, dice: np.random.Generator) -> int:
    """A class: static, along one axis, along several."""
    pick = dice.random()
    if pick < style.static:
        return STATIC
    if pick < style.static + style.single_axis:
        return picked(_SINGLE_AXIS_SHARES, dice)
    several = _THREE_AXIS_TAGS if dice.random() < style.three_axes else _TWO_AXIS_TAGS
    return several[int(dice.integers(len(several)))]


def draw_reach(dice: np.random.Generator) -> float:
    """Nearly log-uniform ways; a little towards the long ones, which find room less often."""
    return float(dice.random() ** 0.55)


def draw_moves(
    count: int, style: Style, dice: np.random.Generator, with_person: bool
) -> tuple[Move, ...]:
    """Moves of which no two neighbours share a class; one may go with the person."""
    moves: list[Move] = []
    while len(moves) < count:
        tag = draw_tag(style, dice)
        if not moves or tag != moves[-1].tag:
            bends = dice.random() < style.arc and tag in TRUCK_TAGS
            moves.append(Move(tag, "arc" if bends else "plain", draw_reach(dice)))
    if with_person:
        kind: Kind = "lead" if dice.random() < 0.4 else "follow"
        moves[int(dice.integers(count))] = Move(None, kind, draw_reach(dice))
    return tuple(moves)


@dataclass(frozen=True, eq=False)
class Timing:
    """Who moves when: `weights[k]` says how much of move k's full speed each transition has."""

    bounds: tuple[int, ...]  # transitions: move k holds bounds[k] … bounds[k+1]−1
    weights: Float[np.ndarray, "moves transitions"]

    def middle(self, move: int) -> int:
        return (self.bounds[move] + self.bounds[move + 1]) // 2


def draw_timing(
    moves: Sequence[Move],
    activity: Float[np.ndarray, " transitions"],
    style: Style,
    dice: np.random.Generator,
) -> Timing:
    """Bounds near moments where the person starts or stops something, and eased ends."""
    transitions = len(activity)
    bounds = _draw_bounds(len(moves), activity, dice)
    instants = np.arange(transitions) + 0.5
    steps = [np.ones(transitions)]
    for at, bound in enumerate(bounds[1:-1], start=1):
        shorter = min(bound - bounds[at - 1], bounds[at + 1] - bound)
        ease = dice.uniform(_EASE[0], min(_EASE[1], max(shorter / 3, _EASE[0])))
        # A hold keeps all of its time: what eases is the movement beside it.
        lean = (moves[at - 1].tag == STATIC) - float(moves[at].tag == STATIC)
        steps.append(eased_step(instants, bound + lean * ease / 2, ease))
    steps.append(np.zeros(transitions))
    if dice.random() >= style.cut_in:
        ease, rest = _draw_tail(bounds[1], len(moves), dice)
        steps[0] = eased_step(instants, rest + ease / 2, ease)
    if dice.random() >= style.cut_in:
        ease, rest = _draw_tail(transitions - bounds[-2], len(moves), dice)
        steps[-1] = eased_step(instants, transitions - rest - ease / 2, ease)
    weights = np.stack([np.maximum(a - b, 0) for a, b in pairwise(steps)])
    return Timing(bounds, weights)


def _draw_tail(stretch: int, count: int, dice: np.random.Generator) -> tuple[float, float]:
    """Ease and rest at an end of the shot, short enough for the tagger to see one movement."""
    tail = min(LONGEST_TAIL, stretch // (4 if count == 1 else 5))
    ease = dice.uniform(min(_EASE[0], tail), tail) if count == 1 else _EASE[0]
    return ease, dice.uniform(0, max(tail - ease, 0.0))


def _draw_bounds(
    count: int, activity: Float[np.ndarray, " transitions"], dice: np.random.Generator
) -> tuple[int, ...]:
    """Of a few cuts into long enough stretches, the one at the largest changes of activity."""
    transitions = len(activity)
    spare = transitions - count * SHORTEST_MOVE
    assert count == 1 or spare >= 0, "too short for so many moves"
    if count == 1:
        return (0, transitions)
    total = np.concatenate([[0.0], np.cumsum(activity)])
    cuts: list[list[int]] = []
    for _ in range(4):
        gaps = np.diff(np.sort(dice.uniform(0, spare, count - 1)), prepend=0.0)
        cuts.append(np.cumsum(SHORTEST_MOVE + gaps).astype(int).tolist())
    best = max(cuts, key=lambda inner: sum(_change_at(total, bound) for bound in inner))
    return (0, *best, transitions)


def _change_at(total: Float[np.ndarray, " instants"], bound: int, reach: int = 12) -> float:
    before = total[bound] - total[max(bound - reach, 0)]
    after = total[min(bound + reach, len(total) - 1)] - total[bound]
    return abs(float(after - before)) / reach


def travel_of(move: Move, moving_seconds: float, style: Style) -> float:
    """Metres that a move goes: log-uniform between the shortest and the longest way for a move that
    lasts this long. No direction has a say in it; an arc has ends of its own, or the word would
    tell how far: a short one is not seen as an arc."""
    shortest = style.slowest_mps * move.axes**0.5 * moving_seconds
    longest = min(style.fastest_mps * moving_seconds, style.longest_m)
    if move.kind == "arc":
        shortest, longest = max(shortest, style.arc_m[0]), min(longest, style.arc_m[1])
    longest = max(longest, shortest)
    return shortest * (longest / shortest) ** move.reach
