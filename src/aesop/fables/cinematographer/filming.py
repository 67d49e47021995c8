"""The procedural cinematographer: films a motion with intent, and again by the same outline."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Int

from aesop.camera_words.outline import Kind, Movement
from aesop.core.errors import ClipError
from aesop.fables.cinematographer.grip import NATURE, draw_shake, jitter, rotation_from_vector, sway
from aesop.fables.cinematographer.intent import (
    Intent,
    can_be_clean,
    cleaned,
    draw_clean_move,
    is_clean,
    told_outline,
)
from aesop.fables.cinematographer.lens import Lens, ShotSize, Style, Subject, size_of, watch
from aesop.fables.cinematographer.meant_path import (
    Flaw,
    MeantPath,
    flaw_of_place,
    keeps_person,
    meant_path,
)
from aesop.fables.cinematographer.moves import (
    SHORTEST_MOVE,
    SHORTEST_SEVERAL,
    STATIC,
    Move,
    draw_moves,
    draw_reach,
    draw_timing,
)
from aesop.fables.cinematographer.shot_setup import Setup, draw_setup
from aesop.scene.camera import CameraPath
from aesop.scene.human import NATIVE_FPS
from aesop.scene.movement import camera_velocity, smooth_tags, tag_velocity

Runs = Literal["one", "several", "any"]

SHORTEST_FRAMES = SHORTEST_MOVE + 4
_PLANS = 40  # sets of moves to try before a motion is given up
_DRAWS = 10  # of everything else, for one set of moves: so that hard moves are not the rare ones
_REFILM_DRAWS = 60
_OUTLINE_DRAWS = 600


@dataclass(frozen=True, eq=False)
class FilmedShot:
    """A camera path with shake, what it was meant to be, and what was thrown away on the way.

    `same_way` is true where refilming found no other way and only the shake is new.
    """

    camera: CameraPath
    intent: Intent
    redraws: Counter[Flaw] = field(default_factory=Counter)
    same_way: bool = False


@dataclass(frozen=True)
class _ShotPlan:
    """What is to be filmed, and what the outline must then be (None: as the moves say)."""

    moves: tuple[Move, ...]
    runs: Runs
    clean: bool = False
    outline: tuple[Movement, ...] | None = None
    azimuth_rad: float | None = None


@dataclass(frozen=True, eq=False)
class _Draft:
    """A draw that passed every check, in the canonical world."""

    plan: _ShotPlan
    setup: Setup
    path: MeantPath
    tags: Int[np.ndarray, " transitions"]
    outline: tuple[Movement, ...]
    shot_size: ShotSize


@dataclass(frozen=True)
class _World:
    """Where the clip stood: everything is drawn as if it started at the origin with yaw 0."""

    yaw: float
    offset: tuple[float, float]

    @property
    def turn(self) -> Float[np.ndarray, "3 3"]:
        cosine, sine = np.cos(self.yaw), np.sin(self.yaw)
        return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])

    @property
    def shift(self) -> Float[np.ndarray, "3"]:
        return np.array([*self.offset, 0.0])


def film(
    joints: Float[np.ndarray, "frames 22 3"],
    yaw: Float[np.ndarray, " frames"],
    dice: np.random.Generator,
    *,
    style: Style | None = None,
    runs: Runs = "any",
) -> FilmedShot:
    """Film a motion (25 fps, lowest joint at z = 0): the same dice give the same shot.

    `runs` asks for one movement or for several; "any" leaves it to the style.
    """
    style = style or Style()
    _check_length(len(joints), runs)
    subject, world = _seen(joints, yaw)
    thrown: Counter[Flaw] = Counter()
    for _ in range(_PLANS):
        plan = _draw_plan(subject, style, runs, dice)
        for _ in range(_DRAWS):
            draft = _draw(subject, plan, style, dice)
            if isinstance(draft, _Draft):
                return _shot(draft, world, dice, thrown)
            thrown[draft] += 1
    raise ClipError(
        f"No camera keeps this person in view (thrown away: {dict(thrown)}).",
        "Leave the motion out, or cut it shorter.",
    )


def refilm(
    intent: Intent,
    joints: Float[np.ndarray, "frames 22 3"],
    yaw: Float[np.ndarray, " frames"],
    dice: np.random.Generator,
    *,
    style: Style | None = None,
) -> FilmedShot:
    """Film the same motion by the same outline (classes and kinds in order): all else is new."""
    style = style or Style()
    subject, world = _seen(joints, yaw)
    thrown: Counter[Flaw] = Counter()
    for _ in range(_REFILM_DRAWS):
        draft = _draw(subject, _plan_of(intent, dice), style, dice)
        if isinstance(draft, _Draft):
            return _shot(draft, world, dice, thrown)
        thrown[draft] += 1
    meant = intent.camera
    shaken = _shaken(
        meant.centre.double().numpy(), meant.world_from_camera.double().numpy(), intent.setup, dice
    )
    here = _World(0.0, (0.0, 0.0))
    return FilmedShot(_camera(*shaken, intent.setup.lens, here), intent, thrown, same_way=True)


def film_outline(
    outline: Sequence[Movement],
    joints: Float[np.ndarray, "frames 22 3"],
    yaw: Float[np.ndarray, " frames"],
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
    style = style or Style()
    subject, world = _seen(joints, yaw)
    kinds: list[tuple[int | None, Kind]] = [
        (None if it.kind in ("follow", "lead") else it.tag, it.kind) for it in outline
    ]
    # One move with the person shows several classes where the person turns.
    staged = [kind for at, kind in enumerate(kinds) if at == 0 or kind != kinds[at - 1]]
    thrown: Counter[Flaw] = Counter()
    for _ in range(_OUTLINE_DRAWS):
        moves = tuple(Move(tag, kind, draw_reach(dice)) for tag, kind in staged)
        side = None if side_rad is None else side_rad + 0.12 * dice.standard_normal()
        runs: Runs = "one" if len(outline) == 1 else "several"
        draft = _draw(subject, _ShotPlan(moves, runs, clean, tuple(outline), side), style, dice)
        if isinstance(draft, _Draft):
            return _shot(draft, world, dice, thrown)
        thrown[draft] += 1
    raise ClipError(
        f"No camera films this motion by its outline (thrown away: {dict(thrown)}).",
        "Try other dice, or another outline.",
    )


def _check_length(frames: int, runs: Runs) -> None:
    shortest = SHORTEST_SEVERAL if runs == "several" else SHORTEST_FRAMES
    if frames < shortest:
        raise ClipError(
            f"The motion has {frames} frames; the operator needs {shortest} for this shot.",
            "Film a longer part, or ask for fewer movements.",
        )


def _seen(
    joints: Float[np.ndarray, "frames 22 3"], yaw: Float[np.ndarray, " frames"]
) -> tuple[Subject, _World]:
    world = _World(float(yaw[0]), (float(joints[0, 0, 0]), float(joints[0, 0, 1])))
    return watch((joints - world.shift) @ world.turn, yaw - world.yaw), world


def _draw_plan(subject: Subject, style: Style, runs: Runs, dice: np.random.Generator) -> _ShotPlan:
    if runs != "several" and can_be_clean(subject) and dice.random() < style.clean:
        return _ShotPlan((draw_clean_move(dice),), "one", clean=True)
    if runs == "any":
        several = subject.frames >= SHORTEST_SEVERAL and dice.random() >= style.one_run
        runs = "several" if several else "one"
    count = 1
    if runs == "several":
        third = subject.frames > 3 * SHORTEST_MOVE + 12 and dice.random() < style.three_moves
        count = 3 if third else 2
    with_person = subject.goes and dice.random() < style.follow
    return _ShotPlan(draw_moves(count, style, dice, with_person), runs)


def _plan_of(intent: Intent, dice: np.random.Generator) -> _ShotPlan:
    runs: Runs = "one" if len(intent.outline) == 1 else "several"
    if any(move.goes_with_person for move in intent.moves):
        moves = tuple(replace(move, reach=draw_reach(dice)) for move in intent.moves)
        # The class of a follow depends on the side from which the person is seen.
        side = intent.setup.azimuth_rad + 0.12 * dice.standard_normal()
        return _ShotPlan(moves, runs, outline=intent.outline, azimuth_rad=side)
    moves = tuple(
        Move(movement.tag, movement.kind, draw_reach(dice)) for movement in intent.outline
    )
    return _ShotPlan(moves, runs, intent.clean, intent.outline)


def _draw(
    subject: Subject, plan: _ShotPlan, style: Style, dice: np.random.Generator
) -> _Draft | Flaw:
    """One try at a plan: a draft, or why it was thrown away."""
    timing = draw_timing(plan.moves, subject.activity, style, dice)
    setup = draw_setup(subject, plan.moves, timing, style, dice)
    if setup is not None and plan.clean:
        setup = cleaned(setup, plan.moves[0], timing, style, dice)
    if setup is None:
        return "room"
    if plan.azimuth_rad is not None:
        setup = replace(setup, azimuth_rad=plan.azimuth_rad)
    path = meant_path(subject, plan.moves, timing, setup)
    flaw = flaw_of_place(subject, path)
    if flaw is not None:
        return flaw
    if not keeps_person(subject, path, setup.lens):
        return "framing"
    if plan.clean and not is_clean(subject, path, setup.lens, plan.moves[0]):
        return "clean"
    rotation = path.world_from_camera
    tags = smooth_tags(tag_velocity(camera_velocity(rotation, path.centre, NATIVE_FPS)))
    outline = told_outline(subject, path, tags, (plan.moves, timing, setup))
    if not _is_as_planned(outline, plan):
        return "tags"
    depth_m = float(np.median(np.linalg.norm(path.centre - subject.neck, axis=-1)))
    size = size_of(2 * setup.lens.tan_half_height * depth_m)
    return _Draft(plan, setup, path, tags, outline, size)


def _is_as_planned(outline: Sequence[Movement], plan: _ShotPlan) -> bool:
    if plan.outline is not None:
        told = [(movement.tag, movement.kind) for movement in outline]
        return told == [(movement.tag, movement.kind) for movement in plan.outline]
    if any(move.goes_with_person for move in plan.moves):
        moving = any(movement.tag != STATIC for movement in outline)
        return moving and (len(outline) == 1) == (plan.runs == "one")
    return [movement.tag for movement in outline] == [move.tag for move in plan.moves]


def _shot(
    draft: _Draft, world: _World, dice: np.random.Generator, thrown: Counter[Flaw]
) -> FilmedShot:
    path, lens = draft.path, draft.setup.lens
    centre, rotation = path.centre, path.world_from_camera
    intent = Intent(
        moves=draft.plan.moves,
        setup=draft.setup,
        shot_size=draft.shot_size,
        camera=_camera(centre, rotation, lens, world),
        tags=draft.tags,
        outline=draft.outline,
        travel_m=float(np.linalg.norm(np.diff(centre, axis=0), axis=-1).sum()),
        clean=draft.plan.clean,
    )
    return FilmedShot(
        _camera(*_shaken(centre, rotation, draft.setup, dice), lens, world), intent, thrown
    )


def _shaken(
    centre: Float[np.ndarray, "frames 3"],
    rotation: Float[np.ndarray, "frames 3 3"],
    setup: Setup,
    dice: np.random.Generator,
) -> tuple[Float[np.ndarray, "frames 3"], Float[np.ndarray, "frames 3 3"]]:
    """The meant path in the hands of its grip."""
    shake = draw_shake(NATURE[setup.grip].shake, dice)
    turn = jitter(len(centre), shake, dice) + np.array([0.0, 0.0, shake.roll_rad])
    speed = np.linalg.norm(np.diff(centre, axis=0, append=centre[-1:]), axis=-1) * NATIVE_FPS
    return centre + sway(speed, shake, dice), rotation @ rotation_from_vector(turn)


def _camera(
    centre: Float[np.ndarray, "frames 3"],
    rotation: Float[np.ndarray, "frames 3 3"],
    lens: Lens,
    world: _World,
) -> CameraPath:
    """Carried from the canonical world to the clip's own, in float32."""
    return CameraPath(
        world_from_camera=torch.from_numpy(world.turn @ rotation).float(),
        centre=torch.from_numpy(centre @ world.turn.T + world.shift).float(),
        fov_vertical=torch.full((len(centre),), lens.fov_vertical),
        aspect=lens.aspect,
    )
