"""The operator's hand: what is still wrong with a take is corrected, as little as possible."""

import re
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float

from aesop.camera_words.outline import AskedCamera
from aesop.camera_words.request_reader import made_as_asked
from aesop.director.clearance import NEAREST_M, Body, body_of, clear_of_body
from aesop.director.decoding import above_floor, rests
from aesop.director.hand_solve import (
    Angles,
    Corridor,
    Curve,
    Range,
    Sights,
    angles_of,
    azimuth,
    elevation,
    least_motion,
    least_turn,
    lowered,
    rate_limited,
    safe_turns,
    turns_of,
    wrapped,
)
from aesop.fables.cinematographer.shot_setup import unwrapped
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip
from aesop.scene.movement import TAG_NAMES, runs, tag_path
from aesop.scene.rotation import geodesic_distance
from aesop.scene.skeleton import JOINT

FASTEST_DPS = 90.0
# Limits of one correction, below the law for both together.
_PAN_DPS, _TILT_DPS, _LIMITED_DPS = 75.0, 45.0, 89.0
_SHARPEST_DPS2 = 240.0
# A correction begins and ends this long before and after what it corrects, and longer if large.
_EASE_SECONDS, _EASE_DPS = 0.8, 50.0
# A tripod pans when the person leaves this part of the picture around their usual place in it.
_DEAD_ZONE, _USUAL_PLACE = 0.25, 0.45
_STEADY_RAD = np.radians(0.1)  # an aim that strays less is held already


def followed(sights: Sights, fps: float, largest: float) -> Angles:
    """A moving camera, turned as little as keeps head and hips in the safe area. No correction is
    larger than `largest` (radians)."""
    base = within_speed(angles_of(sights.turns), fps)
    sights = replace(sights, turns=turns_of(base))
    yaw = pitch = np.zeros_like(base.pan)
    is_free = np.zeros((2, len(yaw)), dtype=bool)
    for _ in range(2):
        yaws, pitches = safe_turns(sights, yaw, pitch)
        yaws, whole = _continuous(yaws)
        none = np.zeros_like(pitch)
        yaws = yaws.within(Range(whole - largest, whole + largest))
        pitches = pitches.within(Range(none - largest, none + largest))
        is_free[0] |= _around(yaws, whole, sights.trust, fps)
        is_free[1] |= _around(pitches, none, none + 1, fps)
        yaw = least_turn(
            _corridor(yaws, sights.trust, base.pan, _PAN_DPS, fps), whole, is_free[0], fps
        )
        pitch = least_turn(
            _corridor(pitches, none + 1, base.tilt, _TILT_DPS, fps), none, is_free[1], fps
        )
    if not is_free.any():
        return base
    return within_speed(Angles(base.pan + yaw, base.tilt + pitch, base.roll), fps)


def _continuous(yaws: Range) -> tuple[Range, Curve]:
    """The same range without jumps by a whole turn, and the whole turns that are no correction."""
    middle = (yaws.low + yaws.high) / 2
    smooth = unwrapped(middle)
    inside = (yaws.low <= 0) & (yaws.high >= 0)
    usual = smooth[inside] if inside.any() else smooth
    smooth = smooth - 2 * np.pi * np.round(np.median(usual) / (2 * np.pi))
    return yaws.moved(smooth - middle), 2 * np.pi * np.round(smooth / (2 * np.pi))


def _around(
    allowed: Range, no_turn: Curve, trust: Curve, fps: float
) -> Bool[np.ndarray, " frames"]:
    """Frames that a correction may touch: those that need one and time to ease in and out."""
    need = np.abs(allowed.nearest(no_turn) - no_turn) * (trust > 0)
    reach = np.ceil((_EASE_SECONDS + need / np.radians(_EASE_DPS)) * fps).astype(int)
    edges = np.zeros(len(need) + 1)
    at = np.flatnonzero(need > 0)
    np.add.at(edges, np.maximum(at - reach[at], 0), 1)
    np.add.at(edges, np.minimum(at + reach[at] + 1, len(need)), -1)
    return np.cumsum(edges)[:-1] > 0.5


def _corridor(
    allowed: Range, trust: Curve, angle: Curve, fastest_dps: float, fps: float
) -> Corridor:
    return Corridor(
        low=allowed.low,
        high=allowed.high,
        trust=trust,
        drift=np.gradient(angle) * fps,
        fastest=np.radians(fastest_dps),
        sharpest=np.radians(_SHARPEST_DPS2),
    )


