"""The procedural cinematographer: films a motion with intent, or by an outline of movements."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Int

from aesop.camera_words.outline import (
    PLAIN_BEND_RAD,
    PLAIN_SWEEP_RAD,
    STATIC,
    Kind,
    Movement,
    outline_of,
)
from aesop.core.errors import ClipError
from aesop.fables.cinematographer.grip import Grip, shaken
from aesop.fables.cinematographer.lens import (
    Curve,
    Joints,
    Lens,
    Points,
    Rotations,
    ShotSize,
    Style,
    Subject,
    size_of,
    watch,
)
from aesop.fables.cinematographer.meant_path import (
    Flaw,
    MeantPath,
    can_be_clean,
    cleaned,
    flaw_of_place,
    is_clean,
    keeps_person,
    meant_path,
)
from aesop.fables.cinematographer.moves import (
    DOLLY_TAGS,
    SHORTEST_MOVE,
    SHORTEST_SEVERAL,
    TRUCK_TAGS,
    Move,
    draw_moves,
    draw_reach,
)
from aesop.fables.cinematographer.shot_setup import Setup, draw_setup
from aesop.scene.camera import CameraPath
from aesop.scene.human import NATIVE_FPS
from aesop.scene.movement import camera_velocity, smooth_tags, tag_velocity

Runs = Literal["one", "several", "any"]

SHORTEST_FRAMES = SHORTEST_MOVE + 4
# A follow is plain if the camera goes at least this share of the person's way.
PLAIN_FOLLOW_GAIN = 0.3
_PLANS = 40  # sets of moves to try before a motion is given up
_DRAWS = 10  # of everything else, for one set of moves: so that hard moves are not the rare ones
_OUTLINE_DRAWS = 600


@dataclass(frozen=True, eq=False)
class Intent:
    """A shot as it was meant, free of shake: for captions, pairs and evaluations.

    `outline` holds the smoothed classes of the meant path with what words may say of them: `arc`
    only where the arc is plain, `follow` and `lead` only where the camera goes with the person.
    The azimuth of the setup counts from the canonical start, the camera stands in the clip's world.
    """

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


@dataclass(frozen=True, eq=False)
class FilmedShot:
    """A camera path with shake, what it was meant to be, and what was thrown away on the way."""

    camera: CameraPath
    intent: Intent
    redraws: Counter[Flaw]


@dataclass(frozen=True)
class _ShotPlan:
    """What is to be filmed, and what the outline must then be (None: as the moves say)."""

    moves: tuple[Move, ...]
    runs: Runs
    clean: bool = False
    outline: tuple[Movement, ...] | None = None
    azimuth_rad: float | None = None


@dataclass(frozen=True, eq=False)
class _World:
    """Where the clip stood: everything is drawn as if it started at the origin with yaw 0."""

    turn: Float[np.ndarray, "3 3"]
    shift: Float[np.ndarray, "3"]

    def camera(self, centre: Points, rotation: Rotations, lens: Lens) -> CameraPath:
        """Carried from the canonical world to the clip's own, in float32."""
        return CameraPath(
            world_from_camera=torch.from_numpy(self.turn @ rotation).float(),
            centre=torch.from_numpy(centre @ self.turn.T + self.shift).float(),
            fov_vertical=torch.full((len(centre),), lens.fov_vertical),
            aspect=lens.aspect,
        )


def film(
    joints: Joints,
    yaw: Curve,
    dice: np.random.Generator,
    *,
    style: Style | None = None,
    runs: Runs = "any",
) -> FilmedShot:
    """Film a motion (25 fps, lowest joint at z = 0): the same dice give the same shot.

    `runs` asks for one movement or for several; "any" leaves it to the style.
    """
    style = style or Style()
    shortest = SHORTEST_SEVERAL if runs == "several" else SHORTEST_FRAMES
    if len(joints) < shortest:
        raise ClipError(
            f"The motion has {len(joints)} frames; the operator needs {shortest} for this shot.",
            "Film a longer part, or ask for fewer movements.",
        )
    subject, world = _watched(joints, yaw)
    plans = _plans(subject, style, runs, dice)
    refusal = "No camera keeps this person in view", "Leave the motion out, or cut it shorter."
    return _first_good(plans, subject, world, style, dice, refusal)


