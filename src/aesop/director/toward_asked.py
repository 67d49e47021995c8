"""Fine corrections towards what was asked for and is missing: what a lens, a longer or shorter way
to the person, a constant turn or a steadier grip can mend, as little as is enough. Height, side and
movement need another take."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch

from aesop.camera_words.attributes import CameraFacts, Size
from aesop.camera_words.fact_check import FactCheck
from aesop.camera_words.standing_tagger import (
    DUTCH_RAD,
    LONG_LENS_RAD,
    SIZE_EDGES_M,
    WIDE_ANGLE_RAD,
    camera_curves,
    in_picture,
    person_curves,
    standing_of,
)
from aesop.director.aiming import slow_angles, turns_in, with_turns
from aesop.director.correction_notes import lens_note
from aesop.director.decoding import AIMED_AT, turned_to
from aesop.director.hand import angles_of, turned, turns_of
from aesop.director.keep_in_picture import scaled_lens
from aesop.director.take_marks import checks_of, excused
from aesop.fables.cinematographer.facts_path import held_by
from aesop.metrics.framing_metrics import Holding, holding_of
from aesop.scene.camera import CameraPath
from aesop.scene.curves import smoothed
from aesop.scene.human import Clip
from aesop.scene.rotation import about_axis

# Angles along the longer edge: no correction makes a lens wider or longer than these.
WIDEST_RAD, LONGEST_RAD = math.radians(84), math.radians(11)
_INSIDE = 1.05  # by how much a corrected value lies inside its bounds
_THIRD, _HEAD_TOP = 0.38, 0.4  # of half a picture
_HEAD_TOP_M = 0.17
_DUTCH = 1.7  # of what counts as tilted
_ROUNDS = 6
_STEADY_SIGMA = 6.0  # frames
# A way that is led nearer or farther: how near to the neck it may end, and how fast it may go.
NEAREST_END_M, FASTEST_MPS = 0.8, 4.0
_PACE_SIGMA, _STANDING_MPS = 6.0, 0.1  # frames; a pace at which standing counts as going on
_ACROSS_M = 0.01  # straight above or below somebody no direction leads away along the ground
HEAD_LOSS = 0.02  # share of frames that a correction may cost the head
_AIM_TRAITS = ("place", "grip", "turn:dutch")  # mended after the aim


def sized(camera: CameraPath, clip: Clip, facts: CameraFacts) -> tuple[CameraPath, list[str]]:
    """With another lens, where the size or the lens that was asked for is missing and one lens
    gives it. Zooms keep their ratio."""
    before = checks_of(facts, camera, clip)
    missing = [it for it in before if not it.right and it.asked.startswith(("size", "lens:"))]
    factors = _size_factors(camera, clip, facts) if missing else None
    if factors is None:
        return camera, []
    low, high = factors
    if low > high or low <= 1 <= high:
        return camera, []
    wanted = low if low > 1 else high
    other = scaled_lens(camera, wanted)
    if not _is_usual_lens(other):
        return camera, []
    after = checks_of(facts, other, clip)
    if not _gains(before, after, ignoring=_AIM_TRAITS):
        return camera, []
    what = "size" if any(it.asked.startswith("size") for it in missing) else "lens"
    return other, [lens_note(what, camera, other)]


def _is_usual_lens(camera: CameraPath) -> bool:
    longer = torch.maximum(camera.fov_vertical, camera.fov_horizontal)
    return float(longer.min()) >= LONGEST_RAD and float(longer.max()) <= WIDEST_RAD


def _size_factors(camera: CameraPath, clip: Clip, facts: CameraFacts) -> tuple[float, float] | None:
    """Between which factors of the picture's size everything that a lens decides is as asked."""
    pictures = standing_of(camera_curves(camera, clip.fps), person_curves(clip.motion)).picture_m
    if pictures is None:
        return None
    low, high = 0.0, math.inf
    for size, metres in zip((facts.size_start, facts.size_end), pictures, strict=True):
        if size is not None:
            least, most = size_bounds(size)
            low, high = max(low, _INSIDE * least / metres), min(high, most / metres / _INSIDE)
    if facts.lens is not None:
        half = torch.maximum(camera.fov_vertical, camera.fov_horizontal)[:12].median() / 2
        tangent = math.tan(float(half))
        if facts.lens == "wide-angle":
            low = max(low, _INSIDE * math.tan(WIDE_ANGLE_RAD / 2) / tangent)
        else:
            high = min(high, math.tan(LONG_LENS_RAD / 2) / tangent / _INSIDE)
    return low, high


