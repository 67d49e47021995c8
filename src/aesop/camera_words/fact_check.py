"""Facts measured of a finished shot, and what was asked beside what was made."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, pairwise

import numpy as np

from aesop.camera_words.attributes import (
    AROUND,
    WITH_PERSON,
    CameraFacts,
    FaceTime,
    MoveName,
    PersonSide,
    Step,
    values_of,
)
from aesop.camera_words.ground_ways import BACK_SHARE
from aesop.camera_words.standing_tagger import (
    CHEEK_RAD,
    FACE_RAD,
    SKIN_M,
    StandingFacts,
    camera_curves,
    person_curves,
    standing_of,
)
from aesop.camera_words.step_tagger import MeasuredStep, steps_of, turning_frame
from aesop.scene.camera import CameraPath
from aesop.scene.human import HumanMotion

# Somebody whose whole way is shorter goes nowhere: who follows them, by going or by turning, rests.
GOES_M = 0.7
# How far from the person's turn, and how late in the shot, a step may begin.
TURN_SLACK_S = 0.9
END_SHARE, END_STOPS_SHARE = 0.45, 0.8
TURNS_AWAY_RAD = float(np.radians(45))  # who turns so far shows another side by themselves
SIDE_SHARE = 0.5  # of the frames show a side that is asked for and that nothing leads away from
FACE_SHARE = 0.75  # of the frames show a face that is to be seen throughout
_KEEPS_SIDE: frozenset[MoveName] = frozenset(
    {"static", "push-in", "pull-out", "boom-up", "boom-down", *WITH_PERSON}
)
_KEEPS_SIZE: frozenset[MoveName] = frozenset({"boom-up", "boom-down", *WITH_PERSON})
_CHANGE_HEIGHT: frozenset[MoveName] = frozenset({"boom-up", "boom-down", "fly-past"})
_PLAIN: frozenset[MoveName] = frozenset(
    {"push-in", "pull-out", "truck-left", "truck-right", "boom-up", "boom-down"}
)
_ALSO: dict[str, frozenset[str]] = {
    "move:follow": frozenset({"move:follow-beside"}),
}


@dataclass(frozen=True)
class MeasuredFacts:
    """Everything that the taggers find in a finished path."""

    standing: StandingFacts
    steps: tuple[MeasuredStep, ...]
    turning_frame: int | None  # of the person, if they turn
    person_goes: bool
    frames: int
    fps: float

    @property
    def facts(self) -> CameraFacts:
        """As a reader of words would have filled them."""
        steps = [self._timed(one, at) for at, one in enumerate(self.steps)]
        one = self.standing
        return CameraFacts(
            size_start=one.size_start,
            size_end=one.size_end,
            height=one.height,
            side=one.side,
            lens=one.lens,
            dutch=one.dutch,
            steps=tuple(steps),
            grip=one.grip,
            places=one.places,
        )

    def _timed(self, one: MeasuredStep, at: int) -> Step:
        return replace(one.step, when="then") if at else one.step


@dataclass(frozen=True)
class FactCheck:
    """One value that was asked for, what was measured in its place, and whether it will do."""

    asked: str  # "size:close-up", "size-end:medium", "move:push-in"
    got: str
    right: bool


def measure_facts(camera: CameraPath, motion: HumanMotion | None, fps: float) -> MeasuredFacts:
    """Measure a path; camera and motion stand in the same world. Without a motion aim, lens and
    movement alone are measured."""
    curves = camera_curves(camera, fps)
    person = None if motion is None else person_curves(motion)
    way_m = 0.0
    if person is not None:
        way_m = float(np.linalg.norm(np.diff(person.root[:, :2], axis=0), axis=-1).sum())
    return MeasuredFacts(
        standing=standing_of(curves, person),
        steps=steps_of(curves, person),
        turning_frame=None if person is None else turning_frame(person, fps),
        person_goes=way_m >= GOES_M,
        frames=camera.frames,
        fps=fps,
    )


def done_names(step: Step) -> list[str]:
    """What a measured step does, in values without their attributes, and without those that others
    say already."""
    names = [*step.moves, *step.turns, *([step.zoom] if step.zoom else [])]
    said = {"static"}  # somebody who turns or zooms does not rest
    if "orbit" in names:
        said |= {"arc-left", "arc-right"}
    if "pan-follow" in names:
        said |= {"pan-left", "pan-right"}
    return [name for name in names if name not in said] or ["static"]


def told_facts(measured: MeasuredFacts) -> str:
    """ "push in, then arc left; wide to medium, low, handheld": what a camera did, in the words in
    which it can be asked for. What is usual is not said."""
    one = measured.standing
    steps = [" + ".join(done_names(step.step)) for step in measured.steps]
    parts = [", then ".join(steps)]
    if one.size_start is not None and one.size_end is not None:
        sizes = dict.fromkeys((one.size_start, one.size_end))
        stands: list[str] = [" to ".join(sizes)]
        stands += [] if one.height in (None, "eye") else [str(one.height)]
        stands += [str(one.lens)] if one.lens else []
        stands += ["dutch"] if one.dutch else []
        stands += ["handheld"] if one.grip == "handheld" else []
        parts.append(", ".join(stands))
    return "; ".join(part for part in parts if part).replace("-", " ")


def check_facts(asked: CameraFacts, measured: MeasuredFacts) -> tuple[FactCheck, ...]:
    """Every value that was asked for, in the order of the facts. Pace is intensity, and is not
    measured; a step "as she turns" is not judged where nobody turns."""
    return (*_standing_checks(asked, measured.standing), *_step_checks(asked.steps, measured))


def _standing_checks(asked: CameraFacts, got: StandingFacts) -> Iterator[FactCheck]:
    pairs = (
        ("size", asked.size_start, got.size_start),
        ("size-end", asked.size_end, got.size_end),
        ("height", asked.height, got.height),
        ("side", asked.side, got.side),
        ("lens", asked.lens, got.lens),
        ("grip", asked.grip, got.grip),
    )
    for name, wanted, found in pairs:
        if wanted is None:
            continue
        if name == "side" and asked.side is not None:
            yield _side_check(asked.side, asked.steps, got)
        elif (astray := _gone_astray(name, asked, got)) is not None and wanted == found:
            yield FactCheck(f"{name}:{wanted}", f"{found} to {astray}", False)
        else:
            # Nothing tells a dolly that stands from a tripod that is locked.
            stands = (wanted, found) == ("dolly", "locked-off") and _stays(asked)
            told = found or "none"
            end = _end_of(name, asked, got)
            if wanted == found and end not in (found, None):
                told = f"{found} to {end}"  # will do, and is to be known
            yield FactCheck(f"{name}:{wanted}", told, wanted == found or stands)
    if asked.dutch:
        yield FactCheck("turn:dutch", "dutch" if got.dutch else "level", got.dutch)
    if asked.face is not None:
        yield _face_check(asked.face, got)
    for place in asked.places:
        yield FactCheck(f"place:{place}", " + ".join(got.places) or "none", place in got.places)


def _end_of(name: str, asked: CameraFacts, got: StandingFacts) -> str | None:
    """What has become of a size or a height that was asked for at the start alone."""
    if name == "size":
        return got.size_end if asked.size_end is None else None
    return got.height_end if name == "height" else None


def _gone_astray(name: str, asked: CameraFacts, got: StandingFacts) -> str | None:
    """Where a size or a height has gone in the end that was asked for at the start and that nothing
    asked for changes: one class further is a drift, two are another picture."""
    moves = {move for step in asked.steps for move in step.moves}
    turns = any(step.turns or step.zoom for step in asked.steps)
    start, end, keeps = got.height, got.height_end, not moves & _CHANGE_HEIGHT
    if name == "size":
        start, end = got.size_start, got.size_end
        keeps = asked.size_end is None and moves <= _KEEPS_SIZE and not turns
        if got.smallest_picture_m is not None and got.smallest_picture_m < SKIN_M:
            return "nothing but skin"
    elif name != "height":
        return None
    values = values_of("size" if name == "size" else "height")
    if not keeps or start is None or end is None:
        return None
    return end if abs(values.index(end) - values.index(start)) > 1 else None


def _side_check(asked: PersonSide, steps: Sequence[Step], got: StandingFacts) -> FactCheck:
    """The side at the start, and where nothing that was asked for leads away from it for half of
    the time and at the end as well. Of somebody who turns by themselves a camera that does not go
    with them may see another side in the end."""
    name, found = f"side:{asked}", got.side
    if found != asked or got.side_end in (found, None):
        return FactCheck(name, found or "none", found == asked)
    leads_away = any(set(step.moves) - _KEEPS_SIDE or step.turns for step in steps)
    goes_along = any(step.goes_with_person for step in steps)
    is_excused = got.turned_rad >= TURNS_AWAY_RAD and not goes_along
    keeps = got.side_share >= SIDE_SHARE and (got.keeps_side or is_excused)
    return FactCheck(name, f"{found} to {got.side_end}", keeps or leads_away)


def _face_check(asked: FaceTime, got: StandingFacts) -> FactCheck:
    """The camera stands before the face when that is to be seen, and not far above or below it."""
    if got.face_rad is None:
        return FactCheck("see:face", "none", False)
    if asked == "throughout":
        right = got.face_share >= FACE_SHARE
        return FactCheck("see:face", f"the face in {got.face_share:.0%} of the time", right)
    at = 0 if asked == "start" else 1
    angle, right = got.face_rad[at], got.sees_face[at]
    seen = "the face" if right else "the face from steeply above or below"
    if angle > FACE_RAD:
        seen = "the side of the head" if angle <= CHEEK_RAD else "the back of the head"
    return FactCheck("see:face", f"{seen} at the {asked}", right)


def _stays(asked: CameraFacts) -> bool:
    """Whether nothing that was asked for moves or turns the camera."""
    return all(step.is_static for step in asked.steps)


def _step_checks(asked: Sequence[Step], measured: MeasuredFacts) -> tuple[FactCheck, ...]:
    """The best of all ways to deal out the measured steps, in order, to those asked for."""
    if not asked:
        return ()
    count = len(measured.steps)
    best: tuple[FactCheck, ...] = ()
    for inner in combinations_with_replacement(range(count + 1), len(asked) - 1):
        bounds = (0, *inner, count)
        groups = [measured.steps[first:stop] for first, stop in pairwise(bounds)]
        checks = [
            check
            for step, group in zip(asked, groups, strict=True)
            for check in _checked_step(step, group, measured)
        ]
        if not best or sum(check.right for check in checks) > sum(check.right for check in best):
            best = tuple(checks)
    return best


def _checked_step(
    step: Step, group: Sequence[MeasuredStep], measured: MeasuredFacts
) -> Iterator[FactCheck]:
    names = {name for one in group for name in one.step.names}
    spoken = " + ".join(sorted(name.partition(":")[2] for name in names)) or "static"
    moves = {move for one in group for move in one.step.moves}
    rests = not moves or moves == {"static"}
    unasked = (moves & _PLAIN) - set(step.moves)
    for name in step.names:
        if name.startswith("when:"):
            continue
        met = name in names or bool(_ALSO.get(name, frozenset()) & names)
        met |= name == "move:static" and rests
        if name.startswith("move:") and name.removeprefix("move:") in _PLAIN:
            met &= not unasked
        if name in _ARC_SIGN:
            met &= not _turns_back(group, _ARC_SIGN[name])
        if not measured.person_goes and name in _WITH_NOBODY:
            met |= rests
        yield FactCheck(name, spoken, met)
    if step.when is not None:
        yield from _checked_when(step, group, measured)


_ARC_SIGN = {"move:arc-left": -1.0, "move:arc-right": 1.0}


def _turns_back(group: Sequence[MeasuredStep], sign: float) -> bool:
    """Whether a part of an arc goes the other way, as far as can be seen beside the rest."""
    swept = [sign * one.swept_rad for one in group if set(one.step.moves) & set(AROUND)]
    back = -sum(angle for angle in swept if angle < 0)
    return back > BACK_SHARE * sum(angle for angle in swept if angle > 0)


_WITH_NOBODY = ("move:follow", "move:follow-beside", "move:lead", "turn:pan-follow")


def _checked_when(
    step: Step, group: Sequence[MeasuredStep], measured: MeasuredFacts
) -> Iterator[FactCheck]:
    wanted = set(step.names)
    first = next((one for one in group if wanted & set(one.step.names)), None)
    if first is None:
        yield FactCheck(f"when:{step.when}", "never", False)
        return
    seconds = first.first / measured.fps
    spoken = f"from {seconds:.1f} s"
    last = measured.frames - 1
    match step.when:
        case "as-she-turns":
            if measured.turning_frame is not None:
                late = abs(first.first - measured.turning_frame) / measured.fps
                yield FactCheck("when:as-she-turns", spoken, late <= TURN_SLACK_S)
        case "at-the-end":
            late_enough = first.first >= END_SHARE * last and first.stop >= END_STOPS_SHARE * last
            yield FactCheck("when:at-the-end", spoken, late_enough)
        case _:
            yield FactCheck(f"when:{step.when}", spoken, True)