def film_outline(
    outline: Sequence[Movement],
    joints: Joints,
    yaw: Curve,
    dice: np.random.Generator,
    *,
    style: Style | None = None,
    clean: bool = False,
    side_rad: float | None = None,
) -> FilmedShot:
    """Film a motion by an outline of which only classes and kinds are kept; times are drawn anew.

    The classes of a camera that goes with the person depend on the side from which it sees them:
    `side_rad` is that azimuth, counted from the canonical start.
    """
    subject, world = _watched(joints, yaw)
    plans = _outline_plans(tuple(outline), clean, side_rad, dice)
    refusal = "No camera films this motion by its outline", "Try other dice, or another outline."
    return _first_good(plans, subject, world, style or Style(), dice, refusal)


def _watched(joints: Joints, yaw: Curve) -> tuple[Subject, _World]:
    """The person as if they started at the origin with yaw 0, and where they did start."""
    cosine, sine = np.cos(float(yaw[0])), np.sin(float(yaw[0]))
    turn = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    shift = np.array([float(joints[0, 0, 0]), float(joints[0, 0, 1]), 0.0])
    return watch((joints - shift) @ turn, yaw - float(yaw[0])), _World(turn, shift)


def _plans(
    subject: Subject, style: Style, runs: Runs, dice: np.random.Generator
) -> Iterator[_ShotPlan]:
    """Each plan several times; the next is drawn only when it is needed."""
    for _ in range(_PLANS):
        plan = _draw_plan(subject, style, runs, dice)
        for _ in range(_DRAWS):
            yield plan


def _draw_plan(subject: Subject, style: Style, runs: Runs, dice: np.random.Generator) -> _ShotPlan:
    if runs != "several" and can_be_clean(subject) and dice.random() < style.clean:
        tag = int(dice.choice((*TRUCK_TAGS, *DOLLY_TAGS)))
        return _ShotPlan((Move(tag, "plain", draw_reach(dice)),), "one", clean=True)
    if runs == "any":
        several = subject.frames >= SHORTEST_SEVERAL and dice.random() >= style.one_run
        runs = "several" if several else "one"
    count = 1
    if runs == "several":
        third = subject.frames > 3 * SHORTEST_MOVE + 12 and dice.random() < style.three_moves
        count = 3 if third else 2
    with_person = subject.goes and dice.random() < style.follow
    return _ShotPlan(draw_moves(count, style, dice, with_person), runs)


def _outline_plans(
    outline: tuple[Movement, ...], clean: bool, side_rad: float | None, dice: np.random.Generator
) -> Iterator[_ShotPlan]:
    kinds: list[tuple[int | None, Kind]] = [
        (None if movement.kind in ("follow", "lead") else movement.tag, movement.kind)
        for movement in outline
    ]
    # One move with the person shows several classes where the person turns.
    staged = [kind for at, kind in enumerate(kinds) if at == 0 or kind != kinds[at - 1]]
    for _ in range(_OUTLINE_DRAWS):
        moves = tuple(Move(tag, kind, draw_reach(dice)) for tag, kind in staged)
        side = None if side_rad is None else side_rad + 0.12 * dice.standard_normal()
        yield _ShotPlan(moves, "one" if len(outline) == 1 else "several", clean, outline, side)


def _first_good(
    plans: Iterable[_ShotPlan],
    subject: Subject,
    world: _World,
    style: Style,
    dice: np.random.Generator,
    refusal: tuple[str, str],
) -> FilmedShot:
    """The first try without a flaw, in the hands of its grip; flaws of the others are counted."""
    thrown: Counter[Flaw] = Counter()
    for plan in plans:
        setup = _draw_setup(subject, plan, style, dice)
        if setup is None:
            thrown["room"] += 1
            continue
        path = meant_path(subject, setup)
        intent = _intent_of(subject, plan, setup, path, world)
        if isinstance(intent, Intent):
            carried = shaken(path.centre, path.world_from_camera, setup.grip, dice)
            return FilmedShot(world.camera(*carried, setup.lens), intent, thrown)
        thrown[intent] += 1
    raise ClipError(f"{refusal[0]} (thrown away: {dict(thrown)}).", refusal[1])