def led_to_size(
    camera: CameraPath, clip: Clip, facts: CameraFacts, is_lens_free: bool
) -> tuple[CameraPath, list[str]]:
    """Led nearer to the person, or farther away, so that the shot ends on the size that was asked
    for, where one lens cannot give both ends. It goes along its own lines of sight at its own
    pace, so direction, height and what it does on the way stay. A size that it is to begin with is
    the lens's, if that is free."""
    before = checks_of(facts, camera, clip)
    person = person_curves(clip.motion)
    pictures = standing_of(camera_curves(camera, clip.fps), person).picture_m
    is_missing = any(not it.right and it.asked.startswith("size") for it in before)
    if not is_missing or pictures is None or facts.size_end is None:
        return camera, []
    lens = _into(facts.size_start, pictures[0]) if is_lens_free else 1.0
    nearer = _into(facts.size_end, lens * pictures[1])
    if nearer == 1:
        return camera, []
    lensed = camera if lens == 1 else scaled_lens(camera, lens)
    if lens != 1 and not _is_usual_lens(lensed):
        return camera, []
    other = _led(lensed, clip, nearer)
    after = checks_of(facts, other, clip)
    if not _can_be_gone(other, clip) or not _gains(before, after, ignoring=_AIM_TRAITS):
        return camera, []
    metres = abs(_distance_m(camera, clip)[-1] - _distance_m(other, clip)[-1])
    notes = [lens_note("size", camera, lensed)] if lens != 1 else []
    way = "nearer" if nearer < 1 else "farther away"
    return other, [*notes, f"size at the end: {metres:.1f} m {way}"]


def _into(size: Size | None, metres: float) -> float:
    """The factor nearest to one that brings a picture of such a height into a size."""
    if size is None:
        return 1.0
    least, most = size_bounds(size)
    if least < metres < most:
        return 1.0
    return (_INSIDE * least if metres <= least else most / _INSIDE) / metres


def _led(camera: CameraPath, clip: Clip, nearer: float) -> CameraPath:
    """At the end so many times as far from the neck, and on the way as far on as its own way is,
    with the neck where it was in the picture. Whoever looks up goes away along the ground: the
    line of sight would lead below it."""
    neck = clip.motion.joints[:, AIMED_AT].to(camera.centre)
    line = camera.centre - neck
    steps = torch.linalg.vector_norm(line.diff(dim=0), dim=-1).double().cpu().numpy()
    pace = smoothed(steps[:, None] * clip.fps, _PACE_SIGMA)[:, 0].clip(0) + _STANDING_MPS
    gone = np.concatenate([[0.0], pace.cumsum() / pace.sum()])
    share = torch.from_numpy(nearer**gone).to(line)
    up = line[:, 2] * torch.where(line[:, 2] > 0, share, share.clamp_max(1))
    apart = share * torch.linalg.vector_norm(line, dim=-1)
    across = torch.linalg.vector_norm(line[:, :2], dim=-1)
    wider = (apart.square() - up.square()).clamp_min(0).sqrt() / across.clamp_min(_ACROSS_M)
    centre = neck + torch.cat([wider[:, None] * line[:, :2], up[:, None]], dim=-1)
    turns = turned_to(camera.world_from_camera, neck, camera.centre, centre)
    return replace(camera, world_from_camera=turns, centre=centre)


def _distance_m(camera: CameraPath, clip: Clip) -> np.ndarray:
    line = camera.centre.double() - clip.motion.joints[:, AIMED_AT].double()
    return torch.linalg.vector_norm(line, dim=-1).cpu().numpy()


def _can_be_gone(camera: CameraPath, clip: Clip) -> bool:
    """Whether a camera stays off the face, and below a pace that nobody holds."""
    speed = torch.linalg.vector_norm(camera.centre.diff(dim=0), dim=-1).max() * clip.fps
    is_slow, is_off = float(speed) <= FASTEST_MPS, _distance_m(camera, clip)[-1] >= NEAREST_END_M
    return is_slow and bool(is_off)


def size_bounds(size: Size) -> tuple[float, float]:
    """Heights of the picture at the person between which a shot has a size."""
    sizes = list(SIZE_EDGES_M)
    at = sizes.index(size)
    return (SIZE_EDGES_M[sizes[at - 1]] if at else 0.0), SIZE_EDGES_M[size]


def brought_nearer(
    camera: CameraPath, clip: Clip, facts: CameraFacts, seed: int
) -> tuple[CameraPath, list[str]]:
    """With a tilted horizon, the person's place in the picture and the grip as asked, as far as
    that costs nothing else."""
    notes: list[str] = []
    before, held = checks_of(facts, camera, clip), holding_of(camera, clip.motion, clip.fps)
    for names in (("turn:dutch",), ("place:",), ("grip:",)):
        if not any(not it.right and it.asked.startswith(names) for it in before):
            continue
        for other, note in _corrections_of(names[0], camera, clip, facts, seed):
            after = checks_of(facts, other, clip)
            holding = holding_of(other, clip.motion, clip.fps)
            if _gains(before, after) and _holds(held, holding, facts):
                camera, before, held = other, after, holding
                notes.append(note)
                break
    return camera, notes


