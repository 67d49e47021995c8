"""Truck and Dolly events: the coordinate they move along, their stretch, and their reflection."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from aesop.pairs.pair_recipe import EventRule
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
