"""What an operator meant: the record that captions, pairs and evaluations read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from aesop.data.fables.camera_setup import Setup
from aesop.data.fables.grip import Grip
from aesop.data.fables.lens import ShotSize
from aesop.data.fables.moves import STATIC, TRUCK_TAGS, Move, Timing
from aesop.data.fables.outline import Kind, Movement, outline_of
from aesop.data.fables.path import MeantPath
from aesop.data.fables.subject import Subject
from aesop.scene.camera import CameraPath

# An arc is plain to see if it goes this far around the person while its way bends this much.
PLAIN_SWEEP_RAD = np.radians(20)
PLAIN_BEND_RAD = np.radians(18)
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
