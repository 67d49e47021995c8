"""The two transforms: Truck and Dolly events and their reflection (direction), a way scaled about
its first centre (intensity)."""

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Int, Int64, Integer, Real

from aesop.pairs.pair_recipe import Balance, EventRule, Labels
from aesop.pairs.shot_arrays import (
    Cameras,
    ClipBool,
    ClipFloat,
    ClipInt,
    Film,
    FrameBool,
    FrameFloat,
    FramePoints,
    StepBool,
    real_steps,
    smoothed,
)
from aesop.scene.movement import CLASSES, signs_from_tag

PUSH_IN, PULL_OUT, TRUCK_RIGHT, TRUCK_LEFT = 1, 2, 9, 18
OPPOSITE = {
    PUSH_IN: PULL_OUT, PULL_OUT: PUSH_IN, TRUCK_RIGHT: TRUCK_LEFT, TRUCK_LEFT: TRUCK_RIGHT,
}  # fmt: skip
# How the event's coordinate changes: a Truck's runs to the right, a Dolly's away from the person.
_SIGN = {PUSH_IN: -1, PULL_OUT: 1, TRUCK_RIGHT: 1, TRUCK_LEFT: -1}


@dataclass(frozen=True, eq=False)
class Events:
    """One event per shot, over frames first … last (both included)."""

    tags: ClipInt
    axis: Float[np.ndarray, "clips 3"]  # of Trucks: level, to the right; meaningless for Dollies
    level: ClipFloat  # length of the axis before it was normalised
    first: ClipInt
    last: ClipInt

    @property
    def is_truck(self) -> ClipBool:
        return (self.tags == TRUCK_RIGHT) | (self.tags == TRUCK_LEFT)

    @property
    def opposite_tags(self) -> ClipInt:
        return np.array([OPPOSITE[tag] for tag in self.tags.tolist()], self.tags.dtype)

    @property
    def signs(self) -> ClipInt:
        """Which way the coordinate goes if the tag is true."""
        return np.array([_SIGN[tag] for tag in self.tags.tolist()], np.int64)

    def inside(self, frames: int) -> FrameBool:
        """Frames of the event."""
        frame = np.arange(frames)
        return (frame >= self.first[:, None]) & (frame <= self.last[:, None])

    def steps(self, frames: int) -> StepBool:
        """Transitions between frames of the event."""
        frame = np.arange(frames - 1)
        return (frame >= self.first[:, None]) & (frame < self.last[:, None])


def distance(film: Film, cameras: Cameras) -> FrameFloat:
    """From camera centre to the person's root, metres."""
    line = cameras.centre - film.root
    return np.sqrt(np.einsum("cfi,cfi->cf", line, line))


def coordinate(film: Film, cameras: Cameras, events: Events) -> FrameFloat:
    """What an event moves along: metres to the right, or metres from the person."""
    along = np.einsum("cfi,ci->cf", cameras.centre, events.axis)
    return np.where(events.is_truck[:, None], along, distance(film, cameras))


def net(values: FrameFloat, events: Events) -> ClipFloat:
    """Change of a coordinate from the first to the last frame of the event."""
    return at(values, events.last) - at(values, events.first)


def at(values: FrameFloat, frame: ClipInt) -> ClipFloat:
    """The value of every clip at a frame of its own."""
    return np.take_along_axis(values, frame[:, None], axis=1)[:, 0]


def find_events(film: Film, tags: ClipInt, rule: EventRule) -> Events:
    """The longest stretch in which the smoothed velocity keeps the sign of the whole way; all of
    the shot if that is nearly all of it."""
    axis, level = find_axis(film, rule)
    whole = Events(tags, axis, level, np.zeros_like(film.lengths), film.lengths - 1)
    along = coordinate(film, film.cameras, whole)
    velocity = smoothed(np.diff(along, axis=1)[..., None], film.lengths - 1, rule.taps)[..., 0]
    direction = np.sign(net(along, whole))[:, None]
    keeps = (np.sign(velocity) == direction) & real_steps(film.lengths, film.frames)
    first, count = longest_run(keeps)
    is_whole = count >= rule.whole_share * (film.lengths - 1)
    return Events(
        tags, axis, level,
        first=np.where(is_whole, 0, first),
        last=np.where(is_whole, film.lengths - 1, first + count),
    )  # fmt: skip


def longest_run(flags: Bool[np.ndarray, "clips items"]) -> tuple[ClipInt, ClipInt]:
    """Start and length of the first longest stretch of true items; length 0 if there is none."""
    index = np.arange(flags.shape[1])
    last_false = np.maximum.accumulate(np.where(flags, -1, index), axis=1)
    lengths = index - last_false
    end = lengths.argmax(axis=1)
    count = np.take_along_axis(lengths, end[:, None], axis=1)[:, 0]
    return np.where(count > 0, end - count + 1, 0), count