def held(sights: Sights, fps: float) -> Angles:
    """A tripod's aim: still while the person stays about where they are in the picture, panned
    and tilted gently when they leave. A steady aim that holds them comes back as it is."""
    base = angles_of(sights.turns)
    none = np.zeros_like(base.pan)
    yaws, pitches = safe_turns(sights, none, none)
    is_safe = all(bool(((it.low <= 0) & (it.high >= 0)).all()) for it in (yaws, pitches))
    if is_safe and max(np.ptp(base.pan), np.ptp(base.tilt), np.ptp(base.roll)) < _STEADY_RAD:
        return base
    middle = (sights.head + sights.hips) / 2
    half = np.arctan(sights.tan_half)
    towards, up = unwrapped(azimuth(middle)), elevation(middle)
    own = towards + wrapped(base.pan - towards)  # the take's pan on the turn on which the person is
    pan_zone = _dead_zone(towards, own, half[:, 0], sights.trust)
    tilt_zone = _dead_zone(up, base.tilt, half[:, 1], none + 1)
    pan, tilt = own, base.tilt
    for _ in range(2):
        yaws, pitches = safe_turns(sights, pan - own, tilt - base.tilt)
        corridor = _corridor(pan_zone.within(yaws.moved(own)), sights.trust, none, _PAN_DPS, fps)
        pan = least_motion(corridor, own, fps)
        corridor = _corridor(
            tilt_zone.within(pitches.moved(base.tilt)), none + 1, none, _TILT_DPS, fps
        )
        tilt = least_motion(corridor, base.tilt, fps)
    level = np.clip(0.0, base.roll.min(), base.roll.max())
    return within_speed(Angles(pan, tilt, none + level), fps)


def _dead_zone(towards: Curve, aim: Curve, half: Curve, trust: Curve) -> Range:
    """Aims at which the person is near the place in the picture that they usually have, and those
    between them and the take's own."""
    offset = aim - towards
    counted = offset[trust > 0] if (trust > 0).any() else offset
    usual = towards + np.clip(np.median(counted), -_USUAL_PLACE * half, _USUAL_PLACE * half)
    reach = _DEAD_ZONE * half
    return Range(np.minimum(usual - reach, aim), np.maximum(usual + reach, aim))


def within_speed(angles: Angles, fps: float) -> Angles:
    """The same angles if they never turn faster than the law; otherwise the nearest that do not."""
    if (_turn_steps(angles) <= np.radians(FASTEST_DPS) / fps).all():
        return angles
    largest = np.radians(_LIMITED_DPS) / fps
    roll = _slow_roll(angles.roll, largest / 2)
    slow = _turn_steps(replace(angles, roll=roll)) <= largest
    room = np.sqrt(largest**2 - np.diff(roll) ** 2)
    tilt_step = np.maximum(0.5 * room, np.where(slow, np.abs(np.diff(angles.tilt)), 0.0))
    tilt = rate_limited(angles.tilt, tilt_step)
    # Pan and tilt turn about axes that are square up to the roll.
    step, skew = np.abs(np.diff(tilt)), _skew(roll)
    pan_step = np.sqrt(np.maximum(room**2 - step**2 * (1 - skew**2), 0.0)) - step * skew
    return Angles(rate_limited(angles.pan, np.maximum(pan_step, 0.0)), tilt, roll)


def _turn_steps(angles: Angles) -> Float[np.ndarray, " transitions"]:
    """Upper bound of the turn between neighbouring frames."""
    pan, tilt, roll = (np.abs(np.diff(it)) for it in (angles.pan, angles.tilt, angles.roll))
    return np.sqrt(pan**2 + tilt**2 + roll**2 + 2 * pan * tilt * _skew(angles.roll))


def _skew(roll: Curve) -> Float[np.ndarray, " transitions"]:
    """Cosine between the axes of pan and tilt."""
    return np.sin(np.maximum(np.abs(roll[1:]), np.abs(roll[:-1])))


def _slow_roll(roll: Curve, largest: float) -> Curve:
    """Roll that changes no faster, and is never more than it was."""
    if (np.abs(np.diff(roll)) <= largest).all():
        return roll
    steps = np.full(len(roll) - 1, largest / 2)
    right, left = np.maximum(roll, 0), np.maximum(-roll, 0)
    return lowered(right, steps) - lowered(left, steps)


# A lens that changes by less is not worth a note, nor is a smaller turn a correction.
BREATHING_DEGREES = 1.0
CORRECTED_DEGREES = 0.05
MOVED_M = 0.001
# How far the hand may turn, tried in this order while a turn costs the movement asked for.
LARGEST_TURNS_DEGREES = (180.0, 30.0, 20.0, 10.0, 5.0, 0.0)
_ELSEWHERE = re.compile(
    r"\b(?:tilt|pan|look|aim|point|turn|swivel|glanc|gaz)\w*\b[^.;!?]*"
    r"\b(?:sky|ceiling|clouds?|sun|moon|stars|horizon|ground|floor|feet|shoes|landscape|scenery"
    r"|background|surroundings|away|off into)\b"
)


@dataclass(frozen=True, eq=False)
class Handled:
    """A corrected camera, what to tell about it, and by how much it was corrected."""

    camera: CameraPath
    notes: tuple[str, ...]
    turn_degrees: float  # the largest turn of a frame
    turned_share: float  # of the frames
    breathing_degrees: float  # change of the lens that was taken out
    shift_m: float  # the largest way by which a centre moved
    is_movement_changed: bool  # classes of movement are no longer those of the take


def aims_elsewhere(words: str) -> bool:
    """Whether words ask the camera to look at something else than the person, as in "tilts up to
    the sky": then nobody is to be brought back into the picture."""
    return bool(_ELSEWHERE.search(words.lower()))