def _gains(
    before: tuple[FactCheck, ...], after: tuple[FactCheck, ...], ignoring: tuple[str, ...] = ()
) -> bool:
    """Whether something became right and nothing wrong."""
    kept = (
        all(
            now.right or not was.right or was.asked.startswith(ignoring)
            for was, now in zip(before, after, strict=False)
        )
        if ignoring
        else all(now.right or not was.right for was, now in zip(before, after, strict=False))
    )
    return kept and sum(it.right for it in after) > sum(it.right for it in before)


def _holds(was: Holding, now: Holding, facts: CameraFacts) -> bool:
    """Whether the person is held no worse."""
    was, now = excused(was, facts), excused(now, facts)
    slow = now.fastest_turn_dps <= max(90.0, was.fastest_turn_dps)
    return (
        now.empty_share <= was.empty_share and now.head_share >= was.head_share - HEAD_LOSS and slow
    )


def _corrections_of(
    name: str, camera: CameraPath, clip: Clip, facts: CameraFacts, seed: int
) -> Iterator[tuple[CameraPath, str]]:
    """What may be tried, the best first."""
    if name == "turn:dutch":
        yield _tilted(camera, clip)
    elif name == "place:":
        yield from _moved_in_picture(camera, clip, facts)
    else:
        yield from _gripped(camera, clip, facts, seed)


def _tilted(camera: CameraPath, clip: Clip) -> tuple[CameraPath, str]:
    """Rolled about its axis to the side to which it leans already."""
    roll = float(np.median(camera_curves(camera, clip.fps).roll))
    more = math.copysign(_DUTCH * DUTCH_RAD, roll) - roll
    angle = torch.full_like(camera.fov_vertical, more)
    rolled = camera.world_from_camera @ about_axis(angle, "z")
    return replace(camera, world_from_camera=rolled), f"dutch: rolled by {math.degrees(more):.0f}°"


def _moved_in_picture(
    camera: CameraPath, clip: Clip, facts: CameraFacts
) -> Iterator[tuple[CameraPath, str]]:
    across = [
        target
        for place, targets in (
            ("left-third", (-_THIRD,)), ("right-third", (_THIRD,)),
            ("centre", (0.0,)), ("lead-room", (_THIRD, -_THIRD)),
        )
        for target in targets
        if place in facts.places
    ]  # fmt: skip
    top = _HEAD_TOP if "head-room" in facts.places else None
    for target in across or [None]:
        other = _composed(camera, clip, target, top)
        turn = float(np.degrees(np.abs(_turned_by(camera, other)).max()))
        yield other, f"place: turned by {turn:.1f}°"


def _turned_by(before: CameraPath, after: CameraPath) -> np.ndarray:
    was, now = angles_of(turns_in(before)), angles_of(turns_in(after))
    return np.stack([np.angle(np.exp(1j * (now.pan - was.pan))), now.tilt - was.tilt])


def _composed(
    camera: CameraPath, clip: Clip, across: float | None, top: float | None
) -> CameraPath:
    """Turned by one yaw and one pitch so that the neck, and the top of the head, have their median
    place in the picture."""
    person = person_curves(clip.motion)
    crown = person.head + np.array([0.0, 0.0, _HEAD_TOP_M])
    base, none = turns_in(camera), np.zeros(camera.frames)
    yaw = pitch = 0.0
    other = camera
    for _ in range(_ROUNDS):
        curves = camera_curves(other, clip.fps)
        if across is not None:
            found = float(np.median(in_picture(curves, person.neck)[0][:, 0]))
            yaw += (across - found) * float(np.arctan(np.median(curves.tan_half_width)))
        if top is not None:
            found = float(np.median(in_picture(curves, crown)[0][:, 1]))
            pitch += (found - top) * float(np.arctan(np.median(curves.tan_half_height)))
        other = with_turns(camera, turned(base, none + yaw, none + pitch))
    return other


def _gripped(
    camera: CameraPath, clip: Clip, facts: CameraFacts, seed: int
) -> Iterator[tuple[CameraPath, str]]:
    steady = _steady(camera)
    if facts.grip == "locked-off":
        middle = camera.centre.mean(dim=0)
        turns = turns_of(slow_angles(angles_of(turns_in(camera)), 1.0))
        still = np.repeat(turns[len(turns) // 2][None], len(turns), axis=0)
        fixed = replace(camera, centre=middle.expand_as(camera.centre).contiguous())
        yield with_turns(fixed, still), "grip: locked"
    elif facts.grip == "dolly":
        yield steady, "grip: smoothed"
    elif facts.grip is not None:
        shaken = held_by(steady.to(torch.float64), facts.grip, np.random.default_rng((seed, 25)))
        yield shaken.to(camera.centre), f"grip: shaken as {facts.grip}"


def _steady(camera: CameraPath) -> CameraPath:
    """Without shake."""
    turns = turns_of(slow_angles(angles_of(turns_in(camera)), _STEADY_SIGMA))
    way = smoothed(camera.centre.double().cpu().numpy(), _STEADY_SIGMA)
    moved = replace(camera, centre=torch.from_numpy(way).to(camera.centre))
    return with_turns(moved, turns)
