"""Facts at random: what a procedural cinematographer decides to do before anything is placed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np

from aesop.camera_words.attributes import (
    AROUND,
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
from aesop.fables.cinematographer.facts_start import PICTURE_M, way_m
from aesop.fables.cinematographer.lens import Subject
from aesop.fables.cinematographer.rig import going_azimuth
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
    "pan-left": 0.17, "pan-right": 0.17, "tilt-up": 0.17, "tilt-down": 0.17, "whip-pan": 0.34,
    "roll": 0.16,
}  # fmt: skip
_ZOOMS: dict[LensWord, float] = {"zoom-in": 0.34, "zoom-out": 0.32, "dolly-zoom": 0.34}
_COMPOUND: tuple[tuple[MoveName, MoveName], ...] = (
    ("boom-up", "push-in"), ("boom-down", "push-in"), ("boom-up", "pull-out"),
    ("boom-down", "pull-out"), ("truck-left", "push-in"), ("truck-right", "push-in"),
    ("truck-left", "pull-out"), ("truck-right", "pull-out"),
)  # fmt: skip
# Frames that ways around and past somebody need, or the camera would spin: a quarter, half and
# whole circle, and a line.
_SHORTEST_ARC, _SHORTEST_HALF, _SHORTEST_CIRCLE = 75, 130, 195
_SHORTEST_PASS = 110
_AROUND_SIDES: dict[MoveName, float] = {"arc-left": 0.5, "arc-right": 0.5}
_TILTS = frozenset({"tilt-up", "tilt-down"})
_SIDEWAYS = frozenset({"truck-left", "truck-right", "arc-left", "arc-right"})
# A way that turns further is turned after by who goes along; further than that nobody stays beside.
_TURNING_WAY_RAD, _WINDING_WAY_RAD = np.radians((30, 60)).tolist()
# A dolly that stands is told from a locked camera by turning after whoever strays so far; whoever
# strays farther than that is never locked; a locked picture is so many times as high as they stray.
_LOCKS_M, _LOCKED_UP_TO_M, _LOCKED_PICTURE = 0.5, 3.0, 2.0
_LEAVES_M = 1.2
_BOBS_M = 0.3
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
    circles: float = 0.16  # of shots that are long enough for a half one
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
    aside = side in ("profile-left", "profile-right") and turning is None
    if place == "lead-room" and not aside:  # whoever turns looks to the other side soon
        place = "centre"
    lies = float(subject.neck[0, 2]) < _UPRIGHT_M
    stays = subject.excursion_m < _STAYS_M or with_person or _goes_around(steps)
    heights: Mapping[Height, float] = _heights_for(steps, turns, lies=lies, stays=stays)
    if _sinks_far(steps, size):  # from eye level it would sink into the floor
        heights = {"high": 1.0}
    height = picked(heights, dice)
    if place == "head-room" and (lies or height == "overhead"):
        place = "centre"  # above the head of whoever lies, or is looked down upon, is the floor
    return CameraFacts(
        size_start=size,
        height=height,
        side=side,
        lens=_draw_lens_class(turns, steps, size, dice, roomy=stays and height != "ground"),
        # Straight down there is no horizon.
        dutch=bool(dice.random() < style.dutch) and not turns and height != "overhead",
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


def _goes_around(steps: tuple[Step, ...]) -> bool:
    return any(set(step.moves) & set(AROUND) for step in steps)


def _sinks_far(steps: tuple[Step, ...], size: Size) -> bool:
    sinks = [step for step in steps if "boom-down" in step.moves]
    near = size in ("close-up", "extreme-close-up")
    return bool(sinks) and (not near or any("pull-out" in step.moves for step in sinks))


def _heights_for(
    steps: tuple[Step, ...], turns: Collection[str], *, lies: bool, stays: bool
) -> Mapping[Height, float]:
    """Heights from which what is done can be told. Whoever lies is on the ground at eye level; from
    straight above a boom is a push, a line beside or past somebody is no such thing, and who turns
    after somebody that passes below spins."""
    heights: Mapping[Height, float] = _HEIGHTS
    if lies:
        heights = {"ground": 0.3, "high": 0.4, "overhead": 0.3}
    moves = {move for step in steps for move in step.moves}
    lines = {"boom-up", "boom-down", "truck-left", "truck-right", "fly-past"}
    unfit: set[Height] = set()
    if not stays or moves & lines or {*turns} & {"tilt-up", "tilt-down", "whip-pan", "roll"}:
        unfit.add("overhead")
    if "boom-down" in moves or "whip-pan" in turns:  # from the ground nothing sinks, and a lens
        unfit |= {"ground", "low"}  # for whips is so near that it would see no feet
    return {height: share for height, share in heights.items() if height not in unfit}


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
    shrinks = sum(step.zoom == "zoom-in" or "push-in" in step.moves for step in steps)
    if shrinks:  # what comes nearer ends on a face, and not inside it
        near = ("extreme-close-up", "close-up")[:shrinks]
        return {size: share for size, share in style.sizes.items() if size not in near}
    if grip == "locked-off":  # who cannot turn frames wide enough for wherever the head gets
        height_m = subject.neck[:, 2]
        strays_m = max(subject.excursion_m, float(height_m.max() - height_m.min()))
        least_m = _LOCKED_PICTURE * strays_m
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
    turns: Collection[str],
    steps: tuple[Step, ...],
    size: Size,
    dice: np.random.Generator,
    *,
    roomy: bool,
) -> LensWord | None:
    """Whips need a wide lens and pans no long one; nobody takes a wide one to a face, near to
    somebody who passes, or to their feet."""
    if "whip-pan" in turns:
        return "wide-angle"
    lens = picked(_LENSES, dice)
    zooms = any(step.zoom for step in steps)
    near = ("close-up", "extreme-close-up") if roomy else ("close-up", "extreme-close-up", "medium")
    if lens == "wide-angle" and (size in near or zooms or "pan-follow" in turns):
        return None
    far = any(step.extent is not None or "fly-past" in step.moves for step in steps)
    too_far = turns or zooms or far or size == "extreme-wide"
    return None if lens == "long-lens" and too_far else lens


def _draw_steps(subject: Subject, style: FactStyle, dice: np.random.Generator) -> tuple[Step, ...]:
    room = (subject.frames - 1) // (SHORTEST_STEP + 6)
    count = 1
    if room >= 2 and dice.random() < style.several:
        count = 3 if room >= 3 and dice.random() < 0.25 else 2
    if subject.excursion_m > _LEAVES_M:
        count = 1  # whoever goes is gone before the second
    frames = subject.frames // count
    if way_m(subject) > _GOES_M or subject.excursion_m > _STAYS_M:
        company = _draw_company(subject, style, dice)
        if company is not None:
            return (company,)
    if subject.frames >= _SHORTEST_HALF and dice.random() < style.circles:
        return (_draw_around(subject.frames, subject, dice),)
    steps: list[Step] = []
    while len(steps) < count:
        step = _draw_step(frames, subject, style, dice)
        if count == 1 or _is_one_of_several(step, steps, is_last=len(steps) == count - 1):
            steps.append(replace(step, when="then" if steps else None))
    return tuple(steps)


def _is_one_of_several(step: Step, before: Sequence[Step], *, is_last: bool) -> bool:
    """Whether a step can be one of several, after some. One always is: static after
    anything but itself, zoom-out after that."""
    # A line past the person ends nowhere that another step could start from; before a tilt up and
    # after a tilt down there is nothing but feet to see.
    if "fly-past" in step.moves or ("tilt-down" in step.turns and not is_last):
        return False
    if not before:
        return True
    last = before[-1]
    if set(step.names) & set(last.names):
        return False
    if "tilt-up" in step.turns:
        return False
    # Where a bow ends and a line goes on nobody can tell.
    if _sides(last) & _sides(step):
        return False
    # After a whip, and before it, the person is at the edge: a way to them would be a slant, and a
    # tilt would lose them.
    whips = ["whip-pan" in it.turns for it in (*before, step)]
    moves = [bool(set(it.moves) - {"static"} or set(it.turns) & _TILTS) for it in (*before, step)]
    narrowed = any(it.zoom == "zoom-in" for it in before)
    # Two turns to the same side would take them out of the picture.
    twice = any(_turned(it) & _turned(step) for it in before)
    return not (any(whips) and any(moves)) and not (narrowed and whips[-1]) and not twice


def _turned(step: Step) -> set[str]:
    """To which side a step pans; a whip goes to the left where nobody asks."""
    sides = {"pan-left": "left", "whip-pan": "left", "pan-right": "right"}
    return {sides[turn] for turn in step.turns if turn in sides}


def _sides(step: Step) -> set[str]:
    return {move.partition("-")[2] for move in step.moves if move in _SIDEWAYS}


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
            going = going_azimuth(subject)
            if float(going.max() - going.min()) > _WINDING_WAY_RAD:
                moves = {"follow": 1.0}
            return Step(moves=(picked(moves, dice),))
        case "turning" if subject.goes:
            return Step(turns=("pan-follow",))
        case "zoom":
            return Step(zoom=picked({"zoom-in": 0.5, "zoom-out": 0.5}, dice))
        case "around" if subject.frames >= _SHORTEST_ARC:
            return _draw_around(subject.frames, subject, dice)
        case "rest" | "turning" | "around":
            return Step(moves=("static",))
        case _:
            return None


def _around_sides(subject: Subject) -> Mapping[MoveName, float]:
    """Who circles somebody to the side to which their way turns only stays where they were beside
    them."""
    going = going_azimuth(subject)
    turn = float(going[-1] - going[0])
    if abs(turn) < _TURNING_WAY_RAD:
        return _AROUND_SIDES
    return {"arc-left": 1.0} if turn > 0 else {"arc-right": 1.0}


def _draw_around(frames: int, subject: Subject, dice: np.random.Generator) -> Step:
    """An arc or orbit that there is time for."""
    extents: dict[Extent, float] = {"quarter": 0.4}
    extents |= {"half": 0.6} if frames >= _SHORTEST_HALF else {}
    extents |= {"full": 0.9} if frames >= _SHORTEST_CIRCLE else {}
    extent = picked(extents, dice)
    side = picked(_around_sides(subject), dice)
    return Step(moves=(side,) if extent == "quarter" else ("orbit", side), extent=extent)


def _turns_for(subject: Subject) -> Mapping[Turn, float]:
    """Turns that are more than following the person with one's eyes."""
    if subject.excursion_m > _LEAVES_M:
        return {"roll": 1.0}
    neck_m = subject.neck[:, 2]
    # From feet to head is a way only where somebody stands or sits, and stays so.
    if neck_m.min() > _UPRIGHT_M and neck_m.max() - neck_m.min() < _BOBS_M:
        return _TURNS
    return {"pan-left": 0.4, "pan-right": 0.4, "roll": 0.2}


def _draw_step(frames: int, subject: Subject, style: FactStyle, dice: np.random.Generator) -> Step:
    pick = dice.random()
    if pick < style.static:
        return Step(moves=("static",))
    if pick < style.static + style.turns:
        return Step(turns=(picked(_turns_for(subject), dice),))
    if pick < style.static + style.turns + style.zooms:
        return Step(zoom=picked(_ZOOMS, dice))
    if dice.random() < style.compound:
        return Step(moves=_COMPOUND[int(dice.integers(len(_COMPOUND)))])
    move = picked(_MOVES, dice)
    if move == "fly-past" and frames < _SHORTEST_PASS:
        move = "arc-left"
    if move == "orbit":
        fits = frames >= _SHORTEST_ARC
        return _draw_around(frames, subject, dice) if fits else Step(moves=("static",))
    if move in _AROUND_SIDES:
        move = picked(_around_sides(subject), dice)
    return Step(moves=(move,))
