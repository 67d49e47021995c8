"""Cutting takes into windows: lengths like PulpMotion's, places that show what the caption says."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

SHORTEST_FRAMES = 36
LONGEST_FRAMES = 300

# Quantiles of window length in frames: many short, median four seconds, a tail to twelve.
LENGTH_QUANTILES = (
    (0.0, 36.0), (0.1, 48.0), (0.25, 66.0), (0.5, 100.0), (0.75, 150.0), (0.9, 216.0),
    (0.97, 285.0), (1.0, 300.0),
)  # fmt: skip

# Places looked at for one window; the better it shows the caption, the likelier it is taken.
CANDIDATES = 5
# A place that shows nothing of the caption keeps this chance beside one that shows all of it.
LEAST_CHANCE = 0.05

Score = Callable[[int, int], float]
Accept = Callable[[int, int], bool]


@dataclass(frozen=True, order=True)
class Window:
    """Frames start … stop−1 of a take, perhaps seen in a mirror."""

    start: int
    stop: int
    mirrored: bool

    @property
    def frames(self) -> int:
        return self.stop - self.start


def draw_length(dice: np.random.Generator) -> int:
    """A window length by the profile."""
    shares, lengths = zip(*LENGTH_QUANTILES, strict=True)
    return round(float(np.interp(dice.random(), shares, lengths)))


def spans(good: Bool[np.ndarray, " frames"]) -> list[tuple[int, int]]:
    """Stretches of good frames that are long enough for a window."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], good.astype(np.int8), [0]])))
    pairs = edges.reshape(-1, 2).tolist()
    return [(first, stop) for first, stop in pairs if stop - first >= SHORTEST_FRAMES]


def _starts(
    usable: list[tuple[int, int]], length: int
) -> tuple[Int[np.ndarray, " spans"], Float[np.ndarray, " spans"]]:
    room = np.array([max(0, stop - first - length + 1) for first, stop in usable], dtype=np.int64)
    return room, room / max(1, room.sum())


def draw_windows(
    good: Bool[np.ndarray, " frames"],
    count: int,
    score: Score,
    accept: Accept,
    dice: np.random.Generator,
) -> list[Window]:
    """Up to `count` different windows of a take, half of them mirrored.

    `score` says in [0, 1] how much of the caption a place shows; `accept` screens it. Fewer windows
    come back where the take has no more places.
    """
    usable = spans(good)
    found: dict[Window, None] = {}
    if not usable:
        return []
    longest = max(stop - first for first, stop in usable)
    for _ in range(4 * count):
        if len(found) == count:
            break
        length = min(draw_length(dice), longest)
        room, chance = _starts(usable, length)
        which = dice.choice(len(usable), size=CANDIDATES, p=chance)
        starts = [usable[at][0] + int(dice.integers(room[at])) for at in which]
        weights = np.array([LEAST_CHANCE + score(start, start + length) for start in starts])
        start = starts[int(dice.choice(CANDIDATES, p=weights / weights.sum()))]
        window = Window(start, start + length, bool(dice.integers(2)))
        if window not in found and accept(window.start, window.stop):
            found[window] = None
    return sorted(found)
