"""Acts at other paces and with a rest before and after them: copies of segments to draw windows
from.

Segments are cut where actions begin and end, so a window that shows a turn alone turns from its
first frame to its last. A flow that saw nothing else turns on for as long as it is asked to act:
270° in three seconds where people turn by 180° in two; and who is to sit down within four
seconds sits down and rises. A copy lasts longer or shorter while the act stays the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from aesop.core.hashing import dice_for, text_sha256
from aesop.fables.people_windows import (
    LONGEST_FRAMES,
    SHORTEST_FRAMES,
    PeopleRecipe,
    TakeGround,
    Worded,
)
from aesop.scene.human import NATIVE_FPS
from parcel import starts_of
from people_parcel import TravelledTakes

# How much longer an act may be made, by the first word of its label: from, to.
PACES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("turn", "spin", "pivot", "whirl"), (0.8, 1.9)),
    **dict.fromkeys(
        ("sit", "get", "rise", "kneel", "crouch", "squat", "bow", "bend", "pick", "lean", "reach"),
        (0.8, 1.35),
    ),
    **dict.fromkeys(
        ("raise", "lower", "wave", "clap", "point", "punch", "kick", "throw", "lift", "swing"),
        (0.85, 1.2),
    ),
    # Nobody falls slower.
    **dict.fromkeys(("jump", "hop"), (1.0, 1.0)),
}
# Of verbs that mostly mean a state, the labels that mean an act.
ACTS: dict[str, tuple[float, float]] = {"stand up": (0.8, 1.35), "lie down": (0.8, 1.35)}
# States that begin like acts.
STATES = frozenset({"sit"})
REST_PACE = 0.06  # of time, while somebody rests
REST_SHARE = 0.6
LONGEST_REST_S = 1.6
CALM_ROOT_MPS = 0.25
CALM_TURNS_RADPS = 1.0  # of all joints together, in the mean
_EDGE_FRAMES = 4  # over which calm is measured
_MARGIN = 5  # frames beside a copy, for windows that begin a little beside it
_SMOOTHING = 7  # frames over which time changes its pace


def copied(row: Worded) -> tuple[float, float] | None:
    """Between which paces a segment is copied, if it is one of an act."""
    label = row.words.caption.verb
    if label in STATES:
        return None
    return ACTS.get(label) or PACES.get(row.verb)


@dataclass(frozen=True, eq=False)
class PacedCopies:
    """Takes that consist of one act each, and the words of that act."""

    takes: TravelledTakes
    worded: dict[str, list[Worded]]


def paced_copies(
    takes: TravelledTakes, worded: Mapping[str, Sequence[Worded]], seed: int, copies: int
) -> PacedCopies:
    """So many copies of every act in the takes, each by dice of its own."""
    tracks: list[np.ndarray] = []
    grounds: dict[str, TakeGround] = {}
    rows: dict[str, list[Worded]] = {}
    for name, start, stop in zip(takes.names, takes.starts[:-1], takes.starts[1:], strict=True):
        track, ground = takes.tracks[start:stop], takes.grounds[name]
        for row, number, between in _asked(worded.get(name, ()), copies):
            dice = dice_for(seed, f"{row.segment.id} {number}")
            times, before, after = copied_times(track, row, between, dice)
            if not SHORTEST_FRAMES <= len(times) - before - after <= LONGEST_FRAMES:
                continue
            copy = f"{name}~{row.number:02d}.{number}"
            nearest = np.rint(times).astype(int)
            tracks.append(at_times(track, times))
            grounds[copy] = TakeGround(ground.is_bad[nearest], ground.support_m[nearest])
            segment = replace(
                row.segment,
                id=f"{copy}/00",
                start_s=before / NATIVE_FPS,
                end_s=(len(times) - after) / NATIVE_FPS,
            )
            rows[copy] = [replace(row, segment=segment)]
    lengths = np.array([len(track) for track in tracks], np.int64)
    made = TravelledTakes(
        names=tuple(grounds),
        starts=starts_of(lengths),
        tracks=np.concatenate(tracks),
        grounds=grounds,
        sha256=text_sha256(takes.sha256, f"{seed} {copies}"),
    )
    return PacedCopies(made, rows)


def _asked(
    rows: Sequence[Worded], copies: int
) -> Iterator[tuple[Worded, int, tuple[float, float]]]:
    for row in rows:
        between = copied(row)
        if between is not None:
            yield from ((row, number, between) for number in range(copies))


def copied_times(
    track: Float[np.ndarray, "frames channels"],
    row: Worded,
    between: tuple[float, float],
    dice: np.random.Generator,
) -> tuple[Float[np.ndarray, " shown"], int, int]:
    """When in the take every frame of a copy lies, and how many frames of it before and after the
    act are margins. Only who is calm at an edge may rest there."""
    slower = float(np.exp(dice.uniform(*np.log(between))))
    wants, lengths = dice.random(2) < REST_SHARE, dice.uniform(0.2, LONGEST_REST_S, 2)
    first, stop = row.first, min(row.stop, len(track))
    is_calm = (
        calm(track, first, first + _EDGE_FRAMES),
        calm(track, stop - _EDGE_FRAMES, stop),
    )
    acting = max(2, round((stop - first) * slower))
    rests = [
        round(length * NATIVE_FPS) if wanted and fits else 0
        for wanted, length, fits in zip(wants, lengths, is_calm, strict=True)
    ]
    edges = [REST_PACE if rest else 1 / slower for rest in rests]
    paces = np.concatenate(
        [
            np.full(_MARGIN + rests[0], edges[0]),
            np.full(acting, 1 / slower),
            np.full(rests[1] + _MARGIN, edges[1]),
        ]
    )
    smooth = np.convolve(np.pad(paces, _SMOOTHING // 2, "edge"), np.ones(_SMOOTHING), "valid")
    times = np.cumsum(smooth / _SMOOTHING)
    times += first - times[_MARGIN + rests[0]]
    return times.clip(0, len(track) - 1), _MARGIN, _MARGIN


def calm(track: Float[np.ndarray, "frames channels"], first: int, stop: int) -> bool:
    """Whether somebody hardly moves during some frames. The last four channels of a track are
    heading and place."""
    steps = np.diff(track[max(first, 0) : stop + 1], axis=0) * NATIVE_FPS
    if len(steps) == 0:
        return False
    root = float(np.linalg.norm(steps[:, -3:], axis=1).mean())
    turns = float(np.linalg.norm(steps[:, :-3], axis=1).mean())
    return root < CALM_ROOT_MPS and turns < CALM_TURNS_RADPS


def at_times(
    track: Float[np.ndarray, "frames channels"], times: Float[np.ndarray, " shown"]
) -> Float[np.ndarray, "shown channels"]:
    """A track between its frames: smooth curves through four of them."""
    last = len(track) - 1
    whole = np.minimum(np.floor(times).astype(int), last)
    part = (times - whole)[:, None]
    before, here, after, beyond = (
        track[(whole + offset).clip(0, last)] for offset in (-1, 0, 1, 2)
    )
    return here + part / 2 * (
        after
        - before
        + part
        * (
            2 * before
            - 5 * here
            + 4 * after
            - beyond
            + part * (3 * (here - after) + beyond - before)
        )
    )


def joined(takes: TravelledTakes, copies: TravelledTakes) -> TravelledTakes:
    """Takes and copies as one."""
    return TravelledTakes(
        names=(*takes.names, *copies.names),
        starts=np.concatenate([takes.starts, copies.starts[1:] + takes.starts[-1]]),
        tracks=np.concatenate([takes.tracks, copies.tracks]),
        grounds={**takes.grounds, **copies.grounds},
        sha256=text_sha256(takes.sha256, copies.sha256),
    )


def recipe_of_copies(recipe: PeopleRecipe, windows: int) -> PeopleRecipe:
    """Windows that show one copy each; rare acts far more often than their number says."""
    return replace(
        recipe, windows=windows, run_share=0.0, part_share=0.0, jitter_s=0.15, rarity=0.6
    )
