"""What was meant by a shot, for captions, pairs and evaluations; clean shots: one Truck or Dolly
past a person who stays in place."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from aesop.camera_words.outline import PLAIN_BEND_RAD, PLAIN_SWEEP_RAD, Kind, Movement, outline_of
from aesop.fables.cinematographer.grip import Grip
from aesop.fables.cinematographer.lens import Lens, ShotSize, Style, Subject, draw_lens
from aesop.fables.cinematographer.meant_path import MeantPath, sight
from aesop.fables.cinematographer.moves import (
    DOLLY_TAGS,
    STATIC,
    TRUCK_TAGS,
    Move,
    Timing,
    draw_reach,
)
from aesop.fables.cinematographer.shot_setup import FARTHEST_M, Setup
from aesop.scene.camera import CameraPath
from aesop.scene.human import NATIVE_FPS

# A follow is plain if the camera goes at least this share of the person's way.
PLAIN_FOLLOW_GAIN = 0.3


@dataclass(frozen=True, eq=False)
class Intent:
    """A shot as it was meant, free of shake.

    `outline` holds the smoothed classes of the meant path with what words may say of them: `arc`
    only where the arc is plain, `follow` and `lead` only where the camera goes with the person.
    The azimuth of the setup counts from the canonical start, the camera stands in the clip's world.
    """

    moves: tuple[Move, ...]
    setup: Setup
    shot_size: ShotSize
    camera: CameraPath
    tags: Int[np.ndarray, " transitions"]
    outline: tuple[Movement, ...]
    travel_m: float
    clean: bool  # one Truck or Dolly whose reflection frames the person as well

    @property
    def grip(self) -> Grip:
        return self.setup.grip

    @property
    def follows(self) -> bool:
        """Whether the camera goes with the person at some time."""
        return any(movement.kind in ("follow", "lead") for movement in self.outline)


def told_outline(
    subject: Subject,
    path: MeantPath,
    tags: Int[np.ndarray, " transitions"],
    staged: tuple[Sequence[Move], Timing, Setup],
) -> tuple[Movement, ...]:
    """Runs of the meant path, each with the kind that words may use."""
    moves, timing, setup = staged
    kinds: list[Kind] = ["plain"] * len(tags)
    for at, move in enumerate(moves):
        if move.goes_with_person and setup.follow_gain >= PLAIN_FOLLOW_GAIN:
            first, stop = timing.bounds[at], timing.bounds[at + 1]
            for transition in range(first, stop):
                kinds[transition] = move.kind
    outline = outline_of(tags, kinds)
    return tuple(_with_true_kind(subject, path, movement) for movement in outline)


def _with_true_kind(subject: Subject, path: MeantPath, movement: Movement) -> Movement:
    if movement.tag == STATIC:
        return replace(movement, kind="plain")
    if movement.kind == "plain" and movement.tag in TRUCK_TAGS:
        frames = slice(movement.first, movement.stop + 1)
        if _is_plain_arc(path.centre[frames, :2], subject.root[frames, :2]):
            return replace(movement, kind="arc")
    return movement


def _is_plain_arc(
    centre: Float[np.ndarray, "frames 2"], pivot: Float[np.ndarray, "frames 2"]
) -> bool:
    sweep, bend = _turned(centre - pivot), _turned(np.diff(centre, axis=0))
    return bool(sweep >= PLAIN_SWEEP_RAD and bend >= PLAIN_BEND_RAD)


def _turned(vectors: Float[np.ndarray, "frames 2"]) -> float:
    """Angle between first and last direction, counting full turns."""
    long_enough = np.linalg.norm(vectors, axis=-1) > 1e-4
    if long_enough.sum() < 2:
        return 0.0
    angle = np.unwrap(np.arctan2(vectors[long_enough, 1], vectors[long_enough, 0]))
    return abs(float(angle[-1] - angle[0]))


SHORTEST_FRAMES = 60
STAYS_WITHIN_M = 0.8
SHORTEST_M = 0.22
_IMAGE_HEIGHT_M = (2.0, 5.5)  # full or wide
_TRUCK_SHARE = (0.055, 0.19)  # of the distance
_DOLLY_SHARE = (0.11, 0.34)
_SAME_SIGN, _NET_OF_PATH = 0.84, 0.65
_VISIBLE, _OUT_RISE, _RADIAL = 0.83, 0.04, 0.09
_TRUCK_SHIFT, _TRUCK_ANGLE, _DOLLY_GROWTH = 0.085, math.radians(6.3), 0.13


def can_be_clean(subject: Subject) -> bool:
    return subject.frames >= SHORTEST_FRAMES and subject.excursion_m <= STAYS_WITHIN_M


def draw_clean_move(dice: np.random.Generator) -> Move:
    """A Truck or a Dolly of any direction."""
    tag = int(dice.choice((*TRUCK_TAGS, *DOLLY_TAGS)))
    return Move(tag, "plain", draw_reach(dice))


def cleaned(
    setup: Setup, move: Move, timing: Timing, style: Style, dice: np.random.Generator
) -> Setup | None:
    """The setup with a full or wide frame and a way in proportion to the distance, or None."""
    lens = draw_lens(dice, landscape_only=True)
    low, high = (math.log(edge) for edge in _IMAGE_HEIGHT_M)
    distance = lens.distance_for(math.exp(dice.uniform(low, high)))
    low, high = _TRUCK_SHARE if move.tag in TRUCK_TAGS else _DOLLY_SHARE
    seconds = timing.weights.sum() / NATIVE_FPS
    low = max(low, style.slowest_mps * seconds / distance, SHORTEST_M / distance)
    if low > high or distance * (1 + high) > FARTHEST_M:
        return None
    travel = distance * low * (high / low) ** move.reach
    place = (setup.aim.place[0] * 0.5, setup.aim.place[1])
    return replace(
        setup,
        lens=lens,
        size="full",
        distance_m=distance,
        travels_m=(travel,),
        key_frame=0,
        aim=replace(setup.aim, place=place),
    )


def is_clean(subject: Subject, path: MeantPath, lens: Lens, move: Move) -> bool:
    """Whether the shot and its reflection pass the limits of direction pairs."""
    coordinate, mirrored = _reflected(subject, path, truck=move.tag in TRUCK_TAGS)
    steps = np.diff(coordinate)
    net = coordinate[-1] - coordinate[0]
    same_sign = (np.sign(steps) == np.sign(net)).mean()
    if same_sign < _SAME_SIGN or abs(net) < _NET_OF_PATH * np.abs(steps).sum():
        return False
    root = subject.joints[:, 0]
    near = np.linalg.norm(path.centre - root, axis=-1)
    if abs(net) < max(SHORTEST_M, 0.0 if move.tag in TRUCK_TAGS else 0.105 * near[0]):
        return False
    far = np.linalg.norm(mirrored - root, axis=-1)
    if move.tag in TRUCK_TAGS and np.abs(far / near - 1).max() > _RADIAL:
        return False
    return _both_show_it(subject, path, mirrored, lens, truck=move.tag in TRUCK_TAGS)


def _reflected(
    subject: Subject, path: MeantPath, *, truck: bool
) -> tuple[Float[np.ndarray, " frames"], Float[np.ndarray, "frames 3"]]:
    """The move's signed coordinate, and the way with that coordinate reflected at its start."""
    if truck:
        right = path.world_from_camera[: min(8, subject.frames // 5), :, 0].mean(axis=0)
        right = right * np.array([1.0, 1.0, 0.0])
        right /= np.linalg.norm(right)
        coordinate = path.centre @ right
        return coordinate, path.centre - 2 * (coordinate - coordinate[0])[:, None] * right
    root = subject.joints[:, 0]
    line = path.centre - root
    distance = np.linalg.norm(line, axis=-1)
    back = 2 * distance[0] - distance
    return distance, root + line * (back / distance)[:, None]


def _both_show_it(
    subject: Subject,
    path: MeantPath,
    mirrored: Float[np.ndarray, "frames 3"],
    lens: Lens,
    *,
    truck: bool,
) -> bool:
    first = sight(subject.joints, path.centre, path.world_from_camera, lens)
    second = sight(subject.joints, mirrored, path.world_from_camera, lens)
    seen, seen_back = first.visible, second.visible
    if min(seen.mean(), seen_back.mean()) < _VISIBLE or seen.mean() - seen_back.mean() > _OUT_RISE:
        return False
    if not (seen.any(axis=1).all() and seen_back.any(axis=1).all()):
        return False
    low, high = first.ndc.min(axis=1), first.ndc.max(axis=1)
    low_back, high_back = second.ndc.min(axis=1), second.ndc.max(axis=1)
    if not truck:
        growth = (high_back - low_back)[:, 1] / (high - low)[:, 1]
        return bool(np.abs(growth - 1).max() >= _DOLLY_GROWTH)
    shift = np.abs((low + high - low_back - high_back)[:, 0]).max() / 4  # of the image's width
    lines = (path.centre - subject.joints[:, 0], mirrored - subject.joints[:, 0])
    azimuths = [np.arctan2(line[:, 1], line[:, 0]) for line in lines]
    angle = np.abs(np.angle(np.exp(1j * (azimuths[0] - azimuths[1])))).max()
    return bool(shift >= _TRUCK_SHIFT or angle >= _TRUCK_ANGLE)
