"""Facts at random: what a procedural cinematographer decides to do before anything is placed."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np

from aesop.camera_words.attributes import (
    CameraFacts,
    Composition,
    Extent,
    GripName,
    Height,
    LensWord,
    MoveName,
    PersonSide,
    Size,
    Step,
    Turn,
    When,
)
from aesop.core.hashing import picked
from aesop.fables.cinematographer.facts_rig import PICTURE_M
from aesop.fables.cinematographer.lens import Subject
from aesop.fables.cinematographer.step_timing import SHORTEST_STEP

_SIZES: dict[Size, float] = {
    "extreme-close-up": 0.07, "close-up": 0.2, "medium": 0.3, "full": 0.22, "wide": 0.14,
    "extreme-wide": 0.07,
}  # fmt: skip
_HEIGHTS: dict[Height, float] = {
    "ground": 0.09, "low": 0.16, "eye": 0.45, "high": 0.2, "overhead": 0.1,
}  # fmt: skip
_GRIPS: dict[GripName, float] = {
    "locked-off": 0.3, "dolly": 0.35, "steadicam": 0.28, "handheld": 0.27,
}  # fmt: skip
_PLACES: dict[Composition | None, float] = {
    None: 0.25, "centre": 0.25, "left-third": 0.13, "right-third": 0.13, "head-room": 0.1,
    "lead-room": 0.14,
}  # fmt: skip
_LENSES: dict[LensWord | None, float] = {None: 0.66, "wide-angle": 0.17, "long-lens": 0.17}
_MOVES: dict[MoveName, float] = {
    "push-in": 0.13, "pull-out": 0.11, "truck-left": 0.09, "truck-right": 0.09, "boom-up": 0.08,
    "boom-down": 0.08, "arc-left": 0.08, "arc-right": 0.08, "orbit": 0.32, "fly-past": 0.24,
}  # fmt: skip
_TURNS: dict[Turn, float] = {
    "pan-left": 0.17, "pan-right": 0.17, "tilt-up": 0.17, "tilt-down": 0.17, "whip-pan": 0.16,
    "roll": 0.16,
}  # fmt: skip
_ZOOMS: dict[LensWord, float] = {"zoom-in": 0.34, "zoom-out": 0.32, "dolly-zoom": 0.34}
_COMPOUND: tuple[tuple[MoveName, MoveName], ...] = (
    ("boom-up", "push-in"), ("boom-down", "push-in"), ("boom-up", "pull-out"),
    ("boom-down", "pull-out"), ("truck-left", "push-in"), ("truck-right", "push-in"),
    ("truck-left", "pull-out"), ("truck-right", "pull-out"),
)  # fmt: skip
_SHORTEST_ARC = 60  # frames, of one that has an extent
_SHORTEST_CIRCLE = 150  # frames
_SHORTEST_PASS = 76  # frames, of a way past somebody that the aim can follow
_AROUND_SIDES: dict[MoveName, float] = {"arc-left": 0.5, "arc-right": 0.5}
# Whoever strays further than this is not filmed by a camera that cannot turn, unless its picture is
# so many times as high as they stray.
_LOCKS_M, _LOCKED_UP_TO_M, _LOCKED_PICTURE = 0.5, 3.0, 1.5
_UPRIGHT_M = 0.75  # height of the neck of somebody who sits
# Somebody whose way is longer, or who gets this far from its middle, is filmed as going.
_GOES_M, _STAYS_M = 1.6, 0.7


@dataclass(frozen=True)
class FactStyle:
    """How often the cinematographer does what; shares between 0 and 1."""

    static: float = 0.13  # of steps
    turns: float = 0.25
    zooms: float = 0.16
    # Of shots of somebody who goes; the rest does what is done with people who stay.
    with_person: float = 0.42
    pan_follow: float = 0.14
    rests: float = 0.13
    zooms_on_goers: float = 0.07
    around_goers: float = 0.12
    circles: float = 0.16  # of shots that are long enough for a whole one
    compound: float = 0.22  # of moves
    several: float = 0.45  # of shots that are long enough for two steps
    dutch: float = 0.08
    as_she_turns: float = 0.4  # of shots of several steps, where somebody turns
    at_the_end: float = 0.3  # of the same
    sizes: Mapping[Size, float] = field(default_factory=lambda: dict(_SIZES))


def draw_facts(
    subject: Subject, style: FactStyle, dice: np.random.Generator, *, turning: int | None = None
) -> CameraFacts:
    """A whole shot: every attribute has a value, so that each can be told and measured. `turning`
    is the frame in which the person turns, if they do: a step may wait for it."""
    steps = _timed(_draw_steps(subject, style, dice), style, dice, turning)
    grip = _draw_grip(steps, subject, dice)
    turns = {turn for step in steps for turn in step.turns}
    with_person = any(step.goes_with_person for step in steps)
    size = picked(_sizes_for(subject, style, steps, grip), dice)
    side = None
    if not with_person and "pan-follow" not in turns:
        side = picked({one: 1.0 for one in get_args(PersonSide)}, dice)
    place = picked(_PLACES, dice)
    if place == "lead-room" and side not in ("profile-left", "profile-right"):
        place = "centre"
    heights: Mapping[Height, float] = _HEIGHTS
    lies = float(subject.neck[0, 2]) < _UPRIGHT_M
    if lies:  # whoever lies is on the ground at eye level
        heights = {"ground": 0.3, "high": 0.4, "overhead": 0.3}
    elif turns & {"tilt-up", "tilt-down", "whip-pan", "roll"} or _booms(steps):
        heights = {height: share for height, share in _HEIGHTS.items() if height != "overhead"}
    height = picked(heights, dice)
    if place == "head-room" and (lies or height == "overhead"):
        place = "centre"  # above the head of whoever lies, or is looked down upon, is the floor
    return CameraFacts(
        size_start=size,
        height=height,
        side=side,
        lens=_draw_lens_class(turns, steps, size, dice),
        dutch=bool(dice.random() < style.dutch) and not turns,
        steps=steps,
        grip=grip,
        places=() if place is None or turns else (place,),
    )


def _timed(
    steps: tuple[Step, ...], style: FactStyle, dice: np.random.Generator, turning: int | None
) -> tuple[Step, ...]:
    """The last of several steps now and then waits for the person's turn, or for the end."""
    pick = dice.random()
    if len(steps) < 2:
        return steps
    when: When = "then"
    if turning is not None and pick < style.as_she_turns:
        when = "as-she-turns"
    elif pick > 1 - style.at_the_end:
        when = "at-the-end"
    return (*steps[:-1], replace(steps[-1], when=when))


