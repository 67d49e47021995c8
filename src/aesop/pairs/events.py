"""Truck and Dolly events: which shots are told as one, their coordinate, stretch and reflection."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int, Int64

from aesop.camera_words.caption_reader import movements_in
from aesop.data.store import Store, training_rows
from aesop.pairs.gates import GateList, Verdicts
from aesop.pairs.pair_recipe import EventRule
from aesop.pairs.shot_arrays import Cameras, Film, real_steps, smoothed

PUSH_IN, PULL_OUT, TRUCK_RIGHT, TRUCK_LEFT = 1, 2, 9, 18
EVENT_TAGS = (PUSH_IN, PULL_OUT, TRUCK_RIGHT, TRUCK_LEFT)
OPPOSITE = {
    PUSH_IN: PULL_OUT, PULL_OUT: PUSH_IN, TRUCK_RIGHT: TRUCK_LEFT, TRUCK_LEFT: TRUCK_RIGHT,
}  # fmt: skip
# How the event's coordinate changes: a Truck's runs to the right, a Dolly's away from the person.
_SIGN = {PUSH_IN: -1, PULL_OUT: 1, TRUCK_RIGHT: 1, TRUCK_LEFT: -1}


@dataclass(frozen=True, eq=False)
class Events:
    """One event per shot, over frames first … last (both included)."""

    tags: Int[np.ndarray, " clips"]
    axis: Float[np.ndarray, "clips 3"]  # of Trucks: level, to the right; meaningless for Dollies
    level: Float[np.ndarray, " clips"]  # length of the axis before it was normalised
    first: Int[np.ndarray, " clips"]
    last: Int[np.ndarray, " clips"]

    @property
    def is_truck(self) -> Bool[np.ndarray, " clips"]:
        return (self.tags == TRUCK_RIGHT) | (self.tags == TRUCK_LEFT)

    @property
    def opposite_tags(self) -> Int[np.ndarray, " clips"]:
        return np.array([OPPOSITE[tag] for tag in self.tags.tolist()], self.tags.dtype)

    @property
    def signs(self) -> Int[np.ndarray, " clips"]:
        """Which way the coordinate goes if the tag is true."""
        return np.array([_SIGN[tag] for tag in self.tags.tolist()], np.int64)

    def inside(self, frames: int) -> Bool[np.ndarray, "clips frames"]:
        """Frames of the event."""
        frame = np.arange(frames)
        return (frame >= self.first[:, None]) & (frame <= self.last[:, None])

    def steps(self, frames: int) -> Bool[np.ndarray, "clips transitions"]:
        """Transitions between frames of the event."""
        frame = np.arange(frames - 1)
        return (frame >= self.first[:, None]) & (frame < self.last[:, None])

    def take(self, clips: Int[np.ndarray, " chosen"]) -> "Events":
        return Events(
            self.tags[clips], self.axis[clips], self.level[clips], self.first[clips],
            self.last[clips],
        )  # fmt: skip


def distance(film: Film, cameras: Cameras) -> Float[np.ndarray, "clips frames"]:
    """From camera centre to the person's root, metres."""
    line = cameras.centre - film.root
    return np.sqrt(np.einsum("cfi,cfi->cf", line, line))


def coordinate(film: Film, cameras: Cameras, events: Events) -> Float[np.ndarray, "clips frames"]:
    """What an event moves along: metres to the right, or metres from the person."""
    along = np.einsum("cfi,ci->cf", cameras.centre, events.axis)
    return np.where(events.is_truck[:, None], along, distance(film, cameras))


def net(values: Float[np.ndarray, "clips frames"], events: Events) -> Float[np.ndarray, " clips"]:
    """Change of a coordinate from the first to the last frame of the event."""
    return at(values, events.last) - at(values, events.first)


def at(
    values: Float[np.ndarray, "clips frames"], frame: Int[np.ndarray, " clips"]
) -> Float[np.ndarray, " clips"]:
    """The value of every clip at a frame of its own."""
    return np.take_along_axis(values, frame[:, None], axis=1)[:, 0]


def find_events(film: Film, tags: Int[np.ndarray, " clips"], rule: EventRule) -> Events:
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


def longest_run(
    flags: Bool[np.ndarray, "clips items"],
) -> tuple[Int[np.ndarray, " clips"], Int[np.ndarray, " clips"]]:
    """Start and length of the first longest stretch of true items; length 0 if there is none."""
    index = np.arange(flags.shape[1])
    last_false = np.maximum.accumulate(np.where(flags, -1, index), axis=1)
    lengths = index - last_false
    end = lengths.argmax(axis=1)
    count = np.take_along_axis(lengths, end[:, None], axis=1)[:, 0]
    return np.where(count > 0, end - count + 1, 0), count


def find_axis(
    film: Film, rule: EventRule
) -> tuple[Float[np.ndarray, "clips 3"], Float[np.ndarray, " clips"]]:
    """Mean right vector of the first frames, laid on the ground, and its length before that."""
    averaged = np.maximum(np.minimum(rule.axis_frames, film.lengths // rule.axis_share), 1)
    taken = (np.arange(film.frames) < averaged[:, None])[..., None]
    right = np.where(taken, film.cameras.world_from_camera[..., 0], 0.0).sum(axis=1)
    right[:, 2] = 0.0
    right /= averaged[:, None]
    level = np.linalg.norm(right, axis=-1)
    safe = np.where(level > 0, level, 1.0)
    return right / safe[:, None], level


def reflected(film: Film, cameras: Cameras, events: Events) -> Float[np.ndarray, "clips frames 3"]:
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


@dataclass(frozen=True, eq=False)
class Mined:
    """The training pool and what its tags and captions say."""

    rows: Int64[np.ndarray, " pool"]
    tags: Int64[np.ndarray, " pool"]  # of the first transition
    verdicts: Verdicts

    @property
    def chosen(self) -> tuple[Int64[np.ndarray, " chosen"], Int64[np.ndarray, " chosen"]]:
        """Rows and tags of the shots that hold one event."""
        kept = self.verdicts.accepted
        return self.rows[kept], self.tags[kept]


def mine(store: Store) -> Mined:
    """Look at tags and captions only."""
    rows = training_rows(store)[0]
    first, is_one = _single_tags(store, rows)
    is_event = is_one & np.isin(first, EVENT_TAGS)
    told = np.zeros(len(rows), np.bool_)
    for at in np.flatnonzero(is_event).tolist():
        captions = store.shots.strings("captions", int(rows[at]))
        told[at] = bool(captions) and all(
            movements_in(caption) == [int(first[at])] for caption in captions
        )
    screen = GateList(len(rows))
    screen.holds("tags are one Truck or Dolly", is_event, is_event.astype(np.float64))
    screen.holds("captions tell that alone", told, told.astype(np.float64), is_event)
    return Mined(rows, first, screen.verdicts)


def _single_tags(
    store: Store, rows: Int[np.ndarray, " pool"]
) -> tuple[Int64[np.ndarray, " pool"], np.ndarray]:
    """The first tag of every shot, and whether it is the only one."""
    column = store.shots.column("tags")
    starts = column.levels[0]
    counts = starts[rows + 1] - starts[rows]
    first = np.full(len(rows), -1, np.int64)
    some = counts > 0
    first[some] = column.data[starts[rows[some]]]
    is_one = np.zeros(len(rows), np.bool_)
    for at in np.flatnonzero(some).tolist():
        stretch = column.data[starts[rows[at]] : starts[rows[at] + 1]]
        is_one[at] = bool((stretch == stretch[0]).all())
    return first, is_one