def find_axis(film: Film, rule: EventRule) -> tuple[Float[np.ndarray, "clips 3"], ClipFloat]:
    """Mean right vector of the first frames, laid on the ground, and its length before that."""
    averaged = np.maximum(np.minimum(rule.axis_frames, film.lengths // rule.axis_share), 1)
    taken = (np.arange(film.frames) < averaged[:, None])[..., None]
    right = np.where(taken, film.cameras.world_from_camera[..., 0], 0.0).sum(axis=1)
    right[:, 2] = 0.0
    right /= averaged[:, None]
    level = np.linalg.norm(right, axis=-1)
    safe = np.where(level > 0, level, 1.0)
    return right / safe[:, None], level


def reflected(film: Film, cameras: Cameras, events: Events) -> FramePoints:
    """Centres with the event's coordinate reflected at its start, q' = 2·q(first) − q. Before the
    event nothing changes; after it the way goes on from where the reflected event ended."""
    along = coordinate(film, cameras, events)
    back = 2 * (at(along, events.first)[:, None] - along)  # exactly zero at the first frame
    line = cameras.centre - film.root
    far = np.where(events.is_truck[:, None], 1.0, along)
    share = np.divide(back, far, out=np.zeros_like(back), where=far > 0)
    shift = np.where(
        events.is_truck[:, None, None],
        back[..., None] * events.axis[:, None],
        share[..., None] * line,
    )
    frame = np.arange(film.frames)
    at_end = np.take_along_axis(shift, events.last[:, None, None], axis=1)
    after = (frame > events.last[:, None])[..., None]
    before = (frame < events.first[:, None])[..., None]
    shift = np.where(after, at_end, np.where(before, 0.0, shift))
    return cameras.centre + shift


Side = Literal["weaker", "stronger"]
SIDES: tuple[Side, Side] = ("weaker", "stronger")


def scaled(centre: FramePoints, smooth: FramePoints, intensity: ClipFloat) -> FramePoints:
    """p₀ + a·(s − s₀) + min(a, 1)·(r − r₀) with r = p − s: travel grows, jitter never does."""
    rough = centre - smooth
    a = intensity[:, None, None]
    moved = (
        centre[:, :1] + a * (smooth - smooth[:, :1]) + np.minimum(a, 1.0) * (rough - rough[:, :1])
    )
    # The sum above is the way itself at a = 1, but not bit for bit.
    return np.where(a == 1.0, centre, moved)


def scaled_ways(
    centre: Float[np.ndarray, "frames 3"], intensities: Sequence[float], taps: int
) -> Float[np.ndarray, "intensities frames 3"]:
    """One way at several intensities."""
    smooth = smoothed(centre[None], np.array([len(centre)]), taps)
    shape = (len(intensities), *centre.shape)
    return scaled(
        np.broadcast_to(centre, shape), np.broadcast_to(smooth, shape), np.array(intensities)
    )


def hash_rank(names: Sequence[str], salt: str) -> Int[np.ndarray, " names"]:
    """Places of the names in the order of their hashes: a shuffle that every machine repeats."""
    digests = [hashlib.sha256(f"{salt}:{name}".encode()).digest() for name in names]
    return np.array(sorted(range(len(names)), key=lambda at: (digests[at], names[at])), np.int64)


def proposed_labels(name: str, side: Side, labels: Labels, salt: str) -> list[float]:
    """Intensities to try for a source, in order. They depend on nothing but its name."""
    chances = labels.below if side == "weaker" else labels.above
    # Sixteen bytes a label: a hash is a hundred times quicker than a new generator.
    digest = hashlib.shake_256(f"{salt}:{side}:{name}".encode()).digest(16 * labels.tries)
    # Halfway between steps: neither 0 nor 1, so no label is 0, 1 or 2.
    uniform = [
        ((int.from_bytes(digest[at : at + 8], "little") >> 12) + 0.5) / (1 << 52)
        for at in range(0, len(digest), 8)
    ]
    start = 0.0 if side == "weaker" else 1.0
    edges = list(accumulate(chances))[:-1]
    proposed = [
        start + (bisect_right(edges, pick) + within) / len(chances)
        for pick, within in zip(uniform[0::2], uniform[1::2], strict=True)
    ]
    return [_pushed(label, labels) for label in proposed]


def _pushed(label: float, labels: Labels) -> float:
    """Spread evenly over what may be asked for: from `nearest` below one down to zero, or from as
    far above it up to `strongest`."""
    if label < 1.0:
        return label * (1.0 - labels.nearest)
    return 1.0 + labels.nearest + (label - 1.0) * (labels.strongest - 1.0 - labels.nearest)


# Left and right, up and down are one kind each; toward and away from the person are two.
_MIRRORED = np.array([[1, 1, 0]])
_SORTS = 64  # at least as many as there are kinds or classes of duration


@dataclass(frozen=True, eq=False)
class Ways:
    """How far some cameras went, how far from the person they started and how near they came; what
    kind of movement it was, and how long it lasted: classes of both, counted from zero."""

    path_m: Float[np.ndarray, " shots"]
    start_m: Float[np.ndarray, " shots"]
    nearest_m: Float[np.ndarray, " shots"]
    kind: Int64[np.ndarray, " shots"]
    duration: Int64[np.ndarray, " shots"]

    @property
    def sort(self) -> Int64[np.ndarray, " shots"]:
        """Kind and duration together."""
        return self.kind * _SORTS + self.duration


@dataclass(frozen=True, eq=False)
class _Shares:
    """Of one measure: every source's bin, and which share of its sort should lie in which bin. Bins
    are the quantiles of all shots of the sort."""

    bin: Int64[np.ndarray, " sources"]
    wanted: Float[np.ndarray, "sources bins"]
    covered: Float[np.ndarray, " sources"]  # share of its sort that is like its sources, or less


def movement_kinds(
    tags_of_shots: Iterable[Integer[np.ndarray, " transitions"]], rule: Balance
) -> Int64[np.ndarray, " shots"]:
    """The most frequent tag of every shot, mirrored ones alike, and whether it is almost alone."""
    signs = signs_from_tag(np.arange(CLASSES))
    folded = np.where(_MIRRORED, np.abs(signs), signs) @ np.array([9, 3, 1])
    kinds: list[int] = []
    for tags in tags_of_shots:
        counts = np.bincount(tags, minlength=CLASSES)
        tag = int(counts.argmax())
        alone = counts[tag] >= rule.alone * counts.sum()
        kinds.append(2 * int(folded[tag]) + int(alone))
    return np.unique(np.array(kinds, np.int64), return_inverse=True)[1].astype(np.int64)


def durations(
    frames_of_shots: Int[np.ndarray, " shots"], rule: Balance
) -> Int64[np.ndarray, " shots"]:
    """Which of so many equally frequent durations every shot has."""
    assert rule.duration_bins <= _SORTS
    return _binned(frames_of_shots, rule.duration_bins)


def balanced_weights(
    sources: Ways, labels: Float[np.ndarray, "sources sides"], population: Ways, rule: Balance
) -> Float[np.ndarray, " sources"]:
    """Mean one. Within every bin of weaker and of stronger labels of shots that last as long, or
    are of a kind, and within every kind of them, sources of all lengths and distances count as
    often as in the population of their kind and duration.

    Proportions are fitted for one grouping after the other until all hold. Values that no source
    has are stood for by the next larger ones that have; a kind is left out at a duration if fewer
    than `rule.covered` of its shots travel like its sources. No source counts more than `rule.most`
    times.
    """
    if len(sources.path_m) == 0:
        return np.ones(0)
    sorts = sources.sort, population.sort
    length = _shares(sources.path_m, population.path_m, sorts, rule.travel_bins)
    distances = (
        _shares(sources.start_m, population.start_m, sorts, rule.distance_bins),
        _shares(sources.nearest_m, population.nearest_m, sorts, rule.distance_bins),
    )
    groups = [sources.sort]
    for side in labels.T:
        groups.append(_binned(side, rule.label_bins) * _SORTS + sources.duration)
        groups.append(_binned(side, rule.label_bins_of_kind) * _SORTS + sources.kind)
    weights = (length.covered >= rule.covered).astype(np.float64)
    if not weights.any():
        return np.ones(len(weights))
    for _ in range(rule.rounds):
        for shares in (*distances, length):
            for group in groups:
                weights *= _factors(group, shares, weights)
        weights = np.minimum(weights / weights.mean(), rule.most)
    return weights / weights.mean()


def _shares(
    own: Float[np.ndarray, " sources"],
    everyone: Float[np.ndarray, " shots"],
    sorts: tuple[Int64[np.ndarray, " sources"], Int64[np.ndarray, " shots"]],
    bins: int,
) -> _Shares:
    shares = _Shares(np.zeros(len(own), np.int64), np.zeros((len(own), bins)), np.zeros(len(own)))
    for sort in np.unique(sorts[0]).tolist():
        at = sorts[0] == sort
        shares.bin[at] = np.digitize(own[at], _edges(everyone[sorts[1] == sort], bins))
        filled = np.unique(shares.bin[at])
        shares.covered[at] = (bins - filled[0]) / bins
        next_larger = np.searchsorted(filled, np.arange(bins))
        stands_for = filled[np.minimum(next_larger, len(filled) - 1)]
        shares.wanted[at] = np.bincount(stands_for, minlength=bins) / bins
    return shares


def _binned(values: Real[np.ndarray, " values"], bins: int) -> Int64[np.ndarray, " values"]:
    """Which of so many equally frequent classes every value lies in."""
    return np.digitize(values, _edges(values, bins)).astype(np.int64)


def _edges(values: Real[np.ndarray, " values"], bins: int) -> Float[np.ndarray, " edges"]:
    return np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1])


def _factors(
    group: Int[np.ndarray, " sources"], shares: _Shares, weights: Float[np.ndarray, " sources"]
) -> Float[np.ndarray, " sources"]:
    """What every source is multiplied by so that the shares of its group are as wanted."""
    bins = shares.wanted.shape[1]
    groups = int(group.max()) + 1
    place = group * bins + shares.bin
    have = np.bincount(place, weights, groups * bins)
    want = np.stack(
        [np.bincount(group, weights * share, groups) for share in shares.wanted.T], axis=1
    ).reshape(-1)
    return np.divide(want, have, out=np.ones_like(have), where=have > 0)[place]