def _booms(steps: tuple[Step, ...]) -> bool:
    return any({"boom-up", "boom-down"} & set(step.moves) for step in steps)


def _sizes_for(
    subject: Subject, style: FactStyle, steps: tuple[Step, ...], grip: GripName
) -> Mapping[Size, float]:
    """Sizes at which there is time for what is done, and room for the person."""
    if any("whip-pan" in step.turns for step in steps):
        return {"medium": 0.3, "full": 0.7}
    if any("fly-past" in step.moves for step in steps):
        return {"medium": 0.6, "full": 0.4}
    if any(step.extent is not None for step in steps):  # from afar a circle is a long way
        near = ("extreme-close-up", "close-up", "medium", "full")
        return {size: style.sizes[size] for size in near if size in style.sizes}
    if grip == "locked-off" and subject.excursion_m > _LOCKS_M:
        # Who cannot turn frames wide enough for all of the person's way.
        least_m = _LOCKED_PICTURE * subject.excursion_m
        return {
            size: share
            for size, share in style.sizes.items()
            if PICTURE_M[size][0] >= least_m or size == "extreme-wide"
        }
    return style.sizes


def _draw_grip(steps: tuple[Step, ...], subject: Subject, dice: np.random.Generator) -> GripName:
    grips = dict(_GRIPS)
    if not all(step.is_static for step in steps):
        grips.pop("locked-off")
    elif subject.excursion_m < _LOCKS_M:
        grips.pop("dolly")
    elif subject.excursion_m > _LOCKED_UP_TO_M:
        grips.pop("locked-off")
    return picked(grips, dice)


def _draw_lens_class(
    turns: Collection[str], steps: tuple[Step, ...], size: Size, dice: np.random.Generator
) -> LensWord | None:
    """Whips need a wide lens and pans no long one; nobody takes a wide one to a face."""
    if "whip-pan" in turns:
        return "wide-angle"
    lens = picked(_LENSES, dice)
    zooms = any(step.zoom for step in steps)
    if lens == "wide-angle" and (size in ("close-up", "extreme-close-up") or zooms):
        return None
    far = any(step.extent is not None or "fly-past" in step.moves for step in steps)
    too_far = turns or zooms or far or size == "extreme-wide"
    return None if lens == "long-lens" and too_far else lens