def _draw_setup(
    subject: Subject, plan: _ShotPlan, style: Style, dice: np.random.Generator
) -> Setup | None:
    setup = draw_setup(subject, plan.moves, style, dice)
    if setup is not None and plan.clean:
        setup = cleaned(setup, style, dice)
    if setup is not None and plan.azimuth_rad is not None:
        setup = replace(setup, azimuth_rad=plan.azimuth_rad)
    return setup


def _intent_of(
    subject: Subject, plan: _ShotPlan, setup: Setup, path: MeantPath, world: _World
) -> Intent | Flaw:
    """What a path means, or why it is thrown away."""
    flaw = flaw_of_place(subject, path)
    if flaw is not None:
        return flaw
    if not keeps_person(subject, path, setup.lens):
        return "framing"
    if plan.clean and not is_clean(subject, path, setup.lens, plan.moves[0]):
        return "clean"
    centre, rotation = path.centre, path.world_from_camera
    tags = smooth_tags(tag_velocity(camera_velocity(rotation, centre, NATIVE_FPS)))
    outline = _outline(subject, path, tags, setup)
    if not _is_as_planned(outline, plan):
        return "tags"
    depth_m = float(np.median(np.linalg.norm(centre - subject.neck, axis=-1)))
    return Intent(
        setup=setup,
        shot_size=size_of(2 * setup.lens.tan_half_height * depth_m),
        camera=world.camera(centre, rotation, setup.lens),
        tags=tags,
        outline=outline,
        travel_m=float(np.linalg.norm(np.diff(centre, axis=0), axis=-1).sum()),
        clean=plan.clean,
    )


def _is_as_planned(outline: Sequence[Movement], plan: _ShotPlan) -> bool:
    if plan.outline is not None:
        wanted = [(movement.tag, movement.kind) for movement in plan.outline]
        return [(movement.tag, movement.kind) for movement in outline] == wanted
    if any(move.goes_with_person for move in plan.moves):
        moving = any(movement.tag != STATIC for movement in outline)
        return moving and (len(outline) == 1) == (plan.runs == "one")
    return [movement.tag for movement in outline] == [move.tag for move in plan.moves]


def _outline(
    subject: Subject, path: MeantPath, tags: Int[np.ndarray, " transitions"], setup: Setup
) -> tuple[Movement, ...]:
    """Runs of the meant path, each with the kind that words may use."""
    kinds: list[Kind] = ["plain"] * len(tags)
    for at, move in enumerate(setup.moves):
        if move.goes_with_person and setup.follow_gain >= PLAIN_FOLLOW_GAIN:
            first, stop = setup.timing.bounds[at], setup.timing.bounds[at + 1]
            kinds[first:stop] = repeat(move.kind, stop - first)
    return tuple(_with_true_kind(subject, path, run) for run in outline_of(tags, kinds))


def _with_true_kind(subject: Subject, path: MeantPath, movement: Movement) -> Movement:
    if movement.tag == STATIC:
        return replace(movement, kind="plain")
    if movement.kind == "plain" and movement.tag in TRUCK_TAGS:
        frames = slice(movement.first, movement.stop + 1)
        centre, pivot = path.centre[frames, :2], subject.root[frames, :2]
        swept, bent = _turned_rad(centre - pivot), _turned_rad(np.diff(centre, axis=0))
        if swept >= PLAIN_SWEEP_RAD and bent >= PLAIN_BEND_RAD:
            return replace(movement, kind="arc")
    return movement


def _turned_rad(vectors: Float[np.ndarray, "frames 2"]) -> float:
    """Angle between first and last direction, counting full turns."""
    long_enough = np.linalg.norm(vectors, axis=-1) > 1e-4
    if long_enough.sum() < 2:
        return 0.0
    angle = np.unwrap(np.arctan2(vectors[long_enough, 1], vectors[long_enough, 0]))
    return abs(float(angle[-1] - angle[0]))
