"""A finished camera that meets what it has to meet: keys win over the operator's hand."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from aesop.director.asked_hand import with_one_lens
from aesop.director.clearance import NEAREST_M, body_of, clear_of_body
from aesop.director.key_warp import warped_to
from aesop.scene.camera import CameraPath
from aesop.scene.camera_keys import (
    MET,
    CameraKeys,
    KeyMiss,
    MetKeys,
    key_miss,
    path_change,
)
from aesop.scene.human import Clip

# What the hand, or whoever else finishes a camera, makes of it, and notes of what was done.
Finisher = Callable[[CameraPath], tuple[CameraPath, list[str]]]

WARPED = "warped to its keys"  # how the note of a warp begins
# A finished path this near to its keys is only warped: it is the shot that they were taken from.
NEAR = KeyMiss(place_m=0.05, turn_degrees=2.0, lens_degrees=2.0)
ROUNDS = 3  # of leading the way around the body between keys


@dataclass(frozen=True, eq=False)
class KeyedFinish:
    """A camera as it is shown, what was done to it, and what it has met."""

    camera: CameraPath
    notes: tuple[str, ...]
    met: MetKeys


def is_within(miss: KeyMiss, limit: KeyMiss) -> bool:
    """Whether a path is no farther off than a limit in anything."""
    return (
        miss.place_m <= limit.place_m
        and miss.turn_degrees <= limit.turn_degrees
        and miss.lens_degrees <= limit.lens_degrees
    )


@dataclass(frozen=True)
class KeyedManner:
    """How a camera is finished: as if there were no keys, and with the lens of its keys."""

    free: Finisher
    with_lens: Finisher
    holds_lens: bool = True  # one lens between keys, but where a zoom is asked for


def finished_with_keys(
    camera: CameraPath, clip: Clip, keys: CameraKeys, manner: KeyedManner
) -> KeyedFinish:
    """The camera finished and warped. One that meets its keys once it is finished is left alone but
    for the last millimetres. Any other is warped before it is finished, so that the hand sees the
    way and the lens that will be shown, and again after, because keys win over the hand."""
    anchors = keys.anchors(camera.frames, clip.fps)
    alone, notes = manner.free(camera)
    if is_within(miss := key_miss(alone, anchors), NEAR):
        shown = warped_to(alone, clip, keys)
        met = MetKeys(keys, miss, path_change(alone, shown), key_miss(shown, anchors))
        return KeyedFinish(shown, (*notes, *_notes(met, shown, clip)), met)
    before = key_miss(camera, anchors)
    has_lens = bool(anchors.has_lens.any())
    base = with_one_lens(camera) if has_lens and manner.holds_lens else camera
    placed = warped_to(base, clip, keys)
    steady, notes = (manner.with_lens if has_lens else manner.free)(placed)
    shown = _around_body(warped_to(steady, clip, keys, fades=True), clip, keys)
    warp = _larger(path_change(camera, placed), path_change(steady, shown))
    met = MetKeys(keys, before, warp, key_miss(shown, anchors))
    return KeyedFinish(shown, (*notes, *_notes(met, shown, clip)), met)


def _around_body(camera: CameraPath, clip: Clip, keys: CameraKeys) -> CameraPath:
    """Led around the body between keys as far as keys allow: the way that stays farthest off it."""
    body = body_of(clip.motion)

    def nearest_m(path: CameraPath) -> float:
        return float(body.distance(path.centre.double().cpu().numpy()).min())

    best, distance = camera, nearest_m(camera)
    for _ in range(ROUNDS):
        if distance >= NEAREST_M:
            break
        camera = warped_to(clear_of_body(camera, clip, body), clip, keys, fades=True)
        if (now := nearest_m(camera)) > distance:
            best, distance = camera, now
    return best


def _notes(met: MetKeys, camera: CameraPath, clip: Clip) -> list[str]:
    moved = f"sampled {met.sampled.text} off, moved by up to {met.warp.text}"
    notes = [f"{WARPED} ({met.keys.text}): {moved}"]
    if is_within(met.sampled, MET):
        notes = [f"meets its keys as sampled ({met.keys.text})"]
    body = body_of(clip.motion)
    apart = body.distance(camera.centre.double().cpu().numpy())
    for key in met.keys.keys:
        frame = min(round(key.seconds * clip.fps), clip.frames - 1)
        part = body.part(np.array([frame]))
        metres = float(part.distance(key.centre.double().cpu().numpy()[None])[0])
        if metres < NEAREST_M:
            notes.append(
                f"the key at {key.seconds:.4g} s is {metres:.2g} m from the body, and stays there"
            )
    if (nearest := float(apart.min())) < NEAREST_M:
        seconds = int(apart.argmin()) / clip.fps
        notes.append(f"keys lead it {nearest:.2g} m near to the body, at {seconds:.2f} s")
    return notes


def _larger(first: KeyMiss, second: KeyMiss) -> KeyMiss:
    return KeyMiss(
        max(first.place_m, second.place_m),
        max(first.turn_degrees, second.turn_degrees),
        max(first.lens_degrees, second.lens_degrees),
    )


def near_path(camera: CameraPath, clip: Clip, keys: CameraKeys) -> KeyMiss:
    """How far a path is from its keys as it is."""
    return key_miss(camera, keys.anchors(camera.frames, clip.fps))


def _unfinished(camera: CameraPath) -> tuple[CameraPath, list[str]]:
    return camera, []


UNFINISHED = KeyedManner(_unfinished, _unfinished, holds_lens=False)  # of whoever needs no hand
