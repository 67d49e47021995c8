"""Where the operator's hand turns a camera: towards the person, steadily, never too fast."""

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float

from aesop.director.hand_solve import (
    Corridor,
    Curve,
    least_motion,
    least_turn,
    lowered,
    rate_limited,
)
from aesop.director.safe_area import (
    Angles,
    Range,
    Sights,
    angles_of,
    azimuth,
    elevation,
    safe_turns,
    turns_of,
    unwrapped,
    wrapped,
)

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