def steadied(
    camera: CameraPath, clip: Clip, wish: AskedCamera | None, is_aim_free: bool = False
) -> Handled:
    """The take as an operator's hand would have filmed it; without a wish, no movement is defended.
    A take with nothing wrong comes back as the same object."""
    body = body_of(clip.motion)
    placed = clear_of_body(above_floor(_with_one_lens(camera), clip.motion), clip, body)

    def is_right(path: CameraPath) -> bool:
        return wish is not None and made_as_asked(wish, path, clip.motion, clip.fps).right

    was_right = is_right(placed)  # distance from the body goes before movement
    limits = (0.0,) if is_aim_free else LARGEST_TURNS_DEGREES
    steady, limit = placed, limits[0]
    for limit in limits:
        steady = _turned(placed, clip, body, np.radians(limit))
        if not was_right or is_right(steady):
            break
    handled = _handled(camera, steady, clip.fps)
    if limit in limits[1:]:
        bound = f"turned by no more than {limit:g}° to keep the movement asked for"
        handled = replace(handled, notes=(*handled.notes, bound))
    return handled


def _with_one_lens(camera: CameraPath) -> CameraPath:
    """The lens at its median: no words ask for a zoom."""
    lens = camera.fov_vertical
    if bool((lens == lens[0]).all()):
        return camera
    return replace(camera, fov_vertical=lens.median().expand_as(lens).contiguous())


def _turned(camera: CameraPath, clip: Clip, body: Body, largest: float) -> CameraPath:
    """Aimed by the hand, with no correction of a moving camera larger than `largest` (radians)."""
    sights = _sights(camera, clip, body)
    is_tripod = rests(camera, clip.fps) and largest > 0
    aim = held(sights, clip.fps) if is_tripod else followed(sights, clip.fps, largest)
    was = angles_of(sights.turns)
    changed = np.stack([aim.pan - was.pan, aim.tilt - was.tilt, aim.roll - was.roll]) != 0
    if not changed.any():
        return camera
    # A held aim is one curve: rounding must not make its untouched frames twitch.
    is_new = changed.any(0) | is_tripod
    turns = np.where(is_new[:, None, None], turns_of(aim), sights.turns)
    return replace(camera, world_from_camera=torch.from_numpy(turns).to(camera.world_from_camera))


def _sights(camera: CameraPath, clip: Clip, body: Body) -> Sights:
    centre = camera.centre.double().cpu().numpy()
    joints = clip.motion.joints.double().cpu().numpy()
    return Sights(
        turns=camera.world_from_camera.double().cpu().numpy(),
        tan_half=camera.tan_half_fov.double().cpu().numpy(),
        head=joints[:, JOINT["head"]] - centre,
        crown=body.crown - centre,
        hips=joints[:, JOINT["pelvis"]] - centre,
    )


def _handled(take: CameraPath, camera: CameraPath, fps: float) -> Handled:
    turn = torch.rad2deg(
        geodesic_distance(take.world_from_camera.double(), camera.world_from_camera.double())
    )
    lens = torch.rad2deg(take.fov_vertical.double())
    shift = torch.linalg.vector_norm((camera.centre - take.centre).double(), dim=-1)
    is_turned = camera.world_from_camera is not take.world_from_camera
    before, after = _outline(take, fps), _outline(camera, fps)
    handled = Handled(
        camera=camera,
        notes=(),
        # The angle between equal turns is rounding, not a correction.
        turn_degrees=float(turn.max()) if is_turned else 0.0,
        turned_share=float((turn > CORRECTED_DEGREES).double().mean()) if is_turned else 0.0,
        breathing_degrees=float(lens.max() - lens.min()),
        shift_m=float(shift.max()),
        is_movement_changed=before != after,
    )
    return replace(handled, notes=_notes(handled, take, before, after))


def _outline(camera: CameraPath, fps: float) -> tuple[int, ...]:
    return tuple(tag for tag, _, _ in runs(tag_path(camera, fps)))


def _notes(
    handled: Handled, take: CameraPath, before: tuple[int, ...], after: tuple[int, ...]
) -> tuple[str, ...]:
    notes: list[str] = []
    if handled.breathing_degrees > BREATHING_DEGREES:
        lens = float(torch.rad2deg(handled.camera.fov_vertical[0]))
        notes.append(f"lens held at {lens:.1f}°: it changed by {handled.breathing_degrees:.1f}°")
    if handled.turned_share > 0:
        largest, share = handled.turn_degrees, handled.turned_share
        notes.append(f"turned by up to {largest:.1f}° in {share:.0%} of the frames")
    if handled.shift_m > MOVED_M:
        notes.append(
            f"moved by up to {handled.shift_m:.2g} m to stay {NEAREST_M:g} m off the body: travels "
            f"{float(handled.camera.travel):.1f} m instead of {float(take.travel):.1f} m"
        )
    if handled.is_movement_changed:
        was, now = (", ".join(TAG_NAMES[tag] for tag in tags) for tags in (before, after))
        notes.append(f"movement changed by the correction: {was} became {now}")
    return tuple(notes)