def way_m(subject: Subject) -> float:
    """How far the person goes over the ground, there and back counted twice."""
    return float(np.linalg.norm(subject.steps[:, :2], axis=-1).sum())


def _draw_steps(subject: Subject, style: FactStyle, dice: np.random.Generator) -> tuple[Step, ...]:
    room = (subject.frames - 1) // (SHORTEST_STEP + 6)
    count = 1
    if room >= 2 and dice.random() < style.several:
        count = 3 if room >= 3 and dice.random() < 0.25 else 2
    frames = subject.frames // count
    if way_m(subject) > _GOES_M or subject.excursion_m > _STAYS_M:
        # One step: whoever goes is gone before the second.
        company = _draw_company(subject, style, dice)
        if company is not None:
            return (company,)
    if subject.frames >= _SHORTEST_CIRCLE and dice.random() < style.circles:
        return (_draw_around(subject.frames, dice),)
    steps: list[Step] = []
    while len(steps) < count:
        # From feet to head is a way only where somebody stands or sits.
        upright = float(subject.neck[:, 2].min()) > _UPRIGHT_M
        step = _draw_step(frames, style, dice, upright=upright)
        # A line past the person ends nowhere that another step could start from.
        lonely = "fly-past" in step.moves and count > 1
        if not lonely and not (steps and set(step.names) & set(steps[-1].names)):
            steps.append(replace(step, when="then" if steps else None))
    return tuple(steps)


def _draw_company(subject: Subject, style: FactStyle, dice: np.random.Generator) -> Step | None:
    """What is done with somebody who goes: going with them or around them, turning after them,
    resting, zooming; None for what is done with people who stay."""
    named = {
        "with": style.with_person, "turning": style.pan_follow, "rest": style.rests,
        "zoom": style.zooms_on_goers, "around": style.around_goers,
    }  # fmt: skip
    match picked({**named, "other": 1 - sum(named.values())}, dice):
        case "with":
            moves: dict[MoveName, float] = {"follow": 0.4, "follow-beside": 0.3, "lead": 0.3}
            return Step(moves=(picked(moves, dice),))
        case "turning" if subject.goes:
            return Step(turns=("pan-follow",))
        case "zoom":
            return Step(zoom=picked({"zoom-in": 0.5, "zoom-out": 0.5}, dice))
        case "around" if subject.frames >= _SHORTEST_ARC:
            return _draw_around(subject.frames, dice)
        case "rest" | "turning" | "around":
            return Step(moves=("static",))
        case _:
            return None


def _draw_around(frames: int, dice: np.random.Generator) -> Step:
    """An arc or orbit that there is time for."""
    extents: dict[Extent, float] = {"quarter": 0.4}
    extents |= {"half": 0.6} if frames >= 84 else {}
    extents |= {"full": 0.9} if frames >= _SHORTEST_CIRCLE else {}
    extent = picked(extents, dice)
    side = picked(_AROUND_SIDES, dice)
    return Step(moves=(side,) if extent == "quarter" else ("orbit", side), extent=extent)


def _draw_step(frames: int, style: FactStyle, dice: np.random.Generator, *, upright: bool) -> Step:
    pick = dice.random()
    if pick < style.static:
        return Step(moves=("static",))
    if pick < style.static + style.turns:
        turns: Mapping[Turn, float] = (
            _TURNS if upright else {"pan-left": 0.4, "pan-right": 0.4, "roll": 0.2}
        )
        return Step(turns=(picked(turns, dice),))
    if pick < style.static + style.turns + style.zooms:
        return Step(zoom=picked(_ZOOMS, dice))
    if dice.random() < style.compound:
        return Step(moves=_COMPOUND[int(dice.integers(len(_COMPOUND)))])
    move = picked(_MOVES, dice)
    if move == "fly-past" and frames < _SHORTEST_PASS:
        move = picked(_AROUND_SIDES, dice)
    if move == "orbit":
        return _draw_around(frames, dice) if frames >= _SHORTEST_ARC else Step(moves=("static",))
    return Step(moves=(move,))
